"""Random numbers on a GPU: drawn there, the same for the same seed, and with the right distribution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.backends import Device
from inplacelab.backends.cuda import CudaDevice

MANY = [4000]

DRAWS: dict[str, tuple[Callable[[], Tensor], float, float]] = {
    "rand": (lambda: paddle.rand(MANY), 0.5, 1 / 12),
    "uniform": (lambda: paddle.empty(MANY).uniform_(-1.0, 3.0), 1.0, 4 / 3),
    "uniform seed": (lambda: paddle.empty(MANY).uniform_(0.0, 1.0, seed=7), 0.5, 1 / 12),
    "randn": (lambda: paddle.randn(MANY), 0.0, 1.0),
    "normal half": (lambda: paddle.empty(MANY, "float16").normal_(2.0, 0.5), 2.0, 0.25),
    "normal complex": (lambda: paddle.empty(MANY, "complex64").normal_(), 0.0, 1.0),
    "log_normal": (lambda: paddle.empty(MANY).log_normal_(0.0, 0.25), np.exp(1 / 32), (np.exp(1 / 16) - 1) * np.exp(1 / 16)),
    "exponential": (lambda: paddle.empty(MANY).exponential_(2.0), 0.5, 0.25),
    "bernoulli": (lambda: paddle.empty(MANY).bernoulli_(0.25), 0.25, 3 / 16),
    "geometric": (lambda: paddle.empty(MANY).geometric_(0.5), 2.0, 2.0),
    "random": (lambda: paddle.empty(MANY, "int32").random_(0, 10), 4.5, 8.25),
    "randint": (lambda: paddle.randint(0, 10, MANY), 4.5, 8.25),
    "poisson": (lambda: paddle.poisson(paddle.full(MANY, 3.0)), 3.0, 3.0),
    "of a tensor": (lambda: paddle.bernoulli(paddle.full(MANY, 0.75)), 0.75, 3 / 16),
    "into a view": (lambda: paddle.zeros([2 * MANY[0]])[::2].uniform_(0.0, 1.0), 0.5, 1 / 12),
}  # fmt: skip


@pytest.mark.parametrize(("draw", "mean", "variance"), DRAWS.values(), ids=DRAWS)
def test_a_seed_gives_the_same_numbers_again_with_the_right_mean_and_variance(
    draw: Callable[[], Tensor], mean: float, variance: float, gpu: Device
) -> None:
    paddle.seed(3)
    first = draw()
    paddle.seed(3)
    second = draw()
    assert first.storage.device is gpu
    np.testing.assert_array_equal(first.numpy(), second.numpy())
    values = first.numpy().astype("complex128" if first.array.dtype.kind == "c" else "float64")
    assert abs(values.mean() - mean) < 5 * np.sqrt(variance / values.size)
    assert abs(values.var() / variance - 1) < 0.25


def test_the_stream_moves_on_and_another_seed_gives_other_numbers(gpu: Device) -> None:
    paddle.seed(0)
    first, second = paddle.rand([8]).tolist(), paddle.rand([8]).tolist()
    paddle.seed(1)
    assert first != second != paddle.rand([8]).tolist() != first


def test_the_gpu_has_a_stream_of_its_own(cupys: CudaDevice) -> None:
    paddle.seed(0)
    there = paddle.rand([8]).tolist()
    paddle.set_device("cpu")
    assert there != paddle.rand([8]).tolist()


def test_permutations_and_choices(gpu: Device) -> None:
    order = paddle.randperm(50)
    assert sorted(order.tolist()) == list(range(50)) != order.tolist()
    chosen = paddle.multinomial(paddle.to_tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]), 2)
    assert [sorted(row) for row in chosen.tolist()] == [[1, 2], [0, 2]]


def test_cauchy_has_its_median(gpu: Device) -> None:
    values = paddle.empty(MANY).cauchy_(1.0, 2.0).numpy()
    assert abs(np.median(values) - 1.0) < 0.3
