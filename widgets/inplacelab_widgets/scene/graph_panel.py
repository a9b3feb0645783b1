"""Draws the graph panel: grad nodes and the edges along which gradients travel, from right to left.

Nodes and edges of all steps are laid out together; each is shown while it exists. A new node or edge is thick and tagged
NEW in its first step. An edge or node that a step removes stays dotted for this step. Which nodes share a box is decided
once for the whole recording, so that nothing moves. Of a graph that is too large even when folded, only the boxes near the node of the step are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import Step
from inplacelab.recording.places import line_of, set_off
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.graph_arrows import (
    GAP,
    Edge,
    Line,
    Link,
    departures,
    edges,
    ghost_marks,
    gradient_marks,
    history_marks,
    link_marks,
    travels,
)
from inplacelab_widgets.scene.graph_boxes import (
    ABOVE,
    BELOW,
    HEIGHT,
    Box,
    Content,
    GradNode,
    box_marks,
    folded,
    grad_nodes,
    in_turn,
)
from inplacelab_widgets.scene.graph_layout import LONGEST, MOST, Fold, Layout, folds, layout
from inplacelab_widgets.scene.names import said_line
from inplacelab_widgets.scene.svg import Group, Look, Mark, Opened, Panel, Runs, between, runs, text
from inplacelab_widgets.scene.text_layout import width_of
from inplacelab_widgets.scene.timeline import Life, shared_rows

MOST_BOXES = 200
"""The most boxes drawn at the same time; of a larger graph only the near ones are drawn."""

RADIUS = 3
"""The greatest distance from the node of the step, in edges."""

Spans = tuple[tuple[int, bool], ...]
"""(step, whether it is visible from then on)."""


@dataclass(frozen=True, slots=True)
class VisibleBoxes:
    """When each box is visible; empty for a graph that is drawn whole."""

    spans: Mapping[Box, Spans]
    notes: tuple[tuple[int, Text], ...] = ()

    def masked(self, marks: Iterable[Mark], *boxes: Box) -> Iterable[Mark]:
        """Returns the marks of a box, or of a link between two, limited to the steps at which all of these are visible."""
        for box in boxes if self.spans else ():
            marks = [_masked(mark, self.spans[box]) for mark in marks]
        return marks


def visible_boxes(
    recording: Recording, boxes: tuple[Box, ...], homes: Mapping[int, Box], links: Mapping[Link, tuple[Edge, ...]]
) -> VisibleBoxes:
    """Returns when each box is visible: always in a graph of up to `MOST` boxes, otherwise near the node of the step."""
    if len(boxes) <= MOST_BOXES:
        return VisibleBoxes({})
    neighbors: dict[Box, list[Box]] = {box: [] for box in boxes}
    for a, b in links:
        neighbors[a].append(b)
        neighbors[b].append(a)
    spans: dict[Box, list[tuple[int, bool]]] = {box: [(0, False)] for box in boxes}
    notes: list[tuple[int, Text]] = []
    seen: set[Box] = set()
    center: Box | None = None
    for step in recording.steps:
        key = node_of(step)
        if key is None or key not in homes or homes[key] is center:
            continue
        center = homes[key]
        now = _around(center, neighbors)
        for box in seen ^ now:
            spans[box].append((step.index, box in now))
        seen = now
        note = words.FAR.format(hidden=len(boxes) - len(now), boxes=len(boxes), radius=RADIUS)
        notes.append((step.index, note))
    return VisibleBoxes({box: tuple(found) for box, found in spans.items()}, tuple(notes[:1] + _changes(notes)))


def _changes(notes: list[tuple[int, Text]]) -> list[tuple[int, Text]]:
    return [after for before, after in pairwise(notes) if before[1] != after[1]]


def node_of(step: Step) -> int | None:
    """Returns the node that a step is about: the one that runs or failed, else the first new one, else the one that it left."""
    if step.backward is not None and step.backward.node is not None:
        return step.backward.node
    if step.error is not None and step.error.node is not None:
        return step.error.node
    moved = [rewired.after for rewired in step.rewired if rewired.after is not None]
    return moved[0] if moved else step.kept


def _around(center: Box, neighbors: Mapping[Box, list[Box]]) -> set[Box]:
    near, edge = {center}, [center]
    for _ in range(RADIUS):
        edge = [other for box in edge for other in neighbors[box] if other not in near]
        near.update(edge)
    return near


def _masked(mark: Mark, spans: Spans) -> Mark:
    steps = sorted({*(step for step, _ in mark.runs), *(step for step, _ in spans)})
    shown, look, kept = False, None, list[tuple[int, Look | None]]()
    looks, sights = dict[int, Look | None](mark.runs), dict(spans)
    for step in steps:
        look, shown = looks.get(step, look), sights.get(step, shown)
        kept.append((step, look if shown else None))
    masked: Runs = runs(kept)
    return mark._replace(runs=masked)


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

    is_folded: bool


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
    arrivals, marks = travels(recording, found), list[Mark]()
    for link, line in plan.lines.items():
        lives = {edge: found[edge] for edge in plan.shown[link]}
        steps = sorted({step for edge in lives for step in arrivals.get(edge, ())})
        marks += near.masked(link_marks(line, lives, steps), *link)
    marks += ghost_marks(recording, found, plan.homes)
    arrows, chips = history_marks(recording, plan.homes)
    marks += arrows
    for box in plan.boxes:
        marks += near.masked(box_marks(box), box)
    marks += [*gradient_marks(recording, plan.homes), *chips]
    group = Group(0, 0, plan.width, plan.height, 0, len(recording) - 1, tuple(marks))
    notes = _notes(recording, nodes, plan, near)
    return Panel("graph", plan.width, plan.height, (group,), _descriptions(recording), notes)


def _notes(recording: Recording, nodes: int, plan: _Plan, near: VisibleBoxes) -> tuple[tuple[int, Text], ...]:
    """Notes on what is folded or cut; and where there is no node, when the graph begins, or that none is left."""
    folded = ((0, words.FOLDED.format(nodes=nodes, boxes=len(plan.boxes))),) if plan.is_folded else ()
    told, alive = dict(near.notes or folded), set[int]()
    begins = next(step for step in recording.steps if step.nodes)
    line = Text("", "")
    if begins.place is not None:
        line = words.BEGINS_AT.format(place=set_off(said_line(recording, begins.place)))
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
    contents = []
    for part in parts:
        nodes = tuple(node for seat in part.members for node in seats[seat])
        contents.append(in_turn(nodes) if len(part.members) == 1 else folded(nodes, part.turn, part.turns))
    seat_of_node = {node.id: k for k, content in enumerate(contents) for node in content.members}
    shown: dict[tuple[int, int], list[Edge]] = {}
    for a, b in found:
        if seat_of_node[a] != seat_of_node[b]:
            shown.setdefault((seat_of_node[a], seat_of_node[b]), []).append((a, b))
    places = layout(len(contents), shown)
    columns = _columns(contents, places)
    # From top to bottom. An edge that passes over all boxes needs less room than a box.
    bends = [round(row * _PITCH + ABOVE + HEIGHT / 2, 1) for points in places.edges.values() for _, row in points[1:-1]]
    tops = [row * _PITCH for _, row in places.nodes]
    top = min([*tops, *(y - _EDGE_AIR for y in bends)])
    bottom = max([*(each + _PITCH for each in tops), *(y + _EDGE_AIR for y in bends)])
    boxes = []
    for content, (layer, row) in zip(contents, places.nodes, strict=True):
        left, width = columns[layer]
        y = round(row * _PITCH + ABOVE + HEIGHT / 2 - top, 1) - HEIGHT / 2
        boxes.append(Box(content, round(left + (width - content.width) / 2, 1), y))
    links = {(a, b): (boxes[a], boxes[b]) for a, b in shown}
    leaving = departures(links.values())
    lines: dict[Link, Line] = {}
    for seats_of_link, link in links.items():
        passed = [
            (x, round(row * _PITCH + ABOVE + HEIGHT / 2 - top, 1))
            for layer, row in places.edges.get(seats_of_link, ())[1:-1]
            for x in (sum(columns[layer]), columns[layer][0])
        ]
        lines[link] = [(link[0].x, leaving[link]), *passed, (link[1].right + 7, link[1].middle)]
    width = round(max(left + width for left, width in columns), 1)
    homes = {node: boxes[seat] for node, seat in seat_of_node.items()}
    carried = {link: tuple(shown[key]) for key, link in links.items()}
    is_folded = any(content.is_folded for content in contents)
    return _Plan(tuple(boxes), homes, lines, carried, width, round(bottom - top, 1), is_folded)


def _parts(seats: list[list[GradNode]], found: Iterable[Edge], longest: int | None) -> list[Fold]:
    """Which seats share a box; `longest` as in `folds`."""
    seat_of = {node.id: k for k, seat in enumerate(seats) for node in seat}
    between_seats = sorted({(seat_of[a], seat_of[b]) for a, b in found})
    labels = [(seat[0].kind, line_of(seat[0].place)) for seat in seats]
    return folds(labels, between_seats, {k for k, seat in enumerate(seats) if seat[0].is_leaf}, longest=longest)


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
