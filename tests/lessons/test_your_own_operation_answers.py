"""Answers to the exercises of lesson 12: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from inplacelab.lessons.checks import (
    your_own_operation,
)
from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS, ROWS, elementwise
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor
from tests.lessons.answers import first_words, ran

CUBE = """
from inplacelab.autograd import PyLayer
class Cube_(PyLayer):
    @staticmethod
    def forward(ctx, x):
        {forward}

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return {slope}

a = paddle.to_tensor([1., -2., 3.], stop_gradient=False)
h = {h}
y = Cube_.apply(h)
y.sum().backward()
"""
RULE = "g * 3. * x * x"


@pytest.fixture(autouse=True)
def _the_table_as_before() -> Iterator[None]:
    """Takes away what a learner's row has added: other tests of the same process would find it."""
    tables: tuple[dict[str, Any], ...] = (ROWS, FUNCTIONS, FUNCTIONAL)
    before = [(table, dict(table)) for table in tables]
    methods = set(vars(Tensor))
    yield
    for table, entries in before:
        for name in table.keys() - entries.keys():
            del table[name]
    for name in vars(Tensor).keys() - methods:
        delattr(Tensor, name)


@pytest.mark.parametrize(
    ("forward", "slope", "h", "solved"),
    [
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", RULE, "a * 1", True),
        ("k = x * 1.; x.multiply_(k); x.multiply_(k); ctx.save_for_backward(k); return x", RULE, "a * 1", True),
        ("x.pow_(3.); ctx.save_for_backward(x); return x", "g * 3. * x.abs().pow(2. / 3.)", "a * 1", True),
        ("k = x.square() * 3.; x.pow_(3.); ctx.save_for_backward(k); return x", "g * x", "a * 1", True),
        ("ctx.save_for_backward(x); x.pow_(3.); return x", RULE, "a * 1", False),
        ("x.pow_(3.); ctx.save_for_backward(x); return x", RULE, "a * 1", False),
        ("ctx.save_for_backward(x); return x.pow(3.)", RULE, "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", "g * 3. * x", "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", "3. * x * x", "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", RULE, "a", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", RULE, "a.detach() * 1", False),
        ("k = x.detach(); x.pow_(3.); ctx.save_for_backward(k); return x", RULE, "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.square_(); return x", RULE, "a * 1", False),
    ],
)
def test_a_cube_in_place(forward: str, slope: str, h: str, *, solved: bool) -> None:
    recording, names = ran(CUBE.format(forward=forward, slope=slope, h=h))
    verdict = your_own_operation.cubed(mine=recording, Cube_=names["Cube_"])
    assert verdict.solved == solved, verdict


@pytest.mark.parametrize(
    ("forward", "slope", "said"),
    [
        ("x.pow_(3.); ctx.save_for_backward(x); return x", "g * 3. * x.pow(2. / 3.)", "fractional power"),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x.clone()", RULE, "must an in-place operation return"),
        ("ctx.save_for_backward(x); x.pow_(3.); return x", RULE, "At which version"),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", "3. * x * x", "if `g` is 5"),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", "g * 2. * x * x", "does its formula fit"),
        ("x.pow_(3.); ctx.save_for_backward(x.clone()); return x", RULE, "before the write or after"),
    ],
)
def test_what_a_wrong_cube_is_told(forward: str, slope: str, said: str) -> None:
    recording, names = ran(CUBE.format(forward=forward, slope=slope, h="a * 1"))
    assert said in first_words(your_own_operation.cubed, mine=recording, Cube_=names["Cube_"])


def test_a_kernel_that_returns_its_result_is_told_to_write_it() -> None:
    returning = row("squareplus", lambda out, x: (x + np.sqrt(x * x + 4)) / 2, lambda g, out: g)
    your_own_operation.squareplus._failed.clear()
    verdicts = [your_own_operation.squareplus(row=returning) for _ in range(2)]
    assert "must write its result" in verdicts[1].words.en


def row(name: str, kernel: Callable[..., None], slope: Callable[..., Any]) -> Row:
    return elementwise(name, "x", ("",) * 2, kernel=kernel, accepts="f", d_x=slope)


def buffered(out: Any, x: Any) -> None:
    np.multiply(x + np.sqrt(x * x + 4), 0.5, out)


def from_behind(out: Any, x: Any) -> None:
    root = np.hypot(x, 2)
    np.add(root, x, out=out)
    out /= 2


def by_itself(out: Any, x: Any) -> None:
    np.multiply(x, x, out)
    np.add(out, 4, out)
    np.sqrt(out, out)
    np.add(x, out, out)
    np.multiply(out, 0.5, out)


def without_half(out: Any, x: Any) -> None:
    np.add(x, np.sqrt(x * x + 4), out)


@pytest.mark.parametrize(
    ("name", "kernel", "slope", "solved"),
    [
        ("squareplus", buffered, lambda g, out: g * out.square() / (out.square() + 1.0), True),
        ("squareplus", from_behind, lambda g, out: g * (1.0 - 1.0 / (out * out + 1.0)), True),
        ("squareplus", buffered, lambda g, out: g / (out.pow(-2.0) + 1.0), True),
        ("squareplus", by_itself, lambda g, out: g * out.square() / (out.square() + 1.0), False),
        ("squareplus", without_half, lambda g, out: g * out.square() / (out.square() + 1.0), False),
        ("squareplus", buffered, lambda g, out: g * out / (out + 1.0), False),
        ("squareplus", buffered, lambda g, x: g * (x / (x * x + 4.0).sqrt() + 1.0) * 0.5, False),
        ("squareplus", buffered, lambda g, x, out: g * out.square() / (out.square() + 1.0) + 0.0 * x, False),
        ("squareplus", buffered, lambda g: g, False),
        ("square_plus", buffered, lambda g, out: g * out.square() / (out.square() + 1.0), False),
    ],
)
def test_a_row_for_squareplus(
    name: str, kernel: Callable[..., None], slope: Callable[..., Any], *, solved: bool
) -> None:
    verdict = your_own_operation.squareplus(row=row(name, kernel, slope))
    assert verdict.solved == solved, verdict


def third_power(out: Any, x: Any) -> None:
    np.power(x, 3, out)


def third_power_by_product(out: Any, x: Any) -> None:
    np.multiply(x * x, x, out)


def square_first(out: Any, x: Any) -> None:
    np.multiply(x, x, out)
    np.multiply(out, x, out)


@pytest.mark.parametrize(
    ("name", "kernel", "slope", "solved"),
    [
        ("cubed", third_power, lambda g, out: g * 3.0 * out.abs().pow(2.0 / 3.0), True),
        ("cubed", third_power_by_product, lambda g, out: g * 3.0 * out.square().pow(1.0 / 3.0), True),
        ("cubed", third_power, lambda g, out: (out.abs().log() * (2.0 / 3.0)).exp() * 3.0 * g, True),
        ("cubed", third_power, lambda g, x: g * 3.0 * x * x, False),
        ("cubed", third_power, lambda g, out: g * 3.0 * out.pow(2.0 / 3.0), False),
        ("cubed", third_power, lambda g, out: g * 3.0 * out * out, False),
        ("cubed", third_power, lambda g, out: g * out.abs().pow(2.0 / 3.0), False),
        ("cubed", third_power, lambda g, x, out: g * 3.0 * out.abs().pow(2.0 / 3.0) + 0.0 * x, False),
        ("cubed", square_first, lambda g, out: g * 3.0 * out.abs().pow(2.0 / 3.0), False),
        ("cube", third_power, lambda g, out: g * 3.0 * out.abs().pow(2.0 / 3.0), False),
    ],
)
def test_a_cube_that_keeps_its_result(
    name: str, kernel: Callable[..., None], slope: Callable[..., Any], *, solved: bool
) -> None:
    verdict = your_own_operation.cubed_by_result(row=row(name, kernel, slope))
    assert verdict.solved == solved, verdict


def test_a_derivative_without_g_is_told_to_multiply_by_it() -> None:
    squareplus = row("squareplus", buffered, lambda out: out.square() / (out.square() + 1.0))
    assert "g · out²" in first_words(your_own_operation.squareplus, row=squareplus)
    cubed = row("cubed", third_power, lambda out: 3.0 * out.abs().pow(2.0 / 3.0))
    assert "g · 3x²" in first_words(your_own_operation.cubed_by_result, row=cubed)
