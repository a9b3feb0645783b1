"""Draws above each box the tensors that its nodes made, and below it the gradient that arrived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.tensor_names import Called
from inplacelab_widgets import words
from inplacelab_widgets.scene.graph_boxes import HEIGHT, ROOM_FOR_TAG, Box
from inplacelab_widgets.scene.marks import Look, Mark, runs, text
from inplacelab_widgets.scene.measure import SMALL, Words, coordinate, numbers, shortened, width_of
from inplacelab_widgets.scene.names import tensor_name

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
        gone = {key for key, node in step.nodes if node is None}
        for box, node in list(holder.items()):
            if step.phase == "forward" or node in gone:
                looks[box].append((step.index, None))
                del holder[box]
        facts = step.backward
        if (
            facts
            and facts.node is not None
            and facts.node in homes
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
    frames: dict[Box, Looks] = {}
    labels: dict[Box, Looks] = {}
    ways: dict[tuple[Box, Box], Looks] = {}
    shown: Mapping[Box, tuple[str, Words]] = {}
    for step, now in _chips(recording, homes):
        for ends, way in _ways(recording.steps[step], homes, now):
            ways.setdefault(ends, []).extend([(step, way), (step + 1, None)])
        for box in dict.fromkeys((*shown, *now)):
            if box not in now:
                frames[box].append((step, None))
                labels[box].append((step, None))
            elif now[box] != shown.get(box):
                style, content = now[box]
                room = (("width", width_of(content, SMALL) + 12),)
                frames.setdefault(box, []).append((step, Look(style, None, room)))
                labels.setdefault(box, []).append((step, Look(_TONES[style], content)))
        shown = now
    chips = [mark for box in frames for mark in _chip_marks(box, frames[box], labels[box])]
    return [Mark("path", (), runs(found)) for found in ways.values()], chips


def _ways(step: Step, homes: Homes, chips: Mapping[Box, tuple[str, Words]]) -> Iterator[tuple[tuple[Box, Box], Look]]:
    """A faint arrow from each chip with a former name to the chip of the node that has the name now."""
    for rewired in step.rewired:
        before, after = homes.get(_known(rewired.before)), homes.get(_known(rewired.after))
        if before is None or after is None or before is after or "ghost" not in chips[before][0]:
            continue
        start = (before.x + 8 + width_of(chips[before][1], SMALL) + 12, _chip_middle(before))
        yield (before, after), Look("ghost", None, (("d", _arrow(start, (after.x + 8, _chip_middle(after)))),))


def _known(node: int | None) -> int:
    return -1 if node is None else node


def _chip_middle(box: Box) -> float:
    return box.y + 3.5 - _CHIP / 2


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """A dotted line that leaves to the right and arrives from the left, with an open tip."""
    (x0, y0), (x1, y1) = start, end
    reach = max(abs(x1 - x0) / 2, 24.0)
    points = (x0, y0, x0 + reach, y0, x1 - reach, y1, x1 - 2, y1)
    a, b, *curve = map(coordinate, points)
    return f"M{a} {b}C{' '.join(curve)}m-5 -3.5l5 3.5l-5 3.5"


def _chip_marks(box: Box, frames: Looks, labels: Looks) -> list[Mark]:
    keys, top = box.content.keys, box.y - _CHIP + 3.5
    place = (("x", round(box.x + 8, 1)), ("y", top), ("height", _CHIP), ("rx", _CHIP / 2))
    return [Mark("rect", place, runs(frames), keys), text(round(box.x + 14, 1), top + 11.5, runs(labels), keys=keys)]


def _chips(recording: Recording, homes: Homes) -> Iterator[tuple[int, Mapping[Box, tuple[str, Words]]]]:
    """(step, style and words of each chip), at each step that may change one."""
    ghosts = True
    for state in recording.states():
        if ghosts or state.step.tensors or state.step.rewired or state.awaited:
            yield state.step.index, _chips_at(state, homes)
        ghosts = bool(state.step.rewired)


def _chips_at(state: State, homes: Homes) -> dict[Box, tuple[str, Words]]:
    owned: dict[Box, list[Called]] = {}
    left: dict[Box, list[str]] = {}
    for tensor in state.tensors.values():
        if tensor.node is not None and tensor.node in homes:
            owned.setdefault(homes[tensor.node], []).append(state.called(tensor.id))
    for rewired in state.step.rewired:
        if rewired.before is not None and rewired.before in homes:
            left.setdefault(homes[rewired.before], []).append(tensor_name(rewired.tensor, state))
    return {box: _chip(box, owned.get(box), left.get(box, [])) for box in dict.fromkeys((*owned, *left))}


def _chip(box: Box, owned: list[Called] | None, left: list[str]) -> tuple[str, Words]:
    if owned is not None:
        names = ", ".join(name for called in owned for name in called.shown)
        room = box.content.width - ROOM_FOR_TAG
        return _COMING if all(called.coming for called in owned) else _HERE, shortened(names, room)
    # A node that a name has left is not new: it has no tag.
    room = box.content.width - 2 * SMALL - width_of(words.WAS.format(names=""))
    return _WAS, words.WAS.format(names=shortened(", ".join(left), room))
