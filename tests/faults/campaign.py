"""Judges many programs, and counts the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from random import Random

from tests.oracle.program import Program
from tests.oracle.shrink import shrink

from . import launches
from .plan import faulty, plan_of
from .state import Baseline
from .verdict import Finding, Judgment, Verdict, judge
from .wording import line


@dataclass
class Counts:
    """The counts of many programs.

    Attributes:
        lost: the number of programs whose comparison ended early (see `truths.Truth`).
        fired: in how many programs the fault occurred, by its kind.
        understood: how the statements that failed were understood.
        gradients: the number of tensors whose gradients were compared with the reference.
        refused: the number of tensors whose gradients were refused.
        unknown: of those, how many had to be.
        defects: by what was found: the numbers of the programs.
    """

    programs: int = 0
    lost: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    understood: Counter[str] = field(default_factory=Counter)
    gradients: int = 0
    refused: int = 0
    unknown: int = 0
    defects: dict[tuple[Verdict, str], list[int]] = field(default_factory=dict)


_whole_process = ExitStack()
"""Kernels stay wrapped until the process ends: to wrap them again would take longer than a program."""


@cache
def _baseline() -> Baseline:
    """What is there before the first program of this process."""
    launches.generate_all()
    _whole_process.enter_context(launches.wrapped())
    return Baseline()


def judge_number(number: int) -> Judgment:
    """Judges the program with this number."""
    return judge(faulty(Random(number)), _baseline())


def run(first: int, programs: int, jobs: int = 1) -> Counts:
    """Judges the programs numbered `first`, `first + 1`, ..."""
    counts = Counts()
    for number, judgment in _all(range(first, first + programs), jobs):
        _count(counts, number, judgment)
    return counts


def _all(numbers: range, jobs: int) -> Iterator[tuple[int, Judgment]]:
    if jobs == 1:
        yield from zip(numbers, map(judge_number, numbers), strict=True)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as processes:
        yield from zip(numbers, processes.map(judge_number, numbers, chunksize=50), strict=True)


def _count(counts: Counts, number: int, judgment: Judgment) -> None:
    counts.programs += 1
    counts.lost += judgment.lost
    found = plan_of(judgment.program)
    assert found is not None
    counts.fired[found[1].kind] += judgment.fired
    counts.verdicts[judgment.worst] += 1
    counts.understood.update(judgment.understood)
    counts.gradients += judgment.gradients
    counts.refused += judgment.refused
    counts.unknown += judgment.unknown
    for finding in judgment.findings:
        numbers = counts.defects.setdefault((finding.verdict, finding.kind), [])
        if number not in numbers:
            numbers.append(number)


def table(counts: Counts) -> str:
    """The counts, for people."""
    lines = [f"{counts.programs:8} programs, {counts.lost} of them not compared to the end"]
    lines += [f"{counts.fired.total():8} of them with a fault that occurred:"]
    lines += [f"{count:8}     {kind}" for kind, count in counts.fired.most_common()]
    lines += ["         the statement that failed was (one of several truths, if there are some):"]
    lines += [f"{count:8}     {how}" for how, count in counts.understood.most_common()]
    lines += [
        f"{counts.gradients:8} tensors whose gradients were compared with the reference",
        f"{counts.refused:8} tensors whose gradients were refused, {counts.unknown} of which had to be",
    ]
    lines += [f"{counts.verdicts[verdict]:8} {verdict.value}" for verdict in reversed(Verdict)]
    return "\n".join(lines)


def counterexample(number: int, verdict: Verdict, kind: str) -> str:
    """A shrunken program with the same kind of defect, ready for a bug report."""

    def matches(finding: Finding) -> bool:
        return finding.verdict is verdict and finding.kind == kind

    def still(program: Program) -> bool:
        return plan_of(program) is not None and any(map(matches, judge(program, _baseline()).findings))

    program = faulty(Random(number))
    if not still(program):
        return f"# program {number}: {verdict.value} ({kind}), not in every run\n{code(program)}"
    small = shrink(program, still)
    found = next(filter(matches, judge(small, _baseline()).findings), Finding(verdict, "not in every run", kind))
    return f"# program {number}: {verdict.value}\n{code(small)}\n# {found.where} ({found.kind}): {found.detail}"


def code(program: Program) -> str:
    """The program, with a comment where the fault is armed."""
    position, plan = plan_of(program) or (len(program), None)
    lines = [line(statement, custom=plan is not None and plan.custom) for statement in program]
    return "\n".join(f"{text}    # fault: {plan}" if k == position else text for k, text in enumerate(lines))
