"""What a kernel is given by value, in the bytes that its text expects."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from inplacelab.layout import Layout

MOST_AXES = 8
"""The most axes of a layout that is passed to a kernel."""

LAYOUTS = {
    bits: np.dtype({
        "names": ["rank", "offset", "shape", "strides"],
        "formats": [number, number, (number, MOST_AXES), (number, MOST_AXES)],
    })
    for bits, number in {32: "i4", 64: "i8"}.items()
}  # fmt: skip
"""`struct Layout` in strided.cu, with numbers of 32 and of 64 bits."""


@lru_cache(maxsize=4096)
def packed_layout(layout: Layout, bits: int) -> np.ndarray[Any, Any]:
    """A layout in the bytes of `struct Layout`: an array without axes, made once and not to be changed."""
    made, rank = np.zeros((), LAYOUTS[bits]), len(layout.shape)
    made["rank"], made["offset"] = rank, layout.offset
    made["shape"][:rank], made["strides"][:rank] = layout.shape, layout.strides
    made.flags.writeable = False
    return made
