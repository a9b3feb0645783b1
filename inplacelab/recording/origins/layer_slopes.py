"""Slopes of layers and losses that a framework computes in one operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.slope_forms import ONE, UNKNOWN, Asked, Form, Slope, labeled

__all__ = ["LAYERS", "attention"]

EPSILONS = (1e-5, 1e-6, 1e-12, 1e-3)
"""What is usually added to a variance: the one that explains the result is taken."""


def mean(x: Sequence[float]) -> float:
    return sum(x) / len(x)


def sigmoid(x: float) -> float:
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
            if not divide or len(here) == 1:
                return labeled(found)
            return Slope(found / len(here), f"{number_label(found)} / {len(here)}")

        def value_of(asked: Asked) -> float:
            here = [value(x, target) for x, target in pairs(asked)]
            return sum(here) / (len(here) if divide else 1)

        return Form(slope_of, value_of)

    return form(True), form(False)


def _sign(x: float) -> float:
    return math.copysign(1.0, x) if x else 0.0


def _smooth(d: float) -> float:
    return 0.5 * d * d if abs(d) < 1 else abs(d) - 0.5


def _smooth_slope(d: float) -> float:
    return d if abs(d) < 1 else _sign(d)


def _with_logits(x: float, t: float) -> float:
    return max(x, 0.0) - x * t + math.log1p(math.exp(-abs(x)))


_LOSSES: Mapping[str, tuple[Form, ...]] = {
    "mse_loss": _loss(lambda x, t: (x - t) ** 2, lambda x, t: 2 * (x - t), lambda x, t: -2 * (x - t)),
    "l1_loss": _loss(lambda x, t: abs(x - t), lambda x, t: _sign(x - t), lambda x, t: -_sign(x - t)),
    **dict.fromkeys(("smooth_l1_loss", "huber_loss"), _loss(
        lambda x, t: _smooth(x - t), lambda x, t: _smooth_slope(x - t), lambda x, t: -_smooth_slope(x - t),
    )),
    **dict.fromkeys(("binary_cross_entropy", "bce_loss"), _loss(
        lambda x, t: -t * math.log(x) - (1 - t) * math.log(1 - x), lambda x, t: (x - t) / (x * (1 - x)), lambda x, t: math.log(1 - x) - math.log(x),
    )),
    **dict.fromkeys(("binary_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"), _loss(
        _with_logits, lambda x, t: sigmoid(x) - t, lambda x, t: -x,
    )),
    "kl_div": _loss(lambda x, t: t * (math.log(t) - x), lambda x, t: -t, lambda x, t: math.log(t) + 1 - x),
}  # fmt: skip


# --- classes ---------------------------------------------------------------------------------------------------------


def _lines(asked: Asked) -> list[list[float]]:
    """The scores of each example."""
    wide = len(asked.x) // len(asked.listed)
    return [list(asked.x[k * wide : (k + 1) * wide]) for k in range(len(asked.listed))]


def _cross_entropy(divide: bool) -> Form:
    def value(asked: Asked) -> float:
        lines = zip(_lines(asked), asked.listed, strict=True)
        losses = [-math.log(softmax(line)[int(label)]) for line, label in lines]
        return sum(losses) / (len(losses) if divide else 1)

    def slope_of(asked: Asked) -> Slope:
        lines = _lines(asked)
        row, column = divmod(asked.at, len(lines[0]))
        share = softmax(lines[row])[column]
        right = " - 1" if column == asked.listed[row] else ""
        found, said = share - bool(right), f"{number_label(share)}{right}"
        if divide and len(lines) > 1:
            return Slope(found / len(lines), f"({said}) / {len(lines)}" if right else f"{said} / {len(lines)}")
        return Slope(found, said)

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


def _normalization(epsilon: float) -> Form:
    """(x - mean) / √(variance + ε), times a weight, plus a bias: of the numbers in a line, then at most two others."""

    def split(asked: Asked) -> tuple[list[float], list[float]]:
        return list(asked.x[: asked.line]), list(asked.x[asked.line :])

    def parts(asked: Asked) -> tuple[list[float], float, float, float]:
        line, others = split(asked)
        center = mean(line)
        deviation = math.sqrt(mean([(each - center) ** 2 for each in line]) + epsilon)
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
        return labeled(weight / deviation * (same - 1 / count - scaled[own] * scaled[asked.at] / count))

    return Form(slope_of, value)


def _unit_length(asked: Asked) -> Slope:
    length = math.sqrt(sum(each * each for each in asked.x))
    own = asked.own or 0
    same = 1.0 if asked.at == own else 0.0
    return labeled((same - asked.x[own] * asked.x[asked.at] / length**2) / length)


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


_NORMALIZATIONS = tuple(map(_normalization, EPSILONS))


LAYERS: Mapping[str, tuple[Form, ...]] = {
    **_LOSSES,
    "cross_entropy": (_cross_entropy(True), _cross_entropy(False)),
    "cross_entropy_with_softmax": (Form(_of_share),),
    "nll_loss": (_picked(True), _picked(False)),
    "layer_norm": _NORMALIZATIONS,
    "batch_norm": _NORMALIZATIONS,
    "normalize": (
        Form(_unit_length, lambda asked: asked.x[asked.own or 0] / math.sqrt(sum(each * each for each in asked.x))),
    ),
}
