"""The text of a kernel: a `.cu` file beside this one, with the operation, the data type and the parameters filled in.

A text stands alone: it includes nothing, so CUDA's run-time compiler needs nothing but the text, and a learner can read
all of it. Of an operation this module knows one expression in CUDA C and the names in it; rows and tensors it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from inplacelab.devices.kernels.launch import Role
from inplacelab.devices.kernels.loops import Body, packs, side_by_side, through_layouts
from inplacelab.devices.kernels.types import C_TYPES, CType

Kind = Literal["contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add"]

HERE = Path(__file__).parent


class Form(NamedTuple):
    """In which form an element-wise kernel is written.

    Attributes:
        kind: "contiguous" (slots side by side) or "strided" (wherever layouts say).
        width: how many elements to take at once; 0 for as many as 16 bytes hold, and one by one if they lie apart.
        bits: 32 or 64: of the numbers that a strided kernel counts with.
        axes: how many its layouts have.
    """

    kind: Kind = "contiguous"
    width: int = 0
    bits: int = 32
    axes: int = 2

    def settled(self, dtype: str) -> Form:
        """The same with the width that it comes to."""
        return self._replace(width=self.width or self.usual(dtype))

    def usual(self, dtype: str) -> int:
        """The width where nothing else is said."""
        return C_TYPES[dtype].width if self.kind == "contiguous" else 1


SIDE_BY_SIDE = Form()
"""Slots side by side, in packs."""


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


@dataclass(frozen=True)
class Step:
    """What an element-wise kernel does to each element, or one step of it.

    Attributes:
        says: the operation, as a learner writes it: "relu_".
        expression: in CUDA C; `T` stands for the data type.
        inputs: the names of the elements in it; the first is the one that a chain hands on.
        numbers: the names of its attributes, and their data types ("" for that of the elements).
        target: of a write, which reads nothing of what was there: the operand that it writes, which is then the first.
    """

    says: str
    expression: str
    inputs: tuple[str, ...] = ("x",)
    numbers: Mapping[str, str] = field(default_factory=dict)
    target: str = ""


def elementwise(
    name: str,
    steps: Sequence[Step],
    dtype: str,
    *,
    in_place: bool,
    form: Form = SIDE_BY_SIDE,
    result: str = "",
) -> Source:
    """A kernel that does `steps` to each element, in one pass.

    Args:
        name: of its function.
        steps: one operation, or several to be done one after the other.
        dtype: of the elements that it reads.
        in_place: whether the result lies where the first input lay; otherwise there is a further operand, `out`.
        form: one by one or in packs, side by side or through layouts.
        result: the data type of the result, if it is another.
    """
    steps = distinct(steps)
    inputs = _inputs(steps)
    numbers = {name: kind or dtype for step in steps for name, kind in step.numbers.items()}
    overwritten = steps[0].target
    written = overwritten or (inputs[0] if in_place else "out")
    c, made = C_TYPES[dtype], C_TYPES[result or dtype]
    kind, width, bits, axes = form.settled(dtype)
    strided = kind == "strided"
    slots = [Parameter(n, "slots", dtype, "both" if n == written else "reads") for n in inputs]
    if written not in inputs:
        slots.insert(0 if overwritten else len(slots), Parameter(written, "slots", result or dtype, "writes"))
    layouts = [Parameter(f"{p.name}_at", "layout", f"int{bits}") for p in slots] if strided else []
    given = [Parameter(n, "number", t) for n, t in numbers.items()]
    body = Body(tuple(inputs), written, tuple(numbers), width, made is c)
    loop = through_layouts(body, [p.name for p in slots], bits, axes) if strided else {"loops": side_by_side(body)}
    filled = _fill(
        kind,
        name=name,
        element=_element(steps, inputs, numbers, c, made),
        packs=packs(c, made, width),
        parameters=", ".join(map(_declared, [*slots, *given])),
        layouts=", ".join(map(_declared, layouts)),
        **loop,
    )
    parameters = (*slots, *given, *layouts, Parameter("n", "size", f"int{bits}" if strided else "int64"))
    return Source(name, kind, filled, parameters, dtype, width, bits if strided else 64, axes if strided else 0)


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
    return Source(name, kind, _fill(kind, name=name, T=C_TYPES[dtype].name), parameters, dtype)


# ---- the parts of an element-wise kernel ------------------------------------------------------------------------------------


def distinct(steps: Sequence[Step]) -> list[Step]:
    """The same steps, with names that are told apart: `scale`, and in a later step `scale_2`.

    The first input of every step is what the step before has left: it has one name.
    """
    if len(steps) == 1:
        return list(steps)
    taken, renamed = {"x"}, []
    for number, step in enumerate(steps, 1):
        first, *others = step.inputs
        names = {first: "x"}
        for name in (*others, *step.numbers):
            names[name] = f"{name}_{number}" if name in taken else name
        taken.update(names.values())
        expression = re.sub(r"[A-Za-z_]\w*", lambda found, names=names: names.get(found[0], found[0]), step.expression)  # type: ignore[misc]
        numbers = {names[n]: kind for n, kind in step.numbers.items()}
        renamed.append(Step(step.says, expression, tuple(names[n] for n in step.inputs), numbers))
    return renamed


def _inputs(steps: Sequence[Step]) -> list[str]:
    return [*steps[0].inputs, *(name for step in steps[1:] for name in step.inputs[1:])]


def _element(steps: Sequence[Step], inputs: Sequence[str], numbers: Mapping[str, str], c: CType, made: CType) -> str:
    """The function that makes one element of the result from the elements in the same place."""
    parameters = [f"{c.name} {n}" for n in inputs] + [f"{C_TYPES[t].name} {n}" for n, t in numbers.items()]
    typed = [re.sub(r"\bT\b", c.name, step.expression) for step in steps]
    *before, last = typed
    width = max((len(text) for text in before), default=0)
    lines = [
        f"    x = {text};{' ' * (width - len(text))}  // {step.says}" for text, step in zip(before, steps, strict=False)
    ]
    lines.append(f"    return {last};" + f"  // {steps[-1].says}" * bool(before))
    return "\n".join([f"__device__ {made.name} element({', '.join(parameters)})", "{", *lines, "}", ""])


def _declared(parameter: Parameter) -> str:
    if parameter.kind == "layout":
        return f"Layout {parameter.name}"
    star = "*" if parameter.kind == "slots" else ""
    const = "const " if parameter.kind == "slots" and parameter.role == "reads" else ""
    return f"{const}{C_TYPES[parameter.dtype].name} {star}{parameter.name}"


@cache
def _template(kind: str) -> Template:
    return Template((HERE / f"{kind}.cu").read_text(encoding="utf-8"))


def _fill(kind: str, **parts: str) -> str:
    return _template(kind).substitute(parts).replace("\n\n\n", "\n\n")  # where a part is empty
