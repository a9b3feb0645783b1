"""A payload made small for its way to the browser, where `player/unpack.js` makes it what it was.

A training loop says the same sentence a thousand times with other numbers, and its temporaries look alike but for when
they live. So a sentence travels as a pattern and its numbers, a mark as a form and what is its own, steps as columns.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

Json = dict[str, Any]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MARK = 0xE000
"""Where a number stood in a pattern is a private character, the first one for the first number."""
_SHORT = 12
"""Words shorter than this travel as they are."""


def packed(payload: Json) -> Json:
    """The payload as it travels. `unpacked` of `player/unpack.js` is the way back."""
    return _Packer(payload).packed()


class _Pool:
    """Values without repeats, each known by its position."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.positions: dict[Hashable, int] = {}

    def position(self, value: Any, key: Hashable) -> int:
        """The position of `value`; values with one `key` are the same."""
        found = self.positions.setdefault(key, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found


class _Packer:
    def __init__(self, payload: Json) -> None:
        self.payload = payload
        self.said, self.patterns, self.forms, self.keys, self.runs = _Pool(), _Pool(), _Pool(), _Pool(), _Pool()

    def packed(self) -> Json:
        # Others refer to these by their position, so that none may be left out.
        for position, said in enumerate(self.payload["said"]):
            self.said.values.append(said)
            self.said.positions.setdefault(str(said), position)
        small: Json = {
            "steps": self._steps(self.payload["steps"]),
            "panels": [self._panel(panel) for panel in self.payload["panels"]],
            "tables": [self._table(table) for table in self.payload["tables"]],
        }
        small["looks"] = [_hops(look[k] if k < len(look) else -1 for look in self.payload["looks"]) for k in range(3)]
        small |= {"said": [self._said(said) for said in self.said.values], "patterns": self.patterns.values}
        small |= {"forms": self.forms.values, "keyed": self.keys.values, "runs": self.runs.values}
        return {key: value for key, value in self.payload.items() if key not in small} | {"packed": small}

    def _steps(self, steps: Sequence[Json]) -> Json:
        """The steps as columns: of flags the steps that have them, of words their positions, of the rest the changes."""
        names = list(steps[0]) if steps else []
        flags = [name for name in names if isinstance(steps[0][name], bool)]
        return {
            "count": len(steps),
            "flags": {name: _hops(at for at, step in enumerate(steps) if step[name]) for name in flags},
            "runs": {
                name: _runs(step[name] for step in steps) for name in names if name not in flags and name != "says"
            },
            "says": [self.said.position(step["says"], str(step["says"])) for step in steps],
        }

    def _said(self, said: str | list[str]) -> Any:
        """Words as they are, or [pattern, number, ...]."""
        languages = [said] if isinstance(said, str) else said
        if max(map(len, languages)) < _SHORT:
            return said
        numbers: list[str] = []
        patterns = [_pattern(words, numbers) for words in languages]
        if not numbers:
            return said
        pattern: Any = patterns[0] if isinstance(said, str) else patterns
        return [self.patterns.position(pattern, str(pattern)), *map(_number, numbers)]

    def _panel(self, panel: Json) -> Json:
        groups = {key: [self._group(group) for group in panel[key]] for key in ("groups", "shelf") if key in panel}
        opened = {"opened": self._panel(panel["opened"])} if "opened" in panel else {}
        return panel | groups | opened

    def _group(self, group: Json) -> Json:
        return group | {"marks": [self._mark(group["first"], *mark) for mark in group["marks"]]}

    def _mark(
        self, first: int, tag: str, place: Json, runs: Sequence[int] = (), keys: str = "", links: str = ""
    ) -> list[int]:
        """[form, runs, keys, links], each a position. Runs count steps from the group's first and
        from each other, and looks from each other: what follows upon each other has small numbers.
        """
        hops: list[int] = []
        before = 0
        for step, look in zip(runs[::2], runs[1::2], strict=True):
            hops += [step - first, look - before]
            first, before = step, look
        return [
            self.forms.position([tag, place], (tag, *place.items())),
            self.runs.position(hops, tuple(hops)),
            self.keys.position(keys, keys),
            self.keys.position(links, links),
        ]

    def _table(self, table: Json) -> Json:
        cells, rows = _Pool(), {}
        for key, runs in table["rows"].items():
            rows[key] = [
                each for step, row in runs for each in (step, -1 if row is None else cells.position(row, tuple(row)))
            ]
        columns = [_hops(column) for column in zip(*cells.values, strict=True)]
        return table | {"rows": rows, "cells": columns}


def _pattern(words: str, numbers: list[str]) -> str:
    """`words` with a mark for each number. Numbers that another language has said already have one place in the list."""
    free = list(range(len(numbers)))

    def mark(found: re.Match[str]) -> str:
        at = next((k for k in free if numbers[k] == found[0]), len(numbers))
        if at < len(numbers):
            free.remove(at)
        else:
            numbers.append(found[0])
        return chr(_MARK + at)

    return _NUMBER.sub(mark, words)


def _number(digits: str) -> int | str:
    """A whole number where it says the same ("007" does not)."""
    return (
        int(digits)
        if digits.isascii() and digits.isdigit() and str(int(digits)) == digits and len(digits) < 16
        else digits
    )


def _runs(values: Iterable[Any]) -> list[Any]:
    """[first step, value, first step, value, ...]."""
    runs: list[Any] = []
    for at, value in enumerate(values):
        if not runs or runs[-1] != value:
            runs += [at, value]
    return runs


def _hops(numbers: Iterable[int]) -> list[int]:
    """Each number counted from the one before."""
    before, hops = 0, []
    for number in numbers:
        hops.append(number - before)
        before = number
    return hops
