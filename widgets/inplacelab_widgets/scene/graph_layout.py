"""Lays out a graph in layers, with few crossings and short edges, and decides which nodes of a large graph share a box.

It is the method of Sugiyama, Tagawa and Toda in its usual three parts: assign each node to a layer, order the nodes within
each layer by the median of their neighbors, then move each node as near to its neighbors as the order allows. The number
of sweeps is fixed, not limited by time, so that the same graph looks the same everywhere.

A small graph is drawn node by node. In a larger one a reader looks for the structure of the program: the nodes that a module
made, or a function, or a line, share a box, and so does what the program repeated (a layer, a turn of a loop). Such a box
opens into smaller ones, down to the nodes. A node that fills a leaf's gradient goes into the box that leads to it, if there
is only one.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from math import ceil
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
"""The most boxes that a box opens into."""

_FEW = 4
"""Fewer boxes show nothing of a large graph."""
_LEAST_TURNS = 3
_LONGEST_TURN = 64

Edges = Collection[tuple[int, int]]
Path = tuple[Hashable, ...]
"""What made a node, outermost first: the modules or functions by name, then the line."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Nodes that share a box.

    Attributes:
        members: the nodes, in the order in which they were made; then the leaves that only they lead to.
        label: what tells them from the nodes of other boxes: a module or a function by name, or a line; None if it is neither.
        turn: the number of this repetition, from 1; None if the fold is not a single repetition.
        turns: the number of repetitions in all; 1 if nothing is repeated here.
        inside: the boxes that it opens into; of a single node there are none.
    """

    members: tuple[int, ...]
    label: Hashable = None
    turn: int | None = None
    turns: int = 1
    inside: tuple[Fold, ...] = ()

    @property
    def is_repeated(self) -> bool:
        """Whether all turns of a repetition share it."""
        return self.turn is None and self.turns > 1 and self.inside[0].turn is not None


def folds(paths: Sequence[Path], kinds: Sequence[Hashable], leaves: Collection[int] = ()) -> list[Fold]:
    """Groups nodes 0..n-1 by what made them; what the program repeats becomes one box.

    Only nodes that were made one after the other are joined, so an acyclic graph stays acyclic.

    Args:
        paths: for each node, in the order of creation, what made it.
        kinds: the kind of each node.
        leaves: the nodes to leave out: those that fill a leaf's gradient, which `with_leaves` adds.

    >>> [fold.members for fold in folds([("net",), ("net",), ("loss",)], "abc")]
    [(0, 1), (2,)]
    """
    nodes = [node for node in range(len(paths)) if node not in leaves]
    return _inside(nodes, paths, kinds, 0) if nodes else []


def fitting(parts: Sequence[Fold], fits: Callable[[list[Fold]], bool]) -> list[Fold]:
    """Joins neighbors, those with the fewest nodes first, until all boxes fit; then opens the largest boxes while there is room, but not down to
    single nodes. Too few boxes show nothing: one of them opens even if some of what is in it must be joined.
    """
    found = _fewer(gathered(parts), fits)
    tried = set[tuple[int, ...]]()
    while untried := [part for part in found if part.inside and part.members not in tried]:
        largest = max(untried, key=lambda part: len(part.members))
        tried.add(largest.members)
        at = found.index(largest)
        before, after = found[:at], found[at + 1 :]
        inside = _across(largest) if largest.is_repeated else gathered(largest.inside)
        if len(found) < _FEW:
            inside = _fewer(inside, lambda some: fits([*before, *some, *after]))  # noqa: B023
        if len(inside) > 1 and any(part.inside for part in inside) and fits([*before, *inside, *after]):
            found = [*before, *inside, *after]
    return found


def _fewer(parts: Sequence[Fold], fits: Callable[[list[Fold]], bool]) -> list[Fold]:
    found = list(parts)
    while len(found) > 1 and not fits(found):
        at = min(range(len(found) - 1), key=lambda k: len(found[k].members) + len(found[k + 1].members))
        found[at : at + 2] = [_joined(found[at : at + 2])]
    return found


def _across(fold: Fold) -> list[Fold]:
    """What a repetition consists of: a box for each part of a turn, with that part of all turns; nothing if there are no parts."""
    turns = fold.inside
    if len({len(turn.inside) for turn in turns}) != 1:
        return []
    parts = []
    for some in zip(*(turn.inside for turn in turns), strict=True):
        each = tuple(replace(part, turn=k + 1, turns=len(some)) for k, part in enumerate(some))
        members = tuple(node for part in some for node in part.members)
        parts.append(Fold(members, some[0].label, None, len(some), each))
    if not any(part.inside for part in turns[0].inside):
        return []
    return parts


def with_leaves(
    parts: Sequence[Fold], edges: Edges, leaves: Mapping[int, Hashable], *, is_hosted: bool = False
) -> list[Fold]:
    """Adds each leaf to the box that leads to it, if that is only one; the others share boxes of their own.

    Args:
        parts: the boxes without leaves.
        edges: from node to node, the way gradients go.
        leaves: the leaves to add, each with what it belongs to.
        is_hosted: whether a leaf that several boxes lead to is added to the first of them, too.
    """
    home = {node: k for k, part in enumerate(parts) for node in part.members}
    feeders: dict[int, set[int]] = {leaf: set() for leaf in leaves}
    for a, b in edges:
        if b in feeders and a in home:
            feeders[b].add(home[a])
    guests: dict[int, list[int]] = {}
    own: dict[tuple[Hashable, frozenset[int]], list[int]] = {}
    for leaf, hosts in feeders.items():
        if len(hosts) == 1 or (hosts and is_hosted):
            guests.setdefault(min(hosts), []).append(leaf)
        else:
            own.setdefault((leaves[leaf], frozenset(hosts)), []).append(leaf)
    found = [_hosting(part, guests[k]) if k in guests else part for k, part in enumerate(parts)]
    return found + [Fold(tuple(some), label) for (label, _), some in own.items()]


def connected(nodes: Iterable[int], edges: Edges) -> list[list[int]]:
    """Returns the nodes of each part of a graph that no edge leads to from another part, in order.

    >>> connected(range(4), {(0, 2)})
    [[0, 2], [1], [3]]
    """
    near: dict[int, list[int]] = {node: [] for node in nodes}
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    found, reached = [], set[int]()
    for first in near:
        part, stack = set[int](), [first]
        while stack:
            node = stack.pop()
            if node not in reached:
                reached.add(node)
                part.add(node)
                stack += near[node]
        found += [sorted(part)] if part else []
    return found


def _hosting(part: Fold, leaves: list[int]) -> Fold:
    return replace(part, members=(*part.members, *leaves), inside=part.inside or (part,))


def _inside(nodes: Sequence[int], paths: Sequence[Path], kinds: Sequence[Hashable], depth: int) -> list[Fold]:
    """The boxes of nodes that have the first `depth` parts of their paths in common."""
    runs: list[list[int]] = []
    for level in range(depth, max(len(paths[node]) for node in nodes)):
        runs = [list(run) for _, run in groupby(nodes, key=lambda node: paths[node][level : level + 1])]
        depth = level + 1
        if len(runs) > 1:
            break
    if len(runs) < 2:  # nothing tells them apart
        within = paths[nodes[0]][:depth]
        # Of a function that was called again and again, without a statement between the calls, each turn is a call.
        name = next((each for each in reversed(within) if isinstance(each, str)), "")
        return _repeated([Fold((node,)) for node in nodes], kinds, name if name.endswith("()") else None)
    return _repeated([_run(run, paths, kinds, depth) for run in runs], kinds)


def _run(nodes: list[int], paths: Sequence[Path], kinds: Sequence[Hashable], depth: int) -> Fold:
    common = paths[nodes[0]][: shared(paths[node] for node in nodes)][depth - 1 :]
    # The module or function that is the nearest to the nodes.
    label = next((each for each in reversed(common) if isinstance(each, str)), common[-1] if common else None)
    if len(nodes) == 1:
        return Fold((nodes[0],), label)
    inside = _inside(nodes, paths, kinds, depth)
    if len(inside) > 1:
        return Fold(tuple(nodes), label, inside=tuple(inside))
    return inside[0] if isinstance(inside[0].label, str) else replace(inside[0], label=label)


def shared(paths: Iterable[Sequence[Hashable]]) -> int:
    """Returns how many parts at their beginnings all paths have in common."""
    one, *others = paths
    return next((k for k, part in enumerate(one) if any(other[k : k + 1] != (part,) for other in others)), len(one))


def _joined(parts: Sequence[Fold]) -> Fold:
    turns = {part.turns for part in parts}
    members = tuple(node for part in parts for node in part.members)
    return Fold(members, None, None, turns.pop() if len(turns) == 1 else 1, tuple(parts))


def gathered(parts: Sequence[Fold]) -> list[Fold]:
    """Returns so many boxes that a reader can take them in: of more, as many as come one after the other share one."""
    if len(parts) <= MOST:
        return list(parts)
    size = ceil(len(parts) ** 0.5)
    return [_joined(parts[k : k + size]) for k in range(0, len(parts), size)]


def _repeated(parts: list[Fold], kinds: Sequence[Hashable], name: str | None = None) -> list[Fold]:
    """The same with one box for all turns of a repetition, which may have a name."""
    found: list[Fold] = []
    signs = [(isinstance(part.label, str) or part.label, *(kinds[node] for node in part.members)) for part in parts]
    for first, period, times in _repeats(signs):
        turns = [parts[first + k * period : first + (k + 1) * period] for k in range(times)]
        if times == 1:
            found += turns[0]
            continue
        each = [
            replace(turn[0] if period == 1 else replace(_joined(turn), label=name), turn=k + 1, turns=times)
            for k, turn in enumerate(turns)
        ]
        members = tuple(node for turn in each for node in turn.members)
        found.append(Fold(members, each[0].label, None, times, tuple(each)))
    return found


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
