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

  To fix it, one of these:
    - call `loss.backward()` before line 6
    - in line 6 write `a = a.relu()`, which makes a new tensor
  (Checked: it runs, and the loss and the gradients are right, on other data, too.)
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence

from inplacelab.diagnosis.quoting import Quoted, quoted
from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders.static import message_of
from inplacelab.recording.fixes import label
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.trace import Marked, Role, refusal, trace

__all__ = ["lines_of", "of"]

_WHY = Text("Why: {0}", "原因：{0}")
_FIX = Text("To fix it: {0}", "改法：{0}")
_ONE_WAY = Text("To fix it:", "改法：")
_ONE_OF = Text("To fix it, one of these:", "改法（任选其一）：")

_SIGNS: dict[Role, str] = {"kept": "^", "written": "~", "refused": "^"}
"""The characters that underline a part of a line."""


def of(raised: BaseException, recording: Recording) -> str | None:
    """Formats the refusal at the end of a recording for a terminal.

    Args:
        raised: the exception that the program raised.
        recording: the recording.

    Returns:
        The lines; None for any other exception, or for one of a chain.
    """
    last = recording.steps[-1] if len(recording) else None
    if last is None or last.error is None or last.error.message != message_of(raised) or recording.truncated:
        return None
    if not isinstance(raised, Refusal):
        return _of_framework(raised, recording)
    if raised.__cause__ or raised.__context__:
        return None
    trace = "".join(traceback.format_tb(raised.__traceback__))
    head = f"Traceback (most recent call last):\n{trace}{type(raised).__name__}: {raised.headline}"
    hint = [f"  [Hint: {raised.hint}]"] if raised.hint else []
    return "\n".join([head, *hint, "", *_explained(raised, recording)])


def lines_of(raised: BaseException, recording: Recording) -> str | None:
    """Formats the lines that led to an error at the end of a recording; None if the recording does not show them."""
    last = recording.steps[-1] if len(recording) else None
    if last is None or last.error is None or last.error.message != message_of(raised):
        return None
    marks = trace(recording, last.index)
    return "\n".join(_quoted(recording.source.splitlines(), marks)) if marks else None


def _of_framework(raised: BaseException, recording: Recording) -> str | None:
    """Formats an error of a framework whose programs are recorded as they are, if the recording shows what led to it."""
    lines = lines_of(raised, recording)
    if lines is None:
        return None
    said = "".join(traceback.format_exception(raised)).removesuffix("\n")
    return f"{said}\n\n{lines}"


def _explained(raised: Refusal, recording: Recording) -> Iterator[str]:
    last = len(recording) - 1
    traced = trace(recording, last)
    marks = traced or refusal(recording, last)
    if marks:
        yield from _quoted(recording.source.splitlines(), marks)
        yield ""
    if not traced:
        yield f"  {_WHY.format(raised.why)}"
    error = recording.steps[last].error
    ways = () if error is None else error.fixes
    if not ways:
        yield f"  {closed_up(_FIX.format(raised.fix))}"
        return
    yield f"  {_ONE_WAY if len(ways) == 1 else _ONE_OF}"
    yield from (f"    - {closed_up(way.says)}" for way in ways)
    yield f"  {label(ways)}"


def _quoted(source: Sequence[str], marks: Sequence[Marked]) -> Iterator[str]:
    """Yields each line with its marks below."""
    lines = {mark.line: source[mark.line - 1] if 0 < mark.line <= len(source) else "" for mark in marks}
    yield from quoted([Quoted(mark.line, lines[mark.line], mark.span, _SIGNS[mark.role], mark.says) for mark in marks])
