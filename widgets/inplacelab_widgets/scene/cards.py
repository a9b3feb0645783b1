"""Draws tensors as cards beside their storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from inplacelab.language import Text
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.frameworks import framework_of
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.tensor_names import Called
from inplacelab_widgets import words
from inplacelab_widgets.scene.changed_looks import touched
from inplacelab_widgets.scene.marks import Look, Mark, Words, between, flashes, lasting, path, rect, text
from inplacelab_widgets.scene.measure import NORMAL, SMALL, coordinate, shortened, widest, width_of
from inplacelab_widgets.scene.names import formula, kind, layout_words, maker, node_called, not_yet
from inplacelab_widgets.scene.palette import TENSOR_COLOURS
from inplacelab_widgets.scene.timeline import Life, followed

LINE_HEIGHT = 12.0
PAD = 9.0
CHIP_GAP = 4.0
LONGEST_NAME = 130.0
"""The width at which a chip is cut; the table below the picture has the whole name."""


@dataclass(frozen=True, slots=True)
class Face:
    """The content of a card after one step."""

    facts: TensorFacts
    called: Called
    chips: tuple[str, ...]
    kind: Words | None
    lines: tuple[Words, ...]

    @property
    def comb_name(self) -> str:
        """The tensor's name beside its slots."""
        return self.called.first

    @property
    def chips_width(self) -> float:
        return sum(_chip_width(chip) + CHIP_GAP for chip in self.chips)

    @property
    def width(self) -> float:
        return 2 * PAD + max(self.chips_width + 8 + width_of(self.kind, SMALL), widest(self.lines, SMALL))


@dataclass(frozen=True, slots=True)
class Card:
    """A tensor on one storage, over the steps in which it refers to it."""

    tensor: int
    storage: int
    colour: int
    life: Life[Face]
    width: float

    @property
    def height(self) -> float:
        """The height of a row of names and a row for each line, in px; all cards of a recording have the same number of lines."""
        return LINE_HEIGHT * (1 + len(self.life.moments[0][1].lines)) + 12

    @property
    def keys(self) -> tuple[str, ...]:
        return (f"t{self.tensor}",)

    @property
    def links(self) -> tuple[str, ...]:
        """The keys of the nodes that ever made its value."""
        return tuple(dict.fromkeys(f"n{face.facts.node}" for face in self.life.every() if face.facts.node is not None))


def cards(recording: Recording) -> list[Card]:
    """Returns the cards of all tensors; a tensor that gets a new storage has a card on each."""
    return recording.once(_cards)


def _cards(recording: Recording) -> list[Card]:
    found = followed(card_changes(recording), len(recording) - 1)
    order = {tensor: k for k, tensor in enumerate(dict.fromkeys(tensor for tensor, _ in found))}
    return [
        Card(tensor, storage, order[tensor] % TENSOR_COLOURS, life, max(face.width for face in life.every()))
        for (tensor, storage), life in found.items()
    ]


def card_changes(recording: Recording) -> Iterator[tuple[int, tuple[int, int], Face | None]]:
    """Yields (step, (tensor, storage), face) where the face or the storage of a tensor changes; None where its card ends."""
    on: dict[int, int] = {}
    for touch in touched(recording):
        state, index = touch.state, touch.state.step.index
        for key in touch.tensors:
            facts = state.tensors.get(key)
            if key in on and (facts is None or facts.storage != on[key]):
                yield index, (key, on.pop(key)), None
            if facts is not None:
                on[key] = facts.storage
                yield index, (key, facts.storage), face_of(recording, facts, state)


def face_of(recording: Recording, tensor: TensorFacts, state: State) -> Face:
    """Returns the content of a tensor's card after one step."""
    called = state.called(tensor.id)
    node = state.nodes.get(tensor.node) if tensor.node is not None else None
    framework = framework_of(recording)
    reach = Text(f"{tensor.dtype} · ", f"{tensor.dtype} · ") + formula(tensor)
    history: tuple[Text, ...] = ()
    if framework.has_gradients:
        flag, made_by = (
            framework.flagged(asks=tensor.needs_gradient),
            node_called(state, node) if node else words.NO_NODE,
        )
        history = (Text("{flag} · {node}", "{flag} · {node}").format(flag=flag, node=made_by),)
    detail = (
        kind(recording, tensor, state, LONGEST_NAME) or not_yet(called) or (None if called.names else words.UNNAMED)
    )
    return Face(
        tensor,
        called,
        tuple(shortened(chip, LONGEST_NAME) for chip in called.shown),
        detail,
        (layout_words(tensor), reach, *history, maker(recording, tensor.id, LONGEST_NAME)),
    )


def _chip_width(name: str) -> float:
    return width_of(name, NORMAL) + 12


def card_marks(card: Card, x: float, y: float, width: float) -> list[Mark]:
    """Draws a card with its top left corner at (x, y)."""
    keys, links, moments, last = card.keys, card.links, card.life.moments, card.life.last
    outline = flashes(((step, Look("card changed"), Look("card")) for step, _ in moments), last)
    bar = between(card.life.first, last, Look(f"bar c{card.colour}-fill"))
    marks = [
        rect(x, y, width, card.height, outline, 4, keys=keys, links=links),
        rect(x, y + 4, 4, card.height - 8, bar, keys=keys),
    ]
    for since, until, face in stretches(card.life):
        marks += chip_marks(card, face, x + PAD, y + 4, since, until)
    kinds = lasting(((step, Look("text soft end", face.kind) if face.kind else None) for step, face in moments), last)
    marks.append(text(x + width - PAD, y + 4 + 11.5, kinds, keys=keys))
    for k in range(len(moments[0][1].lines)):
        detail = lasting(((step, Look("text soft" if k else "text", face.lines[k])) for step, face in moments), last)
        marks.append(text(x + PAD, y + LINE_HEIGHT * (k + 2) + 8, detail, keys=keys))
    return marks


def chip_marks(card: Card, face: Face, x: float, y: float, first: int, last: int) -> list[Mark]:
    """Draws a tensor's names from step `first` to step `last`, from (x, y) to the right."""
    marks = []
    for name in face.chips:
        width = _chip_width(name)
        if face.called.names:
            box = between(first, last, Look(f"chip c{card.colour}-line{' coming' * face.called.coming}"))
            marks.append(rect(x, y, width, 15, box, 7.5, keys=card.keys, links=card.links))
        look = Look(_style(face.called), name)
        marks.append(text(round(x + width / 2, 1), y + 11.5, between(first, last, look), keys=card.keys))
        x = round(x + width + CHIP_GAP, 1)
    return marks


def _style(called: Called) -> str:
    if called.coming:
        return "text value italic"
    return "text value bold" if called.names else "text value italic soft"


def wire_marks(card: Card, card_left: float, card_middle: float, strip_right: float, strip_middle: float) -> list[Mark]:
    """Draws the pointer from a card to its storage."""
    wire, tip = (between(card.life.first, card.life.last, Look(style)) for style in ("wire", "tip"))
    a, b, bus = coordinate(card_left), coordinate(card_middle), coordinate(card_left - 9)
    right, middle = coordinate(strip_right + 2), coordinate(strip_middle)
    return [
        path(f"M{a} {b}H{bus}V{middle}H{coordinate(strip_right + 6)}", wire, keys=card.keys),
        path(f"M{right} {middle}l6 -3.5v7z", tip, keys=card.keys),
    ]


def stretches(life: Life[Face]) -> list[tuple[int, int, Face]]:
    """Returns (first, last, face) for each range of steps over which the tensor keeps its names."""
    starts: list[tuple[int, Face]] = []
    for step, face in life.moments:
        if not starts or starts[-1][1].called != face.called:
            starts.append((step, face))
    ends = [after[0] - 1 for _, after in pairwise(starts)] + [life.last]
    return [(step, last, face) for (step, face), last in zip(starts, ends, strict=True)]
