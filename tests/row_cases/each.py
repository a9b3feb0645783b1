"""Tests of every row: one test for each chapter of the table (see `tests/subtests.py` for the reason)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests.row_cases.case import Case
from tests.row_cases.every import CHAPTERS
from tests.subtests import Named, Test, takes, try_all
from tests.tiers import choose, sample

WRITE = ("in-place", "relayout")
Chosen = Callable[[Case], bool]


def _by_chapter(
    parameters: tuple[str, ...], cases: Callable[[Iterable[Case]], Iterator[Named]]
) -> Callable[[Test], Test]:
    def some(chapter: Iterable[Case]) -> list[Named]:
        """Each row and each variant at least once; by day, all of them."""
        return sample(
            cases(chapter),
            one_in=choose(4, 1, 1),
            by=[lambda each: each[1]["case"].row.name, lambda each: each[1]["variant"]],
            name=lambda each: each[0],
        )

    by_chapter = {name: some(chapter) for name, chapter in CHAPTERS.items()}
    chapters = [name for name, found in by_chapter.items() if found]

    def tried(test: Test) -> Test:
        @pytest.mark.parametrize("chapter", chapters)
        @takes(test, parameters, more=("chapter",))
        def tries_all(*, chapter: str, **fixtures: Any) -> None:
            try_all(test, by_chapter[chapter], **fixtures)

        return tries_all

    return tried


def _any(_: Case) -> bool:
    return True


def is_elementwise(case: Case) -> bool:
    """Whether the row computes each element from the elements in the same place."""
    return case.row.kind == "elementwise"


def for_each_variant(*wanted: str, only: Chosen = _any) -> Callable[[Test], Test]:
    """Runs the test with each `case` and each `variant` of its row that is wanted."""
    return _by_chapter(
        ("case", "variant"),
        lambda cases: (
            (f"{c.name} {v}", {"case": c, "variant": v})
            for c in cases
            if only(c)
            for v in c.variants
            if not wanted or v in wanted
        ),
    )
