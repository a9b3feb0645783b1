"""Describes an error: the exception, where the value was saved, where it was overwritten, how to fix the program."""

from __future__ import annotations

from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import ErrorFacts, SavedFacts, Step, WriteFacts
from inplacelab.recording.naming import naming, namings, storage_label
from inplacelab.recording.queries import kept_by, stale, who_overwrote
from inplacelab.recording.relations import relation_of, shown_relation
from inplacelab.recording.sentences.phrases import closed_up, joined, quoted
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.recording.slots import common_runs, slot_runs
from inplacelab.recording.values_read import slots_reached

__all__ = ["Spoilt", "error_step", "same_value", "spoilt", "stale_notes", "written_through"]


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A saved value that a failed node found overwritten, and the writes that did it, in order."""

    node: int
    saved: SavedFacts
    writes: tuple[tuple[Step, WriteFacts], ...]


def error_step(moment: Moment) -> Text:
    """Returns the sentences for a step that raised an error."""
    error = moment.step.error
    if error is None:
        return Text("{0} raised an error.", "{0}抛出了异常。").format(moment.line)
    return joined([_raised(moment, error), *_why(moment, error)])


def _raised(moment: Moment, error: ErrorFacts) -> Text:
    raised = Text("{0} raised {1}", "{0}抛出 {1}").format(moment.line, quoted(error.type))
    first_line = (error.message.splitlines() or [""])[0].strip().removesuffix(".")
    if error.explanation is not None or not first_line:
        return raised + Text(".", "。")
    return Text("{0}: {1}.", "{0}：{1}。").format(raised, Text(first_line, first_line))


def _why(moment: Moment, error: ErrorFacts) -> list[Text]:
    notes = list(error.notes or stale_notes(moment))
    reason = [error.explanation] if error.explanation and not notes else []
    instead = [Text("Instead, {0}", "改法：{0}").format(error.fix)] if error.fix else []
    return [*reason, *notes, *instead]


def stale_notes(moment: Moment) -> tuple[Text, ...]:
    """Describes for a failed node which line saved the value, and which lines overwrote it, through which tensor."""
    found = spoilt(moment)
    if found is None:
        return ()
    said = [_kept(moment, found.node, found.saved)]
    again = False
    for step, write in found.writes:
        there = Moment(moment.recording, step.index)
        # Versions count per storage: backward refuses the value even if the write left its slots alone.
        overwrote = overwrites(there, found.saved, write)
        pattern = _WROTE_BESIDE if not overwrote else _OVERWROTE_AGAIN if again else _OVERWROTE
        said.append(pattern.format(there.head, written_through(there, write.tensor), write.before, write.after))
        again |= overwrote
    return tuple(closed_up(note) for note in said)


def spoilt(moment: Moment) -> Spoilt | None:
    """Returns the saved value that a failed node found overwritten; None if the error has another cause."""
    error = moment.step.error
    if error is None or error.node is None:
        return None
    mine = [saved for node, saved in stale(moment.after) if node == error.node]
    suspects = [saved for saved in mine if error.storage in (None, saved.storage)]
    if not suspects:
        return None
    failed = next((saved for saved in suspects if saved.name == _last_unpacked(moment)), suspects[0])
    return Spoilt(error.node, failed, who_overwrote(moment.recording, failed, moment.index))


def _last_unpacked(moment: Moment) -> str | None:
    """Returns the name of the saved tensor that backward unpacked last: a node may save several of one storage."""
    moments = (step.backward for step in reversed(moment.recording.steps[: moment.step.index]))
    return next((backward.saved for backward in moments if backward and backward.action == "unpack"), None)


def _kept(moment: Moment, node: int, saved: SavedFacts) -> Text:
    pattern = Text("{0} kept {1} at version {2} of {3}.", "{0} 在 {3} 为版本 {2} 时保存了 {1}。")
    called = naming(moment.recording, moment.after, node, *same_value(moment, node, saved)).phrase()
    return pattern.format(moment.called_node(node), called, saved.version, storage_label(saved.storage))


def same_value(moment: Moment, node: int, saved: SavedFacts) -> list[SavedFacts]:
    """Returns a stale value as all the operands that the node keeps it as: `b * b` keeps `b` twice, and both go stale. A fresh one
    is found one operand at a time.
    """
    if not moment.after.is_stale(saved):
        return [saved]
    kept = namings(
        moment.recording, moment.after, node, kept_by(moment.after, node) if node in moment.after.nodes else ()
    )
    return next((list(each.saved) for each in kept if saved in each.saved), [saved])


def overwrites(moment: Moment, saved: SavedFacts, write: WriteFacts) -> bool:
    """Whether a write reached elements of a saved tensor, and not only others of its storage."""
    storage = moment.after.storages.get(saved.storage)
    kept = slot_runs(saved) if storage is None else slots_reached(storage, saved)
    return bool(common_runs(kept, write.slots))


def written_through(moment: Moment, tensor: int) -> Text:
    """Names the tensor that was written through; for a view, its base too."""
    called, facts = moment.called_before(tensor), moment.tensor_before(tensor) or moment.after.tensors.get(tensor)
    found = None if facts is None else relation_of(moment.recording, moment.before, facts)
    roots = [] if found is None else [key for key in (found.base, found.via) if key is not None]
    if found is None or not any(moment.before.called(key).names for key in roots):
        return called
    how = shown_relation(found, lambda key: quoted(moment.before.called(key).first))
    pattern = Text("{0}, a {1}", "{0}（{1}）") if found.kind == "view" else Text("{0}, which {1}", "{0}（{1}）")
    return pattern.format(called, how)


_OVERWROTE = Text(
    "{0} then overwrote it through {1} (version {2} → {3}).", "{0}随后经由 {1} 覆盖了它（版本 {2} → {3}）。"
)
_OVERWROTE_AGAIN = Text(
    "{0} overwrote it again, through {1} (version {2} → {3}).", "{0}经由 {1} 再次覆盖了它（版本 {2} → {3}）。"
)
_WROTE_BESIDE = Text(
    "{0} then raised the version of the same storage through {1} ({2} → {3}), though these slots were not written.",
    "{0}随后经由 {1} 使同一个存储的版本号增加（{2} → {3}），尽管并没有写这些槽位。",
)
