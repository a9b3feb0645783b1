"""Operations that give a tensor other bytes: another storage, part of its storage, the result of a function, another device.

`set_`, `resize_` and `reconstruct_from_` change the window of a tensor. It then *is* the view that `as_strided` would return,
with that view's history, so gradients go to the source of the bytes; its former views keep their history. (In PaddlePaddle
3.3.1 the gradient of the old value passes through, which is silently wrong.)

`x.data = y` exchanges the bytes outside the history: the history of `x` does not change, as after a write under `no_grad`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab import backends, dtypes, errors, modes, observe
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import check_leaf, refresh
from inplacelab.backends import Device
from inplacelab.dependence import POINTWISE
from inplacelab.dtypes import DType
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, packed
from inplacelab.ops.arguments.attributes import strides_of
from inplacelab.ops.arguments.operands import as_tensor, refuse_devices
from inplacelab.ops.creation import shape_of
from inplacelab.ops.explicit_views import as_strided
from inplacelab.ops.results import metadata
from inplacelab.ops.results.destinations import move, reallocate
from inplacelab.ops.table import add_row, as_method, as_property
from inplacelab.ops.table.depends import moved
from inplacelab.ops.table.row import Row, Rule, same
from inplacelab.ops.tensor_methods import astype
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor, adopt, fresh, look, show

# ---- two ways to change the window ----------------------------------------------------------------------------------------


def _become(x: Tensor, shown: Tensor) -> None:
    """Makes `x` the view `shown`. If that is a view of `x`, a new tensor takes over the views and history of `x`."""
    move(x, shown, _adopt_view)


def _become_strided(x: Tensor, after: Layout) -> None:
    _become(x, as_strided(x, after.shape, after.strides, after.offset * x.element_size()))


def _adopt_view(x: Tensor, shown: Tensor) -> None:
    adopt(x, shown)
    base = x.base
    assert base is not None
    assert base._views is not None
    base._views.add(x)


def _take_bytes(op: str, x: Tensor, other: Tensor) -> None:
    """Replaces the bytes of `x` by those of `other`, without a change of its history."""
    have, given = x.array, other.array
    if not x.stop_gradient and (have.shape != given.shape or have.dtype != given.dtype):
        raise errors.gradient_would_not_fit(
            op=op, have=x.shape, dtype=have.dtype.name, given=other.shape, given_dtype=given.dtype.name
        )
    move(x, other, _share)


def _share(x: Tensor, other: Tensor) -> None:
    show(x, other.array, other.overlaps)
    x.storage = other.storage
    x.base, x.untracked = None, ""


def _look_at(op: str, x: Tensor, source: Tensor, layout: Layout) -> Tensor:
    """Makes `x` the view of `source` with that layout.

    Under `no_grad` the history of `x` does not change, as with every write that is not recorded.
    """
    if x.storage.device is not source.storage.device:
        refuse_devices(op, x, source)
    shown = observe.silently(as_strided, source, layout.shape, layout.strides, layout.offset * source.element_size())
    if x.base is not None:
        refresh(x)
    if modes.current().recording_history:
        check_leaf(op, x)
    raised = max(x.storage.version, source.storage.version) + 1
    if modes.current().recording_history or x.stop_gradient:
        _become(x, shown)
    else:
        _take_bytes(op, x, shown)
    if op == "set_":
        _raise_version(x.storage, raised)
    if modes.current().listeners:
        observe.notify(op, "reallocated", (x, source), x, x.node)
    return x


def _raise_version(storage: Storage, raised: int) -> None:
    """Raises a storage's version, step by step: nothing was written, so a keeper raises that of its saved tensors, too."""
    keeper = modes.current().keeper
    while storage.version < raised:
        storage.version += 1
        if keeper is not None:
            keeper.after_write(storage)


# ---- another storage ------------------------------------------------------------------------------------------------------


@as_method
def set_(
    x: Tensor,
    source: Tensor | None = None,
    shape: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    offset: int = 0,
    name: str | None = None,
) -> Tensor:
    """Moves `x` to the storage of `source`, with any window; to a new empty storage if there is no source.

    The version is raised above those of both storages. It is the one counter of the storage, so the source has it, too (in
    PaddlePaddle 3.3.1 and PyTorch `x` keeps a counter of its own, which does not notice writes to the source).

    Args:
        x: the tensor to change.
        source: a tensor of the same dtype on the new storage.
        shape: the sizes of the axes; those of `source` if None.
        stride: the stride of each axis, in elements; row-major without gaps if None.
        offset: the position of the first element, in bytes from the beginning of the storage. Without shape, stride and
            offset, `x` gets the window of `source`.
        name: ignored.

    Raises:
        LeafWriteError: if `x` is a leaf that needs a gradient.
        DTypeError: if the source has another dtype.
        IndexRangeError: if the window leaves the storage.

    >>> import inplacelab as paddle
    >>> x, source = paddle.zeros([1], dtype="int64"), paddle.arange(6)
    >>> x.set_(source, [2, 2], offset=16).tolist()
    [[2, 3], [4, 5]]
    >>> _ = x.zero_()                    # in place: the source has those slots, too
    >>> source.tolist()
    [0, 1, 0, 0, 0, 0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/Tensor_en.html
    """
    given = _nothing_like(x) if source is None else as_tensor("set_", "source", 1, source)
    if given.array.dtype != x.array.dtype:
        raise errors.storage_dtype_differs(given=given.array.dtype.name, have=x.array.dtype.name)
    return _look_at("set_", x, given, _window_of(given, shape, stride, offset))


def _nothing_like(x: Tensor) -> Tensor:
    device = x.storage.device
    return fresh(device.empty((0,), x.array.dtype), device)


def _window_of(source: Tensor, shape: Any, stride: Any, offset: int) -> Layout:
    if shape is None and stride is None and offset == 0:
        return source.layout
    sizes = tuple(source.shape) if shape is None else shape_of("set_", shape)
    strides = packed(sizes) if stride is None else tuple(strides_of("set_", stride))
    if len(sizes) != len(strides):
        raise errors.window_strides_missing(sizes=len(sizes), strides=len(strides))
    if offset % source.element_size():
        raise errors.bad_window_offset(offset, source.element_size())
    return Layout(sizes, strides, offset // source.element_size())


@as_method
def reconstruct_from_(self: Tensor, other: Tensor) -> None:
    """Gives this tensor the storage, metadata and history of `other`.

    Raises:
        LeafWriteError: if the tensor is a leaf that needs a gradient. (PaddlePaddle 3.3.1 allows it.)
    """
    given = as_tensor("reconstruct_from_", "other", 1, other)
    if given is not self:
        _look_at("reconstruct_from_", self, given, given.layout)


def _data(self: Tensor) -> Tensor:
    """The same storage and version counter outside the history, as `detach()` returns it. Setting it exchanges the bytes:
    the tensor then shares the storage of the other one, and its history does not change.
    """
    return self.detach()


def _set_data(self: Tensor, other: Tensor) -> None:
    given = as_tensor("data", "value", 1, other)
    if self.base is not None:
        refresh(self)
    _take_bytes("data", self, given)
    if modes.current().listeners:
        observe.notify("data", "reallocated", (self, given), self, self.node)


# ---- another size ---------------------------------------------------------------------------------------------------------


def _lengthen(out: Any, x: Any) -> None:
    line = out.reshape(-1)
    np.copyto(line[: x.size].reshape(x.shape), x)
    line[x.size :] = 0


def _front(g: Tensor, x: Shape) -> Tensor:
    part: Tensor = g.reshape([-1])[: prod(x)]
    return part.reshape(x)


_LENGTHENED = add_row(
    "order", "_lengthened", "x", ("The elements, and zeros after them.", "原有的元素，其后补零。"),
    attrs="shape", kernel=_lengthen, dtype=same, shape=lambda shape: shape, in_place=False, function=False, called="resize_", depends=moved(),
    d_x=lambda g, x_form: _front(g, x_form.shape),
)  # fmt: skip


@as_method
def resize_(x: Tensor, shape: Sequence[int], fill_zero: bool = False, name: str | None = None) -> Tensor:
    """Changes the shape in place, to more or fewer elements of the storage. No data is moved; the version is raised by one.

    Args:
        x: the tensor, contiguous.
        shape: the new sizes.
        fill_zero: for more elements than before, move to a new storage with zeros after the old ones.
        name: ignored.

    Raises:
        LeafWriteError: if `x` is a leaf that needs a gradient.
        ArgumentError: if `shape` is not a list.
        ShapeError: if `x` is not contiguous, or the storage has too few elements and `fill_zero` is False.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2., 3., 4.])
    >>> x.resize_([2]).tolist(), x.resize_([2, 2]).tolist()
    ([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]])
    >>> x.resize_([6], fill_zero=True).tolist()
    [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/Tensor_en.html
    """
    if not isinstance(shape, list | tuple):  # as in Paddle: `resize_(6, 4)` would mean another call
        raise errors.bad_shape(op="resize_", shape=shape)
    sizes = shape_of("resize_", shape)
    if not x.is_contiguous():
        raise errors.elements_scattered(op="resize_", strides=x.strides)
    if fill_zero and prod(sizes) > x.size:
        return reallocate("resize_", x, lambda: x._lengthened(sizes))
    after = Layout(sizes, packed(sizes), x.layout.offset)
    there = x.storage.nbytes // x.element_size() - after.offset
    if after.size > there:
        raise errors.storage_too_small(wanted=after.size, slots=there)
    return _resize_within(x, after)


def _resize_within(x: Tensor, after: Layout) -> Tensor:
    """Sets other metadata on the same storage. History is recorded under `no_grad`, too, as for every change of metadata."""
    mode, storage = modes.current(), x.storage
    if mode.recording_history:
        check_leaf("resize_", x)
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)  # no slot was written
    if x.is_leaf and not x.stop_gradient:  # under no_grad: it stays a leaf
        show(x, look(x, after).array, x.overlaps)
    else:
        observe.silently(modes.run_inside, recording(True), _become_strided, x, after)
    if mode.listeners:
        mode.notify("resize_", "relayout", (x,), x, x.node)
    return x


# ---- the result of a function ----------------------------------------------------------------------------------------------


@as_method
def apply(self: Tensor, func: Callable[[Tensor], Any]) -> Any:
    """Returns `func(tensor)`.

    Raises:
        KernelError: if the tensor needs a gradient: no derivative of `func` is known.
    """
    if not self.stop_gradient:
        raise errors.apply_on_gradient(tensor=self)
    return func(self.detach())


@as_method
def apply_(self: Tensor, func: Callable[[Tensor], Tensor]) -> Tensor:
    """Replaces the tensor's values by `func(tensor)`: in its storage if shape and dtype allow it, otherwise in a new one.

    Args:
        self: the tensor, which must not need a gradient.
        func: takes a tensor and returns one.

    Raises:
        KernelError: if the tensor needs a gradient: no derivative of `func` is known.
        OperandError: if `func` does not return a tensor.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2.])
    >>> x.apply_(lambda t: t * 3.).tolist(), x.inplace_version
    ([3.0, 6.0], 1)
    """
    result = observe.silently(_applied, self, func)
    fits = result.array.shape == self.array.shape and result.array.dtype == self.array.dtype
    if not fits or not result.stop_gradient:
        return reallocate("apply_", self, result.clone)
    observe.silently(self.copy_, result)
    if modes.current().listeners:
        observe.notify("apply_", "in-place", (self,), self, self.node)
    return self


def _applied(x: Tensor, func: Callable[[Tensor], Any]) -> Tensor:
    result = apply(x, func)
    if not isinstance(result, Tensor):
        raise errors.apply_returned_no_tensor(result=result)
    # a window on the storage that is written next is copied
    return result.clone() if result.storage is x.storage else result


# ---- gradients ------------------------------------------------------------------------------------------------------------


def _grad_(self: Tensor) -> Tensor | None:
    """The gradient itself, which may be written; None if there is none."""
    return self.grad


def _set_grad_(self: Tensor, gradient: Tensor) -> None:
    self.grad = as_tensor("grad_", "gradient", 1, gradient)


as_property("data", _data, _set_data)
as_property("grad_", _grad_, _set_grad_)


# ---- transfers to another device (differentiable copies) or another dtype ---------------------------------------------------


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
