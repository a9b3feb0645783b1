"""Describes tensors over the steps, as cards: their names, what made them, and what each step does to them; and which of them hold a lost value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording import queries
from inplacelab.recording.facts import SavedFacts, StorageFacts, TensorFacts
from inplacelab.recording.naming import name_on_line
from inplacelab.recording.recording import Called, Recording, State, is_look
from inplacelab.recording.relations import WrittenAlias, written_aliases
from inplacelab.recording.slots import Runs, common_runs, differing, is_contiguous, joined, slots_reached
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import (
    dimensions,
    kind,
    not_yet,
    origin,
)
from inplacelab_widgets.scene.palette import TENSOR_COLORS
from inplacelab_widgets.scene.svg import Look, Mark, between, flashes, rect, text
from inplacelab_widgets.scene.text_layout import NORMAL, Words, short_name, width_of
from inplacelab_widgets.scene.timeline import Life, followed, once_for_each, step_changes

TensorRole = Literal["wrote", "made", "read", "refused"]
Caption = Literal["full", "short", "names"]
"""How much stands beside the names of a tensor: in short, without the details; or nothing, where its shape can be seen."""

MOST_REFUSED = 2
"""The most operands of a refused operation that stand out."""
MOST_MADE = 3
"""The most tensors made by one step that stand out."""


@once_for_each
def names_used(recording: Recording) -> Mapping[int, Mapping[int, str]]:
    """Returns by which name the line of a step writes a tensor that has several: `names_used(recording)[tensor][step]`. A line that has none of
    them, or more than one, tells nothing.
    """
    wrote: dict[int, list[int]] = {}
    for tensor, deeds in tensor_roles(recording).items():
        for at in (at for at, act in deeds.items() if act == "wrote"):
            wrote.setdefault(at, []).append(tensor)
    found: dict[int, dict[int, str]] = {}
    names: dict[int, tuple[str, ...]] = {}
    for step in recording.steps:
        for tensor in wrote.get(step.index, ()):
            several = names.get(tensor, ()) if len(names.get(tensor, ())) > 1 else ()
            used = [name for name in several if name_on_line(recording, step.place, (name,), or_first=False)]
            if len(used) == 1:
                found.setdefault(tensor, {})[step.index] = used[0]
        names |= {tensor: facts.names for tensor, facts in step.tensors if facts is not None}
    return found


@once_for_each
def tensor_roles(recording: Recording) -> Mapping[int, Mapping[int, TensorRole]]:
    """Returns what each step does to a tensor, by tensor and step: `tensor_roles(recording)[tensor][step]`. What is written through a view without
    a name, as in `a[0].add_(b)`, is written through `a`; but what is written through `a.data` is written through that.
    """
    found: dict[int, dict[int, TensorRole]] = {}
    known: set[int] = set()
    for step in recording.steps:
        roles: dict[int, TensorRole] = {read.tensor: "read" for read in step.reads}
        made = [tensor for tensor, facts in step.tensors if facts is not None and tensor not in known]
        if len(made) <= MOST_MADE:  # of many, none would stand out
            roles |= dict.fromkeys(made, "made")
        if step.writes:
            before = recording.before(step.index)
            aliases = written_aliases(recording).get(step.index, ())
            roles |= {alias.facts.id: "wrote" for alias in aliases}
            through = (queries.with_a_name(recording, before, write.tensor) for write in step.writes)
            roles |= dict.fromkeys(
                (tensor for tensor in through if tensor not in {each.of for each in aliases}), "wrote"
            )
        roles |= dict.fromkeys(queries.refused_operands(recording, step.index)[:MOST_REFUSED], "refused")
        for tensor, role in roles.items():
            found.setdefault(tensor, {})[step.index] = role
        known.update(tensor for tensor, facts in step.tensors if facts is not None)
    return found


# --- cards ------------------------------------------------------------------------------------------------------------

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
    details: tuple[Words, ...]
    """Its strides, its offset, the type of all elements of its storage, and whether it asks for gradients, if they are not as with most tensors."""
    chip_widths: tuple[float, ...]
    chips_width: float
    """The width of its names, with the space after each, in px."""
    gone: bool = False
    """Whether it is drawn although the program has no such tensor any more."""

    def beside_chips(self, caption: Caption) -> Text:
        """What stands beside its names."""
        shape, *rest = self.unusual
        shown = {"full": (shape, *self.details, *rest), "short": (shape, *rest), "names": rest}[caption]
        found = (*shown, *([words.GONE] if self.gone else []))
        return Text(*["  ".join(["{}"] * len(found))] * 2).format(*found)


@dataclass(frozen=True, slots=True)
class Card:
    """A tensor on one storage, over the steps in which it refers to it."""

    tensor: int
    storage: int
    color: int
    life: Life[CardContent]
    names_used: Mapping[int, str]
    """Where it has several names: the one by which a step writes it, by step."""

    keys: tuple[str, ...]
    links: tuple[str, ...]
    """The keys of the nodes that ever made its value."""


@once_for_each
def cards(recording: Recording) -> list[Card]:
    """Returns the cards of all tensors; a tensor that gets a new storage has a card on each."""
    found = followed(card_changes(recording), len(recording) - 1)
    order = {tensor: k for k, tensor in enumerate(dict.fromkeys(tensor for tensor, _ in found))}
    used, made = names_used(recording), []
    for (tensor, storage), life in found.items():
        nodes = dict.fromkeys(f"n{face.facts.node}" for face in life.every() if face.facts.node is not None)
        color, keys, links = order[tensor] % TENSOR_COLORS, (f"t{tensor}",), tuple(nodes)
        made.append(Card(tensor, storage, color, life, used.get(tensor, {}), keys, links))
    return made


def cards_with_aliases(recording: Recording) -> list[Card]:
    """Returns the cards with those of the aliases without a name that something is written through, such as `w.data`: until the step that writes, although
    they are gone when that is done.
    """
    known = {(card.tensor, card.storage): card for card in cards(recording)}
    for index, aliases in written_aliases(recording).items():
        for alias in aliases:
            key, state = (alias.facts.id, alias.write.storage), recording.state(index)
            card, of = known.get(key), known.get((alias.of, alias.write.storage))
            if of is not None and alias.write.storage in state.storages:
                first = index if card is None else min(index, card.life.first)
                last = index if card is None else max(index, card.life.last)
                life = Life(((first, _face_of_alias(recording, alias, state)),), last)
                color = (of.color + 1) % TENSOR_COLORS
                known[key] = Card(
                    alias.facts.id, of.storage, color, life, {}, of.keys if card is None else card.keys, ()
                )
    return [*known.values()]


def _face_of_alias(recording: Recording, alias: WrittenAlias, state: State) -> CardContent:
    """The content of the card of an alias, under the name of its tensor with what made it of that."""
    face, name = face_of(recording, alias.facts, state), state.called(alias.of).first
    chip = short_name(name, LONGEST_NAME) + alias.call
    unusual = [each for each in face.unusual if each is not words.UNNAMED]
    if alias.is_counted_apart(state):
        label = terms_of(recording).label
        before, after = label(alias.write.before), label(alias.write.after)
        unusual.append(words.COUNTED_APART.format(before=before, after=after))
    wide = width_of(chip, NORMAL) + 12
    return replace(
        face,
        called=Called(alias.facts.id, (name + alias.call,)),
        chips=(chip,),
        unusual=tuple(unusual),
        chip_widths=(wide,),
        chips_width=wide + CHIP_GAP,
    )


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
    called, owner = state.called(tensor.id), state.owner_of_gradient(tensor.id)
    detail = (
        kind(recording, tensor, state, LONGEST_NAME)
        or not_yet(recording, called)
        or (None if called.names else words.UNNAMED)
    )
    unusual: list[Words] = [dimensions(tensor.shape)]
    if not called.bound and not called.coming:  # the border of a name to come says so already
        unusual.append(words.UNNAMED)
    own_dtype = state.storages[tensor.storage].dtype
    if tensor.dtype != own_dtype:
        unusual.append(tensor.dtype)
    if owner is not None:
        unusual.append(words.GRADIENT_OF.format(tensor=short_name(state.called(owner).first, LONGEST_NAME)))
    details: list[Words] = []
    if not is_contiguous(tensor):
        details.append(words.STRIDES + Text(*[f" {dimensions(tensor.strides)}"] * 2))
    if tensor.offset:
        details.append(words.OFFSET + Text(*[f" {tensor.offset}"] * 2))
    if USUAL_DTYPE != tensor.dtype == own_dtype:
        details.append(tensor.dtype)
    if owner is None and tensor.leaf and tensor.needs_gradient:
        details.append(terms_of(recording).flagged(asks=True))
    # In a recording without a program: what kind of tensor it is, if that does not stand beside its names.
    looked_at = Text("{0}", "{0}").format("" if detail is None or owner is not None else detail)
    made = looked_at if is_look(recording) else origin(recording, tensor.id, LONGEST_ORIGIN)
    chips = tuple(short_name(chip, LONGEST_NAME) for chip in called.shown)
    widths = tuple(width_of(chip, NORMAL) + 12 for chip in chips)
    wide = sum(width + CHIP_GAP for width in widths)
    return CardContent(tensor, called, chips, detail, made, tuple(unusual), tuple(details), widths, wide)


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
    style = "text value bold" if face.called.names else "text value italic soft"
    style = "text value italic soft" if face.gone else "text value italic" if face.called.coming else style
    for whole, name, width in zip(face.called.shown, face.chips, face.chip_widths, strict=True):
        if face.called.names or active:
            usual = Look(f"chip c{card.color}-line{coming}") if face.called.names else None
            looks = {
                act: Look(f"chip {'refused' if act == 'refused' else 'acting'}{coming}") for act in acting.values()
            }
            mine = [step for step in active if card.names_used.get(step, whole) == whole]
            box = flashes([(first, usual, usual), *((step, looks[acting[step]], usual) for step in mine)], last)
            marks.append(rect(x, y, width, 15, box, 7.5, keys=card.keys, links=card.links))
        shown = between(first, last, Look(style, name))
        marks.append(text(round(x + width / 2, 1), y + 11.5, shown, keys=card.keys))
        x = round(x + width + CHIP_GAP, 1)
    return marks


METADATA = attrgetter("facts.shape", "facts.strides", "facts.offset", "facts.dtype")
NAMES = attrgetter("called", "gone")


def stretches(life: Life[CardContent], by: Callable[[CardContent], object]) -> list[tuple[int, int, CardContent]]:
    """Returns (first, last, face) for each range of steps over which a tensor's metadata, or its names, do not change."""
    starts: list[tuple[int, CardContent]] = []
    for step, face in life.moments:
        if not starts or by(starts[-1][1]) != by(face):
            starts.append((step, face))
    ends = [after[0] - 1 for _, after in pairwise(starts)] + [life.last]
    return [(step, last, face) for (step, face), last in zip(starts, ends, strict=True)]


# --- what a refused step found overwritten ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A kept value that a step is refused for.

    Attributes:
        storage: the number of its storage.
        step: the refused step.
        written: the step of the last write to the value.
        slots: the slots of the value that hold something else now, as far as known; if none do, those that were written.
        kept: the storage as it was when the value was kept.
    """

    storage: int
    step: int
    written: int
    slots: Runs
    kept: StorageFacts


@once_for_each
def overwritten(recording: Recording) -> dict[int, Overwritten]:
    """Returns what refused steps found overwritten, by storage; of several steps on one storage, the last."""
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
        slots = differing(kept.values, now.values, slots) or slots
    yield Overwritten(saved.storage, state.step.index, writes[-1][0].index, slots, kept)


def with_gone(cards: Iterable[Card], lost: Overwritten | None) -> tuple[Card, ...]:
    """Returns the cards of a storage; those of named tensors that were there at the last write stay until the refused step, as gone. The
    function that kept the value has often ended by then.
    """
    found = []
    for card in cards:
        life = card.life
        # It may outlive its name by a few steps, as the result of a function.
        face = (life.at(lost.written) or life.at(lost.written - 1)) if lost is not None else None
        if lost is not None and face is not None and face.called.names and life.last < lost.step:
            gone = (life.last + 1, replace(face, gone=True))
            found.append(replace(card, life=Life((*life.moments, gone), lost.step)))
        else:
            found.append(card)
    return tuple(found)
