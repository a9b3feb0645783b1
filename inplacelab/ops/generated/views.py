"""The functions of the rows in `inplacelab/ops/views.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.nodes import NOTHING
from inplacelab.layout import axes
from inplacelab.ops import views as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, metadata
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, known_form

# ---- reshape -------------------------------------------------------------------------------------

RESHAPE = chapter.RESHAPE
RESHAPE_PREPARE_SHAPE = chapter._shape
RESHAPE_SHORTCUT = chapter._reshaped
RESHAPE_LAYOUT = chapter._reshape
RESHAPE_SHAPE = required(RESHAPE.shape)


def reshape(x: Tensor = ABSENT, shape: Any = ABSENT, *more: Any, **named: Any) -> Tensor:
    """The same elements in another shape: a view, or a copy where no strides can express the shape."""
    if more or named:
        x, shape = keywords.spelled("reshape", x, shape, more, named)
    if shape is ABSENT:
        keywords.missing("reshape", "shape")
    if type(x) is not Tensor:
        x = operands.as_tensor("reshape", "x", 0, x)
    a0 = x.array
    shape = RESHAPE_PREPARE_SHAPE(a0, shape)
    shown = RESHAPE_SHORTCUT(a0, shape)
    if shown is not None:
        return metadata.view(RESHAPE, x, shown, {"shape": shape})
    before = x.layout
    after = RESHAPE_LAYOUT(before, shape)
    if after is before:
        return x
    if after is None:
        return metadata.copied(RESHAPE, x, RESHAPE_SHAPE(shape), {"shape": shape})
    return metadata.view(RESHAPE, x, metadata.window(x, after), {"shape": shape}, after)


def reshape_(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape: a view, or a copy where no strides can express the shape."""
    if type(x) is not Tensor:
        x = operands.as_tensor("reshape_", "x", 0, x)
    a0 = x.array
    shape = RESHAPE_PREPARE_SHAPE(a0, shape)
    shown = RESHAPE_SHORTCUT(a0, shape)
    if shown is not None:
        return metadata.relayout(RESHAPE, x, shown, {"shape": shape})
    before = x.layout
    after = RESHAPE_LAYOUT(before, shape)
    if after is before:
        return x
    if after is None:
        return destinations.reallocate(
            "reshape_",
            x,
            lambda: metadata.copied(RESHAPE, x, RESHAPE_SHAPE(shape), {"shape": shape}),
            (),
            lambda: dependence(RESHAPE, NOTHING, ()),
        )
    return metadata.relayout(RESHAPE, x, metadata.window(x, after), {"shape": shape}, after)


# ---- flatten -------------------------------------------------------------------------------------

FLATTEN = chapter.FLATTEN
FLATTEN_SHORTCUT = chapter._flattened
FLATTEN_LAYOUT = chapter._flatten
FLATTEN_SHAPE = required(FLATTEN.shape)


def flatten(
    x: Tensor = ABSENT,
    start_axis: Any = ABSENT,
    stop_axis: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    start_dim: Any = ABSENT,
    end_dim: Any = ABSENT,
) -> Tensor:
    """Join the axes from `start_axis` to `stop_axis` (inclusive) into one."""
    if input is not _ or start_dim is not _ or end_dim is not _:
        keywords.check_named("flatten", 4, _)
        x = keywords.either("flatten", "x", x, "input", input)
        start_axis = keywords.either("flatten", "start_axis", start_axis, "start_dim", start_dim)
        stop_axis = keywords.either("flatten", "stop_axis", stop_axis, "end_dim", end_dim)
    if start_axis is _:
        start_axis = 0
    if stop_axis is _:
        stop_axis = -1
    if type(x) is not Tensor:
        x = operands.as_tensor("flatten", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    shown = FLATTEN_SHORTCUT(a0, start_axis, stop_axis)
    if shown is not None:
        return metadata.view(FLATTEN, x, shown, {"start_axis": start_axis, "stop_axis": stop_axis})
    before = x.layout
    after = FLATTEN_LAYOUT(before, start_axis, stop_axis)
    if after is None:
        return metadata.copied(
            FLATTEN,
            x,
            FLATTEN_SHAPE(form0.shape, start_axis, stop_axis),
            {"start_axis": start_axis, "stop_axis": stop_axis},
        )
    return metadata.view(
        FLATTEN, x, metadata.window(x, after), {"start_axis": start_axis, "stop_axis": stop_axis}, after
    )


def flatten_(x: Tensor, start_axis: Any = 0, stop_axis: Any = -1, name: str | None = None) -> Tensor:
    """Join the axes from `start_axis` to `stop_axis` (inclusive) into one."""
    if type(x) is not Tensor:
        x = operands.as_tensor("flatten_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    shown = FLATTEN_SHORTCUT(a0, start_axis, stop_axis)
    if shown is not None:
        return metadata.relayout(FLATTEN, x, shown, {"start_axis": start_axis, "stop_axis": stop_axis})
    before = x.layout
    after = FLATTEN_LAYOUT(before, start_axis, stop_axis)
    if after is None:
        return destinations.reallocate(
            "flatten_",
            x,
            lambda: metadata.copied(
                FLATTEN,
                x,
                FLATTEN_SHAPE(form0.shape, start_axis, stop_axis),
                {"start_axis": start_axis, "stop_axis": stop_axis},
            ),
            (),
            lambda: dependence(FLATTEN, NOTHING, ()),
        )
    return metadata.relayout(
        FLATTEN, x, metadata.window(x, after), {"start_axis": start_axis, "stop_axis": stop_axis}, after
    )


# ---- transpose -----------------------------------------------------------------------------------

TRANSPOSE = chapter.TRANSPOSE
TRANSPOSE_PREPARE_PERM = chapter._permutation
TRANSPOSE_SHORTCUT = chapter._transposed
TRANSPOSE_LAYOUT = axes.transpose


def transpose(x: Tensor = ABSENT, perm: Any = ABSENT, *more: Any, **named: Any) -> Tensor:
    """Reorder the axes: axis `k` of the result is axis `perm[k]`."""
    if more or named:
        x, perm = keywords.spelled("transpose", x, perm, more, named)
    if perm is ABSENT:
        keywords.missing("transpose", "perm")
    if type(x) is not Tensor:
        x = operands.as_tensor("transpose", "x", 0, x)
    a0 = x.array
    perm = TRANSPOSE_PREPARE_PERM(a0, perm)
    shown = TRANSPOSE_SHORTCUT(a0, perm)
    if shown is not None:
        return metadata.view(TRANSPOSE, x, shown, {"perm": perm})
    before = x.layout
    after = TRANSPOSE_LAYOUT(before, perm)
    return metadata.view(TRANSPOSE, x, metadata.window(x, after), {"perm": perm}, after)


def transpose_(x: Tensor, perm: Any, name: str | None = None) -> Tensor:
    """Reorder the axes: axis `k` of the result is axis `perm[k]`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("transpose_", "x", 0, x)
    a0 = x.array
    perm = TRANSPOSE_PREPARE_PERM(a0, perm)
    shown = TRANSPOSE_SHORTCUT(a0, perm)
    if shown is not None:
        return metadata.relayout(TRANSPOSE, x, shown, {"perm": perm})
    before = x.layout
    after = TRANSPOSE_LAYOUT(before, perm)
    return metadata.relayout(TRANSPOSE, x, metadata.window(x, after), {"perm": perm}, after)


# ---- t -------------------------------------------------------------------------------------------

T = chapter.T
T_SHORTCUT = required(T.shortcut)
T_LAYOUT = axes.t


def t(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """The transpose of a matrix."""
    if input is not _:
        keywords.check_named("t", 2, _)
        x = keywords.either("t", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("t", "x", 0, x)
    a0 = x.array
    shown = T_SHORTCUT(a0)
    if shown is not None:
        return metadata.view(T, x, shown, {})
    before = x.layout
    after = T_LAYOUT(before)
    if after is before:
        return x
    return metadata.view(T, x, metadata.window(x, after), {}, after)


def t_(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """The transpose of a matrix."""
    if input is not _:
        keywords.check_named("t_", 2, _)
        x = keywords.either("t_", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("t_", "x", 0, x)
    a0 = x.array
    shown = T_SHORTCUT(a0)
    if shown is not None:
        return metadata.relayout(T, x, shown, {})
    before = x.layout
    after = T_LAYOUT(before)
    if after is before:
        return x
    return metadata.relayout(T, x, metadata.window(x, after), {}, after)


# ---- squeeze -------------------------------------------------------------------------------------

SQUEEZE = chapter.SQUEEZE
SQUEEZE_PREPARE_AXIS = chapter._axis
SQUEEZE_SHORTCUT = chapter._squeezed
SQUEEZE_LAYOUT = axes.squeeze


def squeeze(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """Remove axes of size 1: all of them, or those in `axis`."""
    if input is not _ or dim is not _:
        keywords.check_named("squeeze", 3, _)
        x = keywords.either("squeeze", "x", x, "input", input)
        axis = keywords.either("squeeze", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if type(x) is not Tensor:
        x = operands.as_tensor("squeeze", "x", 0, x)
    a0 = x.array
    axis = SQUEEZE_PREPARE_AXIS(a0, axis)
    shown = SQUEEZE_SHORTCUT(a0, axis)
    if shown is not None:
        return metadata.view(SQUEEZE, x, shown, {"axis": axis})
    before = x.layout
    after = SQUEEZE_LAYOUT(before, axis)
    return metadata.view(SQUEEZE, x, metadata.window(x, after), {"axis": axis}, after)


def squeeze_(x: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Remove axes of size 1: all of them, or those in `axis`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("squeeze_", "x", 0, x)
    a0 = x.array
    axis = SQUEEZE_PREPARE_AXIS(a0, axis)
    shown = SQUEEZE_SHORTCUT(a0, axis)
    if shown is not None:
        return metadata.relayout(SQUEEZE, x, shown, {"axis": axis})
    before = x.layout
    after = SQUEEZE_LAYOUT(before, axis)
    return metadata.relayout(SQUEEZE, x, metadata.window(x, after), {"axis": axis}, after)


# ---- unsqueeze -----------------------------------------------------------------------------------

UNSQUEEZE = chapter.UNSQUEEZE
UNSQUEEZE_PREPARE_AXIS = chapter._axis
UNSQUEEZE_SHORTCUT = chapter._unsqueezed
UNSQUEEZE_LAYOUT = axes.unsqueeze


def unsqueeze(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """Insert an axis of size 1 at `axis`."""
    if input is not _ or dim is not _:
        keywords.check_named("unsqueeze", 3, _)
        x = keywords.either("unsqueeze", "x", x, "input", input)
        axis = keywords.either("unsqueeze", "axis", axis, "dim", dim)
    if axis is ABSENT:
        keywords.missing("unsqueeze", "axis")
    if type(x) is not Tensor:
        x = operands.as_tensor("unsqueeze", "x", 0, x)
    a0 = x.array
    axis = UNSQUEEZE_PREPARE_AXIS(a0, axis)
    shown = UNSQUEEZE_SHORTCUT(a0, axis)
    if shown is not None:
        return metadata.view(UNSQUEEZE, x, shown, {"axis": axis})
    before = x.layout
    after = UNSQUEEZE_LAYOUT(before, axis)
    return metadata.view(UNSQUEEZE, x, metadata.window(x, after), {"axis": axis}, after)


def unsqueeze_(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Insert an axis of size 1 at `axis`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("unsqueeze_", "x", 0, x)
    a0 = x.array
    axis = UNSQUEEZE_PREPARE_AXIS(a0, axis)
    shown = UNSQUEEZE_SHORTCUT(a0, axis)
    if shown is not None:
        return metadata.relayout(UNSQUEEZE, x, shown, {"axis": axis})
    before = x.layout
    after = UNSQUEEZE_LAYOUT(before, axis)
    return metadata.relayout(UNSQUEEZE, x, metadata.window(x, after), {"axis": axis}, after)


# ---- ravel ---------------------------------------------------------------------------------------

RAVEL = chapter.RAVEL
RAVEL_LAYOUT = required(RAVEL.layout)
RAVEL_SHAPE = required(RAVEL.shape)


def ravel(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """All elements in one axis, in row-major order."""
    if input is not _:
        keywords.check_named("ravel", 2, _)
        x = keywords.either("ravel", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("ravel", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    before = x.layout
    after = RAVEL_LAYOUT(before)
    if after is None:
        return metadata.copied(RAVEL, x, RAVEL_SHAPE(form0.shape), {})
    return metadata.view(RAVEL, x, metadata.window(x, after), {}, after)


# ---- unflatten -----------------------------------------------------------------------------------

UNFLATTEN = chapter.UNFLATTEN
UNFLATTEN_PREPARE_AXIS = chapter._number
UNFLATTEN_PREPARE_SHAPE = chapter._numbers
UNFLATTEN_LAYOUT = chapter._unflatten


def unflatten(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    shape: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
    sizes: Any = ABSENT,
) -> Tensor:
    """Split one axis into several; one of their sizes may be -1."""
    if input is not _ or dim is not _ or sizes is not _:
        keywords.check_named("unflatten", 4, _)
        x = keywords.either("unflatten", "x", x, "input", input)
        axis = keywords.either("unflatten", "axis", axis, "dim", dim)
        shape = keywords.either("unflatten", "shape", shape, "sizes", sizes)
    if axis is ABSENT:
        keywords.missing("unflatten", "axis")
    if shape is ABSENT:
        keywords.missing("unflatten", "shape")
    if type(x) is not Tensor:
        x = operands.as_tensor("unflatten", "x", 0, x)
    a0 = x.array
    axis = UNFLATTEN_PREPARE_AXIS(a0, axis)
    shape = UNFLATTEN_PREPARE_SHAPE(a0, shape)
    before = x.layout
    after = UNFLATTEN_LAYOUT(before, axis, shape)
    if after is before:
        return x
    return metadata.view(UNFLATTEN, x, metadata.window(x, after), {"axis": axis, "shape": shape}, after)


# ---- swapaxes ------------------------------------------------------------------------------------

SWAPAXES = chapter.SWAPAXES
SWAPAXES_LAYOUT = axes.swapped_axes


def swapaxes(
    x: Tensor = ABSENT,
    axis0: Any = ABSENT,
    axis1: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim0: Any = ABSENT,
    dim1: Any = ABSENT,
) -> Tensor:
    """Exchange two axes."""
    if input is not _ or dim0 is not _ or dim1 is not _:
        keywords.check_named("swapaxes", 4, _)
        x = keywords.either("swapaxes", "x", x, "input", input)
        axis0 = keywords.either("swapaxes", "axis0", axis0, "dim0", dim0)
        axis1 = keywords.either("swapaxes", "axis1", axis1, "dim1", dim1)
    if axis0 is ABSENT:
        keywords.missing("swapaxes", "axis0")
    if axis1 is ABSENT:
        keywords.missing("swapaxes", "axis1")
    if type(x) is not Tensor:
        x = operands.as_tensor("swapaxes", "x", 0, x)
    a0 = x.array
    before = x.layout
    after = SWAPAXES_LAYOUT(before, axis0, axis1)
    return metadata.view(SWAPAXES, x, metadata.window(x, after), {"axis0": axis0, "axis1": axis1}, after)


# ---- moveaxis ------------------------------------------------------------------------------------

MOVEAXIS = chapter.MOVEAXIS
MOVEAXIS_PREPARE_SOURCE = chapter._axis
MOVEAXIS_PREPARE_DESTINATION = chapter._axis
MOVEAXIS_LAYOUT = axes.moved_axes


def moveaxis(x: Tensor, source: Any, destination: Any, name: str | None = None) -> Tensor:
    """Move the axes in `source` to the places in `destination`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("moveaxis", "x", 0, x)
    a0 = x.array
    source = MOVEAXIS_PREPARE_SOURCE(a0, source)
    destination = MOVEAXIS_PREPARE_DESTINATION(a0, destination)
    before = x.layout
    after = MOVEAXIS_LAYOUT(before, source, destination)
    return metadata.view(MOVEAXIS, x, metadata.window(x, after), {"source": source, "destination": destination}, after)


# ---- _mT -----------------------------------------------------------------------------------------

_MT = chapter._MT
_MT_LAYOUT = chapter._matrix_transposed


def _mT(x: Tensor, name: str | None = None) -> Tensor:
    """The last two axes exchanged."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_mT", "x", 0, x)
    a0 = x.array
    before = x.layout
    after = _MT_LAYOUT(before)
    return metadata.view(_MT, x, metadata.window(x, after), {}, after)


# ---- diagonal ------------------------------------------------------------------------------------

DIAGONAL = chapter.DIAGONAL
DIAGONAL_PREPARE_OFFSET = chapter._number
DIAGONAL_LAYOUT = axes.diagonal


def diagonal(
    x: Tensor = ABSENT,
    offset: Any = 0,
    axis1: Any = ABSENT,
    axis2: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim1: Any = ABSENT,
    dim2: Any = ABSENT,
) -> Tensor:
    """The diagonal of two axes, which becomes the last axis."""
    if input is not _ or dim1 is not _ or dim2 is not _:
        keywords.check_named("diagonal", 5, _)
        x = keywords.either("diagonal", "x", x, "input", input)
        axis1 = keywords.either("diagonal", "axis1", axis1, "dim1", dim1)
        axis2 = keywords.either("diagonal", "axis2", axis2, "dim2", dim2)
    if axis1 is _:
        axis1 = 0
    if axis2 is _:
        axis2 = 1
    if type(x) is not Tensor:
        x = operands.as_tensor("diagonal", "x", 0, x)
    a0 = x.array
    offset = DIAGONAL_PREPARE_OFFSET(a0, offset)
    before = x.layout
    after = DIAGONAL_LAYOUT(before, offset, axis1, axis2)
    return metadata.view(
        DIAGONAL, x, metadata.window(x, after), {"offset": offset, "axis1": axis1, "axis2": axis2}, after
    )


# ---- unfold --------------------------------------------------------------------------------------

UNFOLD = chapter.UNFOLD
UNFOLD_LAYOUT = axes.unfold


def unfold(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    size: Any = ABSENT,
    step: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    dimension: Any = ABSENT,
) -> Tensor:
    """Windows of `size` elements along an axis, `step` apart; the elements of a window become the last axis."""
    if dimension is not _:
        keywords.check_named("unfold", 5, _)
        axis = keywords.either("unfold", "axis", axis, "dimension", dimension)
    if axis is ABSENT:
        keywords.missing("unfold", "axis")
    if size is ABSENT:
        keywords.missing("unfold", "size")
    if step is ABSENT:
        keywords.missing("unfold", "step")
    if type(x) is not Tensor:
        x = operands.as_tensor("unfold", "x", 0, x)
    a0 = x.array
    before = x.layout
    after = UNFOLD_LAYOUT(before, axis, size, step)
    return metadata.view(UNFOLD, x, metadata.window(x, after), {"axis": axis, "size": size, "step": step}, after)


# ---- slice ---------------------------------------------------------------------------------------

SLICE = chapter.SLICE
SLICE_PREPARE_AXES = chapter._axes
SLICE_PREPARE_STARTS = chapter._numbers
SLICE_PREPARE_ENDS = chapter._numbers
SLICE_LAYOUT = chapter._slice


def slice(
    x: Tensor = ABSENT,
    axes: Any = ABSENT,
    starts: Any = ABSENT,
    ends: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
) -> Tensor:
    """The slice from `starts` to `ends` along the named axes."""
    if input is not _:
        keywords.check_named("slice", 5, _)
        x = keywords.either("slice", "x", x, "input", input)
    if axes is ABSENT:
        keywords.missing("slice", "axes")
    if starts is ABSENT:
        keywords.missing("slice", "starts")
    if ends is ABSENT:
        keywords.missing("slice", "ends")
    if type(x) is not Tensor:
        x = operands.as_tensor("slice", "x", 0, x)
    a0 = x.array
    axes = SLICE_PREPARE_AXES(a0, axes)
    starts = SLICE_PREPARE_STARTS(a0, starts)
    ends = SLICE_PREPARE_ENDS(a0, ends)
    before = x.layout
    after = SLICE_LAYOUT(before, axes, starts, ends)
    return metadata.view(SLICE, x, metadata.window(x, after), {"axes": axes, "starts": starts, "ends": ends}, after)


# ---- strided_slice -------------------------------------------------------------------------------

STRIDED_SLICE = chapter.STRIDED_SLICE
STRIDED_SLICE_PREPARE_AXES = chapter._axes
STRIDED_SLICE_PREPARE_STARTS = chapter._numbers
STRIDED_SLICE_PREPARE_ENDS = chapter._numbers
STRIDED_SLICE_PREPARE_STRIDES = chapter._numbers
STRIDED_SLICE_LAYOUT = axes.slices


def strided_slice(x: Tensor, axes: Any, starts: Any, ends: Any, strides: Any, name: str | None = None) -> Tensor:
    """The slice from `starts` to `ends` along the named axes, in steps of `strides`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("strided_slice", "x", 0, x)
    a0 = x.array
    axes = STRIDED_SLICE_PREPARE_AXES(a0, axes)
    starts = STRIDED_SLICE_PREPARE_STARTS(a0, starts)
    ends = STRIDED_SLICE_PREPARE_ENDS(a0, ends)
    strides = STRIDED_SLICE_PREPARE_STRIDES(a0, strides)
    before = x.layout
    after = STRIDED_SLICE_LAYOUT(before, axes, starts, ends, strides)
    return metadata.view(
        STRIDED_SLICE,
        x,
        metadata.window(x, after),
        {"axes": axes, "starts": starts, "ends": ends, "strides": strides},
        after,
    )


# ---- narrow --------------------------------------------------------------------------------------

NARROW = chapter.NARROW
NARROW_PREPARE_START = chapter._number
NARROW_LAYOUT = axes.narrow


def narrow(
    x: Tensor = ABSENT,
    dim: Any = ABSENT,
    start: Any = ABSENT,
    length: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
) -> Tensor:
    """A part of one axis: `length` positions, beginning with `start`."""
    if input is not _:
        keywords.check_named("narrow", 5, _)
        x = keywords.either("narrow", "x", x, "input", input)
    if dim is ABSENT:
        keywords.missing("narrow", "dim")
    if start is ABSENT:
        keywords.missing("narrow", "start")
    if length is ABSENT:
        keywords.missing("narrow", "length")
    if type(x) is not Tensor:
        x = operands.as_tensor("narrow", "x", 0, x)
    a0 = x.array
    start = NARROW_PREPARE_START(a0, start)
    before = x.layout
    after = NARROW_LAYOUT(before, dim, start, length)
    return metadata.view(NARROW, x, metadata.window(x, after), {"dim": dim, "start": start, "length": length}, after)


# ---- _nth ----------------------------------------------------------------------------------------

_NTH = chapter.NTH
_NTH_LAYOUT = chapter._nth


def _nth(x: Tensor, axis: Any, place: Any, name: str | None = None) -> Tensor:
    """One place of one axis: `unbind` gives them all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_nth", "x", 0, x)
    a0 = x.array
    before = x.layout
    after = _NTH_LAYOUT(before, axis, place)
    return metadata.view(_NTH, x, metadata.window(x, after), {"axis": axis, "place": place}, after)


# ---- getitem -------------------------------------------------------------------------------------

GETITEM = chapter.GETITEM
GETITEM_PREPARE_KEY = chapter.fixed
GETITEM_SHORTCUT = chapter.indexed
GETITEM_LAYOUT = axes.index


def getitem(x: Tensor, key: Any, name: str | None = None) -> Tensor:
    """Select by integers, slices, None and `...`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("getitem", "x", 0, x)
    a0 = x.array
    key = GETITEM_PREPARE_KEY(a0, key)
    shown = GETITEM_SHORTCUT(a0, key)
    if shown is not None:
        return metadata.view(GETITEM, x, shown, {"key": key})
    before = x.layout
    after = GETITEM_LAYOUT(before, key)
    return metadata.view(GETITEM, x, metadata.window(x, after), {"key": key}, after)


# ---- _window -------------------------------------------------------------------------------------

_WINDOW = chapter.WINDOW
_WINDOW_PREPARE_DTYPE = chapter._as_it_is
_WINDOW_LAYOUT = required(_WINDOW.layout)
_WINDOW_DTYPE = required(_WINDOW.dtype)


def _window(x: Tensor, layout: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Look at the storage through any layout."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_window", "x", 0, x)
    a0 = x.array
    dtype = _WINDOW_PREPARE_DTYPE(a0, dtype)
    before = x.layout
    after = _WINDOW_LAYOUT(before, layout, dtype)
    return metadata.view(
        _WINDOW, x, metadata.window(x, after, _WINDOW_DTYPE(dtype)), {"layout": layout, "dtype": dtype}, after
    )
