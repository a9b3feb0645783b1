"""What `explain` says to write instead of operations whose gradients are wrong in Paddle: the rewritten program's gradients are right."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.frameworks.paddle.right_forms import RIGHT_FORMS

paddle = pytest.importorskip("paddle")

HEAD = """\
a = paddle.to_tensor([1., 2., 3.], dtype=dtype, stop_gradient=False)
x = paddle.to_tensor([4., 5., 6.], dtype=dtype)
mask, index = paddle.to_tensor([True, False, True]), paddle.to_tensor([0, 2])
"""
PROGRAMS: dict[str, list[tuple[str, str, list[int], str]]] = {
    "setitem": [
        ("x[mask] = a[0] * 3", "x = paddle.index_put(x, (mask,), a[0] * 3)", [36, 0, 0], "float32"),
        ("x[mask] = a[0] * 3", "x = paddle.where(mask, a[0] * 3, x)", [36, 0, 0], "float32"),
        ("x[index] = a[:2] * 3", "x = paddle.index_put(x, (index,), a[:2] * 3)", [18, 36, 0], "float64"),
        ("x[mask] = a[:2] * 3", "x = paddle.index_put(x, (mask,), a[:2] * 3)", [18, 36, 0], "float64"),
    ],
    "masked_fill": [
        ("x = paddle.masked_fill(x * a, mask, a[0] * 3)", "x = paddle.where(mask, a[0] * 3, x * a)", [36, 100, 0], "float32")
    ],
    "masked_fill_": [("x.masked_fill_(mask, a[0] * 3)", "x = paddle.where(mask, a[0] * 3, x)", [36, 0, 0], "float32")],
    "lerp": [("y = a * 2\nx = paddle.lerp(y, x, a)", "y = a * 2\nx = y + a * (x - y)", [16, -12, -48], "float32")],
    "lerp_": [("y = a * 2\nx = y.lerp_(x, a)", "y = a * 2\nx = y + a * (x - y)", [16, -12, -48], "float32")],
    "floor_divide_": [
        ("x = a * 2\nx.floor_divide_(paddle.full([1], 3, dtype))\nx = x + a", "x = a * 2\nx = paddle.floor_divide(x, paddle.full([1], 3, dtype))\nx = x + a", [2, 6, 10], "float32")
    ],
}  # fmt: skip
"""For each operation: programs with it, the same as it says, the right gradient of the sum of squares, and a dtype."""


def gradient(program: str, dtype: str) -> Any:
    names: dict[str, Any] = {"paddle": paddle, "dtype": dtype}
    exec(f"{HEAD}{program}\n(x * x).sum().backward()", names)
    return names["a"].grad.tolist()


@pytest.mark.parametrize(
    ("wrong", "rewritten", "right", "dtype"), [each for some in PROGRAMS.values() for each in some]
)
def test_the_rewritten_program_is_right(wrong: str, rewritten: str, right: list[int], dtype: str) -> None:
    assert gradient(wrong, dtype) != right
    assert gradient(rewritten, dtype) == right


def test_each_is_tried() -> None:
    assert {*PROGRAMS} == {*RIGHT_FORMS}
