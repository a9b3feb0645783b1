"""Plans a launch (`elementwise`, `whole`), runs it (`run`) and reports it to observers (`report`).

A plan has the source, the grid and the arguments. It is the same on every device, so a simulated launch is reported as a real one
would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inplacelab import errors, modes
from inplacelab.devices.kernels import access_plan, geometry, traffic
from inplacelab.devices.kernels.launch import Launch, Memory, Operand, Role
from inplacelab.devices.kernels.source import Form, Source
from inplacelab.devices.kernels.types import PACK
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, is_packed

if TYPE_CHECKING:
    from inplacelab.devices.base import Device
    from inplacelab.storage import Storage

Makes = Callable[[tuple[str, ...], Form], Source]
"""Makes the source of a kernel from the dtypes of its operands and a form."""


class Window(NamedTuple):
    """An operand with its memory.

    Attributes:
        name: the name of the operand.
        role: "reads", "writes" or "both".
        layout: its layout in the storage.
        memory: its addresses.
        dtype: the dtype of its elements.
        storage: its storage, or None if it has none (yet).
    """

    name: str
    role: Role
    layout: Layout
    memory: Memory
    dtype: str
    storage: Storage | None

    def operand(self, layout: Layout) -> Operand:
        """Returns the operand as plain data, with `layout` as its layout."""
        return Operand(self.name, self.role, self.dtype, *layout, self.memory.bytes)


class Plan(NamedTuple):
    """A launch that is ready to run.

    Attributes:
        name: the name of the operation.
        source: the kernel.
        grid: the blocks and threads.
        windows: the operands.
        layouts: the layouts of the operands, in the order in which the kernel visits their elements.
        arguments: the arguments, in the order of the kernel's parameters.
        device: the device to run on.
    """

    name: str
    source: Source
    grid: geometry.Grid
    windows: Sequence[Window]
    layouts: Sequence[Layout]
    arguments: Sequence[Any]
    device: Device


def window(name: str, role: Role, array: Any, storage: Storage | None, device: Device) -> Window:
    """Describes an operand.

    Args:
        name: its name.
        role: "reads", "writes" or "both".
        array: the array.
        storage: the storage that contains the array; None if the array owns its memory.
        device: the device of the array.
    """
    first, step = device.address(array), array.itemsize
    begin, size = (first, array.nbytes) if storage is None else (device.address(storage.buffer), storage.nbytes)
    offset = (first - begin) // step if array.size else 0
    layout = _layout(array.shape, array.strides, step, offset)
    return Window(name, role, layout, Memory(first, begin, size), dtype_name(array.dtype), storage)


@lru_cache(maxsize=4096)
def _layout(shape: Shape, strides: Shape, step: int, offset: int) -> Layout:
    """Converts strides in bytes to slots. Results are cached, because the same arrays occur again and again."""
    return Layout(shape, tuple(stride // step for stride in strides), offset)


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """Returns `dtype.name`, cached because NumPy builds the string at each access."""
    return dtype.name


# ---- the plan ---------------------------------------------------------------------------------------------------------------


def elementwise(name: str, makes: Makes, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """Plans a launch over all elements of the window that is written; the others are broadcast to its shape.

    Args:
        name: the name of the operation.
        makes: makes the source for dtypes and a form.
        windows: the operands.
        numbers: the attributes.
        device: the device to run on.
    """
    written = [each.role != "reads" for each in windows].index(True)
    aligned = _simulated(device) or all(each.memory.begin % PACK == 0 for each in windows)
    dtypes = tuple([each.dtype for each in windows])
    accesses = access_plan.plan(tuple([each.layout for each in windows]), dtypes, written, aligned=aligned)
    arguments = [*[each.memory for each in windows], *numbers, *accesses.passed, accesses.turns]
    return Plan(name, makes(dtypes, accesses.form), accesses.grid, windows, accesses.layouts, arguments, device)


def whole(name: str, source: Source, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """Plans a launch of a kernel for packed operands.

    Args:
        name: the name of the operation.
        source: the kernel.
        windows: the operands.
        numbers: the attributes and sizes.
        device: the device to run on.

    Raises:
        ShapeError: if an operand is not packed.
    """
    for each in windows:
        if not is_packed(each.layout):
            raise errors.kernel_needs_layout(name=name, what=Text("elements that lie side by side", "元素连续存放"))
    grid = geometry.grid_for(source.kind, (windows[-1] if source.kind == "scatter_add" else windows[0]).layout.shape)
    layouts = [each.layout for each in windows]
    return Plan(name, source, grid, windows, layouts, [*(each.memory for each in windows), *numbers], device)


# ---- running and reporting --------------------------------------------------------------------------------------------------


def prepare(plan: Plan) -> None:
    """Compiles the kernel of a plan, which may fail, before anything is written."""
    _runner("on_cpu" if _simulated(plan.device) else "on_gpu").prepare(plan.source)


def run(plan: Plan) -> None:
    """Runs a plan: on a GPU, or else on the CPU, thread by thread. If an operand is empty, nothing runs."""
    if all(each.layout.size for each in plan.windows):
        runner = _runner("on_cpu" if _simulated(plan.device) else "on_gpu")
        runner.run(plan.source, plan.grid.blocks, plan.grid.threads, plan.arguments)


def report(plan: Plan) -> None:
    """Reports a plan as a `Launch` to the observers, if there are any."""
    if not modes.current().launch_listeners:
        return
    source, simulated = plan.source, _simulated(plan.device)
    operands = tuple(each.operand(layout) for each, layout in zip(plan.windows, plan.layouts, strict=True))
    launch = Launch(
        plan.name, source.kind, *plan.grid, source.width, source.dtype, operands, *traffic.of_kernel(source.kind, operands, source.width),
        "" if simulated else _runner("on_gpu").device_name(), simulated,
    )  # fmt: skip
    storages = [each.storage for each in plan.windows]
    for each in modes.current().launch_listeners:
        each.launched(launch, storages)


@cache
def _runner(name: str) -> Any:
    """Imports a runner when it is first used: `on_cpu` needs a compiler, `on_gpu` needs CuPy."""
    return import_module(f"inplacelab.devices.kernels.{name}")


def _simulated(device: Device) -> bool:
    """Whether the launch is simulated: always on the CPU."""
    return device.simulated or not device.place.is_gpu_place()
