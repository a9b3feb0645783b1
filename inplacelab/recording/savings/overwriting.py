"""Finds the operations that could overwrite their operand instead of making a new tensor, from recorded facts alone: nothing runs.

An operation may write its result into the memory of its operand if nobody needs what is there afterwards: no later operation reads it, under
any name, no grad node keeps it, and no leaf loses its value. Each of these is a recorded fact. So is what it saves: while both storages
were alive, one of them was not needed.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from inplacelab.recording.facts import NodeFacts, Step, TensorFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.joins import join
from inplacelab.recording.slots import Runs, common_runs, slot_runs
from inplacelab.recording.source_tree import root_of, source_tree_of
from inplacelab.supported import InPlaceForms, framework_of

Why = Literal["shape", "dtype", "expanded", "leaf", "views", "history", "rounds", "kept", "read", "written", "lives"]
"""Why an operand may not be overwritten. "shape", "dtype": the result has another one; "expanded": several of its elements are one slot; "leaf": it is
a leaf that needs a gradient, or a view of one; "views": it is one of several views that one operation returned; "history": it has one, and the result has none, as under
`no_grad`; "rounds": the derivative would be computed from the result, and have other last bits; "kept": a grad node keeps it;
"read", "written": the program does that to it later; "lives": the program may still use it after what was recorded."""

REFLECTED = {"rmul": "mul", "radd": "add"}
"""Operators whose left operand is no tensor: `2 * x`."""
_SEVERAL_VIEWS = frozenset({
    "chunk", "split", "tensor_split", "hsplit", "vsplit", "dsplit", "unbind", "split_with_sizes", "unsafe_chunk", "unstack",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an operand may not be overwritten.

    Attributes:
        why: see `Why`.
        step: the step that reads or writes it later.
        node: the grad node that keeps it.
        tensor: the tensor through which it is read or written, the leaf, or the tensor that lives on.
    """

    why: Why
    step: int | None = None
    node: int | None = None
    tensor: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One run of an operation that made a new tensor, and that has an in-place form.

    Attributes:
        step: its step.
        operand: the tensor that the in-place form would overwrite.
        position: its position in the operation's inputs.
        result: the tensor that the operation made.
        storage, made: the numbers of their storages.
        obstacle: why the operand may not be overwritten; None if it may.
        copies: whether the in-place form would save a copy of the operand, so that nothing is gained.
        keeps_result: whether it would save its result, which the ordinary form does not.
        bytes: the bytes of the result's storage.
        more: the bytes by which the operand's storage is larger: it would live as long as the result.
        operand_gone, result_gone: the steps after which the two storages are gone.
        kept_until: the last step at which a grad node keeps its result, or would; -1 if none does.
        part: the position of the part that it changes, if it joins a tensor of parts of the operand.
        other: the same with the other operand overwritten, of a sum or a product; None if there is none.
    """

    step: int
    operand: int
    position: int
    result: int
    storage: int
    made: int
    obstacle: Obstacle | None
    copies: bool
    keeps_result: bool
    bytes: int
    more: int
    operand_gone: int
    result_gone: int
    kept_until: int = -1
    part: int | None = None
    other: Call | None = None

    @property
    def saves(self) -> bool:
        """Whether writing in place would save memory for some time."""
        return self.obstacle is None and not self.copies and self.bytes > 0

    @property
    def until(self) -> int:
        """The step after which one of the two storages is gone: until then, both were alive."""
        return min(self.operand_gone, self.result_gone)


def _name_of(step: Step) -> str:
    return REFLECTED.get(step.op or "", step.op or "")


def calls(recording: Recording, *, ends: bool) -> Iterator[Call]:
    """Yields the runs of operations with an in-place form that made a new tensor, in order.

    Args:
        recording: the recording.
        ends: whether the program ends where the recording does. If not, it may use later what is alive at the end.
    """
    forms, history = framework_of(recording).in_place, _History(recording)
    for step in recording.steps:
        name = _name_of(step)
        inside = step.ran_in is not None and step.ran_in.kind not in forms.modules  # a library's own code
        if (
            not inside
            and name in forms.names
            and step.category == "ordinary"
            and step.phase == "forward"
            and step.inputs
        ):
            yield from history.calls(step, name, forms, ends=ends)


@dataclass(slots=True)
class _Use:
    step: int
    tensor: int
    slots: Runs
    how: Literal["read", "written"]


@dataclass(slots=True)
class _Life:
    """What happened to a storage: its size, the steps at which it was made and after which it is gone, and how it was used."""

    bytes: int
    made: int
    gone: int
    uses: list[_Use] = field(default_factory=list)
    names: list[tuple[int, str, int]] = field(default_factory=list)  # from which step on a tensor on it has had a name

    def used_after(self, step: int, slots: Runs) -> _Use | None:
        """Returns the first use of some slots after a step."""
        first = bisect_right(self.uses, step, key=lambda each: each.step)
        return next((each for each in self.uses[first:] if common_runs(slots, each.slots)), None)


@dataclass(slots=True)
class _Kept:
    """A saved tensor, and the steps between which its node had it."""

    node: int
    name: str
    counter: int
    first: int
    last: int


class _History:
    """The lives of all storages of a recording, and what grad nodes kept of them."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._lives = _lives(recording)
        self._kept = _all_kept(recording)
        self._readers = _Readers(recording)

    def calls(self, step: Step, name: str, forms: InPlaceForms, *, ends: bool) -> Iterator[Call]:
        """Yields a run of an operation, if it has made a storage."""
        before, after = self._recording.before(step.index).tensors, dict(step.tensors)
        result = None if step.output is None else after.get(step.output)
        if result is None or self._lives[result.storage].made != step.index:
            return
        if name in forms.joins:
            yield from self._joined(step, result, forms, ends=ends)
            return
        several = name in forms.either and len(step.inputs) > 1
        found = []
        for position in range(1 + several):
            operand = before.get(step.inputs[position]) or after.get(step.inputs[position])
            if operand is not None and operand.storage in self._lives:
                found.append(self._call(step, position, operand, result, forms, ends=ends))
        if found:
            best, *others = sorted(found, key=lambda each: (each.obstacle is not None, each.copies))
            yield replace(best, other=others[0]) if others else best

    def _joined(self, step: Step, result: TensorFacts, forms: InPlaceForms, *, ends: bool) -> Iterator[Call]:
        """Yields a run of an operation that joins a tensor again, of which one part has changed."""
        found = join(self._recording, step, result)
        if found is not None and found.whole.storage in self._lives:
            position = step.inputs.index(next(each for k, each in enumerate(step.inputs) if k != found.part))
            call = self._call(step, position, found.whole, result, forms, ends=ends)
            changed = dict(found.changed.tensors).get(found.changed.output or 0)
            kept = () if changed is None else self._kept.get(changed.counter, ())
            until = max((each.last for each in kept), default=-1)
            yield replace(call, part=found.part, kept_until=max(call.kept_until, until))

    def _call(
        self, step: Step, position: int, operand: TensorFacts, result: TensorFacts, forms: InPlaceForms, *, ends: bool
    ) -> Call:
        name = _name_of(step)
        keeps_result = name in forms.keeps_result
        mine, its = self._lives[operand.storage], self._lives[result.storage]
        kept = [each for each in self._kept.get(operand.counter, ()) if each.first <= step.index <= each.last]
        others = next((each for each in kept if each.node != step.kept), None)
        obstacle = (
            self._of_form(step, operand, result)
            or (Obstacle("rounds", node=step.kept) if name in forms.rounds and kept else None)
            or (None if others is None else Obstacle("kept", node=others.node))
            or (None if name in forms.joins else self._of_operands(step, position, operand))
            or self._of_later(step, operand, mine)
            or (None if ends else self._of_end(operand))
        )
        own = [each for each in kept if keeps_result and each.node == step.kept]
        until = max((each.last for each in (*own, *self._kept.get(result.counter, ()))), default=-1)
        return Call(
            step.index, operand.id, position, result.id, operand.storage, result.storage, obstacle, bool(kept) and not keeps_result and others is None, keeps_result and bool(kept),
            its.bytes, max(mine.bytes - its.bytes, 0), mine.gone, its.gone, until,
        )  # fmt: skip

    def _of_form(self, step: Step, operand: TensorFacts, result: TensorFacts) -> Obstacle | None:
        if operand.shape != result.shape:
            return Obstacle("shape", tensor=operand.id)
        if operand.dtype != result.dtype:
            return Obstacle("dtype", tensor=operand.id)
        if any(size > 1 and not stride for size, stride in zip(operand.shape, operand.strides, strict=True)):
            return Obstacle("expanded", tensor=operand.id)
        if operand.needs_gradient and operand.node is not None and not result.needs_gradient:
            return Obstacle("history", tensor=operand.id)
        return self._of_base(step, operand)

    def _of_base(self, step: Step, operand: TensorFacts) -> Obstacle | None:
        """The tensor, or one that it is a view of, may not be written."""
        tensors = self._recording.before(step.index).tensors
        whole: TensorFacts | None = operand
        while whole is not None:
            if whole.leaf and whole.needs_gradient:
                return Obstacle("leaf", tensor=whole.id)
            if whole.id in self._one_of_several and operand.needs_gradient:
                return Obstacle("views", tensor=whole.id)
            whole = None if whole.base is None or whole.base == whole.id else tensors.get(whole.base)
        return None

    @cached_property
    def _one_of_several(self) -> frozenset[int]:
        """The views that were made together with others."""
        made = (step for step in self._recording.steps if step.category == "view" and step.op in _SEVERAL_VIEWS)
        return frozenset(key for step in made for key, facts in step.tensors if facts is not None)

    def _of_operands(self, step: Step, position: int, operand: TensorFacts) -> Obstacle | None:
        """Another operand that reads the same slots: `x * x` in place would use what it has overwritten."""
        tensors = self._recording.before(step.index).tensors
        for k, each in enumerate(step.inputs):
            other = tensors.get(each)
            if k != position and other is not None and other.counter == operand.counter:
                return Obstacle("read", step=step.index, tensor=each)
        return None

    def _of_later(self, step: Step, operand: TensorFacts, life: _Life) -> Obstacle | None:
        found = life.used_after(step.index, slot_runs(operand))
        read = self._readers.first(step, life, len(self._recording) if found is None else found.step)
        if read is not None:
            return Obstacle("read", step=read, tensor=operand.id)
        return None if found is None else Obstacle(found.how, step=found.step, tensor=found.tensor)

    def _of_end(self, operand: TensorFacts) -> Obstacle | None:
        alive = self._recording.state().tensors.values() if len(self._recording) else ()
        found = next((each for each in alive if each.storage == operand.storage), None)
        return None if found is None else Obstacle("lives", tensor=found.id)


def _lives(recording: Recording) -> dict[int, _Life]:
    found: dict[int, _Life] = {}
    for step in recording.steps:
        for key, facts in step.storages:
            if facts is not None:
                found.setdefault(key, _Life(facts.bytes, step.index, len(recording)))
            elif key in found:
                found[key].gone = step.index
        _note_uses(step, found)
    return found


def _note_uses(step: Step, found: Mapping[int, _Life]) -> None:
    """Notes what a step read and wrote, and which tensors have had names since."""
    for read in step.reads:
        if read.storage in found:  # not that of a number, which is gone when the step ends
            found[read.storage].uses.append(_Use(step.index, read.tensor, read.slots, "read"))
    for write in step.writes:
        if write.storage in found:
            found[write.storage].uses.append(_Use(step.index, write.tensor, write.slots, "written"))
    for key, tensor in step.tensors:
        if tensor is not None and tensor.names:
            found[tensor.storage].names += [(step.index, each, key) for each in tensor.names]


def _all_kept(recording: Recording) -> dict[int, list[_Kept]]:
    """Returns what grad nodes keep, by the counters of what they keep."""
    now: dict[int, list[_Kept]] = {}
    found: dict[int, list[_Kept]] = defaultdict(list)
    for step in recording.steps:
        for key, node in step.nodes:
            kept = _kept_of(node)
            stays = [each for each in now.get(key, ()) if (each.name, each.counter) in kept]
            for each in now.get(key, ()):
                if each not in stays:
                    each.last = step.index - 1
            known = {(each.name, each.counter) for each in stays}
            new = [_Kept(key, *each, step.index, len(recording)) for each in kept if each not in known]
            for each in new:
                found[each.counter].append(each)
            now[key] = [*stays, *new]
    return found


def _kept_of(node: NodeFacts | None) -> list[tuple[str, int]]:
    if node is None or node.released:
        return []
    return [(each.name, each.counter) for each in node.saved if not each.copy]


_READING = frozenset({
    "print", "str", "repr", "format", "float", "int", "bool", "complex", "list", "tuple", "sum", "min", "max", "round", "any", "all", "sorted", "hash",
})  # fmt: skip
"""Functions of Python that read the values of a tensor: no operation of the framework is recorded for that."""
_READING_METHODS = frozenset({"item", "tolist", "numpy", "__array__", "cpu"})


class _Readers:
    """The statements that read values without an operation of the framework: `print(x)`, `f"{x}"`, `x.item()`, `np.sum(x)`, `if x:`."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._of_line: dict[tuple[int, int], frozenset[str]] = {}
        found: list[tuple[int, frozenset[str]]] = []
        before = None
        for step in recording.steps:
            if step.place is None or (now := (step.turn, step.place.source, step.place.line)) == before:
                continue
            before = now
            names = self._read_by(step.place.source, step.place.line)
            if names:
                found.append((step.index, names))
        self._found: Sequence[tuple[int, frozenset[str]]] = found

    def first(self, step: Step, life: _Life, until: int) -> int | None:
        """Returns the first step after another one, and before a third, whose statement reads a tensor on a storage by name."""
        first = bisect_right(self._found, step.index, key=lambda each: each[0])
        last = bisect_left(self._found, min(until, life.gone + 1), key=lambda each: each[0])
        for index, names in self._found[first:last]:
            if any(
                since <= index and _root(name) in names and self._has(index, key, name)
                for since, name, key in life.names
            ):
                return index
        return None

    def _has(self, index: int, tensor: int, name: str) -> bool:
        facts = self._recording.before(index).tensors.get(tensor)
        return facts is not None and name in facts.names

    def _read_by(self, source: int, line: int) -> frozenset[str]:
        if (source, line) not in self._of_line:
            program = source_tree_of(self._recording, source)
            nested = () if program is None else program.nested(line)
            names = frozenset() if program is None or not nested else _values_read(nested[0])
            self._of_line[source, line] = names
        return self._of_line[source, line]


def _root(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]


def _values_read(statement: ast.stmt) -> frozenset[str]:
    """Returns the names whose values a statement reads, other than by operations of the framework."""
    found: set[str] = set()
    tests = [statement.test] if isinstance(statement, ast.If | ast.While | ast.Assert) else []
    inside = tests if hasattr(statement, "body") else [statement]
    for part in inside:
        for node in ast.walk(part):
            match node:
                case ast.Call(func=ast.Name(id=called), args=given) if called in _READING:
                    found.update(_names_in(*given))
                case ast.Call(func=ast.Attribute(attr=called, value=receiver)) if called in _READING_METHODS:
                    found.update(filter(None, [root_of(receiver)]))
                case ast.Call(func=called, args=given) if root_of(called) in _ARRAYS:
                    found.update(_names_in(*given))
                case ast.FormattedValue(value=value):
                    found.update(_names_in(value))
    found.update(_names_in(*(each for each in tests if isinstance(each, ast.Name))))
    return frozenset(found)


_ARRAYS = frozenset({"np", "numpy", "plt", "json", "pickle"})
"""Modules whose functions read the values of what they are given."""
_METADATA = frozenset({
    "shape", "dtype", "device", "ndim", "size", "dim", "numel", "requires_grad", "grad_fn", "is_leaf", "stride", "storage_offset", "_version", "place",
    "stop_gradient", "is_contiguous", "data_ptr", "inplace_version",
})  # fmt: skip
"""Attributes of tensors that do not read its values."""


def _names_in(*expressions: ast.expr) -> Iterator[str]:
    """Yields the names of which expressions read more than metadata."""
    for each in expressions:
        if isinstance(each, ast.Attribute) and each.attr in _METADATA:
            continue
        if isinstance(each, ast.Name):
            yield each.id
        yield from _names_in(*(child for child in ast.iter_child_nodes(each) if isinstance(child, ast.expr)))
