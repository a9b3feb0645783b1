"""Keeps events, in order: all of them, or the most recent ones.

A recorder is given a log and calls its `emit`. `EventLog` keeps everything. `EventRing` is for programs that run for hours: what it
keeps is bounded by its size and by the number of objects that are alive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Protocol

from inplacelab.recorders import events


class Log(Protocol):
    """Where events go."""

    def emit(self, event: events.Event, /) -> None:
        """Keep an event, at least for a while."""

    def __iter__(self) -> Iterator[events.Event]:
        """The events that are kept, in order."""


class EventLog:
    """Keeps every event."""

    def __init__(self) -> None:
        self._events: list[events.Event] = []
        self.emit = self._events.append

    def __iter__(self) -> Iterator[events.Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)


class EventRing:
    """Keeps the last events, and of earlier ones only the descriptions of objects that are still alive.

    Args:
        size: how many of the last events are kept whole.

    Attributes:
        cut: how many events have left the ring.
    """

    def __init__(self, size: int) -> None:
        self._size, self.cut = size, 0
        self._recent: deque[events.Event] = deque()
        self._descriptions: dict[tuple[str, int], dict[type[events.Event], events.Event]] = {}

    def emit(self, event: events.Event, /) -> None:
        """Keep an event; the oldest one leaves the ring if that is full."""
        self._recent.append(event)
        if len(self._recent) > self._size:
            self.cut += 1
            self._leaves(self._recent.popleft())

    def __iter__(self) -> Iterator[events.Event]:
        for kind in ("storage", "node", "tensor"):
            for (described, _), descriptions in self._descriptions.items():
                if described == kind:
                    yield from descriptions.values()
        yield from self._recent

    def __len__(self) -> int:
        return len(self._recent) + sum(map(len, self._descriptions.values()))

    def _leaves(self, event: events.Event) -> None:
        match event:
            case events.Died(kind=kind, number=number):
                self._descriptions.pop((kind, number), None)
            case events.TensorMade():
                self._descriptions["tensor", event.operand.tensor] = {events.TensorMade: event}
            case events.StorageSeen(storage=number):
                self._descriptions["storage", number] = {events.StorageSeen: event}
            case events.NodeMade(node=number):
                self._descriptions["node", number] = {events.NodeMade: event}
            case events.Released(nodes=nodes):
                for number in nodes:
                    self._describe("node", number, events.Released((number,), origin=event.origin))
            case _ if type(event) in _FURTHER:
                described = _FURTHER[type(event)]
                self._describe(described, getattr(event, described), event)

    def _describe(self, kind: str, number: int, event: events.Event) -> None:
        """An event says more of an object; what an earlier event of its class said is out of date."""
        descriptions = self._descriptions.get((kind, number))
        if descriptions is not None:
            descriptions.pop(type(event), None)
            descriptions[type(event)] = event


_FURTHER: dict[type[events.Event], str] = {
    events.CounterSeen: "storage", events.Wrote: "storage", events.Rewired: "tensor", events.Named: "tensor", events.FlagsSet: "tensor", events.GradientSet: "tensor", events.Saved: "node",
}  # fmt: skip
"""Events that say more of an object that was described before, and what kind of object that is."""
