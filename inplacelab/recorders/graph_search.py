"""Searches the graph of a framework's grad nodes. A node is whatever has a hash; `following` returns the nodes after one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)
Following = Callable[[N], Iterable[N]]


def reachable(roots: Iterable[N], following: Following[N]) -> list[N]:
    """Returns every node reachable from the roots, including them."""
    seen: dict[N, None] = {}
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen[node] = None
            waiting += following(node)
    return list(seen)


def leading_to(nodes: Sequence[N], ends: Iterable[N], following: Following[N]) -> set[N]:
    """Returns the nodes from which one of the ends can be reached in at least one step."""
    before: dict[N, list[N]] = {}
    for node in nodes:
        for each in following(node):
            before.setdefault(each, []).append(node)
    found: set[N] = set()
    waiting = [node for end in ends for node in before.get(end, ())]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += before.get(node, ())
    return found
