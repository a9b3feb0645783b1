"""A random fault in a random program, as data: the same number, the same program and the same fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

import inplacelab as paddle
from inplacelab.autograd import copy_saved_before_write
from tests.oracle.generate import Generator
from tests.oracle.program import Program, Statement

from .faults import (
    AllocationFault,
    BytecodeFault,
    CallbackFault,
    DeviceFailure,
    Fault,
    FloatingPointFault,
    LaunchFault,
    SignalFault,
)


@dataclass(frozen=True)
class Plan:
    """A fault, and the setting that the program runs in.

    Attributes:
        kind: which fault, a name of `KINDS`.
        count: at which opportunity it occurs; for a signal, after how many microseconds.
        error: what is raised.
        moment: for a launch: "before", "half" or "after".
        setting: "plain", "recorded", "copying" or "simulated".
    """

    kind: str
    count: int
    error: type[BaseException]
    moment: str = ""
    setting: str = "plain"

    @property
    def custom(self) -> bool:
        """Whether functions are called as custom operations."""
        return self.kind == "callback"

    def fault(self) -> Fault:
        """The fault, not armed yet."""
        if self.kind == "launch":
            return LaunchFault(self.count, self.error, self.moment)
        return _FAULTS[self.kind](self.count, self.error)

    def __str__(self) -> str:
        parts = (self.kind, str(self.count), self.error.__name__, self.moment, self.setting)
        return " ".join(part for part in parts if part)


_FAULTS: dict[str, type[Fault]] = {
    "allocation": AllocationFault, "callback": CallbackFault, "bytecode": BytecodeFault, "signal": SignalFault,
    "floating": FloatingPointFault,
}  # fmt: skip

KINDS = ("launch", "launch", "bytecode", "bytecode", "bytecode", "allocation", "callback", "floating", "signal")
"""The kinds of faults, with their frequency."""

SETTINGS = ("plain", "plain", "plain", "plain", "copying", "simulated", "recorded")

_ERRORS: dict[str, tuple[type[BaseException], ...]] = {
    "launch": (MemoryError, FloatingPointError, DeviceFailure, KeyboardInterrupt),
    "allocation": (MemoryError,),
    "callback": (ValueError, KeyboardInterrupt),
    "bytecode": (KeyboardInterrupt,),
    "signal": (KeyboardInterrupt,),
    "floating": (FloatingPointError, RuntimeWarning),
}


@contextmanager
def _simulated() -> Iterator[None]:
    paddle.set_device("gpu", simulate=True)
    try:
        yield
    finally:
        paddle.set_device("cpu")


def around(setting: str) -> AbstractContextManager[Any]:
    """What is in force while the program runs, and while its gradients are asked for."""
    settings: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "copying": copy_saved_before_write,
        "simulated": _simulated,
    }
    return settings.get(setting, nullcontext)()


@dataclass(frozen=True)
class Faulty(Statement):
    """A statement from which on the fault is armed. It is a part of the program, so that shrinking keeps it."""

    plan: Plan = Plan("launch", 1, MemoryError, "before")


def plan_of(program: Program) -> tuple[int, Plan] | None:
    """Where the fault is armed, and which one; None if there is none."""
    return next(((k, s.plan) for k, s in enumerate(program) if isinstance(s, Faulty)), None)


def faulty(random: Random) -> Program:
    """A random program with a random fault."""
    generator = FaultGenerator(random)
    program = generator.program()
    position = generator.some(_worth_a_fault(program))
    statement = program.statements[position]
    given = {each.name: getattr(statement, each.name) for each in fields(Statement)}
    return Program(
        (*program.statements[:position], Faulty(**given, plan=generator.plan), *program.statements[position + 1 :])
    )


def _worth_a_fault(program: Program) -> list[int]:
    """Positions, those of writes and of backward several times."""
    often = {True: 4, False: 1}
    return [
        k
        for k, s in enumerate(program)
        for _ in range(often[s.op.endswith("_") or s.op in {"setitem", "backward", "clear_grad"}])
        if s.op != "leaf"
    ]


class FaultGenerator(Generator):
    """Programs that go on after a fault: with gradients that are added up at the end, and numbers that underflow."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        kind = self.some(KINDS)
        error = self.some(_ERRORS[kind])
        self.plan = Plan(kind, self._count(kind), error, setting=self.some(SETTINGS))
        if kind == "launch":
            self.plan = replace(self.plan, moment=self.some(("before", "half", "half", "after")))

    def _count(self, kind: str) -> int:
        if kind in ("bytecode", "signal"):
            return int(10 ** (self.random.random() * (3.5 if kind == "bytecode" else 2.7)))
        return self.some((1, 1, 1, 2, 3, 4))

    def program(self) -> Program:
        for name in self.some(("a", "ab", "ab", "abc")):
            self.add_leaf(name)
            if self.plan.kind == "callback" and self.chance(0.5):
                self.add(Statement("hook", (name,), "", (self.number(),)))
        self.add(Statement("scale", ("a",), "x", (self.number(), 0.0)))
        self.grow(self.random.randrange(3, 14))
        if self.plan.kind == "floating":
            self._underflow()
            self.grow(self.random.randrange(0, 5))
        for _ in range(self.some((0, 1, 1, 2))):
            x = self.pick(lambda t: t.needs)
            if x is not None:
                self.add(Statement("backward", (x,), args=(True,)))
        return Program(tuple(self.statements))

    def _underflow(self) -> None:
        """A square that is too small for its dtype, beside others that are not: raises, after all elements are written."""
        x = self.target(lambda t: bool(t.shape) and t.slots.size > 1)
        if x is not None:
            self.add(Statement("setitem", (x,), args=((0,), 1e-30 if self.dtype == "float32" else 1e-200)))
            self.add(Statement("square_", (x,)))
