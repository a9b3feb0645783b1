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

NOT_IN_FAST = frozenset({"standard", "oracle", "gpu", "notebooks", "browser", "e2e"})
"""Marks of tests that the tier `fast` leaves out. The other tiers leave out none."""


def runs(marks: Iterable[str], *, tier: Tier = TIER) -> bool:
    """Whether a test with these marks runs in a tier."""
    return tier > Tier.FAST or NOT_IN_FAST.isdisjoint(marks)


def choose(fast: T, standard: T, long: T, *, tier: Tier = TIER) -> T:
    """Returns the one of three values for the tier of this run."""
    return (fast, standard, long)[tier]


def examples(standard: int, *, tier: Tier = TIER) -> int:
    """Returns the number of random examples: the given number in `standard`, a quarter in `fast`, ten times as many in `long`."""
    return choose(max(standard // 4, 1), standard, standard * 10, tier=tier)


def sample(
    cases: Iterable[T], *, one_in: int, by: Sequence[Callable[[Any], object]] = (), name: Callable[[T], str] = str
) -> list[T]:
    """Selects about one case in `one_in`, and at least one case for each value of each function in `by`.

    The selection depends only on the cases' names, so it is the same in every run.

    Args:
        cases: all cases, with different names.
        one_in: such as `choose(8, 4, 1)`; 1 takes all cases.
        by: properties of a case, such as its row or its dtype.
        name: returns a case's name, without anything that differs between two runs, such as an address.

    Returns:
        The selected cases, in the order given; at least one, if there is any.
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
