"""The lessons, copied to a folder of the learner's. What a learner has changed is never overwritten.

Beside the notebooks lies a file with the fingerprint of each as it was delivered. So a notebook that the learner has
worked in is told from one that is only older than ours.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path

RECORD = ".delivered.json"
_PACKED = Path(__file__).parent / "notebooks"
_IN_A_CLONE = Path(__file__).parents[2] / "notebooks"


class Outcome(Enum):
    """What became of one notebook."""

    NEW = "new"
    SAME = "same"
    UPDATED = "updated"
    KEPT = "kept"
    BESIDE = "beside"


@dataclass(frozen=True, slots=True)
class Delivered:
    """One notebook.

    Attributes:
        path: where the present lesson is; if `KEPT`, where the learner's own is.
        outcome: what was done. `BESIDE`: the learner has changed the older one, and ours was put beside it.
        own: the learner's changed notebook, if ours was put beside it.
    """

    path: Path
    outcome: Outcome
    own: Path | None = None


def shipped(language: str) -> tuple[Path, ...]:
    """The notebooks in a language that came with this installation, in their order; none if it has none."""
    folder = _PACKED if _PACKED.is_dir() else _IN_A_CLONE
    return tuple(sorted((folder / language).glob("*.ipynb")))


def deliver(notebooks: tuple[Path, ...], folder: Path) -> tuple[Delivered, ...]:
    """Copy notebooks to `folder`, which is made if need be. To do so again changes nothing.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = _read(folder / RECORD)
    try:
        return tuple(_deliver(notebook, folder, record) for notebook in notebooks)
    finally:
        _write(folder / RECORD, (json.dumps(record, indent=1, sort_keys=True) + "\n").encode())


def _deliver(notebook: Path, folder: Path, record: dict[str, str]) -> Delivered:
    content = notebook.read_bytes()
    ours, own = _fingerprint(content), None
    for path in _places(folder, notebook):
        delivered, present = record.get(path.name), _fingerprint(path.read_bytes()) if path.exists() else None
        if present == ours:
            outcome = Outcome.SAME
        elif present is None:
            outcome = Outcome.NEW if own is None else Outcome.BESIDE
        elif delivered == present:
            outcome = Outcome.UPDATED
        elif delivered == ours:
            outcome = Outcome.KEPT  # changed by the learner, and nothing newer has come since
        else:
            own = own or path
            continue
        if outcome in {Outcome.NEW, Outcome.BESIDE, Outcome.UPDATED}:
            _write(path, content)
        record[path.name] = ours
        return Delivered(path, outcome, own)
    raise AssertionError  # the places never end


def _places(folder: Path, notebook: Path) -> Iterator[Path]:
    """Where a notebook may stand: under its name, else under names that say that it is a newer one."""
    yield folder / notebook.name
    for number in count(1):
        yield folder / f"{notebook.stem}.new{number if number > 1 else ''}{notebook.suffix}"


def _fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: Path) -> dict[str, str]:
    """What was delivered when. A record that cannot be read says nothing: then every notebook counts as the learner's."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(mark) for name, mark in known.items()} if isinstance(known, dict) else {}


def _write(path: Path, content: bytes) -> None:
    """In one go: an interruption leaves the old file or the new one."""
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
