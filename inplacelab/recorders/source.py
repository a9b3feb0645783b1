"""Which line of the learner's program is running, and which names it has given to which tensors.

Two things are needed. *Where are we?* is answered by looking outward through the frames for the first one that runs the
learner's file. *When did a name change?* is not an event of the engine at all: `y = x` computes nothing. So the names are
looked at again and again; a program that we run ourselves tells when (`marks`).
"""

from __future__ import annotations

import ast
import linecache
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

CO_OPTIMIZED = 0x1
"""The flag of a function's code (`inspect.CO_OPTIMIZED`): its locals are slots, not a dictionary."""


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Every name that stands in the program: only these can tell a reader anything."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def stored(tree: ast.AST) -> frozenset[str]:
    """Every name that the program itself may bind: `x = ...`, `for x in ...`, `import x`, `def x`, `del x`; any name at all, if it
    runs text that is not in the tree.
    """
    nodes = list(ast.walk(tree))
    named = identifiers(tree) if any(map(runs_text, nodes)) else frozenset[str]()
    return named.union(*map(stored_here, nodes))


def runs_text(node: ast.AST) -> bool:
    """Whether this runs statements that do not stand in the program's tree: `exec("x = 1")`, or `%time x = 1` in a notebook."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("exec", "get_ipython")


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


def counters(tree: ast.AST) -> frozenset[str]:
    """Every name that the program binds only as what counts in `for k in range(...)`."""
    names = stored(tree)
    counting: set[str] = set()
    counted: set[int] = set()
    for loop in ast.walk(tree):
        if (
            isinstance(loop, ast.For)
            and isinstance(loop.target, ast.Name)
            and _is_range(loop.iter)
            and "range" not in names
        ):
            counting.add(loop.target.id)
            counted.add(id(loop.target))
    others = {name for node in ast.walk(tree) if id(node) not in counted for name in stored_here(node)}
    return frozenset(counting - others)


def _is_range(iterated: ast.expr) -> bool:
    return isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range"


def called(function: Any) -> str:
    """What a program calls a function: "clip"; "lambda" for one without a name; for another object the name of its class.

    Of the program's own objects nothing is asked, since their classes may answer what they like.
    """
    name = function.__name__ if isinstance(function, _FUNCTIONS) else type(function).__name__
    return "lambda" if name == "<lambda>" else name


_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


def _code_of(function: Any) -> CodeType | None:
    """What runs when an object is called, if that is written in Python."""
    if not isinstance(function, _FUNCTIONS):
        function = type(function).__call__
    while isinstance(function, MethodType):
        function = function.__func__
    return function.__code__ if isinstance(function, FunctionType) else None


class Scope(NamedTuple):
    """The names of one frame of the learner's program."""

    names: Mapping[str, Any]
    function: str
    """The function whose locals these are; "" for the program's globals."""


def frames_of(filename: str, innermost: FrameType | None, outermost: FrameType | None = None) -> Iterator[FrameType]:
    """The frames that run `filename`, the innermost first; no frames beyond `outermost`."""
    while innermost is not None:
        if innermost.f_code.co_filename == filename:
            yield innermost
        innermost = None if innermost is outermost else innermost.f_back


def scopes_of(frames: Iterable[FrameType]) -> list[Scope]:
    """Their names, the outermost first."""
    return [_scope(frame) for frame in frames][::-1]


def _scope(frame: FrameType) -> Scope:
    with names_of(frame) as names:
        return Scope(names, "") if names is frame.f_globals else Scope(dict(names), frame.f_code.co_name)


class names_of:  # noqa: N801  # used as a function is
    """A frame's names, for as long as the `with` block takes. Asking a function's frame for them makes Python before 3.13 keep
    them, and every tensor among them, on the frame: that would change when memory is given back, so what was kept is emptied.
    """

    __slots__ = ("_frame", "_names")

    def __init__(self, frame: FrameType) -> None:
        self._frame, self._names = frame, frame.f_locals

    def __enter__(self) -> Mapping[str, Any]:
        return self._names

    def __exit__(self, *_: object) -> None:
        if sys.version_info < (3, 13) and self._frame.f_code.co_flags & CO_OPTIMIZED:
            self._names.clear()


class Block(NamedTuple):
    """The text inside a `with` statement."""

    text: str
    first_line: int


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


class Program(NamedTuple):
    """The learner's program, as far as a recorder must know it.

    Attributes:
        text: its source.
        filename: the file name it runs under: frames of that file are the learner's.
        wanted: the names worth looking at among its globals.
        stored: those of them that it may bind itself.
        first_line: the line of the file at which `text` begins.
        counters: those of the stored names that only `for k in range(...)` binds: they lead to no tensor once it has.
    """

    text: str
    filename: str
    wanted: frozenset[str]
    stored: frozenset[str]
    first_line: int = 1
    counters: frozenset[str] = frozenset()

    @classmethod
    def of(cls, tree: ast.AST, text: str, filename: str, first_line: int = 1) -> Program:
        """A program whose tree is at hand."""
        return cls(text, filename, identifiers(tree), stored(tree), first_line, counters(tree))

    def frames(self, innermost: FrameType | None, outermost: FrameType | None = None) -> list[FrameType]:
        """The frames that run it, the innermost first; none beyond `outermost`."""
        return list(frames_of(self.filename, innermost, outermost))

    def line(self, line_of_file: int) -> int:
        """A line of the file, counted from 1 in the text."""
        return line_of_file - self.first_line + 1

    def line_of_function(self, function: Any) -> int | None:
        """The line with the `def` or the `lambda` of a function of the program; None of another's."""
        code = _code_of(function)
        if code is None or code.co_filename != self.filename:
            return None
        first = self.line(code.co_firstlineno)  # of its first decorator, if it has any
        lines = enumerate(self.text.splitlines()[first - 1 :], first)
        defined = (line for line, text in lines if text.lstrip().startswith(("def ", "async def ")))
        return first if code.co_name == "<lambda>" else next(defined, first)

    def line_of(self, error: BaseException) -> int | None:
        """The innermost line in an error's traceback."""
        found, walk = None, error.__traceback__
        while walk is not None:
            if walk.tb_frame.f_code.co_filename == self.filename:
                found = self.line(walk.tb_lineno)
            walk = walk.tb_next
        return found
