"""Draws what connects and surrounds the boxes of the graph: the edges along which gradients travel, dotted outlines of what a step removed, above
each box the tensors that its nodes made, and below it the gradient that arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from inplacelab.recording.facts import NodeFacts, Step
from inplacelab.recording.naming import edge_names
from inplacelab.recording.recording import Called, Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.graph_boxes import HEIGHT, Box
from inplacelab_widgets.scene.names import passed_name
from inplacelab_widgets.scene.svg import Look, Mark, path, rect, runs, text
from inplacelab_widgets.scene.text_layout import SMALL, Words, coordinate, numbers, shortened, width_of
from inplacelab_widgets.scene.timeline import Life, followed, gatherings, once_for_each

GAP = 46.0
"""The space between one layer of boxes and the next, for the arrows, in px."""

TURN = 14.0
"""How far an arrow to the next row of layers swings out on both sides, in px."""

Edge = tuple[int, int]
"""(from node, to node): the direction in which a gradient travels."""

Link = tuple[Box, Box]
"""The boxes at both ends of one or more edges."""

_STROKES = (Look("edge"), Look("edge fresh"))
_TIPS = (Look("tip"), Look("fresh-tip"))
"""The widths of an edge at rest, and of one that is new or carries a gradient."""

Line = Sequence[tuple[float, float]]
"""The points that a link passes through."""


def edges(recording: Recording) -> dict[Edge, Life[str]]:
    """Returns all edges, each with the program's name for the value whose gradient it carries, if it has one. An edge exists while
    both its nodes do.
    """
    return followed(_edge_changes(recording), len(recording) - 1)


def _edge_changes(recording: Recording) -> Iterator[tuple[int, Edge, str | None]]:
    live: dict[int, NodeFacts] = {}
    feeders: dict[int, set[int]] = {}
    names = edge_names(recording)
    awaiting: dict[Edge, None] = {}
    for state in recording.states():
        step = state.step
        touched, awaiting = awaiting, {}
        for key, node in step.nodes:
            for facts in (live.get(key), node):
                touched |= {(key, edge.to): None for edge in facts.edges} if facts else {}
            touched |= {(a, key): None for a in sorted(feeders.get(key, ()))}
            if node is None:
                live.pop(key, None)
            else:
                live[key] = node
                for edge in node.edges:
                    feeders.setdefault(edge.to, set()).add(key)
        for a, b in touched:
            there = a in live and b in live and any(edge.to == b for edge in live[a].edges)
            passed = names.get((a, b))
            if there and passed and passed.is_coming(state):
                awaiting[a, b] = None
            yield step.index, (a, b), (passed_name(passed, state) if passed else "") if there else None


def departures(links: Iterable[Link]) -> dict[Link, float]:
    """Returns the y at which each link leaves its box: one below the other, in the order of their targets."""
    of_box: dict[Box, list[Link]] = {}
    for link in links:
        of_box.setdefault(link[0], []).append(link)
    leaving = {}
    for box, unordered in of_box.items():
        mine = sorted((to.middle, to.x, k) for k, (_, to) in enumerate(unordered))
        apart = min(16.0, (HEIGHT - 12) / max(len(mine), 1))
        for k, (*_, which) in enumerate(mine):
            leaving[unordered[which]] = round(box.middle + (k - (len(mine) - 1) / 2) * apart, 1)
    return leaving


def link_marks(line: Line, lives: Mapping[Edge, Life[str]], travelled: Sequence[int], room: float) -> list[Mark]:
    """Draws an arrow with a label in `room` px; it is thick in steps that add one of its edges or in which a gradient travels along it."""
    strokes: list[tuple[int, Look | None]] = []
    tips: list[tuple[int, Look | None]] = []
    labels: list[tuple[int, Look | None]] = []
    travels = set(travelled)
    for step, alive, born in gatherings(lives, travelled):
        fresh = bool(born) or step in travels
        label = ", ".join(filter(None, dict.fromkeys(alive.values())))
        strokes.append((step, _STROKES[fresh] if alive else None))
        tips.append((step, _TIPS[fresh] if alive else None))
        labels.append((step, Look("text tiny end", shortened(label, room, 9)) if label and room > 0 else None))
    (left, top), (right, y) = line[-1], line[0]
    return [
        path(_curve(line), runs(strokes), keys=tuple(f"e{a}-{b}" for a, b in lives)),
        path(f"M{coordinate(left - 7)} {coordinate(top)}l8 -4.5v9z", runs(tips)),
        text(round(right - 3, 1), y - 5, runs(labels)),
    ]


def travels(recording: Recording, lives: Mapping[Edge, Life[str]]) -> dict[Edge, list[int]]:
    """Returns for each edge the steps at which a gradient travels along it: the node at its start runs, and the other takes part."""
    ways: dict[int, list[Edge]] = {}
    for edge in lives:
        ways.setdefault(edge[0], []).append(edge)
    status: dict[int, str] = {}
    found: dict[Edge, list[int]] = {}
    for step in recording.steps:
        status |= {key: node.status if node else "" for key, node in step.nodes}
        if step.backward is None or step.backward.action != "run" or step.backward.node is None:
            continue
        for edge in ways.get(step.backward.node, ()):
            if status.get(edge[1]) in {"waiting", "arrived"} and lives[edge].first <= step.index <= lives[edge].last:
                found.setdefault(edge, []).append(step.index)
    return found


def _curve(line: Line) -> str:
    d, bulge = f"M{coordinate(line[0][0])} {coordinate(line[0][1])}", -TURN
    for (x0, y0), (x1, y1) in pairwise(line):
        if y0 == y1:
            d += f"H{coordinate(x1)}"
        elif x0 == x1:  # to the next row of layers and, after the way to its beginning, into it
            bend = coordinate(x0 + bulge)
            d += f"C{bend} {coordinate(y0)} {bend} {coordinate(y1)} {coordinate(x1)} {coordinate(y1)}"
            bulge = -bulge
        else:
            bend = coordinate((x0 + x1) / 2)
            d += f"C{bend} {coordinate(y0)} {bend} {coordinate(y1)} {coordinate(x1)} {coordinate(y1)}"
    return d


def ghost_marks(removed: Iterable[Removed], homes: Mapping[int, Box]) -> list[Mark]:
    """Draws the nodes and edges that a rewrite of the graph removed, for the step of the rewrite."""
    boxes: dict[tuple[Box, str], list[int]] = {}
    links: dict[Link, list[int]] = {}
    for step, nodes, ended, live in removed:
        gone = [key for key in nodes if key in homes]
        occupied = {homes[key] for key in live if key in homes} if gone else set()
        for key in gone:
            if homes[key] not in occupied:
                name = next(node.name for node in homes[key].content.members if node.id == key)
                boxes.setdefault((homes[key], name), []).append(step)
        for a, b in ended:
            if a in homes and b in homes and homes[a] is not homes[b]:
                links.setdefault((homes[a], homes[b]), []).append(step)
    ghosts: list[Mark] = []
    for (box, name), steps in boxes.items():
        label = shortened(name, box.content.width - 2 * box.content.pad)
        ghosts.append(rect(box.x, box.y, box.content.width, HEIGHT, _only_at(steps, Look("ghost")), 5))
        ghosts.append(
            text(round(box.x + box.content.pad, 1), box.y + 16, _only_at(steps, Look("text soft italic", label)))
        )
    for (one, other), steps in links.items():
        line = _curve([(one.x, one.middle), (other.right, other.middle)])
        ghosts.append(path(line, _only_at(sorted(steps), Look("ghost"))))
    return ghosts


class Removed(NamedTuple):
    """What a rewrite of the graph removes: nodes, and edges; `live` are the nodes that stay."""

    step: int
    nodes: tuple[int, ...]
    edges: tuple[Edge, ...]
    live: frozenset[int]


def removed(recording: Recording, lives: Mapping[Edge, Life[str]]) -> list[Removed]:
    """Returns what each step removes from a graph that stays."""
    live: set[int] = set()
    ended: dict[int, list[Edge]] = {}
    for edge, life in lives.items():
        ended.setdefault(life.last + 1, []).append(edge)
    found = []
    for step in recording.steps:
        left = live & {rewired.before for rewired in step.rewired}
        for key, node in step.nodes:
            (live.discard if node is None else live.add)(key)
        edges = tuple(sorted(edge for edge in ended.get(step.index, ()) if edge[0] in live or edge[0] in left))
        if edges or left - live:
            found.append(Removed(step.index, tuple(sorted(left - live)), edges, frozenset(live)))
    return found


def _only_at(steps: Iterable[int], look: Look) -> tuple[tuple[int, Look | None], ...]:
    return runs(run for step in steps for run in ((step, look), (step + 1, None)))


# --- the tensors above a box, and the gradient below it ---------------------------------------------------------------

_CHIP = 15.0
_HERE, _COMING, _WAS = "chip now-line", "chip now-line coming", "chip ghost over"
_TONES = {_HERE: "text bold", _COMING: "text italic", _WAS: "text soft italic"}
"""The text style of each kind of chip."""

Looks = list[tuple[int, Look | None]]

Homes = Mapping[int, Box]
"""The box of each node."""


def gradient_marks(recording: Recording, homes: Homes) -> list[Mark]:
    """Draws below each box the gradient that arrived last, until the program continues after backward or the node is freed."""
    looks: dict[Box, Looks] = {}
    holder: dict[Box, int] = {}
    for step in recording.steps:
        gone = {key for key, node in step.nodes if node is None} if holder else set()
        for box, node in list(holder.items()):
            if step.phase == "forward" or node in gone:
                looks[box].append((step.index, None))
                del holder[box]
        facts = step.backward
        if (
            facts
            and facts.node is not None
            and facts.node in homes
            and not homes[facts.node].content.is_folded
            and facts.gradient is not None
            and step.phase == "backward"
        ):
            box = homes[facts.node]
            shown = "● " + numbers(facts.gradient, box.content.width - 2 * SMALL)
            looks.setdefault(box, []).append((step.index, Look("text", shown)))
            holder[box] = facts.node
    return [text(box.x, box.y + HEIGHT + 12.5, runs(found), keys=box.content.keys) for box, found in looks.items()]


def history_marks(recording: Recording, homes: Homes) -> tuple[list[Mark], list[Mark]]:
    """Draws above each box a chip with the tensors that its nodes made; for one step also those that have just moved to another node.

    Returns:
        The arrows from old to new positions, which go under the boxes, and the chips.
    """
    left, owned = _left(recording, homes), names_of_nodes(recording)
    nodes: dict[Box, list[int]] = {}
    for node, box in homes.items():
        if node in owned or any(box in names for names in left.values()):
            nodes.setdefault(box, []).append(node)
    chips, former = list[Mark](), dict[Box, Looks]()
    for box, some in nodes.items():
        was = {step: names[box] for step, names in left.items() if box in names}
        frames, labels = _chip_looks(box, {node: owned[node] for node in some if node in owned}, was)
        former[box] = labels
        keys, top = box.content.keys, box.y - _CHIP + 3.5
        place = (("x", round(box.x + 8, 1)), ("y", top), ("height", _CHIP), ("rx", _CHIP / 2))
        chips.append(Mark("rect", place, runs(frames), keys))
        chips.append(text(round(box.x + 14, 1), top + 11.5, runs(labels), keys=keys))
    ways: dict[tuple[Box, Box], Looks] = {}
    for step, names in left.items():
        shown = {box: look.text for box in names if (look := _at(former[box], step)) and look.text}
        for ends, way in _ways(recording.steps[step], homes, shown):
            ways.setdefault(ends, []).extend([(step, way), (step + 1, None)])
    return [Mark("path", (), runs(found)) for found in ways.values()], [mark for mark in chips if mark.runs]


def _chip_looks(
    box: Box, owned: Mapping[int, Life[tuple[Called, ...]]], was: Mapping[int, Sequence[str]]
) -> tuple[Looks, Looks]:
    """How the frame and the words of a chip look; `was`: the names that have just left, at some steps."""
    frames: Looks = []
    labels: Looks = []
    before: tuple[str, Words] = "", ""
    for step, alive, _ in gatherings(owned, was):
        now = style, content = _chip(box, [each for called in alive.values() for each in called], was.get(step, []))
        if now != before:
            before = now
            room = (("width", width_of(content, SMALL) + 12),)
            frames.append((step, Look(style, None, room) if style else None))
            labels.append((step, Look(_TONES[style], content) if style else None))
    return frames, labels


def _at(looks: Looks, step: int) -> Look | None:
    found = [look for since, look in looks if since <= step]
    return found[-1] if found and found[-1] and found[-1].style == _TONES[_WAS] else None


def _ways(step: Step, homes: Homes, former: Mapping[Box, Words]) -> Iterator[tuple[tuple[Box, Box], Look]]:
    """A faint dotted arrow, with an open tip, from each chip with a former name to the chip of the node that has the name now."""
    for rewired in step.rewired:
        before, after = (homes.get(-1 if node is None else node) for node in (rewired.before, rewired.after))
        if before is None or after is None or before is after or before not in former:
            continue
        x0, y0 = before.x + 8 + width_of(former[before], SMALL) + 12, before.y + 3.5 - _CHIP / 2
        x1, y1 = after.x + 8, after.y + 3.5 - _CHIP / 2
        reach = max(abs(x1 - x0) / 2, 24.0)
        a, b, *curve = map(coordinate, (x0, y0, x0 + reach, y0, x1 - reach, y1, x1 - 2, y1))
        yield (before, after), Look("ghost", None, (("d", f"M{a} {b}C{' '.join(curve)}m-5 -3.5l5 3.5l-5 3.5"),))


@once_for_each
def names_of_nodes(recording: Recording) -> dict[int, Life[tuple[Called, ...]]]:
    """Returns for each node what the tensors that it made are called, over the steps."""
    return followed(_name_changes(recording), len(recording) - 1)


def _name_changes(recording: Recording) -> Iterator[tuple[int, int, tuple[Called, ...]]]:
    shown: dict[int, tuple[Called, ...]] = {}
    for state in recording.states():
        if not (state.step.index == 0 or state.step.tensors or state.step.rewired or state.awaited):
            continue
        now: dict[int, tuple[Called, ...]] = {}
        for tensor in state.tensors.values():
            if tensor.node is not None:
                now[tensor.node] = (*now.get(tensor.node, ()), state.called(tensor.id))
        for node in dict.fromkeys((*shown, *now)):
            if now.get(node) != shown.get(node):
                yield state.step.index, node, now.get(node, ())
        shown = now


def _left(recording: Recording, homes: Homes) -> dict[int, dict[Box, list[str]]]:
    """The names that have just left the node of a box, at each step that moves any."""
    found: dict[int, dict[Box, list[str]]] = {}
    for step in recording.steps:
        for rewired in step.rewired:
            if rewired.before is not None and rewired.before in homes:
                name = recording.state(step.index).called(rewired.tensor).first
                found.setdefault(step.index, {}).setdefault(homes[rewired.before], []).append(name)
    return found


def _chip(box: Box, owned: Sequence[Called], left: Sequence[str]) -> tuple[str, Words]:
    """The style and the words of a chip after a step."""
    if box.content.is_folded:  # of many tensors, those with names
        owned = [called for called in owned if called.names]
    if owned:
        names = ", ".join(name for called in owned for name in called.shown)
        style = _COMING if all(called.coming for called in owned) else _HERE
        return style, shortened(names, box.content.width - box.content.room_for_tag)
    if left:  # a node that a name has left is not new: it has no tag
        room = box.content.width - 2 * SMALL - width_of(words.WAS.format(names=""))
        return _WAS, words.WAS.format(names=shortened(", ".join(left), room))
    return "", ""
