"""Compares two pictures of the same moment: the recorded one, and the one found by brute force.

The two number their objects differently. Names say which tensors correspond. From there on, whatever a tensor points to must correspond
as well: its storage, its base, its gradient, its node, and everything that these lead to. Objects that no name leads to are matched by
their content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from inplacelab.recording.facts import Summary

from .alive import NodePicture, Picture, TensorPicture


class Matching:
    """Finds the differences between the picture that was `recorded` and the one that was `found`."""

    def __init__(self, recorded: Picture, found: Picture) -> None:
        self.recorded, self.found = recorded, found
        self.pairs: dict[str, dict[int, int]] = {"tensor": {}, "storage": {}, "node": {}}
        self._compared: set[tuple[int, str]] = set()
        self.differences: list[str] = []
        self._named()
        self._unnamed("tensor", recorded.tensors, found.tensors)
        self._unnamed("node", recorded.nodes, found.nodes)
        self._unnamed("storage", recorded.storages, found.storages)
        self._complete()
        for number in ("live", "peak"):
            if getattr(recorded, number) != getattr(found, number):
                self._differ(f"{number}: recorded {getattr(recorded, number)}, found {getattr(found, number)}")

    def _differ(self, what: str) -> None:
        self.differences.append(what)

    # ---- names -----------------------------------------------------------------------------------------------------------

    def _named(self) -> None:
        for name, keys in self.recorded.names.items():
            if len(keys) > 1:
                self._differ(f"{name}: {len(keys)} tensors are recorded under this name")
            matches = self.found.names.get(_without_recursion(name), frozenset())
            if not matches:
                self._differ(f"{name}: a tensor is recorded, but no such name leads to one")
            elif len(matches) == 1:
                self._pair("tensor", next(iter(keys)), next(iter(matches)), name)
        self._clashing()
        for name, keys in self.recorded.names.items():  # where scopes clash, the first name that is clear has decided
            for key in keys:
                known = self.pairs["tensor"].get(key)
                if known is not None and known not in self.found.names.get(_without_recursion(name), {known}):
                    self._differ(f"{name}: recorded for another tensor than the one it leads to")

    def _clashing(self) -> None:
        """Where scopes use one name for different tensors: the one that is left once other names have settled the others."""
        pairs = self.pairs["tensor"]
        for name, keys in self.recorded.names.items():
            left = self.found.names.get(_without_recursion(name), frozenset()) - set(pairs.values())
            for key in keys:
                if key not in pairs and len(left) == 1:
                    self._pair("tensor", key, next(iter(left)), name)

    def _complete(self) -> None:
        """A tensor is recorded under each name that is expected; one that only other paths lead to, under some name."""
        recorded_as = {found: recorded for recorded, found in self.pairs["tensor"].items()}
        named = {key for keys in self.recorded.names.values() for key in keys}
        for key in self.found.reached:
            if recorded_as.get(key) not in named:
                labels = sorted(label for label, matches in self.found.names.items() if key in matches)
                self._differ(f"{labels[0]}: leads to a tensor that is recorded under no name")
        for name, matches in self.found.expected.items():
            for key in matches:
                if key not in recorded_as:
                    self._differ(f"{name}: leads to a tensor that is not recorded")
                elif not any(
                    (f".{label}".endswith(f".{name}") or label.endswith(f": {name}")) and recorded_as[key] in keys
                    for label, keys in self.recorded.names.items()
                ):
                    self._differ(f"{name}: leads to a tensor that is recorded under other names")

    # ---- objects ----------------------------------------------------------------------------------------------------------

    def _pair(self, kind: str, recorded: int | None, found: int | None, where: str) -> None:
        if recorded is None or found is None:
            if recorded != found:
                self._differ(
                    f"{where}: recorded {'none' if recorded is None else 'one'}, found {'none' if found is None else 'one'}"
                )
            return
        known = self.pairs[kind]
        if known.setdefault(recorded, found) != found:
            self._differ(f"{where}: not the same {kind}")
            return
        if list(known.values()).count(found) > 1:
            self._differ(f"{where}: two are recorded for this {kind}")
        elif (recorded, kind) not in self._compared:
            self._compared.add((recorded, kind))
            getattr(self, f"_{kind}")(recorded, found, where)

    def _tensor(self, recorded: int, found: int, where: str) -> None:
        one, other = self.recorded.tensors.get(recorded), self.found.tensors.get(found)
        if one is None or other is None:
            self._differ(f"{where}: {'not recorded' if one is None else 'dead'}")
            return
        self._same(one, other, where, ("layout", "dtype", "needs_gradient", "leaf"))
        self._pair("storage", one.storage, other.storage, f"{where}.storage")
        self._pair("tensor", one.base, other.base, f"{where}.base")
        self._pair("tensor", one.grad, other.grad, f"{where}.grad")
        self._pair("node", one.node, other.node, f"{where}.node")

    def _storage(self, recorded: int, found: int, where: str) -> None:
        one, other = self.recorded.storages.get(recorded), self.found.storages.get(found)
        if one is None or other is None:
            self._differ(f"{where}: {'not recorded' if one is None else 'dead'}")
            return
        self._same(one, other, where, ("bytes", "slots", "dtype", "version"))
        for line in _other_values(one.values, other.values):
            self._differ(f"{where}.values: {line}")

    def _node(self, recorded: int, found: int, where: str) -> None:
        one, other = self.recorded.nodes.get(recorded), self.found.nodes.get(found)
        if one is None or other is None:
            self._differ(f"{where}: {'not recorded' if one is None else 'dead'}")
            return
        where = f"{where}<{other.name}>"
        self._same(one, other, where, ("name",))
        if len(one.edges) != len(other.edges):
            self._differ(f"{where}: recorded {len(one.edges)} edges, found {len(other.edges)}")
        for k, (to, leads) in enumerate(zip(one.edges, other.edges, strict=False)):
            self._pair("node", to, leads, f"{where}.{k}")
        self._pair("tensor", one.leaf, other.leaf, f"{where}.leaf")
        if [_without_storage(each) for each in one.saved] != [_without_storage(each) for each in other.saved]:
            self._differ(f"{where}: recorded as saved: {one.saved}, found {other.saved}")
        for a, b in zip(one.saved, other.saved, strict=False):
            self._pair("storage", a[1], b[1], f"{where}.saved {a[0]}")

    def _same(self, one: Any, other: Any, where: str, what: tuple[str, ...]) -> None:
        for each in fields(one):
            a, b = getattr(one, each.name), getattr(other, each.name)
            if each.name in what and a != b:
                self._differ(f"{where}.{each.name}: recorded {a}, found {b}")

    def _unnamed(self, kind: str, recorded: Any, found: Any) -> None:
        """Match what no name leads to: for each recorded object, one of its kind with the same content must be found."""
        pairs = self.pairs[kind]
        free = [key for key in found if key not in set(pairs.values())]
        for key, facts in reversed(recorded.items()):  # the latest first: what they lead to is matched along with them
            if key in pairs:
                continue
            alike = [each for each in free if self._alike(facts, found[each])]
            if not alike:
                self._differ(f"{kind} {key}: recorded as alive, but there is none like it: {facts}")
            elif not any(self._fits(kind, key, each) for each in alike):
                self._pair(kind, key, alike[0], f"{kind} {key}")
            free = [each for each in free if each not in set(pairs.values())]

    def _fits(self, kind: str, recorded: int, found: int) -> bool:
        """Pair two objects if neither that nor anything that follows from it brings a difference."""
        before = {each: dict(pairs) for each, pairs in self.pairs.items()}, set(self._compared), len(self.differences)
        self._pair(kind, recorded, found, f"{kind} {recorded}")
        if len(self.differences) == before[2]:
            return True
        for each, pairs in before[0].items():
            self.pairs[each].clear()
            self.pairs[each].update(pairs)
        self._compared = before[1]
        del self.differences[before[2] :]
        return False

    def _alike(self, one: Any, other: Any) -> bool:
        """Whether two objects that no name leads to may be the same."""
        if isinstance(one, NodePicture):
            return one.name == other.name and len(one.edges) == len(other.edges)
        if isinstance(one, TensorPicture):
            same = (one.layout, one.dtype, one.leaf, one.needs_gradient) == (
                other.layout,
                other.dtype,
                other.leaf,
                other.needs_gradient,
            )
            return same and self._alike(self.recorded.storages[one.storage], self.found.storages[other.storage])
        return (one.bytes, one.version) == (other.bytes, other.version) and not any(
            _other_values(one.values, other.values)
        )


def _without_recursion(name: str) -> str:
    """Remove the number of the call from a local name of a function that calls itself."""
    return re.sub(r"#\d+(?=: )", "", name)


def _without_storage(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    return (saved[0], *saved[2:])


def _other_values(recorded: Any, found: Any) -> Iterator[str]:
    """Where the slots hold other values than recorded."""
    if isinstance(recorded, Summary):
        yield from _other_summary(recorded, found)
    elif recorded is not None and (len(recorded) != found.size or not _equal(recorded, found)):
        yield f"recorded {recorded}, found {tuple(found.tolist())}"


def _other_summary(recorded: Summary, found: Any) -> Iterator[str]:
    parts = [(0, recorded.head), (found.size - len(recorded.tail), recorded.tail), *recorded.runs]
    for first, values in parts:
        if not _equal(values, found[first : first + len(values)]):
            yield f"from {first}: recorded {values}"
    if recorded.minimum is not None and not _equal(
        (recorded.minimum, recorded.maximum), np.array([found.min(), found.max()])
    ):
        yield f"extremes: recorded {recorded.minimum} and {recorded.maximum}, found {found.min()} and {found.max()}"


def _equal(recorded: tuple[Any, ...], found: Any) -> bool:
    return np.array_equal(np.array(recorded, dtype=found.dtype), found, equal_nan=found.dtype.kind in "fc")
