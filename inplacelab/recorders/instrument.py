"""Instruments a program so that it reports when each statement begins; a framework cannot, since `y = x` computes nothing.

A program that we run ourselves gets a call before each of its statements (`instrumented`). The calls change neither its line numbers
nor its behavior.
"""

from __future__ import annotations

import ast
import builtins
import operator
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import get_ident
from types import FrameType
from typing import Any, Protocol

from inplacelab.recorders.guard import Guard
from inplacelab.recorders.program import Program, stored_here

CALL = "__inplacelab_statement__"
"""The name of the built-in function that an instrumented program calls before each statement."""


class StatementListener(Protocol):
    """Called when a statement begins."""

    def __call__(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Reports that a statement begins.

        Args:
            line: its line in the file.
            simple: whether it contains no other statements.
            frame: the frame that runs it.
        """


_listeners: list[StatementListener] = []


def statement_begins(line: int, simple: bool) -> None:
    """What an instrumented program calls as `CALL`."""
    frame = sys._getframe(1)
    for listener in tuple(_listeners):
        listener(line, simple, frame)


_UNHEARD = operator.is_
"""What `CALL` is while nobody listens: a function in C that takes two arguments and does nothing, so the program runs at its own speed."""


class listening:  # noqa: N801  # used like a function; `contextmanager` would set attributes of the program's exceptions
    """Calls `listener` before each statement of an instrumented program, inside a `with` block.

    A function behind `CALL` remains after the block, because functions that the program has defined may be called later.
    """

    def __init__(self, listener: StatementListener) -> None:
        self._listener = listener

    def __enter__(self) -> None:
        _listeners.append(self._listener)
        builtins.__dict__[CALL] = statement_begins

    def turn_to(self, listener: StatementListener) -> None:
        """Calls another listener from now on."""
        _listeners[_listeners.index(self._listener)] = listener
        self._listener = listener

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError):  # it may have been removed already
            _listeners.remove(self._listener)
        if not _listeners:
            builtins.__dict__[CALL] = _UNHEARD


class NextLine:
    """Calls a function before the next line of a frame runs, or of the one that has called it, and so on until the function returns True.

    It uses `sys.settrace` until then, with which a program runs slower, but only where it calls functions.

    Args:
        act: the function.
        is_own: tells which files have lines that count.
    """

    def __init__(self, act: Callable[[], bool], is_own: Callable[[str], bool]) -> None:
        self._tracer, self._act, self._is_own = _tracer(), act, is_own
        self._frame: FrameType | None = None
        self.filename = ""

    def begin(self, frame: FrameType | None) -> None:
        """Waits for the next line of a frame, or of the first one below it whose file counts."""
        while frame is not None and not self._is_own(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None:
            self._frame, self.filename = frame, frame.f_code.co_filename
            self._tracer.add(self, frame)

    def end(self) -> None:
        """Waits no longer; it may be called again."""
        if self._frame is not None:
            self._tracer.remove(self, self._frame)
            self._frame = None

    def goes_on(self, frame: FrameType, event: str) -> None:
        """Called by the tracer."""
        if event == "line" and self._act():
            self.end()
        elif event == "return" and frame is self._frame:
            self.end()
            self.begin(frame.f_back)


class Tracing:
    """Calls `listener` before each statement of a running program that is not instrumented, in a frame and in those that it calls.

    It uses `sys.settrace`, so a debugger is inactive between `begin` and `end`. Blocks need not end in the order in which they began.
    """

    def __init__(self, listener: StatementListener, program: Program, outermost: FrameType, guard: Guard) -> None:
        self._tracer, self._trace, self._outermost = _tracer(), _Trace(listener, program, guard), outermost

    def begin(self) -> None:
        """Begins to trace this thread."""
        self._tracer.add(self._trace, self._outermost)
        _new_threads.report_to(self._trace)

    def end(self) -> None:
        """Ends that; it may be called again."""
        self._tracer.remove(self._trace, self._outermost)
        _new_threads.stop(self._trace)


class _Trace:
    """Follows a program line by line."""

    def __init__(self, listener: StatementListener, program: Program, guard: Guard) -> None:
        self._listener, self._program = listener, program
        self._last: dict[int, tuple[int, int]] = {}  # for each frame, its statement and the last instruction
        self._count = len(program.text.splitlines())
        self.filename, self.goes_on = program.filename, guard.protect(self._goes_on)

    def _goes_on(self, frame: FrameType, event: str) -> None:
        program, last = self._program, self._last
        line = program.statement(program.line(frame.f_lineno))
        statement, instruction = last.get(id(frame), (0, 0))
        if event == "line" and 1 <= line <= self._count:
            last[id(frame)] = line, frame.f_lasti
            if line != statement or frame.f_lasti <= instruction:
                self._listener(line + program.first_line - 1, False, frame)
        elif event in ("call", "return"):
            last.pop(id(frame), None)


class _Followed(Protocol):
    """What follows the lines of a file."""

    filename: str

    @property
    def goes_on(self) -> Callable[[FrameType, str], None]:
        """Is called for each event of a frame that runs a line of the file."""


class _Tracer:
    """The trace function of one thread, in which several programs may be traced at once."""

    def __init__(self) -> None:
        self._traces: list[_Followed] = []
        self._before: Any = None
        self._thread = get_ident()

    def add(self, trace: _Followed, outermost: FrameType) -> None:
        """Begins to follow a program that runs in a frame, and in those that it calls."""
        if sys.gettrace() is not self:
            self._before = sys.gettrace()
        self._traces.append(trace)
        outermost.f_trace = self
        sys.settrace(self)

    def remove(self, trace: _Followed, outermost: FrameType) -> None:
        """Ends that."""
        with suppress(ValueError):  # it may have been removed already
            self._traces.remove(trace)
        if not any(each.filename == trace.filename for each in self._traces):
            outermost.f_trace = None
        if not self._traces and get_ident() == self._thread:
            self._end()

    def _end(self) -> None:
        if sys.gettrace() in (self, None):  # none after an exception in a trace function
            sys.settrace(self._before)
        self._before = None

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if not self._traces:  # the last block has ended in another thread
            self._end()
            return None
        following = [each for each in self._traces if each.filename == frame.f_code.co_filename]
        for each in following:
            each.goes_on(frame, event)
        if following:
            frame.f_locals  # noqa: B018  # before Python 3.13, locals that are not in there would be deleted now
        return self if following else None


class _NewThreads:
    """Tells traces when a new thread runs their program. It is left out, since only the thread that began a block is traced."""

    def __init__(self) -> None:
        self._traces: list[_Trace] = []
        self._before: Any = None

    def report_to(self, trace: _Trace) -> None:
        """Reports to a trace from now on."""
        if threading.gettrace() is not self:
            self._before = threading.gettrace()
        self._traces.append(trace)
        threading.settrace(self)

    def stop(self, trace: _Trace) -> None:
        """Reports to it no longer."""
        with suppress(ValueError):  # it may have been removed already
            self._traces.remove(trace)
        before = self._before
        if not self._traces and threading.gettrace() is self:
            threading.settrace(before)

    def __call__(self, frame: FrameType, event: Any, value: object) -> Any:
        running = [each for each in self._traces if each.filename == frame.f_code.co_filename]
        if self._traces and not running:
            return None  # of another file
        for each in running:
            each.goes_on(frame, event)
        sys.settrace(self._before)
        before = self._before
        return None if before is None else before(frame, event, value)


_new_threads = _NewThreads()
_of_thread = threading.local()


def _tracer() -> _Tracer:
    """Returns the tracer of this thread."""
    if not hasattr(_of_thread, "tracer"):
        _of_thread.tracer = _Tracer()
    found: _Tracer = _of_thread.tracer
    return found


_BODIES = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SILENT = (ast.Import, ast.ImportFrom, *_SCOPES, ast.Pass, ast.Global, ast.Nonlocal)
"""Statements that do nothing to tensors. (`from __future__` must also stay the first.)"""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def instrumented(tree: ast.Module) -> ast.Module:
    """Returns the program with a call of `CALL` before each statement that may have an effect; line numbers stay the same."""
    _insert_calls(tree, _counters(tree))
    return ast.fix_missing_locations(tree)


def is_call(statement: ast.stmt) -> bool:
    """Whether a statement is a call that `instrumented` has inserted."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == CALL


def _insert_calls(node: ast.AST, counters: frozenset[str]) -> None:
    for field, parts in list(ast.iter_fields(node)):
        if not isinstance(parts, list):
            continue
        for part in parts:
            if hasattr(part, "body") or hasattr(part, "cases"):
                _insert_calls(part, counters)
            if isinstance(part, _LOOPS) and _head_does_something(part, counters):
                # The head runs again after each iteration: it binds a name, or evaluates the condition.
                for body in _bodies_with_continue(part.body):
                    body.insert(len(body) - 1, _call(part))
                part.body.append(_call(part))
        if field in _BODIES and parts and isinstance(parts[0], ast.stmt):
            docstring = field == "body" and isinstance(node, (ast.Module, *_SCOPES))
            setattr(node, field, list(_with_calls(parts, docstring)))


def _with_calls(body: list[ast.stmt], docstring: bool) -> Iterator[ast.stmt]:
    for k, statement in enumerate(body):
        first_string = (
            docstring and k == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        if not (first_string or isinstance(statement, _SILENT) or is_call(statement)):
            yield _call(statement)
        yield statement


def _call(statement: ast.stmt) -> ast.stmt:
    facts: list[ast.expr] = [ast.Constant(statement.lineno), ast.Constant(not hasattr(statement, "body"))]
    return ast.copy_location(ast.Expr(ast.Call(ast.Name(CALL, ast.Load()), facts, [])), statement)


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
        return not isinstance(loop.test, ast.Constant | ast.Name)
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
