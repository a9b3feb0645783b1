"""Records a program that runs for a trial, to find out where its backward fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program, parsed
from inplacelab.recorders.run import Session
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.fixes.stale_values import trails
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import program_of

STEPS = 50_000
"""Of longer programs nothing can be found out."""


def recorded(
    framework: str, script: Path, text: str, names: dict[str, Any]
) -> tuple[BaseException | None, tuple[Trail, ...]]:
    """Runs a script under a recorder.

    Returns:
        The exception that it raised, and the trails of the values that its last backward pass would have found overwritten.
    """
    tree = parsed(text)
    program = Program.of(tree, text.rstrip("\n"), str(script))
    session = Session(program, limit=STEPS, fix=False, use=Use(framework))
    raised = session.run([compile(instrument.instrumented(tree), str(script), "exec", dont_inherit=True)], names)
    return raised, () if raised is None else recorded_trails(session.recording(), str(script))


def recorded_trails(recording: Recording, filename: str) -> tuple[Trail, ...]:
    """Returns the trails of the failed backward pass at the end of a script's recording."""
    program = program_of(recording)
    found = [] if program is None or not recording.steps else trails(recording, program)

    return tuple(each.renamed(lambda _: filename) for each in found)
