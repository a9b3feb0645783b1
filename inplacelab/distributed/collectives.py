"""Collectives: operations that every rank makes at once, each with its own tensor. They write into the given tensor.

A collective is an in-place operation like any other: it raises the version, so what backward has saved of the tensor is stale afterwards; it
refuses a leaf that needs a gradient; and it is part of the history. Its derivative is that of the sum of all ranks' losses: what a rank's tensor
contributes to the results on other ranks comes back from there, so backward makes collectives, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.history import check_leaf, edge
from inplacelab.autograd.py_layer import Call, PyLayer
from inplacelab.distributed.environment import check_group, world_for
from inplacelab.distributed.world import (
    Announcement,
    Flat,
    ReduceOp,
    World,
    headline,
    reduce_everywhere,
    reduce_parts,
    send_to_all,
)
from inplacelab.ops.arguments.operands import as_tensor, refuse_self_overlap
from inplacelab.ops.creation import empty_like
from inplacelab.tensor import Tensor

GRADIENT = ", with gradient"
"""Added to the options of a collective whose tensor needs a gradient."""


class Preparation:
    """Checks the arguments of a collective in a `with` block, and then meets the other ranks.

    If the block refuses something, the others are told, so that all of them refuse.

    Attributes:
        announcement: what this rank has told the others, once the block has ended.
    """

    announcement: Announcement

    def __init__(self, name: str, group: Any, sync_op: bool) -> None:
        self.name, self.options = name, ""
        self.world: World = world_for(name)
        check_group(name, group)
        if not sync_op:
            raise errors.always_synchronous(op=name)
        self._operands: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        refused = "" if error is None else headline(error)
        self.announcement = self.world.announcement(self.name, self._operands, self.options, refused=refused)
        try:
            self.world.meet(self.announcement)
            self.world.collectives += 1
        except errors.CommunicationError:
            if error is None:
                raise

    def report(self, *, alone: bool = False) -> None:
        """Reports to the observers which collective it was, so that recordings of several ranks can be put side by side.

        Args:
            alone: whether no operation follows.
        """
        for each in modes.current().listeners:
            each.communicated(self.name, self.announcement.number, self.world.rank, self.world.size, alone=alone)

    def reads(self, tensor: Tensor) -> None:
        """Notes a tensor on whose form the ranks must agree."""
        as_tensor(self.name, "tensor", 0, tensor)
        if not isinstance(tensor.storage.buffer, np.ndarray):
            raise errors.tensor_not_in_host_memory(op=self.name, place=tensor.place)
        self._operands.append(f"{tensor.array.dtype.name}{list(tensor.array.shape)}")

    def writes(self, tensor: Tensor) -> None:
        """Notes a tensor that the collective writes, and refuses what an in-place operation refuses."""
        self.reads(tensor)
        self.check_write(tensor)

    def check_write(self, tensor: Tensor) -> None:
        """Refuses a leaf that needs a gradient, and a tensor whose elements share slots."""
        if tensor.overlaps:
            refuse_self_overlap(self.name, tensor)
        if modes.current().recording_history:
            check_leaf(self.name, tensor, write=f"{self.name}(y)")

    def reduces(self, tensor: Tensor, op: Any) -> bool:
        """Refuses a reduction that is not defined for a tensor. Returns whether the tensor needs a gradient."""
        if op not in list(ReduceOp) or isinstance(op, bool):
            raise errors.unknown_reduce_op(op=self.name, given=op)
        op, kind = ReduceOp(op), tensor.array.dtype.kind
        allowed = {ReduceOp.AVG: "fc", ReduceOp.MAX: "biuf", ReduceOp.MIN: "biuf"}.get(op, "iufc")
        if kind not in allowed:
            raise errors.reduction_of_dtype(op=self.name, reduction=op.name, dtype=tensor.array.dtype.name)
        needs = bool(self.gradient(tensor))
        if needs and op not in (ReduceOp.SUM, ReduceOp.AVG):
            raise errors.reduction_without_derivative(op=self.name, reduction=op.name)
        return needs

    def gradient(self, tensor: Tensor) -> str:
        """Returns a note if the tensor needs a gradient: then backward makes a collective, in which all ranks must take part."""
        wanted = modes.current().recording_history and tensor.array.dtype.kind in "fc"
        return GRADIENT if wanted and edge(tensor) is not None else ""

    def list_like(self, tensors: Sequence[Any], like: Tensor) -> None:
        """Refuses a list that has not one tensor like `like` for each rank."""
        forms = {(each.array.shape, each.array.dtype) for each in tensors if isinstance(each, Tensor)}
        if len(tensors) != self.world.size or forms != {(like.array.shape, like.array.dtype)}:
            raise errors.one_tensor_per_rank(op=self.name, count=len(tensors), ranks=self.world.size)

    def separate(self, tensors: Sequence[Tensor]) -> None:
        """Refuses tensors that share a storage."""
        if len({id(each.storage) for each in tensors}) < len(tensors):
            raise errors.tensors_share_storage(op=self.name)


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
            reduce_everywhere(call.world, call.announcement, flat, op)
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
            send_to_all(call.world, call.announcement, [flat], [src])
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
        send_to_all(world, call.announcement, flats, range(world.size))
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
            reduce_parts(call.world, call.announcement, flats, flat, op)
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
