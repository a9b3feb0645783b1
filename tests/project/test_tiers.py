"""Tests the tiers: samples have every kind, and are the same in every run; no test function runs at night only."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.notebooks.languages import compared, worked_through
from tests.tiers import NOT_IN_FAST, TIER, Tier, choose, examples, runs, sample

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


def test_of_any_cases_at_least_one_is_taken() -> None:
    assert len(sample(PAIRS, one_in=10**9)) == 1
    assert sample([], one_in=4) == []


def test_only_the_smallest_tier_leaves_tests_out() -> None:
    for mark in NOT_IN_FAST:
        assert [runs([mark], tier=tier) for tier in Tier] == [False, True, True]
    assert [runs(["parametrize"], tier=tier) for tier in Tier] == [True, True, True]


def test_a_larger_tier_tries_more() -> None:
    assert [choose(1, 2, 3, tier=tier) for tier in Tier] == [1, 2, 3]
    assert [examples(60, tier=tier) for tier in Tier] == [15, 60, 600]
    assert examples(2, tier=Tier.FAST) == 1


@pytest.mark.parametrize("lesson", ["05_half_the_memory", "06_leaves", "glossary"])
def test_by_day_a_lesson_is_compared_in_one_language_and_worked_through_in_the_other(lesson: str) -> None:
    assert sorted(compared(lesson, tier=Tier.STANDARD) + worked_through(lesson, tier=Tier.STANDARD)) == ["en", "zh"]
    assert compared(lesson, tier=Tier.LONG) == worked_through(lesson, tier=Tier.LONG) == ("en", "zh")


FILES = ["engine/test_rows.py", "kernels/test_compile.py", "notebooks/test_tried.py", "oracle/test_programs.py"]


def collected(tier: str, hash_seed: str = "0") -> list[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:nbval", "--collect-only", "--quiet"]
    done = subprocess.run(
        [*command, *(f"tests/{file}" for file in FILES)],
        cwd=ROOT, env=os.environ | {"TIER": tier, "PYTHONHASHSEED": hash_seed},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line for line in done.stdout.splitlines() if "::" in line]


def functions(tests: list[str]) -> set[str]:
    return {test.partition("[")[0] for test in tests}


@pytest.mark.standard
def test_what_is_tried_at_night_is_tried_by_day_with_fewer_cases() -> None:
    fast, standard, long = (collected(tier) for tier in ("fast", "standard", "long"))
    assert {*fast} < {*standard} < {*long}
    assert functions(fast) < functions(standard) == functions(long)
    assert {test.split("::")[0] for test in standard} == {f"tests/{file}" for file in FILES}
    assert TIER < Tier.LONG or collected("standard", hash_seed="1") == standard
