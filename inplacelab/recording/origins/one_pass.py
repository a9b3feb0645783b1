"""A backward pass as the search of paths needs it: its roots, the gradients that it began with, the nodes that it reaches, and its hops: how strongly
a number follows another one that it was computed from, with the values as they were and as backward found them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from inplacelab.dependence import Dependence
from inplacelab.place import Place
from inplacelab.recording.computed_from import for_element
from inplacelab.recording.facts import Number, RootFacts, Step, TensorFacts
from inplacelab.recording.origins.back import Computed, Origin, computed, operands_of
from inplacelab.recording.origins.elements import Arrival, arrivals, next_arrival, number_of, slot_of, slots_of_element
from inplacelab.recording.origins.forward import MOST_EDGES, Flow
from inplacelab.recording.origins.paths import Hop
from inplacelab.recording.origins.slope_table import UNKNOWN, Slope
from inplacelab.recording.origins.slopes import slope
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.unnoticed_writes import WITHOUT_HISTORY
from inplacelab.supported import framework_of

MOST_NUMBERS = 20_000
"""Paths are followed through so many numbers, counted backwards from the pass."""


class OnePass:
    """A backward pass.

    Args:
        recording: the recording.
        begun: the step in which the pass began.

    Attributes:
        root_tensors: the tensors that it began with.
        reached: the nodes that it reaches.
        seeds: the gradients that it began with, by slots of the roots; None for one that was not recorded.
        horizon: the first of the steps before it that put no more than `MOST_NUMBERS` numbers into slots.
    """

    def __init__(self, recording: Recording, begun: int) -> None:
        self.recording, self.begun = recording, begun
        roots = _roots(recording.steps[begun])
        before = recording.before(begun)
        self.root_tensors = [tensor for root in roots for tensor in _of_node(before, root.node)]
        self.seeds = _seeds(before, roots)
        self.reached = _reached(recording.state(begun), [each.node for each in roots])
        counts = recording.once(_numbers_until)
        self.horizon = bisect_left(counts, counts[begun] - MOST_NUMBERS)

    def came_to(self, storage: int, slot: int) -> list[Arrival]:
        """Returns how numbers came into a slot before the pass."""
        return [
            each for each in arrivals(self.recording).get(storage, ()) if each.step < self.begun and each.reaches(slot)
        ]

    @cached_property
    def read_again(self) -> set[int]:
        """The storages that code of the program reads while the pass runs."""
        found: set[int] = set()
        for step in self.recording.steps[self.begun :]:
            found |= {each.storage for each in step.reads if step.kind == "operation"}
            if step.backward is not None and step.backward.action == "end":
                break
        return found

    @cached_property
    def gone_through(self) -> Mapping[tuple[int, int], Place | None]:
        """The roots of earlier passes of which this one reaches nodes, as in a second derivative: by slots the pass's place."""
        met: set[int] = set()
        found: dict[tuple[int, int], Place | None] = {}
        roots: Mapping[tuple[int, int], float | None] = {}
        for step in self.recording.steps[: self.begun]:
            fresh = {key for key, node in step.nodes if node is not None and node.leaf is None and key not in met}
            met |= {key for key, _ in step.nodes}
            if step.backward is not None and step.backward.action == "begin":
                roots = _seeds(self.recording.before(step.index), _roots(step))
            if step.phase == "backward" and step.kind == "backward" and fresh & self.reached:
                found |= dict.fromkeys(roots, step.place)
        return found


def made_node(recording: Recording, step: Step) -> bool:
    """Returns whether a step has history: it made a node, and did not leave the one that its tensor had. Several results share one."""
    if step.kept is None:
        return False
    return step.category == "ordinary" or step.kept not in recording.before(step.index).nodes


def leads_to(recording: Recording, step: Step, tensor: int) -> bool:
    """Returns whether a step's history leads to an operand."""
    if step.op in WITHOUT_HISTORY:
        return False
    return any(each.needs_gradient for each in operands_of(recording, step) if each is not None and each.id == tensor)


def _roots(begun: Step) -> list[RootFacts]:
    """The nodes with which a pass began."""
    backward = begun.backward
    if backward is None or backward.node is None:
        return []
    return [RootFacts(backward.node, backward.gradient), *backward.others]


def _seeds(before: State, roots: Sequence[RootFacts]) -> Mapping[tuple[int, int], float | None]:
    """The gradients with which the pass began, by slots of the roots; None for one that was not recorded."""
    found: dict[tuple[int, int], float | None] = {}
    for root in roots:
        for tensor in _of_node(before, root.node):
            for k in range(prod(tensor.shape)):
                at = tensor.storage, slots_of_element(before, tensor, k)[0]
                given = None if root.gradient is None or k >= len(root.gradient) else root.gradient[k]
                here = float(given) if isinstance(given, int | float) else None
                was = found.get(at, 0.0)
                found[at] = None if here is None or was is None else was + here
    return found


def _of_node(state: State, node: int) -> list[TensorFacts]:
    """The tensor that a node made, if it is known."""
    return [each for each in state.tensors.values() if each.node == node][:1]


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


def _numbers_until(recording: Recording) -> list[int]:
    """How many numbers came into slots before each step."""
    came = [0] * (len(recording.steps) + 1)
    for found in arrivals(recording).values():
        for each in found:
            came[max(each.step, 0) + 1] += sum(stop - start for start, stop in each.slots)
    for k in range(1, len(came)):
        came[k] += came[k - 1]
    return came


MOST_IN_WINDOWS = 4096


def slot_given_by_window(
    recording: Recording, made: Step, base: TensorFacts, view: TensorFacts, element: int | None, slot: int
) -> int | None:
    """Returns the slot to which backward gives the gradient of an element of a view: the element's own, except for overlapping windows.

    Args:
        recording: the recording.
        made: the step that made the view.
        base: the tensor of which it is a view.
        view: the view.
        element: the number of the element; None if it was read through another view of the view: then the first one in the slot is meant.
        slot: its slot.

    Returns:
        The slot; None if another gradient is written over the element's.
    """
    node = None if made.kept is None else recording.state(made.index).nodes.get(made.kept)
    defects = framework_of(recording).defects
    if node is None or node.name not in defects.windows | defects.offsets or prod(view.shape) > MOST_IN_WINDOWS:
        return slot
    here = [k for k in range(prod(view.shape)) if slot_of(view, k) == slot]
    if (here[0] if element is None else element) != here[-1]:
        return None
    if node.name in defects.offsets:
        return slot_of(base, slot) if slot < prod(base.shape) else None
    return slot


def with_weight_of_ones(
    recording: Recording, step: Step, tensors: Sequence[int], values: Sequence[Number | None]
) -> list[Number | None]:
    """Returns the values with which backward computes: a weight that needs no gradient may be taken for ones.

    Args:
        recording: the recording.
        step: the step that computed something from the values.
        tensors: the tensors through which they were read.
        values: the values.
    """
    node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
    if node is None or node.name not in framework_of(recording).defects.weights or len(step.inputs) < 2:
        return list(values)
    weight = recording.before(step.index).tensors.get(step.inputs[1])
    if weight is None or weight.needs_gradient:
        return list(values)
    return [1.0 if tensor == weight.id else value for tensor, value in zip(tensors, values, strict=True)]


@dataclass(frozen=True, slots=True)
class Result:
    """An element that a step computed.

    Attributes:
        found: how it was computed.
        places: which of the origins are in a slot.
        values, later: the values of the origins, as they were and as backward found them.
        overwrote: the place that overwrote one of them meanwhile; None if none did.
        own, line: see `slope`.
    """

    found: Computed
    places: Mapping[tuple[int, int], list[int]]
    values: Sequence[Number | None]
    later: Sequence[Number | None]
    overwrote: Place | None
    own: int | None
    line: int


class Hops:
    """The hops of one pass.

    Args:
        recording: the recording.
        begun: the step in which the pass began.
    """

    def __init__(self, recording: Recording, begun: int) -> None:
        self._recording, self._begun = recording, begun
        self._results: dict[tuple[int, int, int], Result] = {}

    def hop(self, flow: Flow, places: Sequence[int]) -> Hop:
        """Returns the hop to an element from the number that stands at some places among its origins."""
        step, result = self._recording.steps[flow.step], self.result(flow)
        depends = None if step.depends is None else self._depends(step.depends, flow)
        if depends is None:
            return Hop(flow, UNKNOWN)
        own, line, value = result.own, result.line, result.found.value
        then = _added(slope(step.op, depends, result.values, k, value, own=own, line=line) for k in places)
        if then.value is None or (result.overwrote is None and result.later == result.values):
            return Hop(flow, then)
        out = self._value_now(flow.storage, flow.slot)
        out = value if out is None else out
        now = _added(slope(step.op, depends, result.later, k, out, own=own, line=line, checked=False) for k in places)
        return Hop(flow, then, None if now == then else now, None if now == then else result.overwrote)

    def _depends(self, depends: Dependence, flow: Flow) -> Dependence:
        if not depends.weights and not depends.given:
            return depends
        after, before = self._recording.state(flow.step), self._recording.before(flow.step)
        made = after.tensors.get(flow.tensor) or before.tensors[flow.tensor]
        return for_element(depends, number_of(after, made, flow.index))

    def result(self, flow: Flow) -> Result:
        """Returns what is known of an element that a step computed. Many paths may lead to it."""
        at = flow.storage, flow.slot, flow.step
        if at not in self._results:
            self._results[at] = self._result(flow)
        return self._results[at]

    def _result(self, flow: Flow) -> Result:
        found = computed(self._recording, flow.storage, flow.slot, flow.step, most=MOST_EDGES)
        places: dict[tuple[int, int], list[int]] = {}
        for k, each in enumerate(found.origins):
            places.setdefault((each.storage, each.slot), []).append(k)
        later, overwrote = self._as_backward_found(self._recording.steps[flow.step], found.origins)
        later = with_weight_of_ones(
            self._recording, self._recording.steps[flow.step], [each.tensor for each in found.origins], later
        )
        own = next((k for k, each in enumerate(found.origins) if each.index == flow.index), None)
        line = sum(each.tensor == found.origins[0].tensor for each in found.origins)
        return Result(found, places, [each.value for each in found.origins], later, overwrote, own, line)

    def _as_backward_found(self, step: Step, origins: Sequence[Origin]) -> tuple[list[Number | None], Place | None]:
        """The values of the origins when the pass began, as far as the step's node had saved them, and the place that overwrote one."""
        recording = self._recording
        node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
        kept = {saved.storage for saved in node.saved if not saved.copy} if node is not None else set()
        values, place = [], None
        for each in origins:
            over = next_arrival(recording, each.storage, each.slot, each.step) if each.storage in kept else None
            value = each.value
            if over is not None and over.step < self._begun:
                value, place = self._value_now(each.storage, each.slot), recording.steps[over.step].place
            values.append(value)
        result = _storage_of_result(recording, step)
        if place is None and result is not None and result in kept:
            place = _overwritten(recording, step, result, self._begun)
        return values, place

    def _value_now(self, storage: int, slot: int) -> Number | None:
        facts = self._recording.before(self._begun).storages.get(storage)
        known = facts is not None and isinstance(facts.values, tuple) and slot < len(facts.values)
        return facts.values[slot] if known and facts is not None and isinstance(facts.values, tuple) else None


def _storage_of_result(recording: Recording, step: Step) -> int | None:
    facts = None if step.output is None else recording.state(step.index).tensors.get(step.output)
    return None if facts is None else facts.storage


def _overwritten(recording: Recording, step: Step, storage: int, begun: int) -> Place | None:
    """The place that wrote a storage between a step and the pass."""
    later = (each for each in arrivals(recording).get(storage, ()) if step.index < each.step < begun)
    return next((recording.steps[each.step].place for each in later), None)


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
