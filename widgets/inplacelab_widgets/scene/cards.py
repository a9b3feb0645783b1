"""Draws tensors as cards beside their storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from inplacelab.language import Text
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.recording import Recording, State, is_look
from inplacelab.recording.slots import is_contiguous
from inplacelab.recording.tensor_names import Called
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.acts import TensorRole, names_used
from inplacelab_widgets.scene.changed_looks import step_changes
from inplacelab_widgets.scene.marks import Look, Mark, between, flashes, rect, text
from inplacelab_widgets.scene.measure import NORMAL, Words, shortened, width_of
from inplacelab_widgets.scene.names import (
    dimensions,
    kind,
    not_yet,
    origin,
    tensor_name,
)
from inplacelab_widgets.scene.palette import TENSOR_COLORS
from inplacelab_widgets.scene.timeline import Life, followed

CHIP_GAP = 4.0
USUAL_DTYPE = "float32"
LONGEST_ORIGIN = 180.0
LONGEST_NAME = 130.0
"""The width at which a chip is cut; the table below the picture has the whole name."""


@dataclass(frozen=True, slots=True)
class CardContent:
    """The content of a card after one step."""

    facts: TensorFacts
    called: Called
    chips: tuple[str, ...]
    kind: Words | None
    origin: Text
    """What made it; in a recording without a program, what kind of tensor it is."""
    unusual: tuple[Words, ...]
    """Its shape, and what else is not as it is with most tensors."""
    layout: tuple[Words, ...]
    """Its strides, its offset and the type of all elements of its storage, if they are not as with most tensors."""
    gone: bool = False
    """Whether it is drawn although the program has no such tensor any more."""

    def beside_chips(self, *, in_full: bool) -> Text:
        """What stands beside its names; in short, without the layout."""
        shape, *rest = self.unusual
        found = (shape, *(self.layout if in_full else ()), *rest, *([words.GONE] if self.gone else []))
        return Text(*["  ".join(["{}"] * len(found))] * 2).format(*found)

    @property
    def chips_width(self) -> float:
        return sum(_chip_width(chip) + CHIP_GAP for chip in self.chips)


@dataclass(frozen=True, slots=True)
class Card:
    """A tensor on one storage, over the steps in which it refers to it."""

    tensor: int
    storage: int
    color: int
    life: Life[CardContent]
    names_used: Mapping[int, str]
    """Where it has several names: the one by which a step writes it, by step."""

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
    used = names_used(recording)
    return [
        Card(tensor, storage, order[tensor] % TENSOR_COLORS, life, used.get(tensor, {}))
        for (tensor, storage), life in found.items()
    ]


def card_changes(recording: Recording) -> Iterator[tuple[int, tuple[int, int], CardContent | None]]:
    """Yields (step, (tensor, storage), face) where the face or the storage of a tensor changes; None where its card ends."""
    on: dict[int, int] = {}
    for touch in step_changes(recording):
        state, index = touch.state, touch.state.step.index
        for key in touch.tensors:
            facts = state.tensors.get(key)
            if key in on and (facts is None or facts.storage != on[key]):
                yield index, (key, on.pop(key)), None
            if facts is not None:
                on[key] = facts.storage
                yield index, (key, facts.storage), face_of(recording, facts, state)


def face_of(recording: Recording, tensor: TensorFacts, state: State) -> CardContent:
    """Returns the content of a tensor's card after one step."""
    called = state.called(tensor.id)
    detail = (
        kind(recording, tensor, state, LONGEST_NAME) or not_yet(called) or (None if called.names else words.UNNAMED)
    )
    return CardContent(
        tensor,
        called,
        tuple(shortened(chip, LONGEST_NAME) for chip in called.shown),
        detail,
        _kind_in_look(detail, state, tensor) if is_look(recording) else origin(recording, tensor.id, LONGEST_ORIGIN),
        tuple(_unusual(recording, tensor, state)),
        tuple(_layout(tensor, state)),
    )


def _kind_in_look(kind: Words | None, state: State, tensor: TensorFacts) -> Text:
    """What kind of tensor it is, if that does not stand beside its names."""
    return Text("{0}", "{0}").format("" if kind is None or state.owner_of_gradient(tensor.id) is not None else kind)


def _unusual(recording: Recording, tensor: TensorFacts, state: State) -> Iterator[Words]:
    yield dimensions(tensor.shape)
    called = state.called(tensor.id)
    if not called.bound and not_yet(called) is None:  # the border of a name to come says so already
        yield words.UNNAMED
    if tensor.dtype != state.storages[tensor.storage].dtype:
        yield tensor.dtype
    owner = state.owner_of_gradient(tensor.id)
    if owner is not None:
        yield words.GRADIENT_OF.format(tensor=shortened(tensor_name(owner, state), LONGEST_NAME))
    elif tensor.leaf and tensor.needs_gradient:
        yield terms_of(recording).flagged(asks=True)


def _layout(tensor: TensorFacts, state: State) -> Iterator[Words]:
    if not is_contiguous(tensor):
        yield words.STRIDES + Text(*[f" {dimensions(tensor.strides)}"] * 2)
    if tensor.offset:
        yield words.OFFSET + Text(*[f" {tensor.offset}"] * 2)
    if tensor.dtype != USUAL_DTYPE and tensor.dtype == state.storages[tensor.storage].dtype:
        yield tensor.dtype


def _chip_width(name: str) -> float:
    return width_of(name, NORMAL) + 12


def chip_marks(
    card: Card,
    face: CardContent,
    x: float,
    y: float,
    first: int,
    last: int,
    acting: Mapping[int, TensorRole] = MappingProxyType({}),
) -> list[Mark]:
    """Draws a tensor's names from step `first` to step `last`, from (x, y) to the right. They stand out in the steps that make the tensor,
    write through it, or are refused with it; of several names, the one that the line of the step uses.
    """
    marks = []
    active = [step for step, act in acting.items() if act != "read" and first <= step <= last]
    coming = " coming" * (face.called.coming or face.gone)
    for whole, name in zip(face.called.shown, face.chips, strict=True):
        width = _chip_width(name)
        if face.called.names or active:
            usual = Look(f"chip c{card.color}-line{coming}") if face.called.names else None
            looks = {
                act: Look(f"chip {'refused' if act == 'refused' else 'acting'}{coming}") for act in acting.values()
            }
            mine = [step for step in active if card.names_used.get(step, whole) == whole]
            box = flashes([(first, usual, usual), *((step, looks[acting[step]], usual) for step in mine)], last)
            marks.append(rect(x, y, width, 15, box, 7.5, keys=card.keys, links=card.links))
        look = Look("text value italic soft" if face.gone else _style(face.called), name)
        marks.append(text(round(x + width / 2, 1), y + 11.5, between(first, last, look), keys=card.keys))
        x = round(x + width + CHIP_GAP, 1)
    return marks


def _style(called: Called) -> str:
    if called.coming:
        return "text value italic"
    return "text value bold" if called.names else "text value italic soft"


def layouts(life: Life[CardContent]) -> list[tuple[int, int, TensorFacts]]:
    """Returns (first step, last step, facts) for each range of steps over which a tensor's metadata do not change."""
    starts: list[tuple[int, TensorFacts]] = []
    for step, face in life.moments:
        if not starts or _metadata(starts[-1][1]) != _metadata(face.facts):
            starts.append((step, face.facts))
    ends = [step - 1 for step, _ in starts[1:]] + [life.last]
    return [(step, end, facts) for (step, facts), end in zip(starts, ends, strict=True)]


def _metadata(facts: TensorFacts) -> tuple[object, ...]:
    return facts.shape, facts.strides, facts.offset, facts.dtype


def stretches(life: Life[CardContent]) -> list[tuple[int, int, CardContent]]:
    """Returns (first, last, face) for each range of steps over which the tensor keeps its names."""
    starts: list[tuple[int, CardContent]] = []
    for step, face in life.moments:
        if not starts or (starts[-1][1].called, starts[-1][1].gone) != (face.called, face.gone):
            starts.append((step, face))
    ends = [after[0] - 1 for _, after in pairwise(starts)] + [life.last]
    return [(step, last, face) for (step, face), last in zip(starts, ends, strict=True)]
