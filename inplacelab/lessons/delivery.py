"""Copies the lessons to the learner's folder, without outputs and without overwriting what the learner has changed.

The committed notebooks have outputs, for reading; under a question they are folded. A learner runs the cells. A file in the folder holds a fingerprint of
each notebook as delivered, which distinguishes a notebook that the learner has changed from one that is only older than ours.
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
    """What was done with a notebook."""

    NEW = "new"
    SAME = "same"
    UPDATED = "updated"
    KEPT = "kept"
    BESIDE = "beside"


@dataclass(frozen=True, slots=True)
class Delivered:
    """One notebook.

    Attributes:
        path: the current lesson; if `KEPT`, the learner's notebook.
        outcome: what was done. `BESIDE`: the learner has changed the older one, and ours was copied under another name.
        own: the learner's changed notebook, if ours has another name.
    """

    path: Path
    outcome: Outcome
    own: Path | None = None


def without_outputs(content: bytes) -> bytes:
    """Returns a notebook as it is before its first run. What a learner reads (prose and code) stays as it is.

    Args:
        content: the bytes of a notebook file.

    Raises:
        ValueError: if it is not JSON.

    >>> ran = b'{"cells": [{"cell_type": "code", "execution_count": 3, "outputs": [{"text": "1"}], "source": "1"}]}'
    >>> json.loads(without_outputs(ran))["cells"]
    [{'cell_type': 'code', 'execution_count': None, 'outputs': [], 'source': '1'}]
    """
    notebook = json.loads(content)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(execution_count=None, outputs=[])
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()


def shipped(language: str) -> tuple[Path, ...]:
    """Returns the installed notebooks in a language, in order; empty if the installation has none."""
    folder = _PACKED if _PACKED.is_dir() else _IN_A_CLONE
    return tuple(sorted((folder / language).glob("*.ipynb")))


def deliver(notebooks: tuple[Path, ...], folder: Path) -> tuple[Delivered, ...]:
    """Copies notebooks to a folder, which is made if it does not exist, without their outputs. Copying again changes nothing.

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
    content = without_outputs(notebook.read_bytes())
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
            outcome = Outcome.KEPT  # changed by the learner, and the lesson has not changed since
        else:
            own = own or path
            continue
        if outcome in {Outcome.NEW, Outcome.BESIDE, Outcome.UPDATED}:
            _write(path, content)
        record[path.name] = ours
        return Delivered(path, outcome, own)
    raise AssertionError  # `_places` is infinite


def _places(folder: Path, notebook: Path) -> Iterator[Path]:
    """Yields paths for a notebook: its name, then names that mark it as newer."""
    yield folder / notebook.name
    for number in count(1):
        yield folder / f"{notebook.stem}.new{number if number > 1 else ''}{notebook.suffix}"


def _fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: Path) -> dict[str, str]:
    """Reads the fingerprints. If the file cannot be read, every notebook counts as changed."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(mark) for name, mark in known.items()} if isinstance(known, dict) else {}


def _write(path: Path, content: bytes) -> None:
    """Replaces a file atomically: an interruption leaves the old or the new one."""
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
