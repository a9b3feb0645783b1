"""Watches programs that use NumPy, which tells nobody what it does: looks at their arrays from statement to statement, and emits events.

An array is met when a name first leads to it. Its storage is the memory of the array that owns it (`.base`), or of the buffer under that.
A statement has written a storage if bytes in it differ from before. So

- the version of a storage counts the statements that were seen to write it: NumPy has no counter;
- a write that leaves the same bytes is not seen, nor is what a statement made and let go of;
- of an expression with several operations the result is seen: it is told as one operation, called after the last one (`x + y * 2`: "+"),
  whose inputs are the arrays with names that the expression reads. Where the text does not say what made an array, no operation is told;
- live bytes are those of the storages that were met;
- arrays of objects, texts, dates, records and `longdouble`, and those whose elements lie askew in their storage, are left out.

A recording keeps a copy of every storage, and each statement reads all of them.

>>> from inplacelab import record
>>> with record() as rec:
...     x = np.zeros(3)
...     v = x[1:]
...     v += 2
>>> [(step.op, step.category) for step in rec.recording.steps]
[('zeros', 'create'), ('getitem', 'view'), ('+=', 'in-place')]
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from traceback import walk_tb
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

from inplacelab.errors import Refusal
from inplacelab.layout import Layout
from inplacelab.recorders.bindings import Bindings, Watched, package_of, value_of
from inplacelab.recorders.events import INFERRED, Operand, OperationDone, ProgramEnded, Raised, StatementBegan
from inplacelab.recorders.instrument import traced
from inplacelab.recorders.log import Log
from inplacelab.recorders.numpy_arrays import Arrays, KnownArray, KnownStorage
from inplacelab.recorders.program import Program, Scope, scopes_of
from inplacelab.recorders.statements import NOTHING, Running, maker, read, writers

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category


class NumpyRecorder:
    """Emits events about the arrays of a program (see `run.Recorder`).

    Args:
        program: the program that is recorded.
        log: where the events go.
        limit: the most statements to look at; those that come after are only counted. None for no limit.
        outermost: the frame that runs the program, if it runs already.
    """

    framework, version = "numpy", np.__version__

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._limit, self._root = program, log.emit, limit, outermost
        self._says = read(program.text)
        self._bindings = Bindings(program.names, Watched(np.ndarray))
        self._arrays = Arrays(log.emit)
        self._running: list[Running[KnownArray]] = []  # at most one for each frame of the program
        self._heard = self._peak = self.live_before = 0
        self.refusals: Sequence[Callable[[], Refusal | None]] = ()

    @property
    def missed(self) -> int:
        """How many statements were not looked at because of the limit."""
        return 0 if self._limit is None else max(self._heard - self._limit, 0)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let go of the arrays in the end. A program that runs already does not tell when its statements begin, and is traced."""
        root = self._root
        try:
            with traced(self.statement_begins, self._program, root) if root is not None else nullcontext():
                yield
        finally:
            self._arrays.forget()
            self._bindings.forget()
            self._root = None

    # ---- statements ------------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """A statement of an instrumented program begins (see `instrument.StatementListener`)."""
        if frame.f_code.co_filename != self._program.filename:
            return
        self._heard += 1
        if self.missed:
            return
        frames, line = self._program.frames(frame, self._root), self._program.line(line)
        self._root, scopes = frames[-1], scopes_of(frames)
        self._bindings.own_module = frame.f_globals.get("__name__", "builtins")
        if self._heard > 1:
            self._look(scopes, self._over(len(frames)))
        self._emit(StatementBegan(line, simple, len(frames), *self._account()))
        if self._heard == 1:
            self._look(scopes, [], given=True)
            self.live_before = self._arrays.sizes(given=True)
        says, names = self._says.get(line, NOTHING), ChainMap(dict(scopes[-1].names), frame.f_globals)
        values = {place: value_of(place, names) for place in (*says.reads, *(each.target for each in says.writes))}
        arrays = {place: found for place, value in values.items() if (found := self._arrays.find(value)) is not None}
        others = {place: value for place, value in values.items() if not issubclass(type(value), np.ndarray)}
        library = frozenset(place for place, value in others.items() if package_of(value) == "numpy")
        self._running.append(Running(line, len(frames), frame.f_code.co_name, says, arrays, library))
        if "resize" in says.calls:
            self._bindings.forget()
            self._arrays.let_go()

    def failed(self, error: BaseException) -> None:
        """The program ended with an exception: the frames in its traceback still have their names."""
        filename = self._program.filename
        frames = [frame for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_filename == filename]
        if frames and not self.missed:
            self._look(scopes_of(frames[::-1]), self._over(1))
        self._emit(Raised(type(error).__name__, str(error), self._program.line_of(error), *self._account()))

    def finish(self, scope: Scope) -> None:
        """The program is over, and these are its names."""
        if not self.missed:
            self._look([scope], self._over(1))
        self._emit(ProgramEnded(*self._account()))

    def _over(self, depth: int) -> list[Running[KnownArray]]:
        """The statements that are over if the next one runs in the frame of this depth: the outermost first."""
        over = [each for each in self._running if each.depth >= depth]
        self._running = self._running[: len(self._running) - len(over)]
        return over

    def _account(self) -> tuple[int, int]:
        live = self._arrays.sizes(given=False)
        self._peak = max(self._peak, live)
        return live, self._peak

    # ---- operations ------------------------------------------------------------------------------------------------------

    def _look(self, scopes: Sequence[Scope], over: Sequence[Running[KnownArray]], *, given: bool = False) -> None:
        """Say what has changed since the last look, by these statements; `given`: what is found was there before the program."""
        named = self._bindings.look(scopes, done=True)
        new = [] if named is None else self._arrays.name(named)
        for known, left in self._arrays.remade():
            self._remade(known, left, over)
        for storage, slots in self._arrays.written():
            self._wrote(storage, slots, over)
        for array, names in new:
            storages = self._arrays.storages_met
            met = self._arrays.meet(array, names, given=given)
            if met is not None:
                self._made(met, met.storage.number < storages, over)
        self._account()  # what is gone was there until the statement had made what is new
        self._arrays.bury()

    def _done(
        self, by: str, category: Category, inputs: Iterable[KnownArray], output: Operand, line: int | None
    ) -> None:
        operands = tuple(each.operand for each in inputs)
        self._emit(OperationDone(by, category, operands, output, {}, None, line, *self._account(), origin=INFERRED))

    def _remade(self, known: KnownArray, left: KnownStorage, over: Sequence[Running[KnownArray]]) -> None:
        """An array has other metadata, by `x.shape = ...`, or also another storage, by `x.resize(...)`."""
        category: Category = "relayout" if known.storage is left else "reallocated"
        for running, write, array in writers(over):
            if array is known:
                self._done(write.by, category, [known], known.operand, running.line)
                return

    def _wrote(
        self, storage: KnownStorage, slots: Layout | tuple[int, ...], over: Sequence[Running[KnownArray]]
    ) -> None:
        """A storage was written in these slots."""
        likely = [each for each in writers(over) if each[2].storage is storage]
        through = [known for *_, known in likely] + storage.widest_first()
        if not through:
            return  # only the program's libraries know the array
        output = next((each.operand for each in through if storage.shows(each, slots)), through[0].operand)
        output = replace(output, part=slots)
        if likely:
            running, write, _ = likely[0]
            self._done(write.by, "in-place", running.reads([write.target, *running.says.reads]), output, running.line)
        else:
            self._done("write", "in-place", (), output, over[-1].line if over else None)

    def _made(self, known: KnownArray, is_view: bool, over: Sequence[Running[KnownArray]]) -> None:
        """An array is new."""
        made = maker(over, known.names)
        if made is not None:
            running, bound = made
            inputs = running.reads(bound.reads)
            category: Category = "view" if is_view else "ordinary" if inputs else "create"
            self._done(bound.by or "", category, inputs, known.operand, running.line)
