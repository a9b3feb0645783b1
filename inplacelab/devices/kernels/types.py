"""The types of CUDA C, by data type.

Half precision has no type in CUDA C itself: `__half` is declared in a header (cuda_fp16.h), and these kernels include none. So a
text brings a type of its own (half.cu): 16 bits in memory, a `float` wherever something is computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

PACK = 16
"""The bytes that one instruction can move for a thread, from an address that is a multiple of them."""


class CType(NamedTuple):
    """How a data type is written in CUDA C.

    Attributes:
        name: of one element in memory: "float".
        size: its bytes.
        computes: the type in which an element is computed with.
    """

    name: str
    size: int
    computes: str

    @property
    def width(self) -> int:
        """How many elements a pack holds."""
        return PACK // self.size


C_TYPES: dict[str, CType] = {
    "float32": CType("float", 4, "float"),
    "float64": CType("double", 8, "double"),
    "float16": CType("half", 2, "float"),
    "int32": CType("int", 4, "int"),
    "int64": CType("long long", 8, "long long"),
    "int16": CType("short", 2, "short"),
    "int8": CType("signed char", 1, "signed char"),
    "uint8": CType("unsigned char", 1, "unsigned char"),
    "bool": CType("bool", 1, "bool"),
}
"""The data types that the kernels know."""


def kind_of(dtype: str) -> str:
    """NumPy's letter for the kind of a data type, with "i" for integers without a sign, too.

    >>> kind_of("float16"), kind_of("uint8"), kind_of("bool")
    ('f', 'i', 'b')
    """
    return {"f": "f", "b": "b"}.get(dtype[0], "i")


def width_of(dtypes: Iterable[str]) -> int:
    """How many elements are moved at once, so that of the widest of these types they are one pack.

    >>> width_of(["float32", "bool"]), width_of(["int8", "float64"])
    (4, 2)
    """
    return min(C_TYPES[each].width for each in dtypes)


def by_value(dtype: str) -> str:
    """The data type in which a kernel is given a single number: one of half precision travels as the float that it is equal to."""
    return "float32" if dtype == "float16" else dtype
