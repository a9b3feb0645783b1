"""Which line of the learner's program is running, and which names it has given to which tensors.

Two things are needed. *Where are we?* is answered by looking outward through the frames for the first one that runs the
learner's file. *When did a name change?* is not an event of the engine at all: `y = x` computes nothing. So a program that
we run ourselves gets a call before each of its statements (`marked`), which changes neither its lines nor what it does.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

MARK = "__inplacelab_mark__"
"""The name of the built-in function that a marked program calls before each statement."""

Hearer = Callable[[int, bool, bool, FrameType], None]
"""Hears that a statement begins: its line, whether it is simple, whether it may bind names, and the frame that runs it."""

_hearers: list[Hearer] = []


def _mark(line: int, simple: bool, binds: bool) -> None:
    frame = sys._getframe(1)
    for hear in _hearers:
        hear(line, simple, binds, frame)


@contextmanager
def marking(hear: Hearer) -> Iterator[None]:
    """Have `hear` called before each statement of a marked program.

    The function behind `MARK` stays when the program is over: what it has defined may still be called.
    """
    builtins.__dict__[MARK] = _mark
    _hearers.append(hear)
    try:
        yield
    finally:
        _hearers.remove(hear)


CO_OPTIMIZED = 0x1
"""The flag of a function's code (`inspect.CO_OPTIMIZED`): its locals are slots, not a dictionary."""

_BODIES = ("body", "orelse", "finalbody")
_SILENT = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Pass,
    ast.Global,
    ast.Nonlocal,
)
"""Statements that do nothing to tensors. (`from __future__` must also stay the first.)"""


def marked(tree: ast.Module) -> ast.Module:
    """The program with a call of `MARK(line, simple, binds)` before each statement that may do something; lines stay as they
    are.

    `simple` is False for statements that hold others (`for`, `with`): these will be steps of their own. `binds` is False for
    a statement after which every name leads where it led before: a plain call such as `x.add_(y)`.
    """
    program: ast.Module = _Marker().visit(tree)
    return ast.fix_missing_locations(program)


class _Marker(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in _BODIES:
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                setattr(node, field, list(_with_marks(body, _may_begin_with_docstring(node, field))))
        return node


def _may_begin_with_docstring(node: ast.AST, field: str) -> bool:
    return field == "body" and isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _with_marks(body: list[ast.stmt], docstring: bool) -> Iterator[ast.stmt]:
    for k, statement in enumerate(body):
        first_string = (
            docstring and k == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        if not (first_string or isinstance(statement, _SILENT)):
            yield _call_before(statement)
        yield statement


def _call_before(statement: ast.stmt) -> ast.stmt:
    simple = not hasattr(statement, "body")
    binds = not isinstance(statement, ast.Expr) or any(isinstance(each, ast.NamedExpr) for each in ast.walk(statement))
    facts: list[ast.expr] = [ast.Constant(fact) for fact in (statement.lineno, simple, binds)]
    call = ast.Call(ast.Name(MARK, ast.Load()), facts, [])
    return ast.copy_location(ast.Expr(call), statement)


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Every name that stands in the program: only these can tell a reader anything."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def stored(tree: ast.AST) -> frozenset[str]:
    """Every name that the program itself may bind: `x = ...`, `for x in ...`, `import x`, `def x`, `del x`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            found.add(node.name)
    return frozenset(found)


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
    """A frame's names. Asking a function's frame for them makes Python before 3.13 keep them, and every tensor among them,
    on the frame: that would change when memory is given back, so what was kept is emptied again.
    """
    names = frame.f_locals
    if names is frame.f_globals:
        return Scope(names, "")
    copied = dict(names)
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
        names.clear()
    return Scope(copied, frame.f_code.co_name)


class Bound(NamedTuple):
    """An object, and the names that lead to it."""

    thing: Any
    names: tuple[str, ...]


def bindings(scopes: Iterable[Scope], wanted: frozenset[str], kind: type) -> dict[int, Bound]:
    """The objects of `kind` (by `id`) that names lead to.

    Of the globals only the names in `wanted` count. A local name that an outer scope uses for something else is written
    with its function's name before it.
    """
    found: dict[int, tuple[Any, list[str]]] = {}
    taken: dict[str, int] = {}
    for scope in scopes:
        for name, value in list(scope.names.items()):
            if not scope.function and name not in wanted:
                continue
            for label, thing in _things(name, value, kind):
                _, names = found.setdefault(id(thing), (thing, []))
                if label != name and names:
                    continue  # a path to something that has a name already says nothing new
                clash = scope.function and taken.get(label, id(thing)) != id(thing)
                shown = f"{scope.function}.{label}" if clash else label
                taken[shown] = id(thing)
                if shown not in names:
                    names.append(shown)
    return {address: Bound(thing, tuple(names)) for address, (thing, names) in found.items()}


def holds_others(value: Any) -> bool:
    """Whether names may lead through this object to others, so that they can change without being bound anew."""
    return type(value) in (list, tuple) or callable(getattr(type(value), "named_parameters", None))


def _things(name: str, value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    """The objects of `kind` that a name leads to: itself, the first elements of a list, the parameters of a layer."""
    if isinstance(value, kind):
        yield name, value
    elif not holds_others(value):
        return
    elif type(value) in (list, tuple):
        for k, each in enumerate(value[:16]):
            if isinstance(each, kind):
                yield f"{name}[{k}]", each
    else:
        for path, parameter in value.named_parameters():
            yield f"{name}.{path}", parameter


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
    """

    text: str
    filename: str
    wanted: frozenset[str]
    stored: frozenset[str]
    first_line: int = 1

    @classmethod
    def of(cls, tree: ast.AST, text: str, filename: str, first_line: int = 1) -> Program:
        """A program whose tree is at hand."""
        return cls(text, filename, identifiers(tree), stored(tree), first_line)

    def frames(self, innermost: FrameType | None, outermost: FrameType | None = None) -> list[FrameType]:
        """The frames that run it, the innermost first; none beyond `outermost`."""
        return list(frames_of(self.filename, innermost, outermost))

    def line(self, line_of_file: int) -> int:
        """A line of the file, counted from 1 in the text."""
        return line_of_file - self.first_line + 1

    def line_of(self, error: BaseException) -> int | None:
        """The innermost line in an error's traceback."""
        found, walk = None, error.__traceback__
        while walk is not None:
            if walk.tb_frame.f_code.co_filename == self.filename:
                found = self.line(walk.tb_lineno)
            walk = walk.tb_next
        return found
