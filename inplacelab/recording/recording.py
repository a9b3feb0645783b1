"""Holds a recording: the learner's source, its steps, and the state after each step, with the names of every tensor.

A name is bound when its line is done: in `y = (x * 2.).relu_()` the product has no name while `relu_` runs. Calling it `T5` until
then would give one tensor two names; calling it `y` would be wrong. And in `x = (x * 2.).relu_()` the name `x` means the old
tensor until the line is done. So a pending name is written with an arrow, `→y`. A recording is complete when it is read, so a name
is pending only if it was bound later: a line that failed before it bound the name has left a temporary.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from inplacelab.language import Text, enumerated
from inplacelab.place import Place, same_line
from inplacelab.recording.facts import CounterFacts, NodeFacts, SavedFacts, SourceFacts, Step, StorageFacts, TensorFacts

Span = tuple[int, Step, tuple[str, ...]]
"""(first step, the step that binds them, names): from the one until before the other these names are coming."""


# Made for every card, row and sentence: a tuple takes half the time of a dataclass.
class Called(NamedTuple):
    """What a tensor is called after one step.

    Attributes:
        tensor: its number.
        names: the learner's names for it; empty for a temporary.
        place: the place that has yet to bind the names; None if they are bound, or there are none.
    """

    tensor: int
    names: tuple[str, ...]
    place: Place | None = None

    @property
    def line(self) -> int | None:
        """The line of that place."""
        return None if self.place is None else self.place.line

    @property
    def coming(self) -> bool:
        """Whether the names are bound to it only when the running line is done."""
        return self.place is not None

    @property
    def bound(self) -> bool:
        """Whether it has a name now."""
        return bool(self.names) and not self.coming

    @property
    def shown(self) -> tuple[str, ...]:
        """The names as shown: `y`, `→y` for a pending name, `T5` for a temporary.

        >>> Called(5, ("y",)).shown, Called(5, ("y",), Place(3)).shown, Called(5, ()).shown
        (('y',), ('→y',), ('T5',))
        """
        if not self.names:
            return (f"T{self.tensor}",)
        return tuple(map(coming, self.names)) if self.coming else self.names

    @property
    def first(self) -> str:
        """The first name as shown."""
        return self.shown[0]

    def awaits(self, name: str) -> bool:
        """Whether this name is pending."""
        return self.coming and name in self.names


def coming(name: str) -> str:
    """Returns how a pending name is written: `→y`."""
    return f"→{name}"


def called_at(step: int, tensor: int, names: tuple[str, ...], spans: Mapping[int, Sequence[Span]]) -> Called:
    """Returns what a tensor is called after a step at which it has these names."""
    if not names:
        for first, binds, soon in spans.get(tensor, ()):
            if first <= step < binds.index:
                return Called(tensor, soon, binds.place)
    return Called(tensor, names)


def coming_names(steps: Sequence[Step]) -> dict[int, list[Span]]:
    """Returns the steps in which a name is pending, for each tensor that its line names after making or using it."""
    found: dict[int, list[Span]] = {}
    nameless: dict[int, Step] = {}  # the step since which a live tensor has no name
    for step, (line, statement) in zip(steps, _beginnings(steps), strict=True):
        for key, facts in step.tensors:
            if facts is not None and not facts.names:
                nameless.setdefault(key, step)
                continue
            since = nameless.pop(key, None)
            if facts is None or since is None or step.line is None:
                continue
            made_here = since.index >= statement or same_line(since.place, step.place)
            first = since.index if made_here else line
            if first < step.index:
                found.setdefault(key, []).append((first, step, facts.names))
    return found


def _beginnings(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Yields for each step the indices of the steps that began its line and its statement, as far as the recording shows."""
    line = statement = 0
    before: Step | None = None
    for step in steps:
        if before is None or step.place is None or not same_line(step.place, before.place):
            line = step.index
            if before is None or not _is_called_by(before, step):
                statement = step.index
        before = step
        yield line, statement


def _is_called_by(before: Step, step: Step) -> bool:
    """Whether a step belongs to the statement that called the function of the step before it: in `y = f(x).relu_()` the caller
    names the result of `f`, in the turn of the function's last statement, or in one of its own.
    """
    if step.place is None or before.place is None:
        return False
    if step.turn == before.turn > 0:
        return True
    _, *callers = before.place.calls
    return any(same_line(each, step.place) and each.function == step.place.function for each in callers)


SCHEMA_VERSION = 4
"""The version of the JSON that `codec.to_json` writes. A change of the facts raises it and adds a case to `codec.upgraded`."""

_Found = TypeVar("_Found")
_Facts = TypeVar("_Facts", StorageFacts, CounterFacts, TensorFacts, NodeFacts)
_Located = CounterFacts | TensorFacts
_Made = tuple[str, tuple[int, int] | Place | None]
"""The name of a node, and the source and the line that made it, or the place with its calls."""


_NO_TENSOR = Text(
    "no tensor is called {0!r} after step {1}; there are: {2}", "第 {1} 步之后没有叫 {0!r} 的张量；有名字的是：{2}"
)
_NONE = Text("none", "无")
_NO_STEP = Text("there is no step {0}: this recording has {1} steps", "没有第 {0} 步：这份记录共有 {1} 步")
_NO_NUMBER = Text("a step is a whole number, not {0!r}", "步骤是整数，而不是 {0!r}")
_NO_LINE = Text("nothing was recorded on line {0}; lines with steps: {1}", "第 {0} 行没有任何记录；有记录的行：{1}")


@dataclass(frozen=True, slots=True)
class State:
    """Everything that was alive after one step.

    Attributes:
        step: the step.
        sources: the texts in which places are.
        storages: facts by serial number, in order of creation; so for `counters`, `tensors` and `nodes`.
        awaited: the tensors that this step left unchanged but that are called by another name now, because the line that will
            name them has begun.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     y = x.add_(x)
    >>> state = rec.recording.state()
    >>> state.version("x"), state.tensor("x").names
    (1, ('x', 'y'))
    """

    step: Step
    sources: tuple[SourceFacts, ...] = field(repr=False, compare=False)
    storages: Mapping[int, StorageFacts]
    counters: Mapping[int, CounterFacts]
    tensors: Mapping[int, TensorFacts]
    nodes: Mapping[int, NodeFacts]
    _namesakes: Mapping[_Made, int] = field(repr=False, compare=False)
    """How many of the nodes have one name and one line, and one name and one place."""
    _owners: Mapping[int, int] = field(repr=False, compare=False)
    """From a gradient to the tensor whose `.grad` it is."""
    _counted: Mapping[int, Sequence[int]] = field(repr=False, compare=False)
    """From a storage to its counters."""
    _located: Mapping[int, Sequence[int]] = field(repr=False, compare=False)
    """From a storage to its tensors."""
    _bound: Mapping[str, int] = field(repr=False, compare=False)
    """From each name to the first tensor bound to it."""
    _coming: Mapping[int, Sequence[Span]] = field(repr=False, compare=False)
    """From a tensor to the names that a running line has yet to bind, with the steps in which they are pending."""
    awaited: tuple[int, ...] = ()

    def has_namesake(self, node: NodeFacts) -> bool:
        """Whether another node of the same line has the same name, so that labels need the node's number."""
        called = _called(node)
        here = self.nodes.get(node.id)
        return self._namesakes.get(called, 0) > (here is not None and _called(here) == called)

    def was_called_elsewhere(self, node: NodeFacts) -> bool:
        """Whether another node has the same name and line, but another call led to that line."""
        of_line = self._namesakes.get(_called(node), 0)
        return node.place is not None and of_line > self._namesakes.get((node.name, node.place), 0)

    def owner_of_gradient(self, tensor: int) -> int | None:
        """Returns the first tensor whose `.grad` is `tensor`, by number; None if there is none."""
        return self._owners.get(tensor)

    def bound(self, name: str) -> int | None:
        """Returns the number of the tensor that the learner calls `name`; None if there is none."""
        return self._bound.get(name)

    def called(self, tensor: int) -> Called:
        """Returns what a tensor is called after this step: its names, those that the running line will bind, or its number."""
        facts = self.tensors.get(tensor)
        return called_at(self.step.index, tensor, facts.names, self._coming) if facts else Called(tensor, ())

    def tensor(self, name: str) -> TensorFacts:
        """Returns the facts of the tensor that the learner calls `name`.

        Raises:
            KeyError: if no live tensor has that name at this step; the message lists the names there are.
        """
        if name in self._bound:
            return self.tensors[self._bound[name]]
        known = sorted({n for t in self.tensors.values() for n in t.names})
        raise KeyError(str(_NO_TENSOR.format(name, self.step.index, enumerated(known) if known else _NONE)))

    def storage_of(self, name: str) -> StorageFacts:
        """Returns the storage of the tensor that the learner calls `name`.

        Raises:
            KeyError: if no live tensor has that name at this step.
        """
        return self.storages[self.tensor(name).storage]

    def tensors_on(self, storage: int) -> tuple[TensorFacts, ...]:
        """Returns the live tensors on a storage, given by its number, in the order in which they were made."""
        return tuple([self.tensors[key] for key in self._located.get(storage, ())])

    def version(self, tensor: str | TensorFacts | SavedFacts) -> int:
        """Returns the version counter of a tensor: the number of writes through the tensors that share it.

        Args:
            tensor: the learner's name for it, its facts, or those of a saved tensor.

        Raises:
            KeyError: if no live tensor has that name at this step; the message lists the names there are.
        """
        facts = self.tensor(tensor) if isinstance(tensor, str) else tensor
        return self.counters[facts.counter].version

    def versions(self, storage: int) -> tuple[int, ...]:
        """Returns the version counters of a storage, in order: one number, unless the framework counts for some aliases apart."""
        return tuple(self.counters[key].version for key in self._counted.get(storage, ()))

    def is_stale(self, saved: SavedFacts) -> bool:
        """Whether backward would refuse a saved tensor, because its version counter was raised since it was saved."""
        counter = self.counters.get(saved.counter)
        return counter is not None and counter.version != saved.version


@dataclass(frozen=True)
class Recording:
    """An immutable record of a program's run: its source and its steps.

    `len(recording)` is the number of steps. `recording.state(k)` has everything that was alive after step k.
    """

    framework: str
    """The framework that ran it: "inplacelab", "inplacelab.torch", "numpy", "paddle" or "torch". Texts use its terms (`stop_gradient` or `requires_grad`)."""
    framework_version: str
    """The version of that framework."""
    title: str
    """A short name for the picture."""
    sources: tuple[SourceFacts, ...]
    """The texts of the program: first the one that was started, then others of its files and cells, in the order in which they were seen."""
    steps: tuple[Step, ...]
    """What happened, in order."""
    truncated: int = 0
    """0 if the recording goes to the end of the program. Otherwise the recorder's limit was reached, and at least so many events were left
    out: the recording ended then, so it is not known how many followed."""
    simulated: bool = False
    """True if a simulated device took part."""
    live_before: int = 0
    """The bytes that were live before the first step: of tensors made earlier in the session. The steps count neither these nor
    their end."""
    notes: tuple[Text, ...] = ()
    """What the recording leaves out, as sentences: operations of other threads, or what followed a failure of the recorder."""
    schema: int = field(default=SCHEMA_VERSION)
    """The version of this format."""

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def source(self) -> str:
        """The text of the program that was started."""
        return self.sources[0].text if self.sources else ""

    @cached_property
    def named_sources(self) -> tuple[SourceFacts, ...]:
        """The sources, that which was started with the title as its name if it has none."""
        main, *others = self.sources or (SourceFacts("", ""),)
        return (replace(main, name=main.name or self.title), *others)

    def text_of(self, source: int) -> str:
        """Returns the text of a source, by number; "" if it is not known."""
        return self.sources[source].text if source < len(self.sources) else ""

    def __repr__(self) -> str:
        return f"Recording({self.title!r}, steps={len(self.steps)})"

    @cached_property
    def _states(self) -> tuple[State, ...]:
        return tuple(_fold(self.steps, self.named_sources, self.coming))

    @cached_property
    def coming(self) -> Mapping[int, Sequence[Span]]:
        """For each tensor that a line used before it bound the tensor's name, the steps in which that name is pending."""
        return coming_names(self.steps)

    @cached_property
    def _found(self) -> dict[Callable[[Recording], Any], Any]:
        return {}

    def once(self, find: Callable[[Recording], _Found]) -> _Found:
        """Returns `find(self)`, computed once for each function and then cached; a recording never changes."""
        if find not in self._found:
            self._found[find] = find(self)
        found: _Found = self._found[find]
        return found

    def takes_over(self, find: Callable[[Recording], _Found], found: _Found) -> None:
        """Makes `once(find)` return what is known of this recording already."""
        self._found[find] = found

    def state(self, step: int = -1) -> State:
        """Returns what was alive after a step.

        Args:
            step: the step's index, counted from 0; negative numbers count from the end.

        Raises:
            IndexError: if there is no such step.
            TypeError: if `step` is not an integer, such as a file name that was meant for `path=`.
        """
        if not hasattr(step, "__index__"):
            raise TypeError(str(_NO_NUMBER.format(step)))
        if not -len(self.steps) <= step < len(self.steps):
            raise IndexError(str(_NO_STEP.format(step, len(self.steps))))
        return self._states[step]

    def before(self, step: int) -> State:
        """Returns what was alive before step `step`, counted from 0; an empty state for the first step."""
        return self._states[step - 1] if step else self._nothing

    @cached_property
    def _nothing(self) -> State:
        return State(self.steps[0], self.named_sources, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})

    def states(self) -> tuple[State, ...]:
        """Returns the states after all steps, in order."""
        return self._states

    def on_line(self, line: int, source: int = 0) -> tuple[Step, ...]:
        """Returns the steps on `line` of a source, counted from 1, in order."""
        return tuple(s for s in self.steps if s.place is not None and (s.place.source, s.place.line) == (source, line))

    def after_line(self, line: int, source: int = 0) -> State:
        """Returns the state after the last step on `line` of a source, counted from 1.

        Raises:
            LookupError: if nothing was recorded on that line; the message lists the lines with steps.
        """
        steps = self.on_line(line, source)
        if not steps:
            lines = sorted({s.place.line for s in self.steps if s.place is not None and s.place.source == source})
            raise LookupError(str(_NO_LINE.format(line, lines)))
        return self.state(steps[-1].index)

    @cached_property
    def _tensor_changes(self) -> Mapping[int, tuple[tuple[int, TensorFacts | None], ...]]:
        found: dict[int, list[tuple[int, TensorFacts | None]]] = {}
        for step in self.steps:
            for key, facts in step.tensors:
                found.setdefault(key, []).append((step.index, facts))
        return {key: tuple(changes) for key, changes in found.items()}

    @cached_property
    def _ends_of_lines(self) -> tuple[int, ...]:
        ends = list(range(len(self.steps)))
        for index in reversed(range(len(ends) - 1)):
            here, after = self.steps[index], self.steps[index + 1]
            if here.turn == after.turn and same_line(here.place, after.place):
                ends[index] = ends[index + 1]
        return tuple(ends)

    def tensor_by_line_end(self, tensor: int, step: int) -> TensorFacts | None:
        """Returns a tensor's facts at the end of the line of step `step`.

        Returns:
            Its facts after the line's last step; None if no later step of the line changed it, or if it was gone by then.
        """
        changes = self._tensor_changes.get(tensor, ())
        found = bisect_right(changes, self._ends_of_lines[step], key=lambda change: change[0])
        return changes[found - 1][1] if found and changes[found - 1][0] > step else None


def _fold(
    steps: tuple[Step, ...], sources: tuple[SourceFacts, ...], coming: Mapping[int, Sequence[Span]]
) -> Iterator[State]:
    storages: MappingProxyType[int, StorageFacts] = MappingProxyType({})
    counters: MappingProxyType[int, CounterFacts] = MappingProxyType({})
    tensors: MappingProxyType[int, TensorFacts] = MappingProxyType({})
    nodes: MappingProxyType[int, NodeFacts] = MappingProxyType({})
    namesakes: Mapping[_Made, int] = {}
    owners: Mapping[int, int] = {}
    counted: Mapping[int, Sequence[int]] = {}
    located: Mapping[int, Sequence[int]] = {}
    bound: Mapping[str, int] = {}
    begun: dict[int, list[int]] = {}
    for key, spans in coming.items():
        for first, _, _ in spans:
            begun.setdefault(first, []).append(key)
    for step in steps:
        storages = _apply(storages, step.storages)
        if step.counters:
            counted = _by_storage(counted, counters, step.counters)
            counters = _apply(counters, step.counters)
        located = _by_storage(located, tensors, step.tensors)
        before, tensors = tensors, _apply(tensors, step.tensors)
        if any(_gradient(before.get(key)) != _gradient(facts) for key, facts in step.tensors):
            owners = {t.grad: t.id for t in reversed([*tensors.values()]) if t.grad is not None}
        bound = _bound(bound, before, tensors, step.tensors)
        namesakes = _counted(namesakes, nodes, step.nodes)
        nodes = _apply(nodes, step.nodes)
        awaited = tuple(key for key in begun.get(step.index, ()) if key not in dict(step.tensors))
        yield State(
            step,
            sources,
            storages,
            counters,
            tensors,
            nodes,
            namesakes,
            owners,
            counted,
            located,
            bound,
            coming,
            awaited,
        )


def _apply(
    before: MappingProxyType[int, _Facts], changes: tuple[tuple[int, _Facts | None], ...]
) -> MappingProxyType[int, _Facts]:
    if not changes:
        return before
    after = before.copy()  # `dict(before)` takes ten times as long: it asks the proxy for one key after the other
    for key, facts in changes:
        if facts is None:
            after.pop(key, None)
        else:
            after[key] = facts
    return MappingProxyType(after)


def _by_storage(
    found: Mapping[int, Sequence[int]], before: Mapping[int, _Located], changes: tuple[tuple[int, _Located | None], ...]
) -> Mapping[int, Sequence[int]]:
    """Returns the counters or the tensors of each storage by number, updated with what a step changes."""
    last = dict(changes).items()  # a file may change a number twice in one step
    moved = [(key, facts) for key, facts in last if _storage(before.get(key)) != _storage(facts)]
    if not moved:
        return found
    after: dict[int, Sequence[int]] = dict(found)
    for key, facts in moved:
        old = _storage(before.get(key))
        new = _storage(facts)
        if old is not None:
            after[old] = [each for each in after[old] if each != key]
            if not after[old]:
                del after[old]
        if new is not None:
            after[new] = sorted([*after.get(new, ()), key])
    return after


def _storage(facts: _Located | None) -> int | None:
    return None if facts is None else facts.storage


def _gradient(tensor: TensorFacts | None) -> int | None:
    return None if tensor is None else tensor.grad


def _bound(
    bound: Mapping[str, int],
    before: Mapping[int, TensorFacts],
    after: Mapping[int, TensorFacts],
    changes: tuple[tuple[int, TensorFacts | None], ...],
) -> Mapping[str, int]:
    """Returns the first tensor of each name, updated with what a step changes."""
    moved = [(key, facts) for key, facts in changes if _names(before.get(key)) != _names(facts)]
    if not moved:
        return bound
    found = dict(bound)
    lost = {
        name
        for key, facts in moved
        for name in _names(before.get(key))
        if bound[name] == key and name not in _names(facts)
    }
    for name in lost:
        del found[name]
    for key in sorted(after) if lost else ():
        for name in lost.intersection(after[key].names):
            found.setdefault(name, key)
    for key, facts in moved:
        for name in _names(facts):
            found[name] = min(key, found.get(name, key))
    return found


def _names(tensor: TensorFacts | None) -> tuple[str, ...]:
    return () if tensor is None else tensor.names


def _called(node: NodeFacts) -> _Made:
    return node.name, None if node.place is None else (node.place.source, node.place.line)


def _keys(node: NodeFacts) -> list[_Made]:
    return [_called(node)] if node.place is None else [_called(node), (node.name, node.place)]


def _counted(
    counts: Mapping[_Made, int],
    nodes: Mapping[int, NodeFacts],
    changes: tuple[tuple[int, NodeFacts | None], ...],
) -> Mapping[_Made, int]:
    """Returns how many nodes have which name and line, and which name and place, updated with what a step changes."""
    gone = [name for key, _ in changes if key in nodes for name in _keys(nodes[key])]
    come = [name for _, facts in changes if facts is not None for name in _keys(facts)]
    if gone == come:
        return counts
    counted = dict(counts)
    for names, many in ((gone, -1), (come, 1)):
        for name in names:
            counted[name] = counted.get(name, 0) + many
    return counted


def is_look(recording: Recording) -> bool:
    """Whether a recording has no program, but shows existing objects as they were at one moment."""
    return bool(recording.steps) and recording.steps[0].kind == "look"
