"""Records a program that runs for a trial, to find out where its backward fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program, parsed
from inplacelab.recorders.run import Session
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.order import keeps_order
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.fixes.stale_values import trails
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import program_of
from inplacelab.recording.unnoticed_writes import unnoticed_writes

STEPS = 50_000
"""Of longer programs nothing can be found out."""


@dataclass(frozen=True)
class Recorded:
    """How a script ran under a recorder.

    Attributes:
        raised: the exception that it raised.
        trails: the values that its last backward pass would have found overwritten.
        unnoticed: the lines of the writes that a backward pass did not know of, so that its gradients are wrong.
        keeps_order: whether edits of the script move no statement across one that depends on it, or on which it depends.
    """

    raised: BaseException | None
    trails: tuple[Trail, ...]
    unnoticed: tuple[int, ...]
    keeps_order: bool


def recorded(
    framework: str, script: Path, text: str, names: dict[str, Any], edits: Sequence[EditFacts] = ()
) -> Recorded:
    """Runs a script under a recorder.

    Args:
        framework: its framework.
        script: its path.
        text: its text.
        names: the names of its main module.
        edits: edits of it, with which it does not run.
    """
    tree = parsed(text)
    program = Program.of(tree, text.rstrip("\n"), str(script))
    session = Session(program, limit=STEPS, fix=False, use=Use(framework))
    raised = session.run([compile(instrument.instrumented(tree), str(script), "exec", dont_inherit=True)], names)
    recording = session.recording()
    unnoticed = dict.fromkeys(each.write.line for each in unnoticed_writes(recording))
    return Recorded(
        raised,
        () if raised is None else recorded_trails(recording, str(script)),
        tuple(line for line in unnoticed if line is not None),
        keeps_order(recording, session.began, edits),
    )


def recorded_trails(recording: Recording, filename: str) -> tuple[Trail, ...]:
    """Returns the trails of the failed backward pass at the end of a script's recording."""
    program = program_of(recording)
    found = [] if program is None or not recording.steps else trails(recording, program)

    return tuple(each.renamed(lambda _: filename) for each in found)
