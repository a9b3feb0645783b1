"""Every variant of every row, interrupted before each bytecode: the target is untouched, or known to be overwritten."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from zlib import crc32

import pytest

from tests.row_cases.every import CHAPTERS
from tests.subtests import Named, try_all
from tests.tiers import choose, sample

from .composites import COMPOSITES
from .variants import MODES, PLACES, Call, Trial, fits

STEP = choose(61, 37, 1)
"""In the smaller tiers, one position in so many is tried, beginning at another one for each trial."""


def _trials(calls: Iterable[tuple[Call, str]]) -> Iterator[Named]:
    for call, variant in calls:
        for place in PLACES:
            for mode in MODES:
                if fits(place, call):
                    yield f"{call.name}, {variant}, {place}, {mode}", {"trial": Trial(call, variant, place, mode)}


def _chosen(calls: Iterable[tuple[Call, str]]) -> list[Named]:
    """Each row and variant at least once, and each place and mode; at night, all of them."""
    keys = ("variant", "place", "mode")
    return sample(
        _trials(calls),
        one_in=choose(200, 80, 1),
        by=[
            lambda each: each[1]["trial"].case.name.split()[0],
            *(lambda each, key=key: getattr(each[1]["trial"], key) for key in keys),
        ],
        name=lambda each: each[0],
    )


def _interrupt(trial: Trial) -> None:
    first = 1 + crc32(repr((trial.case.name, trial.variant, trial.place, trial.mode)).encode()) % STEP
    found = list(trial.failures(range(first, sys.maxsize, STEP)))
    assert not found, f"{len(found)} failures: {found[:5]}"


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_an_interrupt_leaves_a_tensor_untouched_or_refused(chapter: str) -> None:
    try_all(_interrupt, _chosen((case, variant) for case in CHAPTERS[chapter] for variant in case.variants))


@pytest.mark.usefixtures("baseline")
def test_an_interrupt_of_a_composite_write_leaves_a_tensor_untouched_or_refused() -> None:
    try_all(_interrupt, _chosen((each, "in-place") for each in COMPOSITES))
