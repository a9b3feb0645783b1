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
        _with_logits, lambda x, t: sigmoid(x) - t, lambda x, t: -x,
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
            losses.append((1 - smoothing) * logs[int(label)] + smoothing * mean(logs))
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
        center = mean(line) if centered else 0.0
        epsilon = asked.given.get("epsilon", usual)
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
    open_ = sigmoid(asked.x[1])
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
    "glu": (Form(_gate, lambda asked: asked.x[0] * sigmoid(asked.x[1])),),
    **_DISTANCES,
    "normalize": (Form(_unit_length, lambda asked: asked.x[asked.own or 0] / _length(asked)),),
}
