"""Traces a stale value to lines of the program: where it was saved, where it was overwritten, where backward refused it.

Terminal reports and the program beside the pictures mark the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording.facts import SavedFacts, Step, WriteFacts
from inplacelab.recording.naming import kept_values, naming
from inplacelab.recording.queries import newly_stale
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.errors import Spoilt, overwrites, same_value, spoilt, written_through
from inplacelab.recording.sentences.headline import MOST_LINES
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.recording.source_tree import program_of

__all__ = ["NOTHING_MORE", "Details", "Marked", "Role", "refusal", "trace"]

Role = Literal["kept", "written", "refused"]

MOST = 4
"""A write that makes values of more lines stale is not traced: the list would be too long to read."""

_KEPT = Text("kept: `{0}` needs version {2} of {1}", "保存：`{0}` 需要 {1} 保持在版本 {2}")
_INFERRED = Text(" (inferred)", "（推断）")
_OVERWROTE = Text("overwritten through {0}: version {1} → {2}", "经由 {0} 覆盖：版本 {1} → {2}")
_WROTE_BESIDE = Text(
    "written through {0}, though not these slots: version {1} → {2}", "经由 {0} 写入（并非这些槽位）：版本 {1} → {2}"
)
_MORE = Text("written {0} times more until version {1}", "其后又写了 {0} 次，直到版本 {1}")
_FOUND = Text("refused: it finds version {0}", "拒绝：现在是版本 {0}")
_REFUSED = Text("refused", "被拒绝")

_BRIEFLY_KEPT = Text("kept v{0}", "保存 v{0}")
_BRIEFLY_WRITTEN = Text("v{0} → v{1}", "v{0} → v{1}")
_BRIEFLY_FOUND = Text("finds v{0}", "遇到 v{0}")


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of a marked place, for programs that read it. What does not apply, or is not known, is empty or None.

    Attributes:
        tensor: the names of the tensor that was saved, or through which was written.
        op: the operation that ran there.
        node: the grad node that has saved the tensor.
        dtype, shape: the elements of the saved tensor.
        kept: its version when it was saved.
        before, after: the version before and after a write.
        found: the version that backward finds.
        certain: False if something else fits as well, or if it was inferred and not seen.
    """

    tensor: tuple[str, ...] = ()
    op: str = ""
    node: str = ""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    kept: int | None = None
    before: int | None = None
    after: int | None = None
    found: int | None = None
    certain: bool = True


NOTHING_MORE = Details()


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked line of the program.

    Attributes:
        line: the line, counted from 1.
        role: what was done there.
        brief: a few words that fit beside the line.
        says: the full text.
        span: the columns meant, as (first, one past the last); None if they are on several lines, or unknown.
        details: what the text says, as data.
    """

    line: int
    role: Role
    brief: Text
    says: Text
    span: tuple[int, int] | None
    details: Details = NOTHING_MORE


def trace(recording: Recording, index: int) -> tuple[Marked, ...]:
    """Returns the lines behind a step that found a value stale, or made one stale, in the order in which they ran.

    Args:
        recording: the recording.
        index: the step.

    Returns:
        The marked lines; () for any other step.
    """
    moment = Moment(recording, index)
    found = spoilt(moment)
    return tuple(_failed(moment, found) if found else _turned_stale(moment))


def refusal(recording: Recording, index: int) -> tuple[Marked, ...]:
    """Returns the line of a step that was refused for another reason; () if the line is unknown."""
    line = recording.steps[index].line
    return () if line is None else (_refused(recording, line, _REFUSED, _REFUSED),)


def _failed(moment: Moment, found: Spoilt) -> Iterator[Marked]:
    yield from _kept(moment, found.node, found.saved)
    yield from _writes(moment.recording, found)
    line = moment.step.line
    if line is not None and found.writes:
        version = found.writes[-1][1].after
        found_at = Details(node=_name_of(moment, found.node), found=version)
        yield _refused(moment.recording, line, _BRIEFLY_FOUND.format(version), _FOUND.format(version), found_at)
    elif line is not None:
        yield _refused(moment.recording, line, _REFUSED, _REFUSED)


def _turned_stale(moment: Moment) -> Iterator[Marked]:
    lost = newly_stale(moment.recording, moment.index)
    kept = {each.line: each for node, saved in lost for each in _kept(moment, node, saved)}
    if len(kept) > MOST:
        return
    yield from kept.values()
    for write in moment.step.writes:
        saved = next((saved for _, saved in lost if saved.storage == write.storage), None)
        if saved is not None:
            yield from _written(moment.recording, saved, [(moment.step, write)])
            return


def _kept(moment: Moment, number: int, saved: SavedFacts) -> Iterator[Marked]:
    recording, node = moment.recording, moment.node(number)
    if node is None or node.line is None:
        return
    kept = kept_values(recording)[number, saved.name]
    op = recording.steps[kept.step].op if kept.step is not None else None
    operands = same_value(moment, number, saved)
    says = _KEPT.format(node.name, naming(recording, moment.after, number, *operands).phrase(), saved.version)
    if saved.inferred:
        says += _INFERRED
    span = _span(recording, node.line, op, kept.name)
    storage = moment.after.storages.get(saved.storage)
    dtype = saved.dtype or ("" if storage is None else storage.dtype)
    names = (kept.name,) if kept.name else ()
    details = Details(names, op or "", node.name, dtype, saved.shape, kept=saved.version, certain=not saved.inferred)
    yield Marked(node.line, "kept", _BRIEFLY_KEPT.format(saved.version), says, span, details)


def _writes(recording: Recording, found: Spoilt) -> Iterator[Marked]:
    """Yields the first lines that wrote, as many as a headline lists, each with the number of its writes."""
    of_lines: dict[int, list[tuple[Step, WriteFacts]]] = {}
    for step, write in found.writes:
        if step.line is not None:
            of_lines.setdefault(step.line, []).append((step, write))
    for writes in list(of_lines.values())[:MOST_LINES]:
        yield from _written(recording, found.saved, writes)


def _written(recording: Recording, saved: SavedFacts, writes: list[tuple[Step, WriteFacts]]) -> Iterator[Marked]:
    """Yields a line that wrote, once or several times."""
    (step, write), *others = writes
    if step.line is None:
        return
    there = Moment(recording, step.index)
    through = written_through(there, write.tensor)
    pattern = _OVERWROTE if overwrites(there, saved, write) else _WROTE_BESIDE
    says, last = pattern.format(through, write.before, write.after), write.after
    if others:
        last = others[-1][1].after
        says += Text("; ", "；") + _MORE.format(len(others), last)
    span = _span(recording, step.line, step.op, "")
    tensor = there.tensor_before(write.tensor) or there.after.tensors.get(write.tensor)
    details = Details(tensor.names if tensor else (), step.op or "", before=write.before, after=last)
    yield Marked(step.line, "written", _BRIEFLY_WRITTEN.format(write.before, last), says, span, details)


def _refused(recording: Recording, line: int, brief: Text, says: Text, details: Details = NOTHING_MORE) -> Marked:
    return Marked(line, "refused", brief, says, _span(recording, line, None, ""), details)


def _name_of(moment: Moment, number: int) -> str:
    node = moment.node(number)
    return "" if node is None else node.name


def _span(recording: Recording, line: int, op: str | None, name: str) -> tuple[int, int] | None:
    """Returns the columns of a line to mark: the operand of this name, else the operation, else the whole statement."""
    program = program_of(recording)
    statement = program.statement(line) if program else None
    if program is None or statement is None:
        return None
    did = program.did(statement, op)
    reads = program.reads(did or statement, name) if name else []
    meant = reads[0] if len(reads) == 1 else did or statement
    (first, left), (last, right) = program.start(meant), program.end(meant)
    return (left, right) if first == last == line else None
