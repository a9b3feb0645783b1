"""The source of a lesson: prose in two languages, code once.

A lesson is a text file of blocks with blank lines between them. Prose comes in pairs, English first:

    :::en
    A *view* is a second tensor on the same storage.
    :::zh
    *视图*是同一块存储上的另一个张量。
    :::

Code stands once, between fences. Words after `python` become the cell's tags:

    ```python raises-exception
    x.scale_(2.0)
    ```

In code, `{{language}}` becomes "en" or "zh"; that is the only difference between the two notebooks' code. A line
that starts with `<!--` and ends with `-->` is a note to authors. Anything else outside a block is an error, reported
with its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LANGUAGES = ("en", "zh")

_CODE_FENCE = re.compile(r"```python(?P<tags>( [a-z-]+)*)")
_NOTE = re.compile(r"<!--.*-->")


class LessonError(ValueError):
    """A lesson's source is malformed. The message begins with the file and the line."""


@dataclass(frozen=True, slots=True)
class Prose:
    """One paragraph or more, said in each language."""

    en: str
    zh: str

    def in_language(self, language: str) -> str:
        """What stands in the notebook of `language`."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Code:
    """One cell of code, the same in both languages but for `{{language}}`."""

    text: str
    tags: tuple[str, ...]

    def in_language(self, language: str) -> str:
        """The code as it stands in the notebook of `language`."""
        return self.text.replace("{{language}}", language)


Block = Prose | Code


class _Lines:
    """The lines of a file, read one by one; knows where it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = path.read_text(encoding="utf-8").splitlines()
        self._read = 0

    def __iter__(self) -> Iterator[str]:
        while self._read < len(self._lines):
            self._read += 1
            yield self._lines[self._read - 1]

    def error(self, message: str, line: int | None = None) -> LessonError:
        return LessonError(f"{self._path}:{line or self._read}: {message}")

    def until(self, end: str, what: str) -> str:
        """The text up to a line that is exactly `end`, without the blank lines around it."""
        start = self._read
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
    """Read the blocks of a lesson.

    Raises:
        LessonError: if a translation is missing or empty, a block is not ended, or there is text outside a block.
    """
    lines = _Lines(path)
    blocks = tuple(_blocks(lines))
    if not blocks:
        raise lines.error("there is nothing in this lesson", 1)
    return blocks


def _blocks(lines: _Lines) -> Iterator[Block]:
    for line in lines:
        if line == ":::en":
            yield Prose(lines.until(":::zh", "English text"), lines.until(":::", "Chinese text"))
        elif fence := _CODE_FENCE.fullmatch(line):
            yield Code(lines.until("```", "code"), tuple(fence["tags"].split()))
        elif line.strip() and not _NOTE.fullmatch(line):
            raise lines.error(f"expected ':::en', '```python' or a '<!-- note -->', found {line!r}")
