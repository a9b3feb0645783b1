"""Modes belong to a thread or a coroutine, and blocks may end in any order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import autograd, modes, observe
from inplacelab.autograd.grad_mode import recording


@pytest.fixture(autouse=True)
def nothing_is_left_on() -> Iterator[None]:
    yield
    assert modes.current().blocks == ()
    assert paddle.is_grad_enabled()
    assert paddle.get_device() == "cpu"


def in_a_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


# ---- blocks ---------------------------------------------------------------------------------------------------------------


def test_blocks_may_end_in_the_order_in_which_they_began() -> None:
    first, second = paddle.no_grad(), paddle.no_grad()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not paddle.is_grad_enabled()
    second.__exit__(None, None, None)
    assert paddle.is_grad_enabled()


def test_the_last_block_that_has_not_ended_decides() -> None:
    off, on = paddle.no_grad(), paddle.enable_grad()
    off.__enter__()
    on.__enter__()
    off.__exit__(None, None, None)
    assert paddle.is_grad_enabled()
    on.__exit__(None, None, None)
    with off, on, off:
        assert not paddle.is_grad_enabled()


def test_one_object_may_be_entered_again_and_in_several_threads() -> None:
    off = paddle.no_grad()
    with off:
        with off:
            assert not paddle.is_grad_enabled()
        assert not paddle.is_grad_enabled()
        assert in_a_thread(paddle.is_grad_enabled)

    def inside() -> bool:
        with off:
            return paddle.is_grad_enabled()

    assert not in_a_thread(inside)


def test_a_block_that_was_not_entered_here_changes_nothing_when_it_ends() -> None:
    off = paddle.no_grad()
    off.__enter__()
    in_a_thread(lambda: off.__exit__(None, None, None))
    assert not paddle.is_grad_enabled()
    off.__exit__(None, None, None)
    off.__exit__(None, None, None)


def test_set_grad_enabled_lasts_until_the_block_around_it_ends() -> None:
    paddle.set_grad_enabled(False)
    with paddle.enable_grad():
        paddle.set_grad_enabled(False)
        paddle.set_grad_enabled(True)
        paddle.set_grad_enabled(False)
        assert not paddle.is_grad_enabled()
    assert not paddle.is_grad_enabled()
    paddle.set_grad_enabled(True)
    modes.set_blocks(())


def test_set_grad_enabled_as_a_block_restores_what_it_found() -> None:
    paddle.set_grad_enabled(False)
    with paddle.set_grad_enabled(True):
        assert paddle.is_grad_enabled()
    assert not paddle.is_grad_enabled()

    @paddle.set_grad_enabled(True)
    def enabled() -> bool:
        return paddle.is_grad_enabled()

    assert enabled()
    assert not paddle.is_grad_enabled()
    modes.set_blocks(())


def test_set_grad_enabled_leaves_nothing_behind_if_it_restores_the_default() -> None:
    before = paddle.is_grad_enabled()
    paddle.set_grad_enabled(False)
    paddle.set_grad_enabled(before)
    assert modes.current().blocks == ()
    with paddle.set_grad_enabled(True):
        assert paddle.is_grad_enabled()
    assert modes.current().blocks == ()


def test_calls_of_set_grad_enabled_do_not_add_up() -> None:
    for _ in range(100):
        paddle.set_grad_enabled(False)
    assert len(modes.current().blocks) == 1
    modes.set_blocks(())


def test_a_device_that_is_set_in_a_block_stays_after_it() -> None:
    with paddle.no_grad():
        paddle.set_device("gpu", simulate=True)
    assert paddle.get_device() == "gpu:0"
    paddle.set_device("cpu")


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_run_inside_ends_the_block_whatever_happens(error: type[BaseException]) -> None:
    def fail() -> None:
        assert not paddle.is_grad_enabled()
        raise error

    with pytest.raises(error):
        modes.run_inside(recording(False), fail)


# ---- generators and coroutines --------------------------------------------------------------------------------------------


def test_generators_that_take_turns_leave_gradients_on() -> None:
    def evaluating(steps: int) -> Iterator[None]:
        with paddle.no_grad():
            for _ in range(steps):
                yield

    first, second = evaluating(1), evaluating(2)
    for each in (first, second, first, second, first, second):
        next(each, None)
    next(second, None)
    assert paddle.is_grad_enabled()


def test_coroutines_driven_by_hand_leave_gradients_on() -> None:
    class Pause:
        def __await__(self) -> Generator[None, None, None]:
            yield

    async def evaluating() -> None:
        with paddle.no_grad():
            await Pause()

    first, second = evaluating(), evaluating()
    first.send(None)
    second.send(None)
    for each in (first, second):
        with pytest.raises(StopIteration):
            each.send(None)
    assert paddle.is_grad_enabled()


def test_tasks_do_not_disturb_each_other() -> None:
    async def evaluate(ready: asyncio.Event, trained: asyncio.Event) -> bool:
        with paddle.no_grad():
            ready.set()
            await trained.wait()
            return paddle.is_grad_enabled()

    async def train(ready: asyncio.Event, trained: asyncio.Event) -> list[float]:
        await ready.wait()
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        (x * x).sum().backward()
        trained.set()
        return x.grad.tolist()

    async def both() -> tuple[bool, list[float]]:
        ready, trained = asyncio.Event(), asyncio.Event()
        evaluated, gradient = await asyncio.gather(evaluate(ready, trained), train(ready, trained))
        return evaluated, gradient

    assert asyncio.run(both()) == (False, [2.0, 4.0])


def test_a_decorated_coroutine_runs_inside_the_block_only() -> None:
    seen: list[bool] = []

    @paddle.no_grad()
    async def evaluated(gate: asyncio.Event) -> str:
        seen.append(paddle.is_grad_enabled())
        await gate.wait()
        seen.append(paddle.is_grad_enabled())
        return "done"

    @paddle.no_grad()
    async def numbers() -> AsyncIterator[int]:
        for k in range(2):
            seen.append(paddle.is_grad_enabled())
            yield k

    async def main() -> str:
        gate = asyncio.Event()
        gate.set()
        async for _ in numbers():
            assert paddle.is_grad_enabled()
        return await evaluated(gate)

    assert asyncio.run(main()) == "done"
    assert seen == [False] * 4


# ---- threads --------------------------------------------------------------------------------------------------------------


def test_a_new_thread_begins_with_the_defaults() -> None:
    paddle.set_device("gpu", simulate=True)
    with paddle.no_grad(), autograd.copy_saved_before_write(), observe.listening(observe.Observer()):
        in_force = in_a_thread(modes.current)
    paddle.set_device("cpu")
    assert (in_force.recording_history, in_force.keeper, in_force.device, in_force.listeners) == (True, None, None, ())


def test_an_evaluating_thread_does_not_disturb_a_training_one(monkeypatch: pytest.MonkeyPatch) -> None:
    training, evaluated = threading.Event(), threading.Event()

    def evaluate() -> None:
        training.wait()
        with paddle.no_grad():
            x = paddle.to_tensor([1.0], stop_gradient=False)
            x.add_(x)
            evaluated.set()

    thread = threading.Thread(target=evaluate)
    thread.start()
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * x
    training.set()
    evaluated.wait()
    z = y.sum()
    assert not z.stop_gradient
    z.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    thread.join()


def test_two_threads_write_one_storage_and_every_write_is_counted() -> None:
    x = paddle.zeros([8])
    rounds = 2000

    def write() -> None:
        for _ in range(rounds):
            x.scale_(1.0, 1.0)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert x.inplace_version == 4 * rounds


def test_two_threads_add_to_the_gradient_of_one_leaf() -> None:
    leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    rounds = 300

    def train() -> None:
        for _ in range(rounds):
            (leaf * 3.0).sum().backward()

    threads = [threading.Thread(target=train) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert leaf.grad.tolist() == [4 * rounds * 3.0] * 2
