"""Tells what a call of a PyTorch function is: its name, its tensors, and which slots it will write and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from inplacelab.frameworks.torch.readings import layout_of
from inplacelab.layout import Layout
from inplacelab.recorders import framework_rules
from inplacelab.recorders.call_recorder import Call
from inplacelab.recorders.positions import (
    ALL,
    At,
    Touched,
    above,
    accumulates,
    along,
    along_broadcast,
    always,
    ascending,
    at_key,
    below,
    diagonal,
    flat,
    is_basic,
    keyed,
    numbered,
    rows,
    where_true,
    window,
)

if TYPE_CHECKING:
    from inplacelab.frameworks.torch.objects import TorchTensor
    from inplacelab.recorders.framework_rules.call import Found

RELAYOUTS = frozenset({
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_", "resize_", "resize_as_", "set_",
})  # fmt: skip
"""Functions that raise the version of a tensor without writing its elements."""


@dataclass(slots=True)
class TorchCall(Call):
    """A call that is recorded.

    Attributes:
        listed: how many of its tensors, from the first, are those of a list of which it writes each.
        first: the sequence number of the next node before it.
        storages: how many storages were known.
        makes_nodes: whether PyTorch makes the nodes of those of its tensors that are views whose base was written.
        results: the tensors that it has returned.
    """

    listed: int = 0
    first: int = 0
    storages: int = 0
    makes_nodes: bool = False
    results: Sequence[Any] = ()

    def writes(self, known: TorchTensor, tensor: Any, raised: int) -> Sequence[tuple[TorchTensor, Any]]:
        """Returns the tensors through which it has written, one after the other, what one of them shows to be written.

        Args:
            known: that one.
            tensor: the same, as PyTorch has it.
            raised: by how much the version was raised.
        """
        pairs = zip(self.known[: self.listed], self.tensors, strict=False)
        listed = [(each, other) for each, other in pairs if each.counter is known.counter]
        return listed if len(listed) == raised else [(known, tensor)]


_SIMPLE = frozenset(map(id, (int, float, bool, str, type(None))))
"""Classes of most other arguments: by address, since a metaclass may define `__hash__` and `__eq__`."""


def tensors_in(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Returns the tensors among the arguments of a call, also in lists and tuples: `out` first, which is written."""
    values = args
    if kwargs:
        out = [kwargs["out"]] if "out" in kwargs else []
        values = [*out, *args, *(value for name, value in kwargs.items() if name != "out")]
    found = []
    for value in values:
        kind = type(value)
        if id(kind) in _SIMPLE:
            continue
        if issubclass(kind, torch.Tensor):
            found.append(value)
        elif issubclass(kind, list | tuple | dict):
            found += tensors_of(value)
    return found


def tensors_of(value: Any) -> Iterator[Any]:
    """Yields a tensor, or those in a list or a tuple."""
    if issubclass(type(value), torch.Tensor):
        yield value
    elif issubclass(type(value), list | tuple):
        yield from (each for each in value if issubclass(type(each), torch.Tensor))
    elif type(value) is dict:
        yield from (each for each in value.values() if issubclass(type(each), torch.Tensor))


# --- slots -------------------------------------------------------------------------------------------------------------


def _reduces(given: Mapping[str, Any]) -> bool:
    return given.get("reduce") is not None


_ROWS = ("x", "axis", "index", "value")
_ALONG, _REDUCING = (*_ROWS, "reduce"), (*_ROWS, "reduce", "include_self")
_WRITES: Mapping[str, At] = {
    "masked_fill_": At(where_true, ("x", "mask", "value")),
    "masked_scatter_": At(where_true, ("x", "mask", "value")),
    "index_fill_": At(rows, _ROWS),
    "index_copy_": At(rows, _ROWS),
    "index_add_": At(rows, _ROWS, always),
    "index_reduce_": At(rows, _REDUCING, always),
    "scatter_": At(along, _ALONG, _reduces),
    "scatter_add_": At(along, _ALONG, always),
    "scatter_reduce_": At(along, _REDUCING, always),
    "index_put_": At(keyed, ("x", "index", "value", "accumulate"), accumulates),
    "put_": At(flat, ("x", "index", "value", "accumulate"), accumulates),
    "fill_diagonal_": At(diagonal, ("x", "value", "wrap")),
    "tril_": At(above, ("x", "diagonal")),
    "triu_": At(below, ("x", "diagonal")),
}
"""Operations that write some elements in place."""
_READS: Mapping[str, At] = {
    "index_select": At(rows, ("x", "axis", "index")),
    "gather": At(along, ("x", "axis", "index")),
    "take": At(flat, ("x", "index")),
    "take_along_dim": At(along_broadcast, ("x", "index", "axis")),
    "masked_select": At(where_true, ("x", "mask")),
}
"""Operations whose result holds some elements."""
_ALIASES = {"self": "x", "input": "x", "dim": "axis", "indices": "index", "source": "value", "src": "value", "values": "value",
            "tensor": "value", "fill_value": "value"}  # fmt: skip
_UNKNOWN = frozenset({"embedding", "embedding_bag", "embedding_renorm_"})
"""Operations whose values decide which elements they write."""
_OVERWRITES = frozenset({
    "copy_", "fill_", "zero_", "setitem", "uniform_", "normal_", "log_normal_", "exponential_", "cauchy_", "geometric_", "random_", "bernoulli_",
})  # fmt: skip
"""Operations that do not read what they write."""
_COPIES = frozenset({
    "clone", "contiguous", "reshape", "flatten", "to", "type", "cpu", "cuda", "bool", "int", "long", "half", "float", "double", "bfloat16",
})  # fmt: skip
"""Operations that make a copy, if they make a tensor that is no view."""


def depends(call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Found:
    """Returns how the result of a call will depend on its tensors; None if that is not known."""
    asked = framework_rules.Call(
        call.kind.name, args, kwargs, _is_tensor, _as_array, _READS, _WRITES, _ALIASES,
        weight_has_rows=True, function=call.function, as_tensor=torch.from_numpy,
    )  # fmt: skip
    try:
        return framework_rules.dependence(asked, [each.layout.shape for each in call.operands])
    except Exception:  # noqa: BLE001  # whatever arguments of an unusual kind raise
        return None


def touched(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Touched:
    """Returns what a call will write and read, before it does."""
    try:
        if kwargs.get("out") is not None:
            return Touched(kwargs["out"], read=())
        target = args[0] if args else kwargs.get("input")
        if issubclass(type(target), torch.Tensor):
            return _touched(name, target, args, kwargs) if name in _SOME else ALL
    except Exception:  # noqa: BLE001  # as from the operation itself, most likely
        return Touched(args[0] if args else None, exact=False)
    return ALL


def _touched(name: str, target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Touched:
    """The same for a call that does not write, read or compute with all elements of its first tensor."""
    if name in ("setitem", "getitem") and len(args) > 1:
        value = args[2] if name == "setitem" and _is_tensor(args[-1]) else None
        return at_key(target, _slots_at(target, args[1]), value, writes=name == "setitem")
    if name in _WRITES or name in _READS:
        at = _WRITES.get(name) or _READS[name]
        given = at.given(args, kwargs, _ALIASES)
        return at.touched(given, layout_of(given["x"]), _is_tensor, _as_array, writes=name in _WRITES)
    if name in _OVERWRITES:
        source = args[1] if len(args) > 1 else kwargs.get("src", kwargs.get("other", kwargs.get("value")))
        return Touched(target, read=(), copied=source if name in ("copy_", "fill_") and _is_tensor(source) else None)
    return Touched(None, exact=False) if name in _UNKNOWN else Touched(target, copied=target)


_SOME = frozenset({"setitem", "getitem", *_WRITES, *_READS}) | _OVERWRITES | _UNKNOWN | _COPIES


def _is_tensor(value: Any) -> bool:
    return issubclass(type(value), torch.Tensor)


def _as_array(value: Any) -> Any:
    """Returns an index or a mask as an array, or each of a list of them; None if it cannot be read without waiting."""
    if type(value) in (list, tuple):
        parts = [each if each is None else _as_array(each) for each in value]
        return (
            None if any(part is None and each is not None for part, each in zip(parts, value, strict=True)) else parts
        )
    if not _is_tensor(value):
        return np.asarray(value)
    if value.device.type != "cpu":
        return None
    array = value.detach().numpy()
    return array.astype(bool) if array.dtype == np.uint8 else array  # as PyTorch still takes them


def _slots_at(target: Any, key: Any) -> Layout | tuple[int, ...] | None:
    """Returns the slots at a key of a tensor."""
    parts = key if type(key) is tuple else (key,)
    if all(is_basic(part) for part in parts):
        return window(layout_of(target), parts)
    slots = numbered(layout_of(target)) if all(_is_index(part) for part in parts) else None
    return None if slots is None else ascending(torch.from_numpy(np.ascontiguousarray(slots))[key].numpy())


def _is_index(part: Any) -> bool:
    if _is_tensor(part):
        return bool(part.device.type == "cpu")
    if type(part) in (list, tuple):
        return all(_is_index(each) for each in part)
    return is_basic(part) or type(part) is bool or issubclass(type(part), np.ndarray | np.generic)
