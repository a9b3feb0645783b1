"""Random programs: the same seed, the same program.

The generator runs the reference at the same time, so it has every shape and storage, and can choose interesting statements:
views of written tensors, writes to viewed ones, sometimes statements that must be refused. Statements that would make numbers
too large are rejected, because only rounding errors would be left to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import Any, TypeVar

import numpy as np

from .jets import Shape
from .memory import MAY_RUN, RefusedError, Tensor
from .program import Program, Statement
from .reference import Interpreter
from .statements import MAKERS, PLAIN_MAKERS

T = TypeVar("T")
LARGEST = 100.0


class Generator:
    """Builds one program, statement by statement.

    Args:
        random: draws the numbers.
        plain: leave out what PaddlePaddle 3.3.1 cannot run without corrupting its memory: tensors that leave the history or
            their storage, and custom operations in place.
    """

    def __init__(self, random: Random, *, plain: bool = False) -> None:
        self.random, self.plain = random, plain
        self.world = Interpreter(differentiate=False)
        self.statements: list[Statement] = []
        self.dtype = "float32" if random.random() < 0.15 else "float64"
        self.escapes = random.random() < 0.2
        self.shape = self._some_shape()
        self._named, self._kind = 0, np.dtype(self.dtype)

    # ---- choosing ----------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def some(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.random.randrange(len(choices))]

    def number(self) -> float:
        """A number that is not small: many functions are not smooth at 0."""
        return self.some((0.5, 1.5, 2.0, -0.75, -1.25, 3.0))

    def pick(self, test: Callable[[Tensor], bool] = lambda _: True) -> str | None:
        """A tensor of real numbers with a property, preferably a late one."""
        found = [name for name, tensor in self.world.names.items() if tensor.dtype is self._kind and test(tensor)]
        return found[-1 - int(len(found) * self.random.random() ** 1.6)] if found else None

    def target(self, test: Callable[[Tensor], bool] = lambda _: True) -> str | None:
        """A tensor to write: preferably one with history, rarely one that must not be written."""
        bold = self.chance(0.08)
        return self.pick(
            lambda t: test(t) and (bold or not t.storage.leaf) and (self.escapes or t.tracked or not t.storage.needs)
        )

    def partner(self, of: str, *, grow: bool = False) -> str | None:
        """A tensor that can be broadcast to the shape of another one, or (`grow`) together with it."""
        shape = self.world.names[of].shape
        return self.pick(lambda t: _broadcasts(t.shape, shape, grow=grow or self.chance(0.02)))

    def _some_shape(self) -> Shape:
        sizes = (1, 2, 2, 3, 3, 4) if self.chance(0.95) else (0, 1, 2)
        while True:
            shape = tuple(self.some(sizes) for _ in range(self.some((0, 1, 1, 2, 2, 2, 3, 4))))
            if prod(shape) <= 12:
                return shape

    # ---- the program -----------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """The finished program."""
        for name in self.some(("a", "ab", "ab", "abc")):
            self.add_leaf(name)
        self.add(Statement("scale", ("a",), "x", (self.number(), 0.0)))
        self.grow(self.random.randrange(4, 22))
        return Program(tuple(self.statements))

    def add_leaf(self, name: str) -> None:
        """Appends a leaf of the program's shape, or of one that can be broadcast to it."""
        self.add(Statement("leaf", out=name, args=(self.values(self._related_shape()), self.dtype)))

    def grow(self, times: int) -> None:
        """Appends random statements."""
        for _ in range(times):
            for statement in self.some(PLAIN_MAKERS if self.plain else MAKERS)(self):
                if not self.add(statement):
                    break

    def _related_shape(self) -> Shape:
        """The program's shape, or one that can be broadcast to it."""
        if self.chance(0.7):
            return self.shape
        shape = tuple(1 if self.chance(0.3) else n for n in self.shape)
        return shape[self.random.randrange(len(shape) + 1) :]

    def values(self, shape: Shape) -> Any:
        """Nested tuples of numbers, none near zero."""
        draws = [round(self.random.uniform(0.3, 1.7) * self.some((1, 1, -1)), 2) for _ in range(prod(shape))]
        return _nested(np.array(draws).reshape(shape).tolist())

    def add(self, statement: Statement) -> bool:
        """Appends a statement; False if the next one cannot follow: the numbers would become too large, or nothing is bound."""
        try:
            self.world.execute(statement)
        except RefusedError as refusal:
            if refusal.why in MAY_RUN - {"left"}:
                self.world.execute(statement, force=True)
        names = [name for name in (*statement.inputs[:1], statement.out) if name in self.world.names]
        concerned = [self.world.names[name] for name in names]
        if not all(map(_tame, concerned)) or _steep(statement.op, concerned[-1]):
            self._begin_again()
            return False
        self.statements.append(statement)
        return not statement.out or statement.out in self.world.names

    def _begin_again(self) -> None:
        kept, self.statements = self.statements, []
        self.world = Interpreter(differentiate=False)
        for statement in kept:
            self.add(statement)

    def new(self) -> str:
        """An unused name."""
        self._named += 1
        return f"t{self._named}"


def generate(random: Random, *, plain: bool = False) -> Program:
    """A random program: the same numbers from `random`, the same program."""
    return Generator(random, plain=plain).program()


def _tame(tensor: Tensor) -> bool:
    numbers = tensor.storage.jets.value
    return numbers.dtype.kind == "b" or bool((np.abs(numbers) <= LARGEST).all())


def _steep(op: str, tensor: Tensor) -> bool:
    """A root near zero, where the slope is infinite: gradients would be infinite, or zero times that."""
    return op.startswith("sqrt") and bool((tensor.value < 0.01).any())


def _broadcasts(shape: Shape, to: Shape, *, grow: bool) -> bool:
    try:
        result = np.broadcast_shapes(shape, to)
    except ValueError:
        return False
    return (grow and prod(result) <= 16) or result == to


def _nested(values: Any) -> Any:
    return tuple(_nested(each) for each in values) if isinstance(values, list) else values
