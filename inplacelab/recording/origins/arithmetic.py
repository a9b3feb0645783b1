"""Writes the arithmetic of an operation in the program's numbers: `130 = 13 · 10`, and the slope with respect to each operand.

An operation that is not in the table is written by its name, `5 = gcd(10, 15)`, and its slopes are not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inplacelab.dependence import Dependence
from inplacelab.language import Text
from inplacelab.recording.facts import Number
from inplacelab.recording.naming import number_label

__all__ = ["MOST_TERMS", "arithmetic", "plain_name", "slope"]

MOST_TERMS = 6
"""A sum of more terms is counted, not written out."""

Numbers = Sequence[float]
Given = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Pointwise:
    """How an element-wise operation is written, and its slopes.

    Attributes:
        pattern: the expression, with the operands as {0}, {1} and the numbers beside them by name.
        slopes: for each operand the slope, from the operands, the result and the numbers beside them; None if it has none.
        factors: how the slopes are written, in the same way; {out} is the result.
    """

    pattern: str
    slopes: tuple[Callable[[Numbers, float, Given], float], ...] = ()
    factors: tuple[str, ...] = ()


def _scale(x: Numbers, out: float, given: Given) -> float:  # noqa: ARG001
    return given.get("scale", 1.0)


_TABLE: dict[str, Pointwise] = {
    "add": Pointwise("{0} + {1}", (lambda *_: 1.0, lambda *_: 1.0), ("1", "1")),
    "subtract": Pointwise("{0} - {1}", (lambda *_: 1.0, lambda *_: -1.0), ("1", "-1")),
    "multiply": Pointwise("{0} · {1}", (lambda x, *_: x[1], lambda x, *_: x[0]), ("{1}", "{0}")),
    "divide": Pointwise("{0} / {1}", (lambda x, *_: 1 / x[1], lambda x, *_: -x[0] / x[1] ** 2), ("1 / {1}", "-{0} / {1}²")),
    "rsub": Pointwise("{1} - {0}", (lambda *_: -1.0, lambda *_: 1.0), ("-1", "1")),
    "rtruediv": Pointwise("{1} / {0}", (lambda x, *_: -x[1] / x[0] ** 2, lambda x, *_: 1 / x[0]), ("-{1} / {0}²", "1 / {0}")),
    "scale": Pointwise("{0} · {scale}", (_scale,), ("{scale}",)),
    "neg": Pointwise("-{0}", (lambda *_: -1.0,), ("-1",)),
    "square": Pointwise("{0}²", (lambda x, *_: 2 * x[0],), ("2 · {0}",)),
    "pow": Pointwise("{0} ^ {1}", (lambda x, *_: x[1] * x[0] ** (x[1] - 1),), ("{1} · {0} ^ ({1} - 1)",)),
    "sqrt": Pointwise("√{0}", (lambda _, out, __: 0.5 / out,), ("1 / (2 · {out})",)),
    "reciprocal": Pointwise("1 / {0}", (lambda _, out, __: -out * out,), ("-{out}²",)),
    "exp": Pointwise("exp({0})", (lambda _, out, __: out,), ("{out}",)),
    "log": Pointwise("log({0})", (lambda x, *_: 1 / x[0],), ("1 / {0}",)),
    "sin": Pointwise("sin({0})", (lambda x, *_: math.cos(x[0]),), ("cos({0})",)),
    "cos": Pointwise("cos({0})", (lambda x, *_: -math.sin(x[0]),), ("-sin({0})",)),
    "tanh": Pointwise("tanh({0})", (lambda _, out, __: 1 - out * out,), ("1 - {out}²",)),
    "sigmoid": Pointwise("sigmoid({0})", (lambda _, out, __: out * (1 - out),), ("{out} · (1 - {out})",)),
    "relu": Pointwise("relu({0})", (lambda _, out, __: 1.0 if out > 0 else 0.0,), ("{relu}",)),
    "abs": Pointwise("|{0}|", (lambda x, *_: math.copysign(1.0, x[0]) if x[0] else 0.0,), ("{sign}",)),
    "maximum": Pointwise("max({0})", (lambda *_: 1.0,), ("1",)),
    "minimum": Pointwise("min({0})", (lambda *_: 1.0,), ("1",)),
}  # fmt: skip
_COPIES = frozenset({
    "clone", "copy", "assign", "cast", "to", "setitem", "set_value", "getitem", "reshape", "flatten", "expand", "contiguous", "astype", "type", "float", "double",
    "broadcast_to", "detach",
})  # fmt: skip
"""Operations that leave numbers as they are."""
_OTHER_NAMES = {
    "mul": "multiply", "imul": "multiply", "rmul": "multiply", "sub": "subtract", "isub": "subtract", "div": "divide", "truediv": "divide",
    "true_divide": "divide", "idiv": "divide", "itruediv": "divide", "iadd": "add", "radd": "add", "negative": "neg", "matmul": "matmul", "amax": "max",
    "amin": "min",
}  # fmt: skip


def plain_name(op: str | None) -> str:
    """Returns the name of an operation without the underscore of an in-place one, and without a framework's other name for it.

    >>> plain_name("mul_"), plain_name("scale_")
    ('multiply', 'scale')
    """
    bare = (op or "?").rstrip("_")
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


def _signed(value: str) -> str:
    """A number after an operator, in brackets if it is negative."""
    return f"({value})" if value.startswith("-") else value


_MOVES = ("moved", "written", "chosen", "reordered", "joined", "stacked")
"""Rules by which an element is another one, if it has one origin."""


def _right(op: str, depends: Dependence, shown: Sequence[str]) -> Text:
    if depends.how in ("constant", "drawn") or not shown:
        return _DRAWN if depends.how == "drawn" else _CONSTANT
    if len(shown) == 1 and (op in _COPIES or depends.how in _MOVES):
        return _same(shown[0])
    if depends.how == "contracted":
        return _products(depends, shown)
    if depends.how == "pointwise" and op in _TABLE:
        return _same(_pointwise(op, depends, shown))
    return _collected(op, depends, shown)


def _collected(op: str, depends: Dependence, shown: Sequence[str]) -> Text:
    """Of an operation that makes one number of many."""
    if op in ("sum", "cumsum") or (depends.how == "written" and op in _ADDING):
        return _sum(shown)
    if op == "mean":
        return Text("({0}) / {1}", "({0}) / {1}").format(_sum(shown), len(shown))
    if op in ("prod", "cumprod") and len(shown) <= MOST_TERMS:
        return _same(" · ".join([shown[0], *map(_signed, shown[1:])]))
    return _named(op, shown)


_DRAWN = Text("drawn here", "在此处随机取得")
_CONSTANT = Text("a number of the program", "程序中给出的数")
_ADDING = frozenset({"index_add", "scatter_add", "put_along_axis", "index_put", "scatter", "put", "scatter_reduce"})


def _same(said: str) -> Text:
    return Text(said, said)


def _named(op: str, shown: Sequence[str]) -> Text:
    if len(shown) <= MOST_TERMS:
        return _same(f"{op}({', '.join(shown)})")
    return Text("{0} of {1} numbers", "{1} 个数的 {0}").format(op, len(shown))


def _sum(shown: Sequence[str]) -> Text:
    if len(shown) > MOST_TERMS:
        return Text("sum of {0} numbers", "{0} 个数之和").format(len(shown))
    return _same(" + ".join([shown[0], *map(_signed, shown[1:])]))


def _products(depends: Dependence, shown: Sequence[str]) -> Text:
    count = len([term for term in depends.text.split("->")[0].split(",") if term != "-"])
    added = len(shown) % 2 if count == 3 else 0
    pairs = list(zip(shown[added::2], shown[added + 1 :: 2], strict=False))
    given = {each.name: each.value for each in depends.given}
    if count > 3 or given.get("alpha", 1) != 1 or given.get("beta", 1) not in (0, 1) or len(pairs) > MOST_TERMS // 2:
        return Text("sum of {0} products", "{0} 个乘积之和").format(len(pairs))
    products = [f"{a} · {_signed(b)}" for a, b in pairs]
    return _same(" + ".join([*shown[:added], *products]))


def _pointwise(op: str, depends: Dependence, shown: Sequence[str]) -> str:
    given = {each.name: each.value for each in depends.given}
    extra = [number_label(value) for name, value in given.items() if name in ("y", "other", "exponent")]
    if op == "pow" and len(shown) == 1 and extra == ["2"]:
        op = "square"
    wanted = _TABLE[op].pattern.count("{")
    numbers = [*shown, *extra][: max(wanted, len(shown))]
    if op == "scale":
        return _scaled(shown[0], given)
    if op in ("maximum", "minimum"):
        return f"{op[:3]}({', '.join([*shown, *extra][:2])})"
    if op in ("add", "subtract") and given.get("alpha", 1) != 1 and len(numbers) > 1:
        numbers[1] = f"{number_label(given['alpha'])} · {_signed(numbers[1])}"
    if op == "multiply" and len(numbers) > 2:
        return " · ".join(numbers)
    if len(numbers) != wanted:
        return f"{op}({', '.join(numbers)})"
    tight = op not in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "abs")
    return _TABLE[op].pattern.format(
        *(
            [numbers[0], *map(_signed, numbers[1:])]
            if len(numbers) > 1
            else [_signed(numbers[0]) if tight else numbers[0]]
        )
    )


def _scaled(x: str, given: Mapping[str, Number]) -> str:
    factor, bias = given.get("scale", 1.0), given.get("bias", 0.0)
    after = bool(given.get("bias_after_scale", 1))
    if not after and bias:
        return f"({x} + {_signed(number_label(bias))}) · {_signed(number_label(factor))}"
    product = f"{x} · {_signed(number_label(factor))}" if factor != 1 or not bias else x
    return f"{product} + {_signed(number_label(bias))}" if bias else product


# --- slopes --------------------------------------------------------------------------------------------------------


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


def slope(  # one case after the other
    op: str | None, depends: Dependence, operands: Sequence[Number | None], at: int, result: Number | None
) -> Slope:
    """Returns the slope of a result with respect to one of its origins.

    Args:
        op: the operation.
        depends: how it depends on its operands.
        operands: the values of its origins, in the order of the arithmetic.
        at: which of them.
        result: its value.
    """
    name = plain_name(op)
    if name in _COPIES or depends.how in ("moved", "chosen", "reordered", "joined", "stacked"):
        return _ONE
    if name in ("sum", "cumsum", "max", "min") or (
        depends.how == "written" and (depends.text == "assigned" or name in _ADDING)
    ):
        return _ONE
    if name == "mean":
        return Slope(1 / len(operands), f"1 / {len(operands)}")
    real = [each for each in operands if isinstance(each, bool | int | float)]
    if len(real) != len(operands) or not isinstance(result, bool | int | float):
        return UNKNOWN
    try:
        return _slope(name, depends, [float(each) for each in real], at, float(result))
    except (ZeroDivisionError, ValueError, OverflowError):
        return UNKNOWN


def _slope(name: str, depends: Dependence, x: list[float], at: int, out: float) -> Slope:
    given = {each.name: float(each.value.real) for each in depends.given}
    if name == "pow" and len(x) == 1 and _squares(given):
        name, given = "square", {}
    if depends.how == "contracted":
        return _of_product(depends, x, at, given)
    form = _TABLE.get(name)
    if depends.how != "pointwise" or form is None:
        return UNKNOWN
    extra = [value for key, value in given.items() if key in ("y", "other")]
    numbers = [*x, *extra][: max(form.pattern.count("{"), len(x))]
    if name in ("maximum", "minimum"):
        return Slope(1 / len(x), "1" if len(x) == 1 else f"1 / {len(x)}")
    if len(numbers) != (1 if name == "scale" else form.pattern.count("{")) or at >= len(form.slopes):
        return UNKNOWN
    value = form.slopes[at](numbers, out, given)
    if name in ("add", "subtract") and at == 1:
        value *= given.get("alpha", 1.0)
    labels = [_signed(number_label(each)) for each in numbers]
    words = {**{key: number_label(each) for key, each in given.items()}, "out": number_label(out)}
    words |= {"relu": f"{number_label(value)}", "sign": number_label(value)}
    words.setdefault("scale", "1")
    return Slope(value, form.factors[at].format(*labels, **words))


def _squares(given: Given) -> bool:
    """Whether a power is the second."""
    return 2 in [value for key, value in given.items() if key in ("y", "other")]


def _of_product(depends: Dependence, x: list[float], at: int, given: Given) -> Slope:
    terms = [term for term in depends.text.split("->")[0].split(",") if term != "-"]
    added = len(x) % 2 if len(terms) == 3 else 0
    if len(terms) > 3 or (len(terms) == 3 and not added):
        return UNKNOWN
    if at < added:
        return Slope(given.get("beta", 1.0), number_label(given.get("beta", 1.0)))
    other = at + 1 if (at - added) % 2 == 0 else at - 1
    alpha = given.get("alpha", 1.0)
    written = number_label(x[other])
    return Slope(alpha * x[other], written if alpha == 1 else f"{number_label(alpha)} · {_signed(written)}")
