"""The account of a GPU's memory: our exact ledger, the allocator's and the driver's numbers."""

from __future__ import annotations

import gc

import pytest

import inplacelab as paddle
from inplacelab.devices import GPU, SIMULATED_GPU, Device


@pytest.mark.standard
@pytest.mark.parametrize(("in_place", "peak"), [(False, 134217728), (True, 67108864)])
def test_the_block_of_the_guide(gpu: Device, in_place: bool, peak: int) -> None:
    gc.collect()
    before = paddle.device.cuda.memory_allocated()
    x = paddle.ones([1, 64, 512, 512])
    paddle.device.cuda.reset_max_memory_allocated()
    y = x.relu_() if in_place else x.relu()
    assert paddle.device.cuda.max_memory_allocated() - before == peak
    assert paddle.device.cuda.memory_reserved() >= paddle.device.cuda.memory_allocated()
    del x, y
    paddle.device.cuda.empty_cache()
    assert paddle.device.cuda.memory_allocated() == before


def test_every_device_has_an_account_of_its_own(gpu: Device) -> None:
    others = [each for each in (GPU, SIMULATED_GPU) if each is not gpu]
    before = [each.ledger.live for each in others]
    cpu = paddle.device.memory_allocated("cpu")
    x = paddle.ones([256])
    assert paddle.device.memory_allocated() == gpu.ledger.live
    assert [each.ledger.live for each in others] == before
    assert paddle.device.memory_allocated("cpu") == cpu
    y = x.cpu()
    assert paddle.device.memory_allocated("cpu") == cpu + y.nbytes


def test_the_account_counts_what_tensors_own_not_what_the_pool_rounds_up(gpu: Device) -> None:
    before = paddle.device.memory_allocated()
    views = [x := paddle.ones([3]), x[1:], x.reshape([3, 1]), x.detach()]
    assert paddle.device.memory_allocated() - before == 12
    del x, views
    assert paddle.device.memory_allocated() == before
