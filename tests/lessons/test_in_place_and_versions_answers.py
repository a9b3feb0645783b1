"""Answers to the exercises of lesson 2: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.lessons.checks import in_place_and_versions as checks
from tests.lessons.answers import is_solved, verdict_on

ADDED = "x = paddle.to_tensor([1., 2.])\ny = x\none = paddle.to_tensor(1.)\n"


@pytest.mark.parametrize(
    "line",
    [
        "x.add_(paddle.to_tensor(1.))",
        "y.add_(paddle.ones([2]))",
        "x[:] = x + 1.",
        "x.subtract_(paddle.to_tensor(-1.))",
        "paddle.add_(x, paddle.to_tensor(1.))",
        "x.set_value(x + 1.)",
        "x.add_(one)",
        "x = x.add_(one)",
        "y += one\nx.copy_(y)\ny = x",
        "x.add_(paddle.to_tensor(0.5))\nx.add_(paddle.to_tensor(0.5))",
    ],
)
def test_an_addition_that_both_names_show(line: str) -> None:
    assert is_solved(checks.seen_by_both, "added", ADDED + line)


@pytest.mark.parametrize(
    "line",
    [
        "x += 1.",
        "x = x + 1.",
        "x = x.add(paddle.to_tensor(1.))",
        "x += 1.\ny = x",
        "x.add(paddle.to_tensor(1.))",
        "y = y + 1.",
        "x.add_(paddle.to_tensor(2.))",
        "x = y = x + one",
        "x.add_(1.)",
        "x = y = x.clone()\nx.add_(one)",
        "x.add_(one)\nx = y = x.clone()",
        "y = x + one",
        "x = x.clone()\nx.add_(paddle.to_tensor(1.))",
        "x.scale_(2.)",
    ],
)
def test_one_that_they_do_not(line: str) -> None:
    assert not is_solved(checks.seen_by_both, "added", ADDED + line)


def test_the_hint_is_about_the_answer() -> None:
    said = {
        line: verdict_on(checks.seen_by_both, "added", ADDED + line).words.en
        for line in (
            "x.add_(1.)",
            "x = y = x + one",
            "y = x + one",
            "x.add_(one)\nx = y = x.clone()",
            "x.add_(x)",
            "x.scale_(2.)",
            "y.add_(one)\nx.add_(one)",
            "y = y.clone()\nx.add_(one)",
        )
    }
    assert "The program raises an error" in said["x.add_(1.)"]
    assert "written to?" in said["x = y = x + one"]
    assert "What does `x` show?" in said["y = x + one"]
    assert "how often?" in said["x.add_(x)"]
    assert "What should be added" in said["x.scale_(2.)"]
    assert "how often?" not in said["y = y.clone()\nx.add_(one)"]
    assert "how often?" in said["y.add_(one)\nx.add_(one)"]
    assert "still stand for" in said["x.add_(one)\nx = y = x.clone()"]


def test_the_praise_counts_the_writes() -> None:
    twice = "x.add_(paddle.to_tensor(0.5))\nx.add_(paddle.to_tensor(0.5))"
    assert "version 2" in verdict_on(checks.seen_by_both, "added", ADDED + twice).words.en


@pytest.mark.parametrize("pair", [(0, 32), (0.0, 32.0), (0 * 4, 8 * 4), (False, 32)])
def test_the_bytes_that_a_node_saves(pair: tuple[Any, Any]) -> None:
    assert checks.bytes_kept(kept_by_add=pair[0], kept_by_sin=pair[1]).solved


@pytest.mark.parametrize("pair", [(32, 32), (0, 8), (0, 0), (32, 0), (8, 32), (0, 64), (4, 32), ("0", 32), (0, 33)])
def test_other_numbers_of_bytes(pair: tuple[Any, Any]) -> None:
    assert not checks.bytes_kept(kept_by_add=pair[0], kept_by_sin=pair[1]).solved


SWAP = "q = paddle.to_tensor([[1., 2.], [3., 4.]])\ntop = q[0]\nbottom = q[1]\n"


@pytest.mark.parametrize(
    "lines",
    [
        "top.add_(bottom)\nbottom.subtract_(top)\ntop.add_(bottom)\nbottom.scale_(-1.)",
        "bottom.subtract_(top)\ntop.add_(bottom)\nbottom.subtract_(top)\nbottom.neg_()",
        "top.multiply_(bottom)\nbottom.divide_(top)\nbottom.reciprocal_()\ntop.divide_(bottom)",
        "q[0].add_(q[1])\nq[1].subtract_(q[0])\nq[0].add_(q[1])\nq[1].neg_()",
    ],
)
def test_rows_are_swapped_without_a_byte(lines: str) -> None:
    assert is_solved(checks.swapped_rows, "swapped", SWAP + lines)


@pytest.mark.parametrize(
    "lines",
    [
        "kept = top.clone()\nq[0] = bottom\nq[1] = kept",
        "q[0] = q[1] + 0.\nq[1] = bottom",
        "q = q.flip([0])",
        "q = q[::-1]",
        "top, bottom = bottom, top",
        "top.add_(bottom)\nbottom.subtract_(top)\ntop.add_(bottom)",
        "q.scale_(2.)",
        "q.t_()",
        "q.set_value(q.flip([0]))",
        "q.copy_(q[::-1])",
        "q.set_value(q[::-1])",
        "q = paddle.to_tensor([[3., 4.], [1., 2.]])",
        "kept = top.numpy().copy()\nq[0] = bottom\nq[1] = kept",
        "kept = top.tolist()\nq[0] = bottom\nq[1] = kept",
        "a, b = q[0, 0].item(), q[0, 1].item()\nq[0] = bottom\nq[1, 0] = a\nq[1, 1] = b",
        "a, b = float(q[0, 0]), float(q[0, 1])\nq[0] = bottom\nq[1, 0] = a\nq[1, 1] = b",
        "a, b = int(q[0, 0]), int(q[0, 1])\nq[0] = bottom\nq[1, 0] = a\nq[1, 1] = b",
        "q.flip_(0)",
    ],
)
def test_rows_that_are_not_or_take_bytes(lines: str) -> None:
    assert not is_solved(checks.swapped_rows, "swapped", SWAP + lines)


def test_the_program_may_not_keep_the_numbers() -> None:
    lines = "top.scale_(1., bias=2.)\nbottom.scale_(1., bias=-2.)"
    assert "in the text of your program" in verdict_on(checks.swapped_rows, "swapped", SWAP + lines).words.en
