"""Says how strongly a result follows one of the numbers that it was computed from: the factor that backward multiplies by.

An operation that is not in a table has no known slope. Where an argument that is not recorded decides (the `p` of a norm, the `correction` of a
variance), the form that yields the recorded result is taken; if none does, the slope is not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inplacelab.dependence import Dependence
from inplacelab.recording.facts import Number
from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.arithmetic import ADDING, COPIES, plain_name, signed

__all__ = ["UNKNOWN", "Slope", "slope"]

Given = Mapping[str, float]


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
_ONE = Slope(1.0, "1")


class Asked(NamedTuple):
    """A question for a slope.

    Attributes:
        x: the values of the origins, in the order of the arithmetic.
        at: which of them is meant.
        own: which of them is at the position of the result; None if none is.
        out: the result.
        given: the numbers beside the operands.
    """

    x: Sequence[float]
    at: int
    own: int | None
    out: float
    given: Given


def slope(
    op: str | None,
    depends: Dependence,
    operands: Sequence[Number | None],
    at: int,
    result: Number | None,
    *,
    own: int | None = None,
    checked: bool = True,
) -> Slope:
    """Returns the slope of a result with respect to one of its origins.

    Args:
        op: the operation.
        depends: how it depends on its operands.
        operands: the values of its origins, in the order of the arithmetic.
        at: which of them.
        result: its value.
        own: which of the origins is at the same position as the result, for operations along an axis.
        checked: whether the form must yield the result; not if some of the values were overwritten since.
    """
    given = {each.name: float(each.value.real) for each in depends.given}
    real = [float(each) for each in operands if isinstance(each, bool | int | float)]
    if len(real) != len(operands) or not isinstance(result, bool | int | float):
        return _without_values(plain_name(op), depends)
    asked = Asked(real, at, own, float(result), given)
    try:
        return _slope((op or "?").rstrip("_"), depends, asked, checked=checked)
    except (ZeroDivisionError, ValueError, OverflowError, IndexError):
        return UNKNOWN


def _without_values(name: str, depends: Dependence) -> Slope:
    return (
        _ONE
        if name in COPIES or (depends.how in _MOVES and name != "dropout") or name in ("sum", "cumsum")
        else UNKNOWN
    )


_MOVES = ("moved", "chosen", "reordered", "joined", "stacked")
"""Rules by which an element is another one."""


def _slope(op: str, depends: Dependence, asked: Asked, *, checked: bool) -> Slope:  # noqa: PLR0911  # one case after the other
    name = plain_name(op)
    if name == "dropout":
        return _labelled(asked.out / asked.x[0]) if asked.x[0] else UNKNOWN
    if name in COPIES or depends.how in _MOVES:
        return (
            _ONE
            if not checked or len(asked.x) > 1 or _close(asked.x[0], asked.out) or not math.isfinite(asked.out)
            else UNKNOWN
        )
    if depends.how == "written" and (depends.text == "assigned" or name in ADDING):
        adds = depends.text == "assigned" or not checked or _close(sum(asked.x), asked.out)
        return _ONE if adds else UNKNOWN
    if depends.how in ("contracted", "windowed"):
        return _of_product(depends, asked)
    if name in ("max", "min", "maximum", "minimum") and depends.rule:
        return _of_largest(op, depends, asked)
    for form in _ALONG_AXES.get(name, ()) if depends.how != "pointwise" else _POINTWISE.get(name, ()):
        if not checked or form.value is None or _close(form.value(asked), asked.out):
            return form.slope(asked)
    return UNKNOWN


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5)


def _n(value: float) -> str:
    return signed(number_label(value))


def _labelled(value: float) -> Slope:
    return Slope(value, number_label(value))


def _of_largest(op: str, depends: Dependence, asked: Asked) -> Slope:
    """Of the largest, or smallest, one. Equal ones share the slope, but `max` and `min` along an axis give it to one of them."""
    count = len(asked.x)
    if count > 1 and depends.how != "pointwise" and op in ("max", "min"):
        return UNKNOWN
    return Slope(1 / count, "1" if count == 1 else f"1 / {count}")


def _of_product(depends: Dependence, asked: Asked) -> Slope:
    x, at, given = asked.x, asked.at, asked.given
    terms = [term for term in depends.text.split("->")[0].split(",") if term != "-"] if depends.text else ["", ""]
    if len(terms) == 1:
        return _ONE
    added = len(x) % 2
    if len(terms) > 3 or (len(terms) == 3 and not added):
        return UNKNOWN
    if depends.how == "windowed":
        if at == len(x) - added:
            return _ONE  # the bias comes last
        return _labelled(x[at + 1 if at % 2 == 0 else at - 1])
    if at < added:
        return _labelled(given.get("beta", 1.0))
    other = at + 1 if (at - added) % 2 == 0 else at - 1
    alpha = given.get("alpha", 1.0)
    written = number_label(x[other])
    return Slope(alpha * x[other], written if alpha == 1 else f"{number_label(alpha)} · {_n(x[other])}")


# --- at the same position --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """The slopes of an operation.

    Attributes:
        slope: returns the slope.
        value: returns the result, which must be the recorded one; None if the operation has only this form.
    """

    slope: Callable[[Asked], Slope]
    value: Callable[[Asked], float] | None = None


def _of_one(value: Callable[[float, float], float], written: str = "") -> tuple[Form, ...]:
    """An operation of one operand. `value` returns the slope from the operand and the result; in `written` they are {x} and {out}."""

    def asked_slope(asked: Asked) -> Slope:
        found = value(asked.x[0], asked.out)
        return Slope(found, written.format(x=_n(asked.x[0]), out=_n(asked.out)) if written else number_label(found))

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
        return UNKNOWN if math.isnan(found) else Slope(found, written.format(x=_n(x), y=_n(y), out=_n(asked.out)))

    return (Form(asked_slope),)


def _of_quotient(*slopes: tuple[Callable[[float, float, float], float], str]) -> tuple[Form, ...]:
    """A division; one that rounds has no slope here."""
    (form,) = _of_two(*slopes)
    return (Form(form.slope, lambda asked: _numbers(asked)[0] / _numbers(asked)[1]),)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _normal(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _scaled_second(asked: Asked, sign: float) -> Slope:
    alpha = asked.given.get("alpha", 1.0)
    return _labelled(1.0 if asked.at == 0 else sign * alpha)


def _power(asked: Asked) -> Slope:
    x, y = _numbers(asked)[:2]
    if asked.at == 1:
        return Slope(asked.out * math.log(x), f"{_n(asked.out)} · log({number_label(x)})")
    if y == 2:
        return Slope(2 * x, f"2 · {_n(x)}")
    return Slope(y * x ** (y - 1), f"{number_label(y)} · {_n(x)} ^ ({number_label(y)} - 1)")


def _others(asked: Asked) -> Slope:
    """Of a product: the other factors."""
    rest = [value for k, value in enumerate(_numbers(asked)) if k != asked.at]
    return Slope(math.prod(rest), number_label(rest[0]) if len(rest) == 1 else " · ".join(map(_n, rest)))


def _kept(asked: Asked) -> Slope:
    """Of a clip: 1 inside of the limits, 0 outside; on a limit it is not said."""
    x, limits = (
        asked.x[0],
        [*asked.x[1:], *(value for key, value in asked.given.items() if key in ("min", "max", "other", "y"))],
    )
    if x in limits or asked.at:
        return UNKNOWN
    return _labelled(1.0 if x == asked.out else 0.0)


def _leaky(asked: Asked) -> Slope:
    return UNKNOWN if asked.x[0] == 0 else _labelled(asked.out / asked.x[0])


def _elu(asked: Asked) -> Slope:
    alpha = asked.given.get("alpha", asked.given.get("other", 1.0))
    return _labelled(1.0 if asked.x[0] > 0 else asked.out + alpha)


def _lerp(asked: Asked) -> Slope:
    x, y, weight = _numbers(asked)[:3]
    return (_labelled(1 - weight), _labelled(weight), Slope(y - x, f"{number_label(y)} - {_n(x)}"))[asked.at]


def _lerped(asked: Asked) -> float:
    x, y, weight = _numbers(asked)[:3]
    return x + weight * (y - x)


def _added_product(asked: Asked) -> Slope:
    _, a, b = asked.x
    factor = asked.given.get("value", 1.0)
    return (_ONE, _labelled(factor * b), _labelled(factor * a))[asked.at]


def _added_quotient(asked: Asked) -> Slope:
    _, a, b = asked.x
    factor = asked.given.get("value", 1.0)
    return (_ONE, _labelled(factor / b), _labelled(-factor * a / b**2))[asked.at]


def _one_of(asked: Asked) -> float:
    return asked.given.get("scale", 1.0)


_POINTWISE: Mapping[str, tuple[Form, ...]] = {
    "add": (Form(lambda asked: _scaled_second(asked, 1.0)),),
    "subtract": (Form(lambda asked: _scaled_second(asked, -1.0)),),
    "multiply": (Form(_others),),
    "divide": _of_quotient((lambda x, y, out: 1 / y, "1 / {y}"), (lambda x, y, out: -x / y**2, "-{x} / {y}²")),
    "rsub": (Form(lambda asked: _labelled(-1.0 if asked.at == 0 else 1.0)),),
    "rtruediv": _of_two((lambda x, y, out: -y / x**2, "-{y} / {x}²"), (lambda x, y, out: 1 / x, "1 / {x}")),
    "scale": (Form(lambda asked: _labelled(_one_of(asked))),),
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
    "silu": (Form(lambda asked: _labelled(_sigmoid(asked.x[0]) * (1 + asked.x[0] - asked.out)), lambda asked: asked.x[0] * _sigmoid(asked.x[0])),),
    "gelu": (Form(lambda asked: _labelled(_normal(asked.x[0]) + asked.x[0] * _density(asked.x[0])), lambda asked: asked.x[0] * _normal(asked.x[0])),),
    "softplus": (Form(lambda asked: _labelled(_sigmoid(asked.x[0])), lambda asked: math.log1p(math.exp(asked.x[0]))),),
    "softsign": _of_one(lambda x, out: 1 / (1 + abs(x)) ** 2, "1 / (1 + |{x}|)²"),
    "leaky_relu": (Form(_leaky),),
    "elu": (Form(_elu, lambda asked: asked.x[0] if asked.x[0] > 0 else asked.given.get("alpha", asked.given.get("other", 1.0)) * math.expm1(asked.x[0])),),
    "clip": (Form(_kept),),
    "hardtanh": (Form(_kept),),
    "abs": _of_one(lambda x, out: math.copysign(1.0, x) if x else 0.0),
    **{name: _of_one(lambda x, out: 0.0, "0") for name in ("sign", "floor", "ceil", "round", "trunc")},
    "frac": _of_one(lambda x, out: 1.0, "1"),
    "lerp": (Form(_lerp, _lerped),),
    "addcmul": (Form(_added_product, lambda asked: asked.x[0] + asked.given.get("value", 1.0) * asked.x[1] * asked.x[2]),),
    "addcdiv": (Form(_added_quotient, lambda asked: asked.x[0] + asked.given.get("value", 1.0) * asked.x[1] / asked.x[2]),),
    "hypot": _of_two((lambda x, y, out: x / out, "{x} / {out}"), (lambda x, y, out: y / out, "{y} / {out}")),
    "atan2": _of_two((lambda x, y, out: y / (x * x + y * y), "{y} / ({x}² + {y}²)"), (lambda x, y, out: -x / (x * x + y * y), "-{x} / ({x}² + {y}²)")),
    "logaddexp": _of_two((lambda x, y, out: math.exp(x - out), "exp({x} - {out})"), (lambda x, y, out: math.exp(y - out), "exp({y} - {out})")),
    "remainder": _of_two((lambda x, y, out: 1.0, "1"), (lambda x, y, out: -round((x - out) / y), "-({x} - {out}) / {y}")),
}  # fmt: skip


# --- along axes ------------------------------------------------------------------------------------------------------


def _softmax(x: Sequence[float]) -> list[float]:
    largest = max(x)
    powers = [math.exp(each - largest) for each in x]
    return [each / sum(powers) for each in powers]


def _log_sum(x: Sequence[float]) -> float:
    return max(x) + math.log(sum(math.exp(each - max(x)) for each in x))


def _own(asked: Asked) -> int:
    if asked.own is None:
        raise ValueError
    return asked.own


def _of_softmax(asked: Asked) -> Slope:
    shares = _softmax(asked.x)
    out, other = shares[_own(asked)], shares[asked.at]
    if asked.at == asked.own:
        return Slope(out * (1 - out), f"{number_label(out)} · (1 - {number_label(out)})")
    return Slope(-out * other, f"-{number_label(out)} · {number_label(other)}")


def _of_log_softmax(asked: Asked) -> Slope:
    share = _softmax(asked.x)[asked.at]
    if asked.at == _own(asked):
        return Slope(1 - share, f"1 - {number_label(share)}")
    return Slope(-share, f"-{number_label(share)}")


def _mean(x: Sequence[float]) -> float:
    return sum(x) / len(x)


def _variance(x: Sequence[float], correction: int) -> float:
    return sum((each - _mean(x)) ** 2 for each in x) / (len(x) - correction)


def _of_variance(correction: int) -> Form:
    def value(asked: Asked) -> Slope:
        x, mean = asked.x[asked.at], _mean(asked.x)
        count = len(asked.x) - correction
        return Slope(2 * (x - mean) / count, f"2 · ({number_label(x)} - {_n(mean)}) / {count}")

    return Form(value, lambda asked: _variance(asked.x, correction))


def _of_deviation(correction: int) -> Form:
    def value(asked: Asked) -> Slope:
        x, mean = asked.x[asked.at], _mean(asked.x)
        count = len(asked.x) - correction
        return Slope(
            (x - mean) / (count * asked.out),
            f"({number_label(x)} - {_n(mean)}) / ({count} · {number_label(asked.out)})",
        )

    return Form(value, lambda asked: math.sqrt(_variance(asked.x, correction)))


def _of_norm(p: int) -> Form:
    def value(asked: Asked) -> Slope:
        x = asked.x[asked.at]
        if p == 1:
            return _labelled(math.copysign(1.0, x) if x else 0.0)
        if p == 2:
            return Slope(x / asked.out, f"{number_label(x)} / {number_label(asked.out)}")
        return _labelled(math.copysign(abs(x) ** (p - 1), x) / asked.out ** (p - 1))

    return Form(value, lambda asked: sum(abs(each) ** p for each in asked.x) ** (1 / p))


def _largest_size(asked: Asked) -> Slope:
    return _labelled(math.copysign(1.0, asked.x[asked.at])) if len(asked.x) == 1 else UNKNOWN


_ALONG_AXES: Mapping[str, tuple[Form, ...]] = {
    "sum": (Form(lambda asked: _ONE),),
    "cumsum": (Form(lambda asked: _ONE),),
    "mean": (Form(lambda asked: Slope(1 / len(asked.x), f"1 / {len(asked.x)}")),),
    "prod": (Form(_others, lambda asked: math.prod(asked.x)),),
    "cumprod": (Form(_others, lambda asked: math.prod(asked.x)),),
    "softmax": (Form(_of_softmax, lambda asked: _softmax(asked.x)[_own(asked)]),),
    "log_softmax": (Form(_of_log_softmax, lambda asked: asked.x[_own(asked)] - _log_sum(asked.x)),),
    "logsumexp": (Form(lambda asked: Slope(math.exp(asked.x[asked.at] - asked.out), f"exp({number_label(asked.x[asked.at])} - {_n(asked.out)})"), lambda asked: _log_sum(asked.x)),),
    "var": (_of_variance(1), _of_variance(0)),
    "std": (_of_deviation(1), _of_deviation(0)),
    "norm": (Form(_largest_size, lambda asked: abs(asked.x[0]) if len(asked.x) == 1 else math.nan), _of_norm(2), _of_norm(1), _of_norm(3)),
}  # fmt: skip
"""The forms of operations along axes; the first one that yields the result holds."""
