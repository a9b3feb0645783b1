"""Every row of the table, in every variant, on every device, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors
from inplacelab.devices import Device
from tests.row_cases.every import CASES

RANDOM = frozenset({"uniform", "normal", "log_normal", "exponential", "cauchy", "bernoulli", "geometric", "random"})


def _given(case: Any, dtype: str) -> list[Any]:
    return [a.astype(dtype) if a.dtype.kind == "f" else a for a in case.arrays()]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("case", "variant"), [pytest.param(c, v, id=f"{c.name} {v}") for c in CASES for v in c.variants])
def test_it_computes_what_numpy_computes(case: Any, variant: str, dtype: str, device: Device) -> None:
    arrays = _given(case, dtype)
    result = case.call(variant, [paddle.to_tensor(each) for each in arrays])
    assert result.storage.device is device
    expected = case.expected(arrays)
    assert result.shape == list(expected.shape)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12 if dtype == "float64" else 1e-5)
