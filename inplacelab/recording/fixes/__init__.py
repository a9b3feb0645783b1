"""Finds fixes for a program that ended with an error, in terms of its own names and lines.

A fix is made for *this* program: with it, the program runs, and its gradients are those of the program written with ordinary operations.
Each fix is tried (`recorders/checked_fixes.py`); one that was not tried says so. If the recording does not show that a fix is safe, only
general advice is given.

    stale_values.py         a value was overwritten before backward used it     write_elsewhere.py, recompute.py   two ways out
    refused_operations.py   the engine refused an operation                     difference.py   the lines that a fix changes
    proposals.py            edits to try, for programs of other frameworks      kept_copies.py   edits that keep a copy
    spots.py, located.py    where in the text                                   order.py        whether an edit may move a statement
    outcomes.py             what trying a fix has shown, in words
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inplacelab.language import Text
from inplacelab.recording.facts import FixFacts
from inplacelab.recording.fixes.outcomes import least
from inplacelab.recording.fixes.refused_operations import refusal_fixes
from inplacelab.recording.fixes.stale_values import stale_fixes
from inplacelab.recording.fixes.write_elsewhere import HasOrdinary
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import program_of

__all__ = ["block", "fixes", "in_one_sentence", "label", "with_fixes"]

_ONE_WAY = Text("To fix it ({0}):", "改法（{0}）：")
_ONE_OF = Text("To fix it, one of these ({0}):", "改法（任选其一；{0}）：")


def fixes(recording: Recording, has_ordinary: HasOrdinary) -> tuple[FixFacts, ...]:
    """Returns the fixes for a program whose recording ends with an error; none of them was tried.

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


def block(found: Sequence[FixFacts]) -> list[Text]:
    """Returns the lines of a block that says how to fix a program, and what was found by trying that."""
    head = (_ONE_WAY if len(found) == 1 else _ONE_OF).format(least(each.checked for each in found).wholly)
    return [head, *(Text("  - ", "  - ") + each.says for each in found)]


def in_one_sentence(found: Sequence[FixFacts]) -> Text:
    """Joins fixes into a sentence that follows "Instead, ": "call `loss.backward()` before line 6; or in line 6 write ... (Checked.)"."""
    ways = Text("; or ".join(each.says.en for each in found), "；或者，".join(each.says.zh for each in found))
    return ways + Text(". ", "。") + least(each.checked for each in found).brief


def label(found: Sequence[FixFacts]) -> Text:
    """Returns what was found by trying fixes, as a sentence in brackets."""
    return least(each.checked for each in found).whole


def with_fixes(recording: Recording, found: Sequence[FixFacts]) -> Recording:
    """Returns a recording that ends with an error, with fixes for it in place of those that it had."""
    *before, last = recording.steps
    if last.error is None:
        return recording
    error = replace(last.error, fix=in_one_sentence(found), fixes=tuple(found))
    return replace(recording, steps=(*before, replace(last, error=error)))
