"""What PyTorch has otherwise than PaddlePaddle: names that PaddlePaddle 3.3 has adopted, and rows for `inplacelab.torch`.

Recordings show `permute` and `repeat` with Paddle's names.

The rows for `inplacelab.torch` differ at NaN, at a boundary, and where two elements are equal. Each is another one of the table with
some columns replaced. Its name begins with an underscore; messages and observers call it by the name of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inplacelab import devices, dtypes
from inplacelab.ops.arguments.attributes import constant, zero
from inplacelab.ops.arguments.keywords import are_numbers, finished
from inplacelab.ops.creation import filled, made, shape_of
from inplacelab.ops.results.kernel_tools import clip_into, quietly
from inplacelab.ops.table import ROWS, add, as_function, as_method, elementwise
from inplacelab.ops.table.row import ZERO, Row, Rule
from inplacelab.tensor import Tensor


def _together(first: Any, more: tuple[Any, ...]) -> Any:
    """Separate numbers as a list."""
    return [first, *more] if more or are_numbers([first]) else first


@as_method
@as_function
def permute(input: Tensor, dims: Any, *more: int) -> Tensor:
    """`transpose`, with or without brackets around the order of the axes: a view.

    即 `transpose`，各轴的次序可以不加方括号：得到视图。

    Raises:
        ShapeError: if `dims` is not an order of the axes.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([2, 3, 4])
    >>> x.permute(2, 0, 1).shape, x.permute([1, 0, 2]).shape
    (paddle.Size([4, 2, 3]), paddle.Size([3, 2, 4]))

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/permute_en.html
    """
    return input.transpose(_together(dims, more))


@as_method
def repeat(self: Tensor, repeats: Any, *more: int) -> Tensor:
    """`tile`, with or without brackets around the numbers: a copy.

    即 `tile`，各轴的次数可以不加方括号：得到副本。

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([[1, 2]]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return self.tile(_together(repeats, more))


@as_method
def new_full(
    self: Tensor,
    size: Sequence[int],
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor of `size` with `fill_value` in every element, by default with the dtype and device of this tensor.

    Args:
        self: a tensor.
        size: the sizes of the axes.
        fill_value: the number.
        dtype: the type of the elements; that of this tensor if None.
        device: the device; that of this tensor if None.
        requires_grad: whether the new tensor needs a gradient.
        pin_memory: whether to create it in pinned memory.

    形状为 `size`、元素均为 `fill_value` 的新张量；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.zeros([2], dtype='int32').new_full([1, 2], 7).tolist()
    [[7, 7]]
    """
    return finished(_new("new_full", self, size, fill_value, dtype, device), requires_grad, pin_memory)


@as_method
def new_zeros(
    self: Tensor,
    size: Any,
    *more: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor of zeros. The arguments are those of `new_full`; the sizes may be separate numbers.

    全零的新张量，各轴大小可以不加方括号；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.ones([2]).new_zeros(1, 3).tolist()
    [[0.0, 0.0, 0.0]]
    """
    return finished(_new("new_zeros", self, _together(size, more), 0, dtype, device), requires_grad, pin_memory)


@as_method
def new_ones(
    self: Tensor,
    size: Any,
    *more: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor of ones. The arguments are those of `new_full`; the sizes may be separate numbers.

    全一的新张量，各轴大小可以不加方括号；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.zeros([2]).new_ones(2).tolist()
    [1.0, 1.0]
    """
    return finished(_new("new_ones", self, _together(size, more), 1, dtype, device), requires_grad, pin_memory)


@as_method
def new_empty(
    self: Tensor,
    size: Any,
    *more: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor whose elements are not initialized. The arguments are those of `new_full`; the sizes may be separate.

    元素为内存中原有内容的新张量；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.zeros([2]).new_empty(2, 3).shape
    paddle.Size([2, 3])
    """
    where = self.storage.device if device is None else devices.find(device)
    sizes = shape_of("new_empty", _together(size, more))
    kind = dtypes.as_numpy(self.dtype if dtype is None else dtype)
    return finished(made("new_empty", where.empty(sizes, kind), where), requires_grad, pin_memory)


def _new(name: str, like: Tensor, size: Any, value: Any, dtype: Any, device: Any) -> Tensor:
    where = like.storage.device if device is None else devices.find(device)
    return filled(name, size, value, like.dtype if dtype is None else dtype, where)


# ---- rows for `inplacelab.torch` --------------------------------------------------------------------------------------------


def _variant(name: str, *rules: Any, **columns: Any) -> Row:
    """Adds a row that is the one without the underscore, but for these derivatives and columns."""
    of = ROWS[columns.pop("of", name.removeprefix("_"))]
    given = tuple(each if isinstance(each, Rule) else Rule(each) for each in rules) or of.rules
    private: dict[str, Any] = {
        "method": True,
        "function": False,
        "functional": False,
        "out": False,
        "aliases": (),
        "operator": "",
    }
    return add(replace(of, name=name, called=of.name, rules=given, **(private | columns)))


# ---- NaN stays, or counts as zero --------------------------------------------------------------------------------------------


def _relu(out: Any, x: Any) -> None:
    np.maximum(x, zero(x.dtype), out=out)


def _sign(out: Any, x: Any, device: Any) -> None:
    np.sign(x, out)
    if out.dtype.kind == "f":
        unknown = np.isnan(out)
        device.ledger.borrow(unknown.nbytes)
        np.copyto(out, zero(out.dtype), where=unknown)


_RELU = _variant(
    "_relu",
    lambda g, out: g._outside(out <= 0),
    kernel=_relu,
    accepts="fi",
    cuda={"f": "x <= 0 ? 0 : x", "i": "x > 0 ? x : 0"},
)
_SIGN = _variant("_sign", kernel=_sign, ufunc=None, accepts="fi", cuda="x > 0 ? 1 : x < 0 ? -1 : 0")
_SGN = _variant("_sgn", ZERO, kernel=_sign, ufunc=None, accepts="fi", cuda="x > 0 ? 1 : x < 0 ? -1 : 0")
_ABS = _variant("_abs", lambda g, x: g * x._sign(), accepts="fi", dtype=lambda x: x)

# ---- boundaries --------------------------------------------------------------------------------------------------------------


def _slope(g: Tensor, negative_slope: float, positive: Tensor) -> Tensor:
    return g._inside(positive) + g._outside(positive).scale(negative_slope)


def _root_slope(g: Tensor, out: Tensor) -> Tensor:
    """0 at 0, where the slope is infinite: as in the derivative of PyTorch's `std`."""
    return (g / out.scale(2.0))._outside(out == 0)


_HARDTANH = _variant("_hardtanh", lambda g, x, min, max: g._outside(x <= min)._outside(x >= max))
_LEAKY_RELU = _variant("_leaky_relu", lambda g, x, negative_slope: _slope(g, negative_slope, x > 0), in_place=False)
_LEAKY_RELU_OVER = _variant(
    "_leaky_relu_over",
    lambda g, out, negative_slope: _slope(g, negative_slope, out > 0),
    of="leaky_relu",
    ordinary=False,
)
_SQRT = _variant("_sqrt", _root_slope)


@quietly
def _hardswish(out: Any, x: Any, device: Any) -> None:
    factor = np.empty_like(x)
    device.ledger.borrow(factor.nbytes)
    np.add(x, constant(3, x.dtype), factor)
    clip_into(factor, factor, 0.0, 6.0)
    np.multiply(factor, x, out)
    np.divide(out, constant(6, x.dtype), out)


def _d_hardswish(g: Tensor, x: Tensor) -> Tensor:
    between = (x > -3).logical_and(x < 3)
    return (g * x.scale(1 / 3, 0.5))._inside(between) + g._outside(between)._outside(x <= -3)


_HARDSWISH = elementwise("_hardswish", "x", ("`x * (x + 3) / 6` between -3 and 3, 0 below and `x` above.", "在 -3 与 3 之间为 `x * (x + 3) / 6`，其下为 0，其上为 `x`。"),
            kernel=_hardswish, accepts="f", function=False, called="hardswish", cuda="x * fmin(fmax(x + 3, T(0)), T(6)) / 6", d_x=_d_hardswish)  # fmt: skip

# ---- two operands ------------------------------------------------------------------------------------------------------------


def _to_larger(g: Tensor, larger: Tensor, smaller: Tensor) -> Tensor:
    """All of `g` unless the first is smaller, half of it where they are equal: so all of it to both where one is NaN."""
    equal = larger == smaller
    return g._outside(equal.logical_or(larger < smaller)) + g._inside(equal).scale(0.5)


_MAXIMUM = _variant("_maximum", lambda g, x, y: _to_larger(g, x, y), lambda g, x, y: _to_larger(g, y, x))
_MINIMUM = _variant("_minimum", lambda g, x, y: _to_larger(g, y, x), lambda g, x, y: _to_larger(g, x, y))
_AT_LEAST = _variant("_at_least", lambda g, x, y: g._inside(x >= y), lambda g, x, y: g._inside(x < y), of="maximum")
_AT_MOST = _variant("_at_most", lambda g, x, y: g._inside(x <= y), lambda g, x, y: g._inside(x > y), of="minimum")


def _turned(g: Tensor, side: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """`side / (x * x + y * y)`, and 0 for the point (0, 0)."""
    length = x.hypot(y)
    return g * (side / length / length)._outside(length == 0)


_ATAN2 = _variant("_atan2", lambda g, x, y: _turned(g, y, x, y), lambda g, x, y: _turned(g, x, x, y).scale(-1.0))


@quietly
def _lerp(out: Any, x: Any, y: Any, weight: Any, device: Any) -> None:
    """From the nearer end: so the result is exactly `y` if the weight is 1."""
    part, high = np.empty_like(out), np.empty_like(out)
    np.abs(weight, high)
    near = high < 0.5
    device.ledger.borrow(2 * part.nbytes + near.nbytes)
    np.subtract(y, x, part)
    np.subtract(constant(1, out.dtype), weight, high)
    np.multiply(part, high, high)
    np.subtract(y, high, high)
    np.multiply(part, weight, part)
    np.add(x, part, part)
    np.copyto(out, high)
    np.copyto(out, part, where=near)


_LERP = _variant(
    "_lerp", kernel=_lerp, cuda="fabs(weight) < T(0.5) ? x + (y - x) * weight : y - (y - x) * (1 - weight)"
)

# ---- the largest of all ------------------------------------------------------------------------------------------------------


def _to_the_largest(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """Equal elements share it, and so do those that are NaN if the result is."""
    chosen = x.equal(out).logical_or(x.isnan())
    return (x._zeros() + g / chosen.cast(g.dtype).sum())._inside(chosen)


_MAX, _MIN = _variant("_max", _to_the_largest), _variant("_min", _to_the_largest)
