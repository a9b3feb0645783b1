"""Answers to the exercises of lesson 3: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import metadata_and_storage as checks
from tests.lessons.answers import first_words


def is_right_order(order: Any) -> bool:
    return checks.order_of_axes(x=paddle.arange(24).reshape([2, 3, 4]), order=order).solved


@pytest.mark.parametrize("order", [[1, 2, 0], (1, 2, 0), [1, -1, 0], [-2, 2, -3], np.array([1, 2, 0])])
def test_the_order_of_axes_however_it_is_written(order: Any) -> None:
    assert is_right_order(order)


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1], [2, 1, 0], [1, 2], [1, 2, 2], "120", 5])
def test_no_other_order_of_axes(order: Any) -> None:
    assert not is_right_order(order)


def test_a_wrong_order_of_axes_is_told_its_shape() -> None:
    said = first_words(checks.order_of_axes, x=paddle.arange(24).reshape([2, 3, 4]), order=[2, 0, 1])
    assert "the shape [4, 2, 3] and" in said


@pytest.mark.parametrize("order", [[1, 2], [1, 2, 2], [1, 2, 3], 5])
def test_what_is_no_order_of_axes_is_told_so(order: Any) -> None:
    said = first_words(checks.order_of_axes, x=paddle.arange(24).reshape([2, 3, 4]), order=order)
    assert "each of the axes" in said


@pytest.mark.parametrize("pair", [(4_000_000, 8_000_000), (4e6, 8e6), (1000 * 1000 * 4, 2 * 1000 * 1000 * 4)])
def test_the_bytes_of_a_copy(pair: tuple[Any, Any]) -> None:
    assert checks.bytes_of_a_copy(added=pair[0], moved=pair[1]).solved


@pytest.mark.parametrize(
    "pair",
    [
        (4_000_000, 4_000_000),
        (0, 0),
        (0, 8_000_000),
        (8_000_000, 8_000_000),
        (8_000_000, 16_000_000),
        (1_000_000, 2_000_000),
        (4_000_000, 12_000_000),
        ("4 MB", "8 MB"),
        (4 * 2**20, 8 * 2**20),
    ],
)
def test_other_numbers_of_bytes(pair: tuple[Any, Any]) -> None:
    assert not checks.bytes_of_a_copy(added=pair[0], moved=pair[1]).solved


@pytest.mark.parametrize(
    ("strides", "offset", "solved"),
    [
        ([8, 5, 2], 0, True),
        ((8, 5, 2), 0, True),
        (np.array([8, 5, 2]), 0, True),
        ([2 * 4, 4 + 1, 2], 0, True),
        ([8, 4, 2], 0, False),
        ([8, 5, 2], 1, False),
        ([5, 8, 2], 0, False),
        ([2, 5, 8], 0, False),
        ([4, 2, 1], 0, False),
        ([8, 5], 0, False),
        ([-8, -5, -2], 15, False),
        ([8, 5, 2], 8, False),
        ([8.0, 5.0, 2.0], 0, False),
        ([8, 5, 2], 0.0, False),
    ],
)
def test_the_black_squares(strides: Any, offset: int, *, solved: bool) -> None:
    board = paddle.arange(16).reshape([4, 4])
    assert checks.black_squares(board=board, strides=strides, offset=offset).solved == solved


def test_strides_that_are_no_whole_numbers_are_told_so() -> None:
    board = paddle.arange(16).reshape([4, 4])
    said = checks.black_squares(board=board, strides=[8.0, 5.0, 2.0], offset=0).words.en
    assert "whole numbers" in said


def test_squares_that_begin_elsewhere_are_told_so() -> None:
    board = paddle.arange(16).reshape([4, 4])
    said = first_words(checks.black_squares, board=board, strides=[-8, -5, -2], offset=15)
    assert "first black square?" in said


@pytest.mark.parametrize(("pair", "hint"), [(("4 MB", "8 MB"), "should be a number"), ((4, 8), "in bytes")])
def test_bytes_of_a_copy_in_another_unit(pair: tuple[Any, Any], hint: str) -> None:
    assert hint in first_words(checks.bytes_of_a_copy, added=pair[0], moved=pair[1])
