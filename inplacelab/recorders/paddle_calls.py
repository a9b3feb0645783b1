"""Tells what a function of Paddle is: its name, its tensors, and which slots an assignment to items will write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import paddle

from inplacelab.layout import Layout
from inplacelab.recorders.paddle_readings import layout_of

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand
    from inplacelab.recorders.paddle_known import KnownTensor

MOST_SLOTS = 1 << 16
"""In storages of more slots, those that a key with indices or a mask writes are not counted one by one."""

_OPERATORS: Mapping[str, str] = {
    "__add__": "add", "__radd__": "add", "__sub__": "subtract", "__rsub__": "rsub", "__mul__": "multiply", "__rmul__": "multiply",
    "__truediv__": "divide", "__div__": "divide", "__rtruediv__": "rdivide", "__rdiv__": "rdivide", "__floordiv__": "floor_divide",
    "__rfloordiv__": "rfloor_divide", "__mod__": "remainder", "__rmod__": "rremainder", "__pow__": "pow", "__rpow__": "rpow",
    "__matmul__": "matmul", "__rmatmul__": "rmatmul", "__eq__": "equal", "__ne__": "not_equal", "__lt__": "less_than",
    "__le__": "less_equal", "__gt__": "greater_than", "__ge__": "greater_equal", "_getitem_dygraph": "getitem",
    "_getitem_from_offset": "getitem", "_setitem_dygraph": "setitem", "_to_tensor_non_static": "to_tensor", "_copy_to": "copy_to",
    "_register_grad_hook": "register_hook",
}  # fmt: skip
"""What methods of a tensor and functions inside Paddle are called."""

METHODS = (
    *(name for name in _OPERATORS if name != "_to_tensor_non_static"), "_apply_", "_bump_inplace_version", "_clear", "_clear_dataptr",
    "_clear_to_zero_allocation", "_copy_gradient_from", "_copy_to", "_inplace_assign", "_new_shared_tensor", "_set_impl",
    "_share_buffer_to", "_share_underline_tensor_to", "_unsafe_share_buffer_to", "_zero_grads", "clear_gradient", "clone", "contiguous",
    "copy_", "detach", "detach_", "reconstruct_from_", "set_tensor", "set_value", "to_sparse_csr", "get_tensor",
)  # fmt: skip
"""The methods of a tensor that are watched: those that do not call one of `_C_ops`."""
PROPERTIES = ("stop_gradient", "grad", "data")
"""The properties of a tensor whose setting is watched. `data` also gives another tensor."""

_EMPTY = frozenset({"empty", "empty_like"})
_SILENT = frozenset({
    "adadelta_", "adagrad_", "adam_", "adamax_", "adamw_", "asgd_", "average_accumulates_", "batch_norm", "check_finite_and_unscale_",
    "clear_gradient", "copy_", "decayed_adagrad", "dgc_momentum", "dpsgd", "ftrl", "fused_adam_", "lamb_", "lars_momentum_",
    "merged_adam_", "merged_momentum_", "momentum_", "nadam_", "radam_", "rmsprop_", "rprop_", "set_tensor", "set_value", "sgd_",
    "sparse_batch_norm_", "sync_batch_norm_", "update_loss_scaling_", "_share_buffer_to",
})  # fmt: skip
"""Functions that write tensors without raising their versions. So does every function that is given `out=`."""
RELAYOUTS = frozenset({"reshape_", "squeeze_", "unsqueeze_", "flatten_", "transpose_", "t_", "as_strided_"})
"""Functions that raise the version of a tensor without writing its elements."""
COUNTS_TOGETHER = frozenset({"reshape", "flatten"})
"""Functions that share the version counter also where they copy."""
VIEWS = COUNTS_TOGETHER | {
    "as_strided", "contiguous", "data", "detach", "diagonal", "getitem", "slice", "squeeze", "strided_slice", "transpose", "unbind",
    "unsqueeze", "view_dtype", "view_shape", "view_slice",
}  # fmt: skip
"""Functions that make views. A tensor without elements has no memory to share, but shares its version counter."""
SETS_FLAGS = frozenset({"stop_gradient", "grad", "clear_gradient", "detach_", "_zero_grads", "_copy_gradient_from"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What a function is.

    Attributes:
        name: its name as a program writes it: "setitem", "add", "add_".
        fills: whether the elements of its result mean something.
        is_silent: whether it writes tensors without raising their versions.
        leads_outside: whether its result leads to the memory itself, through which writes are not seen.
        swaps: whether it is an operator whose tensor is the second operand: `2 / x`.
        shows: how many of its results the program may see; None for all.
    """

    name: str
    fills: bool = True
    is_silent: bool = False
    leads_outside: bool = False
    swaps: bool = False
    shows: int | None = None


@dataclass(slots=True)
class Call:
    """A call that is recorded, from when it begins until it has ended.

    Attributes:
        kind: which function.
        tensors: its tensors.
        known, operands, versions: what is known of them, their metadata, and their versions before.
        unfilled: tensors without memory, to which the function may give some.
        line: the line of the program.
        slots: what an assignment to items will write.
        contents: what tells whether a storage was written, for a function that raises no version.
        gradients: the same of their gradients, for a function that may set them to zeros.
        begun: whether it is recorded.
    """

    kind: Kind
    tensors: Sequence[Any] = ()
    known: list[KnownTensor] = field(default_factory=list)
    operands: tuple[Operand, ...] = ()
    versions: list[int] = field(default_factory=list)
    unfilled: list[Any] = field(default_factory=list)
    line: int | None = None
    slots: Layout | tuple[int, ...] | None = None
    contents: Sequence[int | None] = ()
    gradients: Sequence[int | None] = ()
    begun: bool = False


@cache
def kind_of(name: str) -> Kind:
    """Returns what the function with a name in `paddle._C_ops`, or the method of a tensor, is."""
    return Kind(
        _OPERATORS.get(name, name), fills=name not in _EMPTY, is_silent=name in _SILENT, leads_outside=name == "get_tensor",
        swaps=name in ("__rsub__", "__rtruediv__", "__rdiv__", "__rpow__", "__rmatmul__", "__rmod__", "__rfloordiv__"),
        shows=1 if name == "batch_norm" else None,
    )  # fmt: skip


def tensors_in(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Returns the tensors among the arguments of a call, also in lists and tuples."""
    return [tensor for value in (*args, *kwargs.values()) for tensor in tensors_of(value)]


def tensors_of(value: Any) -> Iterator[Any]:
    """Yields a tensor, or those in a list or a tuple."""
    kind = type(value)
    if issubclass(kind, paddle.Tensor):
        yield value
    elif kind is list or kind is tuple:
        yield from (each for each in value if issubclass(type(each), paddle.Tensor))


# --- slots -------------------------------------------------------------------------------------------------------------


def slots_written(name: str, args: Sequence[Any]) -> Layout | tuple[int, ...] | None:
    """Returns the slots that an assignment to items will write; None for other functions, or if it is not known."""
    if name != "setitem" or len(args) < 2:
        return None
    layout, key = layout_of(args[0]), args[1]
    parts = key if type(key) is tuple else (key,)
    try:
        if all(_is_basic(part) for part in parts):
            return _window(layout, parts)
        slots = _numbered(layout)
        return None if slots is None else tuple(slots[tuple(map(_as_array, parts))].reshape(-1).tolist())
    except (IndexError, TypeError, ValueError):
        return None  # Paddle will refuse it, most likely


def _is_basic(part: Any) -> bool:
    if type(part) is slice:
        return all(type(each) in (int, type(None)) for each in (part.start, part.stop, part.step))
    return part is None or part is Ellipsis or type(part) is int


def _window(layout: Layout, parts: tuple[Any, ...]) -> Layout:
    """Returns the layout of the window at a key of plain indices and slices."""
    one = np.empty(1, np.int8)  # its memory is never read
    shown = np.lib.stride_tricks.as_strided(one, layout.shape, layout.strides, writeable=False)[
        parts if Ellipsis in parts else (*parts, ...)
    ]
    moved = shown.__array_interface__["data"][0] - one.__array_interface__["data"][0]
    return Layout(tuple(shown.shape), tuple(shown.strides), layout.offset + (moved if shown.size else 0))


def _as_array(part: Any) -> Any:
    if issubclass(type(part), paddle.Tensor):
        found = layout_of(part)
        if part.size > MOST_SLOTS:
            raise ValueError
        return np.array(_numpy(part)).reshape(found.shape)
    return part


_numpy = paddle.Tensor.numpy


def _numbered(layout: Layout) -> Any:
    """Returns an array of the same shape that holds the slots of the elements; None if there are too many."""
    shape, strides, offset = layout
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if last >= MOST_SLOTS or 0 in shape:
        return None
    slots = np.arange(last + 1)
    return np.lib.stride_tricks.as_strided(slots[offset:], shape, tuple(each * slots.itemsize for each in strides))
