"""Joins the steps of each statement: a step of the result is a whole run of a statement, from the state before it to the state after it.

In a training loop, `opt.step()` is a hundred events. As one step it changes what all of them change together, and what was made and freed in
between is not seen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import TypeVar

from inplacelab.place import same_line
from inplacelab.recording.code_of_steps import Candidate, codes_of_nodes, spellings
from inplacelab.recording.facts import ReadFacts, RewireFacts, Step, StorageFacts, WriteFacts
from inplacelab.recording.naming import Kept, all_kept
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import (
    Stage,
    WrittenAlias,
    all_made,
    all_stages,
    all_written_aliases,
    stages,
    written_aliases,
)
from inplacelab.recording.slots import joined as joined_runs
from inplacelab.recording.source_tree import line_text

MOST_EVENTS = 60
"""The most events of a program that is read event by event: of a longer one, a step is a statement."""

_LONGEST_SHOWN = 32
"""The most characters of a statement in place of its operations."""

_Key = TypeVar("_Key", bound=Hashable)
_Facts = TypeVar("_Facts")


def is_long(recording: Recording) -> bool:
    """Whether a recording has so many events that it is read statement by statement."""
    return len(recording) > MOST_EVENTS


def statements(recording: Recording) -> tuple[range, ...]:
    """Returns the steps of each run of a statement without a break, in order."""
    return recording.once(_statements)


def run_of(recording: Recording, index: int) -> range:
    """Returns the steps of the run of a statement that step `index` belongs to."""
    runs = statements(recording)
    return runs[bisect_right(runs, index, key=lambda run: run.start) - 1]


def _statements(recording: Recording) -> tuple[range, ...]:
    steps = recording.steps
    begins = [0, *(k for k in range(1, len(steps)) if not is_same_run(steps[k - 1], steps[k]))]
    return tuple(range(first, end) for first, end in zip(begins, [*begins[1:], len(steps)], strict=True) if steps)


def is_same_run(step: Step, after: Step) -> bool:
    """Whether a step belongs to the same run of a statement as the one before it."""
    return step.turn == after.turn and same_line(step.place, after.place)


def by_statement(recording: Recording) -> Recording:
    """Returns the recording with one step for each run of a statement.

    Storages, tensors and nodes keep their numbers. A step of a single event stays as it is. Writes through a temporary view
    count as writes through the tensor that it is a view of.
    """
    return recording.once(_by_statement)


def _by_statement(recording: Recording) -> Recording:
    return _with_joined(recording, statements(recording))


def _with_joined(recording: Recording, runs: Sequence[range]) -> Recording:
    """The recording with one step for each run of its steps."""
    parts = ([recording.steps[index] for index in run] for run in runs)
    steps = (
        each[0] if len(each) == 1 else _told_apart(recording, joined_steps(recording, each), each) for each in parts
    )
    joined = replace(recording, steps=tuple(replace(step, index=index) for index, step in enumerate(steps)))
    # What made a tensor or a node is an operation, which a statement of several no longer shows.
    joined.takes_over(all_made, recording.once(all_made))
    joined.takes_over(codes_of_nodes, recording.once(codes_of_nodes))
    joined.takes_over(all_stages, _stages_of(recording, joined, runs))
    joined.takes_over(all_written_aliases, _aliases_of(recording, runs))
    joined.takes_over(_no_values, _former_values(recording, runs))
    joined.takes_over(all_kept, _kept(recording, runs))
    known = recording.once(spellings)
    spelled: Mapping[int, Candidate] = {
        index: (None, _shown(recording, run)) if len(run) > 1 else known[run.start]
        for index, run in enumerate(runs)
        if len(run) > 1 or run.start in known
    }
    joined.takes_over(spellings, spelled)
    return joined


def _kept(recording: Recording, runs: Sequence[range]) -> Mapping[tuple[int, str], Kept]:
    """Whose values nodes keep: an operation tells that, of which a statement has several."""
    numbers = {index: number for number, run in enumerate(runs) for index in run}
    return {
        key: kept if kept.step is None else replace(kept, step=numbers[kept.step])
        for key, kept in recording.once(all_kept).items()
    }


def _stages_of(recording: Recording, joined: Recording, runs: Sequence[range]) -> tuple[Stage, ...]:
    """Returns the stages of the statements: those of their events, of which a joined step does not tell what each read."""
    found = stages(recording)
    return tuple(
        "update" if step.phase == "forward" and "update" in found[run.start : run.stop] else step.phase
        for step, run in zip(joined.steps, runs, strict=True)
    )


def _aliases_of(recording: Recording, runs: Sequence[range]) -> dict[int, tuple[WrittenAlias, ...]]:
    """Returns the aliases that the statements wrote through, made in one way of one tensor as one."""
    known, found = written_aliases(recording), dict[int, tuple[WrittenAlias, ...]]()
    for number, run in enumerate(runs):
        if some := {(each.of, each.call): each for index in run for each in known.get(index, ())}:
            found[number] = tuple(some.values())
    return found


def shortened(
    recording: Recording, most: int, events: int, telling: Sequence[int], around: int | None = None
) -> tuple[Recording, tuple[range, ...]]:
    """Returns a recording with one step for each run of a statement, and the events in each step.

    Of too many statements, the telling ones are kept, the first, and those around the most telling one. What is left out between them is one step.
    A telling event in the middle of a statement is a step of its own, and so are those around it, if there is room. At the end of one, the whole
    statement tells.

    Args:
        recording: the recording.
        most: the most statements.
        events: the most events in the statements that are kept, if these are several.
        telling: events whose statements are kept, the most telling first.
        around: how many events before and after a telling one are steps of their own; None if it is none itself.
    """
    runs = statements(recording)
    wanted = list(dict.fromkeys(bisect_right(runs, step, key=lambda run: run.start) - 1 for step in telling))
    kept = _kept_statements(runs, most, events, wanted)
    parts: list[range] = []
    for number, run in enumerate(runs):
        if number in kept or not number or number - 1 in kept:
            parts.append(run)
        else:
            parts[-1] = range(parts[-1].start, run.stop)
    if around is not None:
        inside = [step for step in telling if step != run_of(recording, step)[-1]][: most // (4 * around + 2)]
        single = {each for step in inside for each in run_of(recording, step) if abs(each - step) <= around}
        parts = [piece for part in parts for piece in _in_pieces(part, single)]
    left = _with_joined(recording, parts)
    left.takes_over(_statements, tuple(range(k, k + 1) for k in range(len(parts))))
    return left, tuple(parts)


def _in_pieces(part: range, single: Collection[int]) -> Iterator[range]:
    """Events that are steps of their own, and what is before, between and after them."""
    for is_single, events in groupby(part, single.__contains__):
        first, *others = events
        piece = range(first, first + len(others) + 1)
        yield from (range(event, event + 1) for event in piece) if is_single else (piece,)


def _kept_statements(runs: Sequence[range], most: int, events: int, wanted: Sequence[int]) -> set[int]:
    """The statements that are steps of their own: all of them if there is room, or else the wanted ones, those around the first of these, and the
    first ones.
    """
    every = range(len(runs))
    if len(runs) <= most and runs[-1].stop <= events:
        return {*every}
    around = sorted(every, key=lambda number: abs(number - wanted[0]))
    # Between two that are kept there may be a step for those that are left out.
    order = [*wanted[: most // 8], *chain.from_iterable(zip(around, every, strict=True))]
    kept = set[int]()
    for number in order:
        events -= len(runs[number]) if number not in kept else 0
        if kept and (events < 0 or len(kept) >= most - most // 4):
            break
        kept.add(number)
    return kept


def _shown(recording: Recording, run: range) -> str:
    """The statement in place of its operations; of several, or of a part of one, only that something is left out."""
    if run != run_of(recording, run.start):
        return "…"
    text = line_text(recording, recording.steps[run.start].place).strip().replace("`", "'")
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def former_values(recording: Recording) -> Mapping[tuple[int, int], StorageFacts]:
    """Returns what a storage held when a statement overwrote it that has made it, too, by (step, storage). In a recording of events there is none:
    the step before has it.
    """
    return recording.once(_no_values)


def _no_values(_: Recording) -> Mapping[tuple[int, int], StorageFacts]:
    return {}


def _former_values(recording: Recording, runs: Sequence[range]) -> Mapping[tuple[int, int], StorageFacts]:
    found: dict[tuple[int, int], StorageFacts] = {}
    for number, run in enumerate(runs):
        there = recording.before(run.start).storages
        for index in run[1:]:
            for write in recording.steps[index].writes:
                before = recording.before(index).storages.get(write.storage)
                if write.storage not in there and before is not None:
                    found.setdefault((number, write.storage), before)
    return found


def joined_steps(recording: Recording, parts: Sequence[Step]) -> Step:
    """Returns one step that changes what steps in a row change together. It has the writes of the program's operations, not those of backward."""
    before, after = recording.before(parts[0].index), recording.state(parts[-1].index)
    given = [key for step in parts if step.kind == "operation" for key in step.inputs if key in before.tensors]
    return replace(
        parts[-1],
        kind="line",
        op=None,
        category=None,
        inputs=tuple(dict.fromkeys(given)),
        output=None,
        writes=_writes(write for step in parts if step.kind == "operation" for write in step.writes),
        rewired=_rewired(before, after, parts),
        kept=None,
        backward=None,
        error=None,
        storages=_changed(before.storages, after.storages, (key for step in parts for key, _ in step.storages)),
        counters=_changed(before.counters, after.counters, (key for step in parts for key, _ in step.counters)),
        tensors=_changed(before.tensors, after.tensors, (key for step in parts for key, _ in step.tensors)),
        nodes=_changed(before.nodes, after.nodes, (key for step in parts for key, _ in step.nodes)),
        launches=(),
        collective=None,
        reads=(),
        depends=None,
        module="",
    )


def _told_apart(recording: Recording, step: Step, parts: Sequence[Step]) -> Step:
    """The joined step as a step of its own: about the event that tells most, with the writes of backward, and only what can be seen."""
    before, after = recording.before(parts[0].index), recording.state(parts[-1].index)
    writes = _writes(
        replace(write, tensor=_seen(recording, write, each, after))
        for each in parts
        for write in each.writes
        if write.storage in after.storages
    )
    told = _most_telling(parts)
    if told is None:
        return replace(step, writes=writes)
    acting = [each for each in parts if each.kind == "operation"] if told.kind == "operation" else []
    reads = [read for each in acting for read in each.reads if read.storage in before.storages]
    return replace(
        step,
        kind=told.kind,
        phase="backward" if told.kind == "backward" else step.phase,
        op=told.op,
        category=told.category,
        inputs=told.inputs if told.kind == "error" else step.inputs,
        output=told.output if told.output in after.tensors and told.output not in before.tensors else None,
        writes=writes,
        kept=told.kept if told.kept in after.nodes else None,
        backward=told.backward,
        error=told.error,
        reads=_reads(reads, after),
    )


def _most_telling(parts: Sequence[Step]) -> Step | None:
    """The first error, or else the last operation that wrote, or else the last moment of backward, or else the last operation."""
    latest = parts[::-1]
    found = [
        *(each for each in parts if each.error is not None),
        *(each for each in latest if each.kind == "operation" and each.writes),
        *(each for each in latest if each.backward is not None),
        *(each for each in latest if each.kind == "operation"),
    ]
    return found[0] if found else None


def _seen(recording: Recording, write: WriteFacts, step: Step, after: State) -> int:
    """The tensor through which a write is seen after its statement: that itself, or if it is gone its base, or the first on its storage."""
    if write.tensor in after.tensors:
        return write.tensor
    facts = recording.state(step.index).tensors.get(write.tensor)
    if facts is not None and facts.base is not None and facts.base in after.tensors:
        return facts.base
    return next((each.id for each in after.tensors_on(write.storage)), write.tensor)


def _writes(writes: Iterable[WriteFacts]) -> tuple[WriteFacts, ...]:
    """Returns the writes to one counter through one tensor as one write."""
    found: dict[tuple[int, int], WriteFacts] = {}
    for write in writes:
        known = found.get((write.counter, write.tensor))
        if known is None:
            found[write.counter, write.tensor] = write
        else:
            slots = joined_runs(sorted(known.slots + write.slots))
            found[write.counter, write.tensor] = replace(known, after=write.after, slots=slots)
    return tuple(found.values())


def _reads(reads: Iterable[ReadFacts], after: State) -> tuple[ReadFacts, ...]:
    """Returns the reads through one tensor as one read. Nothing is shown to be copied: the value may have been changed on the way."""
    found: dict[int, ReadFacts] = {}
    for read in reads:
        if read.storage not in after.storages or read.tensor not in after.tensors:
            continue
        known = found.get(read.tensor)
        slots = read.slots if known is None else joined_runs(sorted(known.slots + read.slots))
        found[read.tensor] = replace(read, slots=slots, copied=False)
    return tuple(found.values())


def _rewired(before: State, after: State, parts: Sequence[Step]) -> tuple[RewireFacts, ...]:
    found = []
    for key in dict.fromkeys(each.tensor for step in parts for each in step.rewired):
        was, now = before.tensors.get(key), after.tensors.get(key)
        if was is not None and now is not None and was.node != now.node:
            found.append(RewireFacts(key, was.node, now.node))
    return tuple(found)


def _changed(
    before: Mapping[_Key, _Facts], after: Mapping[_Key, _Facts], touched: Iterable[_Key]
) -> tuple[tuple[_Key, _Facts | None], ...]:
    keys = [key for key in dict.fromkeys(touched) if before.get(key) != after.get(key)]
    return tuple((key, after.get(key)) for key in keys)
