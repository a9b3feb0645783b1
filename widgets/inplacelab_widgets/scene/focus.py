"""Finds the storages that each step is about: those that it reads, writes, saves, unpacks or creates.

In a recording with dozens of storages these are drawn in full, and the others only named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import MappingProxyType

from inplacelab.recording import queries
from inplacelab.recording.facts import SavedFacts, Step
from inplacelab.recording.recording import Recording, State

MOST = 8
"""The most storages drawn in full."""

Box = tuple[float, float]
"""The width and the height of a storage, in px."""
Fit = Callable[[Sequence[Box], int], bool]
"""Whether storages of these sizes fit, in the order of their numbers, beside a number of chips for the others."""
Span = tuple[int, int]
"""The first and the last step of a range of steps."""


def storages_in_focus(recording: Recording) -> tuple[tuple[int, ...], ...]:
    """Returns for each step the storages that it is about, written ones first."""
    return recording.once(_found)


def _found(recording: Recording) -> tuple[tuple[int, ...], ...]:
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
    sizes: Mapping[int, Sequence[tuple[int, Box]]],
    fit: Fit,
    stale: Mapping[int, Sequence[Span]] = MappingProxyType({}),
) -> dict[int, tuple[Span, ...]]:
    """Returns for each storage the ranges of steps at which it is drawn in full.

    These are the storages that the step writes, checks or fails on, and others while there is room: first those with a stale value, then
    those that the step is about, those that were drawn before, and the newest.

    Args:
        recording: the recording.
        sizes: the width and the height of each storage, in px, with the steps from which it has them.
        fit: whether storages of given sizes fit.
        stale: for each storage the ranges of steps at which it holds a stale value.
    """
    spans: dict[int, list[Span]] = {}
    stage: tuple[int, ...] = ()
    choose = _choice(fit)
    boxes: dict[int, Box] = {}
    changes: dict[int, dict[int, Box]] = {}
    for key, found in sizes.items():
        for step, box in found:
            changes.setdefault(step, {})[key] = box
    for state, about in zip(recording.states(), storages_in_focus(recording), strict=True):
        now = state.step.index
        boxes.update(changes.get(now, {}))
        alarming = [key for key, ranges in stale.items() if any(first <= now <= last for first, last in ranges)]
        wanted = [
            *dict.fromkeys(_main(state)),
            *(about if state.step.error is not None else ()),
            *alarming,
            *about,
            *stage,
            *islice(reversed([*state.storages]), 2 * MOST),
        ]
        there = [key for key in dict.fromkeys(wanted) if key in state.storages]
        stage = choose(there, len(state.storages), boxes)
        for key in stage:
            mine = spans.setdefault(key, [])
            if mine and mine[-1][1] == now - 1:
                mine[-1] = (mine[-1][0], now)
            else:
                mine.append((now, now))
    return {key: tuple(found) for key, found in spans.items()}


def _choice(fit: Fit) -> Callable[[Sequence[int], int, Mapping[int, Box]], tuple[int, ...]]:
    """Returns what chooses, out of the wanted storages, as many as fit: the first of them in any case."""

    @cache  # a loop asks the same again and again, of other storages
    def chosen_places(boxes: tuple[Box, ...], wanted: tuple[int, ...], live: int) -> list[int]:
        """Of storages in the order of their numbers: the places of those that are chosen. `wanted` are the places in the order of choice."""
        if live <= MOST and fit(boxes, 0):
            return sorted(wanted)
        chosen = [*wanted[:1]]
        for place in wanted[1:]:
            with_it = sorted([*chosen, place])
            if fit([boxes[each] for each in with_it], live - len(with_it)):
                chosen = with_it
            if len(chosen) >= MOST:
                break
        return chosen

    def chosen(wanted: Sequence[int], live: int, sizes: Mapping[int, Box]) -> tuple[int, ...]:
        numbers = sorted(wanted)
        places = {number: place for place, number in enumerate(numbers)}
        # Several chips take as much room as one.
        found = chosen_places(
            tuple([sizes[number] for number in numbers]), tuple([places[key] for key in wanted]), min(live, MOST + 1)
        )
        return tuple([numbers[place] for place in found])

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


def threads(recording: Recording) -> tuple[Thread, ...]:
    """Returns what can be followed: every name that the program bound to a tensor, in order of appearance."""
    return recording.once(_threads)


def _threads(recording: Recording) -> tuple[Thread, ...]:
    named: dict[str, dict[str, None]] = {}
    storages: dict[str, dict[int, None]] = {}
    for step in recording.steps:
        for key, facts in step.tensors:
            for name in facts.names if facts else ():
                made = [f"n{facts.node}"] if facts and facts.node is not None else []
                named.setdefault(name, {}).update(dict.fromkeys([f"t{key}", *made]))
                storages.setdefault(name, {}).update({facts.storage: None} if facts else {})
    keepers, stops = _keepers(recording), _stops(recording)
    return tuple(
        Thread(
            name,
            tuple(storages[name]),
            tuple(dict.fromkeys([*keys, *_keys(storages[name], keepers)])),
            tuple(sorted({step for storage in storages[name] for step in stops.get(storage, ())})),
        )
        for name, keys in named.items()
    )


def _keys(storages: Iterable[int], keepers: Mapping[int, Mapping[int, None]]) -> Iterator[str]:
    for storage in storages:
        yield f"s{storage}"
        yield from (f"n{node}" for node in keepers.get(storage, ()))


def _keepers(recording: Recording) -> dict[int, dict[int, None]]:
    """For each storage, the nodes that ever saved a tensor on it."""
    found: dict[int, dict[int, None]] = {}
    for step in recording.steps:
        for key, node in step.nodes:
            for saved in node.saved if node else ():
                found.setdefault(saved.storage, {})[key] = None
    return found


def _stops(recording: Recording) -> dict[int, list[int]]:
    """For each storage, the steps that are about it."""
    found: dict[int, list[int]] = {}
    for step, about in enumerate(storages_in_focus(recording)):
        for storage in about:
            found.setdefault(storage, []).append(step)
    return found


def _about(state: State, before: State | None) -> Iterator[int]:
    """The storages that a step is about, the most important first."""
    step = state.step
    yield from _main(state)
    if step.kind == "look":
        yield from (key for key in state.storages if sum(bool(each.names) for each in state.tensors_on(key)) > 1)
    yield from (key for key in step.touched_storages() if key in state.storages)
    touched = [step.output] if step.output is not None else []
    touched += [*step.inputs, *_bound(step)]
    yield from _homes(state, before, touched)
    kept = state.nodes.get(step.kept) if step.kept is not None else None
    yield from (saved.storage for saved in (kept.saved if kept else ()))


def _main(state: State) -> Iterator[int]:
    """The storages that a step writes, fails on, or checks."""
    step = state.step
    yield from (write.storage for write in step.writes)
    if step.error is not None and step.error.storage is not None:
        yield step.error.storage
    yield from (saved.storage for saved in _unpacked(state))


def _unpacked(state: State) -> Iterable[SavedFacts]:
    backward = state.step.backward
    node = state.nodes.get(backward.node) if backward is not None and backward.node is not None else None
    if node is None or backward is None or backward.action != "unpack":
        return ()
    return (saved for saved in node.saved if saved.name == backward.saved)


def _bound(step: Step) -> list[int]:
    """The tensors whose names or flags a plain line changed."""
    return [key for key, facts in step.tensors if facts is not None] if step.kind == "line" else []


def _homes(state: State, before: State | None, tensors: Iterable[int]) -> Iterator[int]:
    for tensor in tensors:
        facts = state.tensors.get(tensor) or (before.tensors.get(tensor) if before else None)
        if facts is not None:
            yield facts.storage
