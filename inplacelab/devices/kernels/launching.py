"""From arrays to a launch: which text, which grid, which arguments; then it runs, and whoever listens is told.

A launch is planned first (`elementwise`, `whole`) and carried out then (`run`, `tell`). The plan is the same on every device, so
what is told of a simulated launch is what a real one would do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from inplacelab import errors, observe
from inplacelab.devices.kernels import geometry, traffic
from inplacelab.devices.kernels.arguments import MOST_AXES
from inplacelab.devices.kernels.launch import Launch, Memory, Operand, Role
from inplacelab.devices.kernels.source import Kind, Source
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, is_packed

if TYPE_CHECKING:
    from inplacelab.devices.base import Device
    from inplacelab.storage import Storage

PACK = 16
"""The bytes of a pack; one instruction loads them from an address that is a multiple of it."""

Makes = Callable[[str, Kind, int], Source]
"""Writes the text of a kernel, for a data type, a kind and a width (0 for as many elements as a pack holds)."""

Refuses = Callable[[], Exception]
"""Makes the refusal that says why a kernel cannot be launched. Whoever has another way to compute needs no refusal."""


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
    storage: Storage | None = None

    @property
    def operand(self) -> Operand:
        """The same as plain data."""
        return Operand(self.name, self.role, self.dtype, *self.layout, self.memory.bytes)


class Plan(NamedTuple):
    """A launch that is possible: all that is needed to carry it out.

    Attributes:
        name: of the operation.
        source: the text.
        grid: blocks, and threads in each.
        windows: the operands, laid out as the text takes them.
        arguments: in the order of the text's parameters.
        device: where.
    """

    name: str
    source: Source
    grid: geometry.Grid
    windows: Sequence[Window]
    arguments: Sequence[Any]
    device: Device


def window(name: str, role: Role, array: Any, storage: Storage | None, device: Device) -> Window:
    """Find where an array lies: in a storage, or in bytes of its own."""
    buffer, size = (array, int(array.nbytes)) if storage is None else (storage.buffer, storage.nbytes)
    step = int(array.itemsize)
    layout = Layout(tuple(array.shape), tuple(s // step for s in array.strides), device.offset(array, buffer))
    memory = Memory(device.address(array), device.address(buffer), size)
    return Window(name, role, layout, memory, array.dtype.name, storage)


# ---- the plan ---------------------------------------------------------------------------------------------------------------


def elementwise(
    name: str, makes: Makes, windows: Sequence[Window], numbers: Sequence[Any], device: Device
) -> Plan | Refuses:
    """A launch over all elements of the window that is written; the others are broadcast to its shape."""
    written = next(each for each in windows if each.role != "reads")
    shape = written.layout.shape
    met = [each._replace(layout=broadcast(each.layout, shape)) for each in windows]
    way = _way(met)
    if way is None:
        return lambda: errors.kernel_needs_packed(name, Text("at most {n} axes", "至多 {n} 个轴").format(n=MOST_AXES))
    kind, width = way
    source = makes(windows[0].dtype, kind, width)
    layouts = [each.layout for each in met] if kind == "strided" else []
    arguments = [*(each.memory for each in met), *numbers, *layouts, written.layout.size]
    return Plan(name, source, geometry.elementwise(written.layout.size, source.width), met, arguments, device)


def whole(name: str, source: Source, windows: Sequence[Window], numbers: Sequence[Any], device: Device) -> Plan:
    """A launch of a kernel that is written for operands which are packed, and for the shape of the first.

    Raises:
        ArgumentError: if they are not packed.
    """
    for each in windows:
        if not is_packed(each.layout):
            raise errors.kernel_needs_packed(name, Text("elements that lie side by side", "元素连续存放"))
    grid = geometry.grid_for(source.kind, (windows[-1] if source.kind == "scatter_add" else windows[0]).layout.shape)
    return Plan(name, source, grid, windows, [*(each.memory for each in windows), *numbers], device)


def broadcast(layout: Layout, shape: Shape) -> Layout:
    """The layout that shows the same elements again and again, until they have that shape.

    >>> broadcast(Layout((3,), (1,), 0), (2, 3))
    Layout(shape=(2, 3), strides=(0, 1), offset=0)
    """
    if layout.shape == shape:
        return layout
    missing = len(shape) - len(layout.shape)
    known = zip(layout.shape, layout.strides, shape[missing:], strict=True)
    return Layout(shape, (0,) * missing + tuple(0 if n != m else s for n, s, m in known), layout.offset)


def _way(windows: Sequence[Window]) -> tuple[Kind, int] | None:
    """Side by side and in packs (0: as many elements as fit), side by side one by one, or through layouts; None where there
    are more axes than a layout has room for.
    """
    if all(is_packed(each.layout) for each in windows):
        aligned = all(each.layout.offset * geometry.itemsize(each.dtype) % PACK == 0 for each in windows)
        return "contiguous", 0 if aligned else 1
    return None if max(len(each.layout.shape) for each in windows) > MOST_AXES else ("strided", 1)


# ---- carrying it out --------------------------------------------------------------------------------------------------------


def run(plan: Plan) -> None:
    """Launch: on a GPU; elsewhere the text runs on the CPU, thread by thread. Without elements, nothing runs."""
    if not all(each.layout.size for each in plan.windows):
        return
    if _simulated(plan.device):
        from inplacelab.devices.kernels import on_cpu  # noqa: PLC0415  # without a kernel, nobody needs a compiler

        on_cpu.run(plan.source, *plan.grid, plan.arguments)
    else:
        from inplacelab.devices.kernels import on_gpu  # noqa: PLC0415  # and without a GPU, nobody needs CuPy

        on_gpu.run(plan.source, *plan.grid, plan.arguments)


def tell(plan: Plan) -> None:
    """Tell everyone who listens."""
    if not observe.everyone:
        return
    source, operands = plan.source, tuple(each.operand for each in plan.windows)
    storages = [each.storage for each in plan.windows]
    simulated = _simulated(plan.device)
    launch = Launch(
        plan.name, source.kind, *plan.grid, source.width, source.dtype, operands, *traffic.of_kernel(source.kind, operands),
        "" if simulated else _hardware(), simulated,
    )  # fmt: skip
    for each in observe.everyone:
        each.launched(launch, storages)


def _simulated(device: Device) -> bool:
    """On the CPU a kernel is always a simulation of what a GPU would do."""
    return device.simulated or not device.place.is_gpu_place()


def _hardware() -> str:
    from inplacelab.devices.kernels import on_gpu  # noqa: PLC0415

    return on_gpu.device_name()
