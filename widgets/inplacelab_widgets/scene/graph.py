"""Draws the graph panel: grad nodes and the edges along which gradients travel, from right to left.

Nodes and edges of all steps are laid out together; each is shown while it exists. A new node or edge is thick and tagged
NEW in its first step. An edge or node that a step removes stays dotted for this step. Which nodes share a box is decided
once for the whole recording, so that nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inplacelab.language import Text, enumerated
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.folding import LONGEST, MOST, Fold, folds
from inplacelab_widgets.scene.graph_boxes import ABOVE, BELOW, HEIGHT, Box, Content, box_marks, folded, in_turn
from inplacelab_widgets.scene.graph_edges import (
    GAP,
    Edge,
    Line,
    Link,
    departures,
    edges,
    ghost_marks,
    link_marks,
    travels,
)
from inplacelab_widgets.scene.graph_history import gradient_marks, history_marks
from inplacelab_widgets.scene.graph_nodes import GradNode, grad_nodes
from inplacelab_widgets.scene.graph_sight import VisibleBoxes, visible_boxes
from inplacelab_widgets.scene.layered import Layout, Point, layout
from inplacelab_widgets.scene.marks import Group, Look, Mark, Opened, Panel, between, text
from inplacelab_widgets.scene.measure import width_of
from inplacelab_widgets.scene.timeline import Life, shared_rows

_PITCH = ABOVE + HEIGHT + BELOW
_EDGE_AIR = 8.0
"""The space above and below an edge, in px."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The layout: the boxes, the box of each node, and the path of each link with the edges that it shows."""

    boxes: tuple[Box, ...]
    homes: Mapping[int, Box]
    lines: Mapping[Link, Line]
    shown: Mapping[Link, tuple[Edge, ...]]
    width: float
    height: float

    @property
    def is_folded(self) -> bool:
        return any(box.content.is_folded for box in self.boxes)


def graph_panel(recording: Recording) -> Panel:
    """Returns the graph panel of a recording."""
    nodes, last = grad_nodes(recording), len(recording) - 1
    if not nodes:
        note = text(0, 16, between(0, last, Look("text soft", words.NO_GRAPH)))
        group = Group(0, 0, width_of(words.NO_GRAPH), 24, 0, last, (note,))
        return Panel("graph", group.width, 24, (group,), _descriptions(recording))
    found = edges(recording)
    seats = _seats(nodes)
    parts = _parts(seats, found, LONGEST)
    plan = _plan(seats, found, parts)
    drawn = _drawn(recording, len(nodes), plan, found)
    if not plan.is_folded:
        return drawn
    more = _parts(seats, found, None)
    if not len(parts) < len(more) <= MOST:
        return drawn
    opened = _plan(seats, found, more)
    says = words.EACH_TURN if opened.is_folded else words.EACH_NODE
    return replace(drawn, opened=Opened(says, _drawn(recording, len(nodes), opened, found)))


def _drawn(recording: Recording, nodes: int, plan: _Plan, found: Mapping[Edge, Life[str]]) -> Panel:
    near = visible_boxes(recording, plan.boxes, plan.homes, plan.shown)
    marks = tuple(_marks(recording, plan, found, near))
    group = Group(0, 0, plan.width, plan.height, 0, len(recording) - 1, marks)
    return Panel(
        "graph", plan.width, plan.height, (group,), _descriptions(recording), _notes(recording, nodes, plan, near)
    )


def _marks(recording: Recording, plan: _Plan, found: Mapping[Edge, Life[str]], near: VisibleBoxes) -> Iterable[Mark]:
    arrivals = travels(recording, found)
    for link, line in plan.lines.items():
        lives = {edge: found[edge] for edge in plan.shown[link]}
        steps = sorted({step for edge in lives for step in arrivals.get(edge, ())})
        yield from near.of_link(link, link_marks(line, lives, steps))
    yield from ghost_marks(recording, found, plan.homes)
    arrows, chips = history_marks(recording, plan.homes)
    yield from arrows
    for box in plan.boxes:
        yield from near.of_box(box, box_marks(box))
    yield from gradient_marks(recording, plan.homes)
    yield from chips


def _notes(recording: Recording, nodes: int, plan: _Plan, near: VisibleBoxes) -> tuple[tuple[int, Text], ...]:
    """Notes on what is folded or cut; and where there is no node, when the graph begins, or that none is left."""
    folded = ((0, words.FOLDED.format(nodes=nodes, boxes=len(plan.boxes))),) if plan.is_folded else ()
    told, alive = dict(near.notes or folded), set[int]()
    begins = next(step for step in recording.steps if step.nodes)
    line = words.BEGINS_AT.format(line=begins.line) if begins.line is not None else Text("", "")
    without, note, now = words.NO_NODE_YET + line, Text("", ""), Text("", "")
    found: list[tuple[int, Text]] = []
    for step in recording.steps:
        gone = {key for key, facts in step.nodes if facts is None}
        alive = (alive | {key for key, _ in step.nodes}) - gone
        note = told.get(step.index, note)
        if now != (now := note if alive else without):
            found.append((step.index, now))
        if alive:
            without = words.NO_NODE_LEFT
    return tuple(found)


# --- the layout -----------------------------------------------------------------------------------------------------


def _plan(seats: list[list[GradNode]], found: Mapping[Edge, Life[str]], parts: Sequence[Fold]) -> _Plan:
    contents = [_content(part, seats) for part in parts]
    seat_of_node = {node.id: k for k, content in enumerate(contents) for node in content.members}
    shown: dict[tuple[int, int], list[Edge]] = {}
    for a, b in found:
        if seat_of_node[a] != seat_of_node[b]:
            shown.setdefault((seat_of_node[a], seat_of_node[b]), []).append((a, b))
    places = layout(len(contents), shown)
    columns = _columns(contents, places)
    top, bottom = _reach(places)
    boxes = []
    for content, point in zip(contents, places.nodes, strict=True):
        left, width = columns[point[0]]
        boxes.append(Box(content, round(left + (width - content.width) / 2, 1), _middle(point, top) - HEIGHT / 2))
    links = {(a, b): (boxes[a], boxes[b]) for a, b in shown}
    leaving = departures(links.values())
    lines: dict[Link, Line] = {}
    for seats_of_link, link in links.items():
        points = places.edges.get(seats_of_link, ())
        bends = [
            (x, _middle(point, top)) for point in points[1:-1] for x in (sum(columns[point[0]]), columns[point[0]][0])
        ]
        lines[link] = [(link[0].x, leaving[link]), *bends, (link[1].right + 7, link[1].middle)]
    width = round(max(left + width for left, width in columns), 1)
    homes = {node: boxes[seat] for node, seat in seat_of_node.items()}
    carried = {link: tuple(shown[key]) for key, link in links.items()}
    return _Plan(tuple(boxes), homes, lines, carried, width, round(bottom - top, 1))


def _parts(seats: list[list[GradNode]], found: Iterable[Edge], longest: int | None) -> list[Fold]:
    """Which seats share a box; `longest` as in `folds`."""
    seat_of = {node.id: k for k, seat in enumerate(seats) for node in seat}
    between_seats = sorted({(seat_of[a], seat_of[b]) for a, b in found})
    labels = [(seat[0].kind, seat[0].line) for seat in seats]
    return folds(labels, between_seats, {k for k, seat in enumerate(seats) if seat[0].is_leaf}, longest=longest)


def _content(part: Fold, seats: list[list[GradNode]]) -> Content:
    if len(part.members) == 1:
        return in_turn(tuple(seats[part.members[0]]))
    return folded(tuple(node for seat in part.members for node in seats[seat]), part.turn, part.turns)


def _seats(nodes: list[GradNode]) -> list[list[GradNode]]:
    """Nodes of one kind and line that never live at the same time share a seat, so a loop needs the room of one."""
    kinds: dict[tuple[str, object, bool], list[GradNode]] = {}
    for node in nodes:
        kinds.setdefault((node.kind, node.life.moments[0][1].origin, node.is_leaf), []).append(node)
    seats: dict[int, list[GradNode]] = {}
    for alike in kinds.values():
        # One step longer than its life: after a rewrite the outline of the old node stays for that step.
        rows = shared_rows([(node.life.first, node.life.last + 1) for node in alike])
        first: dict[int, int] = {}
        for node, row in zip(alike, rows, strict=True):
            seats.setdefault(first.setdefault(row, node.id), []).append(node)
    return [seats[key] for key in sorted(seats)]


def _columns(contents: list[Content], places: Layout) -> list[tuple[float, float]]:
    """(left, width) of each layer. The first, where backward begins, is on the right."""
    widths = [0.0] * places.layers
    for content, (layer, _) in zip(contents, places.nodes, strict=True):
        widths[layer] = max(widths[layer], content.width)
    lefts, left = [0.0] * places.layers, 0.0
    for layer in reversed(range(places.layers)):
        lefts[layer] = left
        left += widths[layer] + GAP
    return list(zip(lefts, widths, strict=True))


def _reach(places: Layout) -> tuple[float, float]:
    """The top and the bottom of the layout. An edge that passes over all boxes needs less room than a box."""
    bends = [_middle(point, 0) for points in places.edges.values() for point in points[1:-1]]
    tops = [row * _PITCH for _, row in places.nodes]
    return (
        min([*tops, *(y - _EDGE_AIR for y in bends)]),
        max([*(top + _PITCH for top in tops), *(y + _EDGE_AIR for y in bends)]),
    )


def _middle(point: Point, top: float) -> float:
    return round(point[1] * _PITCH + ABOVE + HEIGHT / 2 - top, 1)


# --- in words -----------------------------------------------------------------------------------------------------------


def _descriptions(recording: Recording) -> tuple[tuple[int, Text], ...]:
    descriptions, known, live, count = [], set[int](), dict[int, int](), 0
    for step in recording.steps:
        names = [node.name for key, node in step.nodes if node is not None and key not in known]
        for key, node in step.nodes:
            known.add(key)
            count -= live.pop(key, 0)
            if node is not None:
                live[key] = len(node.edges)
                count += live[key]
        description = words.GRAPH_SAYS.format(
            nodes=len(live), edges=count, new=enumerated(names) if names else words.NONE
        )
        descriptions.append((step.index, description))
    return tuple(descriptions)
