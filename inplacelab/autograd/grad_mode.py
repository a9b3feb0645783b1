"""Switches the gradient history on and off, for the thread or coroutine that does so."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, Self, TypeVar

from inplacelab import modes
from inplacelab.modes import Block, Modes

_F = TypeVar("_F", bound=Callable[..., Any])
_R = TypeVar("_R")


def is_grad_enabled() -> bool:
    """Returns True if operations are currently recorded in the gradient history, in this thread or coroutine."""
    return modes.current().recording_history


class _Recording(Block):
    """Sets whether history is recorded."""

    history: bool

    def change(self, modes: Modes) -> None:
        modes.recording_history = self.history


class recording(_Recording):
    """Sets whether history is recorded, in a `with` block or in `modes.run_inside`."""

    def __init__(self, history: bool) -> None:
        self.history = history


def without_history(function: Callable[..., _R], *args: Any, **kwargs: Any) -> _R:
    """Calls a function with the history switched off.

    It also restores the mode if an interrupt arrives in the gap between the body of a `with` statement and its end.
    """
    return modes.run_inside(recording(False), function, *args, **kwargs)


# ---- decorated functions --------------------------------------------------------------------------------------------------


def _within(history: bool, function: _F) -> _F:
    """A function that runs with the history switched on or off. For a generator or coroutine: each of its steps does."""

    @functools.wraps(function)
    def switched(*args: Any, **kwargs: Any) -> Any:
        return modes.run_inside(recording(history), function, *args, **kwargs)

    @functools.wraps(function)
    def stepwise(*args: Any, **kwargs: Any) -> Any:
        return _stepwise(history, function(*args, **kwargs))

    @functools.wraps(function)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        return await _awaited(history, function(*args, **kwargs))

    @functools.wraps(function)
    def generated(*args: Any, **kwargs: Any) -> Any:
        return _generated(history, function(*args, **kwargs))

    kinds: dict[Callable[[Any], bool], Callable[..., Any]] = {
        inspect.isgeneratorfunction: stepwise,
        inspect.iscoroutinefunction: awaited,
        inspect.isasyncgenfunction: generated,
    }
    return next((wrapped for is_kind, wrapped in kinds.items() if is_kind(function)), switched)  # type: ignore[return-value]


def _stepwise(history: bool, steps: Any) -> Generator[Any, Any, Any]:
    """The steps of a generator or coroutine, with the history switched. Between them the caller's code runs in the caller's mode."""
    step: Callable[[], Any] = functools.partial(steps.send, None)
    try:
        while True:
            value = modes.run_inside(recording(history), step)
            try:
                step = functools.partial(steps.send, (yield value))
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001  # passed on to the function, which may handle it
                step = functools.partial(steps.throw, error)
    except StopIteration as end:
        return end.value
    finally:
        modes.run_inside(recording(history), steps.close)


@types.coroutine
def _awaited(history: bool, coroutine: Any) -> Generator[Any, Any, Any]:
    return (yield from _stepwise(history, coroutine))


async def _generated(history: bool, source: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
    """The same for an asynchronous generator."""
    step: Callable[[], Any] = functools.partial(source.asend, None)
    try:
        while True:
            value = await _awaited(history, step().__await__())
            try:
                step = functools.partial(source.asend, (yield value))
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001  # passed on to the function, which may handle it
                step = functools.partial(source.athrow, error)
    except StopAsyncIteration:
        return
    finally:
        await _awaited(history, source.aclose().__await__())


# ---- switches -------------------------------------------------------------------------------------------------------------


class set_grad_enabled(recording):
    """Switches the gradient history on or off: immediately, or for a `with` block, or, as a decorator, for each call.

    Args:
        mode: True to record operations, False not to.

    Without `with` it lasts until the block around it ends, if there is one. Other threads and coroutines are not affected.

    >>> import inplacelab as paddle
    >>> with paddle.set_grad_enabled(False):
    ...     paddle.is_grad_enabled()
    False
    """

    _in_force: tuple[Block, ...]  # the blocks that it has set
    _outside: tuple[Block, ...]  # those before, which it restores if it becomes a block itself

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self.open_ended = True
        blocks = modes.current().blocks
        last = blocks[-1] if blocks else None
        replaced: tuple[Block, ...] = ()
        if isinstance(last, set_grad_enabled) and last.open_ended:
            replaced, last._outside = (last,), ()  # without the one before it, or a loop would build a chain
            blocks = blocks[:-1]
        # Without a block around it, True is the default. So a program that restores it leaves nothing behind.
        self._in_force = (*blocks, self) if blocks or not mode else ()
        self._outside = (*blocks, *replaced)
        modes.set_blocks(self._in_force)

    def __enter__(self) -> Any:
        self._become_a_block()
        return super().__enter__()

    def __call__(self, function: _F) -> _F:
        self._become_a_block()
        return _within(self.history, function)

    def _become_a_block(self) -> None:
        """Undoes the immediate switch: this is a `with` block, or a decorator."""
        if self.open_ended and modes.current().blocks == self._in_force:
            modes.set_blocks(self._outside)
        self.open_ended = False


class _Switch(_Recording):
    """A context manager and decorator. May be nested and reused."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Self:
        """Returns a switch; the decorated function if used as a decorator without parentheses."""
        return _within(cls.history, function) if callable(function) else object.__new__(cls)  # type: ignore[return-value]

    def __call__(self, function: _F) -> _F:
        return _within(self.history, function)


class no_grad(_Switch):
    """Turns the gradient history off in a `with` block or, as a decorator, in a function.

    Writes to a leaf are allowed inside. They still raise the version counter, so backward finds stale saved tensors. Other
    threads and coroutines are not affected.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> with paddle.no_grad():
    ...     _ = w.scale_(3.)
    >>> w.is_leaf, w.inplace_version
    (True, 1)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/no_grad_en.html
    """

    history = False


class enable_grad(_Switch):
    """Turns the gradient history on, even inside `no_grad`, in a `with` block or, as a decorator, in a function."""

    history = True
