"""The types of CUDA C for each dtype.

CUDA C has no type for half precision without a header (`__half` is declared in cuda_fp16.h), and these kernels include none. So a
source defines its type (half.cu): 16 bits in memory, and a `float` in every computation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

PACK = 16
"""The largest number of bytes that one instruction moves for a thread, from an address that is a multiple of it."""


class CType(NamedTuple):
    """A dtype in CUDA C.

    Attributes:
        name: the type of an element in memory, such as "float".
        size: its size in bytes.
        computes: the type of an element in a computation.
    """

    name: str
    size: int
    computes: str

    @property
    def width(self) -> int:
        """The number of elements in a pack."""
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
"""The dtypes that the kernels support."""


def kind_of(dtype: str) -> str:
    """Returns NumPy's letter for the kind of a dtype, with "i" for unsigned integers, too.

    >>> kind_of("float16"), kind_of("uint8"), kind_of("bool")
    ('f', 'i', 'b')
    """
    return {"f": "f", "b": "b"}.get(dtype[0], "i")


def width_of(dtypes: Iterable[str]) -> int:
    """Returns the number of elements in a pack of the widest of these dtypes.

    >>> width_of(["float32", "bool"]), width_of(["int8", "float64"])
    (4, 2)
    """
    return min(C_TYPES[each].width for each in dtypes)


def by_value(dtype: str) -> str:
    """Returns the dtype in which a kernel takes a single number: half precision is passed as a float of the same value."""
    return "float32" if dtype == "float16" else dtype
