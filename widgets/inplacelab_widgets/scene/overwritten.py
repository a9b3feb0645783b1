"""Finds what a refused backward pass found overwritten: the slots of the value that was kept, and what they held before.

The function that kept the value has often ended by then. The tensors that were there at the last write are drawn once more, as gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from inplacelab.recording import queries
from inplacelab.recording.facts import SavedFacts, StorageFacts
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Runs, common_runs, differing, joined, slots_reached
from inplacelab_widgets.scene.cards import Card
from inplacelab_widgets.scene.timeline import Life


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
