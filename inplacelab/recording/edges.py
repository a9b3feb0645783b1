"""Labels the edges of the graph with the learner's name for the tensor whose gradient flows along each edge.

A derivative calls its inputs "x" and "y", and the program often uses these names for other tensors. The gradient on an edge
belongs to the value that the node at the edge's end has made, or to its leaf. So the label is the name that this value had
when the edge was made.
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
    """The tensor whose gradient flows along an edge, by number, and the learner's name for it."""

    tensor: int
    name: str

    def is_coming(self, state: State) -> bool:
        """Whether the running line has yet to bind the name."""
        return state.called(self.tensor).awaits(self.name)


def edge_names(recording: Recording) -> Mapping[tuple[int, int], Passed]:
    """Returns the learner's name for the value whose gradient flows along each edge.

    Returns:
        By the numbers of the edge's two nodes; values without a name are left out.
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
        names = [None if before is None else places.passed(recording, before, step, to) for _, to in ways]
        places.follow(step)
        for way, known in zip(
            ways, names, strict=True
        ):  # a tensor without a name before the step may have one after it
            passed = known or places.passed(recording, state, step, way[1])
            if passed:
                found.setdefault(way, passed)
        before = state
    return found


class _Places:
    """Tracks from step to step which node made which tensors, and which leaf a node accumulates into."""

    def __init__(self) -> None:
        self._tensors: dict[int, TensorFacts] = {}
        self._at: dict[int, dict[int, None]] = {}  # from a node to the tensors that it has made
        self._leaves: dict[int, int] = {}  # from an accumulation node to its leaf

    def follow(self, step: Step) -> None:
        """Applies the changes of a step."""
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
        """Returns the name, on the line of a step, of the value that a node has made, operands first; None if it has none."""
        leaf = self._leaves.get(node)
        keys = [*self._at.get(node, ())] if leaf is None else [leaf]
        keys.sort(key=lambda key: (key not in step.inputs, key))
        called = (state.called(key) for key in keys if key in self._tensors)
        return next(
            (Passed(each.tensor, name_on_line(recording, step.line, each.names)) for each in called if each.names), None
        )
