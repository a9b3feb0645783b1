"""Answers to the exercises about origins: unusual right ones are accepted, plausible wrong ones are answered with a hint."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import debug, views_and_in_place_together
from inplacelab.recording import Recording
from tests.recorders.runs import run


@pytest.fixture(autouse=True)
def fresh_hints() -> None:
    for check in (views_and_in_place_together.without_a_path, debug.traced):
        check._failed.clear()


def recorded(text: str) -> Recording:
    return run(text, "inplacelab", paddle=paddle).recording


ASKED = """w = paddle.to_tensor([1., 2., 3., 4., -5.], stop_gradient=False)
h = w * 2.
row = h[1:3]
row[0] = 7.
s = h.relu()
t = s[2].detach() * 3.
loss = s[:2].sum() + t + s[3:].sum()
loss.backward()
"""
TRACKED = """x = paddle.to_tensor([[1., 2.], [3., 4.]])
first = x[0]
total = x.sum(0)
first.subtract_(total)
x[:, 1] = x[:, 0]
out = x / x[:, 1:].abs()
"""


@pytest.mark.parametrize(
    "ends",
    [
        {1: 4, 2: 6, 4: 5},
        {4: 5, 2: 6, 1: 4},
        [(1, 4), (2, 6), (4, 5)],
        {(1,): 4, (2,): 6, (4,): 5},
        {1: 4, 2: 6, -1: 5},
        {np.int64(1): np.int64(4), np.int64(2): 6, 4: 5},
    ],
)
def test_elements_without_a_path(ends: Any) -> None:
    assert views_and_in_place_together.without_a_path(asked=recorded(ASKED), ends=ends).solved


@pytest.mark.parametrize(
    ("ends", "hint"),
    [
        ({}, "There are more"),
        ({4: 5}, "There are more"),
        ({1: 4, 4: 5}, "There are more"),
        ({1: 4, 2: 6, 3: 7, 4: 5}, "sends a gradient to one"),
        ({0: 4, 2: 6, 4: 5}, "sends a gradient to one"),
        ({1: 3, 2: 6, 4: 5}, r"`w\[1\]` end"),
        ({1: 4, 2: 7, 4: 5}, r"`w\[2\]` end"),
        ({1: 4, 2: 6, 4: 8}, r"`w\[4\]` end"),
        ({1: 4, 2: 6, 5: 5}, "no element 5"),
        ([1, 2, 4], "`ends` is a list"),
    ],
)
def test_elements_with_one(ends: Any, hint: str) -> None:
    verdict = views_and_in_place_together.without_a_path(asked=recorded(ASKED), ends=ends)
    assert not verdict.solved
    assert re.search(hint, verdict.words.en)


def test_the_answer_follows_the_program() -> None:
    changed = recorded(ASKED.replace("row[0] = 7.\n", "row[1] = 7.\n").replace("-5.", "5."))
    assert views_and_in_place_together.without_a_path(asked=changed, ends={2: 4}).solved


@pytest.mark.parametrize(
    ("inputs", "written_by"),
    [([(0, 0), (1, 0)], 5), ({(1, 0), (0, 0)}, 5), ([[1, 0], [0, 0]], 5), ([(-2, -2), (-1, 0)], np.int64(5))],
)
def test_inputs_that_are_right(inputs: Any, written_by: Any) -> None:
    assert debug.traced(tracked=recorded(TRACKED), inputs=inputs, written_by=written_by).solved


@pytest.mark.parametrize(
    ("inputs", "written_by", "hint"),
    [
        ([], 5, "There are more"),
        ([(0, 0)], 5, "There are more"),
        ([(0, 1)], 5, "There are more"),
        ([(0, 0), (0, 1), (1, 0), (1, 1)], 5, "no longer has any influence"),
        ([(0, 0), (0, 1), (1, 0)], 5, "no longer has any influence"),
        ([(0, 0), (1, 0)], 4, "wrote slot 1 last"),
        ([(0, 0), (1, 0)], 1, "wrote slot 1 last"),
        ([(0, 0), (1, 2)], 5, r"no element \(1, 2\)"),
        (5, 5, "`inputs` is a whole number"),
    ],
)
def test_inputs_that_are_not(inputs: Any, written_by: Any, hint: str) -> None:
    verdict = debug.traced(tracked=recorded(TRACKED), inputs=inputs, written_by=written_by)
    assert not verdict.solved
    assert re.search(hint, verdict.words.en)
