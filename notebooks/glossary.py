"""Reads the glossary: one or two sentences for each term, and the lesson that introduces it.

Its source, `lessons/glossary.md`, has the form of a lesson. After an introduction, each pair of prose is an entry that
begins with its term in bold:

    :::en
    **stride**: how many slots to move on for one step along a dimension.
    :::zh
    **步幅**：沿某个轴走一步所跨过的槽位数。
    :::

The lesson that introduces a term declares it in its note `<!-- terms: ... -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lesson_source import Block, LessonError, Prose, read_lesson, terms

FILE = "glossary.md"
_TERM = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class Entry:
    """A term in both languages, and the prose that explains it."""

    en: str
    zh: str
    prose: Prose


def entries(blocks: Sequence[Block]) -> dict[str, Entry]:
    """Returns the entries by their English terms, in the order of the source.

    Raises:
        LessonError: if an entry does not begin with its term, or a term is explained twice.
    """
    found: dict[str, Entry] = {}
    for prose in _prose(blocks)[1:]:
        en, zh = _TERM.match(prose.en), _TERM.match(prose.zh)
        if en is None or zh is None:
            raise LessonError(f"{FILE}:{prose.line}: an entry begins with its term in bold, in both languages")
        if en[1] in found:
            raise LessonError(f"{FILE}:{prose.line}: {en[1]!r} is explained twice")
        found[en[1]] = Entry(en[1], zh[1], prose)
    return found


def introduced(lessons: Sequence[Path]) -> dict[str, Path]:
    """Returns the lesson that introduces each term, in the order of the lessons.

    Raises:
        LessonError: if two lessons claim to introduce the same term.
    """
    where: dict[str, Path] = {}
    for lesson in lessons:
        for term in terms(read_lesson(lesson)):
            if term in where:
                raise LessonError(f"{lesson.name}: {term!r} has been introduced in {where[term].name}")
            where[term] = lesson
    return where


def page(blocks: Sequence[Block], lessons: Sequence[Path]) -> list[Prose]:
    """Returns the glossary as a page: English in alphabetical order, Chinese in the order of the lessons."""
    where = introduced(lessons)
    order = {term: place for place, term in enumerate(where)}
    known = entries(blocks).values()
    by_alphabet = sorted(known, key=lambda entry: entry.en.casefold())
    by_lesson = sorted(known, key=lambda entry: (order.get(entry.en, len(order)), entry.en))
    english = "\n\n".join(_in_english(entry, where.get(entry.en)) for entry in by_alphabet)
    chinese = "\n\n".join(_in_chinese(entry, where.get(entry.en)) for entry in by_lesson)
    return [_prose(blocks)[0], *([Prose(english, chinese)] if known else [])]


def _in_english(entry: Entry, lesson: Path | None) -> str:
    return " ".join([entry.prose.en, *_link(lesson, "Lesson {0}")])


def _in_chinese(entry: Entry, lesson: Path | None) -> str:
    said = entry.prose.zh.removeprefix(f"**{entry.zh}**")
    english = "" if entry.en == entry.zh else f"（{entry.en}）"
    return "".join([f"**{entry.zh}**{english}", said, *_link(lesson, "第 {0} 课")])


def _link(lesson: Path | None, words: str) -> Iterator[str]:
    if lesson is not None:
        yield f"[{words.format(int(lesson.stem.split('_')[0]))}]({lesson.stem}.ipynb)"


def _prose(blocks: Sequence[Block]) -> list[Prose]:
    return [block for block in blocks if isinstance(block, Prose)]
