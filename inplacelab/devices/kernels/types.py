"""The types of CUDA C, by data type: of one element, and of the pack of elements that one instruction loads.

Half precision is missing: `__half` is declared in a header (cuda_fp16.h), and these kernels include none.
"""

from __future__ import annotations

from typing import NamedTuple


class CType(NamedTuple):
    """How a data type is written in CUDA C.

    Attributes:
        name: of one element: "float".
        size: its bytes.
        pack: of as many elements as 16 bytes hold: "float4"; "" where there is no such type.
    """

    name: str
    size: int
    pack: str = ""

    @property
    def width(self) -> int:
        """How many elements a pack holds."""
        return 16 // self.size if self.pack else 1


C_TYPES: dict[str, CType] = {
    "float32": CType("float", 4, "float4"),
    "float64": CType("double", 8, "double2"),
    "int32": CType("int", 4, "int4"),
    "int64": CType("long long", 8, "longlong2"),
    "int16": CType("short", 2),
    "int8": CType("signed char", 1),
    "uint8": CType("unsigned char", 1),
    "bool": CType("bool", 1),
}
"""The data types that the kernels know."""

FIELDS = "xyzw"
"""The elements of a pack."""
