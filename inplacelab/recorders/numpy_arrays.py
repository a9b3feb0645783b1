"""Describes NumPy arrays and their storages as events: when they are first met, and when a look at them shows a change."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inplacelab.layout import Layout
from inplacelab.recorders.events import (
    INFERRED,
    CounterSeen,
    Died,
    Event,
    Named,
    Operand,
    StorageSeen,
    TensorMade,
    Wrote,
)
from inplacelab.recorders.handles import Handles
from inplacelab.recorders.numpy_memory import Memory, covers, differing, layout_in, memory_of, place_of, slot_type
from inplacelab.recorders.snapshots import snapshot


def _nobody() -> None:
    """In the place of a weak reference: there is no such array."""


@dataclass(slots=True, eq=False)
class KnownStorage:
    """What was last said of a storage.

    Attributes:
        number: its number, and that of the counter of the writes that were seen.
        start, stop: the addresses between which it lies.
        dtype: of its slots.
        contents: its bytes.
        owner: the array that owns the memory; None if that is gone, or no array does.
        given: whether it was there before the program.
        version: how many statements were seen to write it.
        arrays: the living arrays on it that are known, by number.
    """

    number: int
    start: int
    stop: int
    dtype: np.dtype[Any]
    contents: bytes
    owner: Callable[[], Any]
    given: bool
    version: int = 0
    arrays: dict[int, KnownArray] = field(default_factory=dict)

    def widest_first(self) -> list[KnownArray]:
        """The known arrays on it: those with the most elements first."""
        return sorted(self.arrays.values(), key=lambda known: -known.operand.layout.size)

    def shows(self, known: KnownArray, slots: Layout | tuple[int, ...]) -> bool:
        """Whether an array shows all of these slots."""
        return known.operand.dtype != self.dtype.name or covers(known.operand.layout, slots)


@dataclass(slots=True, eq=False)
class KnownArray:
    """What was last said of an array: its names, where it lies as NumPy describes it, its storage, and its metadata."""

    names: tuple[str, ...]
    place: tuple[Any, ...]
    storage: KnownStorage
    operand: Operand


class Arrays:
    """Emits events about arrays.

    Args:
        emit: where the events go.

    Attributes:
        storages_met: how many storages were met.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._known: Handles[Any, KnownArray] = Handles(self._died)
        self._storages: list[KnownStorage] = []
        self.storages_met = 0
        self._let_go: dict[int, KnownArray] = {}  # by address

    def find(self, array: Any) -> KnownArray | None:
        """What is known of an array; None if it was never met."""
        return self._known.find(array)

    def sizes(self, *, given: bool) -> int:
        """The bytes of the storages that were there before the program, or that it has made."""
        return sum(each.stop - each.start for each in self._storages if each.given is given)

    def forget(self) -> None:
        """Let go of everything."""
        self._known.clear()

    def let_go(self) -> None:
        """Hold no array, not even weakly, until names are looked at again: NumPy resizes no array to which there are weak references."""
        self._let_go = {id(array): known for array, known in self._known.living()}
        self._known.clear()
        for storage in self._storages:
            storage.owner = _nobody

    # ---- names and deaths ------------------------------------------------------------------------------------------------

    def name(self, named: Sequence[tuple[Any, tuple[str, ...]]]) -> list[tuple[Any, tuple[str, ...]]]:
        """These are all arrays with names. Returns those that were never met."""
        new, found = [], set()
        for array, names in named:
            known = self._known.find(array) or self._take_up(array)
            if known is None:
                new.append((array, names))
            else:
                found.add(known)
                self._rename(known, names)
        for known in self._let_go.values():
            self._died(known)
        self._let_go = {}
        for _, known in self._known.living():
            if known not in found:
                self._rename(known, ())
        return new

    def _take_up(self, array: Any) -> KnownArray | None:
        """An array that was let go of."""
        known = self._let_go.pop(id(array), None)
        memory = None if known is None else memory_of(array)
        if known is not None and memory is not None:
            self._known.add(array, known)
            if memory.owner is not None and (memory.start, memory.stop) == (known.storage.start, known.storage.stop):
                known.storage.owner = weakref.ref(memory.owner)
        return known

    def _rename(self, known: KnownArray, names: tuple[str, ...]) -> None:
        if names != known.names:
            known.names = names
            self._emit(Named(known.operand.tensor, names))

    def _died(self, known: KnownArray) -> None:
        known.storage.arrays.pop(known.operand.tensor, None)
        self._emit(Died("tensor", known.operand.tensor))

    def bury(self) -> None:
        """Say which storages are gone."""
        for storage in [each for each in self._storages if not each.arrays and each.owner() is None]:
            self._storages.remove(storage)
            self._emit(Died("storage", storage.number))

    # ---- arrays ----------------------------------------------------------------------------------------------------------

    def meet(self, array: Any, names: tuple[str, ...], *, given: bool) -> KnownArray | None:
        """Describe an array for the first time; None if it cannot be described."""
        found = self._lies(array, given)
        if found is None:
            return None
        known = KnownArray(names, place_of(array), found[0], self._operand(self._known.next_number(), array, *found))
        self._known.add(array, known)
        self._describe(known, array)
        return known

    def remade(self) -> Iterator[tuple[KnownArray, KnownStorage]]:
        """Describe the arrays anew that have other metadata or memory than before: each with the storage that it had."""
        for array, known in self._known.living():
            place, left, number = place_of(array), known.storage, known.operand.tensor
            if place == known.place:
                continue
            known.place, found = place, self._lies(array, given=False)
            left.arrays.pop(number, None)
            if found is None:
                self._died(known)
                continue
            known.storage, known.operand = found[0], self._operand(number, array, *found)
            self._describe(known, array)
            yield known, left

    def _describe(self, known: KnownArray, array: Any) -> None:
        known.storage.arrays[known.operand.tensor] = known
        base, found = array.base, None
        while isinstance(base, np.ndarray) and found is None:
            base, found = base.base, self.find(base)
        number = None if found is None else found.operand.tensor
        self._emit(TensorMade(known.operand, "cpu", False, number, None, None, known.names))

    def _operand(self, number: int, array: Any, storage: KnownStorage, layout: Layout) -> Operand:
        return Operand(number, storage.number, storage.number, layout, array.dtype.name)

    # ---- storages --------------------------------------------------------------------------------------------------------

    def _lies(self, array: Any, given: bool) -> tuple[KnownStorage, Layout] | None:
        """The storage of an array, described now if it is new, and where the array lies in it; None if that cannot be said."""
        memory = memory_of(array)
        if memory is None:
            return None
        storage = next((each for each in self._storages if _holds(each, memory)), None)
        start, stop = (memory.start, memory.stop) if storage is None else (storage.start, storage.stop)
        layout = layout_in(array, start, stop)
        return (
            None if layout is None else (storage or self._meet_storage(memory, slot_type(array, memory), given), layout)
        )

    def _meet_storage(self, memory: Memory, dtype: np.dtype[Any], given: bool) -> KnownStorage:
        number, contents, size = self.storages_met, memory.bytes.tobytes(), memory.stop - memory.start
        owner: Callable[[], Any] = _nobody if memory.owner is None else weakref.ref(memory.owner)
        self._storages.append(KnownStorage(number, memory.start, memory.stop, dtype, contents, owner, given))
        self.storages_met += 1
        slots = size // dtype.itemsize
        values = snapshot(memory.bytes.view(dtype))
        self._emit(StorageSeen(number, size, slots, dtype.name, "cpu", False, values))
        self._emit(CounterSeen(number, number, 0, origin=INFERRED))
        return self._storages[-1]

    def written(self) -> Iterator[tuple[KnownStorage, Layout | tuple[int, ...]]]:
        """Say which storages hold other bytes than before: each with the slots that differ."""
        living = {known.operand.tensor: array for array, known in self._known.living()}
        for storage in self._storages:
            on_it = (living[number] for number in storage.arrays if number in living)
            array = next((each for each in (storage.owner(), *on_it) if each is not None), None)
            memory = None if array is None else memory_of(array)
            if memory is None or (memory.start, memory.stop) != (storage.start, storage.stop):
                continue
            now = memory.bytes.tobytes()
            if now != storage.contents:
                slots = differing(storage.contents, now, storage.dtype.itemsize)
                storage.contents, storage.version = now, storage.version + 1
                self._write(storage, memory.bytes.view(storage.dtype), slots)
                yield storage, slots

    def _write(self, storage: KnownStorage, flat: Any, slots: Layout | tuple[int, ...]) -> None:
        window = flat[slots.offset : slots.offset + slots.size] if isinstance(slots, Layout) else None
        values = snapshot(flat, window, slots)
        self._emit(Wrote(storage.number, storage.number, storage.version, values, origin=INFERRED))


def _holds(storage: KnownStorage, memory: Memory) -> bool:
    """Whether a memory is that of a storage, or lies in it."""
    if memory.owner is not None:
        return storage.owner() is memory.owner and (storage.start, storage.stop) == (memory.start, memory.stop)
    inside = storage.start <= memory.start and memory.stop <= storage.stop and memory.start < memory.stop
    return inside or (storage.start, storage.stop) == (memory.start, memory.stop)
