"""Slopes of operations along axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.layer_slopes import LAYERS, mean, softmax
from inplacelab.recording.origins.pointwise_slopes import product_of_others, rectified
from inplacelab.recording.origins.slope_forms import ONE, UNKNOWN, Asked, Form, Slope, in_brackets, labeled

__all__ = ["ALONG_AXES"]


def _log_sum(x: Sequence[float]) -> float:
    return max(x) + math.log(sum(math.exp(each - max(x)) for each in x))


def _own(asked: Asked) -> int:
    if asked.own is None:
        raise ValueError
    return asked.own


def _of_softmax(asked: Asked) -> Slope:
    shares = softmax(asked.x)
    out, other = shares[_own(asked)], shares[asked.at]
    if asked.at == asked.own:
        return Slope(out * (1 - out), f"{number_label(out)} · (1 - {number_label(out)})")
    return Slope(-out * other, f"-{number_label(out)} · {number_label(other)}")


def _of_log_softmax(asked: Asked) -> Slope:
    share = softmax(asked.x)[asked.at]
    if asked.at == _own(asked):
        return Slope(1 - share, f"1 - {number_label(share)}")
    return Slope(-share, f"-{number_label(share)}")


def _variance(x: Sequence[float], correction: int) -> float:
    return sum((each - mean(x)) ** 2 for each in x) / (len(x) - correction)


def _of_variance(correction: int) -> Form:
    def value(asked: Asked) -> Slope:
        x, center = asked.x[asked.at], mean(asked.x)
        count = len(asked.x) - correction
        return Slope(2 * (x - center) / count, f"2 · ({number_label(x)} - {in_brackets(center)}) / {count}")

    return Form(value, lambda asked: _variance(asked.x, correction))


def _of_deviation(correction: int) -> Form:
    def value(asked: Asked) -> Slope:
        x, center = asked.x[asked.at], mean(asked.x)
        count = len(asked.x) - correction
        return Slope(
            (x - center) / (count * asked.out),
            f"({number_label(x)} - {in_brackets(center)}) / ({count} · {number_label(asked.out)})",
        )

    return Form(value, lambda asked: math.sqrt(_variance(asked.x, correction)))


def _of_norm(p: int) -> Form:
    def value(asked: Asked) -> Slope:
        x = asked.x[asked.at]
        if p == 1:
            return labeled(math.copysign(1.0, x) if x else 0.0)
        if p == 2:
            return Slope(x / asked.out, f"{number_label(x)} / {number_label(asked.out)}")
        return labeled(math.copysign(abs(x) ** (p - 1), x) / asked.out ** (p - 1))

    return Form(value, lambda asked: sum(abs(each) ** p for each in asked.x) ** (1 / p))


def _largest_size(asked: Asked) -> Slope:
    return labeled(math.copysign(1.0, asked.x[asked.at])) if len(asked.x) == 1 else UNKNOWN


_MEAN = Form(lambda asked: Slope(1 / len(asked.x), f"1 / {len(asked.x)}"), lambda asked: mean(asked.x))


_LOG_SUM = Form(
    lambda asked: Slope(
        math.exp(asked.x[asked.at] - asked.out), f"exp({number_label(asked.x[asked.at])} - {in_brackets(asked.out)})"
    ),
    lambda asked: _log_sum(asked.x),
)


def _shares_of_smallest(asked: Asked) -> list[float]:
    return softmax([-each for each in asked.x])


def _of_softmin(asked: Asked) -> Slope:
    shares = _shares_of_smallest(asked)
    out, other = shares[_own(asked)], shares[asked.at]
    return labeled(-out * (1 - out) if asked.at == asked.own else out * other)


ALONG_AXES: Mapping[str, tuple[Form, ...]] = {
    **LAYERS,
    "sum": (Form(lambda asked: ONE),),
    "nansum": (Form(lambda asked: ONE, lambda asked: sum(asked.x)),),
    "nanmean": (_MEAN,),
    "var_mean": (_of_variance(1), _of_variance(0), _MEAN),
    "std_mean": (_of_deviation(1), _of_deviation(0), _MEAN),
    "cumsum": (Form(lambda asked: ONE),),
    "mean": (Form(_MEAN.slope),),
    "prod": (Form(product_of_others, lambda asked: math.prod(asked.x)),),
    "cumprod": (Form(product_of_others, lambda asked: math.prod(asked.x)),),
    "softmax": (Form(_of_softmax, lambda asked: softmax(asked.x)[_own(asked)]),),
    "log_softmax": (Form(_of_log_softmax, lambda asked: asked.x[_own(asked)] - _log_sum(asked.x)),),
    "softmin": (Form(_of_softmin, lambda asked: _shares_of_smallest(asked)[_own(asked)]),),
    "prelu": (Form(rectified),),
    "logcumsumexp": (_LOG_SUM,),
    "logsumexp": (_LOG_SUM,),
    "var": (_of_variance(1), _of_variance(0)),
    "std": (_of_deviation(1), _of_deviation(0)),
    "norm": (Form(_largest_size, lambda asked: abs(asked.x[0]) if len(asked.x) == 1 else math.nan), _of_norm(2), _of_norm(1), _of_norm(3)),
}  # fmt: skip
"""The forms of operations along axes; the first one that yields the result holds."""
