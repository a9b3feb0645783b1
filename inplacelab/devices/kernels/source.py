"""The text of a kernel: a `.cu` file beside this one, with the operation, the data type and the parameters filled in.

A text stands alone: it includes nothing, so CUDA's run-time compiler needs nothing but the text, and a learner can read
all of it. Element-wise kernels are put together in `elementwise.py`; here is what all kernels have in common.
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
    """In which form an element-wise kernel is written.

    Attributes:
        kind: "contiguous" (slots side by side) or "strided" (wherever layouts say).
        width: how many elements to take at once; 0 for as many as 16 bytes hold, and one by one if they lie apart.
        bits: 32 or 64: of the numbers that a strided kernel counts with.
        axes: how many its layouts have.
        once: which operands (by position) are broadcast so that one element of them serves a whole turn.
    """

    kind: Kind = "contiguous"
    width: int = 0
    bits: int = 32
    axes: int = 2
    once: tuple[int, ...] = ()

    def settled(self, most: int) -> Form:
        """The same with the width that it comes to, where `most` elements are a pack."""
        return self._replace(width=self.width or self.usual(most))

    def usual(self, most: int) -> int:
        """The width where nothing else is said."""
        return most if self.kind == "contiguous" else 1


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: as the text has it.
        kind: "slots" (a pointer to an operand), "layout" (how an operand lies), "number" or "size".
        dtype: of the slots, of the number, or of those in the layout.
        role: what the kernel does to the slots.
    """

    name: str
    kind: Literal["slots", "layout", "number", "size"]
    dtype: str = "int64"
    role: Role = "reads"


@dataclass(frozen=True, repr=False)
class Source:
    """A kernel that can be compiled. It shows itself as its text.

    Attributes:
        name: the name of its function.
        kind: which of the `.cu` files it is.
        text: CUDA C.
        parameters: in order.
        dtype: of what it computes with.
        width: how many elements a thread takes at once.
        bits: of the numbers that it counts with.
        axes: of the layouts that it is given.
    """

    name: str
    kind: Kind
    text: str
    parameters: tuple[Parameter, ...]
    dtype: str
    width: int = 1
    bits: int = 64
    axes: int = 0

    def __hash__(self) -> int:  # asked for at every launch: a string remembers its own
        return hash((self.name, self.text))

    @property
    def operands(self) -> tuple[Parameter, ...]:
        """The parameters that are memory."""
        return tuple(p for p in self.parameters if p.kind == "slots")

    @property
    def waits(self) -> bool:
        """True if its threads wait for each other."""
        return "__syncthreads" in self.text

    def __repr__(self) -> str:
        return self.text


def normalize(dtype: str) -> Source:
    """Each row minus its mean, divided by its standard deviation, in place."""
    x = Parameter("x", "slots", dtype, "both")
    sizes = Parameter("rows", "size"), Parameter("columns", "size")
    return _fixed("normalize", dtype, x, Parameter("epsilon", "number", dtype), *sizes)


def transpose(dtype: str) -> Source:
    """The transpose of a matrix, out of place."""
    slots = Parameter("x", "slots", dtype), Parameter("out", "slots", dtype, "writes")
    return _fixed("transpose", dtype, *slots, Parameter("rows", "size"), Parameter("columns", "size"))


def transpose_square(dtype: str) -> Source:
    """The transpose of a square matrix, in place."""
    return _fixed("transpose_square", dtype, Parameter("x", "slots", dtype, "both"), Parameter("n", "size"))


def scatter_add(dtype: str) -> Source:
    """Additions to the slots that an index names, in place, by atomic operations."""
    slots = Parameter("x", "slots", dtype, "both"), Parameter("index", "slots"), Parameter("y", "slots", dtype)
    return _fixed("scatter_add", dtype, *slots, Parameter("n", "size"))


def _fixed(kind: Kind, dtype: str, *parameters: Parameter) -> Source:
    name = f"{kind}_{dtype}"
    return Source(name, kind, fill(kind, name=name, T=C_TYPES[dtype].name), parameters, dtype)


@cache
def _template(kind: str) -> Template:
    return Template((HERE / f"{kind}.cu").read_text(encoding="utf-8"))


def fill(kind: str, **parts: str) -> str:
    """The text of a `.cu` file, with its places filled in."""
    return _template(kind).substitute(parts).replace("\n\n\n", "\n\n")  # where a part is empty
