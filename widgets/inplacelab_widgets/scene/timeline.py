"""Follows things over the steps: their lives, what may look different after each step, and the axis on which panels draw the steps."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, wraps
from heapq import heappop, heappush
from itertools import chain, pairwise
from operator import itemgetter
from typing import Generic, TypeVar

from inplacelab.recording.facts import NodeFacts, StorageFacts, Summary, TensorFacts, Values
from inplacelab.recording.naming import edge_names, kept_values
from inplacelab.recording.numerals import in_exponents, longest
from inplacelab.recording.places import line_of
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import made_from, stages
from inplacelab.recording.source_tree import line_text
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.svg import Attributes, Look, Mark, Runs, between, rect, runs, text
from inplacelab_widgets.scene.text_layout import SMALL, coordinate, width_of

Facts = TypeVar("Facts")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Life(Generic[Facts]):
    """One item over the steps: `moments` are (step, facts) at each change; `last` is the last step at which it lives."""

    moments: tuple[tuple[int, Facts], ...]
    last: int

    @property
    def first(self) -> int:
        """The step at which it begins."""
        return self.moments[0][0]

    def at(self, step: int) -> Facts | None:
        """Returns the facts after a step; None where it does not exist."""
        found = bisect_right(self.moments, step, key=itemgetter(0))
        return self.moments[found - 1][1] if found and step <= self.last else None

    def near(self, step: int) -> Life[Facts]:
        """Returns the life with the last two moments up to a step only: all that is drawn of it at that step."""
        found = bisect_right(self.moments, step, key=itemgetter(0))
        return Life(self.moments[max(found - 2, 0) : max(found, 1)], self.last)

    def every(self) -> Iterable[Facts]:
        """Returns all the facts it ever had."""
        return (facts for _, facts in self.moments)


@dataclass(frozen=True)
class StorageLife(Life[StorageFacts]):
    """A storage over the steps."""

    @cached_property
    def has_exponents(self) -> bool:
        """Whether its recorded values are written with exponents: at all steps, or at none."""
        return any(in_exponents(values) for facts in self.every() for values in _recorded(facts))

    @cached_property
    def characters(self) -> int:
        """The length of its longest value as it is written, in characters."""
        known = (facts.values for facts in self.every())
        drawn = ((*each.head, *each.tail) if isinstance(each, Summary) else each or () for each in known)
        return longest(chain.from_iterable(drawn), exponent=self.has_exponents)


def _recorded(facts: StorageFacts) -> Iterable[Values]:
    if isinstance(facts.values, Summary):
        return facts.values.head, *(values for _, values in facts.values.runs), facts.values.tail
    return (facts.values or (),)


def followed(changes: Iterable[tuple[int, Key, Facts | None]], end: int) -> dict[Key, Life[Facts]]:
    """Returns the life of each item from its changes: (step, item, its facts from then on or None if it ends), in order.

    Facts equal to the former ones are not a change. An item that does not end lives until step `end`; one that ends and
    returns is considered alive in the meantime.
    """
    moments: dict[Key, list[tuple[int, Facts]]] = {}
    last: dict[Key, int] = {}
    for step, key, facts in changes:
        if facts is None:
            if last.get(key) == end:
                last[key] = step - 1
            continue
        known = moments.setdefault(key, [])
        if not known or known[-1][1] != facts:
            known.append((step, facts))
        last[key] = end
    return {key: Life(tuple(found), last[key]) for key, found in moments.items()}


def once_for_each(make: Callable[[Recording], Facts]) -> Callable[[Recording], Facts]:
    """Makes a function of a recording compute its result once for each recording."""

    @wraps(make)
    def kept(recording: Recording) -> Facts:
        return recording.once(make)

    return kept


@once_for_each
def storage_lives(recording: Recording) -> dict[int, StorageLife]:
    """Returns the life of each storage."""
    changes = ((step.index, key, facts) for step in recording.steps for key, facts in step.storages)
    lives = followed(changes, len(recording) - 1)
    return {key: StorageLife(life.moments, life.last) for key, life in lives.items()}


@once_for_each
def version_lives(recording: Recording) -> dict[int, Life[tuple[int, ...]]]:
    """Returns the versions of each storage over the steps: one for each of its counters."""
    changes = (
        (state.step.index, key, state.versions(key) if key in state.storages else None)
        for state in recording.states()
        for key in state.step.touched_storages()
    )
    return followed(changes, len(recording) - 1)


def version_labels(recording: Recording) -> dict[int, Life[str]]:
    """Returns the same in words: "v1"."""
    label = terms_of(recording).label
    return {
        key: Life(tuple((step, label(*versions)) for step, versions in life.moments), life.last)
        for key, life in version_lives(recording).items()
    }


def gatherings(
    members: Mapping[Key, Life[Facts]], also: Iterable[int] = ()
) -> Iterator[tuple[int, Mapping[Key, Facts], frozenset[Key]]]:
    """Yields (step, the facts of the live items, the items that begin in this step) wherever that changes, for items shown as one.

    The steps in `also`, and the step after each of them, are always included.
    """
    changes: dict[int, list[tuple[Key, Facts | None]]] = {at: [] for step in also for at in (step, step + 1)}
    for key, life in members.items():
        for step, then in life.moments:
            changes.setdefault(step, []).append((key, then))
        changes.setdefault(life.first + 1, [])
        changes.setdefault(life.last + 1, []).append((key, None))
    alive: dict[Key, Facts] = {}
    for step in sorted(changes):
        born = frozenset(key for key, _ in changes[step] if key not in alive)
        for key, now in changes[step]:
            if now is None:
                alive.pop(key, None)
            else:
                alive[key] = now
        yield step, alive, born & alive.keys()


def shared_rows(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Returns a row for each (first, last) span, so that no two spans in one row overlap. Spans are in order of their first step.

    >>> shared_rows([(0, 9), (1, 3), (2, 5), (4, 6)])
    [0, 1, 2, 1]
    """
    # A heap of (last step, row), and one of the rows below those that were ever taken.
    taken: list[tuple[int, int]] = []
    free: list[int] = []
    rows = []
    for first, last in spans:
        while taken and taken[0][0] < first:
            heappush(free, heappop(taken)[1])
        row = heappop(free) if free else len(taken)
        heappush(taken, (last, row))
        rows.append(row)
    return rows


# --- the axis of steps ------------------------------------------------------------------------------------------------

WIDTH = 814.0
LEFT = 150.0
RIGHT = 26.0
NARROWEST = 640.0
"""The least width of the axis in a player, in px; otherwise it is as wide as its pane. Words beside the axis fit into this width."""
WIDEST_STEP = 76.0
_APART = 8.0
_TOLD_APART = 14.0
"""The distance of line numbers with code from what is beside them, in px: more than the blanks in the code."""
_CODE = 170.0
"""The most that a line number takes together with the code, in px."""


@dataclass(frozen=True)
class Axis:
    """The position of each of `steps` steps, between the labels on the left and the right edge."""

    steps: int

    @cached_property
    def spacing(self) -> float:
        return min(WIDEST_STEP, (WIDTH - LEFT - RIGHT) / max(self.steps - 1, 1))

    @property
    def half(self) -> float:
        """Half the width of the column of the present step, in px."""
        return max(min(self.spacing, 32) / 2, 1.5)

    @property
    def end(self) -> float:
        """The x a little beyond the last step."""
        return self.x(self.steps - 1) + min(self.spacing, 16) / 2

    def x(self, step: float) -> float:
        """The x of a step, in px."""
        return round(LEFT + step * self.spacing, 1)


def room_for(width: float) -> float:
    """How far apart words of some width must be laid out so that they do not overlap where the axis is narrowest, in px."""
    return width * (WIDTH - LEFT - RIGHT) / (NARROWEST - LEFT - RIGHT)


def phase_changes(recording: Recording) -> list[int]:
    """Returns the first step of each phase after the first."""
    found = stages(recording)
    return [index for index in range(1, len(found)) if found[index] != found[index - 1]]


def cursor_marks(axis: Axis, height: float) -> tuple[list[Mark], Mark]:
    """Returns the column of the present step, drawn under everything, and a veil over later steps, drawn last."""
    half = axis.half
    tall: Attributes = (("y", 0), ("height", height))
    column = Mark("rect", (("x", -half), ("width", 2 * half), *tall), _following(axis, "column"))
    point = Mark("path", (("d", "M-5 0h10l-5 7z"),), _following(axis, "playhead"))
    return [column, point], Mark("rect", (("x", half), ("width", WIDTH), *tall), _following(axis, "veil"))


@lru_cache(maxsize=6)
def _following(axis: Axis, style: str) -> Runs:
    """The looks of a mark that moves along the axis with the steps, the same in every panel."""
    places = [(("transform", f"translate({coordinate(axis.x(step))} 0)"),) for step in range(axis.steps)]
    return runs((step, Look(style, None, place)) for step, place in enumerate(places))


def boundaries(recording: Recording, axis: Axis, height: float) -> list[Mark]:
    """Returns a dotted line where each phase begins."""
    last = axis.steps - 1
    places: list[float] = []
    for step in phase_changes(recording):
        x = round(axis.x(step) - axis.spacing / 2, 1)
        # Where phases change too fast for separate lines, draw fewer.
        if not places or x - places[-1] >= _APART:
            places.append(x)
    return [rect(x, 0, 0.8, height, between(0, last, Look("tip gone"))) for x in places]


def line_marks(recording: Recording, axis: Axis, y: float) -> list[Mark]:
    """Returns the lines of the source along the axis: the number of each, with its code if there is room up to the next; or if not even the numbers have
    room, fewer lines with their code.
    """
    last = axis.steps - 1
    marks = [text(LEFT - 12, y, between(0, last, Look("text prose tiny end", words.STEP_AXIS)))]
    lines = [None, *(step.line for step in recording.steps)]
    begun = [index for index, (before, line) in enumerate(pairwise(lines)) if line not in {None, before}]
    halves = {index: width_of(str(lines[index + 1]), SMALL) / 2 for index in begun}
    are_close = any(
        axis.x(after) - axis.x(index) < room_for(halves[index] + halves[after] + _APART)
        for index, after in pairwise(begun)
    )
    edge = 0.0
    for index, after in pairwise([*begun, axis.steps]):
        x, line, half = axis.x(index), str(lines[index + 1]), halves[index]
        if are_close and x < edge + room_for(half):
            continue
        code = f"{line} {line_text(recording, recording.steps[index].place).strip()}"
        wide = width_of(code, SMALL) - half
        is_free = are_close or after == axis.steps
        end = WIDTH if is_free else axis.x(after) - room_for(halves[after] + _TOLD_APART)
        has_code = len(code) > len(line) + 1 and wide <= min((end - x) / room_for(1), _CODE)
        place, style, said = (x - half, "text tiny", code) if has_code else (x, "text tiny middle", line)
        marks.append(text(round(place, 1), y, between(0, last, Look(style, said))))
        edge = x + room_for((wide if has_code else half) + _TOLD_APART)
    return marks


# --- what may look different after a step -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StepChanges:
    """The serial numbers of what may look different after one step, each kind in a fixed order.

    Attributes:
        state: the state after the step.
        storages: the storages it changed.
        tensors: the tensors it changed, and those whose labels mention what it changed.
        nodes: the grad nodes, likewise.
        keepers: the nodes whose saved tensors may look different.
    """

    state: State
    storages: tuple[int, ...]
    tensors: tuple[int, ...]
    nodes: tuple[int, ...]
    keepers: tuple[int, ...]


@once_for_each
def step_changes(recording: Recording) -> tuple[StepChanges, ...]:
    """Returns what each step of a recording may have changed the look of, in order."""
    mentions = _Mentions(made_from(recording))
    for (node, _), kept in kept_values(recording).items():
        mentions.named_after.setdefault(kept.name, {}).setdefault(kept.tensor, set()).add(node)
    for (node, _), passed in edge_names(recording).items():
        mentions.passers.setdefault(passed.tensor, set()).add(node)
    return tuple(mentions.follow(state) for state in recording.states())


_Many = defaultdict[int, set[int]]


@dataclass
class _Mentions:
    """Which labels mention what, at the present step: a card shows the name of its base tensor, a node's number is shown only while another
    node has the same name, and a pin becomes stale when its storage is written. To follow these references from each step's changes costs no
    more than the changes themselves; to compare everything after every step would cost a thousand times as much.
    """

    made_from: Mapping[int, Sequence[int]]
    """From a tensor to those that were made of it, on its storage."""
    tensors: dict[int, TensorFacts] = field(default_factory=dict)
    nodes: dict[int, NodeFacts] = field(default_factory=dict)
    views: _Many = field(default_factory=partial(defaultdict, set))
    """From a tensor to its views."""
    results: _Many = field(default_factory=partial(defaultdict, set))
    """From a node to the tensors that it made."""
    senders: _Many = field(default_factory=partial(defaultdict, set))
    """From a node to those that send it gradients."""
    keepers: _Many = field(default_factory=partial(defaultdict, set))
    """From a storage to the nodes with a saved tensor on it."""
    namesakes: defaultdict[tuple[str, tuple[int, int] | None], set[int]] = field(
        default_factory=partial(defaultdict, set)
    )
    checked: tuple[int, ...] = ()
    """The node whose saved tensors the step checked."""
    named_after: dict[str, dict[int | None, set[int]]] = field(default_factory=dict)
    """From a name and the tensor that it referred to, to the nodes that saved that tensor; later it may refer to another."""
    bound: dict[str, int | None] = field(default_factory=dict)
    """From a name to the tensor that it refers to."""
    passers: dict[int, set[int]] = field(default_factory=dict)
    """From a tensor to the nodes whose edges carry its gradient."""

    def follow(self, state: State) -> StepChanges:
        step, storages, changed = state.step, state.step.touched_storages(), [key for key, _ in state.step.nodes]
        moved = {name for key in state.awaited for name in state.called(key).names}
        called = [*state.awaited]
        for key, facts in step.tensors:
            was, now = (each.names if each is not None else () for each in (self.tensors.get(key), facts))
            moved |= {*was} ^ {*now}
            if facts is not None and was != now:
                called.append(key)
        renamed = [node for key, facts in step.nodes for node in self._renamed_by(key, facts)]
        passing = [self.passers.get(key, set()) & self.nodes.keys() for key in called]
        nodes = _ordered(changed, renamed, *(self.senders[node] for node in renamed), *passing)
        mentioning = [self._mentioning_changed(key, facts) for key, facts in step.tensors]
        mentioning += [[key, *self._mentioning(self.tensors[key])] for key in state.awaited]
        mentioning += [[*self.results[node]] for node in renamed]
        at = step.error or step.backward
        looked_at, self.checked = self.checked, () if at is None or at.node is None else (at.node,)
        kept = [self.keepers[storage] for storage in storages]
        kept += [self._keepers_of(name, state) & self.nodes.keys() for name in moved]
        keepers = _ordered(changed, renamed, looked_at, self.checked, *kept)
        return StepChanges(state, storages, _ordered([key for key, _ in step.tensors], *mentioning), nodes, keepers)

    def _keepers_of(self, name: str, state: State) -> set[int]:
        """The nodes in whose labels a name that has moved is written in another way: as the former name of a tensor, or no longer so."""
        was, now = self.bound.get(name), state.bound(name)
        self.bound[name] = now
        keepers = self.named_after.get(name, {})
        # Of other tensors it was the former name before, and still is, unless it refers to none.
        affected = {was, now, *state.awaited} if was is not None and now is not None else keepers.keys()
        return set().union(*(keepers.get(tensor, ()) for tensor in affected))

    def _renamed_by(self, key: int, after: NodeFacts | None) -> list[int]:
        """The nodes with another name now that node `key` has changed, including itself."""
        before = self.nodes.pop(key, None)
        if after is not None:
            self.nodes[key] = after
        for facts, change in ((before, set[int].discard), (after, set[int].add)):
            for edge in facts.edges if facts is not None else ():
                change(self.senders[edge.to], key)
            for saved in facts.saved if facts is not None else ():
                change(self.keepers[saved.storage], key)
        called = [(facts.name, line_of(facts.place)) for facts in (before, after) if facts is not None]
        if before is not None and after is not None and called[0] == called[1]:
            return []
        counts = {name: len(self.namesakes[name]) for name in called}
        if before is not None:
            self.namesakes[called[0]].discard(key)
        if after is not None:
            self.namesakes[called[-1]].add(key)
        told_apart = [name for name in called if min(counts[name], len(self.namesakes[name])) == 1]
        return [key, *(other for name in told_apart for other in sorted(self.namesakes[name]))]

    def _mentioning_changed(self, key: int, after: TensorFacts | None) -> list[int]:
        """The tensors whose labels mention tensor `key`: those made of it, and the gradients it has and had."""
        before = self.tensors.pop(key, None)
        if after is not None:
            self.tensors[key] = after
        for facts, change in ((before, set[int].discard), (after, set[int].add)):
            if facts is not None and facts.base is not None:
                change(self.views[facts.base], key)
            if facts is not None and facts.node is not None:
                change(self.results[facts.node], key)
        return [other for facts in (before, after) if facts is not None for other in self._mentioning(facts)]

    def _mentioning(self, tensor: TensorFacts) -> list[int]:
        """Its views, what was made of it, and the gradient that it has."""
        made = [*self.views[tensor.id], *self.made_from.get(tensor.id, ())]
        for each in made:  # which grows meanwhile
            made += self.made_from.get(each, ())
        return [*([] if tensor.grad is None else [tensor.grad]), *(each for each in made if each in self.tensors)]


def _ordered(first: list[int], *others: Iterable[int]) -> tuple[int, ...]:
    """`first` in its own order, then the others by number."""
    known = set(first)
    return (*dict.fromkeys(first), *sorted({each for some in others for each in some} - known))
