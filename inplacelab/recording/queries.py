"""Answers questions about a recording: what is shared, what was written, what went stale, what changed.

All functions are pure. Where one takes a tensor, pass the learner's name for it or its `TensorFacts`.

>>> import inplacelab as paddle
>>> with paddle.record() as rec:
...     b = paddle.ones([2, 2])
...     v = b[0]
...     _ = v.scale_(2.0)
>>> state = rec.recording.state()
>>> shares_storage(state, "b", "v"), overlap(state, "b", "v")
(True, ((0, 2),))
>>> visible_values(state, "b")
(2.0, 2.0, 1.0, 1.0)
>>> [(step.op, write.before, write.after) for step, write in who_raised(rec.recording, state.tensor("b").storage)]
[('scale_', 0, 1)]
"""

from __future__ import annotations

from math import prod

from inplacelab.language import Text
from inplacelab.place import Place, same_source
from inplacelab.recording.facts import (
    NodeFacts,
    SavedFacts,
    Step,
    TensorFacts,
    Values,
    WriteFacts,
)
from inplacelab.recording.naming import name_on_line
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import relation_of
from inplacelab.recording.slots import (
    Runs,
    common_runs,
    element_values,
    same_value,
    slot_runs,
    slots_of,
    slots_reached,
)

MOST_VISIBLE = 1 << 20
"""The most elements whose values are listed: an expanded tensor has billions of elements on one slot."""


# --- one tensor ----------------------------------------------------------------------------------------------------


def visible_values(state: State, tensor: str | TensorFacts) -> Values | None:
    """Returns the values of a tensor's elements in row-major order, read through its layout.

    Args:
        state: the state to read.
        tensor: the learner's name for a tensor, or its facts.

    Returns:
        One number for each element, flat, also where elements share a slot; None if any of them was not recorded, or if there are
        more than `MOST_VISIBLE` elements.

    Raises:
        KeyError: if no live tensor has that name; the message lists the names.
    """
    facts = _the(state, tensor)
    storage = state.storages.get(facts.storage)
    if storage is None or not isinstance(storage.values, tuple) or prod(facts.shape) > MOST_VISIBLE:
        return None
    found = element_values(storage, facts.dtype, slots_of(facts))
    return None if None in found else tuple(value for value in found if value is not None)


# --- sharing -------------------------------------------------------------------------------------------------------


def tensors_counted_by(state: State, counter: int) -> tuple[TensorFacts, ...]:
    """Returns the live tensors that share a version counter, given by its number."""
    return tuple(t for t in state.tensors.values() if t.counter == counter)


def aliases(state: State, tensor: str | TensorFacts) -> tuple[TensorFacts, ...]:
    """Returns the other live tensors on the storage of `tensor`, in the order in which they were made.

    Raises:
        KeyError: if no live tensor has that name.
    """
    facts = _the(state, tensor)
    return tuple(other for other in state.tensors_on(facts.storage) if other.id != facts.id)


def same_object(state: State, a: str, b: str) -> bool:
    """Whether two names are bound to one tensor object (`a is b`).

    Raises:
        KeyError: if no live tensor has one of the names.
    """
    return state.tensor(a).id == state.tensor(b).id


def shares_storage(state: State, a: str | TensorFacts, b: str | TensorFacts) -> bool:
    """Whether two tensors are on one storage, even if they reach no common slot; `inplacelab.shares_storage` says so of existing ones.

    Raises:
        KeyError: if no live tensor has one of the names.
    """
    return _the(state, a).storage == _the(state, b).storage


def overlap(state: State, a: str | TensorFacts, b: str | TensorFacts) -> Runs:
    """Returns the slots that two tensors both reach.

    Returns:
        Runs of slots of their common storage, as (first, one past the last). Empty if a write through one tensor never
        changes the other.

    Raises:
        KeyError: if no live tensor has one of the names.
    """
    if not shares_storage(state, a, b):
        return ()
    return common_runs(_reached(state, _the(state, a)), _reached(state, _the(state, b)))


# --- versions and saved tensors ------------------------------------------------------------------------------------


def who_raised(recording: Recording, storage: int, index: int = -1) -> tuple[tuple[Step, WriteFacts], ...]:
    """Returns every raise of a version counter of a storage, in order.

    Args:
        recording: the recording.
        storage: the storage's number.
        index: the last step to look at, counted from 0; negative numbers count from the end.

    Returns:
        Pairs of the step and what it wrote.

    Raises:
        IndexError: if there is no such step.
    """
    until = recording.state(index).step.index
    return tuple(
        (step, write) for step in recording.steps[: until + 1] for write in step.writes if write.storage == storage
    )


def who_overwrote(recording: Recording, saved: SavedFacts, index: int = -1) -> tuple[tuple[Step, WriteFacts], ...]:
    """Returns the writes up to and including step `index` that made a saved tensor stale, in order, each with its step.

    Raises:
        IndexError: if there is no such step.
    """
    return tuple(
        (step, write)
        for step, write in who_raised(recording, saved.storage, index)
        if write.counter == saved.counter and write.before >= saved.version
    )


def overwritten_unnoticed(recording: Recording, state: State, node: int, saved: SavedFacts) -> bool:
    """Returns whether the value that a node has saved was overwritten by a write that another version counter counts, as one through
    `.data` is: backward does not notice it, and computes with the new value.

    Args:
        recording: the recording.
        state: the state after the last step to look at.
        node: the node's number.
        saved: what it has saved.
    """
    foreign = [
        (step, write)
        for step, write in recording.once(_foreign_writes).get(saved.storage, ())
        if step.index <= state.step.index and write.counter != saved.counter
    ]
    if not foreign:
        return False
    since = next(step.index for step in recording.steps if any(key == node for key, _ in step.nodes))
    mine = slot_runs(saved)
    return any(step.index > since and common_runs(write.slots, mine) for step, write in foreign)


def _foreign_writes(recording: Recording) -> dict[int, list[tuple[Step, WriteFacts]]]:
    """The writes to storages whose tensors are counted by several counters; there are few."""
    found: dict[int, list[tuple[Step, WriteFacts]]] = {}
    for step in recording.steps:
        for write in step.writes:
            found.setdefault(write.storage, []).append((step, write))
    counters: dict[int, set[int]] = {}
    for step in recording.steps:
        for _, facts in step.tensors:
            if facts is not None:
                counters.setdefault(facts.storage, set()).add(facts.counter)
    return {storage: writes for storage, writes in found.items() if len(counters.get(storage, ())) > 1}


def saved_on(state: State, storage: int) -> tuple[tuple[int, SavedFacts], ...]:
    """Returns the saved tensors on a storage that backward has not released, as pairs (node's number, saved tensor)."""
    return tuple((node, saved) for node, saved in _all_saved(state) if saved.storage == storage)


_NO_NODE = Text("there is no node {0} after step {1}; there are: {2}", "第 {1} 步之后没有节点 {0}；现有的是：{2}")


def kept_by(state: State, node: int) -> tuple[SavedFacts, ...]:
    """Returns the saved tensors of a grad node; none once backward has released them.

    Raises:
        KeyError: if the node is not alive after this step; the message lists the live nodes.
    """
    if node not in state.nodes:
        raise KeyError(str(_NO_NODE.format(node, state.step.index, sorted(state.nodes))))
    return () if state.nodes[node].released else state.nodes[node].saved


def who_kept(recording: Recording, storage: int, version: int, index: int = -1) -> tuple[tuple[Step, NodeFacts], ...]:
    """Returns the grad nodes that saved `storage` at `version`, up to and including step `index`.

    Returns:
        Pairs of the step that made the node and the node's facts after that step.

    Raises:
        IndexError: if there is no such step.
    """
    until, seen, found = recording.state(index).step.index, set(), []
    for step in recording.steps[: until + 1]:
        for key, node in step.nodes:
            if node and key not in seen and any((s.storage, s.version) == (storage, version) for s in node.saved):
                seen.add(key)
                found.append((step, node))
    return tuple(found)


def stale(state: State) -> tuple[tuple[int, SavedFacts], ...]:
    """Returns the saved tensors that backward would refuse, because their version counter was raised since they were saved.

    Returns:
        Pairs (node's number, saved tensor).
    """
    return tuple((node, saved) for node, saved in _all_saved(state) if state.is_stale(saved))


def newly_stale(recording: Recording, index: int) -> tuple[tuple[int, SavedFacts], ...]:
    """Returns the saved tensors that step `index` made stale, as pairs (node's number, saved tensor).

    Raises:
        IndexError: if there is no such step.
    """
    after = recording.state(index)
    before = recording.before(after.step.index)
    raised = {key: before.counters[key].version for key, _ in after.step.counters if key in before.counters}
    if not raised:
        return ()
    made = ((node, saved) for node, saved in _all_saved(after) if raised.get(saved.counter) == saved.version)
    return tuple((node, saved) for node, saved in made if after.is_stale(saved))


# --- steps ---------------------------------------------------------------------------------------------------------


def previous(recording: Recording, index: int) -> State | None:
    """Returns the state before step `index`; None for the first step.

    Raises:
        IndexError: if there is no such step.
    """
    here = recording.state(index).step.index
    return recording.state(here - 1) if here else None


def interesting(recording: Recording) -> tuple[int, ...]:
    """Returns the indices of the key steps: writes, saved tensors, rewritten histories, errors, changes of phase."""
    return tuple(step.index for step in recording.steps if _is_interesting(recording, step))


def called_by(recording: Recording, index: int) -> Place | None:
    """Returns where the function of another source begins that a line step calls; None if a step calls none.

    Raises:
        IndexError: if there is no such step.
    """
    step = recording.state(index).step
    then = recording.steps[step.index + 1] if step.index + 1 < len(recording) else None
    if step.kind != "line" or step.place is None or then is None or then.place is None:
        return None
    called = next((each for each in then.place.calls if each.called_from == step.place), None)
    return called if called is not None and not same_source(called, step.place) else None


def changes_nothing(recording: Recording, index: int) -> bool:
    """Whether a step is a line that ran no operation, called no function of another source, and left everything as it was: `n = 3`.

    Such a step is recorded, so that each line that ran has a step, but there is nothing to see in it. A line that binds or
    deletes the name of a tensor, frees a storage, or waits for the name that it will bind, changes something.

    Raises:
        IndexError: if there is no such step.
    """
    after = recording.state(index)
    step = after.step
    if step.kind != "line" or after.awaited or called_by(recording, index) is not None:
        return False
    memory = (recording.steps[step.index - 1].live, recording.steps[step.index - 1].peak) if step.index else (0, 0)
    changed = (
        step.storages,
        step.counters,
        step.tensors,
        step.nodes,
        step.writes,
        step.rewired,
        step.launches,
        step.reads,
        step.collective is not None,
    )
    return not any(changed) and step.error is None and (step.live, step.peak) == memory


def changed_values(recording: Recording, index: int) -> tuple[int, ...]:
    """Returns the numbers of the tensors whose elements have other values after step `index` than before.

    An alias counts: it shows what was written through another tensor. If a storage was too large to record its values,
    every tensor that reaches a written slot counts as changed.

    Raises:
        IndexError: if there is no such step.
    """
    after = recording.state(index)
    before = recording.before(after.step.index)
    storages, tensors = after.step.touched_storages(), dict(after.step.tensors)
    touched = (key for key, tensor in after.tensors.items() if key in tensors or tensor.storage in storages)
    return tuple(key for key in touched if key in before.tensors and _shows_other_values(before, after, key))


# --- helpers -----------------------------------------------------------------------------------------------


def refused_operands(recording: Recording, index: int) -> tuple[int, ...]:
    """Returns the tensors that a refused operation was given, as far as known; else those that its line names. Of a view without a name
    it is the base.

    Args:
        recording: the recording.
        index: the step, counted from 0.

    Returns:
        Their numbers; none if the step is no error, or a backward pass failed on a saved value.
    """
    step = recording.steps[index]
    if step.error is None or step.error.storage is not None:
        return ()
    before = recording.before(index)
    if step.inputs:
        return tuple(dict.fromkeys(with_a_name(recording, before, key) for key in step.inputs))
    named = before.tensors.values()
    return tuple(each.id for each in named if name_on_line(recording, step.place, each.names, or_first=False))


def with_a_name(recording: Recording, state: State, tensor: int) -> int:
    """Returns a tensor, or if it has no name, as in `t[0].add_(b)` or `w.data.mul_(2)`, the one with a name that it was made of.

    Args:
        recording: the recording.
        state: what is alive.
        tensor: the number of a tensor.
    """
    facts = state.tensors.get(tensor)
    found = None if facts is None or facts.names else relation_of(recording, state, facts)
    ways = () if found is None else [key for key in (found.via, found.base) if key is not None]
    return next((key for key in ways if key in state.tensors and state.tensors[key].names), tensor)


def _the(state: State, tensor: str | TensorFacts) -> TensorFacts:
    return state.tensor(tensor) if isinstance(tensor, str) else tensor


def _reached(state: State, tensor: TensorFacts) -> Runs:
    return slots_reached(state.storages[tensor.storage], tensor)


def _all_saved(state: State) -> tuple[tuple[int, SavedFacts], ...]:
    return tuple((key, saved) for key, node in state.nodes.items() if not node.released for saved in node.saved)


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
    return len(old) != len(new) or not all(map(same_value, old, new))
