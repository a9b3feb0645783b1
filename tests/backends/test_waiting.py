"""Operations neither copy to the host nor wait for the device implicitly, with the exceptions listed here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.backends import Device
from inplacelab.backends.cuda import CudaDevice
from tests.backends import stand_in
from tests.backends.test_rows import NOT_ON_A_GPU
from tests.row_cases.every import CASES

LOOKS = {
    "gammainc": (2, "neither argument may be negative"),
    "gammaincc": (2, "neither argument may be negative"),
    "bernoulli": (1, "probabilities lie between 0 and 1"),
    "geometric": (1, "probabilities lie between 0 and 1"),
    "masked_scatter": (
        3,
        "there must be as many values as the mask has places; then they are counted, and written there",
    ),
    "take_along_axis": (1, "positions lie inside the axis"),
    "_put_along": (1, "positions lie inside the axis"),
    "_add_along": (1, "positions lie inside the axis"),
    "_multiply_along": (1, "positions lie inside the axis"),
    "_mean_along": (1, "positions lie inside the axis"),
    "_extreme_along": (1, "positions lie inside the axis"),
    "scatter_add": (1, "positions lie inside the axis"),
    "index_select": (1, "positions lie inside the axis"),
    "index_add": (1, "positions lie inside the axis"),
    "index_fill": (1, "positions lie inside the axis"),
    "index_put": (1, "what a mask picks out is counted; the positions came from the host, and were checked there"),
    "gather": (1, "positions lie inside the axis"),
    "gather_nd": (2, "positions lie inside their axes: one look for each of these"),
    "scatter": (1, "positions lie inside the axis"),
    "embedding_renorm": (2, "positions lie inside the axis; each row is taken once"),
}
"""Rows that read values: how often at most, and why. All others do not wait for the device."""


def test_only_those_wait_that_say_what_they_look_for(cupys: CudaDevice) -> None:
    looked: dict[str, int] = {}
    for case, variant in [(each, variant) for each in CASES for variant in each.variants]:
        if case.row.name not in NOT_ON_A_GPU:
            inputs = [paddle.to_tensor(each) for each in case.arrays()]
            before = cupys.cupy.waits
            case.call(variant, inputs)
            looked[case.row.name] = max(looked.get(case.row.name, 0), cupys.cupy.waits - before)
    waiting = {name: times for name, times in looked.items() if times}
    assert waiting.keys() == LOOKS.keys()
    assert {name: times for name, times in waiting.items() if times > LOOKS[name][0]} == {}


def test_backward_through_a_chain_does_not_wait(cupys: CudaDevice) -> None:
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    before = cupys.cupy.waits
    y = x.scale(2.0)
    y.sin_()
    y[0].scale_(3.0)
    y.add_(y.t().clone())
    y.sum().backward()
    assert cupys.cupy.waits == before
    assert x.grad is not None


def test_operands_that_share_a_storage_are_compared_by_their_addresses(cupys: CudaDevice) -> None:
    x = paddle.arange(8.0)
    before = cupys.cupy.waits
    x[:4].add_(x[4:])
    with pytest.raises(RuntimeError, match="share slots"):
        x[1:5].add_(x[:4])
    assert cupys.cupy.waits == before
    assert x.tolist() == [4, 6, 8, 10, 4, 5, 6, 7]


def test_reading_a_value_waits_once(cupys: CudaDevice) -> None:
    x = paddle.arange(6.0)
    for look in (repr, float, bool, paddle.Tensor.tolist, paddle.Tensor.numpy, paddle.Tensor.item):
        before = cupys.cupy.waits
        look(x if look in (repr, paddle.Tensor.tolist, paddle.Tensor.numpy) else x[1])
        assert cupys.cupy.waits == before + 1
    many = paddle.to_tensor(np.arange(100) % 6)
    before = cupys.cupy.waits
    x.index_select(many)
    assert cupys.cupy.waits == before + 1


def test_what_is_written_in_place_is_handed_over_as_one_array(
    cupys: CudaDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cupys.cupy.library is not stand_in:
        pytest.skip("only the stand-in can be asked what it was given")
    given: list[tuple[Any, Any]] = []
    plain = stand_in.Ufunc.__call__

    def spy(self: Any, *args: Any, **options: Any) -> Any:
        given.append((args[0], options["out"]))
        return plain(self, *args, **options)

    monkeypatch.setattr(stand_in.Ufunc, "__call__", spy)
    x, y = paddle.ones([3]), paddle.ones([3])
    held = x.array.held
    x.add_(y)
    x.exp_()
    x.relu_()
    x.multiply_(x)
    assert [first is held and out is held for first, out in given] == [True] * 4
    assert x.array.held is held


def test_a_wait_is_a_wait_for_the_stream(gpu: Device) -> None:
    x = paddle.ones([3]).scale_(2.0)
    paddle.device.synchronize()
    paddle.device.cuda.synchronize()
    assert x.tolist() == [2.0, 2.0, 2.0]
