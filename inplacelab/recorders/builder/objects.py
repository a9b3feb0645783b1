"""Turns events about storages, version counters and tensors into facts, and names them."""

from __future__ import annotations

from dataclasses import replace

from inplacelab.recorders import events as ev
from inplacelab.recorders.builder import decode
from inplacelab.recorders.builder.changes import Changes, F, Steps
from inplacelab.recording.facts import CounterFacts, StorageFacts, TensorFacts


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
            values=decode.values(event.values),
        )

    def counter_seen(self, event: ev.CounterSeen) -> None:
        """Notes a version counter."""
        self._counters_of.setdefault(event.storage, []).append(event.counter)
        self.steps.now.counters[event.counter] = CounterFacts(event.counter, event.storage, event.version)

    def wrote(self, event: ev.Wrote) -> None:
        """Notes what a storage holds after a write, and the version."""
        facts = self.steps.storage(event.storage)
        if facts is not None:
            values = decode.values(event.values)
            if event.alone is not None:
                values = decode.changed(facts.values, values, decode.runs_of(event.alone, facts))
            self.steps.now.storages[event.storage] = replace(facts, values=values)
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
