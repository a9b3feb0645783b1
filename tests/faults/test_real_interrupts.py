"""Real signals, as Ctrl-C sends them, and real floating-point errors, while an operation in place writes."""

from __future__ import annotations

import _thread
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.errors import Refusal
from tests.subtests import for_each
from tests.tiers import choose

from .state import Baseline
from .variants import Answer

SIZE = 100_000
TRIES = choose(4, 15, 200)


@contextmanager
def by_a_timer(seconds: float) -> Iterator[None]:
    """SIGALRM after some time, whose handler raises KeyboardInterrupt."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def by_a_thread(seconds: float) -> Iterator[None]:
    """SIGINT from another thread, as the button of a notebook causes it."""
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


WRITES: dict[str, Callable[[Tensor], Any]] = {
    "tanh_": lambda x: x.tanh_(),
    "sigmoid_": lambda x: x.sigmoid_(),
    "multiply_": lambda x: x.multiply_(x),
    "setitem": lambda x: x.__setitem__(slice(1, None), x[:-1]),
    "add_ of a view": lambda x: x[::2].add_(x[1::2]),
}


@pytest.mark.parametrize("interrupt", [by_a_timer, by_a_thread])
@for_each("name", WRITES)
def test_an_interrupted_write_is_right_or_refused(
    name: str, interrupt: Callable[[float], AbstractContextManager[None]], baseline: Baseline
) -> None:
    values = np.linspace(0.5, 1.5, SIZE)
    expected = {False: _outcome(values, lambda x: None), True: _outcome(values, WRITES[name])}
    for k in range(TRIES):

        def write(x: Tensor, after: float = (k + 1) * 2e-3 / TRIES) -> None:
            with suppress(KeyboardInterrupt), interrupt(after):
                WRITES[name](x)
                for _ in range(100):
                    pass  # a late signal may arrive here

        _check(_outcome(values, write), expected)
    assert not baseline.broken()


Outcome = tuple[bytes, int, Answer]
"""The data, the version, and the gradient; None if it is refused."""


def _outcome(values: Any, write: Callable[[Tensor], Any]) -> Outcome:
    leaf = paddle.to_tensor(values, stop_gradient=False)
    x = leaf * 1.0
    write(x)
    data, version = x.numpy().tobytes(), x.inplace_version
    try:
        x.sum().backward()
    except Refusal:
        return data, version, None
    return data, version, [leaf.grad.numpy()]


def _check(found: Outcome, expected: dict[bool, Outcome]) -> None:
    data, version, answer = found
    if version == expected[False][1]:
        assert data == expected[False][0]
    if answer is not None:
        right = [each for each in expected.values() if each[0] == data]
        assert any(np.allclose(answer[0], each[2][0]) for each in right if each[2] is not None)


@contextmanager
def warnings_as_errors() -> Iterator[None]:
    """A warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


OVERFLOWING: dict[str, Callable[[Tensor], Any]] = {
    "exp_": lambda x: x.exp_(),
    "square_": lambda x: x.square_(),
    "multiply_": lambda x: x.multiply_(x),
    "divide_": lambda x: x.divide_(x - x),
    "log_": lambda x: x.scale_(-1.0).log_(),
    "pow_": lambda x: x.pow_(3.0),
    "sigmoid_": lambda x: x.sigmoid_(),
    "setitem": lambda x: x.__setitem__(slice(0, 3), x[1:] * x[1:]),
    "view": lambda x: x[::2].square_(),
}


@pytest.mark.parametrize("strict", [lambda: np.errstate(all="raise"), warnings_as_errors])
@for_each("name", OVERFLOWING)
def test_a_floating_point_error_leaves_no_wrong_gradient(
    name: str, strict: Callable[[], AbstractContextManager[Any]], baseline: Baseline
) -> None:
    values = np.array([1.5, 1e200, 0.5, 800.0])
    with np.errstate(all="ignore"):
        expected = {False: _outcome(values, lambda x: None), True: _outcome(values, OVERFLOWING[name])}

    def write(x: Tensor) -> None:
        with suppress(FloatingPointError, RuntimeWarning), strict():
            OVERFLOWING[name](x)

    with np.errstate(all="ignore"):
        found = _outcome(values, write)
    _check_finite(found, expected)
    assert not baseline.broken()


def _check_finite(found: Outcome, expected: dict[bool, Outcome]) -> None:
    """Like `_check`; a gradient that is not finite is not compared."""
    data, version, answer = found
    if version == 0:
        assert data == expected[False][0]
    if answer is None:
        return
    right = [each[2][0] for each in expected.values() if each[0] == data and each[2] is not None]
    assert any(np.allclose(answer[0][np.isfinite(r)], r[np.isfinite(r)]) for r in right)
