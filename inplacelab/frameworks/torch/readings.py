"""Reads PyTorch's tensors and nodes without running code of the program, and without the functions that a mode overrides.

Some of PyTorch's properties do more than they seem to. To read `grad_fn` or `is_leaf` of a view whose storage was written since makes a
new node (see `objects.py`): `node_of` does so. `_raw_saved_*` shows a saved tensor without unpacking it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch

from inplacelab.language import Text, enumerated
from inplacelab.layout import Layout
from inplacelab.recorders.bindings import Watched, marks_of, parts_of
from inplacelab.recorders.recorder import Memory, NoStorageError
from inplacelab.recorders.static import class_name

_Tensor: Any = torch.Tensor


_no_functions, _no_dispatch = torch._C.DisableTorchFunction, torch._C._DisableTorchDispatch


class Unseen:
    """A block in which neither modes nor subclasses of the program see what a recorder calls."""

    __slots__ = ("_below", "_function")

    def __enter__(self) -> None:
        self._function, self._below = _no_functions(), _no_dispatch()
        self._function.__enter__()
        self._below.__enter__()

    def __exit__(self, *_: object) -> None:
        self._below.__exit__(None, None, None)
        self._function.__exit__(None, None, None)


version_of: Callable[[Any], int] = _Tensor._version.__get__
needs_gradient: Callable[[Any], bool] = _Tensor.requires_grad.__get__
node_of: Callable[[Any], Any] = _Tensor.grad_fn.__get__
gradient_held: Callable[[Any], Any] = _Tensor._grad.__get__
base_of: Callable[[Any], Any] = _Tensor._base.__get__
retains_grad: Callable[[Any], bool] = _Tensor.retains_grad.__get__
shape_of: Callable[[Any], Any] = _Tensor.shape.__get__
dtype_of: Callable[[Any], Any] = _Tensor.dtype.__get__
device_of: Callable[[Any], Any] = _Tensor.device.__get__
kind_of_layout: Callable[[Any], Any] = _Tensor.layout.__get__
strides_of: Callable[[Any], tuple[int, ...]] = _Tensor.stride
offset_of: Callable[[Any], int] = _Tensor.storage_offset
untyped_of: Callable[[Any], Any] = _Tensor.untyped_storage
is_nested: Callable[[Any], bool] = _Tensor.is_nested.__get__
is_inference: Callable[[Any], bool] = _Tensor.is_inference
is_conj: Callable[[Any], bool] = _Tensor.is_conj
is_neg: Callable[[Any], bool] = _Tensor.is_neg
_creation_meta: Callable[[Any], Any] | None = getattr(torch._C._autograd, "_get_creation_meta", None)
_set_creation_meta: Callable[[Any, Any], None] | None = getattr(torch._C._autograd, "_set_creation_meta", None)
is_wrapped: Callable[[Any], bool] = getattr(torch._C._functorch, "is_functorch_wrapped_tensor", lambda _: False)
_RESULTS = frozenset(("result", "result0", "output"))
"""What PyTorch's derivatives call the result of an operation. Recordings call it "out"."""

WATCHED = Watched(
    _Tensor, (torch.nn.Module, torch.optim.Optimizer), (), parts_of(torch.nn.Module),
    marks=marks_of(torch.nn.Module, _Tensor),
)  # fmt: skip
"""The classes whose objects lead to tensors that have names: modules, with those inside them, and optimizers."""
_CPU = torch.device("cpu")  # to compare it takes less time than to read a device's `type`
LEAF_NODE = "torch::autograd::AccumulateGrad"

SHOWS_SAVED = hasattr(getattr(torch._C._autograd, "SavedTensor", None), "data")
"""Whether PyTorch shows a saved tensor without unpacking it. Version 2.6 does not."""


def edges_of(node: Any) -> list[Any]:
    """Returns the nodes that receive the gradients of a node; None for an input that needs none."""
    return [following for following, _ in node.next_functions]


def saved_by(node: Any) -> Iterator[tuple[str, Any]]:
    """Yields what a node has saved, as PyTorch's `SavedTensor`s, by the derivative's names."""
    for attribute, name in _names_saved[type(node)] if SHOWS_SAVED else ():
        try:
            found = getattr(node, attribute)
        except RuntimeError:  # a list that was released
            continue
        if type(found) is tuple or type(found) is list:
            yield from ((f"{name}[{k}]", each) for k, each in enumerate(found))
        else:
            yield name, found


def was_released(node: Any) -> bool:
    """Whether an earlier pass has released what a node had saved: PyTorch refuses to unpack that. Nothing is unpacked that is there."""
    for attribute, _ in _names_saved[type(node)] if SHOWS_SAVED else ():
        try:
            found = getattr(node, attribute)
            # Where a version of PyTorch does not show whether there is a hook, nothing is asked: the hook would be called.
            if (
                not isinstance(found, tuple | list)
                and found.data is None
                and getattr(found, "unpack_hook", found) is None
            ):
                getattr(node, attribute.removeprefix("_raw"))
        except RuntimeError:
            return True
    return False


class _SavedNames(dict[type, list[tuple[str, str]]]):
    """For each kind of node, the attributes that show what it has saved, with the derivative's names for that."""

    def __missing__(self, kind: type) -> list[tuple[str, str]]:
        attributes = [name for name in dir(kind) if name.startswith("_raw_saved_")]
        names = [attribute.removeprefix("_raw_saved_") for attribute in attributes]
        self[kind] = [(each, "out" if name in _RESULTS else name) for each, name in zip(attributes, names, strict=True)]
        return self[kind]


_names_saved = _SavedNames()
_STALE = re.compile(r"is at version (?P<found>\d+); expected version (?P<kept>\d+) instead")


def kept_version(node: Any, name: str, saved: Any) -> tuple[int, bool]:
    """Returns at which version a node has saved a tensor, and whether that is certain: of a node that was made unseen.

    PyTorch tells the version only where it refuses to unpack a tensor that was written since. To unpack a view that was written through
    another tensor would make a node for it, so that is not done: it was saved at an earlier version than the present one.

    Args:
        node: the node.
        name: the name of what it has saved, as `saved_by` yields it.
        saved: PyTorch's `SavedTensor`, which no hook has packed.
    """
    now = version_of(saved.data)
    if not now:
        return now, True
    if is_outdated(saved.data):
        return now - 1, now == 1
    for unpack in _ways_to_unpack(node, name, saved):
        try:
            unpack()
        except RuntimeError as error:
            found = _STALE.search(str(error))
            if found is not None and int(found["found"]) == now:
                return int(found["kept"]), True
        else:
            return now, True
    return now, False


def _ways_to_unpack(node: Any, name: str, saved: Any) -> Iterator[Callable[[], object]]:
    listed, is_part, _ = name.partition("[")
    names = [each for each, called in _names_saved[type(node)] if called == listed]
    if is_part:
        yield saved.unpack  # which PyTorch cannot do for a result of the node
        parts = [each.data for attribute in names for each in getattr(node, attribute)]
        if not all(issubclass(type(each), torch.Tensor) for each in parts):  # a hook of the program would run
            return
    for attribute in names:
        unpacked = attribute.removeprefix("_raw")
        yield partial(getattr, node, unpacked if hasattr(type(node), unpacked) else "saved_tensors", None)


def shown(name: str) -> str:
    """Returns the name of a node as `repr` shows it: "AccumulateGrad" for "torch::autograd::AccumulateGrad"."""
    return name.rpartition("::")[2]


def has_version(tensor: Any) -> bool:
    """Whether PyTorch counts the versions of a tensor: it does not for those made in `torch.inference_mode()`, whatever they hold now."""
    try:
        return version_of(tensor) >= 0
    except RuntimeError:
        return False


def is_trained(tensor: Any) -> bool:
    """Whether a tensor is a leaf that requires a gradient, and no view: of a view, that cannot be asked without a change (see above)."""
    return bool(tensor.requires_grad) and not tensor._is_view() and bool(tensor.is_leaf)


def is_outdated(view: Any) -> bool:
    """Whether PyTorch makes another node for a view when its node is read next, because its storage was written through another tensor.

    PyTorch tells it only by an error, of views that may not be made again. So the view is taken for one of these while it is asked.
    """
    if not version_of(view) or base_of(view) is None or _creation_meta is None or _set_creation_meta is None:
        return False
    before = _creation_meta(view)
    if before.name == "DEFAULT":
        _set_creation_meta(view, torch._C._autograd.CreationMeta.MULTI_OUTPUT_NODE)
    try:
        node_of(view)
    except RuntimeError:
        return True
    finally:
        if before.name == "DEFAULT":
            _set_creation_meta(view, before)
    return False


def may_be_remade(view: Any) -> bool:
    """Whether PyTorch makes another node for a view whose base was written: it refuses to use some views after that."""
    return _creation_meta is None or _creation_meta(view).name == "DEFAULT"


_AS_STRIDED = ("AsStridedBackward0",)


def remade_nodes(view: Any, base: Any) -> tuple[str, ...]:
    """Returns the names of the nodes that PyTorch makes for a view whose base was written, from the view to its base.

    These depend on how the view was made: most are made again by one `as_strided`, but not those of complex numbers. So PyTorch is asked
    to make the view again, of a base without memory.
    """
    storage = base.untyped_storage()
    try:
        with torch.enable_grad():
            slots = torch.empty(storage.nbytes() // base.itemsize, dtype=base.dtype, device="meta")
            other = slots.as_strided(base.shape, base.stride(), base.storage_offset()).detach().requires_grad_()
            node = view._view_func_unsafe(other).grad_fn
    except (RuntimeError, AttributeError):  # of another version, or inside a transformation
        return _AS_STRIDED
    names = []
    while node is not None and node.name() != LEAF_NODE:
        names.append(shown(node.name()))
        node = node.next_functions[0][0]
    return tuple(names) or _AS_STRIDED


def layout_of(tensor: Any) -> Layout:
    """Returns the layout of a tensor in its storage, in its own elements."""
    return Layout(tuple(shape_of(tensor)), strides_of(tensor), offset_of(tensor))


class _DtypeNames(dict[Any, str]):
    def __missing__(self, dtype: Any) -> str:
        self[dtype] = name = str(dtype).removeprefix("torch.")
        return name


dtype_names = _DtypeNames()
"""The names of types of elements: "float32"."""


class _DeviceNames(dict[Any, str]):
    def __missing__(self, device: Any) -> str:
        self[device] = name = str(device)
        return name


device_names = _DeviceNames()
"""The names of devices: "cpu"."""


def storage_of(tensor: Any) -> Any:
    """Returns a tensor's storage, or that of the tensor that a wrapper of `torch.func` holds; None if it has none, as a sparse one."""
    while is_wrapped(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    strided = kind_of_layout(tensor) is torch.strided and not _Tensor.is_nested.__get__(tensor)
    return _Tensor.untyped_storage(tensor) if strided else None


def start_of(storage: Any) -> int:
    """Returns the address of a storage's memory; 0 if it has none."""
    device = storage.device
    if device != _CPU and device.type == "meta":  # of a `FakeTensor`, too
        return 0
    try:
        return int(storage.data_ptr())
    except RuntimeError:  # a storage without memory
        return 0


_PARTS = Text(
    "A tensor of layout {0} has no storage of its own: compare its parts, such as {1}.",
    "布局为 {0} 的张量没有自己的存储：请比较它的组成部分，例如 {1}。",
)
_NESTED = Text(
    "A nested tensor has no storage of its own: compare its `values()`.",
    "嵌套张量没有自己的存储：请比较它的 `values()`。",
)
_WRAPPED = Text(
    "A tensor inside `vmap`, `grad` or another transformation stands for others and has no storage of its own: compare tensors outside it.",
    "`vmap`、`grad` 等变换内部的张量代表别的张量，没有自己的存储：请在变换之外比较。",
)
_NO_MEMORY = Text(
    "A tensor of type {0} has no memory that PyTorch shows: compare the tensors that it is made of.",
    "PyTorch 不显示类型为 {0} 的张量的内存：请比较组成它的张量。",
)
_LAYOUT_PARTS = {
    torch.sparse_coo: ("`_indices()`", "`_values()`"),
    torch.sparse_csr: ("`crow_indices()`", "`values()`"),
}


def memory_of(tensor: Any) -> Memory:
    """Returns where the storage of a tensor is (see `Recorder.memory_of`)."""
    with Unseen():
        if is_wrapped(tensor):
            raise NoStorageError(str(_WRAPPED))
        if _Tensor.is_nested.__get__(tensor):
            raise NoStorageError(str(_NESTED))
        if (layout := kind_of_layout(tensor)) is not torch.strided:
            raise NoStorageError(str(_PARTS.format(layout, enumerated(_LAYOUT_PARTS.get(layout, ("`values()`",))))))
        try:
            storage = _Tensor.untyped_storage(tensor)
            start, size = start_of(storage), storage.nbytes()
        except (RuntimeError, NotImplementedError):
            raise NoStorageError(str(_NO_MEMORY.format(class_name(type(tensor))))) from None
        if size and not start and storage.device.type != "meta":
            raise NoStorageError(str(_NO_MEMORY.format(class_name(type(tensor)))))
        return Memory(storage._cdata, start, size, "torch")
