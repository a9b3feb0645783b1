"""Every slope that is said is the one that the engine itself returns, row by row; those of what learners use are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.dependence import Dependence
from inplacelab.ops.table.depends import NOT_KNOWN, declared
from inplacelab.ops.table.row import NoFormula
from inplacelab.recording.dependence import sources
from inplacelab.recording.origins.elements import index_of
from inplacelab.recording.origins.slopes import slope
from tests.engine.test_dependence import reported
from tests.row_cases.each import for_each_variant


def one_hot(result: Any, element: int, leaves: list[Any]) -> list[Any]:
    """The row of the Jacobian: for each leaf the slope of one element of the result."""
    one = np.zeros(result.size, result.numpy().dtype)
    one[element] = 1
    hot = paddle.to_tensor(one.reshape(result.shape))
    found = paddle.grad([result], leaves, [hot], retain_graph=True, allow_unused=True)
    return [None if each is None else each.numpy().reshape(-1) for each in found]


@for_each_variant("ordinary", "in-place")
def test_a_slope_is_that_of_the_engine(case: Any, variant: str) -> None:
    arrays = [np.array(a) for a in case.arrays()]
    rules = case.row.rules
    wanted = [
        k
        for k, a in enumerate(arrays)
        if a.dtype.kind == "f" and rules[k] is not None and not isinstance(rules[k], NoFormula)
    ]
    if not wanted or declared(case.row) is NOT_KNOWN:
        return
    leaves = [paddle.to_tensor(a, stop_gradient=k not in wanted) for k, a in enumerate(arrays)]
    given = [leaves[0].clone() if variant == "in-place" else leaves[0], *leaves[1:]]
    known, result = reported(case, variant, given)
    depends = known.depends
    assert depends is not None
    if result.numpy().dtype.kind != "f" or depends.how == "drawn":
        return
    shapes = tuple(tuple(a.shape) for a in arrays)
    for element in range(min(result.size, 6)):
        found = sources(depends, shapes, tuple(result.shape), element, lambda k, at: arrays[k].reshape(-1)[at].item())
        jacobian = dict(zip(wanted, one_hot(result, element, [leaves[k] for k in wanted]), strict=True))
        values = [arrays[each.operand].reshape(-1)[each.element].item() for each in found or ()]
        here = index_of(tuple(result.shape), element)
        own = next((k for k, (operand, at) in enumerate(found or ()) if index_of(shapes[operand], at) == here), None)
        total: dict[tuple[int, int], float] = {}
        for k, each in enumerate(found or ()):
            said = slope(
                case.row.called or case.row.name,
                depends,
                values,
                k,
                result.numpy().reshape(-1)[element].item(),
                own=own,
            )
            if said.value is None:
                total[each] = float("nan")
            elif each in total:
                total[each] += said.value
            else:
                total[each] = said.value
        for (operand, at), said_value in total.items():
            if operand in jacobian and not np.isnan(said_value):
                truth = 0.0 if jacobian[operand] is None else jacobian[operand][at]
                assert said_value == pytest.approx(truth, rel=1e-3, abs=1e-5), (operand, at, values)


def test_slopes_are_written_as_they_are_computed() -> None:
    line = Dependence("whole", (0,))
    assert slope("softmax", line, [0.0, 0.0], 0, 0.5, own=0).written == "0.5 · (1 - 0.5)"
    assert slope("softmax", line, [0.0, 0.0], 1, 0.5, own=0).value == -0.25
    assert slope("norm", Dependence("reduced", (0,)), [3.0, 4.0], 0, 5.0).written == "3 / 5"
    assert slope("std", Dependence("reduced", (0,)), [1.0, 3.0], 1, 2**0.5).value == pytest.approx(2**-0.5)


def test_a_slope_that_does_not_explain_the_result_is_not_said() -> None:
    reduced = Dependence("reduced", (0,))
    assert slope("norm", reduced, [3.0, 4.0], 0, 6.0).value is None  # with some other p
    assert slope("norm", reduced, [3.0, 4.0], 0, 7.0).value == 1.0  # p = 1
    assert slope("gelu", Dependence("pointwise"), [1.0], 0, 0.9).value is None
    assert (
        slope(
            "put_along_axis", Dependence("written", text="combined", places=(0,), values=(0,)), [2.0, 3.0], 1, 6.0
        ).value
        is None
    )
