"""Builds a picture of what was alive after a step from a recording, in the same form as the witness's own picture."""

from __future__ import annotations

from inplacelab.recording.facts import NodeFacts, StorageFacts, TensorFacts
from inplacelab.recording.recording import State

from .alive import Layout, NodePicture, Picture, StoragePicture, TensorPicture


def recorded_picture(state: State) -> Picture:
    """The picture that a recording gives of the moment after a step."""
    names: dict[str, set[int]] = {}
    for key, tensor in state.tensors.items():
        for name in tensor.names:
            names.setdefault(name, set()).add(key)
    return Picture(
        {key: _tensor(facts) for key, facts in state.tensors.items()},
        {key: _storage(state, facts) for key, facts in state.storages.items()},
        {key: _node(facts) for key, facts in state.nodes.items()},
        {name: frozenset(found) for name, found in names.items()},
        live=state.step.live,
        peak=state.step.peak,
    )


def _layout(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Layout:
    return (shape, (), 0) if 0 in shape else (shape, strides, offset)


def _tensor(facts: TensorFacts) -> TensorPicture:
    return TensorPicture(
        _layout(facts.shape, facts.strides, facts.offset), facts.dtype, facts.needs_gradient, facts.leaf, facts.storage,
        facts.base, facts.node, facts.grad,
    )  # fmt: skip


def _storage(state: State, facts: StorageFacts) -> StoragePicture:
    (version,) = state.versions(facts.id)  # this engine has one counter for each storage
    return StoragePicture(facts.bytes, facts.slots, facts.dtype, version, facts.values)


def _node(facts: NodeFacts) -> NodePicture:
    saved = tuple(
        (each.name, each.storage, each.version, _layout(each.shape, each.strides, each.offset), each.copy)
        for each in facts.saved
    )
    return NodePicture(facts.name, tuple(edge.to for edge in facts.edges), saved, facts.leaf)
