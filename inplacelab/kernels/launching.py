"""From arrays to a launch: which text, which grid, which arguments; then it runs, and whoever listens is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors, observe
from inplacelab.devices import Device
from inplacelab.devices.kernels import geometry, traffic, ways
from inplacelab.devices.kernels.launch import Launch, Memory, Operand, Role
from inplacelab.devices.kernels.source import Form, Source
from inplacelab.devices.kernels.types import PACK
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, is_packed
from inplacelab.storage import Storage

Makes = Callable[[str, Form], Source]
"""Writes the text of a kernel, for a data type and in a form."""


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
    written = [each.role != "reads" for each in windows].index(True)
    aligned = _simulated(device) or all(each.memory.begin % PACK == 0 for each in windows)
    way = ways.way(tuple([each.layout for each in windows]), windows[0].dtype, written, aligned=aligned)
    source = makes(windows[0].dtype, way.form)
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
    if all(each.layout.size for each in windows):
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
    runner = _runner("on_cpu" if _simulated(device) else "on_gpu")
    runner.run(source, grid.blocks, grid.threads, arguments)


@cache
def _runner(name: str) -> Any:
    """Imported when first needed: without a kernel nobody needs a compiler, and without a GPU nobody needs CuPy."""
    return import_module(f"inplacelab.devices.kernels.{name}")


def _simulated(device: Device) -> bool:
    """On the CPU a kernel is always a simulation of what a GPU would do."""
    return device.simulated or not device.place.is_gpu_place()


def _hardware() -> str:
    name: str = _runner("on_gpu").device_name()
    return name
