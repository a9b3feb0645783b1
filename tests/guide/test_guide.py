"""What the documents that this project grew from show, in programs of our own: the same identities, values, peaks and errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.nn import functional as F  # noqa: N812  # the name that Paddle's own documents give it
from inplacelab.ops.arguments.keywords import Alias


@pytest.fixture(autouse=True)
def _cpu_again() -> Iterator[None]:
    yield
    paddle.set_device("cpu")


# ---- the three kinds of operation -----------------------------------------------------------------------------------


def test_a_view_is_another_tensor_on_the_same_storage() -> None:
    x = paddle.arange(6)
    y = x.reshape([2, 3])
    assert y is not x
    assert y.data_ptr() == x.data_ptr()
    y[1, 2] = -1
    assert x.tolist() == [0, 1, 2, 3, 4, -1]
    assert (x.shape, y.shape) == ([6], [2, 3])


def test_an_in_place_operation_gives_back_the_tensor_itself() -> None:
    x = paddle.to_tensor([3.0, -1.0])
    place = x.data_ptr()
    y = paddle.add_(x, x)
    assert y is x
    assert (y.data_ptr(), y.tolist()) == (place, [6.0, -2.0])


def test_an_ordinary_operation_has_a_storage_of_its_own() -> None:
    """It need not have another shape or stride: `relu` has neither. The storage is what differs."""
    x = paddle.to_tensor([[3.0, -1.0]])
    y = F.relu(x)
    assert (y.shape, y.strides) == (x.shape, x.strides)
    assert y.data_ptr() != x.data_ptr()
    assert x.tolist() == [[3.0, -1.0]]


# ---- using them -----------------------------------------------------------------------------------------------------


def test_add_and_subtract_with_a_factor() -> None:
    x = paddle.to_tensor([[10, 20], [30, 40]], dtype="float32")
    y = paddle.to_tensor([[1, 2], [3, 4]], dtype="float32")
    x.add_(y, alpha=1)
    assert x.tolist() == [[11.0, 22.0], [33.0, 44.0]]
    x.subtract_(y, alpha=2)
    assert x.tolist() == [[9.0, 18.0], [27.0, 36.0]]
    assert x.inplace_version == 2


def test_relu_overwrites_its_input() -> None:
    paddle.seed(3)
    x = paddle.rand([4, 5]) - 0.5
    values = x.numpy()
    assert F.relu_(x) is x
    np.testing.assert_array_equal(x.numpy(), np.maximum(values, 0))
    assert (values < 0).any()


def test_transposing_in_place_moves_no_data() -> None:
    """`transpose` is a view already: its in-place variant saves no memory, it changes the metadata of `x` itself."""
    x = paddle.arange(6).reshape([2, 3])
    place = x.data_ptr()
    assert x.transpose_([1, 0]) is x
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (x.shape, x.strides, x.data_ptr()) == ([3, 2], [1, 3], place)
    back = x.transpose([1, 0])
    assert back.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (back.data_ptr(), x.shape) == (place, [3, 2])
    text = "Tensor(shape=[3, 2], dtype=int64, place=Place(cpu), stop_gradient=True,\n       [[0, 3],\n        [1, 4],\n        [2, 5]])"
    assert f"{x}" == text


class Block(paddle.nn.Layer):
    """A layer that may overwrite its input."""

    def forward(self, x: Tensor, inplace: bool = True) -> Tensor:
        """Replace negative numbers by zero."""
        return F.relu_(x) if inplace else F.relu(x)


@pytest.mark.parametrize(("inplace", "peak"), [(False, 134217728), (True, 67108864)])
def test_the_peak_of_a_block(inplace: bool, peak: int) -> None:
    paddle.set_device("gpu", simulate=True)
    paddle.seed(0)
    paddle.device.cuda.reset_max_memory_allocated()
    block = Block()
    x = paddle.rand([1, 64, 512, 512], dtype="float32")
    y = block(x, inplace=inplace)
    assert paddle.device.cuda.max_memory_allocated() == peak
    assert (y is x) == inplace
    assert y.place.is_gpu_place()


# ---- what to mind ---------------------------------------------------------------------------------------------------


def test_a_result_may_be_written_and_the_gradient_is_four() -> None:
    paddle.seed(1)
    a = paddle.randn([2, 5])
    a.stop_gradient = False
    x = a.scale(2.0)
    values = x.numpy()
    y = x.scale_(2.0)
    assert y is x
    np.testing.assert_array_equal(y.numpy(), 2 * values)
    y.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[4.0] * 5] * 2


def test_a_leaf_may_not_be_written() -> None:
    w = paddle.rand([2, 2])
    w.stop_gradient = False
    values = w.numpy()
    with pytest.raises(
        ValueError, match=r"^\(InvalidArgument\) Leaf Var \(\) that doesn't stop gradient can't use inplace strategy\."
    ):
        w.scale_(2.0)
    np.testing.assert_array_equal(w.numpy(), values)  # the check comes before the write
    w.sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_setting_an_item_of_a_leaf_is_the_same_refusal_and_no_stale_value() -> None:
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(ValueError, match=r"Leaf Tensor \(\) that doesn't stop gradient can't use inplace strategy\."):
        w[0] = 4.0


def test_why_a_leaf_may_not_be_written() -> None:
    """The gradient would be right; what would be wrong is the value that the optimizer updates."""
    rate = 0.1
    w = paddle.to_tensor([0.5, 1.0], stop_gradient=False)
    kept = w.numpy()
    h = w.clone()
    h.sin_().sum().backward()
    assert w.grad is not None
    np.testing.assert_allclose(w.grad.numpy(), np.cos(kept), rtol=1e-6)
    w.set_value(h)  # as if the leaf itself had been overwritten
    with paddle.no_grad():
        w.subtract_(w.grad, alpha=rate)
    assert not np.allclose(w.numpy(), kept - rate * np.cos(kept))
    np.testing.assert_allclose(w.numpy(), np.sin(kept) - rate * np.cos(kept), rtol=1e-6)


def test_a_second_name_is_no_second_tensor() -> None:
    x = paddle.rand([3, 4])
    y, view, apart = x, x[:], x.clone()
    x.zero_()
    assert y is x
    assert view is not x
    assert not y.numpy().any()
    assert not view.numpy().any()
    assert apart.numpy().any()


def test_a_value_that_backward_needs() -> None:
    a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    b = a * 2
    loss = (b * b).sum()
    b.zero_()
    first_line = (
        r"^\(PermissionDenied\) Tensor '' used in gradient computation has been modified by an inplace operation\. Its version is 1 "
        r"but the expected version is 0\."
    )
    with pytest.raises(RuntimeError, match=first_line):
        loss.backward()


def test_what_is_retained_and_what_is_freed() -> None:
    """Only leaves keep their gradient, for the optimizer; others are freed after use unless asked for."""
    a = paddle.to_tensor([1.0], stop_gradient=False)
    b, c = a * 2, a * 3
    c.retain_grads()
    (b * c).sum().backward()
    assert b.grad is None
    assert c.grad is not None
    assert (c.grad.tolist(), a.grad.tolist() if a.grad is not None else None) == ([2.0], [12.0])


def test_names_end_in_an_underscore_and_signatures_agree() -> None:
    for name in ("add", "subtract", "multiply", "scale", "exp", "reshape", "transpose"):
        ordinary, in_place = getattr(paddle, name), getattr(paddle, name + "_")
        assert in_place is getattr(Tensor, name + "_")
        assert own_words(ordinary) == own_words(in_place)


def own_words(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters under their own names, without `out`."""
    words = inspect.signature(function).parameters.values()
    return [p for p in words if p.name != "out" and not isinstance(p.default, Alias)]
