"""Windows on a storage that show slots several times, or slots outside the tensor they were made on: the gradient reaches every
slot, once for each time that it is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from inplacelab.autograd import gradcheck

Make = Callable[[Any], Tensor]


def part_of_windows(a: Tensor) -> Tensor:
    """Every second of overlapping windows: no slot twice, but part of a view that shows slots twice."""
    return (a * 2.0).unfold(0, 2, 1)[::2]


def written_part_of_windows(a: Tensor) -> Tensor:
    x = a * 2.0
    part = paddle.strided_slice(x.unfold(0, 2, 1), [0], [0], [3], [2])
    part.multiply_(part)
    return x


def one_window(a: Tensor) -> Tensor:
    return (a * 2.0).as_strided([2, 2], [1, 1])[0]


def slice_of_a_window(a: Tensor) -> Tensor:
    return paddle.slice((a * 2.0).as_strided([2, 2], [1, 1]), [0], [1], [2])


def narrowed_diagonal(a: Tensor) -> Tensor:
    return (a * 2.0).as_strided([3, 2], [1, 1]).narrow(0, 0, 2).diagonal()


def window_on_windows(a: Tensor) -> Tensor:
    return (a * 2.0).unfold(0, 2, 1).as_strided([2], [2])


def window_beside_a_view(a: Tensor) -> Tensor:
    """From the beginning of the storage, although the view begins later."""
    return (a * 2.0)[2:].as_strided([3], [1])


def window_between_what_a_view_shows(a: Tensor) -> Tensor:
    return (a * 2.0).reshape([2, 2])[:, 0].as_strided([3], [1])


def window_beside_a_part_of_complex_numbers(a: Tensor) -> Tensor:
    parts = (a * 2.0).reshape([2, 2]).as_complex().as_real()
    return parts[1].as_strided([3], [1])


PROGRAMS = [
    part_of_windows, written_part_of_windows, one_window, slice_of_a_window, narrowed_diagonal, window_on_windows,
    window_beside_a_view, window_between_what_a_view_shows, window_beside_a_part_of_complex_numbers,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_the_gradient_of_what_a_window_shows_is_the_slope(program: Callable[[Tensor], Tensor]) -> None:
    a = paddle.to_tensor([1.5, -0.5, 0.75, 2.0], dtype="float64", stop_gradient=False)
    assert gradcheck(lambda x: program(x).square(), (a,))


def test_of_several_elements_in_one_slot_the_chosen_one_has_the_gradient(leaf: Make) -> None:
    windows = (leaf([1.0, 2.0, 3.0]) * 2.0).unfold(0, 2, 1)
    windows.retain_grads()
    windows[0].sum().backward()
    assert windows.grad is not None
    assert windows.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_a_window_outside_what_the_history_knows_is_refused(leaf: Make) -> None:
    x = leaf([1.0, 2.0, 3.0]) * 2.0
    apart = x[1:].detach()
    assert apart.as_strided([2], [1]).tolist() == [2.0, 4.0]
    apart.stop_gradient = False
    with pytest.raises(errors.NoGradientError, match="of which the tensor's history knows nothing"):
        apart.as_strided([2], [1])
    assert apart.as_strided([2], [1], 8).stop_gradient is False
