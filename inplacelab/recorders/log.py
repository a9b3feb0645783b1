"""Keeps events, in order: all of them, or the most recent ones.

A recorder calls the `emit` of its log. `EventLog` keeps all events. `EventRing` is for programs that run for hours: its size is
bounded by a number of events and by the number of live objects.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from inplacelab.recorders import events


class Log(Protocol):
    """Receives events.

    Attributes:
        with_values: whether events should have the values of storages, which take most of the memory.
    """

    with_values: bool

    @property
    def emitted(self) -> int:
        """How many events there were so far."""

    def emit(self, event: events.Event, /) -> None:
        """Stores an event, at least for a while."""

    def __iter__(self) -> Iterator[events.Event]:
        """Yields the stored events, in order."""


class EventLog:
    """Keeps every event."""

    with_values = True

    def __init__(self) -> None:
        self._events: list[events.Event] = []
        self.emit = self._events.append

    def __iter__(self) -> Iterator[events.Event]:
        return iter(self._events)

    @property
    def emitted(self) -> int:
        """How many events there were so far."""
        return len(self._events)


class EventRing:
    """Keeps the last events, and a current description of each live object that was described earlier.

    Args:
        size: how many events to keep.

    Attributes:
        cut: how many events were dropped.
    """

    with_values = False

    def __init__(self, size: int) -> None:
        self._size, self.cut = size, 0
        self._recent: deque[events.Event] = deque()
        self._storages: dict[int, events.StorageSeen] = {}
        self._counters: dict[int, events.CounterSeen] = {}
        self._nodes: dict[int, events.NodeMade] = {}
        self._tensors: dict[int, events.TensorMade] = {}

    def emit(self, event: events.Event, /) -> None:
        """Stores an event; drops the oldest one if the ring is full."""
        self._recent.append(event)
        if len(self._recent) > self._size:
            self.cut += 1
            self._leaves(self._recent.popleft())

    def __iter__(self) -> Iterator[events.Event]:
        for descriptions in (self._storages, self._counters, self._nodes, self._tensors):
            yield from descriptions.values()
        if self.cut:
            yield events.LogBegan()
        yield from self._recent

    @property
    def emitted(self) -> int:
        """How many events there were so far."""
        return self.cut + len(self._recent)

    def _leaves(self, event: events.Event) -> None:  # noqa: C901, PLR0912  # one case for each event with a lasting effect
        match event:
            case events.StorageSeen():
                self._storages[event.storage] = event
            case events.CounterSeen():
                self._counters[event.counter] = event
            case events.NodeMade():
                self._nodes[event.node] = event
            case events.TensorMade():
                self._tensors[event.operand.tensor] = event
            case events.Wrote():
                _update(self._storages, event.storage, values=event.values)
                _update(self._counters, event.counter, version=event.version)
            case events.Named():
                _update(self._tensors, event.tensor, names=event.names)
            case events.Rewired():
                _update(self._tensors, event.tensor, node=event.node, needs_gradient=event.needs_gradient)
            case events.FlagsSet():
                flags = {"node": event.node, "needs_gradient": event.needs_gradient, "grad": event.grad}
                _update(self._tensors, event.tensor, **flags)
            case events.GradientSet():
                _update(self._tensors, event.tensor, grad=event.grad)
            case events.Saved():
                _update(self._nodes, event.node, kept=event.kept)
            case events.Released():
                for node in event.nodes:
                    _update(self._nodes, node, kept=(), released=True)
            case events.NodeRan(released=True):
                _update(self._nodes, event.node, kept=(), released=True)
            case events.Died(kind="tensor"):
                self._tensors.pop(event.number, None)
            case events.Died(kind="node"):
                self._nodes.pop(event.number, None)
            case events.Died():
                self._storages.pop(event.number, None)
                self._counters = {k: each for k, each in self._counters.items() if each.storage != event.number}


D = TypeVar("D", events.StorageSeen, events.CounterSeen, events.NodeMade, events.TensorMade)


def _update(descriptions: dict[int, D], number: int, **facts: Any) -> None:
    """Updates the description of an object."""
    if number in descriptions:
        descriptions[number] = replace(descriptions[number], **facts)
