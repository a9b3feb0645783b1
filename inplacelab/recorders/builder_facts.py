"""The facts of which the builder makes steps.

- `values`, `runs_of`, `saved`, `launch`: decode events: bytes into values, layouts into runs of slots, launches into launch facts.
- `Steps`, `Changes`: collect facts between steps: each step holds only what is new or different since the last one.
- `Objects`: turns events about storages, version counters and tensors into facts, and names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import Any, TypeVar

import numpy as np

from inplacelab.kernels.launch import Launch
from inplacelab.layout import Layout
from inplacelab.recorders import events as ev
from inplacelab.recorders.events import Kept, Operand
from inplacelab.recorders.snapshots import Snapshot, Whole
from inplacelab.recording.facts import (
    CounterFacts,
    LaunchFacts,
    NodeFacts,
    OperandFacts,
    RewireFacts,
    SavedFacts,
    Step,
    StorageFacts,
    Summary,
    TensorFacts,
    Values,
)
from inplacelab.recording.slots import Laid, Runs, joined, slot_runs, slots_under


def values(snapshot: Snapshot | None) -> Values | Summary | None:
    """Returns the values in a storage: all of them, a summary, or None if nothing was copied."""
    if snapshot is None:
        return None
    if isinstance(snapshot, Whole):
        return tuple(np.frombuffer(snapshot.data, snapshot.dtype).tolist())
    runs: tuple[tuple[int, Values], ...] = ()
    if snapshot.slots is not None:
        slots = (
            first_slots(snapshot.slots, len(snapshot.written)) if isinstance(snapshot.slots, Layout) else snapshot.slots
        )
        kept = dict(zip(slots, snapshot.written, strict=False))  # a slot written twice has the last value
        found = joined((slot, slot + 1) for slot in sorted(kept))
        runs = tuple((start, tuple(kept[slot] for slot in range(start, stop))) for start, stop in found)
    return Summary(snapshot.minimum, snapshot.maximum, snapshot.head, snapshot.tail, runs)


def changed(before: Values | Summary | None, after: Values | Summary | None, runs: Runs) -> Values | Summary | None:
    """Returns the values before with those after in some slots; those after, if not all values of both are known."""
    if not isinstance(before, tuple) or not isinstance(after, tuple) or len(before) != len(after):
        return after
    found = [*before]
    for start, stop in runs:
        found[start:stop] = after[start:stop]
    return tuple(found)


def first_slots(layout: Laid, count: int) -> list[int]:
    """Returns the slots of the first `count` elements of a layout, in row-major order."""
    found = []
    for position in range(min(count, prod(layout.shape))):
        slot, rest = layout.offset, position
        for size, stride in zip(reversed(layout.shape), reversed(layout.strides), strict=True):
            rest, index = divmod(rest, size)
            slot += index * stride
        found.append(slot)
    return found


def runs_of(operand: Operand, storage: StorageFacts | None) -> Runs:
    """Returns the slots that an operation read or wrote, as runs. An operand of another dtype than its storage counts other elements."""
    if operand.part is None or isinstance(operand.part, Layout):
        runs = slot_runs(operand.part or operand.layout)
    else:
        runs = joined((slot, slot + 1) for slot in sorted(operand.part))
    if storage is None or operand.dtype == storage.dtype:
        return runs
    return joined(slots_under(storage, operand.dtype, start, stop) for start, stop in runs)


def saved(kept: Sequence[Kept], *, observed: bool) -> tuple[SavedFacts, ...]:
    """Returns the facts of saved tensors, which the framework has reported (`observed`) or the recorder has inferred."""
    return tuple(
        SavedFacts(
            each.name, each.storage, each.counter, each.version, *each.layout, each.copy, not observed, each.dtype
        )
        for each in kept
    )


def launch(
    ran: Launch, storages: Sequence[int | None], inputs: Sequence[int | None], output: int | None
) -> LaunchFacts:
    """Returns the facts of a launch. An operand without a storage is matched with the operation's tensors: a written operand is the
    result, read operands are the inputs in order, if their numbers agree.
    """
    others = list(inputs[1:] if ran.kernel.endswith("_") else inputs)
    reads = [each.role == "reads" for each in ran.operands]
    read = iter(others if len(others) == sum(reads) else [None] * len(reads))
    likely = [next(read) if reads_only else output for reads_only in reads]
    operands = tuple(
        OperandFacts(
            each.name, each.role, each.dtype, each.shape, each.strides, each.offset, each.storage_bytes,
            guessed if known is None else known,
        )
        for each, known, guessed in zip(ran.operands, storages, likely, strict=True)
    )  # fmt: skip
    return LaunchFacts(
        ran.kernel, ran.kind, ran.grid, ran.block, ran.width, ran.dtype, operands, ran.bytes_read, ran.bytes_written,
        ran.device, ran.simulated,
    )  # fmt: skip


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
        elif not _is_same(known.get(number), facts):
            known[number] = facts
            yield number, facts


def _is_same(before: Any, after: Any) -> bool:
    """Whether facts are the same. Zeros of both signs are equal, so values are also compared as they are written."""
    return before == after and repr(getattr(before, "values", None)) == repr(getattr(after, "values", None))


def _merged(
    old: tuple[tuple[int, F | None], ...], new: Iterable[tuple[int, F | None]]
) -> tuple[tuple[int, F | None], ...]:
    return tuple(sorted({**dict(old), **dict(new)}.items()))


_NOTHING: dict[str, Any] = {
    "op": None, "category": None, "inputs": (), "output": None, "writes": (), "kept": None, "backward": None, "error": None,
}  # fmt: skip


class Objects:
    """The storages, counters and tensors of a program, and what has died.

    Args:
        steps: the steps so far, and the current facts.

    Attributes:
        simulated: whether a storage of a simulated device was seen.
    """

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.simulated = False
        self._names: dict[int, tuple[str, ...]] = {}
        self._counters_of: dict[int, list[int]] = {}  # from a storage to its counters
        self._owners: dict[int, dict[int, None]] = {}  # from a gradient to the tensors whose `.grad` it is

    def storage_seen(self, event: ev.StorageSeen) -> None:
        """Notes a storage."""
        self.simulated |= event.simulated
        self.steps.now.storages[event.storage] = StorageFacts(
            id=event.storage,
            bytes=event.bytes,
            slots=event.slots,
            dtype=event.dtype,
            device=event.device,
            values=values(event.values),
        )

    def counter_seen(self, event: ev.CounterSeen) -> None:
        """Notes a version counter."""
        self._counters_of.setdefault(event.storage, []).append(event.counter)
        self.steps.now.counters[event.counter] = CounterFacts(event.counter, event.storage, event.version)

    def wrote(self, event: ev.Wrote) -> None:
        """Notes what a storage holds after a write, and the version."""
        facts = self.steps.storage(event.storage)
        if facts is not None:
            decoded = values(event.values)
            if event.alone is not None:
                decoded = changed(facts.values, decoded, runs_of(event.alone, facts))
            self.steps.now.storages[event.storage] = replace(facts, values=decoded)
            self.steps.now.counters[event.counter] = CounterFacts(event.counter, event.storage, event.version)

    def tensor_made(self, event: ev.TensorMade) -> None:
        """Notes a tensor, or its new metadata."""
        number, (shape, strides, offset) = event.operand.tensor, event.operand.layout
        self._names[number] = event.names
        self._owns(number, event.grad, self.steps.now)
        self.steps.now.tensors[number] = TensorFacts(
            id=number,
            names=self._names_of(number),
            storage=event.operand.storage,
            counter=event.operand.counter,
            shape=shape,
            strides=strides,
            offset=offset,
            dtype=event.operand.dtype,
            device=event.device,
            leaf=event.node is None,
            needs_gradient=event.needs_gradient,
            base=event.base,
            node=event.node,
            grad=event.grad,
        )

    def rewired(self, event: ev.Rewired) -> None:
        """Gives a tensor another place in the history."""
        facts = self.steps.tensor(event.tensor)
        if facts is not None and (facts.node, facts.needs_gradient) != (event.node, event.needs_gradient):
            self.steps.now.tensors[event.tensor] = replace(
                facts, leaf=event.node is None, needs_gradient=event.needs_gradient, node=event.node
            )

    def flags_set(self, event: ev.FlagsSet) -> None:
        """Notes what the program has set of a tensor."""
        facts = self.steps.tensor(event.tensor)
        if facts is None:
            return
        self.steps.earlier()
        self._owns(event.tensor, event.grad, self.steps.late)
        self.steps.late.tensors[event.tensor] = replace(
            facts, leaf=event.node is None, needs_gradient=event.needs_gradient, node=event.node, grad=event.grad
        )

    def gradient_set(self, event: ev.GradientSet) -> None:
        """Notes the gradient that a tensor has got."""
        facts = self.steps.tensor(event.tensor)
        if facts is None:
            return
        self._owns(event.tensor, event.grad, self.steps.now)
        self.steps.now.tensors[event.tensor] = replace(facts, grad=event.grad)

    def named(self, event: ev.Named) -> None:
        """Notes the names of a tensor."""
        self._names[event.tensor] = event.names
        self._rename(self.steps.late, event.tensor)
        facts = self.steps.tensor(event.tensor)
        if facts is not None and facts.grad is not None:
            self._rename(self.steps.late, facts.grad)

    def _rename(self, changes: Changes, number: int) -> None:
        facts, names = self.steps.tensor(number), self._names_of(number)
        if facts is not None and facts.names != names:
            changes.tensors[number] = replace(facts, names=names)

    def _owns(self, owner: int, grad: int | None, changes: Changes) -> None:
        """Notes which tensor is the `.grad` of another one now. The one that was it may live on under other names."""
        before = self.steps.tensor(owner)
        if before is not None and before.grad is not None and before.grad != grad:
            self._owners.get(before.grad, {}).pop(owner, None)
            self._rename(changes, before.grad)
        if grad is not None:
            self._owners.setdefault(grad, {})[owner] = None
            self._rename(changes, grad)

    def _names_of(self, number: int) -> tuple[str, ...]:
        """Returns a tensor's names: its own, and `x.grad` for each name of a tensor whose gradient it is."""
        owners = (name for owner in self._owners.get(number, ()) for name in self._names.get(owner, ()))
        return tuple(dict.fromkeys((*self._names.get(number, ()), *(f"{name}.grad" for name in owners))))

    def died(self, event: ev.Died) -> None:
        """Notes what is gone."""
        now = self.steps.now
        changes = now if event.replaced else self.steps.late
        match event.kind:
            case "tensor":
                self._owns(event.number, None, changes)
                self._owners.pop(event.number, None)
                _gone(event.number, now.tensors, changes.tensors)
            case "storage":
                _gone(event.number, now.storages, changes.storages)
                for counter in self._counters_of.pop(event.number, ()):
                    _gone(counter, now.counters, changes.counters)
            case "counter":
                _gone(event.number, now.counters, changes.counters)
            case "node":
                _gone(event.number, now.nodes, changes.nodes)


def _gone(number: int, now: dict[int, F | None], changes: dict[int, F | None]) -> None:
    """Notes in `changes` that an object is gone. The next step (`now`) says nothing more of it: that would revive it."""
    now.pop(number, None)
    changes[number] = None
