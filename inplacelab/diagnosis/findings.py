"""Defines what a report says of a failure, as data: its text, its JSON form and its annotations are made of the same findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inplacelab.diagnosis.quoting import Quoted
from inplacelab.diagnosis.source_file import text_of
from inplacelab.language import Text
from inplacelab.recorders.static import class_name, message_of
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts
from inplacelab.recording.fixes.located import changed
from inplacelab.recording.fixes.outcomes import way

KINDS = ("stale", "again", "silent", "leaf", "refused")
"""What may have happened. "stale", "again", "silent": see `failures.Failure`; "leaf": an operation would have written to a leaf that needs a
gradient; "refused": this package has refused something else."""

STALE = Text("Backward needed a value that was overwritten", "反向传播需要的值已被覆盖")
COLON = Text(":", "：")


@dataclass(frozen=True)
class Value:
    """A saved value that a failure may concern.

    Attributes:
        marks: the lines that kept, overwrote and needed it.
        remarks: what is known besides.
    """

    marks: Sequence[Quoted]
    remarks: Sequence[Text] = ()


@dataclass(frozen=True)
class Fix:
    """A way to fix a program.

    Attributes:
        says: what to do.
        checked: what was found by trying it.
        edits: the same as edits of files, each with its name.
        changes: the texts of the files that it changes, before and after.
        differs: the names of tensors that have other values with it in the end.
        slopes: so many elements of the gradients agree with finite differences of the loss; None if that was not compared.
        written: whether it was written to the files.
    """

    says: Text
    checked: Evidence
    edits: Sequence[tuple[str, EditFacts]]
    changes: Mapping[str, tuple[str, str]]
    differs: Sequence[str] = ()
    slopes: int | None = None
    written: bool = False


@dataclass(frozen=True)
class Finding:
    """What is said of a failure.

    Attributes:
        kind: what happened (see `KINDS`).
        error: the type and the message of its error; None if there was none.
        says: in one sentence, without its stop.
        values: the saved values that it may concern, the most probable first.
        remarks: what could not be seen.
        advice: what may be done, in general; None if nothing is known.
        wrong: the names of the leaves whose gradients are wrong without an error.
        fixes: ways to fix the program.
        ended: whether its error has ended the program.
    """

    kind: str
    error: tuple[str, str] | None
    says: Text
    values: Sequence[Value]
    remarks: Sequence[Text] = ()
    advice: Text | None = None
    wrong: Sequence[str] = ()
    fixes: Sequence[Fix] = ()
    ended: bool = False


def told(error: BaseException) -> tuple[str, str]:
    """Returns the type and the message of an error."""
    return class_name(type(error)), message_of(error)


def tried_fix(found: FixFacts, *, written: bool) -> Fix:
    """Returns a fix that was found by running the edited program."""
    edits = [(each.file, replace(each, file="")) for each in found.edits]
    return Fix(way(found), found.checked, edits, changed(found.edits, text_of), found.differs, found.slopes, written)


def recorded_fix(found: FixFacts, filename: str, source: str) -> Fix:
    """Returns a fix that a recording has, of the program in a file."""
    edits = [(filename, each) for each in found.edits]
    of_file = tuple(replace(each, file=filename) for each in found.edits)
    changes = changed(of_file, lambda _: source + "\n")
    return Fix(way(found), found.checked, edits, changes, found.differs, found.slopes)
