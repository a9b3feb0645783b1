"""The graph panel: grad nodes and the edges along which gradients travel, from right to left.

Nodes and edges of all steps are laid out together; each is shown while it exists. A node or edge of this step is thick
and tagged NEW; an edge or a tensor's place in history that this step took away stays for this one step as dots.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.graph_edges import GAP, Edge, Line, departures, edge_marks, edges, ghost_marks, travels
from inplacelab_widgets.scene.graph_nodes import (
    ABOVE,
    BELOW,
    HEIGHT,
    Box,
    GradNode,
    box_marks,
    grad_nodes,
    gradient_marks,
    history_marks,
)
from inplacelab_widgets.scene.layered import Layout, Point, layout
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, between, text
from inplacelab_widgets.scene.measure import width_of
from inplacelab_widgets.scene.timeline import shared_rows

_PITCH = ABOVE + HEIGHT + BELOW


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where everything stands."""

    boxes: dict[int, Box]
    lines: dict[Edge, Line]
    width: float
    height: float


def graph_panel(recording: Recording) -> Panel:
    """The graph panel of a recording."""
    nodes, last = grad_nodes(recording), len(recording) - 1
    if not nodes:
        note = text(0, 16, between(0, last, Look("text soft", words.NO_GRAPH)))
        group = Group(0, 0, width_of(words.NO_GRAPH), 24, 0, last, (note,))
        return Panel("graph", group.width, 24, (group,), _says(recording))
    found, arrivals = edges(recording), travels(recording)
    plan = _plan(nodes, found)
    marks: list[Mark] = []
    for edge, line in plan.lines.items():
        marks += edge_marks(line, found[edge], arrivals.get(edge, ()))
    marks += ghost_marks(recording, plan.boxes)
    for box in plan.boxes.values():
        marks += box_marks(box)
    marks += gradient_marks(recording, plan.boxes) + history_marks(recording, plan.boxes)
    group = Group(0, 0, plan.width, plan.height, 0, last, tuple(marks))
    return Panel("graph", plan.width, plan.height, (group,), _says(recording))


def _plan(nodes: list[GradNode], wanted: Iterable[Edge]) -> _Plan:
    seats = _seats(nodes)
    wanted = list(wanted)
    places = layout(1 + max(seats.values()), [(seats[a], seats[b]) for a, b in wanted])
    columns = _columns(nodes, seats, places)
    boxes = {}
    for node in nodes:
        point = places.nodes[seats[node.id]]
        left, width = columns[point[0]]
        boxes[node.id] = Box(node, round(left + (width - node.width) / 2, 1), _middle(point) - HEIGHT / 2)
    leaving = departures(wanted, boxes)
    lines: dict[Edge, Line] = {}
    for a, b in wanted:
        points = places.edges.get((seats[a], seats[b]), ())
        bends = [(x, _middle(point)) for point in points[1:-1] for x in (sum(columns[point[0]]), columns[point[0]][0])]
        lines[a, b] = [(boxes[a].x, leaving[a, b]), *bends, (boxes[b].right + 7, boxes[b].middle)]
    width = round(max(left + width for left, width in columns), 1)
    return _Plan(boxes, lines, width, round(places.height * _PITCH, 1))


def _seats(nodes: list[GradNode]) -> dict[int, int]:
    """A seat for each node: nodes of one kind and line that never meet take turns, so a loop needs the room of one."""
    kinds: dict[tuple[str, object, bool], list[GradNode]] = {}
    for node in nodes:
        kinds.setdefault((node.kind, node.life.moments[0][1].second, node.is_leaf), []).append(node)
    seats: dict[int, int] = {}
    taken = 0
    for alike in kinds.values():
        # One step longer than it lives: a rewritten history leaves its node's outline for that step.
        rows = shared_rows([(node.life.first, node.life.last + 1) for node in alike])
        seats |= {node.id: taken + row for node, row in zip(alike, rows, strict=True)}
        taken += 1 + max(rows)
    return seats


def _columns(nodes: list[GradNode], seats: dict[int, int], places: Layout) -> list[tuple[float, float]]:
    """(left, width) of each layer. The first, where backward begins, stands on the right."""
    widths = [0.0] * places.layers
    for node in nodes:
        layer, _ = places.nodes[seats[node.id]]
        widths[layer] = max(widths[layer], node.width)
    return [(sum(widths[layer + 1 :]) + GAP * (places.layers - 1 - layer), width) for layer, width in enumerate(widths)]


def _middle(point: Point) -> float:
    return round(point[1] * _PITCH + ABOVE + HEIGHT / 2, 1)


def _says(recording: Recording) -> tuple[tuple[int, Text], ...]:
    said, known = [], set[int]()
    for state in recording.states():
        new = ", ".join(node.name for key, node in state.nodes.items() if key not in known)
        known |= state.nodes.keys()
        count = sum(len(node.edges) for node in state.nodes.values())
        told = words.GRAPH_SAYS.format(nodes=len(state.nodes), edges=count, new=new or words.NONE)
        said.append((state.step.index, told))
    return tuple(said)
