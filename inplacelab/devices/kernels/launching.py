"""From arrays to a launch: which text, which grid, which arguments; then it runs, and whoever listens is told.

A launch is planned first (`elementwise`, `whole`) and carried out then (`run`, `tell`). The plan is the same on every device, so
what is told of a simulated launch is what a real one would do.
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
"""Writes the text of a kernel, for the data types of its operands and in a form."""


class Window(NamedTuple):
    """An array, and where it lies.

    Attributes:
        name: of the operand.
        role: "reads", "writes" or "both".
        layout: in the storage.
        memory: its addresses.
        dtype: of its elements.
        storage: the storage; None if it has none, or none yet.
    """

    name: str
    role: Role
    layout: Layout
    memory: Memory
    dtype: str
    storage: Storage | None

    def operand(self, layout: Layout) -> Operand:
        """The same as plain data, with its elements counted by this layout."""
        return Operand(self.name, self.role, self.dtype, *layout, self.memory.bytes)


class Plan(NamedTuple):
    """A launch that is possible: all that is needed to carry it out.

    Attributes:
        name: of the operation.
        source: the text.
        grid: blocks, and threads in each.
        windows: the operands.
        layouts: of the operands, as the kernel counts their elements.
        arguments: in the order of the text's parameters.
        device: where.
    """

    name: str
    source: Source
    grid: geometry.Grid
    windows: Sequence[Window]
    layouts: Sequence[Layout]
    arguments: Sequence[Any]
    device: Device


def window(name: str, role: Role, array: Any, storage: Storage | None, device: Device) -> Window:
    """Find where an array lies: in a storage, or in bytes of its own."""
    first, step = device.address(array), array.itemsize
    begin, size = (first, array.nbytes) if storage is None else (device.address(storage.buffer), storage.nbytes)
    offset = (first - begin) // step if array.size else 0
    layout = _layout(array.shape, array.strides, step, offset)
    return Window(name, role, layout, Memory(first, begin, size), dtype_name(array.dtype), storage)


@lru_cache(maxsize=4096)
def _layout(shape: Shape, strides: Shape, step: int, offset: int) -> Layout:
    """From strides in bytes to slots; the same arrays come again and again."""
    return Layout(shape, tuple(stride // step for stride in strides), offset)


@cache
def dtype_name(dtype: np.dtype[Any]) -> str:
    """`dtype.name`, which NumPy puts together anew each time."""
    return dtype.name


# ---- the plan ---------------------------------------------------------------------------------------------------------------


def elementwise(name: str, makes: Makes, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """A launch over all elements of the window that is written; the others are broadcast to its shape."""
    written = [each.role != "reads" for each in windows].index(True)
    aligned = _simulated(device) or all(each.memory.begin % PACK == 0 for each in windows)
    dtypes = tuple([each.dtype for each in windows])
    way = access_plan.way(tuple([each.layout for each in windows]), dtypes, written, aligned=aligned)
    arguments = [*[each.memory for each in windows], *numbers, *way.passed, way.turns]
    return Plan(name, makes(dtypes, way.form), way.grid, windows, way.layouts, arguments, device)


def whole(name: str, source: Source, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """A launch of a kernel that is written for operands which are packed, and for the shape of the first.

    Raises:
        ShapeError: if they are not packed.
    """
    for each in windows:
        if not is_packed(each.layout):
            raise errors.kernel_needs_layout(name=name, what=Text("elements that lie side by side", "元素连续存放"))
    grid = geometry.grid_for(source.kind, (windows[-1] if source.kind == "scatter_add" else windows[0]).layout.shape)
    layouts = [each.layout for each in windows]
    return Plan(name, source, grid, windows, layouts, [*(each.memory for each in windows), *numbers], device)


# ---- carrying it out --------------------------------------------------------------------------------------------------------


def run(plan: Plan) -> None:
    """Launch: on a GPU; elsewhere the text runs on the CPU, thread by thread. Without elements, nothing runs."""
    if all(each.layout.size for each in plan.windows):
        runner = _runner("on_cpu" if _simulated(plan.device) else "on_gpu")
        runner.run(plan.source, plan.grid.blocks, plan.grid.threads, plan.arguments)


def tell(plan: Plan) -> None:
    """Tell everyone who listens."""
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
    """Imported when first needed: without a kernel nobody needs a compiler, and without a GPU nobody needs CuPy."""
    return import_module(f"inplacelab.devices.kernels.{name}")


def _simulated(device: Device) -> bool:
    """On the CPU a kernel is always a simulation of what a GPU would do."""
    return device.simulated or not device.place.is_gpu_place()
