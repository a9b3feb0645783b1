"""Draws the versions of a storage as dots on a line, each with the line and the operation that raised it: one line for each version counter.

Most storages have one counter; in PyTorch a write through `x.data` raises another one than a write through `x`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import written_aliases
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.svg import Look, Mark, between, flashes, lasting, path, text
from inplacelab_widgets.scene.tensor_cards import Card
from inplacelab_widgets.scene.text_layout import SMALL, coordinate, shortened, width_of

HEIGHT = 42.0
LINE = 17.0
"""The distance of the line from the top, in px: above it are the versions, below it what raised them."""
MOST_DOTS = 48
ROOM_FOR_NUMBER = 26.0
ROOM_FOR_SHORT = 50.0
BETWEEN = 6.0
"""The space between the labels of two versions, in px."""
NARROWEST, WIDEST = 190.0, 420.0
WIDE_ENOUGH = 227.0
"""The greatest width that a line has for its words only, in px: two storages stay side by side."""


@dataclass(frozen=True, slots=True)
class Raise:
    """The step that raised a version, the version before and after it, and what raised it."""

    step: int
    before: str
    after: str
    author: Text
    short: Text
    """The same without the word "line"."""
    counter: int = 0
    """The version counter."""

    @property
    def label(self) -> Text:
        """The two versions: "v1→v2"; "v1 stays" for a write that raises none."""
        if self.before == self.after:
            return words.STAYS.format(version=self.after)
        return Text(*[f"{self.before}→{self.after}"] * 2)


@dataclass
class VersionLine:
    """The versions of a storage from its first to its last step, in `room` px.

    Attributes:
        pitch: the distance from one dot to the next, in px.
        width: the length of the line, in px.
        ends: the last step at which each version is the present one.
    """

    raises: Sequence[Raise]
    first: int
    last: int
    room: float

    def __post_init__(self) -> None:
        count = len(self.raises) + 1
        for_words = max(width_of(each.short, SMALL) for each in self.raises) + 4
        self.pitch = min(max(self.room, NARROWEST, min(count * for_words, WIDE_ENOUGH)), WIDEST) / count
        self.width = self.pitch * count
        self.ends = [*(each.step - 1 for each in self.raises), self.last]

    def marks(self, left: float, top: float, keys: tuple[str, ...]) -> Iterator[Mark]:
        """Draws the line from `left` on, below `top`, with a dot for each version, and above each dot its number; if there is no room for
        all, above the present one.
        """
        y, places = top + LINE, [round(left + 6 + self.pitch * k, 1) for k in range(len(self.raises) + 1)]
        a, b = coordinate(places[0]), coordinate(left + self.width)
        yield path(f"M{a} {coordinate(y)}H{b}", between(self.first, self.last, Look("versions ahead")))
        reached = (
            (each.step, Look("versions", None, (("d", f"M{a} {coordinate(y)}H{coordinate(x)}"),)))
            for x, each in zip(places[1:], self.raises, strict=True)
        )
        yield Mark("path", (), lasting(reached, self.last), keys)
        if len(self.raises) > MOST_DOTS:
            yield from self._present(places[0], y, keys)
            return
        starts = [self.first, *(each.step for each in self.raises)]
        for k, (x, start) in enumerate(zip(places, starts, strict=True)):
            now, past, ahead = Look("bead raised"), Look("bead"), Look("bead ahead")
            looks = [(self.first, ahead, ahead), (start, now, past)] if k else [(start, past, past)]
            yield Mark("circle", (("cx", x), ("cy", y), ("r", 4.5)), flashes(looks, self.last), keys)
        labels = [self.raises[0].before, *("" if each.before == each.after else each.after for each in self.raises)]
        for k, (x, label, start) in enumerate(zip(places, labels, starts, strict=True)):
            if not label:
                continue
            now, past = Look("text middle bold", label), Look("text middle", label)
            ahead = Look("text middle ahead", label)
            looks = [(self.first, ahead, ahead), (start, now, past)] if k else [(start, past, past)]
            is_narrow = self.pitch < ROOM_FOR_NUMBER
            shown = flashes([(start, now, now)], self.ends[k]) if is_narrow else flashes(looks, self.last)
            yield text(x, y - 8, shown, keys=keys)
        yield from self._authors(places, y, keys)

    def _authors(self, places: Sequence[float], y: float, keys: tuple[str, ...]) -> Iterator[Mark]:
        """Below each dot what raised it, in short if need be, a little aside if its neighbors are long. If there is no room for all, below the last one
        raised.
        """
        start, end = places[0] - 6, places[0] - 6 + self.width
        said = [] if self.pitch < ROOM_FOR_SHORT else self._fitted(end - start)
        narrow = not said
        said = said or [_cut(each.author, self.width) for each in self.raises]
        halves = [width_of(each, SMALL) / 2 for each in said]
        middles = [max(min(x, end - half), start + half) for x, half in zip(places[1:], halves, strict=True)]
        if not narrow:
            middles = _apart(middles, halves, start, end)
        for k, (x, each, shown) in enumerate(zip(middles, self.raises, said, strict=True), 1):
            now, past, ahead = (
                Look(style, shown) for style in ("text middle bold", "text soft middle", "text middle ahead")
            )
            looks = [(each.step, now, past)] if narrow else [(self.first, ahead, ahead), (each.step, now, past)]
            yield text(round(x, 1), y + 17, flashes(looks, self.ends[k] if narrow else self.last), keys=keys)

    def _fitted(self, room: float) -> list[Text]:
        """What raised each version, for labels side by side in `room` px: in full, or in short; nothing if neither has room."""
        gaps = BETWEEN * (len(self.raises) - 1)
        forms = [each.author for each in self.raises], [each.short for each in self.raises]
        return next((form for form in forms if sum(width_of(each, SMALL) for each in form) + gaps <= room), [])

    def _present(self, x: float, y: float, keys: tuple[str, ...]) -> Iterator[Mark]:
        """The present version and what raised it, where there are too many for dots."""
        said = ((each.step, Text("{0}: {1}", "{0}：{1}").format(each.after, each.author)) for each in self.raises)
        looks = ((step, Look("text bold", shown), Look("text soft", shown)) for step, shown in said)
        yield text(x - 6, y + 17, flashes(looks, self.last), keys=keys)


def _apart(middles: Sequence[float], halves: Sequence[float], start: float, end: float) -> list[float]:
    """Moves labels, given by their middles and half widths, so that none overlaps the next, within `start` and `end`."""
    placed, edge = [], start
    for middle, half in zip(middles, halves, strict=True):
        placed.append(max(middle, edge + half))
        edge = placed[-1] + half + BETWEEN
    edge = end
    for k in range(len(placed) - 1, -1, -1):
        placed[k] = min(placed[k], edge - halves[k])
        edge = placed[k] - halves[k] - BETWEEN
    return placed


def _cut(author: Text, room: float) -> Text:
    return Text(shortened(author.en, room), shortened(author.zh, room))


# --- version counters -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counter:
    """One version counter of a storage."""

    labels: tuple[tuple[int, str], ...]
    """(step, version) wherever the version changes."""
    raises: tuple[Raise, ...]
    cards: tuple[Card, ...]
    """The tensors that share it."""
    stays: tuple[tuple[int, str], ...] = ()
    """(step, its version) wherever its storage was written through an alias that counts for itself."""

    def names(self, last: int) -> Iterator[tuple[int, str]]:
        """Yields (step, the names of the tensors that share it) wherever they change, up to step `last`."""
        begun = {step for card in self.cards for step, _ in card.life.moments}
        for step in sorted(begun | {card.life.last + 1 for card in self.cards}):
            faces = [card.life.at(step) for card in self.cards]
            named = [chip for face in faces if face is not None and face.called.names for chip in face.chips]
            if step <= last:
                yield step, ", ".join(named)


def counters(recording: Recording) -> dict[int, dict[int, list[tuple[int, str]]]]:
    """Returns, for each storage and each of its counters, (step, version) wherever the version changes."""
    found: dict[int, dict[int, list[tuple[int, str]]]] = {}
    label = terms_of(recording).label
    for step in recording.steps:
        for key, facts in step.counters:
            if facts is not None:
                found.setdefault(facts.storage, {}).setdefault(key, []).append((step.index, label(facts.version)))
    return found


def passed_by(recording: Recording) -> dict[int, list[tuple[int, str]]]:
    """Returns (step, its version) for each counter, wherever a step wrote its storage through an alias that counts for itself, and did not raise it."""
    found: dict[int, list[tuple[int, str]]] = {}
    label = terms_of(recording).label
    for index, aliases in written_aliases(recording).items():
        state, raised = recording.state(index), {write.counter for write in recording.steps[index].writes}
        for counter in {state.tensors[each.of].counter for each in aliases if each.is_counted_apart(state)} - raised:
            found.setdefault(counter, []).append((index, label(state.counters[counter].version)))
    return found
