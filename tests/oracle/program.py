"""Programs as data: lists of statements on named tensors.

A program is run by the reference interpreter, and printed as Paddle code and as PyTorch code. So a statement is not code: it
has the name of an operation (`wording.py` has the code, `reference.py` the meaning), the names it reads, the name it binds,
and plain constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import Any

Item = int | slice | None | EllipsisType | tuple[int, ...] | str
"""One part of a key: as in Python, with a tuple of integers for a list, and a string for the name of a tensor."""
Key = tuple[Item, ...]


@dataclass(frozen=True)
class Statement:
    """One line of a program.

    Attributes:
        op: the operation: a name of the tables in `wording.py` and `reference.py`. A name with `_` writes its first input.
        inputs: the names of its operands.
        out: the name that is bound to the result; "" if none is.
        args: numbers, shapes, axes, and for `getitem` and `setitem` first the key.
        quiet: whether it runs within `no_grad()`.
    """

    op: str
    inputs: tuple[str, ...] = ()
    out: str = ""
    args: tuple[Any, ...] = ()
    quiet: bool = False

    @property
    def key(self) -> Key:
        """The key of a `getitem` or `setitem`; empty for other operations."""
        return self.args[0] if self.op in {"getitem", "setitem"} else ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Every name that must be bound before: the inputs, and the tensors in a key."""
        return (*self.inputs, *(item for item in self.key if isinstance(item, str)))

    def renamed(self, names: Mapping[str, str]) -> Statement:
        """The same statement reading other tensors."""
        args = self.args
        if self.key:
            args = (tuple(names.get(k, k) if isinstance(k, str) else k for k in self.key), *args[1:])
        inputs = tuple(names.get(n, n) for n in self.inputs)
        return replace(self, inputs=inputs, args=args, out=inputs[0] if self.op == "iadd" else self.out)


@dataclass(frozen=True)
class Program:
    """Statements, one after the other."""

    statements: tuple[Statement, ...]

    def __iter__(self) -> Iterator[Statement]:
        return iter(self.statements)

    def __len__(self) -> int:
        return len(self.statements)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The names of the tensors that gradients are computed for."""
        return tuple(s.out for s in self if s.op == "leaf")

    @property
    def dtypes(self) -> frozenset[str]:
        """The dtypes that the program names."""
        return frozenset(s.args[-1] for s in self if s.op in {"leaf", "buffer", "cast"})

    def without(self, position: int) -> Program:
        """The program without one statement, and without those that depend on it."""
        gone, kept = {self.statements[position].out} - {""}, list(self.statements[:position])
        for statement in self.statements[position + 1 :]:
            if gone.isdisjoint(statement.reads):
                kept.append(statement)
                gone.discard(statement.out)
            elif statement.out:
                gone.add(statement.out)
        return Program(tuple(kept))


def is_basic(key: Key) -> bool:
    """True if the key selects by geometry (a view); lists and tensors select by a table of positions (a copy)."""
    return not any(isinstance(item, tuple | str) for item in key)


def flat(values: Any) -> list[Any]:
    """The numbers in nested tuples, in order."""
    return [x for part in values for x in flat(part)] if isinstance(values, tuple) else [values]
