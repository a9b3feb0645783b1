"""Plans launches of kernels (text, grid, arguments), runs them, and reports them to observers.

A launch is first planned (`elementwise`, `whole`), then run and reported (`run`, `report`). The plan is the same on every
device, so a simulated launch is reported as a real one would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inplacelab import errors, observe
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
"""Generates the text of a kernel, for the data types of its operands and a form."""


class Window(NamedTuple):
    """An array, and its place in memory.

    Attributes:
        name: the name of the operand.
        role: "reads", "writes" or "both".
        layout: its layout in the storage.
        memory: its addresses.
        dtype: the data type of its elements.
        storage: its storage; None if it has none (yet).
    """

    name: str
    role: Role
    layout: Layout
    memory: Memory
    dtype: str
    storage: Storage | None

    def operand(self, layout: Layout) -> Operand:
        """Returns the window as plain data, with this layout."""
        return Operand(self.name, self.role, self.dtype, *layout, self.memory.bytes)


class Plan(NamedTuple):
    """A planned launch: everything that is needed to run it.

    Attributes:
        name: the name of the operation.
        source: the text.
        grid: the blocks, and the threads in each.
        windows: the operands.
        layouts: the layouts of the operands, in the kernel's order of elements.
        arguments: the arguments, in the order of the text's parameters.
        device: the device.
    """

    name: str
    source: Source
    grid: geometry.Grid
    windows: Sequence[Window]
    layouts: Sequence[Layout]
    arguments: Sequence[Any]
    device: Device


def window(name: str, role: Role, array: Any, storage: Storage | None, device: Device) -> Window:
    """Returns the window of an array, in its storage, or in the array's bytes if it has none."""
    first, step = device.address(array), array.itemsize
    begin, size = (first, array.nbytes) if storage is None else (device.address(storage.buffer), storage.nbytes)
    offset = (first - begin) // step if array.size else 0
    layout = _layout(array.shape, array.strides, step, offset)
    return Window(name, role, layout, Memory(first, begin, size), dtype_name(array.dtype), storage)


@lru_cache(maxsize=4096)
def _layout(shape: Shape, strides: Shape, step: int, offset: int) -> Layout:
    """The layout in slots, from strides in bytes; cached, since the same arrays repeat."""
    return Layout(shape, tuple(stride // step for stride in strides), offset)


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """Returns `dtype.name`, which NumPy computes in each access."""
    return dtype.name


# ---- the plan ---------------------------------------------------------------------------------------------------------------


def elementwise(name: str, makes: Makes, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """Plans a launch over all elements of the written window; the others are broadcast to its shape."""
    written = [each.role != "reads" for each in windows].index(True)
    aligned = _simulated(device) or all(each.memory.begin % PACK == 0 for each in windows)
    dtypes = tuple([each.dtype for each in windows])
    access = access_plan.plan_access(tuple([each.layout for each in windows]), dtypes, written, aligned=aligned)
    arguments = [*[each.memory for each in windows], *numbers, *access.passed, access.turns]
    return Plan(name, makes(dtypes, access.form), access.grid, windows, access.layouts, arguments, device)


def whole(name: str, source: Source, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """Plans a launch of a kernel for packed operands, with the grid for the shape of the first.

    Raises:
        ShapeError: if they are not packed.
    """
    for each in windows:
        if not is_packed(each.layout):
            raise errors.kernel_needs_layout(name=name, what=Text("elements that lie side by side", "元素连续存放"))
    grid = geometry.grid_for(source.kind, (windows[-1] if source.kind == "scatter_add" else windows[0]).layout.shape)
    layouts = [each.layout for each in windows]
    return Plan(name, source, grid, windows, layouts, [*(each.memory for each in windows), *numbers], device)


# ---- running ----------------------------------------------------------------------------------------------------------------


def run(plan: Plan) -> None:
    """Launches the kernel on a GPU; elsewhere its text runs on the CPU, thread by thread. Without elements, nothing runs."""
    if all(each.layout.size for each in plan.windows):
        runner = _runner("on_cpu" if _simulated(plan.device) else "on_gpu")
        runner.run(plan.source, plan.grid.blocks, plan.grid.threads, plan.arguments)


def report(plan: Plan) -> None:
    """Reports the launch to the observers."""
    if not observe.launch_listeners:
        return
    source, simulated = plan.source, _simulated(plan.device)
    operands = tuple(each.operand(layout) for each, layout in zip(plan.windows, plan.layouts, strict=True))
    launch = Launch(
        plan.name, source.kind, *plan.grid, source.width, source.dtype, operands, *traffic.of_kernel(source.kind, operands, source.width),
        "" if simulated else _runner("on_gpu").device_name(), simulated,
    )  # fmt: skip
    storages = [each.storage for each in plan.windows]
    for each in observe.launch_listeners:
        each.launched(launch, storages)


@cache
def _runner(name: str) -> Any:
    """Imports the module on first use: only kernels need a compiler, and only a GPU needs CuPy."""
    return import_module(f"inplacelab.devices.kernels.{name}")


def _simulated(device: Device) -> bool:
    """On the CPU a kernel is always a simulation of a GPU."""
    return device.simulated or not device.place.is_gpu_place()
