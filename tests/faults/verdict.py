"""Judges one program in which something failed: compares the outcome with everything that may be true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from tests.oracle.jets import Array
from tests.oracle.outcome import Gradient, Outcome, Probe, Refusal, agree, close
from tests.oracle.program import Program, Statement
from tests.oracle.verdict import tolerance
from tests.oracle.wording import paddle_line

from .session import Event, Run, run, run_without
from .state import Baseline
from .truths import ImpossibleError, Truth, truths

LARGEST = {"float32": 1e3, "float64": 1e6}
"""Programs with larger numbers are not judged by their values: only rounding errors would be left to compare."""


class Verdict(Enum):
    """The verdicts, the worst first."""

    WRONG = "silently wrong: a value or a gradient"
    LEFT = "something left behind: the ledger, a mode, a listener"
    CRASH = "an accident: an exception that is no refusal, later"
    NEEDLESS = "refused without need: nothing was written"
    REFUSED = "right or refused"
    RIGHT = "right"


DEFECTS = frozenset({Verdict.WRONG, Verdict.LEFT, Verdict.CRASH, Verdict.NEEDLESS})


@dataclass(frozen=True)
class Finding:
    """One finding: its verdict, the tensor or line, the class of the defect, and the two answers."""

    verdict: Verdict
    where: str
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class Judgment:
    """All findings on one program.

    Attributes:
        fired: whether a fault occurred.
        lost: whether the comparison ended early (see `truths.Truth`).
        understood: how the statements that failed were understood.
        gradients: the number of tensors whose gradients were compared.
        refused: the number of tensors whose gradients were refused.
        unknown: of those, how many had to be.
    """

    program: Program
    findings: tuple[Finding, ...]
    fired: bool = False
    lost: bool = False
    understood: tuple[str, ...] = ()
    gradients: int = 0
    refused: int = 0
    unknown: int = 0

    @property
    def worst(self) -> Verdict:
        """The verdict on the program."""
        order = list(Verdict)
        plain = Verdict.REFUSED if self.refused else Verdict.RIGHT
        return min((f.verdict for f in self.findings), key=order.index, default=plain)


def judge(program: Program, baseline: Baseline) -> Judgment:
    """Runs a program with its fault, and compares."""
    ran = run(program)
    found = [Finding(Verdict.LEFT, "", each) for each in dict.fromkeys([*ran.broken, *baseline.broken()])]
    if found:
        baseline.repair()
    judgment = _compared(program, ran)
    return Judgment(**{**vars(judgment), "findings": (*judgment.findings, *found)})


def _compared(program: Program, ran: Run) -> Judgment:
    small, events = tolerance(program), ran.events
    fired = bool(events)
    try:
        found = truths(program, events, ran.outcome.refusals, small)
    except ImpossibleError as error:
        return Judgment(program, (Finding(Verdict.WRONG, "the state after the fault", str(error)),), fired)
    if any(truth.lost for truth in found):
        return Judgment(program, tuple(_crashes(program, ran.outcome)), fired, lost=True)
    cases = [_Case(program, ran, truth) for truth in found]
    best = min(cases, key=lambda case: len(case.findings))
    findings = best.findings
    if fired and not findings and not any(_may_refuse(program.statements[k], event) for k, event in events.items()):
        findings = [*_needless(program, ran)]
    return Judgment(
        program,
        tuple(findings),
        fired,
        understood=best.truth.history,
        gradients=best.gradients,
        refused=best.refused,
        unknown=best.unknown,
    )


def _needless(program: Program, ran: Run) -> Iterator[Finding]:
    """Compares with the same program without the statements that failed: they have not changed anything, so all is the same."""
    without, ours = run_without(program, ran.events), ran.outcome
    for position, refusal in ours.refusals.items():
        if position not in without.refusals:
            yield Finding(Verdict.NEEDLESS, _line(program, position), refusal.kind, refusal.message)
    for name, probe in ours.probes.items():
        if isinstance(probe, Refusal) and isinstance(without.probes.get(name), Mapping):
            yield Finding(Verdict.NEEDLESS, f"gradient of {name}", probe.kind, probe.message)
    for name, grad in ours.grads.items():
        if isinstance(grad, Refusal) and not isinstance(without.grads.get(name), Refusal):
            yield Finding(Verdict.NEEDLESS, f".grad of {name}", grad.kind, grad.message)


def _may_refuse(statement: Statement, event: Event) -> bool:
    """Whether a statement that failed may cause refusals: it writes, it frees what was saved, or it was done after all."""
    writes = statement.op.endswith("_") or statement.op in {"setitem", "clear_grad"}
    frees = statement.op == "backward" and not statement.args[0]
    done = not event.error or not event.after.same_data(event.before) or not event.after.same_grads(event.before)
    return writes or frees or done


def _crashes(program: Program, ours: Outcome) -> Iterator[Finding]:
    """Statements after a fault that raised something that is not a refusal."""
    for position, refusal in ours.refusals.items():
        if refusal.crash:
            yield Finding(Verdict.CRASH, _line(program, position), refusal.kind, refusal.message)


def _line(program: Program, position: int) -> str:
    return paddle_line(program.statements[position])


@dataclass
class _Case:
    """One program under the assumption that one of the truths is the right one."""

    program: Program
    ran: Run
    truth: Truth
    gradients: int = 0
    refused: int = 0
    unknown: int = 0
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.unknown_outcome, self.known_outcome = self.truth.outcomes()
        self.findings = [*_crashes(self.program, self.ours), *self._state()]
        if not self.truth.unknown.escape:
            self.findings += [*self._grads(), *self._gradients()]

    @property
    def ours(self) -> Outcome:
        return self.ran.outcome

    @property
    def _small(self) -> float:
        return tolerance(self.program)

    def _state(self) -> Iterator[Finding]:
        for name, value in self.known_outcome.values.items():
            if name not in self.ours.values:
                yield Finding(Verdict.WRONG, name, "a name is not bound")
            elif self._tame(value) and not close(self.ours.values[name], value, self._small):
                yield _wrong(name, "value", self.ours.values[name], value)
            elif self.ours.versions[name] != self.known_outcome.versions[name]:
                versions = self.ours.versions[name], self.known_outcome.versions[name]
                yield Finding(Verdict.WRONG, name, "version", f"{versions[0]}, reference: {versions[1]}")

    def _tame(self, value: Array) -> bool:
        limit = min(LARGEST[name] for name in {"float64", *self.program.dtypes})
        if value.dtype.kind != "f":
            return True
        finite = value[np.isfinite(value)]
        return bool((np.abs(finite) <= limit).all())

    def _grads(self) -> Iterator[Finding]:
        known = self.known_outcome.grads
        for name, grad in self.unknown_outcome.grads.items():
            if grad is None or name not in self.ours.grads:
                continue
            ours = self.ours.grads[name]
            if isinstance(ours, Refusal):
                continue
            yield from self._compare(f".grad of {name}", ours, grad, known[name])

    def _gradients(self) -> Iterator[Finding]:
        for name, probe in self.ours.probes.items():
            if isinstance(probe, Refusal):
                self.refused += 1
                self.unknown += self._must_be_refused(name)
                if probe.crash:
                    yield Finding(Verdict.CRASH, f"gradient of {name}", probe.kind, probe.message)
                continue
            unknown, known = (outcome.probes.get(name, {}) for outcome in (self.unknown_outcome, self.known_outcome))
            self.gradients += 1
            for leaf, gradient in probe.items():
                expected, other = _first(unknown, leaf, gradient), _first(known, leaf, gradient)
                yield from self._compare(f"gradient of {name} for {leaf}", gradient.first, expected, other)

    def _must_be_refused(self, name: str) -> bool:
        probe = self.unknown_outcome.probes.get(name)
        return isinstance(probe, Mapping) and any(np.isnan(g.first).any() for g in probe.values())

    def _compare(self, where: str, ours: Array | None, expected: Array, known: Array | None) -> Iterator[Finding]:
        """A gradient is wrong if it is not the expected one, or if that is unknown."""
        if not self._tame(expected):
            return
        if np.isnan(expected).any() and known is not None and np.isfinite(known).all():
            yield _wrong(where, "not refused", ours, expected)
        elif not agree(ours, expected, self._small):
            yield _wrong(where, "derivative", ours, expected)


def _first(probe: Probe, leaf: str, like: Gradient) -> Array:
    """The reference's gradient; zero where the tensor needs none."""
    assert isinstance(probe, Mapping)
    return probe[leaf].first if leaf in probe else 0 * like.first


def _wrong(where: str, kind: str, found: Array | None, expected: Array) -> Finding:
    return Finding(Verdict.WRONG, where, kind, f"{_short(found)}, reference: {_short(expected)}")


def _short(value: Array | None) -> str:
    return "None" if value is None else str(value.tolist())
