"""Finds gradients that a backward pass computes wrong without an error, because its graph does not know of a write.

A tensor's grad node computes the derivative of the value that the tensor had when it got the node. If its slots were written since, and it
has the same node, then the derivative of what reads it now is that of another program. In the same way a value that a node has saved may
be overwritten without a new version. Both follow from what is recorded; no value is looked at.

    b = a * 2;  v = b[0];  v.scale_(3.)    # only `v` gets a new node
    b.sum().backward()                     # as if `b` had not been written

Some frameworks keep no history although the program did not ask them to leave any out (`Framework.loses_history`). A gradient that ends there is
wrong; one that ends at `detach()`, at `stop_gradient = True` or under `no_grad` ends where the program meant it to. So is a write through a `detach()` or
`.data`, unless a node had saved the value that it overwrites.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from inplacelab.recording.facts import (
    FailureFacts,
    KeptFacts,
    NodeFacts,
    OverwriteFacts,
    SavedFacts,
    Step,
    TensorFacts,
    WriteFacts,
)
from inplacelab.recording.optimizer_steps import as_update
from inplacelab.recording.places import line_of, source_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.saved_uses import RUNNING, position_of, uses_of
from inplacelab.recording.sentences.phrases import StepContext
from inplacelab.recording.slots import Runs, common_runs, slot_runs
from inplacelab.recording.trace import kept_facts, made_at, site_of
from inplacelab.supported import framework_of

WITHOUT_HISTORY = frozenset({"set_value", "set_tensor"})
"""Operations that write the numbers of a tensor without its history, as their documentation says."""
_CUTS = frozenset({"detach", "detach_", "data"})


def is_lost(recording: Recording, step: Step, tensor: int, *, made_node: bool) -> bool:
    """Returns whether a step that read a tensor lost the tensor's history, and the program did not mean it to.

    Args:
        recording: the recording.
        step: the step, which computed something from the tensor.
        tensor: the tensor's number. A gradient should go on through it: what was read there was computed from a tensor with history.
        made_node: whether the step made a grad node.
    """
    if not framework_of(recording).loses_history or step.tracks is not True or step.op in WITHOUT_HISTORY:
        return False
    facts = recording.before(step.index).tensors.get(tensor) or recording.state(step.index).tensors.get(tensor)
    if facts is None or not facts.dtype.startswith(("float", "bfloat", "complex")):
        return False
    if facts.needs_gradient:
        return not made_node
    return not any(origin.cut for _, origin in _up_the_views(recording, tensor))


def loses_write(recording: Recording, tensor: int, through: int) -> bool:
    """Returns whether a tensor without history should have that of a write through another one on its storage.

    A write through a view is a write to its base. Not so if `detach()` stands between the two: then the program has cut the history there.

    Args:
        recording: the recording.
        tensor: the tensor's number.
        through: the number of the tensor that was written, and that got a grad node for it.
    """
    return tensor != through and _attached_to(recording, tensor) == _attached_to(recording, through)


@dataclass(slots=True)
class _Origin:
    """How a tensor began.

    Attributes:
        of: the tensor of which it was made as a view, or an alias by `detach()`; None if it is neither.
        detached: whether it is such an alias.
        cut: whether it was made without history on purpose, or had history once and has none now.
    """

    of: int | None
    detached: bool
    cut: bool


def _up_the_views(recording: Recording, tensor: int) -> Iterator[tuple[int, _Origin]]:
    """Yields a tensor and those that it is a view of, with how each began. One that is not known counts as cut."""
    seen: set[int] = set()
    here: int | None = tensor
    while here is not None and here not in seen:
        seen.add(here)
        origin = recording.once(_origins).get(here, _UNKNOWN)
        yield here, origin
        here = origin.of


_UNKNOWN = _Origin(None, detached=False, cut=True)


def _attached_to(recording: Recording, tensor: int) -> int:
    """Returns the tensor with which a tensor shares its history: the one that it is a view of, up to a `detach()`."""
    last = tensor
    for number, origin in _up_the_views(recording, tensor):
        last = number
        if origin.detached:
            break
    return last


def _nodes_of_result(step: Step) -> set[int | None]:
    """Returns the nodes of the tensors that a step has made, or given another node."""
    concerned = {step.output, *(each.tensor for each in step.rewired), *(each.tensor for each in step.writes)}
    return {facts.node for number, facts in step.tensors if facts is not None and number in concerned}


def _origins(recording: Recording) -> Mapping[int, _Origin]:
    found: dict[int, _Origin] = {}
    tracked: set[int] = set()
    for step in recording.steps:
        for key, facts in step.tensors:
            if facts is None:
                continue
            if key not in found:
                found[key] = _origin(step, key, facts)
            elif key in tracked and not facts.needs_gradient:
                found[key].cut = True
            if facts.needs_gradient:
                tracked.add(key)
    return found


def _origin(step: Step, tensor: int, facts: TensorFacts) -> _Origin:
    made_here = step.output == tensor
    of = step.inputs[0] if made_here and step.category == "view" and step.inputs else facts.base
    detached = made_here and step.op in _CUTS
    return _Origin(of, detached, cut=detached or (made_here and step.tracks is False))


@dataclass(frozen=True, slots=True)
class Unnoticed:
    """A write that a pass did not know of.

    Attributes:
        why: "node": what was read has the grad node of an earlier value; "lost": a tensor without a history was given a value that has one;
            "saved": a node's saved value was overwritten without a new version.
        write: the step that wrote.
        tensor: what was read: its facts before the write was read.
        through: the tensor that was written, if it is another one.
        read: the step that read it, or the one whose node has saved it.
        begun: the step that began the pass.
        wrong: the leaves whose gradients are wrong, by their names.
        kept: for "saved", the node and the value that it has saved.
    """

    why: Literal["node", "lost", "saved"]
    write: Step
    tensor: TensorFacts | None
    through: TensorFacts | None
    read: Step
    begun: Step
    wrong: tuple[str, ...]
    kept: tuple[NodeFacts, SavedFacts] | None = None

    @property
    def is_update(self) -> bool:
        """Whether it changed a parameter that a node has saved: had the node saved a copy, its gradients would be right."""
        is_parameter = self.tensor is not None and self.tensor.leaf and self.tensor.needs_gradient
        nodes = (facts.name for _, facts in self.read.nodes if facts is not None)
        return self.why == "saved" and is_parameter and not any(each.startswith(_UNCHECKED) for each in nodes)


@dataclass(frozen=True, slots=True)
class _Write:
    step: Step
    facts: WriteFacts
    through: TensorFacts
    tracked: bool
    """Whether the tensor that was written got a grad node for it."""
    sources: tuple[TensorFacts, ...]
    """The operands."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a node depends on that was written unnoticed."""

    why: Literal["node", "lost"]
    step: Step
    tensor: TensorFacts
    write: _Write


@dataclass(slots=True)
class _Sweep:
    """What is known after the steps so far."""

    recording: Recording
    tensors: dict[int, TensorFacts] = field(default_factory=dict)
    nodes: dict[int, NodeFacts] = field(default_factory=dict)
    since: dict[int, int] = field(default_factory=dict)
    """The step in which each tensor got its grad node, or was made."""
    writes: dict[int, list[_Write]] = field(default_factory=dict)
    """The writes to each storage, in order."""
    tracked: dict[int, list[_Write]] = field(default_factory=dict)
    """Those of them that came into a history."""
    reads: dict[int, list[_Read]] = field(default_factory=dict)
    """By node."""
    lost: dict[int, _Read] = field(default_factory=dict)
    """By tensor without a history: what it was computed from that has lost one."""
    made: dict[int, Step] = field(default_factory=dict)
    """The step that made each node: of the nodes that are older than the recording, which its first step shows, none is known."""
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The last names that each leaf had."""
    training: set[int] = field(default_factory=set)
    """The nodes of normalizations in training: they have written their running statistics just before."""
    found: list[Unnoticed] = field(default_factory=list)
    _before: Step | None = None
    """The step before."""
    _ended: int = -1
    """The step in which the last pass ended."""

    def take(self, step: Step) -> None:
        """Goes on by one step."""
        if step.kind == "operation":
            self._read(step)
        made = [number for number, facts in step.nodes if facts is not None and number not in self.nodes]
        self.nodes.update((number, node) for number, node in step.nodes if node is not None)
        for number in made if step.index else {*made} & _nodes_of_result(step):
            self.made.setdefault(number, step)
        if made and self._has_just_written(step):
            self.training.update(made)
        self._before = step
        for number, tensor in step.tensors:
            if tensor is not None:
                self._now(step, number, tensor)
        if step.kind == "operation":
            self._note(step, made)
        self._follow_pass(step)

    def _has_just_written(self, step: Step) -> bool:
        """Whether the step before was the same call: it is shown as one step for each tensor that it writes, and one for its result."""
        before = self._before
        return (
            before is not None
            and bool(before.writes)
            and (before.op, before.place, before.inputs) == (step.op, step.place, step.inputs)
        )

    def _follow_pass(self, step: Step) -> None:
        action = None if step.backward is None else step.backward.action
        if action == "begin":
            self._check(step)
        elif action == "end":
            self._ended = step.index
        elif step.kind == "error" and step.phase == "backward":  # a pass that failed has computed nothing
            self.found = [each for each in self.found if each.begun.index <= self._ended]

    def _now(self, step: Step, number: int, tensor: TensorFacts) -> None:
        before = self.tensors.get(number)
        rewired = any(each.tensor == number for each in step.rewired)
        replaced = before is not None and before.storage != tensor.storage and before.node == tensor.node
        if replaced and step.category == "reallocated" and tensor.needs_gradient and not tensor.leaf:
            facts = WriteFacts(tensor.storage, tensor.counter, 0, 0, number, slot_runs(tensor))
            self.writes.setdefault(tensor.storage, []).append(_Write(step, facts, tensor, False, ()))
        elif before is None or rewired or before.node != tensor.node or replaced:
            self.since[number] = step.index
        self.tensors[number] = tensor
        self.names[number] = tensor.names or self.names.get(number, ())

    def _note(self, step: Step, made: Sequence[int]) -> None:
        sources = tuple(self.tensors[number] for number in step.inputs if number in self.tensors)
        for facts in step.writes:
            through = self.tensors.get(facts.tensor)
            if through is None or not facts.slots:
                continue
            tracked = any(each.tensor == facts.tensor for each in step.rewired) or through.node in made
            if tracked:
                self.since[facts.tensor] = step.index
            write = _Write(step, facts, through, tracked, sources)
            self.writes.setdefault(facts.storage, []).append(write)
            if tracked:
                self.tracked.setdefault(facts.storage, []).append(write)

    # ---- what an operation reads ------------------------------------------------------------------------------------------

    def _read(self, step: Step) -> None:
        """Notes which operands of an operation do not have the history of their values."""
        made = [number for number, facts in step.nodes if facts is not None and number not in self.nodes]
        written = [facts.tensor for facts in step.writes]
        for number in step.inputs:
            tensor = self.tensors.get(number)
            if tensor is None or (number in written and self._only_written(step)):
                continue
            read = self.lost.get(number) or self._of_operand(step, tensor)
            if read is None:
                continue
            for node in made:
                self.reads.setdefault(node, []).append(read)
            if not made and read.why == "lost" and step.output is not None:
                self.lost[step.output] = read

    def _of_operand(self, step: Step, tensor: TensorFacts) -> _Read | None:
        """Returns the first write that the history of an operand does not have."""
        for write in self._since(tensor):
            why = self._why(tensor, write)
            if why is not None:
                return _Read(why, step, tensor, write)
        return None

    def _only_written(self, step: Step) -> bool:
        """Whether the tensor that a step writes is overwritten, and not read."""
        return bool(step.reads) and all(each.tensor != step.inputs[0] for each in step.reads)

    def _since(self, tensor: TensorFacts) -> Iterator[_Write]:
        """Yields the writes to a tensor's slots since it got its node, as far as they matter for it."""
        # An update of a parameter, of which a training has thousands, is no part of a history.
        writes = self.writes if tensor.needs_gradient and not tensor.leaf else self.tracked
        mine: Runs | None = None
        for write in _after(writes.get(tensor.storage, ()), self.since.get(tensor.id, -1)):
            mine = slot_runs(tensor) if mine is None else mine
            if common_runs(mine, write.facts.slots):
                yield write

    def _why(self, tensor: TensorFacts, write: _Write) -> Literal["node", "lost"] | None:
        if tensor.needs_gradient and not tensor.leaf:
            meant = not write.tracked and (self._is_part_of_leaf(tensor) or self._is_past_detach(write.through, tensor))
            return None if meant else "node"
        if tensor.leaf and tensor.needs_gradient:  # as an optimizer does it, the new value is that of the leaf
            return "node" if write.tracked else None
        # A tensor without a history: the value that was written has one.
        lost = write.tracked and loses_write(self.recording, tensor.id, write.facts.tensor)
        return "lost" if lost else None

    def _is_past_detach(self, through: TensorFacts, tensor: TensorFacts) -> bool:
        """Whether a `detach()` or `.data` of a tensor was written: then the program has asked for a write without history."""
        ways = [origin for number, origin in _up_the_views(self.recording, through.id) if number != tensor.id]
        return any(each.detached for each in ways)

    def _is_part_of_leaf(self, tensor: TensorFacts) -> bool:
        base = None if tensor.base is None else self.tensors.get(tensor.base)
        return base is not None and base.leaf

    # ---- what a pass uses -------------------------------------------------------------------------------------------------

    def _check(self, begins: Step) -> None:
        """Finds what the pass that begins does not know of."""
        running = [number for number, facts in begins.nodes if facts is not None and facts.status == "waiting"]
        seen: dict[tuple[tuple[int, int] | None, tuple[int, int] | None, str], Unnoticed] = {}
        for node in running:
            found = [self._of_read(each, begins) for each in self.reads.get(node, ())]
            found += [each for saved in self.nodes[node].saved for each in self._of_saved(node, saved, begins)]
            for each in found:
                key = line_of(each.write.place), line_of(each.read.place), each.why
                # Of several values that one line has written, the one that most gradients are computed from says most.
                known = seen.setdefault(key, each)
                most = max(known, each, key=lambda one: len(one.wrong))
                seen[key] = replace(most, wrong=tuple(sorted({*known.wrong, *each.wrong})))
        self.found += seen.values()

    def _of_read(self, read: _Read, begins: Step) -> Unnoticed:
        concerned = [read.tensor, read.write.through, *read.write.sources]
        leaves = (
            name for each in concerned if each.leaf and each.needs_gradient for name in self.names.get(each.id, ())[:1]
        )
        wrong = tuple(sorted({*leaves, *self._leaves([each.node for each in concerned])}))
        through = None if read.write.through.id == read.tensor.id else read.write.through
        tensor = self.tensors.get(read.tensor.id, read.tensor)
        return Unnoticed(read.why, read.write.step, tensor, through, read.step, begins, wrong)

    def _of_saved(self, number: int, saved: SavedFacts, begins: Step) -> Iterator[Unnoticed]:
        node, made = self.nodes[number], self.made.get(number)
        if made is None or saved.copy or (saved.name in RUNNING and number in self.training):
            return
        wrong = self._edges_using(node, saved)
        if not wrong:
            return
        unchecked = node.name.startswith(_UNCHECKED)
        for write in _after(self.writes.get(saved.storage, ()), made.index):
            silent = write.facts.before == write.facts.after or write.facts.counter != saved.counter
            if (silent or unchecked) and common_runs(slot_runs(saved), write.facts.slots):
                tensor = self._operand(made, saved) or write.through
                through = None if tensor.id == write.through.id else write.through
                yield Unnoticed("saved", write.step, tensor, through, made, begins, self._leaves(wrong), (node, saved))
                return

    def _edges_using(self, node: NodeFacts, saved: SavedFacts) -> list[int]:
        """Returns the nodes that receive gradients computed from a saved value."""
        trains = node.id in self.training or not any(each.name in RUNNING for each in node.saved)
        positions = uses_of(node.name, saved.name, trains=trains)
        return [each.to for each in node.edges if positions is None or position_of(each.input) in (None, *positions)]

    def _operand(self, made: Step, saved: SavedFacts) -> TensorFacts | None:
        """Returns the operand or result of a step that is a saved value."""
        numbers = (*made.inputs, *([] if made.output is None else [made.output]))
        known = (self.tensors[number] for number in numbers if number in self.tensors)
        return next((each for each in known if each.storage == saved.storage and each.names), None)

    def _leaves(self, nodes: Iterable[int | None]) -> tuple[str, ...]:
        """Returns the names of the leaves that nodes lead to."""
        waiting, seen, found = [each for each in nodes if each is not None], set[int](), dict[str, None]()
        while waiting:
            number = waiting.pop()
            node = self.nodes.get(number)
            if number in seen or node is None:
                continue
            seen.add(number)
            leaf = None if node.leaf is None else self.tensors.get(node.leaf)
            if node.leaf is not None and (leaf is None or leaf.leaf):  # it may have got a history since
                found |= dict.fromkeys(self.names.get(node.leaf, ())[:1])
            waiting += [edge.to for edge in node.edges]
        return tuple(sorted(found))


def _after(writes: Sequence[_Write], step: int) -> Sequence[_Write]:
    """The writes after a step."""
    return writes[bisect_right(writes, step, key=lambda write: write.step.index) :]


_UNCHECKED = ("GradNodePyLayer", "EinsumGradNode")
"""Nodes whose saved tensors Paddle uses without comparing versions."""


def unnoticed_writes(recording: Recording) -> list[Unnoticed]:
    """Returns the writes that backward passes did not know of: for each pass, line that wrote and line that read, one."""
    sweep = _Sweep(recording)
    for step in recording.steps:
        sweep.take(step)
    return sweep.found


def unnoticed_failures(recording: Recording) -> list[FailureFacts]:
    """Returns the same as facts of failures, each of which has only its places."""
    return [_facts(recording, each) for each in unnoticed_writes(recording)]


def _facts(recording: Recording, each: Unnoticed) -> FailureFacts:
    read, write = site_of(recording, each.read.place, each.read), site_of(recording, each.write.place, each.write)
    nodes = (facts for key, facts in each.read.nodes if facts is not None and key == each.read.kept)
    node = next((facts.name for facts in nodes), "")
    names = each.tensor.names if each.tensor else ()
    wrote = OverwriteFacts(each.write.op or "", 0, 0, write, how="silent" if each.why == "saved" else each.why)
    if each.kept is not None:
        facts = next(facts for facts in each.write.writes if facts.storage == each.kept[1].storage)
        if facts.before != facts.after:
            wrote = replace(wrote, before=facts.before, after=facts.after, how="unchecked")
    if each.is_update:
        wrote = as_update(wrote, "own", lambda file: recording.text_of(source_of(recording, file) or 0))
    if each.through is not None:
        base = names[0] if names else ""
        is_view = each.tensor is not None and each.through.base == each.tensor.id
        through, made = each.through.names, made_at(recording, each.through.id, each.through.names)
        wrote = replace(wrote, through=through, relation="view" if is_view else "shares", base=base, made=made)
    value = KeptFacts(node, names=names, op=each.read.op or "", writes=(wrote,))
    kept = replace(value, read=read)
    if each.kept is not None:
        keeper, saved = each.kept
        told = kept_facts(StepContext(recording, each.begun.index), keeper.id, saved)
        kept = replace(told, names=told.names or names, former=False, kept=None, sites=read, writes=(wrote,))
    return FailureFacts("silent", site_of(recording, each.begun.place, each.begun), (kept,), wrong=each.wrong)
