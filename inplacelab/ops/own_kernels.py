"""The kernels of our own that rows with an expression in CUDA C have on a GPU.

The functions that the template makes ask here first where a device `launches` (see `template.parts.launch`): `Launcher`. On a
GPU the kernel is launched in the place of CuPy's; on the simulated one NumPy computes, and those who listen are told of the launch
that a GPU would have made. Whether a kernel can be launched, and how, is planned in one place (`OwnKernel.plan`), also for
`inplacelab.kernels`: so what is told, what a GPU does and what a learner reads cannot differ.

This module is imported when a row is first computed where that matters: on a GPU, real or simulated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inplacelab import errors, observe
from inplacelab.devices.kernels import launching
from inplacelab.devices.kernels.launching import Plan, Refuses
from inplacelab.devices.kernels.source import SIDE_BY_SIDE, Form, Parameter, Source, elementwise
from inplacelab.ops.expressions import data_types, named, number, result, step
from inplacelab.ops.spec import Row
from inplacelab.ops.template.parts import computed_with, name_of

if TYPE_CHECKING:
    from inplacelab.devices import Device
    from inplacelab.storage import Storage
    from inplacelab.tensor import Tensor


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
        self.name = " ".join(name_of(row, self._variant) for row in rows)
        first, *others = ([*data_types(row, in_place=in_place)] for row in rows)
        self.dtypes = tuple(dtype for dtype in first if all(dtype in each for each in others))
        self._left_out = {dtype: self._fixed(dtype) for dtype in self.dtypes}
        self._written: dict[tuple[str, Form], Source] = {}
        self._parameters: dict[str, tuple[Sequence[Parameter], Sequence[Parameter]]] = {}

    def _fixed(self, dtype: str) -> dict[str, Any]:
        """The attributes that have a part in the result but not in the text: it holds for these values only."""
        (row, *others) = self.rows
        if others:  # a fused chain does not take them
            return {}
        taken = named(row, step(row, self._variant, dtype).expression)
        return {p.name: p.default for p in computed_with(row) if p not in taken}

    # ---- the text ----------------------------------------------------------------------------------------------------

    def way(self, dtype: str, form: Form) -> Source:
        """The text in one form, written once.

        Raises:
            KernelError: if it is not written for that data type.
        """
        found = self._written.get((dtype, form))
        if found is None:
            if dtype not in self.dtypes:
                raise errors.no_kernel_for(self.name, dtype, self.dtypes)
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
        steps, made = [step(row, self._variant, dtype) for row in self.rows], result(self.rows[-1], dtype)
        return elementwise(name, steps, dtype, in_place=self.in_place, form=form, result=made)

    # ---- the launch --------------------------------------------------------------------------------------------------

    def plan(
        self, given: Mapping[str, Any], storages: Mapping[str, Storage | None], dtype: str, device: Device
    ) -> Plan | Refuses:
        """How to launch it; or what makes the refusal that says why it cannot be.

        Args:
            given: arrays and attributes, by the names in the text: `out` is the result of an ordinary variant.
            storages: where the arrays lie, as far as they lie in storages.
            dtype: of the first input.
            device: where all of them are.
        """
        if dtype not in self.dtypes:
            return lambda: errors.no_kernel_for(self.name, dtype, self.dtypes)
        operands, numbers = self._parameters.get(dtype) or self._find_parameters(dtype)
        for name, default in self._left_out[dtype].items():
            if given[name] != default:
                return lambda name=name: errors.attribute_not_in_kernel(self.name, name, given[name])  # type: ignore[misc]
        windows = [launching.window(p.name, p.role, given[p.name], storages.get(p.name), device) for p in operands]
        for p, each in zip(operands, windows, strict=True):
            if each.dtype != p.dtype:
                return lambda met=each.dtype: errors.no_kernel_for(self.name, met, (dtype,))  # type: ignore[misc]
        values = [number(p.name, given[p.name], p.dtype) for p in numbers]
        return launching.elementwise(self.name, self.way, windows, values, device)

    def _find_parameters(self, dtype: str) -> tuple[Sequence[Parameter], Sequence[Parameter]]:
        """The operands of the text and its numbers: the same in all forms."""
        source = self.way(dtype, SIDE_BY_SIDE)
        found = source.operands, [p for p in source.parameters if p.kind == "number"]
        return self._parameters.setdefault(dtype, found)


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
            arrays: their arrays; or copies, where an input would be overwritten while it is read.
            out: the result of an ordinary variant.
            attributes: those on which the result depends.

        Returns:
            Whether all is done: False if NumPy, or CuPy, has to compute.
        """
        device, first = tensors[0].storage.device, arrays[0]
        heard = bool(observe.everyone)
        if (device.simulated and not heard) or not (first if out is None else out).size:
            return False
        given = {**dict(zip(self._inputs, arrays, strict=True)), "out": out, **attributes}
        storages = {
            name: tensor.storage
            for name, tensor, array in zip(self._inputs, tensors, arrays, strict=True)
            if tensor.array is array
        }
        plan = self._kernel.plan(given, storages, first.dtype.name, device)
        if not isinstance(plan, Plan):
            return False
        if not device.simulated:
            launching.run(plan)
        if heard:
            launching.tell(plan)
        return not device.simulated
