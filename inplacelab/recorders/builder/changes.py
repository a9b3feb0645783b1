"""Collects facts between steps, and makes steps from them: each step holds only what is new or different since the last one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from inplacelab.recording.facts import CounterFacts, NodeFacts, RewireFacts, Step, StorageFacts, TensorFacts

F = TypeVar("F", StorageFacts, CounterFacts, TensorFacts, NodeFacts)


class Changes:
    """Facts that may be new, by number; None for what is gone."""

    def __init__(self) -> None:
        self.storages: dict[int, StorageFacts | None] = {}
        self.counters: dict[int, CounterFacts | None] = {}
        self.tensors: dict[int, TensorFacts | None] = {}
        self.nodes: dict[int, NodeFacts | None] = {}

    def __bool__(self) -> bool:
        return bool(self.storages or self.counters or self.tensors or self.nodes)

    def take(self, later: Changes) -> None:
        """Merges changes that were found later."""
        self.storages |= later.storages
        self.counters |= later.counters
        self.tensors |= later.tensors
        self.nodes |= later.nodes

    def take_deaths(self, other: Changes) -> None:
        """Moves the facts of freed objects from `other` to this one."""
        _move_deaths(other.storages, self.storages)
        _move_deaths(other.counters, self.counters)
        _move_deaths(other.tensors, self.tensors)
        _move_deaths(other.nodes, self.nodes)


def _move_deaths(source: dict[int, F | None], target: dict[int, F | None]) -> None:
    for number in [number for number, facts in source.items() if facts is None]:
        target[number] = source.pop(number)


class Steps:
    """The steps so far, and the current facts of all objects.

    A change belongs either to the next step (`now`: what its operation made and changed) or to the last one (`late`: names bound and
    objects freed after its last operation), since a statement binds its result to a name only when its operations are done.

    Args:
        limit: the most steps to keep; further ones are only counted. None for no limit.

    Attributes:
        finished: the steps. The last one may still be amended.
        dropped: how many steps were not kept.
        now, late: the changes since the last step.
        storages, counters, tensors, nodes: the facts as the last finished step left them, by number.
    """

    def __init__(self, limit: int | None) -> None:
        self.finished: list[Step] = []
        self.dropped = 0
        self.now, self.late = Changes(), Changes()
        self._limit = limit
        self.storages: dict[int, StorageFacts] = {}
        self.counters: dict[int, CounterFacts] = {}
        self.tensors: dict[int, TensorFacts] = {}
        self.nodes: dict[int, NodeFacts] = {}

    # ---- current facts ---------------------------------------------------------------------------------------------------

    def tensor(self, number: int | None) -> TensorFacts | None:
        """Returns the facts of a tensor; None if it is gone."""
        return _last(number, self.now.tensors, self.late.tensors, self.tensors)

    def storage(self, number: int | None) -> StorageFacts | None:
        """Returns the facts of a storage; None if it is gone."""
        return _last(number, self.now.storages, self.late.storages, self.storages)

    def counter(self, number: int | None) -> CounterFacts | None:
        """Returns the facts of a version counter; None if it is gone."""
        return _last(number, self.now.counters, self.late.counters, self.counters)

    def node(self, number: int | None) -> NodeFacts | None:
        """Returns the facts of a node; None if it is gone."""
        return _last(number, self.now.nodes, self.late.nodes, self.nodes)

    def change_node(self, number: int | None, **facts: Any) -> None:
        """Changes fields of a node."""
        known = self.node(number)
        if known is not None:
            self.now.nodes[known.id] = replace(known, **facts)

    def earlier(self) -> None:
        """Assigns the changes since the last step to that step."""
        self.late.take(self.now)
        self.now = Changes()

    # ---- steps -----------------------------------------------------------------------------------------------------------

    def add(self, changes: Changes, **facts: Any) -> None:
        """Adds a step with these changes, unless it is beyond the limit."""
        if self.dropped or (self._limit is not None and len(self.finished) >= self._limit):
            self.dropped += 1
            return
        step = Step(
            index=len(self.finished),
            rewired=tuple(self._rewired(changes.tensors)),
            storages=tuple(_new(self.storages, changes.storages)),
            counters=tuple(_new(self.counters, changes.counters)),
            tensors=tuple(_new(self.tensors, changes.tensors)),
            nodes=tuple(_new(self.nodes, changes.nodes)),
            **{**_NOTHING, **facts},
        )
        self.finished.append(step)

    def amend(self, changes: Changes, **facts: Any) -> None:
        """Adds changes to the last step. Before the first step, they become part of that one."""
        if self.dropped:
            return
        if not self.finished:
            changes.take(self.now)
            self.now = changes
            return
        last = self.finished[-1]
        if not changes and all(getattr(last, name) == fact for name, fact in facts.items()):
            return
        self.finished[-1] = replace(
            last,
            storages=_merged(last.storages, _new(self.storages, changes.storages)),
            counters=_merged(last.counters, _new(self.counters, changes.counters)),
            tensors=_merged(last.tensors, _new(self.tensors, changes.tensors)),
            nodes=_merged(last.nodes, _new(self.nodes, changes.nodes)),
            **facts,
        )

    def _rewired(self, changes: dict[int, TensorFacts | None]) -> Iterable[RewireFacts]:
        """Returns the tensors that existed before and have another node now."""
        for number, facts in sorted(changes.items()):
            before = self.tensors.get(number)
            if facts is not None and before is not None and before.node != facts.node:
                yield RewireFacts(number, before.node, facts.node)


def _last(number: int | None, now: dict[int, F | None], late: dict[int, F | None], known: dict[int, F]) -> F | None:
    if number is None:
        return None
    for changes in (now, late):
        if number in changes:
            return changes[number]
    return known.get(number)


def _new(known: dict[int, F], changes: dict[int, F | None]) -> Iterable[tuple[int, F | None]]:
    for number in sorted(changes):
        facts = changes[number]
        if facts is None:
            if known.pop(number, None) is not None:
                yield number, None
        elif known.get(number) != facts:
            known[number] = facts
            yield number, facts


def _merged(
    old: tuple[tuple[int, F | None], ...], new: Iterable[tuple[int, F | None]]
) -> tuple[tuple[int, F | None], ...]:
    return tuple(sorted({**dict(old), **dict(new)}.items()))


_NOTHING: dict[str, Any] = {
    "op": None, "category": None, "inputs": (), "output": None, "writes": (), "kept": None, "backward": None, "error": None,
}  # fmt: skip
