"""Functions that are a few other operations: sums of many tensors, products over chosen axes, quantiles, repeated elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import normal_axis
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.joining import stack
from inplacelab.ops.table.exports import as_function, as_method
from inplacelab.tensor import Tensor


def _refuse(op: str, argument: str, value: Any, en: str, zh: str) -> Exception:
    return errors.bad_argument(op=op, argument=argument, value=value, possible=Text(en, zh))


# ---- sums and products ------------------------------------------------------------------------------------------------------


@as_function
def add_n(inputs: Tensor | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the sum of several tensors of one shape and dtype; a copy, if there is one only.

    >>> import inplacelab as paddle
    >>> paddle.add_n([paddle.ones([2]), paddle.ones([2]), paddle.ones([2])]).tolist()
    [3.0, 3.0]
    """
    given = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    if not given:
        raise _refuse("add_n", "inputs", [], "one tensor or more", "一个或多个张量")
    tensors = [as_tensor("add_n", "inputs", 0, each) for each in given]
    return tensors[0].clone() if len(tensors) == 1 else reduce(lambda x, y: x + y, tensors)


@as_method
@as_function
def inner(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the sums of products over the last axes of both; the ordinary product, if one has no axes.

    >>> import inplacelab as paddle
    >>> paddle.inner(paddle.to_tensor([1., 2.]), paddle.to_tensor([3., 4.])).item()
    11.0
    """
    x, y = as_tensor("inner", "x", 0, x), as_tensor("inner", "y", 1, y)
    return x * y if not x.ndim or not y.ndim else tensordot(x, y, [[-1], [-1]])


@as_method
@as_function
def tensordot(x: Tensor, y: Tensor, axes: Any = 2, name: str | None = None) -> Tensor:
    """Returns the sums of products over some axes of each tensor.

    Args:
        x: the left tensor.
        y: the right tensor.
        axes: how many axes: the last ones of `x` and the first ones of `y`; or two lists with the axes of each; or one list for both.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A tensor with the other axes of `x`, then those of `y`.

    Raises:
        ShapeError: if the sizes of these axes differ.

    >>> import inplacelab as paddle
    >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).shape
    paddle.Size([2, 4])
    """
    x, y = as_tensor("tensordot", "x", 0, x), as_tensor("tensordot", "y", 1, y)
    left, right = _summed_axes(x, y, axes)
    if [x.shape[k] for k in left] != [y.shape[k] for k in right]:
        raise errors.cannot_multiply(x.array.shape, y.array.shape)
    rows, columns = [k for k in range(x.ndim) if k not in left], [k for k in range(y.ndim) if k not in right]
    sizes, others = [x.shape[k] for k in rows], [y.shape[k] for k in columns]
    middle = prod(x.shape[k] for k in left)
    matrix = x.transpose([*rows, *left]).reshape([prod(sizes), middle])
    product = matrix.matmul(y.transpose([*right, *columns]).reshape([middle, prod(others)]))
    result: Tensor = product.reshape([*sizes, *others])
    return result


def _summed_axes(x: Tensor, y: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    given = axes.tolist() if isinstance(axes, Tensor) else axes
    if isinstance(given, int):
        return list(range(x.ndim - given, x.ndim)), list(range(given))
    lists = [[each] if isinstance(each, int) else list(each) for each in given]
    if all(isinstance(each, int) for each in given):
        lists = [list(given)] * 2
    left, right = (lists * 2)[:2] if len(lists) == 1 else lists
    return [normal_axis(k, x.ndim) for k in left], [normal_axis(k, y.ndim) for k in right]


@as_method
@as_function
def dist(x: Tensor, y: Tensor, p: float = 2, name: str | None = None) -> Tensor:
    """Returns the p-norm of `x - y`, of all elements."""
    return (as_tensor("dist", "x", 0, x) - as_tensor("dist", "y", 1, y)).norm(float(p))


# ---- other shapes -----------------------------------------------------------------------------------------------------------


@as_function
def broadcast_tensors(input: Sequence[Tensor], name: str | None = None) -> list[Tensor]:
    """Returns the tensors, expanded to their common shape.

    Raises:
        ShapeError: if there is none.
    """
    tensors = [as_tensor("broadcast_tensors", "input", 0, each) for each in input]
    try:
        shape = np.broadcast_shapes(*(each.array.shape for each in tensors))
    except ValueError:
        raise errors.cannot_broadcast(x=tensors[0].shape, y=tensors[-1].shape, op="broadcast_tensors") from None
    return [each.expand(list(shape)) for each in tensors]


@as_method
@as_function
def diagflat(x: Tensor, offset: int = 0, name: str | None = None) -> Tensor:
    """Returns a matrix with the elements of `x`, taken as a vector, on a diagonal."""
    return as_tensor("diagflat", "x", 0, x).flatten().diag(offset)


@as_method
@as_function
def reverse(x: Tensor, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Returns a copy with the elements along `axis` in reverse order: an older name of `flip`."""
    return as_tensor("reverse", "x", 0, x).flip(axis)


@as_method
@as_function
def repeat_interleave(x: Tensor, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Returns a copy in which each place of an axis is repeated.

    Args:
        x: the tensor.
        repeats: how often: a number, or a tensor with one for each place.
        axis: the axis; None for all elements as one axis.
        name: accepted for compatibility with Paddle; ignored.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1, 2]).repeat_interleave(2).tolist()
    [1, 1, 2, 2]
    """
    x = as_tensor("repeat_interleave", "x", 0, x)
    x, axis = (x.flatten(), 0) if axis is None else (x, normal_axis(axis, max(x.ndim, 1)))
    times = repeats.numpy() if isinstance(repeats, Tensor) else np.asarray(repeats)
    try:
        places = np.repeat(np.arange(x.shape[axis]), times)
    except ValueError:
        many = x.shape[axis]
        raise _refuse(
            "repeat_interleave", "repeats", times.tolist(), f"a number, or {many} of them", f"一个数，或 {many} 个数"
        ) from None
    return x.index_select(to_tensor(places, place=x.place), axis)


@as_method
@as_function
def take(x: Tensor, index: Tensor, mode: str = "raise", name: str | None = None) -> Tensor:
    """Returns the elements at some positions of `x`, taken as a vector, in the shape of `index`.

    Args:
        x: the tensor.
        index: the positions, which count from the end if negative.
        mode: what to do with a position outside: "raise" refuses it, "wrap" takes the remainder, "clip" the nearest one.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        IndexRangeError: if a position is outside, and the mode is "raise".
    """
    x, index = as_tensor("take", "x", 0, x), as_tensor("take", "index", 1, index)
    if mode not in ("raise", "wrap", "clip"):
        raise _refuse("take", "mode", mode, "'raise', 'wrap' or 'clip'", "'raise'、'wrap' 或 'clip'")
    places = index.numpy()
    if mode == "wrap":
        places = places % max(x.size, 1)
    elif mode == "clip":
        places = np.clip(places, 0, x.size - 1)
    return x.flatten()[to_tensor(places, place=x.place)]


# ---- angles and quantiles ---------------------------------------------------------------------------------------------------


@as_method
@as_function
def angle(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the angle of each complex number, in radians; of real ones 0, or pi for negative ones.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1j, -1.], dtype="complex128").angle().numpy().round(3).tolist()
    [1.571, 3.142]
    """
    x = as_tensor("angle", "x", 0, x)
    if x.array.dtype.kind == "c":
        found: Tensor = x.imag().atan2(x.real())
        return found
    return x._zeros().atan2(x)


@as_method
@as_function
def quantile(
    x: Tensor, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear", name: str | None = None
) -> Tensor:
    """Returns the values below which a part `q` of the elements lies. NaN, if there is one among them.

    Args:
        x: a floating-point tensor.
        q: the part, from 0 to 1; or several: then the first axis of the result is for them.
        axis: the axes of the elements; None for all.
        keepdim: keep these axes with size 1.
        interpolation: between two elements: "linear", "lower", "higher", "nearest" or "midpoint".
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `q` is not from 0 to 1, or the interpolation is unknown.

    >>> import inplacelab as paddle
    >>> paddle.quantile(paddle.to_tensor([1., 2., 4.]), 0.75).item()
    3.0
    """
    x = as_tensor("quantile", "x", 0, x)
    parts = q.numpy() if isinstance(q, Tensor) else np.asarray(q, np.float64)
    if parts.size == 0 or ((parts < 0) | (parts > 1)).any():
        raise _refuse("quantile", "q", q, "numbers from 0 to 1", "0 到 1 之间的数")
    if interpolation not in ("linear", "lower", "higher", "nearest", "midpoint"):
        names = '"linear", "lower", "higher", "nearest", "midpoint"'
        raise _refuse("quantile", "interpolation", interpolation, names, names)
    axes = (
        range(x.ndim)
        if axis is None
        else [normal_axis(k, x.ndim) for k in (axis if isinstance(axis, list | tuple) else [axis])]
    )
    others = [k for k in range(x.ndim) if k not in axes]
    line = x.transpose([*others, *axes]).reshape([*(x.shape[k] for k in others), -1]).sort(-1)
    unknown = line.isnan().any(-1)
    found = [_at(line, float(part), interpolation).masked_fill(unknown, float("nan")) for part in parts.reshape(-1)]
    if keepdim:
        found = [each.reshape([1 if k in axes else n for k, n in enumerate(x.shape)]) for each in found]
    return stack(found) if parts.ndim else found[0]


def _at(line: Tensor, part: float, interpolation: str) -> Tensor:
    """The quantile of sorted elements along the last axis."""
    place = part * (line.shape[-1] - 1)
    low = int(place)
    share = place - low
    if interpolation == "nearest":
        low, share = round(place), 0.0
    elif interpolation != "linear":
        share = {"lower": 0.0, "higher": 1.0, "midpoint": 0.5}[interpolation] * (share > 0)
    if share == 0:
        return line[..., low]
    return line[..., low].scale(1.0 - share) + line[..., low + 1].scale(share)


@as_method
@as_function
def kthvalue(
    x: Tensor, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the `k`-th smallest element along an axis, and its position.

    Args:
        x: the tensor.
        k: 1 for the smallest.
        axis: the axis; the last one if None.
        keepdim: keep the axis with size 1.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if there are fewer than `k` elements.
    """
    x = as_tensor("kthvalue", "x", 0, x)
    if not x.ndim:
        return x.clone(), to_tensor(0, place=x.place)
    along = normal_axis(-1 if axis is None else axis, x.ndim)
    if not 1 <= k <= x.shape[along]:
        raise _refuse("kthvalue", "k", k, f"1 to {x.shape[along]}", f"1 到 {x.shape[along]}")
    places = x.argsort(along)[(slice(None),) * along + (slice(k - 1, k),)]
    values = x.take_along_axis(places, along)
    return (values, places) if keepdim else (values.squeeze(along), places.squeeze(along))


@as_function
def trapezoid(
    y: Tensor, x: Tensor | None = None, dx: float | None = None, axis: int = -1, name: str | None = None
) -> Tensor:
    """Returns the integral of samples along an axis by the trapezoidal rule.

    Args:
        y: the samples.
        x: their places: of the shape of `y`, or one for each sample; None if they are `dx` apart.
        dx: their distance; 1 if None.
        axis: the axis.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if both `x` and `dx` are given.
    """
    y = as_tensor("trapezoid", "y", 0, y)
    if x is not None and dx is not None:
        raise _refuse("trapezoid", "dx", dx, "None with x", "给出 x 时为 None")
    along = normal_axis(axis, y.ndim)
    before, after = (slice(None),) * along + (slice(None, -1),), (slice(None),) * along + (slice(1, None),)
    mean = (y[before] + y[after]).scale(0.5)
    if x is None:
        return mean.sum(along).scale(1.0 if dx is None else dx)
    places = x if x.ndim > 1 else x.reshape([-1 if k == along else 1 for k in range(y.ndim)])
    return (mean * (places[after] - places[before])).sum(along)
