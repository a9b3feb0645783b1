"""Products of matrices and vectors, sums of such products with a tensor (`addmm`, `baddbmm`), and `einsum`.

These are contractions: every element of the result is a sum of products over a shared axis. A product reads every element of its
factors many times, so it is computed in temporary memory and then added to the target.

`einsum` writes sums of products with a letter for each axis: "ij,jk->ik" is the product of two matrices. The operations of the
table read a fixed number of tensors; so there is a row for each number of operands, made on first use. Before a row runs, the
equation is simplified: within an operand no letter repeats, and each occurs in another operand or in the result. So the derivative
with respect to one operand is an `einsum` of the gradient and the other operands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import Shape, common_shape
from inplacelab.ops.arguments.attributes import check_dtype, constant, plain_number
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.results.kernel_tools import conj, quietly
from inplacelab.ops.table import LazyFunction, add_row, as_function, contraction
from inplacelab.ops.table.depends import by_equation, contracted
from inplacelab.ops.table.row import Row, Rule
from inplacelab.tensor import Tensor


def flip_last(x: Tensor) -> Tensor:
    """The transpose of the last two axes: a view."""
    rank = x.ndim
    return x.transpose([*range(rank - 2), rank - 1, rank - 2]) if rank > 1 else x


def _product_shape(x: Shape, y: Shape) -> Shape:
    """As NumPy's `matmul`: vectors count as one row (left) or one column (right), leading axes are broadcast."""
    if len(x) == len(y) == 2 and x[1] == y[0]:
        return (x[0], y[1])
    if not x or not y or x[-1] != y[-2 if len(y) > 1 else 0]:
        raise errors.cannot_multiply(x, y)
    try:
        batch = np.broadcast_shapes(x[:-2], y[:-2])
    except ValueError:
        raise errors.cannot_broadcast(x=x, y=y, op="matmul") from None
    return (*batch, *x[-2:-1], *(y[-1:] if len(y) > 1 else ()))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _equation(x: Shape, y: Shape) -> str:
    """The product in Einstein's notation: leading axes get letters from the last on, so that they are broadcast."""
    batch = max(len(x), len(y), 2) - 2
    lead = _LETTERS[:batch]
    row, column = "y" * (len(x) > 1), "z" * (len(y) > 1)
    return (
        f"{lead[batch - max(len(x) - 2, 0) :]}{row}x,{lead[batch - max(len(y) - 2, 0) :]}x{column}->{lead}{row}{column}"
    )


def _matmul(out: Any, x: Any, y: Any) -> None:
    np.matmul(x, y, out)


def _gradient_left(g: Tensor, y: Tensor, rank_x: int) -> Tensor:
    """The gradient of `x` in `x @ y`: `g @ yᵀ`, with the missing axes of a vector inserted and removed again."""
    rows = g if rank_x > 1 else g.unsqueeze(-2 if y.ndim > 1 else -1)
    if y.ndim == 1:
        return conj(y) * (g.unsqueeze(-1) if rank_x > 1 else g)
    product = rows.matmul(conj(flip_last(y)))
    return product if rank_x > 1 else product.squeeze(-2)


def _gradient_right(g: Tensor, x: Tensor, rank_y: int) -> Tensor:
    """The gradient of `y` in `x @ y`: `xᵀ @ g`."""
    if x.ndim == 1:
        return conj(x) * g if rank_y == 1 else conj(x).unsqueeze(-1) * g.unsqueeze(-2)
    if rank_y == 1:
        return conj(x) * g.unsqueeze(-1)
    return conj(flip_last(x)).matmul(g)


MATMUL = contraction(
    "matmul", "x, y", ("The product of two matrices, or of two stacks of matrices.", "两个矩阵（或两叠矩阵）的乘积。"),
    kernel=_matmul, accepts="fic", shape=_product_shape, depends=contracted(_equation), method=False, function=False,
    d_x=lambda g, y, x_form: _gradient_left(g, y, len(x_form.shape)),
    d_y=lambda g, x, y_form: _gradient_right(g, x, len(y_form.shape)),
)  # fmt: skip


Labels = tuple[str, ...]
"""A letter for each axis; the axes of an ellipsis are numbered from the last: "...0", "...1"."""


# ---- einsum: the rows -------------------------------------------------------------------------------------------------------


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


# ---- einsum: reading the equation -------------------------------------------------------------------------------------------


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


# ---- sums with a product ----------------------------------------------------------------------------------------------------


def _check_sum(op: str, rank: int, input: Any, x: Any, y: Any) -> None:
    check_dtype(op, "x", input, x)
    check_dtype(op, "y", input, y)
    if x.ndim != rank or y.ndim != rank:
        raise errors.not_matrices(rank=rank, x=x.shape, y=y.shape, op=op)
    if x.shape[-1] != y.shape[-2] or x.shape[:-2] != y.shape[:-2]:
        raise errors.cannot_multiply(x.shape, y.shape)
    _sum_shape(op, input.shape, x.shape, y.shape)


def _sum_shape(op: str, input: Shape, x: Shape, y: Shape) -> Shape:
    """The shape of the product, to which `input` is broadcast. `input` may lack one axis, as in Paddle."""
    product = (*x[:-1], y[-1])
    if len(input) not in (len(x) - 1, len(x)) or common_shape(_aligned(input, len(product)), product) != product:
        raise errors.cannot_broadcast(x=input, y=product, op=op)
    return product


def _aligned(input: Shape, rank: int) -> Shape:
    """Inserts the missing axis of rows: `baddbmm` accepts an `input` of shape `[batch, columns]`."""
    if rank == 3 and len(input) == 2:
        return (input[0], 1, input[1])
    return (1,) * (rank - len(input)) + input


@quietly
def _add_product(out: Any, input: Any, x: Any, y: Any, beta: Any, alpha: Any, device: Any) -> None:
    """With `beta=0` the input is ignored, even where it is NaN."""
    device.ledger.borrow(out.nbytes + _copied(x) + _copied(y))
    product = np.matmul(x, y)
    if alpha != 1:
        np.multiply(product, constant(alpha, product.dtype), product)
    if beta == 0:
        np.copyto(out, product)
        return
    np.multiply(input.reshape(_aligned(input.shape, out.ndim)), constant(beta, out.dtype), out)
    np.add(out, product, out)


def _copied(x: Any) -> int:
    """The most bytes that NumPy needs to copy a factor into the layout of its matrix product."""
    return 0 if x.flags.c_contiguous else int(x.nbytes)


def _gradient_of_input(g: Tensor, beta: Any, shape: Shape) -> Tensor:
    scaled = g.scale(beta)
    if g.ndim == 3 and len(shape) == 2:
        return scaled.sum(1)
    return scaled


def _gradient_of_left(g: Tensor, y: Tensor, alpha: Any) -> Tensor:
    return g.matmul(flip_last(y)).scale(alpha)


def _gradient_of_right(g: Tensor, x: Tensor, alpha: Any) -> Tensor:
    return flip_last(x).matmul(g).scale(alpha)


ADDMM = add_row(
    "contraction", "addmm", "input, x, y", ("`beta * input + alpha * x @ y`, for matrices.", "计算 `beta * input + alpha * x @ y`（矩阵）。"),
    attrs="beta=1.0, alpha=1.0", accepts="f", prepare={"beta": plain_number, "alpha": plain_number}, kernel=_add_product,
    validate=lambda input, x, y: _check_sum("addmm", 2, input, x, y), shape=lambda input, x, y: _sum_shape("addmm", input, x, y),
    depends=contracted(lambda input, beta: f"{'ij'[2 - len(input):] if beta else '-'},ik,kj->ij"),
    d_input=lambda g, beta, input_form: _gradient_of_input(g, beta, input_form.shape),
    d_x=_gradient_of_left,
    d_y=_gradient_of_right,
)  # fmt: skip
BADDBMM = add_row(
    "contraction", "baddbmm", "input, x, y", ("`beta * input + alpha * x @ y`, for stacks of matrices.", "计算 `beta * input + alpha * x @ y`（成叠的矩阵）。"),
    attrs="beta=1.0, alpha=1.0", accepts="f", prepare={"beta": plain_number, "alpha": plain_number}, kernel=_add_product,
    validate=lambda input, x, y: _check_sum("baddbmm", 3, input, x, y), shape=lambda input, x, y: _sum_shape("baddbmm", input, x, y),
    depends=contracted(lambda input, beta: f"{('bj' if len(input) == 2 else 'bij') if beta else '-'},bik,bkj->bij"),
    d_input=lambda g, beta, input_form: _gradient_of_input(g, beta, input_form.shape),
    d_x=_gradient_of_left,
    d_y=_gradient_of_right,
)  # fmt: skip

# ---- products -------------------------------------------------------------------------------------------------------------------


def _check_bmm(x: Any, y: Any) -> None:
    if x.ndim != 3 or y.ndim != 3:
        raise errors.not_matrices(rank=3, x=x.shape, y=y.shape, op="bmm")
    if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise errors.cannot_multiply(x.shape, y.shape)


def _check_mv(x: Any, vec: Any) -> None:
    if x.ndim != 2 or vec.ndim != 1:
        raise errors.not_matrices(rank=2, x=x.shape, y=vec.shape, op="mv")
    if x.shape[1] != vec.shape[0]:
        raise errors.cannot_multiply(x.shape, vec.shape)


def _check_dot(x: Any, y: Any) -> None:
    if x.shape != y.shape or x.ndim not in (1, 2):
        raise errors.cannot_dot(x=x.shape, y=y.shape)


def _bmm(out: Any, x: Any, y: Any) -> None:
    np.matmul(x, y, out)


def _mv(out: Any, x: Any, vec: Any) -> None:
    np.matmul(x, vec, out)


def _dot(out: Any, x: Any, y: Any) -> None:
    np.einsum("...i,...i->...", x, y, out=out)


def _outer(out: Any, x: Any, y: Any, device: Any) -> None:
    device.ledger.borrow(_copied(x) + _copied(y))
    np.multiply(x.reshape(-1, 1), y.reshape(-1), out)


BMM = contraction(
    "bmm", "x, y", ("The products of two stacks of matrices, pair by pair.", "两叠矩阵逐对相乘。"),
    kernel=_bmm, accepts="f", validate=_check_bmm, shape=lambda x, y: (*x[:2], y[2]), out=True, depends=contracted(lambda: "bik,bkj->bij"),
    d_x=lambda g, y: g.bmm(flip_last(y)),
    d_y=lambda g, x: flip_last(x).bmm(g),
)  # fmt: skip
MV = contraction(
    "mv", "x, vec", ("The product of a matrix and a vector.", "矩阵与向量的乘积。"),
    kernel=_mv, accepts="f", validate=_check_mv, shape=lambda x: x[:1], depends=contracted(lambda: "ij,j->i"),
    d_x=lambda g, vec: g.outer(vec),
    d_vec=lambda g, x: x.t().mv(g),
)  # fmt: skip
DOT = contraction(
    "dot", "x, y", ("The sum of the products of two vectors, or of rows of two matrices; nothing is conjugated.", "两个向量（或两个矩阵的各行）的点积；不取共轭。"),
    kernel=_dot, accepts="fic", validate=_check_dot, shape=lambda x: x[:-1], out=True,
    depends=contracted(lambda x: "i,i->" if len(x) == 1 else "bi,bi->b"),
    d_x=lambda g, y: g.unsqueeze(-1) * conj(y),
    d_y=lambda g, x: g.unsqueeze(-1) * conj(x),
)  # fmt: skip
OUTER = contraction(
    "outer", "x, y", ("The outer product: each element of `x` times each element of `y`, both taken as vectors.", "`x` 的每个元素乘 `y` 的每个元素，二者均视为向量。"),
    kernel=_outer, shape=lambda x, y: (int(np.prod(x, dtype=int)), int(np.prod(y, dtype=int))), depends=contracted(lambda: "i,j->ij"),
    d_x=lambda g, y, x_form: (g * conj(y).reshape([-1])).sum(1).reshape(x_form.shape),
    d_y=lambda g, x, y_form: (g * conj(x).reshape([-1, 1])).sum(0).reshape(y_form.shape),
)  # fmt: skip
