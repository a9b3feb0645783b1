"""What a picture is made of, and how it becomes SVG text that needs no CSS, no script and no network.

A `Mark` is one SVG element. Its place never changes. What changes from step to step (its style, its text, a few
attributes, whether it is shown at all) is a list of runs: "from this step on it looks like this". Because the picture
is laid out once for all steps together, nothing jumps while a reader steps through it. Everything that a program wrote is escaped. SVG defaults and
attributes of the root are not repeated, since a picture must stay small in a notebook.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter
from typing import Generic, Literal, NamedTuple, TypedDict, TypeVar, Unpack, overload
from xml.sax.saxutils import escape, quoteattr

from inplacelab.language import Text
from inplacelab_widgets.scene.palette import FONT, ROLES, resolved
from inplacelab_widgets.scene.text_layout import Words, coordinate

GAP = 14.0
"""The space between groups that are one below the other, in px."""

Attributes = tuple[tuple[str, str | float], ...]


# A picture has tens of thousands of looks and marks, and tuples are made, compared and hashed twice as fast as dataclasses.
class Look(NamedTuple):
    """How a mark looks from some step on.

    Attributes:
        style: names from the style table, separated by spaces ("slot now").
        text: the words of a text mark.
        attributes: geometry that changes with the step (the playhead's x).
    """

    style: str
    text: Words | None = None
    attributes: Attributes = ()


Runs = tuple[tuple[int, Look | None], ...]
"""(first step, look) in order; None means that the mark is not shown. Before the first run it is not shown either."""


class Mark(NamedTuple):
    """One SVG element over all steps.

    Attributes:
        tag: the SVG element.
        place: attributes that never change.
        runs: its looks.
        keys: what it represents ("s1" a storage, "t3" a tensor, "n2" a node, "s1:4" a slot).
        links: the keys of other objects to highlight when a reader points at this one.
    """

    tag: Literal["rect", "path", "text", "circle", "image"]
    place: Attributes
    runs: Runs
    keys: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def at(self, step: int) -> Look | None:
        """Returns the look at `step`; None if the mark is not shown."""
        found = bisect_right(self.runs, step, key=itemgetter(0))
        return self.runs[found - 1][1] if found else None


_Item = TypeVar("_Item")


class Lazily(Sequence[_Item], Generic[_Item]):
    """A sequence that is made when it is first looked at: most marks of a long recording never are."""

    def __init__(self, make: Callable[[], Iterable[_Item]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[_Item, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, place: int) -> _Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_Item]: ...
    def __getitem__(self, place: int | slice) -> _Item | Sequence[_Item]:
        return self._made[place]

    def __len__(self) -> int:
        return len(self._made)


class Related(TypedDict, total=False):
    """What a mark represents, and what is highlighted with it: as in `Mark`."""

    keys: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that share an origin and a lifetime, such as everything about one storage.

    `first` and `last` are the first and the last step at which any of it is drawn. `key` is what it represents ("s1"); a storage that
    gets more room with a later tensor has a group for each range of steps.
    `open` are the ranges of steps at which it is drawn; if empty, from `first` to `last`. In a panel that a player rearranges, `row` is
    the seat that it shares with groups that never live at the same time. `is_fixed`: its marks keep their places when a player draws the axis wider or narrower.
    """

    x: float
    y: float
    width: float
    height: float
    first: int
    last: int
    marks: Sequence[Mark]
    key: str = ""
    open: tuple[tuple[int, int], ...] = ()
    row: int | None = None
    is_fixed: bool = False
    alone: Callable[[int], Iterable[Mark]] | None = None
    """Makes the marks of one step, if that is less work than to make those of all steps."""

    def marks_at(self, step: int) -> Iterable[Mark]:
        """Returns marks that look at `step` as `marks` do; others may be among them."""
        return self.marks if self.alone is None else self.alone(step)

    def is_there(self, step: int) -> bool:
        """Returns whether what it shows is there at `step`."""
        return self.first <= step <= self.last

    def is_drawn(self, step: int) -> bool:
        """Returns whether it is drawn at `step`."""
        if not self.first <= step <= self.last:
            return False
        found = bisect_right(self.open, step, key=itemgetter(0))
        return not self.open or (found > 0 and step <= self.open[found - 1][1])


@dataclass(frozen=True, slots=True)
class More:
    """The folded part of a panel: in the player a button opens it.

    `note` is the group of the panel with the note for still pictures, `says` has the same words for the button. When open,
    `groups` replace the note, and the whole panel is `height` px high.
    """

    says: Text
    note: Group
    groups: tuple[Group, ...]
    height: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of the stepper.

    `says` has its description over the steps, for screen readers; `notes` lists what is folded or cut.
    """

    name: str
    width: float
    height: float
    groups: tuple[Group, ...]
    says: tuple[tuple[int, Text], ...]
    notes: tuple[tuple[int, Text], ...] = ()
    table: tuple[Group, ...] = ()
    """In a panel too high to be seen at a glance: the table below the drawn groups, which are moved together. Of each `row` it has the head, with a
    key ("o1"), the cells, without a key, and the lines that the player shows where the row is opened, each with the key of a storage."""
    copies: tuple[Copy, ...] = ()
    """At most one for a step. An arrow is drawn if both of its groups are."""
    more: More | None = None
    narrower: tuple[Panel, ...] = ()
    """The same for less room, the widest first."""
    opens: tuple[Opened, ...] = ()
    """What its boxes open into: the first for boxes with the key "box:0"."""


@dataclass(frozen=True, slots=True)
class Copy:
    """An arrow in one step from what it read to where it wrote these values, or to a tensor that it made of them.

    `source` and `target` are an end each: the key of a group, and in this group the middle and the top of a run of slots.
    """

    step: int
    source: tuple[str, float, float]
    target: tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Opened:
    """What is in a box of a panel: in the player it takes the place of the panel. `within`: what it is in itself; None for the panel."""

    says: Text
    within: int | None
    panel: Panel


AISLE = 24.0
"""The space between groups side by side, in px."""
ROW, CELL_GAP = 17.0, 14.0
"""The height of a row of a table, and the space between its cells, in px."""


def flowed(boxes: Sequence[tuple[float, float]], room: float) -> tuple[list[tuple[float, float]], float]:
    """Returns the places of boxes, given by width and height, side by side, with a new row when the room is used up; and their bottom.

    They are in columns if they are about equally wide. Before a new row begins, one goes below a lower one of the row. `flowed` of `player/layout.js`
    does the same.
    """
    widest = max((width for width, _ in boxes), default=0)
    is_even = 2 * widest + AISLE <= room
    places, (x, y, high) = [], (0.0, 0.0, 0.0)
    row = list[tuple[float, float]]()  # the left edge and the bottom of each column of the present row
    for width, height in boxes:
        left, top = x, y
        if x and x + width > room:
            ends = [*(edge for edge, _ in row[1:]), room + AISLE]
            columns = [
                k
                for k, ((edge, bottom), end) in enumerate(zip(row, ends, strict=True))
                if edge + width + AISLE <= end and bottom + GAP + height <= y + high
            ]
            if columns:
                left, top = row[columns[0]][0], row.pop(columns[0])[1] + GAP
            else:
                y, high, row = y + high + GAP, 0.0, []
                x, left, top = 0.0, 0.0, y
        places.append((round(left, 1), top))
        row = sorted([*row, (left, top + height)])
        x = max(x, left + (widest if is_even else width) + AISLE)
        high = max(high, top + height - y)
    return places, y + high


def tabled(table: Sequence[Group], room: float) -> tuple[list[tuple[Group, float, float]], float]:
    """Returns (group, x, y) of the heads and the cells of a table, side by side in the room; and the height. They are the same at all steps.

    `tabled` of `player/layout.js` does the same.
    """
    left = max((group.width for group in table if group.key.startswith("o")), default=0) + CELL_GAP
    places, (x, y) = list[tuple[Group, float, float]](), (left, -ROW)
    for group in table:
        if group.key.startswith("o"):
            x, y = left, y + ROW
            places.append((group, 0.0, y))
        elif not group.key:
            if x > left and x + group.width > room:
                x, y = left, y + ROW
            places.append((group, round(x, 1), y))
            x += group.width + CELL_GAP
    return places, y + ROW


def stack_of(panel: Panel, step: int, *, table: bool = True) -> tuple[list[tuple[Group, float, float]], float]:
    """Returns (group, x, y) of the groups drawn at `step`, moved together, and of the table below them; and the height.

    `stackOf` of `player/layout.js` does the same. In a panel without a table, groups keep their places.
    """
    drawn = [group for group in panel.groups if group.is_drawn(step)]
    if not panel.table:
        return [(group, group.x, group.y) for group in drawn], panel.height
    seats, bottom = flowed([(group.width, group.height) for group in drawn], panel.width)
    places = [(group, *seat) for group, seat in zip(drawn, seats, strict=True)]
    if not table:
        return places, bottom
    below = bottom + GAP if drawn else 0
    rows, height = tabled(panel.table, panel.width)
    return [*places, *((group, x, below + y) for group, x, y in rows)], below + height


def runs(looks: Iterable[tuple[int, Look | None]]) -> Runs:
    """Returns looks in order of steps, without repeats."""
    kept: list[tuple[int, Look | None]] = []
    for step, look in looks:
        if kept and kept[-1][0] == step:
            kept.pop()
        before = kept[-1][1] if kept else None
        if look != before:
            kept.append((step, look))
    return tuple(kept)


def flashes(moments: Iterable[tuple[int, Look | None, Look | None]], last: int) -> Runs:
    """Returns runs that show a change for one step, from (step, look at the change, look afterwards).

    After step `last` the mark is not shown. If several changes have the same step, the last one counts.
    """
    by_step = {step: (flash, settled) for step, flash, settled in moments}
    looks: list[tuple[int, Look | None]] = []
    for step, (flash, settled) in sorted(by_step.items()):
        looks.append((step, flash))
        if step + 1 not in by_step and step < last:
            looks.append((step + 1, settled))
    return runs([*looks, (last + 1, None)])


def lasting(moments: Iterable[tuple[int, Look | None]], last: int) -> Runs:
    """Returns runs of looks that last until the next one, and at most until step `last`."""
    return runs([*moments, (last + 1, None)])


def text_runs(style: str, moments: Iterable[tuple[int, str]], last: int) -> Runs:
    """Returns runs of one style whose words change at the given steps, until step `last`. Steps are in order, without repeats."""
    kept: list[tuple[int, Look | None]] = []
    before: str | None = None
    for step, content in moments:
        if content != before:
            kept.append((step, Look(style, content)))
            before = content
    return (*kept, (last + 1, None))


def clipped(marks: Iterable[Mark], first: int, last: int) -> Iterator[Mark]:
    """Yields the marks that are shown between two steps, with their looks from then."""
    # Many marks share their runs. These are kept alive, so that no others get their id.
    known: dict[int, tuple[Runs, Runs]] = {}
    for mark in marks:
        if id(mark.runs) not in known:
            known[id(mark.runs)] = mark.runs, _clipped(mark.runs, first, last)
        _, runs = known[id(mark.runs)]
        if runs:
            yield mark._replace(runs=runs)


def _clipped(runs: Runs, first: int, last: int) -> Runs:
    if not runs or (runs[0][0] >= first and runs[-1][0] <= last + 1):
        return runs
    place = bisect_right(runs, first, key=itemgetter(0))
    there = [(first, runs[place - 1][1])] if place and runs[place - 1][1] is not None else []
    return (*there, *(run for run in runs[place:] if run[0] <= last))


def between(first: int, last: int, look: Look) -> Runs:
    """Returns one look from step `first` to step `last`, both included."""
    return ((first, look), (last + 1, None))


def always(look: Look) -> Runs:
    """Returns one look for every step."""
    return ((0, look),)


def rect(
    x: float, y: float, width: float, height: float, runs: Runs, radius: float = 0, **extra: Unpack[Related]
) -> Mark:
    """Returns a rectangle, given by its top left corner and size."""
    place: Attributes = (("x", x), ("y", y), ("width", width), ("height", height))
    return Mark("rect", place + ((("rx", radius),) if radius else ()), runs, **extra)


def text(x: float, y: float, runs: Runs, **extra: Unpack[Related]) -> Mark:
    """Returns a line of text; `y` is its baseline."""
    return Mark("text", (("x", x), ("y", y)), runs, **extra)


def path(d: str, runs: Runs, **extra: Unpack[Related]) -> Mark:
    """Returns a line or shape in SVG path notation."""
    return Mark("path", (("d", d),), runs, **extra)


# --- as SVG text ------------------------------------------------------------------------------------------------------

_ASSUMED = {
    "fill": resolved("text")["fill"],
    "stroke": "none",
    "stroke-width": "1",
    "stroke-dasharray": "none",
    "font-size": "11px",
    "fill-opacity": "1",
}


def document(size: tuple[float, float], parts: Iterable[str], title: str, content: str) -> str:
    """Returns a picture of this width and height on its own background, with a description for screen readers. It is light, or dark if
    the reader prefers that.
    """
    width, height = map(coordinate, size)
    place = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    inherited = f'fill="{_ASSUMED["fill"]}" font-family={quoteattr(FONT)} font-size="11px"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {place} role="img" {inherited}>\n'
        f"<title>{escape(title)}</title><desc>{escape(content)}</desc>\n<style>{_dark()}</style>\n"
        f'<rect width="100%" height="100%" fill="{resolved("paper")["fill"]}"/>\n{"".join(parts)}</svg>\n'
    )


@cache
def _dark() -> str:
    """CSS that gives each color of a light picture its dark counterpart, since colors are attributes of each mark."""
    rules = "".join(
        f'[{key}="{light}"]{{{key}:{dark}}}' for light, dark in ROLES.values() for key in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme:dark){{{rules}}}"


def panel_at(panel: Panel, step: int, language: str) -> str:
    """Returns the groups of a panel that are shown at `step`, at their places."""
    here = [group for group in panel.groups if group.first <= step <= group.last]
    drawn = "".join(placed(group_at(group, step, language), group.x, group.y) for group in here)
    return drawn + arrow_at(panel, step, {group.key: (group.x, group.y) for group in here})


def stack_at(panel: Panel, step: int, language: str, *, table: bool = True) -> tuple[str, float]:
    """Returns the groups of a panel that are drawn at `step`, moved together, with the table below; and their height."""
    places, height = stack_of(panel, step, table=table)
    drawn = "".join(placed(group_at(group, step, language), x, y) for group, x, y in places)
    in_full = {group.key: (x, y) for group, x, y in places}
    # Under the groups, so that words that it crosses stay legible.
    return arrow_at(panel, step, in_full) + drawn, height


def arrow_at(panel: Panel, step: int, places: Mapping[str, tuple[float, float]]) -> str:
    """Returns the arrow from what a step read to where it copied it, if both groups have places."""
    copied = next((each for each in panel.copies if each.step == step), None)
    if copied is None or not {copied.source[0], copied.target[0]} <= places.keys():
        return ""
    (source, middle, top), (target, its_middle, its_top) = copied.source, copied.target
    (x, y), (its_x, its_y) = places[source], places[target]
    drawn = arrow((middle + x, top + y), (its_middle + its_x, its_top + its_y), max(x, its_x))
    return "".join(
        mark_at(path(d, always(Look(style))), 0, "en") for d, style in zip(drawn, ("copy", "copy-tip"), strict=True)
    )


LIFT = 5.5
"""The distance of an arrow from the slots, in px: between them and the words above."""


def arrow(source: tuple[float, float], target: tuple[float, float], left: float) -> tuple[str, str]:
    """Returns the line and the tip of an arrow between two runs of slots, each given by the middle of its top.

    It runs above the slots; between storages it passes to the left of the one that is further to the right. `arrowOf` of `player/panel.js` does the same.
    """
    (x, y), (to, below) = source, target
    beside = "" if y == below else f"H{coordinate(left - 5)}V{coordinate(below - LIFT)}"
    line = (
        f"M{coordinate(x)} {coordinate(y - 1)}V{coordinate(y - LIFT)}{beside}H{coordinate(to)}V{coordinate(below - 4)}"
    )
    return line, f"M{coordinate(to)} {coordinate(below)}l-3.5 -5h7z"


def group_at(group: Group, step: int, language: str) -> str:
    """Returns the marks of a group as they look at `step`."""
    return "".join(mark_at(mark, step, language) for mark in group.marks_at(step))


def placed(drawn: str, x: float, y: float, scale: float = 1) -> str:
    """Returns SVG text moved to (x, y)."""
    if not drawn:
        return ""
    smaller = "" if scale == 1 else f" scale({scale:.3f})"
    return f'<g transform="translate({coordinate(x)} {coordinate(y)}){smaller}">{drawn}</g>\n'


def mark_at(mark: Mark, step: int, language: str) -> str:
    """Returns a mark as it looks at `step`; "" if it is not shown."""
    look = mark.at(step)
    if look is None or resolved(look.style).get("opacity") == "0":
        return ""
    drawn = f"<{mark.tag}{_attributes((*mark.place, *look.attributes))}{_styled(look.style)}"
    if mark.tag != "text":
        return f"{drawn}/>"
    content = look.text.in_language(language) if isinstance(look.text, Text) else look.text or ""
    # Blanks in code must stay. Browsers do not inherit this attribute to text, so each text that needs it has it.
    blanks = ' xml:space="preserve"' if content.startswith(" ") or "  " in content else ""
    return f"{drawn}{blanks}>{escape(content)}</text>"


def text_at(x: float, y: float, style: str, content: Words, language: str) -> str:
    """Returns words whose baseline begins, or with the style "end" ends, at (x, y)."""
    return mark_at(text(x, y, always(Look(style, content))), 0, language)


def prose_at(x: float, y: float, style: str, lines: Iterable[str], pitch: float) -> str:
    """Returns lines of a sentence, one below the other. What is between backticks is in the font of code, without them."""
    drawn, is_code = "", False
    for k, line in enumerate(lines):
        parts = []
        for place, part in enumerate(line.split("`")):
            is_code ^= place > 0
            code = f"<tspan font-family={quoteattr(FONT)}>{escape(part)}</tspan>"
            parts.append(code if is_code and part else escape(part))
        place_of_line = _attributes((("x", x), ("y", y + pitch * k)))
        drawn += f'<text{place_of_line}{_styled(f"{style} prose")} xml:space="preserve">{"".join(parts)}</text>'
    return drawn


def rule(y: float, width: float) -> str:
    """Returns a hairline across the picture."""
    return f'<path d="M0 {coordinate(y)}H{coordinate(width)}" fill="none" stroke="{resolved("grid")["stroke"]}"/>\n'


@cache
def _styled(style: str) -> str:
    """The attributes of a style."""
    return _attributes((key, value) for key, value in resolved(style).items() if _ASSUMED.get(key) != value)


def _attributes(attributes: Iterable[tuple[str, str | float]]) -> str:
    return "".join(
        [
            f" {key}={quoteattr(value)}" if isinstance(value, str) else f' {key}="{coordinate(value)}"'
            for key, value in attributes
        ]
    )
