"""Finds what may look different after a step: the objects that it changed, and those whose labels mention them.

A card shows the name of its base tensor, a node's number is shown only while another node has the same name, and a pin
becomes stale when its storage is written. Following these references from each step's changes costs no more than the
changes themselves; comparing everything after every step would cost a thousand times as much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from inplacelab.recording.edges import edge_names
from inplacelab.recording.facts import NodeFacts, Step, TensorFacts
from inplacelab.recording.naming import kept_values
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import made_from

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class StepChanges:
    """The serial numbers of what may look different after one step, each kind in a fixed order.

    Attributes:
        state: the state after the step.
        storages: the storages it changed.
        tensors: the tensors it changed, and those whose labels mention what it changed.
        nodes: the grad nodes, likewise.
        keepers: the nodes whose saved tensors may look different.
    """

    state: State
    storages: tuple[int, ...]
    tensors: tuple[int, ...]
    nodes: tuple[int, ...]
    keepers: tuple[int, ...]


def step_changes(recording: Recording) -> tuple[StepChanges, ...]:
    """Returns what each step of a recording may have changed the look of, in order."""
    return recording.once(_followed)


def _followed(recording: Recording) -> tuple[StepChanges, ...]:
    threads = _Threads(made_from(recording))
    for (node, _), kept in kept_values(recording).items():
        threads.named_after.setdefault(kept.name, {}).setdefault(kept.tensor, set()).add(node)
    for (node, _), passed in edge_names(recording).items():
        threads.passers.setdefault(passed.tensor, set()).add(node)
    return tuple(threads.follow(state) for state in recording.states())


class _Many(Generic[_Key]):
    """A map from a key to a set of serial numbers."""

    def __init__(self) -> None:
        self._found: defaultdict[_Key, set[int]] = defaultdict(set)

    def __getitem__(self, key: _Key) -> set[int]:
        return self._found.get(key, set())

    def move(self, serial: int, before: Iterable[_Key], after: Iterable[_Key]) -> None:
        for key in before:
            self._found[key].discard(serial)
        for key in after:
            self._found[key].add(serial)


@dataclass
class _Threads:
    """The references between labels, at the present step."""

    made_from: Mapping[int, Sequence[int]]
    """From a tensor to those that were made of it, on its storage."""
    tensors: dict[int, TensorFacts] = field(default_factory=dict)
    nodes: dict[int, NodeFacts] = field(default_factory=dict)
    views: _Many[int] = field(default_factory=_Many)
    """From a tensor to its views."""
    results: _Many[int] = field(default_factory=_Many)
    """From a node to the tensors that it made."""
    senders: _Many[int] = field(default_factory=_Many)
    """From a node to those that send it gradients."""
    keepers: _Many[int] = field(default_factory=_Many)
    """From a storage to the nodes with a saved tensor on it."""
    namesakes: _Many[tuple[str, int | None]] = field(default_factory=_Many)
    checked: tuple[int, ...] = ()
    named_after: dict[str, dict[int | None, set[int]]] = field(default_factory=dict)
    """From a name and the tensor that it referred to, to the nodes that saved that tensor; later it may refer to another."""
    bound: dict[str, int | None] = field(default_factory=dict)
    """From a name to the tensor that it refers to."""
    passers: dict[int, set[int]] = field(default_factory=dict)
    """From a tensor to the nodes whose edges carry its gradient."""

    def follow(self, state: State) -> StepChanges:
        step = state.step
        storages = step.touched_storages()
        moved = self._moved_names(state)
        called = [*state.awaited, *(key for key, facts in step.tensors if self._is_renamed(key, facts))]
        renamed = [node for key, facts in step.nodes for node in self._node(key, facts)]
        changed = [key for key, _ in step.nodes]
        passing = (self.passers.get(key, set()) & self.nodes.keys() for key in called)
        nodes = _ordered(changed, renamed, *(self.senders[node] for node in renamed), *passing)
        tensors = _ordered(
            [key for key, _ in step.tensors],
            *(self._tensor(key, facts) for key, facts in step.tensors),
            *([key, *self._mentioning(self.tensors[key])] for key in state.awaited),
            *(self.results[node] for node in renamed),
        )
        looked_at, self.checked = self.checked, _checked(step)
        kept = [
            *(self.keepers[storage] for storage in storages),
            *(self._keepers_of(name, state) & self.nodes.keys() for name in moved),
        ]
        return StepChanges(state, storages, tensors, nodes, _ordered(changed, renamed, looked_at, self.checked, *kept))

    def _keepers_of(self, name: str, state: State) -> set[int]:
        """The nodes in whose labels a name that has moved is written in another way: as the former name of a tensor, or no longer so."""
        was, now = self.bound.get(name), state.bound(name)
        self.bound[name] = now
        keepers = self.named_after.get(name, {})
        # Of other tensors it was the former name before, and still is, unless it refers to none.
        affected = {was, now, *state.awaited} if was is not None and now is not None else keepers.keys()
        return set().union(*(keepers.get(tensor, ()) for tensor in affected))

    def _node(self, key: int, after: NodeFacts | None) -> list[int]:
        """The nodes with another name now that node `key` has changed, including itself."""
        before = self.nodes.pop(key, None)
        if after is not None:
            self.nodes[key] = after
        self.senders.move(key, _of(before, _targets), _of(after, _targets))
        self.keepers.move(key, _of(before, _kept), _of(after, _kept))
        if before is not None and after is not None and _name(before) == _name(after):
            return []
        called = [_name(facts) for facts in (before, after) if facts is not None]
        counts = {name: len(self.namesakes[name]) for name in called}
        self.namesakes.move(key, _of(before, lambda node: [_name(node)]), _of(after, lambda node: [_name(node)]))
        told_apart = [name for name in called if min(counts[name], len(self.namesakes[name])) == 1]
        return [key, *(other for name in told_apart for other in sorted(self.namesakes[name]))]

    def _is_renamed(self, key: int, after: TensorFacts | None) -> bool:
        return after is not None and _names(after) != tuple(_of(self.tensors.get(key), _names))

    def _moved_names(self, state: State) -> set[str]:
        """The names that refer to another tensor, or to none, after a step; and those that will be bound by the running line."""
        moved = {
            name
            for key, after in state.step.tensors
            for name in {*_of(self.tensors.get(key), _names)} ^ {*_of(after, _names)}
        }
        return moved.union(*(state.called(key).names for key in state.awaited))

    def _tensor(self, key: int, after: TensorFacts | None) -> list[int]:
        """The tensors whose labels mention tensor `key`: those made of it, and the gradients it has and had."""
        before = self.tensors.pop(key, None)
        if after is not None:
            self.tensors[key] = after
        self.views.move(key, _of(before, _base), _of(after, _base))
        self.results.move(key, _of(before, _maker), _of(after, _maker))
        return [other for facts in (before, after) if facts is not None for other in self._mentioning(facts)]

    def _mentioning(self, tensor: TensorFacts) -> list[int]:
        """Its views, what was made of it, and the gradient that it has."""
        made = [*self.views[tensor.id], *self.made_from.get(tensor.id, ())]
        for each in made:  # which grows meanwhile
            made += self.made_from.get(each, ())
        return [*([] if tensor.grad is None else [tensor.grad]), *(each for each in made if each in self.tensors)]


_Facts = TypeVar("_Facts", TensorFacts, NodeFacts)


def _of(facts: _Facts | None, ask: Callable[[_Facts], Iterable[_Key]]) -> Iterable[_Key]:
    return () if facts is None else ask(facts)


def _targets(node: NodeFacts) -> list[int]:
    return [edge.to for edge in node.edges]


def _kept(node: NodeFacts) -> list[int]:
    return [saved.storage for saved in node.saved]


def _name(node: NodeFacts) -> tuple[str, int | None]:
    return node.name, node.line


def _names(tensor: TensorFacts) -> tuple[str, ...]:
    return tensor.names


def _base(tensor: TensorFacts) -> list[int]:
    return [] if tensor.base is None else [tensor.base]


def _maker(tensor: TensorFacts) -> list[int]:
    return [] if tensor.node is None else [tensor.node]


def _checked(step: Step) -> tuple[int, ...]:
    """The node whose saved tensors the step checked."""
    at = step.error or step.backward
    return () if at is None or at.node is None else (at.node,)


def _ordered(first: list[int], *others: Iterable[int]) -> tuple[int, ...]:
    """`first` in its own order, then the others by number."""
    known = set(first)
    return (*dict.fromkeys(first), *sorted({each for some in others for each in some} - known))
