"""Gradients of programs that mix views and in-place operations.

Each program below is silently wrong in PaddlePaddle 3.3.1; the expected gradients were computed with finite differences.
`a` is the leaf [[1, 2], [3, 4]], `w` are weights [[1, 2], [3, 5]].
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor

Make = Callable[[Any], Tensor]
Program = Callable[[Tensor, Tensor], Tensor]
W = [[1.0, 2.0], [3.0, 5.0]]
PROGRAMS: list[Program] = []


def program(function: Program) -> Program:
    """One of the programs below."""
    PROGRAMS.append(function)
    return function


@program
def written_through_a_row(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[0].scale_(3.0)
    return b * w


@program
def written_through_a_column(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[:, 1].sin_()
    return b * w


@program
def written_through_every_second(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[:, ::2].square_()
    return b * w


@program
def written_through_another_shape(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b.reshape([4])[1:3].exp_()
    return b * w


@program
def written_through_a_transpose(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b.t().multiply_(w)
    return b * w


@program
def written_through_a_view_of_a_view(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[1][0:1].zero_()
    return b * w


@program
def an_item_of_a_view_is_set(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[0]
    row[0] = 9.0
    return b * w


@program
def a_differentiable_value_goes_into_a_view(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[0].add_(a[1] * 5)
    return b * w


@program
def a_differentiable_value_is_assigned_to_a_view(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    paddle.assign(a[1] * a[0], b[0])
    return b * w


@program
def a_chain_of_writes_through_a_view(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[1]
    row.sin_().scale_(2.0).multiply_(row)
    return b * w


@program
def the_base_is_written_the_row_used(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[0]
    b.scale_(3.0)
    return row * w[0]


@program
def the_base_is_written_another_shape_used(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    flat = b.reshape([4])
    b.sin_()
    return flat * w.reshape([4])


@program
def an_item_of_the_base_is_set_the_row_used(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[0]
    b[0, 1] = a[1, 0] * 7
    return row * w[0]


@program
def a_sibling_is_written(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    one, other = b[0], b[0]
    one.exp_()
    return other * w[0]


@program
def an_overlapping_sibling_is_written(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[0]
    b[:, 0].zero_()
    return row * w[0]


@program
def a_buffer_is_filled_row_by_row(a: Tensor, w: Tensor) -> Tensor:
    buffer = paddle.zeros([2, 2], dtype="float64")
    for k in range(2):
        buffer[k].add_(a[1 - k] * 3)
    return buffer * w


@program
def a_buffer_is_filled_by_setting_items(a: Tensor, w: Tensor) -> Tensor:
    buffer = paddle.zeros([2, 2], dtype="float64")
    buffer[0] = a[1]
    buffer[1, :] = a[0] * a[1]
    return buffer * w


@program
def a_buffer_is_filled_through_another_shape(a: Tensor, w: Tensor) -> Tensor:
    buffer = paddle.zeros([4], dtype="float64")
    buffer.reshape([2, 2]).copy_(a.square())
    return buffer.reshape([2, 2]) * w


@program
def the_old_value_is_overwritten_by_a_constant(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b.copy_(w)
    return b * a


@program
def the_value_is_set(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b.set_value(np.ones((2, 2)))
    return b * a


@program
def a_row_comes_from_the_other(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[0] = b[1]
    return b * w


@program
def items_chosen_by_a_mask_are_set(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[b > 2.2] = 0.5
    return b * w


@program
def items_chosen_by_a_list_are_set(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b[[1, 0]] = a.square()
    return b * w


@program
def metadata_change_after_a_view_was_taken(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[0]
    b.t_()
    row.square_()
    return b * w


@program
def the_view_itself_changes_metadata(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    view = b[:]
    view.t_()
    view[0].square_()
    return b * w + view


@program
def the_base_leaves_its_storage_the_view_is_written(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    row = b[0]
    b.t_().reshape_([4])
    row.scale_(3.0)
    return b.reshape([2, 2]) * w + row


@program
def the_base_leaves_its_storage_and_is_written(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    one, other = b[0], b[:, 0]
    b.t_().reshape_([4])
    b.square_()
    one.exp_()
    return b.reshape([2, 2]) * w + other


@program
def a_view_leaves_its_storage(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    view = b.t()
    view.reshape_([4])
    view.square_()
    b[0].scale_(5.0)
    return b * w + view.reshape([2, 2])


@program
def a_view_of_a_leaf_changes_metadata_under_no_grad(a: Tensor, w: Tensor) -> Tensor:
    view = a[:]
    with paddle.no_grad():
        view.t_()
    return view * w


@program
def a_result_changes_metadata_under_no_grad(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    with paddle.no_grad():
        b.t_()
    return b * w


@program
def rows_are_unpacked_and_written(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    one, other = b
    one.subtract_(other)
    return b * w + one


@program
def the_operand_is_the_target(a: Tensor, w: Tensor) -> Tensor:
    b = a * 2
    b.multiply_(b)
    b.divide_(b[:])
    b.add_(b)
    return b * a


def slope(run: Program, at: list[list[float]]) -> Any:
    """The gradient of the sum of the result, by finite differences: gradients are off."""
    found = np.zeros((2, 2))
    for place in np.ndindex(2, 2):
        ends = []
        for step in (1e-6, -1e-6):
            moved = np.array(at)
            moved[place] += step
            ends.append(float(run(paddle.to_tensor(moved), paddle.to_tensor(W, dtype="float64")).sum()))
        found[place] = (ends[0] - ends[1]) / 2e-6
    return found


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda p: p.__name__)
def test_the_gradient_is_the_slope(leaf: Make, constant: Make, run: Program) -> None:
    at = [[1.0, 2.0], [3.0, 4.0]]
    a = leaf(at)
    run(a, constant(W)).sum().backward()
    assert a.grad is not None
    np.testing.assert_allclose(a.grad.numpy(), slope(run, at), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda p: p.__name__)
def test_the_second_derivative_is_the_slope_of_the_first(leaf: Make, constant: Make, run: Program) -> None:
    def first(at: Any, *, create_graph: bool) -> tuple[Tensor, Tensor]:
        a = leaf(at)
        (gradient,) = paddle.grad(run(a, constant(W)).sum(), a, create_graph=create_graph)
        assert gradient is not None
        return a, (gradient * constant([[1.0, -2.0], [0.5, 3.0]])).sum()

    at = np.array([[0.5, 1.0], [1.5, 0.25]])
    a, total = first(at, create_graph=True)
    expected = np.zeros((2, 2))
    for place in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[place] = 1e-6
        expected[place] = (
            float(first(at + step, create_graph=False)[1]) - float(first(at - step, create_graph=False)[1])
        ) / 2e-6
    found = [None] if total.stop_gradient else paddle.grad(total, a, allow_unused=True)
    second = np.zeros((2, 2)) if found[0] is None else found[0].numpy()
    np.testing.assert_allclose(second, expected, rtol=1e-4, atol=1e-4)


LISTED: dict[str, list[Any]] = {
    "transpose": [[2, 0, 1]], "moveaxis": [[0, 1], [1, 0]], "reshape": [[6]], "unsqueeze": [[1]], "squeeze": [[1]],
    "unflatten": [2, [3, 1]], "slice": [[0], [0], [1]], "strided_slice": [[0], [0], [2], [1]], "expand": [[2, 2, 3]], "flip": [[0]],
    "roll": [[1], [0]], "tile": [[2, 1, 1]], "sum": [[0]], "mean": [[0]], "logsumexp": [[0]], "norm": [2.0, [0]],
}  # fmt: skip


@pytest.mark.parametrize("name", LISTED)
def test_a_list_that_the_program_changes_later_does_not_change_the_gradient(name: str) -> None:
    def gradient(*, change: bool) -> Any:
        x = paddle.to_tensor([[[1.0, 2.0, 3.0]], [[1.0, 5.0, 3.0]]], stop_gradient=False)
        given = deepcopy(LISTED[name])
        y = getattr(x if hasattr(x, name) else paddle, name)(*([] if hasattr(x, name) else [x]), *given)
        for each in given:
            if change and isinstance(each, list):
                each[:] = [(n + 1) % 3 for n in each]
        y.square().sum().backward()
        return x.grad.numpy()

    np.testing.assert_array_equal(gradient(change=True), gradient(change=False))
