"""Other ways to write operations to which Paddle gives wrong gradients in some cases (3.3.1). Trials find out which of them is right in a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_WHERE = "paddle.where(a, b, x)"
_LERP = "x + b * (a - x)"

RIGHT_FORMS: Mapping[str, Sequence[str]] = {
    "setitem": (_WHERE, "paddle.index_put(x, (a,), b)"),
    "masked_fill": (_WHERE,), "masked_fill_": (_WHERE,),
    "lerp": (_LERP,), "lerp_": (_LERP,),
    "floor_divide_": ("paddle.floor_divide(x, a)",),
}  # fmt: skip
"""By the name of the operation: expressions, in which `x` is its tensor and `a` and `b` are what else it is given, such as an index and a value."""
