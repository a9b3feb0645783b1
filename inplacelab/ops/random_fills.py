"""In-place operations that overwrite a tensor with random numbers from the seeded stream.

As with every overwrite, the derivative for the old value is zero; the numbers do not depend smoothly on a probability, so
its derivative is zero, too. Parameters are checked before numbers are drawn: a refused fill does not advance the stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops.arguments.attributes import plain_number
from inplacelab.ops.results import random_stream
from inplacelab.ops.table import overwrite
from inplacelab.ops.table.depends import DRAWN_HERE
from inplacelab.ops.table.row import ZERO, same

# ---- checks of parameters -----------------------------------------------------------------------------------------------


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
