"""Draws the graph panel: grad nodes and the edges along which gradients travel, from right to left.

Nodes and edges of all steps are laid out together; each is shown while it exists. A new node or edge is thick and tagged
NEW in its first step. An edge or node that a step removes stays dotted for this step. Which nodes share a box is decided
once for the whole recording, so that nothing moves.

A graph fits its pane, from the loss on the right to the leaves: a small one is drawn node by node; in a larger one each box
has what a module, a function or a line made, and opens into smaller boxes, down to the nodes. A layer that has no room on
the left begins a new row of layers below. There are layouts for panes of several widths; a player shows the widest that fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple

from inplacelab.language import Text, enumerated
from inplacelab.place import Place
from inplacelab.recording.places import bare_name, line_of, set_off
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.graph_arrows import (
    GAP,
    TURN,
    Edge,
    Line,
    Link,
    departures,
    edges,
    ghost_marks,
    gradient_marks,
    history_marks,
    link_marks,
    removed,
    travels,
)
from inplacelab_widgets.scene.graph_boxes import (
    ABOVE,
    BELOW,
    FOLDED,
    HEIGHT,
    Box,
    Content,
    GradNode,
    box_marks,
    counted,
    folded,
    grad_nodes,
    headed,
    in_turn,
)
from inplacelab_widgets.scene.graph_layout import (
    Fold,
    Layout,
    Path,
    connected,
    fitting,
    folds,
    gathered,
    layout,
    shared,
    with_leaves,
)
from inplacelab_widgets.scene.names import said_line
from inplacelab_widgets.scene.svg import Group, Look, Mark, Opened, Panel, between, text
from inplacelab_widgets.scene.text_layout import width_of
from inplacelab_widgets.scene.timeline import shared_rows

PANES = ((1230.0, 300.0), (880.0, 205.0), (564.0, 150.0))
"""The widths and heights of panes: of a whole page, beside the versions on a large screen, and there on a laptop or in a notebook."""
_HIGHEST = 205.0
_HIGHEST_OF_FEW = 270.0
"""The most height at which a graph is drawn node by node in a narrow pane, which is then a little higher; and of a few nodes, since small programs
leave more room.
"""
_FEW = 12
_MOST_NODES = 60
"""The most nodes of which each is tried to have a box of its own."""
_WIDEST_INSIDE = 240.0
"""The most width of a node in an opened box: two are side by side."""
_MOST_LINKED = 4
"""A box beside an opened one is drawn if it is linked to so many of the boxes in it."""
_MOST_INSIDE = 24
"""So many nodes in a box are shown one by one when it opens."""


_EDGE_AIR = 8.0
"""The space above and below an edge, in px."""


class _Spacing(NamedTuple):
    """The space above and below boxes, and between layers."""

    above: float
    below: float
    gap: float

    @property
    def pitch(self) -> float:
        """From the top of one box to that of the next."""
        return self.above + HEIGHT + self.below

    def middle(self, row: float) -> float:
        """The middle of a box in a row."""
        return row * self.pitch + self.above + HEIGHT / 2


_MARGINS = TURN, TURN + 7
"""Left and right of several rows: there the arrows turn."""
_WIDE, _CLOSE = _Spacing(ABOVE, BELOW, GAP), _Spacing(11.5, 2.5, 18.0)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The layout: the boxes, the box of each node, and the path of each link with the edges that it shows."""

    boxes: tuple[Box, ...]
    homes: Mapping[int, Box]
    lines: Mapping[Link, Line]
    shown: Mapping[Link, tuple[Edge, ...]]
    width: float
    height: float
    spacing: _Spacing
    outside: frozenset[Box]
    """Boxes that are only beside what is shown."""


def graph_panel(recording: Recording, events: Recording | None = None, whole: Recording | None = None) -> Panel:
    """Returns the graph panel of a recording.

    Args:
        recording: the recording.
        events: the recording whose statements are its steps, if they are. Then the layout is that of the events.
        whole: the recording of which it is a part, if it is. Its events are not shown: they only tell which module made a node.
    """
    laid_out = recording if events is None or whole is not None else events
    nodes, last = grad_nodes(laid_out), len(recording) - 1
    if not nodes:
        note = text(0, 16, between(0, last, Look("text soft", words.NO_GRAPH)))
        group = Group(0, 0, width_of(words.NO_GRAPH), 24, 0, last, (note,))
        return Panel("graph", group.width, 24, (group,), _descriptions(recording))
    return _Graph(recording, nodes, laid_out, whole or laid_out).panel()


class _Graph:
    """A graph in boxes, for all widths, and all that the boxes open into.

    Args:
        recording: what is shown.
        nodes: the nodes of `laid_out`.
        laid_out: what the layout has room for: the recording, or its events.
        made: the events that made the nodes.
    """

    def __init__(self, recording: Recording, nodes: list[GradNode], laid_out: Recording, made: Recording) -> None:
        self.recording, self.seats, self.edges = recording, _seats(nodes), edges(laid_out)
        self.lives = self.edges if laid_out is recording else edges(recording)
        """The edges of `recording`, which are shown."""
        self.shown = None if laid_out is recording else {node.id: node.life for node in grad_nodes(recording)}
        """The nodes that are left at the end of a statement, as they are shown; None if all are."""
        seat_of = {node.id: k for k, seat in enumerate(self.seats) for node in seat}
        self.links: dict[Edge, list[Edge]] = {}  # from seat to seat, with the edges between their nodes
        for a, b in self.edges:
            self.links.setdefault((seat_of[a], seat_of[b]), []).append((a, b))
        self.travels, self.removed = travels(recording, self.lives), removed(recording, self.lives)
        modules = {k: _module(seat[0]) for k, seat in enumerate(self.seats) if seat[0].is_leaf}
        self.leaves = {k: modules[k] or "" for k in modules}
        self.paths = _paths(self.seats, self.links, modules, _made_at(made))
        self.contents: dict[tuple[tuple[int, ...], bool, bool], Content] = {}
        self.opens: list[tuple[Fold, int | None, Sequence[Fold]]] = []
        """What boxes open into, what that is in, and all boxes there."""
        self.numbers: dict[tuple[int, ...], int] = {}

    def panel(self) -> Panel:
        """Returns the panel, laid out for all widths."""
        twins = self._twins()
        alike = {twin for some in twins.values() for twin in some}
        found = folds(self.paths, [seat[0].kind for seat in self.seats], {*self.leaves, *alike})
        parts = [_with_twins(part, twins) for part in found]
        plans: list[_Plan] = []
        for width, height in PANES:
            plan = self._whole(width, height) or (
                None if width == PANES[0][0] else self._overview(parts, width, height)
            )
            if plan is not None and (not plans or plan.width < plans[-1].width):
                plans.append(plan)
        opened, at = [], 0
        while at < len(self.opens):
            fold, within, _ = self.opens[at]
            count = sum(len(self.seats[seat]) for seat in fold.members)
            title = words.INSIDE.format(name=self._title(fold), nodes=counted(count))
            opened.append(Opened(title, within, self._panel(self._opened(at), ((0, title),))))
            at += 1
        says = _descriptions(self.recording)
        widest, *narrower = (self._panel(plan, says) for plan in plans)
        return replace(widest, notes=_notes(self.recording), narrower=tuple(narrower), opens=tuple(opened))

    def _panel(self, plan: _Plan, says: tuple[tuple[int, Text], ...]) -> Panel:
        recording, marks = self.recording, list[Mark]()
        inner = {edge: life for edge, life in self.lives.items() if edge[0] in plan.homes and edge[1] in plan.homes}
        for link, line in plan.lines.items():
            lives = {edge: inner[edge] for edge in plan.shown[link] if edge in inner}
            steps = sorted({step for edge in lives for step in self.travels.get(edge, ())})
            is_labeled = plan.spacing is _WIDE and all(before != after for (before, _), (after, _) in pairwise(line))
            marks += link_marks(line, lives, steps, GAP - 14 if is_labeled else 0)
        marks += ghost_marks(self.removed, plan.homes)
        arrows, chips = history_marks(recording, plan.homes)
        marks += arrows
        for box in plan.boxes:
            marks += box_marks(box, is_outside=box in plan.outside)
        marks += [*gradient_marks(recording, plan.homes), *chips]
        group = Group(0, 0, plan.width, plan.height, 0, len(recording) - 1, tuple(marks))
        return Panel("graph", plan.width, plan.height, (group,), says)

    # --- which boxes ----------------------------------------------------------------------------------------------------

    def _twins(self) -> dict[int, list[int]]:
        """The seats of graphs that a loop makes again while the one before is still held: they share the boxes of the first such graph."""
        graphs: dict[tuple[object, ...], list[list[int]]] = {}
        inner = {edge for edge in self.links if self.leaves.keys().isdisjoint(edge)}
        for graph in connected((seat for seat in range(len(self.seats)) if seat not in self.leaves), inner):
            sign = tuple((self.paths[seat], self.seats[seat][0].kind) for seat in graph)
            graphs.setdefault(sign, []).append(graph)
        return {
            seat: list(twins) for one, *others in graphs.values() for seat, *twins in zip(one, *others, strict=True)
        }

    def _whole(self, width: float, height: float) -> _Plan | None:
        """The graph node by node, if it fits."""
        if len(self.seats) > _MOST_NODES:
            return None
        parts = [Fold((seat,)) for seat in range(len(self.seats))]
        plan = self._plan(parts, width, _WIDE, None)
        most = max(height, _HIGHEST_OF_FEW if len(parts) <= _FEW else _HIGHEST)
        return plan if plan.width <= width and plan.height <= most else None

    def _overview(self, parts: Sequence[Fold], width: float, height: float) -> _Plan:
        """The graph in as many boxes as fit."""
        ways = []
        most = int((width - sum(_MARGINS) + _CLOSE.gap) / (FOLDED + _CLOSE.gap)) * int(height / _CLOSE.pitch + 0.1)
        for is_hosted in (False, True):

            def hosts(some: Sequence[Fold], is_hosted: bool = is_hosted) -> list[Fold]:
                return with_leaves(some, self.links, self.leaves, is_hosted=is_hosted)

            def fits(some: list[Fold]) -> bool:
                housed = hosts(some)
                if len(housed) > most:
                    return False
                places = layout(len(housed), self._between(housed))
                found = _arranged(places, [FOLDED] * len(housed), width, _CLOSE)
                return found.width <= width and found.height <= height

            found = fitting(parts, fits)
            ways.append((len(found), hosts(found)))
        (many, apart), (most, hosted) = ways
        # Leaves of several boxes have their own, unless those took the room that shows how the graph goes on.
        return self._plan(hosted if most > many + 1 else apart, width, _CLOSE, None)

    def _opened(self, number: int) -> _Plan:
        """What a box opens into, with the boxes beside it that its nodes are linked to."""
        fold, _, beside = self.opens[number]
        inside = {*fold.members}
        leaves = {leaf: self.leaves[leaf] for leaf in fold.members if leaf in self.leaves}
        if len(inside) <= _MOST_INSIDE:
            parts = [Fold((seat,)) for seat in fold.members]
        else:
            parts = with_leaves([_without(part, leaves) for part in gathered(fold.inside)], self.links, leaves)
        home = {seat: k for k, part in enumerate(parts) for seat in part.members}
        near: dict[int, set[int]] = {}  # from a seat beside them to the boxes that it is linked to
        for a, b in self.links:
            if (a in home) != (b in home):
                near.setdefault(b if a in home else a, set()).add(home[a if a in home else b])
        context = []
        for part in beside:
            linked = set[int]().union(*(near[seat] for seat in part.members if seat in near))
            # What every turn of a loop is linked to would only cross everything.
            if part.members != fold.members and 0 < len(linked) <= _MOST_LINKED:
                context.append(part)
        spacing = _WIDE if len(inside) <= _MOST_INSIDE else _CLOSE
        return self._plan([*parts, *context], PANES[-1][0], spacing, number, len(parts))

    def _content(self, fold: Fold, within: int | None, *, is_close: bool) -> Content:
        """What is in a box; of a single node all that is known of it, if there is room."""
        is_folded = is_close or len(fold.members) > 1
        key = fold.members, is_folded, within is None
        if key not in self.contents:
            nodes = tuple(node for seat in fold.members for node in self.seats[seat])
            self.contents[key] = self._filled(
                fold, nodes, inf if within is None else _WIDEST_INSIDE, is_folded=is_folded
            )
        return self.contents[key]

    def _filled(self, fold: Fold, nodes: tuple[GradNode, ...], most: float, *, is_folded: bool) -> Content:
        shown = nodes
        if self.shown is not None:
            shown = tuple(replace(node, life=self.shown[node.id]) for node in nodes if node.id in self.shown)
        if not is_folded:
            return in_turn(nodes, shown, most)
        return folded(nodes, shown, self._name(fold), _turn(fold), f"box:{self.numbers[fold.members]}")

    def _name(self, fold: Fold) -> str:
        """The module or the function that made the nodes of a box; "" if it has no name."""
        if not isinstance(fold.label, str):
            return ""
        first, last = (fold.inside[0].label, fold.inside[-1].label) if fold.is_repeated else (fold.label, fold.label)
        numbers = [re.findall(r"\d+", str(each)) for each in (first, last)]
        differs = [k for k, (one, other) in enumerate(zip(*numbers, strict=False)) if one != other]
        if len(differs) != 1:
            return fold.label
        parts = re.split(r"(\d+)", fold.label)
        parts[2 * differs[0] + 1] = f"{numbers[0][differs[0]]}–{numbers[1][differs[0]]}"
        return "".join(parts)

    def _title(self, fold: Fold) -> Text:
        nodes = [node for seat in fold.members for node in self.seats[seat]]
        return headed(nodes, self._name(fold), _turn(fold))

    # --- the layout -----------------------------------------------------------------------------------------------------

    def _between(self, parts: Sequence[Fold]) -> dict[Edge, list[Edge]]:
        """The edges between boxes, with those between their nodes."""
        home = {seat: k for k, part in enumerate(parts) for seat in part.members}
        found: dict[Edge, list[Edge]] = {}
        for (a, b), carried in self.links.items():
            if a in home and b in home and home[a] != home[b]:
                found.setdefault((home[a], home[b]), []).extend(carried)
        return found

    def _plan(
        self, parts: Sequence[Fold], width: float, spacing: _Spacing, within: int | None, count: int | None = None
    ) -> _Plan:
        """Places boxes; `within`: what they are in, of which all but the first `count` are only beside it."""
        is_close = spacing is _CLOSE
        for part in parts:
            if (is_close or len(part.members) > 1) and part.members not in self.numbers:
                self.numbers[part.members] = len(self.opens)
                self.opens.append((part, within, parts))
        contents = [self._content(part, within, is_close=is_close) for part in parts]
        shown = self._between(parts)
        places = layout(len(parts), shown)
        found = _arranged(places, [content.width for content in contents], width, spacing)
        boxes = [
            Box(content, round(left + (wide - content.width) / 2, 1), found.y(layer, row) - HEIGHT / 2)
            for content, (layer, row) in zip(contents, places.nodes, strict=True)
            for left, wide in [found.columns[layer]]
        ]
        links = {(a, b): (boxes[a], boxes[b]) for a, b in shown}
        leaving = departures(links.values())
        lines = {}
        for ends, link in links.items():
            chain = places.edges.get(ends) or (places.nodes[ends[0]], places.nodes[ends[1]])
            lines[link] = _line(link, leaving[link], chain, found)
        homes = {node.id: box for box in boxes for node in box.content.members}
        carried = {link: tuple(shown[ends]) for ends, link in links.items()}
        outside = frozenset(boxes[len(parts) if count is None else count :])
        return _Plan(tuple(boxes), homes, lines, carried, found.width, found.height, spacing, outside)


def _with_twins(part: Fold, twins: Mapping[int, list[int]]) -> Fold:
    members = tuple(each for seat in part.members for each in (seat, *twins.get(seat, ())))
    return replace(part, members=members, inside=tuple(_with_twins(each, twins) for each in part.inside))


def _without(part: Fold, leaves: Mapping[int, object]) -> Fold:
    return replace(part, members=tuple(seat for seat in part.members if seat not in leaves))


def _turn(fold: Fold) -> str:
    """Which repetitions a box has, or how many share it."""
    if fold.turn is None:
        first, last = (fold.inside[0].turn, fold.inside[-1].turn) if fold.inside else (None, None)
        if first is None or last is None or first != 1 or last != fold.turns:
            return f"{first}–{last}/{fold.turns}" if first is not None else f"×{fold.turns}" if fold.turns > 1 else ""
        return f"×{fold.turns}"
    return "" if isinstance(fold.label, str) else f"{fold.turn}/{fold.turns}"


@dataclass(frozen=True, slots=True)
class _Arranged:
    """Layers in rows: (left, width) and the row of each layer, what is added to the heights in a row, and its lower edge."""

    columns: tuple[tuple[float, float], ...]
    row_of: tuple[int, ...]
    shifts: tuple[float, ...]
    edges: tuple[float, ...]
    width: float
    height: float
    spacing: _Spacing

    def y(self, layer: int, row: float) -> float:
        """The middle of a box or a bend."""
        return round(self.spacing.middle(row) + self.shifts[self.row_of[layer]], 1)


def _arranged(places: Layout, widths: Sequence[float], room: float, spacing: _Spacing) -> _Arranged:
    """The first layer, where backward begins, is on the right; where there is no more room on the left, a new row begins."""
    wide = [0.0] * places.layers
    for width, (layer, _) in zip(widths, places.nodes, strict=True):
        wide[layer] = max(wide[layer], width)
    is_one_row = sum(wide) + spacing.gap * (places.layers - 1) <= room
    margins = (0.0, 0.0) if is_one_row and spacing is _WIDE else _MARGINS
    rows = _rows(wide, room - sum(margins), spacing.gap)
    width = max(sum(wide[layer] for layer in row) + spacing.gap * (len(row) - 1) for row in rows) + sum(margins)
    columns, row_of = [(0.0, 0.0)] * places.layers, [0] * places.layers
    for number, row in enumerate(rows):
        right = width - margins[1]
        for layer in row:
            columns[layer], row_of[layer] = (right - wide[layer], wide[layer]), number
            right -= wide[layer] + spacing.gap
    shifts, edges, height = [], [], 0.0
    for top, bottom in _spans(places, row_of, spacing):
        shifts.append(height - top)
        height += bottom - top
        edges.append(round(height, 1))
    return _Arranged(
        tuple(columns), tuple(row_of), tuple(shifts), tuple(edges), round(width, 1), round(height, 1), spacing
    )


def _rows(widths: Sequence[float], room: float, gap: float) -> list[list[int]]:
    """The layers in rows."""
    rows: list[list[int]] = [[]]
    for layer, width in enumerate(widths):
        if rows[-1] and sum(widths[each] + gap for each in rows[-1]) + width > room:
            rows.append([])
        rows[-1].append(layer)
    return rows


def _spans(places: Layout, row_of: Sequence[int], spacing: _Spacing) -> list[tuple[float, float]]:
    """The upper and the lower edge of each row. An edge that passes over all boxes needs less room than a box."""
    spans: list[list[tuple[float, float]]] = [[] for _ in range(row_of[-1] + 1)]
    for layer, y in places.nodes:
        spans[row_of[layer]].append((y * spacing.pitch, (y + 1) * spacing.pitch))
    for chain in places.edges.values():
        for layer, y in chain[1:-1]:
            spans[row_of[layer]].append((spacing.middle(y) - _EDGE_AIR, spacing.middle(y) + _EDGE_AIR))
    return [(min(top for top, _ in some), max(bottom for _, bottom in some)) for some in spans]


def _line(link: Link, leaves_at: float, chain: Sequence[tuple[int, float]], found: _Arranged) -> Line:
    """The points that a link passes through."""
    line: list[tuple[float, float]] = [(link[0].x, leaves_at)]
    for k, ((before, _), (layer, row)) in enumerate(pairwise(chain)):
        left, wide = found.columns[layer]
        is_last = k == len(chain) - 2
        y = link[1].middle if is_last else found.y(layer, row)
        if found.row_of[before] < found.row_of[layer] or layer <= before:  # to the next row, or to the next turn
            edge = found.edges[found.row_of[before]]
            end = found.width - TURN if layer > before else link[1].right + 7
            line += [(line[-1][0], edge), (end, edge), (end, y)]
        line += [(link[1].right + 7, y)] if is_last else [(left + wide, y), (left, y)]
    return line


# --- what made the nodes ----------------------------------------------------------------------------------------------


def _module(leaf: GradNode) -> str:
    """What a parameter belongs to: "net.0" for "net.0.weight"; "" if its name does not say."""
    names = [bare_name(name) for name in leaf.leaf]
    found = (re.fullmatch(r"(.+?)(?:\.\w+|\[[^\[\]]*\])", name) for name in names if not name.startswith("self."))
    return next((each[1] for each in found if each), "")


def _made_at(recording: Recording) -> dict[int, int]:
    """The step that made each node."""
    return {key: step.index for step in reversed(recording.steps) for key, node in step.nodes if node is not None}


def _paths(
    seats: Sequence[Sequence[GradNode]], links: Iterable[Edge], modules: Mapping[int, str], made_at: Mapping[int, int]
) -> list[Path]:
    """What made each seat's nodes, outermost first: the modules and functions that ran, the module of its parameters, and the line."""
    feeds: dict[
        int, set[str]
    ] = {}  # from the step that made a node to the modules of parameters that lead to nodes of that step
    for a, b in links:
        if modules.get(b):
            feeds.setdefault(made_at[seats[a][0].id], set()).add(modules[b])
    calls = [_calls(seat[0].place) for seat in seats]
    made: list[str] = ["" for _ in seats]
    for k, seat in enumerate(seats):
        owners = feeds.get(made_at[seat[0].id], set())
        if k not in modules and len(owners) == 1:
            made[k] = next(iter(owners))
    found: list[Path] = [() for _ in seats]
    inner = [k for k in range(len(seats)) if k not in modules]
    for _, some in groupby(inner, key=lambda k: (calls[k], line_of(seats[k][0].place))):
        run = [*some]
        known = [k for k in run if made[k]]
        for k in run:
            before, after = [j for j in known if j <= k][-1:], [j for j in known if j >= k][:1]
            modules_around = [_prefixes(made[j], calls[k]) for j in (*before, *after)]
            common = modules_around[0][: shared(modules_around)] if len(modules_around) > 1 else ()
            found[k] = (*calls[k], *common, line_of(seats[k][0].place))
    return found


def _calls(place: Place | None) -> tuple[str, ...]:
    """The modules whose methods ran, by name, and the functions."""
    labels = [call.owner or (f"{call.function}()" if call.function else "") for call in (place.calls if place else ())]
    return tuple(label for label, _ in groupby(reversed(labels)) if label)


def _prefixes(module: str, calls: Sequence[str]) -> tuple[str, ...]:
    """The module with those that it is a part of, without those that are known to have run."""
    ends = [*(found.start() for found in re.finditer(r"[.\[]", module)), len(module)]
    owner = next((label for label in reversed(calls) if not label.endswith(")")), "")
    return tuple(module[:end] for end in ends if not owner or (module[:end].startswith(owner) and end > len(owner)))


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


# --- in words -----------------------------------------------------------------------------------------------------------


def _notes(recording: Recording) -> tuple[tuple[int, Text], ...]:
    """Where there is no node, when the graph begins, or that none is left."""
    begins = next((step for step in recording.steps if step.nodes), None)
    line = Text("", "")
    if begins is None:  # each statement has freed the nodes that it made
        return ((0, words.NO_NODE_STAYS),)
    if begins.place is not None:
        line = words.BEGINS_AT.format(place=set_off(said_line(recording, begins.place)))
    without, now, alive = words.NO_NODE_YET + line, Text("", ""), set[int]()
    found: list[tuple[int, Text]] = []
    for step in recording.steps:
        gone = {key for key, facts in step.nodes if facts is None}
        alive = (alive | {key for key, _ in step.nodes}) - gone
        if now != (now := Text("", "") if alive else without):
            found.append((step.index, now))
        if alive:
            without = words.NO_NODE_LEFT
    return tuple(found)


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
