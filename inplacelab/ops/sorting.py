"""Sorting along an axis, `topk` and `unique`. As in Paddle there is no in-place form: a result may come from any position, so
the values would have to be copied first.

A row computes the indices; the values are then taken at these indices, which gives the gradient. Equal elements keep their
order; NaN counts as larger than all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import made
from inplacelab.ops.table import LazyFunction, add_row, as_function, as_method
from inplacelab.ops.table.depends import along_axes
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor, TopKRetType


def _axis(x: Any, axis: Any) -> int:
    """The axis counted from the front. A tensor without axes counts as one of one element."""
    return normal_axis(-1 if axis is None else axis, max(x.ndim, 1))


def _ranked(x: Any, axis: int, descending: bool, device: Any) -> Any:
    """Indices in the order of the elements. In descending order, positions are counted from the end before and after sorting,
    so that equal elements keep their order.
    """
    device.ledger.borrow((8 + x.itemsize) * x.size * (2 if descending else 1))
    if not descending:
        return np.argsort(x, axis, kind="stable")
    found = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return np.subtract(x.shape[axis] - 1, found)


def _argsort(out: Any, x: Any, axis: int, descending: bool, device: Any) -> None:
    np.copyto(out, _ranked(x, axis, descending, device) if x.ndim else 0)


def _first(out: Any, x: Any, k: int, axis: int, largest: bool, device: Any) -> None:
    ranked = _ranked(x, axis, largest, device) if x.ndim else np.zeros((), np.int64)
    np.copyto(out, ranked[(*(slice(None),) * axis, slice(k))] if x.ndim else ranked)


def _how_many(x: Any, k: Any) -> int:
    number = k.item() if isinstance(k, Tensor) else k
    if type(number) is not int or number < 1:
        raise errors.bad_topk_count(k=number)
    return number


def _check_enough(x: Any, k: Any, axis: Any) -> None:
    there = x.shape[_axis(x, axis)] if x.ndim else 1
    if _how_many(x, k) > there:
        raise errors.topk_count_too_large(there=there, k=_how_many(x, k))


def _shortened(x: Shape, k: int, axis: int) -> Shape:
    return (*x[:axis], k, *x[axis + 1 :]) if x else x


ARGSORT = add_row(
    "selection", "argsort", "x",
    ("The indices along `axis` that would sort `x`.", "使 `x` 沿 `axis` 有序的下标。"),
    attrs="axis=-1, descending=False, stable=False", accepts="fi", kernel=_argsort, prepare={"axis": _axis}, shape=same,
    dtype=lambda: dtypes.int64.numpy, in_place=False, depends=along_axes("whole"),
)  # fmt: skip
_FIRST_PLACES_ROW = add_row(
    "selection", "_first_places", "x",
    ("The indices along `axis` of the `k` largest, or smallest, elements.", "沿 `axis` 最大（或最小）的 `k` 个元素的下标。"),
    attrs="k, axis=-1, largest=True", accepts="fi", kernel=_first, prepare={"axis": _axis, "k": _how_many}, validate=_check_enough,
    shape=_shortened, dtype=lambda: dtypes.int64.numpy, in_place=False, function=False, called="topk", depends=along_axes("whole"),
)  # fmt: skip

_FIRST_PLACES = LazyFunction(_FIRST_PLACES_ROW, "ordinary")


def _taken(x: Tensor, indices: Tensor, axis: int | None) -> Tensor:
    if not x.ndim:
        return x.clone()
    taken: Tensor = x.take_along_axis(indices, -1 if axis is None else axis)
    return taken


@as_method
@as_function
def sort(x: Tensor, axis: int = -1, descending: bool = False, stable: bool = False, name: str | None = None) -> Tensor:
    """Returns the elements in order along `axis`: a copy.

    沿 `axis` 排序后的元素（副本）。

    Args:
        x: a tensor of floating-point numbers or integers.
        axis: the axis to sort along.
        descending: whether the largest come first.
        stable: accepted for compatibility with Paddle; ignored (equal elements always keep their order).
        name: ignored.

    Raises:
        KernelError: if the elements are bools or complex numbers.
        AxisError: if there is no such axis.

    >>> import inplacelab as paddle
    >>> paddle.sort(paddle.to_tensor([3., 1., 2.])).tolist()
    [1.0, 2.0, 3.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/sort_en.html
    """
    x = as_tensor("sort", "x", 0, x)
    return _taken(x, x.argsort(axis, descending, stable), axis)


@as_method
@as_function
def topk(
    x: Tensor,
    k: int | Tensor,
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: str | None = None,
) -> TopKRetType:
    """Returns the `k` largest elements along `axis`, or the smallest, and their indices, in order.

    沿 `axis` 最大（或最小）的 `k` 个元素及其下标，按顺序排列。

    Args:
        x: a tensor of floating-point numbers or integers.
        k: the number of elements; 1 or more.
        axis: the last one if None.
        largest: False for the smallest.
        sorted: accepted for compatibility with Paddle; ignored (the elements are always in order).
        name: ignored.

    Returns:
        A pair: the values, which are differentiable, and the indices (int64).

    Raises:
        ArgumentError: if there are fewer than `k` elements.
        KernelError: if the elements are bools or complex numbers.

    >>> import inplacelab as paddle
    >>> values, indices = paddle.topk(paddle.to_tensor([3., 1., 2.]), 2)
    >>> values.tolist(), indices.tolist()
    ([3.0, 2.0], [0, 2])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/topk_en.html
    """
    x = as_tensor("topk", "x", 0, x)
    indices = _FIRST_PLACES.function()(x, k, axis, largest)
    return TopKRetType(_taken(x, indices, axis), indices)


@as_method
@as_function
def unique(  # noqa: PLR0913, PLR0917  # as many as in Paddle
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    sorted: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the distinct elements, in order. There is no gradient.

    各不相同的元素，按顺序排列。没有梯度：有哪些元素取决于全部元素。

    Args:
        x: a tensor.
        return_index: whether to return the index of the first occurrence of each.
        return_inverse: whether to return for each element of `x` its position among the distinct ones.
        return_counts: whether to return the number of occurrences of each.
        axis: the axis whose slices are compared; None to compare single elements.
        dtype: of the indices and counts: "int32" or "int64".
        sorted: accepted for compatibility with Paddle; ignored (the elements are always in order).
        name: ignored.

    Returns:
        A tensor, or a tuple of it and the other results that were requested, in this order.

    >>> import inplacelab as paddle
    >>> paddle.unique(paddle.to_tensor([3, 1, 3])).tolist()
    [1, 3]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/unique_en.html
    """
    x = as_tensor("unique", "x", 0, x)
    asked = (return_index, return_inverse, return_counts)
    choose: Any = np.unique  # its type depends on the arguments
    found = choose(x.numpy(), *asked, axis=axis)
    values, *places = found if any(asked) else (found,)
    parts = [values, *(np.reshape(each, -1).astype(dtypes.as_numpy(dtype)) for each in places)]
    device = x.storage.device
    tensors = tuple(made("unique", device.from_host(each), device) for each in parts)
    return tensors if any(asked) else tensors[0]
