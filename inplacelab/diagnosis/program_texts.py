"""Keeps the texts of a program's files as they were when it ran, and says what is wrong with them afterwards."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable, Sequence
from types import CodeType

from inplacelab.diagnosis.expressions import Expressions, Position
from inplacelab.diagnosis.findings import ChangedError
from inplacelab.language import Text

_UNFIT = Text(
    "{0} was changed after it was imported: its text does not fit the code that ran, so it is not shown, and not edited.",
    "{0} 在导入之后被修改过：它的内容与运行的代码不符，因此没有显示，也不修改它。",
)
_CHANGED = Text(
    "{0} has changed since its code ran. The lines above are those that ran; the file is not edited.",
    "{0} 在代码运行之后被修改过。以上是运行时的行；不修改该文件。",
)
_GONE = Text("{0} cannot be read any more. The lines above are those that ran.", "{0} 已经无法读取。以上是运行时的行。")
_NO_TEXT = Text(
    "{0} does not exist: its code was generated, so only the numbers of its lines are known.",
    "{0} 不存在：其中的代码是生成的，因此只知道行号。",
)
_UNREADABLE = Text(
    "{0} cannot be read as a Python program: its bytes are not in the encoding that it declares (UTF-8 if none). So only the numbers of its lines are known.",
    "{0} 无法作为 Python 程序读取：它的字节不符合声明的编码（没有声明时为 UTF-8）。因此只知道行号。",
)
_SAME = Text("{0} is the same file as {1}.", "{0} 与 {1} 是同一个文件。")


class Sources:
    """The texts of the program's files, as they were when their code was first seen to run."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}
        self._parsed: dict[str, Expressions] = {}
        self._unfit: set[str] = set()

    def lines(self, filename: str) -> Sequence[str]:
        """Returns the lines of a file, or of a cell; none if it cannot be read."""
        known = self._lines.get(filename)
        if known is None:
            known = self._lines[filename] = _read(filename)
        return known

    def expressions(self, filename: str) -> Expressions:
        """Returns the parsed text of a file."""
        known = self._parsed.get(filename)
        if known is None:
            known = self._parsed[filename] = Expressions("".join(self.lines(filename)))
        return known

    def fits(self, code: CodeType, position: Position) -> bool:
        """Whether the text of a file may be that from which code was made: it has an expression at a position in the code."""
        fits = self.expressions(code.co_filename).fits(code, position)
        if not fits:
            self._unfit.add(code.co_filename)
        return fits

    def text(self, filename: str) -> str:
        """Returns the text of a file that may be edited.

        Raises:
            FileNotFoundError: if it is not known.
            ChangedError: if the file has another text now.
        """
        if filename in self._unfit or _read(filename) != self.lines(filename):
            raise ChangedError(filename)
        if text := "".join(self.lines(filename)):
            return text
        raise FileNotFoundError(filename)

    def remarks(self, filenames: Iterable[str]) -> list[Text]:
        """Returns what is to be said of the texts of files."""
        from inplacelab.recording.stacks import file_in_words, file_key  # noqa: PLC0415  # only where something has failed

        said, known = list[Text](), dict[str, str]()
        for name in dict.fromkeys(filenames):
            shown = file_in_words(name)
            if name in self._unfit:
                said.append(_UNFIT.format(shown))
            elif not self.lines(name):
                said.append((_UNREADABLE if os.path.exists(name) else _NO_TEXT).format(shown))
            elif not (now := _read(name)):
                said.append(_GONE.format(shown))
            elif now != self.lines(name):
                said.append(_CHANGED.format(shown))
            other = known.setdefault(file_key(name), name)
            if file_in_words(other) != shown:
                said.append(_SAME.format(shown, file_in_words(other)))
        return said


def _read(filename: str) -> list[str]:
    linecache.checkcache(filename)
    return list(linecache.getlines(filename))
