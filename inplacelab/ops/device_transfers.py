"""Transfers of tensors to another device (differentiable copies) or another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import backends, dtypes, errors, modes, observe
from inplacelab.autograd.history import refresh
from inplacelab.backends import Device
from inplacelab.dependence import POINTWISE
from inplacelab.dtypes import DType
from inplacelab.language import Text
from inplacelab.ops.operators import astype
from inplacelab.ops.results import metadata
from inplacelab.ops.table.exports import as_method, as_property
from inplacelab.ops.table.row import Row, Rule
from inplacelab.tensor import Tensor, fresh

_TO = Row(
    name="to", kind="transfer", inputs=("x",), attrs="source", node="MemcpyGradNode", in_place=False,
    says=Text("A copy on another device.", "另一设备上的副本。"),
    rules=(Rule(lambda g, source: _moved(g, source)),),
)  # fmt: skip


def _moved(x: Tensor, target: Device) -> Tensor:
    source = x.storage.device
    if target is source:
        return x
    if x.base is not None:
        refresh(x)
    result = fresh(target.from_host(source.to_host(x.array)), target)
    node = metadata.attach(_TO, x, result, {"source": source})
    if modes.current().listeners:
        observe.notify("to", "ordinary", (x,), result, node, depends=POINTWISE)
    return result


@as_method
def to(
    self: Tensor, *where: Any, device: Any = None, dtype: Any = None, other: Tensor | None = None, blocking: bool = True
) -> Tensor:
    """Returns the tensor on another device, in another dtype, or both; the tensor itself if it has both already.

    The arguments are those of Paddle: `x.to("gpu")`, `x.to("float64")`, `x.to("cpu", "int32")`, `x.to(other)`, or by name.
    Gradients flow through it.

    Args:
        self: the tensor.
        where: a device, a dtype, both in this order, or a tensor that has both; then `blocking`.
        device: a device or place.
        dtype: the type of the elements.
        other: a tensor that has the device and the dtype.
        blocking: whether to wait for the copy (NumPy always does).

    Raises:
        OptionError: if there are no arguments.
        DeviceError: if there is no such device.
    """
    device, dtype = _device_and_dtype(where if other is None else (other,), device, dtype)
    if device is None and dtype is None:
        raise errors.nowhere_to_move()
    moved = self if device is None else _moved(self, backends.find(device))
    return moved if dtype is None else astype(moved, dtype)


def _device_and_dtype(where: tuple[Any, ...], device: Any, dtype: Any) -> tuple[Any, Any]:
    """The device and the dtype from all forms of arguments; None if not given."""
    first: Any
    second: Any
    first, second, *_ = (*where, None, None)
    if isinstance(first, Tensor):
        return first.storage.device, first.dtype
    if _is_dtype(first):
        return device, first
    if isinstance(second, bool):  # blocking
        second = None
    return (device if first is None else first), (dtype if second is None else second)


def _is_dtype(value: Any) -> bool:
    return isinstance(value, DType | np.dtype) or (isinstance(value, str) and value in dtypes.NAMES)


@as_method
def cpu(self: Tensor) -> Tensor:
    """Returns the tensor on the CPU; the tensor itself if it is there already, as in Paddle."""
    return to(self, "cpu")


@as_method
def cuda(self: Tensor, device_id: int | None = None, blocking: bool = True) -> Tensor:
    """Returns the tensor on the GPU; the tensor itself if it is there already. On the simulated GPU only after `set_device`.

    Args:
        self: the tensor.
        device_id: the number of the GPU: 0.
        blocking: whether to wait for the copy. The copy is in order with all other work on the GPU's stream.

    Raises:
        DeviceError: if there is no GPU, and no simulated one has been chosen with `set_device`.
    """
    return to(self, "gpu" if device_id is None else f"gpu:{device_id}")


@as_method
def pin_memory(self: Tensor, blocking: bool = True) -> Tensor:
    """Returns a copy in pinned memory, from which a GPU copies faster; the tensor itself if it is there already.

    Raises:
        DeviceError: if neither a GPU nor the simulated one has been chosen with `set_device`.
    """
    here = self.storage.device
    if here.place.is_cuda_pinned_place():
        return self
    gpu = here if here.place.is_gpu_place() else backends.current()
    if not gpu.place.is_gpu_place():
        raise errors.no_pinned_memory()
    return _moved(self, backends.pinned_for(gpu))


def is_cuda(self: Tensor) -> bool:
    """True if the storage is on a GPU, real or simulated."""
    return self.place.is_gpu_place()


as_property("is_cuda", is_cuda)
