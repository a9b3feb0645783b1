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

from inplacelab.language import Text
from inplacelab.recording.facts import FixFacts
from inplacelab.recording.fixes.outcomes import least
from inplacelab.recording.fixes.refused_operations import refusal_fixes
from inplacelab.recording.fixes.stale_values import stale_fixes
from inplacelab.recording.fixes.write_elsewhere import HasOrdinary
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import program_of

__all__ = ["block", "fixes", "in_one_sentence", "label"]


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
    """Returns the lines of a list of fixes: what was found by trying them, and then each."""
    shown = least(each.checked for each in found).wholly
    return [(_ONE_WAY if len(found) == 1 else _ONE_OF).format(shown), *(_ITEM.format(_said(each)) for each in found)]


_ONE_WAY = Text("To fix it ({0}):", "改法（{0}）：")
_ONE_OF = Text("To fix it, one of these ({0}):", "改法，任选其一（{0}）：")
_ITEM = Text("  - {0}", "  - {0}")
_PRICE = Text("{0} ({1})", "{0}（{1}）")
_BUT = Text(
    "{0}; but the final values of {1} differ, so check whether you need the write",
    "{0}；但 {1} 最后的值不同，请看是否需要这次写入",
)
_SLOPES = Text(
    "{0}; {1} elements of the first pass's gradients agree with finite differences of the loss",
    "{0}；第一次反向传播的梯度中有 {1} 个元素与损失的有限差分一致",
)


def _said(fix: FixFacts) -> Text:
    said = _PRICE.format(fix.says, fix.price) if fix.price.en else fix.says
    said = _SLOPES.format(said, fix.slopes) if fix.slopes else said
    return _BUT.format(said, ", ".join(f"`{each}`" for each in fix.differs[:4])) if fix.differs else said


def in_one_sentence(found: Sequence[FixFacts]) -> Text:
    """Joins fixes into a sentence that follows "Instead, ": "call `loss.backward()` before line 6; or in line 6 write ... (Checked.)"."""
    ways = Text("; or ".join(each.says.en for each in found), "；或者，".join(each.says.zh for each in found))
    return ways + Text(". ", "。") + least(each.checked for each in found).brief


def label(found: Sequence[FixFacts]) -> Text:
    """Returns what was found by trying fixes, as a sentence in brackets."""
    return least(each.checked for each in found).whole
