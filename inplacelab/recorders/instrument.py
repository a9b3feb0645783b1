"""Instruments a program so that it reports when each statement begins; a framework cannot, since `y = x` computes nothing.

A program that we run ourselves gets a call before each of its statements, and before each iteration of its loops (`instrumented`), and so
do its modules when they are imported (`OwnModules`). The calls change neither line numbers nor behavior.
"""

from __future__ import annotations

import ast
import builtins
import operator
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import decode_source
from types import CodeType, FrameType, ModuleType
from typing import Any, Protocol

from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.program import stored_here
from inplacelab.recorders.sources import TEXTS

CALL = "__inplacelab_statement__"
"""The name of the built-in function that an instrumented program calls before each statement."""
LOOP = "__inplacelab_loop__"
"""The name of the one that it calls before each loop, and before each iteration of it."""


class StatementListener(Protocol):
    """Called when a statement begins."""

    def __call__(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Reports that a statement begins.

        Args:
            line: its line in the file.
            simple: whether it contains no other statements.
            frame: the frame that runs it.
        """


class LoopListener(Protocol):
    """Called when a loop begins, and when an iteration of it begins."""

    def __call__(self, line: int, end_line: int | None, frame: FrameType, /) -> None:
        """Reports that a loop begins, or an iteration of it.

        Args:
            line: the line of the loop in the file.
            end_line: the last line of its body; None if an iteration begins.
            frame: the frame that runs it.
        """


_listeners: list[StatementListener] = []
_loop_listeners: list[LoopListener] = []


def statement_begins(line: int, simple: bool) -> None:
    """What an instrumented program calls as `CALL`."""
    frame = sys._getframe(1)
    for listener in tuple(_listeners):
        listener(line, simple, frame)


def loop_begins(line: int, end_line: int | None) -> None:
    """What an instrumented program calls as `LOOP`."""
    frame = sys._getframe(1)
    for listener in tuple(_loop_listeners):
        listener(line, end_line, frame)


_UNHEARD = operator.is_
"""What `CALL` and `LOOP` are while nobody listens: a function in C that takes two arguments and does nothing, so the program runs at its own speed."""


class listening:  # noqa: N801  # used like a function; `contextmanager` would set attributes of the program's exceptions
    """Calls `listener` before each statement of an instrumented program, and `of_loops` before each iteration, inside a `with` block.

    Functions behind `CALL` and `LOOP` remain after the block, because functions that the program has defined may be called later.
    """

    def __init__(self, listener: StatementListener, of_loops: LoopListener | None = None) -> None:
        self._listener, self._of_loops = listener, [] if of_loops is None else [of_loops]

    def __enter__(self) -> None:
        _listeners.append(self._listener)
        _loop_listeners.extend(self._of_loops)
        builtins.__dict__.update({CALL: statement_begins, LOOP: loop_begins})

    def turn_to(self, listener: StatementListener) -> None:
        """Calls another listener from now on."""
        _listeners[_listeners.index(self._listener)] = listener
        self._listener = listener

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError):  # it may have been removed already
            _listeners.remove(self._listener)
            for each in self._of_loops:
                _loop_listeners.remove(each)
        if not _listeners:
            builtins.__dict__.update({CALL: _UNHEARD, LOOP: _UNHEARD})


class OwnModules:
    """Instruments the modules of the program that are imported inside a `with` block.

    Their loaders stay what they are, and no compiled file is written or read.
    """

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError):  # it may have been removed already
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Finds a module as Python would, and has its loader return instrumented code once (see `importlib.abc.MetaPathFinder`)."""
        spec: ModuleSpec | None = None
        for finder in tuple(sys.meta_path):
            find: Any = None if finder is self else getattr(finder, "find_spec", None)
            if spec is None and find is not None:
                spec = find(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader and is_own(spec.loader.path):
            loader: Any = spec.loader
            loader.get_code = partial(_code_of_module, loader)
        return spec


def _code_of_module(loader: Any, name: str) -> CodeType | None:
    with suppress(AttributeError):
        del loader.get_code
    try:
        data = loader.get_data(loader.path)
        tree: Any = compile(data, loader.path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        code = compile(instrumented(tree), loader.path, "exec", dont_inherit=True)
        TEXTS[loader.path] = decode_source(data)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # Python will say what is wrong
        plain: CodeType | None = loader.get_code(name)
        return plain
    return code


_BODIES = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SILENT = (ast.Import, ast.ImportFrom, *_SCOPES, ast.Pass, ast.Global, ast.Nonlocal)
"""Statements that do nothing to tensors. (`from __future__` must also stay the first.)"""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def instrumented(tree: ast.Module) -> ast.Module:
    """Returns the program with a call of `CALL` before each statement that may have an effect, and of `LOOP`; line numbers stay the same."""
    _insert_calls(tree, _counters(tree))
    first = next((k for k, each in enumerate(tree.body) if is_call(each)), None)
    if first is not None:
        # Outside functions, names are looked up in three dictionaries each time; a global one's place is remembered.
        tree.body.insert(first, ast.Global([CALL, LOOP]))
    return ast.fix_missing_locations(tree)


def is_call(statement: ast.stmt) -> bool:
    """Whether a statement is a call that `instrumented` has inserted."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in (CALL, LOOP)


def _insert_calls(node: ast.AST, counters: frozenset[str]) -> None:
    for field, parts in list(ast.iter_fields(node)):
        if not isinstance(parts, list):
            continue
        for part in parts:
            if hasattr(part, "body") or hasattr(part, "cases"):
                _insert_calls(part, counters)
            if isinstance(part, _LOOPS):
                _insert_calls_of_iterations(part, counters)
        if field in _BODIES and parts and isinstance(parts[0], ast.stmt):
            setattr(node, field, list(_with_calls(node, field, parts)))


def _insert_calls_of_iterations(loop: ast.For | ast.AsyncFor | ast.While, counters: frozenset[str]) -> None:
    if _head_does_something(loop, counters):
        # The head runs again after each iteration: it binds a name, or evaluates the condition.
        for body in _bodies_with_continue(loop.body):
            body.insert(len(body) - 1, _call(loop))
        loop.body.append(_call(loop))
    if isinstance(loop.body[0], _SCOPES):  # what it computes, such as defaults, belongs to the new iteration
        loop.body.insert(0, _call(loop.body[0]))
    loop.body.insert(0, _called(LOOP, loop, loop.lineno, None))


def _with_calls(node: ast.AST, field: str, body: list[ast.stmt]) -> Iterator[ast.stmt]:
    docstring = field == "body" and isinstance(node, (ast.Module, *_SCOPES)) and _is_constant(body[0])
    if docstring:
        yield body[0]
    if isinstance(node, ast.ClassDef):
        # The name is not looked up in the class, whose namespace a metaclass may have made (`__prepare__`).
        yield ast.Global([CALL, LOOP])
    for statement in body[docstring:]:
        if not (isinstance(statement, _SILENT) or is_call(statement)):
            yield _call(statement)
        if isinstance(statement, _LOOPS):
            last = next(each for each in reversed(statement.body) if not is_call(each))
            yield _called(LOOP, statement, statement.lineno, last.end_lineno)
        yield statement


def _is_constant(statement: ast.stmt) -> bool:
    """Whether a statement is a constant: a docstring, where it is the first."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _call(statement: ast.stmt) -> ast.stmt:
    return _called(CALL, statement, statement.lineno, not hasattr(statement, "body"))


def _called(name: str, statement: ast.stmt, *facts: int | None) -> ast.stmt:
    constants: list[ast.expr] = [ast.Constant(each) for each in facts]
    return ast.copy_location(ast.Expr(ast.Call(ast.Name(name, ast.Load()), constants, [])), statement)


def _bodies_with_continue(body: list[Any]) -> Iterator[list[Any]]:
    """Yields the statement lists in a loop's body that end with its `continue`, not with that of an inner loop."""
    if isinstance(body[-1], ast.Continue):
        yield body
    for part in body:
        if isinstance(part, _SCOPES):
            continue
        fields = ("orelse",) if isinstance(part, _LOOPS) else (*_BODIES, "handlers", "cases")
        for inside in (getattr(part, field, []) for field in fields):
            if isinstance(inside, list) and inside:
                yield from _bodies_with_continue(inside)


def _head_does_something(loop: ast.stmt, counters: frozenset[str]) -> bool:
    if isinstance(loop, ast.While):
        in_line = (
            isinstance(loop.test, ast.Name) and loop.body[-1].lineno == loop.lineno
        )  # its end cannot be told by its line
        return in_line or not isinstance(loop.test, ast.Constant | ast.Name)
    return not (isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id in counters)


def _counters(tree: ast.Module) -> frozenset[str]:
    """Returns the names that the program binds only as counters of `for k in range(...)`: they are never tensors."""
    counters = {id(node.target): node.target for node in ast.walk(tree) if isinstance(node, ast.For) and _counts(node)}
    others = {name for node in ast.walk(tree) if id(node) not in counters for name in stored_here(node)}
    if "range" in others:
        return frozenset()
    return frozenset(name for target in counters.values() for name in stored_here(target)) - others


def _counts(loop: ast.For) -> bool:
    return (
        isinstance(loop.target, ast.Name)
        and isinstance(loop.iter, ast.Call)
        and isinstance(loop.iter.func, ast.Name)
        and loop.iter.func.id == "range"
    )
