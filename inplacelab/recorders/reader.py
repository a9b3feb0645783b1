"""The reader: turns the journal's entries into the steps of a recording."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from inplacelab.devices.kernels.launch import Launch
from inplacelab.language import Text
from inplacelab.recorders import plain
from inplacelab.recorders.backward import Backward
from inplacelab.recorders.copies import Memory
from inplacelab.recorders.statements import Where
from inplacelab.recorders.steps import Changes
from inplacelab.recording.facts import ErrorFacts, TensorFacts, WriteFacts


class Reader(Backward):
    """Reads a journal: what it says of things, and what has happened to them. Each method named like a kind of entry reads one.

    Args:
        limit: the most steps to keep.
        outer: the nodes that others are inside of.
        first_line: the line of the file at which the program's text begins.
    """

    def read(self, entries: list[Any], memory: Memory) -> None:
        """Read everything in the journal, and empty it."""
        kinds = {name: getattr(self, name) for name in _KINDS}
        with memory.view() as self._copied:
            for entry in entries:
                if type(entry) is tuple:
                    kinds[entry[0]](*entry[1:])
                else:
                    self._died(entry)
        entries.clear()
        memory.clear()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def launched(self, launch: Launch, storages: list[int | None]) -> None:
        """A kernel ran: it is told of before the operation that it is of, or the node."""
        self._launches.append((launch, storages))

    def rewrites(self) -> None:
        """The operation that comes next rewrites histories: what dies until then is what it lets go of."""
        self._own = True

    def operation(
        self, name: str, category: str, inputs: list[int], output: int, node: int | None, storage: int, where: Where, live: int,
        peak: int, inherited: int, written: Any = None,
    ) -> None:  # fmt: skip
        """An operation was done."""
        live, peak, self._own = live - inherited, peak - inherited, False
        self._begin(where, forget=category != "reallocated")
        self._rest()
        self._last = (name, self._line)
        kept = self._number(None if node is None else self._outer.get(node, node))
        facts = self._tensor(output)
        base = None if facts is None or facts.base is None else self._tensor(facts.base)
        self._place_nodes({kept, *(each.node for each in (facts, base) if each is not None)})
        writes = self._writes(category, facts, storage, written)
        self._tell(
            "operation",
            live,
            peak,
            op=name,
            category=category,
            writes=writes,
            inputs=tuple(inputs),
            output=output,
            kept=kept,
        )

    def wrote(
        self, name: str, inputs: list[int], output: int, number: int | None, node: int | None, storage: int, written: Any,
        version: int, values: Any, stop: bool, where: Where, live: int, peak: int, inherited: int,
    ) -> None:  # fmt: skip
        """An operation has written a tensor: its history and, if it has written anything, the values are what they are now."""
        self.history(output, stop, number)
        if values is not None:
            self.written(storage, version, values)
        self.operation(name, "in-place", inputs, output, node, storage, where, live, peak, inherited, written)

    def made(
        self, name: str, category: str, inputs: list[int], output: int, number: int | None, node: int | None, storage: int,
        shape: tuple[int, ...], dtype: np.dtype[Any], device: Any, version: int, values: Any, stop: bool, where: Where,
        live: int, peak: int, inherited: int,
    ) -> None:  # fmt: skip
        """An operation has made a tensor that is all there is on a new storage."""
        self.result(output, number, storage, shape, dtype, device, version, values, stop)
        self.operation(name, category, inputs, output, node, storage, where, live, peak, inherited)

    def viewed(
        self, name: str, category: str, inputs: list[int], output: int, number: int | None, node: int | None, storage: int,
        base: int, shown: Any, buffer: Any, device: Any, stop: bool, where: Where, live: int, peak: int, inherited: int,
    ) -> None:  # fmt: skip
        """An operation has made a view."""
        self.tensor(output, storage, shown, buffer, device, stop, base, number, None, ())
        self.operation(name, category, inputs, output, node, storage, where, live, peak, inherited)

    def _writes(self, category: str, output: TensorFacts | None, storage: int, written: Any) -> tuple[WriteFacts, ...]:
        facts, before = self._storage(storage), self.build.storages.get(storage)
        if category not in ("in-place", "relayout") or output is None or facts is None:
            return ()
        after = facts.version
        runs = () if category == "relayout" else plain.runs(output if written is None else written)
        return (WriteFacts(storage, after - 1 if before is None else before.version, after, output.id, runs),)

    # ---- errors ----------------------------------------------------------------------------------------------------------

    def refusal(
        self,
        found: ErrorFacts,
        node: int | None,
        storage: int | None,
        tensor: int | None,
        where: Where,
        live: int,
        peak: int,
    ) -> None:
        """The engine has refused something."""
        if where is not None or not self._passes:
            self._begin(where)
        self._quiet = False  # a statement of the learner's own backward may have begun
        self._place_nodes(set())
        if node is not None:
            self._change_node(node, status="failed")
        error = replace(found, node=self._number(node), storage=storage, tensor=tensor)
        self._tell("error", live, peak, error=error)

    def note(self, notes: tuple[Text, ...], mend: Text | None) -> None:
        """What the recording has to add to the error that was read last; `mend` stands in place of general advice."""
        error = self.build.steps[-1].error if self.build.steps else None
        if error is not None:
            self.build.amend(Changes(), error=replace(error, notes=notes, mend=mend or error.mend))

    def failure(self, found: ErrorFacts, line: int | None, live: int, peak: int) -> None:
        """The program ended with an exception."""
        fell = self._fell
        self._begin(None)
        self._line, self._fell = line or self._line, fell
        self._tell("error", live, peak, error=found)
        self._fell = False


_KINDS = (
    "tensor", "made", "viewed", "wrote", "history", "flags", "gradient", "name", "storage", "written", "node", "operations_node", "kept", "earlier", "rewrites", "launched", "outermost", "statement", "over",
    "operation", "begin", "arrived", "unpack", "hook", "hooked", "custom", "run", "release", "end", "fail", "refusal", "failure",
)  # fmt: skip
