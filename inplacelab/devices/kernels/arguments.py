"""What a kernel is given by value, in the bytes that its text expects."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from inplacelab.layout import Layout


@lru_cache(maxsize=4096)
def packed_layout(layout: Layout, bits: int, axes: int) -> np.ndarray[Any, Any]:
    """A layout in the bytes of `struct Layout` in strided.cu: an array without axes, made once and not to be changed.

    Args:
        layout: of at most `axes` axes; axes of one element are put before them.
        bits: 32 or 64: of its numbers.
        axes: how many the kernel is written for.
    """
    number, missing = f"i{bits // 8}", axes - len(layout.shape)
    fields = np.dtype([("offset", number), ("shape", number, (axes,)), ("strides", number, (axes,))])
    made = np.zeros((), fields)
    made["offset"] = layout.offset
    made["shape"], made["strides"] = (1,) * missing + layout.shape, (0,) * missing + layout.strides
    made.flags.writeable = False
    return made
