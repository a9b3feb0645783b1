"""Records programs that use `vectors`: its functions call the recorder, which looks at their vectors and emits events."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from types import FrameType
from typing import Any

import vectors
from vectors import Memory, Vector

from inplacelab.dependence import POINTWISE
from inplacelab.language import Text
from inplacelab.layout import Layout
from inplacelab.recorders import events, recorder
from inplacelab.recorders.bindings import Watched
from inplacelab.recorders.events import Operand
from inplacelab.recorders.guard import Guard, StepLimit
from inplacelab.recorders.live_objects import Handles
from inplacelab.recorders.log import Log
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.program import Program, Scope, scopes_of
from inplacelab.recorders.snapshots import snapshot
from inplacelab.recorders.static import class_name, message_of

ELSEWHERE = Text("What other threads did was left out.", "其他线程所做的没有记录。")
FUNCTIONS = (
    (vectors, "vector", "create"),
    (Vector, "part", "view"),
    (Vector, "plus", "ordinary"),
    (Vector, "plus_", "in-place"),
)
"""The functions to watch: where each is, its name, and how it treats memory."""


@dataclass(eq=False)
class KnownVector:
    """A vector as the recorder knows it (see `names_and_lines.Known`)."""

    number: int
    alive: Callable[[], Any]
    names: tuple[str, ...]
    operand: Operand


@dataclass(eq=False)
class KnownMemory:
    """The number of a storage, and its bytes: 0 if it was there before the program."""

    number: int
    bytes: int


class VectorRecorder:
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, refusals, elsewhere = "vectors", vectors.__version__, (), ELSEWHERE
    waits: Callable[[], None] | None = None
    watched = Watched(Vector)

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self.program, self.emit, self.limit = program, log.emit, StepLimit(limit, log)
        self.guard = Guard(self)
        self._memories: Handles[Memory, KnownMemory] = Handles(self._memory_died, self.guard.protect_callback)
        self._vectors: Handles[Vector, KnownVector] = Handles(self._vector_died, self.guard.protect_callback)
        self.names = NamesAndLines(self, outermost)
        self._originals: list[tuple[Any, str, Any]] = []
        self.live_before, self._peak = 0, 0

    @staticmethod
    def memory_of(vector: Vector, /) -> recorder.Memory:
        """Returns where the numbers of a vector are."""
        numbers = vector.memory.numbers
        return recorder.Memory(id(vector.memory), numbers.__array_interface__["data"][0], numbers.nbytes, "vectors")

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing vectors as they are now."""
        try:
            self.names.look([Scope(tensors, "")], done=True)
        finally:
            self.forget()

    def begin(self) -> None:
        """Replaces each function by one that calls the recorder."""
        self.guard.begin()
        for owner, name, category in FUNCTIONS:
            function = getattr(owner, name)
            self._originals.append((owner, name, function))
            setattr(owner, name, self._watched(function, category))

    def is_idle(self) -> bool:
        """Whether the functions can be put back now: those that run keep what they call."""
        return True

    def end(self) -> None:
        """Puts the functions back."""
        self.guard.end()
        while self._originals:
            setattr(*self._originals.pop())

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement begins."""
        self.names.statement_begins(line, simple, frame)
        self.limit.statement_began(simple=simple and self.program.is_outermost(frame))

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        self.names.look(scopes_of(self.program.frames_in(error)), done=True)
        place = self.program.place_of(error)
        self.emit(events.Raised(class_name(type(error)), message_of(error), place, *self.live_and_peak()))

    def finish(self, scopes: Sequence[Scope]) -> None:
        """Called when the program has ended."""
        self.names.finish(scopes)

    # ---- what a call did -----------------------------------------------------------------------------------------------

    def _watched(self, function: Callable[..., Any], category: Any) -> Callable[..., Any]:
        before, after = self.guard.protect(self._before), self.guard.protect(self._after)

        @wraps(function)
        def call(*args: Any) -> Any:
            if sys._getframe(1).f_globals is vars(vectors):  # what the framework itself calls is no step of the program
                return function(*args)
            before(args)
            result = function(*args)
            after(function.__name__, category, args, result)
            return result

        return call

    def _before(self, args: tuple[Any, ...]) -> None:
        """Describes the operands, with their contents as they are before the call writes them."""
        self.names.frames(sys._getframe())
        for each in args:
            if issubclass(type(each), Vector):
                self.known(each)

    def _after(self, name: str, category: Any, args: tuple[Any, ...], result: Vector) -> None:
        """Emits what a call did: a write, a new vector, and the operation."""
        if self.limit.reached():
            return
        place = self.names.place(sys._getframe())
        inputs = tuple(self.known(each).operand for each in args if issubclass(type(each), Vector))
        output = self.known(result, made=True).operand
        if category == "in-place":
            memory = result.memory
            self.emit(events.Wrote(output.storage, output.counter, memory.version, snapshot(memory.numbers)))
        depends, live_and_peak = POINTWISE if name.startswith("plus") else None, self.live_and_peak()
        self.emit(events.OperationDone(name, category, inputs, output, None, place, *live_and_peak, depends=depends))

    # ---- objects -------------------------------------------------------------------------------------------------------

    def known(self, vector: Vector, *, made: bool = False) -> KnownVector:
        """Returns what is known of a vector, which is described first if it is new: `made` by the program, or there before."""
        known = self._vectors.find(vector)
        if known is None:
            storage, layout = self._storage(vector.memory, made=made), Layout((vector.size,), (1,), vector.start)
            operand = Operand(self._vectors.next_number(), storage, storage, layout, "float64")
            names = self.names.names_of(vector)
            known = KnownVector(operand.tensor, weakref.ref(vector), names, operand)
            self._vectors.add(vector, known)
            self.emit(events.TensorMade(operand, "cpu", False, None, None, None, names))
        return known

    def _storage(self, memory: Memory, *, made: bool) -> int:
        """Returns the number of a storage, which is described first if it is new."""
        known = self._memories.find(memory)
        if known is None:
            number, numbers = self._memories.next_number(), memory.numbers
            known = KnownMemory(number, numbers.nbytes if made else 0)
            self.live_before += 0 if made else numbers.nbytes
            self._memories.add(memory, known)
            whole = snapshot(numbers)
            self.emit(events.StorageSeen(number, numbers.nbytes, numbers.size, "float64", "cpu", False, whole))
            self.emit(events.CounterSeen(number, number, memory.version))
        return known.number

    def _vector_died(self, known: KnownVector) -> None:
        self.emit(events.Died("tensor", known.number))

    def _memory_died(self, known: KnownMemory) -> None:
        self.emit(events.Died("storage", known.number))

    def live_and_peak(self) -> tuple[int, int]:
        """Returns the bytes of the living storages that the program has made, and their peak."""
        live = sum(known.bytes for _, known in self._memories.living())
        self._peak = max(self._peak, live)
        return live, self._peak

    def forget(self) -> None:
        self._vectors.clear()
        self._memories.clear()
        self.names.forget()
