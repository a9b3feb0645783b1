"""Activation functions.

At a kink the derivative is that of one side, the same one as in PaddlePaddle: see `>` and `>=` in the rules below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors, modes
from inplacelab.autograd.history import check_leaf
from inplacelab.layout import normal_axis
from inplacelab.ops.arguments.attributes import constant, zero
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.results.kernel_tools import clip_into, conj, quietly, scalar, start, whole_number
from inplacelab.ops.table import LazyFunction, add_row, as_functional, elementwise, transcendental
from inplacelab.ops.table.depends import along_axes
from inplacelab.ops.table.row import Times, same
from inplacelab.tensor import Tensor

# ---- kernels ----------------------------------------------------------------------------------------------------------------


@quietly
def _sigmoid(out: Any, x: Any) -> None:
    """1 / (1 + exp(-x)). Where the exponential overflows, the result is 0, as it should be."""
    np.multiply(x, constant(-1, out.dtype), out)
    np.exp(out, out)
    np.add(out, constant(1, out.dtype), out)
    np.reciprocal(out, out)


def _relu(out: Any, x: Any) -> None:
    np.fmax(x, zero(x.dtype), out)


def _relu6(out: Any, x: Any) -> None:
    clip_into(out, x, 0.0, 6.0)


@quietly
def _silu(out: Any, x: Any, device: Any) -> None:
    factor = np.empty_like(x, x.dtype)
    device.ledger.borrow(factor.nbytes)
    _sigmoid(factor, x)
    np.multiply(x, factor, out)


def _chosen(mask: Any, device: Any) -> Any:
    """Accounts for the memory of a mask that a kernel has made."""
    device.ledger.borrow(mask.nbytes)
    return mask


@quietly
def _softplus(out: Any, x: Any, beta: float, threshold: float, device: Any) -> None:
    """log(1 + exp(beta x)) / beta; above the threshold that is x, to all digits of the dtype."""
    bent, low = np.empty_like(x, x.dtype), np.empty_like(x, bool)
    device.ledger.borrow(bent.nbytes + low.nbytes)
    np.multiply(x, constant(beta, x.dtype), bent)
    np.less_equal(bent, threshold, low)
    start(out, x)
    np.logaddexp(constant(0, x.dtype), bent, bent)
    np.divide(bent, constant(beta, x.dtype), out, where=low)


def _leaky_relu(out: Any, x: Any, negative_slope: float, device: Any) -> None:
    negative = _chosen(x < 0, device)
    start(out, x)
    np.multiply(out, constant(negative_slope, x.dtype), out, where=negative)


def _thresholded_relu(out: Any, x: Any, threshold: float, value: float, device: Any) -> None:
    low = _chosen(x <= threshold, device)
    start(out, x)
    np.copyto(out, constant(value, x.dtype), where=low)


def _elu(out: Any, x: Any, alpha: float, device: Any) -> None:
    low = _chosen(x <= 0, device)
    start(out, x)
    np.expm1(out, out, where=low)
    np.multiply(out, constant(alpha, x.dtype), out, where=low)


@quietly
def _softmax(out: Any, x: Any, axis: tuple[int, ...], device: Any) -> None:
    """exp(x) / sum of exp(x). The largest element is subtracted first, so that nothing overflows."""
    if not x.size:
        return
    largest = np.max(x, axis, keepdims=True)
    device.ledger.borrow(2 * largest.nbytes)
    np.subtract(x, largest, out, casting="same_kind")
    np.exp(out, out)
    np.divide(out, np.sum(out, axis, keepdims=True), out)


@quietly
def _log_softmax(out: Any, x: Any, axis: tuple[int, ...], device: Any) -> None:
    """The same for the logarithms."""
    if not x.size:
        return
    largest, powers = np.max(x, axis, keepdims=True), np.empty_like(x)
    device.ledger.borrow(2 * largest.nbytes + powers.nbytes)
    np.subtract(x, largest, out)
    np.exp(out, powers)
    total = np.sum(powers, axis, keepdims=True)
    np.log(total, total)
    np.subtract(out, total, out)


@quietly
def _binary_cross_entropy(out: Any, x: Any, y: Any, device: Any) -> None:
    """Logarithms are at least -100, so that no loss is infinite."""
    low, high = constant(-100, out.dtype), constant(-1, out.dtype)
    if_one = np.empty_like(out)
    device.ledger.borrow(if_one.nbytes)
    np.log(x, if_one)
    np.maximum(if_one, low, out=if_one)
    np.multiply(x, high, out)
    np.log1p(out, out)
    np.maximum(out, low, out=out)
    np.subtract(if_one, out, if_one)
    np.multiply(y, if_one, if_one)
    np.add(out, if_one, out)
    np.multiply(out, high, out)


# ---- derivatives and checks -------------------------------------------------------------------------------------------------


def _d_silu(g: Tensor, x: Tensor) -> Tensor:
    s = x.sigmoid()
    return g * conj(s * (x * s.scale(-1.0, 1.0)).scale(1.0, 1.0))


def _d_softplus(g: Tensor, x: Tensor, beta: float, threshold: float) -> Tensor:
    high = x.scale(beta) > threshold
    return (g * x.scale(beta).sigmoid())._outside(high) + g._inside(high)


def _d_elu(g: Tensor, x: Tensor, alpha: float) -> Tensor:
    """Above 0, the exponential of 0 is computed and not used: exp(x) could overflow, and inf times 0 is nan."""
    low = x <= 0
    return (g * x._inside(low).exp().scale(alpha))._inside(low) + g._outside(low)


def _d_softmax(g: Tensor, out: Tensor, axis: tuple[int, ...]) -> Tensor:
    weighted = g * out
    return weighted - out * (weighted.sum(axis, keepdim=True) if axis else weighted)


def _d_log_softmax(g: Tensor, out: Tensor, axis: tuple[int, ...]) -> Tensor:
    return g - out.exp() * (g.sum(axis, keepdim=True) if axis else g)


def _d_probability(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """At 0 and 1 not infinite: as in Paddle and PyTorch, whose bound this is."""
    return g * ((x - y) / (x * x.scale(-1.0, 1.0)).clip(min=1e-12))


def _d_label(g: Tensor, x: Tensor) -> Tensor:
    return g * (x.scale(-1.0, 1.0).log().clip(min=-100.0) - x.log().clip(min=-100.0))


def _one_axis(x: Any, axis: Any) -> tuple[int, ...]:
    """The axis, counted from the front, in a tuple; () for a tensor without axes. A tuple is returned unchanged."""
    if isinstance(axis, tuple):
        return axis
    position = normal_axis(whole_number("softmax", "axis")(x, axis), max(x.ndim, 1))
    return (position,) if x.ndim else ()


def _floating_only(x: Any, dtype: Any) -> np.dtype[Any]:
    result = x if dtype is None else dtypes.as_numpy(dtype)
    if result.kind != "f":
        raise errors.kernel_not_registered(dtype=result.name, op="softmax")
    return np.dtype(result)


# ---- rows -------------------------------------------------------------------------------------------------------------------

SIGMOID = transcendental("sigmoid", ("1 / (1 + exp(-x)) for each element.", "逐元素求 1 / (1 + exp(-x))。"), kernel=_sigmoid, functional=True,
               cuda="1 / (1 + exp(-x))",
               d_x=Times(lambda out: conj(out * out.scale(-1.0, 1.0))))  # fmt: skip
RELU = elementwise("relu", "x", ("Replace negative elements by zero.", "把负元素替换为零。"), kernel=_relu, accepts="f",
            cuda="x > 0 ? x : 0",
            d_x=lambda g, out: g._inside(out > 0), function=False, functional=True)  # fmt: skip

_IN_FUNCTIONAL = {"accepts": "f", "method": False, "function": False, "functional": True}

RELU6 = elementwise("relu6", "x", ("Keep each element between 0 and 6.", "把每个元素限制在 0 与 6 之间。"), kernel=_relu6, **_IN_FUNCTIONAL,
            cuda="x <= 0 ? 0 : x > 6 ? 6 : x",
            in_place=False, d_x=lambda g, out: g._inside(out > 0)._inside(out < 6))  # fmt: skip
_SILU = elementwise("silu", "x", ("x times sigmoid(x).", "逐元素求 x 乘以 sigmoid(x)。"), kernel=_silu,
            cuda="x * (1 / (1 + exp(-x)))", accepts="fc", method=False, function=False, by_argument=True, d_x=_d_silu)  # fmt: skip
SOFTPLUS = elementwise("softplus", "x", ("A smooth `relu`: log(1 + exp(beta x)) / beta.", "平滑的 `relu`：log(1 + exp(beta x)) / beta。"),
            attrs="beta=1, threshold=20", kernel=_softplus, **_IN_FUNCTIONAL,
            cuda="beta * x > threshold ? x : (fmax(beta * x, T(0)) + log1p(exp(-fabs(beta * x)))) / beta", in_place=False, d_x=_d_softplus,
            prepare={n: scalar("softplus", n) for n in ("beta", "threshold")})  # fmt: skip
LEAKY_RELU = elementwise("leaky_relu", "x", ("Multiply negative elements by `negative_slope`.", "把负元素乘以 `negative_slope`。"),
            attrs="negative_slope=0.01", kernel=_leaky_relu, **_IN_FUNCTIONAL,
            cuda="x < 0 ? x * negative_slope : x",
            prepare={"negative_slope": scalar("leaky_relu", "negative_slope")},
            d_x=lambda g, x, negative_slope: g._inside(x >= 0) + g._inside(x < 0).scale(negative_slope))  # fmt: skip
ELU = elementwise("elu", "x", ("`alpha * (exp(x) - 1)` for negative elements.", "把负元素替换为 `alpha * (exp(x) - 1)`。"),
            attrs="alpha=1.0", kernel=_elu, **_IN_FUNCTIONAL,
            cuda="x <= 0 ? alpha * expm1(x) : x", prepare={"alpha": scalar("elu", "alpha")}, d_x=_d_elu)  # fmt: skip
HARDTANH = elementwise("hardtanh", "x", ("Keep each element between `min` and `max`.", "把每个元素限制在 `min` 与 `max` 之间。"),
            attrs="min=-1.0, max=1.0", kernel=clip_into, **_IN_FUNCTIONAL,
            cuda="x < min ? min : x > max ? max : x",
            prepare={n: scalar("hardtanh", n) for n in ("min", "max")},
            d_x=lambda g, x, min, max: g._inside(x > min)._inside(x < max))  # fmt: skip
THRESHOLDED_RELU = elementwise("thresholded_relu", "x", ("Replace elements up to `threshold` by `value`.", "把不超过 `threshold` 的元素替换为 `value`。"),
            attrs="threshold=1.0, value=0.0", kernel=_thresholded_relu, **_IN_FUNCTIONAL,
            cuda="x <= threshold ? value : x",
            prepare={n: scalar("thresholded_relu", n) for n in ("threshold", "value")},
            d_x=lambda g, x, threshold: g._inside(x > threshold))  # fmt: skip
SOFTMAX = add_row("normalization", "softmax", "x", ("The exponentials of the elements, divided by their sum along `axis`.", "求指数，再除以沿 `axis` 的和。"),
        attrs="axis=-1, dtype=None", kernel=_softmax, shape=same, dtype=_floating_only, prepare={"axis": _one_axis},
        method=False, function=False, functional=True, out=True, depends=along_axes("whole"), d_x=_d_softmax)  # fmt: skip

_LOG_SOFTMAX = add_row("normalization", "_log_softmax", "x", ("The logarithms of `softmax`.", "`softmax` 的对数。"),
        attrs="axis=-1", kernel=_log_softmax, shape=same, dtype=lambda x: _floating_only(x, None), prepare={"axis": _one_axis}, in_place=False,
        function=False, called="log_softmax", depends=along_axes("whole"), d_x=_d_log_softmax)  # fmt: skip
_BINARY_CROSS_ENTROPY = elementwise("_binary_cross_entropy", "x, y", ("`-(y * log(x) + (1 - y) * log(1 - x))`, of probabilities.", "概率的 `-(y * log(x) + (1 - y) * log(1 - x))`。"),
            kernel=_binary_cross_entropy, accepts="f", function=False, in_place=False, called="binary_cross_entropy", d_x=_d_probability, d_y=_d_label)  # fmt: skip

# ---- an argument instead of an underscore ------------------------------------------------------------------------------------

_SILU_OF, _SILU_INTO = LazyFunction(_SILU, "ordinary"), LazyFunction(_SILU, "in-place")


@as_functional
def silu(x: Tensor, inplace: bool = False, name: str | None = None) -> Tensor:
    """`x` times sigmoid(x). PaddlePaddle has no `silu_`: it is in place if `inplace` is true.

    逐元素求 x 乘以 sigmoid(x)。PaddlePaddle 没有 `silu_`：`inplace` 为真时为原地操作。

    Args:
        x: a floating-point or complex tensor.
        inplace: write into `x`, whose version is raised by one. The derivative needs the old `x`: if `x` needs a gradient, a
            copy is kept, and no memory is saved.
        name: ignored.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([2])
    >>> paddle.nn.functional.silu(x, inplace=True) is x, x.inplace_version
    (True, 1)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/silu_en.html
    """
    x = as_tensor("silu", "x", 0, x)
    if inplace and modes.current().recording_history:
        check_leaf("silu", x, write="silu(y, inplace=True)")
    made: Tensor = (_SILU_INTO if inplace else _SILU_OF).function()(x)
    return made
