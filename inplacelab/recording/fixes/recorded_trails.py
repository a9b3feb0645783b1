"""Finds the trails of a failed backward pass in a recording: what it found overwritten or released, or would have found."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from inplacelab.recording.facts import SavedFacts, Step, TensorFacts, WriteFacts
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.naming import RESULT, kept_values
from inplacelab.recording.queries import stale, who_overwrote
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import begun_at
from inplacelab.recording.slots import common_runs, slot_runs
from inplacelab.recording.source_tree import Program, program_of

__all__ = ["name_of", "size_of", "stands_alone", "trails_of"]

_ON_THE_WAY = ("waiting", "arrived", "unpacking", "failed")


def trails_of(recording: Recording, filename: str = "") -> list[Trail]:
    """Returns a trail for each value that the failed pass at the end of a recording found overwritten or released, or would have found.

    Args:
        recording: the recording.
        filename: the file of the program.
    """
    program, index = program_of(recording), len(recording) - 1
    begun = None if program is None or index < 1 or recording.steps[index].error is None else begun_at(recording, index)
    if program is None or begun is None:
        return []
    # The step before: in the failing step, locals of a function may be gone.
    state = recording.state(index - 1)
    lost = [each for each in stale(state) if state.nodes[each[0]].status in _ON_THE_WAY]
    needed = _spots(program, recording.steps[begun].line, None)
    found = [_trail(recording, program, node, saved, needed) for node, saved in lost]
    error = recording.steps[index].error
    first = {node for node, _ in lost if error is not None and node == error.node}
    found = [trail for _, trail in sorted(zip(lost, found, strict=True), key=lambda each: each[0][0] not in first)]
    return [each.renamed(lambda _: filename) for each in found or _again(recording, program, state, begun, needed)]


def _trail(recording: Recording, program: Program, node: int, saved: SavedFacts, needed: tuple[Spot, ...]) -> Trail:
    kept = kept_values(recording)[node, saved.name]
    made = recording.steps[kept.step] if kept.step is not None else None
    line, op = (made.line, made.op) if made is not None else (_line_of(recording.state(), node), None)
    names = (kept.name.rpartition(".")[2] if kept.name.isidentifier() else kept.name,) if kept.name else ()
    bytes_kept = size_of(saved.dtype or _dtype(recording, saved), saved.shape)
    writes: dict[Spot, None] = {}
    views: dict[Spot, None] = {}
    overwrote = who_overwrote(recording, saved, len(recording) - 1)
    for step, facts in overwrote:
        before = recording.state(max(step.index - 1, 0))
        tensor = before.tensors.get(facts.tensor)
        alone = tensor is not None and stands_alone(before, tensor)
        updates = _unrecorded(recording, step, facts.tensor)
        known: dict[str, Any] = {
            "names": _updated(recording, step) if updates else () if tensor is None else (name_of(tensor),) * bool(tensor.names),
            "bytes": _size(tensor) or bytes_kept, "alone": alone and not updates, "updates": updates and tensor is not None and tensor.leaf,
            "named": step.phase != "backward" and step.op is not None and tensor is not None and bool(tensor.names),
        }  # fmt: skip
        writes |= dict.fromkeys(replace(each, **known) for each in _spots(program, step.line, step.op))
        if tensor is None or tensor.base is not None:
            views |= dict.fromkeys(_view(recording, program, step, facts, overwrote, kept.step or 0, alone=not updates))
    return Trail(
        "stale",
        kept=tuple(replace(each, names=names, bytes=bytes_kept) for each in _spots(program, line, op)),
        is_result=kept.role == RESULT,
        writes=tuple((each,) for each in writes),
        views=tuple(views),
        needed=needed,
    )


def _view(
    recording: Recording, program: Program, wrote: Step, facts: WriteFacts, others: Iterable[tuple[Step, WriteFacts]],
    kept_by: int, *, alone: bool,
) -> Iterator[Spot]:  # fmt: skip
    """Yields the spot where the view was made that was written through."""
    view = next((each for each in recording.steps if each.output == facts.tensor and each.category == "view"), None)
    if view is None or not view.index:
        return
    made, before = recording.state(view.index).tensors[facts.tensor], recording.state(view.index - 1)
    whole = None if made.base is None else before.tensors.get(made.base)
    inside = all(each.tensor in (facts.tensor, made.base) or _base(recording, each) == made.base for _, each in others)
    alone = (
        alone
        and inside
        and view.index > kept_by
        and whole is not None
        and bool(whole.names)
        and not _unrecorded(recording, wrote, whole.id)  # under `no_grad`, the clone would have another history
        and stands_alone(before, whole)
    )
    now = recording.state(max(wrote.index - 1, 0)).tensors.get(facts.tensor)
    names = (name_of(now),) if now is not None and now.names else ()
    known: dict[str, Any] = {"names": names, "bytes": _size(whole), "alone": alone}
    statement = program.statement(view.line)
    for each in _spots(program, view.line, view.op):
        reads = (
            {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} if statement is not None else set()
        )
        yield replace(each, **{**known, "alone": alone and whole is not None and name_of(whole) in reads})


def _unrecorded(recording: Recording, step: Step, tensor: int) -> bool:
    """Whether a step wrote to a tensor that needs a gradient, and its history does not have that: under `no_grad`, as optimizers do."""
    before, after = (recording.state(each).tensors.get(tensor) for each in (max(step.index - 1, 0), step.index))
    if before is None or not before.needs_gradient:
        return False
    return step.kept is None if after is None else after.node == before.node


def _base(recording: Recording, write: WriteFacts) -> int | None:
    """Returns the tensor of which the written one is a view."""
    view = next((each for each in recording.steps if each.output == write.tensor and each.category == "view"), None)
    return None if view is None else recording.state(view.index).tensors[write.tensor].base


def _updated(recording: Recording, step: Step) -> tuple[str, ...]:
    """Returns the names of all tensors that a line updated, including parameters whose old values were not saved."""
    writes = [
        (each.index, one.tensor)
        for each in recording.steps
        if each.index and each.line == step.line
        for one in each.writes
    ]
    tensors = (recording.state(index - 1).tensors.get(tensor) for index, tensor in writes)
    return tuple(dict.fromkeys(name for tensor in tensors if tensor is not None for name in tensor.names))


def _again(
    recording: Recording, program: Program, state: State, begun: int, needed: tuple[Spot, ...]
) -> Iterator[Trail]:
    """Yields the trail of a pass that found what an earlier one had released, if that is one pass."""
    error = recording.steps[-1].error
    missing = [
        key
        for key, node in state.nodes.items()
        if node.released and (node.status or (error is not None and key == error.node))
    ]
    released = {
        next((s.index for s in recording.steps if (now := dict(s.nodes).get(key)) is not None and now.released), 0)
        for key in missing
    }
    passes = {begun_at(recording, each) or 0 for each in released} - {begun}
    if len(passes) == 1 and missing:
        line = recording.steps[passes.pop()].line
        yield Trail("again", needed=needed, released=tuple(_spots(program, line, "backward")))


def _line_of(state: State, node: int) -> int | None:
    """Returns the line that made a node. A node with several results has no line of its own, but those of its results have."""
    of_results = (each.line for each in state.nodes.values() if any(edge.to == node for edge in each.edges))
    return next((line for line in (state.nodes[node].line, *of_results) if line is not None), None)


def _spots(program: Program, line: int | None, op: str | None) -> tuple[Spot, ...]:
    """Returns the expression of an operation on a line, or else the statement, or else only the line."""
    statement = program.statement(line)
    if statement is None:
        return () if line is None else (Spot("", line, line, op=op or ""),)
    did: ast.expr | ast.stmt = program.did(statement, op) or statement
    end = did.end_lineno or did.lineno
    return (Spot("", did.lineno, end, did.col_offset, did.end_col_offset or 0, op or ""),)


def _dtype(recording: Recording, saved: SavedFacts) -> str:
    found = recording.state().storages.get(saved.storage)
    return "" if found is None else found.dtype


def _size(tensor: TensorFacts | None) -> int:
    return 0 if tensor is None else size_of(tensor.dtype, tensor.shape)


def size_of(dtype: str, shape: Sequence[int]) -> int:
    """Returns the bytes of so many elements; 0 if their type is not known."""
    bits = re.search(r"\d+", dtype)
    return prod(shape) * (int(bits[0]) // 8 if bits else int(dtype == "bool"))


def stands_alone(state: State, tensor: TensorFacts) -> bool:
    """Whether a write to a tensor is visible under one name only."""
    if len(tensor.names) != 1 or tensor.storage not in state.storages:
        return False
    mine = slot_runs(tensor)
    others = (t for t in state.tensors_on(tensor.storage) if t.id != tensor.id and t.names)
    return not any(common_runs(mine, slot_runs(other)) for other in others)


def name_of(tensor: TensorFacts) -> str:
    """Returns a tensor's first name as written in the source: a shadowing local is recorded with its function as a prefix."""
    return tensor.names[0].rpartition(".")[2] if tensor.names else ""
