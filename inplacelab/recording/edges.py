"""Whose gradient goes along an edge of the graph, in the learner's own names.

A derivative calls its inputs "x" and "y", and a program often has other tensors of these names. What goes along an edge is the
gradient of a value: the one that the node at the edge's end has made, or the leaf that it stands for. So it is called what that
value was called when the edge came to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inplacelab.recording.facts import NodeFacts, Step, TensorFacts
from inplacelab.recording.naming import name_on_line
from inplacelab.recording.recording import Recording, State

__all__ = ["Passed", "edge_names"]


@dataclass(frozen=True, slots=True)
class Passed:
    """Whose gradient goes along an edge: a tensor, by number, and the learner's name for it."""

    tensor: int
    name: str

    def is_coming(self, state: State) -> bool:
        """Whether the line under way has yet to bind the name."""
        return state.called(self.tensor).awaits(self.name)


def edge_names(recording: Recording) -> Mapping[tuple[int, int], Passed]:
    """The learner's name for the value whose gradient goes along each edge, by the numbers of its two nodes; values without a
    name are left out.
    """
    return recording.once(_edge_names)


def _edge_names(recording: Recording) -> dict[tuple[int, int], Passed]:
    found: dict[tuple[int, int], Passed] = {}
    places = _Places()
    met: set[int] = set()
    before: State | None = None
    for state in recording.states():
        step = state.step
        fresh = [(key, node) for key, node in step.nodes if node is not None and key not in met]
        met.update(key for key, _ in fresh)
        ways = [(key, edge.to) for key, node in fresh for edge in node.edges]
        told = [None if before is None else places.passed(recording, before, step, to) for _, to in ways]
        places.follow(step)
        for way, known in zip(ways, told, strict=True):  # what has no name before the step may have been met in it
            passed = known or places.passed(recording, state, step, way[1])
            if passed:
                found.setdefault(way, passed)
        before = state
    return found


class _Places:
    """Which tensors have which place in the history, followed from step to step."""

    def __init__(self) -> None:
        self._tensors: dict[int, TensorFacts] = {}
        self._at: dict[int, dict[int, None]] = {}  # from a node to the tensors whose values it has made
        self._leaves: dict[int, int] = {}  # from a node to the leaf that it stands for

    def follow(self, step: Step) -> None:
        """Take in what a step has changed."""
        for key, tensor in step.tensors:
            before = self._tensors.pop(key, None)
            if before is not None and before.node is not None:
                del self._at[before.node][key]
            if tensor is not None:
                self._tensors[key] = tensor
                if tensor.node is not None:
                    self._at.setdefault(tensor.node, {})[key] = None
        for key, node in step.nodes:
            self._note_leaf(key, node)

    def _note_leaf(self, key: int, node: NodeFacts | None) -> None:
        if node is not None and node.leaf is not None:
            self._leaves[key] = node.leaf

    def passed(self, recording: Recording, state: State, step: Step, node: int) -> Passed | None:
        """What the value that a node has made is called on the line of a step: an operand's name first; None if it has none."""
        leaf = self._leaves.get(node)
        keys = [*self._at.get(node, ())] if leaf is None else [leaf]
        keys.sort(key=lambda key: (key not in step.inputs, key))
        called = (state.called(key) for key in keys if key in self._tensors)
        return next(
            (Passed(each.tensor, name_on_line(recording, step.line, each.names)) for each in called if each.names), None
        )
