"""Building a recording step by step: each step holds only what is new or different since the one before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from inplacelab.recording.facts import NodeFacts, RewireFacts, Step, StorageFacts, TensorFacts

F = TypeVar("F", StorageFacts, TensorFacts, NodeFacts)


class StepBuilder:
    """The steps so far, and the last known facts of everything.

    Attributes:
        steps: the finished steps. The last one may still be amended: names are bound after a line's last operation.
        limit: after this many steps, further ones are counted but not kept.
        dropped: how many were not kept.
    """

    def __init__(self, limit: int) -> None:
        self.steps: list[Step] = []
        self.limit, self.dropped = limit, 0
        self.storages: dict[int, StorageFacts] = {}
        self.tensors: dict[int, TensorFacts] = {}
        self.nodes: dict[int, NodeFacts] = {}

    def add(self, changes: Changes, **facts: Any) -> None:
        """One more step."""
        if len(self.steps) >= self.limit:
            self.dropped += 1
            return
        rewired = tuple(self._rewired(changes.tensors))
        step = Step(
            index=len(self.steps),
            rewired=rewired,
            storages=tuple(self._new(self.storages, changes.storages)),
            tensors=tuple(self._new(self.tensors, changes.tensors)),
            nodes=tuple(self._new(self.nodes, changes.nodes)),
            **{**_NOTHING, **facts},
        )
        self.steps.append(step)

    def amend(self, changes: Changes, **facts: Any) -> None:
        """Put what has changed since into the last step."""
        if not self.steps or self.dropped:
            return
        last = self.steps[-1]
        if not changes and all(getattr(last, name) == fact for name, fact in facts.items()):
            return
        self.steps[-1] = replace(
            last,
            storages=_merged(last.storages, self._new(self.storages, changes.storages)),
            tensors=_merged(last.tensors, self._new(self.tensors, changes.tensors)),
            nodes=_merged(last.nodes, self._new(self.nodes, changes.nodes)),
            **facts,
        )

    def _new(self, known: dict[int, F], changes: dict[int, F | None]) -> Iterable[tuple[int, F | None]]:
        for serial in sorted(changes):
            facts = changes[serial]
            if facts is None:
                if known.pop(serial, None) is not None:
                    yield serial, None
            elif known.get(serial) != facts:
                known[serial] = facts
                yield serial, facts

    def _rewired(self, changes: dict[int, TensorFacts | None]) -> Iterable[RewireFacts]:
        """Tensors that were there before and have another node now."""
        for serial, facts in sorted(changes.items()):
            before = self.tensors.get(serial)
            if facts is not None and before is not None and before.node != facts.node:
                yield RewireFacts(serial, before.node, facts.node)


class Changes:
    """Facts that may be new, by serial number; None for what is gone."""

    def __init__(self) -> None:
        self.storages: dict[int, StorageFacts | None] = {}
        self.tensors: dict[int, TensorFacts | None] = {}
        self.nodes: dict[int, NodeFacts | None] = {}

    def __bool__(self) -> bool:
        return bool(self.storages or self.tensors or self.nodes)

    def take(self, later: Changes) -> None:
        """Add what was found later."""
        self.storages |= later.storages
        self.tensors |= later.tensors
        self.nodes |= later.nodes

    def take_deaths(self, other: Changes) -> None:
        """Move what is gone from the other one here."""
        for mine, theirs in ((self.storages, other.storages), (self.tensors, other.tensors), (self.nodes, other.nodes)):
            for serial in [serial for serial, facts in theirs.items() if facts is None]:
                mine[serial] = theirs.pop(serial)  # type: ignore[assignment]  # the same kind of thing in both


def _merged(
    old: tuple[tuple[int, F | None], ...], new: Iterable[tuple[int, F | None]]
) -> tuple[tuple[int, F | None], ...]:
    return tuple(sorted({**dict(old), **dict(new)}.items()))


_NOTHING: dict[str, Any] = {
    "op": None, "category": None, "inputs": (), "output": None, "writes": (), "kept": None, "backward": None, "error": None,
}  # fmt: skip
