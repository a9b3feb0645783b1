"""Prints a refusal with the lines that led to it, marked, and how to fix them.

Traceback (most recent call last):
  File "script.py", line 7, in <module>
    loss.backward()
RuntimeError: (PermissionDenied) Tensor '' used in gradient computation has been modified by an inplace operation. ...

  5 | loss = (y * a).sum()
    |             ^ kept: `MultiplyGradNode` needs version 0 of `a` (as its second operand)
  6 | a.relu_()
    | ~~~~~~~~~ overwritten through `a`: version 0 → 1
  7 | loss.backward()
    | ^^^^^^^^^^^^^^^ refused: it finds version 1

  To fix it, one of these (checked: it runs, and the loss and the gradients are right, on other data, too):
    - call `loss.backward()` before line 6
    - in line 6 write `a = a.relu()`, which makes a new tensor (8 bytes more)
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence

from inplacelab.diagnosis.findings import STALE, Finding, Value, recorded_fix, told
from inplacelab.diagnosis.quoting import Paint, Quoted, Role, plain, quoted
from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders.static import message_of
from inplacelab.recording.facts import Step
from inplacelab.recording.fixes import block
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.trace import Marked, refusal, trace
from inplacelab.recording.trace import Role as MarkedAs

__all__ = ["finding", "handled", "lines_of", "of"]

_WHY = Text("Why: {0}", "原因：{0}")
_FIX = Text("To fix it: {0}", "改法：{0}")
_ROLES: dict[MarkedAs, Role] = {"kept": "kept", "written": "overwritten", "refused": "refused"}

_KINDS = {"stale_saved_tensor": "stale", "freed_graph": "again", "leaf_write": "leaf"}
"""The kinds of failures that refusals of these names are; all others are "refused"."""


def of(raised: BaseException, recording: Recording, paint: Paint = plain) -> str | None:
    """Formats the refusal at the end of a recording for a terminal.

    Args:
        raised: the exception that the program raised.
        recording: the recording.
        paint: colors the lines.

    Returns:
        The lines; None for any other exception, or for one of a chain.
    """
    if _last(raised, recording) is None or recording.truncated:
        return None
    if not isinstance(raised, Refusal):
        return _of_framework(raised, recording, paint)
    if raised.__cause__ or raised.__context__:
        return None
    trace = "".join(traceback.format_tb(raised.__traceback__))
    head = f"Traceback (most recent call last):\n{trace}{type(raised).__name__}: {raised.headline}"
    hint = [f"  [Hint: {raised.hint}]"] if raised.hint else []
    return "\n".join([head, *hint, "", *_explained(raised, recording, paint)])


def lines_of(raised: BaseException, recording: Recording, paint: Paint = plain) -> str | None:
    """Formats the lines that led to an error at the end of a recording; None if the recording does not show them."""
    last = _last(raised, recording)
    marks = [] if last is None else _marks(recording, trace(recording, last.index))
    return "\n".join(quoted(marks, paint=paint)) if marks else None


def finding(raised: BaseException, recording: Recording, filename: str) -> Finding | None:
    """Returns what is known of an error at the end of a recording, as data; None if the recording does not show what led to it.

    Args:
        raised: the exception that the program raised.
        recording: the recording.
        filename: the program's file.
    """
    last = _last(raised, recording)
    traced = () if last is None else trace(recording, last.index)
    if last is None or last.error is None or recording.truncated or not (traced or isinstance(raised, Refusal)):
        return None
    marks = _marks(recording, traced or refusal(recording, last.index), filename)
    kind = "stale" if traced else _KINDS.get(getattr(raised, "entry", ""), "refused")
    refused = raised if isinstance(raised, Refusal) else None
    says = STALE if traced or refused is None else refused.why
    advice = None if refused is None else _FIX.format(refused.fix)
    fixes = [recorded_fix(each, filename, recording.source) for each in (last.error.fixes if refused else ())]
    return Finding(kind, told(raised), says, [Value(marks)], advice=advice, fixes=fixes, ended=True)


def handled(raised: BaseException | None, recording: Recording, filename: str) -> list[Finding]:
    """Returns the backward passes of a recording that failed with an error that the program has handled: any but that which it raised in the end."""
    ended = None if raised is None else _last(raised, recording)
    failed = [
        each for each in recording.steps if each.error is not None and each.phase == "backward" and each is not ended
    ]
    marked = ((each.error, tuple(_marks(recording, trace(recording, each.index), filename))) for each in failed)
    found = (
        Finding("stale", (error.type, error.message), STALE, (Value(marks),))
        for error, marks in marked
        if error and marks
    )
    return [*dict.fromkeys(found)]


def _last(raised: BaseException, recording: Recording) -> Step | None:
    """Returns the last step of a recording, if it is that of this error."""
    last = recording.steps[-1] if len(recording) else None
    return last if last is not None and last.error is not None and last.error.message == message_of(raised) else None


def _of_framework(raised: BaseException, recording: Recording, paint: Paint) -> str | None:
    """Formats an error of a framework whose programs are recorded as they are, if the recording shows what led to it."""
    lines = lines_of(raised, recording, paint)
    if lines is None:
        return None
    said = "".join(traceback.format_exception(raised)).rstrip("\n")
    return f"{said}\n\n{lines}"


def _explained(raised: Refusal, recording: Recording, paint: Paint) -> Iterator[str]:
    last = len(recording) - 1
    traced = trace(recording, last)
    marks = _marks(recording, traced or refusal(recording, last))
    if marks:
        yield from quoted(marks, paint=paint)
        yield ""
    if not traced:
        yield f"  {_WHY.format(raised.why)}"
    error = recording.steps[last].error
    ways = () if error is None else error.fixes
    if not ways:
        yield f"  {closed_up(_FIX.format(raised.fix))}"
        return
    yield from (f"  {closed_up(each)}" for each in block(ways))


def _marks(recording: Recording, marked: Sequence[Marked], filename: str = "") -> list[Quoted]:
    """Returns marked lines with their texts."""
    source = recording.source.splitlines()
    return [
        Quoted(
            each.line, source[each.line - 1] if 0 < each.line <= len(source) else "", each.span,
            _ROLES[each.role] if each.details.found is None else "needed", each.says, filename, details=each.details,
        )
        for each in marked
    ]  # fmt: skip
