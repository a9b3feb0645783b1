"""Tests how numbers are written: three significant digits in pictures and sentences, and whole."""

from __future__ import annotations

import struct
from decimal import Decimal
from math import isfinite, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.recording.numerals import LONGEST_WHOLE, in_exponents, longest, number, whole

FLOATS = st.one_of(st.floats(), st.floats(width=32))


@pytest.mark.parametrize(
    ("value", "said", "with_exponent"),
    [
        (1234567890, "1234567890", "1234567890"),
        (-9223372036854775807, "-9223372036854775807", "-9223372036854775807"),
        (1e-7, "1e-7", "1e-7"),
        (12345.678, "12345.7", "1.23e4"),
        (0.125, "0.125", "1.25e-1"),
        (-0.0821934, "-0.0822", "-8.22e-2"),
        (99.96, "100.0", "1.00e2"),
        (1234567.0, "1234567", "1.23e6"),
        (nan, "nan", "nan"),
        (float("-inf"), "-inf", "-inf"),
        (True, "True", "True"),
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (1.0, "1", "1"),
        (1 + 2j, "1+2j", "1+2j"),
        (complex(0.123456, -1e9), "0.123-1e9j", "1.23e-1-1e9j"),
    ],
)
def test_how_values_are_written(value: complex, said: str, with_exponent: str) -> None:
    assert number(value) == said
    assert number(value, exponent=True) == with_exponent


def test_a_rounded_value_is_not_written_as_an_exact_one() -> None:
    assert [number(value) for value in (0.5, 0.49999, 1.0, 1.0000001, 100.0, 100.00001)] == [
        *("0.5", "0.500", "1", "1.00", "100", "100.0")
    ]  # fmt: skip


@given(FLOATS, st.booleans())
def test_no_value_is_off_by_more_than_half_a_digit(value: float, exponent: bool) -> None:
    said = number(value, exponent=exponent)
    if not isfinite(value):
        assert said == str(value)
        return
    shown, true = Decimal(said), Decimal(value)
    digits = shown.as_tuple()
    assert abs(shown - true) <= Decimal(1).scaleb(int(digits.exponent)) / 2 or Decimal(whole(value)) == shown
    assert len(digits.digits) >= min(3, len(Decimal(whole(value)).normalize().as_tuple().digits)) or abs(value) < 1e-37


@given(st.lists(FLOATS, max_size=6))
def test_one_picture_has_one_format(values: list[float]) -> None:
    exponent = in_exponents(values)
    for value in values:
        if isfinite(value) and abs(value) >= 1000:
            assert ("e" in number(value, exponent=exponent)) == exponent
        if not exponent:
            assert "e" not in number(value)


POWERS = st.builds(lambda digits, power: digits * 10.0**power, st.floats(-10, 10), st.integers(-12, 7))


@given(st.lists(st.one_of(FLOATS, POWERS, st.integers(), st.complex_numbers())), st.booleans())
def test_the_longest_text_is_found_without_formatting_all(values: list[complex], exponent: bool) -> None:
    assert longest(values, exponent=exponent) == max(
        (len(number(each, exponent=exponent)) for each in values), default=0
    )


def test_of_floats_of_one_power_one_is_formatted() -> None:
    number.cache_clear()
    assert longest([1.5, *(1 + 1 / n for n in range(7, 1000))]) == len("1.14")
    assert number.cache_info().currsize == 2


@given(FLOATS)
def test_the_whole_value_leads_back_to_it(value: float) -> None:
    if isfinite(value):
        back = float(whole(value))
        assert back == value or struct.unpack("f", struct.pack("f", back))[0] == value


@given(st.one_of(FLOATS, st.integers(-(2**63), 2**63)))
def test_no_value_needs_more_room_than_the_longest_whole_number(value: float) -> None:
    said = number(value).lstrip("-")
    assert len(said) <= (LONGEST_WHOLE if isinstance(value, int) else 9)


@given(st.integers(-(2**63), 2**63))
def test_whole_numbers_are_written_out(value: int) -> None:
    assert number(value) == str(value)
