"""Kernels as operations: a row of the table with a CUDA kernel instead of NumPy's.

The engine writes data in one way only: check, save what backward needs, compute, raise the version, rebase the history, report. So a
kernel does not write tensors on its own. It replaces the kernel in a row, and the template generates the function from this row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

from inplacelab import dtypes, errors
from inplacelab.devices.kernels import launching
from inplacelab.devices.kernels.source import Form, Source
from inplacelab.kernels.chain import chained
from inplacelab.ops import template
from inplacelab.ops.cuda.own_kernels import OwnKernel
from inplacelab.ops.table.row import Row
from inplacelab.ops.template.parts import name_of
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor

_NONE: Mapping[int, Storage] = {}
_storages: ContextVar[Mapping[int, Storage]] = ContextVar("storages of the arguments", default=_NONE)
"""The storages of the arrays that a kernel was called with, by their `id`: the engine passes only the arrays on."""


class Kernel(ABC):
    """A kernel whose source can be read, and which can be called like an operation.

    Attributes:
        name: the operation ("relu_"), or the steps of a chain ("scale_ add_ relu_").
        in_place: whether the result is written over the first input.
        dtypes: the dtypes that it supports.
        parameters: the names of its parameters: tensors first, then attributes.
        row: the row of the operation.
    """

    name: str
    in_place: bool
    dtypes: tuple[str, ...]
    row: Row

    @abstractmethod
    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """Returns the source of the kernel in CUDA C; print it to read it.

        Args:
            dtype: the dtype of the elements.
            layout: "contiguous" or "strided", for element-wise kernels.

        Raises:
            KernelError: if the kernel does not support the dtype.
        """

    @abstractmethod
    def plan(self, given: Mapping[str, Any], storages: Mapping[str, Storage | None]) -> launching.Plan:
        """Returns what to launch. The engine calls it before anything is written, so it may refuse.

        Args:
            given: the arrays and attributes by name, with `out` (the array of the result) and `device`.
            storages: the storages of the input arrays by name.
        """

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters: tensors first, then attributes."""
        return tuple(p.name for p in self.row.parameters if p.name not in {"name", "out"})

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Runs the kernel as an operation; an in-place kernel returns its first argument."""
        tensors = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
        before = _storages.set({id(each.array): each.storage for each in tensors})
        try:
            made: Tensor = self._function(*args, **kwargs)
        finally:
            _storages.reset(before)
        return made

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self.parameters)})>"

    @cached_property
    def _function(self) -> Callable[..., Any]:
        """The function that the template generates from the row with this kernel."""
        names = ("out", *self.row.inputs, *(p.name for p in self.row.attributes), "device")

        def plan(*arguments: Any) -> launching.Plan:
            given = dict(zip(names, arguments, strict=True))
            if self.in_place and given["out"] is not given[self.row.inputs[0]]:  # in place in name only
                raise errors.kernel_cannot_hold_result(name=self.name)
            storages = _storages.get()
            planned = self.plan(given, {n: storages.get(id(given[n])) for n in self.row.inputs})
            launching.prepare(planned)
            return planned

        def kernel(planned: launching.Plan) -> None:
            launching.run(planned)
            launching.report(planned)

        plan.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names])  # type: ignore[attr-defined]
        row = replace(self.row, plan=plan, kernel=kernel, ufunc=None, plain="", cuda="")
        return template.function(row, "in-place" if self.in_place else "ordinary")


class Elementwise(Kernel):
    """The kernel of one element-wise row, or of a chain of rows in one pass over the elements.

    Attributes:
        rows: the rows, in order.
    """

    def __init__(self, rows: Sequence[Row], *, in_place: bool) -> None:
        self._own = OwnKernel(rows, in_place=in_place)
        self.in_place, self.name, self.dtypes = in_place, self._own.name, self._own.dtypes
        variant = "in-place" if in_place else "ordinary"
        self.row = rows[0] if len(rows) == 1 else chained(rows, variant, self.dtypes)
        self.rows = self._own.rows

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """Returns the source in one of its two layouts; see `Kernel.source`."""
        return self.source_for(_dtype_name(dtype), Form("strided" if layout == "strided" else "contiguous"))

    def source_for(self, dtypes: str | tuple[str, ...], form: Form) -> Source:
        """Returns the source in one form.

        Args:
            dtypes: the dtypes of the operands, or one dtype for all.
            form: the form of the kernel.
        """
        return self._own.source_for(dtypes, form)

    def plan(self, given: Mapping[str, Any], storages: Mapping[str, Storage | None]) -> launching.Plan:
        """Returns what to launch; see `Kernel.plan`."""
        plan = self._own.plan(given, storages, given["device"])
        if not isinstance(plan, launching.Plan):
            raise plan()
        return plan


class Whole(Kernel):
    """A kernel with a `.cu` file for itself, for packed operands.

    Args:
        row: the row of the operation.
        in_place: whether the result is written over the first input.
        text: makes the source for a dtype.
        sizes: makes the size arguments from the shapes of the operands.
    """

    def __init__(
        self, row: Row, *, in_place: bool, text: Callable[[str], Source], sizes: Callable[..., Sequence[Any]]
    ) -> None:
        self.row, self.in_place, self.dtypes = row, in_place, ("float32", "float64")
        self.name = name_of(row, "in-place" if in_place else "ordinary")
        self._text, self._sizes = text, sizes

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """Returns the source; see `Kernel.source`."""
        named_dtype = _dtype_name(dtype)
        if named_dtype not in self.dtypes:
            raise errors.kernel_lacks_dtype(name=self.name, dtype=named_dtype, known=self.dtypes)
        return self._text(named_dtype)

    def plan(self, given: Mapping[str, Any], storages: Mapping[str, Storage | None]) -> launching.Plan:
        """Returns what to launch; see `Kernel.plan`."""
        source, device = self.source(given[self.row.inputs[0]].dtype), given["device"]
        windows = [
            launching.window(p.name, p.role, given[p.name], storages.get(p.name), device) for p in source.operands
        ]
        attributes = [given[p.name] for p in self.row.attributes]
        sizes = self._sizes(*(each.layout.shape for each in windows))
        return launching.whole(self.name, source, windows, [*attributes, *sizes], device)


def _dtype_name(dtype: Any) -> str:
    return dtypes.as_numpy(dtype).name
