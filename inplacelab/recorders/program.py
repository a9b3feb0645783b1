"""Knows the program that is recorded: its text, its lines, its frames on the stack, and the names that stand in it."""

from __future__ import annotations

import ast
import linecache
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from traceback import walk_tb
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

CO_OPTIMIZED = 0x1
"""The flag of a function's code (`inspect.CO_OPTIMIZED`): its locals are slots, not a dictionary."""


class Scope(NamedTuple):
    """The names of one frame of the program."""

    names: Mapping[str, Any]
    function: str
    """The function whose locals these are; "" for the program's globals."""


class Block(NamedTuple):
    """The text inside a `with` statement."""

    text: str
    first_line: int


class Place(NamedTuple):
    """Where the program is: the code that runs, the offset of the instruction, and its line in the program's text."""

    code: CodeType
    instruction: int
    line: int


@dataclass(frozen=True)
class Program:
    """The program that is recorded.

    Attributes:
        text: its source.
        filename: the file name under which it runs: frames of that file are the program's.
        names: every name that stands in it. Of its globals only these are looked at, for only these can tell a reader anything.
        first_line: the line of the file at which `text` begins.
    """

    text: str
    filename: str
    names: frozenset[str]
    first_line: int = 1
    _statements: Mapping[int, int] = field(default_factory=dict, repr=False)
    """For each line of the text, the line on which the innermost statement begins that it is a part of."""

    @classmethod
    def of(cls, tree: ast.AST, text: str, filename: str, first_line: int = 1) -> Program:
        """A program whose tree is at hand. Lines in the tree count as in the text if that does not begin the file."""
        statements: dict[int, int] = {}
        for node in ast.walk(tree):  # outer statements come before those that they contain
            if isinstance(node, ast.stmt):
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    statements[line] = node.lineno
        return cls(text, filename, identifiers(tree), first_line, statements)

    def frames(self, innermost: FrameType | None, outermost: FrameType | None = None) -> list[FrameType]:
        """The frames that run it, the innermost first; none beyond `outermost`."""
        found = []
        while innermost is not None:
            if innermost.f_code.co_filename == self.filename:
                found.append(innermost)
            innermost = None if innermost is outermost else innermost.f_back
        return found

    def frames_in(self, error: BaseException) -> list[FrameType]:
        """The frames of the program in an error's traceback, the innermost first: they still have their names."""
        return [frame for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_filename == self.filename][::-1]

    def place(self, frame: FrameType) -> Place:
        """Where one of its frames is."""
        return Place(frame.f_code, frame.f_lasti, self.line(frame.f_lineno))

    def line(self, line_of_file: int) -> int:
        """A line of the file, counted from 1 in the text."""
        return line_of_file - self.first_line + 1

    def statement(self, line: int) -> int:
        """The line on which the innermost statement begins that a line of the text is a part of."""
        return self._statements.get(line, line)

    def line_of_function(self, function: Any) -> int | None:
        """The line with the `def` or the `lambda` of a function of the program; None for another function."""
        code = _code_of(function)
        if code is None or code.co_filename != self.filename:
            return None
        first = self.line(code.co_firstlineno)  # of its first decorator, if it has any
        lines = enumerate(self.text.splitlines()[first - 1 :], first)
        defined = (line for line, text in lines if text.lstrip().startswith(("def ", "async def ")))
        return first if code.co_name == "<lambda>" else next(defined, first)

    def line_of(self, error: BaseException) -> int | None:
        """The innermost line of the program in an error's traceback."""
        found, walk = None, error.__traceback__
        while walk is not None:
            if walk.tb_frame.f_code.co_filename == self.filename:
                found = self.line(walk.tb_lineno)
            walk = walk.tb_next
        return found


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Every name that stands in a program."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def stored_here(node: ast.AST) -> Iterator[str]:
    """The name that this very node binds, if it binds one."""
    match node:
        case ast.Name(id=name) if not isinstance(node.ctx, ast.Load):
            yield name
        case ast.alias():
            yield node.asname or node.name.partition(".")[0]
        case (
            ast.FunctionDef(name=str(name))
            | ast.AsyncFunctionDef(name=str(name))
            | ast.ClassDef(name=str(name))
            | ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name


# --- functions ---------------------------------------------------------------------------------------------------------

_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


def function_name(function: Any) -> str:
    """What a program calls a function: "clip"; "lambda" for one without a name; for another object the name of its class.

    Nothing is asked of the program's own objects, since their classes may answer what they like.
    """
    name = function.__name__ if isinstance(function, _FUNCTIONS) else type(function).__name__
    return "lambda" if name == "<lambda>" else name


def _code_of(function: Any) -> CodeType | None:
    """What runs when an object is called, if that is written in Python."""
    if not isinstance(function, _FUNCTIONS):
        function = type(function).__call__
    while isinstance(function, MethodType):
        function = function.__func__
    return function.__code__ if isinstance(function, FunctionType) else None


# --- scopes ------------------------------------------------------------------------------------------------------------


def scopes_of(frames: Iterable[FrameType]) -> list[Scope]:
    """The names of these frames, the innermost of which comes first; the outermost scope comes first."""
    return [_scope(frame) for frame in frames][::-1]


def _scope(frame: FrameType) -> Scope:
    names = frame.f_locals
    if names is frame.f_globals:
        return Scope(names, "")
    copied = dict(names)
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
        # Before Python 3.13, `f_locals` keeps the values, and every tensor among them, on the frame: that would change when memory
        # is given back.
        names.clear()
    return Scope(copied, frame.f_code.co_name)


# --- the text of a `with` block ----------------------------------------------------------------------------------------


def with_block(filename: str, line: int) -> Block:
    """The body of the `with` statement that stands on `line` of a file; no text if the file cannot be read."""
    lines = linecache.getlines(filename)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return Block("", 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.With) and node.lineno <= line <= node.body[0].lineno:
            first, last = node.body[0].lineno, node.body[-1].end_lineno
            return Block(textwrap.dedent("".join(lines[first - 1 : last])), first)
    return Block("", 1)
