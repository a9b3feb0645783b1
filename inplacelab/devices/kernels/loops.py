"""Builds the loops of an element-wise kernel, with one element or a pack in each turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from inplacelab.devices.kernels.types import CType


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
