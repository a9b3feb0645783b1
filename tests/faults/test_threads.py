"""Threads: each with its own modes, and with gradients as if it were alone."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, backends, observe
from inplacelab.autograd import copy_saved_before_write
from inplacelab.errors import Refusal
from tests.tiers import choose

THREADS = 4
STEPS = choose(20, 60, 600)


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Runs functions in threads that begin together, and returns their results."""
    barrier = Barrier(len(works))

    def work(function: Callable[[], Any]) -> Any:
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(work, function) for function in works]]


# ---- tensors of their own --------------------------------------------------------------------------------------------------


def train(seed: int) -> list[Any]:
    """Trains a small model with every mode switched at each step; returns its weights and all gradients."""
    draw = np.random.default_rng(seed)
    w = paddle.to_tensor(draw.uniform(0.5, 1.0, (3, 3)), stop_gradient=False)
    seen = []
    for step in range(STEPS):
        x = paddle.to_tensor(draw.uniform(-1.0, 1.0, (3, 3)))
        y = (x @ w).scale_(0.5)
        y[step % 3].multiply_(w[0].tanh())
        with paddle.no_grad():
            assert (w * 2.0).stop_gradient
            with paddle.enable_grad():
                assert not (w * 2.0).stop_gradient
        y.square().sum().backward()
        seen.append(w.grad.numpy())
        with paddle.no_grad():
            w.subtract_(w.grad * 0.01)
        w.clear_gradient(set_to_zero=step % 2 == 0)
    return [*seen, w.numpy()]


def test_threads_with_their_own_tensors_get_the_gradients_of_one_thread() -> None:
    alone = [train(seed) for seed in range(THREADS)]
    together = at_once(*[lambda seed=seed: train(seed) for seed in range(THREADS)])
    for expected, found in zip(alone, together, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_an_evaluating_thread_does_not_disturb_a_training_one() -> None:
    alone, done = train(1), Event()

    def evaluate() -> int:
        model, passes = paddle.to_tensor(np.eye(3), stop_gradient=False), 0
        with paddle.no_grad():
            while not done.is_set():
                assert (model @ model).stop_gradient
                assert not paddle.is_grad_enabled()
                passes += 1
        assert paddle.is_grad_enabled()
        return passes

    def training() -> list[Any]:
        try:
            return train(1)
        finally:
            done.set()

    passes, together = at_once(evaluate, training)
    assert passes > 0
    np.testing.assert_array_equal(together, alone)


def test_stale_values_are_refused_in_the_thread_that_does_not_copy() -> None:
    def overwrite() -> object:
        results: set[object] = set()
        for _ in range(STEPS):
            a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            y = a * 1.0
            z = y * y
            y.zero_()
            try:
                z.sum().backward()
                results.add(tuple(a.grad.tolist()))
            except Refusal as refusal:
                results.add(type(refusal).__name__)
        (result,) = results
        return result

    def copying() -> Any:
        with copy_saved_before_write():
            return overwrite()

    assert at_once(copying, overwrite) == [(2.0, 4.0), "RuntimeError"]


def test_a_thread_begins_on_the_cpu_with_gradients_on() -> None:
    paddle.set_device("gpu", simulate=True)
    with paddle.no_grad():
        assert at_once(lambda: (paddle.get_device(), paddle.is_grad_enabled())) == [("cpu", True)]
    at_once(lambda: paddle.set_device("cpu"), lambda: paddle.set_grad_enabled(False))
    assert paddle.get_device() == "gpu:0"
    assert paddle.is_grad_enabled()


class Names(observe.Observer):
    """Collects the names of operations."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def operation(self, name: str, *given: Any, **details: Any) -> None:
        self.seen.append(name)


def test_an_observer_hears_its_own_thread_only() -> None:
    def listen(function: Callable[[Tensor], Tensor]) -> set[str]:
        names = Names()
        with observe.listening(names):
            for _ in range(STEPS):
                function(paddle.ones([2]))
        return set(names.seen)

    assert at_once(lambda: listen(paddle.sin), lambda: listen(paddle.cos)) == [{"ones", "sin"}, {"ones", "cos"}]


# ---- shared tensors --------------------------------------------------------------------------------------------------------


def test_every_write_to_a_shared_storage_is_counted() -> None:
    x = paddle.zeros([4])
    views = [x, x[1:], x[:2], x.detach()]

    def write(view: Tensor) -> None:
        for _ in range(STEPS):
            view.add_(paddle.ones([1]))

    at_once(*[lambda view=view: write(view) for view in views])
    assert x.inplace_version == len(views) * STEPS


def test_gradients_that_threads_add_to_one_leaf_are_all_there() -> None:
    w = paddle.to_tensor(np.ones(3), stop_gradient=False)

    def add() -> None:
        for _ in range(STEPS):
            (w * 1.0).backward()

    at_once(*[add] * THREADS)
    np.testing.assert_array_equal(w.grad.numpy(), np.full(3, float(THREADS * STEPS)))


def test_the_ledger_is_exact_after_threads_have_made_and_released_storages() -> None:
    gc.collect()
    ledger = backends.CPU.ledger
    before = ledger.live

    def work() -> list[Tensor]:
        kept = [paddle.ones([k % 5 + 1]) for k in range(STEPS)]
        del kept[::2]
        return kept

    kept = at_once(*[work] * THREADS)
    assert ledger.live - before == sum(x.storage.nbytes for each in kept for x in each)
    assert ledger.peak >= ledger.live
    del kept
    gc.collect()
    assert (ledger.live, ledger.lent) == (before, 0)
