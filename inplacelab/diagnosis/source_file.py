"""Reads and writes files of a program, which keep their encoding and their line ends."""

from __future__ import annotations

import difflib
import tokenize
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SourceFile:
    """A file of a program.

    Attributes:
        text: its text, with lines that end as Python's do.
        encoding: how its bytes are read: what its first lines declare, or its byte order mark, or UTF-8.
        newline: how its lines end.
    """

    text: str
    encoding: str
    newline: str

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """Reads a file.

        Raises:
            OSError: if it cannot be read.
            SyntaxError, ValueError: if it is not a Python program.
        """
        with tokenize.open(path) as file:
            text, found = file.read(), file.newlines
            newline = found if isinstance(found, str) else "\n"  # not known, or of several kinds
            return cls(text, file.encoding, newline)

    def write(self, path: str | Path, text: str) -> None:
        """Writes another text for it to a file.

        Raises:
            OSError: if it cannot be written.
        """
        Path(path).write_bytes(text.replace("\n", self.newline).encode(self.encoding))


def unified_diff(name: str, before: str, after: str) -> str:
    """Returns the change of a file's text, as `diff -u` shows it."""
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name, n=1)
    return "".join(each if each.endswith("\n") else each + "\n" for each in lines)
