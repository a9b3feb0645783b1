"""What the recorder writes down of operations. Whatever this costs, every operation of a recorded program costs more: so the
first method does the usual cases by itself, without the calls that would say the same in fewer words.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from inplacelab import devices
from inplacelab.autograd import modes
from inplacelab.autograd.history import refresh
from inplacelab.devices.kernels.launch import Launch
from inplacelab.recorders import source as learner
from inplacelab.recorders.places import Places
from inplacelab.recorders.seen import SeenTensor
from inplacelab.tensor import Tensor


class Operations(Places):
    """Hears of operations (see `observe.Observer`)."""

    def __init__(self, program: learner.Program, limit: int, outermost: FrameType | None) -> None:
        super().__init__(program, limit, outermost)
        self._depth = 0  # how many backward passes are under way, one inside the other

    def operation(  # noqa: C901, PLR0912  # what is a call elsewhere is written out here
        self, name: str, category: str, inputs: Sequence[Tensor], output: Tensor, node: Any, written: Any = None
    ) -> None:
        if self._depth:
            self._within(output)
            return  # backward computes with operations too; its nodes are the steps there
        self._heard += 1
        if self._heard > self._limit:
            return
        frame = sys._getframe(2)  # that of the program, unless an operator or a helper stands in between
        where = frame.f_lasti if frame is self._root and self._marked else self._where(frame)
        journal = self._journal
        tensors = journal.tensors
        numbers, known = [], None
        for tensor in inputs:
            seen = tensors.get(id(tensor))  # `journal.tensor(tensor)`
            if seen is None or seen() is not tensor:
                seen = journal.meet(tensor)
            if tensor is output:
                known = seen
            elif seen.storage.version != tensor.storage.version:
                journal.storage(tensor.storage)
            numbers.append(seen.serial)
        version, values = 0, None
        if known is None:
            known = journal.known(output)
        if known is None:
            known = journal.meet(output, name != "empty")
        elif category == "in-place":
            storage, held = output.storage, known.storage
            version = storage.version
            if held.version != version:
                if held.whole:  # `journal.written(...)`
                    held.version, values = version, storage.buffer.tobytes()
                else:
                    journal.written(held, storage, known, written)
            if known.node is not None or output.node is not None or output.base is not None or len(held.tensors) > 1:
                self._rewrote(known, output)
        else:
            self._remade(known, output)
        if isinstance(written, Tensor):
            written = journal.shown(written.array, known.storage, written.storage)
        if modes.keeper is not None:
            journal.kept_again()
        ledger = devices.current().ledger  # `self._account()`
        if ledger.began == self._began:
            live, peak, inherited = ledger.live, ledger.peak, ledger.inherited
        else:
            live, peak, inherited = self._account()
        self._append((
            "operation", name, category, numbers, known.serial, None if node is None else node.serial, known.storage.serial,
            written, where, version, values, live, peak, inherited,
        ))  # fmt: skip

    def _within(self, output: Tensor) -> None:
        """In backward, an operation may write what the program knows: a hook that adds up gradients does."""
        seen = self._journal.known(output)
        if seen is not None and seen.storage.version != output.storage.version and self._heard < self._limit:
            self._journal.storage(output.storage)

    def launched(self, launch: Launch, storages: Sequence[Any]) -> None:
        if self._heard < self._limit:
            self._append(("launched", launch, [*map(self._journal.storage_known, storages)]))

    def _rewrote(self, seen: SeenTensor, output: Tensor) -> None:
        """A tensor that is in the journal was written: its family may have another history."""
        known, base = seen.storage, output.base
        if base is None and len(known.tensors) == 1:
            self._journal.history(seen, output)
        elif not (output if base is None else base)._stop or seen.node is not None:
            self._append(("rewrites",))
            for each, tensor in self._journal.family(known):
                self._journal.history(each, tensor)

    def _remade(self, seen: SeenTensor, output: Tensor) -> None:
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

    def flagged(self, tensor: Tensor) -> None:
        seen = self._journal.known(tensor)
        if seen is None:
            return
        if self._depth:  # its gradient was to be retained
            self._journal.gradient(seen, tensor)
        else:
            if tensor.base is not None:
                refresh(tensor)
            node = None if tensor.node is None else self._journal.node(tensor.node)
            gradient = None if tensor._grad is None else self._journal.tensor(tensor._grad).serial
            seen.stop, seen.node = tensor._stop, node
            self._append(("flags", seen.serial, seen.stop, node, gradient))
