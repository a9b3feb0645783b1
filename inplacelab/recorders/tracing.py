"""Reports when each statement begins in code of the program that is not instrumented: that was imported before, or is running already."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import get_ident
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol

from inplacelab.recorders.guard import Guard
from inplacelab.recorders.instrument import CALL, StatementListener
from inplacelab.recorders.program import RELAY, Program, code_of
from inplacelab.recorders.sources import TEXTS
from inplacelab.recorders.static import members_of

__all__ = ["NextLine", "Tracing", "reaches_other_code"]


class Tracing:
    """Calls `listener` before each statement of a program that is not instrumented, in a frame that runs already and in those that are called.

    Since Python 3.12 it uses `sys.monitoring` (PEP 669), which costs the code of libraries nothing. Before, or if all tools are taken, it uses
    `sys.settrace`, so a debugger is inactive between `begin` and `end`. Blocks need not end in the order in which they began.
    """

    def __init__(
        self, listener: StatementListener, program: Program, outermost: FrameType | None, guard: Guard
    ) -> None:
        self._trace = _Trace(listener, program, guard, None if outermost is None else outermost.f_code)
        self._tracer, self._outermost = _tracer(), outermost

    def begin(self) -> None:
        """Begins to trace this thread."""
        if not _monitor.add(self._trace, self._outermost):
            self._tracer.add(self._trace, self._outermost)
            _new_threads.report_to(self._trace)

    def end(self) -> None:
        """Ends that; it may be called again."""
        _monitor.remove(self._trace)
        self._tracer.remove(self._trace, self._outermost)
        _new_threads.stop(self._trace)


class NextLine:
    """Calls a function before the next line of a program runs, and so on until the function returns True.

    Args:
        act: the function.
        program: the program.
    """

    def __init__(self, act: Callable[[], bool], program: Program) -> None:
        self._act, self._program, self._tracer = act, program, _tracer()
        self._frame: FrameType | None = None

    def begin(self, frame: FrameType | None) -> None:
        """Waits for it, in a frame that runs already or one that has called it, or in functions that are called now."""
        while frame is not None and not self._program.has(frame):
            frame = frame.f_back
        if frame is not None:
            self._frame = frame
            self._tracer.add(self, frame)

    def end(self) -> None:
        """Waits no longer; it may be called again."""
        if self._frame is not None:
            self._tracer.remove(self, self._frame)
            self._frame = None

    def follows(self, code: CodeType) -> bool:
        """Whether code is the program's."""
        return self._program.sources.owns[code.co_filename] and code.co_name != RELAY

    def goes_on(self, frame: FrameType, event: str) -> None:
        """Called by the trace function."""
        if event == "line" and self._act():
            self.end()
        elif event == "return" and frame is self._frame:
            self.end()
            self.begin(frame.f_back)


class _Trace:
    """Follows a program line by line.

    Args:
        block: the code with a `with` block that runs already; None for a program that is instrumented.
    """

    def __init__(self, listener: StatementListener, program: Program, guard: Guard, block: CodeType | None) -> None:
        self._listener, self._program, self._block = listener, program, block
        self._last: dict[int, tuple[int, int]] = {}  # for each frame, its statement and the last instruction
        self.goes_on = guard.protect(self._goes_on)

    def follows(self, code: CodeType) -> bool:
        """Whether code is the program's, and does not report its statements itself."""
        if not self._program.sources.owns[code.co_filename] or code.co_name == RELAY:
            return False
        if self._block is not None:  # a `with` block does not listen to calls before statements
            return True
        # IPython runs the last expression of a cell apart, without the call before it.
        reports = CALL in code.co_names or (code.co_name == "<module>" and code.co_filename == self._program.filename)
        return not reports

    def _goes_on(self, frame: FrameType, event: str) -> None:
        last, source = self._last, self._program.sources.at(frame.f_code, frame.f_lineno)
        if source is None or (frame.f_code is self._block and source is not self._program.sources.main):
            return  # the statements around a `with` block
        line = source.statement(source.line(frame.f_lineno))
        statement, instruction = last.get(id(frame), (0, 0))
        if event == "line" and source.holds(frame.f_lineno):
            last[id(frame)] = line, frame.f_lasti
            if line != statement or frame.f_lasti <= instruction:
                self._listener(line + source.first_line - 1, False, frame)
        elif event in ("call", "return"):
            last.pop(id(frame), None)


class _Follower(Protocol):
    """What follows the lines of a program."""

    @property
    def goes_on(self) -> Callable[[FrameType, str], None]:
        """Is called for each event of a frame that runs code which it follows."""

    def follows(self, code: CodeType) -> bool:
        """Whether it follows code."""


class _Monitor:
    """A tool of `sys.monitoring`, with which several programs may be followed at once."""

    NAME = "inplacelab"
    TOOLS = 4, 3
    """The numbers of tools that Python reserves for no purpose."""

    def __init__(self) -> None:
        self._python: Any = getattr(sys, "monitoring", None)
        self._traces: list[_Trace] = []
        self._followed: list[CodeType] = []
        self._tool = -1

    def add(self, trace: _Trace, outermost: FrameType | None) -> bool:
        """Begins to follow a program, also in a frame that runs already. Returns whether that is possible."""
        if self._python is None or (not self._traces and not self._begin()):
            return False
        self._traces.append(trace)
        self._python.restart_events()
        if outermost is not None:
            self._follow(outermost.f_code)
        return True

    def remove(self, trace: _Trace) -> None:
        """Ends that; it may have been removed already."""
        if trace in self._traces:
            self._traces.remove(trace)
            if not self._traces:
                self._end()

    def _begin(self) -> bool:
        free = (each for each in self.TOOLS if self._python.get_tool(each) is None)
        tool = next(free, None)
        if tool is None:
            return False
        self._tool, events = tool, self._python.events
        self._python.use_tool_id(tool, self.NAME)
        self._python.register_callback(tool, events.PY_START, self._started)
        self._python.register_callback(tool, events.LINE, self._line)
        self._python.set_events(tool, events.PY_START)
        return True

    def _end(self) -> None:
        self._python.set_events(self._tool, 0)
        for code in self._followed:
            self._python.set_local_events(self._tool, code, 0)
        self._followed.clear()
        self._python.free_tool_id(self._tool)

    def _follow(self, code: CodeType) -> None:
        if not any(code is each for each in self._followed):
            self._followed.append(code)
            self._python.set_local_events(self._tool, code, self._python.events.LINE)

    def _started(self, code: CodeType, _: int) -> Any:
        following = [each for each in self._traces if each.follows(code)]
        if not following:
            return self._python.DISABLE
        self._follow(code)
        for each in following:
            each.goes_on(sys._getframe(1), "call")
        return None

    def _line(self, code: CodeType, _: int) -> Any:
        for each in [each for each in self._traces if each.follows(code)]:
            each.goes_on(sys._getframe(1), "line")


_monitor = _Monitor()


class _Tracer:
    """The trace function of one thread, in which several programs may be traced at once."""

    def __init__(self) -> None:
        self._traces: list[_Follower] = []
        self._before: Any = None
        self._thread = get_ident()

    def add(self, trace: _Follower, outermost: FrameType | None) -> None:
        """Begins to follow a program in a frame that runs already, and in those that are called."""
        if sys.gettrace() is not self:
            self._before = sys.gettrace()
        self._traces.append(trace)
        if outermost is not None:
            outermost.f_trace = self
        sys.settrace(self)

    def remove(self, trace: _Follower, outermost: FrameType | None) -> None:
        """Ends that."""
        with suppress(ValueError):  # it may have been removed already
            self._traces.remove(trace)
        if outermost is not None and not any(each.follows(outermost.f_code) for each in self._traces):
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
        following = [each for each in self._traces if each.follows(frame.f_code)]
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
        running = [each for each in self._traces if each.follows(frame.f_code)]
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


def reaches_other_code(program: Program, names: Mapping[str, Any]) -> bool:
    """Whether a program that is about to run may call its own code that was imported or defined before, and is not instrumented.

    Args:
        program: the program.
        names: its globals, such as those of a notebook: any of its functions and classes may be called through an object that it uses.
    """
    modules = [sys.modules.get(each) for each in program.sources.main.imported]
    values = list(dict.values(names)) if isinstance(names, dict) else []
    return any(_is_other(program, each) for each in (*modules, *values))


def _is_other(program: Program, value: Any) -> bool:
    kind = type(value)
    if kind is ModuleType:
        file = vars(value).get("__file__")
        return type(file) is str and program.sources.owns[file] and file not in TEXTS
    if kind in (FunctionType, MethodType):
        return _reports_nothing(program, code_of(value))
    held = value if issubclass(kind, type) else kind
    functions = (code_of(member) for member in members_of(held).values() if type(member) is FunctionType)
    return any(_reports_nothing(program, code) for code in functions)


def _reports_nothing(program: Program, code: CodeType | None) -> bool:
    return code is not None and program.sources.owns[code.co_filename] and CALL not in code.co_names
