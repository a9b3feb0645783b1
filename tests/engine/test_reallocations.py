"""Tensors that get other bytes: their values, shared storages, gradients, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors

Make = Callable[[Any], Tensor]


def source() -> Tensor:
    return paddle.to_tensor([10.0, 20.0, 30.0, 40.0, 50.0, 60.0])


# ---- set_ ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "values"),
    [
        ({}, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]),
        ({"shape": [2, 2]}, [[10.0, 20.0], [30.0, 40.0]]),
        ({"shape": [2], "offset": 8}, [30.0, 40.0]),  # bytes
        ({"shape": [2, 2], "stride": [1, 2], "offset": 4}, [[20.0, 40.0], [30.0, 50.0]]),
        ({"shape": [3], "stride": [2]}, [10.0, 30.0, 50.0]),
        ({"shape": []}, 10.0),
        ({"shape": [0]}, []),
    ],
)
def test_set_shows_any_window(window: dict[str, Any], values: Any) -> None:
    s, x = source(), paddle.zeros([1])
    assert x.set_(s, **window) is x
    assert x.tolist() == values
    assert x.storage is s.storage


def test_set_without_a_window_shows_just_what_the_source_shows() -> None:
    s = source()
    assert paddle.zeros([1]).set_(s[2:4]).tolist() == [30.0, 40.0]  # Paddle goes back to the beginning of the storage
    assert paddle.zeros([1]).set_(s.reshape([2, 3]).t()).strides == [1, 3]


def test_set_shares_bytes_and_counter_and_leaves_its_own_to_its_views() -> None:
    s, x = source(), paddle.ones([2])
    view, before = x[:1], x.storage
    x.set_(s, [2])
    x.zero_()
    assert (s.tolist()[:3], s.inplace_version, x.inplace_version) == ([0.0, 0.0, 30.0], 2, 2)
    assert (view.tolist(), view.storage, view.inplace_version) == ([1.0], before, 0)


def test_set_to_nothing_is_empty() -> None:
    x = paddle.ones([2], "float64")
    assert (x.set_().shape, str(x.dtype), x.inplace_version) == ([0], "paddle.float64", 1)


def test_set_passes_gradients_to_the_source_and_none_to_what_was_there(leaf: Make) -> None:
    a, b = leaf([1.0, 2.0]), leaf([3.0, 4.0, 5.0])
    x, s = a * 2, b * b
    old = x[0]
    x.set_(s, [2], offset=8)
    (x * paddle.to_tensor([1.0, 10.0], dtype="float64") + old).sum().backward()
    assert a.grad is not None
    assert b.grad is not None
    assert (a.grad.tolist(), b.grad.tolist()) == ([4.0, 0.0], [0.0, 8.0, 100.0])


def test_a_write_through_what_was_set_reaches_the_source(leaf: Make) -> None:
    b = leaf([1.0, 2.0, 3.0])
    s, x = b * 1, paddle.zeros([1], "float64")
    x.set_(s, [2])
    x.square_()
    s.sum().backward()
    assert b.grad is not None
    assert b.grad.tolist() == [2.0, 4.0, 1.0]


def test_set_of_a_tensor_to_itself(leaf: Make) -> None:
    a = leaf([1.0, 2.0, 3.0, 4.0])
    x = a * 1
    view = x[1]
    x.set_(x, [2], [2])
    x.square_()
    (x.sum() + view).backward()
    assert a.grad is not None
    assert (x.tolist(), a.grad.tolist()) == ([1.0, 9.0], [2.0, 1.0, 6.0, 0.0])


def test_set_under_no_grad_exchanges_bytes_only(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    x = a * 3
    with paddle.no_grad():
        x.set_(paddle.to_tensor([7.0, 8.0], dtype="float64"))
        a.set_(paddle.to_tensor([5.0, 6.0], dtype="float64"))
    (x * x).sum().backward()
    assert a.grad is not None
    assert (a.tolist(), a.is_leaf, a.stop_gradient, a.grad.tolist()) == ([5.0, 6.0], True, False, [42.0, 48.0])


# ---- resize_ ------------------------------------------------------------------------------------------------------------


def test_resize_shows_the_front_and_comes_back() -> None:
    x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    before = x.storage
    assert x.resize_([3]) is x
    assert (x.tolist(), x.inplace_version, x.storage is before) == ([1.0, 2.0, 3.0], 1, True)
    assert (x.resize_([2, 2]).tolist(), x.inplace_version) == ([[1.0, 2.0], [3.0, 4.0]], 2)
    assert x.resize_([]).tolist() == 1.0


def test_resize_of_a_view_begins_where_the_view_does() -> None:
    base = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    view = base[1:]
    assert view.resize_([2]).tolist() == [2.0, 3.0]  # Paddle: [1, 2]
    view.zero_()
    assert base.tolist() == [1.0, 0.0, 0.0, 4.0]


def test_resize_keeps_the_gradient_of_what_it_shows(leaf: Make) -> None:
    a = leaf([1.0, 2.0, 3.0, 4.0])
    x = a * 2
    x.resize_([2])
    x.square_()
    front = x.sum()
    x.resize_([4])
    (front + 10 * x.sum()).backward()
    assert a.grad is not None
    assert a.grad.tolist() == [88.0, 176.0, 20.0, 20.0]


def test_resize_with_zeros_gets_a_new_storage(leaf: Make) -> None:
    a = leaf([1.0, 2.0, 3.0])
    x = a * 2
    view, before = x[:1], x.storage
    x.resize_([2, 2], fill_zero=True)
    assert (x.tolist(), x.storage is before, view.storage is before) == ([[2.0, 4.0], [6.0, 0.0]], False, True)
    (x * x).sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [8.0, 16.0, 24.0]
    small = paddle.to_tensor([1.0, 2.0, 3.0]).resize_([1])
    assert small.resize_([3], fill_zero=True).tolist() == [1.0, 0.0, 0.0]


def test_resize_makes_what_backward_needs_stale(leaf: Make) -> None:
    x = leaf([1.0, 2.0]) * 2
    y = x * x
    x.resize_([1])
    with pytest.raises(errors.StaleSavedTensorError):
        y.backward()


def test_resize_under_no_grad(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    x = a * 2
    with paddle.no_grad():
        x.resize_([1])
        a.resize_([1])
    assert (x.stop_gradient, a.is_leaf, a.stop_gradient, a.tolist()) == (False, True, False, [1.0])
    with pytest.raises(ValueError, match="gradient of leaf"):
        x.backward()


# ---- apply_, reconstruct_from_, data --------------------------------------------------------------------------------------


def test_apply_writes_where_it_can() -> None:
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    view, before = x[:1], x.storage
    assert x.apply_(lambda t: t * 2 + 1) is x
    assert (x.tolist(), view.tolist(), x.inplace_version) == ([3.0, 5.0, 7.0], [3.0], 1)
    x.apply_(lambda t: t.astype("int32"))
    assert (str(x.dtype), x.storage is before, view.tolist(), x.inplace_version) == ("paddle.int32", False, [3.0], 2)
    assert x.apply(lambda t: t.reshape([3, 1])).shape == [3, 1]
    assert x.apply_(lambda t: t[::-1]).tolist() == [7, 5, 3]


def test_apply_knows_what_the_function_brings_in(leaf: Make) -> None:
    w = leaf([1.0, 2.0])
    x = paddle.to_tensor([3.0, 4.0], dtype="float64")
    x.apply_(lambda t: t * w)
    x.sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [3.0, 4.0]  # Paddle loses it


def test_reconstruct_from_makes_another_name(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    x, y = paddle.zeros([3]), a * 2
    assert x.reconstruct_from_(y) is None
    x.square_()
    assert (y.tolist(), y.inplace_version) == ([4.0, 16.0], 1)
    y.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [8.0, 16.0]
    x.reconstruct_from_(x)
    assert x.shape == [2]


def test_data_can_be_exchanged_outside_the_history(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    loss, new = (a * a).sum(), paddle.to_tensor([5.0, 6.0], dtype="float64")
    a.data = new
    assert (a.tolist(), a.is_leaf, a.stop_gradient, a.storage is new.storage) == ([5.0, 6.0], True, False, True)
    loss.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [2.0, 4.0]  # of the values that were there
    x = paddle.zeros([2])
    x.data = paddle.to_tensor([[1, 2, 3]])
    assert (x.shape, str(x.dtype)) == ([1, 3], "paddle.int64")
    a.data.zero_()
    assert (a.tolist(), a.inplace_version) == ([0.0, 0.0], 1)


def test_data_of_a_view_and_of_a_base(leaf: Make) -> None:
    a = leaf([1.0, 2.0, 3.0])
    b = a * 2
    view = b[:2]
    view.data = paddle.zeros([2], "float64")
    view.sum().backward()
    assert a.grad is not None
    assert (a.grad.tolist(), b.tolist(), view.tolist()) == ([2.0, 2.0, 0.0], [2.0, 4.0, 6.0], [0.0, 0.0])
    c = a * 3
    part = c[0]
    c.data = paddle.ones([3], "float64")
    assert (part.tolist(), c.tolist()) == (3.0, [1.0, 1.0, 1.0])


# ---- grad_, requires_grad, to ---------------------------------------------------------------------------------------------


def test_the_gradient_by_its_other_name(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    assert a.grad_ is None
    (a * 2).sum().backward()
    assert a.grad_ is not None
    with paddle.no_grad():
        a.grad_.scale_(3.0)
    assert a.gradient().tolist() == [6.0, 6.0]
    a.grad_ = paddle.to_tensor([1.0, 1.0], dtype="float64")
    assert a.grad is not None
    assert a.grad.tolist() == [1.0, 1.0]


def test_requires_grad_is_the_opposite_of_stop_gradient() -> None:
    x = paddle.zeros([2])
    assert (x.requires_grad, x.requires_grad_() is x, x.stop_gradient, x.inplace_version) == (False, True, False, 0)
    x.requires_grad = False
    assert x.stop_gradient


def test_to_accepts_device_and_dtype_in_any_form(leaf: Make) -> None:
    x = paddle.to_tensor([1.5])
    assert x.to("cpu") is x
    asked: list[tuple[Tensor, str]] = [
        (x.to("float64"), "float64"), (x.to(paddle.int32), "int32"), (x.to(paddle.CPUPlace(), "int64"), "int64"),
        (x.to(dtype="float16"), "float16"), (x.to(paddle.ones([1], "int8")), "int8"), (x.to("cpu", blocking=False), "float32"),
        (x.to(device="cpu"), "float32"), (x.to("cpu", True), "float32"),
    ]  # fmt: skip
    assert [str(y.dtype) for y, _ in asked] == [f"paddle.{dtype}" for _, dtype in asked]
    a = leaf([1.0])
    a.to("float32").backward()
    assert a.grad is not None
    assert str(a.grad.dtype) == "paddle.float64"


def test_casts_by_name() -> None:
    x = paddle.to_tensor([0.0, 1.5])
    casts = [x.float(), x.double(), x.half(), x.int(), x.long(), x.bool(), x.type_as(paddle.ones([1], "int8"))]
    assert [str(y.dtype)[7:] for y in casts] == ["float32", "float64", "float16", "int32", "int64", "bool", "int8"]


def test_versions_by_every_name() -> None:
    x = paddle.zeros([2])
    x._bump_inplace_version()
    assert (x._inplace_version(), x.inplace_version, x[0].inplace_version) == (1, 1, 1)


# ---- refusals -----------------------------------------------------------------------------------------------------------


def leaf_of_two() -> Tensor:
    return paddle.to_tensor([1.0, 2.0], stop_gradient=False)


REFUSED: list[tuple[Callable[[], Tensor], Callable[[Any], object], type[Exception], str]] = [
    (
        leaf_of_two,
        lambda x: x.set_(source()),
        ValueError,
        r"^\(InvalidArgument\) Leaf Var \(\) that doesn't stop gradient",
    ),
    (leaf_of_two, lambda x: x.resize_([1]), ValueError, "Leaf Var"),
    (leaf_of_two, lambda x: x.resize_([4], fill_zero=True), ValueError, "Leaf Var"),
    (leaf_of_two, lambda x: x.reconstruct_from_(source()), ValueError, "Leaf Var"),
    (leaf_of_two, lambda x: x[:1].resize_([2]), ValueError, "Leaf Var"),
    (
        leaf_of_two,
        lambda x: x.apply_(lambda t: t),
        RuntimeError,
        "^Cannot apply function on a tensor that required gradient",
    ),
    (leaf_of_two, lambda x: x.apply(lambda t: t), RuntimeError, "^Cannot apply function"),
    (
        leaf_of_two,
        lambda x: setattr(x, "data", source()),
        ValueError,
        r"needs a gradient has shape \[2\] and dtype float32",
    ),
    (leaf_of_two, lambda x: setattr(x, "data", x.detach().astype("float64")), ValueError, "dtype float64"),
    (leaf_of_two, lambda x: setattr(x, "grad_", None), ValueError, "must be Tensor, but got NoneType"),
    (leaf_of_two, lambda x: x.requires_grad_(1), TypeError, "^requires_grad must be bool, but got <class 'int'>"),
    (source, lambda x: x.set_([1.0]), ValueError, "must be Tensor, but got list"),
    (source, lambda x: x.set_(paddle.ones([2], "float64")), TypeError, "the source is of dtype float64"),
    (source, lambda x: x.set_(source(), [7]), IndexError, "reaches slots 0 to 6 of a storage that has 6"),
    (source, lambda x: x.set_(source(), [2], offset=-4), ValueError, "offset must be non-negative"),
    (source, lambda x: x.set_(source(), [2], offset=1), ValueError, "not a multiple of 4 bytes"),
    (source, lambda x: x.set_(source(), [2, 2], [1]), ValueError, "2 sizes but 1 strides"),
    (
        source,
        lambda x: x.resize_([7]),
        ValueError,
        r"^\(InvalidArgument\) The size of Holder is not enough to store the Tensor",
    ),
    (source, lambda x: x[1:].resize_([6]), ValueError, "size of Holder"),
    (source, lambda x: x[::2].resize_([2]), ValueError, r"do not lie one after the other \(strides \[2\]\)"),
    (source, lambda x: x.resize_([-1]), ValueError, "argument 'shape'"),
    (source, lambda x: x.apply_(lambda t: 5.0), ValueError, "must return a Tensor, but it returned float"),
    (source, lambda x: x.reconstruct_from_(3), ValueError, "must be Tensor, but got int"),
    (source, lambda x: setattr(x, "data", np.zeros(2)), ValueError, "must be Tensor, but got ndarray"),
    (source, lambda x: x.to(), TypeError, r"^to\(\) received no device"),
    (source, lambda x: x.to("abc"), ValueError, "^The device must be a string"),
]


@pytest.mark.parametrize(("make", "use", "kind", "words"), REFUSED)
def test_a_refusal_leaves_everything_as_it_was(
    make: Callable[[], Tensor], use: Callable[[Any], object], kind: type[Exception], words: str
) -> None:
    x = make()
    view = x[:1]
    before = (
        x.numpy().tobytes(),
        x.shape,
        x.dtype,
        x.storage,
        x.inplace_version,
        x.stop_gradient,
        x.is_leaf,
        view.base,
    )
    with pytest.raises(kind, match=words):
        use(x)
    after = (x.numpy().tobytes(), x.shape, x.dtype, x.storage, x.inplace_version, x.stop_gradient, x.is_leaf, view.base)
    assert before == after


def test_what_needs_a_gradient_keeps_its_shape_under_no_grad(leaf: Make) -> None:
    x = leaf([1.0, 2.0]) * 2
    with paddle.no_grad(), pytest.raises(ValueError, match="outside the history"):
        x.set_(paddle.zeros([3], "float64"))
