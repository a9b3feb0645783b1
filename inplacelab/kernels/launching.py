"""From arrays to a launch: which text, which grid, which arguments; then it runs, and whoever listens is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inplacelab import errors, observe
from inplacelab.devices import Device
from inplacelab.devices.kernels import geometry, traffic
from inplacelab.devices.kernels.arguments import MOST_AXES
from inplacelab.devices.kernels.launch import Launch, Memory, Operand
from inplacelab.devices.kernels.source import Kind, Source
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, is_packed
from inplacelab.storage import Storage

PACK = 16
"""The bytes of a pack; one instruction loads them from an address that is a multiple of it."""

Makes = Callable[[str, Kind, int], Source]
"""Writes the text of a kernel, for a data type, a kind and a width (0 for as many elements as a pack holds)."""


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
    role: str
    layout: Layout
    memory: Memory
    dtype: str

    @property
    def operand(self) -> Operand:
        """The same as plain data."""
        return Operand(self.name, self.role, self.dtype, *self.layout, self.memory.bytes)


def window(name: str, role: str, array: Any, storages: Mapping[int, Storage], device: Device) -> Window:
    """Find where an array lies: in one of the storages, known by the `id` of the array, or in bytes of its own."""
    storage = storages.get(id(array))
    buffer, size = (array, int(array.nbytes)) if storage is None else (storage.buffer, storage.nbytes)
    step = int(array.itemsize)
    layout = Layout(tuple(array.shape), tuple(s // step for s in array.strides), device.offset(array, buffer))
    memory = Memory(device.address(array), device.address(buffer), size)
    return Window(name, role, layout, memory, array.dtype.name)


def elementwise(name: str, makes: Makes, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> None:
    """Launch a kernel over all elements of the window that is written; the others are broadcast to its shape."""
    written = next(each for each in windows if each.role != "reads")
    shape = written.layout.shape
    met = [each._replace(layout=broadcast(each.layout, shape)) for each in windows]
    kind, width = _way(name, met)
    source = makes(windows[0].dtype, kind, width)
    layouts = [each.layout for each in met] if kind == "strided" else []
    arguments = [*(each.memory for each in met), *numbers, *layouts, written.layout.size]
    _launch(name, source, geometry.elementwise(written.layout.size, source.width), met, arguments, device)


def whole(name: str, source: Source, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> None:
    """Launch a kernel that is written for operands which are packed, and for the shape of the first."""
    for each in windows:
        if not is_packed(each.layout):
            raise errors.kernel_needs_packed(name, Text("elements that lie side by side", "元素连续存放"))
    grid = geometry.grid_for(source.kind, (windows[-1] if source.kind == "scatter_add" else windows[0]).layout.shape)
    _launch(name, source, grid, windows, [*(each.memory for each in windows), *numbers], device)


def broadcast(layout: Layout, shape: Shape) -> Layout:
    """The layout that shows the same elements again and again, until they have that shape.

    >>> broadcast(Layout((3,), (1,), 0), (2, 3))
    Layout(shape=(2, 3), strides=(0, 1), offset=0)
    """
    missing = len(shape) - len(layout.shape)
    known = zip(layout.shape, layout.strides, shape[missing:], strict=True)
    return Layout(shape, (0,) * missing + tuple(0 if n != m else s for n, s, m in known), layout.offset)


def _way(name: str, windows: Sequence[Window]) -> tuple[Kind, int]:
    """Side by side and in packs (0: as many elements as fit), side by side one by one, or through layouts."""
    if all(is_packed(each.layout) for each in windows):
        aligned = all(each.layout.offset * geometry.itemsize(each.dtype) % PACK == 0 for each in windows)
        return "contiguous", 0 if aligned else 1
    if max(len(each.layout.shape) for each in windows) > MOST_AXES:
        raise errors.kernel_needs_packed(name, Text("at most {n} axes", "至多 {n} 个轴").format(n=MOST_AXES))
    return "strided", 1


def _launch(
    name: str, source: Source, grid: geometry.Grid, windows: Sequence[Window], arguments: Sequence[Any], device: Device
) -> None:
    if all(each.layout.size for each in windows):
        _run(source, grid, arguments, device)
    if observe.listeners:
        operands, simulated = tuple(each.operand for each in windows), _simulated(device)
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
