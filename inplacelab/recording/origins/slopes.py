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
from inplacelab.recording.origins.back import ADDING, COPIES, DISTANCES, plain_name, products_of, signed

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
    given: Given
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


EPSILONS = (1e-5, 1e-6, 1e-12, 1e-3)
"""What is usually added to a variance: the one that explains the result is taken."""


def _mean(x: Sequence[float]) -> float:
    return sum(x) / len(x)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def softmax(x: Sequence[float]) -> list[float]:
    """The shares of numbers in the sum of their exponentials."""
    powers = [math.exp(each - max(x)) for each in x]
    return [each / sum(powers) for each in powers]


# --- losses ----------------------------------------------------------------------------------------------------------

_OfPair = Callable[[float, float], float]


def _loss(value: _OfPair, by_x: _OfPair, by_target: _OfPair) -> tuple[Form, ...]:
    """A loss of two tensors of one shape: a mean or a sum of what `value` returns for each pair."""

    def pairs(asked: Asked) -> list[tuple[float, float]]:
        half = len(asked.x) // 2
        return list(zip(asked.x[:half], asked.x[half:], strict=True))

    def form(divide: bool) -> Form:
        def slope_of(asked: Asked) -> Slope:
            here = pairs(asked)
            x, target = here[asked.at % len(here)]
            found = (by_x if asked.at < len(here) else by_target)(x, target)
            by = int(asked.given.get("examples", len(here)))
            if not divide or by == 1:
                return labeled(found)
            return Slope(found / by, f"{number_label(found)} / {by}")

        def value_of(asked: Asked) -> float:
            here = [value(x, target) for x, target in pairs(asked)]
            return sum(here) / (asked.given.get("examples", len(here)) if divide else 1)

        return Form(slope_of, value_of)

    return form(True), form(False)


def _sign(x: float) -> float:
    return math.copysign(1.0, x) if x else 0.0


def _smooth(delta: float, scale: float) -> tuple[Form, ...]:
    """A square near 0, and straight beyond delta."""

    def value(d: float) -> float:
        return scale * (0.5 * d * d if abs(d) < delta else delta * (abs(d) - 0.5 * delta))

    def slope_of(d: float) -> float:
        return scale * (d if abs(d) < delta else delta * _sign(d))

    return _loss(lambda x, t: value(x - t), lambda x, t: slope_of(x - t), lambda x, t: -slope_of(x - t))


def _given(make: Callable[[Mapping[str, float]], tuple[Form, ...]]) -> tuple[Form, ...]:
    """The two forms of a loss that numbers beside the operands shape."""

    def form(k: int) -> Form:
        def value(asked: Asked) -> float:
            found = make(asked.given)[k].value
            assert found is not None
            return found(asked)

        return Form(lambda asked: make(asked.given)[k].slope(asked), value)

    return form(0), form(1)


def _by_beta(given: Mapping[str, float]) -> tuple[Form, ...]:
    beta = given.get("beta", 1.0)
    return _smooth(beta, 1 / beta)


def _divergence(given: Mapping[str, float]) -> tuple[Form, ...]:
    if given.get("log_target"):
        return _loss(
            lambda x, t: math.exp(t) * (t - x), lambda x, t: -math.exp(t), lambda x, t: math.exp(t) * (t - x + 1)
        )
    return _loss(lambda x, t: t * (math.log(t) - x), lambda x, t: -t, lambda x, t: math.log(t) + 1 - x)


def _with_logits(x: float, t: float) -> float:
    return max(x, 0.0) - x * t + math.log1p(math.exp(-abs(x)))


_LOSSES: Mapping[str, tuple[Form, ...]] = {
    "mse_loss": _loss(lambda x, t: (x - t) ** 2, lambda x, t: 2 * (x - t), lambda x, t: -2 * (x - t)),
    "l1_loss": _loss(lambda x, t: abs(x - t), lambda x, t: _sign(x - t), lambda x, t: -_sign(x - t)),
    "smooth_l1_loss": _given(_by_beta),
    "huber_loss": _given(lambda given: _smooth(given.get("delta", 1.0), 1.0)),
    **dict.fromkeys(("binary_cross_entropy", "bce_loss"), _loss(
        lambda x, t: -t * math.log(x) - (1 - t) * math.log(1 - x), lambda x, t: (x - t) / (x * (1 - x)), lambda x, t: math.log(1 - x) - math.log(x),
    )),
    **dict.fromkeys(("binary_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"), _loss(
        _with_logits, lambda x, t: _sigmoid(x) - t, lambda x, t: -x,
    )),
    "kl_div": _given(_divergence),
}  # fmt: skip


# --- classes ---------------------------------------------------------------------------------------------------------


def _lines(asked: Asked) -> list[list[float]]:
    """The scores of each example."""
    wide = len(asked.x) // len(asked.listed)
    return [list(asked.x[k * wide : (k + 1) * wide]) for k in range(len(asked.listed))]


def _cross_entropy(divide: bool) -> Form:
    def value(asked: Asked) -> float:
        lines, smoothing = zip(_lines(asked), asked.listed, strict=True), asked.given.get("smoothing", 0.0)
        losses = []
        for line, label in lines:
            logs = [-math.log(share) for share in softmax(line)]
            losses.append((1 - smoothing) * logs[int(label)] + smoothing * _mean(logs))
        return sum(losses) / (len(losses) if divide else 1)

    def slope_of(asked: Asked) -> Slope:
        lines = _lines(asked)
        row, column = divmod(asked.at, len(lines[0]))
        share = softmax(lines[row])[column]
        smoothing = asked.given.get("smoothing", 0.0)
        wanted = smoothing / len(lines[0]) + (1 - smoothing) * (column == asked.listed[row])
        right = f" - {number_label(wanted)}" if wanted else ""
        found, said = share - wanted, f"{number_label(share)}{right}"
        if divide and len(lines) > 1:
            return Slope(found / len(lines), f"({said}) / {len(lines)}" if right else f"{said} / {len(lines)}")
        return Slope(found, said)

    return Form(slope_of, value)


def _of_shares(asked: Asked) -> tuple[list[list[float]], list[list[float]]]:
    """The scores, and the shares that are wanted, of each example."""
    half = len(asked.x) // 2
    wide = int(asked.given["classes"])
    scores, wanted = asked.x[:half], asked.x[half:]
    return [list(scores[k : k + wide]) for k in range(0, half, wide)], [
        list(wanted[k : k + wide]) for k in range(0, half, wide)
    ]


def _cross_entropy_of_shares(divide: bool) -> Form:
    def value(asked: Asked) -> float:
        scores, wanted = _of_shares(asked)
        losses = [
            -sum(w * math.log(s) for w, s in zip(each, softmax(line), strict=True))
            for line, each in zip(scores, wanted, strict=True)
        ]
        return sum(losses) / (len(losses) if divide else 1)

    def slope_of(asked: Asked) -> Slope:
        scores, wanted = _of_shares(asked)
        row, column = divmod(asked.at % (len(asked.x) // 2), len(scores[0]))
        share, by = softmax(scores[row])[column], len(scores) if divide else 1
        found = share * sum(wanted[row]) - wanted[row][column] if asked.at < len(asked.x) // 2 else -math.log(share)
        return labeled(found / by)

    return Form(slope_of, value)


def _of_share(asked: Asked) -> Slope:
    """Of the negative logarithm of the share of one of the scores: the one that explains the result."""
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


# --- normalization ---------------------------------------------------------------------------------------------------


def _normalization(usual: float, *, centered: bool = True) -> Form:
    """(x - mean) / √(variance + ε), times a weight, plus a bias: of the numbers in a line, then at most two others. `rms_norm` subtracts no mean."""

    def split(asked: Asked) -> tuple[list[float], list[float]]:
        return list(asked.x[: asked.line]), list(asked.x[asked.line :])

    def parts(asked: Asked) -> tuple[list[float], float, float, float]:
        line, others = split(asked)
        center = _mean(line) if centered else 0.0
        epsilon = asked.given.get("epsilon", usual)
        deviation = math.sqrt(_mean([(each - center) ** 2 for each in line]) + epsilon)
        weight = others[0] if others else 1.0
        bias = others[1] if len(others) > 1 else 0.0
        return [(each - center) / deviation for each in line], deviation, weight, bias

    def value(asked: Asked) -> float:
        scaled, _, weight, bias = parts(asked)
        return scaled[asked.own or 0] * weight + bias

    def slope_of(asked: Asked) -> Slope:
        scaled, deviation, weight, _ = parts(asked)
        own, count = asked.own or 0, asked.line
        if asked.at >= count:
            return labeled(scaled[own] if asked.at == count else 1.0)
        same = 1.0 if asked.at == own else 0.0
        moves = 1 / count if centered else 0.0
        return labeled(weight / deviation * (same - moves - scaled[own] * scaled[asked.at] / count))

    return Form(slope_of, value)


def _by_running(usual: float) -> Form:
    """The same with a mean and a variance that are operands: x, mean, variance, then weight and bias."""

    def parts(asked: Asked) -> tuple[float, float, float, float]:
        x, center, variance, *others = asked.x
        deviation = math.sqrt(variance + asked.given.get("epsilon", usual))
        return (x - center) / deviation, deviation, others[0] if others else 1.0, others[1] if len(others) > 1 else 0.0

    def value(asked: Asked) -> float:
        scaled, _, weight, bias = parts(asked)
        return scaled * weight + bias

    def slope_of(asked: Asked) -> Slope:
        scaled, deviation, weight, _ = parts(asked)
        of_all = weight / deviation, -weight / deviation, -0.5 * weight * scaled / deviation**2, scaled, 1.0
        return labeled(of_all[asked.at])

    return Form(slope_of, value)


def _unit_length(asked: Asked) -> Slope:
    p, length = asked.given.get("p", 2.0), _length(asked)
    own, x = asked.own or 0, asked.x[asked.at]
    same = 1.0 if asked.at == own else 0.0
    grows = _sign(x) * abs(x) ** (p - 1) / length ** (p - 1)
    return labeled((same - asked.x[own] * grows / length) / length)


def _length(asked: Asked) -> float:
    p = asked.given.get("p", 2.0)
    return float(sum(abs(each) ** p for each in asked.x) ** (1 / p))


def attention(asked: Asked) -> Slope:
    """Of scaled dot-product attention. For each entry of the query, and each key, the origins are this entry, that of the key, and the key's value;
    then there may be a number for each key that is added to its score.
    """
    if len(asked.x) == 1:
        return ONE
    size, scale = int(asked.given["size"]), asked.given["scale"]
    keys = len(asked.x) // (3 * size + bool(asked.given.get("added")))
    entry, key = divmod(asked.at // 3, keys)
    triples = [asked.x[k : k + 3] for k in range(0, 3 * size * keys, 3)]
    added = asked.x[3 * size * keys :] or [0.0] * keys
    shares = softmax([scale * sum(q * k for q, k, _ in triples[at::keys]) + added[at] for at in range(keys)])
    out = sum(share * triples[at][2] for at, share in enumerate(shares))
    if not math.isclose(out, asked.out, rel_tol=1e-3, abs_tol=1e-5):
        return UNKNOWN
    if asked.at >= 3 * size * keys:
        at = asked.at - 3 * size * keys
        return labeled(shares[at] * (triples[at][2] - out))
    query, of_key, value = triples[entry * keys + key]
    by_score = shares[key] * (value - out) * scale
    return labeled((by_score * of_key, by_score * query, shares[key] / size)[asked.at % 3])


def _gate(asked: Asked) -> Slope:
    open_ = _sigmoid(asked.x[1])
    return labeled(open_ if asked.at == 0 else asked.x[0] * open_ * (1 - open_))


# --- distances: the numbers come in pairs, or those of the first tensor before those of the second --------------------


def _distance(p: int, *, paired: bool = True, usual: float = 0.0) -> Form:
    def differences(asked: Asked) -> list[float]:
        half = len(asked.x) // 2
        left, right = (asked.x[::2], asked.x[1::2]) if paired else (asked.x[:half], asked.x[half:])
        return [x - y + usual for x, y in zip(left, right, strict=True)]

    def value(asked: Asked) -> float:
        return float(sum(abs(each) ** p for each in differences(asked)) ** (1 / p))

    def slope_of(asked: Asked) -> Slope:
        found = differences(asked)
        at, second = divmod(asked.at, 2) if paired else (asked.at % len(found), asked.at >= len(found))
        d = found[at]
        return labeled((-1 if second else 1) * (_sign(d) if p == 1 else d / asked.out))

    return Form(slope_of, value)


def _likeness(asked: Asked) -> float:
    left, right = asked.x[::2], asked.x[1::2]
    lengths = math.sqrt(sum(x * x for x in left)) * math.sqrt(sum(y * y for y in right))
    return sum(x * y for x, y in zip(left, right, strict=True)) / lengths


def _of_likeness(asked: Asked) -> Slope:
    own, other = (asked.x[::2], asked.x[1::2]) if asked.at % 2 == 0 else (asked.x[1::2], asked.x[::2])
    length, its = math.sqrt(sum(x * x for x in own)), math.sqrt(sum(y * y for y in other))
    at = asked.at // 2
    return labeled(other[at] / (length * its) - asked.out * own[at] / length**2)


_DISTANCES: Mapping[str, tuple[Form, ...]] = {
    "cdist": (_distance(2), _distance(1)),
    "pairwise_distance": (_distance(2, usual=1e-6), _distance(1, usual=1e-6)),
    "dist": (_distance(2, paired=False), _distance(1, paired=False)),
    "cosine_similarity": (Form(_of_likeness, _likeness),),
}


_NORMALIZATIONS = tuple(map(_normalization, EPSILONS))


LAYERS: Mapping[str, tuple[Form, ...]] = {
    **_LOSSES,
    "cross_entropy": (
        _cross_entropy(True),
        _cross_entropy(False),
        _cross_entropy_of_shares(True),
        _cross_entropy_of_shares(False),
    ),
    "cross_entropy_with_softmax": (_cross_entropy_of_shares(False), Form(_of_share)),
    "nll_loss": (_picked(True), _picked(False)),
    **dict.fromkeys(("layer_norm", "group_norm", "instance_norm"), _NORMALIZATIONS),
    "rms_norm": tuple(_normalization(each, centered=False) for each in (2**-52, 2**-23, *EPSILONS)),
    "batch_norm": (*(_by_running(each) for each in EPSILONS), *_NORMALIZATIONS),
    "glu": (Form(_gate, lambda asked: asked.x[0] * _sigmoid(asked.x[1])),),
    **_DISTANCES,
    "normalize": (Form(_unit_length, lambda asked: asked.x[asked.own or 0] / _length(asked)),),
}


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
    return inner + x * (1 - inner**2) * _sigmoid(x)


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
    "silu": (Form(lambda asked: labeled(_sigmoid(asked.x[0]) * (1 + asked.x[0] - asked.out)), lambda asked: asked.x[0] * _sigmoid(asked.x[0])),),
    "gelu": (
        Form(lambda asked: labeled(_normal(asked.x[0]) + asked.x[0] * _density(asked.x[0])), lambda asked: asked.x[0] * _normal(asked.x[0])),
        Form(lambda asked: labeled(_slope_of_approximate_gelu(asked.x[0])), lambda asked: _approximate_gelu(asked.x[0])),
    ),
    "softplus": (Form(lambda asked: labeled(_sigmoid(asked.x[0])), lambda asked: math.log1p(math.exp(asked.x[0]))),),
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
    return sum((each - _mean(x)) ** 2 for each in x) / (len(x) - correction)


def _of_variance(correction: int) -> Form:
    def value(asked: Asked) -> Slope:
        x, center = asked.x[asked.at], _mean(asked.x)
        count = len(asked.x) - correction
        return Slope(2 * (x - center) / count, f"2 · ({number_label(x)} - {in_brackets(center)}) / {count}")

    return Form(value, lambda asked: _variance(asked.x, correction))


def _of_deviation(correction: int) -> Form:
    def value(asked: Asked) -> Slope:
        x, center = asked.x[asked.at], _mean(asked.x)
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


_MEAN = Form(lambda asked: Slope(1 / len(asked.x), f"1 / {len(asked.x)}"), lambda asked: _mean(asked.x))


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


def slope(  # noqa: PLR0913  # a question with all its facts
    op: str | None,
    depends: Dependence,
    operands: Sequence[Number | None],
    at: int,
    result: Number | None,
    *,
    own: int | None = None,
    line: int | None = None,
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
        line: how many of the origins are elements of the first operand, for such operations; all if it is not given.
        checked: whether the form must yield the result; not if some of the values were overwritten since.

    Returns:
        The slope, and how it is written; `UNKNOWN` if it is not known.

    >>> slope("norm", Dependence("reduced", (0,)), [3.0, 4.0], 0, 5.0)
    Slope(value=0.6, written='3 / 5')
    """
    if depends.how == "reduced" and not depends.text and plain_name(op) in ("sum", "mean"):
        return ONE if plain_name(op) == "sum" else Slope(1 / len(operands), f"1 / {len(operands)}")
    given = {each.name: float(each.value.real) for each in depends.given}
    real = [float(each) for each in operands if isinstance(each, bool | int | float)]
    if len(real) != len(operands) or not isinstance(result, bool | int | float):
        return _without_values(plain_name(op), depends)
    listed = [float(each.value.real) for each in depends.given if each.name == "label"]
    asked = Asked(real, at, own, float(result), given, listed, len(real) if line is None else line)
    try:
        return _slope((op or "?").rstrip("_"), depends, asked, checked=checked)
    except (ZeroDivisionError, ValueError, OverflowError, IndexError):
        return UNKNOWN


def _without_values(name: str, depends: Dependence) -> Slope:
    return (
        ONE if name in COPIES or (depends.how in _MOVES and name != "dropout") or name in ("sum", "cumsum") else UNKNOWN
    )


_MOVES = ("moved", "chosen", "reordered", "joined", "stacked")
"""Rules by which an element is another one."""


def _slope(op: str, depends: Dependence, asked: Asked, *, checked: bool) -> Slope:  # noqa: C901, PLR0911  # one case after the other
    name = plain_name(op)
    if name == "dropout":
        return labeled(asked.out / asked.x[0]) if asked.x[0] else UNKNOWN
    if "rounds" in asked.given:
        return Slope(0.0, "0")
    if name in COPIES or depends.how in _MOVES:
        return (
            ONE
            if not checked or len(asked.x) > 1 or _close(asked.x[0], asked.out) or not math.isfinite(asked.out)
            else UNKNOWN
        )
    if depends.how == "written" and not depends.rule and (depends.text == "assigned" or name in ADDING):
        return _of_written(depends, asked, checked=checked)
    if name == "median":
        return labeled(1 / len(asked.x))
    if depends.how == "attended":
        return attention(asked)
    if depends.weights:
        return labeled(float(depends.weights[asked.at].real))
    if depends.rule and (depends.how in ("windowed", "listed", "written") or name in _LARGEST):
        return _of_largest(op, depends, asked)
    if depends.how == "windowed" and not depends.numbers[0]:
        return _of_mean(depends, asked, checked=checked)
    if depends.how in ("contracted", "windowed") and name not in DISTANCES:
        return _of_product(depends, asked)
    forms = ALONG_AXES.get(name, ()) if depends.how != "pointwise" else POINTWISE.get(name, ())
    return next((form.slope(asked) for form in forms if not checked or _yields(form, asked)), UNKNOWN)


def _of_written(depends: Dependence, asked: Asked, *, checked: bool) -> Slope:
    """Of a number that was written, or combined with the old one: added, multiplied, or in their mean."""
    own, alpha, count = asked.x[0], asked.given.get("alpha", 1.0), len(asked.x)
    if "product" in asked.given:
        return product_of_others(asked._replace(given={}))
    if "mean" in asked.given:
        return Slope(1 / count, f"1 / {count}")
    adds = depends.text == "assigned" or not checked or _close(own + alpha * sum(asked.x[1:]), asked.out)
    return (labeled(alpha) if asked.at and alpha != 1 else ONE) if adds else UNKNOWN


def _yields(form: Form, asked: Asked) -> bool:
    """Whether a form yields the result."""
    try:
        return form.value is None or _close(form.value(asked), asked.out)
    except (ArithmeticError, ValueError, IndexError, KeyError):
        return False


_LARGEST = ("max", "min", "maximum", "minimum", "aminmax", "cummax", "cummin")
"""Operations whose result is one of their operands, or the same of a part."""


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5)


def _of_largest(op: str, depends: Dependence, asked: Asked) -> Slope:
    """Of the largest, or smallest, one. Equal ones share the slope, but `max` and `min` along an axis give it to one of them."""
    count = len(asked.x)
    if count > 1 and depends.how != "pointwise" and op in ("max", "min"):
        return UNKNOWN
    return Slope(1 / count, "1" if count == 1 else f"1 / {count}")


def _of_mean(depends: Dependence, asked: Asked, *, checked: bool) -> Slope:
    """Of the mean of a window: of the elements in it, or with zeros beside the image."""
    window = math.prod(depends.numbers[1 : 1 + len(depends.numbers) // 4])
    counts = [count for count in (len(asked.x), window) if not checked or _close(sum(asked.x) / count, asked.out)]
    return Slope(1 / counts[0], f"1 / {counts[0]}") if counts else UNKNOWN


def _of_product(depends: Dependence, asked: Asked) -> Slope:
    x, at, given = asked.x, asked.at, asked.given
    if depends.how == "windowed":
        if at == len(x) - len(x) % 2:
            return ONE  # the bias comes last
        return labeled(x[at + 1 if at % 2 == 0 else at - 1])
    added, factors = products_of(depends.text)
    if at < added:
        return labeled(given.get("beta", 1.0))
    begin = at - (at - added) % factors
    others = [x[k] for k in range(begin, begin + factors) if k != at]
    alpha = given.get("alpha", 1.0)
    written = " · ".join(
        in_brackets(each) if k else number_label(each) for k, each in enumerate([alpha, *others][alpha == 1 :])
    )
    return Slope(alpha * math.prod(others), written or "1")
