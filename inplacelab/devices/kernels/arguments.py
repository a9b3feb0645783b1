"""Converts arguments that a kernel takes by value to the bytes that its source expects."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from inplacelab.devices.kernels.loops import multiplies
from inplacelab.layout import Layout


@lru_cache(maxsize=4096)
def packed_layout(layout: Layout, bits: int, axes: int) -> np.ndarray[Any, Any]:
    """Converts a layout to the bytes of `struct Layout` in strided.cu. Results are cached.

    Args:
        layout: a layout with at most `axes` axes; axes of size 1 are added in front.
        bits: the width of its numbers: 32 or 64.
        axes: the number of axes of the kernel.

    Returns:
        A read-only array without axes.
    """
    number, missing = f"i{bits // 8}", axes - len(layout.shape)
    fields: list[tuple[Any, ...]] = [("offset", number), ("shape", number, (axes,)), ("strides", number, (axes,))]
    if multiplies(bits, axes):
        fields.append(("sizes", "u4", (axes, 2)))
    made = np.zeros((), np.dtype(fields))
    shape = (1,) * missing + layout.shape
    made["offset"] = layout.offset
    made["shape"], made["strides"] = shape, (0,) * missing + layout.strides
    if multiplies(bits, axes):
        made["sizes"] = [divisor(size) for size in shape]
    made.flags.writeable = False
    return made


def divisor(size: int) -> tuple[int, int]:
    """Returns `magic` and `shift` of a `Divisor` (divisor.cu), which replace `n // size` by a product, a sum and a shift.

    The upper 32 bits of the 64-bit product are used. The result is exact for all `n` below 2**31.

    >>> magic, shift = divisor(7)
    >>> [((n * magic >> 32) + n) >> shift for n in (0, 6, 7, 13, 14, 2**31 - 1)] == [0, 0, 1, 1, 2, (2**31 - 1) // 7]
    True

    Source: T. Granlund and P. L. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994.
    """
    shift = (size - 1).bit_length()
    return (2**32 * (2**shift - size)) // size + 1, shift
