"""Tests values in slots: short ones in full, others cut, with a sign for further digits."""

from __future__ import annotations

import struct
from decimal import Decimal
from math import isfinite, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab_widgets.scene import text_layout
from inplacelab_widgets.scene.text_layout import LONGEST, LONGEST_WHOLE, longest, number, whole

FLOATS = st.one_of(st.floats(), st.floats(width=32))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1234567890, "1234567890"),
        (-9223372036854775807, "-9223372036854775807"),
        (1e-7, "1e-7"),
        (12345.678, "12345.6…"),
        (nan, "nan"),
        (float("-inf"), "-inf"),
        (True, "True"),
        (1 + 2j, "1+2j"),
        (complex(0.123456, -1e9), "0.123…-1e9j"),
        (-0.0, "0"),
    ],
)
def test_how_values_are_written(value: complex, said: str) -> None:
    assert number(value) == said


@given(FLOATS)
def test_no_digit_is_wrong(value: float) -> None:
    said = number(value)
    if "…" not in said:
        assert said == whole(value)
        return
    kept, _, power = said.partition("…")
    shown, true = abs(Decimal(kept + power)), abs(Decimal(whole(value)))
    last = Decimal(1).scaleb(int(Decimal(kept).as_tuple().exponent)) * Decimal("1" + power)
    assert shown < true < shown + last, "it is cut off, not rounded"
    assert kept.startswith("-") == (value < 0)


POWERS = st.builds(lambda digits, power: digits * 10.0**power, st.floats(-10, 10), st.integers(-12, 7))


@given(st.lists(st.one_of(FLOATS, POWERS, st.integers(), st.complex_numbers())))
def test_the_longest_text_is_found_without_formatting_all(values: list[complex]) -> None:
    assert longest(values) == max((len(number(value)) for value in values), default=0)


def test_of_floats_of_one_power_one_is_formatted() -> None:
    number.cache_clear()
    assert longest([1.5, *(1 + 1 / n for n in range(7, 1000))]) == len("1.14…")
    assert number.cache_info().currsize == 2


@given(FLOATS)
def test_the_whole_value_leads_back_to_it(value: float) -> None:
    if isfinite(value):
        back = float(whole(value))
        assert back == value or struct.unpack("f", struct.pack("f", back))[0] == value


@given(st.one_of(FLOATS, st.integers(-(2**63), 2**63)))
def test_no_value_needs_more_room_than_the_longest_whole_number(value: float) -> None:
    said = number(value).lstrip("-")
    assert len(said) <= (LONGEST_WHOLE if isinstance(value, int) else LONGEST + 3)


@given(st.integers(-(2**63), 2**63))
def test_whole_numbers_are_written_out(value: int) -> None:
    assert number(value) == str(value)


@given(st.floats(width=32) | st.integers(-(10**7), 10**7).map(lambda k: float(np.float32(k / 1000))))
def test_a_value_that_is_cut_quickly_is_cut_in_the_same_place(value: float) -> None:
    written = whole(value)
    is_short = len(written.lstrip("-")) <= LONGEST or not isfinite(value)
    assert number(value) == (written if is_short else text_layout._cut(written))
