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
from threading import RLock
from traceback import walk_tb
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, TracebackType
from typing import Any, NamedTuple

from inplacelab.errors import Refusal
from inplacelab.place import Place
from inplacelab.recorders.static import member, names_in, traceback_of

RELAY = "<relay>"
"""The name of the code of relays: frames that call a function for the program, at its line (see `call_from`)."""
_CALL = (lambda function, args, kwargs: function(*args, **kwargs)).__code__


def call_from(frame: FrameType, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a function as if a frame did: by a function of one line that has the file, the line and the globals of that frame.

    A recorder that calls a framework's functions for the program is between the two. But C++ warns at the line of the frame that called
    it, once for each line, and Python does so for `stacklevel=2`.
    """
    where = frame.f_code, frame.f_lasti  # cheaper than the line, which Python has to look up
    code = _codes.get(where)
    if code is None:
        if len(_codes) >= _MOST_CODES:
            _codes.clear()
        code = _codes[where] = _code(frame.f_code.co_filename, frame.f_lineno)
    return FunctionType(code, frame.f_globals)(function, args, kwargs)


_MOST_CODES = 4096
"""So many places are kept."""
_codes: dict[tuple[CodeType, int], CodeType] = {}


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
    """The function whose locals these are; "" for the program's globals."""


class Block(NamedTuple):
    """The text inside a `with` statement."""

    text: str
    first_line: int


@dataclass(frozen=True)
class Program:
    """The program that is recorded.

    Attributes:
        text: its source.
        filename: the file name under which it runs: frames of that file are the program's.
        names: every name in its text. Only these globals are scanned, since other names mean nothing to a reader.
        first_line: the line of the file at which `text` begins.
    """

    text: str
    filename: str
    names: frozenset[str]
    first_line: int = 1
    statements: Mapping[int, int] = field(default_factory=dict, repr=False)
    """For each line of the text, the line on which the innermost statement begins that it is a part of."""
    _places: dict[tuple[int, int, int], tuple[CodeType, Place]] = field(default_factory=dict, repr=False, compare=False)
    """The places so far, by code, instruction, and the place that it was called from. (They keep these addresses from being used again.)"""

    @classmethod
    def of(cls, tree: ast.AST, text: str, filename: str, first_line: int = 1) -> Program:
        """Makes a program from its tree. If the text does not begin the file, the tree's lines count from the text's first line."""
        statements: dict[int, int] = {}
        for node in ast.walk(tree):  # outer statements come before those that they contain
            if isinstance(node, ast.stmt):
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    statements[line] = node.lineno
        return cls(text, filename, identifiers(tree), first_line, statements)

    def has(self, frame: FrameType) -> bool:
        """Whether a frame runs its code."""
        return frame.f_code.co_filename == self.filename and frame.f_code.co_name != RELAY

    def runs_inside(self, entered: CodeType, frame: FrameType | None) -> bool:
        """Whether a frame that runs it was called, on the way to `frame`, by one that runs the code `entered`."""
        while frame is not None and frame.f_code is not entered:
            if self.has(frame):
                return True
            frame = frame.f_back
        return False

    def frames(self, innermost: FrameType | None, outermost: FrameType | None = None) -> list[FrameType]:
        """Returns the frames that run it, innermost first, up to `outermost`."""
        found, filename = [], self.filename
        while innermost is not None:
            if innermost.f_code.co_filename == filename and innermost.f_code.co_name != RELAY:
                found.append(innermost)
            innermost = None if innermost is outermost else innermost.f_back
        return found

    def frames_in(self, error: BaseException) -> list[FrameType]:
        """Returns the program's frames in an error's traceback, innermost first; they still have their names."""
        return [frame for frame, _ in walk_tb(traceback_of(error)) if self.has(frame)][::-1]

    def place(self, frame: FrameType, outermost: FrameType | None = None) -> Place:
        """Returns the place of one of its frames, with the calls that led there from `outermost` on."""
        place: Place | None = None
        for each in reversed(self.frames(frame, outermost)):
            key = id(each.f_code), each.f_lasti, id(place)
            known = self._places.get(key)
            if known is None:
                function = "" if each is outermost or each.f_code.co_name == "<module>" else each.f_code.co_qualname
                known = each.f_code, Place(self.line_at(each), 0, function, "", place)
                self._places[key] = known
            place = known[1]
        assert place is not None
        return place

    def statement_at(self, line_of_file: int, frame: FrameType, outermost: FrameType | None) -> Place:
        """Returns the place of the statement that begins on a line, in one of its frames."""
        place, line = self.place(frame, outermost), self.line(line_of_file)
        return place if place.line == line else replace(place, line=line)

    def line_at(self, frame: FrameType) -> int:
        """Returns the line of the text that a frame of the program runs, or that called it: a `with` block may call functions that
        stand in the same file outside of it.
        """
        last, within = self.text.count("\n") + 1, frame
        while self.text and not 1 <= self.line(within.f_lineno) <= last and within.f_back is not None:
            within = within.f_back
            while not self.has(within) and within.f_back is not None:
                within = within.f_back
        return self.line((within if self.has(within) else frame).f_lineno)

    def line(self, line_of_file: int) -> int:
        """Converts a line of the file to a line of the text, counted from 1."""
        return line_of_file - self.first_line + 1

    def statement(self, line: int) -> int:
        """Returns the first line of the innermost statement that contains a line of the text."""
        return self.statements.get(line, line)

    def place_of_function(self, function: Any) -> Place | None:
        """Returns the place of the `def` or `lambda` of a function; None for a function outside the program."""
        code = code_of(function)
        if code is None or code.co_filename != self.filename:
            return None
        first = self.line(code.co_firstlineno)  # of its first decorator, if it has any
        lines = enumerate(self.text.splitlines()[first - 1 :], first)
        defined = (line for line, text in lines if text.lstrip().startswith(("def ", "async def ")))
        return Place(first if code.co_name == "<lambda>" else next(defined, first), 0, code.co_qualname)

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

    def place_of(self, error: BaseException) -> Place | None:
        """Returns the innermost place of the program in an error's traceback."""
        place, walk = None, traceback_of(error)
        while walk is not None:
            if self.has(walk.tb_frame):
                code = walk.tb_frame.f_code
                function = "" if place is None else code.co_qualname
                place = Place(self.line(walk.tb_lineno), 0, function, "", place)
            walk = walk.tb_next
        return place


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Returns every name in a program."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


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


def is_outside_functions(frame: FrameType) -> bool:
    """Whether a frame runs statements that are in no function."""
    return frame.f_code.co_name == "<module>"


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
        scopes.append(Scope(own.copy(), frame.f_code.co_name))
        if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
            # Before Python 3.13, `f_locals` keeps the values, and so all tensors among them, on the frame: memory would be freed later.
            names.clear()
    return scopes[::-1]


# --- the text of a `with` block ----------------------------------------------------------------------------------------


def with_block(filename: str, line: int) -> Block:
    """Returns the body of the `with` statement on `line` of a file; no text if the file cannot be read."""
    lines = linecache.getlines(filename)
    for node in ast.walk(parsed("".join(lines))):
        if isinstance(node, ast.With) and node.lineno <= line <= node.body[0].lineno:
            first, last = node.body[0].lineno, node.body[-1].end_lineno
            return Block(_dedented(lines[first - 1 : last]), first)
    return Block("", 1)


PARSING = RLock()
"""Held while a text is parsed: Python's parser fails now and then if two threads call it at once."""


def parsed(text: str) -> ast.Module:
    """Parses a program; an empty one if the text cannot be parsed, since recording must not stop it."""
    try:
        with PARSING:
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return ast.Module([], [])


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
