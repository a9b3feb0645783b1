"""`check_replicas`: finds out whether the replicas of a layer have drifted apart, and which lines did it.

Ranks compare digests, not tensors. Only of a tensor that differs do they exchange what their recordings say of its storage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from inplacelab.distributed.environment import world_for
from inplacelab.distributed.forms import forms
from inplacelab.distributed.world import World
from inplacelab.nn.layer import Layer
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.ranks import Replicas, Write, digest, drift_of, history_of, in_order
from inplacelab.recording.recording import Recording
from inplacelab.tensor import Tensor


def check_replicas(model: Layer, recording: Recording | None = None) -> Replicas:
    """Compares the parameters and buffers of a layer across all ranks: values by digests, and versions.

    Every rank calls it, as a collective. With the ranks' recordings it names, for each tensor that differs, the first write that is not the same on
    all ranks, and the line on each rank that made it.

    Args:
        model: the layer; a `DataParallel`, or what it wraps.
        recording: what this rank has recorded, from `paddle.record()`.

    Returns:
        What differs; true if nothing does. The same on all ranks.

    Raises:
        CommunicationError: on all ranks, if their layers have other parameters, or a rank is missing.
    """
    world = world_for("check_replicas")
    tensors = list(model.state_dict().items())
    here = [(digest(each.numpy().tobytes()), each.storage.version) for _, each in tensors]
    everywhere = _exchanged(world, forms(tensors), here)
    differing = [k for k, ranks in enumerate(zip(*everywhere, strict=True)) if len(set(ranks)) > 1]
    if not differing:
        return Replicas(world.size, len(tensors), ())
    known = {} if recording is None else _recorded(recording, tensors)
    histories = _exchanged(world, (), [known.get(tensors[k][0], ()) for k in differing])
    drifts = [
        drift_of(tensors[k][0], [rank[k] for rank in everywhere], [rank[place] for rank in histories])
        for place, k in enumerate(differing)
    ]
    return Replicas(world.size, len(tensors), in_order(drifts))


_T = TypeVar("_T")


def _exchanged(world: World, agreed: Sequence[str], told: _T) -> list[_T]:
    """Tells all ranks something, and returns what each of them told."""
    return [each.told for each in world.meet(world.announcement("check_replicas", agreed, told=told))]


# ---- what a rank's recording says -------------------------------------------------------------------------------------------


def _recorded(recording: Recording, tensors: Sequence[tuple[str, Tensor]]) -> Mapping[str, tuple[Write, ...]]:
    """Returns the writes to the storages of these tensors."""
    if not recording.steps:
        return {}
    found = _found(list(recording.state().tensors.values()), tensors)
    return {name: history_of(recording, facts.storage) for name, facts in found.items()}


def _found(facts: Sequence[TensorFacts], tensors: Sequence[tuple[str, Tensor]]) -> Mapping[str, TensorFacts]:
    """Finds the tensors of a layer by their names in the program: `model.fc.weight` is `fc.weight` of the layer `model`.

    A program may have several layers. The one that has most of these tensors is meant.
    """
    layers: dict[str, dict[str, TensorFacts]] = {}
    for name, tensor in tensors:
        for each in facts:
            for called in each.names:
                alike = (each.shape, each.dtype) == (tensor.array.shape, tensor.array.dtype.name)
                if alike and f".{called}".endswith(f".{name}"):
                    layers.setdefault(called[: -len(name)], {})[name] = each
    return max(layers.values(), key=len, default={})
