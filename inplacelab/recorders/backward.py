"""What the journal says of backward passes, and of the program's own code that they call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from inplacelab.recorders.statements import Statements, Where
from inplacelab.recorders.steps import Changes
from inplacelab.recording.facts import BackwardAction, BackwardFacts, NodeStatus, WriteFacts
from inplacelab.recording.slots import slot_runs


@dataclass(frozen=True, slots=True)
class Underway:
    """A backward pass that is under way: the line that has begun it, and where the pass around it stood with its nodes."""

    line: int | None
    before: dict[int, NodeStatus]


class Backward(Statements):
    """Reads those entries of a journal that are about backward passes. Each method named like a kind of entry reads one.

    Args:
        limit: the most steps to keep.
        outer: the nodes that others are inside of.
        first_line: the line of the file at which the program's text begins.
    """

    def __init__(self, limit: int, outer: dict[int, int], first_line: int) -> None:
        super().__init__(limit, first_line)
        self._outer = outer
        self._passes: list[Underway] = []  # those that are under way, each begun within the one before it

    @property
    def _phase(self) -> str:
        return "backward" if self._passes or self._fell else "forward"

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

    def _rest(self) -> None:
        """The last backward is over: no node is on the way any more."""
        if self._passes:
            return
        for number, before in self.build.nodes.items():
            facts = self._node(number) if before.status else None
            if facts is not None:
                self._now.nodes[number] = replace(facts, status="")
