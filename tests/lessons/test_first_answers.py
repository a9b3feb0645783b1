"""Answers to the exercises of the first lessons: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import (
    half_the_memory,
    in_place_and_versions,
    metadata_and_storage,
    storage_and_views,
    the_in_place_family,
)
from inplacelab.recording import Recording

F = paddle.nn.functional


def board() -> Any:
    return paddle.arange(16, dtype="float32").reshape([4, 4])


def turned(how: Callable[[Any], Any]) -> bool:
    made = board()
    return storage_and_views.rotated_board(board=made, turned=how(made)).solved


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
def test_a_board_that_is_turned_without_a_copy(how: Callable[[Any], Any]) -> None:
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
    ],
)
def test_one_that_is_not(how: Callable[[Any], Any]) -> None:
    assert not turned(how)


@pytest.mark.parametrize(
    ("strides", "offset", "solved"),
    [
        ([8, 5, 2], 0, True),
        ((8, 5, 2), 0, True),
        ([8, 4, 2], 0, False),
        ([8, 5, 2], 1, False),
        ([5, 8, 2], 0, False),
        ([2, 5, 8], 0, False),
        ([4, 2, 1], 0, False),
        ([8, 5], 0, False),
        ([-8, -5, -2], 15, False),
        ([8, 5, 2], 8, False),
    ],
)
def test_the_black_squares(strides: Any, offset: int, *, solved: bool) -> None:
    made = paddle.arange(16).reshape([4, 4])
    assert metadata_and_storage.black_squares(board=made, strides=strides, offset=offset).solved == solved


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 1, 0], [2, 0], "201"])
def test_no_other_order_of_axes_is_accepted(order: Any) -> None:
    x = paddle.arange(24).reshape([2, 3, 4])
    assert not metadata_and_storage.order_of_axes(x=x, order=order).solved
    assert metadata_and_storage.order_of_axes(x=x, order=(2, 0, 1)).solved
    assert metadata_and_storage.order_of_axes(x=x, order=[-1, 0, 1]).solved


@pytest.mark.parametrize("pair", [(3, 2), (9, 9), (8, 4), (5, 9), (9, 4), (10, 5), (7, 7)])
def test_the_peaks_of_a_list(pair: tuple[int, int]) -> None:
    assert not half_the_memory.traced_peaks(with_relu=pair[0], with_relu_=pair[1]).solved
    assert half_the_memory.traced_peaks(with_relu=9.0, with_relu_=5).solved


def recorded(program: Callable[[Any], Any]) -> Recording:
    """A recording of a program that is handed the tensor of its first line."""
    with paddle.record() as rec:
        q = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        q = program(q)
    assert rec.recording is not None
    return rec.recording


def by_difference(q: Any) -> Any:
    top, bottom = q[0], q[1]
    bottom.subtract_(top)
    top.add_(bottom)
    bottom.subtract_(top)
    bottom.neg_()
    return q


def by_product(q: Any) -> Any:
    top, bottom = q[0], q[1]
    top.multiply_(bottom)
    bottom.divide_(top)
    bottom.reciprocal_()
    top.divide_(bottom)
    return q


def with_a_clone(q: Any) -> Any:
    kept = q[0].clone()
    q[0] = q[1]
    q[1] = kept
    return q


@pytest.mark.parametrize(
    ("program", "solved"),
    [
        (by_difference, True),
        (by_product, True),
        (with_a_clone, False),
        (lambda q: q, False),
        (lambda q: q.flip([0]), False),
        (lambda q: q[::-1], False),
        (lambda q: q.scale_(2.0), False),
        (lambda q: q.t_(), False),
    ],
)
def test_rows_are_swapped_without_a_byte(program: Callable[[Any], Any], *, solved: bool) -> None:
    assert in_place_and_versions.swapped_rows(swapped=recorded(program)).solved == solved


@pytest.mark.parametrize(
    ("shifts", "solved"),
    [
        ([1, 2, 4], True),
        ([4, 2, 1], True),
        ([2, 1, 4], True),
        ([1, 1, 1], False),
        ([1, 2, 3], False),
        ([1, 1, 2], False),
        ([4, 4, 4], False),
        ([1, 2], False),
        ([1, 2, 4, 7], False),
    ],
)
def test_three_shifts_make_the_running_sum(shifts: list[int], *, solved: bool) -> None:
    with paddle.record() as rec:
        x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
        for s in shifts:
            x[s:] += x[:-s]
    assert rec.recording is not None
    assert the_in_place_family.running_sum(scan=_from_its_first_line(rec.recording)).solved == solved


def _from_its_first_line(recording: Recording) -> Any:
    """The recording with lines that count from 1, as those of a cell do."""
    first = min(step.line for step in recording.steps if step.line)

    class Shifted:
        def __getattr__(self, name: str) -> Any:
            return getattr(recording, name)

        def after_line(self, line: int) -> Any:
            return recording.after_line(first + line - 1)

    return Shifted()
