"""Whether operations are written into the gradient history, and who looks after what it keeps.

Each switch is one module attribute, read by every operation. They belong to the process, not to a thread.
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
    """Copies what is saved before it is overwritten."""

    def register(self, saved: Any) -> None:
        """Look after a saved tensor from now on."""

    def before_write(self, target: Tensor) -> None:
        """`target` is about to be written: copy what is saved of its slots."""

    def after_write(self, storage: Storage) -> None:
        """The storage was written, and its version raised by one."""


_F = TypeVar("_F", bound=Callable[..., Any])

recording_history = True

keeper: Keeper | None = None
"""Who copies what is saved before it is overwritten (see `saved_copies.py`); None: nobody, and backward refuses."""


def is_grad_enabled() -> bool:
    """True if operations are written into the gradient history now."""
    return recording_history


def _within(switch: Callable[[], Any], function: _F) -> _F:
    """A function that runs within a switch of its own. A generator function gives a generator, which does so in every step."""

    @functools.wraps(function)
    def switched(*args: Any, **kwargs: Any) -> Any:
        with switch():
            return function(*args, **kwargs)

    @functools.wraps(function)
    def stepwise(*args: Any, **kwargs: Any) -> Any:
        return _stepwise(switch, function(*args, **kwargs))

    return stepwise if inspect.isgeneratorfunction(function) else switched  # type: ignore[return-value]  # wraps() keeps the signature


def _stepwise(switch: Callable[[], Any], steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """The same steps, each within a switch: what lies between them, the caller's code, has the caller's mode."""
    resume: Callable[[], Any] = functools.partial(next, steps)
    try:
        while True:
            with switch():
                value = resume()
            try:
                resume = functools.partial(steps.send, (yield value))
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001  # handed on to the function, whose business it is
                resume = functools.partial(steps.throw, error)
    except StopIteration as end:
        return end.value
    finally:
        with switch():
            steps.close()


class set_grad_enabled:
    """Switch the gradient history on or off: at once, and for the length of a `with` block or of a call if used as one or
    as a decorator.

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
        self.__exit__()  # it was made to decorate, not to switch
        return _within(functools.partial(type(self), self.mode), function)


class _Switch:
    """A context manager and decorator that sets the history to `mode` while it is open. May be nested and used again."""

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
    """Leave what happens inside out of the gradient history; a `with` block or a decorator.

    Writes to a leaf are allowed inside. The version counter is raised all the same, so a value that backward still needs
    is found to be stale.

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
    """Write what happens inside into the gradient history, even within `no_grad`; a `with` block or a decorator."""

    mode = True
