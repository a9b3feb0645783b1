"""Draws the arrows between storages of the steps that copied something."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.recording.naming import is_constant
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import slots_reached
from inplacelab_widgets.scene.marks import Copy
from inplacelab_widgets.scene.storage import Storage


def copies(recording: Recording, storages: Iterable[Storage]) -> tuple[Copy, ...]:
    """Returns the arrows of the steps that copied something."""
    strips = {each.id: each for each in storages}
    found = []
    for state in recording.states():
        step = state.step
        read = next((each for each in step.reads if each.copied), None)
        target = None if read is None else _target(state)
        if read is None or target is None or {read.storage, target[0]} - strips.keys():
            continue
        source = strips[read.storage]
        if is_constant(source.life.moments[0][1]) or (read.storage, read.slots) == target:
            continue
        if read.slots and target[1]:
            ends = _end(source.at(step.index), read.slots), _end(strips[target[0]].at(step.index), target[1])
            found.append(Copy(step.index, *ends))
    return tuple(found)


def _target(state: State) -> tuple[int, SlotRuns] | None:
    """The storage and the slots to which a step copied something."""
    write = next((write for write in state.step.writes if write.slots), None)
    if write is not None:
        return write.storage, write.slots
    made = state.tensors.get(state.step.output) if state.step.output is not None else None
    return None if made is None else (made.storage, slots_reached(state.storages[made.storage], made))


def _end(storage: Storage, slots: SlotRuns) -> tuple[str, float, float]:
    """One end of an arrow: at the first run of slots."""
    left, right, y = storage.strip.pieces(slots[:1])[0]
    return f"s{storage.id}", round((left + right) / 2, 1), storage.strip_top + y
