"""Many programs: the counts, the table, the command."""

from __future__ import annotations

import pytest

from . import campaign
from .__main__ import main
from .campaign import Plan, counterexample, run, table
from .program import Program
from .verdict import Finding, Judgment, Verdict

PLAN = Plan(torch=False, paddle=False, second=5)


def test_every_program_is_counted_once() -> None:
    counts = run(200, 20, PLAN)
    assert counts.programs == sum(counts.verdicts.values()) == 20
    assert 0 < counts.second <= 5
    assert counts.gradients > 20


def test_the_command_prints_the_table_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--programs", "10", "--seed", "40"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("      10 programs")
    assert any(line.endswith("0 " + Verdict.WRONG.value) for line in lines)


def _pretend(program: Program, **_: bool) -> Judgment:
    """A judge that reports every `sin_`."""
    found = tuple(Finding(Verdict.WRONG, s.inputs[0], "sine") for s in program if s.op == "sin_")
    return Judgment(program, found, escape=False, second=False, gradients=1)


def test_a_defect_is_counted_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "judge", _pretend)
    counts = run(0, 40, PLAN)
    numbers = counts.defects[Verdict.WRONG, "sine"]
    assert counts.verdicts[Verdict.WRONG] == len(numbers) > 0
    assert f"{len(numbers)} {Verdict.WRONG.value}" in table(counts)
    lines = counterexample(numbers[0], Verdict.WRONG, "sine", PLAN, second=False).split("\n")
    assert lines[0] == f"# program {numbers[0]}: {Verdict.WRONG.value}"
    assert len(lines) == 4
    assert lines[2].endswith(".sin_()")
