"""Follows the paths of one backward pass: from a number, along the elements that were computed from one another, to the root of the pass."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple

from inplacelab.recording.facts import Number, RootFacts, Step
from inplacelab.recording.lost_history import WITHOUT_HISTORY, is_lost
from inplacelab.recording.origins.arrivals import MOST_RESULTS, Arrival, arrivals, next_arrival
from inplacelab.recording.origins.back import Computed, Origin, computed, operands_of
from inplacelab.recording.origins.elements import slots_of_element
from inplacelab.recording.origins.forward import MOST_EDGES, Flow, flows
from inplacelab.recording.origins.paths import (
    NOT_FOLLOWED,
    End,
    GradientPath,
    Hop,
    Onward,
    after_hop,
    ended,
    joined,
    listed,
)
from inplacelab.recording.origins.slopes import UNKNOWN, Slope, slope
from inplacelab.recording.recording import Recording, State

__all__ = ["Found", "PathSearch"]

CUSTOM = "GradNodePyLayer"
"""How the nodes of Paddle's `PyLayer`, and of ours, are called."""
MOST_NUMBERS = 20_000
"""Paths are followed through so many numbers, counted backwards from the pass."""


@dataclass(frozen=True, slots=True)
class Found:
    """The paths from a number.

    Attributes:
        paths: those that reach the root first, the largest first; not more than `MOST_PATHS`.
        total: what all paths add up to; None if it is not known.
        more: whether there are more paths than are listed.
        loses_write: whether one ends at a write in place without history that the program did not ask to leave out.
    """

    paths: tuple[GradientPath, ...]
    total: float | None
    more: bool
    loses_write: bool


class PathSearch:
    """Follows the paths of one pass.

    Args:
        recording: the recording.
        begun: the step in which the pass began.
        as_found: whether values are taken as backward found them, and writes left out whose nodes the pass did not reach.
    """

    def __init__(self, recording: Recording, begun: int, *, as_found: bool = False) -> None:
        self.begun = begun
        self._recording, self._as_found = recording, as_found
        before = recording.before(begun)
        roots = _roots(recording.steps[begun])
        self._seeds = _seeds(before, roots)
        self._reached = _reached(recording.state(begun), [each.node for each in roots])
        self._horizon = _horizon(recording, begun)
        self._onward: dict[_At, Onward] = {}
        self._results: dict[tuple[int, int, int], _Result] = {}

    def paths(self, storage: int, slot: int) -> Found:
        """Returns the paths from the numbers that a slot has held until the pass began."""
        came = [
            each for each in arrivals(self._recording).get(storage, ()) if each.step < self.begun and each.reaches(slot)
        ]
        # A number that a step with history computed from the one before is on the paths of that one.
        starts = [_At(storage, slot, each.step) for k, each in enumerate(came) if not k or not self._continues(each)]
        # Of the numbers that a loop has put there, those that only other passes used are of no interest.
        chosen = [each for each in starts if len(starts) == 1 or self._leads(each)] or starts[-1:]
        onward = joined([self._from(each) for each in chosen or [_At(storage, slot, -1)]])
        return Found(tuple(listed(way) for way in onward.ways), onward.total, onward.more, onward.loses_write)

    @cached_property
    def goes_through_another_pass(self) -> bool:
        """Whether the pass reaches a node that an earlier backward pass has made."""
        met: set[int] = set()
        for step in self._recording.steps[: self.begun]:
            fresh = {key for key, node in step.nodes if node is not None and node.leaf is None and key not in met}
            met |= {key for key, _ in step.nodes}
            if step.phase == "backward" and step.kind == "backward" and fresh & self._reached:
                return True
        return False

    # ---- numbers -------------------------------------------------------------------------------------------------------------

    def _leads(self, start: _At) -> bool:
        """Whether something with history was computed from a number that the pass goes through, or should go through."""
        for flow in flows(self._recording, *start).into:
            step = self._recording.steps[flow.step]
            if flow.step < self.begun and self._goes_through(step):
                return True
        return (start.storage, start.slot) in self._seeds

    def _goes_through(self, step: Step) -> bool:
        """Whether the pass goes through a step, or should, because the step lost the history of an operand."""
        if step.kept in self._reached:
            return True
        made = self._made_node(step)
        return not self._as_found and any(is_lost(self._recording, step, each, made_node=made) for each in step.inputs)

    def _from(self, start: _At) -> Onward:
        """What is known of the paths from a number on. The numbers that it flowed into come first; there may be thousands in a row."""
        waiting = [start]
        ahead: dict[_At, list[_Branch]] = {}
        while waiting:
            at = waiting[-1]
            if at in self._onward:
                waiting.pop()
            elif at in ahead:
                self._onward[at] = joined([self._along(each) for each in ahead.pop(at)])
                waiting.pop()
            else:
                ahead[at] = list(self._branches(at))
                waiting += [each.to for each in ahead[at] if each.to is not None and not self._is_too_far(each.to)]
        return self._onward[start]

    def _is_too_far(self, at: _At) -> bool:
        return at.step < self._horizon

    def _along(self, branch: _Branch) -> Onward:
        if branch.to is None:
            return ended(branch.hop, branch.end, branch.line, branch.value, loses_write=branch.loses_write)
        if self._is_too_far(branch.to):
            return NOT_FOLLOWED
        onward = self._onward[branch.to]
        return onward if branch.hop is None else after_hop(branch.hop, self._factor(branch.hop), onward)

    def _branches(self, at: _At) -> Iterator[_Branch]:
        """Where the paths go on from a number, and where they end."""
        recording = self._recording
        is_seed = (at.storage, at.slot) in self._seeds
        over = next_arrival(recording, at.storage, at.slot, at.step)
        is_root = is_seed and (over is None or over.step >= self.begun)
        if is_root:
            yield _Branch(end="root", value=self._seeds[at.storage, at.slot])
        if over is not None and over.step < self.begun and self._is_left_out(recording.steps[over.step]):
            yield _Branch(to=_At(at.storage, at.slot, over.step))
        read = flows(recording, at.storage, at.slot, at.step)
        onward = [flow for flow in read.into if flow.step < self.begun]
        for flow in onward:
            yield from self._hops(at, flow)
        for step in read.unknown:
            if (
                step < self.begun
                and self._goes_through(recording.steps[step])
                and not self._is_beside(recording.steps[step])
            ):
                end: End = "custom" if self._is_custom(recording.steps[step]) else "not known"
                yield _Branch(end=end, line=recording.steps[step].line, value=None)
        if not onward and not is_root and not read.unknown:
            gone = over is not None and over.step < self.begun
            line = recording.steps[over.step].line if gone and over is not None else None
            yield _Branch(end="overwritten" if gone else "unused", line=line)

    def _hops(self, at: _At, flow: Flow) -> Iterator[_Branch]:
        step = self._recording.steps[flow.step]
        if self._is_left_out(step):
            return
        after, before = self._recording.state(flow.step), self._recording.before(flow.step)
        made = after.tensors.get(flow.tensor) or before.tensors.get(flow.tensor)
        if made is not None and made.dtype.startswith(("int", "uint", "bool")):
            return  # whole numbers have no gradient
        result = self._result(step, flow)
        here = result.places.get((at.storage, at.slot), [])
        tracked = [k for k in here if self._goes_on(step, result.found.origins[k].tensor)]
        if step.kept is None and self._recording.once(_custom_nodes).get(flow.tensor) in self._reached:
            yield _Branch(Hop(flow, UNKNOWN), end="custom", line=step.line, value=None)
            return
        if not here:
            yield _Branch(Hop(flow, UNKNOWN), end="not known", line=step.line, value=None)
        elif len(tracked) < len(here):
            meant = step.tracks is False or step.op in WITHOUT_HISTORY
            loses = step.category == "in-place" and not meant
            yield _Branch(Hop(flow, UNKNOWN), end="detached", line=step.line, loses_write=loses)
        if not tracked:
            return
        hop = self._hop(step, result, flow, tracked)
        if self._factor(hop) == 0:
            yield _Branch(hop, end="zero", line=step.line)
        else:
            yield _Branch(hop, _At(flow.storage, flow.slot, flow.step))

    # ---- histories -----------------------------------------------------------------------------------------------------------

    def _is_left_out(self, step: Step) -> bool:
        """Whether the pass passes by a write, as if it had not been: its node, if it has one, is not reached."""
        return (
            self._as_found
            and step.category == "in-place"
            and not (self._made_node(step) and step.kept in self._reached)
        )

    def _is_beside(self, step: Step) -> bool:
        """Whether a step made a further result of an operation, without history: as `batch_norm` makes its statistics."""
        facts = None if step.output is None else self._recording.state(step.index).tensors.get(step.output)
        if facts is None or facts.needs_gradient:
            return False
        near = self._recording.steps[max(step.index - MOST_RESULTS, 0) : step.index + MOST_RESULTS]
        call = step.op, step.line, step.inputs
        return any(each.kept in self._reached and (each.op, each.line, each.inputs) == call for each in near)

    def _is_custom(self, step: Step) -> bool:
        node = None if step.kept is None else self._recording.state(step.index).nodes.get(step.kept)
        return node is not None and node.name.startswith(CUSTOM)

    def _continues(self, arrival: Arrival) -> bool:
        """Whether an arrival has history, or should have."""
        step = self._recording.steps[arrival.step]
        lost = arrival.tensor is not None and is_lost(
            self._recording, step, arrival.tensor, made_node=self._made_node(step)
        )
        return step.kept is not None or (lost and not self._as_found)

    def _goes_on(self, step: Step, tensor: int) -> bool:
        """Whether a path goes on through a step: along its history, and along one that the framework should have kept."""
        made = self._made_node(step)
        if made and self._is_tracked(step, tensor):
            return True
        return not self._as_found and is_lost(self._recording, step, tensor, made_node=made)

    def _made_node(self, step: Step) -> bool:
        """Whether a step has history: it made a node, and did not leave the one that its tensor had."""
        return step.kept is not None and step.kept not in self._recording.before(step.index).nodes

    def _is_tracked(self, step: Step, tensor: int) -> bool:
        """Whether the step's history leads to an operand."""
        if step.op in WITHOUT_HISTORY:
            return False
        return any(
            each.needs_gradient for each in operands_of(self._recording, step) if each is not None and each.id == tensor
        )

    # ---- factors -------------------------------------------------------------------------------------------------------------

    def _factor(self, hop: Hop) -> float | None:
        return (hop.used or hop.slope).value if self._as_found else hop.slope.value

    def _hop(self, step: Step, result: _Result, flow: Flow, here: Sequence[int]) -> Hop:
        if step.depends is None:
            return Hop(flow, UNKNOWN)
        own, line, value = result.own, result.line, result.found.value
        then = _added(slope(step.op, step.depends, result.values, k, value, own=own, line=line) for k in here)
        if result.overwrote is None:
            return Hop(flow, then)
        out = self._value_now(flow.storage, flow.slot)
        out = value if out is None else out
        now = then
        if then.value is not None:
            now = _added(
                slope(step.op, step.depends, result.later, k, out, own=own, line=line, checked=False) for k in here
            )
        return Hop(flow, then, None if now == then else now, None if now == then else result.overwrote)

    def _result(self, step: Step, flow: Flow) -> _Result:
        """An element that a step computed. Many paths may lead to it."""
        at = flow.storage, flow.slot, flow.step
        if at not in self._results:
            found = computed(self._recording, *at, most=MOST_EDGES)
            places: dict[tuple[int, int], list[int]] = {}
            for k, each in enumerate(found.origins):
                places.setdefault((each.storage, each.slot), []).append(k)
            later, overwrote = self._as_backward_found(step, found.origins)
            values = [each.value for each in found.origins]
            own = next((k for k, each in enumerate(found.origins) if each.index == flow.index), None)
            line = sum(each.tensor == found.origins[0].tensor for each in found.origins)
            self._results[at] = _Result(found, places, values, later, overwrote, own, line)
        return self._results[at]

    def _as_backward_found(self, step: Step, origins: Sequence[Origin]) -> tuple[list[Number | None], int | None]:
        """The values of the origins when the pass began, as far as the step's node had saved them, and the line that overwrote one."""
        recording = self._recording
        node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
        kept = {saved.storage for saved in node.saved if not saved.copy} if node is not None else set()
        values, line = [], None
        for each in origins:
            over = next_arrival(recording, each.storage, each.slot, each.step) if each.storage in kept else None
            value = each.value
            if over is not None and over.step < self.begun:
                value, line = self._value_now(each.storage, each.slot), recording.steps[over.step].line
            values.append(value)
        result = _storage_of_result(recording, step)
        if line is None and result is not None and result in kept:
            line = _overwritten(recording, step, result, self.begun)
        return values, line

    def _value_now(self, storage: int, slot: int) -> Number | None:
        facts = self._recording.before(self.begun).storages.get(storage)
        return (
            None
            if facts is None or not isinstance(facts.values, tuple) or slot >= len(facts.values)
            else facts.values[slot]
        )


class _At(NamedTuple):
    """A number: a slot, and the step that put it there."""

    storage: int
    slot: int
    step: int


@dataclass(frozen=True, slots=True)
class _Result:
    """An element that a step computed.

    Attributes:
        found: how it was computed.
        places: which of the origins are in a slot.
        values, later: the values of the origins, as they were and as backward found them.
        overwrote: the line that overwrote one of them meanwhile; None if none did.
        own, line: see `slope`.
    """

    found: Computed
    places: Mapping[tuple[int, int], list[int]]
    values: Sequence[Number | None]
    later: Sequence[Number | None]
    overwrote: int | None
    own: int | None
    line: int


@dataclass(frozen=True, slots=True)
class _Branch:
    """A hop from a number to another one, or where a path ends. Without a hop, the number itself is meant, or the one that replaced it."""

    hop: Hop | None = None
    to: _At | None = None
    end: End = "root"
    line: int | None = None
    value: float | None = 0.0
    loses_write: bool = False


def _horizon(recording: Recording, begun: int) -> int:
    """The first step of those before a pass that put no more than `MOST_NUMBERS` numbers into slots."""
    counts = recording.once(_numbers_until)
    return bisect_left(counts, counts[begun] - MOST_NUMBERS)


def _numbers_until(recording: Recording) -> list[int]:
    """How many numbers came into slots before each step."""
    came = [0] * (len(recording.steps) + 1)
    for found in arrivals(recording).values():
        for each in found:
            came[max(each.step, 0) + 1] += sum(stop - start for start, stop in each.slots)
    for k in range(1, len(came)):
        came[k] += came[k - 1]
    return came


def _custom_nodes(recording: Recording) -> dict[int, int]:
    """By tensor the node that no recorded operation made: that of a `Function` of PyTorch, in whose `forward` the tensor was computed."""
    kept = {step.kept for step in recording.steps}
    kept |= {key for step in recording.steps for key, node in step.nodes if node is not None and node.leaf is not None}
    facts = (each for step in recording.steps for each in step.tensors)
    return {
        key: each.node for key, each in facts if each is not None and each.node is not None and each.node not in kept
    }


def _storage_of_result(recording: Recording, step: Step) -> int | None:
    facts = None if step.output is None else recording.state(step.index).tensors.get(step.output)
    return None if facts is None else facts.storage


def _overwritten(recording: Recording, step: Step, storage: int, begun: int) -> int | None:
    """The line that wrote a storage between a step and the pass."""
    later = (each for each in arrivals(recording).get(storage, ()) if step.index < each.step < begun)
    return next((recording.steps[each.step].line for each in later), None)


def _added(slopes: Iterable[Slope]) -> Slope:
    """The slopes of one number in several places, as in `w * w`."""
    found = list(slopes)
    if len(found) == 1:
        return found[0]
    values = [each.value for each in found]
    if not found or any(value is None for value in values):
        return UNKNOWN
    alike = len(set(found)) == 1
    written = f"{len(found)} · {found[0].written}" if alike else " + ".join(each.written for each in found)
    return replace(found[0], value=sum(value for value in values if value is not None), written=written)


def _roots(begun: Step) -> list[RootFacts]:
    """The nodes with which a pass began."""
    moment = begun.backward
    if moment is None or moment.node is None:
        return []
    return [RootFacts(moment.node, moment.gradient), *moment.others]


def _seeds(before: State, roots: Sequence[RootFacts]) -> Mapping[tuple[int, int], float | None]:
    """The gradients with which the pass began, by slots of the roots; None for one that was not recorded."""
    found: dict[tuple[int, int], float | None] = {}
    for root in roots:
        tensor = next((each for each in before.tensors.values() if each.node == root.node), None)
        if tensor is None:
            continue
        for k in range(prod(tensor.shape)):
            at = tensor.storage, slots_of_element(before, tensor, k)[0]
            given = None if root.gradient is None or k >= len(root.gradient) else root.gradient[k]
            here = float(given) if isinstance(given, int | float) else None
            was = found.get(at, 0.0)
            found[at] = None if here is None or was is None else was + here
    return found


def _reached(state: State, roots: Iterable[int]) -> set[int]:
    """The nodes that the pass reaches."""
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            facts = state.nodes.get(node)
            waiting += [edge.to for edge in facts.edges] if facts is not None else []
    return found
