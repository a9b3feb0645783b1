"""Tests that recordings which overlap in any way are each right, and that nothing is left on afterwards."""

from __future__ import annotations

import asyncio
import builtins
import concurrent.futures
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import backends, errors, modes
from inplacelab.recorders import instrument
from inplacelab.recorders.instrument import CALL
from inplacelab.recording import Recording


def state_of_process() -> dict[str, Any]:
    return {
        "listeners": modes.current().listeners,
        "launch_listeners": modes.current().launch_listeners,
        "watchers": list(errors.watchers),
        "episodes": [device.ledger.episodes for device in backends.ALL],
        "statements": list(instrument._listeners),
        "trace": sys.gettrace(),
        "new threads": threading.gettrace(),
        "built-ins": {name for name in vars(builtins) if name not in (CALL, "_")},
    }


@pytest.fixture(autouse=True)
def _nothing_is_left_on() -> Iterator[None]:
    before = state_of_process()
    yield
    assert state_of_process() == before
    x = paddle.ones([2])
    x.scale_(2.0)
    assert x.tolist() == [2.0, 2.0]


def ops(block: paddle.record) -> list[str]:
    return [str(step.op) for step in recording_of(block).steps if step.kind == "operation"]


def recording_of(block: paddle.record) -> Recording:
    assert block.recording is not None
    return block.recording


def peak(block: paddle.record) -> int:
    return max(step.peak for step in recording_of(block).steps)


def test_two_recordings_that_overlap_without_nesting() -> None:
    first, second = paddle.record(), paddle.record()
    first.__enter__()
    x = paddle.ones([256])
    second.__enter__()
    y = x.exp()
    first.__exit__(None, None, None)
    z = y.zero_()
    second.__exit__(None, None, None)
    assert ops(first) == ["ones", "exp"]
    assert ops(second) == ["exp", "zero_"]
    assert (peak(first), peak(second)) == (2048, 1024)
    assert recording_of(first).notes == recording_of(second).notes == ()
    assert z is y


def test_two_recordings_of_one_frame_that_use_numpy() -> None:
    first, second = paddle.record(framework="numpy"), paddle.record(framework="numpy")
    before = sys.gettrace()
    with first:
        x = np.zeros(3)
        second.__enter__()
        x += 1
    x += 2
    second.__exit__(None, None, None)
    assert sys.gettrace() is before
    assert "+=" in ops(first)
    assert recording_of(first).state().storage_of("x").values == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("framework", ["inplacelab", "numpy"])
def test_a_record_is_in_one_block_at_a_time(framework: str) -> None:
    block = paddle.record(framework=framework)
    with block:
        x = paddle.ones([2])
        with pytest.raises(RuntimeError, match="recording already"):
            block.__enter__()
        x.exp_()
    first = block.recording
    assert first is not None
    with pytest.raises(RuntimeError, match="not recording"):
        block.__exit__(None, None, None)
    with block:
        x.zero_()
    if framework == "inplacelab":
        assert [step.op for step in first.steps] == ["ones", "exp_"]
        assert ops(block) == ["zero_"]


def test_generators_that_take_turns() -> None:
    blocks = [paddle.record(), paddle.record()]

    def steps(block: paddle.record, size: int) -> Generator[None, None, None]:
        with block:
            x = paddle.ones([size])
            yield
            x.exp_()
            yield
            x.zero_()

    one, other = steps(blocks[0], 10), steps(blocks[1], 20)
    next(one)  # ones
    next(other)  # ones, seen by both
    next(one)  # exp_
    one.close()
    assert list(other) == [None]
    # Generators belong to the code that runs them, so each recording has what ran while its block was open.
    assert ops(blocks[0]) == ["ones", "ones", "exp_"]
    assert ops(blocks[1]) == ["ones", "exp_", "exp_", "zero_"]
    assert all(step.error is None for step in recording_of(blocks[0]).steps)  # to be closed is no error


def test_tasks_that_take_turns_are_recorded_apart() -> None:
    async def work(block: paddle.record, size: int) -> None:
        with block:
            x = paddle.ones([size])
            x.stop_gradient = False
            for _ in range(3):
                await asyncio.sleep(0)
                x.exp()
            await asyncio.sleep(0)
            x.exp().sum().backward()
            with pytest.raises(ValueError, match="Leaf Var"):
                x.zero_()

    async def main() -> list[paddle.record]:
        blocks = [paddle.record(), paddle.record(), paddle.record()]
        await asyncio.gather(*(work(block, size) for block, size in zip(blocks, (10, 20, 30), strict=True)))
        return blocks

    for block, size in zip(asyncio.run(main()), (10, 20, 30), strict=True):
        assert ops(block) == ["ones", *["exp"] * 4, "sum"]
        shapes = {facts.shape for state in recording_of(block).states() for facts in state.tensors.values()}
        assert shapes == {(size,), ()}
        assert [step.error.type for step in recording_of(block).steps if step.error] == ["ValueError"]
        assert len(recording_of(block).notes) == 1  # bytes count the other tasks' tensors


def test_a_task_that_outlives_the_block_is_recorded_while_the_block_lasts() -> None:
    async def work(x: paddle.Tensor) -> None:
        x.exp_()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        x.zero_()

    async def main() -> paddle.record:
        with paddle.record() as block:
            x = paddle.ones([2])
            task = asyncio.create_task(work(x))
            await asyncio.sleep(0)
            x.scale_(2.0)
        await task
        assert x.tolist() == [0.0, 0.0]
        return block

    assert ops(asyncio.run(main())) == ["ones", "exp_", "scale_"]


def record_here(size: int, barrier: threading.Barrier) -> tuple[paddle.record, int]:
    barrier.wait()
    with paddle.record() as block:
        x = paddle.ones([size])
        x.stop_gradient = False
        for _ in range(20):
            x.exp().sum().backward()
    return block, size


def test_threads_that_each_record_themselves() -> None:
    barrier = threading.Barrier(4)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda size: record_here(size, barrier), (10, 20, 30, 40)))
    for block, size in found:
        assert ops(block) == ["ones", *["exp", "sum"] * 20]
        shapes = {facts.shape for state in recording_of(block).states() for facts in state.tensors.values()}
        assert shapes == {(size,), ()}


@pytest.mark.parametrize("started", ["before", "inside"])
def test_other_threads_are_left_out_which_is_said_once(started: str) -> None:
    go = threading.Event()

    def work() -> None:
        go.wait()
        y = paddle.ones([100])
        for _ in range(5):
            y.scale_(1.5)
        paddle.ones([100]).exp()

    thread = threading.Thread(target=work)
    if started == "before":
        thread.start()
    with paddle.record() as block:
        x = paddle.ones([2])
        if started == "inside":
            thread.start()
        go.set()
        thread.join()
        x.zero_()
    assert ops(block) == ["ones", "zero_"]
    (note,) = recording_of(block).notes
    assert "threads" in note.en
    assert "线程" in note.zh


def test_a_thread_of_asyncio_is_left_out_although_it_has_the_context() -> None:
    async def main() -> paddle.record:
        with paddle.record() as block:
            x = paddle.ones([2])
            y = await asyncio.to_thread(lambda: paddle.ones([3]).exp_().sum())
            z = await asyncio.get_running_loop().run_in_executor(None, lambda: paddle.ones([3]).exp())
            x.zero_()
            x.add_(y)
        assert z.shape == [3]
        return block

    block = asyncio.run(main())
    assert ops(block) == ["ones", "zero_", "add_"]
    assert len(recording_of(block).notes) == 1


def test_a_write_of_another_thread_to_a_recorded_storage_is_seen() -> None:
    with paddle.record() as block:
        x = paddle.ones([2])
        thread = threading.Thread(target=lambda: x.scale_(2.0))
        thread.start()
        thread.join()
        x.scale_(2.0)
    recording = recording_of(block)
    assert ops(block) == ["ones", "scale_"]
    assert recording.state().storage_of("x").values == (4.0, 4.0)
    assert recording.state().version("x") == 2
    assert len(recording.notes) == 1


def test_the_end_of_a_thread_frees_what_is_recorded() -> None:
    with paddle.record() as block:
        box = [paddle.ones([50])]
        thread = threading.Thread(target=box.clear)
        thread.start()
        thread.join()
        x = paddle.ones([2])
        x.zero_()
    assert ops(block) == ["ones", "ones", "zero_"]
    assert [facts.names for facts in recording_of(block).state().tensors.values()] == [("x",)]


def test_threads_of_a_program_that_is_run(run: Callable[..., Any]) -> None:
    text = """\
import threading
def work():
    inner = paddle.ones([2])
    inner.zero_()
thread = threading.Thread(target=work)
thread.start()
thread.join()
x = paddle.ones([3])
x.exp_()
"""
    recording = run(text).recording
    assert [step.op for step in recording.steps if step.kind == "operation"] == ["ones", "exp_"]
    assert {step.line for step in recording.steps} <= {5, 6, 7, 8, 9}
    assert len(recording.notes) == 1


def test_numpy_in_other_threads_is_left_out() -> None:
    def work() -> None:
        y = np.zeros(5)
        y += 1

    with paddle.record(framework="numpy") as block:
        x = np.zeros(3)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        x += 1
        x += 1
    names = {name for facts in recording_of(block).state().tensors.values() for name in facts.names}
    assert names == {"x"}
    assert len(recording_of(block).notes) == 1


def test_numpy_in_threads_that_each_record_themselves() -> None:
    def work(size: int) -> paddle.record:
        with paddle.record(framework="numpy") as block:
            x = np.zeros(size)
            for _ in range(5):
                x += 1
        assert sys.gettrace() is None
        return block

    before = sys.gettrace()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        blocks = list(pool.map(work, (1, 2, 3)))
    assert sys.gettrace() is before
    for block, size in zip(blocks, (1, 2, 3), strict=True):
        assert ops(block) == ["zeros", *["+="] * 5]
        assert recording_of(block).state().storage_of("x").values == (5.0,) * size


def test_a_block_that_ends_in_another_thread() -> None:
    blocks = [paddle.record(), paddle.record(framework="numpy")]
    before = sys.gettrace()
    for block in blocks:
        block.__enter__()
    x = paddle.ones([2])

    def end() -> None:
        for block in blocks:
            block.__exit__(None, None, None)

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    x.exp_()
    assert ops(blocks[0]) == ["ones"]
    assert sys.gettrace() is before
