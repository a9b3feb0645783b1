"""Finds the paths of one backward pass: from a number, along the elements that were computed from one another, to the root of the pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inplacelab.recording.facts import Step
from inplacelab.recording.origins.arrivals import MOST_RESULTS, Arrival, next_arrival
from inplacelab.recording.origins.back import operands_of, reads_what_it_overwrites
from inplacelab.recording.origins.following import At, Branch, Following, Found
from inplacelab.recording.origins.forward import Flow, flows
from inplacelab.recording.origins.hops import Hops
from inplacelab.recording.origins.one_pass import OnePass, leads_to, made_node
from inplacelab.recording.origins.paths import End, Hop
from inplacelab.recording.origins.slopes import UNKNOWN
from inplacelab.recording.recording import Recording
from inplacelab.recording.unnoticed_writes import WITHOUT_HISTORY, is_lost, loses_write

__all__ = ["PathSearch"]

CUSTOM = "GradNodePyLayer"
"""How the nodes of Paddle's `PyLayer`, and of ours, are called."""


class PathSearch:
    """Finds the paths that a pass should go, with the values as they were when the operations ran.

    Args:
        of: the pass.
        hops: its hops.
    """

    def __init__(self, of: OnePass, hops: Hops) -> None:
        self._pass, self._recording, self._hops = of, of.recording, hops
        self._following = Following(self._branches, lambda hop: hop.slope.value, of.horizon)

    def paths(self, storage: int, slot: int) -> Found:
        """Returns the paths from the numbers that a slot has held until the pass began."""
        came = self._pass.came_to(storage, slot)
        # A number that a step with history computed from the one before is on the paths of that one.
        starts = [At(storage, slot, each.step) for k, each in enumerate(came) if not k or not self._continues(each)]
        # Of the numbers that a loop has put there, those that only other passes used are of no interest.
        chosen = [each for each in starts if len(starts) == 1 or self._leads(each)] or starts[-1:]
        return self._following.paths(chosen or [At(storage, slot, -1)])

    # ---- numbers -------------------------------------------------------------------------------------------------------------

    def _leads(self, start: At) -> bool:
        """Whether something with history was computed from a number that the pass goes through, or should go through."""
        for flow in flows(self._recording, *start).into:
            if flow.step < self._pass.begun and self._goes_through(self._recording.steps[flow.step], start.storage):
                return True
        return (start.storage, start.slot) in self._pass.seeds

    def _goes_through(self, step: Step, storage: int) -> bool:
        """Whether the pass goes through a step, or should, because the step lost the history of an operand on a storage."""
        if step.kept in self._pass.reached:
            return True
        made = made_node(self._recording, step)
        operands = (each.id for each in operands_of(self._recording, step) if each and each.storage == storage)
        return any(is_lost(self._recording, step, each, made_node=made) for each in operands)

    def _branches(self, at: At) -> Iterator[Branch]:
        """Where the paths go on from a number, and where they end."""
        recording, begun, seeds = self._recording, self._pass.begun, self._pass.seeds
        is_seed = (at.storage, at.slot) in seeds
        over = next_arrival(recording, at.storage, at.slot, at.step)
        is_root = is_seed and (over is None or over.step >= begun)
        if is_root:
            yield Branch(end="root", value=seeds[at.storage, at.slot])
        read = flows(recording, at.storage, at.slot, at.step)
        onward = [flow for flow in read.into if flow.step < begun]
        for flow in onward:
            yield from self._along(at, flow)
        for index in read.unknown:
            step = recording.steps[index]
            if index < begun and self._goes_through(step, at.storage) and not self._is_beside(step):
                yield Branch(end=self._end(at, step), line=step.line, value=None)
        if (at.storage, at.slot) in self._pass.gone_through:
            yield Branch(end="another pass", line=self._pass.gone_through[at.storage, at.slot], value=None)
        elif not onward and not is_root and not read.unknown:
            gone = over is not None and over.step < begun
            line = recording.steps[over.step].line if gone and over is not None else None
            yield Branch(end="overwritten" if gone else "unused", line=line)

    def _along(self, at: At, flow: Flow) -> Iterator[Branch]:
        step = self._recording.steps[flow.step]
        after, before = self._recording.state(flow.step), self._recording.before(flow.step)
        made = after.tensors.get(flow.tensor) or before.tensors.get(flow.tensor)
        if made is not None and made.dtype.startswith(("int", "uint", "bool")):
            return  # whole numbers have no gradient
        if self._is_beside(step):
            return
        result = self._hops.result(flow)
        here = result.places.get((at.storage, at.slot), [])
        tracked = [k for k in here if self._goes_on(step, result.found.origins[k].tensor)]
        if step.kept is None and self._recording.once(_custom_nodes).get(flow.tensor) in self._pass.reached:
            yield Branch(Hop(flow, UNKNOWN), end="custom", line=step.line, value=None)
            return
        if not here:
            yield Branch(Hop(flow, UNKNOWN), end="not known", line=step.line, value=None)
        elif len(tracked) < len(here):
            read = [result.found.origins[k].tensor for k in here if k not in tracked]
            end = self._end_without_history(at, step, read)
            yield Branch(Hop(flow, UNKNOWN), end=end, line=step.line, value=0.0 if end == "detached" else None)
        if not tracked:
            return
        hop = self._hops.hop(flow, tracked)
        if hop.slope.value == 0:
            yield Branch(hop, end="zero", line=step.line)
        else:
            yield Branch(hop, At(flow.storage, flow.slot, flow.step))

    # ---- histories -----------------------------------------------------------------------------------------------------------

    def _end_without_history(self, at: At, step: Step, read: Sequence[int]) -> End:
        """Where a path ends at a step that read a number through tensors without history."""
        if step.category == "in-place" and step.tracks is not False and step.op not in WITHOUT_HISTORY:
            return "lost write"
        wrote = self._recording.steps[at.step] if at.step >= 0 else None
        if wrote is None or wrote.output is None or not made_node(self._recording, wrote):
            return "detached"
        lost = any(loses_write(self._recording, each, wrote.output) for each in read)
        return "lost read" if lost else "detached"

    def _is_beside(self, step: Step) -> bool:
        """Whether a step made a further result of an operation, without history: as `batch_norm` makes its statistics."""
        facts = None if step.output is None else self._recording.state(step.index).tensors.get(step.output)
        if facts is None or facts.needs_gradient:
            return False
        near = self._recording.steps[max(step.index - MOST_RESULTS, 0) : step.index + MOST_RESULTS]
        call = step.op, step.line, step.inputs
        return any(each.kept in self._pass.reached and (each.op, each.line, each.inputs) == call for each in near)

    def _end(self, at: At, step: Step) -> End:
        """Where a path ends at an operation that declares nothing."""
        node = None if step.kept is None else self._recording.state(step.index).nodes.get(step.kept)
        if node is None or not node.name.startswith(CUSTOM):
            return "overlapping" if reads_what_it_overwrites(self._recording, step) else "not known"
        over = next_arrival(self._recording, at.storage, at.slot, at.step)
        stale = over is not None and over.step < self._pass.begun and at.storage in self._pass.read_again
        return "custom stale" if stale else "custom"

    def _continues(self, arrival: Arrival) -> bool:
        """Whether an arrival has history, or should have."""
        step = self._recording.steps[arrival.step]
        made = made_node(self._recording, step)
        lost = arrival.tensor is not None and is_lost(self._recording, step, arrival.tensor, made_node=made)
        return step.kept is not None or lost

    def _goes_on(self, step: Step, tensor: int) -> bool:
        """Whether a path goes on through a step: along its history, and along one that the framework should have kept."""
        made = made_node(self._recording, step)
        return (made and leads_to(self._recording, step, tensor)) or is_lost(
            self._recording, step, tensor, made_node=made
        )


def _custom_nodes(recording: Recording) -> dict[int, int]:
    """By tensor the node that no recorded operation made: that of a `Function` of PyTorch, in whose `forward` the tensor was computed."""
    kept = {step.kept for step in recording.steps}
    kept |= {key for step in recording.steps for key, node in step.nodes if node is not None and node.leaf is not None}
    facts = (each for step in recording.steps for each in step.tensors)
    return {
        key: each.node for key, each in facts if each is not None and each.node is not None and each.node not in kept
    }
