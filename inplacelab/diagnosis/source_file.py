"""Reads and writes files of a program, which keep their encoding and their line ends."""

from __future__ import annotations

import linecache
import tokenize
from dataclasses import dataclass
from pathlib import Path

from inplacelab.recording.facts import FixFacts
from inplacelab.recording.fixes.spots import changed


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


def text_of(path: str) -> str:
    """Returns the text of a file; see `SourceFile.read`."""
    return SourceFile.read(path).text


def text_of_program(name: str) -> str:
    """Returns the text of a file, or of a cell, as it was when it ran.

    Raises:
        FileNotFoundError: if it is not known.
    """
    text = "".join(linecache.getlines(name))
    if not text:
        raise FileNotFoundError(name)
    return text


def write(fix: FixFacts) -> None:
    """Writes a fix into the files that it edits."""
    for name, (_, text) in changed(fix.edits, text_of).items():
        SourceFile.read(name).write(name, text)
