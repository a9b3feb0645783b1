"""Layouts are compared with NumPy's views, for random shapes, strides and keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import inplacelab as paddle
from inplacelab import layout
from inplacelab.layout import Layout
from inplacelab.ops.table import ROWS
from tests.tiers import examples

Array = np.ndarray[Any, Any]
checked = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def layout_of(view: Array, whole: Array) -> Layout:
    """The layout of a NumPy view."""
    offset = view.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    strides = tuple(s // view.itemsize for s in view.strides)
    return Layout(view.shape, strides, offset // view.itemsize)


def same(ours: Layout, theirs: Array, whole: Array) -> bool:
    """The same slots for the same elements. Strides of axes of one element, and offsets without elements, may differ."""
    numpy = layout_of(theirs, whole)
    if ours.shape != numpy.shape:
        return False
    stepped = [k for k, size in enumerate(ours.shape) if size > 1]
    return ours.size == 0 or (ours.offset == numpy.offset and all(ours.strides[k] == numpy.strides[k] for k in stepped))


@st.composite
def views(draw: st.DrawFn) -> tuple[Array, Array, Layout]:
    """A storage, a NumPy view of it (sliced, transposed), and its layout."""
    shape = draw(SHAPES)
    whole = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    key: Any = (*(draw(st.slices(n)) for n in shape), ...)  # with `...`, NumPy gives a view also of one element
    view = whole[key]
    view = view.transpose(draw(st.permutations(range(view.ndim))))
    return whole, view, layout_of(view, whole)


def slots(shown: Layout) -> Array:
    """The slot of every element, by definition."""
    found = np.full(shown.shape, shown.offset)
    for axis, stride in enumerate(shown.strides):
        found += stride * np.indices(shown.shape)[axis]
    return found


@checked
@given(views())
def test_the_slot_of_an_element_is_that_of_the_formula(drawn: tuple[Array, Array, Layout]) -> None:
    whole, view, shown = drawn
    np.testing.assert_array_equal(whole.reshape(-1)[slots(shown)] if view.size else view, view)


@checked
@given(SHAPES)
def test_packed_is_row_major(shape: tuple[int, ...]) -> None:
    array = np.zeros(shape)
    assert layout.is_packed(Layout(shape, layout.packed(shape), 0))
    assert same(Layout(shape, layout.packed(shape), 0), array, array)


@checked
@given(views())
def test_contiguous_is_what_numpy_calls_so(drawn: tuple[Array, Array, Layout]) -> None:
    _, view, shown = drawn
    assert layout.is_packed(shown) == view.flags.c_contiguous


@checked
@given(views())
def test_the_extent_is_tight(drawn: tuple[Array, Array, Layout]) -> None:
    _, view, shown = drawn
    reached = slots(shown)
    assert layout.extent(shown) == ((reached.min(), reached.max() + 1) if view.size else (shown.offset, shown.offset))


@checked
@given(views(), st.data())
def test_index(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    key = data.draw(arrays.basic_indices(view.shape, allow_newaxis=True, allow_ellipsis=True))
    assert layout.is_basic(key)
    keys = key if isinstance(key, tuple) else (key,)
    assert same(layout.index(shown, key), view[keys if Ellipsis in keys else (*keys, ...)], whole)


@checked
@given(views(), st.data())
def test_transpose(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    perm = data.draw(st.permutations(range(view.ndim)))
    signed = [p - data.draw(st.sampled_from([0, view.ndim])) for p in perm]
    assert same(layout.transpose(shown, signed), view.transpose(perm), whole)


@checked
@given(views(), st.data())
def test_swapping_and_moving_axes(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    assume(view.ndim)
    axis = st.integers(-view.ndim, view.ndim - 1)
    first, second = data.draw(axis), data.draw(axis)
    assert same(layout.swapped_axes(shown, first, second), view.swapaxes(first, second), whole)
    count = data.draw(st.integers(0, view.ndim))
    source = data.draw(st.permutations(range(view.ndim)))[:count]
    places = [p - view.ndim for p in data.draw(st.permutations(range(view.ndim)))[:count]]
    assert same(layout.moved_axes(shown, source, places), np.moveaxis(view, source, places), whole)


@checked
@given(views(), st.data())
def test_slices_and_narrow(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    assume(view.ndim)
    axis, (start, end) = data.draw(st.integers(0, view.ndim - 1)), data.draw(st.tuples(*[st.integers(-6, 6)] * 2))
    step = data.draw(st.sampled_from([-2, -1, 1, 2]))
    key = (*[slice(None)] * axis, slice(start, end, step))
    assert same(layout.slices(shown, [axis], [start], [end], [step]), view[key], whole)
    size = view.shape[axis]
    first = data.draw(st.integers(0, size))
    length = data.draw(st.integers(0, size - first))
    begin = data.draw(st.sampled_from([first, first - size])) if first < size else first
    part = view[(*[slice(None)] * axis, slice(first, first + length))]
    assert same(layout.narrow(shown, axis, begin, length), part, whole)


@checked
@given(views(), st.data())
def test_diagonal(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    assume(view.ndim > 1)
    first, second = data.draw(st.permutations(range(view.ndim)))[:2]
    offset = data.draw(st.integers(-2, 2))  # beyond the corner NumPy has nothing either
    theirs = view.diagonal(offset, first - view.ndim, second)
    assert same(layout.diagonal(shown, offset, first - view.ndim, second), theirs, whole)


@checked
@given(views(), st.data())
def test_unfold(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    assume(view.ndim and view.size)
    axis, step = data.draw(st.integers(0, view.ndim - 1)), data.draw(st.integers(1, 3))
    size = data.draw(st.integers(1, view.shape[axis]))
    windows = np.lib.stride_tricks.sliding_window_view(view, size, axis)[
        (*[slice(None)] * axis, slice(None, None, step))
    ]
    assert same(layout.unfold(shown, axis, size, step), windows, whole)


@checked
@given(views(), st.data())
def test_what_numpy_shows_by_its_own_ways_is_what_the_layout_shows(
    drawn: tuple[Array, Array, Layout], data: st.DataObject
) -> None:
    _, array, _ = drawn
    x = paddle.to_tensor(array)
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    key = data.draw(arrays.basic_indices(tuple(x.shape), allow_newaxis=True, allow_ellipsis=True))
    start = data.draw(st.integers(0, max(x.ndim - 1, 0)))
    perm, shape = data.draw(st.permutations(range(x.ndim))), data.draw(st.sampled_from(_shapes_of(x.size)))
    place = data.draw(st.integers(-x.ndim - 1, x.ndim))
    for row, arguments in (
        ("getitem", [key]), ("transpose", [perm]), ("reshape", [shape]), ("flatten", [start, -1]), ("t", []),
        ("squeeze", [None]), ("squeeze", [start]), ("unsqueeze", [place]),
    ):  # fmt: skip
        shortcut, by_definition = ROWS[row].shortcut, ROWS[row].layout
        assert shortcut is not None
        assert by_definition is not None
        window = shortcut(x.array, *arguments)
        if window is not None:
            assert np.shares_memory(window, x.array) or not window.size
            assert same(by_definition(x.layout, *arguments), window, x.storage.buffer)


@checked
@given(views(), st.data())
def test_squeeze_and_unsqueeze(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    whole, view, shown = drawn
    at = data.draw(st.integers(-view.ndim - 1, view.ndim))
    wider = layout.unsqueeze(shown, at)
    assert same(wider, np.expand_dims(view, at), whole)
    assert same(layout.squeeze(wider, at), view, whole)
    assert same(layout.squeeze(shown, None), view.squeeze(), whole)


@checked
@given(views(), st.data())
def test_reshape_is_a_view_exactly_when_numpy_needs_no_copy(
    drawn: tuple[Array, Array, Layout], data: st.DataObject
) -> None:
    whole, view, shown = drawn
    wanted = data.draw(st.sampled_from(_shapes_of(view.size)))
    theirs = view.reshape(wanted)
    ours = layout.reshape(shown, wanted)
    if view.size:
        assert (ours is not None) == np.shares_memory(theirs, whole)
    if ours is not None:
        assert same(ours, theirs, whole)


def _shapes_of(size: int) -> list[tuple[int, ...]]:
    """Ways to arrange `size` elements."""
    if size == 0:
        return [(0,), (0, 2), (3, 0, 1)]
    pairs = [(n, size // n) for n in range(1, size + 1) if size % n == 0]
    triples = [(n, m, k // m) for n, k in pairs for m in range(1, k + 1) if k % m == 0]
    return [(size,), *pairs, *triples, *[(1, *p) for p in pairs], *([()] if size == 1 else [])]


@checked
@given(views(), st.data())
def test_flatten(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    _, view, shown = drawn
    assume(view.ndim)
    start = data.draw(st.integers(0, view.ndim - 1))
    stop = data.draw(st.integers(start, view.ndim - 1))
    shape = layout.flatten_shape(shown.shape, start, stop - view.ndim)
    assert shape == (*view.shape[:start], int(np.prod(view.shape[start : stop + 1])), *view.shape[stop + 1 :])


@checked
@given(views(), st.data())
def test_resolve_shape_works_out_one_size(drawn: tuple[Array, Array, Layout], data: st.DataObject) -> None:
    _, view, shown = drawn
    assume(view.size)
    sizes = data.draw(st.sampled_from(_shapes_of(view.size)))
    assume(sizes)
    unknown = data.draw(st.integers(0, len(sizes) - 1))
    asked = [-1 if k == unknown else n for k, n in enumerate(sizes)]
    assert layout.resolve_shape(shown.shape, asked) == sizes


def test_resolve_shape_reads_zero_as_the_size_that_is_there() -> None:
    assert layout.resolve_shape((2, 3, 4), [0, -1]) == (2, 12)
    assert layout.resolve_shape((2, 0), [0, 5]) == (0, 5)


@checked
@given(views())
def test_slices_and_transposes_never_overlap_themselves(drawn: tuple[Array, Array, Layout]) -> None:
    assert not layout.may_overlap_itself(drawn[2])


@checked
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-5, 5)), max_size=3))
def test_an_overlap_is_never_missed(axes: list[tuple[int, int]]) -> None:
    shown = Layout(tuple(n for n, _ in axes), tuple(s for _, s in axes), 20)
    reached = slots(shown)
    if np.unique(reached).size < reached.size:
        assert layout.may_overlap_itself(shown)


@pytest.mark.parametrize(
    ("shape", "strides", "overlaps"),
    [((4,), (0,), True), ((1,), (0,), False), ((2, 3), (0, 1), True), ((2, 3), (3, 1), False), ((3, 3), (1, 1), True),
     ((0, 4), (0, 0), False), ((3, 2), (-2, -1), False)],
)  # fmt: skip
def test_overlaps_by_hand(shape: tuple[int, ...], strides: tuple[int, ...], overlaps: bool) -> None:
    assert layout.may_overlap_itself(Layout(shape, strides, 10)) == overlaps


@pytest.mark.parametrize("key", [[0, 1], np.array([0]), True, (0, [1]), np.array([True, False])])
def test_keys_that_need_a_gather_are_not_basic(key: Any) -> None:
    assert not layout.is_basic(key)
