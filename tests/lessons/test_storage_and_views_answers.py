"""Answers to the exercises of lesson 1: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import storage_and_views as checks
from inplacelab.lessons.exercise import Exercise
from tests.lessons.answers import is_solved, said

PROGRAMS = ("x[:, 0]", "x.clone()", "x.t()", "x[[0]]")


class Answers(dict[str, str]):
    """As good as a dictionary."""


@pytest.mark.parametrize(
    "answers",
    [
        dict(zip(PROGRAMS, ("view", "copy", "view", "copy"), strict=True)),
        dict(zip(reversed(PROGRAMS), ("copy", "view", "copy", "view"), strict=True)),
        Answers(zip(PROGRAMS, ("view", "copy", "view", "copy"), strict=True)),
        dict(zip(PROGRAMS, ("view", "copy", "view", "copy"), strict=True)) | {"x": "neither"},
        dict(zip(PROGRAMS, ("View", " copy", "`view`", "COPY"), strict=True)),
    ],
)
def test_two_views_and_two_copies(answers: Any) -> None:
    assert checks.which_is_it(answers=answers).solved


@pytest.mark.parametrize(
    "kinds",
    [
        ("view", "copy", "view", "view"),
        ("copy", "copy", "view", "copy"),
        ("view", "view", "view", "copy"),
        ("view", "copy", "copy", "copy"),
        ("view", "view", "view", "view"),
        ("copy", "copy", "copy", "copy"),
        ("copy", "view", "copy", "view"),
        ("view", "copy", "view", ...),
        ("view", "copy", "view"),
    ],
)
def test_no_other_four(kinds: tuple[Any, ...]) -> None:
    assert not checks.which_is_it(answers=dict(zip(PROGRAMS, kinds, strict=False))).solved


def test_the_second_hint_for_a_clone_does_not_ask_for_strides() -> None:
    check = Exercise(checks.which_is_it._steps)
    answers = dict(zip(PROGRAMS, ("view", "view", "view", "copy"), strict=True))
    assert "data_ptr" in check(answers=answers).words.en
    assert "earlier program" in check(answers=answers).words.en


OWN = "q = paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])\n{}\nq.scale_(10.)"


@pytest.mark.parametrize(
    "line",
    [
        "tail = q[1].clone()",
        "tail = q.clone()[1]",
        "tail = q[[1]].reshape([3])",
        "tail = q[1] + 0.",
        "tail = paddle.to_tensor([4., 5., 6.])",
        "tail = q.split(2)[1].squeeze(0)",
    ],
)
def test_a_row_of_its_own(line: str) -> None:
    assert is_solved(checks.row_of_its_own, "own", OWN.format(line))


@pytest.mark.parametrize(
    "line",
    [
        "tail = q[1]",
        "tail = q[1].detach()",
        "tail = q.unbind()[1]",
        "tail = q[1].reshape([3])",
        "tail = q[0].clone()",
        "tail = q.clone()",
        "tail = q[1].clone()\nq = q.clone()",
        "tail = q[1].clone()\nq.scale_(10.)",
        "tail = q[1].scale(10.)",
    ],
)
def test_a_row_that_is_shared_or_wrong(line: str) -> None:
    assert not is_solved(checks.row_of_its_own, "own", OWN.format(line))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("tail = q[1].tolist()", "must both be tensors"),
        ("", "must both be tensors"),
        ("tail = q[1].copy()", "Line 2 raises an error"),
    ],
)
def test_a_row_that_is_no_tensor(line: str, hint: str) -> None:
    assert hint in said(checks.row_of_its_own, "own", OWN.format(line))


def test_an_ordinary_multiplication_is_not_in_place() -> None:
    text = OWN.format("tail = q[1]").replace("q.scale_(10.)", "q = q.scale(10.)")
    assert not is_solved(checks.row_of_its_own, "own", text)


def turned(how: Callable[[Any], Any]) -> bool:
    board = paddle.arange(16, dtype="float32").reshape([4, 4])
    return checks.rotated_board(board=board, turned=how(board)).solved


@pytest.mark.parametrize(
    "how",
    [
        lambda b: b[::-1, ::-1],
        lambda b: b[::-1][:, ::-1],
        lambda b: b.t()[::-1, ::-1].t(),
        lambda b: b.reshape([16])[::-1].reshape([4, 4]),
        lambda b: b.as_strided([4, 4], [-4, -1], 15 * 4),
    ],
)
def test_a_board_that_is_rotated_without_a_copy(how: Callable[[Any], Any]) -> None:
    assert turned(how)


@pytest.mark.parametrize(
    "how",
    [
        lambda b: b,
        lambda b: b.t(),
        lambda b: b[::-1],
        lambda b: b[:, ::-1],
        lambda b: b.flip([0, 1]),
        lambda b: b[::-1, ::-1].clone(),
        lambda b: b.t()[::-1],
        lambda b: b[::-1, ::-1].reshape([16]),
        lambda b: b[::-1, ::-1].tolist(),
        lambda b: b[::-1, ::-1].numpy(),
    ],
)
def test_one_that_is_not(how: Callable[[Any], Any]) -> None:
    assert not turned(how)


def test_an_array_is_no_tensor() -> None:
    board = paddle.arange(16).reshape([4, 4])
    assert "must be a tensor" in checks.rotated_board(board=board, turned=board[::-1, ::-1].numpy()).words.en
