"""What the recorder writes down of operations. Whatever this costs, every operation of a recorded program costs more: so the
first method does the usual cases by itself, without the calls that would say the same in fewer words.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import _getframe as _frame
from types import FrameType
from typing import Any

from numpy import ndarray

from inplacelab import devices
from inplacelab.autograd import modes
from inplacelab.autograd.history import refresh
from inplacelab.devices.kernels.launch import Launch
from inplacelab.recorders import copies
from inplacelab.recorders import source as learner
from inplacelab.recorders.places import Places
from inplacelab.recorders.seen import SeenStorage, SeenTensor
from inplacelab.recorders.statements import Where
from inplacelab.tensor import Tensor


class Operations(Places):
    """Hears of operations (see `observe.Observer`)."""

    def __init__(self, program: learner.Program, limit: int, outermost: FrameType | None) -> None:
        super().__init__(program, limit, outermost)
        self._computing = False  # a backward pass is under way, and none of the program's own code runs in it

    def operation(  # noqa: C901, PLR0912, PLR0915  # what is a call elsewhere is written out here
        self, name: str, category: str, inputs: Sequence[Tensor], output: Tensor, node: Any, written: Any = None
    ) -> None:
        if self._computing:
            self._within(output)
            return  # backward computes with operations too; its nodes are the steps there
        self._heard = heard = self._heard + 1
        if heard > self._limit:
            return
        frame: FrameType | None = _frame(2)
        root = self._root
        where: Where
        if frame is not root:  # an operator or a helper stands in between, or the program runs a function of its own
            filename = self._filename
            while frame is not None and frame.f_code.co_filename != filename:
                frame = frame.f_back
        if frame is root and frame is not None:
            where = frame.f_lasti
            if not self._marked:  # `_look_from`, where it is known what can have been bound
                names = self._sure.get((self._instruction_before, where))
                if names is None or (names and not self._names.look_in(frame, names)):
                    self._look_from(frame, where)
                else:
                    self._instruction_before = where
        else:
            where = self._where(frame)
        journal = self._journal
        numbers, known = [], None
        for tensor in inputs:
            seen = tensor._told
            if seen is None or seen.journal is not journal:
                seen = journal.tensor(tensor)
            if tensor is output:
                known = seen
            elif seen.storage.version != tensor.storage.version:
                journal.storage(tensor.storage)
            numbers.append(seen.serial)
        if known is None:
            known = output._told
            if known is not None and known.journal is not journal:
                known = journal.known(output)
            if known is None:
                told = self._made if output.base is None else self._viewed
                told(name, category, numbers, output, node, where)
                return
        if category != "in-place":
            self._remade(name, category, numbers, known, output, node, where)
            return
        storage, held, version = output.storage, known.storage, output.storage.version
        values: copies.Copied | None = None
        if held.version != version:
            held.version = version
            if held.whole:  # `journal.values(...)`
                memory = journal.memory
                values = memory.end = memory.end + held.write(storage.buffer)
            elif held.views is not None and held.views.buffer is output.array and written is None:
                values = held.views.written(known.serial)
            else:
                values = journal.values(held, storage, known, output.array, written)
        if output.base is not None or len(held.tensors) > 1:
            self._rewrote(known, output)
        else:  # `journal.history(...)`
            made = output.node
            known.node, known.stop = None if made is None else journal.node(made), output._stop
        if type(written) is Tensor:
            written = journal.shown(written.array, held, storage)
        if modes.keeper is not None:
            journal.kept_again()
        ledger = devices.chosen.ledger  # `self._account()`
        if ledger.began == self._began:
            live, peak, inherited = ledger.live, ledger.peak, ledger.inherited
        else:
            live, peak, inherited = self._account()
        self._append((
            "wrote", name, numbers, known.serial, known.node, None if node is None else node.serial, held.serial, written, version,
            values, known.stop, where, live, peak, inherited,
        ))  # fmt: skip

    def _made(self, name: str, category: str, numbers: list[int], output: Tensor, node: Any, where: Where) -> None:
        """The result of an operation, and no view. If it is all there is on a new storage, as most results are, the two and the
        operation are written down at once: this is `_met` without what cannot be.

        No array has to be kept then to tell how it lies in its storage: so its memory can be used again.
        """
        storage, buffer = output.storage, output.array
        journal, append = self._journal, self._append
        if (
            buffer is not storage.buffer
            or storage.told is not None
            or output._grad is not None
            or output._told is not None
            or id(output) in journal.bound
            or modes.keeper is not None
        ):
            self._met(name, category, numbers, output, node, where)
            return
        seen = output._told = SeenTensor(output, append)
        whole = buffer.size <= copies.WHOLE
        held = storage.told = SeenStorage(storage, append if whole else journal.let_go)
        seen.journal = held.journal = journal
        seen.beside = held.beside = None
        journal.tensors.append(seen)
        journal.storages.append(held)
        serial = seen.serial = journal.next_tensor()
        seen.storage, seen.names, held.tensors = held, (), [seen]
        held.serial, held.version = journal.next_storage(), storage.version
        held.whole, held.views = whole, None
        memory = journal.memory
        values: copies.Copied | None = None
        held.write = write = memory.write if type(buffer) is ndarray else memory.write_from_device
        if name != "empty":
            if whole:
                values = memory.end = memory.end + write(buffer)
            else:
                values = copies.summary(buffer)
        seen.stop, number = output._stop, output.node
        if number is not None:
            number = journal.node(number)
        seen.node = number
        ledger = devices.chosen.ledger  # `self._account()`
        if ledger.began == self._began:
            live, peak, inherited = ledger.live, ledger.peak, ledger.inherited
        else:
            live, peak, inherited = self._account()
        append((
            "made", name, category, numbers, serial, number, None if node is None else node.serial, held.serial, buffer.shape,
            buffer.dtype, storage.device, storage.version, values, seen.stop, where, live, peak, inherited,
        ))  # fmt: skip

    def _viewed(self, name: str, category: str, numbers: list[int], output: Tensor, node: Any, where: Where) -> None:
        """The result of an operation is a view: if its base and their storage are in the journal, it and the operation are
        written down at once: this is `_met` without what cannot be.
        """
        storage, base = output.storage, output.base
        journal, append = self._journal, self._append
        of: SeenTensor | None = None if base is None else base._told
        if (
            of is None
            or of.journal is not journal
            or not of.storage.whole
            or of.storage is not storage.told
            or output._grad is not None
            or output._told is not None
            or id(output) in journal.bound
            or modes.keeper is not None
        ):
            self._met(name, category, numbers, output, node, where)
            return
        seen = output._told = SeenTensor(output, append)
        seen.journal, seen.beside = journal, None
        journal.tensors.append(seen)
        serial = seen.serial = journal.next_tensor()
        held = seen.storage = of.storage
        held.tensors.append(seen)
        seen.names = ()
        if output._seen != storage.version:
            refresh(output)
        seen.stop, number = output._stop, output.node
        if number is not None:
            number = journal.node(number)
        seen.node = number
        ledger = devices.chosen.ledger  # `self._account()`
        if ledger.began == self._began:
            live, peak, inherited = ledger.live, ledger.peak, ledger.inherited
        else:
            live, peak, inherited = self._account()
        append((
            "viewed", name, category, numbers, serial, number, None if node is None else node.serial, held.serial, of.serial,
            output.array, storage.buffer, storage.device, seen.stop, where, live, peak, inherited,
        ))  # fmt: skip

    def _met(self, name: str, category: str, numbers: list[int], output: Tensor, node: Any, where: Where) -> None:
        """The result of an operation is not in the journal yet."""
        known = self._journal.meet(output, name != "empty")
        self._done(name, category, numbers, known, node, where)

    def _done(self, name: str, category: str, numbers: list[int], output: SeenTensor, node: Any, where: Where) -> None:
        if modes.keeper is not None:
            self._journal.kept_again()
        self._append((
            "operation", name, category, numbers, output.serial, None if node is None else node.serial, output.storage.serial,
            where, *self._account(),
        ))  # fmt: skip

    def _within(self, output: Tensor) -> None:
        """In backward, an operation may write what the program knows: a gradient that is there already."""
        seen = self._journal.known(output)
        if seen is not None and seen.storage.version != output.storage.version and self._heard < self._limit:
            self._journal.storage(output.storage)

    def launched(self, launch: Launch, storages: Sequence[Any]) -> None:
        if self._heard < self._limit:
            self._append(("launched", launch, [*map(self._journal.storage_known, storages)]))

    def _rewrote(self, seen: SeenTensor, output: Tensor) -> None:
        """A tensor was written that is not alone on its storage: its family may have another history."""
        base = output.base
        root = output if base is None else base
        # (a write through `x.detach()` has no history itself, but views of x that have one get another)
        if not root._stop or seen.node is not None or not all(each.stop for each in seen.storage.tensors):
            self._append(("rewrites",))
            for each, tensor in self._journal.family(seen.storage):
                self._journal.history(each, tensor)

    def _remade(
        self, name: str, category: str, numbers: list[int], seen: SeenTensor, output: Tensor, node: Any, where: Where
    ) -> None:
        """A tensor that is in the journal has other metadata now, and perhaps another storage."""
        journal = self._journal
        left = seen.storage
        self._append(("rewrites",))
        journal.portray(seen, output)
        if seen.storage is left and seen.storage.version != output.storage.version:
            journal.storage(output.storage)
        for each, tensor in [*journal.family(left), *journal.family(seen.storage)]:
            if each is not seen:
                journal.portray(each, tensor)
        self._done(name, category, numbers, seen, node, where)

    def flagged(self, tensor: Tensor) -> None:
        seen = self._journal.known(tensor)
        if seen is None:
            return
        if self._computing:  # its gradient was to be retained
            self._journal.gradient(seen, tensor)
        else:
            if tensor.base is not None:
                refresh(tensor)
            node = None if tensor.node is None else self._journal.node(tensor.node)
            gradient = None if tensor._grad is None else self._journal.tensor(tensor._grad).serial
            seen.stop, seen.node = tensor._stop, node
            self._append(("flags", seen.serial, seen.stop, node, gradient))
