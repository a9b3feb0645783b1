"""Records a program that runs for a trial, to find out where its backward fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inplacelab.diagnosis.trial_run import Asked, error_of
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.fix_search import Outcome
from inplacelab.recorders.program import Program, parsed
from inplacelab.recorders.replay import keeping
from inplacelab.recorders.run import Session
from inplacelab.recording.fixes.order import keeps_order
from inplacelab.recording.fixes.recorded import trails_of
from inplacelab.recording.unnoticed_writes import unnoticed_writes

STEPS = 50_000
"""Of longer programs nothing can be found out."""


def recorded(
    framework: str, script: Path, text: str, names: dict[str, Any], asked: Asked, *, keeps: bool = False
) -> Outcome:
    """Runs a script under a recorder. Returns how it ended, and what its recording shows.

    Args:
        framework: its framework.
        script: its path.
        text: its text.
        names: the names of its main module.
        asked: how it runs.
        keeps: whether its calls of `backward` keep the graph in the reference.
    """
    tree = parsed(text)
    program = Program.of(tree, text.rstrip("\n"), str(script))
    session = Session(program, limit=STEPS, fix=False, use=Use(framework))
    shown = keeping(tree) if keeps and asked.reference else tree
    raised = session.run([compile(instrument.instrumented(shown), str(script), "exec", dont_inherit=True)], names)
    recording, error = session.recording(), error_of(raised)
    unnoticed = dict.fromkeys(each.write.line for each in unnoticed_writes(recording))
    return Outcome(
        error,
        trails=tuple(trails_of(recording, str(script))) if error else (),
        unnoticed=tuple(line for line in unnoticed if line is not None),
        keeps_order=asked.edits is None or keeps_order(recording, session.began, asked.edits),
    )
