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
from inplacelab.devices.kernels.source import Form, Source
from inplacelab.devices.kernels.source import elementwise as elementwise_source
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
        device = given["device"]
        return [launching.window(name, role, given[name], storages, device) for name, role in self._roles]

    @cached_property
    def _roles(self) -> list[tuple[str, Role]]:
        first, *others = self.row.inputs
        reads: list[tuple[str, Role]] = [(name, "reads") for name in others]
        return [(first, "both"), *reads] if self.in_place else [(first, "reads"), *reads, ("out", "writes")]


class Elementwise(Kernel):
    """One row, or a chain of them in one pass over the elements."""

    def __init__(self, rows: Sequence[Row], *, in_place: bool) -> None:
        self.rows, self.in_place = tuple(rows), in_place
        variant = "in-place" if in_place else "ordinary"
        self._variant = variant
        self._written: dict[tuple[str, Form], Source] = {}
        self._attributes: dict[str, tuple[list[tuple[str, str]], list[tuple[str, Any]]]] = {}
        self.name = " ".join(name_of(row, variant) for row in rows)
        known = [data_types(row, in_place=in_place) for row in rows]
        self.dtypes = tuple(d for d in known[0] if all(d in each for each in known[1:]))
        self.row = rows[0] if len(rows) == 1 else chained(self.rows, variant, self.dtypes)

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        return self.way(_dtype_name(dtype), Form("strided" if layout == "strided" else "contiguous"))

    def way(self, dtype: str, form: Form) -> Source:
        """The text in one form, written once."""
        found = self._written.get((dtype, form))
        if found is None:
            self._check(dtype)
            settled = form.settled(dtype)
            found = self._write(dtype, form) if form == settled else self.way(dtype, settled)
            self._written[dtype, form] = found
        return found

    def _write(self, dtype: str, form: Form) -> Source:
        kind, width, bits, axes = form
        names = [*(row.name for row in self.rows), *(["in_place"] if self.in_place else []), dtype, kind]
        unusual = {"one_by_one" if kind == "contiguous" else "packs": width != form.usual(dtype)}
        if kind == "strided":
            unusual |= {"64_bits": bits != 32, "1_axis" if axes == 1 else f"{axes}_axes": axes != 2}
        name = "_".join([*names, *(word for word, there in unusual.items() if there)])
        steps = [step(row, self._variant, dtype) for row in self.rows]
        made = result(self.rows[-1], dtype)
        return elementwise_source(name, steps, dtype, in_place=self.in_place, form=form, result=made)

    def _check(self, dtype: str) -> None:
        if dtype not in self.dtypes:
            raise errors.no_kernel_for(self.name, dtype, self.dtypes)

    def launch(self, given: Mapping[str, Any], storages: Mapping[int, Storage]) -> None:
        windows = self.windows(given, storages)
        dtype = windows[0].dtype
        taken, left_out = self._attributes.get(dtype) or self._attributes_for(dtype)
        for each in windows[: len(self.row.inputs)]:
            if each.dtype != dtype:
                raise errors.no_kernel_for(self.name, each.dtype, (dtype,))
        for name, default in left_out:
            if given[name] != default:
                raise errors.attribute_not_in_kernel(self.name, name, given[name])
        numbers = [number(name, given[name], kind) for name, kind in taken]
        launching.elementwise(self.name, self.way, windows, numbers, given["device"])

    def _attributes_for(self, dtype: str) -> tuple[list[tuple[str, str]], list[tuple[str, Any]]]:
        """The attributes that the text takes, with their data types; and those that it does not, with their defaults."""
        parameters = self.way(dtype, Form()).parameters
        taken = [(p.name, p.dtype) for p in parameters if p.kind == "number"]
        others = [(p.name, p.default) for p in self.row.attributes if p.name not in dict(taken)]
        return self._attributes.setdefault(dtype, (taken, others))


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
