"""Views with an explicit shape, dtype, or window on the storage.

`view` never copies: where no strides can express the shape, it refuses. Slots can also be shown in another dtype. A complex
number is two real ones, so `as_real` and `as_complex` have derivatives; other reinterpretations of bits have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab import dtypes, errors, layout, modes
from inplacelab.backends import CPU
from inplacelab.layout import Layout, Shape, moved, whole
from inplacelab.ops import table, views
from inplacelab.ops.arguments.attributes import sizes_of, strides_of
from inplacelab.ops.table import LazyFunction, as_function, as_method, as_property
from inplacelab.tensor import Tensor


class _Slots(NamedTuple):
    """The dtype of the slots, and the dtype of the view."""

    have: np.dtype[Any]
    wanted: np.dtype[Any]


def _slots(x: Any, dtype: Any) -> _Slots:
    return _Slots(x.dtype, dtypes.as_numpy(dtype))


def _shape(x: Any, shape: Any) -> Shape:
    return layout.resolve_shape(x.shape, sizes_of("view", shape))


def _as_shape(before: Layout, shape: Shape) -> Layout:
    after = layout.reshape(before, shape)
    if after is None:
        raise errors.cannot_view(shape=before.shape, strides=before.strides, wanted=shape)
    return after


def _as_dtype(before: Layout, dtype: _Slots) -> Layout:
    """Slots of another size: the last axis has more or fewer of them, and all strides are counted in the new ones."""
    have, wanted = dtype.have.itemsize, dtype.wanted.itemsize
    if have == wanted:
        return before
    *outer, last = before.shape or (1,)
    *steps, step = before.strides or (1,)
    counts = (last, before.offset, *steps)
    if step != 1 or any(n * have % wanted for n in counts):
        raise errors.cannot_view_dtype(
            shape=before.shape, strides=before.strides, have=dtype.have.name, wanted=dtype.wanted.name
        )
    size, offset, *strides = (n * have // wanted for n in counts)
    return Layout((*outer, size), (*strides, 1), offset)


def _as_real(before: Layout) -> Layout:
    return Layout((*before.shape, 2), (*(2 * s for s in before.strides), 1), 2 * before.offset)


def _first_parts(before: Layout) -> Layout:
    return Layout(before.shape, tuple(2 * s for s in before.strides), 2 * before.offset)


def _second_parts(before: Layout) -> Layout:
    return moved(_first_parts(before), 1)


def _as_complex(before: Layout) -> Layout:
    if not before.shape or before.shape[-1] != 2:
        raise errors.not_pairs(last=before.shape[-1] if before.shape else None)
    if 0 in before.shape:  # no strides lead anywhere
        return whole(before.shape[:-1])
    *strides, step = before.strides
    if step != 1 or before.offset % 2 or any(s % 2 for s in strides):
        raise errors.pairs_apart(stride=step)
    return Layout(before.shape[:-1], tuple(s // 2 for s in strides), before.offset // 2)


def _parts_dtype(x: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("float64" if x.itemsize == 16 else "float32")


def _pairs_dtype(x: np.dtype[Any]) -> np.dtype[Any]:
    if x.itemsize < 4:  # there are no complex numbers with parts in half precision
        raise errors.kernel_not_registered(dtype=x.name, op="as_complex")
    return np.dtype("complex128" if x.itemsize == 8 else "complex64")


_AS_SHAPE = table.view(
    "_as_shape", ("The same elements in another shape; never a copy.", "同样的元素，另一种形状；从不复制。"),
    attrs="shape", prepare={"shape": _shape}, layout=_as_shape, node="ViewShapeGradNode", called="view", in_place=False,
    function=False, d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip
_AS_DTYPE = table.view(
    "_as_dtype", ("The same bits, seen as numbers of another dtype.", "同样的比特，当作另一种数据类型的数来看。"),
    attrs="dtype", prepare={"dtype": _slots}, layout=_as_dtype, dtype=lambda dtype: dtype.wanted, node="ViewDtypeGradNode",
    called="view", in_place=False, function=False,
)  # fmt: skip
AS_REAL = table.view(
    "as_real", ("View each complex number as two real ones, along a new last axis.", "把每个复数看成两个实数，排在新的最后一个轴上。"),
    layout=_as_real, dtype=_parts_dtype, accepts="c", in_place=False, d_x=lambda g: g.contiguous().as_complex(),
)  # fmt: skip
AS_COMPLEX = table.view(
    "as_complex", ("View pairs along the last axis as complex numbers.", "把最后一个轴上的每一对实数看成一个复数。"),
    layout=_as_complex, dtype=_pairs_dtype, accepts="f", in_place=False, d_x=lambda g: g.as_real(),
)  # fmt: skip

REAL = table.view(
    "real", ("The real part of each element.", "逐元素取实部。"),
    layout=_first_parts, dtype=_parts_dtype, accepts="c", in_place=False, d_x=lambda g, x_form: g.cast(x_form.dtype),
)  # fmt: skip
IMAG = table.view(
    "imag", ("The imaginary part of each element.", "逐元素取虚部。"),
    layout=_second_parts, dtype=_parts_dtype, accepts="c", in_place=False,
    d_x=lambda g, x_form: g.cast(x_form.dtype).scale(1j),
)  # fmt: skip

_WINDOW = LazyFunction(views.WINDOW, "view")


@as_method
@as_function
def view(x: Tensor, shape_or_dtype: Any, *more: int, name: str | None = None) -> Tensor:
    """Returns the same storage in another shape or another dtype; never a copy.

    Args:
        x: the tensor.
        shape_or_dtype: the new shape (also as separate numbers), or the new dtype.
        *more: further sizes.
        name: ignored.

    Raises:
        ShapeError: if no strides can express that shape, or slots of that size.
        DTypeError: if the tensor needs a gradient, history is recorded, and the change of dtype has no derivative.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2., 3., 4.])
    >>> x.view([2, 2]).tolist(), x.view("int32")[0].item()
    ([[1.0, 2.0], [3.0, 4.0]], 1065353216)
    """
    if isinstance(shape_or_dtype, str | np.dtype | dtypes.DType):
        return _in_dtype(x, dtypes.as_numpy(shape_or_dtype))
    return x._as_shape((shape_or_dtype, *more) if more else shape_or_dtype)


def _in_dtype(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    if dtype == x.array.dtype:
        return x
    if modes.current().recording_history and not x.stop_gradient:
        raise errors.bits_have_no_derivative(have=x.array.dtype.name, wanted=dtype.name)
    return x._as_dtype(dtype)


@as_method
@as_function
def view_as(x: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """`x.view(other.shape)`."""
    return x._as_shape(other.shape)


@as_method
@as_function
def as_strided(
    x: Tensor, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: str | None = None
) -> Tensor:
    """Returns any window on the storage as a view.

    Args:
        x: a tensor on the storage.
        shape: the size of each axis.
        stride: the stride of each axis, in elements.
        offset: the position of the first element, in bytes from the beginning of the storage, as in Paddle and `x.offset`.
        name: ignored.

    Raises:
        ShapeError: if the numbers of strides and sizes differ, or the offset is inside an element.
        IndexRangeError: if the window leaves the storage. (PaddlePaddle 3.3.1 then writes outside the storage.)
        NoGradientError: if `x` needs a gradient and the window shows slots that neither `x` nor its base shows.

    >>> import inplacelab as paddle
    >>> paddle.arange(6).as_strided([2, 3], [1, 1], offset=8).tolist()
    [[1, 2, 3], [2, 3, 4]]
    """
    sizes, strides = sizes_of("as_strided", shape), strides_of("as_strided", stride)
    if len(sizes) != len(strides):
        raise errors.window_strides_missing(sizes=len(sizes), strides=len(strides))
    if offset < 0 or offset % x.element_size():
        raise errors.bad_window_offset(offset, x.element_size())
    wanted = Layout(tuple(sizes), tuple(strides), offset // x.element_size())
    first, end = layout.extent(wanted)
    slots = x.storage.nbytes // x.element_size()
    if first < 0 or end > slots:
        raise errors.outside_storage(first=first, last=end - 1, slots=slots)
    return _WINDOW.function()(_shown_by(x, wanted), wanted, x.array.dtype)  # type: ignore[no-any-return]


def _shown_by(x: Tensor, wanted: Layout) -> Tensor:
    """The tensor that the window is a part of: `x`, if it shows each of the slots once; else the base of `x`.

    A window is given in slots of the storage, so it may show slots that `x` does not. Their gradients belong to the base.
    """
    if x.stop_gradient or not modes.current().recording_history or _covers(x, wanted):
        return x
    base = x.base
    if base is None or x.untracked or base.overlaps or base.nbytes != x.storage.nbytes:
        raise errors.window_without_history(tensor=x)
    return base


def _covers(x: Tensor, wanted: Layout) -> bool:
    """True if `x` shows every slot of the window, and none of them twice."""
    places = np.arange(x.storage.nbytes // x.element_size())
    shown, window = (CPU.window(places, each, np.dtype(np.int64)) for each in (x.layout, wanted))
    return not x.overlaps and bool(np.isin(window, shown).all())


@as_method
def contiguous(self: Tensor) -> Tensor:
    """Returns the tensor itself if its elements are in row-major order with no gaps, otherwise a copy in that order."""
    return self if self.is_contiguous() else self.clone()


def _matrix_transposed(self: Tensor) -> Tensor:
    """The last two axes exchanged: a view."""
    return self._mT()


@as_method
@as_function
def expand_as(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """`x.expand(y.shape)`: a copy, as in Paddle (a view with stride 0 in PyTorch)."""
    return x.expand(y.shape)


as_property("mT", _matrix_transposed)
