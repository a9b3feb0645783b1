"""Tests what the comparison prints."""

from __future__ import annotations

import pytest

from benchmarks import goals
from benchmarks.compare import Effort, Row, ratios
from benchmarks.interleaved import Measured
from benchmarks.operations import OPERATIONS
from benchmarks.programs import PROGRAMS
from benchmarks.tables import Curve, Table, duration, factor, markdown, mean, table_of

EFFORT = Effort(rounds=3, quick=True, earlier=None, plots=None)


def test_a_table_is_markdown_that_is_also_aligned() -> None:
    table = Table("Speed", ("", "ours"), [("add", "1.00"), ("subtract", "12.00")], ["A note."])
    assert markdown(table).splitlines() == [
        "## Speed",
        "",
        "|          |  ours |",
        "|:---------|------:|",
        "| add      |  1.00 |",
        "| subtract | 12.00 |",
        "",
        "A note.",
    ]


def test_numbers_are_short() -> None:
    assert [factor(1 / 3), factor(None), factor(123.4)] == ["0.33", "-", "123"]
    assert [duration(seconds) for seconds in (2.0, 0.0301, 4.5e-6, 91.4e-9)] == ["2 s", "30.1 ms", "4.5 us", "91 ns"]
    assert [mean([2.0, None, 8.0]), mean([None])] == [4.0, None]


def test_a_missed_goal_says_by_how_much_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"torch": 1.12, "paddle": 0.5}
    monkeypatch.setattr(goals, "REASONS", {})
    assert goals.verdict("add", found, goals.FASTER) == "missed: torch by 12 %"
    monkeypatch.setattr(goals, "REASONS", {"add": "it allocates"})
    assert goals.verdict("add", found, goals.FASTER) == "missed: torch by 12 %; it allocates"
    assert goals.verdict("add", {"torch": 0.9, "paddle": None}, goals.FASTER) == "met"
    assert goals.verdict("add", {}, goals.FASTER) == "-"


def test_every_reason_is_about_a_row() -> None:
    rows = {*OPERATIONS, *PROGRAMS, "import inplacelab", "geometric mean"}
    assert {name.removesuffix(", graph") for name in goals.REASONS} <= rows


def test_a_wrong_result_is_marked_and_has_no_part_in_the_mean() -> None:
    times = {"numpy": [1.0] * 3, "numpy again": [1.0] * 3, "ours": [2.0] * 3, "paddle": [8.0] * 3}
    rows = [
        Row("right", Measured(times, frozenset()), {"paddle": 1.0}),
        Row("wrong", Measured(times | {"paddle": [1.0] * 3}, frozenset({"paddle"})), {"paddle": 1.0}),
    ]
    table = ratios("Programs", rows, EFFORT)
    column = list(table.header).index("ours/paddle")
    assert [row[column] for row in table.rows] == ["0.25", "2.00 (wrong)", "0.25"]
    assert [row[-1] for row in table.rows] == ["met", "-", ""]


def test_growth_is_the_factor_between_the_smallest_and_the_largest() -> None:
    curves = [Curve("add_", "views", [(1, 2.0), (10, 6.0), (1000, 4.0)])]
    row = table_of("Growth", curves, 1.5).rows[0]
    assert row == ["add_", "1 to 1,000 views", "2.00", "4.00", "2.00", "3.00", "missed: over 1.5"]
