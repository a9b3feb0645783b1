"""Serial numbers for live objects, without keeping them alive.

A recording must not depend on memory addresses, and a recorder must not change when memory is freed. So objects are held
weakly and numbered in the order in which they were first met.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """Numbers for objects of one kind.

    Attributes:
        gone: numbers of the objects that have died since this list was last emptied.
    """

    def __init__(self) -> None:
        self._by_address: dict[int, int] = {}
        self._alive: dict[int, weakref.ref[T]] = {}
        self._next = 0
        self.gone: list[int] = []

    def known(self, thing: T) -> int | None:
        """The number of `thing`, or None if it was never met."""
        return self._by_address.get(id(thing))

    def number(self, thing: T) -> int:
        """The number of `thing`; a new one if it was never met."""
        address = id(thing)
        found = self._by_address.get(address)
        return self._enter(thing, address) if found is None else found

    def _enter(self, thing: T, address: int) -> int:
        serial, self._next = self._next, self._next + 1

        def forget(_: object) -> None:
            del self._by_address[address], self._alive[serial]
            self.gone.append(serial)

        self._by_address[address] = serial
        self._alive[serial] = weakref.ref(thing, forget)
        return serial

    def get(self, serial: int) -> T | None:
        """The object with this number, if it is still alive."""
        reference = self._alive.get(serial)
        return None if reference is None else reference()

    def __iter__(self) -> Iterator[tuple[int, T]]:
        for serial, reference in list(self._alive.items()):
            thing = reference()
            if thing is not None:
                yield serial, thing
