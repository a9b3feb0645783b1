"""Tells what a function of Paddle is: its name, its tensors, and which slots it will write and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import paddle
from paddle.base import core

from inplacelab.frameworks.paddle.readings import address_of, layout_of
from inplacelab.layout import Layout, packed
from inplacelab.recorders import framework_rules
from inplacelab.recorders.call_recorder import Call
from inplacelab.recorders.positions import (
    ALL,
    MOST_SLOTS,
    At,
    Touched,
    above,
    accumulates,
    along,
    always,
    ascending,
    at_key,
    below,
    diagonal,
    diagonals,
    is_basic,
    keyed,
    numbered,
    places,
    rows,
    sampled,
    where_false,
    where_true,
    window,
)

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand
    from inplacelab.recorders.framework_rules.call import Found

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
    "adadelta_", "adagrad_", "adam_", "adamax_", "adamw_", "asgd_", "average_accumulates_", "batch_norm", "check_finite_and_unscale",
    "check_finite_and_unscale_",
    "clear_gradient", "coalesce_tensor", "copy_", "decayed_adagrad", "dgc_momentum", "dpsgd", "exponential_", "ftrl", "fused_adam_", "lamb_",
    "lars_momentum_",
    "merged_adam_", "merged_momentum_", "momentum_", "nadam_", "radam_", "rmsprop_", "rprop_", "set_tensor", "set_value", "sgd_",
    "sparse_batch_norm_", "sync_batch_norm_", "update_loss_scaling_", "_share_buffer_to",
})  # fmt: skip
"""Functions that write tensors without raising their versions. So does every function that is given `out=`."""
RELAYOUTS = frozenset({"reshape_", "squeeze_", "unsqueeze_", "flatten_", "transpose_", "t_", "as_strided_"})
"""Functions that raise the version of a tensor without writing its elements."""
COUNTS_TOGETHER = frozenset({"reshape", "flatten"})
"""Functions that share the version counter also where they copy."""
COUNTS_APART = frozenset({"coalesce_tensor"})
"""Functions that move tensors to one storage, where each goes on to count its own writes."""
VIEWS = COUNTS_TOGETHER | {
    "as_strided", "contiguous", "data", "detach", "diagonal", "getitem", "slice", "squeeze", "strided_slice", "transpose", "unbind",
    "unsqueeze", "view_dtype", "view_shape", "view_slice",
}  # fmt: skip
"""Functions that make views. A tensor without elements has no memory to share, but shares its version counter."""
SETS_FLAGS = frozenset(
    {"stop_gradient", "grad", "clear_gradient", "copy_", "detach_", "_zero_grads", "_copy_gradient_from"}
)
"""Calls after which a tensor's flags may be others: a copy of a constant into a tensor without elements sets `stop_gradient`."""


Given = Sequence["tuple[Operand, int] | None"]
"""Operands with their versions; None for a number."""


@dataclass(frozen=True, slots=True)
class PaddleKind:
    """What a function is.

    Attributes:
        name: its name as a program writes it: "setitem", "add", "add_".
        fills: whether the elements of its result mean something.
        is_silent: whether it writes tensors without raising their versions.
        leads_outside: whether its result leads to the memory itself, through which writes are not seen, or it runs compiled code.
        swaps: whether it is an operator whose tensor is the second operand: `2 / x`.
        shows: how many of its results the program may see; None for all.
        is_whole: whether the functions that it calls are parts of it, which are not recorded.
        is_custom: whether it is the `apply` of a `PyLayer`.
    """

    name: str
    fills: bool = True
    is_silent: bool = False
    leads_outside: bool = False
    swaps: bool = False
    shows: int | None = None
    is_whole: bool = False
    is_custom: bool = False


@dataclass(slots=True)
class PaddleCall(Call):
    """A call that is recorded.

    Attributes:
        gradients: what tells whether the gradients of its tensors were written, for a function that may set them to zeros.
        given: its operands in the order of its arguments, once it has ended (see `given_to`).
    """

    gradients: Sequence[int | None] = ()
    given: Given = ()


@cache
def kind_of(name: str) -> PaddleKind:
    """Returns what the function with a name in `paddle._C_ops`, or the method of a tensor, is."""
    return PaddleKind(
        _OPERATORS.get(name, name), fills=name not in _EMPTY, is_silent=name in _SILENT, leads_outside=name in ("get_tensor", "run_program"),
        swaps=name in ("__rsub__", "__rtruediv__", "__rdiv__", "__rpow__", "__rmatmul__", "__rmod__", "__rfloordiv__"),
        shows=1 if name in ("batch_norm", "einsum") else None, is_whole=name == "set_value",
    )  # fmt: skip


def tensors_in(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Returns the tensors among the arguments of a call, also in lists and tuples."""
    return [tensor for value in (*args, *kwargs.values()) for tensor in tensors_of(value)]


def given_to(call: PaddleCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Given:
    """Returns the operands of a call in the order of its arguments, with their versions before it; None for a number."""
    values = [*args, *(value for name, value in kwargs.items() if name != "out")]
    if call.kind.name in ("getitem", "setitem"):
        values[1:2] = [next(tensors_of(args[1] if len(args) > 1 else None), None)]
    elif call.kind.swaps:
        values.reverse()
    pairs = zip(call.operands, call.versions, strict=True)
    told = {
        id(tensor): pair
        for known, tensor, pair in zip(call.known, call.tensors, pairs, strict=True)
        if known.owner is not None or known.alive() is tensor  # what adaptive pooling passes on counts its own versions
    }
    flat = [each for value in values for each in (value if type(value) in (list, tuple) else [value])]
    return [told.get(id(value)) for value in flat]


def tensors_of(value: Any) -> Iterator[Any]:
    """Yields a tensor, or those in a list or a tuple."""
    kind = type(value)
    if issubclass(kind, paddle.Tensor):
        yield value
    elif kind is list or kind is tuple:
        yield from (each for each in value if issubclass(type(each), paddle.Tensor))


# --- slots -------------------------------------------------------------------------------------------------------------


def _adds(given: Mapping[str, Any]) -> bool:
    return not given.get("overwrite", True)


def _reduces(given: Mapping[str, Any]) -> bool:
    return bool(given.get("reduce", "assign") != "assign")


_WRITES: Mapping[str, At] = {
    "masked_fill_": At(where_true, ("x", "mask", "value")),
    "where_": At(where_false, ("mask", "x", "value")),
    "index_put_": At(keyed, ("x", "index", "value", "accumulate"), accumulates),
    "index_add_": At(rows, ("x", "index", "value", "axis"), always),
    "scatter_": At(rows, ("x", "index", "value", "overwrite"), _adds),
    "scatter_nd_add_": At(places, ("x", "index", "value"), always),
    "put_along_axis_": At(along, ("x", "index", "value", "axis", "reduce", "include_self"), _reduces),
    "fill_diagonal_": At(diagonal, ("x", "value", "offset", "wrap")),
    "fill_diagonal_tensor_": At(diagonals, ("x", "value", "offset", "dim1", "dim2")),
    "tril_": At(above, ("x", "diagonal")),
    "triu_": At(below, ("x", "diagonal")),
}
"""Functions that write some elements in place, with the parameters of `paddle._C_ops`."""
_READS: Mapping[str, At] = {
    "index_select": At(rows, ("x", "index", "axis")),
    "gather": At(rows, ("x", "index", "axis")),
    "gather_nd": At(places, ("x", "index")),
    "index_sample": At(sampled, ("x", "index")),
    "take_along_axis": At(along, ("x", "index", "axis")),
    "masked_select": At(where_true, ("x", "mask")),
}
"""Functions whose result holds some elements."""
_UNKNOWN = frozenset({"embedding_renorm_"})
"""Functions whose values decide which elements they write."""
_OVERWRITES = frozenset({
    "copy_", "set_tensor", "set_value", "fill_", "full_", "assign_value_", "uniform_inplace_", "gaussian_inplace_", "exponential_", "bernoulli_",
    "cauchy_", "geometric_", "log_normal_", "normal_",
})  # fmt: skip
"""Functions that do not read what they write."""
_COPIES = frozenset({"assign", "clone", "contiguous", "copy_to", "cast", "reshape", "flatten"})
"""Functions that make a copy, if they make a tensor that is no view."""


def depends(call: PaddleCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Found:
    """Returns how the result of a call will depend on its tensors; None if that is not known."""
    name, tensors, function = call.kind.name, call.tensors, call.function
    while isinstance(function, partial):  # one recording inside of another
        function = function.args[-1]
    if name.endswith("_") and any(_lies_partly_under(tensors[0], each) for each in tensors[1:]):
        return None  # Paddle reads it while it overwrites it
    asked = framework_rules.Call(
        name, args, kwargs, _is_tensor, _as_array, _READS, _WRITES, {},
        weight_has_rows=False, function=function, as_tensor=_as_tensor,
    )  # fmt: skip
    return framework_rules.dependence(asked, [tuple(map(int, each.shape)) for each in tensors])


def _as_tensor(array: Any) -> Any:
    return core.eager.Tensor(value=array, place=core.CPUPlace(), zero_copy=False)


def _lies_partly_under(written: Any, operand: Any) -> bool:
    """Whether an operand that is broadcast, and that Paddle does not copy first since it is contiguous, has slots in common with what is written."""
    if not address_of(written) or address_of(written) != address_of(operand):
        return False
    target, source = layout_of(written), layout_of(operand)
    if source.shape == target.shape or source.strides != packed(source.shape):
        return False
    slots, others = numbered(target), numbered(source)
    return slots is None or others is None or bool(np.isin(slots, others).any())


def touched(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Touched:
    """Returns what a call will write and read, before it does."""
    try:
        return _touched(name, args, kwargs)
    except (IndexError, KeyError, TypeError, ValueError):  # Paddle will refuse it, most likely
        return Touched(args[0] if args else None, exact=False)


def _touched(  # noqa: PLR0911  # one case after the other
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Touched:
    if kwargs.get("out") is not None:
        return Touched(kwargs["out"], read=())
    if name in _WRITES or name in _READS:
        at = _WRITES.get(name) or _READS[name]
        given = at.given(args, kwargs, {})
        if _is_tensor(given.get("axis")):
            given["axis"] = int(_as_array(given["axis"]))
        return at.touched(given, layout_of(given["x"]), _is_tensor, _as_array, writes=name in _WRITES)
    target = args[0] if args else None
    if not _is_tensor(target):
        return ALL
    if name == "assign_out_":
        return Touched(args[1], read=(), copied=target)
    if name in ("setitem", "getitem") and len(args) > 1:
        value = args[2] if name == "setitem" and _is_tensor(args[-1]) else None
        return at_key(target, _slots_at(target, args[1]), value, writes=name == "setitem")
    if name in _OVERWRITES:
        source = args[1] if len(args) > 1 and _is_tensor(args[1]) else None
        return Touched(target, read=(), copied=source if name in ("copy_", "set_tensor", "set_value") else None)
    return Touched(
        None if name in _UNKNOWN else target, exact=name not in _UNKNOWN, copied=target if name in _COPIES else None
    )


def _is_tensor(value: Any) -> bool:
    return issubclass(type(value), paddle.Tensor)


def _as_array(part: Any) -> Any:
    """Returns an index or a mask as an array, or each of a list of them."""
    if type(part) in (list, tuple):
        return [_as_array(each) for each in part]
    if not _is_tensor(part):
        return part
    found = layout_of(part)
    if part.size > MOST_SLOTS:
        raise ValueError
    return np.array(_numpy(part)).reshape(found.shape)


_numpy = paddle.Tensor.numpy


def _slots_at(target: Any, key: Any) -> Layout | tuple[int, ...] | None:
    """Returns the slots at a key of a tensor."""
    layout, parts = layout_of(target), key if type(key) is tuple else (key,)
    if all(is_basic(part) for part in parts):
        return window(layout, parts)
    slots = numbered(layout)
    keys = tuple(_as_array(part) if _is_tensor(part) else part for part in parts)
    return None if slots is None else ascending(slots[keys])
