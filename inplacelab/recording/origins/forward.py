"""Answers what a number has flowed into: the elements that later steps computed from it, until its slot was overwritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from inplacelab.language import Text
from inplacelab.recording.facts import Number, Step, TensorFacts
from inplacelab.recording.origins.arrivals import MOST_RESULTS, next_arrival
from inplacelab.recording.origins.back import called, has_unknown_operand, operands_of, sources_in_step
from inplacelab.recording.origins.elements import (
    MOST_ELEMENTS,
    asked_for,
    index_of,
    number_of,
    slot_of,
    slots_of_element,
    value_of,
)
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import common_runs, slot_runs

__all__ = ["MOST_EDGES", "Flow", "Flows", "edges", "flows", "flows_into", "readers"]

MOST_EDGES = 1 << 16
"""Of a step with more dependences of elements on elements, no further ones are followed."""


@dataclass(frozen=True, slots=True)
class Flow:
    """An element that was computed from a number.

    Attributes:
        step: the step that computed it.
        line: that step's line.
        op: the operation.
        tensor: the tensor that the step made or wrote.
        index: the index of the element in it.
        storage, slot: where it is.
        value: its value after the step; None if it was not recorded.
        called: how the program calls it.
    """

    step: int
    line: int | None
    op: str | None
    tensor: int
    index: tuple[int, ...]
    storage: int
    slot: int
    value: Number | None
    called: Text


@dataclass(frozen=True, slots=True)
class Flows:
    """What a number has flowed into.

    Attributes:
        into: the elements, in the order of the steps.
        until: the step that overwrote the slot; None if none did.
        unknown: the steps that read it, of which it is not known what they computed from it.
    """

    into: tuple[Flow, ...]
    until: int | None
    unknown: tuple[int, ...] = ()


def flows_into(recording: Recording, tensor: str | TensorFacts, index: Sequence[int], step: int = -1) -> Flows:
    """Returns what an element has flowed into after a step.

    Args:
        recording: the recording.
        tensor: the learner's name for a tensor, or its facts.
        index: the element's index, one whole number for each axis.
        step: the step after which the element had the number that is meant, counted from 0; negative numbers count from the end.

    Returns:
        The elements that later steps computed from this number, up to the step that overwrote it.

    Raises:
        IndexError: if there is no such step, or no such element.
        KeyError: if no tensor has that name at that step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.to_tensor([1., 2.])
    ...     y = x.sum()
    >>> [flow.called.en for flow in flows_into(rec.recording, "x", (1,), 0).into]
    ['`y`']
    """
    state, facts = asked_for(recording, tensor, step)
    number = number_of(state, facts, index)
    return flows(recording, facts.storage, slots_of_element(state, facts, number)[0], state.step.index)


def flows(recording: Recording, storage: int, slot: int, step: int) -> Flows:
    """Returns what the number has flowed into that a slot held after a step; -1 for the time before the first step."""
    over = next_arrival(recording, storage, slot, step)
    last = len(recording.steps) - 1 if over is None else over.step
    found: list[Flow] = []
    unknown: list[int] = []
    for index in readers(recording).get(storage, ()):
        if step < index <= last:
            known = edges(recording, index)
            if known is None:
                unknown += [index] if _read_slot(recording, recording.steps[index], storage, slot) else []
            else:
                found += known.get((storage, slot), ())
    return Flows(tuple(found), None if over is None else over.step, tuple(unknown))


def readers(recording: Recording) -> Mapping[int, Sequence[int]]:
    """Returns the steps that computed something from operands on a storage, by storage."""
    return recording.once(_readers)


def _readers(recording: Recording) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for step in recording.steps:
        if (
            step.kind == "operation"
            and step.category in ("ordinary", "in-place", "reallocated")
            and not _only_shares(recording, step)
        ):
            read = [each.storage for each in (*operands_of(recording, step), *step.reads) if each is not None]
            for storage in dict.fromkeys(read):
                found.setdefault(storage, []).append(step.index)
    return found


def _only_shares(recording: Recording, step: Step) -> bool:
    """Whether a step gave a tensor a storage that was there already, as `set_` does: it computes nothing."""
    facts = None if step.output is None else recording.state(step.index).tensors.get(step.output)
    return (
        step.category == "reallocated" and facts is not None and facts.storage in recording.before(step.index).storages
    )


def _read_slot(recording: Recording, step: Step, storage: int, slot: int) -> bool:
    runs = [slot_runs(each) for each in operands_of(recording, step) if each is not None and each.storage == storage]
    if has_unknown_operand(recording, step):
        runs += [each.slots for each in step.reads if each.storage == storage]
    return any(common_runs(each, ((slot, slot + 1),)) for each in runs)


_Edges = Mapping[tuple[int, int], Sequence[Flow]]


def edges(recording: Recording, index: int) -> Mapping[tuple[int, int], Sequence[Flow]] | None:
    """Returns what a step computed, by the slots from which it was computed; None if that is not known, or there are too many elements."""
    known = recording.once(_all_edges)
    if index not in known:
        step = recording.steps[index]
        known[index] = {} if _was_dropped(recording, step) else _edges_of(recording, step)
    return known[index]


def _all_edges(_: Recording) -> dict[int, _Edges | None]:
    return {}


def _was_dropped(recording: Recording, step: Step) -> bool:
    """Whether this is a further result of an operation, that was gone when the step was done: nothing was computed from it."""
    if step.output is None or any(
        step.output in each.tensors for each in (recording.state(step.index), recording.before(step.index))
    ):
        return False
    near = recording.steps[max(step.index - MOST_RESULTS, 0) : step.index + MOST_RESULTS]
    call = step.op, step.line, step.inputs
    return any(
        each.output in recording.state(each.index).tensors for each in near if (each.op, each.line, each.inputs) == call
    )


def _edges_of(recording: Recording, step: Step) -> _Edges | None:
    after, before = recording.state(step.index), recording.before(step.index)
    output = None if step.output is None else after.tensors.get(step.output) or before.tensors.get(step.output)
    if output is None or step.depends is None or prod(output.shape) > MOST_ELEMENTS:
        return None
    operands, count = operands_of(recording, step), 0
    found: dict[tuple[int, int], list[Flow]] = {}
    for number in _elements(step, output, after.storages.get(output.storage)):
        sources = sources_in_step(recording, step, output, number)
        if sources is None or count > MOST_EDGES:
            return None
        index = index_of(output.shape, number)
        flow = Flow(
            step.index, step.line, step.op, output.id, index, output.storage, slots_of_element(after, output, number)[0],
            value_of(after, output, number), called(after, output, index),
        )  # fmt: skip
        for source in dict.fromkeys(sources):
            facts = operands[source.operand]
            if facts is not None:
                count += 1
                there = before if facts.storage in before.storages else after
                for slot in slots_of_element(there, facts, source.element):
                    here = found.setdefault((facts.storage, slot), [])
                    if flow not in here[-1:]:
                        here.append(flow)
    return found


def _elements(step: Step, output: TensorFacts, storage: object) -> Sequence[int]:
    """The elements that a step computed: all of a new tensor, and those in the slots that it wrote."""
    every = range(prod(output.shape))
    writes = [write for write in step.writes if write.storage == output.storage]
    if not writes or storage is None:
        return every
    runs = writes[0].slots
    places = [(number, slot_of(output, number)) for number in every]
    return [number for number, at in places if common_runs(((at, at + 1),), runs)]
