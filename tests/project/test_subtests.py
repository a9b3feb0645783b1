"""Tests that a test of many cases fails if one of them does, and names it."""

from __future__ import annotations

import pytest

from tests.subtests import for_each, try_all


def is_even(number: int) -> None:
    if number == 7:
        pytest.fail("that one")
    assert number % 2 == 0


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases failed: three; seven") as failed:
        try_all(is_even, ((name, {"number": n}) for name, n in {"two": 2, "three": 3, "four": 4, "seven": 7}.items()))
    assert [type(error) for error in failed.value.exceptions] == [AssertionError, pytest.fail.Exception]
    assert [error.__notes__ for error in failed.value.exceptions] == [["The case: three"], ["The case: seven"]]


def test_without_a_case_it_fails() -> None:
    with pytest.raises(AssertionError, match="cannot fail"):
        try_all(is_even, [])


def test_a_parameter_that_the_test_does_not_take_is_noticed() -> None:
    with pytest.raises(AssertionError, match="takes no"):
        for_each("digit", [1])(is_even)


@pytest.mark.parametrize("base", [2, 3])
@for_each(("power", "result"), [(0, [1, 1]), (3, [8, 27])])
def test_fixtures_and_other_parameters_stay_pytests(base: int, power: int, result: list[int], tmp_path: object) -> None:
    assert base**power == result[base - 2]
    assert tmp_path is not None
