"""A recording: the learner's source, the steps it took, and the state after each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from inplacelab.recording.facts import NodeFacts, Step, StorageFacts, TensorFacts

SCHEMA_VERSION = 1

_Facts = TypeVar("_Facts", StorageFacts, TensorFacts, NodeFacts)


@dataclass(frozen=True, slots=True)
class State:
    """Everything that was alive after one step. The mappings go from serial number to facts, in order of creation."""

    step: Step
    storages: Mapping[int, StorageFacts]
    tensors: Mapping[int, TensorFacts]
    nodes: Mapping[int, NodeFacts]

    def tensor(self, name: str) -> TensorFacts:
        """The tensor that the learner calls `name`.

        Raises:
            KeyError: if no live tensor has that name at this step; the message lists the names there are.
        """
        for tensor in self.tensors.values():
            if name in tensor.names:
                return tensor
        known = sorted({n for t in self.tensors.values() for n in t.names})
        raise KeyError(
            f"no tensor is called {name!r} after step {self.step.index}; there are: {', '.join(known) or 'none'}"
        )

    def storage_of(self, name: str) -> StorageFacts:
        """The storage under the tensor that the learner calls `name`."""
        return self.storages[self.tensor(name).storage]


@dataclass(frozen=True)
class Recording:
    """An immutable record of a program's run.

    Attributes:
        framework: who ran it: "inplacelab", "paddle" or "torch". Decides the words in a picture
            (`stop_gradient` or `requires_grad`).
        framework_version: its version.
        title: a short name for the picture.
        source: the learner's code; line numbers in the steps count from 1 in it.
        steps: what happened, in order.
        truncated: the number of events left out at the end because the recorder's limit was reached; 0 if none.
        simulated: True if a simulated device took part.
        live_before: the bytes that were live before the first step: of tensors made earlier in the session.
    """

    framework: str
    framework_version: str
    title: str
    source: str
    steps: tuple[Step, ...]
    truncated: int = 0
    simulated: bool = False
    live_before: int = 0
    schema: int = field(default=SCHEMA_VERSION)

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"Recording({self.title!r}, steps={len(self.steps)})"

    @cached_property
    def _states(self) -> tuple[State, ...]:
        return tuple(_fold(self.steps))

    def state(self, step: int = -1) -> State:
        """What was alive after step number `step`, counted from 0; negative numbers count from the end.

        Raises:
            IndexError: if there is no such step.
        """
        if not -len(self.steps) <= step < len(self.steps):
            raise IndexError(f"there is no step {step}: this recording has {len(self.steps)} steps")
        return self._states[step]

    def states(self) -> tuple[State, ...]:
        """The states after each step, in order."""
        return self._states

    def on_line(self, line: int) -> tuple[Step, ...]:
        """The steps that happened on `line` of the source, in order."""
        return tuple(s for s in self.steps if s.line == line)

    def after_line(self, line: int) -> State:
        """The state after the last step on `line` of the source.

        Raises:
            LookupError: if nothing was recorded on that line.
        """
        steps = self.on_line(line)
        if not steps:
            lines = sorted({s.line for s in self.steps if s.line is not None})
            raise LookupError(f"nothing was recorded on line {line}; lines with steps: {lines}")
        return self.state(steps[-1].index)


def _fold(steps: tuple[Step, ...]) -> Iterator[State]:
    storages: Mapping[int, StorageFacts] = {}
    tensors: Mapping[int, TensorFacts] = {}
    nodes: Mapping[int, NodeFacts] = {}
    for step in steps:
        storages = _apply(storages, step.storages)
        tensors = _apply(tensors, step.tensors)
        nodes = _apply(nodes, step.nodes)
        yield State(step, storages, tensors, nodes)


def _apply(before: Mapping[int, _Facts], changes: tuple[tuple[int, _Facts | None], ...]) -> Mapping[int, _Facts]:
    if not changes:
        return before
    after = dict(before)
    for key, facts in changes:
        if facts is None:
            after.pop(key, None)
        else:
            after[key] = facts
    return MappingProxyType(after)
