"""Answers to the puzzle of "Should I use in-place here?": unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

import pytest

from inplacelab.lessons.checks import should_i_use_in_place as checks
from tests.lessons.answers import is_solved, said

FIRST = "x = paddle.to_tensor([0., 0.5, 1.], stop_gradient=False)"
A, B, C, D, E = "a = x.scale(2.)", "b = a.exp()", "c = b.add(paddle.to_tensor(1.))", "d = c.sin()", "e = d.scale(3.)"
B_, C_, D_, E_ = "b = a.exp_()", "c = b.add_(paddle.to_tensor(1.))", "d = c.sin_()", "e = d.scale_(3.)"
BACKWARD = "e.sum().backward()"


def program(*lines: str, end: str = BACKWARD) -> str:
    return "\n".join([FIRST, *lines, end])


@pytest.mark.parametrize(
    "lines",
    [
        (A, B_, C, D, E_),
        ("a = x * 2.", "b = paddle.exp_(a)", "c = b + 1.", "d = paddle.sin(c)", E_),
        (A, "a.exp_()", "b = a", C, D, "d.multiply_(paddle.to_tensor(3.))", "e = d"),
        ("a = x + x", B_, C, D, "e = d.add_(d.scale(2.))"),
    ],
)
def test_two_underscores_are_right(lines: tuple[str, ...]) -> None:
    assert is_solved(checks.as_few_bytes_as_possible, "mine", program(*lines))


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ((A, B, C, D, E), "Which two"),
        ((A, B_, C, D, E), "one more"),
        ((A, B, C, D, E_), "one more"),
        ((A, B_, C_, D, E_), "question 3"),
        ((A, B_, C, D_, E_), "Question 4"),
        ((A, B, C, D_, E), "Question 4"),
        (("a = x.scale_(2.)", B, C, D, E), "question 2"),
        (("with paddle.no_grad():\n    a = x.scale_(2.)", B_, C, D, E_), ""),
        (("a = x.detach().scale(2.)", B_, C, D, E_), ""),
        ((A, B_, C, D, "e = d.scale_(2.)"), "has changed"),
        ((A, "a = a.exp()", "a = a.add(paddle.to_tensor(1.))", "a = a.sin()", "e = a.scale(3.)"), "six names"),
    ],
)
def test_others_are_not(lines: tuple[str, ...], hint: str) -> None:
    text = program(*lines)
    assert not is_solved(checks.as_few_bytes_as_possible, "mine", text)
    assert hint in said(checks.as_few_bytes_as_possible, "mine", text)
