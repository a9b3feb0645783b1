"""What each row declares of how elements depend on elements, against the pattern of its Jacobian: one-hot gradients through the engine
itself, and changes of one input at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.dependence import Dependence
from inplacelab.ops.table import ROWS
from inplacelab.ops.table.depends import NOT_KNOWN, declared
from inplacelab.ops.table.row import NoFormula
from inplacelab.recording.computed_from import operand_elements
from tests.row_cases.each import for_each_variant

SMALL = (1e-6, -1e-6)
LARGE = (*SMALL, 1e-3, 0.15, -0.15, 0.4, -0.4, 0.8, -0.8, 1.2, -1.2, 2.5, -2.5, 40.0, -40.0, 1e6, -1e6)
"""Changes of an element, small ones and such as flip a comparison or leave the range of a clip."""


def test_no_row_is_without_a_declaration() -> None:
    assert [name for name, row in ROWS.items() if declared(row) is None] == []


def test_of_factors_of_matrices_alone_nothing_is_known() -> None:
    unknown = {name for name, row in ROWS.items() if declared(row) is NOT_KNOWN}
    assert unknown == {
        "_solve", "_cholesky", "_eigvalsh", "_eigenvectors", "_q", "_r", "_svdvals", "_left", "_right"
    }  # fmt: skip


class _Reported(paddle.observe.Observer):
    """Keeps what the last operation reported."""

    depends: Dependence | None = None
    written: Any = None

    def operation(self, *_: Any, depends: Dependence | None = None, written: Any = None, **__: Any) -> None:
        self.depends, self.written = depends, written


def reported(case: Any, variant: str, inputs: list[Tensor]) -> tuple[_Reported, Tensor]:
    """What a call reports, and its result."""
    observer = _Reported()
    paddle.seed(5)
    with paddle.observe.listening(observer):
        result = case.call(variant, inputs)
    return observer, result


def declared_pattern(depends: Dependence, arrays: list[Any], shape: tuple[int, ...], elements: list[int]) -> list[Any]:
    """For each input an array of truth values: which of some elements of the result has which element of the input as an origin."""
    shapes = tuple(tuple(a.shape) for a in arrays)
    found = [np.zeros((len(elements), a.size), bool) for a in arrays]
    for row, element in enumerate(elements):
        origins = operand_elements(depends, shapes, shape, element, lambda k, at: arrays[k].reshape(-1)[at].item())
        assert origins is not None
        for operand, at in origins:
            found[operand][row, at] = True
    return found


def influence(
    case: Any, variant: str, arrays: list[Any], which: int, steps: tuple[float, ...], others: list[float]
) -> Any:
    """Which element of the result changes when one element of an input changes, by any of some steps or to one of some other values."""

    def value(moved: list[Any]) -> Any:
        paddle.seed(5)
        return case.call(variant, [paddle.to_tensor(a) for a in moved]).numpy().reshape(-1).copy()

    before = value(arrays)
    found = np.zeros((before.size, arrays[which].size), bool)
    for at in range(arrays[which].size):
        here = arrays[which].reshape(-1)[at]
        for after in [not here] if arrays[which].dtype == bool else [*(here + step for step in steps), *others]:
            moved = [a.copy() for a in arrays]
            moved[which].reshape(-1)[at] = after
            try:
                now = value(moved)
            except (ValueError, RuntimeError):  # outside the range of the operation
                continue
            if now.size == before.size:
                found[:, at] |= ~((now == before) | (np.isnan(now) & np.isnan(before)))
    return found


def unmasked(arrays: list[Any]) -> list[list[Any]]:
    """The same inputs with other numbers: a factor of zero, or another element that is true, hides the influence of an element."""
    numbers: list[Any] = [
        lambda a: a,
        lambda a: np.where(a == 0, 1.3, a),
        np.zeros_like,
        lambda a: np.full_like(a, 0.07),
    ]
    return [[np.array(f(a)).astype(a.dtype) if a.dtype.kind in "fcb" else a for a in arrays] for f in numbers]


def is_origin_at_all(case: Any, which: int, array: Any) -> bool:
    """Whether elements of an input can be origins: those of an index or a mask choose, and are none."""
    return (
        array.dtype.kind in "fcb" and case.row.inputs[which] not in case.row.masks and case.row.inputs[which] != "mask"
    )


@for_each_variant("ordinary", "in-place")
def test_no_origin_is_missing_and_none_is_false(case: Any, variant: str) -> None:
    arrays = [np.array(a) for a in case.arrays()]
    if declared(case.row) is NOT_KNOWN:
        return
    known, result = reported(case, variant, [paddle.to_tensor(a) for a in arrays])
    assert known.depends is not None
    if known.depends.how == "drawn":
        return
    written = known.written if isinstance(known.written, tuple | list) else range(result.size)
    elements = [*range(result.size)] if variant == "ordinary" else [*written]
    pattern = declared_pattern(known.depends, arrays, tuple(result.shape), elements)
    for which, array in enumerate(arrays):
        if not is_origin_at_all(case, which, array):
            continue
        small = influence(case, variant, arrays, which, SMALL, [])[elements]
        assert not (small & ~pattern[which]).any(), "an origin is missing"
        seen = small
        if not known.depends.rule:
            others = [
                float("nan"),
                float("inf"),
                0.0,
                *(v for a in arrays if a.dtype.kind == "f" for v in a.reshape(-1).tolist()),
            ]
            for numbers in unmasked(arrays):
                if not (pattern[which] & ~seen).any():
                    break
                seen = seen | influence(case, variant, numbers, which, LARGE, others)[elements]
        assert not (pattern[which] & ~seen).any(), "a false origin"


@for_each_variant("ordinary", "in-place")
def test_it_is_the_pattern_of_one_hot_gradients(case: Any, variant: str) -> None:
    arrays = [np.array(a) for a in case.arrays()]
    wanted = [
        k
        for k, a in enumerate(arrays)
        if a.dtype.kind in "fc" and case.row.rules[k] is not None and not isinstance(case.row.rules[k], NoFormula)
    ]
    if not wanted or declared(case.row) is NOT_KNOWN:
        return
    leaves = [paddle.to_tensor(a, stop_gradient=k not in wanted) for k, a in enumerate(arrays)]
    given = [leaves[0].clone() if variant == "in-place" else leaves[0], *leaves[1:]]
    known, result = reported(case, variant, given)
    assert known.depends is not None
    elements = [*range(result.size)]
    pattern = declared_pattern(known.depends, arrays, tuple(result.shape), elements)
    for element in elements:
        one = np.zeros(result.size, result.numpy().dtype)
        one[element] = 1
        hot = paddle.to_tensor(one.reshape(result.shape))
        gradients = paddle.grad([result], [leaves[k] for k in wanted], [hot], retain_graph=True, allow_unused=True)
        for k, gradient in zip(wanted, gradients, strict=True):
            reached = np.zeros(arrays[k].size, bool) if gradient is None else gradient.numpy().reshape(-1) != 0
            assert not (reached & ~pattern[k][element]).any()


def test_numbers_that_are_equal_stay_apart() -> None:
    x, observer, found = paddle.ones([2]), _Reported(), []
    with paddle.observe.listening(observer):
        for factor in (2, 2, 2.0, 0.0, -0.0):
            x.scale(factor)
            assert observer.depends is not None
            found.append(observer.depends)
    assert [repr(each.given[0].value) for each in found] == ["2", "2", "2.0", "0.0", "-0.0"]
    assert found[0] is found[1]
