"""Writes the arithmetic of an operation in the program's numbers: `130 = 13 · 10`.

An operation without a pattern is written by its name: `5 = gcd(10, 15)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inplacelab.dependence import Dependence, adds_first
from inplacelab.language import Text
from inplacelab.recording.facts import Number
from inplacelab.recording.naming import number_label

__all__ = [
    "ADDING",
    "COPIES",
    "DISTANCES",
    "MOST_TERMS",
    "PATTERNS",
    "arithmetic",
    "plain_name",
    "products_of",
    "signed",
]

MOST_TERMS = 6
"""A sum of more terms is counted, not written out."""

DISTANCES = frozenset({"cdist", "pairwise_distance", "cosine_similarity"})
"""Depend on what sums of products depend on, and are none."""

PATTERNS: Mapping[str, str] = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} · {1}", "divide": "{0} / {1}", "rsub": "{1} - {0}", "rtruediv": "{1} / {0}",
    "scale": "{0} · {scale}", "neg": "-{0}", "square": "{0}²", "pow": "{0} ^ {1}", "rpow": "{1} ^ {0}", "sqrt": "√{0}", "reciprocal": "1 / {0}",
    "rsqrt": "1 / √{0}", "abs": "|{0}|", "maximum": "max({0})", "minimum": "min({0})", "lerp": "{0} + {2} · ({1} - {0})",
    **{name: f"{name}({{0}})" for name in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "relu")},
}  # fmt: skip
"""How an element-wise operation is written, with the operands as {0}, {1} and the numbers beside them by name."""
COPIES = frozenset({
    "clone", "copy", "assign", "cast", "to", "setitem", "set_value", "getitem", "reshape", "flatten", "expand", "expand_as", "contiguous", "astype", "type", "float", "double",
    "broadcast_to", "detach", "assign_out", "set_tensor", "copy_to",
})  # fmt: skip
"""Operations that leave numbers as they are."""
_OTHER_NAMES = {
    **{sign + ending: name for sign, name in {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "pow"}.items() for ending in ("", "=")},
    "mul": "multiply", "imul": "multiply", "rmul": "multiply", "sub": "subtract", "isub": "subtract", "div": "divide", "truediv": "divide",
    "true_divide": "divide", "idiv": "divide", "itruediv": "divide", "iadd": "add", "radd": "add", "negative": "neg", "matmul": "matmul", "amax": "max",
    "amin": "min", "rdivide": "rtruediv", "rdiv": "rtruediv", "swish": "silu", "clamp": "clip", "clamp_min": "clip", "clamp_max": "clip", "absolute": "abs",
    "sgn": "sign", "p_norm": "norm", "vector_norm": "norm", "linalg_norm": "norm", "linalg_vector_norm": "norm", "mean_all": "mean", "log_sigmoid": "logsigmoid",
    "bce_loss": "binary_cross_entropy", "fmax": "maximum", "fmin": "minimum", "mod": "remainder", "fmod": "remainder", "rms_norm_": "rms_norm", "tanh_shrink": "tanhshrink", "special_expit": "sigmoid",
    "float_power": "pow", "threshold": "thresholded_relu", "_threshold": "thresholded_relu", "kldiv_loss": "kl_div",
}  # fmt: skip


def plain_name(op: str | None) -> str:
    """Returns the name of an operation without the underscore of an in-place one, and without a framework's other name for it.

    >>> plain_name("mul_"), plain_name("scale_")
    ('multiply', 'scale')
    """
    bare = (op or "?").rstrip("_").removeprefix("_foreach_")
    return _OTHER_NAMES.get(bare, bare)


def arithmetic(op: str | None, depends: Dependence, operands: Sequence[Number | None], result: Number | None) -> Text:
    """Returns how an element was computed: "130 = 13 · 10", "15 = 6 + 3 + 6", "70 = sum of 12 products".

    Args:
        op: the operation.
        depends: how it depends on its operands.
        operands: the values of its origins, in the order of the arithmetic; None for those that were not recorded.
        result: its value; None if it was not recorded.
    """
    shown = [_shown(each) for each in operands]
    left = Text("{0} = ", "{0} = ").format(_shown(result))
    return left + _right(plain_name(op), depends, shown)


def _shown(value: Number | None) -> str:
    return "?" if value is None else number_label(value)


def signed(value: str) -> str:
    """A number after an operator, in brackets if it is negative."""
    return f"({value})" if value.startswith("-") else value


_MOVES = ("moved", "written", "chosen", "reordered", "joined", "stacked")
"""Rules by which an element is another one, if it has one origin."""


def _right(op: str, depends: Dependence, shown: Sequence[str]) -> Text:
    if depends.how in ("constant", "drawn") or not shown:
        return _DRAWN if depends.how == "drawn" else _CONSTANT
    if len(shown) == 1 and (op in COPIES or depends.how in _MOVES):
        return _same(shown[0])
    if depends.weights and len(depends.weights) == len(shown) <= MOST_TERMS:
        return _same(_weighted(depends.weights, shown))
    if depends.how == "contracted" and op not in DISTANCES:
        return _products(depends, shown)
    if depends.how == "pointwise" and op in PATTERNS:
        return _same(_pointwise(op, depends, shown))
    return _collected(op, depends, shown)


def _collected(op: str, depends: Dependence, shown: Sequence[str]) -> Text:
    """Of an operation that makes one number of many."""
    if depends.how == "written" and op in ADDING:
        op = _combining(depends)
    if op in ("sum", "cumsum"):
        return _sum(shown)
    if op == "mean":
        return Text("({0}) / {1}", "({0}) / {1}").format(_sum(shown), len(shown))
    if op in ("prod", "cumprod") and len(shown) <= MOST_TERMS:
        return _same(" · ".join([shown[0], *map(signed, shown[1:])]))
    return _named(op, shown)


def _combining(depends: Dependence) -> str:
    """How the numbers that were written to one place were made one."""
    if depends.rule:
        return "max" if depends.rule == "largest" else "min"
    names = {each.name for each in depends.given}
    return "prod" if "product" in names else "mean" if "mean" in names else "sum"


_DRAWN = Text("drawn here", "在此处随机取得")
_CONSTANT = Text("a number of the program", "程序中给出的数")
ADDING = frozenset(
    {"index_add", "scatter_nd_add", "scatter_add", "put_along_axis", "index_put", "scatter", "put", "scatter_reduce"}
)


def _same(said: str) -> Text:
    return Text(said, said)


def _named(op: str, shown: Sequence[str]) -> Text:
    if len(shown) <= MOST_TERMS:
        return _same(f"{op}({', '.join(shown)})")
    return Text("{0} of {1} numbers", "{1} 个数的 {0}").format(op, len(shown))


def _sum(shown: Sequence[str]) -> Text:
    if len(shown) > MOST_TERMS:
        return Text("sum of {0} numbers", "{0} 个数之和").format(len(shown))
    return _same(" + ".join([shown[0], *map(signed, shown[1:])]))


def products_of(equation: str) -> tuple[int, int]:
    """Returns how many numbers are added to the products of an equation, 0 or 1, and how many factors a product has."""
    terms, added = equation.removeprefix("+").partition("->")[0].split(","), adds_first(equation)
    return int(added and terms[0] != "-"), len(terms) - added


def _weighted(weights: Sequence[Number], shown: Sequence[str]) -> str:
    first, *others = [
        value if weight == 1 else f"{number_label(weight)} · {signed(value)}"
        for weight, value in zip(weights, shown, strict=True)
    ]
    return " + ".join([first, *map(signed, others)])


def _products(depends: Dependence, shown: Sequence[str]) -> Text:
    added, factors = products_of(depends.text)
    each = [shown[k : k + factors] for k in range(added, len(shown), factors)]
    given = {each.name: each.value for each in depends.given}
    if factors == 1:
        return _sum(shown)
    if given.get("alpha", 1) != 1 or given.get("beta", 1) not in (0, 1) or len(each) * factors > MOST_TERMS:
        return Text("sum of {0} products", "{0} 个乘积之和").format(len(each))
    products = [" · ".join([first, *map(signed, others)]) for first, *others in each]
    return _same(" + ".join([*shown[:added], *products]))


def _pointwise(op: str, depends: Dependence, shown: Sequence[str]) -> str:
    given = {each.name: each.value for each in depends.given}
    extra = [number_label(value) for name, value in given.items() if name in ("y", "other", "exponent", "weight")]
    if op == "pow" and len(shown) == 1 and extra == ["2"]:
        op = "square"
    wanted = len(set(re.findall(r"\{\d\}", PATTERNS[op])))
    numbers = [*shown, *extra][: max(wanted, len(shown))]
    if op == "scale":
        return _scaled(shown[0], given)
    if op in ("maximum", "minimum"):
        return f"{op[:3]}({', '.join([*shown, *extra][:2])})"
    if op in ("add", "subtract") and given.get("alpha", 1) != 1 and len(numbers) > 1:
        numbers[1] = f"{number_label(given['alpha'])} · {signed(numbers[1])}"
    if op == "multiply" and len(numbers) > 2:
        return " · ".join(numbers)
    if len(numbers) != wanted:
        return f"{op}({', '.join(numbers)})"
    tight = op not in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "abs")
    return PATTERNS[op].format(
        *(
            [numbers[0], *map(signed, numbers[1:])]
            if len(numbers) > 1
            else [signed(numbers[0]) if tight else numbers[0]]
        )
    )


def _scaled(x: str, given: Mapping[str, Number]) -> str:
    factor, bias = given.get("scale", 1.0), given.get("bias", 0.0)
    after = bool(given.get("bias_after_scale", 1))
    if not after and bias:
        return f"({x} + {signed(number_label(bias))}) · {signed(number_label(factor))}"
    product = f"{x} · {signed(number_label(factor))}" if factor != 1 or not bias else x
    return f"{product} + {signed(number_label(bias))}" if bias else product
