"""What a slope is, and the slopes of operations: of elements at one position, along axes, and of layers that a framework computes in one operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.back import signed


@dataclass(frozen=True, slots=True)
class Slope:
    """How strongly a result follows one of its origins.

    Attributes:
        value: the factor; None if it is not known.
        written: how it is computed, from the numbers: "2 · 3".
    """

    value: float | None
    written: str


UNKNOWN = Slope(None, "?")
ONE = Slope(1.0, "1")


class Asked(NamedTuple):
    """A question for a slope.

    Attributes:
        x: the values of the origins, in the order of the arithmetic.
        at: which of them is meant.
        own: which of them is at the position of the result; None if none is.
        out: the result.
        given: the numbers beside the operands.
        listed: the labels of a loss, in order.
        line: how many of the origins are elements of the first operand; further operands come after them.
    """

    x: Sequence[float]
    at: int
    own: int | None
    out: float
    given: Mapping[str, float]
    listed: Sequence[float] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Form:
    """The slopes of an operation.

    Attributes:
        slope: returns the slope.
        value: returns the result, which must be the recorded one; None if the operation has only this form.
    """

    slope: Callable[[Asked], Slope]
    value: Callable[[Asked], float] | None = None


def in_brackets(value: float) -> str:
    """A number after an operator."""
    return signed(number_label(value))


def labeled(value: float) -> Slope:
    """A slope that is written as its value."""
    return Slope(value, number_label(value))


def _mean(x: Sequence[float]) -> float:
    return sum(x) / len(x)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def softmax(x: Sequence[float]) -> list[float]:
    """The shares of numbers in the sum of their exponentials."""
    powers = [math.exp(each - max(x)) for each in x]
    return [each / sum(powers) for each in powers]


def _sign(x: float) -> float:
    return math.copysign(1.0, x) if x else 0.0


# --- operations of the elements at the same position ---


def _of_one(value: Callable[[float, float], float], written: str = "") -> tuple[Form, ...]:
    """An operation of one operand. `value` returns the slope from the operand and the result; in `written` they are {x} and {out}."""

    def form_slope(asked: Asked) -> Slope:
        found = value(asked.x[0], asked.out)
        said = written.format(x=in_brackets(asked.x[0]), out=in_brackets(asked.out))
        return Slope(found, said or number_label(found))

    return (Form(form_slope),)


def _of_value(value: Callable[[float], float], result: Callable[[float], float]) -> Form:
    """An operation of one operand with several forms: its slope, and its result."""
    return Form(lambda asked: labeled(value(asked.x[0])), lambda asked: result(asked.x[0]))


def _numbers(asked: Asked) -> list[float]:
    """The operands, and the numbers that stand for some."""
    return [*asked.x, *(value for key, value in asked.given.items() if key in ("y", "other", "weight"))]


def _of_two(
    *slopes: tuple[Callable[[float, float, float], float], str], result: Callable[[float, float], float] | None = None
) -> tuple[Form, ...]:
    """An operation of two operands: for each one its slope from both and the result, and how it is written."""

    def form_slope(asked: Asked) -> Slope:
        x, y = [*_numbers(asked), math.nan][:2]
        value, written = slopes[asked.at]
        found = value(x, y, asked.out)
        said = written.format(x=in_brackets(x), y=in_brackets(y), out=in_brackets(asked.out))
        return UNKNOWN if math.isnan(found) else Slope(found, said)

    return (Form(form_slope, result and (lambda asked: result(*[*_numbers(asked), math.nan][:2]))),)


def _scaled_second(sign: float) -> tuple[Form, ...]:
    """X + alpha · y, or with a minus."""
    return (Form(lambda asked: labeled(sign * asked.given.get("alpha", 1.0) if asked.at else 1.0)),)


def _power(asked: Asked) -> Slope:
    x, y = _numbers(asked)[:2]
    if asked.at == 1:
        return Slope(asked.out * math.log(x), f"{in_brackets(asked.out)} · log({number_label(x)})")
    if y == 2:
        return Slope(2 * x, f"2 · {in_brackets(x)}")
    return Slope(y * x ** (y - 1), f"{number_label(y)} · {in_brackets(x)} ^ ({number_label(y)} - 1)")


def product_of_others(asked: Asked) -> Slope:
    """Of a product: the other factors."""
    rest = [value for k, value in enumerate(_numbers(asked)) if k != asked.at]
    return Slope(math.prod(rest), number_label(rest[0]) if len(rest) == 1 else " · ".join(map(in_brackets, rest)))


def _clipped(asked: Asked) -> Slope:
    """Of a clip: 1 inside of the limits, 0 outside; on a limit it is not said."""
    x = asked.x[0]
    limits = [*asked.x[1:], *(value for key, value in asked.given.items() if key in ("min", "max", "other", "y"))]
    if x in limits or asked.at:
        return UNKNOWN
    return labeled(1.0 if x == asked.out else 0.0)


def _alpha(asked: Asked) -> float:
    return asked.given.get("alpha", asked.given.get("other", 1.0))


_ELU = Form(
    lambda asked: labeled(1.0 if asked.x[0] > 0 else asked.out + _alpha(asked)),
    lambda asked: asked.x[0] if asked.x[0] > 0 else _alpha(asked) * math.expm1(asked.x[0]),
)


def _lerp(asked: Asked) -> Slope:
    x, y, weight = _numbers(asked)[:3]
    return (labeled(1 - weight), labeled(weight), Slope(y - x, f"{number_label(y)} - {in_brackets(x)}"))[asked.at]


def _lerped(asked: Asked) -> float:
    x, y, weight = _numbers(asked)[:3]
    return x + weight * (y - x)


def _added(value: Callable[[float, float], float], *slopes: Callable[[float, float], float]) -> tuple[Form, ...]:
    """X + factor · value(a, b), as `addcmul` and `addcdiv` compute it, with the slopes of value."""

    def form_slope(asked: Asked) -> Slope:
        return labeled(asked.given.get("value", 1.0) * slopes[asked.at - 1](*asked.x[1:])) if asked.at else ONE

    return (Form(form_slope, lambda asked: asked.x[0] + asked.given.get("value", 1.0) * value(*asked.x[1:])),)


def _gelu(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def _gelu_slope(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2))) + x * (math.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def _gelu_by_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _gelu_by_tanh_slope(x: float) -> float:
    inner = math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * (1 + inner) + 0.5 * x * (1 - inner**2) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)


# --- operations along axes ---


def _own(asked: Asked) -> int:
    if asked.own is None:
        raise ValueError
    return asked.own


def _log_sum(x: Sequence[float]) -> float:
    return max(x) + math.log(sum(math.exp(each - max(x)) for each in x))


def _of_softmax(asked: Asked) -> Slope:
    shares = softmax(asked.x)
    out, other = number_label(shares[_own(asked)]), number_label(shares[asked.at])
    if asked.at == asked.own:
        return Slope(shares[asked.at] * (1 - shares[asked.at]), f"{out} · (1 - {out})")
    return Slope(-shares[_own(asked)] * shares[asked.at], f"-{out} · {other}")


def _of_log_softmax(asked: Asked) -> Slope:
    share = softmax(asked.x)[asked.at]
    if asked.at == _own(asked):
        return Slope(1 - share, f"1 - {number_label(share)}")
    return Slope(-share, f"-{number_label(share)}")


def _variance(x: Sequence[float], correction: int) -> float:
    return sum((each - _mean(x)) ** 2 for each in x) / (len(x) - correction)


def _of_variance(correction: int, *, root: bool = False) -> Form:
    """Of a variance, or of its square root."""

    def form_slope(asked: Asked) -> Slope:
        x, center, count = asked.x[asked.at], _mean(asked.x), len(asked.x) - correction
        moved = f"({number_label(x)} - {in_brackets(center)})"
        if root:
            return Slope((x - center) / (count * asked.out), f"{moved} / ({count} · {number_label(asked.out)})")
        return Slope(2 * (x - center) / count, f"2 · {moved} / {count}")

    def value(asked: Asked) -> float:
        found = _variance(asked.x, correction)
        return math.sqrt(found) if root else found

    return Form(form_slope, value)


def _of_norm(p: int) -> Form:
    def form_slope(asked: Asked) -> Slope:
        x = asked.x[asked.at]
        if p == 2:
            return Slope(x / asked.out, f"{number_label(x)} / {number_label(asked.out)}")
        return labeled(_sign(x))

    return Form(form_slope, lambda asked: sum(abs(each) ** p for each in asked.x) ** (1 / p))


def _length(asked: Asked) -> float:
    return float(sum(each**2 for each in asked.x) ** 0.5)


def _of_unit_length(asked: Asked) -> Slope:
    own, length, same = _own(asked), _length(asked), float(asked.at == asked.own)
    return labeled((same - asked.x[own] * (asked.x[asked.at] / length) / length) / length)


def _of_largest_size(asked: Asked) -> Slope:
    return labeled(math.copysign(1.0, asked.x[asked.at])) if len(asked.x) == 1 else UNKNOWN


_MEAN = Form(lambda asked: Slope(1 / len(asked.x), f"1 / {len(asked.x)}"))
_SUM = Form(lambda asked: ONE)
_PRODUCT = Form(product_of_others, lambda asked: math.prod(asked.x))


def _of_log_sum(asked: Asked) -> Slope:
    x = asked.x[asked.at]
    return Slope(math.exp(x - asked.out), f"exp({number_label(x)} - {in_brackets(asked.out)})")


# --- layers and losses that a framework computes in one operation ---

_EPSILONS = (1e-5, 1e-6, 1e-12, 1e-3)
"""What is usually added to a variance: the one that explains the result is taken."""


def _normalization(usual: float, *, centered: bool = True) -> Form:
    """(x - mean) / √(variance + ε), times a weight, plus a bias: of the numbers in a line, then at most two others. `rms_norm` subtracts no mean."""

    def parts(asked: Asked) -> tuple[list[float], float, float, float]:
        line = asked.x[: asked.line]
        if asked.line < 2 or len(asked.x) > asked.line + 2:
            raise ValueError  # by running statistics, which are operands
        weight, bias = [*asked.x[asked.line :], *(1.0, 0.0)[len(asked.x) - asked.line :]][:2]
        center = _mean(line) if centered else 0.0
        deviation = math.sqrt(_mean([(each - center) ** 2 for each in line]) + asked.given.get("epsilon", usual))
        return [(each - center) / deviation for each in line], deviation, weight, bias

    def value(asked: Asked) -> float:
        scaled, _, weight, bias = parts(asked)
        return scaled[asked.own or 0] * weight + bias

    def form_slope(asked: Asked) -> Slope:
        scaled, deviation, weight, _ = parts(asked)
        own, count = asked.own or 0, asked.line
        if asked.at >= count:
            return labeled(scaled[own] if asked.at == count else 1.0)
        same = 1.0 if asked.at == own else 0.0
        moves = 1 / count if centered else 0.0
        return labeled(weight / deviation * (same - moves - scaled[own] * scaled[asked.at] / count))

    return Form(form_slope, value)


_OfPair = Callable[[float, float], float]


def _loss(value: _OfPair, by_x: _OfPair, by_target: _OfPair) -> tuple[Form, ...]:
    """A loss of two tensors of one shape: a mean or a sum of what `value` returns for each pair."""

    def pairs(asked: Asked) -> list[tuple[float, float]]:
        half = len(asked.x) // 2
        return list(zip(asked.x[:half], asked.x[half:], strict=True))

    def form(divide: bool) -> Form:
        def form_slope(asked: Asked) -> Slope:
            here = pairs(asked)
            found = (by_x if asked.at < len(here) else by_target)(*here[asked.at % len(here)])
            if not divide or len(here) == 1:
                return labeled(found)
            return Slope(found / len(here), f"{number_label(found)} / {len(here)}")

        def value_of(asked: Asked) -> float:
            here = [value(x, target) for x, target in pairs(asked)]
            return sum(here) / (len(here) if divide else 1)

        return Form(form_slope, value_of)

    return form(True), form(False)


def _cross_entropy(divide: bool) -> Form:
    """Of scores and the numbers of the right classes: a mean or a sum over the examples."""

    def lines(asked: Asked) -> list[list[float]]:
        if "smoothing" in asked.given:
            raise ValueError
        wide = len(asked.x) // len(asked.listed)
        return [softmax(asked.x[k * wide : (k + 1) * wide]) for k in range(len(asked.listed))]

    def value(asked: Asked) -> float:
        losses = [-math.log(shares[int(label)]) for shares, label in zip(lines(asked), asked.listed, strict=True)]
        return sum(losses) / (len(losses) if divide else 1)

    def form_slope(asked: Asked) -> Slope:
        shares = lines(asked)
        row, column = divmod(asked.at, len(shares[0]))
        share, right = shares[row][column], column == asked.listed[row]
        said = f"{number_label(share)}{' - 1' if right else ''}"
        if divide and len(shares) > 1:
            return Slope(
                (share - right) / len(shares), f"({said}) / {len(shares)}" if right else f"{said} / {len(shares)}"
            )
        return Slope(share - right, said)

    return Form(form_slope, value)


def _of_share(asked: Asked) -> Slope:
    """Of the negative logarithm of the share of one of the scores: the one that explains the result."""
    if "classes" in asked.given:
        return UNKNOWN  # shares are wanted, not one class
    shares = softmax(asked.x)
    labels = [
        k for k, share in enumerate(shares) if math.isclose(-math.log(share), asked.out, rel_tol=1e-4, abs_tol=1e-6)
    ]
    if len(labels) != 1:
        return UNKNOWN
    right = " - 1" if asked.at == labels[0] else ""
    return Slope(shares[asked.at] - bool(right), f"{number_label(shares[asked.at])}{right}")


def _picked(divide: bool) -> Form:
    """The negative mean, or sum, of the scores of the right classes."""
    return Form(
        lambda asked: labeled(-1 / (len(asked.x) if divide else 1)),
        lambda asked: -sum(asked.x) / (len(asked.x) if divide else 1),
    )


_CROSS_ENTROPY = _loss(
    lambda x, t: -t * math.log(x) - (1 - t) * math.log(1 - x),
    lambda x, t: (x - t) / (x * (1 - x)),
    lambda x, t: math.log(1 - x) - math.log(x),
)
_CROSS_ENTROPY_OF_LOGITS = _loss(
    lambda x, t: max(x, 0.0) - x * t + math.log1p(math.exp(-abs(x))), lambda x, t: _sigmoid(x) - t, lambda x, t: -x
)

FORMS: Mapping[str, tuple[Form, ...]] = {
    "add": _scaled_second(1.0), "subtract": _scaled_second(-1.0), **dict.fromkeys(("add_n", "increment"), (_SUM,)),
    "multiply": (Form(product_of_others),),
    "divide": _of_two((lambda x, y, out: 1 / y, "1 / {y}"), (lambda x, y, out: -x / y**2, "-{x} / {y}²"), result=lambda x, y: x / y),  # one that rounds has no slope
    "rsub": (Form(lambda asked: labeled(1.0 if asked.at else -1.0)),),
    "rtruediv": _of_two((lambda x, y, out: -y / x**2, "-{y} / {x}²"), (lambda x, y, out: 1 / x, "1 / {x}")),
    "scale": (Form(lambda asked: labeled(asked.given.get("scale", 1.0))),),
    "neg": _of_one(lambda x, out: -1.0, "-1"),
    "square": _of_one(lambda x, out: 2 * x, "2 · {x}"),
    "pow": (Form(_power),),
    "rpow": _of_two((lambda x, y, out: out * math.log(y), "{out} · log({y})")),
    "sqrt": _of_one(lambda x, out: 0.5 / out, "1 / (2 · {out})"),
    "rsqrt": _of_one(lambda x, out: -0.5 * out**3, "-{out}³ / 2"),
    "reciprocal": _of_one(lambda x, out: -out * out, "-{out}²"),
    "exp": _of_one(lambda x, out: out, "{out}"),
    "expm1": _of_one(lambda x, out: out + 1, "{out} + 1"),
    "log": _of_one(lambda x, out: 1 / x, "1 / {x}"),
    "log1p": _of_one(lambda x, out: 1 / (1 + x), "1 / (1 + {x})"),
    "log2": _of_one(lambda x, out: 1 / (x * math.log(2)), "1 / ({x} · log(2))"),
    "log10": _of_one(lambda x, out: 1 / (x * math.log(10)), "1 / ({x} · log(10))"),
    "sin": _of_one(lambda x, out: math.cos(x), "cos({x})"),
    "cos": _of_one(lambda x, out: -math.sin(x), "-sin({x})"),
    "tan": _of_one(lambda x, out: 1 + out * out, "1 + {out}²"),
    "atan": _of_one(lambda x, out: 1 / (1 + x * x), "1 / (1 + {x}²)"),
    "tanh": _of_one(lambda x, out: 1 - out * out, "1 - {out}²"),
    "sigmoid": _of_one(lambda x, out: out * (1 - out), "{out} · (1 - {out})"),
    "logsigmoid": _of_one(lambda x, out: 1 - math.exp(out), "1 - exp({out})"),
    "erf": _of_one(lambda x, out: 2 / math.sqrt(math.pi) * math.exp(-x * x), "2 / √π · exp(-{x}²)"),
    "relu": _of_one(lambda x, out: 1.0 if out > 0 else 0.0),
    "relu6": _of_one(lambda x, out: 1.0 if 0 < out < 6 else 0.0),
    "silu": (Form(lambda asked: labeled(_sigmoid(asked.x[0]) * (1 + asked.x[0] - asked.out)), lambda asked: asked.x[0] * _sigmoid(asked.x[0])),),
    "gelu": (_of_value(_gelu_slope, _gelu), _of_value(_gelu_by_tanh_slope, _gelu_by_tanh)),
    "softplus": (_of_value(_sigmoid, lambda x: math.log1p(math.exp(x))),),
    "softsign": _of_one(lambda x, out: 1 / (1 + abs(x)) ** 2, "1 / (1 + |{x}|)²"),
    "leaky_relu": (Form(lambda asked: labeled(asked.out / asked.x[0]) if asked.x[0] else UNKNOWN),),
    "elu": (_ELU,),
    **dict.fromkeys(("clip", "hardtanh"), (Form(_clipped),)),
    "abs": _of_one(lambda x, out: _sign(x)),
    **{name: _of_one(lambda x, out: 0.0, "0") for name in ("sign", "floor", "ceil", "round", "trunc", "floor_divide")},
    "nan_to_num": _of_one(lambda x, out: 1.0 if x == out else 0.0),
    "lerp": (Form(_lerp, _lerped),),
    "addcmul": _added(lambda a, b: a * b, lambda a, b: b, lambda a, b: a),
    "addcdiv": _added(lambda a, b: a / b, lambda a, b: 1 / b, lambda a, b: -a / b**2),
    "hypot": _of_two((lambda x, y, out: x / out, "{x} / {out}"), (lambda x, y, out: y / out, "{y} / {out}")),
    "atan2": _of_two((lambda x, y, out: y / (x * x + y * y), "{y} / ({x}² + {y}²)"), (lambda x, y, out: -x / (x * x + y * y), "-{x} / ({x}² + {y}²)")),
    "logaddexp": _of_two((lambda x, y, out: math.exp(x - out), "exp({x} - {out})"), (lambda x, y, out: math.exp(y - out), "exp({y} - {out})")),
    **dict.fromkeys(("sum", "cumsum"), (_SUM,)), "mean": (_MEAN,), **dict.fromkeys(("prod", "cumprod"), (_PRODUCT,)),
    "softmax": (Form(_of_softmax, lambda asked: softmax(asked.x)[_own(asked)]),),
    "log_softmax": (Form(_of_log_softmax, lambda asked: asked.x[_own(asked)] - _log_sum(asked.x)),),
    "logsumexp": (Form(_of_log_sum, lambda asked: _log_sum(asked.x)),),
    "var": (_of_variance(1), _of_variance(0)), "std": (_of_variance(1, root=True), _of_variance(0, root=True)),
    "norm": (Form(_of_largest_size, lambda asked: abs(asked.x[0]) if len(asked.x) == 1 else math.nan), _of_norm(2), _of_norm(1)),
    "normalize": (Form(_of_unit_length, lambda asked: asked.x[_own(asked)] / _length(asked)),),
    **dict.fromkeys(("layer_norm", "batch_norm", "group_norm", "instance_norm"), tuple(map(_normalization, _EPSILONS))),
    "rms_norm": tuple(_normalization(each, centered=False) for each in (2**-52, 2**-23, *_EPSILONS)),
    "mse_loss": _loss(lambda x, t: (x - t) ** 2, lambda x, t: 2 * (x - t), lambda x, t: -2 * (x - t)),
    "l1_loss": _loss(lambda x, t: abs(x - t), lambda x, t: _sign(x - t), lambda x, t: -_sign(x - t)),
    **dict.fromkeys(("binary_cross_entropy", "bce_loss"), _CROSS_ENTROPY),
    **dict.fromkeys(("binary_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"), _CROSS_ENTROPY_OF_LOGITS),
    "cross_entropy": (_cross_entropy(True), _cross_entropy(False)), "cross_entropy_with_softmax": (Form(_of_share),),
    "nll_loss": (_picked(True), _picked(False)),
}  # fmt: skip
"""The forms of operations; the first one that yields the result holds."""
