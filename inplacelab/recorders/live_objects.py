"""Stores facts about live objects, in the order in which they were first seen, without keeping the objects alive.

Objects are found by address. That is safe, because Python reports that an object is freed before its address is used again.

The garbage collector can run at any allocation and free objects, which changes these dictionaries: inside a loop, and even inside
`list(items())`, which makes tuples. So loops go over a `copy()`, or over a list of the values.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Generic, TypeVar

T = TypeVar("T")
F = TypeVar("F")
Protect = Callable[[Callable[..., None]], Callable[..., None]]
"""See `guard.Guard.protect_callback`."""


class _Reference(weakref.ref[T]):
    """A weak reference to an object, which knows its address."""

    __slots__ = ("address",)
    address: int


class Handles(Generic[T, F]):
    """The facts of live objects of one kind, as a recorder knows them.

    Args:
        died: called with the facts of an object when it is freed.
        protect: makes a function into one that Python may call then.

    Attributes:
        facts: the facts of each object, by its address.
    """

    def __init__(self, died: Callable[[F], None], protect: Protect) -> None:
        self._died, self._freed = died, protect(self._is_freed)
        self.facts: dict[int, F] = {}
        self._alive: dict[int, weakref.ref[T]] = {}
        self.next_number = count().__next__

    def find(self, obj: T) -> F | None:
        """Returns the facts of an object; None if it is unknown."""
        return self.facts.get(id(obj))

    def add(self, obj: T, facts: F) -> weakref.ref[T]:
        """Stores the facts of a new object. Returns the weak reference to it: the only one, so that it can be dropped."""
        address = id(obj)
        reference = _Reference(obj, self._freed)
        reference.address = address
        self.facts[address] = facts
        self._alive[address] = reference
        return reference

    def _is_freed(self, reference: _Reference[T]) -> None:
        address = reference.address
        if self._alive.get(address) is reference:  # and not one that was dropped, which somebody has kept
            del self._alive[address]
            self._died(self.facts.pop(address))

    def drop_reference(self, obj: T) -> None:
        """Drops the weak reference to a known object, which must stay alive until it is added again."""
        self._alive.pop(id(obj), None)

    def forget(self, obj: T) -> None:
        """Forgets an object, as if it were freed."""
        facts = self.facts.pop(id(obj), None)
        self._alive.pop(id(obj), None)
        if facts is not None:
            self._died(facts)

    def living(self) -> Iterator[tuple[T, F]]:
        """Yields every live object with its facts, in the order in which they were added."""
        for address, reference in self._alive.copy().items():
            obj = reference()
            if obj is not None:
                yield obj, self.facts[address]

    def let_go(self) -> None:
        """Drops all weak references until `hold` is called, which reports the objects freed meanwhile."""
        self._alive.clear()

    def hold(self, objects: Iterable[T]) -> None:
        """Holds weak references again after `let_go`, to the known objects that are still alive."""
        there = {id(obj): obj for obj in objects}
        for address in [each for each in self.facts if each not in self._alive]:  # in their order
            facts = self.facts.pop(address)
            if address in there:
                self.add(there[address], facts)
            else:
                self._died(facts)

    def clear(self) -> None:
        """Forgets all objects."""
        self.facts.clear()
        self._alive.clear()
