"""What a picture is made of: marks with fixed places, and for each the looks it takes on over the steps.

A `Mark` is one SVG element. Its place never changes; what changes from step to step (its style, its text, a few
attributes, whether it is there at all) is a list of runs: "from this step on it looks like this". Because the picture
is laid out once for all steps together, nothing jumps while a learner steps through it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict, Unpack

from inplacelab.language import Text

GAP = 14.0
"""Between groups that stand one below the other."""

Words = str | Text
"""What a mark says: the same in every language, or a pair."""

Attributes = tuple[tuple[str, str | float], ...]


# Of looks and marks a picture has tens of thousands: tuples are made, compared and looked up twice as fast as dataclasses.
class Look(NamedTuple):
    """How a mark looks from some step on.

    Attributes:
        style: names from the style table, separated by spaces ("slot now").
        text: what it says, for a text mark.
        attributes: geometry that changes with the step (the playhead's x).
    """

    style: str
    text: Words | None = None
    attributes: Attributes = ()


Runs = tuple[tuple[int, Look | None], ...]
"""(first step, look) in order; None means that the mark is not there. Before the first run it is not there either."""


class Mark(NamedTuple):
    """One SVG element over all steps.

    Attributes:
        tag: the SVG element.
        place: attributes that never change.
        runs: its looks.
        keys: what it stands for ("s1" a storage, "t3" a tensor, "n2" a node, "s1:4" a slot).
        links: the keys of other things to light up when a reader points at this one.
        card: which of its group's cards it is a part of, counted from 1; 0: of none.
    """

    tag: Literal["rect", "path", "text", "circle"]
    place: Attributes
    runs: Runs
    keys: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    card: int = 0

    def at(self, step: int) -> Look | None:
        """The look at `step`; None if the mark is not there."""
        found = bisect_right(self.runs, step, key=lambda run: run[0])
        return self.runs[found - 1][1] if found else None


class Related(TypedDict, total=False):
    """What a mark stands for, and what lights up with it: as in `Mark`."""

    keys: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """How a group of a storage and its cards can be drawn in other room than it was laid out for.

    Attributes:
        row: the row that it shares with those which never live at the same time.
        width: of everything but the cards, in px.
        height: the same.
        cards: where the cards stand: the left edge and the top of the first, their width, how many stand beside each other.
        count: how many places for cards there are.
        pitch: from the top of a card to the top of the one below it.
    """

    row: int
    width: float
    height: float
    cards: tuple[float, float, float, int]
    count: int
    pitch: float


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that share an origin and a lifetime, such as everything about one storage.

    `first` and `last` are the first and the last step at which any of it is drawn. `key` is what it stands for ("s1").
    `open` are the stretches of steps at which it is drawn; empty: as long as it lives. `block` is how a player may draw it
    in other room. `is_fixed`: on an axis, its marks keep their places when a player draws the axis wider or narrower.
    """

    x: float
    y: float
    width: float
    height: float
    first: int
    last: int
    marks: tuple[Mark, ...]
    key: str = ""
    open: tuple[tuple[int, int], ...] = ()
    block: Block | None = None
    is_fixed: bool = False

    def is_drawn(self, step: int) -> bool:
        """Whether it is drawn at `step`."""
        if not self.first <= step <= self.last:
            return False
        found = bisect_right(self.open, step, key=lambda span: span[0])
        return not self.open or (found > 0 and step <= self.open[found - 1][1])


@dataclass(frozen=True, slots=True)
class More:
    """What of a panel is folded: in the player a button opens it.

    `note` is the one of the panel's groups that says so in still pictures, `says` the same words on the button. `groups`
    stand where the note does, and the whole panel is then `height` px high.
    """

    says: Text
    note: Group
    groups: tuple[Group, ...]
    height: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of the stepper.

    `says` gives its description over the steps, for those who do not see it; `notes` says what of it is folded or cut.
    """

    name: str
    width: float
    height: float
    groups: tuple[Group, ...]
    says: tuple[tuple[int, Text], ...]
    notes: tuple[tuple[int, Text], ...] = ()
    shelf: tuple[Group, ...] = ()
    """Of a panel too high to be seen at a glance: chips for the groups that a step does not draw. They stand below the
    drawn groups, which are closed up."""
    more: More | None = None
    opened: Opened | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """The same panel with more boxes for the same things: in the player a button that says so shows it instead."""

    says: Text
    panel: Panel


def stack_of(panel: Panel, step: int) -> tuple[list[tuple[Group, float, float]], float]:
    """(group, x, y) of the groups drawn at `step`, closed up, and of the chips of the others below them; and the height.

    `stackOf` of `player/shelf.js` does the same.
    """
    places, below = [], 0.0
    for group in panel.groups:
        if group.is_drawn(step):
            places.append((group, group.x, below))
            below += group.height + GAP
    bottom = below - GAP
    for chip in panel.shelf:
        if chip.is_drawn(step):
            places.append((chip, chip.x, below + chip.y))
            bottom = max(bottom, below + chip.y + chip.height)
    return places, max(bottom, 0)


def runs(looks: Iterable[tuple[int, Look | None]]) -> Runs:
    """Looks in order of steps, without repeats."""
    kept: list[tuple[int, Look | None]] = []
    for step, look in looks:
        if kept and kept[-1][0] == step:
            kept.pop()
        before = kept[-1][1] if kept else None
        if look != before:
            kept.append((step, look))
    return tuple(kept)


def flashes(moments: Iterable[tuple[int, Look | None, Look | None]], last: int) -> Runs:
    """Looks that show a change for one step and then settle: from (step, at the change, afterwards) to runs.

    After step `last` the mark is gone. Of several moments at one step the last counts.
    """
    by_step = {step: (flash, settled) for step, flash, settled in moments}
    looks: list[tuple[int, Look | None]] = []
    for step, (flash, settled) in sorted(by_step.items()):
        looks.append((step, flash))
        if step + 1 not in by_step and step < last:
            looks.append((step + 1, settled))
    return runs([*looks, (last + 1, None)])


def lasting(moments: Iterable[tuple[int, Look | None]], last: int) -> Runs:
    """Looks that last until the next one, and until step `last` at the most."""
    return runs([*moments, (last + 1, None)])


def text_runs(style: str, moments: Iterable[tuple[int, str]], last: int) -> Runs:
    """One style in which something else is said from some steps on, until step `last`. Steps come in order, each once."""
    kept: list[tuple[int, Look | None]] = []
    before: str | None = None
    for step, content in moments:
        if content != before:
            kept.append((step, Look(style, content)))
            before = content
    return (*kept, (last + 1, None))


def between(first: int, last: int, look: Look) -> Runs:
    """One look from step `first` to step `last`, both included."""
    return ((first, look), (last + 1, None))


def always(look: Look) -> Runs:
    """One look at every step."""
    return ((0, look),)


def rect(
    x: float, y: float, width: float, height: float, runs: Runs, radius: float = 0, **extra: Unpack[Related]
) -> Mark:
    """A rectangle, given by its top left corner and size."""
    place: Attributes = (("x", x), ("y", y), ("width", width), ("height", height))
    return Mark("rect", place + ((("rx", radius),) if radius else ()), runs, **extra)


def text(x: float, y: float, runs: Runs, **extra: Unpack[Related]) -> Mark:
    """A line of text; `y` is its baseline."""
    return Mark("text", (("x", x), ("y", y)), runs, **extra)


def path(d: str, runs: Runs, **extra: Unpack[Related]) -> Mark:
    """A line or shape in SVG path notation."""
    return Mark("path", (("d", d),), runs, **extra)
