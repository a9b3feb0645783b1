"""The edges along which gradients travel, and the dots that an edge or node leaves behind when a step takes it away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from inplacelab.recording.recording import Recording, State
from inplacelab_widgets.scene.graph_nodes import HEIGHT, PAD, Box
from inplacelab_widgets.scene.marks import Look, Mark, between, flashes, lasting, path, rect, text
from inplacelab_widgets.scene.measure import coordinate, shortened
from inplacelab_widgets.scene.timeline import Life, lives

GAP = 46.0
"""Between one layer of nodes and the next, for the arrows."""

Edge = tuple[int, int]
"""(from node, to node): the way a gradient goes."""

Line = Sequence[tuple[float, float]]
"""The points that an edge passes through."""


def edges(recording: Recording) -> dict[Edge, Life[str]]:
    """All edges, with the names of the inputs whose gradients travel along each."""
    return lives(recording, _edges_at)


def _edges_at(state: State) -> Mapping[Edge, str]:
    inputs: dict[Edge, list[str]] = {}
    for node in state.nodes.values():
        for edge in node.edges:
            if edge.to in state.nodes:
                inputs.setdefault((node.id, edge.to), []).append(edge.input)
    return {key: ", ".join(names) for key, names in inputs.items()}


def departures(wanted: Iterable[Edge], boxes: Mapping[int, Box]) -> dict[Edge, float]:
    """The height at which each edge leaves its node: one below the other, in the order of their targets."""
    of_node: dict[int, list[Edge]] = {}
    for edge in wanted:
        of_node.setdefault(edge[0], []).append(edge)
    leaving = {}
    for key, unordered in of_node.items():
        box, mine = boxes[key], sorted(unordered, key=lambda edge: (boxes[edge[1]].middle, edge[1]))
        apart = min(16.0, (HEIGHT - 12) / max(len(mine), 1))
        for k, edge in enumerate(mine):
            leaving[edge] = round(box.middle + (k - (len(mine) - 1) / 2) * apart, 1)
    return leaving


def edge_marks(line: Line, life: Life[str], travelled: Sequence[int]) -> list[Mark]:
    """An arrow; thick in the step that made it and in those in which a gradient travels along it."""
    flashing = [life.first, *(step for step in travelled if life.first <= step <= life.last)]
    stroke = flashes([(step, Look("edge fresh"), Look("edge")) for step in flashing], life.last)
    tip = flashes([(step, Look("fresh-tip"), Look("tip")) for step in flashing], life.last)
    (left, top), (right, y) = line[-1], line[0]
    labels = ((step, Look("text tiny end", shortened(inputs, GAP - 14, 9))) for step, inputs in life.moments)
    return [
        path(_curve(line), stroke),
        path(f"M{coordinate(left - 7)} {coordinate(top)}l8 -4.5v9z", tip),
        text(round(right - 3, 1), y - 5, lasting(labels, life.last)),
    ]


def travels(recording: Recording) -> dict[Edge, list[int]]:
    """For each edge the steps at which a gradient arrived along it."""
    found: dict[Edge, list[int]] = {}
    for state in recording.states():
        facts = state.step.backward
        if facts and facts.action == "arrived" and facts.node is not None:
            for node in state.nodes.values():
                if node.status == "done" and any(edge.to == facts.node for edge in node.edges):
                    found.setdefault((node.id, facts.node), []).append(state.step.index)
    return found


def _curve(line: Line) -> str:
    d = f"M{coordinate(line[0][0])} {coordinate(line[0][1])}"
    for (x0, y0), (x1, y1) in pairwise(line):
        if y0 == y1:
            d += f"H{coordinate(x1)}"
        else:
            bend = coordinate((x0 + x1) / 2)
            d += f"C{bend} {coordinate(y0)} {bend} {coordinate(y1)} {coordinate(x1)} {coordinate(y1)}"
    return d


def ghost_marks(recording: Recording, boxes: Mapping[int, Box]) -> list[Mark]:
    """The nodes and edges that a rewritten history left behind, for the one step that rewrote it."""
    marks: list[Mark] = []
    for before, state in pairwise(recording.states()):
        left = {rewired.before for rewired in state.step.rewired}
        for key in before.nodes:
            if key in boxes and key in left and key not in state.nodes:
                marks += _ghost_box(boxes[key], state.step.index)
        for a, b in sorted(_edges_at(before).keys() - _edges_at(state).keys()):
            if a in state.nodes or a in left:
                marks.append(_ghost_edge(boxes[a], boxes[b], state.step.index))
    return marks


def _ghost_box(box: Box, step: int) -> Iterator[Mark]:
    name = shortened(box.node.name, box.node.width - 2 * PAD)
    yield rect(box.x, box.y, box.node.width, HEIGHT, between(step, step, Look("ghost")), 5)
    yield text(round(box.x + PAD, 1), box.y + 16, between(step, step, Look("text soft italic", name)))


def _ghost_edge(a: Box, b: Box, step: int) -> Mark:
    return path(_curve([(a.x, a.middle), (b.right, b.middle)]), between(step, step, Look("ghost")))
