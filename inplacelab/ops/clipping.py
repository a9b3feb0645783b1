"""Clipping, replacement of nan and infinity, and masks for gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops.arguments.attributes import constant, plain_number
from inplacelab.ops.results.kernel_tools import choose, clip_into, keep_where, scalar, start
from inplacelab.ops.table import elementwise
from inplacelab.ops.table.depends import chosen
from inplacelab.tensor import Tensor

# ---- choosing places --------------------------------------------------------------------------------------------------------


def _outside(out: Any, x: Any, mask: Any, device: Any) -> None:
    choose(out, mask, constant(0, out.dtype), x, device)


# A product with 0 would do the same except for inf and nan, which may be among the values left out here. In a recorded launch
# these rows appear as `where`, the public operation that does the same.
_INSIDE = elementwise("_inside", "x, mask", ("`x` where `mask` is true, 0 elsewhere.", "`mask` 为真处取 `x`，其余为 0。"), kernel=keep_where,
            masks=("mask",), depends=chosen(1, 0, -1), cuda=dict.fromkeys("fib", "mask ? x : 0"), dtype=lambda x: x, in_place=False, function=False, called="where",
            d_x=lambda g, mask: g._inside(mask))  # fmt: skip
_OUTSIDE = elementwise("_outside", "x, mask", ("0 where `mask` is true, `x` elsewhere.", "`mask` 为真处取 0，其余为 `x`。"), kernel=_outside,
            masks=("mask",), depends=chosen(1, -1, 0), cuda=dict.fromkeys("fib", "mask ? 0 : x"), dtype=lambda x: x, in_place=False, function=False, called="where",
            d_x=lambda g, mask: g._outside(mask))  # fmt: skip

# ---- clipping ---------------------------------------------------------------------------------------------------------------


def _clip_dtype(x: np.dtype[Any], min: Any, max: Any) -> np.dtype[Any]:
    """Integers between floating-point bounds become floating-point. Bounds in the wrong order are refused."""
    if min is not None and max is not None and min > max:
        raise errors.min_above_max(low=min, high=max)
    fractional = any(isinstance(bound, float) for bound in (min, max))
    return dtypes.float32.numpy if x.kind in "iu" and fractional else x


def _bound(x: Any, value: Any) -> Any:
    """A bound: None, a number, or a tensor of one element."""
    return None if value is None else plain_number(x, value)


def _within(g: Tensor, x: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient passes between the bounds, and on them."""
    g = g if min is None else g._inside(x >= min)
    return g if max is None else g._inside(x <= max)


def _at_least(out: Any, x: Any, min: Any) -> None:
    np.maximum(x, constant(min, out.dtype), out=out)


def _at_most(out: Any, x: Any, max: Any) -> None:
    np.minimum(x, constant(max, out.dtype), out=out)


CLIP = elementwise("clip", "x", ("Keep each element between `min` and `max`.", "把每个元素限制在 `min` 与 `max` 之间。"),
            attrs="min=None, max=None", kernel=clip_into, accepts="fi", dtype=_clip_dtype, aliases=("clamp",),
            cuda="x < min ? min : x > max ? max : x",
            prepare={"min": _bound, "max": _bound}, d_x=_within)  # fmt: skip
CLAMP_MIN = elementwise("clamp_min", "x", ("Replace elements below `min` by `min`.", "把小于 `min` 的元素提高到 `min`。"),
            attrs="min", kernel=_at_least, accepts="fi", cuda="x < min ? min : x", prepare={"min": scalar("clamp_min", "min")},
            d_x=lambda g, x, min: _within(g, x, min, None))  # fmt: skip
CLAMP_MAX = elementwise("clamp_max", "x", ("Replace elements above `max` by `max`.", "把大于 `max` 的元素降低到 `max`。"),
            attrs="max", kernel=_at_most, accepts="fi", cuda="x > max ? max : x", prepare={"max": scalar("clamp_max", "max")},
            d_x=lambda g, x, max: _within(g, x, None, max))  # fmt: skip

# ---- nan and infinity -------------------------------------------------------------------------------------------------------


def _nan_to_num(out: Any, x: Any, nan: Any, posinf: Any, neginf: Any, device: Any) -> None:
    limits = np.finfo(x.dtype)
    found = np.empty_like(x, bool)
    device.ledger.borrow(found.nbytes)
    start(out, x)
    np.isnan(out, found)
    np.copyto(out, constant(nan, x.dtype), where=found)
    np.equal(out, np.inf, found)
    np.copyto(out, limits.max if posinf is None else constant(posinf, x.dtype), where=found)
    np.equal(out, -np.inf, found)
    np.copyto(out, limits.min if neginf is None else constant(neginf, x.dtype), where=found)


def _floats(x: Any) -> None:
    if x.dtype.kind != "f":
        raise errors.only_floats(op="nan_to_num", dtype=x.dtype.name)


NAN_TO_NUM = elementwise("nan_to_num", "x", ("Replace NaN and the infinities by finite numbers.", "把 nan 与正负无穷替换为数。"),
            attrs="nan=0.0, posinf=None, neginf=None", kernel=_nan_to_num, validate=_floats,
            prepare={"nan": scalar("nan_to_num", "nan"), "posinf": scalar("nan_to_num", "posinf", optional=True),
                     "neginf": scalar("nan_to_num", "neginf", optional=True)},
            d_x=lambda g, x: g._inside(x.isfinite()))  # fmt: skip
