"""Kernel sources: a `.cu` file of this folder with the operation, the dtype and the parameters filled in.

A source is complete: it includes no headers, so CUDA's run-time compiler needs nothing else, and a learner can read all of it.
`elementwise.py` builds the sources of element-wise kernels; this module has the types and the other kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from inplacelab.kernels.launch import C_TYPES, Role

Kind = Literal["contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add"]

HERE = Path(__file__).parent


class Form(NamedTuple):
    """The form of an element-wise kernel.

    Attributes:
        kind: "contiguous" (neighboring slots) or "strided" (any layouts).
        width: the number of elements to process at once; 0 for the default: a contiguous kernel as many as 16 bytes hold, a
            strided kernel one.
        bits: the width of a strided kernel's indices, 32 or 64.
        axes: the number of axes of its layouts.
        once: the positions of the operands that are broadcast so that one element serves a whole turn.
    """

    kind: Kind = "contiguous"
    width: int = 0
    bits: int = 32
    axes: int = 2
    once: tuple[int, ...] = ()

    def with_width(self, most: int) -> Form:
        """Returns the form with a definite width; `most` is the number of elements in a pack."""
        return self._replace(width=self.width or self.usual(most))

    def usual(self, most: int) -> int:
        """Returns the default width; `most` is the number of elements in a pack."""
        return most if self.kind == "contiguous" else 1


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: its name in the source.
        kind: "slots" (a pointer to an operand), "layout" (the layout of an operand), "number" (an attribute) or "size".
        dtype: the dtype of the slots, of the number, or of the numbers in the layout.
        role: "reads", "writes" or "both", for slots.
    """

    name: str
    kind: Literal["slots", "layout", "number", "size"]
    dtype: str = "int64"
    role: Role = "reads"


@dataclass(frozen=True, repr=False)
class Source:
    """The source of a kernel. Printing it shows the CUDA C text.

    Attributes:
        name: the name of its function.
        kind: the name of the `.cu` file.
        text: the text in CUDA C.
        parameters: the parameters, in order.
        dtype: the dtype of the computation.
        width: the number of elements that a thread processes at once.
        bits: the width of its indices.
        axes: the number of axes of its layout parameters.
    """

    name: str
    kind: Kind
    text: str
    parameters: tuple[Parameter, ...]
    dtype: str
    width: int = 1
    bits: int = 64
    axes: int = 0

    def __hash__(self) -> int:  # needed at every launch; a string caches its hash
        return hash((self.name, self.text))

    @property
    def operands(self) -> tuple[Parameter, ...]:
        """The parameters that are pointers to operands."""
        return tuple(p for p in self.parameters if p.kind == "slots")

    @property
    def waits(self) -> bool:
        """Whether its threads wait at barriers."""
        return "__syncthreads" in self.text

    def __repr__(self) -> str:
        return self.text


def normalize(dtype: str) -> Source:
    """Returns the kernel that subtracts from each row its mean and divides it by its standard deviation, in place."""
    x = Parameter("x", "slots", dtype, "both")
    sizes = Parameter("rows", "size"), Parameter("columns", "size")
    return _fixed("normalize", dtype, x, Parameter("epsilon", "number", dtype), *sizes)


def transpose(dtype: str) -> Source:
    """Returns the kernel that transposes a matrix, out of place."""
    slots = Parameter("x", "slots", dtype), Parameter("out", "slots", dtype, "writes")
    return _fixed("transpose", dtype, *slots, Parameter("rows", "size"), Parameter("columns", "size"))


def transpose_square(dtype: str) -> Source:
    """Returns the kernel that transposes a square matrix, in place."""
    return _fixed("transpose_square", dtype, Parameter("x", "slots", dtype, "both"), Parameter("n", "size"))


def scatter_add(dtype: str) -> Source:
    """Returns the kernel that computes `x[index[i]] += y[i]` in place, with atomic additions."""
    slots = Parameter("x", "slots", dtype, "both"), Parameter("index", "slots"), Parameter("y", "slots", dtype)
    return _fixed("scatter_add", dtype, *slots, Parameter("n", "size"))


def _fixed(kind: Kind, dtype: str, *parameters: Parameter) -> Source:
    name = f"{kind}_{dtype}"
    return Source(name, kind, fill(kind, name=name, T=C_TYPES[dtype].name), parameters, dtype)


@cache
def _template(kind: str) -> Template:
    return Template((HERE / f"{kind}.cu").read_text(encoding="utf-8"))


def fill(kind: str, **parts: str) -> str:
    """Returns the text of the file `kind`.cu with its placeholders replaced by `parts`."""
    return _template(kind).substitute(parts).replace("\n\n\n", "\n\n")  # an empty part leaves two blank lines
