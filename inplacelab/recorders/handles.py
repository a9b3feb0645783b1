"""Numbers live objects, in the order in which they are met, without keeping them alive.

An object is found by its address. That is safe because Python tells of its death before the address can be used again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, Generic, TypeVar

T = TypeVar("T")
F = TypeVar("F")


class Handles(Generic[T, F]):
    """What a recorder knows of live objects of one kind.

    Args:
        died: called with what was known of an object, when it is gone.

    Attributes:
        facts: what is known of each object, by its address.
    """

    def __init__(self, died: Callable[[F], None]) -> None:
        self._died = died
        self.facts: dict[int, F] = {}
        self._alive: dict[int, weakref.ref[T]] = {}
        self.next_number = count().__next__

    def find(self, thing: T) -> F | None:
        """What is known of an object; None if it was never met."""
        return self.facts.get(id(thing))

    def add(self, thing: T, facts: F) -> None:
        """An object is met."""
        address = id(thing)

        def died(_: Any) -> None:
            del self.facts[address], self._alive[address]
            self._died(facts)

        self.facts[address], self._alive[address] = facts, weakref.ref(thing, died)

    def living(self) -> Iterator[tuple[T, F]]:
        """Every known object that is alive, in the order in which they were met."""
        for address, reference in list(self._alive.items()):
            thing = reference()
            if thing is not None:
                yield thing, self.facts[address]

    def let_go(self) -> None:
        """Hold no weak references until `hold` is called. What dies meanwhile is told then."""
        self._alive.clear()

    def hold(self, things: Iterable[T]) -> None:
        """After `let_go`: these are the known objects that are still there."""
        there = {id(thing): thing for thing in things}
        for address in [each for each in self.facts if each not in self._alive]:  # in their order
            facts = self.facts.pop(address)
            if address in there:
                self.add(there[address], facts)
            else:
                self._died(facts)

    def clear(self) -> None:
        """Forget all objects: their deaths are no concern any more."""
        self.facts.clear()
        self._alive.clear()
