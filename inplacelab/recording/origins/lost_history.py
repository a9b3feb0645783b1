"""Tells where a framework kept no history although the program did not ask it to leave any out: as Paddle does, silently, of some writes.

A gradient that ends there is wrong; one that ends at `detach()`, at `stop_gradient = True` or under `no_grad` ends where the program meant it to.
"""

from __future__ import annotations

from collections.abc import Mapping

from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording

__all__ = ["WITHOUT_HISTORY", "is_lost"]

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
    if recording.framework != "paddle" or step.tracks is not True or step.op in WITHOUT_HISTORY:
        return False
    facts = recording.before(step.index).tensors.get(tensor) or recording.state(step.index).tensors.get(tensor)
    if facts is None or not facts.dtype.startswith(("float", "bfloat", "complex")):
        return False
    if facts.needs_gradient:
        return not made_node
    return not _was_cut(recording, tensor)


def _was_cut(recording: Recording, tensor: int) -> bool:
    """Whether the program took a tensor, or one that it is a view of, out of the history."""
    seen: set[int] = set()
    here: int | None = tensor
    while here is not None and here not in seen:
        seen.add(here)
        origin = recording.once(_origins).get(here)
        if origin is None or origin.cut:
            return True
        here = origin.base
    return False


class _Origin:
    """How a tensor began.

    Attributes:
        base: the tensor that it is a view of; None if it is none.
        cut: whether it was made without history on purpose, or had history once and has none now.
    """

    def __init__(self, base: int | None, *, cut: bool) -> None:
        self.base, self.cut = base, cut


def _origins(recording: Recording) -> Mapping[int, _Origin]:
    found: dict[int, _Origin] = {}
    tracked: set[int] = set()
    for step in recording.steps:
        for key, facts in step.tensors:
            if facts is None:
                continue
            if key not in found:
                made_here = step.output == key
                cut = made_here and (step.op in _CUTS or step.tracks is False)
                found[key] = _Origin(facts.base, cut=cut)
            elif key in tracked and not facts.needs_gradient:
                found[key].cut = True
            if facts.needs_gradient:
                tracked.add(key)
    return found
