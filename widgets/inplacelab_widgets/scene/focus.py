"""Finds the storages that each step is about: those that it reads, writes, saves, unpacks or creates.

In a recording with dozens of storages only these are drawn in full; all are in the table below them (`owner_table`). The player draws as many in
full as its pane has room for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from math import inf
from operator import itemgetter
from types import MappingProxyType

from inplacelab.recording import queries
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets.scene.timeline import once_for_each

MOST = 8
"""The most storages drawn in full."""

LARGER = 1.75
"""So many times as much room as here a pane may have for storages."""

Box = tuple[float, float]
"""The width and the height of a storage, in px."""
Fit = Callable[[tuple[Box, ...]], bool]
"""Whether storages of these sizes fit, in the order of their numbers."""
Span = tuple[int, int]
"""The first and the last step of a range of steps."""
NEVER: Span = (-1, -1)


@once_for_each
def storages_in_focus(recording: Recording) -> tuple[tuple[int, ...], ...]:
    """Returns for each step the storages that it is about, written ones first."""
    found = []
    before: State | None = None
    for state in recording.states():
        refused = queries.refused_operands(recording, state.step.index)
        about = dict.fromkeys([*_homes(state, before, refused), *_about(state, before)])
        found.append(tuple(key for key in about if key in state.storages))
        before = state
    return tuple(found)


def open_spans(
    recording: Recording,
    sizes: Callable[[int], Sequence[tuple[int, Box]]],
    fit: Fit,
    stale: Mapping[int, Sequence[Span]] = MappingProxyType({}),
    low: float = inf,
) -> dict[int, tuple[Span, ...]]:
    """Returns for each storage the ranges of steps at which it is drawn in full.

    These are the storages that the step writes, checks or fails on, and others while there is room: first those with a stale value, then
    those that the step is about, those that were drawn before, and the newest. Of the written ones, those come first on which the step makes a
    value stale, then those that hold a stale value.

    Args:
        recording: the recording.
        sizes: returns the width and the height of a storage, in px, with the steps from which it has them. Most storages are never asked for.
        fit: whether storages of given sizes fit.
        stale: for each storage the ranges of steps at which it holds a stale value.
        low: of several storages that a step writes, those come first that are no higher than this, in px.
    """
    spans: dict[int, list[Span]] = {}
    stage: tuple[int, ...] = ()
    choose = cache(partial(_chosen_places, fit))  # a loop asks the same again and again, of other storages
    for state, about in zip(recording.states(), storages_in_focus(recording), strict=True):
        now = state.step.index
        box = partial(_box_at, sizes, now)
        alarming = [key for key, ranges in stale.items() if any(first <= now <= last for first, last in ranges)]
        turning = {key for key in alarming if any(first == now for first, _ in stale[key])}
        main = [key for key in dict.fromkeys(_main(state)) if key in state.storages]
        main.sort(key=lambda key: (key not in turning, key not in alarming, box(key)[1] > low))
        wanted = [
            *main,
            *(about if state.step.error is not None else ()),
            *alarming,
            *about,
            *stage,
            *islice(reversed([*state.storages]), 2 * MOST),
        ]
        there = [key for key in dict.fromkeys(wanted) if key in state.storages]
        numbers = sorted(there)
        places = {number: place for place, number in enumerate(numbers)}
        its_boxes, order = tuple([box(number) for number in numbers]), tuple([places[key] for key in there])
        stage = tuple([numbers[place] for place in choose(its_boxes, order, len(main))])
        for key in stage:
            mine = spans.setdefault(key, [])
            if mine and mine[-1][1] == now - 1:
                mine[-1] = (mine[-1][0], now)
            else:
                mine.append((now, now))
        for key in main[1:MOST]:  # where the pane is larger than here, they are drawn, too
            if box(key)[1] <= LARGER * low < inf or key in turning:
                spans.setdefault(key, [])
    return {key: tuple(found) or (NEVER,) for key, found in spans.items()}


def _box_at(sizes: Callable[[int], Sequence[tuple[int, Box]]], step: int, storage: int) -> Box:
    found = sizes(storage)
    return found[bisect_right(found, step, key=itemgetter(0)) - 1][1]


def _chosen_places(fit: Fit, boxes: tuple[Box, ...], wanted: tuple[int, ...], main: int) -> list[int]:
    """Chooses, out of the wanted storages, as many as fit: the first of them in any case. Of the others there are none beside only a part of the main
    ones.

    Args:
        fit: whether storages fit.
        boxes: the sizes of the wanted storages, in the order of their numbers.
        wanted: their places in that order, in the order of choice.
        main: how many of these are the main ones.

    Returns:
        The places of those that are chosen.
    """
    if len(boxes) <= MOST and fit(boxes):
        return sorted(wanted)
    chosen = [*wanted[:1]]
    for k, place in enumerate(wanted[1:], 1):
        if k == main and len(chosen) < main:
            break
        with_it = sorted([*chosen, place])
        if fit(tuple([boxes[each] for each in with_it])):
            chosen = with_it
        if len(chosen) >= MOST:
            break
    return chosen


@dataclass(frozen=True, slots=True)
class Thread:
    """What is shown of a tensor that a reader follows.

    Attributes:
        name: its name in the program.
        storages: the storages that tensors of this name have had.
        keys: the keys of its marks: the tensors, the storages, and the nodes that made or saved it.
        stops: the steps at which something happens on those storages.
    """

    name: str
    storages: tuple[int, ...]
    keys: tuple[str, ...]
    stops: tuple[int, ...]


@once_for_each
def threads(recording: Recording) -> tuple[Thread, ...]:
    """Returns what can be followed: every name that the program bound to a tensor, in order of appearance."""
    named: dict[str, dict[str, None]] = {}
    storages: dict[str, dict[int, None]] = {}
    for step in recording.steps:
        for key, facts in step.tensors:
            for name in facts.names if facts else ():
                made = [f"n{facts.node}"] if facts and facts.node is not None else []
                named.setdefault(name, {}).update(dict.fromkeys([f"t{key}", *made]))
                storages.setdefault(name, {}).update({facts.storage: None} if facts else {})
    savings = (
        (key, saved) for step in recording.steps for key, node in step.nodes for saved in (node.saved if node else ())
    )
    keepers: dict[int, dict[str, None]] = {}  # for each storage, the nodes that ever saved a tensor on it
    for key, saved in savings:
        keepers.setdefault(saved.storage, {})[f"n{key}"] = None
    about: dict[int, list[int]] = {}  # and the steps that are about it
    for at, in_focus in enumerate(storages_in_focus(recording)):
        for storage in in_focus:
            about.setdefault(storage, []).append(at)
    found = []
    for name, marks in named.items():
        own = storages[name]
        marks |= {each: None for storage in own for each in (f"s{storage}", *keepers.get(storage, ()))}
        stops = sorted({at for storage in own for at in about.get(storage, ())})
        found.append(Thread(name, tuple(own), tuple(marks), tuple(stops)))
    return tuple(found)


def _about(state: State, before: State | None) -> Iterator[int]:
    """The storages that a step is about, the most important first."""
    step = state.step
    yield from _main(state)
    if step.kind == "look":
        yield from (key for key in state.storages if sum(bool(each.names) for each in state.tensors_on(key)) > 1)
    yield from (key for key in step.touched_storages() if key in state.storages)
    touched = [step.output] if step.output is not None else []
    touched += step.inputs
    if step.kind == "line":  # the tensors whose names or flags it changed
        touched += [key for key, facts in step.tensors if facts is not None]
    yield from _homes(state, before, touched)
    kept = state.nodes.get(step.kept) if step.kept is not None else None
    yield from (saved.storage for saved in (kept.saved if kept else ()))


def _main(state: State) -> Iterator[int]:
    """The storages that a step writes, fails on, or checks."""
    step = state.step
    # Of many, those that others see come first, and the state of an optimizer last.
    written = dict.fromkeys(write.storage for write in step.writes)
    yield from sorted(written, key=partial(_rank, state)) if len(written) > 1 else written
    if step.error is not None and step.error.storage is not None:
        yield step.error.storage
    backward = step.backward
    if backward is not None and backward.action == "unpack" and backward.node is not None:
        node = state.nodes.get(backward.node)
        yield from (each.storage for each in (node.saved if node else ()) if each.name == backward.saved)


def _rank(state: State, storage: int) -> int:
    names = [name for each in state.tensors_on(storage) for name in each.names]
    return 3 if not names else 2 if ".state[" in names[0] else int(len(names) < 2)


def _homes(state: State, before: State | None, tensors: Iterable[int]) -> Iterator[int]:
    for tensor in tensors:
        facts = state.tensors.get(tensor) or (before.tensors.get(tensor) if before else None)
        if facts is not None:
            yield facts.storage
