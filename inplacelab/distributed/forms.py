"""Checks that a layer has the same parameters and buffers on all ranks."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.distributed.world import World
from inplacelab.tensor import Tensor


def check_same_tensors(world: World, name: str, tensors: Sequence[tuple[str, Tensor]]) -> None:
    """Refuses, on all ranks, tensors that have other names, shapes or dtypes on some rank.

    Args:
        world: the ranks.
        name: what needs them: "DataParallel".
        tensors: the tensors of this rank with their names.
    """
    world.meet(world.announcement(name, forms(tensors)))


def forms(tensors: Sequence[tuple[str, Tensor]]) -> tuple[str, ...]:
    """Returns names, dtypes and shapes as ranks compare them."""
    return tuple(f"{name}: {each.array.dtype.name}{list(each.array.shape)}" for name, each in tensors)
