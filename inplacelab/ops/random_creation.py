"""Making tensors of random numbers, all from the one seeded stream of `results/random_stream.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from inplacelab import devices, dtypes, errors
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import plain_number
from inplacelab.ops.arguments.creation_options import device_for
from inplacelab.ops.creation import made, shape_of
from inplacelab.ops.random_fills import check_probability, check_uniform, spread
from inplacelab.ops.results import random_stream
from inplacelab.ops.table.exports import as_function
from inplacelab.tensor import Tensor

as_function(random_stream.seed)
as_function(random_stream.seed, "manual_seed")


def _drawn(
    name: str, shape: Any, dtype: Any, draw: Callable[..., None], accepts: str = "fc", like: Tensor | None = None
) -> Tensor:
    """A tensor that `draw` has filled: where `like` is, or in the current device's memory."""
    device, wanted = device_for(like), dtypes.as_numpy(dtype)
    if wanted.kind not in accepts:
        raise errors.kernel_not_registered(dtype=wanted.name, op=name)
    out = device.empty(shape_of(name, shape), wanted)
    draw(out, device=device)
    return made(name, out, device)


_FROM_0_TO_1 = partial(random_stream.uniform, min=0, max=1, seed=0)
_STANDARD_NORMAL = partial(random_stream.normal, mean=0, std=1)


@as_function
def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Random numbers, evenly distributed from 0 up to 1."""
    return _drawn("rand", shape, dtype, _FROM_0_TO_1, "f")


@as_function
def rand_like(input: Tensor, name: str | None = None, *, dtype: Any = None) -> Tensor:
    """Random numbers, evenly distributed from 0 up to 1, in the shape of `input`."""
    return _drawn("rand_like", input.shape, input.dtype if dtype is None else dtype, _FROM_0_TO_1, "f", input)


@as_function
def uniform(
    shape: Any, dtype: Any = None, min: float = 0, max: float = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """Random numbers, evenly distributed from `min` up to `max`; with a `seed` other than 0, from a stream of its own.

    Raises:
        ArgumentError: if `min` is not smaller than `max`.
    """
    check_uniform(np.empty(0), min, max)
    return _drawn("uniform", shape, dtype, partial(random_stream.uniform, min=min, max=max, seed=seed), "f")


@as_function
def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1."""
    return _drawn("randn", shape, dtype, _STANDARD_NORMAL)


@as_function
def standard_normal(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1."""
    return _drawn("standard_normal", shape, dtype, _STANDARD_NORMAL)


@as_function
def randn_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1, in the shape of `x`."""
    return _drawn("randn_like", x.shape, x.dtype if dtype is None else dtype, _STANDARD_NORMAL, like=x)


@as_function
def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Random numbers from the normal distribution with this mean and standard deviation.

    Both may be tensors: then each element has its own, and `shape` is theirs. A gradient goes through them.
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        return _normal_of_tensors(mean, std)
    mean, std = plain_number(np.empty(0, complex), mean), spread("normal", "std")(None, std)
    dtype = "complex64" if isinstance(mean, complex) else None
    return _drawn("normal", [1] if shape is None else shape, dtype, partial(random_stream.normal, mean=mean, std=std))


def _normal_of_tensors(mean: Any, std: Any) -> Tensor:
    like = mean if isinstance(mean, Tensor) else std
    shape = np.broadcast_shapes(*(each.array.shape for each in (mean, std) if isinstance(each, Tensor)))
    drawn: Tensor = _drawn("normal", shape, like.dtype, _STANDARD_NORMAL, like=like) * std + mean
    return drawn


@as_function
def log_normal(mean: float = 1.0, std: float = 2.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Random numbers whose logarithms are normally distributed with this mean and standard deviation."""
    std = spread("log_normal", "std")(None, std)
    return _drawn(
        "log_normal", [1] if shape is None else shape, None, partial(random_stream.log_normal, mean=mean, std=std)
    )


# ---- integers -----------------------------------------------------------------------------------------------------------


def _below(low: int, high: int | None) -> tuple[int, int]:
    low, high = (0, low) if high is None else (low, high)
    if not low < high:
        raise errors.empty_randint_range(low=low, high=high)
    return low, high


@as_function
def randint(
    low: int = 0, high: int | None = None, shape: Any = (1,), dtype: Any = None, name: str | None = None
) -> Tensor:
    """Random integers from `low` up to but without `high`; from 0 up to `low` if `high` is None. int64 by default."""
    low, high = _below(low, high)
    draw = partial(random_stream.integers, low=low, high=high)
    return _drawn("randint", shape, "int64" if dtype is None else dtype, draw, "i")


@as_function
def randint_like(
    x: Tensor, low: int = 0, high: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Random integers from `low` up to but without `high` in the shape of `x`, and of its dtype unless `dtype` says otherwise."""
    low, high = _below(low, high)
    draw = partial(random_stream.integers, low=low, high=high)
    return _drawn("randint_like", x.shape, x.dtype if dtype is None else dtype, draw, "iuf", x)


@as_function
def randperm(n: int, dtype: Any = "int64", name: str | None = None) -> Tensor:
    """The integers below `n` in random order."""

    def draw(out: Any, device: devices.Device) -> None:
        np.copyto(out, random_stream.generator(device).permutation(len(out)), casting="unsafe")

    return _drawn("randperm", [n], dtype, draw, "if")


# ---- drawn from what a tensor says --------------------------------------------------------------------------------------


@as_function
def bernoulli(x: Tensor, p: float | None = None, name: str | None = None) -> Tensor:
    """1 with the probability that `x` says in that place (or with probability `p` everywhere), otherwise 0.

    Raises:
        IndexRangeError: if there is something that is no probability.
    """
    chances = x.array if p is None else np.full_like(x.array, p)
    check_probability("bernoulli", "x" if p is None else "p", chances, zero=True)
    return _drawn("bernoulli", x.shape, x.dtype, partial(random_stream.bernoulli, p=chances), "f", x)


@as_function
def poisson(x: Tensor, name: str | None = None) -> Tensor:
    """How many events there are when `x` are expected."""

    def draw(out: Any, device: devices.Device) -> None:
        np.copyto(out, random_stream.generator(device).poisson(x.array), casting="unsafe")

    if x.array.size and not x.array.min() >= 0:
        raise errors.negative_spread(op="poisson", argument="x", value=float(x.array.min()))
    return _drawn("poisson", x.shape, x.dtype, draw, "f", x)


@as_function
def multinomial(x: Tensor, num_samples: int = 1, replacement: bool = False, name: str | None = None) -> Tensor:
    """Places along the last axis of `x`, drawn with the weights that stand there; none twice unless `replacement`.

    Raises:
        ArgumentError: if a weight is negative, all are zero, or fewer places have a weight than are to be drawn.
    """
    _check_weights(x.array, num_samples, replacement)
    shape: Shape = (*x.array.shape[:-1], num_samples)

    def draw(out: Any, device: devices.Device) -> None:
        """The places whose exponential waiting times, at the rate of their weights, are the shortest."""
        times = 1 if not replacement else num_samples
        waits = random_stream.generator(device).standard_exponential((*x.array.shape[:-1], times, x.array.shape[-1]))
        with np.errstate(divide="ignore"):
            np.divide(waits, x.array[..., None, :], out=waits)
        out[...] = waits.argmin(-1) if replacement else waits[..., 0, :].argsort(-1, kind="stable")[..., :num_samples]

    return _drawn("multinomial", shape, "int64", draw, "i", x)


def _check_weights(weights: Any, num_samples: int, replacement: bool) -> None:
    if weights.size and weights.min() < 0:
        raise errors.negative_weight(value=float(weights.min()))
    there = int((weights > 0).sum(-1).min()) if weights.size else 0
    if there == 0:
        raise errors.all_weights_zero()
    if not replacement and num_samples > there:
        raise errors.too_many_draws(wanted=num_samples, there=there)
