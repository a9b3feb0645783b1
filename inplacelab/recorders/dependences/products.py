"""Products of matrices and vectors, equations in Einstein's notation, attention, and distances of lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, Given, products
from inplacelab.recorders.dependences.call import Call, Shape

_LETTERS = "abcdefgh"


def of_products(call: Call, plain: str, shapes: Sequence[Shape]) -> Dependence | None:
    """Returns the dependence of a product of tensors; None if it is none, or not known."""
    counts, found = _PRODUCTS.get(plain, ((), None))
    return found(call, shapes) if found is not None and len(shapes) in counts else None


def _product(call: Call, shapes: Sequence[Shape]) -> Dependence:
    turned = call.named("x", "y", "transpose_x", "transpose_y")
    flipped = bool(turned.get("transpose_x", False)), bool(turned.get("transpose_y", False))
    return Dependence("contracted", text=_matmul(shapes[0], shapes[1], *flipped))


def _dot(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    return Dependence("contracted", text="i,i->" if len(shapes[0]) == 1 else "bi,bi->b")


def _outer(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    return Dependence("contracted", text="i,j->ij")


def _added(call: Call, shapes: Sequence[Shape]) -> Dependence:
    return Dependence("contracted", text=f"{'ij'[2 - len(shapes[0]) :]},ik,kj->ij", given=tuple(_scales(call)))


def _added_in_batches(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    return Dependence("contracted", text="bij,bik,bkj->bij", given=tuple(_scales(call)))


def _attention(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """Of PyTorch, without dropout."""
    names = ("query", "key", "value", "mask", "dropout_p", "is_causal", "scale")
    named, size = call.named(*names), shapes[0][-1]
    mask = named.get("mask", named.get("attn_mask"))
    if named.get("dropout_p") or call.kwargs.get("enable_gqa") or len({each[:-2] for each in shapes[:3]}) > 1:
        return None
    pairs = shapes[0][-2], shapes[1][-2]
    shown = np.tril(np.ones(pairs, bool)) if named.get("is_causal") else np.ones(pairs, bool)
    adds = False
    if mask is not None:
        mask = call.as_array(mask)
        adds = mask.dtype != bool
        shown = np.broadcast_to(
            ~np.isneginf(mask) if adds else mask, (*shapes[0][:-2], *pairs) if mask.ndim > 2 else pairs
        )
    hidden = tuple(np.flatnonzero(~shown).tolist())
    if len(hidden) > MOST_PLACES:
        return None
    scale = named.get("scale")
    given = (Given("size", size), Given("scale", size**-0.5 if scale is None else scale), Given("added", adds))
    return Dependence("attended", (int(shown.ndim > 2), int(adds)), places=hidden, given=given)


def _scales(call: Call) -> list[Given]:
    return [Given(name, call.kwargs[name]) for name in ("beta", "alpha") if type(call.kwargs.get(name)) in (int, float)]


def _matmul(x: Shape, y: Shape, transpose_x: bool, transpose_y: bool) -> str:
    batch = max(len(x), len(y), 2) - 2
    lead = _LETTERS[:batch]
    row, column = "y" * (len(x) > 1), "z" * (len(y) > 1)
    left, right = (f"x{row}" if transpose_x else f"{row}x"), (f"{column}x" if transpose_y else f"x{column}")
    return (
        f"{lead[batch - max(len(x) - 2, 0) :]}{left},{lead[batch - max(len(y) - 2, 0) :]}{right}->{lead}{row}{column}"
    )


def _linear(call: Call, shapes: Sequence[Shape]) -> Dependence:
    """A layer, with a bias or without."""
    lead = _LETTERS[: len(shapes[0]) - 1]
    weight = "zx" if call.weight_has_rows else "xz"
    if len(shapes) == 2:
        return Dependence("contracted", text=f"{lead}x,{weight}->{lead}z")
    return Dependence("contracted", (2, 0, 1), text=f"z,{lead}x,{weight}->{lead}z")


def _bilinear(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    lead = _LETTERS[: len(shapes[0]) - 1]
    text = f"{lead}x,{lead}y,zxy->{lead}z"
    if len(shapes) == 3:
        return Dependence("contracted", text=text)
    return Dependence("contracted", (3, 0, 1, 2), text=f"+{'bz' if len(shapes[3]) > 1 else 'z'},{text}")


def _chain(call: Call, shapes: Sequence[Shape]) -> Dependence | None:  # noqa: ARG001
    """Of several matrices."""
    if any(len(each) != 2 for each in shapes) or len(shapes) > 7:
        return None
    pairs = [_LETTERS[k : k + 2] for k in range(len(shapes))]
    return products(f"{','.join(pairs)}->{pairs[0][0]}{pairs[-1][1]}")


def _inner(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    left, right = _LETTERS[: len(shapes[0]) - 1], "mnopqrst"[: len(shapes[1]) - 1]
    return Dependence("contracted", text=f"{left}x,{right}x->{left}{right}")


def _tensordot(call: Call, shapes: Sequence[Shape]) -> Dependence:
    named = call.named("x", "y", "dims")
    dims = named.get("dims", 2)
    pairs = (range(len(shapes[0]) - dims, len(shapes[0])), range(dims)) if isinstance(dims, int) else dims
    left, right = [*_LETTERS[: len(shapes[0])]], [*"mnopqrst"[: len(shapes[1])]]
    for at, other in zip(*pairs, strict=True):
        right[other] = left[at]
    result = "".join(letter for letter in left + right if (letter in left) != (letter in right))
    return Dependence("contracted", text=f"{''.join(left)},{''.join(right)}->{result}")


def _plus(equation: str) -> Callable[[Call, Sequence[Shape]], Dependence]:
    """The first tensor, times beta, plus the product of the others, times alpha."""
    return lambda call, shapes: Dependence("contracted", text=f"+{equation}", given=tuple(_scales(call)))  # noqa: ARG005


def _distances(call: Call, shapes: Sequence[Shape]) -> Dependence | None:  # noqa: ARG001
    lead = _LETTERS[: len(shapes[0]) - 2]
    return Dependence("contracted", text=f"{lead}yx,{lead}zx->{lead}yz")


def _line_by_line(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """A distance, or likeness, of the lines of two tensors."""
    rank = len(shapes[0])
    axis = call.named("x", "y", "axis").get("axis", 1) % rank if call.name == "cosine_similarity" else rank - 1
    if shapes[0] != shapes[1] or (call.name != "cosine_similarity" and call.kwargs.get("keepdim")):
        return None
    letters = _LETTERS[:rank]
    return Dependence("contracted", text=f"{letters},{letters}->{letters[:axis]}{letters[axis + 1 :]}")


def _einsum(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    equation = next(each for each in (*call.args, *call.kwargs.values()) if isinstance(each, str)).replace(" ", "")
    left, arrow, right = equation.partition("->")
    letters = left.replace(",", "")
    if not arrow:
        right = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    if "." in equation:
        left, right = _written_out(left, right if arrow else None, shapes)
    return products(f"{left}->{right}") if not right or right.isalpha() else None


def _written_out(left: str, right: str | None, shapes: Sequence[Shape]) -> tuple[str, str]:
    """An equation with letters for the axes that its dots stand for: those of the result come first if no arrow says where."""
    terms = left.split(",")
    free = [letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in left]
    counts = [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes, strict=True)]
    letters = "".join(free[: max(counts)])
    if right is None:
        alone = [letter for letter in set(left) if letter.isalpha() and left.count(letter) == 1]
        right = "..." + "".join(sorted(alone))
    full = [term.replace("...", letters[len(letters) - count :]) for term, count in zip(terms, counts, strict=True)]
    return ",".join(full), right.replace("...", letters)


_PRODUCTS: Mapping[str, tuple[Sequence[int], Callable[[Call, Sequence[Shape]], Dependence | None]]] = {
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "rmatmul"), ((2,), _product)),
    "dot": ((2,), _dot), "outer": ((2,), _outer), "ger": ((2,), _outer), "addmm": ((3,), _added), "baddbmm": ((3,), _added_in_batches),
    "scaled_dot_product_attention": ((3, 4), _attention), "linear": ((2, 3), _linear), "bilinear": ((3, 4), _bilinear),
    **dict.fromkeys(("multi_dot", "linalg_multi_dot", "chain_matmul"), (range(2, 8), _chain)), "inner": ((2,), _inner), "vdot": ((2,), _dot), "tensordot": ((2,), _tensordot),
    "addmv": ((3,), _plus("i,ij,j->i")), "addr": ((3,), _plus("ij,i,j->ij")), "addbmm": ((3,), _plus("ij,bik,bkj->ij")),
    "einsum": (range(1, 64), _einsum), "cdist": ((2,), _distances), **dict.fromkeys(("pairwise_distance", "cosine_similarity"), ((2,), _line_by_line)),
}  # fmt: skip
"""For each name, how many tensors the call has, and what finds its dependence."""
