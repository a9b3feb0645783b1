"""Sorting along an axis, `topk` and `unique`; and functions that count, compare and search values.

As in Paddle there is no in-place form of sorting: a result may come from any position, so the values would have to be copied first.
A row computes the indices; the values are then taken at these indices, which gives the gradient. Equal elements keep their
order; NaN counts as larger than all others.

The results of counting are counts, positions or truths, so there is no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import bad_value
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


# ---- counting and searching -------------------------------------------------------------------------------------------------


def _result(op: str, x: Tensor, array: Any) -> Tensor:
    """A new tensor on the device of `x`."""
    device = x.storage.device
    return made(op, device.from_host(np.asarray(array)), device)


# ---- counts -----------------------------------------------------------------------------------------------------------------


@as_method
@as_function
def count_nonzero(
    x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Returns how many elements along some axes are not zero (int64).

    >>> import inplacelab as paddle
    >>> paddle.count_nonzero(paddle.to_tensor([[0., 2.], [3., 4.]]), axis=1).tolist()
    [1, 2]
    """
    x = as_tensor("count_nonzero", "x", 0, x)
    counted: Tensor = (x != 0).cast("int64").sum(axis, keepdim=keepdim)
    return counted


@as_method
@as_function
def bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0, name: str | None = None) -> Tensor:
    """Counts how often each of the numbers 0, 1, 2, … occurs.

    Args:
        x: a vector of integers that are not negative.
        weights: what to add up instead of ones, of the shape of `x`.
        minlength: the least number of results.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A vector: int64; with weights the dtype of these, float64 if they are integers.

    Raises:
        ArgumentError: if `x` is not such a vector, or the weights have another shape.

    >>> import inplacelab as paddle
    >>> paddle.bincount(paddle.to_tensor([1, 3, 1])).tolist()
    [0, 2, 0, 1]
    """
    x = as_tensor("bincount", "x", 0, x)
    values = x.numpy()
    if values.ndim != 1 or values.dtype.kind not in "iu" or (values < 0).any():
        raise bad_value("bincount", "x", x, "a vector of integers, 0 or more", "由不小于 0 的整数组成的向量")
    if weights is not None and weights.shape != x.shape:
        raise bad_value("bincount", "weights", weights, f"a tensor of shape {x.shape}", f"形状为 {x.shape} 的张量")
    if weights is None:
        return _result("bincount", x, np.bincount(values, None, int(minlength)))
    counts, kind = np.bincount(values, weights.numpy(), int(minlength)), weights.array.dtype
    return _result("bincount", x, counts.astype(kind) if kind.kind == "f" else counts)


@as_method
@as_function
def histogram(  # Paddle's signature
    input: Tensor,
    bins: int = 100,
    min: float = 0.0,
    max: float = 0.0,
    weight: Tensor | None = None,
    density: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns how many elements fall into each of several intervals of equal length.

    Args:
        input: the tensor.
        bins: the number of intervals.
        min: where the first one begins.
        max: where the last one ends; it belongs to the interval. If both are 0, the least and the greatest element.
        weight: what to add up instead of ones, of the shape of `input`.
        density: divide by the sum and by the length of an interval, so that the integral is 1.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A vector of `bins` counts: int64, or float32 with weights or `density`.

    Raises:
        ArgumentError: if there are no intervals, or `min` is greater than `max`.

    >>> import inplacelab as paddle
    >>> paddle.histogram(paddle.to_tensor([1., 2., 1.]), bins=4, min=0, max=3).tolist()
    [0, 2, 1, 0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/histogram_en.html
    """
    input = as_tensor("histogram", "input", 0, input)
    if bins < 1:
        raise bad_value("histogram", "bins", bins, "1 or more", "不小于 1 的整数")
    if min > max:
        raise bad_value("histogram", "max", max, f"a number of {min} or more", f"不小于 {min} 的数")
    values = input.numpy()
    low, high = (float(values.min()), float(values.max())) if min == max == 0 and values.size else (min, max)
    low, high = (low - 1, high + 1) if low == high else (low, high)
    weights = None if weight is None else weight.numpy()
    counts, _ = np.histogram(values, int(bins), (low, high), density=density, weights=weights)
    return _result("histogram", input, counts.astype(np.int64 if weight is None and not density else np.float32))


# ---- searches ---------------------------------------------------------------------------------------------------------------


@as_function
def searchsorted(
    sorted_sequence: Tensor, values: Tensor, out_int32: bool = False, right: bool = False, name: str | None = None
) -> Tensor:
    """Returns for each value the position in a sorted sequence before which it would be inserted.

    Args:
        sorted_sequence: numbers in ascending order along the last axis: a vector, or of the shape of `values` but for that axis.
        values: what to insert.
        out_int32: whether the positions are int32; otherwise they are int64.
        right: whether the position is after equal elements, not before them.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A tensor of the shape of `values`.

    Raises:
        ArgumentError: if the shapes do not fit.

    >>> import inplacelab as paddle
    >>> paddle.searchsorted(paddle.to_tensor([1, 3, 5]), paddle.to_tensor([3, 6])).tolist()
    [1, 3]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/searchsorted_en.html
    """
    sequence = as_tensor("searchsorted", "sorted_sequence", 0, sorted_sequence)
    values = as_tensor("searchsorted", "values", 1, values)
    given, wanted = sequence.numpy(), values.numpy()
    side: Any = "right" if right else "left"
    if given.ndim == 1:
        places = np.searchsorted(given, wanted, side)
    elif given.ndim == 0 or given.shape[:-1] != wanted.shape[:-1]:
        leading = "a vector, or the shape of `values` but for the last axis"
        raise bad_value(
            "searchsorted", "sorted_sequence", sequence, leading, "向量，或除最后一轴外与 `values` 形状相同的张量"
        )
    else:
        places = np.empty(wanted.shape, np.int64)
        for row in np.ndindex(given.shape[:-1]):
            places[row] = np.searchsorted(given[row], wanted[row], side)
    return _result("searchsorted", values, np.asarray(places).astype(np.int32 if out_int32 else np.int64))


@as_method
@as_function
def bucketize(
    x: Tensor, sorted_sequence: Tensor, out_int32: bool = False, right: bool = False, name: str | None = None
) -> Tensor:
    """Returns, for each element, the interval of a sorted vector that it falls into: `searchsorted` with the arguments exchanged.

    >>> import inplacelab as paddle
    >>> paddle.bucketize(paddle.to_tensor([0., 2., 9.]), paddle.to_tensor([1., 5.])).tolist()
    [0, 1, 2]
    """
    sequence = as_tensor("bucketize", "sorted_sequence", 1, sorted_sequence)
    if sequence.ndim != 1:
        raise bad_value("bucketize", "sorted_sequence", sequence, "a vector", "向量")
    return searchsorted(sequence, as_tensor("bucketize", "x", 0, x), out_int32, right)


@as_method
@as_function
def isin(
    x: Tensor, test_x: Tensor, assume_unique: bool = False, invert: bool = False, name: str | None = None
) -> Tensor:
    """Returns for each element whether it is one of `test_x`.

    Args:
        x: the tensor.
        test_x: the values to look for.
        assume_unique: accepted for compatibility with Paddle; it makes no difference.
        invert: True where an element is none of them.
        name: accepted for compatibility with Paddle; ignored.

    >>> import inplacelab as paddle
    >>> paddle.isin(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([3, 1])).tolist()
    [True, False, True]
    """
    x, test_x = as_tensor("isin", "x", 0, x), as_tensor("isin", "test_x", 1, test_x)
    return _result("isin", x, np.isin(x.numpy(), test_x.numpy(), invert=invert))


@as_method
@as_function
def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """Returns the elements, leaving out each that equals the one before it.

    Args:
        x: a tensor.
        return_inverse: whether to return for each element the position of its value in the result.
        return_counts: whether to return how many elements each stands for.
        axis: the axis whose slices are compared; None to compare single elements, in order.
        dtype: of these positions and counts: "int32" or "int64".
        name: ignored.

    Returns:
        A tensor, or a tuple of it and the other results that were requested, in this order.

    >>> import inplacelab as paddle
    >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/unique_consecutive_en.html
    """
    x = as_tensor("unique_consecutive", "x", 0, x)
    values = x.numpy().reshape(-1) if axis is None else np.moveaxis(x.numpy(), axis, 0)
    rows = values.reshape(len(values), -1) if values.size else values.reshape(len(values), 0)
    new = np.ones(len(values), bool)
    new[1:] = (rows[1:] != rows[:-1]).any(1)
    starts, kind = np.flatnonzero(new), dtypes.as_numpy(dtype)
    kept = values[new]
    results = [kept if axis is None else np.ascontiguousarray(np.moveaxis(kept, 0, axis))]
    if return_inverse:
        results.append((np.cumsum(new) - 1).astype(kind))
    if return_counts:
        results.append(np.diff(starts, append=len(values)).astype(kind))
    tensors = tuple(_result("unique_consecutive", x, each) for each in results)
    return tensors if len(tensors) > 1 else tensors[0]
