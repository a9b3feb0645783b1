"""Functions that are a few other operations: sums of many tensors, products over chosen axes, differences, repeated elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import pi, prod
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import listed, normal_axis
from inplacelab.ops.arguments.attributes import bad_value
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor, zeros
from inplacelab.ops.joining_and_splitting import concat, stack
from inplacelab.ops.table import as_function, as_method
from inplacelab.tensor import Tensor

# ---- sums and products ------------------------------------------------------------------------------------------------------


@as_function
def add_n(inputs: Tensor | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the sum of several tensors of the same shape and dtype; a copy if there is only one.

    >>> import inplacelab as paddle
    >>> paddle.add_n([paddle.ones([2]), paddle.ones([2]), paddle.ones([2])]).tolist()
    [3.0, 3.0]
    """
    given = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    if not given:
        raise bad_value("add_n", "inputs", [], "one tensor or more", "一个或多个张量")
    tensors = [as_tensor("add_n", "inputs", 0, each) for each in given]
    return tensors[0].clone() if len(tensors) == 1 else reduce(lambda x, y: x + y, tensors)


@as_method
@as_function
def inner(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the sums of products over the last axes of both tensors; the ordinary product if one of them has no axes.

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
            A shorter list goes on like the longer one: `[[0, 1, 2], [1]]` is `[[0, 1, 2], [1, 1, 2]]`.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A tensor with the other axes of `x`, then those of `y`.

    Raises:
        AssertedArgumentError: if the sizes of these axes differ (an axis of size 1 fits any other), or `axes` is a negative number.
        AxisError: if an axis does not exist, or is given twice.

    >>> import inplacelab as paddle
    >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).shape
    paddle.Size([2, 4])
    """
    x, y = as_tensor("tensordot", "x", 0, x), as_tensor("tensordot", "y", 1, y)
    left, right = _summed_axes(x, y, axes)
    for k, j in zip(left, right, strict=True):
        if x.shape[k] == y.shape[j]:
            continue
        if x.shape[k] == 1:
            y = y.sum(j, keepdim=True)
        elif y.shape[j] == 1:
            x = x.sum(k, keepdim=True)
        else:
            raise errors.summed_sizes_differ(x=x.shape[k], left=k, y=y.shape[j], right=j)
    rows, columns = [k for k in range(x.ndim) if k not in left], [k for k in range(y.ndim) if k not in right]
    sizes, others = [x.shape[k] for k in rows], [y.shape[k] for k in columns]
    middle = prod(x.shape[k] for k in left)
    matrix = x.transpose([*rows, *left]).reshape([prod(sizes), middle])
    product = matrix.matmul(y.transpose([*right, *columns]).reshape([middle, prod(others)]))
    result: Tensor = product.reshape([*sizes, *others])
    return result


def _summed_axes(x: Tensor, y: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of each operand that are summed, counted from the front."""
    given = axes.tolist() if isinstance(axes, Tensor) else axes
    if isinstance(given, int | np.integer):
        if given < 0:
            raise errors.negative_axis_count(axes=given)
        if given > x.ndim:
            raise errors.bad_axis(rank=x.ndim, axis=x.ndim - given)
        return list(range(x.ndim - given, x.ndim)), [normal_axis(k, y.ndim) for k in range(given)]
    several: Sequence[Any] = listed(given)
    lists: list[Any] = [each.tolist() if isinstance(each, Tensor) else each for each in several]
    if all(isinstance(each, int | np.integer) for each in lists):
        lists = [lists]
    if not all(isinstance(each, Sequence) for each in lists):
        raise bad_value("tensordot", "axes", axes, "a number, a list, or two lists", "一个数、一个列表或两个列表")
    left, right = (list(each) for each in (*lists, [])[:2])
    left, right = left + right[len(left) :], right + left[len(right) :]
    return [normal_axis(k, x.ndim) for k in left], [normal_axis(k, y.ndim) for k in right]


@as_method
@as_function
def kron(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the Kronecker product: each element of `x`, times all of `y`.

    >>> import inplacelab as paddle
    >>> paddle.kron(paddle.to_tensor([1., 2.]), paddle.to_tensor([1., 10.])).tolist()
    [1.0, 10.0, 2.0, 20.0]
    """
    x, y = as_tensor("kron", "x", 0, x), as_tensor("kron", "y", 1, y)
    rank = max(x.ndim, y.ndim)
    left, right = ([1] * (rank - each.ndim) + each.shape for each in (x, y))
    outer = x.reshape([size for n in left for size in (n, 1)]) * y.reshape([size for n in right for size in (1, n)])
    product: Tensor = outer.reshape([n * m for n, m in zip(left, right, strict=True)])
    return product


@as_method
@as_function
def cross(x: Tensor, y: Tensor, axis: int = 9, name: str | None = None) -> Tensor:
    """Returns the cross product of vectors of three elements along an axis.

    Args:
        x: the left vectors.
        y: the right vectors, of the same shape.
        axis: the axis; 9, Paddle's default, is the first one with three elements.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ShapeError: if the shapes differ.
        ArgumentError: if the size of the axis is not three.

    >>> import inplacelab as paddle
    >>> paddle.cross(paddle.to_tensor([1., 0., 0.]), paddle.to_tensor([0., 1., 0.])).tolist()
    [0.0, 0.0, 1.0]
    """
    x, y = as_tensor("cross", "x", 0, x), as_tensor("cross", "y", 1, y)
    if x.shape != y.shape:
        raise errors.cannot_broadcast(x=x.shape, y=y.shape, op="cross")
    along = next((k for k, size in enumerate(x.shape) if size == 3), None) if axis == 9 else normal_axis(axis, x.ndim)
    if along is None or x.shape[along] != 3:
        raise bad_value("cross", "axis", axis, "an axis of three elements", "有三个元素的轴")
    a, b = x.unbind(along), y.unbind(along)
    return stack([a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)], along)


@as_method
@as_function
def dist(x: Tensor, y: Tensor, p: float = 2, name: str | None = None) -> Tensor:
    """Returns the p-norm of `x - y`, over all elements."""
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
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Returns matrices with the vectors along the last axis on a diagonal, and zeros elsewhere.

    Args:
        input: the vectors.
        offset: which diagonal: above the main one if positive, below it if negative.
        dim1: the axis of the rows in the result.
        dim2: the axis of the columns.

    >>> import inplacelab as paddle
    >>> paddle.diag_embed(paddle.to_tensor([1., 2.])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    input = as_tensor("diag_embed", "input", 0, input)
    size, first, second = (
        input.shape[-1] + abs(offset),
        normal_axis(dim1, input.ndim + 1),
        normal_axis(dim2, input.ndim + 1),
    )
    if first == second:
        raise bad_value("diag_embed", "dim2", dim2, "another axis than `dim1`", "与 `dim1` 不同的轴")
    flat = zeros([*input.shape[:-1], size, size], input.dtype).diagonal_scatter(input, offset, -2, -1)
    order = [k for k in range(input.ndim + 1) if k not in (first, second)]
    places = [*order, first, second]
    return flat.transpose([places.index(k) for k in range(input.ndim + 1)])


@as_method
@as_function
def reverse(x: Tensor, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Returns a copy with the elements along `axis` in reverse order: an older name of `flip`."""
    return as_tensor("reverse", "x", 0, x).flip(axis)


@as_method
@as_function
def repeat_interleave(x: Tensor, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Returns a copy in which each element along an axis is repeated.

    Args:
        x: the tensor.
        repeats: how many times: a number, or a tensor with a number for each element.
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
        raise bad_value(
            "repeat_interleave", "repeats", times.tolist(), f"a number, or {many} of them", f"一个数，或 {many} 个数"
        ) from None
    return x.index_select(to_tensor(places, place=x.place), axis)


@as_method
@as_function
def take(x: Tensor, index: Tensor, mode: str = "raise", name: str | None = None) -> Tensor:
    """Returns the elements at the given positions of `x` (taken as a vector), in the shape of `index`.

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
        raise bad_value("take", "mode", mode, "'raise', 'wrap' or 'clip'", "'raise'、'wrap' 或 'clip'")
    places = index.numpy()
    if mode == "wrap":
        places = places % max(x.size, 1)
    elif mode == "clip":
        places = np.clip(places, 0, x.size - 1)
    return x.flatten()[to_tensor(places, place=x.place)]


# ---- other units and parts of numbers ---------------------------------------------------------------------------------------


@as_method
@as_function
def deg2rad(x: Tensor, name: str | None = None) -> Tensor:
    """Converts angles from degrees to radians.

    >>> import inplacelab as paddle
    >>> paddle.deg2rad(paddle.to_tensor([180.])).item().__round__(4)
    3.1416
    """
    return _in_floats(as_tensor("deg2rad", "x", 0, x)).scale(pi / 180.0)


@as_method
@as_function
def rad2deg(x: Tensor, name: str | None = None) -> Tensor:
    """Converts angles from radians to degrees.

    >>> import inplacelab as paddle
    >>> paddle.rad2deg(paddle.to_tensor([0.])).item()
    0.0
    """
    return _in_floats(as_tensor("rad2deg", "x", 0, x)).scale(180.0 / pi)


def _in_floats(x: Tensor) -> Tensor:
    return x if x.array.dtype.kind in "fc" else x.cast("float32")


@as_method
@as_function
def frexp(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Returns mantissas and exponents: `x = mantissa * 2 ** exponent`, with a mantissa from 0.5 up to 1, or 0.

    Args:
        x: a floating-point tensor.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        Two tensors with the dtype of `x`. The gradient goes through the mantissas; that of the exponents is zero.

    >>> import inplacelab as paddle
    >>> mantissa, exponent = paddle.frexp(paddle.to_tensor([10.]))
    >>> mantissa.item(), exponent.item()
    (0.625, 4.0)
    """
    x = as_tensor("frexp", "x", 0, x)
    powers = np.frexp(x.numpy())[1]
    exponent = to_tensor(powers, dtype=x.dtype, place=x.place)
    return x.ldexp(to_tensor(-powers, place=x.place)), exponent


# ---- sums without NaN -------------------------------------------------------------------------------------------------------


def _without_nan(x: Tensor) -> Tensor:
    return x.masked_fill(x.isnan(), 0)


@as_method
@as_function
def nansum(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    dtype: Any = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the sum over some axes, in which NaN counts as zero. The arguments are those of `sum`.

    >>> import inplacelab as paddle
    >>> paddle.nansum(paddle.to_tensor([1., float("nan"), 2.])).item()
    3.0
    """
    total: Tensor = _without_nan(as_tensor("nansum", "x", 0, x)).sum(axis, dtype, keepdim)
    return total


@as_method
@as_function
def nanmean(
    x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Returns the mean over some axes of the elements that are not NaN; NaN, if all are. The arguments are those of `mean`.

    >>> import inplacelab as paddle
    >>> paddle.nanmean(paddle.to_tensor([1., float("nan"), 2.])).item()
    1.5
    """
    x = as_tensor("nanmean", "x", 0, x)
    number = x.isnan().logical_not().cast(x.dtype).sum(axis, keepdim=keepdim)
    mean: Tensor = _without_nan(x).sum(axis, keepdim=keepdim) / number
    return mean


# ---- differences and integrals ----------------------------------------------------------------------------------------------


@as_method
@as_function
def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the differences between neighboring elements along an axis.

    Args:
        x: the tensor.
        n: how many times differences are taken.
        axis: the axis.
        prepend: a tensor to put before the elements first.
        append: a tensor to put after them.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A tensor with `n` fewer elements on this axis.

    Raises:
        ArgumentError: if `n` is less than 1.

    >>> import inplacelab as paddle
    >>> paddle.diff(paddle.to_tensor([1, 4, 9])).tolist()
    [3, 5]
    """
    x = as_tensor("diff", "x", 0, x)
    if n < 1:
        raise bad_value("diff", "n", n, "1 or more", "不小于 1 的整数")
    along = normal_axis(axis, x.ndim)
    parts = [each for each in (prepend, x, append) if each is not None]
    found = concat(parts, along) if len(parts) > 1 else x
    before, after = (slice(None),) * along + (slice(None, -1),), (slice(None),) * along + (slice(1, None),)
    for _ in range(n):
        found = (
            found[after].logical_xor(found[before]) if found.array.dtype.kind == "b" else found[after] - found[before]
        )
    return found


@as_method
@as_function
def trapezoid(
    y: Tensor, x: Tensor | None = None, dx: float | None = None, axis: int = -1, name: str | None = None
) -> Tensor:
    """Returns the integral of samples along an axis by the trapezoidal rule.

    Args:
        y: the samples.
        x: where they were taken: of the shape of `y`, or one position for each sample; None if they are `dx` apart.
        dx: their distance; 1 if None.
        axis: the axis.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if both `x` and `dx` are given.
    """
    y = as_tensor("trapezoid", "y", 0, y)
    if x is not None and dx is not None:
        raise bad_value("trapezoid", "dx", dx, "None with x", "给出 x 时为 None")
    along = normal_axis(axis, y.ndim)
    before, after = (slice(None),) * along + (slice(None, -1),), (slice(None),) * along + (slice(1, None),)
    mean = (y[before] + y[after]).scale(0.5)
    if x is None:
        return mean.sum(along).scale(1.0 if dx is None else dx)
    places = x if x.ndim > 1 else x.reshape([-1 if k == along else 1 for k in range(y.ndim)])
    return (mean * (places[after] - places[before])).sum(along)
