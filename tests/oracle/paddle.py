"""Runs the same programs on the real PaddlePaddle, and counts the verdicts: statistics, not a test.

Only programs with an undisputed result count: no escapes, nothing that should be refused, float64 throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from . import run_reference
from .frameworks import PADDLE
from .outcome import Outcome, Refusal, agree, close
from .program import Program
from .verdict import tolerance

RIGHT, REFUSED, WRONG, ABORTED = "right", "refused", "silently wrong", "aborted the whole process"

CONTEXT = get_context("spawn")
PATIENCE = 60.0
"""Seconds; the import of PaddlePaddle is among them."""


class Sandbox:
    """A separate process for PaddlePaddle: some programs corrupt its memory, and abort it or leave it hanging."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None

    def judge(self, program: Program) -> str:
        """`judge_paddle`, or `ABORTED`; then the next program gets a new process."""
        if self._process is None:
            self._line, there = CONTEXT.Pipe()
            self._process = CONTEXT.Process(target=_serve, args=(there,), daemon=True)
            self._process.start()
            there.close()
        try:
            self._line.send(program)
            if self._line.poll(PATIENCE):
                return str(self._line.recv())
        except (EOFError, OSError):
            pass
        self._process.kill()
        self._process = None
        return ABORTED


def _serve(line: Connection) -> None:
    while True:
        line.send(judge_paddle(line.recv()))


def judge_paddle(program: Program) -> str:
    """`RIGHT`; `REFUSED`: an exception, and nothing wrong before; `WRONG`: a wrong number without one; "": does not count."""
    if program.dtypes != {"float64"}:
        return ""
    expected, escape = run_reference.run(program)
    if escape or expected.refusals:
        return ""
    found = PADDLE.run(program)
    if found.refusals:
        return REFUSED
    return WRONG if _wrong(program, found, expected) else REFUSED if _any_refused(found) else RIGHT


def _any_refused(found: Outcome) -> bool:
    return any(isinstance(probe, Refusal) for probe in found.probes.values())


def _wrong(program: Program, found: Outcome, expected: Outcome) -> bool:
    """A wrong value or gradient, if there is one."""
    small = tolerance(program)
    if not all(close(found.values[name], value, small) for name, value in expected.values.items()):
        return True
    pairs = [(found.grads.get(name), gradient) for name, gradient in expected.grads.items()]
    for name, probe in expected.probes.items():
        given = found.probes.get(name, {})
        if isinstance(given, Mapping) and isinstance(probe, Mapping):
            pairs += [(given[leaf].first if leaf in given else None, each.first) for leaf, each in probe.items()]
    return not all(want is None or agree(have, want, small) for have, want in pairs)
