"""Judges one program: compares inplacelab with the reference and, where possible, with PyTorch.

Three questions, in this order. Was a meaningful statement refused, or a meaningless one run? Is the outcome right: the values,
the versions, the gradients? After a refusal, does PyTorch give the right result?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from . import run_reference
from .frameworks import OURS, TORCH
from .memory import MAY_RUN
from .outcome import Gradient, Outcome, Probe, Refusal, agree, close
from .program import Program


class Verdict(Enum):
    """The verdicts, the worst first."""

    CRASH = "an accident: an exception that is no refusal"
    WRONG = "silently wrong: a value, version or gradient differs from the reference"
    RAN = "ran, although it should be refused"
    REFUSED_HERE = "refused here, right in PyTorch or without any need"
    ESCAPE = "escape: differs from PyTorch"
    LISTED = "refused here, run by PyTorch: a listed exception"
    RIGHT_HERE = "right here, refused in PyTorch"
    REFUSED = "refused, rightly"
    AGREE = "right"


DEFECTS = frozenset({Verdict.CRASH, Verdict.WRONG, Verdict.RAN, Verdict.REFUSED_HERE, Verdict.ESCAPE})


LISTED = {
    "overlap": "one element would read what another one writes, so the result depends on the order of the loop; PyTorch "
    "refuses this only where both tensors are without gaps, otherwise it leaves the result to its kernels",
    "left": "a view whose base left the history, and whose storage was then written: it is not known what the view depends on",
}
"""Optional refusals of statements that have a meaning: the reference's name, with the reason."""


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes:
        verdict: its verdict.
        where: the line, or the tensor of the outcome.
        kind: the class of the exception, or which part differs: for counting, and for shrinking to the same defect.
        detail: the two answers.
    """

    verdict: Verdict
    where: str
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class Judgment:
    """All findings on one program."""

    program: Program
    findings: tuple[Finding, ...]
    escape: bool
    second: bool
    """Second derivatives were compared too."""
    gradients: int
    """The number of tensors whose gradients were compared with the reference."""

    @property
    def worst(self) -> Finding:
        """The finding that names the program."""
        order = list(Verdict)
        return min(self.findings, key=lambda f: order.index(f.verdict), default=Finding(Verdict.AGREE, "", ""))


def tolerance(program: Program, *, second: bool = False) -> float:
    """The allowed difference of two right results, relative to their largest number."""
    return 2e-3 if "float32" in program.dtypes else 1e-6 if second else 1e-8


def judge(program: Program, *, second: bool = False, torch: bool = False) -> Judgment:
    """Run a program everywhere, and compare.

    There is no agreed second derivative through a hook: a rule that is written in terms of its result (`exp`) passes the
    hook on that result again, one in terms of its input (`sin`) does not.
    """
    second = second and all(statement.op != "hook" for statement in program)
    ours = OURS.run(program, second=second)
    expected, escape = run_reference.run(program, second=second, refused=ours.refusals)
    beside = torch and not expected.left  # PyTorch drops the history of views whose base has left it
    case = _Case(program, ours, expected, TORCH.run(program, second=second) if beside else None, escape)
    held = 0 if escape else sum(isinstance(probe, Mapping) for probe in ours.probes.values())
    return Judgment(program, tuple(case.findings()), escape, second, held)


@dataclass(frozen=True)
class _Case:
    program: Program
    ours: Outcome
    expected: Outcome
    torch: Outcome | None
    escape: bool

    def findings(self) -> Iterator[Finding]:
        yield from self._statements()
        yield from self._state()
        for name, probe in self.ours.probes.items():
            yield from self._gradient(name, probe)
        if self.escape:
            yield from self._against_torch()

    # ---- refusals ------------------------------------------------------------------------------------------------------

    def _statements(self) -> Iterator[Finding]:
        for position, statement in enumerate(self.program):
            line = OURS.line(statement)
            here, should = self.ours.refusals.get(position), self.expected.refusals.get(position)
            if here is None and should is not None and not self._may_run(position, should):
                yield Finding(Verdict.RAN, line, should.kind)
            elif here is not None and here.kind != "unbound":
                verdict = Verdict.REFUSED_HERE if self._needless(position, should) else self._excused(position, should)
                yield _refused(here, line, verdict)
            elif here is None and self._comparable(position) and not self._torch_ran(position):
                yield Finding(Verdict.RIGHT_HERE, line, self._of_torch(position).kind, self._of_torch(position).message)

    def _may_run(self, position: int, should: Refusal) -> bool:
        """True if it is no mistake to run this: values and gradients are compared later."""
        torch_refused = self._comparable(position) and not self._torch_ran(position)
        return should.kind in MAY_RUN or (self.escape and not torch_refused)

    def _needless(self, position: int, should: Refusal | None) -> bool:
        """True if it is a mistake to refuse this."""
        if should is not None and should.kind in LISTED:
            return False
        if self.escape or (should is not None and should.kind == "touch"):
            return self._torch_ran(position)
        unexplained = self.torch is None and self.program.statements[position].op != "backward"
        return should is None and (unexplained or self._torch_ran(position))

    def _excused(self, position: int, should: Refusal | None) -> Verdict:
        listed = should is not None and should.kind in LISTED and self._torch_ran(position)
        return Verdict.LISTED if listed else Verdict.REFUSED

    def _comparable(self, position: int) -> bool:
        """True if PyTorch ran the same statements before this one."""
        if self.torch is None or (self.torch.lost is not None and self.torch.lost <= position):
            return False
        return {p for p in self.torch.refusals if p < position} == {p for p in self.ours.refusals if p < position}

    def _same_tensors(self) -> bool:
        """True if PyTorch ran the same program to the end, with the same effect on all values.

        It need not: PyTorch's results keep the order of axes of their operands, Paddle's are packed; so what is a view
        after `reshape` in the one may be a copy in the other.
        """
        if self.torch is None or not self._comparable(len(self.program)) or self.torch.strides != self.ours.strides:
            return False
        small, values = tolerance(self.program), self.torch.values
        return all(close(value, values[name], small) for name, value in self.ours.values.items())

    def _torch_ran(self, position: int) -> bool:
        return self._comparable(position) and self.torch is not None and position not in self.torch.refusals

    def _of_torch(self, position: int) -> Refusal:
        assert self.torch is not None
        return self.torch.refusals[position]

    # ---- outcomes ------------------------------------------------------------------------------------------------------

    def _state(self) -> Iterator[Finding]:
        for name, value in self.expected.values.items():
            if not close(self.ours.values[name], value, tolerance(self.program)):
                yield _wrong(name, "value", self.ours.values[name], value)
            if self.ours.versions[name] != self.expected.versions[name]:
                yield _wrong(name, "version", self.ours.versions[name], self.expected.versions[name])
            if not self.escape and self.ours.stopped[name] != self.expected.stopped[name]:
                yield _wrong(name, "stop_gradient", self.ours.stopped[name], self.expected.stopped[name])
        for name, gradient in {} if self.escape else self.expected.grads.items():
            ours = self.ours.grads.get(name)
            if gradient is not None and name in self.ours.grads and not agree(ours, gradient, tolerance(self.program)):
                yield _wrong(name, ".grad", ours, gradient)

    def _gradient(self, name: str, probe: Probe) -> Iterator[Finding]:
        torch = self.torch.probes.get(name) if self.torch and self._same_tensors() else None
        expected = None if self.escape else self.expected.probes.get(name)
        if isinstance(probe, Refusal):
            right = isinstance(torch, Mapping) and (expected is None or not _differs(self.program, torch, expected))
            yield _refused(probe, f"gradient of {name}", Verdict.REFUSED_HERE if right else Verdict.REFUSED)
            return
        if expected is not None and (which := _differs(self.program, probe, expected)):
            yield Finding(
                Verdict.WRONG, f"gradient of {name}", which, f"{_plain(probe)}\nreference: {_plain(expected)}"
            )
        elif isinstance(torch, Refusal):
            yield Finding(Verdict.RIGHT_HERE, f"gradient of {name}", torch.kind, torch.message)

    def _against_torch(self) -> Iterator[Finding]:
        if self.torch is None or not self._same_tensors() or self._refused_backward():
            return
        for name, torch in self.torch.probes.items():
            probe = self.ours.probes.get(name)
            if (
                isinstance(probe, Mapping)
                and isinstance(torch, Mapping)
                and (which := _differs(self.program, probe, torch))
            ):
                yield Finding(
                    Verdict.ESCAPE, f"gradient of {name}", which, f"{_plain(probe)}\nPyTorch: {_plain(torch)}"
                )

    def _refused_backward(self) -> bool:
        """In PyTorch a refused backward leaves partial results."""
        return any(self.program.statements[p].op == "backward" for p in self.ours.refusals)


def _differs(program: Program, probe: Probe, expected: Probe) -> str:
    """The name of the part of the gradients that differs; "" if none does."""
    assert isinstance(probe, Mapping)
    assert isinstance(expected, Mapping)
    for leaf, found in probe.items():
        want = expected.get(leaf, Gradient(0 * found.first, None))
        if not agree(found.first, want.first, tolerance(program)):
            return "first derivative"
        if want.second is not None and not agree(found.second, want.second, tolerance(program, second=True)):
            return "second derivative"
    return ""


def _refused(refusal: Refusal, where: str, verdict: Verdict) -> Finding:
    return Finding(Verdict.CRASH if refusal.crash else verdict, where, refusal.kind, refusal.message)


def _wrong(where: str, kind: str, found: Any, expected: Any) -> Finding:
    return Finding(Verdict.WRONG, where, kind, f"{_short(found)}, reference: {_short(expected)}")


def _short(value: Any) -> str:
    return str(value.tolist() if hasattr(value, "tolist") else value)


def _plain(probe: Probe) -> str:
    assert isinstance(probe, Mapping)
    parts = (
        f"{leaf}: {_short(g.first)}" + ("" if g.second is None else f" / {_short(g.second)}")
        for leaf, g in probe.items()
    )
    return "; ".join(parts)
