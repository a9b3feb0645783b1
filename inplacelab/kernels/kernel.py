"""A kernel as an operation: the row that it computes, with this kernel in place of NumPy's.

The engine writes data in one way only: check, keep what backward asks for, compute, raise the version, rewrite the history,
tell. So a kernel does not write tensors by itself. It takes the place of the kernel in a row, and the function that the
template makes of that row is what a learner calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

from inplacelab import dtypes, errors
from inplacelab.devices.kernels.launch import Role
from inplacelab.devices.kernels.source import Kind, Source
from inplacelab.devices.kernels.source import elementwise as elementwise_source
from inplacelab.devices.kernels.types import C_TYPES
from inplacelab.kernels import launching
from inplacelab.kernels.chain import chained
from inplacelab.kernels.expressions import data_types, number, result, step
from inplacelab.ops import template
from inplacelab.ops.spec import Row
from inplacelab.ops.template.parts import name_of
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class Kernel(ABC):
    """A kernel that can be read and run.

    Attributes:
        name: of the operation: "relu_"; of a chain, all of them: "scale_ add_ relu_".
        in_place: whether the result lies where the first input lay.
        dtypes: the data types that it is written for.
        parameters: what it takes: tensors first, then attributes.
    """

    name: str
    in_place: bool
    dtypes: tuple[str, ...]
    row: Row

    @abstractmethod
    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """The text of the kernel, in CUDA C: `print` it.

        Args:
            dtype: of the elements.
            layout: "contiguous" or "strided", for element-wise kernels.

        Raises:
            KernelError: if it is not written for that data type.
        """

    @abstractmethod
    def launch(self, given: Mapping[str, Any], storages: Mapping[int, Storage]) -> None:
        """Compute: called by the engine, with arrays and attributes by name, `out` and `device`."""

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.row.parameters if p.name not in {"name", "out"})

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Run it, as the operation it is: in place it gives back the very tensor, one version later."""
        tensors = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
        self._storages = {id(each.array): each.storage for each in tensors}
        try:
            made: Tensor = self._function(*args, **kwargs)
        finally:
            self._storages = {}
        return made

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self.parameters)})>"

    _storages: Mapping[int, Storage] = {}  # never changed, only replaced

    @cached_property
    def _function(self) -> Callable[..., Any]:
        """The row's function, with this kernel in it. It takes what it is named after, as every kernel of a row does."""
        names = ("out", *self.row.inputs, *(p.name for p in self.row.attributes), "device")

        def kernel(*given: Any) -> None:
            self.launch(dict(zip(names, given, strict=True)), self._storages)

        kernel.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names])  # type: ignore[attr-defined]
        row = replace(self.row, kernel=kernel, ufunc=None, plain="")
        return template.function(row, "in-place" if self.in_place else "ordinary")

    def windows(self, given: Mapping[str, Any], storages: Mapping[int, Storage]) -> list[launching.Window]:
        """The operands, in the order of the kernel's parameters."""
        device, written = given["device"], self.row.inputs[0] if self.in_place else "out"
        names = self.row.inputs if self.in_place else (*self.row.inputs, "out")

        def role(name: str) -> Role:
            return "reads" if name != written else "both" if self.in_place else "writes"

        return [launching.window(n, role(n), given[n], storages, device) for n in names]


class Elementwise(Kernel):
    """One row, or a chain of them in one pass over the elements."""

    def __init__(self, rows: Sequence[Row], *, in_place: bool) -> None:
        self.rows, self.in_place = tuple(rows), in_place
        variant = "in-place" if in_place else "ordinary"
        self._variant = variant
        self._written: dict[tuple[str, Kind, int, int], Source] = {}
        self.name = " ".join(name_of(row, variant) for row in rows)
        known = [data_types(row, in_place=in_place) for row in rows]
        self.dtypes = tuple(d for d in known[0] if all(d in each for each in known[1:]))
        self.row = rows[0] if len(rows) == 1 else chained(self.rows, variant, self.dtypes)

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        kind: Kind = "strided" if layout == "strided" else "contiguous"
        return self.way(_dtype_name(dtype), kind, 0)

    def way(self, dtype: str, kind: Kind, width: int, bits: int = 32) -> Source:
        """The text for one way through memory, written once.

        Args:
            dtype: of the elements.
            kind: "contiguous" or "strided".
            width: how many elements to take at once; 0 for as many as a pack holds, and one by one if they lie apart.
            bits: of the numbers that a strided kernel counts with.
        """
        key = dtype, kind, width, bits
        found = self._written.get(key)
        if found is None:
            self._check(dtype)
            usual = 1 if kind == "strided" else C_TYPES[dtype].width
            found = self._written[key] = (
                self._write(dtype, kind, width, bits, usual) if width else self.way(dtype, kind, usual, bits)
            )
        return found

    def _write(self, dtype: str, kind: Kind, width: int, bits: int, usual: int) -> Source:
        strided = kind == "strided"
        unusual = "packs" if strided else "one_by_one"
        name = "_".join([
            *(row.name for row in self.rows), *(["in_place"] if self.in_place else []), dtype, kind,
            *([unusual] if width != usual else []), *(["64_bits"] if strided and bits == 64 else []),
        ])  # fmt: skip
        steps = [step(row, self._variant, dtype) for row in self.rows]
        return elementwise_source(
            name, steps, dtype, in_place=self.in_place, kind=kind, result=result(self.rows[-1], dtype), width=width, bits=bits
        )  # fmt: skip

    def _check(self, dtype: str) -> None:
        if dtype not in self.dtypes:
            raise errors.no_kernel_for(self.name, dtype, self.dtypes)

    def launch(self, given: Mapping[str, Any], storages: Mapping[int, Storage]) -> None:
        windows = self.windows(given, storages)
        source = self.way(windows[0].dtype, "contiguous", 0)
        for each in windows[: len(self.row.inputs)]:
            if each.dtype != windows[0].dtype:
                raise errors.no_kernel_for(self.name, each.dtype, (windows[0].dtype,))
        taken = {p.name: p.dtype for p in source.parameters if p.kind == "number"}
        for attribute in self.row.attributes:
            if attribute.name not in taken and given[attribute.name] != attribute.default:
                raise errors.attribute_not_in_kernel(self.name, attribute.name, given[attribute.name])
        numbers = [number(name, given[name], dtype) for name, dtype in taken.items()]
        launching.elementwise(self.name, self.way, windows, numbers, given["device"])


class Whole(Kernel):
    """A kernel with a text of its own, for operands that are packed."""

    def __init__(
        self, row: Row, *, in_place: bool, text: Callable[[str], Source], sizes: Callable[..., Sequence[Any]]
    ) -> None:
        self.row, self.in_place, self.dtypes = row, in_place, ("float32", "float64")
        self.name = name_of(row, "in-place" if in_place else "ordinary")
        self._text, self._sizes = text, sizes

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        named_dtype = _dtype_name(dtype)
        if named_dtype not in self.dtypes:
            raise errors.no_kernel_for(self.name, named_dtype, self.dtypes)
        return self._text(named_dtype)

    def launch(self, given: Mapping[str, Any], storages: Mapping[int, Storage]) -> None:
        windows = self.windows(given, storages)
        source = self.source(windows[0].dtype)
        attributes = [given[p.name] for p in self.row.attributes]
        sizes = self._sizes(*(each.layout.shape for each in windows))
        launching.whole(self.name, source, windows, [*attributes, *sizes], given["device"])


def _dtype_name(dtype: Any) -> str:
    return dtypes.as_numpy(dtype).name
