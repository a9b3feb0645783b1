"""Many programs: the counts, the table, the command."""

from __future__ import annotations

from random import Random

import pytest

from tests.oracle.program import Program

from . import campaign
from .__main__ import main
from .campaign import code, counterexample, run, table
from .plan import faulty
from .state import Baseline
from .verdict import Finding, Judgment, Verdict


@pytest.fixture(autouse=True)
def _baseline(baseline: Baseline, wrapped: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the tests: the kernels are not wrapped for the rest of this process."""
    monkeypatch.setattr(campaign, "_baseline", lambda: baseline)


def test_every_program_is_counted_once() -> None:
    counts = run(200, 20)
    assert counts.programs == sum(counts.verdicts.values()) == 20
    assert 0 < counts.fired.total() <= 20
    assert counts.understood.total() > 0
    assert counts.gradients > 20


def test_the_command_prints_the_table_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--programs", "5", "--seed", "40"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("       5 programs")
    assert any(line.endswith("0 " + Verdict.WRONG.value) for line in lines)


def _pretend(program: Program, _: Baseline) -> Judgment:
    """A judge that reports every `sin_`."""
    found = tuple(Finding(Verdict.WRONG, s.inputs[0], "sine") for s in program if s.op == "sin_")
    return Judgment(program, found)


def test_a_defect_is_counted_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "judge", _pretend)
    counts = run(0, 60)
    numbers = counts.defects[Verdict.WRONG, "sine"]
    assert counts.verdicts[Verdict.WRONG] == len(numbers) > 0
    assert f"{len(numbers)} {Verdict.WRONG.value}" in table(counts)
    text = counterexample(numbers[0], Verdict.WRONG, "sine")
    assert text.startswith(f"# program {numbers[0]}: {Verdict.WRONG.value}")
    assert "# fault: " in text
    assert len(text.split("\n")) < len(code(faulty(Random(numbers[0]))).split("\n")) + 2
