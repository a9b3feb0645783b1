"""Tells where a framework kept no history although the program did not ask it to leave any out (`Framework.loses_history`).

A gradient that ends there is wrong; one that ends at `detach()`, at `stop_gradient = True` or under `no_grad` ends where the program meant it to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.recording import Recording
from inplacelab.supported import framework_of

__all__ = ["WITHOUT_HISTORY", "is_lost", "loses_write"]

WITHOUT_HISTORY = frozenset({"set_value", "set_tensor"})
"""Operations that write the numbers of a tensor without its history, as their documentation says."""
_CUTS = frozenset({"detach", "detach_", "data"})


def is_lost(recording: Recording, step: Step, tensor: int, *, made_node: bool) -> bool:
    """Returns whether a step that read a tensor lost the tensor's history, and the program did not mean it to.

    Args:
        recording: the recording.
        step: the step, which computed something from the tensor.
        tensor: the tensor's number. A gradient should go on through it: what was read there was computed from a tensor with history.
        made_node: whether the step made a grad node.
    """
    if not framework_of(recording).loses_history or step.tracks is not True or step.op in WITHOUT_HISTORY:
        return False
    facts = recording.before(step.index).tensors.get(tensor) or recording.state(step.index).tensors.get(tensor)
    if facts is None or not facts.dtype.startswith(("float", "bfloat", "complex")):
        return False
    if facts.needs_gradient:
        return not made_node
    return not any(origin.cut for _, origin in _up_the_views(recording, tensor))


def loses_write(recording: Recording, tensor: int, through: int) -> bool:
    """Returns whether a tensor without history should have that of a write through another one on its storage.

    A write through a view is a write to its base. Not so if `detach()` stands between the two: then the program has cut the history there.

    Args:
        recording: the recording.
        tensor: the tensor's number.
        through: the number of the tensor that was written, and that got a grad node for it.
    """
    return tensor != through and _attached_to(recording, tensor) == _attached_to(recording, through)


@dataclass(slots=True)
class _Origin:
    """How a tensor began.

    Attributes:
        of: the tensor of which it was made as a view, or an alias by `detach()`; None if it is neither.
        detached: whether it is such an alias.
        cut: whether it was made without history on purpose, or had history once and has none now.
    """

    of: int | None
    detached: bool
    cut: bool


def _up_the_views(recording: Recording, tensor: int) -> Iterator[tuple[int, _Origin]]:
    """Yields a tensor and those that it is a view of, with how each began. One that is not known counts as cut."""
    seen: set[int] = set()
    here: int | None = tensor
    while here is not None and here not in seen:
        seen.add(here)
        origin = recording.once(_origins).get(here, _UNKNOWN)
        yield here, origin
        here = origin.of


_UNKNOWN = _Origin(None, detached=False, cut=True)


def _attached_to(recording: Recording, tensor: int) -> int:
    """Returns the tensor with which a tensor shares its history: the one that it is a view of, up to a `detach()`."""
    last = tensor
    for number, origin in _up_the_views(recording, tensor):
        last = number
        if origin.detached:
            break
    return last


def _origins(recording: Recording) -> Mapping[int, _Origin]:
    found: dict[int, _Origin] = {}
    tracked: set[int] = set()
    for step in recording.steps:
        for key, facts in step.tensors:
            if facts is None:
                continue
            if key not in found:
                found[key] = _origin(step, key, facts)
            elif key in tracked and not facts.needs_gradient:
                found[key].cut = True
            if facts.needs_gradient:
                tracked.add(key)
    return found


def _origin(step: Step, tensor: int, facts: TensorFacts) -> _Origin:
    made_here = step.output == tensor
    of = step.inputs[0] if made_here and step.category == "view" and step.inputs else facts.base
    detached = made_here and step.op in _CUTS
    return _Origin(of, detached, cut=detached or (made_here and step.tracks is False))
