"""What a slope is, and how the slopes of an operation are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.arithmetic import signed

__all__ = ["ONE", "UNKNOWN", "Asked", "Form", "Slope", "in_brackets", "labeled"]

Given = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Slope:
    """How strongly a result follows one of its origins.

    Attributes:
        value: the factor; None if it is not known.
        written: how it is computed, from the numbers: "2 · 3".
    """

    value: float | None
    written: str


UNKNOWN = Slope(None, "?")
ONE = Slope(1.0, "1")


class Asked(NamedTuple):
    """A question for a slope.

    Attributes:
        x: the values of the origins, in the order of the arithmetic.
        at: which of them is meant.
        own: which of them is at the position of the result; None if none is.
        out: the result.
        given: the numbers beside the operands.
        listed: the labels of a loss, in order.
        line: how many of the origins are elements of the first operand; further operands come after them.
    """

    x: Sequence[float]
    at: int
    own: int | None
    out: float
    given: Given
    listed: Sequence[float] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Form:
    """The slopes of an operation.

    Attributes:
        slope: returns the slope.
        value: returns the result, which must be the recorded one; None if the operation has only this form.
    """

    slope: Callable[[Asked], Slope]
    value: Callable[[Asked], float] | None = None


def in_brackets(value: float) -> str:
    """A number after an operator."""
    return signed(number_label(value))


def labeled(value: float) -> Slope:
    """A slope that is written as its value."""
    return Slope(value, number_label(value))
