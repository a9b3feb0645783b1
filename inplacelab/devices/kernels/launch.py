"""One launch of a kernel, as plain data: what a recorder keeps and a picture is drawn from.

>>> x = Operand("x", "both", "float32", (6,), (1,), 0, 24)
>>> launch = Launch("relu_", "contiguous", (1, 1, 1), (256, 1, 1), 4, "float32", (x,), 24, 24)
>>> Launch.from_json(launch.to_json()) == launch
True
>>> launch.threads, launch.elements
(256, 6)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import prod
from typing import Any, Literal, NamedTuple

from inplacelab.layout import Layout

Dim3 = tuple[int, int, int]
Role = Literal["reads", "writes", "both"]


class Memory(NamedTuple):
    """What a kernel is given for an operand while it runs: addresses in the device's memory.

    Attributes:
        first: of the first element.
        begin: of the storage that it lies in.
        bytes: the size of that storage: nothing else may be touched.
    """

    first: int
    begin: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Operand:
    """Memory that a kernel is given.

    Attributes:
        name: as the kernel's text has it.
        role: "reads", "writes" or "both".
        dtype: of its elements: "float32".
        shape, strides, offset: its layout in its storage, in elements.
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
        """How many elements it shows."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel, a grid of threads, and the memory that they were given.

    Attributes:
        kernel: the operation: "relu_", or the steps of a fused chain: "scale_ add_ relu_".
        kind: which text it is ("contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add"); together
            with `kernel`, `dtype` and `width` it says which source ran. "library" for a kernel of the array library's own.
        grid, block: how many blocks there were, and threads in each, along x, y and z.
        width: how many elements a thread took at once.
        dtype: of what was computed.
        operands: the memory, in the order of the kernel's parameters.
        bytes_read, bytes_written: what the threads asked for. (What memory had to move may be more: see `traffic`.)
        device: the name of the hardware, or "" if it was simulated.
        simulated: True if the text ran on the CPU, or did not run at all.
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
        """How many elements the first operand shows."""
        return self.operands[0].elements if self.operands else 0

    def operand(self, name: str) -> Operand:
        """The operand of that name.

        Raises:
            KeyError: if there is none.
        """
        found = {each.name: each for each in self.operands}
        return found[name]

    def to_json(self) -> dict[str, Any]:
        """Numbers, strings, lists and dictionaries only."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Launch:
        """The launch that `to_json` has written, also after a journey through a file."""
        operands = tuple(
            Operand(**{**each, "shape": tuple(each["shape"]), "strides": tuple(each["strides"])})
            for each in data["operands"]
        )
        return cls(**{**data, "grid": tuple(data["grid"]), "block": tuple(data["block"]), "operands": operands})
