"""Stores facts about live objects, in the order in which they were first seen, without keeping the objects alive.

Objects are found by address. That is safe, because Python reports that an object is freed before its address is used again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, Generic, TypeVar

T = TypeVar("T")
F = TypeVar("F")
Protect = Callable[[Callable[..., None]], Callable[..., None]]
"""See `guard.Guard.protect_callback`."""


class Handles(Generic[T, F]):
    """The facts of live objects of one kind, as a recorder knows them.

    Args:
        died: called with the facts of an object when it is freed.
        protect: makes a function into one that Python may call then.

    Attributes:
        facts: the facts of each object, by its address.
    """

    def __init__(self, died: Callable[[F], None], protect: Protect) -> None:
        self._died, self._protect = died, protect
        self.facts: dict[int, F] = {}
        self._alive: dict[int, weakref.ref[T]] = {}
        self.next_number = count().__next__

    def find(self, obj: T) -> F | None:
        """Returns the facts of an object; None if it is unknown."""
        return self.facts.get(id(obj))

    def add(self, obj: T, facts: F) -> weakref.ref[T]:
        """Stores the facts of a new object. Returns the weak reference to it: the only one, so that it can be dropped."""
        address = id(obj)

        def died(reference: Any) -> None:
            if self._alive.get(address) is reference:  # and not one that was dropped, which somebody has kept
                del self.facts[address], self._alive[address]
                self._died(facts)

        self.facts[address] = facts
        self._alive[address] = reference = weakref.ref(obj, self._protect(died))
        return reference

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
        for address, reference in list(self._alive.items()):
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


class NodeReferences:
    """How many known tensors and nodes lead to each node.

    Args:
        gone: called with the number of a node to which nothing leads any more. It returns the nodes to which that one leads.
    """

    def __init__(self, gone: Callable[[int], Iterable[int | None]]) -> None:
        self._gone = gone
        self._counts: dict[int, int] = {}

    def forget(self) -> None:
        """Drops all counts."""
        self._counts.clear()

    def drop(self, number: int) -> None:
        """Drops the count of a node that is gone already."""
        self._counts.pop(number, None)

    def change(self, number: int | None, by: int) -> None:
        """Counts that something more (1) or less (-1) leads to a node. Then nodes may be gone: this one, and those that it alone led to."""
        waiting = [] if number is None else [number]
        while waiting:
            each = waiting.pop()
            self._counts[each] = self._counts.get(each, 0) + by
            if self._counts[each] <= 0:
                by = -1
                del self._counts[each]
                waiting += [following for following in self._gone(each) if following is not None]

    def move(self, before: int | None, now: int | None) -> None:
        """Counts that something leads to another node than before."""
        if before != now:
            self.change(now, 1)
            self.change(before, -1)


class LiveBytes:
    """The bytes of the living storages that the program has made, and their peak.

    Storages are numbered in the order in which they are first seen.

    Attributes:
        before: the bytes of the storages that existed before the recording.
    """

    def __init__(self) -> None:
        self.before = 0
        self._live = self._peak = 0
        self._given = 0  # how many storages existed before the recording

    def began(self, seen: int) -> None:
        """Takes the storages seen so far as those that existed before the recording. `seen` is how many they are."""
        self.before, self._live, self._peak, self._given = self._live, 0, 0, seen

    def count(self, storage: int, grown: int) -> None:
        """Counts the bytes by which a storage has grown; negative if it has shrunk, or is gone."""
        if storage >= self._given:
            self._live += grown
            self._peak = max(self._peak, self._live)

    def account(self) -> tuple[int, int]:
        """Returns the bytes and their peak."""
        return self._live, self._peak
