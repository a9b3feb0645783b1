"""Answers to the exercises of the lesson on what an in-place operation keeps: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.lessons.checks import since_2_6
from tests.lessons.answers import first_words, is_solved

N, I, O = "nothing", "input", "output"  # noqa: E741  # they stand in a table


@pytest.mark.parametrize(
    ("answers", "solved"),
    [
        ((O, N, I, O, I), True),
        ((I, N, I, O, I), False),
        ((O, I, I, O, I), False),
        ((O, O, I, O, I), False),
        ((O, N, O, O, I), False),
        ((O, N, I, I, I), False),
        ((O, N, I, O, O), False),
        ((O, N, I, O, N), False),
        (("Output", "NOTHING", I, O, "input "), True),
        (("outputs", N, I, O, I), False),
        ((1, N, I, O, I), False),
        ((I, I, I, I, I), False),
    ],
)
def test_what_is_kept(answers: tuple[Any, ...], *, solved: bool) -> None:
    names = ("tanh_", "neg_", "square_", "sqrt_", "cos_")
    assert since_2_6.what_is_kept(**dict(zip(names, answers, strict=True))).solved == solved


@pytest.mark.parametrize(
    ("copies", "mebibytes", "solved"),
    [
        (2, 16, True),
        (2.0, 16, True),
        (2, 16.0, True),
        (len(["sin_", "sin_"]), 4 * 4, True),
        (3, 20, False),
        (2, 8, False),
        (0, 8, False),
        (1, 12, False),
        (4, 24, False),
        (2, 20, False),
        (2, 12, False),
        (2, 16 * 2**20, False),
        ("2", "16", False),
    ],
)
def test_copies_and_bytes(copies: Any, mebibytes: Any, *, solved: bool) -> None:
    assert since_2_6.copies_and_bytes(copies=copies, mebibytes=mebibytes).solved == solved


@pytest.mark.parametrize(
    ("copies", "hint"), [(0, "only from the number"), (1, "Line 4 overwrites `x`"), (3, "Go through the four calls")]
)
def test_hints_on_copies(copies: int, hint: str) -> None:
    assert hint in first_words(since_2_6.copies_and_bytes, copies=copies, mebibytes=16)


A = "a = paddle.to_tensor([0., 1.], stop_gradient=False)\nb = a * 1.\n"
LAST = "\nb.sum().backward()"


@pytest.mark.parametrize(
    "lines",
    [
        "b.exp_()\nb = b.scale(3.)",
        "b.exp_()\nb = b * 3.",
        "b.exp_()\nb = 3. * b",
        "b = b.exp_()\nb = b.scale(3.)",
        "b.exp_()\nb = b.multiply(paddle.to_tensor(3.))",
        "b.exp_()\nb = paddle.scale(b, 3.)",
    ],
)
def test_one_underscore_less(lines: str) -> None:
    assert is_solved(since_2_6.one_underscore_less, "mine", A + lines + LAST)


@pytest.mark.parametrize(
    "program",
    [
        A + "b.exp_()\nb.scale_(3.)" + LAST,
        A + "b.scale_(3.)\nb.exp_()" + LAST,
        A + "b = b.exp()\nb = b.scale(3.)" + LAST,
        A + "b = b.exp()\nb.scale_(3.)" + LAST,
        A + "b.exp_()\nb.scale(3.)" + LAST,
        A + "b.exp_()" + LAST,
        A + "b.exp_()\nb = b.scale(3.)",
        A + "b.exp_()\nb = b.detach().scale(3.)" + LAST,
        A + "b.exp_()\nb = b.clone()\nb.scale_(3.)" + LAST,
        A + "with paddle.no_grad():\n    b.exp_()\nb = b.scale(3.)" + LAST,
        A + "b.exp_()\nb = b.scale(3.)" + LAST + "\nb.zero_()",
    ],
)
def test_one_that_is_not(program: str) -> None:
    assert not is_solved(since_2_6.one_underscore_less, "mine", program)


SIX = "import math\na = paddle.to_tensor([0., 1., 2., 3., 4., 5.], stop_gradient=False)\nb = a * 1.\n"


@pytest.mark.parametrize(
    "lines",
    [
        "b.add_(paddle.to_tensor(math.log(3.)))\nb.exp_()",
        "b.subtract_(paddle.to_tensor(-math.log(3.)))\nb.exp_()",
        "b.scale_(1., bias=math.log(3.))\nb.exp_()",
        "paddle.exp_(b.add_(paddle.to_tensor(math.log(3.))))",
        "b.neg_()\nb.subtract_(paddle.to_tensor(math.log(3.)))\nb.neg_()\nb.exp_()",
    ],
)
def test_both_underscores(lines: str) -> None:
    assert is_solved(since_2_6.both_underscores, "both", SIX + lines + LAST)


@pytest.mark.parametrize(
    "lines",
    [
        "b.exp_()\nb.scale_(3.)",
        "b.scale_(3.)\nb.exp_()",
        "b.exp_()\nb = b.scale(3.)",
        "b = b.exp()\nb = b * 3.",
        "b.exp_()\nb = b.clone()\nb.scale_(3.)",
        "with paddle.autograd.copy_saved_before_write():\n    b.exp_()\n    b.scale_(3.)",
        "b.add_(paddle.full([6], math.log(3.)))\nb.exp_()",
        "b = (b + math.log(3.)).exp()",
        "b.add_(paddle.to_tensor(3.))\nb.exp_()",
        "with paddle.no_grad():\n    b.exp_()\n    b.scale_(3.)",
        "b.exp_()\nb.detach().scale_(3.)",
        "b.exp_()",
    ],
)
def test_one_underscore_is_missing_or_too_much(lines: str) -> None:
    assert not is_solved(since_2_6.both_underscores, "both", SIX + lines + LAST)
