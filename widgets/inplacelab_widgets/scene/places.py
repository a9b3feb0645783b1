"""Says where in a program of several texts a step was, and packs the texts, the places and the chains of calls for the player.

Of a recording with one text and no functions nothing is said or packed but the line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from inplacelab.language import LANGUAGES, Text
from inplacelab.place import Place
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import has_sources, line_of, source_name, unquoted
from inplacelab_widgets.words.player import PLACES

MOST_CALLS = 5
"""The most calls of a chain that are written one by one in a still picture."""
_LAST = 3
"""So many of the innermost calls are written if not all are."""


def has_frames(recording: Recording) -> bool:
    """Whether the program was inside its functions, so that there is a chain of calls to show."""
    return recording.once(_has_frames)


def _has_frames(recording: Recording) -> bool:
    return any(step.place is not None and step.place.called_from is not None for step in recording.steps)


def source_lines(recording: Recording, source: int = 0) -> list[str]:
    """Returns the lines of a text of the program, without blank ones at the end."""
    return [line.expandtabs(4) for line in recording.text_of(source).rstrip().split("\n")]


# --- the chain of calls -------------------------------------------------------------------------------------------------


def call_label(recording: Recording, place: Place, *, innermost: bool) -> Text:
    """Returns what a call of the chain is called: "train.py:63", "Block.forward:12", "net.layers.3 · Block.forward:12".

    A function is named, but where only its file is new and the calls from it are what matters.
    """
    caller = place.called_from
    turn = sum(_function(each) == _function(place) for each in place.calls)
    is_elsewhere = caller is None or caller.source != place.source
    if not place.function or (is_elsewhere and not (innermost or place.owner or turn > 1)):
        return line_of(recording, place)
    owner = f"{place.owner} · " if place.owner else ""
    named = Text(*[f"{owner}{place.function}:{place.line}"] * 2)
    return named if turn == 1 else words.NTH_CALL.format(named, Text(ordinal(turn), str(turn)))


def _function(place: Place) -> tuple[int, str, str]:
    return place.source, place.function, place.owner


def ordinal(number: int) -> str:
    """Returns a number as an ordinal.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '113th']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def chain_of(recording: Recording, place: Place | None) -> list[Text]:
    """Returns the calls that led to a place, outermost first; of a long chain the middle is left out. Nothing if there were none."""
    if place is None or place.called_from is None:
        return []
    calls = [*place.calls]
    labels = [call_label(recording, each, innermost=each is place) for each in calls]
    if len(calls) > MOST_CALLS:
        skipped = sum(1 + each.skipped for each in calls[_LAST:-1]) + calls[_LAST - 1].skipped
        labels[_LAST:-1] = [PLACES["calls_between"].format(count=skipped)]
    else:
        between = [(k, each.skipped) for k, each in enumerate(calls) if each.skipped]
        for k, skipped in reversed(between):
            labels.insert(k + 1, PLACES["calls_between"].format(count=skipped))
    return labels[::-1]


def place_in_words(recording: Recording, place: Place) -> Text:
    """Returns a place in one line: "line 12", or in a program of several texts with the calls: "train.py:63 › gan.py:40 › Block.forward:12"."""
    calls = chain_of(recording, place) if has_sources(recording) else []
    en, zh = (" › ".join(each.in_language(language) for each in calls) for language in LANGUAGES)
    return Text(en, zh) if calls else line_of(recording, place)


# --- for the player -----------------------------------------------------------------------------------------------------


Says = Callable[[Text | str], int]
"""Gives the position of words."""


class Lines:
    """The lines of all texts, counted through: a number stands for a text and a line of it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        texts = [source_lines(recording, source) for source in range(len(recording.sources))]
        if len(texts) > 1:
            last = _last_lines(recording)
            # Of a text that is not known there are empty lines, so that each of its lines has a number.
            texts = [[*text, *[""] * (last[k] - len(text))] for k, text in enumerate(texts)]
        self.texts = texts
        self._before = [0, *accumulate(map(len, self.texts))]

    def number(self, source: int, line: int) -> int:
        """Returns the number of a line of a text."""
        return self._before[source] + line

    def of(self, place: Place | None) -> int | None:
        """Returns the number of the line of a place."""
        return None if place is None else self.number(place.source, place.line)

    def all(self) -> list[str]:
        """Returns the lines of all texts."""
        return [line for text in self.texts for line in text]

    def packed(self, says: Says) -> list[list[Any]]:
        """Returns for each text [short name, name, how many lines are before it, remark]; words as positions."""
        found = []
        for k, source in enumerate(self._recording.sources):
            short = source_name(self._recording, k)
            remark = [says(unquoted(source.remark))] if source.remark.en else []
            found.append([says(short), says(source.name or short), self._before[k], *remark])
        return found


def _last_lines(recording: Recording) -> Counter[int]:
    """The last line of each text on which the program was."""
    last: Counter[int] = Counter()
    places = {id(step.place): step.place for step in recording.steps if step.place is not None}
    for place in (each for some in places.values() for each in some.calls):
        last[place.source] = max(last[place.source], place.line)
    return last


class Places:
    """The places of a recording, each packed once."""

    def __init__(self, recording: Recording, lines: Lines, says: Says) -> None:
        self._recording, self._lines, self._says = recording, lines, says
        self._positions: dict[Place, int] = {}
        self.packed: list[list[Any]] = []
        """For each place [number of the line, label, position of the place of the call or -1, function, calls left out, label as the innermost
        one], without what is empty at the end."""

    def position(self, place: Place) -> int:
        """Returns the position of a place."""
        if place in self._positions:
            return self._positions[place]
        caller = -1 if place.called_from is None else self.position(place.called_from)
        plain, inner = (call_label(self._recording, place, innermost=innermost) for innermost in (False, True))
        entry: list[Any] = [self._lines.of(place), self._says(plain), caller, place.function, place.skipped]
        if (plain.en, plain.zh) != (inner.en, inner.zh):
            entry.append(self._says(inner))
        else:
            while len(entry) > 2 and entry[-1] == _USUAL[len(entry)]:
                entry.pop()
        self.packed.append(entry)
        self._positions[place] = len(self.packed) - 1
        return self._positions[place]


_USUAL = {3: -1, 4: "", 5: 0}
"""What the ends of packed places are without, by their length."""
