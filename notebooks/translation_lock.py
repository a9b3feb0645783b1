"""Locks translations: after an English paragraph changed, its Chinese must be compared before the tests pass.

Beside the sources, `translation_lock/` holds for each one the fingerprints of its English paragraphs as they were when a person
last compared them with their Chinese partners. `python notebooks/build.py --translated SOURCE` is that person's word.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from lesson_source import Prose, read_lesson

_DIGITS = 12
_BEGINNING = 60


def note(source: Path) -> None:
    """Write down that the Chinese partner of each English paragraph of `source` has been seen.

    Raises:
        LessonError: if the source is malformed.
    """
    record = _record(source)
    record.parent.mkdir(exist_ok=True)
    lines = [f"{fingerprint(prose.en)} {_beginning(prose.en)}\n" for prose in _paragraphs(source)]
    record.write_text("".join(lines), encoding="utf-8", newline="\n")


def unseen(source: Path) -> list[str]:
    """Where `source` says something in English whose Chinese partner has not been seen since: file, line, first words.

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
    """The same for texts that differ only in how their lines are broken."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:_DIGITS]


def _record(source: Path) -> Path:
    return source.parent / "translation_lock" / f"{source.stem}.txt"


def _paragraphs(source: Path) -> list[Prose]:
    return [block for block in read_lesson(source) if isinstance(block, Prose)]


def _beginning(text: str) -> str:
    return text.split("\n", 1)[0][:_BEGINNING].rstrip()
