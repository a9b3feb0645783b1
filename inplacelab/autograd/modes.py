"""Switches of the gradient history: whether operations are recorded in it, and whether saved tensors are copied.

Each switch is one module attribute, which every operation reads. They are per process, not per thread.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from inplacelab.storage import Storage
    from inplacelab.tensor import Tensor


class Keeper(Protocol):
    """Copies saved tensors before they are overwritten."""

    def register(self, saved: Any) -> None:
        """Copies this saved tensor, too, from now on."""

    def before_write(self, target: Tensor) -> None:
        """Called before a write to `target`: copies the saved tensors that show its slots."""

    def after_write(self, storage: Storage) -> None:
        """Called after a write to the storage that raised its version by one."""


_F = TypeVar("_F", bound=Callable[..., Any])

recording_history = True

keeper: Keeper | None = None
"""Copies saved tensors before they are overwritten (see `saved_copies.py`); None: no copies, and backward refuses."""


def is_grad_enabled() -> bool:
    """Returns True if operations are currently recorded in the gradient history."""
    return recording_history


def _within(switch: Callable[[], Any], function: _F) -> _F:
    """A function that runs inside a new switch. For a generator function: a generator whose every step does so."""

    @functools.wraps(function)
    def switched(*args: Any, **kwargs: Any) -> Any:
        with switch():
            return function(*args, **kwargs)

    @functools.wraps(function)
    def stepwise(*args: Any, **kwargs: Any) -> Any:
        return _stepwise(switch, function(*args, **kwargs))

    return stepwise if inspect.isgeneratorfunction(function) else switched  # type: ignore[return-value]  # wraps() keeps the signature


def _stepwise(switch: Callable[[], Any], steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """The same steps, each inside a switch. Between them the caller's code runs in the caller's mode."""
    resume: Callable[[], Any] = functools.partial(next, steps)
    try:
        while True:
            with switch():
                value = resume()
            try:
                resume = functools.partial(steps.send, (yield value))
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001  # passed on to the function, which may handle it
                resume = functools.partial(steps.throw, error)
    except StopIteration as end:
        return end.value
    finally:
        with switch():
            steps.close()


class set_grad_enabled:
    """Switches the gradient history on or off: immediately, or for a `with` block, or, as a decorator, for each call.

    Args:
        mode: True to record operations, False not to.

    >>> import inplacelab as paddle
    >>> with paddle.set_grad_enabled(False):
    ...     paddle.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        global recording_history
        self.mode = bool(mode)
        self._before, recording_history = recording_history, self.mode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        global recording_history
        recording_history = self._before

    def __call__(self, function: _F) -> _F:
        self.__exit__()  # it is a decorator, not a switch
        return _within(functools.partial(type(self), self.mode), function)


class _Switch:
    """A context manager and decorator that sets the history to `mode`. May be nested and reused."""

    mode: bool

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self._before: list[bool] = []
        self._function = function

    def __new__(cls, function: _F | None = None) -> Any:
        return cls()(function) if callable(function) else super().__new__(cls)

    def __enter__(self) -> Self:
        global recording_history
        self._before.append(recording_history)
        recording_history = self.mode
        return self

    def __exit__(self, *exc: object) -> None:
        global recording_history
        recording_history = self._before.pop()

    def __call__(self, function: _F) -> _F:
        return _within(type(self), function)


class no_grad(_Switch):
    """Does not record operations in the gradient history: in a `with` block, or, as a decorator, in a function.

    Writes to a leaf are allowed inside. They still raise the version counter, so backward finds stale saved tensors.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> with paddle.no_grad():
    ...     _ = w.scale_(3.)
    >>> w.is_leaf, w.inplace_version
    (True, 1)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/no_grad_en.html
    """

    mode = False


class enable_grad(_Switch):
    """Records operations in the gradient history, even inside `no_grad`: in a `with` block or, as a decorator, in a function."""

    mode = True
