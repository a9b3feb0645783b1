"""Joins several tensors into one (`concat`, `stack`, `meshgrid`), and splits one into several (`split`, `chunk`, `unbind`).

Joining always copies. The operations of the table read a fixed number of tensors. Here the number is the length of a list; so there is
a row for each number of tensors, made on first use.

`unbind` gives views, `split`, `chunk` and `unstack` give copies, as in Paddle. (In PyTorch all of them give views, and those of
`unbind`, `split` and `chunk` must not be written in place, because the parts share one grad node. Here every part has a separate
node, so writes are correct.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import index as as_integer
from typing import Any

import numpy as np

from inplacelab import errors, modes, observe
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import OpNode, number
from inplacelab.dependence import Dependence
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, index, normal_axis, packed, slices
from inplacelab.ops.arguments import operands
from inplacelab.ops.arguments.attributes import sizes_of
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.backward_operations import put_back
from inplacelab.ops.results import destinations
from inplacelab.ops.table import LazyFunction, add_row, as_function, as_method
from inplacelab.ops.table.depends import moved
from inplacelab.ops.table.row import Row, Rule, same
from inplacelab.ops.views import NTH
from inplacelab.tensor import Tensor, fresh, known_form

_SAYS = {
    "concat": Text("The tensors one after the other along an axis.", "把各张量沿一个轴依次拼接。"),
    "stack": Text("The tensors one beside the other along a new axis.", "把各张量沿一个新的轴并排叠放。"),
}


@cache
def _row(name: str, count: int) -> Row:
    """The row of `name` for `count` tensors."""
    rules = tuple(Rule(_piece(k) if name == "concat" else _layer(k)) for k in range(count))
    return Row(
        name=name, kind="join", inputs=tuple(f"x{k}" for k in range(count)), attrs="axis, starts", says=_SAYS[name],
        node=f"{name.capitalize()}GradNode", in_place=False, rules=rules,
    )  # fmt: skip


def _piece(k: int) -> Callable[..., Tensor]:
    def piece(g: Tensor, axis: int, starts: Sequence[int]) -> Tensor:
        return g._part(axis, starts[k], starts[k + 1])

    return piece


def _layer(k: int) -> Callable[..., Tensor]:
    return lambda g, axis: g._place(axis, k)


@as_function
def concat(x: Sequence[Tensor], axis: Any = 0, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Returns a copy of the tensors, one after the other along an axis.

    Args:
        x: the tensors, all of one dtype; their shapes may differ only in `axis`.
        axis: the axis; a negative one counts from the end.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        ShapeError: if their shapes differ in another axis.
        ArgumentError: if their dtypes differ, or the list is empty.

    >>> import inplacelab as paddle
    >>> paddle.concat([paddle.zeros([2]), paddle.ones([1])]).tolist()
    [0.0, 0.0, 1.0]
    """
    parts = _listed("concat", x)
    if out is not None:
        return destinations.into("concat", out, parts, lambda: concat(parts, axis))
    first = parts[0].array.shape
    at = normal_axis(as_integer(axis), len(first))
    for k, part in enumerate(parts):
        shape = part.array.shape
        if len(shape) != len(first) or shape[:at] != first[:at] or shape[at + 1 :] != first[at + 1 :]:
            raise _shapes_differ("concat", k, first, shape)
    starts = [0, *accumulate(part.array.shape[at] for part in parts)]
    joined = parts[0].storage.device.empty((*first[:at], starts[-1], *first[at + 1 :]), parts[0].array.dtype)
    np.concatenate([part.array for part in parts], at, out=joined)
    return _made("concat", parts, joined, {"axis": at, "starts": starts})


@as_function
def stack(x: Sequence[Tensor], axis: int = 0, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Returns a copy of the tensors, side by side along a new axis.

    Args:
        x: the tensors, all of one dtype and shape.
        axis: the position of the new axis; a negative one counts from the end.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        ShapeError: if their shapes differ.
        ArgumentError: if their dtypes differ, or the list is empty.

    >>> import inplacelab as paddle
    >>> paddle.stack([paddle.zeros([2]), paddle.ones([2])], axis=1).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    parts = _listed("stack", x)
    if out is not None:
        return destinations.into("stack", out, parts, lambda: stack(parts, axis))
    first = parts[0].array.shape
    at = normal_axis(axis, len(first) + 1)
    for k, part in enumerate(parts):
        if part.array.shape != first:
            raise _shapes_differ("stack", k, first, part.array.shape)
    joined = parts[0].storage.device.empty((*first[:at], len(parts), *first[at:]), parts[0].array.dtype)
    np.stack([part.array for part in parts], at, out=joined)
    return _made("stack", parts, joined, {"axis": at})


def _shapes_differ(op: str, position: int, first: Shape, other: Shape) -> Exception:
    """The refusal to join tensors of these shapes: it names the last axis whose sizes differ."""
    differing = [k for k, (n, m) in enumerate(zip(first, other, strict=False)) if n != m]
    what = Text("The shape", "形状")
    if len(first) == len(other) and differing:
        what = Text("The {0}-th dimension", "第 {0} 维").format(differing[-1])
    return errors.shapes_to_join_differ(op=op, what=what, position=position, first=first, other=other)


def _listed(op: str, x: Any) -> list[Tensor]:
    """The tensors, if they can be joined."""
    if not isinstance(x, list | tuple) or not all(isinstance(part, Tensor) for part in x):
        raise errors.not_a_list_of_tensors(op=op, given=x)
    if not x:
        raise errors.nothing_to_join(op=op)
    for k, part in enumerate(x):
        if part.storage.device is not x[0].storage.device:
            operands.refuse_devices(op, x[0], part)
        if part.array.dtype != x[0].array.dtype:
            raise errors.dtypes_to_join_differ(first=x[0].dtype.name, position=k, other=part.dtype.name)
    return list(x)


def _made(op: str, parts: list[Tensor], joined: Any, facts: Mapping[str, Any]) -> Tensor:
    """The result, with its place in the history."""
    result = fresh(joined, parts[0].storage.device)
    edges = tuple(edge(part) for part in parts) if modes.current().recording_history else ()
    node = None
    if any(each is not None for each in edges):
        node = OpNode.__new__(OpNode)
        node.row, node.edges, node.kept, node.facts = _row(op, len(parts)), edges, (), facts
        node.forms = tuple(part.form or known_form(part) for part in parts)
        result.node, result._stop = number(node), False
    if modes.current().listeners:
        depends = Dependence("joined" if op == "concat" else "stacked", (facts["axis"],))
        observe.notify(op, "ordinary", tuple(parts), result, node, depends=depends)
    return result


@as_function
def hstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the tensors joined along the second axis; vectors, and tensors without axes, along the only one."""
    parts = [part.reshape([1]) if part.ndim == 0 else part for part in _listed("hstack", x)]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


@as_function
def vstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the tensors joined along the first axis; vectors become rows."""
    return concat([part.reshape([1, -1]) if part.ndim < 2 else part for part in _listed("vstack", x)])


as_function(concat, "cat")


# ---- splitting --------------------------------------------------------------------------------------------------------------


_NTH = LazyFunction(NTH, "view")


def _whole(shape: Shape) -> Layout:
    return Layout(shape, packed(shape), 0)


def _part_of(shape: Shape, axis: int, start: int, stop: int) -> Layout:
    return slices(_whole(shape), (axis,), (start,), (stop,), (1,))


def _place_of(shape: Shape, axis: int, place: int) -> Layout:
    return index(_whole(shape), (*[slice(None)] * axis, place))


def _part(out: Any, x: Any, axis: int, start: int, stop: int) -> None:
    np.copyto(out, x[(*[slice(None)] * axis, slice(start, stop))])


def _place(out: Any, x: Any, axis: int, place: int) -> None:
    np.copyto(out, x[(*[slice(None)] * axis, place, ...)])


_PART = add_row(
    "part", "_part", "x", ("A copy of the places from `start` to `stop` of one axis.", "复制一个轴上从 `start` 到 `stop` 的部分。"),
    attrs="axis, start, stop", kernel=_part, dtype=same, called="split", node="SplitGradNode", in_place=False, function=False, depends=moved(),
    shape=lambda x, axis, start, stop: _part_of(x, axis, start, stop).shape,
    d_x=lambda g, x_form, axis, start, stop: put_back(g, x_form, _part_of(x_form.shape, axis, start, stop)),
)  # fmt: skip
_PLACE = add_row(
    "part", "_place", "x", ("A copy of one place of one axis.", "复制一个轴上的一个位置。"),
    attrs="axis, place", kernel=_place, dtype=same, called="unstack", node="UnstackGradNode", in_place=False, function=False, depends=moved(),
    shape=lambda x, axis, place: _place_of(x, axis, place).shape,
    d_x=lambda g, x_form, axis, place: put_back(g, x_form, _place_of(x_form.shape, axis, place)),
)  # fmt: skip


def _axis(x: Tensor, axis: Any) -> int:
    """One axis, counted from the front; may be given as a tensor."""
    return normal_axis(as_integer(axis), x.ndim)


def _at(x: Tensor, axis: int, bounds: Sequence[int]) -> list[Tensor]:
    """Copies of the parts between neighboring bounds."""
    return [x._part(axis, start, stop) for start, stop in pairwise(bounds)]


@as_method
@as_function
def unbind(input: Tensor, axis: Any = 0) -> list[Tensor]:
    """Returns the slices along one axis, each as a view without that axis. A write to one of them writes to the tensor.

    Args:
        input: the tensor.
        axis: the axis; a negative one counts from the end.

    Returns:
        As many views as the axis has elements.

    Raises:
        AxisError: if there is no such axis.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([2, 3])
    >>> first, second = x.unbind()
    >>> _ = second.fill_(7.)
    >>> x.tolist()
    [[0.0, 0.0, 0.0], [7.0, 7.0, 7.0]]
    """
    rank = input.ndim
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise errors.unbind_axis_out_of_range(axis=axis, rank=rank)
    return [_NTH.function()(input, axis % rank, place) for place in range(input.shape[axis])]


@as_method
@as_function
def unstack(x: Tensor, axis: int = 0, num: int | None = None) -> list[Tensor]:
    """Returns the slices along one axis, each as a copy without that axis.

    Args:
        x: the tensor.
        axis: the axis; a negative one counts from the end.
        num: the size of the axis, if given.

    Raises:
        AxisError: if there is no such axis.
        ArgumentError: if `num` is given and is not the size of that axis.
    """
    at = _axis(x, axis)
    if num is not None and num != x.shape[at]:
        raise errors.bad_unstack_count(size=x.shape[at])
    return [x._place(at, place) for place in range(x.shape[at])]


@as_method
@as_function
def split(x: Tensor, num_or_sections: int | Sequence[int], axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Returns copies of the parts of one axis.

    Args:
        x: the tensor.
        num_or_sections: the number of parts of equal size, or a list of sizes (one may be -1).
        axis: the axis.
        name: ignored.

    Raises:
        ShapeError: if the sizes do not add up to that of the axis.
        AxisError: if there is no such axis.

    >>> import inplacelab as paddle
    >>> [part.tolist() for part in paddle.arange(5).split([2, -1])]
    [[0, 1], [2, 3, 4]]
    """
    at = _axis(x, axis)
    if isinstance(num_or_sections, int):
        return _at(x, at, _even(x, num_or_sections, at))
    if not isinstance(num_or_sections, list | tuple):
        raise errors.bad_sections(op="split", given=num_or_sections)
    return _at(x, at, [0, *accumulate(_sections(x.shape, sizes_of("split", num_or_sections), at))])


def _even(x: Tensor, parts: int, axis: int) -> range:
    if parts == 0:
        raise errors.zero_sections()
    size = x.shape[axis]
    if parts < 0 or size % parts:
        raise errors.uneven_split(sections=parts, shape=x.shape, axis=axis)
    return range(0, size + 1, size // parts) if size else range(0)


def _sections(shape: Sequence[int], sizes: list[int], axis: int) -> list[int]:
    """The sizes, with -1 replaced by the remaining size."""
    if sizes.count(-1) > 1:
        raise errors.two_unknown_sections(sections=sizes)
    rest = shape[axis] - sum(n for n in sizes if n != -1)
    found = [rest if n == -1 else n for n in sizes]
    if min(found, default=-1) < 0 or sum(found) != shape[axis]:
        raise errors.sections_do_not_add_up(sections=sizes, shape=shape, axis=axis, size=shape[axis])
    return found


@as_method
@as_function
def chunk(x: Tensor, chunks: int, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Returns copies of equal parts of one axis.

    Args:
        x: the tensor.
        chunks: the number of parts.
        axis: the axis; a negative one counts from the end.
        name: ignored.

    Raises:
        ArgumentError: if there are more chunks than elements, or none.
        ShapeError: if the axis cannot be cut evenly.
    """
    at = _axis(x, axis)
    if not 0 < chunks <= x.shape[at]:
        raise errors.bad_chunks(chunks=chunks, size=x.shape[at])
    return split(x, chunks, at)


@as_method
@as_function
def tensor_split(
    x: Tensor, num_or_indices: int | Sequence[int], axis: Any = 0, name: str | None = None
) -> list[Tensor]:
    """Returns the parts of one axis.

    Args:
        x: the tensor.
        num_or_indices: the number of parts, whose sizes differ by at most one: then they are copies. Or a list of positions
            at which to split: then they are views.
        axis: the axis.
        name: ignored.

    That a number gives copies and a list gives views is PaddlePaddle 3.3.1's behavior.

    >>> import inplacelab as paddle
    >>> [part.tolist() for part in paddle.arange(5).tensor_split(2)]
    [[0, 1, 2], [3, 4]]
    """
    if x.ndim <= max(axis, -axis - 1):
        raise errors.too_few_axes(below=max(axis, -axis - 1), rank=x.ndim, needed=max(axis, -axis - 1) + 1)
    at, size = _axis(x, axis), x.shape[axis]
    if isinstance(num_or_indices, int):
        if num_or_indices <= 0:
            raise errors.no_parts()
        parts = num_or_indices
        return _at(x, at, [0, *accumulate(size // parts + (k < size % parts) for k in range(parts))])
    places = [None, *sizes_of("tensor_split", num_or_indices), None]
    return [x[(*[slice(None)] * at, slice(start, stop))] for start, stop in pairwise(places)]


@as_method
@as_function
def hsplit(x: Tensor, num_or_indices: int | Sequence[int], name: str | None = None) -> list[Tensor]:
    """`tensor_split` along the second axis; along the only one of a vector."""
    return tensor_split(x, num_or_indices, 1 if x.ndim > 1 else 0)


@as_method
@as_function
def vsplit(x: Tensor, num_or_indices: int | Sequence[int], name: str | None = None) -> list[Tensor]:
    """`tensor_split` along the first of two axes or more."""
    return _needing(x, 2, num_or_indices, 0)


@as_method
@as_function
def dsplit(x: Tensor, num_or_indices: int | Sequence[int], name: str | None = None) -> list[Tensor]:
    """`tensor_split` along the third axis."""
    return _needing(x, 3, num_or_indices, 2)


def _needing(x: Tensor, rank: int, num_or_indices: int | Sequence[int], axis: int) -> list[Tensor]:
    if x.ndim < rank:
        raise errors.too_few_axes(below=rank - 1, rank=x.ndim, needed=rank)
    return tensor_split(x, num_or_indices, axis)


# ---- meshgrid ---------------------------------------------------------------------------------------------------------------


@as_function
def meshgrid(*args: Any, indexing: str = "ij", name: str | None = None) -> list[Tensor]:
    """Returns a tensor for each vector, with one axis per vector: it varies along its axis and repeats along the others. Copies.

    为每个向量生成一个张量，每个向量各占一轴：沿自己的轴变化，沿其余各轴重复。均为副本。

    Args:
        args: vectors, or tensors without axes, of one dtype; or one list of them.
        indexing: "ij", or "xy" for the first two axes exchanged.
        name: ignored.

    Raises:
        ArgumentError: if one has several axes, the dtypes differ, or `indexing` is neither.

    >>> import inplacelab as paddle
    >>> rows, columns = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
    >>> rows.tolist(), columns.tolist()
    ([[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/meshgrid_en.html
    """
    listed = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    vectors = [as_tensor("meshgrid", "args", k, x) for k, x in enumerate(listed)]
    if indexing not in ("ij", "xy"):
        raise errors.bad_argument(
            op="meshgrid", argument="indexing", value=indexing, possible=Text("'ij' or 'xy'", "'ij' 或 'xy'")
        )
    for k, x in enumerate(vectors):
        if x.ndim > 1:
            raise errors.not_a_grid_vector(number=k, rank=x.ndim)
        if x.dtype != vectors[0].dtype:
            raise errors.dtypes_to_join_differ(first=vectors[0].dtype.name, position=k, other=x.dtype.name)
    sizes = [x.size for x in vectors]
    grids = [
        x.reshape([n if axis == k else 1 for axis in range(len(sizes))]).expand(sizes)
        for k, (x, n) in enumerate(zip(vectors, sizes, strict=True))
    ]
    if indexing == "xy" and len(grids) > 1:
        order = [1, 0, *range(2, len(grids))]
        grids = [each.transpose(order).clone() for each in grids]
    return grids
