"""Tells what a call of a PyTorch function is: its name, its tensors, and which slots it will write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from inplacelab.layout import Layout
from inplacelab.recorders.torch_objects import layout_of

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand
    from inplacelab.recorders.torch_objects import KnownTensor

MOST_SLOTS = 1 << 16
"""In storages of more slots, those that a key with indices or a mask writes are not counted one by one."""

_VIEWS = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})
"""Properties that give tensors."""
_READ_NODE = frozenset({"grad_fn", "is_leaf", "output_nr", "name"})
"""Properties that make the node of a view whose base was written."""
_CHANGES = frozenset({"data", "requires_grad", "grad", "retains_grad", "real", "imag"})
_EMPTY = frozenset({"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"})
_TO_OTHERS = frozenset({"numpy", "__array__", "__dlpack__", "data_ptr", "untyped_storage", "storage", "share_memory_"})
"""Functions that lead to the memory itself."""
_SILENT = frozenset({"batch_norm", "instance_norm"})
"""Functions that write running statistics."""
RELAYOUTS = frozenset({
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_", "resize_", "resize_as_", "set_",
})  # fmt: skip
"""Functions that raise the version of a tensor without writing its elements."""
_PASSES = frozenset({"backward", "grad"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What a function is.

    Attributes:
        name: its name as a program writes it: "setitem", "T", "add_".
        quiet: whether nothing of it is recorded.
        is_pass: whether it is a backward pass, which is recorded where it enters the engine.
        reads_node: whether it makes the node of a view.
        own_counter: whether its result counts versions apart.
        fills: whether the elements of its result mean something.
        is_silent: whether it writes tensors without raising their versions.
        leads_outside: whether its result leads to the memory itself, through which writes are not seen.
    """

    name: str
    quiet: bool = False
    is_pass: bool = False
    reads_node: bool = False
    own_counter: bool = False
    fills: bool = True
    leads_outside: bool = False
    is_silent: bool = False


@dataclass(slots=True)
class Call:
    """A call that is recorded, from when it begins until it has ended.

    Attributes:
        kind: which function.
        tensors: its tensors, those that it may write first.
        known, operands, versions: what is known of them, their metadata, and their versions before.
        line: the line of the program.
        first: the sequence number of the next node.
        storages: how many storages were known.
        with_history: whether operations make nodes.
        slots: what an item assignment or the like will write.
        contents: the bytes of the storages, for a function that writes without raising versions.
        begun: whether it is recorded.
    """

    kind: Kind
    tensors: Sequence[Any] = ()
    known: list[KnownTensor] = field(default_factory=list)
    operands: tuple[Operand, ...] = ()
    versions: list[int] = field(default_factory=list)
    line: int | None = None
    first: int = 0
    storages: int = 0
    with_history: bool = False
    slots: Layout | tuple[int, ...] | None = None
    contents: Sequence[bytes | None] = ()
    begun: bool = False

    @property
    def makes_nodes_of_views(self) -> bool:
        """Whether PyTorch makes the nodes of those of its tensors that are views whose base was written.

        `v[0] = y` writes a view of `v`, and not `v` itself, whose node is made when it is used next.
        """
        return self.with_history and self.kind.name != "setitem"


def kind_of(function: Any) -> Kind:
    """Returns what a function is."""
    try:
        return _kind(function)
    except TypeError:  # it has no hash
        return Kind(str(getattr(function, "__name__", function)))


@lru_cache(maxsize=4096)
def _kind(function: Any) -> Kind:
    name = getattr(function, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        attribute = str(getattr(getattr(function, "__self__", None), "__name__", ""))
        if name == "__get__":
            quiet = attribute not in _VIEWS and attribute not in _READ_NODE and attribute != "grad"
            return Kind(attribute, quiet=quiet, reads_node=attribute in _READ_NODE, own_counter=attribute == "data")
        return Kind(attribute, quiet=attribute not in _CHANGES)
    plain = name[2:-2] if name.startswith("__") and name.endswith("__") else name
    module = getattr(function, "__module__", "")
    is_pass = name in _PASSES and module in ("torch._tensor", "torch.autograd")
    return Kind(
        plain or str(function), is_pass=is_pass, fills=name not in _EMPTY, leads_outside=name in _TO_OTHERS,
        own_counter=name == "_make_subclass", is_silent=name.startswith("_fused_") or name in _SILENT,
    )  # fmt: skip


def tensors_in(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Returns the tensors among the arguments of a call, also in lists and tuples: `out` first, which is written."""
    found = []
    for value in (*_out(kwargs), *args, *(value for name, value in kwargs.items() if name != "out")):
        found += list(tensors_of(value))
    return found


def _out(kwargs: Mapping[str, Any]) -> Iterator[Any]:
    if "out" in kwargs:
        yield kwargs["out"]


def tensors_of(value: Any) -> Iterator[Any]:
    """Yields a tensor, or those in a list or a tuple."""
    if issubclass(type(value), torch.Tensor):
        yield value
    elif issubclass(type(value), list | tuple):
        yield from (each for each in value if issubclass(type(each), torch.Tensor))
    elif type(value) is dict:
        yield from (each for each in value.values() if issubclass(type(each), torch.Tensor))


# --- slots -------------------------------------------------------------------------------------------------------------

_ONES_FOR: Mapping[str, int] = {
    "masked_fill_": 2, "index_fill_": 3, "scatter_": 3, "scatter_add_": 3, "index_add_": 3, "index_copy_": 3, "index_put_": 2,
    "masked_scatter_": 2, "put_": 2, "fill_diagonal_": 1, "scatter_reduce_": 3, "index_reduce_": 3,
}  # fmt: skip
"""Operations that write some elements: the position of the argument with the new values."""


def slots_written(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Layout | tuple[int, ...] | None:
    """Returns the slots that a call will write, if these are fewer than its tensor shows; None otherwise, or if it is not known."""
    target = args[0] if args else None
    if not issubclass(type(target), torch.Tensor):
        return None
    if name == "setitem" and len(args) > 1:
        try:
            return _slots_at(target, args[1])
        except (IndexError, TypeError, ValueError, RuntimeError):
            return None  # as the operation itself, most likely
    if name in _ONES_FOR:
        return _slots_marked(name, target, args[1:], kwargs)
    return None


def _slots_at(target: Any, key: Any) -> Layout | tuple[int, ...] | None:
    """Returns the slots at a key of a tensor."""
    parts = key if type(key) is tuple else (key,)
    if all(_is_basic(part) for part in parts):
        shape, strides, offset = layout_of(target)
        there = torch.empty_strided(shape, strides, device="meta")[key]
        shape, strides, first = layout_of(there)
        return Layout(shape, strides, offset + first)
    slots = _numbered(target) if all(_is_index(part) for part in parts) else None
    return None if slots is None else tuple(sorted(set(slots[key].reshape(-1).tolist())))


def _is_basic(part: Any) -> bool:
    if type(part) is slice:
        return all(type(each) in (int, type(None)) for each in (part.start, part.stop, part.step))
    return part is None or part is Ellipsis or type(part) is int


def _is_index(part: Any) -> bool:
    if issubclass(type(part), torch.Tensor):
        return bool(part.device.type == "cpu")
    if type(part) in (list, tuple):
        return all(_is_index(each) for each in part)
    return _is_basic(part) or type(part) is bool or issubclass(type(part), np.ndarray | np.generic)


def _slots_marked(name: str, target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Returns the slots that an operation writes, by what it does to zeros."""
    slots, given = _numbered(target), list(args)
    place = _ONES_FOR[name] - 1
    if slots is None or len(given) <= place or any(each.device.type != "cpu" for each in tensors_in(given, kwargs)):
        return None
    value = given[place]
    marks = torch.zeros(target.shape, dtype=torch.int64)
    given[place] = torch.ones_like(value, dtype=torch.int64) if issubclass(type(value), torch.Tensor) else 1
    others = {key: each for key, each in kwargs.items() if key in ("wrap", "include_self")}
    try:
        getattr(marks, name)(*given, **others)
    except (RuntimeError, IndexError, TypeError, ValueError):
        return None  # as the operation itself, most likely
    return tuple(sorted(slots[marks != 0].tolist()))


def _numbered(target: Any) -> Any:
    """Returns a tensor of the same shape that holds the slots of the elements; None if there are too many."""
    shape, strides, offset = layout_of(target)
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if last >= MOST_SLOTS or 0 in shape:
        return None
    return torch.as_strided(torch.arange(last + 1), shape, strides, offset)
