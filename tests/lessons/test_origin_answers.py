"""Answers to the exercises about origins: unusual right ones are accepted, plausible wrong ones are answered with a hint."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import views_and_in_place_together
from inplacelab.recording import Recording
from tests.recorders.runs import run


@pytest.fixture(autouse=True)
def fresh_hints() -> None:
    views_and_in_place_together.without_a_path._failed.clear()


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
        ([1, 2, 4], "as a dictionary"),
        (4, "is a whole number"),
        ({1: [4], 2: [6], 4: [5]}, "with a line for each element"),
        ({"w[1]": 4, "w[2]": 6, "w[4]": 5}, "with a line for each element"),
    ],
)
def test_elements_with_one(ends: Any, hint: str) -> None:
    verdict = views_and_in_place_together.without_a_path(asked=recorded(ASKED), ends=ends)
    assert not verdict.solved
    assert re.search(hint, verdict.words.en)


def test_the_answer_follows_the_program() -> None:
    changed = recorded(ASKED.replace("row[0] = 7.\n", "row[1] = 7.\n").replace("-5.", "5."))
    assert views_and_in_place_together.without_a_path(asked=changed, ends={2: 4}).solved
