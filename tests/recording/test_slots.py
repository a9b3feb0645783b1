"""Which slots a layout reaches: compared with plain enumeration."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.slots import common_runs, is_contiguous, slot_runs, slots_of

axes = st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=3)
layouts = st.tuples(axes, st.integers(0, 40)).map(
    lambda drawn: laid_out(tuple(n for n, _ in drawn[0]), tuple(s for _, s in drawn[0]), drawn[1])
)


def laid_out(shape: tuple[int, ...] = (), strides: tuple[int, ...] = (), offset: int = 0) -> TensorFacts:
    facts: dict[str, Any] = {"leaf": True, "needs_gradient": False, "base": None, "node": None, "grad": None}
    return TensorFacts(0, (), 0, 0, shape, strides, offset, "float32", "cpu", **facts)


def unrolled(runs: tuple[tuple[int, int], ...]) -> list[int]:
    return [slot for start, stop in runs for slot in range(start, stop)]


@given(layouts)
def test_elements_lie_where_the_formula_says(tensor: TensorFacts) -> None:
    indices = product(*map(range, tensor.shape))
    expected = [tensor.offset + sum(i * s for i, s in zip(index, tensor.strides, strict=True)) for index in indices]
    assert list(slots_of(tensor)) == expected


@given(layouts)
def test_runs_hold_the_same_slots_once_each_and_in_order(tensor: TensorFacts) -> None:
    runs = slot_runs(tensor)
    assert unrolled(runs) == sorted(set(slots_of(tensor)))
    assert all(before[1] < after[0] for before, after in pairwise(runs))


@given(layouts, layouts)
def test_common_runs_are_the_intersection(one: TensorFacts, other: TensorFacts) -> None:
    both = set(slots_of(one)) & set(slots_of(other))
    assert unrolled(common_runs(slot_runs(one), slot_runs(other))) == sorted(both)


def test_a_large_contiguous_tensor_is_one_run() -> None:
    assert slot_runs(laid_out((64, 512, 512), (512 * 512, 512, 1))) == ((0, 64 * 512 * 512),)
    assert slot_runs(laid_out((512, 64), (1, 512))) == ((0, 512 * 64),)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 3)),
        np.zeros((2, 3)).T,
        np.zeros((1, 3)).T,
        np.zeros((4, 6))[:, ::2],
        np.zeros((4, 6))[1:3],
        np.zeros(4)[::-1],
        np.zeros((0, 3)).T,
        np.zeros(()),
        np.broadcast_to(np.zeros(3), (2, 3)),
    ],
)
def test_contiguity_is_numpys(array: np.ndarray) -> None:
    strides = tuple(stride // array.itemsize for stride in array.strides)
    assert is_contiguous(laid_out(array.shape, strides)) == array.flags.c_contiguous
