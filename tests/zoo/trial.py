"""Tries one entry: runs its program in every way, and tells what was compared."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from inplacelab.recording import Recording

from . import planting, replaying, running
from .entry import Entry
from .forking import ChildError, forked

Found = dict[str, Any]

_NEEDED = (
    "numpy", "torch._dynamo", "torch.nn.utils", "inplacelab.cli", "inplacelab.frameworks.torch.recorder", "inplacelab.frameworks.torch.watch",
    "inplacelab.frameworks.torch.on_engine", "inplacelab.recorders.judging.judge", "inplacelab.recorders.builder", "inplacelab.recorders.advice",
)  # fmt: skip
"""What every program needs, or what records it."""


def version_of(package: str) -> str:
    """Returns the version of a package; "" if it is not known."""
    for name in importlib.metadata.packages_distributions().get(package, (package,)):
        with suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    return ""


def import_for(entries: Iterable[Entry]) -> None:
    """Imports what the programs of entries import, so that it is imported once. What cannot be imported fails where a program needs it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in (*_NEEDED, *dict.fromkeys(module for each in entries for module in _imports(each))):
            with suppress(Exception):  # also names of classes and functions
                importlib.import_module(name)


def _imports(entry: Entry) -> Iterator[str]:
    for node in ast.parse(entry.program_text()).body:
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


WAYS = ("recorded", "limited", "explained", "judged", "replayed", "planted")
"""How a program is run, beside plain."""


def tried(entry: Entry, folder: Path, ways: Sequence[str] = WAYS) -> Found:
    """Runs an entry in every way, or in some. Returns what was found, which can be written as JSON; what differs or is wrong is in `faults`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "program.py"
    program.write_text(entry.program_text(), encoding="utf-8")
    found: Found = {"name": entry.name, "package": entry.package, "version": version_of(entry.package), "faults": []}
    faults: list[str] = found["faults"]
    try:
        left, printed = forked(lambda: running.plain(program), folder)
    except ChildError as error:
        faults.append(f"plain: {error}")
        return found
    if left.raised is not None:
        faults.append(f"the program itself fails: {left.raised}")
        return found
    found |= {
        "compared": len(left.state),
        "parameters": left.parameters,
        "seconds": {"plain": running.fastest(left.steps)},
    }
    for name, run in _runs(program).items():
        if name not in ways:
            continue
        try:
            (other, found[name]), said = forked(run, folder)
        except ChildError as error:
            faults.append(f"{name}: {error}")
            continue
        found["seconds"][name] = running.fastest(other.steps)
        differing = running.differences(left, other) + ([] if said == printed else ["what it prints"])
        faults += [f"{name}: differs: {each}" for each in differing[:5]]
        faults += [f"{name}: {each}" for each in found[name].pop("faults")[:5]]
    one, other = (found.get(name, {}).get("digest") for name in ("recorded", "replayed"))
    if None not in (one, other) and one != other:
        faults.append("replayed: the recording is another one than without notes")
    if entry.train and "planted" in ways:
        _plant(entry, folder, found)
    return found


def _plant(entry: Entry, folder: Path, found: Found) -> None:
    try:
        planted = planting.planted(entry, folder)
    except ChildError as error:
        found["faults"].append(f"planted: {error}")
        return
    found["planted"] = asdict(planted)
    if planted.said:
        found["faults"].append(f"planted: explain does not name the line: {planted.said}")


def _runs(program: Path) -> dict[str, Callable[[], tuple[running.Left, Found]]]:
    """The ways in which a program is run beside the plain one. Each returns what the program has left, and what was found."""

    def recorded(limit: int) -> tuple[running.Left, Found]:
        def look(recording: Recording) -> Found:
            notes = [[each.en, each.zh] for each in recording.notes]
            alarms = running.alarms(recording, program)
            return {"events": len(recording), "notes": notes, "faults": alarms, "digest": running.digest(recording)}

        return running.recorded(program, limit, look=look)

    def explained() -> tuple[running.Left, Found]:
        left, said = running.explained(program)
        return left, {"faults": [str(each)[:500] for each in said.failures], "remarks": said.remarks}

    def judged() -> tuple[running.Left, Found]:
        left, said = running.judged(program)
        return left, {"faults": said.accused, **asdict(said)}

    def replayed() -> tuple[running.Left, Found]:
        with replaying.noting() as notes:
            left, said = running.recorded(
                program, look=lambda each: (vars(replaying.replayed(each, notes)), running.digest(each))
            )
        differing = notes.memory.differences()
        memory = {
            "statements": len(notes.memory.lines),
            "differing": len(differing),
            "where": differing[:3],
            "highest": max(notes.memory.live),
        }
        return left, {**said[0], "digest": said[1], "memory": memory}

    return {
        "recorded": lambda: recorded(running.WHOLE),
        "limited": lambda: recorded(running.FEW),
        "explained": explained,
        "judged": judged,
        "replayed": replayed,
    }


def write(found: Found, to: Path) -> None:
    """Writes what was found of an entry."""
    to.write_text(json.dumps(found, indent=1, default=str) + "\n", encoding="utf-8")
