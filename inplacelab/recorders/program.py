"""Describes the recorded program: its text, its lines, its frames on the stack, and the names in it.

A recorder runs between a program and its framework. `call_from` calls a function as if a frame of the program did, and `as_unrecorded` makes
tracebacks as they would be if no recorder ran.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from traceback import walk_tb
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MappingProxyType, MethodType, TracebackType
from typing import Any, NamedTuple

from inplacelab.errors import Refusal
from inplacelab.place import MOST_CALLS, Place
from inplacelab.recorders.sources import Source, Sources, identifiers, parsed, statements_of
from inplacelab.recorders.static import member, names_in, traceback_of

RELAY = "<relay>"
"""The name of the code of relays: frames that call a function for the program, at its line (see `call_from`)."""
_CALL = (lambda function, args, kwargs: function(*args, **kwargs)).__code__


def call_from(frame: FrameType, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a function as if a frame did: by a function of one line that has the file, the line and the globals of that frame.

    A recorder that calls a framework's functions for the program is between the two. But C++ warns at the line of the frame that called
    it, once for each line, and Python does so for `stacklevel=2`.
    """
    # The instruction is cheaper than the line, which Python has to look up, and the address of code than its hash.
    where = id(frame.f_code), frame.f_lasti
    known = _codes.get(where)
    if known is None:
        if len(_codes) >= _MOST_CODES:
            _codes.clear()
        known = _codes[where] = frame.f_code, _code(frame.f_code.co_filename, frame.f_lineno)
    return FunctionType(known[1], frame.f_globals)(function, args, kwargs)


_MOST_CODES = 4096
"""So many places are kept."""
_codes: dict[tuple[int, int], tuple[CodeType, CodeType]] = {}
"""The codes so far, by code and instruction, with the code itself, which keeps its address from being used again."""


@lru_cache(maxsize=4096)
def _code(filename: str, line: int) -> CodeType:
    return _CALL.replace(co_filename=filename, co_firstlineno=line, co_name=RELAY, co_qualname=RELAY)


def is_relay(code: CodeType) -> bool:
    """Whether a frame with this code calls for another one."""
    return code.co_name == RELAY


def without_relays(frames: Sequence[TracebackType]) -> list[TracebackType]:
    """Returns the frames of a traceback without relays, and without those between them and the frames for which they call."""
    kept: list[TracebackType] = []
    for each in frames:
        if is_relay(each.tb_frame.f_code):
            place = next((k for k in range(len(kept), 0, -1) if _same_place(kept[k - 1], each)), len(kept))
            del kept[place:]
        else:
            kept.append(each)
    return kept


def _same_place(one: TracebackType, other: TracebackType) -> bool:
    same_file = one.tb_frame.f_code.co_filename == other.tb_frame.f_code.co_filename
    return same_file and one.tb_lineno == other.tb_lineno


CO_OPTIMIZED = 0x1
"""The flag of a function's code (`inspect.CO_OPTIMIZED`): its locals are slots, not a dictionary."""


class Scope(NamedTuple):
    """The names of one frame of the program."""

    names: dict[str, Any]
    function: str
    """The function whose locals these are; "" for globals."""
    module: str = ""
    """The module whose globals these are, if it is not the one that was started."""


Owned = tuple[CodeType, str]
"""The code of a frame, and what the object is called whose method it runs."""
NO_OWNERS: Mapping[int, Owned] = MappingProxyType({})


class Block(NamedTuple):
    """The text inside a `with` statement."""

    text: str
    first_line: int


@dataclass(frozen=True)
class Program:
    """The program that is recorded.

    Attributes:
        text: the text of the source that was started.
        filename: the file name under which it runs.
        names: every name in its text. Only these globals are scanned, since other names mean nothing to a reader.
        first_line: the line of the file at which `text` begins.
        sources: this source, and the others that were seen so far.
    """

    text: str
    filename: str
    names: frozenset[str]
    first_line: int = 1
    sources: Sources = field(init=False, repr=False, compare=False)
    _places: dict[tuple[int | str, ...], tuple[CodeType, Place]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    """The places so far, by code, instruction, the place that it was called from, calls left out, owner, and the line if one was given. (They keep
    these addresses from being used again.)"""
    _modules: dict[int, tuple[dict[str, Any], Source]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    """The globals of the other modules that ran, and their sources."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", Sources(Source(self.text, self.filename, self.first_line)))

    @classmethod
    def of(cls, tree: ast.AST, text: str, filename: str, first_line: int = 1) -> Program:
        """Makes a program from its tree. If the text does not begin the file, the tree's lines count from the text's first line."""
        program = cls(text, filename, identifiers(tree), first_line)
        program.sources.main.statements = statements_of(tree)
        return program

    def has(self, frame: FrameType) -> bool:
        """Whether a frame runs its code, in whichever of its sources."""
        return self.sources.owns[frame.f_code.co_filename] and frame.f_code.co_name != RELAY

    def is_outermost(self, frame: FrameType) -> bool:
        """Whether a frame runs the source that was started, and none of its functions."""
        return frame.f_code.co_name == "<module>" and frame.f_code.co_filename == self.filename

    def runs_inside(self, entered: CodeType, frame: FrameType | None) -> bool:
        """Whether a frame that runs it was called, on the way to `frame`, by one that runs the code `entered`."""
        while frame is not None and frame.f_code is not entered:
            if self.has(frame):
                return True
            frame = frame.f_back
        return False

    def frames(self, innermost: FrameType | None, outermost: FrameType | None = None) -> list[FrameType]:
        """Returns the frames that run it, innermost first: up to `outermost` or, if that is not on the stack, up to the last one that runs the
        source that was started.
        """
        if innermost is outermost and innermost is not None:
            return [innermost]
        found, owns, main, last = [], self.sources.owns, self.filename, 0
        while innermost is not None:
            code = innermost.f_code
            if owns[code.co_filename] and code.co_name != RELAY:
                found.append(innermost)
                if innermost is outermost:
                    return found
                if code.co_filename == main:
                    last = len(found)
            innermost = innermost.f_back
        return found[:last] if last else found

    def scopes(self, frames: Sequence[FrameType]) -> list[Scope]:
        """Returns the scopes of its frames, given innermost first: first the globals of its other modules, then those of the frames, outermost
        first.
        """
        known, started = self._modules, frames[-1].f_globals if frames else None
        for frame in frames:
            names = frame.f_globals
            if names is not started and id(names) not in known and type(names) is dict:
                source = self.sources.at(frame.f_code, frame.f_lineno)
                if source is not None and source is not self.sources.main:
                    known[id(names)] = names, source
        others = [
            Scope({name: names[name] for name in source.globals if name in names}, "", _short_name(names))
            for names, source in known.values()
        ]
        return [*others, *scopes_of(frames)]

    def forget(self) -> None:
        """Drops all references to objects of the program."""
        self._modules.clear()

    def frames_in(self, error: BaseException) -> list[FrameType]:
        """Returns the program's frames in an error's traceback, innermost first; they still have their names."""
        return [frame for frame, _ in walk_tb(traceback_of(error)) if self.has(frame)][::-1]

    def place(
        self, frames: Sequence[FrameType], *, root: FrameType | None = None, line: int | None = None,
        owners: Mapping[int, Owned] = NO_OWNERS,
    ) -> Place | None:  # fmt: skip
        """Returns the place of frames of the program, which are given innermost first; None if there are none.

        Args:
            frames: the frames (see `frames`).
            root: the frame that counts as outside functions, also if it runs one.
            line: the line of its file on which the innermost one's statement begins, if that is where it is.
            owners: for the addresses of frames, what the objects are called whose methods they run.
        """
        place: Place | None = None
        places, deep = self._places, len(frames) > MOST_CALLS
        for frame in reversed((*frames[:_HALF], *frames[-_HALF:]) if deep else frames):
            code = frame.f_code
            key: tuple[int | str, ...] = id(code), frame.f_lasti, id(place)
            skipped, owner = 0, ""
            if deep or owners:
                skipped = len(frames) - MOST_CALLS if deep and frame is frames[_HALF - 1] else 0
                owned = owners.get(id(frame))
                owner = owned[1] if owned is not None and owned[0] is code else ""
                key = (*key, skipped, owner)
            if line is not None and frame is frames[0]:
                key = (*key, line)
            known = places.get(key)
            if known is None:  # (to tell the line of a frame, Python reads all of its code before it)
                at = frame.f_lineno if line is None or frame is not frames[0] else line
                here = self._placed(code, at, place, frame is root)
                known = places[key] = code, replace(here, skipped=skipped, owner=owner) if skipped or owner else here
            place = known[1]
        return place

    def _placed(self, code: CodeType, line_of_file: int, caller: Place | None, is_root: bool) -> Place:
        """Returns the place of a line in code that `caller` calls."""
        source = self.sources.at(code, line_of_file)
        assert source is not None
        line = source.line(line_of_file)
        if caller is not None and code.co_name in _COMPREHENSIONS:  # since Python 3.12 they have no frames of their own
            return replace(caller, line=line) if caller.source == source.number else caller
        function = "" if is_root or code.co_name == "<module>" else function_of(code)
        return Place(line, source.number, function, "", caller)

    def place_of(self, error: BaseException) -> Place | None:
        """Returns the innermost place of the program in an error's traceback."""
        place = None
        for frame, line in walk_tb(traceback_of(error)):
            if self.has(frame):
                place = self._placed(frame.f_code, line, place, is_root=place is None)
        return place

    def place_of_function(self, function: Any) -> Place | None:
        """Returns the place of the `def` or `lambda` of a function; None for a function outside the program."""
        code = code_of(function)
        source = None if code is None else self.sources.at(code, code.co_firstlineno)
        if code is None or source is None:
            return None
        first = source.line(code.co_firstlineno)  # of its first decorator, if it has any
        lines = enumerate(source.text.splitlines()[first - 1 :], first)
        defined = (line for line, text in lines if text.lstrip().startswith(("def ", "async def ")))
        return Place(first if code.co_name == "<lambda>" else next(defined, first), source.number, function_of(code))

    def arguments(self, kind: type, frame: FrameType) -> Iterator[Any]:
        """Yields the objects of a class that the program has given to the function that it is calling, in which a frame runs."""
        while frame.f_back is not None and not self.has(frame.f_back):
            frame = frame.f_back
        if frame.f_back is None:
            return
        code, names = frame.f_code, names_in(frame.f_locals)
        starred = [code.co_flags & flag for flag in (CO_VARARGS, CO_VARKEYWORDS)]
        count = code.co_argcount + code.co_kwonlyargcount + sum(map(bool, starred))
        for name in code.co_varnames[:count]:
            value: Any = names.get(name)
            is_dict, is_list = type(value) is dict, type(value) in (list, tuple)
            parts = value.values() if is_dict else value if is_list else (value,)
            yield from [each for each in parts if issubclass(type(each), kind)]


def _short_name(names: Mapping[str, Any]) -> str:
    """Returns the last part of the name of a module, given its globals."""
    name = names.get("__name__")
    return name.rpartition(".")[2] if type(name) is str else "?"


_TRACING = "inplacelab.recorders."
"""Where our own tracers are, which restore names themselves."""
_HALF = MOST_CALLS // 2
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})


def function_of(code: CodeType) -> str:
    """Returns the name of the function that a code object belongs to: "Block.forward"; of one defined in another function, its own name."""
    return code.co_qualname.rpartition("<locals>.")[2]


def stored_here(node: ast.AST) -> Iterator[str]:
    """Returns the name that a node itself binds; None if it binds none."""
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


def code_of(function: Any) -> CodeType | None:
    """Returns the code that runs when an object is called; None if it is not Python."""
    if not issubclass(type(function), FunctionType | MethodType | BuiltinFunctionType):
        function = member(type(function), "__call__")
    while type(function) is MethodType:
        function = function.__func__
    return function.__code__ if type(function) is FunctionType else None


# --- scopes ------------------------------------------------------------------------------------------------------------


def scopes_of(frames: Iterable[FrameType]) -> list[Scope]:
    """Returns the scopes of frames, outermost first, for frames given innermost first."""
    scopes = []
    for frame in frames:
        names = frame.f_locals
        own = names if type(names) is dict else names_in(names)
        if names is frame.f_globals:
            scopes.append(Scope(own, ""))
            continue
        scopes.append(Scope(own.copy(), function_of(frame.f_code)))
        if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED and not _is_traced():
            # Before Python 3.13, `f_locals` keeps the values, and so all tensors among them, on the frame: memory would be freed later.
            names.clear()
    return scopes[::-1]


def _is_traced() -> bool:
    """Whether the program traces or profiles itself: when its function returns, `f_locals` becomes the frame's names, before Python 3.13."""
    tracer = sys.gettrace()
    return sys.getprofile() is not None or (tracer is not None and not type(tracer).__module__.startswith(_TRACING))


# --- the text of a `with` block ----------------------------------------------------------------------------------------


def with_block(filename: str, line: int) -> Block:
    """Returns the body of the `with` statement on `line` of a file; no text if the file cannot be read."""
    lines = linecache.getlines(filename)
    for node in ast.walk(parsed("".join(lines))):
        if isinstance(node, ast.With) and node.lineno <= line <= node.body[0].lineno:
            first, last = node.body[0].lineno, node.body[-1].end_lineno
            return Block(_dedented(lines[first - 1 : last]), first)
    return Block("", 1)


def _dedented(lines: list[str]) -> str:
    """Removes the indentation of the first line from all lines that have it; the lines of a text may have less."""
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return "".join(line.removeprefix(margin) for line in lines)


_PACKAGE = Path(__file__).parents[1]
_ENGINE = (f"{_PACKAGE}{os.sep}", "<inplacelab ")
"""The beginnings of the engine's file names: files of the package, and generated operations."""
_RECORDERS = tuple(f"{_PACKAGE / each}{os.sep}" for each in ("recorders", "diagnosis", "frameworks"))
"""The beginnings of the file names of recorders and watches, whose frames are between a program and its framework."""
_error: Any = BaseException
_cause_of: Callable[[BaseException], BaseException | None] = _error.__cause__.__get__
_context_of: Callable[[BaseException], BaseException | None] = _error.__context__.__get__
_set_traceback: Callable[[BaseException, TracebackType | None], None] = _error.__traceback__.__set__


def as_unrecorded(error: BaseException) -> None:
    """Takes the frames of recorders out of the traceback of an error, and out of those of the errors that led to it."""
    waiting, seen = [error], set()
    while waiting:
        each = waiting.pop()
        seen.add(id(each))
        trace = traceback_of(each)
        if any(_is_of(_RECORDERS, walk) for walk in _frames(trace)):
            _set_traceback(each, _without(_RECORDERS, trace))
        led_to = _cause_of(each), _context_of(each)
        waiting += [other for other in led_to if other is not None and id(other) not in seen]


def learners_traceback(error: BaseException, filename: str) -> TracebackType | None:
    """Returns an error's traceback from the program's first frame on, as if no recorder ran; for a refusal, without the engine's frames."""
    walk = traceback_of(error)
    while walk is not None and walk.tb_frame.f_code.co_filename != filename:
        walk = walk.tb_next
    return without_engine(walk) if issubclass(type(error), Refusal) else _without(_RECORDERS, walk)


def without_engine(trace: TracebackType | None) -> TracebackType | None:
    """Returns a refusal's traceback without the engine's frames, because the mistake is in the program."""
    return _without(_ENGINE, trace)


def _without(hidden: tuple[str, ...], trace: TracebackType | None) -> TracebackType | None:
    kept: TracebackType | None = None
    for each in reversed(without_relays(list(_frames(trace)))):
        if not _is_of(hidden, each):
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_of(files: tuple[str, ...], trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(files)
