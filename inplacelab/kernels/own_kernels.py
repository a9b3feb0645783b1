"""Launches our own CUDA kernels for rows that have an expression in CUDA C.

On a device that `launches`, the generated functions call a `Launcher` first (see `template.parts.launch`). On a GPU it
launches the kernel instead of CuPy's; on the simulated GPU NumPy computes, and the observers receive the launch that a GPU
would make. One function, `OwnKernel.plan`, decides whether and how a kernel is launched, also for `kernels.run`: so
the reported launch, the launch on a GPU and the text that a learner reads are always the same.

A kernel computes in one data type, as NumPy's loops do. Operands of other types are converted when they are read and written.

This module is imported when a row is first computed on a GPU, real or simulated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inplacelab import errors, modes
from inplacelab.kernels import launching
from inplacelab.kernels.launch import C_TYPES, Role, kind_of, width_of
from inplacelab.kernels.launching import Plan
from inplacelab.kernels.sources import Form, Source, Step, elementwise, operands
from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.table.row import Row
from inplacelab.ops.template.parts import computed_with, name_of
from inplacelab.storage import Unaccounted

if TYPE_CHECKING:
    from inplacelab.backends import Device
    from inplacelab.storage import Storage
    from inplacelab.tensor import Tensor


def expression(row: Row, dtype: str) -> str:
    """Returns the row's expression in CUDA C for elements of that data type; "" if there is none."""
    kind = kind_of(dtype)
    if kind not in row.accepts or not row.cuda:
        return ""
    written = row.cuda if isinstance(row.cuda, str) else row.cuda.get(dtype, row.cuda.get(kind, ""))
    plain = isinstance(row.cuda, str) and kind == "b"
    return "" if plain or result(row, dtype) not in (dtype, "bool") else written


def data_types(row: Row, *, in_place: bool = False) -> tuple[str, ...]:
    """Returns the data types for which the row has an expression. In place, the result must have the same type."""
    having = (dtype for dtype in C_TYPES if expression(row, dtype))
    return tuple(dtype for dtype in having if not in_place or result(row, dtype) == dtype)


def result(row: Row, dtype: str) -> str:
    """Returns the data type of the result, for inputs that all have the type `dtype`."""
    if row.dtype is None:
        return dtype
    given = np.dtype(dtype)
    known = {**dict.fromkeys(row.inputs, given), **{p.name: p.default for p in row.attributes}}
    asked = {p: known[p] for p in signature(row.dtype).parameters}
    if Parameter.empty in asked.values():  # an argument of the call, as with `cast`: any type is possible
        return dtype
    try:
        made = row.dtype(**asked)
    except errors.Refusal:
        return ""
    return str(np.dtype(made).name)


def stored(row: Row, dtype: str, roles: Sequence[str]) -> tuple[str, ...]:
    """Returns the data types of the operands `roles` if one type is computed and stored; masks are bool."""
    made = result(row, dtype)
    return tuple("bool" if name in row.masks else made if name == "out" else dtype for name in roles)


def computed_in(row: Row, inputs: Sequence[str], made: str) -> str:
    """Returns the data type in which NumPy computes the row, from those of the inputs (without masks) and of the result.

    Floating-point numbers of several types are promoted to the widest. Integers that become floating-point numbers are first
    converted to the type of the result, or by the ufunc to the type that it chooses, if it receives them unconverted.

    Returns:
        The name of the type; "" if there is no kernel for it.
    """
    kinds = {kind_of(each) for each in inputs}
    if not inputs:  # the row writes a number
        dtype = made
    elif kinds == {"f"}:
        dtype = max(inputs, key=lambda each: C_TYPES[each].size)
    elif len(set(inputs)) > 1:
        return ""
    elif kind_of(made) != "f":
        dtype = inputs[0]
    elif isinstance(row.cuda, str) or expression(row, inputs[0]):
        dtype = _loop(row, inputs) or made
    else:
        return ""
    return dtype if expression(row, dtype) else ""


def _loop(row: Row, inputs: Sequence[str]) -> str:
    """The data type of the loop that NumPy chooses, where a ufunc alone computes the row."""
    given: dict[str, Any] = {p.name: p.default for p in row.attributes}
    if not row.by_ufunc_alone(inputs[0], given):
        return ""
    asked = (*map(np.dtype, inputs), None)
    return str(row.ufunc.resolve_dtypes(asked)[0].name)


def step(row: Row, variant: str, dtype: str) -> Step:
    """Returns the row as a step of a kernel.

    Raises:
        KernelError: if there is no expression for this data type.
    """
    written = expression(row, dtype)
    if not written:
        raise errors.kernel_lacks_dtype(
            name=name_of(row, variant), dtype=dtype, known=data_types(row, in_place=variant == "in-place")
        )
    numbers = {p.name: c_kind(p) for p in named(row, written)}
    if row.kind == "overwrite":
        target, *read = row.inputs
        return Step(name_of(row, variant), written, tuple(read), numbers, target)
    return Step(name_of(row, variant), written, row.inputs, numbers, masks=row.masks)


def named(row: Row, written: str) -> list[Parameter]:
    """Returns the row's attributes that the expression names."""
    words = set(re.findall(r"[A-Za-z_]\w*", written))
    return [p for p in row.attributes if p.name in words]


def c_kind(parameter: Parameter) -> str:
    """Returns the data type of an attribute in C: "bool" if its default is a bool, else "", the type of the elements."""
    return "bool" if isinstance(parameter.default, bool) else ""


def number(name: str, value: Any, dtype: str) -> Any:
    """Returns an attribute as an argument of a kernel. A bound that is None becomes a value that no element is beyond: nan for
    floating-point numbers, since no number is less or greater than nan; the last integer for integers.
    """
    given = np.dtype(dtype)
    if value is not None:
        return constant(value, given)[()]
    if given.kind == "f":
        return given.type(np.nan)
    return np.iinfo(given).min if name.startswith("min") else np.iinfo(given).max


class Taken(NamedTuple):
    """The attributes of a kernel, for operands of certain data types.

    Attributes:
        numbers: the names of the attributes that it receives, and their data types.
        left_out: attributes that affect the result but are not in the text, which is valid for these values only.
    """

    numbers: Sequence[tuple[str, str]]
    left_out: Sequence[tuple[str, Any]]


def _written_name(row: Row) -> str:
    """The name of a row in the text: without its underscore, unless another row has that name, of which it is PyTorch's variant."""
    name = row.name.strip("_")
    return f"torch_{name}" if name != row.name and name == row.called else name


class OwnKernel:
    """An element-wise kernel: of one row, or of several that run one after the other in one pass over memory.

    Attributes:
        rows: the rows that it computes.
        in_place: whether the result overwrites the first input.
        name: the name of the operation, "relu_", or of all of them, "scale_ add_ relu_".
        dtypes: the data types that it supports.
    """

    def __init__(self, rows: Sequence[Row], *, in_place: bool) -> None:
        self.rows, self.in_place = tuple(rows), in_place
        self._variant = "in-place" if in_place else "ordinary"
        self.name = " ".join(row.called if row.name.startswith("_") else name_of(row, self._variant) for row in rows)
        first, *others = ([*data_types(row, in_place=in_place)] for row in rows)
        self.dtypes = tuple(dtype for dtype in first if all(dtype in each for each in others))
        self._written: dict[tuple[tuple[str, ...], Form], Source] = {}
        self._taken: dict[tuple[str, ...], Taken | None] = {}

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        """The roles of its operands (read, written), by name, in the order of the text."""
        return operands([step(row, self._variant, self.dtypes[0]) for row in self.rows], in_place=self.in_place)

    # ---- the text ----------------------------------------------------------------------------------------------------

    def source_for(self, dtypes: str | tuple[str, ...], form: Form) -> Source:
        """The text in one form, written once.

        Args:
            dtypes: those of the operands; or the one in which all are stored and computed.
            form: the form of the loops.

        Raises:
            KernelError: if it does not support these data types.
        """
        if isinstance(dtypes, str):
            if dtypes not in self.dtypes:
                raise errors.kernel_lacks_dtype(name=self.name, dtype=dtypes, known=self.dtypes)
            dtypes = self._of_one(dtypes)
        found = self._written.get((dtypes, form))
        if found is None:
            settled = form.with_width(width_of(dtypes))
            found = self._write(dtypes, form) if form == settled else self.source_for(dtypes, settled)
            self._written[dtypes, form] = found
        return found

    def _of_one(self, dtype: str) -> tuple[str, ...]:
        """The data types of the operands if there is only one."""
        return stored(self.rows[-1], dtype, [*self.roles])

    def _write(self, dtypes: tuple[str, ...], form: Form) -> Source:
        dtype = self._computes(dtypes)
        if not dtype:
            raise errors.kernel_lacks_dtype(name=self.name, dtype=" ".join(dtypes), known=self.dtypes)
        kind, width, bits, axes, once = form
        typed = (
            dtype
            if dtypes == self._of_one(dtype)
            else "_".join([*dict.fromkeys(self._read(dtypes)), "to", self._made(dtypes)])
        )
        names = [*map(_written_name, self.rows), *(["in_place"] if self.in_place else []), typed, kind]
        unusual = {"one_by_one" if kind == "contiguous" else "packs": width != form.usual(width_of(dtypes))}
        if kind == "strided":
            unusual |= {"64_bits": bits != 32, "1_axis" if axes == 1 else f"{axes}_axes": axes != 2}
        unusual |= {f"{[*self.roles][k]}_once": True for k in once}
        name = "_".join([*names, *(word for word, there in unusual.items() if there)])
        steps = [step(row, self._variant, dtype) for row in self.rows]
        return elementwise(name, steps, dtype, in_place=self.in_place, form=form, dtypes=dtypes)

    # ---- data types --------------------------------------------------------------------------------------------------

    def _read(self, dtypes: Sequence[str]) -> list[str]:
        """The data types of the inputs, without masks."""
        return [
            dtype
            for (name, role), dtype in zip(self.roles.items(), dtypes, strict=True)
            if role != "writes" and name not in self.rows[0].masks
        ]

    def _made(self, dtypes: Sequence[str]) -> str:
        """The data type of the result."""
        return next(d for role, d in zip(self.roles.values(), dtypes, strict=True) if role != "reads")

    def _computes(self, dtypes: tuple[str, ...]) -> str:
        """The data type in which it computes, for operands of these types; "" if there is none."""
        if any(each not in C_TYPES for each in dtypes):
            return ""
        one = dtypes[0] if len(self.rows) > 1 else computed_in(self.rows[0], self._read(dtypes), self._made(dtypes))
        masks = {d for n, d in zip(self.roles, dtypes, strict=True) if n in self.rows[0].masks}
        if masks - {"bool"} or (len(self.rows) > 1 and (one not in self.dtypes or dtypes != self._of_one(one))):
            return ""
        return one

    # ---- the launch --------------------------------------------------------------------------------------------------

    def plan(
        self, given: Mapping[str, Any], storages: Mapping[str, Storage | None], device: Device
    ) -> Plan | Callable[[], Exception]:
        """Plans the launch.

        Args:
            given: arrays and attributes, by the names in the text: `out` is the result of an ordinary variant.
            storages: the storages of the arrays that have one.
            device: the device of all of them.

        Returns:
            The plan; or, if the kernel cannot do it, a function that makes the error (most callers compute another way).
        """
        dtypes = tuple([launching.dtype_name(given[name].dtype) for name in self.roles])
        taken = self._taken[dtypes] if dtypes in self._taken else self._takes(dtypes)
        if taken is None:
            return lambda: errors.kernel_lacks_dtype(
                name=self.name, dtype=", ".join(dict.fromkeys(dtypes)), known=self.dtypes
            )
        for name, default in taken.left_out:
            if given[name] != default:
                return lambda name=name: errors.kernel_lacks_attribute(
                    name=self.name, attribute=name, given=given[name]
                )  # type: ignore[misc]
        windows = [
            launching.window(name, role, given[name], storages.get(name), device) for name, role in self.roles.items()
        ]
        numbers = [number(name, given[name], kind) for name, kind in taken.numbers]
        return launching.elementwise(self.name, self.source_for, windows, numbers, device)

    def _takes(self, dtypes: tuple[str, ...]) -> Taken | None:
        found = None
        if self._computes(dtypes):
            source = self.source_for(dtypes, Form())
            numbers = [(p.name, p.dtype) for p in source.parameters if p.kind == "number"]
            rest: list[tuple[str, Any]] = []
            if len(self.rows) == 1:  # a chain has no others
                rest = [(p.name, p.default) for p in computed_with(self.rows[0]) if p.name not in dict(numbers)]
            found = Taken(numbers, rest)
        return self._taken.setdefault(dtypes, found)


class Launcher:
    """Launches the kernel of one row, if possible; called by the row's function.

    >>> import inplacelab as paddle
    >>> from inplacelab import kernels
    >>> place = paddle.set_device("gpu", simulate=True)
    >>> with kernels.launches() as seen:
    ...     x = paddle.to_tensor([-1.0, 2.0]).relu_()
    >>> seen[0].kernel, seen[0].grid, seen[0].block, seen[0].simulated
    ('relu_', (1, 1, 1), (256, 1, 1), True)
    >>> place = paddle.set_device("cpu")
    """

    def __init__(self, row: Row, variant: str) -> None:
        self._inputs = row.inputs
        self._kernel = OwnKernel([row], in_place=variant == "in-place")

    def __call__(self, tensors: Sequence[Tensor], arrays: Sequence[Any], out: Any = None, /, **attributes: Any) -> bool:
        """Launches the kernel, if it supports these arguments.

        Args:
            tensors: the inputs.
            arrays: their arrays; or copies, where an input would be overwritten while it is read. (Such a copy is in no storage, and
                neither is a number that was passed instead of a tensor.)
            out: the result of an ordinary variant.
            attributes: the attributes that affect the result.

        Returns:
            True if the result is computed; False if NumPy or CuPy has to compute it.
        """
        device, first = tensors[0].storage.device, arrays[0]
        observed = bool(modes.current().launch_listeners)
        if (device.simulated and not observed) or not (first if out is None else out).size:
            return False
        given = {**dict(zip(self._inputs, arrays, strict=True)), "out": out, **attributes}
        storages = {
            name: tensor.storage
            for name, tensor, array in zip(self._inputs, tensors, arrays, strict=True)
            if tensor.array is array and type(tensor.storage) is not Unaccounted
        }
        plan = self._kernel.plan(given, storages, device)
        if not isinstance(plan, Plan):
            return False
        if not device.simulated:
            launching.run(plan)
        if observed:
            launching.report(plan)
        return not device.simulated
