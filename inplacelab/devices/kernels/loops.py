"""The loop of an element-wise kernel, line by line: one element a turn, or a pack of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inplacelab.devices.kernels.types import CType


class Body(NamedTuple):
    """What is done in one turn of the loop: to one element, or to a pack of them.

    Attributes:
        inputs: the names of what is read.
        target: the name of what is written.
        numbers: the names of the attributes.
        width: how many elements there are to a turn.
        one_type: whether the results are of the type of the inputs.
    """

    inputs: tuple[str, ...]
    target: str
    numbers: tuple[str, ...]
    width: int
    one_type: bool

    def call(self, each: str) -> str:
        """The call of `element`, with `each` for what stands for an input."""
        return f"element({', '.join([*(each.format(n) for n in self.inputs), *self.numbers])})"

    def once(self, at: str) -> list[str]:
        """The lines for one element; `at` says where it is: "i", or "{}_slot"."""
        return [f"{self.target}[{at.format(self.target)}] = {self.call('{0}[' + at + ']')};"]

    def turn(self, at: str) -> list[str]:
        """The lines for one turn."""
        if self.width == 1:
            return self.once(at)
        width, made = self.width, f"{self.target}{self.width}"
        pack = "Pack" if self.one_type else "Results"
        loads = (f"{n}{width} = (({'const ' * (n != self.target)}Pack *){n})[{at.format(n)}]" for n in self.inputs)
        return [
            *([f"Pack {', '.join(loads)};"] if self.inputs else []),
            *([] if self.target in self.inputs else [f"{pack} {made};"]),
            "#pragma unroll",
            f"for (int k = 0; k < {width}; k++)",
            f"    {made}.at[k] = {self.call(f'{{}}{width}.at[k]')};",
            f"(({pack} *){self.target})[{at.format(self.target)}] = {made};",
        ]


def side_by_side(body: Body) -> str:
    """The loops of contiguous.cu: over packs, then over what is left; or over elements."""
    width, once = body.width, body.once("i")
    if width == 1:
        lines = ["for (long long i = thread; i < n; i += threads)", *_indented(once)]
    else:
        lines = [
            f"for (long long i = thread; i < n / {width}; i += threads) {{",
            *_indented(body.turn("i")),
            "}",
            f"for (long long i = n / {width} * {width} + thread; i < n; i += threads)  // what is left over",
            *_indented(once),
        ]
    return "\n".join(_indented(lines))


def through_layouts(body: Body, names: Sequence[str], bits: int, axes: int) -> dict[str, str]:
    """The parts of strided.cu. All operands have the same shape: one walk over the axes finds the slots of all.

    The number of axes is part of the text. So their sizes and strides are read from where the arguments lie; an index that is
    known only while the kernel runs would have them copied first, by every thread.
    """
    wide = bits == 64
    return {
        "number": "long long" if wide else "int",
        "counter": "unsigned long long" if wide else "unsigned",
        "wide": "(unsigned long long)" if wide else "",
        "axes": str(axes),
        "offsets": ", ".join(f"{n}_slot = {n}_at.offset" for n in names),
        "walk": "\n".join(_indented(_indented(_walk(f"{body.target}_at", names, wide=wide, axes=axes)))),
        "body": "\n".join(_indented(_indented(body.turn("{0}_slot")))),
    }


def _walk(target: str, names: Sequence[str], *, wide: bool, axes: int) -> list[str]:
    """From the number of an element to its slots. What is left after all other axes is the index along the first."""
    if axes == 1:
        return [f"{n}_slot += i * {n}_at.strides[0];" for n in names]
    return [
        f"{'unsigned long long' if wide else 'unsigned'} rest = i;",
        "#pragma unroll",
        f"for (int axis = {axes - 1}; axis > 0; axis--) {{  // the last axis runs fastest",
        f"    {'long long' if wide else 'int'} along = rest % {target}.shape[axis];",
        f"    rest /= {target}.shape[axis];",
        *(f"    {n}_slot += along * {n}_at.strides[axis];" for n in names),
        "}",
        *(f"{n}_slot += rest * {n}_at.strides[0];" for n in names),
    ]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def packs(c: CType, made: CType, width: int) -> str:
    """The types of what is moved at once. An aligned structure is loaded and stored whole."""
    if width == 1:
        return ""
    lines = [
        f"// Neighbours in memory, moved at once: {width * c.size} bytes from an address that is a multiple of them.",
        f"struct alignas({width * c.size}) Pack {{ {c.name} at[{width}]; }};",
    ]
    if made is not c:
        lines.append(f"struct alignas({width * made.size}) Results {{ {made.name} at[{width}]; }};")
    return "\n".join([*lines, ""])
