"""Finds fixes for a program that ended with an error, in terms of its own names and lines.

A fix is offered only if it fixes *this* program: the program then runs, and its gradients are those of the program written
with ordinary operations. If the recording does not show that a fix is safe, only general advice is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.fixes.refused_operations import refusal_fixes
from inplacelab.recording.fixes.source_tree import Edit, Fix, program_of
from inplacelab.recording.fixes.stale_values import stale_fixes
from inplacelab.recording.fixes.write_elsewhere import HasOrdinary
from inplacelab.recording.recording import Recording

__all__ = ["Edit", "Fix", "fixes", "in_one_sentence"]


def fixes(recording: Recording, has_ordinary: HasOrdinary) -> tuple[Fix, ...]:
    """Returns the fixes for a program whose recording ends with an error; empty if none is certain to work.

    Args:
        recording: the recording, up to the error.
        has_ordinary: whether a name is an ordinary operation: "relu" is, "zero" is not.
    """
    index = len(recording) - 1
    error = recording.steps[index].error if index >= 0 else None
    if error is None:
        return ()
    program = program_of(recording)
    if program is None:
        return ()
    known = recording, program, index, has_ordinary
    return tuple(stale_fixes(*known) or refusal_fixes(*known))


def in_one_sentence(found: Sequence[Fix]) -> Text:
    """Joins fixes into a sentence that follows "Instead, ": "call `loss.backward()` before line 6; or in line 6 write ..."."""
    return Text(
        "; or ".join(each.says.en for each in found) + ".", "；或者，".join(each.says.zh for each in found) + "。"
    )
