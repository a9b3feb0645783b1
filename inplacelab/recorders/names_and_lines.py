"""Tells, at an event, where the program is, and follows its statements and names."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from types import FrameType
from typing import Any, Protocol

from inplacelab.place import Place
from inplacelab.recorders import events
from inplacelab.recorders.bindings import Bindings, Watched
from inplacelab.recorders.program import Owned, Program, Scope, code_of, scopes_of
from inplacelab.recorders.static import class_name, member, module_of


class Known(Protocol):
    """A tensor as the recorder knows it: its number, its names, and the tensor itself or None once it is gone."""

    names: tuple[str, ...]

    @property
    def number(self) -> int: ...

    @property
    def alive(self) -> Callable[[], Any]: ...


class Follows(Protocol):
    """A recorder that follows the names and lines of a program.

    Attributes:
        program: the program.
        watched: the classes whose objects have names.
    """

    program: Program
    watched: Watched

    @property
    def emit(self) -> Callable[[events.Event], None]:
        """Receives the events."""

    def live_and_peak(self) -> tuple[int, int]:
        """Returns the live bytes and their peak."""

    def known(self, tensor: Any, /) -> Known | None:
        """Returns what the recorder knows of a tensor; None for an unknown one."""


class NamesAndLines:
    """Tells, at an event, where the program is and what its names refer to. Emits events about its statements and its names.

    Args:
        recorder: the recorder.
        outermost: the frame that runs the program, if it is running already.

    Attributes:
        root: the outermost frame of the program.
        told: whether the program is instrumented, or traced, so that its statements are reported.
        owners: what the objects are called whose methods its frames run (see `Program.place`).
    """

    def __init__(self, recorder: Follows, outermost: FrameType | None) -> None:
        self._recorder, self._program, self._emit = recorder, recorder.program, recorder.emit
        program = recorder.program
        self._bindings = Bindings(program.names, recorder.watched)
        self.names_of, self.drop_reference = self._bindings.names_of, self._bindings.drop_reference
        self.owners: dict[int, Owned] = {}  # of frames, by their addresses
        codes = [code_of(member(each, "__call__")) for each in recorder.watched.holders]
        self._calls = {id(code): code for code in codes if code is not None}  # by address: to hash code takes long
        self._named: dict[int, Known] = {}  # the tensors that had names at the last scan
        self._constructed: dict[int, tuple[Callable[[], Any], events.RanIn]] = {}  # modules, by their addresses
        self.told = False
        self.root: FrameType | None = None
        self._globals: list[Scope] = []
        self._statements: dict[int, int] = {}  # of the outermost frame, by instruction
        self._statement = self._instruction = -1  # of the outermost frame, at the last event
        if outermost is not None:
            self._start(outermost)

    def forget(self) -> None:
        """Drops all references."""
        self._bindings.forget()
        self._program.forget()
        self._named.clear()
        self.root, self._globals = None, []

    def statement_begins(self, line: int, simple: bool, frame: FrameType) -> None:
        """Emits the begin of a statement (see `instrument.StatementListener`), and the names that the one before has bound."""
        frames = self._program.frames(frame, self.root)
        if not frames or frames[0] is not frame:
            return
        self.told = True
        if frames[-1] is not self.root:
            self._start(frames[-1])
        scopes = self._scopes(frames)
        found = self._bindings.look(scopes, done=True)
        if found is not None:
            self._names_are(found, done=True)
        if frame.f_code.co_argcount or self.owners:
            self._note_owner(frame, scopes[-1])
        place = self._program.place(frames, root=self.root, line=line, owners=self.owners)
        assert place is not None
        self._emit(events.StatementBegan(place, simple, len(frames), *self._recorder.live_and_peak()))

    def finish(self, scopes: Sequence[Scope]) -> None:
        """Emits the end of the program, whose names belong to its last statement."""
        self.look([*self._program.scopes(()), *scopes], done=True)
        self._emit(events.ProgramEnded(*self._recorder.live_and_peak()))
        self.root = None

    def _start(self, root: FrameType) -> None:
        """Takes a frame as the program's outermost one."""
        in_module = root.f_code.co_name == "<module>"  # or in a function, such as one that runs in a thread
        keeps = type(root.f_globals) is dict  # other namespaces are copied whenever they are looked at
        self.root, self._globals = root, [Scope(root.f_globals, "")] if in_module and keeps else []
        self._statements.clear()
        self._bindings.own_module = module_of(root.f_globals)

    def _scopes(self, frames: Sequence[FrameType]) -> Sequence[Scope]:
        if self._globals and len(frames) == 1 and frames[0] is self.root and len(self._program.sources.seen) == 1:
            return self._globals  # faster, and the same
        return self._program.scopes(frames)

    def _note_owner(self, frame: FrameType, scope: Scope) -> None:
        """Notes what the object is called whose method a frame runs. Another frame may have had this address."""
        code = frame.f_code
        is_method = code.co_argcount and code.co_varnames[0] == "self"
        owner = self._bindings.name_of_holder(scope.names.get("self")) if is_method else ""
        if owner:
            self.owners[id(frame)] = code, owner
        else:
            self.owners.pop(id(frame), None)

    def look(self, scopes: Sequence[Scope], *, done: bool) -> None:
        """Updates the names of tensors. Inside a statement (not `done`) a tensor without a name keeps its last names, since a
        function may be returning it.
        """
        found = self._bindings.look(scopes, done=done)
        if found is not None:
            self._names_are(found, done=done)

    def _names_are(self, found: Sequence[tuple[Any, tuple[str, ...]]], *, done: bool) -> None:
        named: dict[int, Known] = {}
        told: dict[int, tuple[str, ...]] = {}
        for tensor, names in found:
            known = self._recorder.known(tensor)
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
        self.look(self._scopes(self._program.frames(frame, self.root)), done=True)

    def _name(self, known: Known, names: Iterable[str]) -> None:
        names = tuple(names)
        if names != known.names:
            known.names = names
            self._emit(events.Named(known.number, names))

    def frames(self, frame: FrameType | None) -> list[FrameType]:
        """Returns, at an event, the frames of the program, innermost first. If the program is not instrumented, begins of statements are
        inferred, and its names are scanned.
        """
        frames = self._program.frames(frame, self.root)
        if not frames or self.told:
            return frames
        # Whether the outermost frame runs another statement than at the last event, or runs it again.
        begins, outermost = False, frames[-1]
        if outermost is self.root:
            instruction = outermost.f_lasti
            statement = self._statements.get(instruction)
            if statement is None:  # (to know the line of a frame, Python reads all of its code before it)
                main = self._program.sources.main
                statement = self._statements[instruction] = main.statement(main.line(outermost.f_lineno))
            again = instruction < self._instruction if len(frames) > 1 else instruction <= self._instruction
            begins = statement != self._statement or again
            self._statement, self._instruction = statement, instruction
        scopes = self._scopes(frames)
        found = self._bindings.look(scopes, done=begins)
        if found is not None:
            self._names_are(found, done=begins)
        if frames[0].f_code.co_argcount or self.owners:
            self._note_owner(frames[0], scopes[-1])
        if begins:
            place, live_and_peak = self._program.place(frames[-1:], root=self.root), self._recorder.live_and_peak()
            assert place is not None
            self._emit(events.StatementBegan(place, False, 1, *live_and_peak, origin=events.INFERRED))
        return frames

    def module(self, frame: FrameType | None) -> str:
        """Returns, at an event, what the program calls the library's module that it has called and that is running: `net.2`; "" if there is none, or
        it has no name.
        """
        modules: list[Any] = []
        owns = self._program.sources.owns
        while frame is not None:
            code = frame.f_code
            if id(code) in self._calls:
                modules.append(scopes_of([frame])[0].names.get("self"))
            elif not modules and owns[code.co_filename] and self._program.has(frame):
                return ""
            if frame is self.root:
                break
            frame = frame.f_back
        return self._bindings.name_of_module(modules)

    def ran_in(self, frame: FrameType | None) -> events.RanIn | None:
        """Returns, at an event, what is known of the library's module that the program has called and that is running, the innermost; None if there is none."""
        while frame is not None and frame is not self.root and not self._program.has(frame):
            if id(frame.f_code) in self._calls:
                module = scopes_of([frame])[0].names.get("self")
                alive, place = self._constructed.get(id(module), (lambda: None, None))
                return place if place is not None and alive() is module else events.RanIn(class_name(type(module)))
            frame = frame.f_back
        return None

    def constructed(self, module: Any, frame: FrameType | None) -> None:
        """Notes, when the `__init__` of a library's module runs, where the program constructs it, if it does so itself."""
        while frame is not None and _initializes(frame, module) and not self._program.has(frame):
            frame = frame.f_back
        if frame is None or not self._program.has(frame):
            return
        source = self._program.sources.at(frame.f_code, frame.f_lineno)
        line, end_line, column, end_column = next(
            islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4
        )
        if source is None or line is None or end_line is None or column is None or end_column is None:
            return
        kind = class_name(type(module))
        place = events.RanIn(kind, source.number, source.line(line), column, source.line(end_line), end_column)
        self._constructed[id(module)] = weakref.ref(module), place

    def copied(self, module: Any, original: Any) -> None:
        """Notes that a module is a copy, so that it writes in place if its original does."""
        alive, place = self._constructed.get(id(original), (lambda: None, None))
        if place is not None and alive() is original:
            self._constructed[id(module)] = weakref.ref(module), place

    def place(self, frame: FrameType | None) -> Place | None:
        """Returns, at an event, the program's place; None if the program is not on the stack."""
        return self._program.place(self.frames(frame), root=self.root, owners=self.owners)


def _initializes(frame: FrameType, module: Any) -> bool:
    """Whether a frame is that of an `__init__` of a module, and not of another one that has it as a part."""
    return frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is module
