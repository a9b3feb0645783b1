"""Where a framework's derivative of an operation is another one than that of what the operation computed (see `supported.Defects`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from inplacelab.recording.facts import Number, Step, TensorFacts
from inplacelab.recording.origins.elements import slot_of
from inplacelab.recording.recording import Recording
from inplacelab.supported import framework_of

__all__ = ["slot_given_by_window", "with_weight_of_ones"]

MOST_IN_WINDOWS = 4096


def slot_given_by_window(
    recording: Recording, made: Step, base: TensorFacts, view: TensorFacts, element: int | None, slot: int
) -> int | None:
    """Returns the slot to which backward gives the gradient of an element of a view: the element's own, except for overlapping windows.

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
    defects = framework_of(recording).defects
    if node is None or node.name not in defects.windows | defects.offsets or prod(view.shape) > MOST_IN_WINDOWS:
        return slot
    here = [k for k in range(prod(view.shape)) if slot_of(view, k) == slot]
    if (here[0] if element is None else element) != here[-1]:
        return None
    if node.name in defects.offsets:
        return slot_of(base, slot) if slot < prod(base.shape) else None
    return slot


def with_weight_of_ones(
    recording: Recording, step: Step, tensors: Sequence[int], values: Sequence[Number | None]
) -> list[Number | None]:
    """Returns the values with which backward computes: a weight that needs no gradient may be taken for ones.

    Args:
        recording: the recording.
        step: the step that computed something from the values.
        tensors: the tensors through which they were read.
        values: the values.
    """
    node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
    if node is None or node.name not in framework_of(recording).defects.weights or len(step.inputs) < 2:
        return list(values)
    weight = recording.before(step.index).tensors.get(step.inputs[1])
    if weight is None or weight.needs_gradient:
        return list(values)
    return [1.0 if tensor == weight.id else value for tensor, value in zip(tensors, values, strict=True)]
