"""The seeded stream of random numbers, and the distributions drawn from it.

`seed(n)` starts a stream that is the same on every machine. Each distribution below writes into `out` of any dtype and
strides: single and double precision in packed memory directly, everything else through a buffer. So the same seed gives the
same numbers for a view and for a packed tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.backends import CPU, Device
from inplacelab.ops.results.kernel_tools import quietly

if TYPE_CHECKING:
    from numpy.random import Generator as Rng

_seed = 0
_streams: dict[str, Any] = {}


def seed(seed: int) -> None:
    """Restarts the streams of random numbers: after `seed(0)` the same calls give the same numbers, on every machine.

    Args:
        seed: an integer.

    All threads draw from the same streams, as in PyTorch and Paddle; so only a program of one thread gets the same numbers again.
    A GPU generates its own numbers, which differ from the CPU's: see `backends/cupy_calls.py`.
    """
    global _seed
    _seed = int(seed)
    _streams.clear()


@contextmanager
def preserved() -> Iterator[None]:
    """Restores the streams after a block, whatever is drawn in it. It begins with copies of them."""
    global _seed
    before = _seed, dict(_streams)
    try:
        _streams.update({kind: deepcopy(stream) for kind, stream in before[1].items()})
        yield
    finally:
        _seed = before[0]
        _streams.clear()
        _streams.update(before[1])


def generator(device: Device = CPU, own: int = 0) -> Any:
    """Returns the stream of a device, made on first use: NumPy's random module is slow to import.

    If `own` is not 0: a new stream with that seed; the common one does not advance.
    """
    if own:
        return device.stream_of(int(own))
    stream = _streams.get(device.generator_kind)
    if stream is None:
        stream = _streams.setdefault(device.generator_kind, device.stream_of(_seed))  # another thread may be first
    return stream


def _into(out: Any, device: Any, fill: Callable[[Any], object]) -> None:
    """Calls `fill` with `out`, or with a buffer where NumPy cannot draw into `out`."""
    wide = np.dtype(np.float32) if out.dtype == np.float16 else out.dtype
    if out.flags.c_contiguous and wide == out.dtype:
        fill(out)
        return
    buffer = device.empty(out.shape, wide)
    device.ledger.borrow(buffer.nbytes)
    fill(buffer)
    np.copyto(out, buffer, casting="same_kind")


def _stretch(x: Any, scale: Any, shift: Any) -> None:
    if scale != 1:
        np.multiply(x, x.dtype.type(scale), x)
    if shift != 0:
        np.add(x, x.dtype.type(shift), x)


def uniform(out: Any, min: float, max: float, seed: int, device: Any) -> None:
    """Draws from the uniform distribution on [`min`, `max`)."""

    def fill(x: Any) -> None:
        generator(device, seed).random(out=x, dtype=x.dtype)
        _stretch(x, max - min, min)

    _into(out, device, fill)
    if (min, max) != (0, 1) or out.dtype == np.float16:  # rounding must not reach the excluded bound
        np.minimum(out, np.nextafter(out.dtype.type(max), out.dtype.type(min)), out=out)


def _normal(x: Any, mean: complex, std: float, device: Device) -> None:
    parts, share = x, 1.0
    if x.dtype.kind == "c":
        parts, share = x.reshape(-1).view(x.real.dtype), np.sqrt(0.5)
    generator(device).standard_normal(out=parts, dtype=parts.dtype)
    _stretch(parts, std * share, 0)
    _stretch(x, 1, mean)


def normal(out: Any, mean: complex, std: float, device: Any) -> None:
    """Draws from the normal distribution. Each part of a complex number has half of the variance."""
    _into(out, device, lambda x: _normal(x, mean, std, device))


@quietly
def log_normal(out: Any, mean: complex, std: float, device: Any) -> None:
    """Draws numbers whose logarithms are normally distributed."""

    def fill(x: Any) -> None:
        _normal(x, mean, std, device)
        np.exp(x, x)

    _into(out, device, fill)


def exponential(out: Any, lam: float, device: Any) -> None:
    """Draws from the exponential distribution with mean `1 / lam`."""

    def fill(x: Any) -> None:
        generator(device).standard_exponential(out=x, dtype=x.dtype)
        np.divide(x, x.dtype.type(lam), x)

    _into(out, device, fill)


@quietly
def cauchy(out: Any, loc: float, scale: float, device: Any) -> None:
    """Draws from the Cauchy distribution, as the tangent of a uniformly distributed angle."""

    def fill(x: Any) -> None:
        generator(device).random(out=x, dtype=x.dtype)
        _stretch(x, np.pi, -np.pi / 2)
        np.tan(x, x)
        _stretch(x, scale, loc)

    _into(out, device, fill)


def bernoulli(out: Any, p: Any, device: Any) -> None:
    """Draws 1 with probability `p`, otherwise 0: whether a uniformly distributed number is less than `p`."""

    def fill(x: Any) -> None:
        generator(device).random(out=x, dtype=x.dtype)
        np.subtract(p, x, x, casting="same_kind")
        np.sign(x, x)
        np.maximum(x, x.dtype.type(0), out=x)

    _into(out, device, fill)


@quietly
def geometric(out: Any, probs: Any, device: Any) -> None:
    """Draws the number of trials until the first success, each with probability `probs`: 1, 2, 3, ...

    It is the waiting time of a process with a constant rate, in whole steps.
    """

    def fill(x: Any) -> None:
        rate = -np.log1p(-probs.astype(x.dtype, copy=False))
        device.ledger.borrow(3 * rate.nbytes)
        generator(device).standard_exponential(out=x, dtype=x.dtype)
        np.divide(x, rate, x)
        np.ceil(x, x)
        np.maximum(x, x.dtype.type(1), out=x)

    _into(out, device, fill)


def integers(out: Any, low: int, high: int, device: Any, rng: Rng | None = None) -> None:
    """Draws integers from `low` (inclusive) to `high` (exclusive), all equally likely."""
    drawn = (rng or generator(device)).integers(low, high, out.shape, out.dtype if out.dtype.kind in "iu" else np.int64)
    device.ledger.borrow(drawn.nbytes)
    np.copyto(out, drawn, casting="unsafe")
