"""Collectives: operations that every rank makes at once, each with its own tensor. They write into the given tensor.

A collective is an in-place operation like any other: it raises the version, so what backward has saved of the tensor is stale afterwards; it
refuses a leaf that needs a gradient; and it is part of the history. Its derivative is that of the sum of all ranks' losses: what a rank's tensor
contributes to the results on other ranks comes back from there, so backward makes collectives, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.autograd.py_layer import Call, PyLayer
from inplacelab.distributed import transfers
from inplacelab.distributed.preparation import GRADIENT, Preparation
from inplacelab.distributed.transfers import Flat, ReduceOp
from inplacelab.ops.creation import empty_like
from inplacelab.tensor import Tensor


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, sync_op: bool = True) -> None:
    """Writes the sum (or another reduction) of the ranks' tensors into the tensor of every rank, in place.

    A sum is computed in the order of the ranks, so it does not depend on the number of elements or on the library of MPI.

    Args:
        tensor: of the same shape and dtype on all ranks.
        op: how to combine them: a `ReduceOp`.
        group: None for all ranks; no other group is supported.
        sync_op: True; the call returns when the tensor is written.

    Raises:
        CommunicationError: on all ranks, if they do not make the same collective, or one of them is missing.
        LeafWriteError: if the tensor is a leaf that needs a gradient.
        NoGradientError: if the tensor needs a gradient, and `op` is not SUM or AVG.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/all_reduce_en.html
    """
    with Preparation("all_reduce", group, sync_op) as call:
        call.writes(tensor)
        call.reduces(tensor, op)
        call.options = f"{ReduceOp(op).name}{call.gradient(tensor)}"
    AllReduce.apply(tensor, ReduceOp(op), call)


def broadcast(tensor: Tensor, src: Any, group: Any = None, sync_op: bool = True) -> None:
    """Writes the tensor of rank `src` into the tensors of all other ranks, in place.

    Args:
        tensor: of the same shape and dtype on all ranks.
        src: the rank whose values all get.
        group: None for all ranks; no other group is supported.
        sync_op: True; the call returns when the tensor is written.

    Raises:
        CommunicationError: on all ranks, if they do not make the same collective, or one of them is missing.
        LeafWriteError: if the tensor is a leaf that needs a gradient.

    The version is raised on every rank, also on `src`, whose values stay: as for every in-place operation that changes nothing.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/broadcast_en.html
    """
    with Preparation("broadcast", group, sync_op) as call:
        call.writes(tensor)
        if not isinstance(src, int) or not 0 <= src < call.world.size:
            raise errors.no_such_rank(op="broadcast", rank=src, ranks=call.world.size)
        call.options = f"src={src}{call.gradient(tensor)}"
    Broadcast.apply(tensor, src, call)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, sync_op: bool = True) -> None:
    """Writes the tensors of all ranks into the tensors of a list, in place, in the order of the ranks.

    Args:
        tensor_list: one tensor for each rank; or an empty list, to which new tensors are added.
        tensor: what this rank gives: of the same shape and dtype on all ranks.
        group: None for all ranks; no other group is supported.
        sync_op: True; the call returns when the tensors are written.

    Raises:
        CommunicationError: on all ranks, if they do not make the same collective, or one of them is missing.
        ArgumentError: if the list has another length.
        WriteConflictError: if tensors of the list share a storage.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/all_gather_en.html
    """
    with Preparation("all_gather", group, sync_op) as call:
        call.reads(tensor)
        if tensor_list:
            call.list_like(tensor_list, tensor)
            call.separate([*tensor_list, tensor])
            for each in tensor_list:
                call.check_write(each)
        call.options = call.gradient(tensor)
    results = AllGather.apply(tensor, list(tensor_list), call)
    if not tensor_list:
        tensor_list.extend(results)


def reduce_scatter(
    tensor: Tensor, tensor_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, sync_op: bool = True
) -> None:
    """Writes into the tensor of rank r the sum (or another reduction) of what the ranks have at position r of their lists, in place.

    Args:
        tensor: where the result goes.
        tensor_list: one tensor for each rank, of the shape and dtype of `tensor`, on all ranks.
        op: how to combine them: a `ReduceOp`.
        group: None for all ranks; no other group is supported.
        sync_op: True; the call returns when the tensor is written.

    Raises:
        CommunicationError: on all ranks, if they do not make the same collective, or one of them is missing.
        LeafWriteError: if `tensor` is a leaf that needs a gradient.
        ArgumentError: if the list has another length.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/reduce_scatter_en.html
    """
    with Preparation("reduce_scatter", group, sync_op) as call:
        call.writes(tensor)
        call.list_like(tensor_list, tensor)
        for each in tensor_list:
            if each is not tensor:
                call.separate([tensor, each])
        needs = [call.reduces(each, op) for each in (tensor, *tensor_list)]
        call.options = f"{ReduceOp(op).name}{GRADIENT * any(needs)}"
    ReduceScatter.apply(tensor, list(tensor_list), ReduceOp(op), call)


def barrier(group: Any = None) -> None:
    """Waits until every rank is here.

    Args:
        group: None for all ranks; no other group is supported.

    Raises:
        CommunicationError: on all ranks, if they do not make the same collective, or one of them is missing.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/barrier_en.html
    """
    with Preparation("barrier", group, True) as call:
        pass
    call.report(alone=True)


# ---- the operations -----------------------------------------------------------------------------------------------------


class Collective(PyLayer):
    """A collective as an operation of the history."""

    _part = False

    @classmethod
    def _report(cls, call: Call, results: Sequence[Tensor]) -> None:
        """Reports which collective it was, and then the operation."""
        for each in call.arguments:
            if isinstance(each, Preparation):
                each.report()
        super()._report(call, results)


class AllReduce(Collective):
    """`all_reduce`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, op: ReduceOp, call: Preparation) -> Tensor:
        ctx.op = op
        with _Writing(tensor) as flat:
            transfers.reduce_everywhere(call.world, call.announcement, flat, op)
        return tensor

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        total = g.clone()
        all_reduce(total, ctx.op)
        return total


class Broadcast(Collective):
    """`broadcast`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, src: int, call: Preparation) -> Tensor:
        ctx.is_source = src == call.world.rank
        with _Writing(tensor) as flat:
            transfers.send_to_all(call.world, call.announcement, [flat], [src])
        return tensor

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor | None:
        total = g.clone()
        all_reduce(total)
        return total if ctx.is_source else None


class AllGather(Collective):
    """`all_gather`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, results: list[Tensor], call: Preparation) -> list[Tensor]:
        world, ctx.overwritten = call.world, (None,) * bool(results)
        results = results or [empty_like(tensor) for _ in range(world.size)]
        writings = [_Writing(each) for each in results]
        flats = [each.__enter__() for each in writings]
        flats[world.rank][...] = tensor.array.reshape(-1)
        transfers.send_to_all(world, call.announcement, flats, range(world.size))
        for each in writings:
            each.__exit__()
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        total = empty_like(gradients[0])
        reduce_scatter(total, [each.clone() for each in gradients])
        return total, *ctx.overwritten


class ReduceScatter(Collective):
    """`reduce_scatter`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, parts: list[Tensor], op: ReduceOp, call: Preparation) -> Tensor:
        ctx.op, ctx.size = op, call.world.size
        flats = [np.ascontiguousarray(each.array).reshape(-1) for each in parts]
        with _Writing(tensor) as flat:
            transfers.reduce_parts(call.world, call.announcement, flats, flat, op)
        return tensor

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
        gathered: list[Tensor] = []
        all_gather(gathered, g.clone())
        if ctx.op is ReduceOp.AVG:
            gathered = [each.scale(1.0 / ctx.size) for each in gathered]
        return None, gathered


for _layer, _name in (
    (AllReduce, "all_reduce"),
    (Broadcast, "broadcast"),
    (AllGather, "all_gather"),
    (ReduceScatter, "reduce_scatter"),
):
    _layer.__name__ = _name  # what recordings and error messages call the operation


class _Writing:
    """The elements of a tensor in one row, to write: the storage itself if they lie in order there, otherwise a copy that is written back."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def __enter__(self) -> Flat:
        self._tensor._bump_inplace_version()  # before the write: an interrupt must leave it raised
        array = self._tensor.array
        flat: Flat = array.reshape(-1) if array.flags.c_contiguous else array.copy().reshape(-1)
        self._flat = flat
        return flat

    def __exit__(self, *_: object) -> None:
        array = self._tensor.array
        if not array.flags.c_contiguous:
            np.copyto(array, self._flat.reshape(array.shape))
