"""Lays out two recordings side by side: the scene of each, the positions of their common cursor, and outlines around what differs.

Each side is drawn by its own scene, as a stepper draws it. What is added belongs to positions: at each of them, outlines on the storages
of a side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from inplacelab.language import Text
from inplacelab.recording.compare import Comparison, Side, conclusion, weight
from inplacelab.recording.compare.alignment import align
from inplacelab.recording.compare.contrast import Difference
from inplacelab.recording.queries import changes_nothing
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.svg import Group, Look, Panel, always, path
from inplacelab_widgets.scene.text_layout import coordinate
from inplacelab_widgets.words.side_by_side import UNTITLED

__all__ = ["MOST_DRAWN", "ROOM", "ComparisonScene", "Outline", "comparison_of", "outlined", "outlines_around"]


MOST_DRAWN = 4
"""The most storages of a side that are drawn in full where programs differ; all are in the table below."""
ROOM = 352.0
"""The width of the storages of a side, in px: in a notebook both sides are seen, with words of their usual size."""
_APART, _CLOSE = 3.5, 2.0
"""The space between slots, or the pill of a version or a name, and their outline, in px."""
_BAR = 8.0
"""The bar beside the elements of a tensor is at most that wide, in px: its name has the outline."""
_DISC = "M{0} {1}a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0"
_SIGN = "M{0} {1}h7M{0} {2}h7M{3} {4}l-4 8"
"""The sign of what is not equal, as strokes."""
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Outline:
    """What differs in a group of the storages at one position.

    Attributes:
        group: the place of the group among the groups of the panel.
        around: the outlines, as an SVG path.
        grounds: discs at their corners, as an SVG path.
        signs: the signs on the discs, as an SVG path.
    """

    group: int
    around: str
    grounds: str
    signs: str


@dataclass(frozen=True)
class ComparisonScene:
    """Two scenes side by side.

    Attributes:
        left: one scene.
        right: the other one.
    """

    left: Scene
    right: Scene

    @cached_property
    def comparison(self) -> Comparison:
        """What differs."""
        return Comparison(align(self.left.recording, self.right.recording))

    @cached_property
    def conclusion(self) -> Text:
        """What the comparison comes to, in one clause."""
        return conclusion(self.comparison)

    @property
    def key_position(self) -> int:
        """The position that is shown first."""
        return self.comparison.key_position

    @cached_property
    def stops(self) -> tuple[int, ...]:
        """The positions at which a reader stops: the ends of lines on which anything changed; all ends if nothing ever did."""
        alignment = self.comparison.alignment
        changing = [end for end in alignment.ends if not all(map(self.is_idle, range(alignment.starts[end], end + 1)))]
        return tuple(changing or alignment.ends)

    def is_idle(self, position: int) -> bool:
        """Returns whether no side changes anything at a position."""
        here = self.comparison.alignment.positions[position]
        steps = ((scene, step) for scene, step in zip((self.left, self.right), here, strict=True) if step is not None)
        return all(changes_nothing(scene.recording, step) for scene, step in steps)

    def scene(self, side: Side) -> Scene:
        """Returns the scene of one side."""
        return self.left if side == "left" else self.right

    @property
    def title(self) -> str:
        """The names of both programs, as far as they have any."""
        return " | ".join(scene.recording.title for scene in (self.left, self.right) if scene.recording.title)

    def called(self, side: Side) -> Text:
        """Returns the name of a program; its side if it has none."""
        title = self.scene(side).recording.title
        return Text(title, title) if title else UNTITLED[side]

    def reached(self, position: int, side: Side) -> int | None:
        """Returns the last step of a side at or before a position; None before its first step."""
        found: int | None = getattr(self.comparison.alignment.reached[position], side)
        return found

    def drawn(self, position: int, side: Side) -> tuple[str, ...]:
        """Returns the keys of the storages that are drawn in full at a position: those of the tensors that differ, on either side, and those
        that the step writes; if nothing differs, those that the scene draws by itself.
        """
        step = self.reached(position, side)
        if step is None:
            return ()
        panel, state = self.scene(side).storages, self.scene(side).recording.state(step)
        own = [group.key for group in panel.groups if group.is_drawn(step)]
        names = dict.fromkeys(name for each in self._found(position) for name in each.names)
        if not panel.table or not names:
            return tuple(own)
        wanted = [f"s{state.tensor(name).storage}" for name in names if state.bound(name) is not None]
        wanted += [f"s{write.storage}" for write in state.step.writes]
        chosen = [*dict.fromkeys(wanted)][:MOST_DRAWN]
        return tuple(group.key for group in panel.groups if group.key in chosen and group.is_there(step))

    def outlines(self, position: int, side: Side) -> tuple[Outline, ...]:
        """Returns the outlines around what newly differs on a side at a position, or else around the most telling of what differs still."""
        step = self.reached(position, side)
        if step is None:
            return ()
        scene = self.scene(side)
        new = [each for each in self.comparison.new(position, by_line=True) if each.names]
        keys = frozenset(_keys(new or self._found(position)[:1], side, scene.recording.state(step)))
        drawn = self.drawn(position, side) if keys else ()
        panel = scene.storages
        groups = (
            (place, group) for place, group in enumerate(panel.groups) if group.key in drawn and group.is_there(step)
        )
        return tuple(outlines_around(groups, step, keys))

    def _found(self, position: int) -> list[Difference]:
        """What differs between tensors at a position, the most telling first."""
        return sorted((each for each in self.comparison.found[position] if each.names), key=weight)


def comparison_of(left: Recording | Scene, right: Recording | Scene) -> ComparisonScene:
    """Lays out two recordings side by side.

    Raises:
        ValueError: if one of them has no steps.
    """
    scenes = (each if isinstance(each, Scene) else scene_of(each) for each in (left, right))
    return ComparisonScene(*(replace(each, room=ROOM) for each in scenes))


def outlined(panel: Panel, outlines: Iterable[Outline]) -> Panel:
    """Returns a panel of storages with outlines around what differs at a position, for a still picture."""
    groups = list(panel.groups)
    for each in outlines:
        drawn = {"differs": each.around, "differs-ground": each.grounds, "differs-sign": each.signs}
        added = [path(d, always(Look(style))) for style, d in drawn.items()]
        groups[each.group] = replace(groups[each.group], marks=(*groups[each.group].marks, *added))
    return replace(panel, groups=tuple(groups))


def _keys(found: Iterable[Difference], side: Side, state: State) -> Iterator[str]:
    """The keys of the marks that are outlined: slots, the pill of a version, the names of tensors."""
    for each in found:
        marks = each.left if side == "left" else each.right
        if each.kind == "values":
            yield from marks
        elif each.kind == "version":
            yield from (f"v{mark[1:]}" for mark in marks)
        elif each.kind in ("sharing", "name", "shape", "unknown"):
            yield from (f"t{tensor}" for name in each.names if (tensor := state.bound(name)) is not None)


def outlines_around(groups: Iterable[tuple[int, Group]], step: int, keys: frozenset[str]) -> Iterator[Outline]:
    """Yields the outlines around the marks with these keys, in groups given with their places in the panel."""
    storages = {key.partition(":")[0] for key in keys if ":" in key}
    for place, group in groups:
        found = list(_boxes(group, step))
        slots = [box for key, box in found if key in keys and ":" in key]
        # Slots too many to be drawn one by one: the strip has the outline.
        if group.key in storages and not any(key.startswith(f"{group.key}:") for key, _ in found):
            slots += [box for key, box in found if key == group.key][:1]
        pills = [box for key, box in found if key in keys and ":" not in key and box[2] - box[0] > _BAR]
        if slots or pills:
            around = [*(_around(box, _APART) for box in _runs(slots)), *(_around(box, _CLOSE) for box in pills)]
            # A pill alone has the sign, too, at its left: on the other sides are words.
            signs = [(right + _APART, (top + bottom) / 2) for _, top, right, bottom in _runs(slots)]
            signs = signs or [(left - _CLOSE, (top + bottom) / 2) for left, top, _, bottom in pills[:1]]
            yield Outline(place, "".join(around), "".join(map(_disc, signs)), "".join(map(_sign, signs)))


def _boxes(group: Group, step: int) -> Iterator[tuple[str, _Box]]:
    """The boxes of a group that are shown, each with the key of what it represents."""
    for mark in group.marks:
        if mark.tag == "rect" and mark.keys and mark.at(step) is not None:
            at = dict(mark.place)
            x, y, width, height = (float(at[name]) for name in ("x", "y", "width", "height"))
            yield mark.keys[0], (x, y, x + width, y + height)


def _runs(boxes: Iterable[_Box]) -> Iterator[_Box]:
    """Boxes, with those that touch each other in a row as one."""
    run: _Box | None = None
    for box in sorted(set(boxes), key=lambda each: (each[1], each[0])):
        if run is not None and run[1] == box[1] and run[3] == box[3] and box[0] <= run[2] + 1:
            run = (run[0], run[1], max(run[2], box[2]), run[3])
            continue
        if run is not None:
            yield run
        run = box
    if run is not None:
        yield run


def _around(box: _Box, apart: float) -> str:
    left, top, right, bottom = box
    x, y = coordinate(left - apart), coordinate(top - apart)
    wide, high = coordinate(right - left + 2 * apart), coordinate(bottom - top + 2 * apart)
    return f"M{x} {y}h{wide}v{high}h-{wide}z"


def _disc(middle: tuple[float, float]) -> str:
    return _DISC.format(coordinate(middle[0] - 6.5), coordinate(middle[1]))


def _sign(middle: tuple[float, float]) -> str:
    x, y = middle
    return _SIGN.format(*map(coordinate, (x - 3.5, y - 1.6, y + 1.6, x + 2, y - 4)))
