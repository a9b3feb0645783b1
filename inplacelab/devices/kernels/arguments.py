"""What a kernel is given by value, in the bytes that its text expects."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.layout import Layout

MOST_AXES = 8
"""The most axes of a layout that is passed to a kernel."""

LAYOUT = np.dtype({
    "names": ["rank", "offset", "shape", "strides"],
    "formats": ["i8", "i8", ("i8", MOST_AXES), ("i8", MOST_AXES)],
})  # fmt: skip
"""`struct Layout` in strided.cu."""


def packed_layout(layout: Layout) -> np.ndarray[Any, Any]:
    """A layout in the bytes of `struct Layout`: an array without axes."""
    made, rank = np.zeros((), LAYOUT), len(layout.shape)
    made["rank"], made["offset"] = rank, layout.offset
    made["shape"][:rank], made["strides"][:rank] = layout.shape, layout.strides
    return made
