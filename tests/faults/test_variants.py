"""Every variant of every row, interrupted before each bytecode: the target is untouched, or known to be overwritten."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from zlib import crc32

import pytest

from tests.row_cases.every import CHAPTERS
from tests.subtests import Named, try_all
from tests.tiers import choose, sample

from .variants import MODES, PLACES, Trial, fits

STEP = choose(61, 17, 1)
"""In the smaller tiers, one position in so many is tried, beginning at another one for each trial."""


def _trials(chapter: str) -> Iterator[Named]:
    for case in CHAPTERS[chapter]:
        for variant in case.variants:
            for place in PLACES:
                for mode in MODES:
                    if fits(place, case):
                        trial = Trial(case, variant, place, mode)
                        yield f"{case.name}, {variant}, {place}, {mode}", {"trial": trial}


def _chosen(chapter: str) -> list[Named]:
    """Each row and variant at least once, and each place and mode; at night, all of them."""
    keys = ("variant", "place", "mode")
    return sample(
        _trials(chapter),
        one_in=choose(200, 40, 1),
        by=[
            lambda each: each[1]["trial"].case.row.name,
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
    try_all(_interrupt, _chosen(chapter))
