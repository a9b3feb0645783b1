"""Lays out a graph in layers, with few crossings and short edges, and decides which nodes of a large graph share a box.

It is the method of Sugiyama, Tagawa and Toda in its usual three parts: assign each node to a layer, order the nodes within
each layer by the median of their neighbors, then move each node as near to its neighbors as the order allows. The number
of sweeps is fixed, not limited by time, so that the same graph looks the same everywhere.

A graph of a few dozen nodes is drawn node by node. In a larger one a reader looks for the structure of the program, so what
the program repeated (a layer, a turn of a loop) becomes one box for each repetition; if that is still too much, one box for
all repetitions; and then the remaining straight chains are folded as well. A node that fills a leaf's gradient goes into
the box that feeds it, if there is only one. Every fold joins nodes that were made one after the other or that form one chain, so an acyclic
graph stays acyclic.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

_ORDER_SWEEPS = 12
_PLACE_SWEEPS = 8

_BEND = 0.25
"""The space for a bend, where a node needs 1."""

Point = tuple[int, float]
"""(layer, position within the layer); positions of neighboring nodes in a layer are at least 1 apart."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of nodes 0..n-1 and, for each edge, the points that it passes through."""

    nodes: tuple[Point, ...]
    edges: dict[tuple[int, int], tuple[Point, ...]]
    layers: int
    height: float


def layout(count: int, edges: Iterable[tuple[int, int]]) -> Layout:
    """Lays out `count` nodes; an edge (a, b) leads from a to a later layer. Edges that would close a cycle are ignored.

    >>> layout(3, [(0, 1), (1, 2)]).nodes
    ((0, 0.0), (1, 0.0), (2, 0.0))
    """
    kept = _without_cycles(count, sorted({edge for edge in edges if edge[0] != edge[1]}))
    layer = _layers(count, kept)
    chains = _chains(count, kept, layer)
    rows = _rows(count, layer, chains)
    neighbors = _neighbors(rows, chains)
    _order(rows, neighbors)
    place = _places(rows, neighbors, count)
    lowest = min(place.values(), default=0.0)
    point = {v: (depth, round(place[v] - lowest, 3)) for depth, row in enumerate(rows) for v in row}
    return Layout(
        tuple(point[v] for v in range(count)),
        {edge: tuple(point[v] for v in chain) for edge, chain in chains.items()},
        len(rows),
        max((y for _, y in point.values()), default=0.0) + 1,
    )


def depth(count: int, edges: Iterable[tuple[int, int]]) -> int:
    """Returns the number of layers that a graph needs."""
    return 1 + max(_layers(count, _without_cycles(count, sorted(set(edges)))), default=-1)


def _without_cycles(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    after: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        after[a].append(b)
    state, kept = [0] * count, []
    for root in range(count):
        stack = [(root, iter(after[root]))] if not state[root] else []
        state[root] = state[root] or 1
        while stack:
            v, rest = stack[-1]
            w = next(rest, None)
            if w is None:
                state[v] = 2
                stack.pop()
            elif state[w] != 1:
                kept.append((v, w))
                if not state[w]:
                    state[w] = 1
                    stack.append((w, iter(after[w])))
    return sorted(kept)


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    after: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for a, b in edges:
        after[a].append(b)
        waits[b] += 1
    layer, order = [0] * count, [v for v in range(count) if not waits[v]]
    for v in order:
        for w in after[v]:
            layer[w] = max(layer[w], layer[v] + 1)
            waits[w] -= 1
            if not waits[w]:
                order.append(w)
    fed = {b for _, b in edges}
    for v in reversed(order):
        # A node without incoming edges goes right before the first node that it leads to.
        if v not in fed and after[v]:
            layer[v] = min(layer[w] for w in after[v]) - 1
    return layer


def _chains(count: int, edges: Sequence[tuple[int, int]], layer: list[int]) -> dict[tuple[int, int], list[int]]:
    """Each edge as a chain of nodes in neighboring layers: bends get numbers from `count` on.

    Edges to the same node share their bends, so that they arrive as one line.
    """
    chains: dict[tuple[int, int], list[int]] = {}
    bends: dict[tuple[int, int], int] = {}
    for a, b in edges:
        passed = [(b, between) for between in range(layer[a] + 1, layer[b])]
        for bend in passed:
            if bend not in bends:
                bends[bend] = count + len(bends)
                layer.append(bend[1])
        chains[a, b] = [a, *(bends[bend] for bend in passed), b]
    return chains


def _rows(count: int, layer: list[int], chains: dict[tuple[int, int], list[int]]) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    seen: set[int] = set()
    follow: dict[int, list[int]] = {}
    for chain in chains.values():
        for a, b in pairwise(chain):
            follow.setdefault(a, []).append(b)
    # Depth first: connected nodes start side by side.
    for root in sorted(range(count), key=layer.__getitem__):
        stack = [root]
        while stack:
            v = stack.pop()
            if v not in seen:
                seen.add(v)
                rows[layer[v]].append(v)
                stack += reversed(follow.get(v, []))
    return rows


def _neighbors(
    rows: list[list[int]], chains: dict[tuple[int, int], list[int]]
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    before: dict[int, list[int]] = {v: [] for row in rows for v in row}
    after: dict[int, list[int]] = {v: [] for row in rows for v in row}
    for chain in chains.values():
        for a, b in pairwise(chain):
            if b not in after[a]:
                after[a].append(b)
                before[b].append(a)
    return before, after


def _order(rows: list[list[int]], neighbors: tuple[dict[int, list[int]], dict[int, list[int]]]) -> None:
    best, fewest = [list(row) for row in rows], _crossings(rows, neighbors[1])
    rank = {v: k for row in rows for k, v in enumerate(row)}
    for sweep in range(_ORDER_SWEEPS):
        if not fewest:
            break
        near = neighbors[sweep % 2]
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda v: (median(rank[w] for w in near[v]) if near[v] else rank[v], rank[v]))
            rank.update((v, k) for k, v in enumerate(row))
        found = _crossings(rows, neighbors[1])
        if found < fewest:
            best, fewest = [list(row) for row in rows], found
    for row, found_row in zip(rows, best, strict=True):
        row[:] = found_row


def _crossings(rows: list[list[int]], after: dict[int, list[int]]) -> int:
    rank, total = {v: k for row in rows for k, v in enumerate(row)}, 0
    for row in rows:
        met: list[int] = []
        for v in row:
            ends = sorted(rank[w] for w in after[v])
            # An edge crosses those that start before it and end after it.
            total += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return total


def _places(
    rows: list[list[int]], neighbors: tuple[dict[int, list[int]], dict[int, list[int]]], count: int
) -> dict[int, float]:
    place = {v: float(k) for row in rows for k, v in enumerate(row)}
    for sweep in range(_PLACE_SWEEPS):
        near = neighbors[sweep % 2]
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [sum(place[w] for w in near[v]) / len(near[v]) if near[v] else place[v] for v in row]
            rooms = [1.0 if v < count else _BEND for v in row]
            place.update(zip(row, _apart(wanted, rooms), strict=True))
    return place


def _apart(wanted: Sequence[float], rooms: Sequence[float]) -> list[float]:
    """The positions nearest to `wanted` (least squares) that keep the order and the distances `rooms`."""
    ahead = [0.0, *accumulate((a + b) / 2 for a, b in pairwise(rooms))]
    blocks: list[tuple[float, int]] = []
    for want, before in zip(wanted, ahead, strict=False):
        mean, size = want - before, 1
        while blocks and blocks[-1][0] > mean:
            other, others = blocks.pop()
            mean, size = (mean * size + other * others) / (size + others), size + others
        blocks.append((mean, size))
    # Round before the distances are added: afterwards, two neighbors could end up slightly too close.
    level = [round(mean, 3) for mean, size in blocks for _ in range(size)]
    return [mean + before for mean, before in zip(level, ahead, strict=False)]


# --- which nodes share a box ------------------------------------------------------------------------------------------

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
    for attempt, bound in (
        (_each_turn(turns), longest),
        ([Fold(tuple(node for turn in run for node in turn), None, len(run)) for run in turns], None),
    ):
        found = _with_leaves([*attempt, *(Fold((leaf,)) for leaf in sorted(leaves))], edges, leaves)
        if len(found) <= most and (bound is None or _depth(found, edges) <= bound):
            return found
    return _with_leaves(_with_chains_folded(found, edges, leaves), edges, leaves)


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


def _with_chains_folded(parts: Sequence[Fold], edges: Edges, leaves: Collection[int]) -> list[Fold]:
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
