"""Plans a launch (`elementwise`, `whole`), runs it (`run`) and reports it to observers (`report`).

A plan has the source, the grid and the arguments. It is the same on every device, so a simulated launch is reported as a real one
would be. An element-wise kernel also needs a plan of its accesses (`plan`): the order of the elements, the width of packs and the width of
indices. The order of the elements does not matter to an element-wise operation. So the axes of its operands can be permuted and merged, and
every axis less saves a division for each element:

>>> turned = Layout((64, 64), (1, 64), 0)                      # a transposed matrix covers all of its slots
>>> merged([turned], 0)
(Layout(shape=(4096,), strides=(1,), offset=0),)
>>> left = Layout((2, 3, 4), (120, 40, 10), 0), Layout((2, 3, 4), (12, 4, 1), 0)
>>> merged(left, 1)
(Layout(shape=(24,), strides=(10,), offset=0), Layout(shape=(24,), strides=(1,), offset=0))

PyTorch's `TensorIterator` does the same, for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inplacelab import errors, modes
from inplacelab.kernels import geometry, traffic
from inplacelab.kernels.geometry import Grid
from inplacelab.kernels.launch import PACK, Launch, Memory, Operand, Role, width_of
from inplacelab.kernels.sources import Form, Source, multiplies
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, extent, is_packed

if TYPE_CHECKING:
    from inplacelab.backends.base import Device
    from inplacelab.storage import Storage


@lru_cache(maxsize=4096)
def packed_layout(layout: Layout, bits: int, axes: int) -> np.ndarray[Any, Any]:
    """Converts a layout to the bytes of `struct Layout` in strided.cu. Results are cached.

    Args:
        layout: a layout with at most `axes` axes; axes of size 1 are added in front.
        bits: the width of its numbers: 32 or 64.
        axes: the number of axes of the kernel.

    Returns:
        A read-only array without axes.
    """
    number, missing = f"i{bits // 8}", axes - len(layout.shape)
    fields: list[tuple[Any, ...]] = [("offset", number), ("shape", number, (axes,)), ("strides", number, (axes,))]
    if multiplies(bits, axes):
        fields.append(("sizes", "u4", (axes, 2)))
    made = np.zeros((), np.dtype(fields))
    shape = (1,) * missing + layout.shape
    made["offset"] = layout.offset
    made["shape"], made["strides"] = shape, (0,) * missing + layout.strides
    if multiplies(bits, axes):
        made["sizes"] = [divisor(size) for size in shape]
    made.flags.writeable = False
    return made


def divisor(size: int) -> tuple[int, int]:
    """Returns `magic` and `shift` of a `Divisor` (divisor.cu), which replace `n // size` by a product, a sum and a shift.

    The upper 32 bits of the 64-bit product are used. The result is exact for all `n` below 2**31.

    >>> magic, shift = divisor(7)
    >>> [((n * magic >> 32) + n) >> shift for n in (0, 6, 7, 13, 14, 2**31 - 1)] == [0, 0, 1, 1, 2, (2**31 - 1) // 7]
    True

    Source: T. Granlund and P. L. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994.
    """
    shift = (size - 1).bit_length()
    return (2**32 * (2**shift - size)) // size + 1, shift


FITS = 2**31 - geometry.MOST_BLOCKS * geometry.THREADS
"""The largest count for 32-bit indices. The last turn of a loop adds one whole grid to the index before the loop ends."""


class AccessPlan(NamedTuple):
    """Everything that determines a launch except addresses.

    Attributes:
        form: the form of the kernel.
        layouts: the layouts of the operands, with axes permuted and merged.
        passed: the layouts that the kernel takes as arguments, in packs of `width`; none for a contiguous kernel.
        turns: the kernel's argument `n`: elements or packs for a strided kernel, elements for a contiguous one.
        grid: the blocks and threads.
    """

    form: Form
    layouts: tuple[Layout, ...]
    passed: tuple[Layout, ...]
    turns: int
    grid: Grid


@lru_cache(maxsize=4096)
def plan(layouts: tuple[Layout, ...], dtypes: tuple[str, ...], written: int, *, aligned: bool) -> AccessPlan:
    """Plans the accesses for some operands. Results are cached, because the same operands occur again and again.

    Args:
        layouts: the layouts of the operands, which are broadcast to the shape of the one that is written.
        dtypes: their dtypes.
        written: the position of the operand that is written.
        aligned: whether all storages begin at a multiple of 16 bytes.
    """
    shape = layouts[written].shape
    met = tuple(broadcast(each, shape) for each in layouts)
    if not all(map(is_packed, met)):
        met = merged(met, written)
    n, once = met[written].size, _once(met)
    packed = [(each, dtype) for k, (each, dtype) in enumerate(zip(met, dtypes, strict=True)) if k not in once]
    most = width_of(dtype for _, dtype in packed) if aligned else 1
    if all(is_packed(each) or not any(each.strides) for each in met):  # in one run, or a single element
        width = most if all(each.offset % most == 0 for each, _ in packed) else 1
        return AccessPlan(Form("contiguous", width, once=once), met, (), n, geometry.elementwise(n, width))
    width = most if all(_in_packs(each, most) for each, _ in packed) else 1
    once = once if width > 1 else ()  # element by element, broadcast operands need no special case
    passed = tuple(packs(each, width) for each in met)
    form = Form("strided", width, bits(met), len(met[written].shape), once)
    return AccessPlan(form, met, passed, n // width, geometry.elementwise(n, width))


def form_of(launch: Launch) -> Form:
    """Returns the form of the kernel of a launch of the kind "contiguous" or "strided"."""
    layouts = [each.layout for each in launch.operands]
    if launch.kind == "contiguous":
        return Form("contiguous", launch.width, once=_once(layouts))
    once = _once(layouts) if launch.width > 1 else ()
    return Form("strided", launch.width, bits(layouts), len(layouts[0].shape), once)


def _once(layouts: Sequence[Layout]) -> tuple[int, ...]:
    """The positions of the operands that are broadcast along the last axis: one load serves all neighbors."""
    return tuple(k for k, each in enumerate(layouts) if geometry.stays(each))


def broadcast(layout: Layout, shape: Shape) -> Layout:
    """Broadcasts a layout to a shape.

    Args:
        layout: the layout.
        shape: a shape to which it can be broadcast.

    Returns:
        A layout with stride 0 along the broadcast axes.

    >>> broadcast(Layout((3,), (1,), 0), (2, 3))
    Layout(shape=(2, 3), strides=(0, 1), offset=0)
    """
    if layout.shape == shape:
        return layout
    missing = len(shape) - len(layout.shape)
    known = zip(layout.shape, layout.strides, shape[missing:], strict=True)
    return Layout(shape, (0,) * missing + tuple(0 if n != m else s for n, s, m in known), layout.offset)


def merged(layouts: Sequence[Layout], written: int) -> tuple[Layout, ...]:
    """Permutes and merges the axes, so that as few as possible are left, in the memory order of the operand that is written.

    Two axes are merged if in every operand the outer stride is the inner stride times the inner size.

    Args:
        layouts: the layouts of the operands, all of one shape.
        written: the position of the operand that is written.

    Returns:
        Layouts of the same elements.
    """
    shape, strides = layouts[written].shape, layouts[written].strides
    axes = sorted((axis for axis, size in enumerate(shape) if size != 1), key=lambda axis: -abs(strides[axis]))
    found: list[tuple[int, tuple[int, ...]]] = []
    for axis in axes:
        size, steps = shape[axis], tuple(each.strides[axis] for each in layouts)
        if found and found[-1][1] == tuple(size * step for step in steps):
            size *= found.pop()[0]
        found.append((size, steps))
    sizes = tuple(size for size, _ in found)
    return tuple(
        Layout(sizes, tuple(steps[k] for _, steps in found), each.offset) for k, each in enumerate(layouts)
    )  # fmt: skip


def packs(layout: Layout, width: int) -> Layout:
    """Returns the layout of packs of neighboring elements.

    Args:
        layout: the layout of single elements.
        width: the number of elements in a pack.

    Returns:
        A layout whose strides and offset count packs; of an operand that is broadcast along the last axis, single elements.

    >>> packs(Layout((2, 8), (16, 1), 4), 4)
    Layout(shape=(2, 2), strides=(4, 1), offset=1)
    """
    if width == 1:
        return layout
    (*outer, inner), (*steps, step) = layout.shape, layout.strides
    if step == 0:  # broadcast: one element for every pack of the others
        return Layout((*outer, inner // width), layout.strides, layout.offset)
    return Layout((*outer, inner // width), (*(step // width for step in steps), 1), layout.offset // width)


def _in_packs(layout: Layout, width: int) -> bool:
    """Whether the last axis consists of neighboring slots that can be divided into aligned packs."""
    whole = (layout.shape[-1], layout.offset, *layout.strides[:-1])
    return layout.strides[-1] == 1 and all(each % width == 0 for each in whole)


def bits(layouts: Sequence[Layout]) -> int:
    """Returns the width of indices, 32 or 64 bits, that elements and slots need.

    >>> bits([Layout((10,), (2,), 0)]), bits([Layout((3,), (2**30,), 0)])
    (32, 64)
    """
    return 32 if all(each.size < FITS and extent(each)[1] < FITS for each in layouts) else 64


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
    accesses = plan(tuple([each.layout for each in windows]), dtypes, written, aligned=aligned)
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
    _runner(simulated=_simulated(plan.device)).prepare(plan.source)


def run(plan: Plan) -> None:
    """Runs a plan: on a GPU, or else on the CPU, thread by thread. If an operand is empty, nothing runs."""
    if all(each.layout.size for each in plan.windows):
        _runner(simulated=_simulated(plan.device)).run(plan.source, plan.grid.blocks, plan.grid.threads, plan.arguments)


def report(plan: Plan) -> None:
    """Reports a plan as a `Launch` to the observers, if there are any."""
    if not modes.current().launch_listeners:
        return
    source, simulated = plan.source, _simulated(plan.device)
    operands = tuple(each.operand(layout) for each, layout in zip(plan.windows, plan.layouts, strict=True))
    launch = Launch(
        plan.name, source.kind, *plan.grid, source.width, source.dtype, operands, *traffic.of_kernel(source.kind, operands, source.width),
        "" if simulated else _runner(simulated=False).device_name(), simulated,
    )  # fmt: skip
    storages = [each.storage for each in plan.windows]
    for each in modes.current().launch_listeners:
        each.launched(launch, storages)


@cache
def _runner(*, simulated: bool) -> Any:
    """Imports a runner when it is first used: `on_cpu` needs a compiler, `on_gpu` needs CuPy."""
    return import_module("inplacelab.kernels.on_cpu" if simulated else "inplacelab.kernels.on_gpu")


def _simulated(device: Device) -> bool:
    """Whether the launch is simulated: always on the CPU."""
    return device.simulated or not device.place.is_gpu_place()
