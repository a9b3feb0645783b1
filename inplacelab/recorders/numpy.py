"""Watches programs that use NumPy, which tells nobody what it does: looks at their arrays from statement to statement, and emits events.

An array is met when a name first leads to it. Its storage is the memory of the array that owns it (`.base`), or the buffer under that.
A statement has written a storage if bytes in it differ from before. So

- the version of a storage counts the statements that were seen to write it: NumPy has no counter;
- a write that leaves the same bytes is not seen, nor is an array without a name, such as what a statement made and let go of;
- an expression is told as one operation, called after its last one (`x + y * 2`: "+"). No operation is told if the text does not say what
  made an array, as with functions of the program's own; a write is then called "write";
- arrays of objects, texts, dates, records and `longdouble` are left out, and those that do not lie in whole elements of their storage.

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from math import inf
from types import FrameType
from typing import Any

import numpy as np

from inplacelab.layout import Layout, extent
from inplacelab.recorders import events
from inplacelab.recorders.attribution import Attribution, Did
from inplacelab.recorders.bindings import Bindings, Watched, attributes_of
from inplacelab.recorders.events import INFERRED, Operand
from inplacelab.recorders.handles import Handles
from inplacelab.recorders.instrument import traced
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import Program, Scope, scopes_of
from inplacelab.recorders.storages import Storage, Storages


_DTYPES = frozenset(np.dtype(character) for character in "?bhilqBHILQefdFD")


@dataclass(slots=True, eq=False)
class _Array:
    """What was last said of an array: its names, how NumPy described it, its storage, its metadata."""

    names: tuple[str, ...]
    place: tuple[Any, ...]
    storage: Storage[_Array]
    operand: Operand


class NumpyRecorder:
    """Emits events about the arrays of a program (see `run.Recorder`). After `limit` statements it only counts them."""

    framework, version, refusals = "numpy", np.__version__, ()

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._root = program, log.emit, outermost
        self._left, self.missed, self.live_before = inf if limit is None else limit, 0, 0
        self._bindings = Bindings(program.names, Watched(np.ndarray))
        self._known: Handles[Any, _Array] = Handles(self._died)
        self._statements = Attribution(program.text, np.ndarray, self._known.find)
        self._storages: Storages[_Array] = Storages(log.emit, "cpu")
        self._account = self._storages.account

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let go of the arrays in the end. A program that runs already does not tell when its statements begin: it is traced."""
        root = self._root
        with traced(self.statement_begins, self._program, root) if root is not None else nullcontext():
            yield
        self._known.clear()
        self._bindings.forget()
        self._root = None

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """A statement begins (see `instrument.StatementListener`): look at what those before it did."""
        if frame.f_code.co_filename != self._program.filename:
            return
        self._left -= 1
        self.missed = int(max(-self._left, 0))
        if self.missed:
            return
        frames, line = self._program.frames(frame, self._root), self._program.line(line)
        self._root, scopes = frames[-1], scopes_of(frames)
        self._bindings.own_module = frame.f_globals.get("__name__", "builtins")
        self._look(scopes, len(frames))
        self._emit(events.StatementBegan(line, simple, len(frames), *self._account()))
        says = self._statements.begins(line, len(frames), ChainMap(dict(scopes[-1].names), frame.f_globals))
        if any(write.by == "resize" for write in says.writes):  # refused if there are weak references to the array
            self._bindings.forget()
            self._known.let_go()

    def failed(self, error: BaseException) -> None:
        """The program ended with an exception."""
        self._look(scopes_of(self._program.frames_in(error)))
        self._emit(events.Raised(type(error).__name__, str(error), self._program.line_of(error), *self._account()))

    def finish(self, scope: Scope) -> None:
        """The program is over, and these are its names."""
        self._look([scope])
        self._emit(events.ProgramEnded(*self._account()))

    def _look(self, scopes: Sequence[Scope], depth: int = 1) -> None:
        """Say what the statements did that are over if the next one runs in a frame of this depth, with these names."""
        if self.missed or not scopes:
            return
        self._statements.goes_on(depth)
        named = self._bindings.look(scopes, done=True)
        found = {id(array): (array, names) for array, names in named or ()}
        self._known.hold(array for array, _ in found.values())
        living = {known: array for array, known in self._known.living()}
        for known, array in living.items():
            names = known.names if named is None else found.get(id(array), (array, ()))[1]
            if names != known.names:
                known.names = names
                self._emit(events.Named(known.operand.tensor, names))
        for known, array in living.items():
            if _place(array) != known.place:
                self._describe(array, known.names, known)
        for storage in self._storages.living():
            self._compare(storage, living[next(iter(storage.tensors))])
        for array, names in found.values():
            if self._known.find(array) is None:
                self._describe(array, names)
        self._storages.settle()
        self.live_before = self._storages.before

    def _describe(self, array: Any, names: tuple[str, ...], known: _Array | None = None) -> None:
        """Say where an array lies that is new, or that lies elsewhere than before, and what did that."""
        memory, before = _memory(array), None if known is None else known.storage
        if known is not None:
            known.place = _place(array)
            known.storage.tensors.discard(known)
        layout = None if memory is None else _layout(array, memory)
        storage = None if layout is None else self._storages.find(_address(memory), memory, before)
        if layout is None or storage is None:
            return None if known is None else self._died(known)
        number = self._known.next_number() if known is None else known.operand.tensor
        operand = Operand(number, storage.number, storage.number, layout, array.dtype.name)
        if known is None:
            did = self._statements.maker(names, is_view=bool(storage.tensors))
            known = _Array(names, _place(array), storage, operand)
            self._known.add(array, known)
        else:  # by `x.shape = ...`, or by `x.resize(...)`
            did, _ = self._statements.writer(known.__eq__, "relayout" if storage is before else "reallocated") or (
                None,
                None,
            )
            known.storage, known.operand = storage, operand
        storage.tensors.add(known)
        base = next((found.operand.tensor for each in _bases(array) if (found := self._known.find(each))), None)
        self._emit(events.TensorMade(operand, "cpu", False, base, None, None, known.names))
        return None if did is None else self._done(did, operand)

    def _compare(self, storage: Storage[_Array], array: Any) -> None:
        """Say whether the storage of an array was written, and by what."""
        memory = _memory(array)
        slots = None if memory is None else self._storages.compare(storage, _address(memory), memory)
        if slots is not None:
            widest = max(storage.tensors, key=lambda known: (known.operand.layout.size, -known.operand.tensor))
            said = self._statements.writer(lambda known: known.storage is storage, "in-place")
            did, known = said or (self._statements.somebody(), widest)
            self._done(did, replace(known.operand, part=slots))

    def _done(self, did: Did[_Array], output: Operand) -> None:
        account, inputs = self._storages.account(), tuple(each.operand for each in did.inputs)
        self._emit(
            events.OperationDone(did.by, did.category, inputs, output, {}, None, did.line, *account, origin=INFERRED)
        )

    def _died(self, known: _Array) -> None:
        known.storage.tensors.discard(known)
        self._emit(events.Died("tensor", known.operand.tensor))


def _bases(array: Any) -> Iterator[Any]:
    """The arrays of which an array is a view. The last one owns the memory, or was made on a buffer."""
    base = array.base
    while base is not None:
        if issubclass(type(base), np.ndarray):
            yield base
            base = base.base
        else:
            base = attributes_of(base).get("base")  # `as_strided` puts an object between a view and its array


def _memory(array: Any) -> Any:
    """All elements of the memory under an array; None if they are no numbers that a recording can hold, or have gaps between them."""
    owner = [array, *_bases(array)][-1]
    flat = np.asarray(owner).ravel("K")
    if owner.dtype not in _DTYPES or flat.flags.owndata:
        return None
    if owner.base is not None:
        with suppress(TypeError, ValueError, BufferError):
            flat = np.frombuffer(owner.base, np.uint8)
    return None if flat.nbytes % owner.itemsize else flat.view(owner.dtype)


def _layout(array: Any, memory: Any) -> Layout | None:
    """Where an array lies in its memory, in its own elements; None if that cannot be said in whole elements."""
    size, first = array.itemsize, _address(array) - _address(memory)
    if array.dtype not in _DTYPES or first % size or any(stride % size for stride in array.strides):
        return None
    layout = Layout(array.shape, tuple(stride // size for stride in array.strides), first // size)
    low, high = extent(layout)
    return layout if low >= 0 and high * size <= memory.nbytes else None


def _place(array: Any) -> tuple[Any, ...]:
    return _address(array), array.shape, array.strides, array.dtype


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])
