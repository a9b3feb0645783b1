"""Judges many programs, and counts the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing import get_context
from random import Random

from .generate import generate
from .paddle import Sandbox
from .program import Program
from .shrink import shrink
from .verdict import DEFECTS, Finding, Judgment, Verdict, judge
from .wording import paddle_code


@dataclass(frozen=True)
class Plan:
    """The options of a campaign."""

    torch: bool
    paddle: bool
    second: int
    """For how many of the programs second derivatives are compared too."""


@dataclass
class Counts:
    """The counts of many programs."""

    programs: int = 0
    escapes: int = 0
    second: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    gradients: int = 0
    paddle: Counter[str] = field(default_factory=Counter)
    defects: dict[tuple[Verdict, str], list[int]] = field(default_factory=dict)
    """By what was found: the numbers of the programs."""


def program_of(number: int) -> Program:
    """The program with this number: always the same one."""
    return generate(Random(number))


def look(number: int, position: int, plan: Plan) -> tuple[Judgment, str]:
    """Judge one program; and how the real Paddle fared."""
    program = program_of(number)
    judgment = judge(program, second=position < plan.second, torch=plan.torch)
    return judgment, _sandbox().judge(program) if plan.paddle else ""


@cache
def _sandbox() -> Sandbox:
    return Sandbox()


def run(first: int, programs: int, plan: Plan, jobs: int = 1) -> Counts:
    """Judge the programs numbered `first`, `first + 1`, ..."""
    counts = Counts()
    for number, (judgment, paddle) in _all(first, programs, plan, jobs):
        _count(counts, number, judgment)
        counts.paddle[paddle] += bool(paddle)
    return counts


def _all(first: int, programs: int, plan: Plan, jobs: int) -> Iterator[tuple[int, tuple[Judgment, str]]]:
    numbers = range(first, first + programs)
    work = partial(_one, first=first, plan=plan)
    if jobs == 1:
        yield from map(work, numbers)
    else:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as processes:
            yield from processes.map(work, numbers, chunksize=50)


def _one(number: int, first: int, plan: Plan) -> tuple[int, tuple[Judgment, str]]:
    return number, look(number, number - first, plan)


def _count(counts: Counts, number: int, judgment: Judgment) -> None:
    counts.programs += 1
    counts.escapes += judgment.escape
    counts.second += judgment.second
    counts.gradients += judgment.gradients
    counts.verdicts[judgment.worst.verdict] += 1
    for finding in judgment.findings:
        if finding.verdict is Verdict.REFUSED:
            counts.refusals[finding.kind] += 1
        if finding.verdict in DEFECTS:
            numbers = counts.defects.setdefault((finding.verdict, finding.kind), [])
            if number not in numbers:
                numbers.append(number)


# ---- reports ---------------------------------------------------------------------------------------------------------------


def table(counts: Counts) -> str:
    """The counts, for people."""
    lines = [f"{counts.programs:8} programs, {counts.escapes} of them escapes, {counts.second} with second derivatives"]
    lines += [f"{counts.gradients:8} tensors whose gradients were compared with the reference"]
    lines += [f"{counts.verdicts[verdict]:8} {verdict.value}" for verdict in reversed(Verdict)]
    lines += ["         refusals (several in one program), rightly, by class:"]
    lines += [f"{count:8}     {kind}" for kind, count in counts.refusals.most_common()]
    if any(counts.paddle.values()):
        lines += [
            "         the real PaddlePaddle, on the programs that are no escapes, have a meaning, and are all float64:"
        ]
        lines += [f"{count:8}     {kind}" for kind, count in sorted(counts.paddle.items()) if count]
    return "\n".join(lines)


def counterexample(number: int, verdict: Verdict, kind: str, plan: Plan, *, second: bool) -> str:
    """A shrunken program with the same kind of defect, ready for a bug report."""

    def matches(finding: Finding) -> bool:
        return finding.verdict is verdict and finding.kind == kind

    def still(program: Program) -> bool:
        return any(map(matches, judge(program, second=second, torch=plan.torch).findings))

    small = shrink(program_of(number), still)
    found = next(filter(matches, judge(small, second=second, torch=plan.torch).findings))
    return f"# program {number}: {verdict.value}\n{paddle_code(small)}\n# {found.where} ({found.kind}): {found.detail}"
