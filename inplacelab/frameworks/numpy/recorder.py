"""Records programs that use NumPy, which reports nothing: compares their arrays from statement to statement, and emits events.

An array is recorded from when a name first leads to it. Its storage is the memory of the array that owns it (`.base`), or the buffer
under that. A statement has written a storage if its bytes have changed. So

- the version of a storage counts the statements that were seen to write it, since NumPy has no version counter;
- a write of the same bytes is not seen, nor is an array without a name, such as a temporary inside a statement;
- the last operation of an expression is recorded (`x + y * 2`: "+"); if the text does not show it, a write is just a "write";
- arrays of objects, strings, dates, records and `longdouble` are left out, and arrays that are not aligned to their storage's elements.

>>> from inplacelab import record
>>> with record() as rec:
...     x = np.zeros(3)
...     v = x[1:]
...     v += 2
>>> [(step.op, step.category) for step in rec.recording.steps]
[('zeros', 'create'), ('getitem', 'view'), ('+=', 'in-place')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import FrameType, FunctionType
from typing import Any, Generic, TypeVar

import numpy as np

from inplacelab.frameworks.numpy.attribution import Attribution, Did
from inplacelab.language import Text
from inplacelab.layout import Layout, extent
from inplacelab.recorders import events
from inplacelab.recorders.bindings import Bindings, Watched
from inplacelab.recorders.detection import framework_of_object, recorder_of
from inplacelab.recorders.events import INFERRED, CounterSeen, Died, Event, Operand, OperationDone, StorageSeen, Wrote
from inplacelab.recorders.guard import ELSEWHERE, Guard, StepLimit
from inplacelab.recorders.live_objects import Handles
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import Program, Scope
from inplacelab.recorders.recorder import Memory
from inplacelab.recorders.snapshots import snapshot
from inplacelab.recorders.static import attributes_of, class_name, member, message_of, module_of
from inplacelab.recorders.tracing import Tracing

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Storage(Generic[T]):
    """The state of a storage at the last event about it.

    Attributes:
        number: its number, and that of its counter.
        start: its address.
        dtype: of its slots.
        size: how many bytes it has.
        contents: its bytes; none if they will not be compared.
        version: how many writes were seen.
        tensors: the tensors on it. It lives while there are any.
    """

    number: int
    start: int
    dtype: np.dtype[Any]
    size: int
    contents: bytes
    version: int = 0
    tensors: set[T] = field(default_factory=set)

    @property
    def stop(self) -> int:
        """The address of its end. An empty storage has one byte, so that no two storages begin at the same address."""
        return self.start + max(self.size, 1)


class Storages(Generic[T]):
    """The storages that are known.

    In its methods, `memory` is a storage as an array of one axis, with all of its elements in order.

    Args:
        emit: receives the events.
        device: where the storages are: "cpu".

    Attributes:
        only_ends: whether only the ends of a large storage are read, and none is compared.
    """

    def __init__(self, emit: Callable[[Event], None], device: str) -> None:
        self._emit, self._device = emit, device
        self._known: list[Storage[T]] = []
        self.only_ends = False
        self._given: int | None = None
        self._numbered = self._peak = self._before = 0

    def living(self) -> list[Storage[T]]:
        """Returns the storages with tensors on them."""
        return [each for each in self._known if each.tensors]

    def find(self, memory: Any, before: Storage[T] | None = None) -> Storage[T] | None:
        """Finds the storage of some memory; describes it first if it is new.

        Args:
            memory: the elements.
            before: the last known storage of the tensor on this memory, if any.

        Returns:
            The storage; None if the memory overlaps other storages.
        """
        start = _address(memory)
        stop = start + max(memory.nbytes, 1)
        there = [each for each in self._known if start < each.stop and each.start < stop]
        for each in there:
            if (each.start, each.stop) == (start, stop) and (each.tensors or each is before):
                return each
        if any(each.tensors for each in there):
            return None
        contents, written = (b"", ()) if self.only_ends else (memory.tobytes(), None)
        storage: Storage[T] = Storage(self._numbered, start, memory.dtype, memory.nbytes, contents)
        self._known.append(storage)
        self._numbered += 1
        size, slots, dtype = memory.nbytes, memory.size, memory.dtype.name
        self._emit(
            StorageSeen(storage.number, size, slots, dtype, self._device, False, snapshot(memory, slots=written))
        )
        self._emit(CounterSeen(storage.number, storage.number, 0, origin=INFERRED))
        return storage

    def compare(self, storage: Storage[T], memory: Any) -> Layout | tuple[int, ...] | None:
        """Emits a write if a storage has changed. Returns the slots that differ, as a layout if they are contiguous; None if none do."""
        if memory is None or self.only_ends:
            return None
        now, before = memory.tobytes(), storage.contents
        if now == before or (_address(memory), len(now)) != (storage.start, len(before)):
            return None
        flat, storage.contents, storage.version = memory.view(storage.dtype), now, storage.version + 1
        slots = _differing(before, now, flat.itemsize)
        window = flat[slots.offset : slots.offset + slots.size] if isinstance(slots, Layout) else None
        values = snapshot(flat, window, slots)
        self._emit(Wrote(storage.number, storage.number, storage.version, values, origin=INFERRED))
        return slots

    def settle(self) -> int:
        """Ends a scan of the tensors: emits the storages that are gone.

        Returns:
            The bytes of the storages that existed before the program, which are those of the first scan.
        """
        if self._given is None:
            self._given, self._before = self._numbered, sum(each.size for each in self._known)
        self.live_and_peak()  # freed storages were alive until the statement had made the new ones
        for storage in [each for each in self._known if not each.tensors]:
            self._known.remove(storage)
            self._emit(Died("storage", storage.number))
        return self._before

    def live_and_peak(self) -> tuple[int, int]:
        """Returns the bytes of the storages that the program has made, and their peak so far."""
        live = sum(each.size for each in self._known if each.number >= (self._given or 0))
        self._peak = max(self._peak, live)
        return live, self._peak


def shows(operand: Operand, storage: Storage[Any], slots: Layout | tuple[int, ...]) -> bool:
    """Whether a tensor may reach all of these slots of its storage. True for another dtype, which counts elements differently."""
    if operand.dtype != storage.dtype.name:
        return True
    layout = operand.layout
    low, high = extent(layout)
    wanted = np.arange(slots.offset, slots.offset + slots.size) if isinstance(slots, Layout) else np.array(slots)
    if wanted[0] < low or wanted[-1] >= high:
        return False
    reached = np.zeros(high, bool)
    np.ndarray(layout.shape, bool, reached, layout.offset, layout.strides)[...] = True
    return bool(reached[wanted].all())


def _differing(before: bytes, now: bytes, slot: int) -> Layout | tuple[int, ...]:
    width = min(slot, 8)  # bits are compared, since -0.0 equals 0.0, and nothing equals nan
    old, new = (np.frombuffer(each, f"u{width}").reshape(-1, slot // width) for each in (before, now))
    slots = np.flatnonzero((old != new).any(axis=1))
    first, count = int(slots[0]), len(slots)
    return Layout((count,), (1,), first) if slots[-1] - first + 1 == count else tuple(slots.tolist())


def _address(memory: Any) -> int:
    return int(memory.__array_interface__["data"][0])


_base_of: Any = np.ndarray.__dict__["base"].__get__
_DTYPES = frozenset(np.dtype(character) for character in "?bhilqBHILQefdFD")


@dataclass(slots=True, eq=False)
class _Array:
    """The state of an array at the last event about it: its names, NumPy's description of it, its storage, its metadata."""

    names: tuple[str, ...]
    place: tuple[Any, ...]
    storage: Storage[_Array]
    operand: Operand


_NO_NUMBERS = Text(
    "Arrays were left out whose elements are not numbers of a plain dtype, such as text, objects and records, or are not whole elements of "
    "the memory under them, such as a field of records.",
    "这些数组没有显示：元素不是普通数值类型（例如文本、对象、结构体），或元素在所属内存中没有按整元素排列（例如结构体数组的一个字段）。",
)


class NumpyRecorder:
    """Emits events about the arrays of a program (see `recorder.Recorder`)."""

    framework, version, refusals, elsewhere = "numpy", np.__version__, (), ELSEWHERE
    waits: Callable[[], None] | None = None
    watched = Watched(np.ndarray)

    def __init__(self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None):
        self._program, self.emit, self._root = program, log.emit, outermost
        self.limit, self.live_before = StepLimit(limit, log), 0
        self.guard = Guard(self)
        self._tracing: Tracing | None = None
        self._bindings = Bindings(program.names, self.watched)
        self._known: Handles[Any, _Array] = Handles(self._died, self.guard.protect_callback)
        self._statements = Attribution(lambda source: program.sources.seen[source].text, np.ndarray, self._known.find)
        self._storages: Storages[_Array] = Storages(log.emit, "cpu")

    @staticmethod
    def memory_of(array: Any) -> Memory:
        """Returns where the memory of an array is (see `Recorder.memory_of`): that of the array, or of the tensor, that owns it."""
        owner = [array, *_bases(array)][-1]
        buffer = _base_of(owner)
        framework = framework_of_object(buffer)
        if framework is not None:
            recorder = recorder_of(framework)
            if issubclass(type(buffer), recorder.watched.tensors):
                return recorder.memory_of(recorder.watched.tensor_of(buffer))
        while type(buffer) is memoryview:
            buffer = buffer.obj
        first, past = bounds(plain(owner))
        return Memory(id(owner if buffer is None else buffer), first, past - first, "numpy")

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing tensors as they are now (see `Recorder.look`)."""
        self._storages.only_ends = True
        try:
            self._look([Scope(tensors, "")])
            if any(self._known.find(each) is None for each in tensors.values()):
                self.guard.note(_NO_NUMBERS)
        finally:
            self.forget()

    def begin(self) -> None:
        """Begins to trace a program that is running already."""
        self.guard.begin()
        if self._root:
            self._tracing = Tracing(self.statement_begins, self._program, self._root, self.guard)
            self._tracing.begin()

    def is_idle(self) -> bool:
        """Whether it can end now: NumPy does not call it (see `Recorder.is_idle`)."""
        return True

    def end(self) -> None:
        """Ends that, and releases the arrays (see `Recorder.end`)."""
        self.guard.end()
        if self._tracing is not None:
            self._tracing.end()

    def forget(self) -> None:
        self._known.clear()
        self._bindings.forget()
        self._program.forget()
        self._root = None

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement begins (see `instrument.StatementListener`): finds out what the earlier ones did."""
        if not self._program.has(frame):
            return
        if self.limit.exceeded:
            return
        frames = self._program.frames(frame, self._root)
        self._root, scopes = frames[-1], self._program.scopes(frames)
        place = self._program.place(frames, root=self._root, line=line)
        assert place is not None
        self._bindings.own_module = module_of(frames[-1].f_globals)
        self._look(scopes, len(frames))
        self.emit(events.StatementBegan(place, simple, len(frames), *self._storages.live_and_peak()))
        self.limit.statement_began(simple=simple and self._program.is_outermost(frame))
        if "resize" in self._statements.begins(place, len(frames), scopes[-1], frame):
            # NumPy refuses this for arrays with weak references.
            self._bindings.forget()
            self._known.let_go()

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        self._look(self._program.scopes(self._program.frames_in(error)))
        self.emit(
            events.Raised(
                class_name(type(error)),
                message_of(error),
                self._program.place_of(error),
                *self._storages.live_and_peak(),
            )
        )

    def finish(self, scopes: Sequence[Scope]) -> None:
        """Called when the program has ended, with its names."""
        self._look([*self._program.scopes(()), *scopes])
        self.emit(events.ProgramEnded(*self._storages.live_and_peak()))

    def _look(self, scopes: Sequence[Scope], depth: int = 1) -> None:
        """Emits what the finished statements did, if the next one runs in a frame of this depth with these names."""
        if self.limit.exceeded or not scopes:
            return
        self._statements.goes_on(depth)
        named = self._bindings.look(scopes, done=True)
        self._known.hold(array for array, _ in named or ())
        living = {known: array for array, known in self._known.living()}
        for known, array in living.items():
            names = self._bindings.names_of(array)
            if names != known.names:
                known.names = names
                self.emit(events.Named(known.operand.tensor, names))
            if known.place != _place(array):
                self._describe(array, names, known)
        for storage in self._storages.living():
            self._compare(storage, living[next(iter(storage.tensors))])
        for array, names in named or ():
            if self._known.find(array) is None:
                self._describe(array, names)
        self.live_before = self._storages.settle()

    def _describe(self, array: Any, names: tuple[str, ...], known: _Array | None = None) -> None:
        """Emits the layout of an array that is new or was moved, and the operation that did it."""
        memory, place, before = _memory(array), _place(array), None if known is None else known.storage
        if known is not None:
            known.place = place
            known.storage.tensors.discard(known)
        layout = None if memory is None else _layout(array, memory)
        storage = None if layout is None else self._storages.find(memory, before)
        if layout is None or storage is None:
            return None if known is None else self._died(known)
        number = self._known.next_number() if known is None else known.operand.tensor
        operand = Operand(number, storage.number, storage.number, layout, plain(array).dtype.name)
        if known is None:
            did = self._statements.maker(names, is_view=bool(storage.tensors))
            known = _Array(names, place, storage, operand)
            self._known.add(array, known)
        else:  # by `x.shape = ...`, or by `x.resize(...)`
            did = self._statements.writer(known.__eq__, "relayout" if storage is before else "reallocated")
            known.storage, known.operand = storage, operand
        storage.tensors.add(known)
        base = next((found.operand.tensor for each in _bases(array) if (found := self._known.find(each))), None)
        self.emit(events.TensorMade(operand, "cpu", False, base, None, None, names))
        return None if did is None else self._done(did, operand)

    def _compare(self, storage: Storage[_Array], array: Any) -> None:
        """Emits a write to the storage of an array, and the operation that did it."""
        if (slots := self._storages.compare(storage, _memory(array))) is not None:
            did = (
                self._statements.writer(lambda each: each.storage is storage, "in-place") or self._statements.unknown()
            )
            widest = max(storage.tensors, key=lambda each: (each.operand.layout.size, -each.operand.tensor))
            through = did.through if did.through and shows(did.through.operand, storage, slots) else widest
            self._done(did, replace(through.operand, part=slots))

    def _done(self, did: Did[_Array], output: Operand) -> None:
        if self.limit.reached():
            return
        live_and_peak, inputs = self._storages.live_and_peak(), tuple(each.operand for each in did.inputs)
        self.emit(
            OperationDone(
                did.by,
                did.category,
                inputs,
                output,
                None,
                did.place,
                *live_and_peak,
                "changed",
                depends=did.depends,
                origin=INFERRED,
            )
        )

    def _died(self, known: _Array) -> None:
        known.storage.tensors.discard(known)
        self.emit(events.Died("tensor", known.operand.tensor))


def bounds(array: Any) -> tuple[int, int]:
    """Returns the address of the first byte of an array, and that behind its last one."""
    first = past = int(array.__array_interface__["data"][0])
    if not array.size:
        return first, past
    for size, stride in zip(array.shape, array.strides, strict=True):
        first, past = first + min(0, (size - 1) * stride), past + max(0, (size - 1) * stride)
    return first, past + array.itemsize


def _bases(array: Any) -> Iterator[Any]:
    """Yields the bases of an array. The last one owns the memory, or was made on a buffer."""
    base = _base_of(array)
    while base is not None:
        if is_array := issubclass(type(base), np.ndarray):
            yield base
        base = _base_of(base) if is_array else attributes_of(base).get("base")  # `as_strided` inserts an object


def _memory(array: Any) -> Any:
    """Returns all elements of the memory under an array; None if they are not numbers of a recordable dtype, or have gaps."""
    owner = [array, *_bases(array)][-1]
    flat, dtype = plain(owner).ravel("K"), plain(owner).dtype
    if dtype not in _DTYPES or flat.flags.owndata:
        return None
    base = _base_of(owner)
    if base is not None and type(member(type(base), "__buffer__")) is not FunctionType:  # it would be the program's
        with suppress(TypeError, ValueError, BufferError):
            flat = np.frombuffer(base, np.uint8)
    return None if flat.nbytes % dtype.itemsize else flat.view(dtype)


def _layout(array: Any, memory: Any) -> Layout | None:
    """Returns the layout of an array in its memory, in its own elements; None if it is not aligned to whole elements."""
    array = plain(array)
    size, first = array.itemsize, _place(array)[0] - _place(memory)[0]
    if array.dtype not in _DTYPES or first % size or any(stride % size for stride in array.strides):
        return None
    layout = Layout(array.shape, tuple(stride // size for stride in array.strides), first // size)
    return layout if extent(layout)[0] >= 0 and extent(layout)[1] * size <= memory.nbytes else None


def _place(array: Any) -> tuple[Any, ...]:
    array = plain(array)
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def plain(array: Any) -> Any:
    """Returns an array of NumPy's own class on the same memory: a subclass may have properties of the program."""
    return array if type(array) is np.ndarray else np.ndarray.view(array, np.ndarray)
