"""One hop of a path: how strongly a number follows another one that it was computed from, with the values as they were and as backward found them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inplacelab.dependence import Dependence
from inplacelab.recording.facts import Number, Step
from inplacelab.recording.origins.arrivals import arrivals, next_arrival
from inplacelab.recording.origins.back import Computed, Origin, computed
from inplacelab.recording.origins.defects import with_weight_of_ones
from inplacelab.recording.origins.elements import number_of
from inplacelab.recording.origins.forward import MOST_EDGES, Flow
from inplacelab.recording.origins.paths import Hop
from inplacelab.recording.origins.slopes import UNKNOWN, Slope, slope
from inplacelab.recording.recording import Recording
from inplacelab.recording.sources import for_element

__all__ = ["Hops", "Result"]


@dataclass(frozen=True, slots=True)
class Result:
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

    def _as_backward_found(self, step: Step, origins: Sequence[Origin]) -> tuple[list[Number | None], int | None]:
        """The values of the origins when the pass began, as far as the step's node had saved them, and the line that overwrote one."""
        recording = self._recording
        node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
        kept = {saved.storage for saved in node.saved if not saved.copy} if node is not None else set()
        values, line = [], None
        for each in origins:
            over = next_arrival(recording, each.storage, each.slot, each.step) if each.storage in kept else None
            value = each.value
            if over is not None and over.step < self._begun:
                value, line = self._value_now(each.storage, each.slot), recording.steps[over.step].line
            values.append(value)
        result = _storage_of_result(recording, step)
        if line is None and result is not None and result in kept:
            line = _overwritten(recording, step, result, self._begun)
        return values, line

    def _value_now(self, storage: int, slot: int) -> Number | None:
        facts = self._recording.before(self._begun).storages.get(storage)
        known = facts is not None and isinstance(facts.values, tuple) and slot < len(facts.values)
        return facts.values[slot] if known and facts is not None and isinstance(facts.values, tuple) else None


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
