"""A backward pass as the search of paths needs it: its roots, the gradients that it began with, and the nodes that it reaches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod

from inplacelab.recording.facts import RootFacts, Step, TensorFacts
from inplacelab.recording.origins.arrivals import Arrival, arrivals
from inplacelab.recording.origins.back import operands_of
from inplacelab.recording.origins.elements import slots_of_element
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.unnoticed_writes import WITHOUT_HISTORY

__all__ = ["OnePass", "leads_to", "made_node"]

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
    def gone_through(self) -> Mapping[tuple[int, int], int | None]:
        """The roots of earlier passes of which this one reaches nodes, as in a second derivative: by slots the pass's line."""
        met: set[int] = set()
        found: dict[tuple[int, int], int | None] = {}
        roots: Mapping[tuple[int, int], float | None] = {}
        for step in self.recording.steps[: self.begun]:
            fresh = {key for key, node in step.nodes if node is not None and node.leaf is None and key not in met}
            met |= {key for key, _ in step.nodes}
            if step.backward is not None and step.backward.action == "begin":
                roots = _seeds(self.recording.before(step.index), _roots(step))
            if step.phase == "backward" and step.kind == "backward" and fresh & self.reached:
                found |= dict.fromkeys(roots, step.line)
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
    moment = begun.backward
    if moment is None or moment.node is None:
        return []
    return [RootFacts(moment.node, moment.gradient), *moment.others]


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
