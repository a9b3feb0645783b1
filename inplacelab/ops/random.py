"""Random numbers from the seeded stream of `results/random_stream.py`: in new tensors, and over old ones.

As with every overwrite, the derivative for the old value is zero; the numbers do not depend smoothly on a probability, so
its derivative is zero, too. Parameters are checked before numbers are drawn: a refused fill does not advance the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from inplacelab import backends, dtypes, errors
from inplacelab.language import Text
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import plain_number
from inplacelab.ops.arguments.keywords import device_for
from inplacelab.ops.creation import made, shape_of
from inplacelab.ops.results import random_stream
from inplacelab.ops.table import as_function, as_method, overwrite
from inplacelab.ops.table.depends import DRAWN_HERE
from inplacelab.ops.table.row import ZERO, same
from inplacelab.tensor import Tensor

# ---- in place ---------------------------------------------------------------------------------------------------------------


def check_uniform(x: Any, min: Any, max: Any) -> None:
    """Refuses bounds with no number between them."""
    low, high = plain_number(x, min), plain_number(x, max)
    if not low < high:
        raise errors.empty_uniform_range(low=low, high=high)


def spread(op: str, name: str) -> Any:
    """Returns a check for a standard deviation, or another width of a distribution."""

    def prepare(x: Any, value: Any) -> Any:
        number = plain_number(np.empty(0), value)
        if not number >= 0:
            raise errors.negative_spread(op=op, argument=name, value=number)
        return number

    return prepare


def _rate(x: Any, lam: Any) -> Any:
    number = plain_number(x, lam)
    if not number > 0:
        raise errors.rate_not_positive(op="exponential_", argument="lam", value=number)
    return number


def check_probability(op: str, name: str, p: Any, *, zero: bool) -> None:
    """Refuses an array with numbers that are not probabilities; 0 is allowed if `zero`."""
    wrong = p[~((p >= 0 if zero else p > 0) & (p <= 1))]
    if wrong.size:
        value = float(wrong.flat[0])
        if zero:
            raise errors.not_a_probability(op=op, name=name, value=value)
        raise errors.not_a_positive_probability(op=op, name=name, value=value)


def _own_stream(x: Any, seed: Any) -> int:
    return int(seed)


# ---- integers -----------------------------------------------------------------------------------------------------------


def _bounds(dtype: np.dtype[Any], from_: int, to: int | None) -> tuple[int, int]:
    """The bounds: `n` for `random_(n)`; for `random_()` the last integer that the dtype represents without gaps."""
    if to is not None:
        return from_, to
    if from_ != 0:
        return 0, from_
    return 0, int(np.iinfo(dtype).max) if dtype.kind in "iu" else 2 ** (np.finfo(dtype).nmant + 1)


def _check_integers(x: Any, from_: Any, to: Any, generator: Any) -> None:
    low, high = _bounds(x.dtype, from_, to)
    if not low < high:
        raise errors.empty_random_range(low=low, high=high)
    limits = np.iinfo(x.dtype) if x.dtype.kind in "iu" else np.finfo(x.dtype)
    if low < limits.min or high - 1 > limits.max:
        raise errors.draws_do_not_fit(low=low, last=high - 1, dtype=x.dtype.name)
    if not isinstance(generator, np.random.Generator | None):
        possible = Text("None, or a `numpy.random.Generator`", "None，或 `numpy.random.Generator`")
        raise errors.bad_argument(op="random_", argument="generator", value=generator, possible=possible)


def _random(out: Any, from_: int, to: int | None, generator: Any, device: Any) -> None:
    random_stream.integers(out, *_bounds(out.dtype, from_, to), device, generator)


# ---- the rows -----------------------------------------------------------------------------------------------------------

UNIFORM = overwrite(
    "uniform", "x", ("Write random numbers, evenly distributed from `min` up to `max`.", "写入在 `min` 与 `max` 之间均匀分布的随机数。"),
    attrs="min=0, max=1.0, seed=0", depends=DRAWN_HERE, kernel=random_stream.uniform, accepts="f", validate=check_uniform,
    prepare={"min": plain_number, "max": plain_number, "seed": _own_stream}, node="UniformInplaceGradNode", d_x=ZERO,
)  # fmt: skip
NORMAL = overwrite(
    "normal", "x", ("Write random numbers with a normal distribution.", "写入服从正态分布的随机数。"),
    attrs="mean=0.0, std=1.0", depends=DRAWN_HERE, kernel=random_stream.normal, accepts="fc", node="GaussianInplaceGradNode", function=True,
    prepare={"mean": plain_number, "std": spread("normal_", "std")}, d_x=ZERO,
)  # fmt: skip
LOG_NORMAL = overwrite(
    "log_normal", "x", ("Write random numbers whose logarithms have a normal distribution.", "写入对数服从正态分布的随机数。"),
    attrs="mean=1.0, std=2.0", depends=DRAWN_HERE, kernel=random_stream.log_normal, accepts="fc", function=True,
    prepare={"mean": plain_number, "std": spread("log_normal_", "std")}, d_x=ZERO,
)  # fmt: skip
EXPONENTIAL = overwrite(
    "exponential", "x", ("Write random numbers with an exponential distribution of rate `lam`.", "写入速率为 `lam` 的随机等待时间（指数分布）。"),
    attrs="lam=1.0", depends=DRAWN_HERE, kernel=random_stream.exponential, accepts="f", prepare={"lam": _rate}, d_x=ZERO,
)  # fmt: skip
CAUCHY = overwrite(
    "cauchy", "x", ("Write random numbers with a Cauchy distribution around `loc`.", "写入以 `loc` 为中心、服从柯西分布的随机数。"),
    attrs="loc=0, scale=1", depends=DRAWN_HERE, kernel=random_stream.cauchy, accepts="f", function=True,
    prepare={"loc": plain_number, "scale": spread("cauchy_", "scale")}, d_x=ZERO,
)  # fmt: skip
BERNOULLI = overwrite(
    "bernoulli", "x, p", ("Write 1 with probability `p`, otherwise 0.", "以概率 `p` 写入 1，否则写入 0。"),
    call="x, p=0.5", numbers=("p",), dtype=same, depends=DRAWN_HERE, kernel=random_stream.bernoulli, accepts="f", function=True,
    validate=lambda p: check_probability("bernoulli_", "p", p, zero=True), d_x=ZERO, d_p=ZERO,
)  # fmt: skip
GEOMETRIC = overwrite(
    "geometric", "x, probs", ("Write how many trials it takes until the first success, if each succeeds with probability `probs`.",
                              "写入直到首次成功所需的试验次数，每次成功的概率为 `probs`（几何分布）。"),
    call="x, probs", numbers=("probs",), dtype=same, depends=DRAWN_HERE, kernel=random_stream.geometric, accepts="f", function=True,
    validate=lambda probs: check_probability("geometric_", "probs", probs, zero=False), d_x=ZERO, d_probs=ZERO,
)  # fmt: skip
RANDOM = overwrite(
    "random", "x", ("Write random integers from `from_` up to, but not including, `to`.", "写入从 `from_` 到 `to`（不含）的随机整数。"),
    attrs="from_=0, to=None, *, generator=None", depends=DRAWN_HERE, kernel=_random, accepts="fi", validate=_check_integers, d_x=ZERO,
)  # fmt: skip


as_function(random_stream.seed)
as_function(random_stream.seed, "manual_seed")


# ---- new tensors ------------------------------------------------------------------------------------------------------------


def _drawn(
    name: str, shape: Any, dtype: Any, draw: Callable[..., None], accepts: str = "fc", like: Tensor | None = None
) -> Tensor:
    """A tensor filled by `draw`, on the device of `like` or the current device."""
    device, wanted = device_for(like), dtypes.as_numpy(dtype)
    if wanted.kind not in accepts:
        raise errors.kernel_not_registered(dtype=wanted.name, op=name, accepts=accepts)
    out = device.empty(shape_of(name, shape), wanted)
    draw(out, device=device)
    return made(name, out, device)


_FROM_0_TO_1 = partial(random_stream.uniform, min=0, max=1, seed=0)
_STANDARD_NORMAL = partial(random_stream.normal, mean=0, std=1)


@as_function
def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of random numbers, uniformly distributed in [0, 1).

    Args:
        shape: the sizes of the axes.
        dtype: a floating-point or complex type; the default type if None.
        name: ignored.
    """
    return _drawn("rand", shape, dtype, _FROM_0_TO_1, "f")


@as_function
def rand_like(input: Tensor, name: str | None = None, *, dtype: Any = None) -> Tensor:
    """Creates a tensor of random numbers, uniformly distributed in [0, 1), with the shape of `input`."""
    return _drawn("rand_like", input.shape, input.dtype if dtype is None else dtype, _FROM_0_TO_1, "f", input)


@as_function
def uniform(
    shape: Any, dtype: Any = None, min: float = 0, max: float = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """Creates a tensor of random numbers, uniformly distributed in [`min`, `max`).

    Args:
        shape: the sizes of the axes.
        dtype: a floating-point or complex type; the default type if None.
        min: the lower bound.
        max: the upper bound.
        seed: 0 for the stream that `paddle.seed` sets; another number starts a separate stream.
        name: ignored.

    Raises:
        ArgumentError: if `min` is not smaller than `max`.
    """
    check_uniform(np.empty(0), min, max)
    return _drawn("uniform", shape, dtype, partial(random_stream.uniform, min=min, max=max, seed=seed), "f")


@as_function
def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of random numbers from the normal distribution with mean 0 and variance 1."""
    return _drawn("randn", shape, dtype, _STANDARD_NORMAL)


@as_function
def standard_normal(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of random numbers from the normal distribution with mean 0 and variance 1."""
    return _drawn("standard_normal", shape, dtype, _STANDARD_NORMAL)


@as_function
def randn_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of random numbers from the normal distribution with mean 0 and variance 1, in the shape of `x`."""
    return _drawn("randn_like", x.shape, x.dtype if dtype is None else dtype, _STANDARD_NORMAL, like=x)


@as_function
def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of random numbers from the normal distribution.

    Args:
        mean: the mean: a number, or a tensor with one value for each element.
        std: the standard deviation: the same.
        shape: the sizes of the axes, if neither is a tensor.
        name: ignored.

    Gradients flow through tensors `mean` and `std`.
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
    """Creates a tensor of random numbers whose logarithms are normally distributed.

    Args:
        mean: the mean of the logarithms.
        std: the standard deviation of the logarithms.
        shape: the sizes of the axes.
        name: ignored.
    """
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
    """Creates a tensor of random integers.

    Args:
        low: the least integer; if `high` is None, the upper bound, and the least integer is 0.
        high: the upper bound, which is excluded.
        shape: the sizes of the axes.
        dtype: the type of the elements; int64 if None.
        name: ignored.
    """
    low, high = _below(low, high)
    draw = partial(random_stream.integers, low=low, high=high)
    return _drawn("randint", shape, "int64" if dtype is None else dtype, draw, "i")


@as_function
def randint_like(
    x: Tensor, low: int = 0, high: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Creates a tensor of random integers with the shape of `x`.

    Args:
        x: a tensor.
        low: the least integer; if `high` is None, the upper bound, and the least integer is 0.
        high: the upper bound, which is excluded.
        dtype: the type of the elements; that of `x` if None.
        name: ignored.
    """
    low, high = _below(low, high)
    draw = partial(random_stream.integers, low=low, high=high)
    return _drawn("randint_like", x.shape, x.dtype if dtype is None else dtype, draw, "iuf", x)


@as_function
def randperm(n: int, dtype: Any = "int64", name: str | None = None) -> Tensor:
    """Creates a vector of the integers 0, ..., `n` - 1 in random order."""

    def draw(out: Any, device: backends.Device) -> None:
        np.copyto(out, random_stream.generator(device).permutation(len(out)), casting="unsafe")

    return _drawn("randperm", [n], dtype, draw, "if")


# ---- parameters from a tensor -------------------------------------------------------------------------------------------


@as_function
def bernoulli(x: Tensor, p: float | None = None, name: str | None = None) -> Tensor:
    """Creates a tensor of ones and zeros.

    Args:
        x: the probabilities of ones; its shape and dtype are those of the result.
        p: one probability for all elements, instead of those in `x`.
        name: ignored.

    Raises:
        IndexRangeError: if an element is not a probability.
    """
    chances = x.array if p is None else np.full_like(x.array, p)
    check_probability("bernoulli", "x" if p is None else "p", chances, zero=True)
    return _drawn("bernoulli", x.shape, x.dtype, partial(random_stream.bernoulli, p=chances), "f", x)


@as_function
def poisson(x: Tensor, name: str | None = None) -> Tensor:
    """Creates a tensor of random numbers from Poisson distributions.

    Args:
        x: the means; its shape and dtype are those of the result.
        name: ignored.
    """

    def draw(out: Any, device: backends.Device) -> None:
        np.copyto(out, random_stream.generator(device).poisson(x.array), casting="unsafe")

    if x.array.size and not x.array.min() >= 0:
        raise errors.negative_spread(op="poisson", argument="x", value=float(x.array.min()))
    return _drawn("poisson", x.shape, x.dtype, draw, "f", x)


@as_method
@as_function
def multinomial(x: Tensor, num_samples: int = 1, replacement: bool = False, name: str | None = None) -> Tensor:
    """Creates a tensor of random indices along the last axis of `x`, with the weights in `x`.

    Args:
        x: the weights, along the last axis; they need not add up to 1.
        num_samples: the number of indices.
        replacement: whether an index may be drawn twice.
        name: ignored.

    Raises:
        ArgumentError: if a weight is negative, all are zero, or without replacement there are fewer weights than samples.
    """
    _check_weights(x.array, num_samples, replacement)
    shape: Shape = (*x.array.shape[:-1], num_samples)

    def draw(out: Any, device: backends.Device) -> None:
        """The indices with the shortest exponential waiting times, whose rates are the weights."""
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
