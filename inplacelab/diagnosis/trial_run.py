"""Runs a script once for a trial, in a process of its own: `python -m inplacelab.diagnosis.trial_run REQUEST`.

The reference is the original program, in which what grad nodes save is
copied and kept: nothing can be overwritten or missing, so its gradients are those that were meant.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import decode_source
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from inplacelab.language import Text
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.fix_search import Outcome, WrongGradient
from inplacelab.recorders.judging.judgment import Corrects, Difference, Judgment
from inplacelab.recorders.main_module import Main, NoModuleError, main_module
from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.part import Part
from inplacelab.recorders.program import Program
from inplacelab.recorders.replay import keeping
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import Sources, parsed
from inplacelab.recorders.static import class_name, message_of
from inplacelab.recorders.trial_data import OWN, OtherData
from inplacelab.recorders.trial_end import End
from inplacelab.recording.facts import EditFacts, Step
from inplacelab.recording.fixes.order import keeps_order
from inplacelab.recording.fixes.spots import Spot
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import line_text
from inplacelab.recording.trace import ending_trails
from inplacelab.recording.unnoticed_writes import unnoticed_writes
from inplacelab.supported import frameworks, loaded


@dataclass(frozen=True)
class Asked:
    """What a trial asks.

    Attributes:
        reference: whether what grad nodes save is copied, and kept by every pass.
        judged: whether gradients are compared with those of this package's engine, as they always are in the reference.
        number: on which data.
        edits: edits of the script that may move a statement across another one that depends on it; the script
            itself runs without them. None for any other trial.
        seconds: how long finite differences may take.
        judging: how long the comparison with this package's engine may take.
        end: when it ends early.
        elements: the elements of gradients at which finite differences are computed, by the names of leaves; None for no finite differences.
        recorded: whether the outcome has a recording of the run.
        measured: whether memory is measured, and nothing else is found out.
    """

    reference: bool = False
    judged: bool = False
    number: int = OWN
    edits: tuple[EditFacts, ...] | None = None
    seconds: float = 0.0
    judging: float = 0.0
    end: End = field(default_factory=End)
    elements: Mapping[str, int] | None = None
    recorded: bool = False
    measured: bool = False

    @cached_property
    def data(self) -> OtherData:
        """The data."""
        return OtherData(self.number)


@dataclass(frozen=True)
class Request:
    """What is run.

    Attributes:
        script: the script, or the file of the module, in a copy of its folder.
        module: the name of the module; None for a script.
        arguments: its arguments.
        folder: the folder of which its own is a copy.
        framework: its framework.
        outcome: the file that gets the outcome.
        asked: how it runs.
    """

    script: Path
    module: str | None
    arguments: list[str]
    folder: Path
    framework: str
    outcome: Path
    asked: Asked


class Run(Protocol):
    """Runs scripts of one framework."""

    def __call__(self, main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
        """Runs a script.

        Args:
            main: the script or the module.
            text: its text.
            names: the names of the main module.
            asked: how.
        """


_ELSEWHERE = Text(
    "the copy of {0} cannot be run: Python finds that module in {1}", "无法运行 {0} 的副本：Python 找到的模块位于 {1}"
)


def error_of(raised: BaseException | None) -> str:
    """Returns the class and the text of what a script has raised; "" if it ended well."""
    if raised is None or (isinstance(raised, SystemExit) and raised.code in (None, 0)):
        return ""
    return f"{class_name(type(raised))}: {message_of(raised)}"


def _main_of(told: Request) -> Main:
    """Returns what a request wants to run.

    Raises:
        NoModuleError: if it is a module, and cannot be imported, or would not be the copy.
    """
    if told.module is None:
        return Main(told.script)
    found = Main.of_module(told.module, told.arguments)
    if found.path.resolve() != told.script.resolve():
        raise NoModuleError(_ELSEWHERE.format(told.module, found.path))
    return found


def main(request: Path) -> None:
    """Runs a request."""
    told: Request = pickle.loads(request.read_bytes())  # written by our own process
    process, before = os.getpid(), frozenset(sys.modules)
    sys.path.append(str(told.folder))  # libraries that stand there are not copied
    run: Run = loaded(frameworks()[told.framework].trial)
    try:
        program = _main_of(told)
    except NoModuleError as reason:
        outcome = Outcome(error_of(reason))
    else:
        printed = io.StringIO()
        with main_module(program, told.arguments) as module, told.asked.data.seeded(), redirect_stdout(printed):
            begun = time.monotonic()
            outcome = run(program, decode_source(program.path.read_bytes()), vars(module), told.asked)
            outcome.seconds = time.monotonic() - begun
        outcome.printed = printed.getvalue()
    outcome.libraries = tuple(_libraries(before))
    if os.getpid() == process:  # and not a child that the script has forked
        told.outcome.write_bytes(pickle.dumps(outcome))


def _libraries(before: frozenset[str]) -> Iterator[str]:
    """Yields the names of the modules of libraries that were imported since then."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name not in before and isinstance(file, str) and not is_own(file):
            yield name


STEPS = 50_000
"""Of longer programs nothing can be found out."""


def recorded(
    framework: str, script: Path, text: str, names: dict[str, Any], asked: Asked, *, keeps: bool = False,
    corrects: Corrects | None = None,
) -> Outcome:  # fmt: skip
    """Runs a script under a recorder. Returns how it ended, and what its recording shows.

    Args:
        framework: its framework.
        script: its path.
        text: its text.
        names: the names of its main module.
        asked: how it runs.
        keeps: whether its calls of `backward` keep the graph in the reference.
        corrects: puts the engine's gradients into the places of those that the framework gets wrong in the reference.
    """
    tree = parsed(text)
    program = Program.of(tree, text.rstrip("\n"), str(script))
    session = Session(program, part=Part(STEPS), fix=False, use=Use(framework))
    if asked.judged or (asked.reference and asked.edits is None):
        session.compares_gradients(corrects if asked.reference else None, seconds=asked.judging)
    shown = keeping(tree) if keeps and asked.reference else tree
    raised = session.run([compile(instrument.instrumented(shown), str(script), "exec", dont_inherit=True)], names)
    recording, error = session.recording(), error_of(raised)
    # In the reference, nodes have copies of the parameters.
    known = [each for each in unnoticed_writes(recording) if not (asked.reference and each.is_update)]
    unnoticed = dict.fromkeys(each.write.line for each in known)
    judged = session.judgment or Judgment()
    return Outcome(
        error,
        trails=tuple(ending_trails(recording, str(script))) if error else (),
        unnoticed=tuple(line for line in unnoticed if line is not None),
        wrong=min(
            (*(_number_of(each.begun, recording) for each in known), *(each.number for each in judged.differences)),
            default=0,
        ),
        errors=tuple(_wrong(each, recording, program.sources) for each in judged.differences),
        is_judged=judged.is_whole,
        is_corrected=not judged.left_wrong,
        keeps_order=asked.edits is None or keeps_order(recording, session.began, asked.edits),
        recording=replace(recording)
        if asked.recorded
        else None,  # without what was found in it, of which some cannot be pickled
    )


def _wrong(found: Difference, recording: Recording, sources: Sources) -> WrongGradient:
    """Returns an element of a gradient that the framework gets wrong: that which is farthest off."""
    meant = np.asarray(found.expected)
    theirs = np.zeros_like(meant) if found.found is None else found.found
    position = int(np.nan_to_num(np.abs(theirs - meant), nan=np.inf).argmax())
    cause = found.cause
    place = next(iter(found.writes), None) if cause is None else cause.place
    spot = None
    if place is not None:
        spot = Spot(sources.seen[place.source].filename, place.line, place.line, op="" if cause is None else cause.name)
    return WrongGradient(
        found.names[0] if found.names else "", float(theirs.flat[position]), float(meant.flat[position]), spot,
        line_text(recording, place).strip(), own_gradient=cause is not None,
    )  # fmt: skip


def _number_of(begun: Step, recording: Recording) -> int:
    """Returns the number of the pass that a step began, from 1 on. Passes that run inside another one are not counted."""
    number = depth = 0
    for step in recording.steps[: begun.index + 1]:
        action = None if step.backward is None else step.backward.action
        if action == "begin":
            number += not depth
            depth += 1
        elif action == "end" or (step.kind == "error" and step.phase == "backward"):
            depth = max(0, depth - 1)
    return number


if __name__ == "__main__":
    main(Path(sys.argv[1]))
