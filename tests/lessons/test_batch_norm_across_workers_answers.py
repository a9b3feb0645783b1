"""Answers to the exercises of lesson 18: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inplacelab.lessons.checks import batch_norm_across_workers
from inplacelab.lessons.exercise import Exercise
from tests.lessons.answers import first_words


@pytest.mark.parametrize(
    ("pair", "solved"),
    [((6, 3), True), ((6.0, 3.0), True), ((2 * 3, 3), True)]
    + [(wrong, False) for wrong in ((2, 1), (3, 3), (3, 6), (6, 6), (6, 1), (9, 3), (6, 0), ("6", "3"))],
)
def test_collectives_of_a_network(pair: tuple[Any, Any], *, solved: bool) -> None:
    found = batch_norm_across_workers.collectives_of_a_network(in_forward=pair[0], in_backward=pair[1])
    assert found.solved == solved


@pytest.mark.parametrize("pair", [(2, 1), (6, 1)])
def test_the_collectives_of_one_layer_are_not_asked_for(pair: tuple[int, int]) -> None:
    check = batch_norm_across_workers.collectives_of_a_network
    assert "how many layers" in first_words(check, in_forward=pair[0], in_backward=pair[1])


@pytest.mark.parametrize(
    ("allowed", "solved"),
    [
        (["scale", "add", "matmul"], True),
        (("matmul", "add", "scale"), True),
        ({"matmul", "add", "scale"}, True),
        ([], False),
        (["scale"], False),
        (["scale", "add"], False),
        (["scale", "matmul"], False),
        (["scale", "add", "matmul", "tanh"], False),
        (["exp", "tanh", "sigmoid"], False),
        (["exp", "scale", "tanh", "add", "sigmoid", "matmul"], False),
        ("scale, add, matmul", True),
        (["scale", "add", "matmul", "mul"], False),
    ],
)
def test_what_may_come_before(allowed: Any, *, solved: bool) -> None:
    assert batch_norm_across_workers.allowed_before(allowed=allowed).solved == solved


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid"])
def test_the_second_hint_is_about_the_answer(name: str) -> None:
    check = Exercise(batch_norm_across_workers.allowed_before._steps)
    said = [check(allowed=["scale", name]).words.en for _ in range(2)]
    assert "those that you list" in said[0]
    assert f"the result of `{name}`" in said[1]


@pytest.mark.parametrize("factor", [lambda d: 1, lambda d: d, lambda d: -1 / d, lambda d: 2 / d, lambda d: 0])
def test_another_factor_is_found(factor: Callable[[Any], Any]) -> None:
    def gradient(g: Any, y: Any, deviation: Any) -> Any:
        return (g - g.mean(0) - y * (g * y).mean(0)) * factor(deviation)

    assert "factor" in first_words(batch_norm_across_workers.gradient_from_the_result, gradient=gradient)


def in_place(g: Any, y: Any, deviation: Any) -> Any:
    slope = (g * y).mean(0)
    return g.subtract_(g.mean(0)).subtract_(y.multiply_(slope)).divide_(deviation)


def in_numpy(g: Any, y: Any, deviation: Any) -> Any:
    g, y, deviation = g.numpy(), y.numpy(), deviation.numpy()
    n = len(g)
    return (n * g - g.sum(0) - y * (g * y).sum(0)) / (n * deviation)


def by_autograd(g: Any, y: Any, deviation: Any) -> Any:
    """Any `x` with this result and deviation will do, such as the one with mean 0."""
    x = (y * deviation).detach()
    x.stop_gradient = False
    centered = x - x.mean(0)
    (centered / centered.square().mean(0).sqrt() * g).sum().backward()
    return x.grad


@pytest.mark.parametrize(
    ("gradient", "solved"),
    [
        (lambda g, y, deviation: (g - g.mean(0) - y * (g * y).mean(0)) / deviation, True),
        (in_place, True),
        (in_numpy, True),
        (by_autograd, True),
        (lambda g, y, deviation: ..., False),
        (lambda g, y, deviation: None, False),
        (lambda g, y, deviation: g / deviation, False),
        (lambda g, y, deviation: (g - g.mean(0)) / deviation, False),
        (lambda g, y, deviation: (g - y * (g * y).mean(0)) / deviation, False),
        (lambda g, y, deviation: g - g.mean(0) - y * (g * y).mean(0), False),
        (lambda g, y, deviation: (g - g.mean(0) - y * (g * y).mean(0)) * deviation, False),
        (lambda g, y, deviation: (g - g.mean(0) - (g * y).mean(0)) / deviation, False),
        (lambda g, y, deviation: (g - g.mean() - y * (g * y).mean()) / deviation, False),
        (lambda g, y, deviation: (g - g.mean(0) - y * (g * y).sum(0)) / deviation, False),
        (lambda g, y, deviation: (g - g.mean(0) - y * g.mean(0)) / deviation, False),
        (lambda g, y, deviation: g.mean(0), False),
    ],
)
def test_the_gradient_from_the_result(gradient: Callable[..., Any], *, solved: bool) -> None:
    assert batch_norm_across_workers.gradient_from_the_result(gradient=gradient).solved == solved
