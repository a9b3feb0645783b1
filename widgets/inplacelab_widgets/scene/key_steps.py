"""Chooses the steps that tell the story of a recording: the most telling one, at which a player opens, and the few that lead to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple, get_args

from inplacelab.language import Text
from inplacelab.recording import queries
from inplacelab.recording.facts import SavedFacts, Step, TensorFacts
from inplacelab.recording.optimizer_steps import stepped
from inplacelab.recording.places import is_statistic, line_of
from inplacelab.recording.quiz import Question
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import Runs, common_runs, slot_runs, slots_reached
from inplacelab.recording.source_tree import line_text
from inplacelab.recording.statements import is_long, run_of
from inplacelab.recording.unnoticed_writes import unnoticed_writes
from inplacelab_widgets.scene.chapter_titles import title_of
from inplacelab_widgets.scene.timeline import once_for_each

__all__ = ["Chapter", "Role", "key_step", "opening_step", "story", "unusual"]

Role = Literal["made", "viewed", "kept", "written", "stale", "gradient", "refused"]
"""What happens at a step of the story. If several things do, the last of them in this order counts."""

FEWEST, MOST = 4, 6
"""The number of chapters of a story, if the recording has so many."""
MOST_CELLS = 12
"""The most cells of a chapter's miniature; of a longer storage, each cell is several slots."""


class Chapter(NamedTuple):
    """A step of the story.

    Attributes:
        step: the step, counted from 0.
        role: what happens there.
        cells: the slots of the storage concerned, from first to last: True for those that were made, viewed, kept or written. A long storage
            has fewer cells than slots. Empty if no storage is concerned.
        title: what happens there in this program, in a few words.
    """

    step: int
    role: Role
    cells: tuple[bool, ...]
    title: Text


@once_for_each
def key_step(recording: Recording) -> int:
    """Returns the most telling step.

    That is the error if there is one: there the lines that kept, overwrote and refused a value are all marked, and the fixes are offered.
    But if what the error is about was freed when a function raised, it is the last write to it, or the last step with a tensor.
    Without an error it is the write by the program that changed the most names besides its own, the last of several; without such a
    write the last write, if possible not one that only clears a gradient; else the last step that changed anything.

    Of a long recording, without an error, it is the first of the most unusual steps; if nothing unusual happened, the first write that the program
    asked for, or update of parameters; and in any case the last step of its statement.

    Raises:
        ValueError: if the recording has no steps.
    """
    if not recording.steps:
        raise ValueError("No step tells anything: the recording has none.")
    if is_long(recording):
        return run_of(recording, _telling_of_many(recording))[-1]
    return _telling(recording)


def _telling_of_many(recording: Recording) -> int:
    if _failed(recording) is not None:
        return _telling(recording)
    happened = unusual(recording)
    found = next((step for role in _UNUSUAL for step, each in happened.items() if each == role), None)
    if found is not None:
        return found
    first = [*islice(_own_writes(recording), 1), *islice(_updates(recording), 1)]
    return min(first) if first else _telling(recording)


def _telling(recording: Recording) -> int:
    failed = _failed(recording)
    if failed is not None:
        state, lost = recording.state(failed.index), _lost(recording)
        if lost is not None and lost[1].storage not in state.storages:
            overwriting = queries.who_overwrote(recording, lost[1], failed.index)
            return max((step.index for step, _ in overwriting), default=failed.index)
        alive = (index for index in range(failed.index, -1, -1) if recording.state(index).tensors)
        return next(alive, failed.index)
    best: tuple[int, bool, int] | None = None
    for step in reversed(_writes(recording)):
        state = recording.state(step.index)
        # Not one that wrote nothing but gradients, as one that sets them to zero does.
        is_plain = any(state.owner_of_gradient(write.tensor) is None for write in step.writes)
        # Values are compared only where the step could be more telling than a later one.
        if best is None or (_others_reached(recording, step), is_plain) > best[:2]:
            found = (_others_changed(recording, step), is_plain, step.index)
            best = found if best is None else max(best, found)
    return _stops(recording)[-1] if best is None else best[2]


def opening_step(recording: Recording, questions: Sequence[Question] | None = None) -> int:
    """Returns the step at which a player opens.

    Args:
        recording: the recording.
        questions: those of predict mode. Then nothing is shown in advance: it opens at the first step that changed anything, or before it
            if there is a question about it. None if predict mode is off.
    """
    if questions is None:
        return key_step(recording)
    return max(min([_stops(recording)[0], *(question.step - 1 for question in questions)]), 0)


@once_for_each
def story(recording: Recording) -> tuple[Chapter, ...]:
    """Returns the key steps, in order: at most `MOST`, and at least `FEWEST` if there are so many.

    They are about one storage, that of the most telling step: when it was made, viewed, kept for backward, written and made stale, and
    when backward ended or refused it. Then come the writes that changed most to tensors with other names, one for each line. If these are
    too few, other writes, views and new storages are added.

    Those of a long recording are what is unusual in it, its first pass of backward and its first update, and writes that the program asked for. Each is the last
    step of its statement.
    """
    if is_long(recording):
        return _story_of_many(recording)
    telling = key_step(recording)
    lost = _lost(recording)
    about = _subject(recording, recording.steps[telling], lost)
    roles: dict[int, Role] = {}
    for step, role in _events(recording, telling, about, lost):
        roles[step] = max(role, roles.get(step, role), key=_RANK.index)
    can_miss = [step for role in _CAN_MISS for step, each in roles.items() if each == role and step != telling]
    for step in can_miss[: max(len(roles) - MOST, 0)]:
        del roles[step]
    lines = {line_of(recording.steps[step].place) for step in roles}
    for write in _telling_writes(recording):
        if len(roles) < MOST and line_of(write.place) not in lines:
            roles.setdefault(write.index, "written")
            lines.add(line_of(write.place))
    for step, role in _more(recording):
        if len(roles) < FEWEST:
            roles.setdefault(step, role)
    return tuple(_chapter(recording, step, step, role, about) for step, role in sorted(roles.items()))


def _chapter(recording: Recording, step: int, happened: int, role: Role, about: int | None) -> Chapter:
    """A chapter of something that happened, at the step at which a reader sees it."""
    changed = [] if role != "written" else _aliases_changed(recording, recording.steps[happened])
    return Chapter(
        step, role, _cells(recording, happened, role, about), title_of(recording, happened, role, about, changed)
    )


def _story_of_many(recording: Recording) -> tuple[Chapter, ...]:
    lost, happened = _lost(recording), unusual(recording)
    kept = [] if lost is None else queries.who_kept(recording, lost[1].storage, lost[1].version)
    blamed = [] if lost is None else [step.index for step, _ in queries.who_overwrote(recording, lost[1])]
    candidates: list[tuple[int, Role]] = [
        *((step, "stale") for step in blamed if happened.get(step) == "stale"),
        *((step, role) for role in ("refused", *_UNUSUAL) for step, each in happened.items() if each == role),
        *((step.index, "kept") for step, node in kept[:1]),
    ]
    chosen = _first_of_lines(recording, candidates)[: MOST - 2]
    ordinary: list[tuple[int, Role]] = [
        *islice(_passes(recording), 1),
        *((step, "written") for step in islice(_updates(recording), 1)),
    ]
    own: list[tuple[int, Role]] = [(step, "written") for step in _own_writes(recording)]
    chosen = _first_of_lines(recording, [*chosen, *ordinary, *own])[:MOST]
    found: dict[int, Chapter] = {}
    for step, role in sorted(chosen, key=lambda each: -_RANK.index(each[1])):
        end = run_of(recording, step)[-1]
        found.setdefault(end, _chapter(recording, end, step, role, _concerns(recording, step, role, lost)))
    return tuple(found[end] for end in sorted(found))


def _first_of_lines(recording: Recording, found: Iterable[tuple[int, Role]]) -> list[tuple[int, Role]]:
    """The first on each line."""
    first: dict[object, tuple[int, Role]] = {}
    for step, role in found:
        first.setdefault(line_of(recording.steps[step].place) or step, (step, role))
    return [*first.values()]


def _concerns(recording: Recording, step: int, role: Role, lost: tuple[int, SavedFacts] | None) -> int | None:
    """The storage that a chapter of a long story is about."""
    if lost is not None and role in ("refused", "kept"):
        return lost[1].storage
    stale = queries.newly_stale(recording, step) if role == "stale" else ()
    writes = recording.steps[step].writes
    return next((saved.storage for _, saved in stale), writes[0].storage if writes else None)


_RANK = get_args(Role)
_CAN_MISS: tuple[Role, ...] = ("written", "kept", "viewed")
"""What a story of too many chapters leaves out, in this order."""


# --- what is unusual ------------------------------------------------------------------------------------------------

_UNUSUAL: tuple[Role, ...] = ("stale", "written", "kept")
"""What is unusual without an error, the most unusual first."""


@once_for_each
def unusual(recording: Recording) -> Mapping[int, Role]:
    """Returns the steps at which something unusual happened, in order.

    "refused": there was an error. "stale": a write made a saved value stale, or a backward pass did not notice it. "written": a write changed a
    tensor with another name. "kept": a value was copied because it was about to be overwritten. What happens in every training is not unusual: updates,
    gradients, running statistics.
    """
    unnoticed = {each.write.index for each in unnoticed_writes(recording) if not each.is_update}
    found: dict[int, Role] = {}
    for step in recording.steps:
        role = _unusual_role(recording, step, unnoticed)
        if role is not None:
            found[step.index] = role
    return found


def _unusual_role(recording: Recording, step: Step, unnoticed: set[int]) -> Role | None:
    if step.error is not None:
        return "refused"
    if step.kind != "operation":
        return None
    if step.index in unnoticed or (step.writes and queries.newly_stale(recording, step.index)):
        return "stale"
    if step.writes and _aliases_changed(recording, step):
        return "written"
    node = recording.state(step.index).nodes.get(-1 if step.kept is None else step.kept)
    return "kept" if node is not None and any(saved.copy for saved in node.saved) else None


def _aliases_changed(recording: Recording, step: Step) -> list[int]:
    """The tensors with another name than what a step wrote through, or is a part of, whose values it changed; not gradients."""
    if not step.writes or not _others_reached(recording, step):
        return []
    state = recording.state(step.index)
    through = {each.tensor for each in step.writes}
    there = (
        recording.before(step.index),
        state,
    )  # a view without a name may be gone after the step, or have been made in it
    through |= {queries.with_a_name(recording, each, key) for key in through for each in there}
    changed = (key for key in queries.changed_values(recording, step.index) if key not in through)
    return [key for key in changed if state.called(key).bound and state.owner_of_gradient(key) is None]


# --- what is usual --------------------------------------------------------------------------------------------------


def _passes(recording: Recording) -> Iterator[tuple[int, Role]]:
    """The ends of the passes of backward."""
    for step in recording.steps:
        if step.backward is not None and step.backward.action == "end":
            yield step.index, "gradient"


def _updates(recording: Recording) -> Iterator[int]:
    """The writes to parameters, after a pass of backward."""
    begun = next((step for step, _ in _passes(recording)), len(recording))
    for step in _writes(recording):
        if step.index > begun and any(_is_parameter(recording, step, write.tensor) for write in step.writes):
            yield step.index


def _is_parameter(recording: Recording, step: Step, tensor: int) -> bool:
    facts = _tensor(recording, step, tensor)
    return facts is not None and facts.leaf and facts.needs_gradient


def _own_writes(recording: Recording) -> Iterator[int]:
    """The in-place operations that the program asked for: no updates or first values of parameters, no running statistics, no gradients."""
    for step in _writes(recording):
        if step.phase == "forward" and any(each.slots for each in step.writes) and _is_own(recording, step):
            yield step.index


def _is_own(recording: Recording, step: Step) -> bool:
    state = recording.state(step.index)
    if stepped(line_text(recording, step.place)):
        return False
    keys = [each.tensor for each in step.writes]
    if any(_is_parameter(recording, step, key) or state.owner_of_gradient(key) is not None for key in keys):
        return False
    if any(is_statistic(name) for key in keys for name in state.called(key).names):
        return False
    # What a statement makes of nothing, it fills: `torch.zeros`, and the layers of a library.
    made = {key for index in run_of(recording, step.index) for key in _made_of_nothing(recording.steps[index])}
    return not any(each.storage in made for each in step.writes)


def _made_of_nothing(step: Step) -> list[int]:
    return [] if step.kind != "operation" or step.inputs else [key for key, _ in step.storages]


# --- what happened to a storage -------------------------------------------------------------------------------------


def _subject(recording: Recording, step: Step, lost: tuple[int, SavedFacts] | None) -> int | None:
    """The storage that the story is about: what the error is about, else what the step wrote, else what was written or made last."""
    error = step.error
    operands = queries.refused_operands(recording, step.index)[:1]
    before = recording.before(step.index) if operands else None
    given = None if before is None else next((before.tensors.get(key) for key in operands), None)
    refused = (_tensor(recording, step, error.tensor) if error is not None else None) or given
    candidates = (
        lost[1].storage if lost is not None else None,
        error.storage if error is not None else None,
        refused.storage if refused is not None else None,
        *(write.storage for write in step.writes),
        *(write.storage for each in reversed(_writes(recording)) for write in each.writes),
        *(key for each in reversed(recording.steps) for key, storage in each.storages if storage is not None),
    )
    return next((storage for storage in candidates if storage is not None), None)


def _events(
    recording: Recording, telling: int, about: int | None, lost: tuple[int, SavedFacts] | None
) -> Iterator[tuple[int, Role]]:
    """The steps of the story, each with its role: the first for each role, and the most telling one."""
    steps, writes = recording.steps, [step for step in _writes(recording) if _wrote(step, about)]
    kept = (step.index for step in steps if _kept(recording, step, about))
    if lost is not None:
        keeper, saved = lost
        makers = queries.who_kept(recording, saved.storage, saved.version)
        kept = (step.index for step, node in makers if node.id == keeper)
    found: tuple[tuple[Role, Iterator[int]], ...] = (
        ("made", (step.index for step in steps if about in dict(step.storages))),
        ("viewed", (step.index for step in _views(recording, about))),
        ("kept", kept),
        ("written", (step.index for step in writes)),
        ("stale", (step.index for step in writes if queries.newly_stale(recording, step.index))),
        ("written", (step.index for step in writes if step.index == telling)),
        ("gradient", (step.index for step in reversed(steps) if step.backward and step.backward.action == "end")),
        ("refused", (step.index for step in reversed(steps) if step.error is not None)),
    )
    for role, indices in found:
        yield from ((step, role) for step in islice(indices, 1))


def _views(recording: Recording, storage: int | None) -> list[Step]:
    """The views that the program made on a storage: first those of a tensor with another name, which they show, too."""
    views = [step for step in recording.steps if step.category == "view" and _is_on(recording, step, storage)]
    return sorted(views, key=lambda step: not _shows_another(recording, step))


def _shows_another(recording: Recording, step: Step) -> bool:
    shown = _tensor(recording, step, step.output)
    there = recording.state(step.index).tensors_on(shown.storage) if shown is not None else ()
    return any(each.names and each.id != step.output for each in there)


def _telling_writes(recording: Recording) -> list[Step]:
    """For each line the write that changed the most tensors with other names, the first of several; those first that changed the most."""
    telling: dict[tuple[int, int] | None, tuple[int, Step]] = {}
    for step in _writes(recording):
        most, _ = telling.get(line_of(step.place), (0, step))
        if _others_reached(recording, step) > most and (changed := _others_changed(recording, step)) > most:
            telling[line_of(step.place)] = changed, step
    return [step for _, step in sorted(telling.values(), key=lambda found: (-found[0], found[1].index))]


def _more(recording: Recording) -> Iterator[tuple[int, Role]]:
    """What else a short story may tell."""
    yield from ((step.index, "written") for step in _writes(recording))
    yield from ((step.index, "viewed") for step in recording.steps if step.category == "view")
    yield from ((step.index, "made") for step in recording.steps if step.kind == "operation" and step.storages)


def _kept(recording: Recording, step: Step, storage: int | None) -> Runs:
    """The slots of a storage that a step kept for backward."""
    node = recording.state(step.index).nodes.get(-1 if step.kept is None else step.kept)
    return tuple(run for saved in (node.saved if node else ()) if saved.storage == storage for run in slot_runs(saved))


def _tensor(recording: Recording, step: Step, tensor: int | None) -> TensorFacts | None:
    return None if tensor is None else recording.state(step.index).tensors.get(tensor)


def _is_on(recording: Recording, step: Step, storage: int | None) -> bool:
    output = _tensor(recording, step, step.output)
    return output is not None and output.storage == storage


def _wrote(step: Step, storage: int | None) -> bool:
    return any(write.storage == storage for write in step.writes)


# --- miniatures -----------------------------------------------------------------------------------------------------


def _cells(recording: Recording, index: int, role: Role, about: int | None) -> tuple[bool, ...]:
    """The cells of a chapter's miniature."""
    number, runs = _concerned(recording, index, role, about)
    # At a failure, the end of the function may already have freed the storage.
    states = (recording.state(index), recording.before(index))
    storage = None if number is None else next((s.storages[number] for s in states if number in s.storages), None)
    if storage is None or not storage.slots:
        return ()
    count = min(storage.slots, MOST_CELLS)
    edges = [storage.slots * k // count for k in range(count + 1)]
    return tuple(any(first < end and start < past for first, past in runs) for start, end in pairwise(edges))


def _concerned(recording: Recording, index: int, role: Role, about: int | None) -> tuple[int | None, Runs]:
    """The storage that a chapter shows, and the slots that its step concerns: of the storage that the story is about, if it is that."""
    step, state = recording.steps[index], recording.state(index)
    if role in ("written", "stale"):
        storage = about if _wrote(step, about) else step.writes[0].storage
        return storage, tuple(run for write in step.writes if write.storage == storage for run in write.slots)
    if role == "kept":
        return about, _kept(recording, step, about)
    if role == "refused":
        lost = _lost(recording)
        return about, slot_runs(lost[1]) if lost is not None else ()
    if role == "made":
        made = dict(step.storages)
        storage = about if about in made else next(iter(made), None)
        facts = None if storage is None else state.storages.get(storage)
        return storage, ((0, facts.slots),) if facts is not None else ()
    if role == "viewed":
        shown = _tensor(recording, step, step.output)
    else:
        # As in `_cells`: at the end of a function the gradients may be gone.
        tensors = {**recording.before(index).tensors, **state.tensors}
        shown = next((tensors[each.grad] for each in reversed([*tensors.values()]) if each.grad in tensors), None)
    return (None, ()) if shown is None else (shown.storage, slot_runs(shown))


# --- steps ----------------------------------------------------------------------------------------------------------


def _writes(recording: Recording) -> list[Step]:
    """The steps in which the program itself wrote; not those in which backward adds to gradients."""
    return [step for step in recording.steps if step.writes and step.kind == "operation"]


def _others_changed(recording: Recording, step: Step) -> int:
    """The number of names whose values a write changed, besides those of the tensor that it wrote through."""
    if not _others_reached(recording, step):
        return 0
    tensors, through = recording.state(step.index).tensors, {write.tensor for write in step.writes}
    return sum(len(tensors[key].names) for key in queries.changed_values(recording, step.index) if key not in through)


def _others_reached(recording: Recording, step: Step) -> int:
    """The number of names that a write can have changed: those of the other tensors that reach a slot which it wrote."""
    state, through = recording.state(step.index), {write.tensor for write in step.writes}
    there = [each for key in dict.fromkeys(write.storage for write in step.writes) for each in state.tensors_on(key)]
    found = 0
    for each in (each for each in there if each.names and each.id not in through):
        slots = slots_reached(state.storages[each.storage], each)
        is_reached = any(common_runs(slots, write.slots) for write in step.writes if write.storage == each.storage)
        found += len(each.names) * is_reached
    return found


def _failed(recording: Recording) -> Step | None:
    return next((step for step in reversed(recording.steps) if step.error is not None), None)


def _lost(recording: Recording) -> tuple[int, SavedFacts] | None:
    """The stale value that backward refused, with the number of its node; None if nothing failed, or for another reason."""
    failed = _failed(recording)
    if failed is None or failed.error is None:
        return None
    error = failed.error
    # The step before: at the failing step, the function's end may already have freed the objects.
    found = queries.stale(recording.before(failed.index))
    return next((each for each in found if each[0] == error.node and error.storage in (None, each[1].storage)), None)


def _stops(recording: Recording) -> list[int]:
    """The steps that changed anything; all steps if none did."""
    everything = range(len(recording))
    return [index for index in everything if not queries.changes_nothing(recording, index)] or [*everything]
