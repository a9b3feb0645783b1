"""Writes numbers as pictures and sentences show them: with three significant digits, and whole for tables and readouts.

A number that is shorter is written as it is, so a rounded one can be told from it: 0.5 is a half, and 0.500 is nearly that. The player
writes numbers in the same way (`number` of player/linking.js).
"""

from __future__ import annotations

import struct
from bisect import bisect
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from math import isfinite

from inplacelab.recording.facts import Number

LONGEST_WHOLE = 20
"""The most digits of a whole number before it is rounded: every 64-bit integer fits."""
_SMALLEST, _LARGEST, _LARGEST_WHOLE = 1e-5, 1e6, 1e8
"""The sizes of numbers that are written without an exponent."""
_SHORT_WHOLE = 1000
"""Smaller whole numbers never have an exponent."""
_ROUNDED = Context(prec=3, rounding=ROUND_HALF_UP)
_TENTH = Decimal("0.1")
_POWERS = [10.0**power for power in range(-9, 6)]
_NEARLY = 1.001
"""Numbers this close below a power of ten may be rounded up to it."""


@lru_cache(maxsize=1 << 16, typed=True)
def number(value: Number, longest_whole: int = LONGEST_WHOLE, *, exponent: bool = False) -> str:
    """Returns a value with three significant digits; a whole number as it is, and one with a fraction with at least one decimal.

    Args:
        value: the value.
        longest_whole: the most digits of an integer before it is rounded.
        exponent: whether the numbers beside it have exponents (see `in_exponents`).

    >>> number(2.0), number(0.123456), number(1234567890), number(12345.678), number(-1.2345e-7), number(True)
    ('2', '0.123', '1234567890', '12345.7', '-1.23e-7', 'True')
    >>> number(0.5), number(0.49999), number(0.5, exponent=True), number(1.0, exponent=True)
    ('0.5', '0.500', '5e-1', '1')
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, complex):
        real, imaginary = (number(part, exponent=exponent) for part in (value.real, value.imag))
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    if isinstance(value, int):
        written, digits = str(value), _ROUNDED.create_decimal(value)
        is_short = len(written.lstrip("-")) <= longest_whole
        return written if is_short else _with_exponent(digits.normalize() if digits == value else digits)
    if not isfinite(value):
        return str(value)
    size, is_whole = abs(value), value.is_integer()
    has_exponent = exponent or _needs_exponent(size, is_whole=is_whole)
    if is_whole and (not has_exponent or size < _SHORT_WHOLE):
        return str(int(value))
    digits = _ROUNDED.create_decimal_from_float(value)
    if not has_exponent and digits.adjusted() >= 2:
        digits = Decimal(value).quantize(_TENTH, ROUND_HALF_UP)
    if _is_exactly(value, float(digits)):
        digits = digits.normalize()
    return _with_exponent(digits) if has_exponent else f"{digits:f}"


def apart(value: Number, other: Number, *, exponent: bool = False) -> str:
    """Returns a value with as many digits as tell it from another one, three to five; "≈" stands before one that needs more.

    >>> apart(0.2119, 0.2121), apart(0.212345, 0.212399), apart(0.5, 0.6), apart(0.2123451, 0.2123452)
    ('0.2119', '0.2123', '0.5', '≈0.212')
    """
    written, beside = number(value, exponent=exponent), number(other, exponent=exponent)
    if written != beside or value == other or not isinstance(value, float) or not isfinite(value):
        return written
    for digits in (4, 5):
        longer, besides = (f"{each:.{digits - 1}e}" if exponent else f"{each:.{digits}g}" for each in (value, other))
        if longer != besides:
            return longer
    return f"≈{written}"


def _with_exponent(digits: Decimal) -> str:
    return f"{digits:e}".replace("e+", "e")


def _needs_exponent(size: float, *, is_whole: bool) -> bool:
    return bool(size) and not _SMALLEST <= size < (_LARGEST_WHOLE if is_whole else _LARGEST)


def in_exponents(values: Iterable[Number]) -> bool:
    """Returns whether the numbers of one picture have exponents, so that they can be compared: if one of them needs it.

    >>> in_exponents([0.5, 0.001]), in_exponents([0.5, 1e-7]), in_exponents([0, 10**12])
    (False, True, False)
    """
    for value in values:
        if isinstance(value, complex):
            if in_exponents((value.real, value.imag)):
                return True
        elif (
            type(value) is float
            and not _SMALLEST <= abs(value) < _LARGEST
            and isfinite(value)
            and _needs_exponent(abs(value), is_whole=value.is_integer())
        ):
            return True
    return False


def longest(values: Iterable[Number], *, exponent: bool = False) -> int:
    """Returns the length of the longest text of `values`, in characters; 0 without values. Few of them are formatted: the texts of floats
    that are rounded are equally long if the floats have the same sign and power of ten.

    >>> longest([0.5, 0.123456, -0.0234567, 0.3])
    7
    """
    found = 0
    rounded: set[tuple[bool, int]] = set()
    for value in values:
        kind = None
        if type(value) is float and 0 < (power := bisect(_POWERS, abs(value))) < len(_POWERS):
            kind = (value < 0, power) if bisect(_POWERS, abs(value) * _NEARLY) == power else None
            if kind in rounded:
                continue
        written = number(value, exponent=exponent)
        if kind and "." in written and len(written.partition("e")[0].strip("-0.").replace(".", "")) >= _ROUNDED.prec:
            rounded.add(kind)
        found = max(found, len(written))
    return found


@lru_cache(maxsize=1 << 14, typed=True)
def whole(value: Number) -> str:
    """Returns the fewest digits that identify a value: among 32-bit floats if it is one, otherwise among 64-bit floats.

    >>> whole(0.1), whole(0.10000000149011612), whole(1e-7), whole(1e22), whole(1 + 2j)
    ('0.1', '0.1', '1e-7', '1e22', '1+2j')
    """
    if isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, complex):
        real, imaginary = whole(value.real), whole(value.imag)
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    if not isfinite(value):
        return str(value)
    # Minus zero equals zero, and is printed like it.
    digits, _, power = _shortest(value + 0.0).removesuffix(".0").partition("e")
    return f"{digits}e{int(power)}" if power else digits


def _shortest(value: float) -> str:
    """The fewest digits that identify a value among 32-bit floats: nine are always enough."""
    if _in_32_bits(value) != value:
        return repr(value)
    written = f"{value:.9g}"
    for digits in (8, 7, 6):
        shorter = f"{value:.{digits}g}"
        if _in_32_bits(float(shorter)) != value:
            return written
        written = shorter
    return written


def _is_exactly(value: float, written: float) -> bool:
    """Whether digits that read as `written` identify a value, as in `whole`."""
    return written == value or (_in_32_bits(written) == value and _in_32_bits(value) == value)


_FLOAT = struct.Struct("f")


def _in_32_bits(value: float) -> float | None:
    try:
        found: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return None
    return found
