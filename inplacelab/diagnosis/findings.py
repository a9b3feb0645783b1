"""Defines what a report says of a failure, as data: its text, its JSON form and its annotations are made of the same findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inplacelab.diagnosis.quoting import Quoted
from inplacelab.diagnosis.trials import Checked
from inplacelab.language import Text
from inplacelab.recorders.static import class_name, message_of
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts
from inplacelab.recording.source_tree import applied

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


def tried_fix(found: Checked, *, written: bool) -> Fix:
    """Returns a fix that was found by running the edited program."""
    edits = dict.fromkeys((each.filename, edit) for each in found.proposals for edit in each.edits)
    changes = {name: (text, found.after[name]) for name, text in found.before.items()}
    return Fix(found.says, found.evidence, tuple(edits), changes, found.differs, found.slopes, written)


def recorded_fix(found: FixFacts, filename: str, source: str, *, written: bool = False) -> Fix:
    """Returns a fix that a recording has, of the program in a file."""
    edits = [(filename, each) for each in found.edits]
    text = source + "\n"
    return Fix(
        found.says,
        found.checked,
        edits,
        {filename: (text, applied(text, found.edits))} if edits else {},
        written=written,
    )
