"""Describes one launch of a kernel as plain data, for recorders and pictures; and the types of CUDA C for each dtype.

>>> x = Operand("x", "both", "float32", (6,), (1,), 0, 24)
>>> launch = Launch("relu_", "contiguous", (1, 1, 1), (256, 1, 1), 4, "float32", (x,), 24, 24)
>>> Launch.from_json(launch.to_json()) == launch
True
>>> launch.threads, launch.elements
(256, 6)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import prod
from typing import Any, Literal, NamedTuple

from inplacelab.layout import Layout

Dim3 = tuple[int, int, int]
Role = Literal["reads", "writes", "both"]


class Memory(NamedTuple):
    """The addresses of an operand in the device's memory.

    Attributes:
        first: the address of the first element.
        begin: the address of its storage.
        bytes: the size of the storage; the kernel must not access anything outside.
    """

    first: int
    begin: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Operand:
    """A memory operand of a launch.

    Attributes:
        name: its name in the source.
        role: "reads", "writes" or "both".
        dtype: the dtype of its elements, such as "float32".
        shape, strides, offset: its layout in the storage, in slots.
        storage_bytes: the size of the storage.
    """

    name: str
    role: Role
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage_bytes: int

    @property
    def layout(self) -> Layout:
        """Shape, strides and offset together."""
        return Layout(self.shape, self.strides, self.offset)

    @property
    def elements(self) -> int:
        """The number of elements."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel, a grid of threads and their operands.

    Attributes:
        kernel: the operation ("relu_"), or the steps of a fused chain ("scale_ add_ relu_").
        kind: the `.cu` file ("contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add"), which
            determines the source together with `kernel`, `dtype` and `width`; "library" for a kernel of the array library.
        grid, block: the number of blocks, and of threads in a block, along x, y and z.
        width: the number of elements that a thread processes at once.
        dtype: the dtype of the computation.
        operands: the operands, in the order of the kernel's parameters.
        bytes_read, bytes_written: the bytes that the threads requested. (Memory may move more: see `traffic`.)
        device: the name of the hardware, or "" if it was simulated.
        simulated: whether the kernel ran on the CPU, or not at all.
    """

    kernel: str
    kind: str
    grid: Dim3
    block: Dim3
    width: int
    dtype: str
    operands: tuple[Operand, ...]
    bytes_read: int
    bytes_written: int
    device: str = ""
    simulated: bool = True

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """The number of threads in a block."""
        return prod(self.block)

    @property
    def elements(self) -> int:
        """The number of elements of the first operand."""
        return self.operands[0].elements if self.operands else 0

    def operand(self, name: str) -> Operand:
        """Returns the operand with this name.

        Raises:
            KeyError: if the launch has no such operand.
        """
        found = {each.name: each for each in self.operands}
        return found[name]

    def to_json(self) -> dict[str, Any]:
        """Converts the launch to numbers, strings, lists and dictionaries."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Launch:
        """Restores a launch from the result of `to_json`, also after it was written to JSON and read again."""
        operands = tuple(
            Operand(**{**each, "shape": tuple(each["shape"]), "strides": tuple(each["strides"])})
            for each in data["operands"]
        )
        return cls(**{**data, "grid": tuple(data["grid"]), "block": tuple(data["block"]), "operands": operands})


# ---- data types in CUDA C ----------------------------------------------------------------------------------------------------
#
# CUDA C has no type for half precision without a header (`__half` is declared in cuda_fp16.h), and these kernels include none. So a
# source defines its type (half.cu): 16 bits in memory, and a `float` in every computation.

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
