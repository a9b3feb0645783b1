"""Samples: of every kind, the same in every run; and no test function that only the night runs."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.tiers import FIRST_TIER, Tier, choose, runs, sample

ROOT = Path(__file__).parents[2]
PAIRS = [f"{row} {dtype}" for row, dtype in product(map(chr, range(97, 123)), ("int8", "float16", "bool", "int64"))]


def row(pair: str) -> str:
    return pair.partition(" ")[0]


def dtype(pair: str) -> str:
    return pair.partition(" ")[2]


def test_a_sample_has_each_kind_at_least_once() -> None:
    taken = sample(PAIRS, one_in=1000, by=[row, dtype])
    assert {*map(row, taken)} == {*map(row, PAIRS)}
    assert {*map(dtype, taken)} == {*map(dtype, PAIRS)}
    assert len(taken) < len(PAIRS) / 2


def test_without_kinds_a_sample_has_about_one_in_so_many() -> None:
    assert len(sample(PAIRS, one_in=1)) == len(PAIRS)
    assert len(PAIRS) / 8 < len(sample(PAIRS, one_in=4)) < len(PAIRS) / 2


def test_a_sample_depends_on_names_alone() -> None:
    taken = sample(PAIRS, one_in=4, by=[row])
    assert taken == sorted(taken, key=PAIRS.index)
    assert sorted(sample(reversed(PAIRS), one_in=4, by=[row])) == sorted(taken)
    assert {*sample(PAIRS, one_in=4)} - {PAIRS[0]} == {*sample(PAIRS[1:], one_in=4)} - {PAIRS[0]}


def test_a_larger_tier_runs_what_a_smaller_one_runs() -> None:
    for marks in ([], *([mark] for mark in FIRST_TIER)):
        assert sorted(runs(marks, tier) for tier in Tier) == [runs(marks, tier) for tier in Tier]
        assert runs(marks, Tier.LONG)
    assert [choose(1, 2, 3, tier=tier) for tier in Tier] == [1, 2, 3]


def collected(tier: str) -> set[str]:
    """The tests of a tier, without their parameters."""
    command = [sys.executable, "-m", "pytest", "-p", "no:nbval", "--collect-only", "--quiet", "--quiet", "tests"]
    done = subprocess.run(
        [*command, "-o", "addopts=--import-mode=importlib"],
        cwd=ROOT, env=os.environ | {"TIER": tier}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.standard
def test_what_is_tried_at_night_is_tried_by_day_with_fewer_cases() -> None:
    fast, standard, long = (collected(tier) for tier in ("fast", "standard", "long"))
    assert long - standard == set()
    assert fast < standard
    folders = {test.split("/")[1] for test in standard}
    without_any = folders - {test.split("/")[1] for test in fast}
    assert without_any <= {"e2e", "other_browsers"}
