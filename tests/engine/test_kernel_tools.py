"""Tests the helpers of kernels, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inplacelab.backends import CPU
from inplacelab.ops.results.kernel_tools import choose, keep_where

DTYPES = ("float16", "float32", "float64", "complex64", "complex128", "int8", "int16", "int64", "uint8", "bool")


def numbers(dtype: str, columns: int) -> Any:
    """Random numbers, and those that no product with 0 or 1 leaves as they are."""
    drawn = (np.random.default_rng(columns).normal(size=(3, columns)) * 9).astype(dtype)
    if drawn.dtype.kind == "f":
        drawn[0, :4] = np.nan, np.inf, -np.inf, -0.0
    return drawn


def bits(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("columns", [7, 1000])  # few elements, and many
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mask_chooses_elements_without_changing_a_bit(dtype: str, columns: int) -> None:
    whole, other = numbers(dtype, columns), numbers(dtype, columns)[::-1].copy()
    mask = np.random.default_rng(1).normal(size=whole.shape) > 0
    for x in (whole, whole[:, ::-1], whole[0], whole[0, 0], whole[:, :1]):
        for where in (mask, mask[0], mask[:, :1]):
            kept, chosen = np.where(where, x, np.zeros((), dtype)), np.where(where, x, other)
            out = np.empty_like(whole)
            keep_where(out, x, where, CPU)
            assert bits(out) == bits(np.broadcast_to(kept, out.shape))
            choose(out, where, x, other, CPU)
            assert bits(out) == bits(np.broadcast_to(chosen, out.shape))
            if x.shape == out.shape:
                own = np.array(x)
                keep_where(own, own, where, CPU)
                assert bits(own) == bits(kept)
                own = np.array(x)
                choose(own, where, own, other, CPU)
                assert bits(own) == bits(chosen)
