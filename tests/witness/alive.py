"""What is alive between two statements, found by brute force: every object that Python knows of, every name in sight."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from inplacelab.autograd.history import refresh
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node
from inplacelab.nn import Layer
from inplacelab.optimizer import Optimizer
from inplacelab.storage import Storage, Unaccounted
from inplacelab.tensor import Tensor

Layout = tuple[tuple[int, ...], tuple[int, ...], int]
"""Shape, strides and offset, in elements."""
FIRST = 16
"""So many elements of a list or a dictionary have names."""


@dataclass(frozen=True)
class TensorPicture:
    layout: Layout
    dtype: str
    needs_gradient: bool
    leaf: bool
    storage: int
    base: int | None
    node: int | None
    grad: int | None


@dataclass(frozen=True)
class StoragePicture:
    bytes: int
    slots: int
    dtype: str
    version: int
    values: Any
    """Bytes; or, where a recording keeps a summary, a `Summary`."""


@dataclass(frozen=True)
class NodePicture:
    name: str
    edges: tuple[int, ...]
    saved: tuple[tuple[str, int, int, Layout, bool], ...]
    """Name, storage, version, layout, whether it is a copy."""
    leaf: int | None


@dataclass(frozen=True)
class Picture:
    """Everything at one moment. Keys identify an object within this picture only."""

    tensors: Mapping[int, TensorPicture]
    storages: Mapping[int, StoragePicture]
    nodes: Mapping[int, NodePicture]
    names: Mapping[str, frozenset[int]]
    """The tensors that an expression leads to: several if scopes use one name for different tensors."""
    expected: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Those of the names that a recording is expected to have: outside functions all of them, in functions identifiers; with `.grad`."""
    reached: frozenset[int] = frozenset()
    """The tensors that a recording is expected to name: those that names lead to, directly or through what they lead to."""
    live: int = 0
    peak: int = 0


def picture(innermost: FrameType | None, filename: str, extra: Mapping[str, Any] | None = None) -> Picture:
    """What is alive now. Names are those of the frames that run `filename`, or those in `extra`.

    `gc.freeze()` was called before the program began, so that only its own objects are gone through.
    """
    objects = gc.get_objects()
    tensors = [each for each in objects if isinstance(each, Tensor)]
    for each in tensors:
        if each.base is not None:
            refresh(each)
    storages = [each for each in objects if isinstance(each, Storage)]
    nodes = [each for each in gc.get_objects() if issubclass(type(each), Node)]
    inner = {each.inner for each in nodes if isinstance(each, CopySlicesNode)}
    scopes = _scopes(innermost, filename) if extra is None else [("", extra, extra.get("__name__", "builtins"))]
    names, expected, reached = _names(scopes)
    return Picture(
        {id(each): _tensor(each) for each in tensors},
        {id(each): _storage(each) for each in storages},
        {each.serial: _node(each) for each in nodes if each not in inner},
        {label: frozenset(found) for label, found in names.items()},
        {label: frozenset(found) for label, found in expected.items()},
        frozenset(reached),
        sum(each.nbytes for each in storages if not isinstance(each, Unaccounted)),
    )


def _names(
    scopes: Iterable[tuple[str, Mapping[str, Any], str]],
) -> tuple[dict[str, set[int]], dict[str, set[int]], set[int]]:
    """All expressions that lead to tensors; those of them that are expected; and the tensors that are expected to be named."""
    names: dict[str, set[int]] = {}
    expected: dict[str, set[int]] = {}
    reached: set[int] = set()
    for function, scope, module in scopes:
        for name, value in list(scope.items()):
            for path, tensor in _leads_to(name, value, module):
                reached.add(id(tensor))
                leads = [(path, tensor)] if tensor._grad is None else [(path, tensor), (f"{path}.grad", tensor._grad)]
                for label, end in leads:
                    for each in {label, f"{function}: {label}" if function else label}:
                        names.setdefault(each, set()).add(id(end))
                    if path == name or not function:
                        expected.setdefault(label, set()).add(id(end))
    return names, expected, reached


def _scopes(frame: FrameType | None, filename: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The names of each frame, its function, and the module that the classes it makes are in."""
    while frame is not None:
        if frame.f_code.co_filename == filename:
            names = frame.f_locals
            function = "" if names is frame.f_globals else frame.f_code.co_qualname.rpartition("<locals>.")[2]
            yield function, dict(names), frame.f_globals.get("__name__", "builtins")
            if sys.version_info < (3, 13) and names is not frame.f_globals and frame.f_code.co_flags & 0x1:
                names.clear()  # a copy that would stay on the frame, and keep tensors alive
        frame = frame.f_back


def _leads_to(name: str, value: Any, module: str) -> Iterator[tuple[str, Tensor]]:
    """The tensors that a name leads to: itself; the first elements of a list, a tuple or a dictionary; what an optimizer remembers;
    attributes of an object of the program's own classes, and of a layer and the layers inside.
    """
    if isinstance(value, Tensor):
        yield name, value
    for path, each in _parts(name, value, module):
        if isinstance(each, Tensor) or (isinstance(each, Layer) and isinstance(value, Layer)):
            yield from _leads_to(path, each, module)


def _parts(name: str, value: Any, module: str) -> list[tuple[str, Any]]:
    if type(value) in (list, tuple):
        return [(f"{name}[{k}]", value[k]) for k in range(len(value))][:FIRST]
    if type(value) is dict:
        return [(f"{name}[{key!r}]", value[key]) for key in list(value)[:FIRST] if type(key) in (str, int)]
    if isinstance(value, Optimizer):
        known = {id(each): k for k, each in enumerate(value._parameters)}
        states = value._states.items()
        return [(f"{name}.{what}[{known[key]}]", each) for key, state in states for what, each in state.items()]
    if isinstance(value, Layer) or (type(value).__module__ == module and not isinstance(value, Tensor | type)):
        return [(f"{name}.{key}", each) for key, each in getattr(value, "__dict__", {}).items()]
    return []


def _layout(array: Any, storage: Storage) -> Layout:
    """In elements, found from addresses: where in the storage's bytes the window begins, and how far it steps."""
    begin = array.__array_interface__["data"][0] - storage.buffer.__array_interface__["data"][0]
    if not array.size:  # no elements
        return tuple(array.shape), (), 0
    return tuple(array.shape), tuple(step // array.itemsize for step in array.strides), begin // array.itemsize


def _tensor(tensor: Tensor) -> TensorPicture:
    return TensorPicture(
        _layout(tensor.array, tensor.storage), tensor.array.dtype.name, not tensor._stop, tensor.node is None,
        id(tensor.storage), None if tensor.base is None else id(tensor.base),
        None if tensor.node is None else tensor.node.serial, None if tensor._grad is None else id(tensor._grad),
    )  # fmt: skip


def _storage(storage: Storage) -> StoragePicture:
    buffer = storage.buffer
    return StoragePicture(storage.nbytes, buffer.size, buffer.dtype.name, storage.version, buffer.reshape(-1).copy())


def _node(node: Node) -> NodePicture:
    saved = tuple(
        (each.name, id(each.storage), each.version, _layout(each.array, each.storage), each.is_copy)
        for each in node.saved
    )
    leaf = id(node.leaf) if isinstance(node, AccumulateNode) else None
    return NodePicture(node.name, tuple(each.serial for each in node.edges if each is not None), saved, leaf)
