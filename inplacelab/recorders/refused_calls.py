"""Finds the tensors that a refused call was given, so that the picture of the error can show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FrameType
from typing import Any, NamedTuple

from inplacelab.recorders.program import Program
from inplacelab.recorders.static import names_in


class FailedCall(NamedTuple):
    """A call that raised.

    Attributes:
        error: the address of the exception. Another one may get this address later, so the line is compared, too.
        line: the line of the program.
        operands: the numbers of the tensors that it was given.
    """

    error: int = 0
    line: int | None = None
    operands: tuple[int, ...] = ()

    def operands_of(self, error: BaseException, line: int | None) -> tuple[int, ...]:
        """Returns the operands of the call that raised an error; none if another call, or the program itself, raised it."""
        return self.operands if (id(error), line) == (self.error, self.line) else ()


def arguments(kind: type, frame: FrameType, program: Program) -> Iterator[Any]:
    """Yields the objects of a class that the program has given to the function that it is calling.

    Args:
        kind: the class.
        frame: a frame inside that call.
        program: the program.
    """
    while frame.f_back is not None and not program.has(frame.f_back):
        frame = frame.f_back
    if frame.f_back is None:
        return
    code, names = frame.f_code, names_in(frame.f_locals)
    starred = [code.co_flags & flag for flag in (CO_VARARGS, CO_VARKEYWORDS)]
    count = code.co_argcount + code.co_kwonlyargcount + sum(map(bool, starred))
    for name in code.co_varnames[:count]:
        yield from _of_kind(kind, names.get(name))


def _of_kind(kind: type, value: Any) -> Iterator[Any]:
    """Yields a value of a class, or those in a list, a tuple or a dictionary."""
    parts: Sequence[Any] = (
        value if type(value) in (list, tuple) else [*value.values()] if type(value) is dict else [value]
    )
    yield from (each for each in parts if issubclass(type(each), kind))
