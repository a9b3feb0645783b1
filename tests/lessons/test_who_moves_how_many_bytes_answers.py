"""Answers to the exercises of lesson 15: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.lessons.checks import (
    who_moves_how_many_bytes,
)
from tests.lessons.answers import first_words


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("one_by_one", "together", "solved"),
    [
        ((6, 4), (3, 1), True),
        ([6, 4], [3.0, 1.0], True),
        ((6, 4), (2, 1), False),
        ((4, 4), (3, 1), False),
        ((4, 6), (3, 1), False),
        ((6, 4), (1, 1), False),
        ((6, 4), (1, 3), False),
        ((6, 4), (3, 4), False),
        ((6, 4), (6, 1), False),
        ((10, 10), (4, 4), False),
        (10, 4, False),
    ],
)
def test_trips(one_by_one: Any, together: Any, *, solved: bool) -> None:
    assert who_moves_how_many_bytes.trips(one_by_one=one_by_one, together=together).solved == solved


@pytest.mark.parametrize(("answer", "kind"), [(10, "a whole number"), ("6, 4", "text")])
def test_trips_are_pairs(answer: Any, kind: str) -> None:
    said = first_words(who_moves_how_many_bytes.trips, one_by_one=answer, together=(3, 1))
    assert f"is {kind}, and should be a tuple" in said


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("pair", "hint"),
    [((6, 1), "each of the four write"), ((6, 3), "each of the four write"), ((4, 4), "`multiply_` read")],
)
def test_the_wrong_half_of_a_pair_is_asked_for(pair: tuple[int, int], hint: str) -> None:
    assert hint in first_words(who_moves_how_many_bytes.trips, one_by_one=pair, together=(3, 1))


@pytest.mark.usefixtures("_simulated_gpu")
def test_a_second_read_of_y_is_asked_for() -> None:
    said = first_words(who_moves_how_many_bytes.trips, one_by_one=(6, 4), together=(2, 1))
    assert "How many uses are there" in said


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("made", "solved"),
    [
        (lambda: kernels.fuse("add_", "relu_"), True),
        (lambda: kernels.fuse("add_", "scale_", "relu_"), True),
        (lambda: kernels.fuse("add_", "relu_", "relu_"), True),
        (lambda: kernels.fuse("add", "relu"), False),
        (lambda: kernels.fuse("relu_", "add_"), False),
        (lambda: kernels.fuse("add_", "abs_"), False),
        (lambda: kernels.fuse("subtract_", "relu_"), False),
        (lambda: lambda x, y: x.add_(y).relu_(), False),
        (lambda: "add_, relu_", False),
    ],
)
def test_one_launch(made: Callable[[], Any], *, solved: bool) -> None:
    assert who_moves_how_many_bytes.one_launch(mine=made()).solved == solved


def test_one_launch_shows_all_that_it_gives() -> None:
    said = first_words(who_moves_how_many_bytes.one_launch, mine=kernels.fuse("multiply_", "relu_"))
    assert "gives [0.0, 1.0], not [0, 2]" in said


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("mine", "solved"),
    [
        (lambda x, y: y.add_(x, alpha=2.0).relu_(), True),
        (lambda x, y: y.subtract_(x, alpha=-2.0).relu_(), True),
        (lambda x, y: paddle.nn.functional.relu_(paddle.add_(y, x, alpha=2)), True),
        (lambda x, y: x.scale_(2.0).add_(y).relu_(), False),
        (lambda x, y: x.add_(y, alpha=2.0).relu_(), False),
        (lambda x, y: y.add(x, alpha=2.0).relu(), False),
        (lambda x, y: y.add(x, alpha=2.0).relu_(), False),
        (lambda x, y: y.add_(x).add_(x).relu_(), False),
        (lambda x, y: y.add_(x, alpha=2.0), False),
        (lambda x, y: y.relu_().add_(x, alpha=2.0), False),
        (lambda x, y: kernels.fuse("scale_", "add_", "relu_")(x, y, scale=2.0), False),
        (lambda x, y: kernels.fuse("add_", "relu_")(x.scale_(2.0), y), False),
    ],
)
def test_five_tensors(mine: Callable[[Any, Any], Any], *, solved: bool) -> None:
    verdict = who_moves_how_many_bytes.five_tensors(mine=mine)
    assert verdict.solved == solved, verdict


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("mine", "hint"),
    [
        (lambda x, y: y.add_(x, alpha=2.0), "Can `relu` return a negative number"),
        (lambda x, y: y.relu_().add_(x, alpha=2.0), "Can `relu` return a negative number"),
        (lambda x, y: x.add_(y, alpha=2.0).relu_(), "Which of the two is doubled"),
    ],
)
def test_five_tensors_are_asked_what_is_missing(mine: Callable[[Any, Any], Any], hint: str) -> None:
    assert hint in first_words(who_moves_how_many_bytes.five_tensors, mine=mine)
