"""Slopes of operations of the elements at the same position."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.layer_slopes import LAYERS, sigmoid
from inplacelab.recording.origins.slope_forms import ONE, UNKNOWN, Asked, Form, Slope, in_brackets, labeled

__all__ = ["POINTWISE", "product_of_others", "rectified"]


def _of_one(value: Callable[[float, float], float], written: str = "") -> tuple[Form, ...]:
    """An operation of one operand. `value` returns the slope from the operand and the result; in `written` they are {x} and {out}."""

    def asked_slope(asked: Asked) -> Slope:
        found = value(asked.x[0], asked.out)
        return Slope(
            found,
            written.format(x=in_brackets(asked.x[0]), out=in_brackets(asked.out)) if written else number_label(found),
        )

    return (Form(asked_slope),)


def _numbers(asked: Asked) -> list[float]:
    """The operands, and the numbers that stand for some."""
    return [*asked.x, *(value for key, value in asked.given.items() if key in ("y", "other", "weight"))]


def _of_two(*slopes: tuple[Callable[[float, float, float], float], str]) -> tuple[Form, ...]:
    """An operation of two operands: for each one its slope from both and the result, and how it is written."""

    def asked_slope(asked: Asked) -> Slope:
        x, y = _numbers(asked)[:2] if len(asked.x) > 1 or _numbers(asked)[1:] else (asked.x[0], math.nan)
        value, written = slopes[asked.at]
        found = value(x, y, asked.out)
        return (
            UNKNOWN
            if math.isnan(found)
            else Slope(found, written.format(x=in_brackets(x), y=in_brackets(y), out=in_brackets(asked.out)))
        )

    return (Form(asked_slope),)


def _of_quotient(*slopes: tuple[Callable[[float, float, float], float], str]) -> tuple[Form, ...]:
    """A division; one that rounds has no slope here."""
    (form,) = _of_two(*slopes)
    return (Form(form.slope, lambda asked: _numbers(asked)[0] / _numbers(asked)[1]),)


def _normal(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _scaled_second(asked: Asked, sign: float) -> Slope:
    alpha = asked.given.get("alpha", 1.0)
    return labeled(1.0 if asked.at == 0 else sign * alpha)


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


def _kept(asked: Asked) -> Slope:
    """Of a clip: 1 inside of the limits, 0 outside; on a limit it is not said."""
    x, limits = (
        asked.x[0],
        [*asked.x[1:], *(value for key, value in asked.given.items() if key in ("min", "max", "other", "y"))],
    )
    if x in limits or asked.at:
        return UNKNOWN
    return labeled(1.0 if x == asked.out else 0.0)


def _leaky(asked: Asked) -> Slope:
    return UNKNOWN if asked.x[0] == 0 else labeled(asked.out / asked.x[0])


def _elu(asked: Asked) -> Slope:
    alpha = asked.given.get("alpha", asked.given.get("other", 1.0))
    return labeled(1.0 if asked.x[0] > 0 else asked.out + alpha)


def _lerp(asked: Asked) -> Slope:
    x, y, weight = _numbers(asked)[:3]
    return (labeled(1 - weight), labeled(weight), Slope(y - x, f"{number_label(y)} - {in_brackets(x)}"))[asked.at]


def _lerped(asked: Asked) -> float:
    x, y, weight = _numbers(asked)[:3]
    return x + weight * (y - x)


def _added_product(asked: Asked) -> Slope:
    _, a, b = asked.x
    factor = asked.given.get("value", 1.0)
    return (ONE, labeled(factor * b), labeled(factor * a))[asked.at]


def _added_quotient(asked: Asked) -> Slope:
    _, a, b = asked.x
    factor = asked.given.get("value", 1.0)
    return (ONE, labeled(factor / b), labeled(-factor * a / b**2))[asked.at]


def _one_of(asked: Asked) -> float:
    return asked.given.get("scale", 1.0)


def rectified(asked: Asked) -> Slope:
    """Of `prelu`: a number, and the slope below 0."""
    x, weight = asked.x
    if x == 0:
        return UNKNOWN
    return labeled(1.0 if x > 0 else weight) if asked.at == 0 else labeled(0.0 if x > 0 else x)


def _approximate_gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _slope_of_approximate_gelu(x: float) -> float:
    inner = math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * (1 + inner) + 0.5 * x * (1 - inner**2) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)


def _mish_slope(x: float) -> float:
    inner = math.tanh(math.log1p(math.exp(x)))
    return inner + x * (1 - inner**2) * sigmoid(x)


def _piece(asked: Asked) -> Slope:
    """Of an operation that leaves a number as it is, or moves it by a constant, or puts a constant there."""
    x, edge = asked.x[0], asked.given.get("threshold", 0.5)
    if abs(x) == edge:
        return UNKNOWN
    return labeled(0.0 if asked.out in (0.0, asked.given.get("value", 0.0)) else 1.0)


_SELU = 1.0507009873554805, 1.0507009873554805 * 1.6732632423543772


POINTWISE: Mapping[str, tuple[Form, ...]] = {
    **LAYERS,
    "add": (Form(lambda asked: _scaled_second(asked, 1.0)),),
    "subtract": (Form(lambda asked: _scaled_second(asked, -1.0)),),
    "multiply": (Form(product_of_others),),
    "divide": _of_quotient((lambda x, y, out: 1 / y, "1 / {y}"), (lambda x, y, out: -x / y**2, "-{x} / {y}²")),
    "rsub": (Form(lambda asked: labeled(-1.0 if asked.at == 0 else 1.0)),),
    "rtruediv": _of_two((lambda x, y, out: -y / x**2, "-{y} / {x}²"), (lambda x, y, out: 1 / x, "1 / {x}")),
    "scale": (Form(lambda asked: labeled(_one_of(asked))),),
    "neg": _of_one(lambda x, out: -1.0, "-1"),
    "square": _of_one(lambda x, out: 2 * x, "2 · {x}"),
    "pow": (Form(_power),),
    "rpow": _of_two((lambda x, y, out: out * math.log(y), "{out} · log({y})")),
    "sqrt": _of_one(lambda x, out: 0.5 / out, "1 / (2 · {out})"),
    "rsqrt": _of_one(lambda x, out: -0.5 * out**3, "-{out}³ / 2"),
    "reciprocal": _of_one(lambda x, out: -out * out, "-{out}²"),
    "exp": _of_one(lambda x, out: out, "{out}"),
    "exp2": _of_one(lambda x, out: out * math.log(2), "{out} · log(2)"),
    "expm1": _of_one(lambda x, out: out + 1, "{out} + 1"),
    "log": _of_one(lambda x, out: 1 / x, "1 / {x}"),
    "log1p": _of_one(lambda x, out: 1 / (1 + x), "1 / (1 + {x})"),
    "log2": _of_one(lambda x, out: 1 / (x * math.log(2)), "1 / ({x} · log(2))"),
    "log10": _of_one(lambda x, out: 1 / (x * math.log(10)), "1 / ({x} · log(10))"),
    "sin": _of_one(lambda x, out: math.cos(x), "cos({x})"),
    "cos": _of_one(lambda x, out: -math.sin(x), "-sin({x})"),
    "tan": _of_one(lambda x, out: 1 + out * out, "1 + {out}²"),
    "asin": _of_one(lambda x, out: 1 / math.sqrt(1 - x * x), "1 / √(1 - {x}²)"),
    "acos": _of_one(lambda x, out: -1 / math.sqrt(1 - x * x), "-1 / √(1 - {x}²)"),
    "atan": _of_one(lambda x, out: 1 / (1 + x * x), "1 / (1 + {x}²)"),
    "sinh": _of_one(lambda x, out: math.cosh(x), "cosh({x})"),
    "cosh": _of_one(lambda x, out: math.sinh(x), "sinh({x})"),
    "tanh": _of_one(lambda x, out: 1 - out * out, "1 - {out}²"),
    "sigmoid": _of_one(lambda x, out: out * (1 - out), "{out} · (1 - {out})"),
    "logsigmoid": _of_one(lambda x, out: 1 - math.exp(out), "1 - exp({out})"),
    "erf": _of_one(lambda x, out: 2 / math.sqrt(math.pi) * math.exp(-x * x), "2 / √π · exp(-{x}²)"),
    "relu": _of_one(lambda x, out: 1.0 if out > 0 else 0.0),
    "relu6": _of_one(lambda x, out: 1.0 if 0 < out < 6 else 0.0),
    "silu": (Form(lambda asked: labeled(sigmoid(asked.x[0]) * (1 + asked.x[0] - asked.out)), lambda asked: asked.x[0] * sigmoid(asked.x[0])),),
    "gelu": (
        Form(lambda asked: labeled(_normal(asked.x[0]) + asked.x[0] * _density(asked.x[0])), lambda asked: asked.x[0] * _normal(asked.x[0])),
        Form(lambda asked: labeled(_slope_of_approximate_gelu(asked.x[0])), lambda asked: _approximate_gelu(asked.x[0])),
    ),
    "softplus": (Form(lambda asked: labeled(sigmoid(asked.x[0])), lambda asked: math.log1p(math.exp(asked.x[0]))),),
    "selu": _of_one(lambda x, out: _SELU[0] if x > 0 else out + _SELU[1]),
    "celu": (Form(lambda asked: labeled(1.0 if asked.x[0] > 0 else math.exp(asked.x[0] / asked.given.get("alpha", 1.0)))),),
    "mish": _of_one(lambda x, out: _mish_slope(x)),
    "hardsigmoid": _of_one(lambda x, out: 1 / 6 if 0 < out < 1 else 0.0),
    "hardswish": _of_one(lambda x, out: 0.0 if x < -3 else 1.0 if x > 3 else (2 * x + 3) / 6),
    "prelu": (Form(rectified),),
    **dict.fromkeys(("hardshrink", "softshrink", "thresholded_relu"), (Form(_piece),)),
    "tanhshrink": _of_one(lambda x, out: (x - out) ** 2),
    "stanh": _of_one(lambda x, out: 0.67 * (1.7159 - out * out / 1.7159)),
    "logit": (
        Form(lambda asked: labeled(1 / (asked.x[0] * (1 - asked.x[0]))), lambda asked: math.log(asked.x[0] / (1 - asked.x[0]))),
        Form(lambda asked: Slope(0.0, "0")),  # clipped to its limits first
    ),
    "sinc": _of_one(lambda x, out: (math.cos(math.pi * x) - out) / x if x else 0.0),
    "copysign": (Form(lambda asked: labeled(math.copysign(1.0, asked.x[0]) * math.copysign(1.0, asked.out) if asked.at == 0 else 0.0)),),
    **dict.fromkeys(("xlogy", "special_xlogy"), _of_two((lambda x, y, out: math.log(y), "log({y})"), (lambda x, y, out: x / y, "{x} / {y}"))),
    "heaviside": (Form(lambda asked: UNKNOWN if asked.x[0] == 0 else Slope(0.0, "0")),),
    **dict.fromkeys(("add_n", "increment"), (Form(lambda asked: ONE),)),
    "label_smooth": (Form(lambda asked: labeled(1 - asked.given.get("epsilon", 0.1)) if len(asked.x) == 1 else UNKNOWN),),
    "softsign": _of_one(lambda x, out: 1 / (1 + abs(x)) ** 2, "1 / (1 + |{x}|)²"),
    "leaky_relu": (Form(_leaky),),
    "elu": (Form(_elu, lambda asked: asked.x[0] if asked.x[0] > 0 else asked.given.get("alpha", asked.given.get("other", 1.0)) * math.expm1(asked.x[0])),),
    "clip": (Form(_kept),),
    "hardtanh": (Form(_kept),),
    "abs": _of_one(lambda x, out: math.copysign(1.0, x) if x else 0.0),
    **{name: _of_one(lambda x, out: 0.0, "0") for name in ("sign", "floor", "ceil", "round", "trunc", "floor_divide")},
    "nan_to_num": _of_one(lambda x, out: 1.0 if x == out else 0.0),
    "frac": _of_one(lambda x, out: 1.0, "1"),
    "lerp": (Form(_lerp, _lerped),),
    "addcmul": (Form(_added_product, lambda asked: asked.x[0] + asked.given.get("value", 1.0) * asked.x[1] * asked.x[2]),),
    "addcdiv": (Form(_added_quotient, lambda asked: asked.x[0] + asked.given.get("value", 1.0) * asked.x[1] / asked.x[2]),),
    "hypot": _of_two((lambda x, y, out: x / out, "{x} / {out}"), (lambda x, y, out: y / out, "{y} / {out}")),
    "atan2": _of_two((lambda x, y, out: y / (x * x + y * y), "{y} / ({x}² + {y}²)"), (lambda x, y, out: -x / (x * x + y * y), "-{x} / ({x}² + {y}²)")),
    "logaddexp": _of_two((lambda x, y, out: math.exp(x - out), "exp({x} - {out})"), (lambda x, y, out: math.exp(y - out), "exp({y} - {out})")),
    "remainder": _of_two((lambda x, y, out: 1.0, "1"), (lambda x, y, out: -round((x - out) / y), "-({x} - {out}) / {y}")),
}  # fmt: skip
