"""Tests that a lock around calls is released however they end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

from inplacelab.locking import CallLock
from tests.faults.faults import BytecodeFault


def test_calls_in_two_threads_take_turns() -> None:
    turns, entered, inside = CallLock(), Event(), []

    def work(name: str) -> None:
        entered.set()
        inside.append(f"{name} begins")
        for _ in range(1000):
            pass
        inside.append(f"{name} ends")

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(turns.run, work, str(k)) for k in range(20)]:
            future.result(timeout=60)
    assert all(end == begin.replace("begins", "ends") for begin, end in zip(inside[::2], inside[1::2], strict=True))


def test_a_thread_that_has_it_may_take_it_again() -> None:
    turns = CallLock()
    assert turns.run(lambda: turns.run(lambda: 3)) == 3
    assert not turns.abandon()


def test_an_interrupt_before_any_bytecode_leaves_it_open() -> None:
    turns, position = CallLock(), 1
    while True:
        fault = BytecodeFault(position, KeyboardInterrupt)
        with suppress(KeyboardInterrupt), fault.armed():
            turns.run(lambda: None)
            # Python 3.13.0 tells a tracer of the bytecodes of a function from its second call on.
            turns.run(lambda: None)
        if not fault.fired:
            break
        assert not turns.abandon(), position
        position += 1
    assert position > 10
