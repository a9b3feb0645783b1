"""Finds in a recording what led to a failure: where a value was saved, where it was overwritten, where backward needed it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from inplacelab.language import Text
from inplacelab.place import Place, same_line
from inplacelab.recording.code_of_steps import expression_of
from inplacelab.recording.facts import (
    FailureFacts,
    KeptFacts,
    OverwriteFacts,
    SavedFacts,
    SiteFacts,
    Sites,
    Step,
    WriteFacts,
)
from inplacelab.recording.fixes.recorded import size_of, trails_of, unrecorded
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.naming import RESULT, kept_values, namings
from inplacelab.recording.optimizer_steps import as_update
from inplacelab.recording.places import file_of, has_several_callers, names_at, shown_source, source_of
from inplacelab.recording.queries import kept_by, newly_stale, stale, who_overwrote
from inplacelab.recording.recording import Recording
from inplacelab.recording.refused_steps import refused_at
from inplacelab.recording.relations import made, relation_of
from inplacelab.recording.sentences.failures import Mark, Telling, marks, notes, with_call
from inplacelab.recording.sentences.phrases import StepContext
from inplacelab.recording.slots import common_runs, slot_runs, slots_reached
from inplacelab.recording.source_tree import line_text, statement_at, tree_at

MOST = 4
"""A write that makes values of more lines stale is not traced: the list would be too long to read."""


MOST_TEXT = 1000
"""So many characters of a line are kept."""


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A saved value that a failed node found overwritten, and the writes that did it, in order."""

    node: int
    saved: SavedFacts
    writes: tuple[tuple[Step, WriteFacts], ...]


def trace(recording: Recording, index: int) -> tuple[Mark, ...]:
    """Returns the marked lines of the recorded program behind a step that found a value stale, or made one stale.

    Args:
        recording: the recording.
        index: the step.

    Returns:
        The marks, in the order in which the lines ran; () for any other step.
    """
    facts = failure_at(recording, index)
    found = _turned_stale(StepContext(recording, index)) if facts is None else facts if facts.is_explained else None
    shown = (_told_marks(recording, found)) if found else ()
    return tuple(
        each
        for each in shown
        if each.role != "made" and not (each.number and facts) and each.line <= _length(recording, each.at.file)
    )


def _told_marks(recording: Recording, facts: FailureFacts) -> Iterator[Mark]:
    """Yields the marks of a failure of a recording, in its words, with the names of its sources."""
    named, telling = _told(recording, facts)
    for mark, told in zip(marks(facts), marks(named), strict=True):
        yield replace(with_call(told, telling(told.sites)), sites=mark.sites)


def _told(recording: Recording, facts: FailureFacts) -> tuple[FailureFacts, Telling]:
    """Returns a failure of a recording with the names of files as they are said, and the calls that are."""
    sources, telling = recording.named_sources, partial(_telling_call, recording)
    if len(sources) < 2:
        return facts, telling
    return _renamed(facts, lambda file: shown_source(sources, source_of(recording, file)) or file), telling


def marks_in(recording: Recording, index: int, source: int) -> tuple[Mark, ...]:
    """Returns those marks of a step that are in one source, by number (see `trace`)."""
    return tuple(each for each in trace(recording, index) if source_of(recording, each.at.file) == source)


def _length(recording: Recording, file: str) -> int:
    """Returns the number of lines of a source; 0 for a file that was not recorded."""
    source = source_of(recording, file)
    return 0 if source is None else recording.text_of(source).count("\n") + 1


def told_notes(recording: Recording, facts: FailureFacts, but: str = "") -> tuple[Text, ...]:
    """Returns `notes` of a failure of a recording, with the calls that tell runs of one line apart."""
    named, telling = _told(recording, facts)
    return notes(named, but, telling)


def _telling_call(recording: Recording, sites: Sites) -> SiteFacts | None:
    """Returns the call that tells which run of a line is meant, or which leads there from another source; None if none tells anything."""
    for site, caller in pairwise(sites):
        source = source_of(recording, site.file)
        if source is not None and has_several_callers(recording, source, site.function):
            return caller
    return next((each for each in sites if each.file != sites[0].file), None)


def failure_at(recording: Recording, index: int) -> FailureFacts | None:
    """Returns what led to the error of a step: what was found out while the program ran, or else what the recording tells; None if neither does."""
    error = recording.steps[index].error
    stored = None if error is None else error.failure
    return stored if stored is not None and stored.needed else _found_at(recording, index)


def _found_at(recording: Recording, index: int) -> FailureFacts | None:
    """Returns what a recording tells of the error of a step."""
    context = StepContext(recording, index)
    error = context.step.error
    if error is None:
        return None
    needed = site_of(recording, context.step.place)
    if (found := spoilt(context)) is not None:
        value = kept_facts(context, found.node, found.saved)
        writes = _written(recording, found.saved, value.names, found.writes)
        last = found.writes[-1][1].after if found.writes else None
        return FailureFacts("stale", needed, (replace(value, found=last, writes=writes),) if writes else ())
    if (refused := refused_at(recording, context.step, needed, _bound_at, made_at)) is not None:
        return refused
    kind = "refused" if error.failure is None else error.failure.kind
    node = None if error.node is None else context.node(error.node)
    if kind == "again" and node is not None:
        released = site_of(recording, _released_in(recording, node.id))
        kept = KeptFacts(node.name, op=node.op, sites=site_of(recording, node.place))
        return FailureFacts(kind, needed, (kept,) if kept.sites else (), released)
    return None if error.failure is None or not needed else FailureFacts(kind, needed)


def _released_in(recording: Recording, node: int) -> Place | None:
    """Returns where the pass began that has released what a node had saved."""
    begun: Place | None = None
    for step in recording.steps:
        if step.backward is not None and step.backward.action == "begin":
            begun = step.place
        if any(number == node and facts is not None and facts.released for number, facts in step.nodes):
            return begun
    return None


def _turned_stale(context: StepContext) -> FailureFacts | None:
    lost = newly_stale(context.recording, context.index)
    kept = {
        (value.sites[0].file, value.sites[0].line): value
        for each in lost
        if (value := kept_facts(context, *each)).sites
    }
    found = next(((saved, write) for write in context.step.writes for _, saved in lost if saved.storage == write.storage), None)  # fmt: skip
    if found is None or not kept or len(kept) > MOST:
        return None
    *others, last = kept.values()
    writes = _written(context.recording, found[0], last.names, [(context.step, found[1])])
    return FailureFacts("stale", (), (*others, replace(last, writes=writes)))


# --- a saved value -----------------------------------------------------------------------------------------------------


def spoilt(context: StepContext) -> Spoilt | None:
    """Returns the saved value that a failed node found overwritten; None if the error has another cause."""
    error = context.step.error
    if error is None or error.node is None:
        return None
    mine = [saved for node, saved in stale(context.after) if node == error.node]
    suspects = [saved for saved in mine if error.storage in (None, saved.storage)]
    if not suspects:
        return None
    failed = next((saved for saved in suspects if saved.name == _last_unpacked(context)), suspects[0])
    return Spoilt(error.node, failed, who_overwrote(context.recording, failed, context.index))


def _last_unpacked(context: StepContext) -> str | None:
    """Returns the name of the saved tensor that backward unpacked last: a node may save several of one storage."""
    moments = (step.backward for step in reversed(context.recording.steps[: context.step.index]))
    return next((backward.saved for backward in moments if backward and backward.action == "unpack"), None)


def same_value(context: StepContext, node: int, saved: SavedFacts) -> list[SavedFacts]:
    """Returns a stale value as all the operands that the node keeps it as: `b * b` keeps `b` twice, and both go stale. A fresh one
    is found one operand at a time.
    """
    if not context.after.is_stale(saved) or node not in context.after.nodes:
        return [saved]
    kept = namings(context.recording, context.after, node, kept_by(context.after, node))
    return next((list(each.saved) for each in kept if saved in each.saved), [saved])


def kept_facts(context: StepContext, number: int, saved: SavedFacts) -> KeptFacts:
    """Returns what is known of a value that a node keeps."""
    recording, node = context.recording, context.node(number)
    if node is None:
        return KeptFacts("")
    whose = kept_values(recording)
    kept = whose[number, saved.name]
    others = [whose[number, each.name] for each in same_value(context, number, saved)]
    positions = [each.place for each in others if each.place is not None]
    step = None if kept.step is None else recording.steps[kept.step]
    storage = context.after.storages.get(saved.storage)
    alone = kept.alone and kept.tensor is not None
    named = [] if alone or len(positions) == len(others) else [each.role for each in others if each.role]
    bound = context.after.bound(kept.name) if kept.name else None
    coming = kept.tensor is not None and context.after.called(kept.tensor).awaits(kept.name)
    op, place = kept.made_by or ("", None)
    return KeptFacts(
        node.name,
        "result" if kept.role == RESULT else "operand" if all(map(str.isidentifier, named)) else "forward",
        operands=tuple(named),
        positions=() if alone or named else tuple(sorted(positions)),
        names=(kept.name,) if kept.name else (),
        former=bound not in (None, kept.tensor) and not coming,
        made_by="" if kept.role == RESULT else op,
        made_in=None if place is None else place.line,
        made_in_file="" if place is None else file_of(recording, place.source),
        dtype=saved.dtype or ("" if storage is None else storage.dtype),
        shape=saved.shape,
        kept=saved.version,
        op=(step and step.op) or node.op,
        sites=site_of(recording, node.place, step),
        inferred=saved.inferred,
    )


def _written(
    recording: Recording, saved: SavedFacts, names: Sequence[str], writes: Sequence[tuple[Step, WriteFacts]]
) -> tuple[OverwriteFacts, ...]:
    return merged(_overwrite(recording, saved, names, step, write) for step, write in writes if step.line is not None)


def merged(writes: Iterator[OverwriteFacts]) -> tuple[OverwriteFacts, ...]:
    """Returns writes with those of one line that follow each other as one."""
    found: list[OverwriteFacts] = []
    for each in writes:
        last = found[-1] if found else None
        if (
            last is not None
            and replace(each, before=last.before, times=last.times) == replace(last, after=each.after)
            and last.after == each.before
        ):
            found[-1] = replace(last, after=each.after, times=last.times + 1, last=each.sites)
        else:
            found.append(each)
    return tuple(found)


def _overwrite(
    recording: Recording, saved: SavedFacts, of_saved: Sequence[str], step: Step, write: WriteFacts
) -> OverwriteFacts:
    there = StepContext(recording, step.index)
    storage = there.after.storages.get(saved.storage)
    kept = slot_runs(saved) if storage is None else slots_reached(storage, saved)
    how = "" if common_runs(kept, write.slots) else "beside"
    tensor = there.tensor_before(write.tensor) or there.after.tensors.get(write.tensor)
    found = OverwriteFacts(step.op or "", write.before, write.after, site_of(recording, step.place, step), how=how)  # type: ignore[arg-type]
    if tensor is not None and tensor.leaf and unrecorded(recording, step, write.tensor):
        found = as_update(found, "own", lambda file: recording.text_of(source_of(recording, file) or 0))
    relation = None if tensor is None else relation_of(recording, there.before, tensor)
    if tensor is None or relation is None:
        return found
    names = tensor.names or there.before.called(tensor.id).names
    if any(each in of_saved for each in names) or (
        not names and (tensor.shape, tensor.strides, tensor.offset) == (saved.shape, saved.strides, saved.offset)
    ):
        return found  # the saved tensor itself
    roots = [there.before.called(key) for key in (relation.base, relation.via) if key is not None]
    base = next((each.first for each in roots if each.names), "")
    return replace(
        found,
        through=names,
        relation=relation.kind if base or relation.kind == "view" else "",
        base=base,
        made=made_at(recording, tensor.id, names),
    )


def made_at(recording: Recording, tensor: int, names: Sequence[str]) -> Sites:
    """Returns the expression that made a tensor, as the program wrote it."""
    how = made(recording).get(tensor)
    step = None if how is None or how.how != "made" else next((s for s in recording.steps if s.output == tensor), None)
    statement = None if step is None else statement_at(recording, step.place)
    if step is None or step.place is None or statement is None:
        return ()
    known = names_at(names, step.place)
    if isinstance(statement, ast.Assign) and any(ast.unparse(each) in known for each in statement.targets):
        return _sites(recording, step.place, statement.value)
    written = expression_of(recording, step)
    return () if written is None else _sites(recording, step.place, written)


def explained(recording: Recording, watched: Sequence[tuple[str, str, FailureFacts]] = ()) -> Recording:
    """Returns a recording whose errors have the facts of what led to them.

    Args:
        recording: the recording.
        watched: what a watch has found out meanwhile, each with the type and the message of the error: it has seen more than was recorded.
    """
    steps, left = list(recording.steps), list(watched)
    for step in reversed(recording.steps):
        if step.error is None:
            continue
        same = [
            k for k, (kind, message, _) in enumerate(left) if (kind, message) == (step.error.type, step.error.message)
        ]
        facts = left.pop(same[-1])[2] if same else failure_at(recording, step.index)
        if facts is not None:
            facts = moved(_within(recording, facts), lambda site: replace(site, text=site.text[:MOST_TEXT]))
        steps[step.index] = replace(step, error=replace(step.error, failure=facts))
    return replace(recording, steps=tuple(steps))


# --- places ------------------------------------------------------------------------------------------------------------


def site_of(recording: Recording, place: Place | None, step: Step | None = None) -> Sites:
    """Returns a place of the recorded program and the calls that led there: its line with what it says of a step, else with the whole statement."""
    if place is None:
        return ()
    program = tree_at(recording, place)
    meant = None if step is None or not same_line(step.place, place) else expression_of(recording, step)
    if meant is None and program is not None:
        statement = program.statement(place.line)
        meant = None if statement is None else program.did(statement, step.op if step else None) or statement
    return _sites(recording, place, meant)


def _sites(recording: Recording, place: Place, meant: ast.expr | ast.stmt | None) -> Sites:
    _, *callers = place.calls
    of_callers = (_site(recording, each, statement_at(recording, each)) for each in callers)
    return (_site(recording, place, meant), *of_callers)


def _site(recording: Recording, place: Place, meant: ast.expr | ast.stmt | None) -> SiteFacts:
    program, line, file = tree_at(recording, place), place.line, file_of(recording, place.source)
    text = line_text(recording, place)
    function = place.function if program is None else program.function_at(line)
    if meant is None or meant.lineno != line:
        return SiteFacts(file, line, line, -1, -1, text, function)
    return SiteFacts(file, line, meant.end_lineno or line, meant.col_offset, meant.end_col_offset or 0, text, function)


def _bound_at(recording: Recording, place: Place, statement: ast.stmt) -> Sites:
    """Returns a statement in the source of a place, with the calls that led to that place."""
    here = replace(place, line=statement.lineno)
    return _sites(recording, here, statement)


def places_of(facts: FailureFacts) -> list[SiteFacts]:
    """Returns the innermost places of a failure."""
    of_values = (
        (value.sites, value.read, *(sites for each in value.writes for sites in (each.sites, each.made)))
        for value in facts.values
    )
    refused = (facts.refusal.made, facts.refusal.origin) if facts.refusal else ()
    blamed = (facts.blamed.sites,) if facts.blamed else ()
    others = (*refused, *blamed, *facts.written, facts.released, facts.needed)
    return [each[0] for each in (*(sites for some in of_values for sites in some), *others) if each]


def moved(facts: FailureFacts, move: Callable[[SiteFacts], SiteFacts]) -> FailureFacts:
    """Returns the same facts with other places."""
    return _placed(facts, lambda some: tuple(map(move, some)))


def _within(recording: Recording, facts: FailureFacts) -> FailureFacts:
    """Returns the same facts without the callers of the recorded program: what ran it is no part of it, and a file is not to tell where that is."""

    def within(some: Sites) -> Sites:
        own = [k for k, each in enumerate(some) if source_of(recording, each.file) is not None]
        return some[: own[-1] + 1] if own else some

    return _placed(facts, within)


def _placed(facts: FailureFacts, sites: Callable[[Sites], Sites]) -> FailureFacts:
    def write(each: OverwriteFacts) -> OverwriteFacts:
        return replace(each, sites=sites(each.sites), made=sites(each.made))

    values = (
        replace(each, sites=sites(each.sites), read=sites(each.read), writes=tuple(map(write, each.writes)))
        for each in facts.values
    )
    refusal = facts.refusal
    if refusal is not None:
        refusal = replace(refusal, made=sites(refusal.made), origin=sites(refusal.origin))
    blamed = None if facts.blamed is None else replace(facts.blamed, sites=sites(facts.blamed.sites))
    return replace(
        facts, needed=sites(facts.needed), released=sites(facts.released), values=tuple(values), refusal=refusal,
        blamed=blamed, written=tuple(map(sites, facts.written)),
    )  # fmt: skip


def in_file(facts: FailureFacts, filename: str) -> FailureFacts:
    """Returns the same facts with the name of the recorded program's file."""
    return _renamed(facts, lambda file: file or filename)


def _renamed(facts: FailureFacts, rename: Callable[[str], str]) -> FailureFacts:
    """Returns the same facts with other names of files."""
    placed = moved(facts, lambda site: replace(site, file=rename(site.file)))
    values = (replace(each, made_in_file=rename(each.made_in_file)) for each in placed.values)
    return replace(placed, values=tuple(values))


def trail_of(facts: FailureFacts) -> Trail:
    """Returns the spots of a failure, for the first of what it may have been."""
    value = facts.values[0] if facts.values else KeptFacts("")
    made = [each.made for each in value.writes] if facts.refusal is None else [facts.refusal.made]
    views = dict.fromkeys(spot for each in made for spot in _spots(each)[:1])
    names, size = () if value.is_view else _bare(value.names[:1], value.sites), size_of(value.dtype, value.shape or ())
    writes = dict.fromkeys(
        tuple(
            replace(
                spot, bytes=0 if each.through or each.relation or each.how or value.is_view else size, updates=bool(each.update),
                names=value.names[:1] if each.update else (),
            )
            for spot in _spots(each.sites, each.op)
        )
        for each in value.writes
        if each.sites
    )  # fmt: skip
    kept = tuple(
        each if n else replace(each, names=names, bytes=size) for n, each in enumerate(_spots(value.sites, value.op))
    )
    return Trail(
        facts.kind, kept, value.role == "result", tuple(writes), tuple(views),
        _spots(facts.needed), _spots(facts.released), facts.refusal and replace(facts.refusal, made=(), origin=()),
    )  # fmt: skip


def ending_trails(recording: Recording, filename: str = "") -> list[Trail]:
    """Returns the trails of the error at the end of a recording: of what was refused at once, or of what a failed pass found (see `trails_of`).

    Args:
        recording: the recording.
        filename: the file of the program that was started.
    """
    facts = failure_at(recording, len(recording) - 1) if recording.steps else None
    if facts is not None and facts.refusal is not None:
        return [trail_of(facts).renamed(lambda name: name or filename)]
    return trails_of(recording, filename)


def _bare(names: Sequence[str], sites: Sites) -> tuple[str, ...]:
    """Returns names as the innermost function writes them; those of other functions are left out."""
    return names_at(names, Place(1, function=sites[0].function) if sites else None)


def _spots(sites: Sites, op: str = "") -> tuple[Spot, ...]:
    return tuple(
        Spot(each.file, each.line, each.end_line, each.column, each.end_column, "" if number else op)
        for number, each in enumerate(sites)
    )
