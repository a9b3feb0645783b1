"""How the elements of an operation's result depend on those of its operands: what the table declares, and recorders report.

It is plain data that refers to a rule. `recording/computed_from.py` works out from it, and from the shapes, which elements an element was
computed from; no list of them is stored, except where an index or a mask has chosen positions.

An origin of an element is an element whose value can influence it. Where positions depend on values (an index, a mask, the largest
element), the positions are taken as they were: an index is no origin of the elements that it selects, and of a maximum only the largest
element is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

How = Literal[
    "constant", "drawn", "pointwise", "chosen", "reordered", "joined", "stacked", "reduced", "whole", "running", "contracted",
    "windowed", "attended", "moved", "listed", "written",
]  # fmt: skip
"""The rules (see `Dependence`)."""

Rule = Literal["", "largest", "smallest", "largest size", "smallest size", "middle", "lower middle", "kept"]
"""Which of the elements that a rule names count: all; only the largest or smallest, or those of the largest or smallest size; of a median the
middle one, or of an even number of elements the middle two, or the lower of them; those that dropout kept: where the result is not 0."""

MOST_PLACES = 1024
"""Positions that an index or a mask has chosen are reported if they are no more than this."""


_LEFT_OUT = {"left_out": True}  # a recording's JSON leaves out what has its default


# Neither class is changed after it is made. They are not frozen, because a recorder makes one at each call (see `recorders/events.py`).
@dataclass(slots=True, unsafe_hash=True)
class Given:
    """A number that an operation was given beside its operands, such as the factor of scale_."""

    name: str
    """What the operation calls it."""
    value: float | int | bool | complex
    """The number."""


@dataclass(slots=True, unsafe_hash=True)
class Dependence:
    """How the elements of an operation's result depend on those of its inputs: a rule, from which origins are worked out.

    Elements are given by their numbers in row-major order, operands by their positions among the inputs.
    """

    how: How
    """The rule. "constant" and "drawn": on no element; "pointwise": on those at the same position, after broadcasting, of all operands but
    those in numbers; "chosen": on one of two operands, by a mask, with numbers for the mask, the operand where it holds, and the one where
    it does not, -1 for none; "reordered": on the one with the same number; "joined" and "stacked": the operands side by side on the axis in
    numbers, for "stacked" a new one; "reduced" and "whole": on all along the axes in numbers, which the result lacks, or has, of further operands as text
    says, one word for each: "alike", by "position", by "channel" (the second axis), or "none"; "reduced" on those in places alone, if there are any; "running": on all up to it, along the axis in numbers, or in row-major order; "contracted": by the equation in text, of three terms by the product of the last two, added to the first; numbers are the operands of
    the terms, if not in order; "windowed": on those in its window of the first operand, by numbers: the groups, 0 if each channel stands alone, and
    for each axis the window's size, stride, padding and dilation, times the second operand, plus the third; if text is "transposed", on those
    whose windows it is in; "attended": on the rows of the first three operands as attention weighs them, without the pairs of a query and a key in
    places; a further operand is added to the scores; "moved": on the
    element in places, -1 for none: numbers beyond the first operand's elements go on in the next one; "listed": on those in places, numbered as for "moved",
    as many for each element of the result as numbers says, times weights, or the same for all if there are none; "written": those in places were written with those in values of the last operand, "assigned", "combined"
    with the old ones, or "replaced" by all of them together, as text says."""
    numbers: tuple[int, ...] = field(default=(), metadata=_LEFT_OUT)
    """Axes, or positions of operands."""
    text: str = field(default="", metadata=_LEFT_OUT)
    """An equation in Einstein's notation, or how elements were written."""
    weights: tuple[float | int | bool | complex, ...] = field(default=(), metadata=_LEFT_OUT)
    """What the elements in places are multiplied by before they are added up."""
    rule: Rule = field(default="", metadata=_LEFT_OUT)
    """Which of these elements count."""
    places: tuple[int, ...] = field(default=(), metadata=_LEFT_OUT)
    """The elements that an index, a mask or another argument has chosen."""
    values: tuple[int, ...] = field(default=(), metadata=_LEFT_OUT)
    """The elements of the last operand that were written there, one for each place; none if it was a number."""
    given: tuple[Given, ...] = field(default=(), metadata=_LEFT_OUT)
    """The numbers beside the operands."""
    first: int = field(default=0, metadata=_LEFT_OUT)
    """The first operand that counts: those before it, such as `out`, are only written, or choose."""


def adds_first(equation: str) -> bool:
    """Returns whether an equation of three terms adds the first to the product of the others, as in `addmm`: "ij,ik,kj->ij".

    The first term has no axis that the result lacks, while the others are summed over one. The first may be left out: "-,ik,kj->ij". A sign before
    it says the same of any number of terms: "+ij,i,j->ij".
    """
    if equation.startswith("+"):
        return True
    left, _, result = equation.partition("->")
    terms = left.split(",")
    if len(terms) != 3:
        return False
    summed = {*terms[1]} & {*terms[2]} - {*result}
    return terms[0] == "-" or ({*terms[0]} <= {*result} and bool(summed))


def products(equation: str) -> Dependence:
    """Returns the dependence on sums of products of one element of each operand, whatever the equation.

    >>> products("i,ij,j->i")
    Dependence(how='contracted', numbers=(1, 0, 2), text='ij,i,j->i', weights=(), rule='', places=(), values=(), given=(), first=0)
    """
    if not adds_first(equation):
        return Dependence("contracted", text=equation)
    left, _, result = equation.partition("->")
    first, second, third = left.split(",")
    return Dependence("contracted", (1, 0, 2), text=f"{second},{first},{third}->{result}")


def listed(
    groups: Sequence[Sequence[int]], weights: Sequence[Sequence[float]] = (), rule: Rule = ""
) -> Dependence | None:
    """Returns the dependence of each element of a result on a few elements of the operands; None if they are too many to report.

    Args:
        groups: for each element of the result, in order, the numbers of the elements: those of the second operand come after those of the first.
        weights: for each of these what it is multiplied by; none if the elements are not added up.
        rule: which of the elements count.
    """
    counts = tuple(map(len, groups))
    if sum(counts) > MOST_PLACES or len(counts) > MOST_PLACES:
        return None
    places = tuple(int(each) for group in groups for each in group)
    return Dependence(
        "listed", counts, places=places, weights=tuple(float(each) for group in weights for each in group), rule=rule
    )


POINTWISE = Dependence("pointwise")
REORDERED = Dependence("reordered")
CONSTANT = Dependence("constant")
DRAWN = Dependence("drawn")
OVERWRITTEN = Dependence("pointwise", (0,))
"""The first operand is overwritten, position by position, with the others."""
