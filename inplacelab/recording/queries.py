"""Questions that a recording can answer: what is shared, who wrote, what went stale, what changed.

Pure functions on recordings and states. Where a function asks for a tensor, it takes the learner's name for it or
its facts.
"""

from __future__ import annotations

from cmath import isnan
from collections.abc import Mapping

from inplacelab.language import Text
from inplacelab.recording.facts import (
    NodeFacts,
    Number,
    SavedFacts,
    Step,
    TensorFacts,
    Values,
    WriteFacts,
)
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Runs, common_runs, is_contiguous, joined, slot_runs, slots_of
from inplacelab.recording.values_read import element_values, slots_reached

__all__ = [
    "Runs",
    "aliases",
    "changed_values",
    "interesting",
    "is_contiguous",
    "kept_by",
    "newly_stale",
    "overlap",
    "previous",
    "same_object",
    "saved_on",
    "shares_storage",
    "slot_runs",
    "slots_of",
    "slots_written",
    "stale",
    "tensors_counted_by",
    "tensors_on",
    "visible_values",
    "who_kept",
    "who_overwrote",
    "who_raised",
]


# --- one tensor ----------------------------------------------------------------------------------------------------


def visible_values(state: State, tensor: str | TensorFacts) -> Values | None:
    """The values of a tensor's elements in row-major order, read through its layout; None if they were not recorded."""
    facts = _the(state, tensor)
    storage = state.storages.get(facts.storage)
    if storage is None or not isinstance(storage.values, tuple):
        return None
    found = element_values(storage, facts.dtype, slots_of(facts))
    return None if None in found else tuple(value for value in found if value is not None)


# --- sharing -------------------------------------------------------------------------------------------------------


def tensors_on(state: State, storage: int) -> tuple[TensorFacts, ...]:
    """The live tensors whose elements lie in this storage."""
    return tuple(t for t in state.tensors.values() if t.storage == storage)


def tensors_counted_by(state: State, counter: int) -> tuple[TensorFacts, ...]:
    """The live tensors that share this version counter."""
    return tuple(t for t in state.tensors.values() if t.counter == counter)


def aliases(state: State, tensor: str | TensorFacts) -> tuple[TensorFacts, ...]:
    """The other live tensors on the same storage."""
    facts = _the(state, tensor)
    return tuple(other for other in tensors_on(state, facts.storage) if other.id != facts.id)


def same_object(state: State, a: str, b: str) -> bool:
    """Whether two names are bound to one tensor object (`a is b`)."""
    return state.tensor(a).id == state.tensor(b).id


def shares_storage(state: State, a: str | TensorFacts, b: str | TensorFacts) -> bool:
    """Whether two tensors point into one storage."""
    return _the(state, a).storage == _the(state, b).storage


def overlap(state: State, a: str | TensorFacts, b: str | TensorFacts) -> Runs:
    """The slots that two tensors both reach, as runs; empty if a write through one can never be seen by the other."""
    if not shares_storage(state, a, b):
        return ()
    return common_runs(_reached(state, _the(state, a)), _reached(state, _the(state, b)))


# --- versions and saved tensors ------------------------------------------------------------------------------------


def who_raised(recording: Recording, storage: int, index: int = -1) -> tuple[tuple[Step, WriteFacts], ...]:
    """Every raise of a version of a storage up to and including step `index`, in order, with the step that did it."""
    until = recording.state(index).step.index
    return tuple(
        (step, write) for step in recording.steps[: until + 1] for write in step.writes if write.storage == storage
    )


def who_overwrote(recording: Recording, saved: SavedFacts, index: int = -1) -> tuple[tuple[Step, WriteFacts], ...]:
    """The writes up to step `index` that made a saved tensor stale, in order, each with its step."""
    return tuple(
        (step, write)
        for step, write in who_raised(recording, saved.storage, index)
        if write.counter == saved.counter and write.before >= saved.version
    )


def saved_on(state: State, storage: int) -> tuple[tuple[int, SavedFacts], ...]:
    """What backward still keeps of a storage, as (node, saved)."""
    return tuple((node, saved) for node, saved in _all_saved(state) if saved.storage == storage)


_NO_NODE = Text("there is no node {0} after step {1}; there are: {2}", "第 {1} 步之后没有节点 {0}；现有的是：{2}")


def kept_by(state: State, node: int) -> tuple[SavedFacts, ...]:
    """What a grad node still keeps; nothing once backward has released it.

    Raises:
        KeyError: if there is no such node at this step; the message lists the nodes there are.
    """
    if node not in state.nodes:
        raise KeyError(str(_NO_NODE.format(node, state.step.index, sorted(state.nodes))))
    return () if state.nodes[node].released else state.nodes[node].saved


def slots_written(recording: Recording) -> Mapping[int, Mapping[int, Runs]]:
    """For each storage, and each step that wrote to it, the slots that the step wrote."""
    written: dict[int, dict[int, Runs]] = {}
    for step in recording.steps:
        for write in step.writes:
            steps = written.setdefault(write.storage, {})
            steps[step.index] = joined(sorted(steps.get(step.index, ()) + write.slots))
    return written


def who_kept(recording: Recording, storage: int, version: int, index: int = -1) -> tuple[tuple[Step, NodeFacts], ...]:
    """The nodes that were made keeping `storage` at `version`, up to step `index`, each with the step that made it."""
    until, met, found = recording.state(index).step.index, set(), []
    for step in recording.steps[: until + 1]:
        for key, node in step.nodes:
            if node and key not in met and any((s.storage, s.version) == (storage, version) for s in node.saved):
                met.add(key)
                found.append((step, node))
    return tuple(found)


def stale(state: State) -> tuple[tuple[int, SavedFacts], ...]:
    """The saved tensors that backward would refuse: their counter was raised since. As (node, saved)."""
    return tuple((node, saved) for node, saved in _all_saved(state) if state.is_stale(saved))


def newly_stale(recording: Recording, index: int) -> tuple[tuple[int, SavedFacts], ...]:
    """The saved tensors that step `index` made stale, as (node, saved)."""
    after = recording.state(index)
    before = recording.before(after.step.index)
    raised = {key: before.counters[key].version for key, _ in after.step.counters if key in before.counters}
    if not raised:
        return ()
    return tuple((node, saved) for node, saved in stale(after) if raised.get(saved.counter) == saved.version)


# --- steps ---------------------------------------------------------------------------------------------------------


def previous(recording: Recording, index: int) -> State | None:
    """The state before step `index`; None before the first step, when nothing had been recorded."""
    here = recording.state(index).step.index
    return recording.state(here - 1) if here else None


def interesting(recording: Recording) -> tuple[int, ...]:
    """The steps worth a stop: a write, a save, a rewritten history, an error, or a change of phase."""
    return tuple(step.index for step in recording.steps if _is_interesting(recording, step))


def changed_values(recording: Recording, index: int) -> tuple[int, ...]:
    """The tensors, by number, whose elements show other values after step `index` than before.

    An alias counts: it shows what was written through another tensor. Where a storage was too large for its values to
    be recorded, every tensor that reaches a written slot counts as changed.
    """
    after = recording.state(index)
    before = recording.before(after.step.index)
    storages, tensors = after.step.touched_storages(), dict(after.step.tensors)
    touched = (key for key, tensor in after.tensors.items() if key in tensors or tensor.storage in storages)
    return tuple(key for key in touched if key in before.tensors and _shows_other_values(before, after, key))


# --- the small print -----------------------------------------------------------------------------------------------


def _the(state: State, tensor: str | TensorFacts) -> TensorFacts:
    return state.tensor(tensor) if isinstance(tensor, str) else tensor


def _reached(state: State, tensor: TensorFacts) -> Runs:
    return slots_reached(state.storages[tensor.storage], tensor)


def _all_saved(state: State) -> tuple[tuple[int, SavedFacts], ...]:
    return tuple((key, saved) for key in state.nodes for saved in kept_by(state, key))


def _is_interesting(recording: Recording, step: Step) -> bool:
    before = recording.before(step.index)
    new_phase = before.step.phase != step.phase
    saves = any(node is not None and node.saved and key not in before.nodes for key, node in step.nodes)
    return bool(step.writes or step.rewired or step.error or new_phase or saves)


def _shows_other_values(before: State, after: State, tensor: int) -> bool:
    was, now = before.tensors[tensor], after.tensors[tensor]
    old, new = visible_values(before, was), visible_values(after, now)
    if old is None or new is None:
        return any(common_runs(_reached(after, now), w.slots) for w in after.step.writes if w.storage == now.storage)
    return len(old) != len(new) or not all(map(_same, old, new))


def _same(a: Number, b: Number) -> bool:
    # nan differs even from itself, but a nan that stays a nan shows no change.
    return a == b or (isnan(a) and isnan(b))
