"""Answers to the exercises of lesson 5: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import half_the_memory as checks
from inplacelab.lessons.exercise import Exercise
from tests.lessons.answers import first_words, is_solved, said, verdict_on

BATCH = 16 * 3 * 128 * 128


@pytest.mark.parametrize("pair", [(2 * BATCH * 4, BATCH * 4), (6_291_456, 3_145_728), (6 * 2.0**20, 3 * 2.0**20)])
def test_the_peaks_of_five_exponentials(pair: tuple[float, float]) -> None:
    assert checks.peak_of_five(ordinary=pair[0], in_place=pair[1]).solved


@pytest.mark.parametrize(
    "pair",
    [
        (6 * BATCH * 4, BATCH * 4),
        (5 * BATCH * 4, BATCH * 4),
        (2 * BATCH, BATCH),
        (BATCH * 4, BATCH * 4),
        (2 * BATCH * 4, 2 * BATCH * 4),
        (BATCH * 4, 2 * BATCH * 4),
        (0, 0),
        (2 * BATCH * 8, BATCH * 8),
        (3 * BATCH * 4, BATCH * 4),
    ],
)
def test_other_peaks(pair: tuple[float, float]) -> None:
    assert not checks.peak_of_five(ordinary=pair[0], in_place=pair[1]).solved


LEAF = "a = paddle.to_tensor([[1., -2.], [3., -4.]], stop_gradient=False)"
X, Y, Z = "x = a.scale(2.)", "y = paddle.nn.functional.relu(x)", "z = y.scale(3.)"


@pytest.mark.parametrize(
    "lines",
    [
        (X, "y = paddle.nn.functional.relu_(x)", Z, "z.backward()"),
        (X, "y = x.relu_()", "z = y * 3.", "z.backward()"),
        ("x = a * 2.", "x.relu_()", "y = x", Z, "z.sum().backward()"),
        ("x = a + a", "y = paddle.nn.functional.relu_(x)", Z, "z.backward()"),
    ],
)
def test_one_storage_fewer(lines: tuple[str, ...]) -> None:
    assert is_solved(checks.one_storage_fewer, "mine", "\n".join([LEAF, *lines]))


@pytest.mark.parametrize(
    "lines",
    [
        (X, Y, Z, "z.backward()"),
        (X, Y, "z = y.scale_(3.)", "z.backward()"),
        ("x = a.scale_(2.)", Y, Z, "z.backward()"),
        (X, "x = paddle.nn.functional.relu(x)", "z = x.scale(3.)", "z.backward()"),
        (X, "y = paddle.nn.functional.relu_(x)", Z),
        (X, "y = paddle.nn.functional.relu_(x)", "z = y.scale_(3.)", "z.backward()"),
        ("x = a.detach().scale(2.)", "y = paddle.nn.functional.relu_(x)", Z, "z.backward()"),
        (X, "y = paddle.nn.functional.relu_(x)", "z = y.scale(2.)", "z.backward()"),
        (X, "y = paddle.nn.functional.relu_(x)", "kept = y.clone()", Z, "z.backward()"),
    ],
)
def test_none_fewer_or_another_gradient(lines: tuple[str, ...]) -> None:
    assert not is_solved(checks.one_storage_fewer, "mine", "\n".join([LEAF, *lines]))


def test_a_copy_kept_for_backward_is_a_storage() -> None:
    lines = [LEAF, X, "y = x.clip_(0.)", Z, "z.backward()"]
    hint = said(checks.one_storage_fewer, "mine", "\n".join(lines))
    assert "there are 4 storages as large as that of `a`" in hint or "keep a copy" in hint


def test_the_second_hint_is_about_the_program_without_underscores() -> None:
    lines = [LEAF, X, "y = paddle.nn.functional.relu_(x)", "z = y.scale_(3.)", "z.backward()"]
    check = Exercise(checks.one_storage_fewer._steps)
    hints = [verdict_on(check, "mine", "\n".join(lines)).words.en for _ in range(2)]
    assert "In the program without underscores" in hints[1]


@pytest.mark.parametrize("pair", [(9, 5), (9.0, 5), (1 + 2 * 4, 1 + 4)])
def test_the_peaks_of_a_list(pair: tuple[float, float]) -> None:
    assert checks.traced_peaks(with_relu=pair[0], with_relu_=pair[1]).solved


@pytest.mark.parametrize("pair", [(3, 2), (9, 9), (8, 4), (5, 9), (9, 4), (10, 5), (7, 7)])
def test_other_peaks_of_a_list(pair: tuple[int, int]) -> None:
    assert not checks.traced_peaks(with_relu=pair[0], with_relu_=pair[1]).solved


def measured(operation: Any) -> tuple[int, int]:
    """As in the lesson, with a smaller tensor."""
    paddle.set_device("gpu", simulate=True)
    try:
        a = paddle.full([1024], 0.5)
        a.stop_gradient = False
        paddle.device.reset_max_memory_allocated()
        before = paddle.device.memory_allocated()
        x = operation(a.scale(2.0))
        peak, held = paddle.device.max_memory_allocated() - before, paddle.device.memory_allocated() - before
        del x
    finally:
        paddle.set_device("cpu")
    return peak // 4096, held // 4096


@pytest.mark.parametrize(
    ("names", "solved"),
    [
        (["log_", "cos_"], True),
        (("cos_", "log_"), True),
        ({"log_", "cos_"}, True),
        (["log_", "cos_", "log_"], True),
        (["sqrt_", "log_", "cos_"], False),
        (["cos_"], False),
        (["log_"], False),
        ([], False),
        (["log", "cos"], False),
        (["log_", "cos_", "scale_"], False),
        (["tanh_", "sqrt_"], False),
        (["log_", "cos_", "sin_"], False),
        ("log_, cos_", True),
        ("log_", False),
    ],
)
def test_who_keeps_a_copy(names: Any, *, solved: bool) -> None:
    assert checks.who_keeps_a_copy(keep_a_copy=names, measured=measured, Tensor=paddle.Tensor).solved == solved


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ((X, "paddle.nn.functional.relu_(x)", "z = x.scale(3.)", "z.backward()"), "no tensor `y`"),
        ((X, "x = paddle.nn.functional.relu(x)", "z = x.scale(3.)", "z.backward()"), "no tensor `y`"),
        ((X, "paddle.nn.functional.relu_(x)", Z, "z.backward()"), "Line 4 raises an error"),
    ],
)
def test_a_hint_is_about_the_names_and_the_error(lines: tuple[str, ...], hint: str) -> None:
    assert hint in said(checks.one_storage_fewer, "mine", "\n".join([LEAF, *lines]))


def test_mebibytes_are_not_bytes() -> None:
    assert "MiB" in first_words(checks.peak_of_five, ordinary=6, in_place=3)
    assert "in bytes" in first_words(checks.traced_peaks, with_relu=9 * 2**20, with_relu_=5 * 2**20)


@pytest.mark.parametrize(
    ("names", "hint"),
    [([], "not complete"), (["cos_"], "write y for the result"), (["scale_"], "constant"), (["tanh_"], "*result*")],
)
def test_a_hint_is_about_the_list(names: list[str], hint: str) -> None:
    said_of_it = first_words(checks.who_keeps_a_copy, keep_a_copy=names, measured=measured, Tensor=paddle.Tensor)
    assert hint in said_of_it
