"""Defines what is found out about a failure, as data: a watch notes it, and the report, its JSON form and its annotations are made of it."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inplacelab.language import Text
from inplacelab.recorders.static import class_name, message_of
from inplacelab.recording.facts import FailureFacts, FixFacts

COLON = Text(":", "：")

Paint = Callable[[str, str], str]
"""Gives a text the color of what it is: a role, "file", "added" or "removed"."""


def plain(text: str, _: str) -> str:
    """Returns a text as it is (a `Paint`)."""
    return text


class ChangedError(FileNotFoundError):
    """Raised for the text of a file that has another one now than that which ran."""


@dataclass(frozen=True)
class Finding:
    """What is found out about a backward pass that failed, or whose gradients are wrong, and what is said of it.

    Attributes:
        facts: what led to it.
        error: the type and the message of its error; None if there was none.
        why: the reason, for what this package has refused.
        advice: what may be done, in general; None if nothing is known.
        fixes: ways to fix the program.
        sources: the texts of the files that they change, before.
        text_of: returns the text of a file that ran; it raises `FileNotFoundError` for one that is not known, and
            `ChangedError` for one that has another text now.
        written: that of them which was written to the files.
        ended: whether its error has ended the program.
        address: the address of the exception, for a watch.
        is_complete: whether advice and fixes were looked for; a watch does not do that while the program runs.
    """

    facts: FailureFacts
    error: tuple[str, str] | None = None
    why: Text | None = None
    advice: Text | None = None
    fixes: Sequence[FixFacts] = ()
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    written: FixFacts | None = None
    ended: bool = False
    address: int = field(default=0, compare=False)
    is_complete: bool = field(default=True, compare=False)
    text_of: Callable[[str], str] = field(default_factory=lambda: text_of_program, compare=False, repr=False)

    @property
    def says(self) -> Text:
        """What happened, in one sentence, without its stop."""
        from inplacelab.recording.sentences.failures import headline  # noqa: PLC0415  # not while a program runs

        said = headline(self.facts)
        return said if said.en or self.why is None else self.why

    def changes(self, fix: FixFacts) -> dict[str, tuple[str, str]]:
        """Returns the texts of the files that a fix changes, before and after."""
        from inplacelab.recording.fixes.spots import changed  # noqa: PLC0415

        return changed([each for each in fix.edits if each.file in self.sources], self.sources.__getitem__)


def completed(found: Finding) -> Finding:
    """Returns a finding with its advice and fixes."""
    if found.is_complete:
        return found
    from inplacelab.recording.fixes import fixes_for  # noqa: PLC0415  # only if a pass has failed
    from inplacelab.recording.fixes.spots import lines_of  # noqa: PLC0415
    from inplacelab.recording.sentences.failures import advice_for, is_update  # noqa: PLC0415
    from inplacelab.recording.trace import trail_of  # noqa: PLC0415

    needed, fixes = found.facts.needed, found.fixes
    if found.facts.kind != "silent" or is_update(found.facts):
        fixes = fixes_for([trail_of(found.facts)], found.text_of, lines_of(needed[-1].file if needed else ""))
    return replace(
        found, advice=advice_for(found.facts), fixes=fixes, sources=sources_of(fixes, found.text_of), is_complete=True
    )


def sources_of(fixes: Sequence[FixFacts], text_of: Callable[[str], str] | None = None) -> dict[str, str]:
    """Returns the texts of the files that fixes change."""
    read = text_of or text_of_program
    return {each.file: read(each.file) for fix in fixes for each in fix.edits}


def text_of_program(name: str) -> str:
    """Returns the text of a file, or of a cell, as it was when it ran.

    Raises:
        FileNotFoundError: if it is not known.
    """
    text = "".join(linecache.getlines(name))
    if not text:
        raise FileNotFoundError(name)
    return text


def told(error: BaseException) -> tuple[str, str]:
    """Returns the type and the message of an error."""
    return class_name(type(error)), message_of(error)
