"""The functions have the parameters of PaddlePaddle's, in its order, with its defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import inplacelab as paddle
import inplacelab.distributed as dist

NAMES = (
    "init_parallel_env", "get_rank", "get_world_size", "is_initialized", "all_reduce", "broadcast", "all_gather", "reduce_scatter", "barrier",
)  # fmt: skip


def parameters(function: Any) -> list[tuple[str, Any]]:
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.default) for each in found if each.kind is not inspect.Parameter.KEYWORD_ONLY]


@pytest.mark.oracle
def test_they_are_paddles() -> None:
    real = pytest.importorskip("paddle")
    for name in NAMES:
        assert parameters(getattr(dist, name)) == parameters(getattr(real.distributed, name)), name
    assert parameters(dist.DataParallel.__init__) == parameters(real.DataParallel.__init__)
    assert parameters(dist.SyncBatchNorm.__init__) == parameters(real.nn.SyncBatchNorm.__init__)
    reductions = {name: value for name, value in vars(real.distributed.ReduceOp).items() if name.isupper()}
    assert {each.name: each.value for each in dist.ReduceOp} == reductions
    assert dist.DataParallel is paddle.DataParallel
