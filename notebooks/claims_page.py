"""Writes the page of claims and the lessons that settle them. The claims are in `claims.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from claims import CLAIMS
from inplacelab.language import LANGUAGES, Text
from lesson_source import Block, Prose, about_cells, read_lesson

FILE = "claims.md"


def settled(lessons: Sequence[Path]) -> dict[str, list[Path]]:
    """Returns the lessons that settle each claim, by its key."""
    where: dict[str, list[Path]] = {}
    for lesson in lessons:
        keys = (key for note, _ in about_cells(read_lesson(lesson), "claim") for key in note.names)
        for key in dict.fromkeys(keys):
            where.setdefault(key, []).append(lesson)
    return where


def page(blocks: Sequence[Block], lessons: Sequence[Path]) -> list[Prose]:
    """Returns the page: each claim, whether it is true, what the experiment shows, and in which lesson."""
    where = settled(lessons)
    english, chinese = ("\n".join(_table(where, language)) for language in LANGUAGES)
    return [*(block for block in blocks if isinstance(block, Prose)), Prose(english, chinese)]


_HEADS = (
    Text("what is said", "说法"),
    Text("is it so?", "是这样吗？"),
    Text("what the experiment shows", "实验的结果"),
    Text("lesson", "课"),
)
_PAGE = Text("page", "页")


def _table(where: dict[str, list[Path]], language: str) -> Iterator[str]:
    yield _row(head.in_language(language) for head in _HEADS)
    yield _row("---" for _ in _HEADS)
    for claim in CLAIMS:
        said = [text.in_language(language) for text in (claim.says, claim.verdict.value, claim.truth)]
        links = (f"[{_number(lesson, language)}]({lesson.stem}.ipynb)" for lesson in where.get(claim.key, ()))
        yield _row([*said, ", ".join(links)])


def _number(lesson: Path, language: str) -> str:
    """Returns the number of a lesson; other pages have none."""
    number = lesson.stem.split("_")[0]
    return str(int(number)) if number.isdigit() else _PAGE.in_language(language)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
