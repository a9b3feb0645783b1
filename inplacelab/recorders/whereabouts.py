"""Tells, at an event, where the program is and what its names refer to; for recorders of frameworks that report their operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any, Protocol

from inplacelab.recorders import events
from inplacelab.recorders.bindings import Bindings, Watched
from inplacelab.recorders.program import Place, Program, Scope, scopes_of
from inplacelab.recorders.static import module_of


class Known(Protocol):
    """A tensor as the recorder knows it: its number, its names, and the tensor itself or None once it is gone."""

    names: tuple[str, ...]

    @property
    def number(self) -> int: ...

    @property
    def alive(self) -> Callable[[], Any]: ...


class Whereabouts:
    """Follows a program, and emits events about its statements and its names.

    Args:
        program: the program that is recorded.
        watched: the classes whose objects have names.
        emit: receives the events.
        account: returns the live bytes and their peak.
        known: returns what the recorder knows of a tensor; None for an unknown one.
        outermost: the frame that runs the program, if it is running already.

    Attributes:
        root: the outermost frame of the program.
    """

    def __init__(
        self, program: Program, watched: Watched, emit: Callable[[events.Event], None], account: Callable[[], tuple[int, int]],
        known: Callable[[Any], Known | None], outermost: FrameType | None,
    ) -> None:  # fmt: skip
        self._program, self._emit, self._account, self._known = program, emit, account, known
        self._filename, self._lines_before = program.filename, program.first_line - 1
        self._lines = program.text.count("\n") + 1
        self._bindings = Bindings(program.names, watched)
        self.names_of, self.drop_reference = self._bindings.names_of, self._bindings.drop_reference
        self._named: dict[int, Known] = {}  # the tensors that had names at the last scan
        self._told = False  # the program is instrumented, or traced
        self.root: FrameType | None = None
        self._globals: list[Scope] = []
        self._statement = self._instruction = -1  # of the outermost frame, at the last event
        if outermost is not None:
            self._start(outermost)

    def forget(self) -> None:
        """Drops all references."""
        self._bindings.forget()
        self._named.clear()
        self.root, self._globals = None, []

    def statement_begins(self, line: int, simple: bool, frame: FrameType) -> None:
        """Emits the begin of a statement (see `instrument.StatementListener`), and the names that the one before has bound."""
        if frame.f_code.co_filename != self._filename:
            return
        self._told = True
        if frame is self.root and self._globals:
            scopes = self._globals
        else:
            frames = self._program.frames(frame, self.root)
            if frames[-1] is not self.root:
                self._start(frames[-1])
            scopes = scopes_of(frames)
        self.look(scopes, done=True)
        live, peak = self._account()
        self._emit(events.StatementBegan(line - self._lines_before, simple, len(scopes), live, peak))

    def finish(self, scope: Scope) -> None:
        """Emits the end of the program, whose names belong to its last statement."""
        self.look([scope], done=True)
        self._emit(events.ProgramEnded(*self._account()))
        self.root = None

    def _start(self, root: FrameType) -> None:
        """Takes a frame as the program's outermost one."""
        in_module = root.f_code.co_name == "<module>"  # or in a function, such as one that runs in a thread
        keeps = type(root.f_globals) is dict  # other namespaces are copied whenever they are looked at
        self.root, self._globals = root, [Scope(root.f_globals, "")] if in_module and keeps else []
        self._bindings.own_module = module_of(root.f_globals)

    def look(self, scopes: Sequence[Scope], *, done: bool) -> None:
        """Updates the names of tensors. Inside a statement (not `done`) a tensor without a name keeps its last names, since a
        function may be returning it.
        """
        found = self._bindings.look(scopes, done=done)
        if found is None:
            return
        named: dict[int, Known] = {}
        told: dict[int, tuple[str, ...]] = {}
        for tensor, names in found:
            known = self._known(tensor)
            if known is not None:  # several objects may be one tensor
                named[known.number] = known
                told[known.number] = told.get(known.number, ()) + names
        for number, known in named.items():
            self._name(known, told[number])
        for number, known in self._named.items():
            if number not in named and known.alive() is not None:
                if done:
                    self._name(known, ())
                else:
                    named[number] = known
        self._named = named

    def named(self) -> Iterable[Any]:
        """Returns the tensors that had names at the last scan, as the recorder knows them."""
        return self._named.values()

    def look_round(self, frame: FrameType | None) -> None:
        """Scans names before code of the program runs in a backward pass: names in functions that ran earlier in it are gone."""
        self.look(scopes_of(self._program.frames(frame, self.root)), done=True)

    def _name(self, known: Known, names: Iterable[str]) -> None:
        names = tuple(names)
        if names != known.names:
            known.names = names
            self._emit(events.Named(known.number, names))

    def here(self, frame: FrameType | None) -> FrameType | None:
        """Returns, at an event, the innermost frame of the program. If the program is not instrumented, begins of statements are
        inferred, and its names are scanned.
        """
        while frame is not None and not self._program.has(frame):
            frame = frame.f_back
        if frame is not None and not self._told:
            line = frame.f_lineno - self._lines_before
            begins = frame is self.root and self._begins_statement(line, frame.f_lasti)
            self.look(scopes_of(self._program.frames(frame, self.root)), done=begins)
            if begins:
                self._emit(events.StatementBegan(line, False, 1, *self._account(), origin=events.INFERRED))
        return frame

    def place(self, frame: FrameType | None) -> Place | None:
        """Returns, at an event, the program's place."""
        here = self.here(frame)
        return None if here is None else self._program.place(here)

    def line(self, frame: FrameType | None) -> int | None:
        """Returns, at an event, the program's line; None if the program is not on the stack."""
        here = self.here(frame)
        if here is None:
            return None
        line = here.f_lineno - self._lines_before
        return line if 1 <= line <= self._lines else self._program.line_at(here)

    def _begins_statement(self, line: int, instruction: int) -> bool:
        """Whether the outermost frame runs another statement than at the last event, or runs it again."""
        statement = self._program.statement(line)
        other = statement != self._statement or instruction <= self._instruction
        self._statement, self._instruction = statement, instruction
        return other
