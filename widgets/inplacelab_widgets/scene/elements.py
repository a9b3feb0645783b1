"""Draws the elements panel: each tensor as the grid that a program sees, and how its metadata map elements to slots.

A storage is a flat run of slots; shape, strides and offset arrange it in rows and columns. Each tensor with a name has a
fixed seat with its metadata, the formula with its numbers, the hops along the axes, and for each element its value and
its slot. Tensors that never live at the same time share a seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.touched import Touched, touched
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.cards import Card, CardContent, cards, chip_marks, layouts, stretches
from inplacelab_widgets.scene.element_grid import LINE, Sheet, sheet_for, sheet_marks
from inplacelab_widgets.scene.marks import (
    Attributes,
    Group,
    Look,
    Mark,
    Panel,
    always,
    between,
    flashes,
    lasting,
    rect,
    runs,
    text,
)
from inplacelab_widgets.scene.measure import SMALL, width_of
from inplacelab_widgets.scene.names import tensor_name
from inplacelab_widgets.scene.timeline import Life, shared_rows, storage_lives

WIDTH = 814.0
PAD = 9.0
TITLE = 24.0
GAP = 10.0
"""The space between one seat and the next, in px."""
MOST_NAMES = 12
"""The most tensors that the description of a step names."""


@dataclass(frozen=True)
class _Home:
    """A tensor on one storage: its card, and a sheet for each of its layouts there."""

    card: Card
    sheets: tuple[Sheet, ...]

    @cached_property
    def title_width(self) -> float:
        return max(face.chips_width + 12 + width_of(_place(face), SMALL) for face in self.card.life.every())


@dataclass(frozen=True)
class _Seat:
    """The place of one tensor, or of several that never live together."""

    homes: tuple[_Home, ...]

    @cached_property
    def sheets(self) -> tuple[Sheet, ...]:
        return tuple(chain.from_iterable(home.sheets for home in self.homes))

    @cached_property
    def metadata_lines(self) -> int:
        """The number of lines of metadata: the present ones, and the earlier ones after a change."""
        return 2 + max(len(sheet.changes) for sheet in self.sheets)

    @cached_property
    def width(self) -> float:
        inside = max(*(home.title_width for home in self.homes), *(sheet.width for sheet in self.sheets))
        return round(2 * PAD + inside, 1)

    @cached_property
    def below_title(self) -> float:
        return TITLE + LINE * self.metadata_lines

    @cached_property
    def height(self) -> float:
        return self.below_title + max(sheet.height for sheet in self.sheets) + PAD


def elements_panel(recording: Recording) -> Panel:
    """Returns the panel with the elements of every tensor that has a name at some step."""
    done, last = touched(recording), len(recording) - 1
    groups: list[Group] = []
    x = y = tall = 0.0
    seats = _seats(recording)
    for seat in seats:
        if x and x + seat.width > WIDTH:
            x, y, tall = 0.0, y + tall + GAP, 0.0
        marks = [mark for home in seat.homes for mark in _home_marks(home, seat, done.get(home.card.storage, {}))]
        marks = _merged(marks)
        lives_of = [home.card.life for home in seat.homes]
        first, end = min(life.first for life in lives_of), max(life.last for life in lives_of)
        groups.append(Group(x, y, seat.width, seat.height, first, end, tuple(marks)))
        x, tall = x + seat.width + GAP, max(tall, seat.height)
    if not groups:
        nothing = text(0, 20, always(Look("text soft", terms_of(recording).in_framework_words(words.NO_TENSOR))))
        groups.append(Group(0, 0, WIDTH, 30, 0, last, (nothing,)))
    width = max(WIDTH, *(group.x + group.width for group in groups))
    return Panel("elements", width, max(y + tall, 40), tuple(groups), _descriptions(recording, seats))


def _seats(recording: Recording) -> list[_Seat]:
    """Seats in the order in which their first tensors appeared."""
    storages = storage_lives(recording)
    tensors: dict[int, list[Card]] = {}
    for card in cards(recording):
        tensors.setdefault(card.tensor, []).append(card)
    named = [own for own in tensors.values() if any(face.called.names for card in own for face in card.life.every())]
    spans = [(own[0].life.first, max(card.life.last for card in own)) for own in named]
    seats: dict[int, list[_Home]] = {}
    for row, own in zip(shared_rows(spans), named, strict=True):
        seats.setdefault(row, []).extend(_homes(own, storages))
    return [_Seat(tuple(seats[row])) for row in sorted(seats)]


def _homes(own: Sequence[Card], storages: Mapping[int, Life[StorageFacts]]) -> list[_Home]:
    homes = []
    before: TensorFacts | None = None
    for card in own:
        sheets = []
        for first, last, facts in layouts(card.life):
            sheets.append(sheet_for(facts, before, first, last, storages[card.storage], WIDTH - 2 * PAD))
            before = facts
        homes.append(_Home(card, tuple(sheets)))
    return homes


def _place(face: CardContent) -> Text:
    """The storage and the kind of a tensor, in words."""
    where = storage_label(face.facts.storage)
    return Text("{0} · {1}", "{0} · {1}").format(where, face.kind) if face.kind else Text(where, where)


def _home_marks(home: _Home, seat: _Seat, done: Mapping[int, Touched]) -> list[Mark]:
    card, life = home.card, home.card.life
    outline = flashes(((sheet.first, Look("card changed"), Look("card")) for sheet in home.sheets), life.last)
    bar = between(life.first, life.last, Look(f"bar c{card.color}-fill"))
    marks = [
        rect(0, 0, seat.width, seat.height, outline, 4, keys=card.keys),
        rect(0, 4, 4, seat.height - 8, bar),
    ]
    for first, last, face in stretches(life):
        marks += chip_marks(card, face, PAD, 6, first, last)
    places = lasting(((step, Look("text soft end", _place(face))) for step, face in life.moments), life.last)
    marks.append(text(seat.width - PAD, 17.5, places))
    for sheet in home.sheets:
        marks += sheet_marks(sheet, PAD, TITLE, seat.below_title, done)
    return marks


_LAYERS = ("rect", "path", "text")
"""The marks of one tensor. Words are drawn over boxes, also over those of other tensors in the seat."""


def _merged(marks: Sequence[Mark]) -> list[Mark]:
    """Marks of a seat in layers. Marks without a key at the same place are merged: the tensors of a loop's turns have
    the same indices, hops and slots.
    """
    own = [mark for mark in marks if mark.keys]
    shared: dict[tuple[str, Attributes, str], list[tuple[int, Look | None]]] = {}
    kinds: dict[tuple[str, Attributes, str], Mark] = {}
    for mark in marks:
        if not mark.keys:
            # The borders of written and read elements have their places in their looks.
            style = "" if mark.place else next((look.style for _, look in mark.runs if look), "")
            kinds.setdefault((mark.tag, mark.place, style), mark)
            shared.setdefault((mark.tag, mark.place, style), []).extend(mark.runs)
    for key, looks in shared.items():
        # Where one ends and the next begins at the same step, show the next.
        looks.sort(key=lambda moment: (moment[0], moment[1] is not None))
        own.append(kinds[key]._replace(runs=runs(looks)))
    return sorted(own, key=lambda mark: _LAYERS.index(mark.tag))


def _descriptions(recording: Recording, seats: Sequence[_Seat]) -> tuple[tuple[int, Text], ...]:
    laid_out: dict[int, list[int]] = {}
    for home in chain.from_iterable(seat.homes for seat in seats):
        for sheet in home.sheets:
            laid_out.setdefault(sheet.first, []).append(home.card.tensor)
    return tuple((state.step.index, _said(state, laid_out.get(state.step.index, []))) for state in recording.states())


def _said(state: State, laid_out: Sequence[int]) -> Text:
    called = map(state.called, state.tensors)
    shown = [enumerated(each.shown) for each in islice((each for each in called if each.names), MOST_NAMES + 1)]
    shown[MOST_NAMES:] = [Text("…", "…")] if len(shown) > MOST_NAMES else []
    tensors = Text("; ".join(each.en for each in shown), "；".join(each.zh for each in shown)) if shown else words.NONE
    changed = enumerated([tensor_name(key, state) for key in laid_out]) if laid_out else words.NONE
    return words.ELEMENTS_SAY.format(tensors=tensors, changed=changed)
