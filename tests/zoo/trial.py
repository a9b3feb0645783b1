"""Tries one entry: runs its program in every way, and tells what was compared."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import running
from .entry import Entry
from .forking import ChildError, forked

Found = dict[str, Any]

_NEEDED = (
    "numpy", "torch._dynamo", "torch.nn.utils", "inplacelab.cli", "inplacelab.frameworks.torch.recorder", "inplacelab.frameworks.torch.watch",
    "inplacelab.frameworks.torch.on_engine", "inplacelab.recorders.judging.judge", "inplacelab.recorders.builder", "inplacelab.recorders.advice",
)  # fmt: skip
"""What every program needs, or what records it."""


def is_installed(package: str) -> bool:
    """Whether a package can be imported here."""
    return importlib.util.find_spec(package) is not None


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


def tried(entry: Entry, folder: Path) -> Found:
    """Runs an entry in every way. Returns what was found, which can be written as JSON; what differs or is wrong is in `faults`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "program.py"
    program.write_text(entry.program_text(), encoding="utf-8")
    found: Found = {"name": entry.name, "package": entry.package, "version": version_of(entry.package), "faults": []}
    try:
        left, printed = forked(lambda: running.plain(program), folder)
    except ChildError as error:
        found["faults"].append(f"plain: {error}")
        return found
    if left.raised is not None:
        found["faults"].append(f"the program itself fails: {left.raised}")
        return found
    found["compared"], found["seconds"] = len(left.state), {"plain": running.fastest(left.steps)}
    for name, run in _runs(program).items():
        try:
            (other, more), said = forked(run, folder)
        except ChildError as error:
            found["faults"].append(f"{name}: {error}")
            continue
        differing = running.differences(left, other) + ([] if said == printed else ["what it prints"])
        found["faults"] += [f"{name}: differs: {each}" for each in differing[:5]]
        found["seconds"][name] = running.fastest(other.steps)
        found[name] = more
        found["faults"] += [f"{name}: {each}" for each in more.get("alarms", ())[:5]]
    return found


def _runs(program: Path) -> dict[str, Callable[[], Any]]:
    """The ways in which a program is run beside the plain one. Each returns what the program has left, and what was found."""

    def recorded(limit: int) -> Any:
        return running.recorded(
            program, limit,
            look=lambda recording: {
                "events": len(recording), "notes": [each.en for each in recording.notes], "alarms": running.alarms(recording, program)
            },
        )  # fmt: skip

    def explained() -> Any:
        left, said = running.explained(program)
        return left, {"alarms": [str(each)[:500] for each in said.failures], **asdict(said)}

    def judged() -> Any:
        left, said = running.judged(program)
        return left, {"alarms": said.accused, **asdict(said)}

    return {
        "recorded": lambda: recorded(running.WHOLE),
        "limited": lambda: recorded(running.FEW),
        "explained": explained,
        "judged": judged,
    }


def write(found: Found, to: Path) -> None:
    """Writes what was found of an entry."""
    to.write_text(json.dumps(found, indent=1, default=str) + "\n", encoding="utf-8")
