"""The text of a kernel: a `.cu` file of this package, with the operation, the data type and the parameters filled in.

A text is complete: it includes no headers, so CUDA's run-time compiler needs only the text, and a learner can read all of
it. `elementwise.py` generates element-wise kernels; this module has the parts that all kernels share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from inplacelab.devices.kernels.launch import Role
from inplacelab.devices.kernels.types import C_TYPES

Kind = Literal["contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add"]

HERE = Path(__file__).parent


class Form(NamedTuple):
    """The form of an element-wise kernel.

    Attributes:
        kind: "contiguous" (adjacent slots) or "strided" (any layouts).
        width: the number of elements for each load; 0 for as many as 16 bytes hold, or 1 if they are not adjacent.
        bits: the width of the indices in a strided kernel: 32 or 64.
        axes: the number of axes of its layouts.
        once: the positions of the operands that are broadcast, so that one element is enough for a turn.
    """

    kind: Kind = "contiguous"
    width: int = 0
    bits: int = 32
    axes: int = 2
    once: tuple[int, ...] = ()

    def with_width(self, most: int) -> Form:
        """Returns the form with a width other than 0, where a pack holds `most` elements."""
        return self._replace(width=self.width or self.usual(most))

    def usual(self, most: int) -> int:
        """Returns the default width."""
        return most if self.kind == "contiguous" else 1


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: its name in the text.
        kind: "slots" (a pointer to an operand), "layout" (of an operand), "number" or "size".
        dtype: the type of the slots, of the number, or of those in the layout.
        role: whether the kernel reads or writes the slots.
    """

    name: str
    kind: Literal["slots", "layout", "number", "size"]
    dtype: str = "int64"
    role: Role = "reads"


@dataclass(frozen=True, repr=False)
class Source:
    """A kernel that can be compiled. Its repr is its text.

    Attributes:
        name: the name of its function.
        kind: which of the `.cu` files it is.
        text: CUDA C.
        parameters: in order.
        dtype: the data type in which it computes.
        width: the number of elements that a thread takes at once.
        bits: the width of its indices.
        axes: the number of axes of its layouts.
    """

    name: str
    kind: Kind
    text: str
    parameters: tuple[Parameter, ...]
    dtype: str
    width: int = 1
    bits: int = 64
    axes: int = 0

    def __hash__(self) -> int:  # needed at every launch: a string caches its hash
        return hash((self.name, self.text))

    @property
    def operands(self) -> tuple[Parameter, ...]:
        """The parameters that are operands."""
        return tuple(p for p in self.parameters if p.kind == "slots")

    @property
    def waits(self) -> bool:
        """True if its threads wait for each other."""
        return "__syncthreads" in self.text

    def __repr__(self) -> str:
        return self.text


def normalize(dtype: str) -> Source:
    """Returns the kernel that subtracts the mean of each row and divides by its standard deviation, in place."""
    x = Parameter("x", "slots", dtype, "both")
    sizes = Parameter("rows", "size"), Parameter("columns", "size")
    return _fixed("normalize", dtype, x, Parameter("epsilon", "number", dtype), *sizes)


def transpose(dtype: str) -> Source:
    """Returns the kernel of the transpose of a matrix, out of place."""
    slots = Parameter("x", "slots", dtype), Parameter("out", "slots", dtype, "writes")
    return _fixed("transpose", dtype, *slots, Parameter("rows", "size"), Parameter("columns", "size"))


def transpose_square(dtype: str) -> Source:
    """Returns the kernel of the transpose of a square matrix, in place."""
    return _fixed("transpose_square", dtype, Parameter("x", "slots", dtype, "both"), Parameter("n", "size"))


def scatter_add(dtype: str) -> Source:
    """Returns the kernel that adds to the slots in an index, in place, by atomic operations."""
    slots = Parameter("x", "slots", dtype, "both"), Parameter("index", "slots"), Parameter("y", "slots", dtype)
    return _fixed("scatter_add", dtype, *slots, Parameter("n", "size"))


def _fixed(kind: Kind, dtype: str, *parameters: Parameter) -> Source:
    name = f"{kind}_{dtype}"
    return Source(name, kind, fill(kind, name=name, T=C_TYPES[dtype].name), parameters, dtype)


@cache
def _template(kind: str) -> Template:
    return Template((HERE / f"{kind}.cu").read_text(encoding="utf-8"))


def fill(kind: str, **parts: str) -> str:
    """Returns the text of a `.cu` file, with its placeholders filled in."""
    return _template(kind).substitute(parts).replace("\n\n\n", "\n\n")  # where a part is empty
