"""Blocks in which a mode is switched: interrupted, or in generators and coroutines that take turns. When all have ended, the modes
are the defaults.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, suppress
from itertools import permutations
from random import Random
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import observe
from inplacelab.autograd import copy_saved_before_write
from inplacelab.errors import Refusal
from tests.subtests import for_each
from tests.tiers import choose, examples

from . import launches
from .faults import BytecodeFault
from .state import broken_modes, repair_modes

Block = Callable[[], AbstractContextManager[Any]]

BLOCKS: dict[str, Block] = {
    "no_grad": paddle.no_grad,
    "enable_grad": paddle.enable_grad,
    "set_grad_enabled": lambda: paddle.set_grad_enabled(False),
    "copying": copy_saved_before_write,
    "listening": lambda: observe.listening(observe.Observer()),
    "silence": observe._Silenced,
}


def inside(block: Block) -> Generator[None, None, None]:
    """A generator that is suspended inside a block."""
    with block():
        yield


def _orders() -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Three blocks, and every order in which they can end."""
    for names in permutations(BLOCKS, 3):
        for order in permutations(range(3)):
            yield names, order


@for_each(("names", "order"), _orders(), ids=lambda each: f"{', '.join(each[0])} ended in the order {each[1]}")
def test_blocks_may_end_in_any_order(names: tuple[str, ...], order: tuple[int, ...]) -> None:
    running = [inside(BLOCKS[name]) for name in names]
    for each in running:
        next(each)
    for k in order:
        next(running[k], None)
    assert not list(broken_modes())


@for_each("name", BLOCKS)
@pytest.mark.parametrize("end", ["close", "throw", "release"])
def test_a_generator_that_is_not_finished_ends_its_block(name: str, end: str) -> None:
    running = inside(BLOCKS[name])
    next(running)
    if end == "close":
        running.close()
    elif end == "throw":
        with pytest.raises(KeyboardInterrupt):
            running.throw(KeyboardInterrupt)
    del running
    assert not list(broken_modes())


def test_a_block_that_has_not_ended_stays_in_force() -> None:
    first, second = inside(paddle.no_grad), inside(paddle.no_grad)
    next(first), next(second)
    next(first, None)
    assert not paddle.is_grad_enabled()
    next(second, None)
    assert paddle.is_grad_enabled()


def _wandering(random: Random, depth: int = 0) -> Generator[None, None, None]:
    """Enters and leaves nested blocks at random, and stops in between."""
    for _ in range(random.randrange(1, 4)):
        yield
        if depth < 3:
            with BLOCKS[random.choice(list(BLOCKS))]():
                yield from _wandering(random, depth + 1)


@pytest.mark.parametrize("first", range(0, examples(200), 50))
def test_random_turns_leave_the_modes_as_they_were(first: int) -> None:
    for number in range(first, first + 50):
        random = Random(number)
        running = [_wandering(random) for _ in range(4)]
        while running:
            each = random.choice(running)
            if next(each, "ended") == "ended":
                running.remove(each)
        assert not list(broken_modes()), number


IMMEDIATE = "set_grad_enabled"
"""It switches when it is called, not when it is entered. So an interrupt in between leaves it switched, as in PyTorch."""


@for_each("name", [name for name in BLOCKS if name != IMMEDIATE])
def test_an_interrupted_block_ends(name: str) -> None:
    launches.generate_all()
    x, position, left = paddle.ones([2]), 0, []
    # Python 3.13.0 tells of the bytecodes of a function from its second call on.
    with BytecodeFault(sys.maxsize, KeyboardInterrupt).armed(), BLOCKS[name]():
        x.scale(2.0)
    fired = True
    while fired:
        position += choose(5, 1, 1)
        fault = BytecodeFault(position, KeyboardInterrupt)
        with suppress(KeyboardInterrupt), fault.armed(), BLOCKS[name]():
            x.scale(2.0)
        fired = fault.fired
        if list(broken_modes()):
            left.append(position)
            repair_modes()
    assert position > 100
    assert not left


# ---- what is computed in between --------------------------------------------------------------------------------------


def test_generators_that_take_turns_get_right_gradients() -> None:
    """One evaluates without gradients while the other one trains. A decorated generator leaves its mode at each `yield`; one that
    is suspended inside a `with` block does not.
    """

    def evaluating() -> Generator[None, None, None]:
        model = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        for _ in range(5):
            y = model * 2.0
            yield
            assert y.stop_gradient

    def training(found: list[Any]) -> Generator[None, None, None]:
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        for _ in range(5):
            y = a * 2.0
            yield
            y.multiply_(a)
            y.backward()
            found.append(a.grad.tolist())

    found: list[Any] = []
    running: list[Generator[None, None, None]] = [training(found), paddle.no_grad()(evaluating)()]
    while running:
        running = [each for each in running if next(each, "ended") is None]
    assert found == [[4.0 * k, 8.0 * k] for k in range(1, 6)]
    assert not list(broken_modes())


def modes_seen() -> Generator[bool, None, None]:
    """Whether gradients are on, at each of its steps."""
    for _ in range(3):
        yield paddle.is_grad_enabled()


def test_a_decorated_generator_runs_in_its_own_mode() -> None:
    decorated = paddle.no_grad()(modes_seen)
    first, second = decorated(), decorated()
    for _ in range(3):
        assert (next(first), next(second), paddle.is_grad_enabled()) == (False, False, True)
    assert not list(broken_modes())


# ---- asyncio -----------------------------------------------------------------------------------------------------------


def test_tasks_have_their_own_modes() -> None:
    async def task(block: Block, expected: bool, saved: bool) -> list[Any]:
        seen = []
        for _ in range(20):
            with block():
                await asyncio.sleep(0)
                seen.append(paddle.is_grad_enabled())
                a = paddle.to_tensor([3.0], stop_gradient=False)
                y = a * 1.0
                await asyncio.sleep(0)
                seen.append(not y.stop_gradient)
                if expected:
                    seen.append(_stale_is_refused(a) is not saved)
            await asyncio.sleep(0)
            assert paddle.is_grad_enabled()
        return seen

    async def main() -> tuple[list[Any], ...]:
        return await asyncio.gather(
            task(paddle.no_grad, False, False),
            task(paddle.enable_grad, True, False),
            task(copy_saved_before_write, True, True),
        )

    off, on, copying = asyncio.run(main())
    assert set(off) == {False}
    assert set(on) == {True}
    assert set(copying) == {True}
    assert not list(broken_modes())


def _stale_is_refused(a: paddle.Tensor) -> bool:
    """Whether backward refuses a saved value that was overwritten; otherwise the gradient must be right."""
    y = a * 1.0
    z = y * y
    y.zero_()
    try:
        z.backward()
    except Refusal:
        return True
    assert a.grad is not None
    assert a.grad.tolist() == [6.0]
    return False


def test_a_task_begins_with_the_modes_of_the_code_that_made_it() -> None:
    async def look() -> bool:
        await asyncio.sleep(0)
        return paddle.is_grad_enabled()

    async def main() -> tuple[bool, bool]:
        with paddle.no_grad():
            inner = asyncio.create_task(look())
        outer = asyncio.create_task(look())
        return await inner, await outer

    assert asyncio.run(main()) == (False, True)
