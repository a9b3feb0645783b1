"""One version counter for one storage: shared counters, the operations that raise them, and stale saved tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor

Make = Callable[[Any], Tensor]


def square() -> Tensor:
    return paddle.to_tensor([[1.0, -2.0], [3.0, -4.0]])


def test_tensors_on_one_storage_share_the_counter() -> None:
    x = square()
    shared = [x[0], x[0][1:], x.reshape([4]), x.t(), x.detach(), x.flatten(), x.unsqueeze(0), x[:], x.T]
    apart = [x.clone(), paddle.assign(x), x + 0, x.t().reshape([4]), x.expand([2, 2, 2]), x[[0]], x.cast("float32")]
    x.scale_(2.0)
    shared[1].zero_()
    assert {t.inplace_version for t in [x, *shared]} == {2}
    assert {t.inplace_version for t in apart} == {0}
    assert x[0].inplace_version == 2  # a view made later, too


def test_the_counter_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        square().inplace_version = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("write", "raises"),
    [
        (lambda x: x.add_(x), 1),
        (lambda x: x.scale_(1.0), 1),
        (lambda x: x.zero_(), 1),
        (lambda x: x.fill_(3), 1),
        (lambda x: x.set_value(np.ones((2, 2), "float32")), 1),
        (lambda x: x.copy_(paddle.ones([2])), 1),
        (lambda x: paddle.assign(paddle.ones([2, 2]), x), 1),
        (lambda x: x.__setitem__(0, 9.0), 1),
        (lambda x: x.__setitem__((0, 1), 9.0), 1),
        (lambda x: x.__setitem__(slice(None), paddle.ones([2, 2])), 1),
        (lambda x: x.__setitem__(..., 0), 1),
        (lambda x: x.__setitem__(None, 0), 1),
        (lambda x: x.__setitem__(x > 2, 0), 1),
        (lambda x: x.__setitem__(([0], [1]), 9.0), 1),
        (lambda x: x.reshape_([4]), 1),
        (lambda x: x.reshape_([2, 2]), 0),
        (lambda x: x.transpose_([1, 0]), 1),
        (lambda x: x.t_(), 1),
        (lambda x: x[0].t_(), 0),
        (lambda x: x.squeeze_(), 1),
        (lambda x: x.unsqueeze_(0), 1),
        (lambda x: x.flatten_(), 1),
        (lambda x: x.detach_(), 0),
        (lambda x: x.clear_grad(), 0),
        (lambda x: x.numpy().fill(0), 0),
        (lambda x: x.add(x), 0),
        (lambda x: x[0].add_(x[1]), 1),
    ],
)
def test_what_raises_the_version(write: Callable[[Tensor], object], raises: int) -> None:
    x = square()
    write(x)
    assert x.inplace_version == raises


def test_in_place_in_name_only() -> None:
    """Another dtype, or a shape that no strides can express, needs a new storage; the old one keeps its counter."""
    for change in (lambda x: x.cast_("float64"), lambda x: x.t_().reshape_([4]), lambda x: x.add_(x.cast("float64"))):
        x = square()
        view, before = x[0], x.storage
        version = before.version
        assert change(x) is x
        assert x.storage is not before
        assert view.storage is before
        assert x.inplace_version > version
        values = x.tolist()
        view.zero_()
        assert x.tolist() == values


def test_an_augmented_assignment_binds_a_new_tensor() -> None:
    """As in Paddle, `x += y` is `x = x + y`, and the old tensor does not change."""
    for change in ("x += 1", "x -= 1", "x *= 2", "x /= 2", "x **= 2", "x @= x"):
        names = {"x": square()}
        old = names["x"]
        exec(change, {}, names)
        assert names["x"] is not old
        assert old.inplace_version == 0
        assert old.tolist() == square().tolist()


# ---- stale saved tensors ----------------------------------------------------------------------------------------------

STALE = r"^\(PermissionDenied\) Tensor '' used in gradient computation has been modified by an inplace operation\. "
NEEDS_NOTHING: list[Callable[[Tensor], Tensor]] = [
    lambda b: b + 1, lambda b: b + b, lambda b: b - 1, lambda b: b * 2, lambda b: b / 2.0, lambda b: -b,
    lambda b: b.sum(), lambda b: b.mean(), lambda b: b.reshape([1, 4]), lambda b: b.clone(), lambda b: b.cast("float32"),
    lambda b: b.expand([3, 2, 2]), lambda b: b[[0]], lambda b: b[0], lambda b: b.t(),
]  # fmt: skip
NEEDS_INPUT: list[Callable[[Tensor], Tensor]] = [
    lambda b: b * b, lambda b: b * paddle.ones([2, 2], "float64") * b, lambda b: 2.0 / b, lambda b: b / b, lambda b: b**2,
    lambda b: b.sin(), lambda b: b.cos(), lambda b: b.abs(), lambda b: b.square(), lambda b: b.abs().log() + b.sin(),
    lambda b: b @ b,
]  # fmt: skip
NEEDS_OUTPUT: list[Callable[[Tensor], Tensor]] = [
    lambda b: b.exp(), lambda b: b.tanh(), lambda b: (b + 9).sqrt(), lambda b: b.relu(), lambda b: b.sigmoid(),
]  # fmt: skip


@pytest.mark.parametrize("consume", NEEDS_NOTHING + NEEDS_OUTPUT)
def test_a_value_that_no_derivative_needs_may_be_overwritten(leaf: Make, consume: Callable[[Tensor], Tensor]) -> None:
    gradients = []
    for overwrite in (False, True):
        a = leaf([[1.0, -2.0], [3.0, -4.0]])
        b = a * 2
        loss = consume(b).sum()
        if overwrite:
            with paddle.no_grad():
                b.fill_(7.0)
        loss.backward()
        assert a.grad is not None
        gradients.append(a.grad.tolist())
    assert gradients[0] == gradients[1]


@pytest.mark.parametrize("consume", NEEDS_INPUT)
def test_a_value_that_a_derivative_needs_must_not_be_overwritten(
    leaf: Make, consume: Callable[[Tensor], Tensor]
) -> None:
    b = leaf([[1.0, -2.0], [3.0, -4.0]]) * 2
    loss = consume(b).sum()
    b.scale_(1.0)  # the same numbers: still another version
    with pytest.raises(RuntimeError, match=STALE + r"Its version is 1 but the expected version is 0\."):
        loss.backward()


@pytest.mark.parametrize("consume", NEEDS_OUTPUT)
def test_a_result_that_a_derivative_needs_must_not_be_overwritten(
    leaf: Make, consume: Callable[[Tensor], Tensor]
) -> None:
    result = consume(leaf([[1.0, -2.0], [3.0, -4.0]]) * 2)
    loss = (result + 1).sum()
    result.zero_()
    with pytest.raises(RuntimeError, match=STALE):
        loss.backward()


@pytest.mark.parametrize(
    "write",
    [
        lambda b: b.scale_(3.0),
        lambda b: b[0].scale_(3.0),
        lambda b: b.detach().zero_(),
        lambda b: b.set_value(np.zeros((2, 2))),
        lambda b: b.copy_(b.clone()),
        lambda b: b.__setitem__((0, 0), 1.0),
        lambda b: b.__setitem__([1], 1.0),
        lambda b: b.t_(),
        lambda b: b.unsqueeze_(0),
        lambda b: b.reshape([4])[1:2].exp_(),
        lambda b: b.detach().t_(),
    ],
)
def test_every_way_to_write_is_noticed(leaf: Make, write: Callable[[Tensor], object]) -> None:
    b = leaf([[1.0, -2.0], [3.0, -4.0]]) * 2
    loss = (b * b).sum()
    write(b)
    with pytest.raises(RuntimeError, match=STALE):
        loss.backward()


def test_a_write_under_no_grad_is_noticed(leaf: Make) -> None:
    b = leaf([1.0, 2.0]) * 2
    loss = (b * b).sum()
    with paddle.no_grad():
        b.scale_(3.0)
    with pytest.raises(RuntimeError, match=STALE):
        loss.backward()


def test_a_leaf_that_was_updated_too_early_is_noticed(leaf: Make) -> None:
    w = leaf([1.0, 2.0])
    loss = (w * w).sum()
    with paddle.no_grad():
        w.subtract_(w.scale(0.1))
    with pytest.raises(RuntimeError, match=STALE):
        loss.backward()


def test_a_copy_and_a_new_storage_are_safe(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 2
    loss = (b * b).sum()
    b.clone().zero_()
    b.t().reshape([4]).zero_()  # had to copy (Paddle raises the counter of `b` here: a false alarm)
    b.cast_("float32")  # leaves the old storage as it was
    b.zero_()
    loss.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[8.0, 16.0], [24.0, 32.0]]


def test_reshaping_to_the_same_shape_is_no_write(leaf: Make) -> None:
    a = leaf([[1.0, 2.0]])
    b = a * 2
    loss = (b * b).sum()
    assert b.reshape([1, 2]) is b
    assert b.reshape_([1, 2]) is b
    loss.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[8.0, 16.0]]


def test_the_refusal_names_the_node_and_the_versions(leaf: Make) -> None:
    b = leaf([1.0, 2.0]) * 2
    loss = b.sin().sum()
    b.zero_()
    b.zero_()
    with pytest.raises(RuntimeError) as caught:
        loss.backward()
    text = str(caught.value)
    assert "SinGradNode kept its input at version 0" in text
    assert "at version 2 now" in text
    assert "Instead:" in text
