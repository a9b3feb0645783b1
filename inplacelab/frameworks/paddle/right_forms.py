"""Other ways to write operations to which Paddle gives wrong gradients in some cases (3.3.1): what `explain` says, and trials try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_WHERE = "paddle.where(mask, value, x)"
_LERP = "x + (y - x) * weight"

RIGHT_FORMS: Mapping[str, Sequence[str]] = {
    "setitem": ("paddle.index_put(x, (index,), value)", "paddle.index_put(x, (paddle.to_tensor(index),), value)", _WHERE),
    "masked_fill": (_WHERE,), "masked_fill_": (_WHERE,),
    "lerp": (_LERP,), "lerp_": (_LERP,),
    "floor_divide_": ("paddle.floor_divide(x, y)",),
}  # fmt: skip
"""By the name of the operation: expressions, in which `x` is its tensor. The other names are what else it is given, in this order."""
