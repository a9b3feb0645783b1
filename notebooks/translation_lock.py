"""Tracks translations: reports an English paragraph that has changed until its Chinese translation has been checked.

`translation_lock/`, beside the sources, has the fingerprints of each source's English paragraphs when an author last compared them
with their translations. `python notebooks/build.py --translated SOURCE` records that they were compared.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from lesson_source import Prose, read_lesson

_DIGITS = 12
_BEGINNING = 60


def note(source: Path) -> None:
    """Records that the translation of each English paragraph of `source` was checked.

    Raises:
        LessonError: if the source is malformed.
    """
    record = _record(source)
    record.parent.mkdir(exist_ok=True)
    lines = [f"{fingerprint(prose.en)} {_beginning(prose.en)}\n" for prose in _paragraphs(source)]
    record.write_text("".join(lines), encoding="utf-8", newline="\n")


def unseen(source: Path) -> list[str]:
    """Returns the English paragraphs of `source` whose translation was not checked since they changed: file, line, first words.

    Raises:
        LessonError: if the source is malformed.
    """
    record = _record(source)
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    known = {line.split(" ", 1)[0] for line in lines}
    return [
        f"{source.name}:{prose.line}: {_beginning(prose.en)}"
        for prose in _paragraphs(source)
        if fingerprint(prose.en) not in known
    ]


def fingerprint(text: str) -> str:
    """Returns a hash that is the same for texts that differ only in their line breaks."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:_DIGITS]


def _record(source: Path) -> Path:
    return source.parent / "translation_lock" / f"{source.stem}.txt"


def _paragraphs(source: Path) -> list[Prose]:
    return [block for block in read_lesson(source) if isinstance(block, Prose)]


def _beginning(text: str) -> str:
    return text.split("\n", 1)[0][:_BEGINNING].rstrip()
