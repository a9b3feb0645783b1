"""Splits a tensor into several: `unbind` gives views, `split`, `chunk` and `unstack` give copies, as in Paddle.

(In PyTorch all of them give views, and those of `unbind`, `split` and `chunk` must not be written in place, because the
parts share one grad node. Here every part has a separate node, so writes are correct.)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from operator import index as as_integer
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Layout, Shape, index, normal_axis, packed, slices
from inplacelab.ops.arguments.attributes import sizes_of
from inplacelab.ops.backward_operations import put_back
from inplacelab.ops.table import LazyFunction, add_row, as_function, as_method
from inplacelab.ops.table.depends import moved
from inplacelab.ops.table.row import same
from inplacelab.ops.views import NTH
from inplacelab.tensor import Tensor

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
