"""Products of matrices and vectors, equations in Einstein's notation, attention; windows of images: convolutions and pooling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, Given, Rule, listed, products
from inplacelab.recorders.framework_rules.call import Call, Found, Rules, Shape, numbered

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


def _added(call: Call, shapes: Sequence[Shape]) -> Dependence:
    return Dependence("contracted", text=f"{'ij'[2 - len(shapes[0]) :]},ik,kj->ij", given=tuple(_scales(call)))


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


def _equation(equation: str) -> Callable[[Call, Sequence[Shape]], Dependence]:
    """The same products whatever the shapes; with a plus, the first tensor, times beta, plus the product of the others, times alpha."""
    return lambda call, shapes: Dependence("contracted", text=equation, given=tuple(_scales(call)))  # noqa: ARG005


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
    "dot": ((2,), _dot), **dict.fromkeys(("outer", "ger"), ((2,), _equation("i,j->ij"))), "addmm": ((3,), _added), "baddbmm": ((3,), _equation("bij,bik,bkj->bij")),
    "scaled_dot_product_attention": ((3, 4), _attention), "linear": ((2, 3), _linear),
    **dict.fromkeys(("multi_dot", "linalg_multi_dot", "chain_matmul"), (range(2, 8), _chain)), "inner": ((2,), _inner), "vdot": ((2,), _dot), "tensordot": ((2,), _tensordot),
    "addmv": ((3,), _equation("+i,ij,j->i")), "addr": ((3,), _equation("+ij,i,j->ij")), "addbmm": ((3,), _equation("+ij,bik,bkj->ij")),
    "einsum": (range(1, 64), _einsum),
}  # fmt: skip
"""For each name, how many tensors the call has, and what finds its dependence."""


def _pairs(value: Any, count: int) -> list[int]:
    """A number for each axis."""
    found = [int(each) for each in value] if isinstance(value, list | tuple) else [int(value)]
    if len(found) == 2 * count and found[::2] == found[1::2]:
        found = found[::2]
    if len(found) == 1:
        found *= count
    if len(found) != count:
        raise ValueError
    return found


def _padding_alike(image: Shape, kernel: Shape, stride: Sequence[int], dilation: Sequence[int]) -> list[int]:
    """How far windows begin before an image, if as many of them are made as it has elements, divided by the stride."""
    ends = [
        (-(-size // step) - 1) * step + (wide - 1) * far + 1
        for size, wide, step, far in zip(image, kernel, stride, dilation, strict=True)
    ]
    return [max(end - size, 0) // 2 for end, size in zip(ends, image, strict=True)]


def _convolution(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "weight", "bias", "stride", "padding", "dilation", "groups")
    paddle = ("x", "weight", "stride", "padding", "algorithm", "dilation", "groups", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    count = len(shapes[1]) - 2
    if named.get("format", "NCHW")[:2] != "NC":
        return None
    stride, dilation = _pairs(named.get("stride", 1), count), _pairs(named.get("dilation", 1), count)
    how = (
        named.get("algorithm", "EXPLICIT")
        if named.get("algorithm", "EXPLICIT") != "EXPLICIT"
        else named.get("padding", 0)
    )
    if str(how).lower() == "same":  # Paddle counts no dilation here
        dilation = dilation if call.weight_has_rows else [1] * count
        padding = _padding_alike(shapes[0][-count:], shapes[1][2:], stride, dilation)
    else:
        padding = _pairs(0 if str(how).lower() == "valid" else how, count)
    sides = (stride, padding, dilation)
    return Dependence(
        "windowed", (int(named.get("groups", 1)), *shapes[1][2:], *(each for side in sides for each in side))
    )


def _transposed(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation")
    paddle = ("x", "weight", "stride", "padding", "output_padding", "size", "algorithm", "groups", "dilation", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    count = len(shapes[1]) - 2
    if named.get("format", "NCHW")[:2] != "NC" or named.get("algorithm", "EXPLICIT") != "EXPLICIT":
        return None
    sides = [
        _pairs(named.get(name, default), count) for name, default in (("stride", 1), ("padding", 0), ("dilation", 1))
    ]
    numbers = (int(named.get("groups", 1)), *shapes[1][2:], *(each for side in sides for each in side))
    return Dependence("windowed", numbers, text="transposed")


def _adaptive(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A mean, or the largest, of windows that cover the image side by side; not known if they are of different sizes."""
    return _side_by_windows(shapes[0], call.args[1], int(plain[-2]), largest=plain.startswith("adaptive_max"))


def _side_by_windows(shape: Shape, sizes: Any, count: int, *, largest: bool) -> Dependence | None:
    """Windows that cover an image of some axes, so that so many results are left along each; None: as many as there are elements."""
    image = shape[len(shape) - count :]
    given = sizes if isinstance(sizes, list | tuple) else [sizes] * count
    wanted = [whole if size is None else int(size) for whole, size in zip(image, given, strict=True)]
    rule: Rule = "largest" if largest else ""
    if not any(whole % size for whole, size in zip(image, wanted, strict=True)):
        kernel = [whole // size for whole, size in zip(image, wanted, strict=True)]
        return Dependence("windowed", (0, *kernel, *kernel, *(0 for _ in kernel), *(1 for _ in kernel)), rule=rule)
    sides = [
        [slice(k * whole // size, -(-(k + 1) * whole // size)) for k in range(size)]
        for whole, size in zip(image, wanted, strict=True)
    ]
    images = numbered(shape).reshape(-1, *image)
    windows = [one[at].reshape(-1).tolist() for one in images for at in product(*sides)]
    return listed(windows, () if largest else [[1 / len(each)] * len(each) for each in windows], rule)


def _pooling_with_places(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's: the largest of a window, and where it is, which depends on the whole window."""
    named = call.named("x", "kernel", "stride", "padding", "global", "adaptive", "ceil")
    count = len(shapes[0]) - 2
    if named["global"] or named.get("ceil"):
        return None
    if named["adaptive"]:
        found = _side_by_windows(shapes[0], named["kernel"], count, largest=True)
    else:
        sides = (_pairs(named[name], count) for name in ("kernel", "stride", "padding"))
        found = Dependence("windowed", (0, *(each for side in sides for each in side), *[1] * count), rule="largest")
    return found, None if found is None else replace(found, rule="")


def _pooling_with_indices(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """PyTorch's."""
    kwargs = {name: value for name, value in call.kwargs.items() if name != "return_indices"}
    found = _pooling(replace(call, kwargs=kwargs), plain.removesuffix("_with_indices"), shapes)
    return (found, replace(found, rule="")) if isinstance(found, Dependence) else None


def _pooling(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The largest, or the mean, of a window."""
    names: tuple[str, ...]
    if call.weight_has_rows:
        names = (
            ("x", "kernel", "stride", "padding", "dilation")
            if plain.startswith("max")
            else ("x", "kernel", "stride", "padding")
        )
        named, count = call.named(*names), int(plain[-2])
        named["kernel"] = named.get("kernel", named.get("kernel_size"))
        largest = plain.startswith("max")
    else:
        names = (
            "x",
            "kernel",
            "stride",
            "padding",
            "ceil",
            "exclusive",
            "format",
            "kind",
            "global",
            "adaptive",
            "algorithm",
        )
        named, count = call.named(*names), len(shapes[0]) - 2
        largest = named["kind"] == "max"
        if named["adaptive"] and named["format"][:2] == "NC" and not named["global"]:
            return _side_by_windows(shapes[0], named["kernel"], count, largest=largest)
        if named["adaptive"] or named["global"] or named["format"][:2] != "NC" or named["algorithm"] != "EXPLICIT":
            return None
    kernel = _pairs(named["kernel"], count)
    stride = _pairs(named.get("stride") or kernel, count)
    sides = (kernel, stride, _pairs(named.get("padding", 0), count), _pairs(named.get("dilation", 1), count))
    return Dependence("windowed", (0, *(each for side in sides for each in side)), rule="largest" if largest else "")


WINDOWS: Rules = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "depthwise_conv2d"), _convolution),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv2d_transpose", "conv3d_transpose"), _transposed),
    **dict.fromkeys(("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d"), _adaptive),
    **dict.fromkeys(("max_pool2d_with_index", "max_pool3d_with_index"), _pooling_with_places),
    **dict.fromkeys(("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices"), _pooling_with_indices),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "pool2d", "pool3d"), _pooling),
}  # fmt: skip
