"""Numbers live objects, in the order in which they are met, without keeping them alive.

An object is found by its address. That is safe because Python tells of its death before the address can be used again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Generic, TypeVar

T = TypeVar("T")
F = TypeVar("F")


class Handles(Generic[T, F]):
    """What a recorder knows of live objects of one kind.

    Args:
        died: called with what was known of an object, when it is gone.
    """

    def __init__(self, died: Callable[[F], None]) -> None:
        self._died = died
        self._known: dict[int, tuple[weakref.ref[T], F]] = {}
        self.next_number = count().__next__

    def find(self, thing: T) -> F | None:
        """What is known of an object; None if it was never met."""
        found = self._known.get(id(thing))
        return None if found is None else found[1]

    def add(self, thing: T, facts: F) -> None:
        """An object is met."""
        address = id(thing)

        def died(_: Any) -> None:
            del self._known[address]
            self._died(facts)

        self._known[address] = weakref.ref(thing, died), facts

    def living(self) -> Iterator[tuple[T, F]]:
        """Every known object that is alive, in the order in which they were met."""
        for reference, facts in list(self._known.values()):
            thing = reference()
            if thing is not None:
                yield thing, facts

    def clear(self) -> None:
        """Forget all objects: their deaths are no concern any more."""
        self._known.clear()
