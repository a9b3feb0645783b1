"""The types of CUDA C, by data type.

Half precision is missing: `__half` is declared in a header (cuda_fp16.h), and these kernels include none.
"""

from __future__ import annotations

from typing import NamedTuple

PACK = 16
"""The bytes that one instruction can move for a thread, from an address that is a multiple of them."""


class CType(NamedTuple):
    """How a data type is written in CUDA C.

    Attributes:
        name: of one element: "float".
        size: its bytes.
    """

    name: str
    size: int

    @property
    def width(self) -> int:
        """How many elements a pack holds."""
        return PACK // self.size


C_TYPES: dict[str, CType] = {
    "float32": CType("float", 4),
    "float64": CType("double", 8),
    "int32": CType("int", 4),
    "int64": CType("long long", 8),
    "int16": CType("short", 2),
    "int8": CType("signed char", 1),
    "uint8": CType("unsigned char", 1),
    "bool": CType("bool", 1),
}
"""The data types that the kernels know."""
