"""The sources of a program: the text that was started, and those of its other files and cells, as they were when they ran."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.machinery import SourceFileLoader
from importlib.util import decode_source
from threading import RLock
from types import CodeType
from typing import Any

from inplacelab.language import Text
from inplacelab.recorders.own_code import is_own

__all__ = ["Source", "Sources", "identifiers", "parsed"]

_NO_TEXT = Text(
    "The text of this source is not known: `{0}` was made while the program ran, or is gone.",
    "这份源代码的内容未知：`{0}` 是程序运行时生成的，或者已经不存在。",
)
_CHANGED = Text(
    "`{0}` has changed since the program read it: the lines shown here may not be those that ran.",
    "`{0}` 在被程序读取之后又修改过：这里显示的行可能不是实际运行的行。",
)
_NOT_DECODED = Text(
    "`{0}` is not in the encoding that it declares: characters that cannot be read are shown as U+FFFD.",
    "`{0}` 不符合它所声明的编码：无法读取的字符显示为 U+FFFD。",
)

TEXTS: dict[str, str] = {}
"""The texts of modules that were instrumented when they were imported, by file name."""


class Source:
    """One text of a program.

    Args:
        text: its text; "" if it is not known.
        filename: the file name under which it runs.
        first_line: the line of the file at which the text begins.
        number: its number among the program's sources.
        remark: what is not as it should be with the text.
    """

    def __init__(
        self, text: str, filename: str, first_line: int = 1, number: int = 0, remark: Text | None = None
    ) -> None:
        self.text, self.filename, self.first_line, self.number, self.remark = text, filename, first_line, number, remark
        self._lines = text.count("\n") + 1

    def line(self, line_of_file: int) -> int:
        """Converts a line of the file to a line of the text, counted from 1."""
        return line_of_file - self.first_line + 1

    def holds(self, line_of_file: int) -> bool:
        """Whether a line of the file is in the text; so it is taken to be if the text is not known."""
        return not self.text or self.first_line <= line_of_file < self.first_line + self._lines

    def statement(self, line: int) -> int:
        """Returns the first line of the innermost statement that contains a line of the text."""
        return self.statements.get(line, line)

    @cached_property
    def statements(self) -> Mapping[int, int]:
        """For each line of the text, the line on which the innermost statement begins that it is a part of."""
        return statements_of(parsed(self.text))

    @cached_property
    def imported(self) -> frozenset[str]:
        """The full names of the modules that the text imports, and of the packages around them."""
        found = set[str]()
        for node in ast.walk(parsed(self.text)):
            match node:
                case ast.Import(names=names):
                    found.update(each.name for each in names)
                case ast.ImportFrom(module=str(module), names=names, level=0):
                    found.update((module, *(f"{module}.{each.name}" for each in names)))
        parts = (each.split(".") for each in found)
        return frozenset(".".join(each[: k + 1]) for each in parts for k in range(len(each)))

    @cached_property
    def globals(self) -> frozenset[str]:
        """The names of values that the text binds outside its functions, or as `global` in them."""
        tree = parsed(self.text)
        stated = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
        return frozenset(stated.union(*(_bound_in(each) for each in tree.body)))


def _bound_in(statement: ast.stmt) -> Iterator[str]:
    """Yields the names that a statement outside functions binds to values."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


class _Owns(dict[str, bool]):
    """For file names, whether they are those of sources of a program: looked up for each frame at each event."""

    def __missing__(self, filename: str) -> bool:
        self[filename] = known = is_own(filename)
        return known


class Sources:
    """The sources of a program, in the order in which they were seen: first the one that was started.

    Args:
        main: the one that was started: a file, a cell, or a part of a file.

    Attributes:
        owns: for file names, whether they are those of sources of the program.
    """

    def __init__(self, main: Source) -> None:
        self.main, self.seen = main, [main]
        self.owns = _Owns({main.filename: True})
        self._of: dict[str, Source | None] = {main.filename: main}  # None for what is not the program's own
        self._around: Source | None = None  # the file of which `main` is a part

    def at(self, code: CodeType, line_of_file: int) -> Source | None:
        """Returns the source that a line of a code object is in; None if the code is not the program's own."""
        try:
            found = self._of[code.co_filename]
        except KeyError:
            found = self._of[code.co_filename] = self._find(code)
        if found is not self.main or found.holds(line_of_file):
            return found
        if self._around is None:
            self._around = self._add(code)
        return self._around

    def _find(self, code: CodeType) -> Source | None:
        filename = code.co_filename
        if not self.owns[filename]:
            return None
        same = [each for known, each in self._of.items() if each is not None and _same_file(known, filename)]
        return same[0] if same else self._add(code)

    def _add(self, code: CodeType) -> Source:
        text, remark = _text_of(code)
        self.seen.append(Source(text, code.co_filename, 1, len(self.seen), remark))
        return self.seen[-1]


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _text_of(code: CodeType) -> tuple[str, Text | None]:
    """Returns the text of a code object's file as it ran, and what is not as it should be with it."""
    filename = code.co_filename
    if filename in TEXTS:
        return TEXTS[filename], None
    entry: Any = linecache.cache.get(filename)
    if not os.path.isfile(filename):  # a cell: IPython puts its text there
        lines = entry[2] if entry is not None and len(entry) > 2 else []
        return "".join(lines), None if lines else _NO_TEXT.format(os.path.basename(filename))
    try:
        with open(filename, "rb") as file:
            data = file.read()
    except OSError:
        return "", _NO_TEXT.format(os.path.basename(filename))
    try:
        text = decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        return data.decode(errors="replace"), _NOT_DECODED.format(os.path.basename(filename))
    return text, None if _may_be_of(code, text) else _CHANGED.format(os.path.basename(filename))


def _may_be_of(code: CodeType, text: str) -> bool:
    """Whether a code object may have been compiled from a text. Of a module that another loader has read, such as that of pytest, only
    the lines are compared.
    """
    try:
        waiting = [compile(text, code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    exact = any(_read_from(module, code.co_filename) for module in list(sys.modules.values()))
    while waiting:
        each = waiting.pop()
        if (each.co_qualname, each.co_firstlineno) == (code.co_qualname, code.co_firstlineno) and (
            each.co_code == code.co_code if exact else _lines(each) <= _lines(code)
        ):
            return True
        waiting += [inner for inner in each.co_consts if isinstance(inner, CodeType)]
    return False


def _read_from(module: Any, filename: str) -> bool:
    spec = getattr(module, "__spec__", None)
    return type(getattr(spec, "loader", None)) is SourceFileLoader and getattr(spec, "origin", None) == filename


def _lines(code: CodeType) -> set[int | None]:
    return {line for _, _, line in code.co_lines()}


PARSING = RLock()
"""Held while a text is parsed: Python's parser fails now and then if two threads call it at once."""


def parsed(text: str) -> ast.Module:
    """Parses a program; an empty one if the text cannot be parsed, since recording must not stop it."""
    try:
        with PARSING:
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return ast.Module([], [])


def statements_of(tree: ast.AST) -> dict[int, int]:
    """Returns for each line of a program the line on which the innermost statement begins that it is a part of."""
    found: dict[int, int] = {}
    for node in ast.walk(tree):  # outer statements come before those that they contain
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = node.lineno
    return found


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Returns every name in a program."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
