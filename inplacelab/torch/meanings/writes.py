"""Writes in place: what overlaps, what is copied, and what the node after a write is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.grad_mode import without_history
from inplacelab.autograd.history import check_leaf, edge
from inplacelab.errors.classes import Refusal
from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes
from inplacelab.torch.meanings.operands import cast_to, is_number
from inplacelab.torch.meanings.shapes import expanded
from inplacelab.torch.refusals import refuse


def filled_(x: Tensor, value: Any) -> Tensor:
    """Fills with one number, in place."""
    if isinstance(value, Tensor):
        return copied_(x, value)
    result: Tensor = x.fill_(value)
    return result


def copied_(x: Tensor, source: Any) -> Tensor:
    """Copies the elements of another tensor, which may be broadcast and of another dtype, or a number, in place."""
    if is_number(source):
        source = cast_to(source, x.array.dtype, x)
    if source.array.dtype != x.array.dtype:
        source = source.cast(x.dtype)
    if source.array.shape != x.array.shape:
        source = _broadcast(source, x)
    result: Tensor = x.copy_(source, True)
    return result


def _broadcast(source: Tensor, x: Tensor) -> Tensor:
    try:
        return expanded(source, list(x.array.shape), ())
    except Refusal:
        raise refuse("cannot_copy", target=list(x.array.shape), source=list(source.array.shape)) from None


def scattered(x: Tensor, dim: int, index: Tensor, src: Any, reduce: Any, *, in_place: bool) -> Tensor:
    """Writes along an axis."""
    ways = {None: "assign", "add": "add", "multiply": "mul"}
    put = x.put_along_axis_ if in_place else x.put_along_axis
    result: Tensor = put(index, src, dim, ways[reduce], True, False)
    return result


def written_into(out: Tensor, function: Callable[[], Any], *operands: Any) -> Tensor:
    """Computes a result into `out=`, outside the history."""
    if modes.current().recording_history:
        for each in (*operands, out):
            if isinstance(each, Tensor) and edge(each) is not None:
                raise refuse("out_needs_no_gradient", which="out" if each is out else "")
    result = without_history(function)
    if result.array.shape != out.array.shape:
        raise refuse("out_shape_differs", out=list(out.array.shape), result=list(result.array.shape))
    return without_history(copied_, out, result)


def perhaps_(x: Tensor, compute: Callable[[Tensor], Tensor], inplace: bool) -> Tensor:
    """Returns a result, written into the input if asked for. Then it is computed from a copy: the write would make the input stale."""
    return x.copy_(compute(x.clone()), True) if inplace else compute(x)


def named_by_key(result: Tensor, key: Any) -> Tensor:
    """Gives the node of `x[key]` the name of the last step that PyTorch takes for it, and what that step saves: the indices."""
    if result.node is None:
        return result
    name = f"{_step(key)}Backward0"
    indices = [each for each in (key if isinstance(key, tuple) else (key,)) if isinstance(each, Tensor) and each.ndim]
    if indices:
        return grad_nodes.keep(result, name, *indices)
    grad_nodes.call_node(result.node, name)
    return result


def named_by_write(x: Tensor, key: Any, value: Any) -> None:
    """Gives the node after `x[:] = value` the name that PyTorch's write to `x` itself has."""
    items = key if isinstance(key, tuple) else (key,)
    if x.base is None and all(each is ... or (isinstance(each, slice) and each == slice(None)) for each in items):
        name = "torch::autograd::CopyBackwards" if isinstance(value, Tensor) else "FillBackward3"
        grad_nodes.call_node(x.node, name)


def _step(key: Any) -> str:
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(each, Tensor | list) for each in items):
        return "Index"
    for item in reversed(items):
        if item is None:
            return "Unsqueeze"
        if isinstance(item, int):
            return "Select"
        if isinstance(item, slice) and item != slice(None):
            return "Slice"
    return "Alias"


def check_apart(op: str, x: Tensor, value: Tensor) -> None:
    """Refuses an operand that shares elements with the tensor that is written at a list of places."""
    if np.shares_memory(x.array, value.array):
        refuse_overlap(op, x)


def check_overlap(op: str, x: Tensor, value: Tensor, written: Any = None) -> None:
    """Refuses an operand that shares some elements with the written tensor, in PyTorch's sense: it compares where both begin and end.

    Args:
        op: the operation.
        x: the tensor.
        value: the operand.
        written: the part of its array that is written; all of it if None.
    """
    mine, other = x.array if written is None else written, value.array
    if mine is other or value.storage is not x.storage or not mine.size or not other.size:
        return
    if not (_dense(mine) and _dense(other)):
        return
    first, second = mine.__array_interface__["data"][0], other.__array_interface__["data"][0]
    if first == second and mine.nbytes == other.nbytes:
        if mine.strides != other.strides if written is None else not _same_slots(mine, other):
            refuse_overlap(op, x)
    elif first < second + other.nbytes and second < first + mine.nbytes:
        refuse_overlap(op, x)


def _same_slots(mine: Any, other: Any) -> bool:
    """Whether each element of one array lies where that of the other does."""
    steps = [[(n, step) for n, step in zip(each.shape, each.strides, strict=True) if n > 1] for each in (mine, other)]
    return steps[0] == steps[1]


def _dense(array: Any) -> bool:
    """Whether the elements fill a stretch of memory, in any order of the axes."""
    expected = array.itemsize
    for step, size in sorted((step, size) for step, size in zip(array.strides, array.shape, strict=True) if size > 1):
        if step != expected:
            return False
        expected *= size
    return True


def refuse_overlap(op: str, x: Tensor) -> None:
    """Refuses a write to a tensor that shares elements with the operand; a leaf is refused as one."""
    if modes.current().recording_history:
        check_leaf(op, x)
    raise errors.partial_overlap(op=op, tensor=x)
