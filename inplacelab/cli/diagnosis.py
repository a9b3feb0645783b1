"""A refusal as an engineer wants to read it: the lines that led to it, marked, and how to mend them.

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

  To mend it, one of these:
    - call `loss.backward()` before line 6
    - in line 6 write `a = a.relu()`, which makes a new tensor
"""

from __future__ import annotations

import ast
import traceback
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders.lab import has_ordinary
from inplacelab.recording.explain.errors import Spoilt, spoilt, written_through
from inplacelab.recording.explain.moment import Moment
from inplacelab.recording.explain.words import closed_up
from inplacelab.recording.kept import kept_values, naming
from inplacelab.recording.mending import mends
from inplacelab.recording.mending.program import Program
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import common_runs, slot_runs

__all__ = ["of"]

_KEPT = Text("kept: `{0}` needs version {2} of {1}", "保存：`{0}` 需要 {1} 保持在版本 {2}")
_OVERWROTE = Text("overwritten through {0}: version {1} → {2}", "经由 {0} 覆盖：版本 {1} → {2}")
_WROTE_BESIDE = Text(
    "written through {0}, though not these slots: version {1} → {2}", "经由 {0} 写入（并非这些槽位）：版本 {1} → {2}"
)
_MORE = Text("written {0} times more until version {1}", "其后又写了 {0} 次，直到版本 {1}")
_FOUND = Text("refused: it finds version {0}", "拒绝：现在是版本 {0}")
_REFUSED = Text("refused", "被拒绝")
_WHY = Text("Why: {0}", "原因：{0}")
_MEND = Text("To mend it: {0}", "改法：{0}")
_ONE_WAY = Text("To mend it:", "改法：")
_ONE_OF = Text("To mend it, one of these:", "改法（任选其一）：")


@dataclass(frozen=True, slots=True)
class _Mark:
    """What is said of a line of the program, and which part of it is meant: (column, one past the last)."""

    line: int
    says: Text
    sign: str
    span: tuple[int, int] | None


def of(raised: BaseException, recording: Recording) -> str | None:
    """The refusal that a recording ends with, as lines for a terminal; None for any other exception, or a part of a chain."""
    last = recording.steps[-1] if len(recording) else None
    known = (
        isinstance(raised, Refusal)
        and last is not None
        and last.error is not None
        and last.error.message == str(raised)
    )
    if not known or not isinstance(raised, Refusal) or raised.__cause__ or raised.__context__ or recording.truncated:
        return None
    trace = "".join(traceback.format_tb(raised.__traceback__))
    head = f"Traceback (most recent call last):\n{trace}{type(raised).__name__}: {raised.headline}"
    hint = [f"  [Hint: {raised.hint}]"] if raised.hint else []
    return "\n".join([head, *hint, "", *_explained(raised, recording)])


def _explained(raised: Refusal, recording: Recording) -> Iterator[str]:
    moment = Moment(recording, len(recording) - 1)
    program, found = _program(recording), spoilt(moment)
    marks = [*_story(moment, program, found)] if found else [*_refused(moment, program)]
    if marks:
        yield from _quoted(recording.source.splitlines(), marks)
        yield ""
    if found is None:
        yield f"  {_WHY.format(raised.why)}"
    ways = [each.says for each in mends(recording, has_ordinary)]
    if not ways:
        yield f"  {closed_up(_MEND.format(raised.mend))}"
        return
    yield f"  {_ONE_WAY if len(ways) == 1 else _ONE_OF}"
    yield from (f"    - {closed_up(way)}" for way in ways)


def _program(recording: Recording) -> Program | None:
    try:
        return Program(recording.source)
    except (SyntaxError, ValueError):
        return None


# --- which lines -------------------------------------------------------------------------------------------------------


def _story(moment: Moment, program: Program | None, found: Spoilt) -> Iterator[_Mark]:
    """Where the value was kept, where it was overwritten, where it was missed: in this order."""
    recording, saved = moment.recording, found.saved
    kept = kept_values(recording)[found.node, saved.name]
    node = moment.node(found.node)
    if node is not None and node.line is not None:
        step = recording.steps[kept.step] if kept.step is not None else None
        called = naming(recording, moment.after, found.node, saved).phrase()
        span = _span(program, node.line, step.op if step else None, kept.name)
        yield _Mark(node.line, _KEPT.format(node.name, called, saved.version), "^", span)
    yield from _writes(recording, program, found)
    if moment.step.line is not None:
        says = _FOUND.format(found.writes[-1][1].after) if found.writes else _REFUSED
        yield _Mark(moment.step.line, says, "^", _span(program, moment.step.line, None, ""))


def _writes(recording: Recording, program: Program | None, found: Spoilt) -> Iterator[_Mark]:
    """The first two lines that wrote, each with how often it did."""
    told: set[int] = set()
    for step, write in found.writes:
        if step.line is None or step.line in told or len(told) > 1:
            continue
        told.add(step.line)
        through = written_through(Moment(recording, step.index), write.tensor)
        pattern = _OVERWROTE if common_runs(slot_runs(found.saved), write.slots) else _WROTE_BESIDE
        says = pattern.format(through, write.before, write.after)
        others = [each for other, each in found.writes if other.line == step.line and other.index > step.index]
        if others:
            says += Text("; ", "；") + _MORE.format(len(others), others[-1].after)
        yield _Mark(step.line, says, "~", _span(program, step.line, step.op, ""))


def _refused(moment: Moment, program: Program | None) -> Iterator[_Mark]:
    line = moment.step.line
    if line is not None:
        yield _Mark(line, _REFUSED, "^", _span(program, line, None, ""))


def _span(program: Program | None, line: int, op: str | None, name: str) -> tuple[int, int] | None:
    """Where on a line something was done: the operand of this name, else the operation, else the whole statement."""
    statement = program.statement(line) if program else None
    if program is None or statement is None:
        return None
    did = program.did(statement, op)
    reads = program.reads(did or statement, name) if name else []
    meant: ast.expr | ast.stmt = reads[0] if len(reads) == 1 else did or statement
    (first, left), (last, right) = program.start(meant), program.end(meant)
    return (left, right) if first == last == line else None


# --- how they are shown ------------------------------------------------------------------------------------------------


def _quoted(source: Sequence[str], marks: Sequence[_Mark]) -> Iterator[str]:
    """Each line with what is said of it below; a line that is told of twice in a row is shown once."""
    gutter = len(str(max(mark.line for mark in marks)))
    shown = None
    for mark in marks:
        text = source[mark.line - 1].rstrip() if 0 < mark.line <= len(source) else ""
        if mark.line != shown:
            yield f"  {mark.line:>{gutter}} | {text}"
            shown = mark.line
        left, right = mark.span or (len(text) - len(text.lstrip()), len(text))
        blank, sign = " " * _width(text[:left]), mark.sign * max(_width(text[left:right]), 1)
        yield f"  {'':>{gutter}} | {blank}{sign} {closed_up(mark.says)}"


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text.expandtabs(4))
