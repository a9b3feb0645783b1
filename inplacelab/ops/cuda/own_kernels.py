"""The kernels of our own that rows with an expression in CUDA C have on a GPU.

The functions that the template makes ask here first where a device `launches` (see `template.parts.launch`): `Launcher`. On a
GPU the kernel is launched in the place of CuPy's; on the simulated one NumPy computes, and those who listen are told of the launch
that a GPU would have made. Whether a kernel can be launched, and how, is planned in one place (`OwnKernel.plan`), also for
`inplacelab.kernels`: so what is told, what a GPU does and what a learner reads cannot differ.

This module is imported when a row is first computed where that matters: on a GPU, real or simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from inplacelab import errors, observe
from inplacelab.devices.kernels import launching
from inplacelab.devices.kernels.elementwise import elementwise, operands
from inplacelab.devices.kernels.launch import Role
from inplacelab.devices.kernels.launching import Plan
from inplacelab.devices.kernels.source import Form, Source
from inplacelab.devices.kernels.types import C_TYPES, width_of
from inplacelab.ops.cuda.expressions import computed_in, data_types, number, step, stored
from inplacelab.ops.table.row import Row
from inplacelab.ops.template.parts import computed_with, name_of
from inplacelab.storage import Unaccounted

if TYPE_CHECKING:
    from inplacelab.devices import Device
    from inplacelab.storage import Storage
    from inplacelab.tensor import Tensor


class Taken(NamedTuple):
    """What a kernel takes, for operands of certain data types.

    Attributes:
        dtype: in which it computes.
        numbers: the names of attributes, and the data types in which it takes them.
        left_out: those that have a part in the result but not in the text: it holds for these values only.
    """

    dtype: str
    numbers: Sequence[tuple[str, str]]
    left_out: Sequence[tuple[str, Any]]


class OwnKernel:
    """An element-wise kernel: of one row, or of several that are done one after the other in one pass over memory.

    Attributes:
        rows: what it computes.
        in_place: whether the result lies where the first input lay.
        name: of the operation: "relu_"; of several, all of them: "scale_ add_ relu_".
        dtypes: the data types that it is written for.
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
        """What it does to its operands, by name, in the order of the text."""
        return operands([step(row, self._variant, self.dtypes[0]) for row in self.rows], in_place=self.in_place)

    # ---- the text ----------------------------------------------------------------------------------------------------

    def source_for(self, dtypes: str | tuple[str, ...], form: Form) -> Source:
        """The text in one form, written once.

        Args:
            dtypes: of the operands; or the one in which all is stored and computed.
            form: of the loops.

        Raises:
            KernelError: if it is not written for these data types.
        """
        if isinstance(dtypes, str):
            if dtypes not in self.dtypes:
                raise errors.no_kernel_for(self.name, dtypes, self.dtypes)
            dtypes = self._of_one(dtypes)
        found = self._written.get((dtypes, form))
        if found is None:
            settled = form.settled(width_of(dtypes))
            found = self._write(dtypes, form) if form == settled else self.source_for(dtypes, settled)
            self._written[dtypes, form] = found
        return found

    def _of_one(self, dtype: str) -> tuple[str, ...]:
        """The data types of the operands where all is computed in one."""
        return stored(self.rows[-1], dtype, [*self.roles])

    def _write(self, dtypes: tuple[str, ...], form: Form) -> Source:
        dtype = self._computes(dtypes)
        if not dtype:
            raise errors.no_kernel_for(self.name, " ".join(dtypes), self.dtypes)
        kind, width, bits, axes, once = form
        typed = (
            dtype
            if dtypes == self._of_one(dtype)
            else "_".join([*dict.fromkeys(self._read(dtypes)), "to", self._made(dtypes)])
        )
        names = [*(row.name.strip("_") for row in self.rows), *(["in_place"] if self.in_place else []), typed, kind]
        unusual = {"one_by_one" if kind == "contiguous" else "packs": width != form.usual(width_of(dtypes))}
        if kind == "strided":
            unusual |= {"64_bits": bits != 32, "1_axis" if axes == 1 else f"{axes}_axes": axes != 2}
        unusual |= {f"{[*self.roles][k]}_once": True for k in once}
        name = "_".join([*names, *(word for word, there in unusual.items() if there)])
        steps = [step(row, self._variant, dtype) for row in self.rows]
        return elementwise(name, steps, dtype, in_place=self.in_place, form=form, dtypes=dtypes)

    # ---- data types --------------------------------------------------------------------------------------------------

    def _read(self, dtypes: Sequence[str]) -> list[str]:
        """Those of the inputs; masks are left out."""
        return [
            dtype
            for (name, role), dtype in zip(self.roles.items(), dtypes, strict=True)
            if role != "writes" and name not in self.rows[0].masks
        ]

    def _made(self, dtypes: Sequence[str]) -> str:
        """That of the result."""
        return next(d for role, d in zip(self.roles.values(), dtypes, strict=True) if role != "reads")

    def _computes(self, dtypes: tuple[str, ...]) -> str:
        """The one in which it computes, for operands of these; "" if there is none."""
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
        """How to launch it; or what makes the refusal that says why it cannot be: who has another way to compute needs none.

        Args:
            given: arrays and attributes, by the names in the text: `out` is the result of an ordinary variant.
            storages: where the arrays lie, as far as they lie in storages.
            device: where all of them are.
        """
        dtypes = tuple([launching.dtype_name(given[name].dtype) for name in self.roles])
        taken = self._taken[dtypes] if dtypes in self._taken else self._takes(dtypes)
        if taken is None:
            return lambda: errors.no_kernel_for(self.name, ", ".join(dict.fromkeys(dtypes)), self.dtypes)
        for name, default in taken.left_out:
            if given[name] != default:
                return lambda name=name: errors.attribute_not_in_kernel(self.name, name, given[name])  # type: ignore[misc]
        windows = [
            launching.window(name, role, given[name], storages.get(name), device) for name, role in self.roles.items()
        ]
        numbers = [number(name, given[name], kind) for name, kind in taken.numbers]
        return launching.elementwise(self.name, self.source_for, windows, numbers, device)

    def _takes(self, dtypes: tuple[str, ...]) -> Taken | None:
        dtype, found = self._computes(dtypes), None
        if dtype:
            source = self.source_for(dtypes, Form())
            numbers = [(p.name, p.dtype) for p in source.parameters if p.kind == "number"]
            rest: list[tuple[str, Any]] = []
            if len(self.rows) == 1:  # of a chain, no others are asked for
                rest = [(p.name, p.default) for p in computed_with(self.rows[0]) if p.name not in dict(numbers)]
            found = Taken(dtype, numbers, rest)
        return self._taken.setdefault(dtypes, found)


class Launcher:
    """What the function of a row asks, where a device launches kernels of our own.

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
        """Launch the kernel, if it can do what is asked.

        Args:
            tensors: the inputs.
            arrays: their arrays; or copies, where an input would be overwritten while it is read. (Such a copy lies in bytes of its
                own, as does a number that was given in a tensor's place.)
            out: the result of an ordinary variant.
            attributes: those on which the result depends.

        Returns:
            Whether all is done: False if NumPy, or CuPy, has to compute.
        """
        device, first = tensors[0].storage.device, arrays[0]
        heard = bool(observe.launch_listeners)
        if (device.simulated and not heard) or not (first if out is None else out).size:
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
        if heard:
            launching.report(plan)
        return not device.simulated
