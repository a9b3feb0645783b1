"""Decides which grad nodes of a large graph share a box.

A graph of a few dozen nodes is drawn node by node. In a larger one a reader looks for the structure of the program, so what
the program repeated (a layer, a turn of a loop) becomes one box for each repetition; if that is still too much, one box for
all repetitions; and then the remaining straight chains are folded as well. A node that fills a leaf's gradient goes into
the box that feeds it, if there is only one.

Every fold joins nodes that were made one after the other or that form one chain, so an acyclic graph stays acyclic.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from inplacelab_widgets.scene.layered import depth

MOST = 60
"""The most boxes that a reader can take in."""

DEEPEST = 24
"""The most layers that a reader can follow from end to end. A graph within both bounds is not folded."""

LONGEST = 12
"""The most layers for a chain of turns. Where turns form a longer chain, as in a loop that passes on a hidden state, one
box for all of them shows more than a box for each."""

_LEAST_TURNS = 3
_LONGEST_TURN = 64

Edges = Collection[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Fold:
    """Nodes that share a box, in the order in which they were made.

    Attributes:
        members: the nodes.
        turn: the number of this repetition, from 1; None if the fold is not a single repetition.
        turns: the number of repetitions in all; 1 if nothing is repeated here.
    """

    members: tuple[int, ...]
    turn: int | None = None
    turns: int = 1


def folds(
    labels: Sequence[tuple[Hashable, ...]],
    edges: Edges,
    leaves: Collection[int],
    most: int = MOST,
    deepest: int = DEEPEST,
    longest: int | None = None,
) -> list[Fold]:
    """Groups nodes 0..n-1 into boxes so that, where the program repeats itself, no more than `most` boxes remain.

    Args:
        labels: for each node, in the order of creation, its kind and then what distinguishes nodes of one kind in the
            source (the line).
        edges: from node to node, the way gradients go.
        leaves: the nodes that fill a leaf's gradient.
        most: the most boxes of a graph that is not folded.
        deepest: the most layers of a graph that is not folded.
        longest: the most layers of a repetition that are drawn one by one; no extra limit if None.

    >>> [fold.members for fold in folds([("Scale",)] * 5, [(k + 1, k) for k in range(4)], [], most=3)]
    [(0, 1, 2, 3, 4)]
    """
    alone = [Fold((node,)) for node in range(len(labels))]
    if len(alone) <= most and depth(len(alone), edges) <= min(deepest, longest or deepest):
        return alone
    found: list[Fold] = alone
    turns = _turns(labels, leaves)
    for attempt, bound in ((_each_turn(turns), longest), (_all_turns(turns), None)):
        found = _with_leaves([*attempt, *(Fold((leaf,)) for leaf in sorted(leaves))], edges, leaves)
        if len(found) <= most and (bound is None or _depth(found, edges) <= bound):
            return found
    return _with_leaves(_chains(found, edges, leaves), edges, leaves)


def _depth(parts: Sequence[Fold], edges: Edges) -> int:
    home = {node: k for k, part in enumerate(parts) for node in part.members}
    return depth(len(parts), {(home[a], home[b]) for a, b in edges if home[a] != home[b]})


# --- what a program repeats ---------------------------------------------------------------------------------------------


def _turns(labels: Sequence[tuple[Hashable, ...]], leaves: Collection[int]) -> list[list[tuple[int, ...]]]:
    """The nodes in order, in runs of equal turns. A run of one turn has the nodes that are not repeated."""
    order = [node for node in range(len(labels)) if node not in leaves]
    ways = [_repeats([labels[node][:width] for node in order]) for width in (len(labels[0]), 1)]
    # With lines, turns are those of the source's loops; layers written line by line repeat only in their kinds.
    spans = min(ways, key=len)
    return [
        [tuple(order[first + k * period : first + (k + 1) * period]) for k in range(times)]
        for first, period, times in spans
    ]


def _repeats(labels: Sequence[Hashable]) -> list[tuple[int, int, int]]:
    """The whole sequence as (first, period, times), taking at each place the repetition that covers most."""
    spans, at = [], 0
    while at < len(labels):
        period, times = max(
            ((p, _times(labels, at, p)) for p in range(1, min(_LONGEST_TURN, (len(labels) - at) // 2) + 1)),
            key=lambda found: (found[0] * found[1] if found[1] >= _LEAST_TURNS else 0, -found[0]),
            default=(1, 1),
        )
        times = times if times >= _LEAST_TURNS else 1
        period = period if times > 1 else 1
        spans.append((at, period, times))
        at += period * times
    return spans


def _times(labels: Sequence[Hashable], at: int, period: int) -> int:
    end = at + period
    while end < len(labels) and labels[end] == labels[end - period]:
        end += 1
    return (end - at) // period


def _each_turn(runs: Iterable[list[tuple[int, ...]]]) -> Iterator[Fold]:
    for run in runs:
        if len(run) > 1 and len(run[0]) > 1:
            yield from (Fold(turn, k + 1, len(run)) for k, turn in enumerate(run))
        else:
            yield from (Fold((node,)) for turn in run for node in turn)


def _all_turns(runs: Iterable[list[tuple[int, ...]]]) -> Iterator[Fold]:
    return (Fold(tuple(node for turn in run for node in turn), None, len(run)) for run in runs)


# --- what is connected --------------------------------------------------------------------------------------------------


def _with_leaves(parts: Iterable[Fold], edges: Edges, leaves: Collection[int]) -> list[Fold]:
    """Put each leaf's node into the box that feeds it, if that is one folded box."""
    parts = list(parts)
    home = {node: part for part in parts for node in part.members}
    feeders: dict[int, set[Fold]] = {leaf: set() for leaf in leaves}
    for a, b in edges:
        if b in feeders:
            feeders[b].add(home[a])
    guests: dict[Fold, list[int]] = {}
    for leaf, hosts in feeders.items():
        host = next(iter(hosts), None)
        if host is not None and len(hosts) == 1 and len(host.members) > 1 and home[leaf].members == (leaf,):
            guests.setdefault(host, []).append(leaf)
    housed = {leaf for some in guests.values() for leaf in some}
    return [
        Fold((*part.members, *sorted(guests.get(part, ()))), part.turn, part.turns)
        for part in parts
        if not (len(part.members) == 1 and part.members[0] in housed)
    ]


def _chains(parts: Sequence[Fold], edges: Edges, leaves: Collection[int]) -> list[Fold]:
    """Fold each straight chain: one way in, one way out, from box to box. Leaves do not count as a way out."""
    home = {node: k for k, part in enumerate(parts) for node in part.members}
    onward: dict[int, set[int]] = {k: set() for k in range(len(parts))}
    backward: dict[int, set[int]] = {k: set() for k in range(len(parts))}
    for a, b in edges:
        if home[a] != home[b] and b not in leaves:
            onward[home[a]].add(home[b])
            backward[home[b]].add(home[a])
    after = {}
    for k, ways in onward.items():
        for other in ways:
            if len(ways) == 1 and len(backward[other]) == 1:
                after[k] = other
    return [_joined([parts[k] for k in chain]) for chain in _walks(len(parts), after)]


def _walks(count: int, after: dict[int, int]) -> Iterator[list[int]]:
    entered, walked = set(after.values()), set[int]()
    # Nodes without a predecessor come first; a ring is entered at its first member.
    for start in sorted(range(count), key=lambda k: (k in entered, k)):
        chain, at = [], start
        while at not in walked:
            walked.add(at)
            chain.append(at)
            at = after.get(at, at)
        if chain:
            yield chain


def _joined(parts: Sequence[Fold]) -> Fold:
    if len(parts) == 1:
        return parts[0]
    return Fold(tuple(sorted(node for part in parts for node in part.members)))
