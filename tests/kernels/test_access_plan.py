"""Merged axes and packs change only the order of elements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.kernels import geometry, launching
from inplacelab.kernels.launching import divisor
from inplacelab.layout import Layout, is_packed, packed, transpose
from tests.tiers import examples


@st.composite
def operands(draw: st.DrawFn) -> tuple[Layout, ...]:
    """A tensor with gaps and reordered axes that is written, and one that is read, broadcast along some axes."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=0, max_size=4)))
    gaps = [draw(st.sampled_from([0, 0, 1, 4])) for _ in shape]
    wider = packed(tuple(size + gap for size, gap in zip(shape, gaps, strict=True)))
    signs = [draw(st.sampled_from([1, 1, -1])) for _ in shape]
    written = Layout(shape, tuple(s * sign for s, sign in zip(wider, signs, strict=True)), 2000)
    known = tuple(0 if draw(st.booleans()) else stride for stride in packed(shape))
    read = Layout(shape, known, draw(st.integers(0, 8)))
    order = draw(st.permutations(range(len(shape))))
    return transpose(written, order), transpose(read, order)


def packed_layout(shape: tuple[int, ...]) -> Layout:
    return Layout(shape, packed(shape), 0)


def places(layouts: tuple[Layout, ...]) -> list[tuple[int, ...]]:
    """For each element its slots in all operands, in any order."""
    return sorted(tuple(geometry.slot(each, k) for each in layouts) for k in range(layouts[0].size))


@settings(deadline=None, max_examples=examples(60))
@given(operands())
def test_the_same_slots_meet(layouts: tuple[Layout, ...]) -> None:
    merged = launching.merged(layouts, 0)
    assert places(merged) == places(layouts)
    assert len(merged[0].shape) <= len(layouts[0].shape)
    assert list(merged[0].strides) == sorted(merged[0].strides, key=abs, reverse=True)


@settings(deadline=None, max_examples=examples(60))
@given(operands(), st.sampled_from(["float32", "float64", "int8"]))
def test_packs_hold_the_same_slots(layouts: tuple[Layout, ...], dtype: str) -> None:
    way = launching.plan(layouts, (dtype, dtype), 0, aligned=True)
    assert places(way.layouts) == places(layouts)
    width = way.form.width
    for number, (whole, cut) in enumerate(zip(way.layouts, way.passed, strict=False)):
        one = number in way.form.once  # for all elements of a pack
        slots = [
            geometry.slot(cut, k) if one else geometry.slot(cut, k) * width + j
            for k in range(way.turns)
            for j in range(width)
        ]
        assert slots == [geometry.slot(whole, k) for k in range(whole.size)]


@pytest.mark.parametrize(
    ("shape", "read", "kind", "width", "once"),
    [
        ((8, 64), (0, 0), "contiguous", 4, (1,)),  # a number
        ((8, 64), (1, 0), "strided", 4, (1,)),  # a column: one element for a row
        ((8, 64), (0, 1), "strided", 4, ()),  # a row
        ((8, 63), (1, 0), "strided", 1, ()),  # packs do not fill a row
    ],
)
def test_what_is_broadcast_does_not_keep_the_others_from_packs(
    shape: tuple[int, ...], read: tuple[int, ...], kind: str, width: int, once: tuple[int, ...]
) -> None:
    layouts = packed_layout(shape), Layout(shape, read, 4 if any(read) else 3)
    form = launching.plan(layouts, ("float32", "float32"), 0, aligned=True).form
    assert (form.kind, form.width, form.once) == (kind, width, once)


@pytest.mark.parametrize(
    ("dtypes", "width"), [(("float32", "bool"), 4), (("int8", "float64"), 2), (("float16", "float16"), 8)]
)
def test_the_widest_type_determines_the_size_of_a_pack(dtypes: tuple[str, ...], width: int) -> None:
    layout = packed_layout((64,))
    assert launching.plan((layout, layout), dtypes, 1, aligned=True).form.width == width


@settings(max_examples=examples(200))
@given(st.integers(1, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_a_division_is_a_product_a_sum_and_a_shift(size: int, n: int) -> None:
    magic, shift = divisor(size)
    assert magic < 2**32
    for each in {n, n // size * size, max(n // size * size - 1, 0), 2**31 - 1}:
        assert ((each * magic >> 32) + each) >> shift == each // size
        assert (each * magic >> 32) + each < 2**32


@pytest.mark.parametrize(
    ("layout", "kind", "width", "axes"),
    [
        (Layout((64, 64), (1, 64), 0), "contiguous", 4, 0),  # a transposed view, in place: all slots in a row
        (Layout((8, 1, 16), (16, 99, 1), 4), "contiguous", 4, 0),
        (Layout((128,), (1,), 1), "contiguous", 1, 0),  # not aligned
        (Layout((64, 32), (64, 1), 0), "strided", 4, 2),  # rows of a wider matrix
        (Layout((2, 64, 32), (4096, 64, 1), 0), "strided", 4, 2),  # two axes of three are one
        (Layout((64, 33), (64, 1), 0), "strided", 1, 2),  # a run that packs do not fill
        (Layout((64, 32), (66, 1), 0), "strided", 1, 2),  # every second row begins in the middle of a pack
        (Layout((64, 32), (64, 2), 0), "strided", 1, 1),
        (Layout((64,), (64,), 3), "strided", 1, 1),  # a column
    ],
)
def test_ways(layout: Layout, kind: str, width: int, axes: int) -> None:
    way = launching.plan((layout,), ("float32",), 0, aligned=True)
    assert (way.form.kind, way.form.width, len(way.passed[0].shape) if way.passed else 0) == (kind, width, axes)


def test_where_storages_are_not_aligned_elements_are_loaded_one_by_one() -> None:
    for layout in (Layout((64,), (1,), 0), Layout((64, 32), (64, 1), 0)):
        assert launching.plan((layout,), ("float32",), 0, aligned=False).form.width == 1


def test_the_order_is_that_of_what_is_written() -> None:
    """A cache can serve reads that are far apart; such writes move sector by sector."""
    out, x = Layout((20, 30), (30, 1), 0), Layout((20, 30), (1, 20), 0)
    way = launching.plan((x, out), ("float32", "float32"), 1, aligned=True)
    assert way.layouts == (x, out)
    assert is_packed(launching.plan((x, x), ("float32", "float32"), 1, aligned=True).layouts[1])


@pytest.mark.parametrize(
    ("shape", "stride", "bits"), [((2**31 - 2**21 - 1,), 1, 32), ((2**31,), 0, 64), ((2,), 2**31, 64)]
)
def test_numbers_are_as_wide_as_needed(shape: tuple[int, ...], stride: int, bits: int) -> None:
    assert launching.bits([Layout(shape, (stride,), 0)]) == bits
    last = shape[0] - 1 + geometry.MOST_BLOCKS * geometry.THREADS  # as far as the loop counts
    assert (last < 2**31 and (shape[0] - 1) * stride < 2**31) == (bits == 32)
    assert np.iinfo("i4").max == 2**31 - 1
