"""Answers to the exercises of lesson 14: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import (
    what_a_gpu_does,
)
from tests.lessons.answers import first_words, ran


@pytest.mark.parametrize(
    ("n", "solved"),
    [
        (2049, True),
        (3000, True),
        (3071, True),
        (3000.0, True),
        (3, False),
        (700, False),
        (767, False),
        (2048, False),
        (3072, False),
        (3073, False),
        (12000, False),
    ],
)
def test_three_blocks(n: float, *, solved: bool) -> None:
    assert what_a_gpu_does.three_blocks(n=n).solved == solved


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("view", "solved"),
    [
        (lambda m: m[:, ::4], True),
        (lambda m: m[3:, 2::4], True),
        (lambda m: m.reshape([4096])[::4], True),
        (lambda m: m, False),
        (lambda m: m[:, :16], False),
        (lambda m: m[:, ::2], False),
        (lambda m: m[:, ::8], False),
        (lambda m: m[:, 0], False),
        (lambda m: m[::4], False),
        (lambda m: m[:, ::4].clone(), False),
        (lambda _: paddle.ones([64])[::4], False),
    ],
)
def test_a_quarter(view: Callable[[Any], Any], *, solved: bool) -> None:
    m = paddle.ones([64, 64])
    assert what_a_gpu_does.a_quarter(m=m, view=view(m)).solved == solved


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("view", "solved"),
    [
        (lambda line: line[1:33], True),
        (lambda line: line[4:36], True),
        (lambda line: line[67:99], True),
        (lambda line: line, False),
        (lambda line: line[:32], False),
        (lambda line: line[8:40], False),
        (lambda line: line[1:34], False),
        (lambda line: line[0:64:2], False),
        (lambda line: line[1:33].clone(), False),
        (lambda _: paddle.ones([100])[1:33], False),
    ],
)
def test_five_sectors(view: Callable[[Any], Any], *, solved: bool) -> None:
    line = paddle.ones([100])
    assert what_a_gpu_does.five_sectors(line=line, view=view(line)).solved == solved


@pytest.mark.parametrize(
    ("rest", "solved"),
    [
        ("x[1:].add_(x[:-1].clone())", True),
        ("x[1:] += x[:-1]", True),
        ("x[1:] = x[1:] + x[:-1]", True),
        ("old = x.clone()\nx[1:].add_(old[:-1])", True),
        ("x[1:].add_(x[:-1])", False),
        ("x.add_(x)", False),
        ("x = paddle.concat([x[:1], x[1:] + x[:-1]])", False),
        ("x[1:] = paddle.to_tensor([4., 5., 5.])", False),
        ("x = paddle.to_tensor([3., 4., 5., 5.])\nx.add_(0. * x)", False),
        ("x[1] += x[0]\nx[2] += x[1]\nx[3] += x[2]", False),
        ("x[:-1] += x[1:]", False),
        ("y = x.clone()\ny[1:].add_(x[:-1])", False),
        ("x[1:].add(x[:-1])", False),
    ],
)
def test_neighbors_in_any_order(rest: str, *, solved: bool) -> None:
    recording, _ = ran(f"x = paddle.to_tensor([3., 1., 4., 1.])\n{rest}")
    verdict = what_a_gpu_does.any_order(mine=recording)
    assert verdict.solved == solved, verdict


def test_neighbors_that_were_overwritten_before_they_were_added_are_named() -> None:
    recording, _ = ran("x = paddle.to_tensor([3., 1., 4., 1.])\nfor i in (1, 2, 3):\n    x[i].add_(x[i - 1])\n")
    assert "already been overwritten" in what_a_gpu_does.any_order(mine=recording).words.en


@pytest.mark.parametrize(
    ("rest", "hint"),
    [
        ("x[1:].add(x[:-1])", "Nothing was written"),
        ("x.add_(x)", "first element"),
        ("x[1:] = x[:-1]", "Which number"),
        ("x[1:].add_(x[1:])", "Which number"),
    ],
)
def test_the_hint_is_about_what_was_written(rest: str, hint: str) -> None:
    recording, _ = ran(f"x = paddle.to_tensor([3., 1., 4., 1.])\n{rest}")
    assert hint in first_words(what_a_gpu_does.any_order, mine=recording)


@pytest.mark.usefixtures("_simulated_gpu")
def test_a_request_without_waste_is_told_so() -> None:
    m = paddle.ones([64, 64])
    assert "no more bytes than it uses" in first_words(what_a_gpu_does.a_quarter, m=m, view=m[:, :16])
