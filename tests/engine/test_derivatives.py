"""The derivative of every row against finite differences, once and twice; in place it is the same function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.ops.table.row import NoFormula
from tests.row_cases.each import for_each_variant, is_elementwise

Array = Any
STEP = 1e-6


ONCE_ONLY = frozenset({"_svdvals"})
"""Rows whose gradient has no gradient: that of the singular values needs the singular vectors."""


def weights(array: Array) -> Array:
    """Different numbers, so that mistakes do not cancel out in a sum."""
    line = np.linspace(0.3, 1.7, array.size).reshape(array.shape)
    return line * (1 - 0.5j) if array.dtype.kind == "c" else line


def leaves(arrays: Sequence[Array]) -> list[Tensor]:
    """Tensors that need a gradient, except for indices and masks."""
    return [paddle.to_tensor(a, stop_gradient=a.dtype.kind not in "fc") for a in arrays]


def weighted(tensor: Tensor) -> Tensor:
    """A number that depends on every element differently."""
    total = (tensor * paddle.to_tensor(weights(tensor.numpy()))).sum()
    return total.real() if total.dtype in (paddle.complex64, paddle.complex128) else total


def differences(function: Callable[[list[Array]], float], arrays: list[Array], which: int) -> Array:
    """The gradient of a number with respect to one of the arrays, from its values a small step to either side."""
    gradient = np.zeros_like(arrays[which])
    units = (1, 1j) if gradient.dtype.kind == "c" else (1,)  # a complex number can change in two directions
    for place, unit in product(np.ndindex(gradient.shape), units):
        ends = []
        for sign in (STEP, -STEP):
            moved = [a.copy() for a in arrays]
            moved[which][place] += sign * unit
            ends.append(function(moved))
        gradient[place] += unit * (ends[0] - ends[1]) / (2 * STEP)
    return gradient


def computed(case: Any, variant: str, inputs: list[Tensor]) -> Tensor:
    """The row's result; an in-place variant gets a copy, since leaves must not be written."""
    first, *others = inputs
    writes = variant in ("in-place", "relayout")
    result: Tensor = case.call(variant, [first.clone() if writes else first, *others])
    return result


def wanted(case: Any) -> list[int]:
    """The inputs with respect to which there is a derivative: those with a formula for it, whose numbers are not integers."""
    formulas = [rule is not None and not isinstance(rule, NoFormula) for rule in case.row.rules]
    return [k for k, a in enumerate(case.arrays()) if formulas[k] and a.dtype.kind in "fc"]


def gradients(case: Any, variant: str, inputs: list[Tensor], *, create_graph: bool) -> list[Tensor]:
    found = paddle.grad(
        weighted(computed(case, variant, inputs)), [inputs[k] for k in wanted(case)], create_graph=create_graph
    )
    assert all(g is not None for g in found)
    return [g for g in found if g is not None]


@for_each_variant()
def test_the_gradient_is_the_slope(case: Any, variant: str) -> None:
    arrays = case.arrays()
    if not wanted(case):
        return

    def value(moved: list[Array]) -> float:
        return float(weighted(computed(case, variant, [paddle.to_tensor(a) for a in moved])))

    for k, gradient in zip(wanted(case), gradients(case, variant, leaves(arrays), create_graph=False), strict=True):
        np.testing.assert_allclose(gradient.numpy(), differences(value, arrays, k), rtol=1e-6, atol=1e-8)


@pytest.mark.standard
@for_each_variant()
def test_the_gradient_of_the_gradient_is_its_slope(case: Any, variant: str) -> None:
    arrays = case.arrays()

    def steepness(inputs: list[Tensor], *, create_graph: bool) -> Tensor:
        """One number made of all first derivatives. (The squares make it depend on linear rows, too.)"""
        parts = [weighted(g * g) for g in gradients(case, variant, inputs, create_graph=create_graph)]
        return sum(parts[1:], start=parts[0])

    def value(moved: list[Array]) -> float:
        return float(steepness(leaves(moved), create_graph=False))

    if not wanted(case):
        return
    inputs = leaves(arrays)
    if case.row.name in ONCE_ONLY:
        with pytest.raises(ValueError, match="is not implemented"):
            steepness(inputs, create_graph=True).backward()
        return
    total = steepness(inputs, create_graph=True)
    moved = [inputs[k] for k in wanted(case)]
    found = [None] * len(moved) if total.stop_gradient else paddle.grad(total, moved, allow_unused=True)
    for k, second in zip(wanted(case), found, strict=True):
        slope = differences(value, arrays, k)
        np.testing.assert_allclose(0 * slope if second is None else second.numpy(), slope, rtol=1e-5, atol=1e-7)


@for_each_variant("in-place")
def test_in_place_and_out_of_place_have_the_same_gradient(case: Any, variant: str) -> None:
    if not case.row.ordinary or not wanted(case):
        return
    ordinary = gradients(case, "ordinary", leaves(case.arrays()), create_graph=False)
    in_place = gradients(case, variant, leaves(case.arrays()), create_graph=False)
    for one, other in zip(ordinary, in_place, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


@pytest.mark.standard
@for_each_variant()
def test_rows_without_a_derivative_give_results_without_history(case: Any, variant: str) -> None:
    result = computed(case, variant, leaves(case.arrays()))
    refused_later = any(isinstance(rule, NoFormula) for rule in case.row.rules)
    assert result.stop_gradient == (not wanted(case) and not refused_later)


@pytest.mark.standard
@for_each_variant()
def test_single_precision_gradients_are_single_precision(case: Any, variant: str) -> None:
    single = {"f": "float32", "c": "complex64"}
    inputs = leaves([a.astype(single.get(a.dtype.kind, a.dtype)) for a in case.arrays()])
    result = computed(case, variant, inputs)
    if wanted(case):
        found = paddle.grad(result, [inputs[k] for k in wanted(case)])
        assert [g.dtype for g in found if g is not None] == [inputs[k].dtype for k in wanted(case)]


@pytest.mark.standard
@pytest.mark.parametrize("shape", [(0,), (0, 3)])
@for_each_variant(only=is_elementwise)
def test_no_elements_have_a_gradient_of_no_elements(case: Any, variant: str, shape: tuple[int, ...]) -> None:
    inputs = leaves(case.arrays((shape,) * len(case.shapes)))
    if wanted(case):
        for gradient in paddle.grad(computed(case, variant, inputs), [inputs[k] for k in wanted(case)]):
            assert gradient is not None
            assert gradient.shape == list(shape)


# ---- rules that are more than the formula ---------------------------------------------------------------------------


def test_the_zero_of_an_overwrite_travels_on(leaf: Callable[[Any], Tensor]) -> None:
    a = leaf([1.0, 2.0])
    x = a * 3
    x.zero_()
    x.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda z: z.scale(1 + 2j), 5.0),
        (lambda z: z * (1 + 2j), 5.0),
        (lambda z: z.add(z, alpha=2j), 5.0),
        (lambda z: z.subtract(z, alpha=2j), 5.0),
        (lambda z: z.scale(2j).conj(), 4.0),
        (lambda z: z * paddle.to_tensor(np.array(3 - 1j)), 10.0),
    ],
)
def test_complex_factors(leaf: Callable[[Any], Tensor], function: Callable[[Tensor], Tensor], slope: float) -> None:
    """|c·x|² has the derivative 2|c|²·x for a real x, for any angle of c."""
    x = leaf([1.0, -2.0])
    z = function(x.astype("complex128"))
    (z * z.conj()).real().sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), 2 * slope * x.numpy(), rtol=1e-12)


def test_a_factor_that_needs_a_gradient_is_not_dropped_silently(leaf: Callable[[Any], Tensor]) -> None:
    x, exponent = leaf([2.0, 3.0]), leaf(2.0)
    for use in (lambda: x.pow(exponent), lambda: x.scale(exponent)):
        try:
            result = use()
        except (TypeError, ValueError):
            continue  # refused: nothing is wrong then
        (gradient,) = paddle.grad(result.sum(), exponent, allow_unused=True)
        assert gradient is not None
