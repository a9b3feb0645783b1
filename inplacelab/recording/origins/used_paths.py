"""Finds the paths that a backward pass went instead of the right ones: along the nodes, with the values that it found.

The right paths follow the numbers. Backward follows the nodes: from the node that an operand had when an operation read it, through those of views,
to the node that made a number. A write that left its tensor's node as it was is passed by, and so is one through another view of the storage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import prod

from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.origins.arrivals import arrivals
from inplacelab.recording.origins.back import Origin
from inplacelab.recording.origins.defects import slot_given_by_window
from inplacelab.recording.origins.elements import number_of, slot_of, slots_of_element
from inplacelab.recording.origins.following import At, Branch, Following, Found
from inplacelab.recording.origins.forward import Flow, edges
from inplacelab.recording.origins.hops import Hops
from inplacelab.recording.origins.one_pass import OnePass, leads_to, made_node
from inplacelab.recording.origins.paths import Hop
from inplacelab.recording.recording import Recording

__all__ = ["UsedPaths"]

MOST_VIEWS = 64
"""So many views of views are followed."""
_Uses = dict[At, dict[tuple[int, int, int], tuple[Flow, list[int]]]]
"""By number what was computed from it, with its places among the origins there."""


class UsedPaths:
    """Finds the paths that a pass went.

    Args:
        of: the pass.
        hops: its hops.
    """

    def __init__(self, of: OnePass, hops: Hops) -> None:
        self._pass, self._recording, self._hops = of, of.recording, hops
        self._following = Following(self._branches, _factor, of.horizon)

    def paths(self, storage: int, slot: int) -> Found:
        """Returns the paths from the numbers that a slot has held until the pass began."""
        came = self._pass.came_to(storage, slot)
        steps = self._recording.steps
        starts = [At(storage, slot, each.step) for k, each in enumerate(came) if not k or steps[each.step].kept is None]
        chosen = [each for each in starts if each in self._uses or each in self._seeds]
        return self._following.paths(chosen or starts[-1:] or [At(storage, slot, -1)])

    def _branches(self, at: At) -> Iterator[Branch]:
        if at in self._seeds:
            yield Branch(end="root", value=self._seeds[at])
        for flow, places in self._uses.get(at, {}).values():
            hop = self._hops.hop(flow, places)
            line = self._recording.steps[flow.step].line
            yield (
                Branch(hop, end="zero", line=line)
                if _factor(hop) == 0
                else Branch(hop, At(flow.storage, flow.slot, flow.step))
            )
        if at not in self._seeds and at not in self._uses:
            yield Branch(end="unused")

    @cached_property
    def _seeds(self) -> Mapping[At, float | None]:
        """The gradients with which the pass began, by the numbers of the roots."""
        found: dict[At, float | None] = {}
        before = self._recording.before(self._pass.begun)
        for tensor in self._pass.root_tensors:
            for element in range(prod(tensor.shape)):
                slot = slots_of_element(before, tensor, element)[0]
                at = self._number(tensor, element, slot, self._pass.begun)
                if at is not None:
                    found[at] = self._pass.seeds[tensor.storage, slot]
        return found

    @cached_property
    def _uses(self) -> _Uses:
        found: _Uses = {}
        for step in self._recording.steps[self._pass.horizon : self._pass.begun]:
            if step.kept in self._pass.reached and self._computes(step):
                for (storage, slot), into in (edges(self._recording, step.index) or {}).items():
                    for flow in into:
                        self._note(found, step, flow, (storage, slot))
        return found

    def _computes(self, step: Step) -> bool:
        """Whether a step computed something, and its history is its own."""
        return step.category == "ordinary" or (
            step.category in ("in-place", "reallocated") and made_node(self._recording, step)
        )

    def _note(self, found: _Uses, step: Step, flow: Flow, slot: tuple[int, int]) -> None:
        result = self._hops.result(flow)
        for place in result.places.get(slot, ()):
            origin = result.found.origins[place]
            at = self._read(step, origin) if leads_to(self._recording, step, origin.tensor) else None
            if at is not None:
                found.setdefault(at, {}).setdefault((flow.storage, flow.slot, flow.step), (flow, []))[1].append(place)

    # ---- which number a node stands for ----------------------------------------------------------------------------------------

    def _read(self, step: Step, origin: Origin) -> At | None:
        before, after = self._recording.before(step.index), self._recording.state(step.index)
        facts = before.tensors.get(origin.tensor) or after.tensors[origin.tensor]
        return self._number(facts, number_of(before, facts, origin.index), origin.slot, step.index)

    def _number(self, facts: TensorFacts, element: int | None, slot: int, until: int) -> At | None:
        """The number in a slot for which a tensor's node stands; None if backward gives it nothing."""
        for _ in range(MOST_VIEWS):
            made = None if facts.node is None else self._recording.once(_made).get(facts.node)
            if made is not None and made.category == "view" and made.output == facts.id:
                base = self._recording.before(made.index).tensors.get(made.inputs[0])
                given = (
                    None if base is None else slot_given_by_window(self._recording, made, base, facts, element, slot)
                )
                if base is None or given is None:
                    return None
                facts, element, slot, until = base, None, given, made.index
                continue
            then = None if made is None else self._recording.state(made.index).tensors.get(facts.id)
            if made is None or then is None or (then.storage, then.dtype) == (facts.storage, facts.dtype):
                return self._arrived(facts, slot, until, made)
            # The tensor was given another storage or dtype since, and its node left as it was.
            if element is None or element >= prod(then.shape):
                return None
            return self._arrived(then, slot_of(then, element), made.index + 1, made)
        return None

    def _arrived(self, facts: TensorFacts, slot: int, until: int, made: Step | None) -> At:
        came = [
            each
            for each in arrivals(self._recording).get(facts.storage, ())
            if each.step < until and each.reaches(slot)
        ]
        for each in reversed(came):
            step = self._recording.steps[each.step]
            if made is None and step.kept is not None and facts.needs_gradient:
                continue  # a leaf has no node: what writes through its views made of it is not known to it
            if made is not None and each.step != made.index and self._is_passed_by(step):
                continue
            if made is not None and each.step > made.index and any(one.step == made.index for one in came):
                continue
            return At(facts.storage, slot, each.step)
        return At(facts.storage, slot, -1)

    def _is_passed_by(self, step: Step) -> bool:
        """Whether the pass passes by a write, as if it had not been: its node, if it has one, is not reached."""
        return step.category == "in-place" and not (
            made_node(self._recording, step) and step.kept in self._pass.reached
        )


def _factor(hop: Hop) -> float | None:
    return (hop.used or hop.slope).value


def _made(recording: Recording) -> dict[int, Step]:
    """The step that made each node, except those of leaves."""
    found: dict[int, Step] = {}
    for step in recording.steps:
        for key, node in step.nodes:
            if node is not None and node.leaf is None and step.kind == "operation":
                found.setdefault(key, step)
    return found
