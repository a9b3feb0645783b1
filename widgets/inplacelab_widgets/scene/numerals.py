"""Formats values for slots: whole if they are short, otherwise cut, with a sign that more digits follow.

A value is cut, not rounded: every digit shown is a digit of the value. The tables have the whole value.
"""

from __future__ import annotations

import struct
from bisect import bisect
from collections.abc import Iterable
from functools import lru_cache
from math import isfinite

from inplacelab.recording.facts import Number

LONGEST = 7
"""The most characters of a value with a fraction, without its sign, before it is cut."""
LONGEST_WHOLE = 20
"""The most digits of a whole number before it is cut: every 64-bit integer fits."""
_DIGITS = 3
_MOST_QUICKLY = 1e5
_MORE = "…"
_POWERS = [10.0**power for power in range(-9, 6)]


@lru_cache(maxsize=1 << 16, typed=True)
def number(value: Number, longest_whole: int = LONGEST_WHOLE) -> str:
    """Returns a value as it is shown in a slot; "…" means that it has more digits.

    Args:
        value: the value.
        longest_whole: the most digits of a whole number before it is cut.

    >>> number(2.0), number(0.123456), number(1234567890), number(12345.678), number(-1.2345e-7), number(True)
    ('2', '0.123…', '1234567890', '12345.6…', '-1.23…e-7', 'True')
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, complex):
        real, imaginary = number(value.real), number(value.imag)
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    if type(value) is float and (digits := _nine_digits(value)):
        return _cut(digits)
    written = whole(value)
    longest = longest_whole if isinstance(value, int) else LONGEST
    return written if len(written.lstrip("-")) <= longest or not isfinite(value) else _cut(written)


def longest(values: Iterable[Number]) -> int:
    """Returns the length of the longest text of `values`, in characters; 0 without values. Few of them are formatted: the texts of floats
    that are cut are equally long if the floats have the same sign and power of ten.

    >>> longest([0.5, 0.123456, -0.0234567, 0.3])
    8
    """
    found = 0
    cut: set[tuple[bool, int]] = set()
    for value in values:
        kind = None
        if type(value) is float and 0 < (power := bisect(_POWERS, abs(value))) < len(_POWERS):
            kind = value < 0, power
            if kind in cut:
                continue
        written = number(value)
        if kind and _MORE in written:
            cut.add(kind)
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


def _nine_digits(value: float) -> str:
    """Nine digits of a 32-bit float that needs more than six, and so is cut; "" of any other. This is the usual case, and quick: which
    of the last digits are needed makes no difference to the first.
    """
    # Of a larger number, seven digits may be shown.
    if not abs(value) < _MOST_QUICKLY or _in_32_bits(value) != value or _in_32_bits(float(f"{value:.6g}")) == value:
        return ""
    return f"{value:.9g}"


_FLOAT = struct.Struct("f")


def _in_32_bits(value: float) -> float | None:
    try:
        found: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return None
    return found


def _cut(written: str) -> str:
    """The first digits of a number that was formatted whole."""
    sign = "-" if written.startswith("-") else ""
    digits, _, power = written.lstrip("-").partition("e")
    before, _, after = digits.partition(".")
    significant = (before + after).lstrip("0")
    exponent = int(power or 0) + (len(before) - 1 if before != "0" else len(significant) - len(after) - 1)
    if -_DIGITS <= exponent < LONGEST - 1 and not power:
        kept = after[: max(1, _DIGITS - 1 - exponent)]
        return written if kept == after else f"{sign}{before}.{kept}{_MORE}"
    head = significant[:_DIGITS]
    more = "" if not significant[_DIGITS:].strip("0") else _MORE
    return f"{sign}{head[0]}.{head[1:]}{more}e{exponent}"
