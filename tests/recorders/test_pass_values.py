"""The values of backward passes that trials compare."""

from __future__ import annotations

import numpy as np

from inplacelab.recorders.pass_values import PassValues


def test_the_last_passes_are_kept() -> None:
    values = PassValues(most=5)
    for k in range(4):
        values.add({"loss 0": np.array([k], np.float32), "0": np.array([k, k], np.float32), "1": None})
    assert [each["loss 0"].item() for each in values.found] == [3]


def test_the_very_last_pass_is_always_kept() -> None:
    values = PassValues(most=1)
    values.add({"0": np.zeros(3)})
    values.add({"0": np.ones(3)})
    assert [each["0"].tolist() for each in values.found] == [[1, 1, 1]]


def test_of_a_large_gradient_some_elements_and_the_sum_are_kept() -> None:
    values = PassValues()
    values.add({"0": np.ones(1 << 23)})
    (found,) = values.found
    assert found["0"].size < 1 << 13
    assert found["0"][-1] == 1 << 23
