"""Tiers of the tests: how many samples they try. There are three; the environment variable `TIER` names one, `standard` if it is not set.

`fast` is for while you work. `standard` runs every test function, with samples that are the same in every run. `long` tries all
there is, and runs at night. A test says itself what it tries in which tier:

    @pytest.mark.standard       leaves the test, or a parameter of it, out of `fast`
    examples(60)                is a number of random examples, smaller or larger than this in the other tiers
    choose(8, 4, 1)             is a value for each tier
    sample(cases, one_in=...)   is a part of the cases, with one of each kind
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any, TypeVar
from zlib import crc32

T = TypeVar("T")


class Tier(IntEnum):
    """A tier runs what the ones before it run."""

    FAST = 0
    STANDARD = 1
    LONG = 2


TIER = Tier[os.environ.get("TIER", "standard").upper()]
"""The tier of this run."""

NOT_IN_FAST = frozenset({"standard", "oracle", "gpu", "notebooks", "browser", "e2e", "site"})
"""Marks of tests that the tier `fast` leaves out. The other tiers leave out none."""


def runs(marks: Iterable[str], *, tier: Tier = TIER) -> bool:
    """Whether a test with these marks runs in a tier."""
    return tier > Tier.FAST or NOT_IN_FAST.isdisjoint(marks)


def choose(fast: T, standard: T, long: T, *, tier: Tier = TIER) -> T:
    """The one of three values that is for the tier of this run."""
    return (fast, standard, long)[tier]


def examples(standard: int, *, tier: Tier = TIER) -> int:
    """How many random examples: so many in the tier `standard`, a quarter in `fast`, ten times as many in `long`."""
    return choose(max(standard // 4, 1), standard, standard * 10, tier=tier)


def sample(
    cases: Iterable[T], *, one_in: int, by: Sequence[Callable[[Any], object]] = (), name: Callable[[T], str] = str
) -> list[T]:
    """About one case in `one_in`, and for each function in `by` at least one case with each of its values.

    Which cases are taken depends on their names alone, so it is the same in every run.

    Args:
        cases: All cases, no two with the same name.
        one_in: `choose(8, 4, 1)`, say; 1 takes all cases.
        by: What a case is one of: its row, its data type.
        name: What a case is called: without addresses, or whatever else differs between two runs.

    Returns:
        The cases that are taken, in the order given; at least one, if there is any.
    """
    every = list(cases)
    draw = [crc32(name(case).encode()) for case in every]
    taken: set[int] = set()
    covered: set[tuple[int, object]] = set()
    for place in sorted(range(len(every)), key=lambda place: (draw[place] % one_in > 0, draw[place])):
        kinds = {(number, kind(every[place])) for number, kind in enumerate([lambda _: None, *by])}
        if draw[place] % one_in == 0 or not kinds <= covered:
            taken.add(place)
            covered |= kinds
    return [case for place, case in enumerate(every) if place in taken]
