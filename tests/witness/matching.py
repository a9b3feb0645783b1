"""Compares two pictures of one moment: the recorded one and the observed one.

The two number their objects differently. Tensors with the same name are matched; then the objects that they refer to must match, too:
storage, base, gradient, node, and so on. Objects without a name are then matched by their properties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from inplacelab.recording.facts import Summary

from .alive import NodeSeen, Picture, TensorSeen


class Matching:
    """Finds the differences between the recorded picture (`recorded`) and the observed one (`observed`)."""

    def __init__(self, recorded: Picture, observed: Picture) -> None:
        self.recorded, self.observed = recorded, observed
        self.pairs: dict[str, dict[int, int]] = {"tensor": {}, "storage": {}, "node": {}}
        self._compared: set[tuple[int, str]] = set()
        self.differences: list[str] = []
        self._named()
        self._unnamed("tensor", recorded.tensors, observed.tensors)
        self._unnamed("node", recorded.nodes, observed.nodes)
        self._unnamed("storage", recorded.storages, observed.storages)
        self._complete()
        for figure in ("live", "peak"):
            if getattr(recorded, figure) != getattr(observed, figure):
                self._differ(f"{figure}: recorded {getattr(recorded, figure)}, observed {getattr(observed, figure)}")

    def _differ(self, what: str) -> None:
        self.differences.append(what)

    # ---- names -----------------------------------------------------------------------------------------------------------

    def _named(self) -> None:
        for name, keys in self.recorded.names.items():
            if len(keys) > 1:
                self._differ(f"{name}: recorded for {len(keys)} tensors")
            found = self.observed.names.get(_as_seen(name), frozenset())
            if not found:
                self._differ(f"{name}: recorded for a tensor, but no such name leads to one")
            elif len(found) == 1:
                self._pair("tensor", next(iter(keys)), next(iter(found)), name)
        self._clashing()
        for name, keys in self.recorded.names.items():  # if scopes clash, the first unique name has decided
            for key in keys:
                known = self.pairs["tensor"].get(key)
                if known is not None and known not in self.observed.names.get(_as_seen(name), {known}):
                    self._differ(f"{name}: recorded for another tensor")

    def _clashing(self) -> None:
        """Matches a name that scopes use for different tensors with the tensor left after other names are matched."""
        pairs = self.pairs["tensor"]
        for name, keys in self.recorded.names.items():
            left = self.observed.names.get(_as_seen(name), frozenset()) - set(pairs.values())
            for key in keys:
                if key not in pairs and len(left) == 1:
                    self._pair("tensor", key, next(iter(left)), name)

    def _complete(self) -> None:
        """Checks that every tensor with a plain name is recorded under that name, and one that only paths lead to, under some name."""
        recorded_of = {observed: recorded for recorded, observed in self.pairs["tensor"].items()}
        named = {key for keys in self.recorded.names.values() for key in keys}
        for key in self.observed.reached:
            if recorded_of.get(key) not in named:
                labels = sorted(label for label, found in self.observed.names.items() if key in found)
                self._differ(f"{labels[0]}: leads to a tensor that is recorded without a name")
        for name, found in self.observed.simple.items():
            for key in found:
                if key not in recorded_of:
                    self._differ(f"{name}: leads to a tensor that is not recorded")
                elif not any(
                    name in (label, label.rpartition(".")[2]) and recorded_of[key] in keys
                    for label, keys in self.recorded.names.items()
                ):
                    self._differ(f"{name}: leads to a tensor that is recorded under other names")

    # ---- objects ---------------------------------------------------------------------------------------------------------

    def _pair(self, kind: str, recorded: int | None, observed: int | None, where: str) -> None:
        if recorded is None or observed is None:
            if recorded != observed:
                self._differ(
                    f"{where}: recorded {'none' if recorded is None else 'one'}, observed {'none' if observed is None else 'one'}"
                )
            return
        known = self.pairs[kind]
        if known.setdefault(recorded, observed) != observed:
            self._differ(f"{where}: not the same {kind}")
            return
        if list(known.values()).count(observed) > 1:
            self._differ(f"{where}: two are recorded of this {kind}")
        elif (recorded, kind) not in self._compared:
            self._compared.add((recorded, kind))
            getattr(self, f"_{kind}")(recorded, observed, where)

    def _tensor(self, recorded: int, observed: int, where: str) -> None:
        one, other = self.recorded.tensors.get(recorded), self.observed.tensors.get(observed)
        if one is None or other is None:
            self._differ(f"{where}: {'not recorded' if one is None else 'dead'}")
            return
        self._same(one, other, where, ("layout", "dtype", "needs_gradient", "leaf"))
        self._pair("storage", one.storage, other.storage, f"{where}.storage")
        self._pair("tensor", one.base, other.base, f"{where}.base")
        self._pair("tensor", one.grad, other.grad, f"{where}.grad")
        self._pair("node", one.node, other.node, f"{where}.node")

    def _storage(self, recorded: int, observed: int, where: str) -> None:
        one, other = self.recorded.storages.get(recorded), self.observed.storages.get(observed)
        if one is None or other is None:
            self._differ(f"{where}: {'not recorded' if one is None else 'dead'}")
            return
        self._same(one, other, where, ("bytes", "slots", "dtype", "version"))
        for line in _other_values(one.values, other.values):
            self._differ(f"{where}.values: {line}")

    def _node(self, recorded: int, observed: int, where: str) -> None:
        one, other = self.recorded.nodes.get(recorded), self.observed.nodes.get(observed)
        if one is None or other is None:
            self._differ(f"{where}: {'not recorded' if one is None else 'dead'}")
            return
        where = f"{where}<{other.name}>"
        self._same(one, other, where, ("name",))
        if len(one.edges) != len(other.edges):
            self._differ(f"{where}: recorded {len(one.edges)} edges, observed {len(other.edges)}")
        for k, (to, leads) in enumerate(zip(one.edges, other.edges, strict=False)):
            self._pair("node", to, leads, f"{where}.{k}")
        self._pair("tensor", one.leaf, other.leaf, f"{where}.leaf")
        if [_without_storage(each) for each in one.saved] != [_without_storage(each) for each in other.saved]:
            self._differ(f"{where}: recorded it saves {one.saved}, observed {other.saved}")
        for a, b in zip(one.saved, other.saved, strict=False):
            self._pair("storage", a[1], b[1], f"{where}.saved {a[0]}")

    def _same(self, one: Any, other: Any, where: str, what: tuple[str, ...]) -> None:
        for each in fields(one):
            a, b = getattr(one, each.name), getattr(other, each.name)
            if each.name in what and a != b:
                self._differ(f"{where}.{each.name}: recorded {a}, observed {b}")

    def _unnamed(self, kind: str, recorded: Any, observed: Any) -> None:
        """Matches objects without names: for every recorded one, there must be a similar observed one of the same kind."""
        pairs = self.pairs[kind]
        free = [key for key in observed if key not in set(pairs.values())]
        for key, facts in reversed(
            recorded.items()
        ):  # the latest first: the objects that they refer to are matched with them
            if key in pairs:
                continue
            alike = [each for each in free if self._alike(facts, observed[each])]
            if not alike:
                self._differ(f"{kind} {key}: recorded as alive, but there is none like it: {facts}")
            elif not any(self._fits(kind, key, each) for each in alike):
                self._pair(kind, key, alike[0], f"{kind} {key}")
            free = [each for each in free if each not in set(pairs.values())]

    def _fits(self, kind: str, recorded: int, observed: int) -> bool:
        """Matches two objects if that, and all that follows from it, gives no difference."""
        before = {each: dict(pairs) for each, pairs in self.pairs.items()}, set(self._compared), len(self.differences)
        self._pair(kind, recorded, observed, f"{kind} {recorded}")
        if len(self.differences) == before[2]:
            return True
        for each, pairs in before[0].items():
            self.pairs[each].clear()
            self.pairs[each].update(pairs)
        self._compared = before[1]
        del self.differences[before[2] :]
        return False

    def _alike(self, one: Any, other: Any) -> bool:
        """Whether two objects without names may be the same."""
        if isinstance(one, NodeSeen):
            return one.name == other.name and len(one.edges) == len(other.edges)
        if isinstance(one, TensorSeen):
            same = (one.layout, one.dtype, one.leaf, one.needs_gradient) == (
                other.layout,
                other.dtype,
                other.leaf,
                other.needs_gradient,
            )
            return same and self._alike(self.recorded.storages[one.storage], self.observed.storages[other.storage])
        return (one.bytes, one.version) == (other.bytes, other.version) and not any(
            _other_values(one.values, other.values)
        )


def _as_seen(name: str) -> str:
    """Converts a local name of a recursive function, which has the function's name as a prefix several times."""
    first, *rest = name.split(".")
    return _as_seen(".".join(rest)) if len(rest) > 1 and rest[0] == first else name


def _without_storage(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    return (saved[0], *saved[2:])


def _other_values(recorded: Any, observed: Any) -> Iterator[str]:
    """Returns the slots with other values than recorded."""
    if isinstance(recorded, Summary):
        yield from _other_summary(recorded, observed)
    elif recorded is not None and (len(recorded) != observed.size or not _equal(recorded, observed)):
        yield f"recorded {recorded}, observed {tuple(observed.tolist())}"


def _other_summary(recorded: Summary, observed: Any) -> Iterator[str]:
    parts = [(0, recorded.head), (observed.size - len(recorded.tail), recorded.tail), *recorded.runs]
    for first, values in parts:
        if not _equal(values, observed[first : first + len(values)]):
            yield f"from {first}: recorded {values}"
    if recorded.minimum is not None and not _equal(
        (recorded.minimum, recorded.maximum), np.array([observed.min(), observed.max()])
    ):
        yield f"extremes: recorded {recorded.minimum} and {recorded.maximum}, observed {observed.min()} and {observed.max()}"


def _equal(recorded: tuple[Any, ...], observed: Any) -> bool:
    return np.array_equal(np.array(recorded, dtype=observed.dtype), observed, equal_nan=observed.dtype.kind in "fc")
