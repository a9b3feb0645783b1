"""Runs a program plain, recorded and explained, as the command line does, and tells what it has left.

Each run is in a child of its own (`forking.py`), so it begins as the others do.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from inplacelab import cli
from inplacelab.cli import script
from inplacelab.cli.script import parsed_script, running, running_plainly
from inplacelab.diagnosis.findings import told
from inplacelab.diagnosis.recorded_failures import unnoticed
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.own_code import OWNS
from inplacelab.recorders.part import Part
from inplacelab.recording import Recording
from inplacelab.recording.facts import Step

from .state import parameters_of, state_of

WHOLE = 1_000_000
"""A limit that no program of the zoo reaches."""
FEW = 30
"""A limit that every program reaches before its first step."""
SECONDS = 1.0
"""So long gradients may be compared with those of this package's engine."""


@dataclass
class Left:
    """What a program has left.

    Attributes:
        state: see `state.state_of`.
        warned: its warnings, each with its place.
        raised: the type and the message of the exception that ended it; None if there was none.
        clock: when its steps began, and when the last one ended, by the clock of the process.
        parameters: how many its modules have.
        counted: a value that was asked for.
    """

    state: dict[str, str] = field(default_factory=dict)
    warned: list[str] = field(default_factory=list)
    raised: tuple[str, str] | None = None
    clock: list[float] = field(default_factory=list)
    parameters: int = 0
    counted: Any = None

    @property
    def steps(self) -> list[float]:
        """How long each step took."""
        return [end - begin for begin, end in zip(self.clock, self.clock[1:], strict=False)]


def differences(plain: Left, other: Left) -> list[str]:
    """Returns what two runs have left that differs, by name."""
    found = [] if plain.raised == other.raised else [f"the error: {plain.raised} and {other.raised}"]
    if plain.warned != other.warned:
        found.append(f"warnings: {_first_difference(plain.warned, other.warned)}")
    names = [*plain.state, *(each for each in other.state if each not in plain.state)]
    return found + [name for name in names if plain.state.get(name) != other.state.get(name)]


def _first_difference(ones: list[str], others: list[str]) -> str:
    pairs = zip([*ones, "nothing"], [*others, "nothing"], strict=False)
    return next((f"{one[:150]} and {other[:150]}" for one, other in pairs if one != other), "")


@contextmanager
def observed(left: Left, counted: str = "") -> Iterator[None]:
    """Has what a program leaves noted when it has ended, before its names are gone.

    Args:
        left: receives it.
        counted: a name of the program whose value is noted, too.
    """
    entered = vars(script)["main_module"]

    @contextmanager
    def main_module(main: Main, arguments: Any) -> Iterator[ModuleType]:
        with entered(main, arguments) as module:
            for each in Path(__file__).parent.glob("*.py"):  # what runs the program is no part of it
                OWNS[str(each)] = False
            yield module
            names = vars(module)
            left.clock, left.counted = list(names.get("clock", ())), names.get(counted)
            left.state, left.parameters = state_of(names), parameters_of(names)

    def show(message: Any, category: type, filename: str, lineno: int, *_: Any) -> None:
        left.warned.append(f"{category.__name__}: {message} ({filename}:{lineno})")

    vars(script)["main_module"] = main_module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = show  # type: ignore[assignment]
            yield
    finally:
        vars(script)["main_module"] = entered


def plain(program: Path, counted: str = "") -> Left:
    """Runs a program as Python does."""
    left, main = Left(), Main(program)
    with (
        observed(left, counted),
        running_plainly(main, [], parsed_script(program)[1], left=lambda _, __: None) as ran,
    ):
        left.raised = None if ran.raised is None else told(ran.raised)
    return left


def recorded(
    program: Path, limit: int = WHOLE, *, judged: float = 0, look: Callable[[Recording], Any] = lambda _: None
) -> tuple[Left, Any]:
    """Runs a program as `inplacelab record` does.

    Args:
        program: its file.
        limit: how many steps are recorded.
        judged: how long its gradients may be compared with those of this package's engine.
        look: is called with the recording.

    Returns:
        What the program has left, and what `look` has returned.
    """
    left = Left()
    with (
        observed(left),
        running(Main(program), [], title=None, part=Part(limit), judged=judged) as ran,
    ):
        left.raised = None if ran.raised is None else told(ran.raised)
        assert ran.recording is not None
        left.counted = ran.judgment
        return left, look(ran.recording)


@dataclass(frozen=True)
class Explained:
    """What `inplacelab explain` has said of a program: its failures, and what was not watched."""

    failures: list[dict[str, Any]]
    remarks: list[str]
    operations: int


def explained(program: Path) -> tuple[Left, Explained]:
    """Runs `inplacelab explain` on a program."""
    left, to = Left(), program.with_suffix(".json")
    to.unlink(missing_ok=True)
    with observed(left):
        cli.main(["explain", "--lang", "en", str(program), "-o", str(to)])
    said = json.loads(to.read_text(encoding="utf-8"))
    raised = said["raised"]
    left.raised = None if raised is None else (raised["type"], raised["message"])
    return left, Explained(said["failures"], said["remarks"], said["watched"]["operations"])


@dataclass(frozen=True)
class Judged:
    """What the comparison of gradients with those of this package's engine has shown.

    Attributes:
        compared, passes: how many gradients and passes agree.
        left_out: how many gradients were not compared, and why the comparison ended early, if it did.
        accused: what is said to be wrong.
    """

    compared: int
    passes: int
    left_out: int
    ended: str
    accused: list[str]


def judged(program: Path) -> tuple[Left, Judged]:
    """Runs a program recorded, with its gradients compared."""
    ran: list[Recording] = []

    def look(recording: Recording) -> list[str]:
        ran.append(recording)
        return []

    left, _ = recorded(program, judged=SECONDS, look=look)
    (recording,) = ran
    judgment, left.counted = left.counted, None
    accused = [str(each.facts.wrong) for each in unnoticed(recording, str(program), judgment)]
    ended = judgment.failure or ("it computes too much" if judgment.ended else "")
    return left, Judged(judgment.compared, judgment.passes, len(judgment.left_out), ended, accused)


def alarms(recording: Recording, program: Path) -> list[str]:
    """Returns what a recording says went wrong in a backward pass."""
    steps = [_alarm(step) for step in recording.steps]
    unseen = [f"wrong: {each.facts.wrong}" for each in unnoticed(recording, str(program), None)]
    return [each for each in steps if each] + unseen


def _alarm(step: Step) -> str:
    passing = step.backward
    if passing is not None and passing.kept_at != passing.found_at:
        return f"step {step.index} unpacks {passing.saved} of version {passing.kept_at}, and finds {passing.found_at}"
    return f"step {step.index} is an error: {step.error.message[:200]}" if step.error is not None else ""


def digest(recording: Recording) -> str:
    """Returns a digest of what happened in a recording, without values."""
    steps = (
        (each.kind, each.op, each.category, each.place, each.inputs, each.output, each.writes, each.tensors, each.counters, each.nodes, each.live, each.peak)
        for each in recording.steps
    )  # fmt: skip
    return sha256("".join(map(repr, steps)).encode()).hexdigest()[:16]


def fastest(steps: list[float]) -> float:
    """Returns how long a step takes: the fastest but the first, which prepares what the others use, too."""
    return min(steps[1:] or steps or [0.0])
