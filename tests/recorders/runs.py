"""Runs programs of any framework for the tests: recorded, and plain."""

from __future__ import annotations

import ast
import textwrap
from importlib import import_module
from typing import Any, NamedTuple

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.part import LIMIT, Part
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording import Recording

SHORT = {"numpy": "np"}
"""What programs call a framework, if not by its own name."""


class Run(NamedTuple):
    recording: Recording
    names: dict[str, Any]
    failure: BaseException | None


def run(text: str, framework: str, *, limit: int = LIMIT, **names: Any) -> Run:
    """Runs a program under the recorder of its framework, as `%%stepper` does. The framework need not be imported in it."""
    text, filename = textwrap.dedent(text), f"<{framework}>"
    tree, known = ast.parse(text), names_for(framework, **names)
    session = Session(Program.of(tree, text, filename), part=Part(limit), use=Use(framework))
    failure = session.run([compile(instrument.instrumented(tree), filename, "exec")], known)
    return Run(session.recording(), known, failure)


def plain(text: str, framework: str, **names: Any) -> tuple[dict[str, Any], BaseException | None]:
    """Runs a program without a recorder; returns its names and its error."""
    known = names_for(framework, **names)
    try:
        exec(compile(textwrap.dedent(text), "<plain>", "exec"), known)
    except Exception as error:  # noqa: BLE001  # whatever the framework raises
        return known, error
    return known, None


def names_for(framework: str, **names: Any) -> dict[str, Any]:
    """The names that a program starts with."""
    return {SHORT.get(framework, framework): import_module(framework), "__name__": "__main__", **names}


def done(recording: Recording, line: int) -> list[tuple[str | None, str | None]]:
    """Operation and category of every step of a line."""
    return [(step.op, step.category) for step in recording.on_line(line)]


def written(recording: Recording, line: int) -> list[list[int]]:
    """The slots that each write on a line reached."""
    writes = [write for step in recording.on_line(line) for write in step.writes]
    return [[slot for first, end in write.slots for slot in range(first, end)] for write in writes]
