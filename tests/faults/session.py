"""Runs a program with its fault, and observes the state around the statements that failed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab import modes, observe
from inplacelab.errors import Refusal as RefusedError
from tests.oracle.frameworks import OURS, Session
from tests.oracle.jets import Array
from tests.oracle.outcome import Outcome, Refusal, quietly
from tests.oracle.program import Program, Statement

from . import launches, layers
from .faults import STATEMENT, Fault, unarmed
from .plan import around, plan_of
from .wording import line


@dataclass(frozen=True)
class Seen:
    """One named tensor at one moment."""

    identity: tuple[int, int, tuple[int, ...], tuple[int, ...], int]
    """The tensor, its storage, and its window: shape, strides, address."""
    version: int
    values: Array
    storage: bytes
    """The bytes of its whole storage."""


Grad = Array | Refusal | None


@dataclass(frozen=True)
class State:
    """The named tensors at one moment, and their `.grad`s."""

    tensors: Mapping[str, Seen]
    grads: Mapping[str, Grad]

    def same_data(self, other: State) -> bool:
        """Whether the same names are bound to the same tensors, with the same bytes in the same windows."""
        if self.tensors.keys() != other.tensors.keys():
            return False
        pairs = [(seen, other.tensors[name]) for name, seen in self.tensors.items()]
        return all(a.identity == b.identity and a.storage == b.storage for a, b in pairs)

    def same_versions(self, other: State) -> bool:
        """Whether no version was raised."""
        return all(b.version == a.version for a, b in self.shared(other))

    def shared(self, other: State) -> Iterator[tuple[Seen, Seen]]:
        """The tensors of names that are bound in both."""
        return ((seen, other.tensors[name]) for name, seen in self.tensors.items() if name in other.tensors)

    def same_grads(self, other: State) -> bool:
        """Whether all `.grad`s are as before."""
        return all(_equal(grad, other.grads[name]) for name, grad in self.grads.items())


def _equal(a: Grad, b: Grad) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b, equal_nan=True))
    return type(a) is type(b)


@dataclass(frozen=True)
class Event:
    """A statement that failed; or in which the fault was swallowed, so that it did not.

    Attributes:
        error: the class of the exception; "" if none came out.
        before, after: the state around it.
    """

    error: str
    before: State
    after: State


@dataclass
class Run:
    """One run of a program.

    Attributes:
        outcome: the state at its end, and what was refused.
        events: what failed, by position.
        broken: what the faults left behind: modes that are switched.
    """

    outcome: Outcome
    events: dict[int, Event]
    broken: list[str]


def run(program: Program) -> Run:
    """Runs a program with its fault."""
    with launches.wrapped(), _silent():
        return _run(program, FaultySession(program))


def run_without(program: Program, positions: Collection[int]) -> Outcome:
    """The outcome if the statements at these positions are left out, and nothing fails."""
    session = FaultySession(program, left_out=frozenset(positions))
    return _run(program, session).outcome


def _run(program: Program, session: FaultySession) -> Run:
    found = plan_of(program)
    setting = found[1].setting if found else "plain"
    with quietly(), around(setting):
        try:
            with _recorded() if setting == "recorded" else unarmed():
                for position, statement in enumerate(program):
                    session.execute(position, statement)
        except Exception as error:  # noqa: BLE001  # of the recorder: those of the program are caught
            session.broken.append(f"the recorder: {type(error).__name__}: {error}")
        return Run(session.outcome(), session.events, session.broken)


@contextmanager
def _recorded() -> Iterator[None]:
    with paddle.record():
        yield


@contextmanager
def _silent() -> Iterator[None]:
    """An interrupt in a finalizer is printed and ignored by Python: here it is only ignored."""
    before, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = before


class FaultySession(Session):
    """One run of one program, in which a fault occurs."""

    def __init__(self, program: Program, left_out: Collection[int] | None = None) -> None:
        super().__init__(OURS, second=False)
        found = plan_of(program)
        self._first = len(program) if found is None else found[0]
        self._fault = None if found is None or left_out is not None else found[1].fault()
        self._left_out = left_out or ()
        self._custom = found is not None and found[1].custom
        self._space |= {"hook": layers.hook, "Custom": layers.Custom, "in_place": layers.in_place}
        self.events: dict[int, Event] = {}
        self.broken: list[str] = []

    def execute(self, position: int, statement: Statement) -> None:
        """Runs one line. What is refused or fails is noted, and the program goes on."""
        if position in self._left_out or any(name not in self._names for name in statement.reads):
            self._outcome.refusals[position] = Refusal("unbound", "")
            return
        code = compile(line(statement, custom=self._custom), STATEMENT, "exec")
        fault = self._to_arm(position)
        if fault is None:
            error = self._attempt(code, None)
        else:
            before, blocks = self._state(), modes.current().blocks
            error = self._attempt(code, fault)
            self._restore(blocks)
            if fault.fired or not isinstance(error, RefusedError | None):
                self._event(position, error, before)
                return
        if error is None:
            self._note(statement)
        else:
            self._outcome.refusals[position] = self._refusal(error)  # type: ignore[arg-type]  # or an interrupt

    def _to_arm(self, position: int) -> Fault | None:
        """The fault, if it has not occurred yet and may occur in this statement."""
        waits = self._fault is not None and position >= self._first and not self._fault.fired
        return self._fault if waits else None

    def _attempt(self, code: Any, fault: Fault | None) -> BaseException | None:
        """Runs the code. An exception is returned without its traceback, which would keep tensors alive."""
        try:
            with unarmed() if fault is None else fault.armed():
                exec(code, self._space, self._names)
        except BaseException as error:  # noqa: BLE001  # an interrupt, too, is an outcome
            return error.with_traceback(None)
        return None

    def _event(self, position: int, error: BaseException | None, before: State) -> None:
        if error is not None:
            error.__context__ = error.__cause__ = None
        self.events[position] = Event("" if error is None else type(error).__name__, before, self._state())

    def _restore(self, blocks: Sequence[modes.Block]) -> None:
        """Notes that the modes are not those that they were before a statement; what follows runs in those.

        A recorder that was interrupted has stopped, and may have ended its block.
        """
        after = modes.current().blocks
        expected = tuple(each for each in blocks if each in after or not isinstance(each, observe.listening))
        if after != expected:
            self.broken.append("mode: the blocks after a statement are not those before it")
            modes.set_blocks(expected)

    # ---- observing ---------------------------------------------------------------------------------------------------

    def _state(self) -> State:
        grads = {name: _grad(tensor) for name, tensor in (self._retained | self._leaves).items()}
        return State({name: _seen(tensor) for name, tensor in self._names.items()}, grads)

    def outcome(self) -> Outcome:
        """The state of every named tensor, the `.grad`s, and the gradients."""
        outcome = self._outcome
        for name, tensor in self._names.items():
            outcome.values[name] = _seen(tensor).values
            outcome.stopped[name] = bool(tensor.stop_gradient)
            outcome.versions[name] = tensor.inplace_version
        for name, tensor in (self._retained | self._leaves).items():
            outcome.grads[name] = _grad(tensor)  # type: ignore[assignment]  # here it may be refused
        for name, stopped in outcome.stopped.items():
            if not stopped:
                outcome.probes[name] = self._probe(self._names[name])
        return outcome


def _seen(tensor: Any) -> Seen:
    """Looks at a tensor without an operation."""
    array, storage = tensor.array, tensor.storage
    identity = (id(tensor), id(storage), array.shape, array.strides, array.__array_interface__["data"][0])
    return Seen(identity, storage.version, np.array(array), np.asarray(storage.buffer).tobytes())


def _grad(tensor: Any) -> Grad:
    try:
        return None if tensor.grad is None else np.array(tensor.grad.numpy())
    except RefusedError as refusal:
        return Refusal(type(refusal).__name__, str(refusal))
