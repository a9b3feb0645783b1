"""Kernel sources: a `.cu` file of this folder with the operation, the dtype and the parameters filled in.

A source is complete: it includes no headers, so CUDA's run-time compiler needs nothing else, and a learner can read all of it.
An element-wise kernel is the expression for one element, and the loops around it, with one element or a pack in each turn.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from inplacelab.kernels.launch import C_TYPES, CType, Role, by_value, kind_of, width_of

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


# ---- the loops of an element-wise kernel -------------------------------------------------------------------------------------


class Body(NamedTuple):
    """One turn of the loop: for one element, or for a pack.

    Attributes:
        inputs: the names of the operands that are read.
        target: the name of the operand that is written.
        numbers: the names of the attributes.
        width: the number of elements in a turn.
        types: the types of the elements of each operand, by name.
        once: the inputs that are broadcast, so that one element serves a whole turn.
    """

    inputs: tuple[str, ...]
    target: str
    numbers: tuple[str, ...]
    width: int
    types: Mapping[str, CType]
    once: Collection[str]

    def call(self, each: Mapping[str, str]) -> str:
        """Returns the call of `element`, with an expression for each input."""
        return f"element({', '.join([*(each[n] for n in self.inputs), *self.numbers])})"

    def one(self, at: Mapping[str, str]) -> list[str]:
        """Returns the lines for one element; `at` has the slot of each operand."""
        return [f"{self.target}[{at[self.target]}] = {self.call({n: f'{n}[{at[n]}]' for n in self.inputs})};"]

    def turn(self, at: Mapping[str, str]) -> list[str]:
        """Returns the lines for one turn; `at` has the slot or pack of each operand."""
        if self.width == 1:
            return self.one(at)
        packs, singles = ([n for n in self.inputs if (n in self.once) == one] for one in (False, True))
        made = f"{self.target}{self.width}"
        loads = [f"{self._pack(n)} {n}{self.width} = {self._packs(n)}[{at[n]}];" for n in packs]
        loads += [f"{self.types[n].name} {n}1 = {n}[{at[n]}];  // one for the whole pack" for n in singles]
        values = {n: f"{n}1" if n in self.once else f"{n}{self.width}.at[k]" for n in self.inputs}
        return [
            *loads,
            *([] if self.target in packs else [f"{self._pack(self.target)} {made};"]),
            "#pragma unroll",
            f"for (int k = 0; k < {self.width}; k++)",
            f"    {made}.at[k] = {self.call(values)};",
            f"{self._packs(self.target)}[{at[self.target]}] = {made};",
        ]

    def _pack(self, name: str) -> str:
        """The type of a pack of an operand's elements."""
        return f"Pack<{self.types[name].name}>"

    def _packs(self, name: str) -> str:
        """The expression of an operand as packs."""
        return f"(({'const ' * (name != self.target)}{self._pack(name)} *){name})"


def packs(width: int) -> str:
    """Returns the type of a pack. An aligned structure is loaded and stored by one instruction."""
    if width == 1:
        return ""
    return (
        f"// {width} neighbors in memory, moved at once: from an address that is a multiple of their bytes.\n"
        f"template <class T> struct alignas({width} * sizeof(T)) Pack {{ T at[{width}]; }};\n"
    )


def side_by_side(body: Body) -> str:
    """Returns the loops of contiguous.cu: over packs and then over the rest, or over elements."""
    width, at = body.width, {n: "0" if n in body.once else "i" for n in body.types}
    if width == 1:
        lines = ["for (long long i = thread; i < n; i += threads)", *_indented(body.one(at))]
    else:
        lines = [
            f"for (long long i = thread; i < n / {width}; i += threads) {{",
            *_indented(body.turn(at)),
            "}",
            f"for (long long i = n / {width} * {width} + thread; i < n; i += threads)  // what is left over",
            *_indented(body.one(at)),
        ]
    return "\n".join(_indented(lines))


# ---- through layouts ---------------------------------------------------------------------------------------------------------


def multiplies(bits: int, axes: int) -> bool:
    """Returns whether a strided kernel replaces divisions by products: only for 32 bits, and more than one axis."""
    return bits == 32 and axes > 1


def through_layouts(body: Body, names: Sequence[str], bits: int, axes: int) -> dict[str, str]:
    """Returns the parts of strided.cu. All operands have the same shape, so one loop over the axes finds the slots of all.

    The number of axes is constant in the source, so sizes and strides are read directly from the arguments. With an index that is
    known only at run time, every thread would first copy them.

    Args:
        body: the turn of the loop.
        names: the names of the operands.
        bits: the width of indices.
        axes: the number of axes.
    """
    wide = bits == 64
    return {
        "number": "long long" if wide else "int",
        "counter": "unsigned long long" if wide else "unsigned",
        "wide": "(unsigned long long)" if wide else "",
        "axes": str(axes),
        "divisors": f"\n    Divisor sizes[{axes}];" if multiplies(bits, axes) else "",
        "offsets": ", ".join(f"{n}_slot = {n}_at.offset" for n in names),
        "walk": "\n".join(_indented(_indented(_walk(f"{body.target}_at", names, bits, axes)))),
        "body": "\n".join(_indented(_indented(body.turn({n: f"{n}_slot" for n in names})))),
    }


def _walk(target: str, names: Sequence[str], bits: int, axes: int) -> list[str]:
    """The lines from the number of an element to its slots. The rest after all other axes is the index along the first."""
    if axes == 1:
        return [f"{n}_slot += i * {n}_at.strides[0];" for n in names]
    counter, number = ("unsigned", "int") if bits == 32 else ("unsigned long long", "long long")
    size = f"{target}.shape[axis]"
    whole = f"divided(rest, {target}.sizes[axis])" if multiplies(bits, axes) else f"rest / {size}"
    return [
        f"{counter} rest = i;",
        "#pragma unroll",
        f"for (int axis = {axes - 1}; axis > 0; axis--) {{  // the last axis runs fastest",
        f"    {counter} whole = {whole};",
        f"    {number} along = rest - whole * {size};",
        "    rest = whole;",
        *(f"    {n}_slot += along * {n}_at.strides[axis];" for n in names),
        "}",
        *(f"{n}_slot += rest * {n}_at.strides[0];" for n in names),
    ]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


SIDE_BY_SIDE = Form()
"""Neighboring slots, in packs."""


# ---- element-wise kernels ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """The computation of an element-wise kernel for one element, or one step of it.

    Attributes:
        says: the name of the operation in a program: "relu_".
        expression: the expression in CUDA C, with `T` for the type of the elements.
        inputs: the names of the elements in it; in a chain, the first is the result of the step before.
        numbers: the names of its attributes, with their dtypes ("" for that of the elements).
        target: the operand of an operation that overwrites without reading; it is then the first. "" for all others.
        masks: the inputs that are truth values, independent of the dtype of the others; only for a single step.
    """

    says: str
    expression: str
    inputs: tuple[str, ...] = ("x",)
    numbers: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    masks: tuple[str, ...] = ()


def elementwise(
    name: str,
    steps: Sequence[Step],
    dtype: str,
    *,
    in_place: bool,
    form: Form = SIDE_BY_SIDE,
    dtypes: Sequence[str] = (),
) -> Source:
    """Builds a kernel that computes `steps` for each element, in one pass.

    Args:
        name: the name of its function.
        steps: one operation, or several to compute one after another.
        dtype: the dtype of the computation.
        in_place: whether the result is written over the first input; otherwise there is another operand, `out`.
        form: the form of the kernel.
        dtypes: the dtypes of the operands, if they differ: elements are converted when they are read and written.

    Returns:
        The source, whose parameters are the operands, the attributes, the layouts (if strided) and the number of turns.
    """
    steps = distinct(steps)
    roles = operands(steps, in_place=in_place)
    stored = dict(zip(roles, dtypes or [dtype] * len(roles), strict=True))
    inputs, numbers = _inputs(steps), {n: kind or dtype for step in steps for n, kind in step.numbers.items()}
    written = next(n for n, role in roles.items() if role != "reads")
    kind, width, bits, axes, once = form.with_width(width_of(stored.values()))
    strided = kind == "strided"
    slots = [Parameter(n, "slots", stored[n], role) for n, role in roles.items()]
    layouts = [Parameter(f"{n}_at", "layout", f"int{bits}") for n in roles] if strided else []
    given = [Parameter(n, "number", t) for n, t in numbers.items()]
    types = {n: C_TYPES[t] for n, t in stored.items()}
    body = Body(tuple(inputs), written, tuple(numbers), width, types, {[*roles][k] for k in once})
    loop = through_layouts(body, [*roles], bits, axes) if strided else {"loops": side_by_side(body)}
    if strided:
        loop["divisor"] = fill("divisor") if multiplies(bits, axes) else ""
    filled = fill(
        kind,
        name=name,
        element=_element(steps, inputs, numbers, dtype, stored[written], stored.values()),
        packs=packs(width),
        parameters=", ".join(map(_declared, [*slots, *given])),
        layouts=", ".join(map(_declared, layouts)),
        **loop,
    )
    parameters = (*slots, *given, *layouts, Parameter("n", "size", f"int{bits}" if strided else "int64"))
    return Source(name, kind, filled, parameters, dtype, width, bits if strided else 64, axes if strided else 0)


def operands(steps: Sequence[Step], *, in_place: bool) -> dict[str, Role]:
    """Returns the operands of a kernel by name with their roles, in the order of its parameters.

    Args:
        steps: the operations.
        in_place: whether the result is written over the first input.
    """
    inputs, target = _inputs(distinct(steps)), steps[0].target
    if target:
        return {target: "writes", **dict.fromkeys(inputs, "reads")}
    roles: dict[str, Role] = dict.fromkeys(inputs, "reads")
    return {**roles, inputs[0]: "both"} if in_place else {**roles, "out": "writes"}


def distinct(steps: Sequence[Step]) -> list[Step]:
    """Renames the inputs and attributes of steps, so that they differ: `scale`, and in a later step `scale_2`.

    The first input of every step is the result of the step before, under one name.
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


# ---- one element -------------------------------------------------------------------------------------------------------------


def _element(
    steps: Sequence[Step],
    inputs: Sequence[str],
    numbers: Mapping[str, str],
    dtype: str,
    result: str,
    stored: Collection[str],
) -> str:
    """The function that computes one element of the result from the elements at the same index, and its helpers."""
    t = C_TYPES[dtype].computes
    parameters = [f"{'bool' if n in steps[0].masks else t} {n}" for n in inputs]
    parameters += [f"{C_TYPES[by_value(kind)].name} {n}" for n, kind in numbers.items()]
    typed = [re.sub(r"\bT\b", t, step.expression) for step in steps]
    *before, last = typed
    last = f"whole_number({last})" if _cuts_off(dtype, result) else last  # where C and NumPy differ
    lines = [*(f"    x = {text};" for text in before), f"    return {last};"]
    if before:
        width = max(map(len, lines))
        lines = [f"{line:<{width}}  // {step.says}" for line, step in zip(lines, steps, strict=True)]
    wide_half = result == "float16" and dtype == "float64"  # rounded once, without rounding to float first
    returned = "double" if wide_half else C_TYPES[result].computes
    function = "\n".join([f"__device__ {returned} element({', '.join(parameters)})", "{", *lines, "}", ""])
    return "\n".join([*_helpers(dtype, result, stored), function])


def _cuts_off(dtype: str, result: str) -> bool:
    return kind_of(dtype) == "f" and kind_of(result) == "i"


def _helpers(dtype: str, result: str, stored: Collection[str]) -> list[str]:
    """The functions and types that the function needs."""
    found = [fill("half")] if "float16" in {dtype, *stored} else []
    if _cuts_off(dtype, result):
        bits, integer = (63, "long long") if result == "int64" else (31, "int")
        real = C_TYPES[dtype].computes
        bound, least = f"{2**bits}.0{'f' * (real == 'float')}", f"-{2**bits - 1} - 1"
        found.append(fill("whole_number", T=real, integer=integer, bound=bound, least=least))
    return found


def _declared(parameter: Parameter) -> str:
    if parameter.kind == "layout":
        return f"Layout {parameter.name}"
    if parameter.kind == "number":
        return f"{C_TYPES[by_value(parameter.dtype)].name} {parameter.name}"
    const = "const " if parameter.role == "reads" else ""
    return f"{const}{C_TYPES[parameter.dtype].name} *{parameter.name}"
