"""Infers what PyTorch's engine does in a backward pass: in which order nodes run, and which saved value it found overwritten."""

from __future__ import annotations

import heapq
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inplacelab.recorders import events
from inplacelab.recorders.torch_objects import KnownNode

_MESSAGE = re.compile(r"\[(?:torch\.)?[\w.]+ \[([\d, ]*)\]\].* is at version (\d+); expected version (\d+)", re.DOTALL)
"""What PyTorch says of a value that was overwritten: its shape, its version now, and the one that was saved."""


class Staleness(NamedTuple):
    """A saved value that was overwritten: its node, what that has saved, and the version that the engine found."""

    node: int
    kept: events.Kept
    version: int


def order(nodes: Mapping[int, KnownNode], roots: Sequence[int], targets: Sequence[int | None]) -> list[int]:
    """Returns the order in which the engine runs nodes: of those that have all their gradients, the one that was made last; the nodes
    of leaves at once.

    Args:
        nodes: the known nodes, by number.
        roots: the first ones.
        targets: the nodes whose gradients are asked for; none for all that can be reached.

    Source: PyTorch's notes on autograd; one device, since the nodes of each device have a queue of their own.
    """
    waits: dict[int, int] = {}
    seen, stack = set(roots), list(roots)
    while stack:
        for each in _edges(nodes, stack.pop()):
            waits[each] = waits.get(each, 0) + 1
            if each not in seen:
                seen.add(each)
                stack.append(each)
    needed = _leading_to(nodes, seen, {each for each in targets if each is not None}) if targets else seen
    ready = [(-nodes[each].order, each) for each in set(roots) if not waits.get(each)]
    heapq.heapify(ready)
    found = []
    while ready:
        number = heapq.heappop(ready)[1]
        if number in needed:
            found.append(number)
        for each in _edges(nodes, number):
            waits[each] -= 1
            if not waits[each]:
                heapq.heappush(ready, (-nodes[each].order, each))
    return found


def _edges(nodes: Mapping[int, KnownNode], number: int) -> list[int]:
    return [each for each in nodes[number].edges if each is not None and each in nodes]


def _leading_to(nodes: Mapping[int, KnownNode], reached: set[int], targets: set[int]) -> set[int]:
    """The nodes on a path to a target, and the targets that are leaves. Other targets need not run: what arrives there is the answer."""
    needed: set[int] = set()
    for number in sorted(
        reached, key=lambda each: (nodes[each].order == float("inf"), -nodes[each].order), reverse=True
    ):
        if number in targets or any(each in needed or each in targets for each in _edges(nodes, number)):
            needed.add(number)
    return {each for each in needed if each not in targets or any(e in needed for e in _edges(nodes, each))}


def staleness_in(
    error: BaseException, nodes: Mapping[int, KnownNode], running: Sequence[int], versions: Mapping[int, int]
) -> Staleness | None:
    """Finds which node an error is about: the first one to run that has saved a value of that shape and version.

    Args:
        error: what the engine has raised.
        nodes: the known nodes, by number.
        running: the nodes of the pass, in their order.
        versions: what each version counter shows now.

    Returns:
        None if the error is about something else, or about a value that no known node has saved.
    """
    found = _MESSAGE.search(str(error))
    if found is None:
        return None
    shape = tuple(int(each) for each in found[1].split(",") if each.strip())
    now, expected = int(found[2]), int(found[3])
    for number in running:
        for kept in nodes[number].kept:
            current = versions.get(kept.counter, now)
            fits = (kept.layout.shape, kept.version) == (shape, expected)
            if fits and current == now and not kept.copy:  # a copy that only the node has is never overwritten
                return Staleness(number, kept, now)
    return None
