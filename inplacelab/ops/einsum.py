"""`einsum`: sums of products, written with a letter for each axis: "ij,jk->ik" is the product of two matrices.

The operations of the table read a fixed number of tensors; so there is a row for each number of operands, made on first
use. Before a row runs, the equation is simplified: within an operand no letter repeats, and each occurs in another operand
or in the result. So the derivative with respect to one operand is an `einsum` of the gradient and the other operands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import Shape
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.results.kernel_tools import conj
from inplacelab.ops.table import LazyFunction, as_function
from inplacelab.ops.table.depends import by_equation
from inplacelab.ops.table.row import Row, Rule
from inplacelab.tensor import Tensor

Labels = tuple[str, ...]
"""A letter for each axis; the axes of an ellipsis are numbered from the last: "...0", "...1"."""

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

# ---- the rows ---------------------------------------------------------------------------------------------------------------


@cache
def _contract(count: int) -> Callable[..., Tensor]:
    """The function of the row for `count` operands."""
    names = ("x", "y", *(f"x{k}" for k in range(2, count)))[:count]  # the first two as in rows of two operands
    listed = ", ".join(names)
    row = Row(
        name="einsum", kind="contraction", inputs=names, attrs="equation", node="EinsumGradNode", in_place=False, accepts="fc",
        depends=by_equation(),
        says=Text("Sums of products, along the axes that share a letter.", "沿同名的轴求乘积之和。"),
        kernel=eval(f"lambda out, {listed}, equation: compute(out, ({listed},), equation)", {"compute": _compute}),
        shape=eval(f"lambda {listed}, equation: shape(({listed},), equation)", {"shape": _shape}),
        rules=tuple(Rule(_slope(names, k)) for k in range(count)),
    )  # fmt: skip
    return LazyFunction(row, "ordinary").function()


def _compute(out: Any, operands: tuple[Any, ...], equation: str) -> None:
    np.einsum(equation, *operands, out=out)


def _shape(shapes: tuple[Shape, ...], equation: str) -> Shape:
    terms, result = _split(equation)
    sizes = {label: n for term, shape in zip(terms, shapes, strict=True) for label, n in zip(term, shape, strict=True)}
    return tuple(sizes[label] for label in result)


def _split(equation: str) -> tuple[list[str], str]:
    terms, result = equation.split("->")
    return terms.split(","), result


def _slope(names: tuple[str, ...], k: int) -> Callable[..., Tensor]:
    """The derivative with respect to operand `k`; its parameters name the others."""
    others = [name for name in names if name != names[k]]
    parameters = ", ".join(["g", *others, "equation"])
    given = ", ".join(others) + "," * bool(others)
    made: Callable[..., Tensor] = eval(f"lambda {parameters}: slope(g, ({given}), equation)", {"slope": _slope_of(k)})
    return made


def _slope_of(k: int) -> Callable[[Tensor, tuple[Tensor, ...], str], Tensor]:
    def slope(g: Tensor, others: tuple[Tensor, ...], equation: str) -> Tensor:
        terms, result = _split(equation)
        own = terms.pop(k)
        return _contract(len(terms) + 1)(g, *map(conj, others), equation=f"{','.join([result, *terms])}->{own}")

    return slope


# ---- reading the equation -----------------------------------------------------------------------------------------------------


def _labels(term: str, rank: int) -> Labels:
    """A label for each axis of an operand."""
    before, ellipsis, after = term.partition("...")
    letters = len(before) + len(after)
    if not all(each in _LETTERS for each in before + after) or letters > rank or (not ellipsis and letters < rank):
        raise errors.einsum_term_too_short(term=term, rank=rank)
    hidden = [f"...{k}" for k in reversed(range(rank - letters))]
    return (*before, *hidden, *after)


def _read(equation: str, ranks: list[int]) -> tuple[list[Labels], Labels]:
    """The labels of the operands and of the result (by default the letters that occur once, in alphabetical order)."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise errors.einsum_operand_count_differs(operands=len(ranks), terms=len(terms))
    labels = [_labels(term, rank) for term, rank in zip(terms, ranks, strict=True)]
    counts = Counter(label for each in labels for label in each)
    hidden = sorted((label for label in counts if label[0] == "."), key=lambda label: -int(label[3:]))
    if not arrow:
        return labels, (*hidden, *sorted(label for label in counts if label[0] != "." and counts[label] == 1))
    before, ellipsis, after = right.partition("...")
    result = (*before, *(hidden if ellipsis else ()), *after)
    if len(set(result)) < len(result) or not set(result) <= set(counts):
        raise errors.einsum_result_label_unknown(result=right)
    return labels, result


def _sizes(labels: list[Labels], operands: list[Tensor]) -> dict[str, int]:
    """The size for each label; an axis of one element is broadcast."""
    sizes: dict[str, int] = {}
    for label, n in (
        (label, n) for each, x in zip(labels, operands, strict=True) for label, n in zip(each, x.shape, strict=True)
    ):
        if sizes.setdefault(label, n) == 1:
            sizes[label] = n
        if n not in (1, sizes[label]):
            raise errors.einsum_label_sizes_differ(label=label, first=sizes[label], second=n)
    return sizes


# ---- simplification before the row --------------------------------------------------------------------------------------------


def _without_repeats(x: Tensor, labels: Labels) -> tuple[Tensor, Labels]:
    """A letter that repeats within an operand means its diagonal."""
    for label in [label for label, times in Counter(labels).items() for _ in range(times - 1)]:
        first = labels.index(label)
        second = labels.index(label, first + 1)
        x = x.diagonal(0, first, second)
        labels = (*(each for k, each in enumerate(labels) if k not in (first, second)), label)
    return x, labels


def _without_broadcasts(x: Tensor, labels: Labels, sizes: dict[str, int]) -> tuple[Tensor, Labels]:
    """Removes axes of one element whose letter has a longer axis in another operand."""
    axes = [k for k, label in enumerate(labels) if x.shape[k] == 1 != sizes[label]]
    return (x.squeeze(axes), _others(labels, axes)) if axes else (x, labels)


def _without_unshared(x: Tensor, labels: Labels, elsewhere: set[str]) -> tuple[Tensor, Labels]:
    """Sums over the letters that occur only in this operand."""
    axes = [k for k, label in enumerate(labels) if label not in elsewhere]
    return (x.sum(axes), _others(labels, axes)) if axes else (x, labels)


def _others(labels: Labels, axes: list[int]) -> Labels:
    return tuple(label for k, label in enumerate(labels) if k not in axes)


def _plain(operands: list[Tensor], labels: list[Labels], result: Labels) -> tuple[list[Tensor], list[Labels]]:
    """The simplified operands for the row, and their letters."""
    sizes = _sizes(labels, operands)
    pairs = [_without_repeats(x, each) for x, each in zip(operands, labels, strict=True)]
    pairs = [_without_broadcasts(x, each, sizes) for x, each in pairs]
    terms = [each for _, each in pairs]
    for k, (x, each) in enumerate(pairs):
        elsewhere = {*result, *(label for n, other in enumerate(terms) if n != k for label in other)}
        pairs[k] = _without_unshared(x, each, elsewhere)
    return [x for x, _ in pairs], [each for _, each in pairs]


@as_function
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Returns sums of products: "ij,jk->ik" multiplies two matrices, "ii->i" is a diagonal, "ij->" the sum of all elements.

    按每个轴一个字母的写法求乘积之和："ij,jk->ik" 是矩阵乘积，"ii->i" 取对角线，"ij->" 对全部元素求和。

    Args:
        equation: for each operand a letter for each axis, with commas between them; after "->" the letters of the result, in any
            order. Letters that are not in the result are summed over. An ellipsis stands for axes without letters, which are
            broadcast. Without "->", letters that occur once are kept, in alphabetical order.
        operands: tensors of floating-point or complex numbers.

    Raises:
        AssertedArgumentError: if the equation does not fit the operands.
        ArgumentError: if axes of one letter have different sizes.
        KernelError: if the elements are integers or truth values, as in Paddle.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([[1., 2.], [3., 4.]])
    >>> paddle.einsum("ij,ij->i", x, x).tolist()
    [5.0, 25.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/einsum_en.html
    """
    tensors = [as_tensor("einsum", "operands", k, x) for k, x in enumerate(operands)]
    for x in tensors:
        if x.array.dtype.kind not in "fc":
            raise errors.kernel_not_registered(dtype=x.dtype.name, op="einsum")
    labels, result = _read(equation, [x.ndim for x in tensors])
    letters = dict(zip(dict.fromkeys(label for each in labels for label in each), _LETTERS, strict=False))
    tensors, labels = _plain(tensors, labels, result)
    terms = ",".join("".join(letters[label] for label in each) for each in labels)
    return _contract(len(tensors))(*tensors, equation=f"{terms}->{''.join(letters[label] for label in result)}")
