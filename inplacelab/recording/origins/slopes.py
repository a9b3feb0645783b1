"""Says how strongly a result follows one of the numbers that it was computed from: the factor that backward multiplies by.

An operation that is not in the table has no known slope: it is shown as `?`. Where an argument that is not recorded decides (the `p` of a norm,
the `correction` of a variance), the form that yields the recorded result is taken; if none does, the slope is not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from inplacelab.dependence import Dependence
from inplacelab.recording.facts import Number
from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.back import ADDING, COPIES, DISTANCES, plain_name, products_of
from inplacelab.recording.origins.slope_table import (
    FORMS,
    ONE,
    UNKNOWN,
    Asked,
    Form,
    Slope,
    in_brackets,
    labeled,
    product_of_others,
    softmax,
)


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
    name = plain_name(op)
    if depends.how == "reduced" and not depends.text and name in ("sum", "mean"):
        return ONE if name == "sum" else Slope(1 / len(operands), f"1 / {len(operands)}")
    given = {each.name: float(each.value.real) for each in depends.given}
    real = [float(each) for each in operands if isinstance(each, bool | int | float)]
    if len(real) != len(operands) or not isinstance(result, bool | int | float):
        moves = name in COPIES or (depends.how in _MOVES and name != "dropout") or name in ("sum", "cumsum")
        return ONE if moves else UNKNOWN
    labels = [float(each.value.real) for each in depends.given if each.name == "label"]
    asked = Asked(real, at, own, float(result), given, labels, len(real) if line is None else line)
    try:
        return _slope((op or "?").rstrip("_"), depends, asked, checked=checked)
    except (ZeroDivisionError, ValueError, OverflowError, IndexError):
        return UNKNOWN


_MOVES = ("moved", "chosen", "reordered", "joined", "stacked")
"""Rules by which an element is another one."""
_LARGEST = ("max", "min", "maximum", "minimum", "aminmax", "cummax", "cummin")
"""Operations whose result is one of their operands, or the same of a part."""


def _slope(op: str, depends: Dependence, asked: Asked, *, checked: bool) -> Slope:  # noqa: C901, PLR0911  # one case after the other
    name = plain_name(op)
    if name == "dropout":
        return labeled(asked.out / asked.x[0]) if asked.x[0] else UNKNOWN
    if "rounds" in asked.given:
        return Slope(0.0, "0")
    if name in COPIES or depends.how in _MOVES:
        same = len(asked.x) > 1 or _close(asked.x[0], asked.out) or not math.isfinite(asked.out)
        return ONE if same or not checked else UNKNOWN
    if depends.how == "written" and not depends.rule and (depends.text == "assigned" or name in ADDING):
        return _of_written(depends, asked, checked=checked)
    if name == "median":
        return labeled(1 / len(asked.x))
    if depends.how == "attended":
        return _attention(asked)
    if depends.weights:
        return labeled(float(depends.weights[asked.at].real))
    if depends.rule and (depends.how in ("windowed", "listed", "written") or name in _LARGEST):
        return _of_largest(op, depends, asked)
    if depends.how == "windowed" and not depends.numbers[0]:
        return _of_mean(depends, asked, checked=checked)
    if depends.how in ("contracted", "windowed") and name not in DISTANCES:
        return _of_product(depends, asked)
    forms = FORMS.get(name, ())
    return next((form.slope(asked) for form in forms if not checked or _yields(form, asked)), UNKNOWN)


def _yields(form: Form, asked: Asked) -> bool:
    """Whether a form yields the result."""
    try:
        return form.value is None or _close(form.value(asked), asked.out)
    except (ArithmeticError, ValueError, IndexError, KeyError):
        return False


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5)


# --- by the rule, whatever the operation ---


def _of_written(depends: Dependence, asked: Asked, *, checked: bool) -> Slope:
    """Of a number that was written, or combined with the old one: added, multiplied, or in their mean."""
    own, alpha, count = asked.x[0], asked.given.get("alpha", 1.0), len(asked.x)
    if "product" in asked.given:
        return product_of_others(asked._replace(given={}))
    if "mean" in asked.given:
        return Slope(1 / count, f"1 / {count}")
    adds = depends.text == "assigned" or not checked or _close(own + alpha * sum(asked.x[1:]), asked.out)
    return (labeled(alpha) if asked.at and alpha != 1 else ONE) if adds else UNKNOWN


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
    shown = [alpha, *others][alpha == 1 :]
    written = " · ".join(in_brackets(each) if k else number_label(each) for k, each in enumerate(shown))
    return Slope(alpha * math.prod(others), written or "1")


def _attention(asked: Asked) -> Slope:
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
    if not _close(out, asked.out):
        return UNKNOWN
    if asked.at >= 3 * size * keys:
        at = asked.at - 3 * size * keys
        return labeled(shares[at] * (triples[at][2] - out))
    query, of_key, value = triples[entry * keys + key]
    by_score = shares[key] * (value - out) * scale
    return labeled((by_score * of_key, by_score * query, shares[key] / size)[asked.at % 3])
