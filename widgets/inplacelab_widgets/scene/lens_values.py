"""Packs the values of large storages as changes, for a lens that the reader moves.

The amount is limited. A value that is not sent looks like one that was not recorded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isfinite
from operator import ne
from typing import Any

from inplacelab.recording.facts import Number, StorageFacts, Summary, Values
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.lens import LONGEST_WHOLE
from inplacelab_widgets.scene.numerals import number
from inplacelab_widgets.scene.strip import WITH_VALUES
from inplacelab_widgets.scene.timeline import storage_lives

MOST_NUMBERS = 4096
"""The most values sent for one version of a storage."""
_PLAIN = re.compile(r"-?[1-9]\d*|0|-?\d+\.\d+")
MOST_BYTES = 60_000
"""The most bytes sent for all storages together."""
_SHORTEST = len("[[0,[1]]]")

Json = dict[str, Any]
Piece = tuple[int, Values]
"""The first slot of a run, and the values of the run."""


def pages(recording: Recording) -> list[Json]:
    """Returns for each large storage its recorded values: [step, [[first slot, values], ...]] for each change."""
    left, found = MOST_BYTES, []
    for storage, life in storage_lives(recording).items():
        slots = max(facts.slots for facts in life.every())
        if slots <= WITH_VALUES:
            continue
        moments = []
        before: Values | Summary | None = None
        for step, facts in life.moments:
            sent = _sent(_changes(before, facts), left) if left >= _SHORTEST else []
            left -= len(json.dumps(sent, separators=(",", ":"))) if sent else 0
            moments.append([step, sent])
            before = facts.values
        found.append({"key": f"s{storage}", "slots": slots, "moments": moments})
    return found


def _sent(pieces: Sequence[Piece], room: int) -> list[Any]:
    """The pieces as they are sent; none if they need more bytes than there is room for."""
    first = list(_first(pieces))
    # Each value needs a digit and a comma, so most pieces that are too long need not be written out.
    if 2 * sum(len(values) for _, values in first) > room:
        return []
    sent = [[start, [number_sent(value) for value in values]] for start, values in first]
    return sent if len(json.dumps(sent, separators=(",", ":"))) <= room else []


def _changes(before: Values | Summary | None, facts: StorageFacts) -> list[Piece]:
    """The values that differ from those of the moment before."""
    if isinstance(facts.values, tuple):
        return list(_differing(before if isinstance(before, tuple) else (), facts.values))
    if isinstance(facts.values, Summary):
        known = facts.values
        return [(0, known.head), *known.runs, (facts.slots - len(known.tail), known.tail)]
    return []


def _differing(before: Values, after: Values) -> Iterator[Piece]:
    shared = [slot for slot, differs in enumerate(map(ne, before, after)) if differs]
    changed = [*shared, *range(len(before), len(after))]
    for _, run in groupby(enumerate(changed), key=lambda place: place[1] - place[0]):
        slots = [slot for _, slot in run]
        yield slots[0], after[slots[0] : slots[-1] + 1]


def _first(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """As many values as may be sent for one version."""
    left = MOST_NUMBERS
    for start, values in pieces:
        if values and left:
            yield start, values[:left]
            left -= min(left, len(values))


def number_sent(value: Number) -> float | int | bool | str:
    """Returns a value as it is shown; as a number where JavaScript prints it in the same way."""
    digits = number(value, LONGEST_WHOLE)
    if isinstance(value, bool):
        return value
    if isinstance(value, complex) or not isfinite(value) or not _PLAIN.fullmatch(digits):
        return digits
    return float(digits) if "." in digits else int(digits)
