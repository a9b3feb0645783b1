"""Defines what is said of a failure, as data: the report, its JSON form and its annotations are made of the same findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inplacelab.diagnosis.failures import Failure
from inplacelab.diagnosis.source_file import text_of_program
from inplacelab.language import Text
from inplacelab.recorders.static import class_name, message_of
from inplacelab.recording.facts import FailureFacts, FixFacts
from inplacelab.recording.fixes import fixes_for
from inplacelab.recording.fixes.spots import changed, lines_of
from inplacelab.recording.sentences.failures import advice_for, headline
from inplacelab.recording.trace import trail_of

COLON = Text(":", "：")


@dataclass(frozen=True)
class Finding:
    """What is said of a failure.

    Attributes:
        facts: what led to it.
        error: the type and the message of its error; None if there was none.
        why: the reason, for what this package has refused.
        advice: what may be done, in general; None if nothing is known.
        fixes: ways to fix the program.
        sources: the texts of the files that they change, before.
        written: that of them which was written to the files.
        ended: whether its error has ended the program.
    """

    facts: FailureFacts
    error: tuple[str, str] | None = None
    why: Text | None = None
    advice: Text | None = None
    fixes: Sequence[FixFacts] = ()
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    written: FixFacts | None = None
    ended: bool = False

    @property
    def says(self) -> Text:
        """What happened, in one sentence, without its stop."""
        said = headline(self.facts)
        return said if said.en or self.why is None else self.why

    def changes(self, fix: FixFacts) -> dict[str, tuple[str, str]]:
        """Returns the texts of the files that a fix changes, before and after."""
        return changed([each for each in fix.edits if each.file in self.sources], self.sources.__getitem__)


def finding_of(failure: Failure) -> Finding:
    """Returns what is said of a backward pass that a watch has seen fail."""
    error = (failure.raised, failure.error[1]) if failure.raised else None
    needed, found = failure.facts.needed, failure.fixes
    if found is None and failure.facts.kind != "silent":
        found = fixes_for([trail_of(failure.facts)], text_of_program, lines_of(needed[-1].file if needed else ""))
    sources = {each.file: text_of_program(each.file) for fix in found or () for each in fix.edits}
    return Finding(failure.facts, error, advice=advice_for(failure.facts), fixes=found or (), sources=sources)


def told(error: BaseException) -> tuple[str, str]:
    """Returns the type and the message of an error."""
    return class_name(type(error)), message_of(error)
