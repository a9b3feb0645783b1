"""Answers to the exercises of lesson 4: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.lessons.checks import the_in_place_family as checks
from inplacelab.lessons.exercise import Exercise
from tests.lessons.answers import first_words, is_solved, said

STEP = "w = paddle.to_tensor([8., 8., 8.])\ng = paddle.to_tensor([2., 4., 6.])\n"


@pytest.mark.parametrize(
    "line",
    [
        "w.subtract_(g, alpha=0.5)",
        "paddle.subtract_(w, g, alpha=0.5)",
        "w.add_(g, alpha=-0.5)",
        "w = w.subtract_(g, alpha=1 / 2)",
    ],
)
def test_a_step_without_a_temporary(line: str) -> None:
    assert is_solved(checks.no_temporary, "mine", STEP + line)


@pytest.mark.parametrize(
    "line",
    [
        "w = w - 0.5 * g",
        "w -= 0.5 * g",
        "w.subtract_(0.5 * g)",
        "w.subtract_(g)",
        "g.scale_(0.5)\nw.subtract_(g)",
        "w.subtract_(g, alpha=0.25)\nw.subtract_(g, alpha=0.25)",
        "w.set_value(w - 0.5 * g)",
        "w[:] = w - 0.5 * g",
        "w = paddle.to_tensor([7., 6., 5.])",
        "w.subtract(g, alpha=0.5)",
    ],
)
def test_a_step_with_one_or_another_step(line: str) -> None:
    assert not is_solved(checks.no_temporary, "mine", STEP + line)


NAMES = ("bytes_of_relu_", "bytes_of_transpose_", "bytes_of_cast_to_float64", "bytes_of_equal_")


@pytest.mark.parametrize(
    ("four", "solved"),
    [
        ((0, 0, 8_000_000, 1_000_000), True),
        ((0.0, 0, 8e6, 1e6), True),
        ((0, 0, 8 * 1000**2, 1000 * 1000), True),
        ((0, 0, 2 * 4_000_000, 4_000_000 // 4), True),
        ((0, 0, 4_000_000, 1_000_000), False),
        ((0, 0, 8_000_000, 0), False),
        ((0, 4_000_000, 8_000_000, 1_000_000), False),
        ((4_000_000, 0, 8_000_000, 1_000_000), False),
        ((0, 0, 0, 0), False),
        ((0, 0, 8_000_000, 4_000_000), False),
        ((0, 0, 8 * 2**20, 2**20), False),
        (("0", "0", "8 MB", "1 MB"), False),
    ],
)
def test_what_each_operation_allocates(four: tuple[Any, ...], *, solved: bool) -> None:
    assert checks.worth(**dict(zip(NAMES, four, strict=True))).solved == solved


SCAN = "x = paddle.to_tensor([1., 2., 3., 4., 5., 6., 7., 8.])\nfor s in {}:\n    x[s:] += x[:-s]"


@pytest.mark.parametrize(
    ("shifts", "solved"),
    [
        ("[1, 2, 4]", True),
        ("[4, 2, 1]", True),
        ("(2, 1, 4)", True),
        ("[2**k for k in range(3)]", True),
        ("[1, 1, 1]", False),
        ("[1, 2, 3]", False),
        ("[1, 1, 2]", False),
        ("[4, 4, 4]", False),
        ("[1, 2]", False),
        ("[1, 2, 4, 7]", False),
        ("[1] * 7", False),
    ],
)
def test_three_shifts_make_the_running_sum(shifts: str, *, solved: bool) -> None:
    assert is_solved(checks.running_sum, "scan", SCAN.format(shifts)) == solved


def test_the_running_sum_is_not_asked_of_cumsum() -> None:
    assert not is_solved(checks.running_sum, "scan", SCAN.split("\n", 1)[0] + "\nx.cumsum_()")


def test_an_error_is_not_a_wrong_number() -> None:
    assert "Line 3 raises an error" in said(checks.no_temporary, "mine", STEP + "w.subtract_(0.5, g)")


@pytest.mark.parametrize(
    "program",
    [
        SCAN.format("[0, 1, 2]"),
        SCAN.format("[1, 2, 4]").replace("x[s:] += x[:-s]", "x[s:].add_(x[:-s])"),
    ],
)
def test_an_error_is_not_a_wrong_sum(program: str) -> None:
    assert "Line 3 raises an error" in said(checks.running_sum, "scan", program)


def test_a_wrong_sign_is_not_called_a_lost_factor() -> None:
    check = Exercise(checks.no_temporary._steps)
    words = [said(check, "mine", STEP + "w.add_(g, alpha=0.5)") for _ in range(2)]
    assert "this sign" in words[1]


def test_a_factor_without_its_name_is_asked_about() -> None:
    check = Exercise(checks.no_temporary._steps)
    words = [said(check, "mine", STEP + "w.subtract_(g, 0.5)") for _ in range(2)]
    assert "by the name of its parameter" in words[1]


def test_the_hint_about_transpose_is_about_storages() -> None:
    assert "how many storages" in first_words(
        checks.worth, **dict(zip(NAMES, (0, 4_000_000, 8_000_000, 1_000_000), strict=True))
    )


@pytest.mark.parametrize("cast", [12_000_000, 16_000_000])
def test_only_the_new_storage_counts(cast: int) -> None:
    assert "Only the new storage" in first_words(checks.worth, **dict(zip(NAMES, (0, 0, cast, 1_000_000), strict=True)))


def test_the_bytes_of_one_element_are_called_that() -> None:
    assert "one element" in first_words(checks.worth, **dict(zip(NAMES, (0, 0, 8, 1), strict=True)))
