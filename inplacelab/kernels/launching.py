"""From arrays to a launch: which text, which grid, which arguments; then it runs, and whoever listens is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors, observe
from inplacelab.devices import Device
from inplacelab.devices.kernels import geometry, traffic, ways
from inplacelab.devices.kernels.arguments import MOST_AXES
from inplacelab.devices.kernels.launch import Launch, Memory, Operand, Role
from inplacelab.devices.kernels.source import Kind, Source
from inplacelab.devices.kernels.types import PACK
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, is_packed
from inplacelab.storage import Storage

Makes = Callable[[str, Kind, int, int], Source]
"""Writes the text of a kernel, for a data type, a kind, a width and 32 or 64 bits."""


class Window(NamedTuple):
    """An array, and where it lies.

    Attributes:
        name: of the operand.
        role: "reads", "writes" or "both".
        layout: in the storage.
        memory: its addresses.
        dtype: of its elements.
    """

    name: str
    role: Role
    layout: Layout
    memory: Memory
    dtype: str

    def operand(self, layout: Layout) -> Operand:
        """The same as plain data, with its elements counted by this layout."""
        return Operand(self.name, self.role, self.dtype, *layout, self.memory.bytes)


def window(name: str, role: Role, array: Any, storages: Mapping[int, Storage], device: Device) -> Window:
    """Find where an array lies: in one of the storages, known by the `id` of the array, or in bytes of its own."""
    storage, first, step = storages.get(id(array)), device.address(array), array.itemsize
    begin, size = (first, array.nbytes) if storage is None else (device.address(storage.buffer), storage.nbytes)
    offset = (first - begin) // step if array.size else 0
    layout = _layout(array.shape, array.strides, step, offset)
    return Window(name, role, layout, Memory(first, begin, size), _name(array.dtype))


@lru_cache(maxsize=4096)
def _layout(shape: Shape, strides: Shape, step: int, offset: int) -> Layout:
    """From strides in bytes to slots; the same arrays come again and again."""
    return Layout(shape, tuple(stride // step for stride in strides), offset)


@cache
def _name(dtype: np.dtype[Any]) -> str:
    """`dtype.name`, which NumPy puts together anew each time."""
    return dtype.name


def elementwise(name: str, makes: Makes, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> None:
    """Launch a kernel over all elements of the window that is written; the others are broadcast to its shape."""
    written = next(k for k, each in enumerate(windows) if each.role != "reads")
    aligned = _simulated(device) or all(each.memory.begin % PACK == 0 for each in windows)
    way = ways.way(tuple([each.layout for each in windows]), windows[0].dtype, written, aligned=aligned)
    if way.kind == "strided" and len(way.passed[0].shape) > MOST_AXES:
        raise errors.kernel_needs_packed(name, Text("at most {n} axes", "至多 {n} 个轴").format(n=MOST_AXES))
    source = makes(windows[0].dtype, way.kind, way.width, way.bits)
    arguments = [*[each.memory for each in windows], *numbers, *way.passed, way.turns]
    _launch(name, source, way.grid, windows, way.layouts, arguments, device)


def whole(name: str, source: Source, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> None:
    """Launch a kernel that is written for operands which are packed, and for the shape of the first."""
    for each in windows:
        if not is_packed(each.layout):
            raise errors.kernel_needs_packed(name, Text("elements that lie side by side", "元素连续存放"))
    grid = geometry.grid_for(source.kind, (windows[-1] if source.kind == "scatter_add" else windows[0]).layout.shape)
    layouts = tuple(each.layout for each in windows)
    _launch(name, source, grid, windows, layouts, [*(each.memory for each in windows), *numbers], device)


def _launch(
    name: str,
    source: Source,
    grid: geometry.Grid,
    windows: Sequence[Window],
    layouts: Sequence[Layout],
    arguments: Sequence[Any],
    device: Device,
) -> None:
    """Run, and tell. `layouts` are those of the windows, as the kernel counts their elements."""
    if all([each.layout.size for each in windows]):
        _run(source, grid, arguments, device)
    if observe.listeners:
        operands = tuple(each.operand(layout) for each, layout in zip(windows, layouts, strict=True))
        simulated = _simulated(device)
        moved = traffic.of_kernel(source.kind, operands)
        hardware = "" if simulated else _hardware()
        launch = Launch(name, source.kind, *grid, source.width, source.dtype, operands, *moved, hardware, simulated)
        for each in observe.listeners:
            each.launched(launch)


def _run(source: Source, grid: geometry.Grid, arguments: Sequence[Any], device: Device) -> None:
    if _simulated(device):
        from inplacelab.devices.kernels import on_cpu  # noqa: PLC0415  # without a kernel, nobody needs a compiler

        on_cpu.run(source, *grid, arguments)
    else:
        from inplacelab.devices.kernels import on_gpu  # noqa: PLC0415  # and without a GPU, nobody needs CuPy

        on_gpu.run(source, *grid, arguments)


def _simulated(device: Device) -> bool:
    """On the CPU a kernel is always a simulation of what a GPU would do."""
    return device.simulated or not device.place.is_gpu_place()


def _hardware() -> str:
    from inplacelab.devices.kernels import on_gpu  # noqa: PLC0415

    return on_gpu.device_name()
