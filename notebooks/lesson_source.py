"""Reads the source of a lesson: prose in two languages, code once.

A lesson is a text file of blocks with blank lines between them. Prose comes in pairs, English first:

    :::en
    A *view* is a second tensor on the same storage.
    :::zh
    *视图*是同一个存储上的另一个张量。
    :::

Code is written once, between fences. Words after `python` become the cell's tags:

    ```python raises-exception
    x.scale_(2.0)
    ```

In code, `{{language}}` becomes "en" or "zh"; but for questions and the titles of checks, that is the only difference between the two
notebooks' code. An exercise is a cell to fill in, its solution, one wrong answer or more, and the check, one right after the other. Learners see the
first and the last; a test runs all of them:

    ```python exercise
    y = ...
    ```

    ```python solution
    y = x.scale_(2.0)
    ```

    ```python mistake
    y = x.scale(2.0)
    ```

    ```python check
    check.second_name()
    ```

A question is a cell, too. Here alone the words are written in both languages:

    ```python question
    %%predict viewed
    {{the strides of `t` / `t` 的步长}}: (3, 1) | (1, 3) | (2, 3)
    ```

A line that starts with `<!--` and ends with `-->` is a note to authors. Four kinds of note have a meaning: the terms that a
lesson introduces, the claims that the next cell settles, what the next cell checks, and why its output is not compared:

    <!-- terms: storage, stride -->
    <!-- claim: twice-the-memory -->
    <!-- checks: the strides of both / 两者的步长 -->
    <!-- ignored: the version of Python -->

Anything else outside a block is an error, reported with its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LANGUAGES = ("en", "zh")
FOR_AUTHORS = frozenset({"solution", "mistake"})
"""Code that the notebooks do not show."""

_BILINGUAL = frozenset({"question", "checks"})
"""Tags of cells with words: what is asked, and the title of a check, which the builder adds (`unspoiled.py`)."""
_WORDS = re.compile(r"\{\{(?P<en>.+?) / (?P<zh>.+?)\}\}")
_CODE_FENCE = re.compile(r"```python(?P<tags>( [a-z-]+)*)")
_NOTE = re.compile(r"<!--\s*(?:(?P<kind>terms|claim|ignored|checks):)?(?P<text>.*)-->")
_AFTER = {"exercise": {"solution"}, "solution": {"mistake"}, "mistake": {"mistake", "check"}}
_BEFORE = {"solution": {"exercise"}, "mistake": {"solution", "mistake"}, "check": {"mistake"}}
"""The parts of an exercise: what stands right after each, and right before."""
_ABOUT_A_CELL = {"claim", "ignored", "checks"}


class LessonError(ValueError):
    """Raised if a lesson's source is malformed. The message begins with the file and the line."""


@dataclass(frozen=True, slots=True)
class Prose:
    """One paragraph or more, in each language."""

    en: str
    zh: str
    line: int = field(default=0, compare=False)

    def in_language(self, language: str) -> str:
        """Returns the text for the notebook in `language`."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Code:
    """One cell of code, the same in both languages except for `{{language}}`."""

    text: str
    tags: tuple[str, ...]
    line: int = field(default=0, compare=False)

    def in_language(self, language: str) -> str:
        """Returns the code for the notebook in `language`."""
        text = self.text.replace("{{language}}", language)
        return _WORDS.sub(r"\g<zh>" if language == "zh" else r"\g<en>", text) if _BILINGUAL & {*self.tags} else text


@dataclass(frozen=True, slots=True)
class Note:
    """An author's note about the lesson ("terms"), or about the next cell ("claim", "checks", "ignored")."""

    kind: str
    text: str
    line: int = field(default=0, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The comma-separated text as a list."""
        return tuple(name.strip() for name in self.text.split(",") if name.strip())


Block = Prose | Code | Note


class _Lines:
    """Reads the lines of a file one by one, and keeps the current line's number."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = path.read_text(encoding="utf-8").splitlines()
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        while self.read < len(self._lines):
            self.read += 1
            yield self._lines[self.read - 1]

    def error(self, message: str, line: int | None = None) -> LessonError:
        return LessonError(f"{self._path}:{line or self.read}: {message}")

    def until(self, end: str, what: str) -> str:
        """Returns the text up to a line that is exactly `end`, without blank lines around it."""
        start = self.read
        taken: list[str] = []
        for line in self:
            if line == end:
                return self._not_empty("\n".join(taken).strip("\n"), what, start)
            if line.startswith(":::"):
                raise self.error(f"expected {end!r} to end the {what} that starts at line {start}, found {line!r}")
            taken.append(line.rstrip())
        raise self.error(f"the {what} that starts here is never ended by {end!r}", start)

    def _not_empty(self, text: str, what: str, start: int) -> str:
        if not text.strip():
            raise self.error(f"the {what} is empty", start)
        return text


def read_lesson(path: Path) -> tuple[Block, ...]:
    """Reads the blocks of a lesson.

    Raises:
        LessonError: if a translation is missing or empty, a block has no end, there is text outside a block, or a
            part of an exercise or a note about a cell is in the wrong place.
    """
    lines = _Lines(path)
    blocks = tuple(_blocks(lines))
    if not blocks:
        raise lines.error("there is nothing in this lesson", 1)
    for wrong, message in _misplaced(blocks):
        raise lines.error(message, wrong.line)
    return blocks


def _blocks(lines: _Lines) -> Iterator[Block]:
    for line in lines:
        start = lines.read
        if line == ":::en":
            yield Prose(lines.until(":::zh", "English text"), lines.until(":::", "Chinese text"), start)
        elif fence := _CODE_FENCE.fullmatch(line):
            yield Code(lines.until("```", "code"), tuple(fence["tags"].split()), start)
        elif note := _NOTE.fullmatch(line):
            if note["kind"]:
                yield Note(note["kind"], note["text"].strip(), start)
        elif line.strip():
            raise lines.error(f"expected ':::en', '```python' or a '<!-- note -->', found {line!r}")


def _misplaced(blocks: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Finds parts of exercises and notes about cells that are in the wrong place."""
    kinds = ["", *map(_kind, blocks), ""]
    for block, before, kind, after in zip(blocks, kinds, kinds[1:], kinds[2:], strict=False):
        if before not in _BEFORE.get(kind, {before}):
            yield block, f"expected {_either(_BEFORE[kind])} right before this {kind}"
        if after not in _AFTER.get(kind, {after}):
            yield block, f"expected {_either(_AFTER[kind])} right after this {kind}"
        if kind in _ABOUT_A_CELL and after not in _ABOUT_A_CELL | {"code", "check"}:
            yield block, f"the note {kind!r} stands right before the cell that it is about"


def _either(kinds: Iterable[str]) -> str:
    return " or ".join(map(repr, sorted(kinds)))


def _kind(block: Block) -> str:
    if isinstance(block, Note):
        return block.kind
    if isinstance(block, Prose):
        return "prose"
    return next((tag for tag in block.tags if tag in _AFTER or tag in _BEFORE), "code")


def terms(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Returns the terms that a lesson introduces, by their English names in the glossary."""
    return tuple(name for block in blocks if isinstance(block, Note) and block.kind == "terms" for name in block.names)


def about_cells(blocks: Sequence[Block], kind: str) -> tuple[tuple[Note, Code], ...]:
    """Returns the notes of a kind, each with the cell after it."""
    found: list[tuple[Note, Code]] = []
    waiting: list[Note] = []
    for block in blocks:
        if isinstance(block, Note):
            waiting += [block] if block.kind == kind else []
        elif isinstance(block, Code):
            found += [(note, block) for note in waiting]
            waiting = []
    return tuple(found)
