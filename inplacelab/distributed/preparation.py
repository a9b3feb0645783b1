"""What happens before a collective: its arguments are checked, and the ranks meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.history import check_leaf, edge
from inplacelab.distributed.announcement import Announcement
from inplacelab.distributed.environment import check_group, world_for
from inplacelab.distributed.transfers import ReduceOp
from inplacelab.distributed.world import World, headline
from inplacelab.ops.arguments.operands import as_tensor, refuse_self_overlap
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
