"""Answers what a number has flowed into: the elements that later steps computed from it, until its slot was overwritten; and tells the life of a slot:
which lines put numbers into it, which read it, which nodes kept it, and what was found stale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import NodeFacts, Number, SavedFacts, Step, TensorFacts
from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.back import called, elements_in_step, has_unknown_operand, operands_of
from inplacelab.recording.origins.elements import (
    MOST_ELEMENTS,
    MOST_RESULTS,
    Arrival,
    arrivals,
    asked_for,
    index_of,
    next_arrival,
    number_of,
    slot_of,
    slots_of_element,
    value_in_slot,
    value_of,
)
from inplacelab.recording.places import line_of, said_line
from inplacelab.recording.queries import newly_stale
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.slots import common_runs, slot_runs

MOST_EDGES = 1 << 16
"""Of a step with more dependences of elements on elements, no further ones are followed."""


@dataclass(frozen=True, slots=True)
class Flow:
    """An element that was computed from a number.

    Attributes:
        step: the step that computed it.
        place: where that step was.
        op: the operation.
        tensor: the tensor that the step made or wrote.
        index: the index of the element in it.
        storage, slot: where it is.
        value: its value after the step; None if it was not recorded.
        called: how the program calls it.
    """

    step: int
    place: Place | None
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
    call = step.op, line_of(step.place), step.inputs
    return any(
        each.output in recording.state(each.index).tensors
        for each in near
        if (each.op, line_of(each.place), each.inputs) == call
    )


def _edges_of(recording: Recording, step: Step) -> _Edges | None:
    after, before = recording.state(step.index), recording.before(step.index)
    output = None if step.output is None else after.tensors.get(step.output) or before.tensors.get(step.output)
    if output is None or step.depends is None or prod(output.shape) > MOST_ELEMENTS:
        return None
    operands, count = operands_of(recording, step), 0
    found: dict[tuple[int, int], list[Flow]] = {}
    for number in _elements(step, output, after.storages.get(output.storage)):
        used = elements_in_step(recording, step, output, number)
        if used is None or count > MOST_EDGES:
            return None
        index = index_of(output.shape, number)
        flow = Flow(
            step.index, step.place, step.op, output.id, index, output.storage, slots_of_element(after, output, number)[0],
            value_of(after, output, number), called(after, output, index),
        )  # fmt: skip
        for one in dict.fromkeys(used):
            facts = operands[one.operand]
            if facts is not None:
                count += 1
                there = before if facts.storage in before.storages else after
                for slot in slots_of_element(there, facts, one.element):
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


Kind = Literal["made", "written", "read", "kept", "stale", "found stale"]

MOST_EVENTS = 200
"""Of a longer life, so many events are listed, the first ones."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event in the life of a slot.

    Attributes:
        step: the step.
        place: where it was; None if it is not known.
        kind: what happened: the number was "made", "written" over another, "read", "kept" by a node, made "stale" by a write, or "found
            stale" by backward.
        before, after: the slot's value before and after the step; None if it was not recorded.
        says: it in words.
    """

    step: int
    place: Place | None
    kind: Kind
    before: Number | None
    after: Number | None
    says: Text

    @property
    def line(self) -> int | None:
        """Its line; None if it is not known."""
        return None if self.place is None else self.place.line


_BEFORE = Text("there before the recording: {value}", "记录开始前就有：{value}")
_MADE = Text("made by {op}{line}: {value}", "由 {op}{line} 产生：{value}")
_WRITTEN = Text("{old} → {value} by {op}{line} through {via}", "{old} → {value}：{op}{line} 经由 {via} 写入")
_AGAIN = Text("written again with {value} by {op}{line} through {via}", "{op}{line} 经由 {via} 再次写入 {value}")
_ADDED = Text("{old} → {value} in a backward pass{line}", "{old} → {value}：反向传播{line}写入")
_FILLED = Text("made in a backward pass{line}: {value}", "由反向传播{line}产生：{value}")
_UNSEEN = Text("{old} → {value} by something that was not recorded", "{old} → {value}：由未被记录的代码写入")
_READ = Text("read by {op}{line}", "{op}{line} 读取")
_KEPT = Text("kept by {node} at v{version}{line}", "{node} 在 v{version} 时保存{line}")
_STALE = Text("what {node} kept at v{version} is overwritten{line}", "{node} 在 v{version} 时保存的值被覆盖{line}")
_FOUND = Text(
    "found stale by {node}: kept at v{version}, found v{found}{line}",
    "{node} 发现已过期：保存时 v{version}，现为 v{found}{line}",
)
_ON_LINE = Text(" ({0})", "（{0}）")
_NOWHERE = Text("", "")


def life(recording: Recording, tensor: str | TensorFacts, index: Sequence[int], step: int = -1) -> tuple[Event, ...]:
    """Returns the life of the slot that holds an element after a step.

    Args:
        recording: the recording.
        tensor: the learner's name for a tensor, or its facts.
        index: the element's index, one whole number for each axis.
        step: the step after which the tensor holds it, counted from 0; negative numbers count from the end. The life is told whole.

    Raises:
        IndexError: if there is no such step, or no such element.
        KeyError: if no tensor has that name at that step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     m = paddle.ones([2, 2])
    ...     row = m[0]
    ...     _ = row.scale_(10.)
    >>> [event.says.en for event in life(rec.recording, "m", (0, 1))]
    ['made by ones (line 1): 1', 'read by scale_ (line 3)', '1 → 10 by scale_ (line 3) through `row`']
    """
    state, facts = asked_for(recording, tensor, step)
    number = number_of(state, facts, index)
    return life_of_slot(recording, facts.storage, slots_of_element(state, facts, number)[0])


def life_of_slot(recording: Recording, storage: int, slot: int, most: int = MOST_EVENTS) -> tuple[Event, ...]:
    """Returns the life of a slot of a storage, at most `most` events."""
    came = recording.once(_arrivals_in_steps)
    found: list[Event] = []
    if any(each.reaches(slot) for each in came.get((storage, -1), ())):
        found.append(_event(recording, recording.steps[0], "made", storage, slot, _BEFORE, None))
    for step in recording.once(_steps_of_storages).get(storage, ()):
        if len(found) >= most:
            break
        arrived = [each for each in came.get((storage, step.index), ()) if each.reaches(slot)]
        new = [_arrived(recording, step, each, storage, slot) for each in arrived[-1:]]
        read = list(_read(recording, step, storage, slot))
        found += (
            read + new if new and new[0].kind == "written" else new + read
        )  # an in-place operation reads, then writes
        found += _kept(recording, step, storage, slot)
        found += _stale(recording, step, storage, slot)
    return tuple(found[:most])


def _arrivals_in_steps(recording: Recording) -> dict[tuple[int, int], list[Arrival]]:
    """The arrivals in a storage in a step."""
    found: dict[tuple[int, int], list[Arrival]] = {}
    for storage, listed in arrivals(recording).items():
        for each in listed:
            found.setdefault((storage, each.step), []).append(each)
    return found


def _steps_of_storages(recording: Recording) -> dict[int, list[Step]]:
    """The steps in which something may have happened to the slots of each storage."""
    found: dict[int, list[Step]] = {}
    came: dict[int, set[int]] = {}
    for storage, listed in arrivals(recording).items():
        for each in listed:
            came.setdefault(each.step, set()).add(storage)
    for step in recording.steps:
        storages = {*came.get(step.index, ()), *(each.storage for each in step.reads)}
        storages |= {saved.storage for _, node in step.nodes if node is not None for saved in node.saved}
        storages |= {saved.storage for _, saved in recording.once(_newly_stale).get(step.index, ())}
        if step.backward is not None and step.backward.action == "unpack":
            node = recording.state(step.index).nodes.get(step.backward.node or 0)
            storages |= {saved.storage for saved in node.saved} if node is not None else set()
        for storage in storages:
            found.setdefault(storage, []).append(step)
    return found


def _event(
    recording: Recording,
    step: Step,
    kind: Kind,
    storage: int,
    slot: int,
    said: Text,
    tensor: int | None,
    **facts: object,
) -> Event:
    old, new = (
        value_in_slot(recording, storage, slot, step.index - 1),
        value_in_slot(recording, storage, slot, step.index),
    )
    known = recording.once(_said_of_steps)
    if step.index not in known:
        line = _ON_LINE.format(said_line(recording.named_sources, step.place)) if step.place is not None else _NOWHERE
        known[step.index] = {"line": line, "op": code_of(recording, step)}
    if kind in ("made", "written"):  # what is said of the others is the same of each slot, and is filled in once
        facts |= {"old": _shown(old), "value": _shown(new), "via": _via(recording, step, tensor)}
    return Event(step.index, step.place, kind, old, new, closed_up(said.format(**known[step.index], **facts)))


def _said_of_steps(_: Recording) -> dict[int, dict[str, Text | str]]:
    """What is said of steps, filled in when it is needed: the same of each slot."""
    return {}


def _shown(value: Number | None) -> str:
    return "?" if value is None else number_label(value)


def _via(recording: Recording, step: Step, tensor: int | None) -> str:
    return "?" if tensor is None else f"`{recording.state(step.index).called(tensor).first}`"


def _arrived(recording: Recording, step: Step, arrival: Arrival, storage: int, slot: int) -> Event:
    new = value_in_slot(recording, storage, slot, step.index - 1) is None and not any(
        w.storage == storage for w in step.writes
    )
    if arrival.how == "before":
        return _event(recording, step, "made", storage, slot, _BEFORE, None)
    if arrival.how == "backward":
        return _event(recording, step, "made" if new else "written", storage, slot, _FILLED if new else _ADDED, None)
    if arrival.how == "unseen":
        return _event(recording, step, "written", storage, slot, _UNSEEN, None)
    if new:
        return _event(recording, step, "made", storage, slot, _MADE, arrival.tensor)
    event = _event(recording, step, "written", storage, slot, _WRITTEN, arrival.tensor)
    return (
        event
        if event.before != event.after
        else _event(recording, step, "written", storage, slot, _AGAIN, arrival.tensor)
    )


def _read(recording: Recording, step: Step, storage: int, slot: int) -> Iterator[Event]:
    if any(each.storage == storage and common_runs(each.slots, ((slot, slot + 1),)) for each in step.reads):
        yield _event(recording, step, "read", storage, slot, _READ, None)


def _kept(recording: Recording, step: Step, storage: int, slot: int) -> Iterator[Event]:
    before = recording.before(step.index).nodes
    for key, node in step.nodes:
        if node is not None and key not in before:
            for saved in _on_slot(node.saved, storage, slot)[:1]:
                yield _event(
                    recording, step, "kept", storage, slot, _KEPT, None, node=f"`{node.name}`", version=saved.version
                )


def _stale(recording: Recording, step: Step, storage: int, slot: int) -> Iterator[Event]:
    lost: dict[int, NodeFacts] = {}
    for key, saved in recording.once(_newly_stale).get(step.index, ()):
        node = recording.state(step.index).nodes[key]
        written = any(common_runs(each.slots, ((slot, slot + 1),)) for each in step.writes if each.storage == storage)
        if written and key not in lost and _on_slot((saved,), storage, slot):
            lost[key] = node
            yield _event(
                recording, step, "stale", storage, slot, _STALE, None, node=f"`{node.name}`", version=saved.version
            )
    backward = step.backward
    if (
        backward is None
        or backward.action != "unpack"
        or backward.kept_at == backward.found_at
        or backward.node is None
    ):
        return
    node_now = recording.state(step.index).nodes.get(backward.node)
    kept = [] if node_now is None else [each for each in node_now.saved if each.name == backward.saved]
    if node_now is not None and _on_slot(kept, storage, slot):
        facts = {"node": f"`{node_now.name}`", "version": backward.kept_at, "found": backward.found_at}
        yield _event(recording, step, "found stale", storage, slot, _FOUND, None, **facts)


def _newly_stale(recording: Recording) -> dict[int, tuple[tuple[int, SavedFacts], ...]]:
    """What each step made stale, by its index."""
    found = (
        (step.index, newly_stale(recording, step.index)) for step in recording.steps if step.writes or step.counters
    )
    return {index: lost for index, lost in found if lost}


def _on_slot(saved: Sequence[SavedFacts], storage: int, slot: int) -> list[SavedFacts]:
    """The saved values that the slot holds a part of."""
    return [each for each in saved if each.storage == storage and common_runs(slot_runs(each), ((slot, slot + 1),))]
