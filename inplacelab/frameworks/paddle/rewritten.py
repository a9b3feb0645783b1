"""How to write operations whose gradients are wrong in Paddle 3.3, so that they are right (`tests/recorders/test_rewritten.py` runs each)."""

from __future__ import annotations

from collections.abc import Mapping

from inplacelab.language import Text

_INDEX_PUT = Text(
    "write `x = paddle.index_put(x, (index,), value)`; with a mask and one value also `x = paddle.where(mask, value, x)`",
    "写成 `x = paddle.index_put(x, (index,), value)`；按掩码赋一个值时，也可以写成 `x = paddle.where(mask, value, x)`",
)
_WHERE = Text("write `x = paddle.where(mask, value, x)`", "写成 `x = paddle.where(mask, value, x)`")
_LERP = Text("write `x + weight * (y - x)`", "写成 `x + weight * (y - x)`")
_FLOOR_DIVIDE = Text("write `x = paddle.floor_divide(x, y)`", "写成 `x = paddle.floor_divide(x, y)`")

REWRITTEN: Mapping[str, Text] = {
    "setitem": _INDEX_PUT,
    "masked_fill": _WHERE, "masked_fill_": _WHERE,
    "lerp": _LERP, "lerp_": _LERP,
    "floor_divide_": _FLOOR_DIVIDE,
}  # fmt: skip
"""By the name of the operation."""
