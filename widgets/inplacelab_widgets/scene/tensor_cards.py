"""Finds which tensors a step is about, and what it does to each: writes through it, makes it, reads it, or is refused with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording import queries
from inplacelab.recording.facts import SavedFacts, Step, StorageFacts, TensorFacts
from inplacelab.recording.naming import name_on_line
from inplacelab.recording.recording import Recording, State, is_look
from inplacelab.recording.slots import Runs, common_runs, is_contiguous, joined
from inplacelab.recording.tensor_names import Called
from inplacelab.recording.touched import differing
from inplacelab.recording.values_read import slots_reached
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import (
    dimensions,
    kind,
    not_yet,
    origin,
    tensor_name,
)
from inplacelab_widgets.scene.palette import TENSOR_COLORS
from inplacelab_widgets.scene.svg import Look, Mark, between, flashes, rect, text
from inplacelab_widgets.scene.text_layout import NORMAL, Words, shortened, width_of
from inplacelab_widgets.scene.timeline import Life, followed, step_changes

TensorRole = Literal["wrote", "made", "read", "refused"]

MOST_REFUSED = 2
"""The most operands of a refused operation that stand out."""
MOST_MADE = 3
"""The most tensors made by one step that stand out."""


def tensor_roles(recording: Recording) -> Mapping[int, Mapping[int, TensorRole]]:
    """Returns what each step does to a tensor, by tensor and step: `acts(recording)[tensor][step]`. What is written through a view without
    a name, as in `a[0].add_(b)`, is written through `a`.
    """
    return recording.once(_acts)


def names_used(recording: Recording) -> Mapping[int, Mapping[int, str]]:
    """Returns by which name the line of a step writes a tensor that has several: `names_used(recording)[tensor][step]`. A line that has none of
    them, or more than one, tells nothing.
    """
    return recording.once(_names_used)


def _names_used(recording: Recording) -> dict[int, dict[int, str]]:
    wrote: dict[int, list[int]] = {}
    for tensor, deeds in tensor_roles(recording).items():
        for at in (at for at, act in deeds.items() if act == "wrote"):
            wrote.setdefault(at, []).append(tensor)
    found: dict[int, dict[int, str]] = {}
    names: dict[int, tuple[str, ...]] = {}
    for step in recording.steps:
        for tensor in wrote.get(step.index, ()):
            several = names.get(tensor, ()) if len(names.get(tensor, ())) > 1 else ()
            used = [name for name in several if name_on_line(recording, step.line, (name,), or_first=False)]
            if len(used) == 1:
                found.setdefault(tensor, {})[step.index] = used[0]
        names |= {tensor: facts.names for tensor, facts in step.tensors if facts is not None}
    return found


def _acts(recording: Recording) -> dict[int, dict[int, TensorRole]]:
    found: dict[int, dict[int, TensorRole]] = {}
    known: set[int] = set()
    for step in recording.steps:
        refused: dict[int, TensorRole] = dict.fromkeys(
            queries.refused_operands(recording, step.index)[:MOST_REFUSED], "refused"
        )
        for tensor, act in (_acts_of(recording, step, known) | refused).items():
            found.setdefault(tensor, {})[step.index] = act
        known.update(tensor for tensor, facts in step.tensors if facts is not None)
    return found


def _acts_of(recording: Recording, step: Step, known: set[int]) -> dict[int, TensorRole]:
    """What one step does; `known` are the tensors that existed before it."""
    found: dict[int, TensorRole] = {read.tensor: "read" for read in step.reads}
    made = [tensor for tensor, facts in step.tensors if facts is not None and tensor not in known]
    if len(made) <= MOST_MADE:  # of many, none would stand out
        found |= dict.fromkeys(made, "made")
    if not step.writes:
        return found
    before = recording.before(step.index)
    return found | {queries.with_a_name(recording, before, write.tensor): "wrote" for write in step.writes}


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


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A kept value that a step is refused for.

    Attributes:
        storage: the number of its storage.
        step: the refused step.
        written: the step of the last write to the value.
        slots: the slots of the value that hold something else now, as far as known.
        kept: the storage as it was when the value was kept.
    """

    storage: int
    step: int
    written: int
    slots: Runs
    kept: StorageFacts


def overwritten(recording: Recording) -> dict[int, Overwritten]:
    """Returns what refused steps found overwritten, by storage; of several steps on one storage, the last."""
    return recording.once(_overwritten)


def _overwritten(recording: Recording) -> dict[int, Overwritten]:
    found: dict[int, Overwritten] = {}
    for step in recording.steps:
        if step.error is None or step.error.storage is None or step.error.node is None:
            continue
        state = recording.state(step.index)
        node = state.nodes.get(step.error.node)
        for saved in node.saved if node else ():
            if saved.storage == step.error.storage and saved.storage in state.storages and state.is_stale(saved):
                found |= {lost.storage: lost for lost in _of(recording, state, saved)}
    return found


def _of(recording: Recording, state: State, saved: SavedFacts) -> Iterator[Overwritten]:
    writes = queries.who_overwrote(recording, saved, state.step.index)
    kept = recording.before(writes[0][0].index).storages.get(saved.storage) if writes else None
    if kept is None:
        return
    now = state.storages[saved.storage]
    written = joined(sorted(run for _, write in writes for run in write.slots))
    slots = common_runs(slots_reached(now, saved), written)
    if isinstance(kept.values, tuple) and isinstance(now.values, tuple):
        slots = differing(kept.values, now.values, slots)
    yield Overwritten(saved.storage, state.step.index, writes[-1][0].index, slots, kept)


def with_gone(cards: Iterable[Card], lost: Overwritten | None) -> tuple[Card, ...]:
    """Returns the cards of a storage; those of named tensors that were there at the last write stay until the refused step, as gone."""
    return tuple(each if lost is None else _kept_in_sight(each, lost) for each in cards)


def _kept_in_sight(card: Card, lost: Overwritten) -> Card:
    life = card.life
    # It may outlive its name by a few steps, as the result of a function.
    face = life.at(lost.written) or life.at(lost.written - 1)
    if face is None or not face.called.names or life.last >= lost.step:
        return card
    gone = (life.last + 1, replace(face, gone=True))
    return replace(card, life=Life((*life.moments, gone), lost.step))
