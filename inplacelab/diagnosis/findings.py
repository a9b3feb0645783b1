"""Defines what is found out about a failure, as data: a watch notes it, and the report, its JSON form and its annotations are made of it."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from inplacelab.language import Text
from inplacelab.recorders.static import class_name, message_of

if TYPE_CHECKING:
    from inplacelab.recorders.judging.judgment import Judgment
    from inplacelab.recording.facts import AliasFacts, FailureFacts, FixFacts

COLON = Text(":", "：")

Paint = Callable[[str, str], str]
"""Gives a text the color of what it is: a role, "file", "added" or "removed"."""


def plain(text: str, _: str) -> str:
    """Returns a text as it is (a `Paint`)."""
    return text


def paint_for(stream: TextIO | None) -> Paint:
    """Returns what colors texts for a stream: if it is a terminal that can, and `NO_COLOR` is not set.

    Not `FORCE_COLOR`: Jupyter's kernels set it, and a program that reads our output there would find escape sequences in it.
    """
    can = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return _colored if can and stream is not None and not stream.closed and stream.isatty() else plain


def _colored(text: str, what: str) -> str:
    return f"\x1b[{_CODES[what]}m{text}\x1b[0m" if text else text


_CODES = {
    "kept": "36", "origin": "36", "overwritten": "31", "released": "31", "read": "35", "needed": "35", "refused": "31", "wrong": "31", "file": "1", "added": "32", "removed": "31",
}  # fmt: skip
"""How ANSI terminals are told a color: a write is red, what it concerns is cyan, and what then fails is magenta."""


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


@dataclass(frozen=True)
class Attempts:
    """How many fixes were tried, and what is said if none works: what helps instead, or why none was tried."""

    count: int
    said: str | None


@dataclass(frozen=True)
class Report:
    """How a script ran, and what was found.

    Attributes:
        script: the script.
        status: the script's exit status.
        framework: the framework that was watched; "" if the script did not run.
        version: its version; "" if it is not known.
        raised: the type and the message of the exception that ended it; None if none did, or if it left by `sys.exit`.
        operations, storages: how many were watched.
        findings: the failures.
        remarks: what was not watched.
        tried: what came of trying fixes; None if that was not asked for.
        judgment: what the comparison of gradients has shown; None if there was none.
        aliases: what was read under one name after it was written under another; None if that was not asked for.
        not_run: why it could not be run to its end, and nothing can be said of it; None if it was.
    """

    script: Path
    status: int
    framework: str = ""
    version: str = ""
    raised: tuple[str, str] | None = None
    operations: int = 0
    storages: int = 0
    findings: Sequence[Finding] = ()
    remarks: Sequence[Text] = ()
    tried: Attempts | None = None
    not_run: Text | None = None
    aliases: Sequence[AliasFacts] | None = None
    judgment: Judgment | None = None
