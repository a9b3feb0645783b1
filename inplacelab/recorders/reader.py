"""The reader: turns the journal's entries into the steps of a recording."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

import numpy as np

from inplacelab.devices.kernels.launch import Launch
from inplacelab.language import Text
from inplacelab.recorders import plain
from inplacelab.recorders.copies import Memory
from inplacelab.recorders.steps import Changes
from inplacelab.recorders.things import Things
from inplacelab.recording.facts import BackwardAction, BackwardFacts, ErrorFacts, NodeStatus, TensorFacts, WriteFacts
from inplacelab.recording.slots import slot_runs

Where = tuple[CodeType, int] | int | None
"""A place in the program: a code object and the offset of an instruction, the latter alone in the outermost frame; None where
the program is not on the stack."""


@dataclass(frozen=True, slots=True)
class Underway:
    """A backward pass that is under way: the line that has begun it, and where the pass around it stood with its nodes."""

    line: int | None
    before: dict[int, NodeStatus]


class Reader(Things):
    """Reads a journal: what it says of things, and what has happened to them. Each method named like a kind of entry reads one.

    Args:
        limit: the most steps to keep.
        outer: the nodes that others are inside of.
        first_line: the line of the file at which the program's text begins.
    """

    def __init__(self, limit: int, outer: dict[int, int], first_line: int = 1) -> None:
        super().__init__(limit)
        self._outer, self._first_line = outer, first_line
        self._line: int | None = None
        self._turn = 0
        self._marked = False  # the program tells of its statements
        self._outermost: CodeType | None = None
        self._place_before = (0, 0)  # the line and the instruction of the outermost frame when something last happened
        self._passes: list[Underway] = []  # the backward passes that are under way, each begun within the one before it
        self._fell = False  # one of them was stopped, and nothing has happened since
        self._quiet = self._simple = False  # a statement has begun and nothing happened in it; it holds no others
        self._launches: list[tuple[Launch, list[int | None]]] = []  # since the last step, with their storages

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

    # ---- statements ------------------------------------------------------------------------------------------------------

    def outermost(self, code: CodeType) -> None:
        """What the program's outermost frame runs from now on."""
        self._outermost = code

    def statement(self, line: int, simple: bool, depth: int, live: int, peak: int, inherited: int) -> None:
        """A statement begins, and so the one before it is over."""
        self._marked = True
        self.over(depth, live, peak, inherited)
        self._turn += 1
        self._line, self._quiet, self._simple = line - self._first_line + 1, True, simple

    def over(self, depth: int, live: int, peak: int, inherited: int) -> None:
        """A statement is over: it is a step of its own if nothing was heard in it."""
        live, peak = live - inherited, peak - inherited
        changes, self._now = self._now, Changes()
        changes.take(self._late)
        self._late = Changes()
        if self._quiet and self._line is not None:
            if changes or (self._simple and depth < 2):
                self._step("line", changes, live, peak)
        else:  # what it needed for a moment may be gone, and the journal never have heard of it
            self.build.amend(changes, live=live)
        self._quiet = self._fell = False

    def _begin(self, where: Where, *, forget: bool = True) -> None:
        """Something happens: find its line, and leave what was late to the step before.

        What has died since died before this, unless this itself let go of it (`forget` is then False), or the statement in which
        it died has only begun: the step before is not of this statement, and was over then.
        """
        if type(where) is int and self._outermost is not None:
            self._arrive(plain.line_of(self._outermost, where), where)
        elif type(where) is tuple:
            self._line = self._line_at(where)
        if self._quiet:
            self._late.take(self._now)
            self._now, self._late = self._late, Changes()
        elif not forget:
            self._now.take_deaths(self._late)
        if self._late:
            self.build.amend(self._late)
            self._late = Changes()
        self._quiet = self._fell = False

    def _line_at(self, where: tuple[CodeType, int]) -> int:
        return plain.line_of(*where) - self._first_line + 1

    def _arrive(self, line: int, instruction: int) -> None:
        """Something happens in the outermost frame. If the program does not tell of its statements, another line, or going
        back, means that it goes on to another statement, or to the same one again.
        """
        self._line = line - self._first_line + 1
        line_before, instruction_before = self._place_before
        self._place_before = line, instruction
        if not self._marked and (line != line_before or instruction <= instruction_before):
            self._turn += 1

    def _step(self, kind: str, changes: Changes, live: int, peak: int, **facts: Any) -> None:
        where: dict[str, Any] = {
            "phase": "backward" if self._passes or self._fell else "forward",
            "line": self._line,
            "turn": self._turn,
        }
        if (
            self._launches and getattr(facts.get("backward"), "action", "") != "unpack"
        ):  # a node unpacks, and then computes
            known = self.build.tensors | changes.tensors
            given = [
                None if (t := known.get(n)) is None else t.storage
                for n in (*facts.get("inputs", ()), facts.get("output"))
            ]
            # Of which of them is it the result? Of none, if it is no operation's step.
            if kind != "operation" or len(self._launches) > 1 or facts.get("category") == "reallocated":
                given = [None]
            where["launches"] = tuple(plain.launch(*each, given[:-1], given[-1]) for each in self._launches)
            self._launches.clear()
        self.build.add(changes, kind=kind, live=live, peak=peak, **where, **facts)

    def _tell(self, kind: str, live: int, peak: int, **facts: Any) -> None:
        changes, self._now = self._now, Changes()
        self._step(kind, changes, live, peak, **facts)

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

    def _rest(self) -> None:
        """The last backward is over: no node is on the way any more."""
        if self._passes:
            return
        for number, before in self.build.nodes.items():
            facts = self._node(number) if before.status else None
            if facts is not None:
                self._now.nodes[number] = replace(facts, status="")

    # ---- backward --------------------------------------------------------------------------------------------------------

    def begin(
        self, waiting: list[int], first: int, gradient: tuple[Any, ...], where: Where, live: int, peak: int
    ) -> None:
        """Backward begins."""
        self._begin(where)
        self._place_nodes(set())
        self._passes.append(Underway(self._line, self._statuses(waiting) if self._passes else {}))
        for serial in waiting:
            self._change_node(serial, status="waiting")
        self._backward(live, peak, "begin", first, gradient)

    def _statuses(self, serials: list[int]) -> dict[int, NodeStatus]:
        """Where a pass stands with nodes through which another one goes now."""
        known = ((serial, self._node(self._number(serial))) for serial in serials)
        return {serial: "" if facts is None else facts.status for serial, facts in known}

    def arrived(self, serial: int) -> None:
        """A gradient was handed to a node."""
        self._change_node(serial, status="arrived")

    def unpack(
        self, serial: int, saved: str, kept_at: int, found_at: int, where: Where, gradient: tuple[Any, ...], live: int, peak: int
    ) -> None:  # fmt: skip
        """A node is about to use what it kept. `where`: in the program, if the program itself has asked for it."""
        self._change_node(serial, status="unpacking")
        line = self._line_at(where) if type(where) is tuple else None
        self._backward(
            live, peak, "unpack", serial, gradient, line=line, saved=saved, kept_at=kept_at, found_at=found_at
        )

    def hook(
        self, serial: int, name: str, line: int | None, given: int, gradient: tuple[Any, ...], live: int, peak: int
    ) -> None:
        """A hook is called."""
        self._begin(None)
        self._backward(live, peak, "hook", serial, gradient, line=line, op=name, inputs=(given,))

    def hooked(
        self, serial: int, name: str, given: int, now: int, gradient: tuple[Any, ...], live: int, peak: int
    ) -> None:
        """A hook is over."""
        self._begin(None)
        self._backward(live, peak, "hooked", serial, gradient, op=name, inputs=(given,), output=now)

    def custom(
        self,
        serial: int,
        name: str,
        line: int | None,
        given: list[int],
        gradient: tuple[Any, ...],
        live: int,
        peak: int,
    ) -> None:
        """The `backward` of an operation of the program's own is called."""
        self._begin(None)
        self._backward(live, peak, "custom", serial, gradient, line=line, op=name, inputs=tuple(given))

    def run(
        self,
        serial: int,
        released: bool,
        filled: tuple[int, int] | None,
        gradient: tuple[Any, ...],
        live: int,
        peak: int,
    ) -> None:
        """A node is done. `filled`: the tensor and the storage of the gradient that it has filled, if it stands for a leaf."""
        writes: tuple[WriteFacts, ...] = ()
        if filled is not None:
            tensor, storage = filled
            facts, now, before = self._tensor(tensor), self._now.storages.get(storage), self.build.storages.get(storage)
            if facts is not None and now is not None and before is not None and now.version != before.version:
                writes = (WriteFacts(storage, before.version, now.version, tensor, slot_runs(facts)),)
        self._change_node(serial, status="done")
        if released:
            self.release([serial])
        self._backward(live, peak, "run", serial, gradient, writes=writes)

    def release(self, serials: list[int]) -> None:
        """Nodes let go of what they kept."""
        for serial in serials:
            self._change_node(serial, saved=(), released=True)

    def end(self, live: int, peak: int) -> None:
        """Backward is over."""
        self._now.take(self._late)
        self._late = Changes()
        if self._passes:
            self._go_on(self._passes[-1])
            self._backward(live, peak, "end", None, ())
            self._passes.pop()

    def fail(self, serial: int | None) -> None:
        """Backward was stopped. `serial`: the node whose turn it was."""
        if self._passes:
            self._go_on(self._passes.pop())
            self._fell = True
        if serial is not None:
            self._change_node(self._outer.get(serial, serial), status="failed")

    def _go_on(self, ended: Underway) -> None:
        """With the nodes of a pass that is over, the pass in which it was begun stands where it stood."""
        for serial, status in ended.before.items():
            self._change_node(serial, status=status)

    def _backward(
        self, live: int, peak: int, action: BackwardAction, node: int | None, gradient: tuple[Any, ...], *,
        line: int | None = None, saved: str | None = None, kept_at: int | None = None, found_at: int | None = None,
        op: str = "backward", **facts: Any,
    ) -> None:  # fmt: skip
        if self._quiet:  # a statement of a hook, or of a backward of the program's own, had begun
            self._begin(None)
        self._line = line or (self._passes[-1].line if self._passes else self._line)
        values, shape = gradient or (None, None)
        told = BackwardFacts(
            action, self._number(node), saved, kept_at, found_at, None if values is None else tuple(values), shape
        )
        self._tell("backward", live, peak, op=op, backward=told, **facts)

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
