"""How to mend a program that ended with an error: in particular, with its own names and lines.

A mend is offered only if it mends *this* program: it then runs, and its gradients are those of the program written with
ordinary operations. What a recording does not show to be safe is not offered; the general advice stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.mending.edits import Edit, Mend
from inplacelab.recording.mending.program import Program
from inplacelab.recording.mending.refused import refusal_mends
from inplacelab.recording.mending.stale import stale_mends
from inplacelab.recording.mending.writes import HasOrdinary
from inplacelab.recording.recording import Recording

__all__ = ["Edit", "Mend", "in_one_sentence", "mends"]


def mends(recording: Recording, has_ordinary: HasOrdinary) -> tuple[Mend, ...]:
    """What mends a program whose recording ends with an error; nothing if nothing is sure to.

    Args:
        recording: the recording, up to the error.
        has_ordinary: whether there is an ordinary operation of a name: "relu", but not "zero".
    """
    index = len(recording) - 1
    error = recording.steps[index].error if index >= 0 else None
    if error is None:
        return ()
    try:
        program = Program(recording.source)
    except (SyntaxError, ValueError):  # such as a cell with shell commands; such as a null byte
        return ()
    found = stale_mends(recording, program, index, has_ordinary) or refusal_mends(
        recording, program, index, has_ordinary
    )
    return tuple(found)


def in_one_sentence(found: Sequence[Mend]) -> Text:
    """Several ways to mend a program, after "Instead, ": "call `loss.backward()` before line 6; or in line 6 write ..."."""
    return Text(
        "; or ".join(each.says.en for each in found) + ".", "；或者，".join(each.says.zh for each in found) + "。"
    )
