"""Where PaddlePaddle's derivative of an operation is another one than that of what the operation computed.

Each of these is used to explain a gradient only if the paths that it leads to add up to the gradient that Paddle returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from inplacelab.recording.facts import Number, Step, TensorFacts
from inplacelab.recording.origins.elements import slot_of
from inplacelab.recording.recording import Recording

__all__ = ["slot_given_by_window", "with_weight_of_ones"]

_WINDOWS = frozenset({"AsStridedGradNode", "TensorUnfoldGradNode"})
MOST_IN_WINDOWS = 4096


def slot_given_by_window(
    recording: Recording, made: Step, base: TensorFacts, view: TensorFacts, element: int | None, slot: int
) -> int | None:
    """Returns the slot to which backward gives the gradient of an element of a view: the element's own, except for overlapping windows.

    The backward of `as_strided` and of `unfold` writes the gradients of elements that share a slot one over the other, where it should add them; and
    that of `as_strided` counts the offset from the beginning of the tensor, not of the storage.

    Args:
        recording: the recording.
        made: the step that made the view.
        base: the tensor of which it is a view.
        view: the view.
        element: the number of the element; None if it was read through another view of the view: then the first one in the slot is meant.
        slot: its slot.

    Returns:
        The slot; None if another gradient is written over the element's.
    """
    node = None if made.kept is None else recording.state(made.index).nodes.get(made.kept)
    if (
        recording.framework != "paddle"
        or node is None
        or node.name not in _WINDOWS
        or prod(view.shape) > MOST_IN_WINDOWS
    ):
        return slot
    here = [k for k in range(prod(view.shape)) if slot_of(view, k) == slot]
    if (here[0] if element is None else element) != here[-1]:
        return None
    if node.name == "AsStridedGradNode":
        return slot_of(base, slot) if slot < prod(base.shape) else None
    return slot


def with_weight_of_ones(
    recording: Recording, step: Step, tensors: Sequence[int], values: Sequence[Number | None]
) -> list[Number | None]:
    """Returns the values with which backward computes: that of `layer_norm` takes a weight that needs no gradient for ones.

    Args:
        recording: the recording.
        step: the step that computed something from the values.
        tensors: the tensors through which they were read.
        values: the values.
    """
    node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
    if recording.framework != "paddle" or node is None or node.name != "LayerNormGradNode" or len(step.inputs) < 2:
        return list(values)
    weight = recording.before(step.index).tensors.get(step.inputs[1])
    if weight is None or weight.needs_gradient:
        return list(values)
    return [1.0 if tensor == weight.id else value for tensor, value in zip(tensors, values, strict=True)]
