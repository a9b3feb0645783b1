"""Reads Paddle's tensors, by the properties and methods that they have when no recording runs.

What is here has no effect, and is not seen by a recording.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import Any

import paddle

from inplacelab.language import Text
from inplacelab.layout import Layout
from inplacelab.recorders.bindings import ATTRIBUTES, Watched, items, of_module
from inplacelab.recorders.recorder import Memory, NoStorageError
from inplacelab.recorders.snapshots import memory_at, shown
from inplacelab.recorders.static import attributes_of

_Tensor: Any = paddle.Tensor
_members: Any = dict(vars(_Tensor))  # before a recording takes the places of some
version_of: Callable[[Any], int] = _members["_inplace_version"]
_read_node: Callable[[Any], Any] = _members["grad_fn"].__get__
gradient_held: Callable[[Any], Any] = _members["grad"].__get__
stopped: Callable[[Any], bool] = _members["stop_gradient"].__get__
_pointer: Callable[[Any], Any] = _members["data_ptr"]
_offset: Callable[[Any], Any] = _members["offset"].__get__
size_of: Callable[[Any], int] = _members["_holder_size"]
shape_of: Callable[[Any], Any] = _members["shape"].__get__
_strides_of: Callable[[Any], Any] = _members["strides"].__get__
_dtype_of: Callable[[Any], Any] = _members["dtype"].__get__
_place_of: Callable[[Any], Any] = _members["place"].__get__
is_dense: Callable[[Any], bool] = _members["is_dense"]
is_distributed: Callable[[Any], bool] = _members["is_dist"]

LEAF_NODE = "GradNodeAccumulation"
"""The name of the node that accumulates the gradient of a leaf."""
CUSTOM_NODE = "GradNodePyLayer"
"""How the names of the nodes of the program's own functions begin."""


_drop: Any = ctypes.pythonapi.Py_DecRef
_drop.argtypes, _drop.restype = [ctypes.py_object], None


def node_of(tensor: Any) -> Any:
    """Returns the grad node of a tensor. Paddle 3.3 forgets a reference to each node that it returns: that one is dropped here,
    as the node, and what it has saved, would otherwise never be freed.
    """
    node = _read_node(tensor)
    if node is not None and _forgets_references(tensor):
        _drop(node)
    return node


def edges_of(node: Any) -> Any:
    """Returns the nodes that receive the gradients of a node; None for an input that needs none."""
    return node.next_functions


_forgets: list[bool] = []


def _forgets_references(tensor: Any) -> bool:
    """Whether Paddle forgets a reference to each node that it returns: found out once, with the node of a tensor."""
    if not _forgets:
        node = _read_node(tensor)
        before = getrefcount(node)
        again = _read_node(tensor)
        _forgets.append(again is node and getrefcount(node) == before + 2)
        for _ in range(2 * _forgets[0]):
            _drop(node)
    return _forgets[0]


def address_of(tensor: Any) -> int:
    """Returns where the memory of a tensor's storage starts; 0 if it has none."""
    return _pointer(tensor) - _offset(tensor) if size_of(tensor) else 0


def layout_of(tensor: Any) -> Layout:
    """Returns the layout of a tensor in its storage, in its own elements."""
    offset = _offset(tensor) or 0
    shape = tuple(shape_of(tensor))
    return Layout(shape, tuple(_strides_of(tensor)) if shape else (), offset // _item(_dtype_of(tensor)))


def values_of(tensor: Any) -> Any:
    """Returns the values of a tensor in row-major order; None if they cannot be read without waiting."""
    name = dtype_name(tensor)
    memory = memory_at(address_of(tensor), size_of(tensor), name) if device_name(tensor) == "cpu" else None
    return None if memory is None else shown(memory, name, layout_of(tensor))


_dtypes: dict[Any, tuple[str, int]] = {}
_items: dict[str, int] = {}


def _known_dtype(dtype: Any) -> tuple[str, int]:
    if dtype not in _dtypes:
        name = str(dtype).removeprefix("paddle.")
        _dtypes[dtype] = name, paddle.base.core.size_of_dtype(dtype)
        _items[name] = _dtypes[dtype][1]
    return _dtypes[dtype]


def _item(dtype: Any) -> int:
    return _known_dtype(dtype)[1]


def dtype_name(tensor: Any) -> str:
    """Returns the name of the type of a tensor's elements: "float32"."""
    return _known_dtype(_dtype_of(tensor))[0]


def item_size(dtype: str) -> int:
    """Returns how many bytes an element of a known type has."""
    return _items[dtype]


_devices: dict[str, str] = {}


def has_memory(tensor: Any) -> bool:
    """Returns whether a tensor has memory: a result that an operation leaves out, as `embedding_renorm_` does, has none, not even a place."""
    try:
        _place_of(tensor)
    except RuntimeError:
        return False
    return True


def device_name(tensor: Any) -> str:
    """Returns where a tensor is: "cpu", "gpu:0"."""
    said = str(_place_of(tensor))
    if said not in _devices:
        _devices[said] = said.removeprefix("Place(").removesuffix(")")
    return _devices[said]


_PARTS = Text(
    "A sparse tensor has no storage of its own: compare its `indices()` or its `values()`.",
    "稀疏张量没有自己的存储：请比较它的 `indices()` 或 `values()`。",
)
_SPREAD = Text(
    "A distributed tensor is spread over several devices: compare its local part.",
    "分布式张量分散在多个设备上：请比较它的本地部分。",
)


def memory_of(tensor: Any) -> Memory:
    """Returns where the storage of a tensor is (see `Recorder.memory_of`)."""
    if is_distributed(tensor):
        raise NoStorageError(str(_SPREAD))
    if not is_dense(tensor):
        raise NoStorageError(str(_PARTS))
    start = address_of(tensor)
    return Memory(start or None, start, size_of(tensor), "paddle")


def _further(holder: Any, _: object) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a layer and those inside it, or of an optimizer's state, which are not attributes."""
    if issubclass(type(holder), paddle.nn.Layer):
        yield from of_module(holder, "_sub_layers")
    else:
        for kind, held in items(attributes_of(holder).get("_accumulators"), ATTRIBUTES):
            for place, (_, each) in enumerate(items(held, ATTRIBUTES)):
                yield f".{kind}[{place}]", each


WATCHED = Watched(paddle.Tensor, (paddle.nn.Layer, paddle.optimizer.Optimizer), (), _further)
"""The classes whose objects have names."""
