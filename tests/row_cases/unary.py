"""Cases for the rows of one tensor: powers, rounding, exponentials, trigonometry, special functions, limits, activations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tests.row_cases.case import case

MASK = [[True, False, True], [False, False, True]]


def _softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(x)
    return powers / powers.sum(axis, keepdims=True) if x.ndim else np.ones(())


def _softplus(x: Any, beta: float = 1, threshold: float = 20) -> Any:
    return np.where(beta * x > threshold, x, np.log1p(np.exp(beta * x)) / beta)


def _logit(x: Any, eps: float = 0.0) -> Any:
    inner = np.clip(x, eps, 1 - eps)
    return np.log(inner) - np.log1p(-inner)


def _smaller(x: Any, order: int) -> Any:
    return special.spherical_jn(order, x)


POWERS = [
    case("scale", lambda x, scale, bias: x * scale + bias, scale=-1.5, bias=0.25),
    case("scale", lambda x, scale, bias, bias_after_scale: (x + bias) * scale, scale=2, bias=3, bias_after_scale=False),
    case("neg", np.negative),
    case("abs", np.abs),
    case("sign", np.sign),
    case("sgn", np.sign),
    case("square", np.square),
    case("sqrt", np.sqrt, positive=True),
    case("rsqrt", lambda x: 1 / np.sqrt(x), positive=True),
    case("reciprocal", lambda x: 1 / x),
]  # fmt: skip

ROUNDING = [
    case("floor", np.floor),
    case("ceil", np.ceil),
    case("trunc", np.trunc),
    case("frac", lambda x: x - np.trunc(x), within=(1.2, 1.8)),
    case("round", np.round),
    case("round", np.round, decimals=1),
]

EXPONENTIALS = [
    case("exp", np.exp),
    case("exp2", np.exp2),
    case("expm1", np.expm1),
    case("log", np.log, positive=True),
    case("log2", np.log2, positive=True),
    case("log10", np.log10, positive=True),
    case("log1p", np.log1p, positive=True),
    case("logit", _logit, positive=True, within=(0.1, 0.9)),
    case("logit", _logit, positive=True, within=(0.1, 0.9), eps=0.3),
]

TRIGONOMETRY = [
    case("sin", np.sin),
    case("cos", np.cos),
    case("tan", np.tan, within=(0.2, 1.2)),
    case("asin", np.arcsin, within=(0.1, 0.9)),
    case("acos", np.arccos, within=(0.1, 0.9)),
    case("atan", np.arctan),
    case("sinh", np.sinh),
    case("cosh", np.cosh),
    case("tanh", np.tanh),
    case("asinh", np.arcsinh),
    case("acosh", np.arccosh, positive=True, within=(1.2, 3.0)),
    case("atanh", np.arctanh, within=(0.1, 0.8)),
    case("sinc", np.sinc),
]

SPECIAL = [
    case("erf", special.erf),
    case("erfinv", special.erfinv, within=(0.1, 0.8)),
    case("lgamma", special.gammaln, positive=True),
    case("gammaln", special.gammaln, within=(0.2, 0.8)),
    case("digamma", special.digamma, positive=True),
    case("polygamma", lambda x, n: special.polygamma(n, x), positive=True, n=0),
    case("polygamma", lambda x, n: special.polygamma(n, x), positive=True, n=2),
    case("multigammaln", lambda x, p: special.multigammaln(x, p) if x.size else x, positive=True, within=(1.5, 3.0), p=3),
    case("i0", special.i0),
    case("i1", special.i1),
    case("_bessel_i", lambda x, order: special.iv(order, x), order=2),
    case("_spherical_bessel", _smaller, positive=True, order=0),
    case("_spherical_bessel", _smaller, positive=True, order=2),
]  # fmt: skip

LIMITS = [
    case("_inside", np.multiply, fixed={"mask": MASK}),
    case("dropout", lambda x, mask, factor: x * mask * factor, fixed={"mask": MASK}, factor=1.25),
    case("_outside", lambda x, mask: x * ~mask, fixed={"mask": MASK}),
    case("clip", lambda x, min, max: np.clip(x, min, max), min=-0.7, max=1.1),
    case("clip", lambda x, max: np.minimum(x, max), max=0.9),
    case("clamp_min", lambda x, min: np.maximum(x, min), min=-0.7),
    case("clamp_max", lambda x, max: np.minimum(x, max), max=0.7),
    case("nan_to_num", np.nan_to_num),
]

ACTIVATIONS = [
    case("sigmoid", special.expit),
    case("relu", lambda x: np.maximum(x, 0)),
    case("relu6", lambda x: np.clip(x, 0, 6), within=(4.0, 8.0)),
    case("silu", lambda x: x * special.expit(x)),
    case("softplus", _softplus),
    case("softplus", _softplus, beta=2, threshold=1.7),
    case("leaky_relu", lambda x: np.where(x < 0, 0.01 * x, x)),
    case("leaky_relu", lambda x, negative_slope: np.where(x < 0, negative_slope * x, x), negative_slope=-0.5),
    case("elu", lambda x: np.where(x > 0, x, np.expm1(x))),
    case("elu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)), alpha=0.3),
    case("hardtanh", lambda x: np.clip(x, -1, 1)),
    case("hardtanh", lambda x, min, max: np.clip(x, min, max), min=-0.5, max=2.0),
    case("thresholded_relu", lambda x: np.where(x > 1, x, 0)),
    case("thresholded_relu", lambda x, threshold, value: np.where(x > threshold, x, value), threshold=0.5, value=2.0),
    case("_log_softmax", lambda x, axis=-1: np.log(_softmax(x, axis=axis))),
    case("_log_softmax", lambda x, axis: np.log(_softmax(x, axis=axis)), axis=0),
    case("_binary_cross_entropy", lambda x, y: -(y * np.log(x) + (1 - y) * np.log1p(-x)), positive=True, within=(0.1, 0.9)),
    case("softmax", _softmax),
    case("softmax", _softmax, axis=0),
]  # fmt: skip

Z = [[0.5 + 0.25j, -0.5 + 1j], [1.5 - 0.5j, -0.25 - 0.75j]]
"""In all four quadrants."""

COMPLEX = [
    *(case(name, function, fixed={"x": Z}) for name, function in (
        ("sgn", lambda z: z / np.abs(z)), ("square", np.square), ("sqrt", np.sqrt), ("reciprocal", np.reciprocal),
        ("exp", np.exp), ("expm1", np.expm1), ("log", np.log), ("log2", np.log2), ("log10", np.log10), ("log1p", np.log1p),
        ("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan),
        ("sinh", np.sinh), ("cosh", np.cosh), ("tanh", np.tanh), ("asinh", np.arcsinh), ("acosh", np.arccosh),
        ("atanh", np.arctanh), ("sinc", np.sinc), ("sigmoid", lambda z: 1 / (1 + np.exp(-z))),
        ("silu", lambda z: z / (1 + np.exp(-z))),
    )),
]  # fmt: skip

CASES = [*POWERS, *ROUNDING, *EXPONENTIALS, *TRIGONOMETRY, *SPECIAL, *LIMITS, *ACTIVATIONS, *COMPLEX]
