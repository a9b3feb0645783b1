"""Two pictures of one moment, held against each other: what was told, and what was seen.

The two know their things by different numbers. The names say which tensors are the same; from there on, what a tensor points to must be
the same thing, too: its storage, its base, its gradient, its node, and whatever that leads to. What no name leads to is then matched by
what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from inplacelab.recording.facts import Summary

from .alive import NodeSeen, Picture, TensorSeen


class Matching:
    """Finds the differences between what was `told` and what was `seen`."""

    def __init__(self, told: Picture, seen: Picture) -> None:
        self.told, self.seen = told, seen
        self.pairs: dict[str, dict[int, int]] = {"tensor": {}, "storage": {}, "node": {}}
        self._compared: set[tuple[int, str]] = set()
        self.differences: list[str] = []
        self._named()
        self._unnamed("tensor", told.tensors, seen.tensors)
        self._unnamed("node", told.nodes, seen.nodes)
        self._unnamed("storage", told.storages, seen.storages)
        self._complete()
        for figure in ("live", "peak"):
            if getattr(told, figure) != getattr(seen, figure):
                self._differ(f"{figure}: told {getattr(told, figure)}, seen {getattr(seen, figure)}")

    def _differ(self, what: str) -> None:
        self.differences.append(what)

    # ---- names -----------------------------------------------------------------------------------------------------------

    def _named(self) -> None:
        for name, keys in self.told.names.items():
            if len(keys) > 1:
                self._differ(f"{name}: told of {len(keys)} tensors")
            found = self.seen.names.get(_as_seen(name), frozenset())
            if not found:
                self._differ(f"{name}: told of a tensor, but no such name leads to one")
            elif len(found) == 1:
                self._pair("tensor", next(iter(keys)), next(iter(found)), name)
        self._clashing()
        for name, keys in self.told.names.items():  # where scopes clash, the first name that is clear has decided
            for key in keys:
                known = self.pairs["tensor"].get(key)
                if known is not None and known not in self.seen.names.get(_as_seen(name), {known}):
                    self._differ(f"{name}: told of another tensor than it leads to")

    def _clashing(self) -> None:
        """Where scopes use one name for different tensors: the one that is left, once other names have decided of the others."""
        pairs = self.pairs["tensor"]
        for name, keys in self.told.names.items():
            left = self.seen.names.get(_as_seen(name), frozenset()) - set(pairs.values())
            for key in keys:
                if key not in pairs and len(left) == 1:
                    self._pair("tensor", key, next(iter(left)), name)

    def _complete(self) -> None:
        """Every tensor that a plain name leads to is told of under that name; one that only paths lead to, under some name."""
        told_of = {seen: told for told, seen in self.pairs["tensor"].items()}
        named = {key for keys in self.told.names.values() for key in keys}
        for key in self.seen.reached:
            if told_of.get(key) not in named:
                labels = sorted(label for label, found in self.seen.names.items() if key in found)
                self._differ(f"{labels[0]}: leads to a tensor that is told of under no name")
        for name, found in self.seen.simple.items():
            for key in found:
                if key not in told_of:
                    self._differ(f"{name}: leads to a tensor that is not told of")
                elif not any(
                    name in (label, label.rpartition(".")[2]) and told_of[key] in keys
                    for label, keys in self.told.names.items()
                ):
                    self._differ(f"{name}: leads to a tensor that is told of under other names")

    # ---- things ----------------------------------------------------------------------------------------------------------

    def _pair(self, kind: str, told: int | None, seen: int | None, where: str) -> None:
        if told is None or seen is None:
            if told != seen:
                self._differ(
                    f"{where}: told {'none' if told is None else 'one'}, seen {'none' if seen is None else 'one'}"
                )
            return
        known = self.pairs[kind]
        if known.setdefault(told, seen) != seen:
            self._differ(f"{where}: not the same {kind}")
            return
        if list(known.values()).count(seen) > 1:
            self._differ(f"{where}: two are told of this {kind}")
        elif (told, kind) not in self._compared:
            self._compared.add((told, kind))
            getattr(self, f"_{kind}")(told, seen, where)

    def _tensor(self, told: int, seen: int, where: str) -> None:
        one, other = self.told.tensors.get(told), self.seen.tensors.get(seen)
        if one is None or other is None:
            self._differ(f"{where}: {'not told of' if one is None else 'dead'}")
            return
        self._same(one, other, where, ("layout", "dtype", "needs_gradient", "leaf"))
        self._pair("storage", one.storage, other.storage, f"{where}.storage")
        self._pair("tensor", one.base, other.base, f"{where}.base")
        self._pair("tensor", one.grad, other.grad, f"{where}.grad")
        self._pair("node", one.node, other.node, f"{where}.node")

    def _storage(self, told: int, seen: int, where: str) -> None:
        one, other = self.told.storages.get(told), self.seen.storages.get(seen)
        if one is None or other is None:
            self._differ(f"{where}: {'not told of' if one is None else 'dead'}")
            return
        self._same(one, other, where, ("bytes", "slots", "dtype", "version"))
        for line in _other_values(one.values, other.values):
            self._differ(f"{where}.values: {line}")

    def _node(self, told: int, seen: int, where: str) -> None:
        one, other = self.told.nodes.get(told), self.seen.nodes.get(seen)
        if one is None or other is None:
            self._differ(f"{where}: {'not told of' if one is None else 'dead'}")
            return
        where = f"{where}<{other.name}>"
        self._same(one, other, where, ("name",))
        if len(one.edges) != len(other.edges):
            self._differ(f"{where}: told {len(one.edges)} edges, seen {len(other.edges)}")
        for k, (to, leads) in enumerate(zip(one.edges, other.edges, strict=False)):
            self._pair("node", to, leads, f"{where}.{k}")
        self._pair("tensor", one.leaf, other.leaf, f"{where}.leaf")
        if [_without_storage(each) for each in one.saved] != [_without_storage(each) for each in other.saved]:
            self._differ(f"{where}: told it keeps {one.saved}, seen {other.saved}")
        for a, b in zip(one.saved, other.saved, strict=False):
            self._pair("storage", a[1], b[1], f"{where}.saved {a[0]}")

    def _same(self, one: Any, other: Any, where: str, what: tuple[str, ...]) -> None:
        for each in fields(one):
            a, b = getattr(one, each.name), getattr(other, each.name)
            if each.name in what and a != b:
                self._differ(f"{where}.{each.name}: told {a}, seen {b}")

    def _unnamed(self, kind: str, told: Any, seen: Any) -> None:
        """What no name leads to: for everything told, there must be a thing of the kind that looks like it."""
        pairs = self.pairs[kind]
        free = [key for key in seen if key not in set(pairs.values())]
        for key, facts in reversed(told.items()):  # the latest first: what they lead to is matched along with them
            if key in pairs:
                continue
            alike = [each for each in free if self._alike(facts, seen[each])]
            if not alike:
                self._differ(f"{kind} {key}: told to be alive, but there is none like it: {facts}")
            elif not any(self._fits(kind, key, each) for each in alike):
                self._pair(kind, key, alike[0], f"{kind} {key}")
            free = [each for each in free if each not in set(pairs.values())]

    def _fits(self, kind: str, told: int, seen: int) -> bool:
        """Pair two things if that, and all that follows from it, brings no difference."""
        before = {each: dict(pairs) for each, pairs in self.pairs.items()}, set(self._compared), len(self.differences)
        self._pair(kind, told, seen, f"{kind} {told}")
        if len(self.differences) == before[2]:
            return True
        for each, pairs in before[0].items():
            self.pairs[each].clear()
            self.pairs[each].update(pairs)
        self._compared = before[1]
        del self.differences[before[2] :]
        return False

    def _alike(self, one: Any, other: Any) -> bool:
        """Whether two things that no name leads to may be the same."""
        if isinstance(one, NodeSeen):
            return one.name == other.name and len(one.edges) == len(other.edges)
        if isinstance(one, TensorSeen):
            same = (one.layout, one.dtype, one.leaf, one.needs_gradient) == (
                other.layout,
                other.dtype,
                other.leaf,
                other.needs_gradient,
            )
            return same and self._alike(self.told.storages[one.storage], self.seen.storages[other.storage])
        return (one.bytes, one.version) == (other.bytes, other.version) and not any(
            _other_values(one.values, other.values)
        )


def _as_seen(name: str) -> str:
    """A local name of a function that calls itself has the function's name before it several times."""
    first, *rest = name.split(".")
    return _as_seen(".".join(rest)) if len(rest) > 1 and rest[0] == first else name


def _without_storage(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    return (saved[0], *saved[2:])


def _other_values(told: Any, seen: Any) -> Iterator[str]:
    """Where the slots hold other values than was told."""
    if isinstance(told, Summary):
        yield from _other_summary(told, seen)
    elif told is not None and (len(told) != seen.size or not _equal(told, seen)):
        yield f"told {told}, seen {tuple(seen.tolist())}"


def _other_summary(told: Summary, seen: Any) -> Iterator[str]:
    parts = [(0, told.head), (seen.size - len(told.tail), told.tail), *told.runs]
    for first, values in parts:
        if not _equal(values, seen[first : first + len(values)]):
            yield f"from {first}: told {values}"
    if told.minimum is not None and not _equal((told.minimum, told.maximum), np.array([seen.min(), seen.max()])):
        yield f"extremes: told {told.minimum} and {told.maximum}, seen {seen.min()} and {seen.max()}"


def _equal(told: tuple[Any, ...], seen: Any) -> bool:
    return np.array_equal(np.array(told, dtype=seen.dtype), seen, equal_nan=seen.dtype.kind in "fc")
