"""Builds the steps of a `Recording` from events.

The builder runs when the recording is requested, over all events in order. It does not depend on an engine or a framework: all that
it needs is in the events. The facts of a step are made in `builder_facts.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, replace
from typing import Any

from inplacelab.place import Place, same_source
from inplacelab.recorders import builder_facts
from inplacelab.recorders import events as ev
from inplacelab.recorders.builder_facts import Changes, Objects, Steps
from inplacelab.recorders.loop_runs import LoopRuns
from inplacelab.recording.facts import (
    BackwardAction,
    BackwardFacts,
    CollectiveFacts,
    EdgeFacts,
    ErrorFacts,
    FailureFacts,
    ModuleFacts,
    NodeFacts,
    NodeStatus,
    ReadFacts,
    RootFacts,
    WriteFacts,
)
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import Runs

__all__ = ["Builder", "build"]


def build(events: Iterable[ev.Event], about: Recording, *, limit: int | None = None) -> Recording:
    """Builds a recording from events.

    Args:
        events: the events, in order.
        about: a recording without steps: its framework, title and source are taken over.
        limit: the most steps to keep; None for all.

    Returns:
        The recording; `truncated` counts the steps beyond the limit.
    """
    builder = Builder(limit)
    for event in events:
        builder.add(event)
    steps = builder.steps
    return replace(
        about, steps=builder.loops.counted(steps.finished), truncated=steps.dropped, simulated=builder.simulated
    )


@dataclass(frozen=True, slots=True)
class UnfinishedPass:
    """A running backward pass: where it was begun, and the status of its nodes in the enclosing pass."""

    place: Place | None
    before: dict[int, NodeStatus]


class Builder:
    """Makes steps from events.

    Args:
        limit: the most steps to keep; None for all.

    Attributes:
        steps: the steps so far, and the current facts.
        loops: the runs of loops.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.steps = Steps(limit)
        self.loops = LoopRuns()
        self._objects = Objects(self.steps)
        self._place: Place | None = None
        self._turn = 0
        self._nothing_yet = False  # a statement has begun, and nothing has happened in it yet
        self._simple = False  # that statement contains no others
        self._failed_pass = False  # an error stopped a backward pass, and nothing has happened since
        self._passes: list[UnfinishedPass] = []  # the running passes, each begun inside the one before it
        self._waiting = False  # nodes may still have the status that a finished pass gave them
        self._operation: tuple[str, Place | None] = ("", None)  # the last operation and its place
        self._new_nodes: list[tuple[int, bool]] = []  # since the last step, and whether each was made for a view
        self._launches: list[ev.Launched] = []  # since the last step
        self._collective: CollectiveFacts | None = None  # since the last step

    @property
    def simulated(self) -> bool:
        """Whether a storage of a simulated device was seen."""
        return self._objects.simulated

    def add(self, event: ev.Event) -> None:  # noqa: C901, PLR0912, PLR0915  # one case for each event
        """Processes the next event."""
        match event:
            case ev.StatementBegan():
                self._statement_began(event)
            case ev.LoopBegan():
                self.loops.loop_began(event)
            case ev.IterationBegan():
                self.loops.iteration_began(event)
            case ev.ProgramEnded():
                self._statement_ended(None, event.live, event.peak)
                finished = self.steps.finished
                if not self.steps.dropped and not (finished and finished[-1].kind == "error"):
                    self.loops.program_ended()
            case ev.LookedAt():
                self.steps.earlier()
                changes, self.steps.late = self.steps.late, Changes()
                self._step("look", changes, 0, 0)
            case ev.Missed():
                self.steps.dropped += 1
                self._nothing_yet = False
            case ev.Stopped():
                self.steps.now, self.steps.late = Changes(), Changes()
            case ev.StorageSeen():
                self._objects.storage_seen(event)
            case ev.CounterSeen():
                self._objects.counter_seen(event)
            case ev.TensorMade():
                self._objects.tensor_made(event)
            case ev.Rewired():
                self._objects.rewired(event)
            case ev.FlagsSet():
                self._objects.flags_set(event)
            case ev.GradientSet():
                self._objects.gradient_set(event)
            case ev.Handed():
                self.steps.earlier()
            case ev.LogBegan():
                self._new_nodes.clear()  # made by no operation in the log
            case ev.Named():
                self._objects.named(event)
            case ev.Wrote():
                self._objects.wrote(event)
            case ev.NodeMade():
                self._node_made(event)
            case ev.Saved():
                self.steps.change_node(
                    event.node, saved=builder_facts.saved(event.kept, observed=event.origin.observed)
                )
            case ev.Released():
                self._released(event.nodes)
            case ev.Died():
                self._objects.died(event)
            case ev.Launched():
                self._launches.append(event)
            case ev.Communicated():
                self._communicated(event)
            case ev.OperationDone():
                self._operation_done(event)
            case ev.BackwardBegan():
                self._backward_began(event)
            case ev.Arrived():
                self.steps.change_node(event.node, status="arrived")
            case ev.Unpacked():
                self._unpacked(event)
            case ev.HookBegan() | ev.HookEnded() | ev.CustomBegan():
                self._own_code(event)
            case ev.NodeRan():
                self._node_ran(event)
            case ev.BackwardEnded():
                self._backward_ended(event)
            case ev.BackwardFailed():
                self._backward_failed(event)
            case ev.Refused():
                self._refused(event)
            case ev.Raised():
                self._raised(event)
            case _:
                raise TypeError(f"unknown event {type(event).__name__}")

    # ---- statements ------------------------------------------------------------------------------------------------------

    def _statement_began(self, event: ev.StatementBegan) -> None:
        if event.origin.observed:
            self._statement_ended(event.place, event.live, event.peak)
            self._nothing_yet, self._simple = True, event.simple
            self.loops.statement_began(event)
        self._place = event.place
        self._turn += 1

    def _statement_ended(self, then: Place | None, live: int, peak: int) -> None:
        """Ends a statement, or leaves it for a function that it calls: `then` is where the next one begins, None at the end of the program.

        It is a step if nothing happened in it, or it calls a function of another source; and so is what it does with the result
        of such a function.
        """
        changes, self.steps.now = self.steps.now, Changes()
        changes.take(self.steps.late)
        self.steps.late = Changes()
        depth = 1 if then is None else then.depth
        caller = self._returned_to(depth) if changes else None
        if caller is not None:
            self._place, self._turn = caller, self._turn + 1
            self._step("line", changes, live, peak)
        elif self._nothing_yet and self._place is not None:
            enters = then is not None and depth > self._place.depth and then.source != self._place.source
            if changes or enters or (self._simple and depth < 2):
                self._step("line", changes, live, peak)
        else:  # its temporaries may be gone without an event
            self.steps.amend(changes, live=live)
        self._nothing_yet = self._failed_pass = False

    def _returned_to(self, depth: int) -> Place | None:
        """Returns where the function that ran last was called from another source; None if it was not, or has not returned."""
        place, finished = self._place, self.steps.finished
        if finished and finished[-1].kind == "error":  # which it has left by an exception
            return None
        above = 0 if place is None else place.depth - depth
        while place is not None and above > 0:
            above -= 1 + place.skipped
            place = place.called_from
        return place if place is not self._place and not same_source(place, self._place) else None

    def _happens(self, place: Place | None, *, reallocates: bool = False) -> None:
        """Begins a step at a place: facts that arrived after the last step belong to that step.

        Objects that were freed since belong to the last step, too, unless this step freed them (it `reallocates`), or the statement
        that freed them has only begun: then the last step is of an earlier statement.
        """
        steps = self.steps
        self._place = place or self._place
        if self._nothing_yet:
            steps.late.take(steps.now)
            steps.now, steps.late = steps.late, Changes()
        elif reallocates:
            steps.now.take_deaths(steps.late)
        if steps.late:
            steps.amend(steps.late)
            steps.late = Changes()
        self._nothing_yet = self._failed_pass = False

    def _step(self, kind: str, changes: Changes, live: int, peak: int, **facts: Any) -> None:
        """Adds a step with these changes."""
        phase = "backward" if self._passes or self._failed_pass else "forward"
        if self._launches and getattr(facts.get("backward"), "action", "") != "unpack":  # a node unpacks, then computes
            storages = [
                None
                if (tensor := changes.tensors.get(number) or self.steps.tensors.get(number)) is None
                else tensor.storage
                for number in (*facts.get("inputs", ()), facts.get("output"))
            ]
            # Several launches, or launches without an operation, cannot be distinguished by their operands.
            if kind != "operation" or len(self._launches) > 1 or facts.get("category") == "reallocated":
                storages = [None]
            facts["launches"] = tuple(
                builder_facts.launch(each.launch, each.storages, storages[:-1], storages[-1]) for each in self._launches
            )
            self._launches.clear()
        if kind == "operation" and self._collective is not None:
            facts["collective"], self._collective = self._collective, None
        self.steps.add(
            changes, kind=kind, phase=phase, place=self._place, turn=self._turn, live=live, peak=peak,
            loops=self.loops.around(self._place), **facts,
        )  # fmt: skip

    def _add_step(self, kind: str, live: int, peak: int, **facts: Any) -> None:
        """Adds a step with all facts that are new."""
        changes, self.steps.now = self.steps.now, Changes()
        self._step(kind, changes, live, peak, **facts)

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def _node_made(self, event: ev.NodeMade) -> None:
        inputs = event.inputs
        edges = (
            EdgeFacts(inputs[k] if k < len(inputs) else "base", to)
            for k, to in enumerate(event.edges)
            if to is not None
        )
        self._new_nodes.append((event.node, event.view))
        self.steps.now.nodes[event.node] = NodeFacts(
            id=event.node,
            name=event.name,
            op="",
            place=None,
            edges=tuple(edges),
            saved=() if event.released else builder_facts.saved(event.kept, observed=event.origin.observed),
            released=event.released,
            leaf=event.leaf,
            status="",
        )

    def _released(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.steps.change_node(node, saved=(), released=True)

    def _place_nodes(self, made: set[int | None]) -> None:
        """Gives the nodes that the last operation made its name and place."""
        name, place = self._operation
        for number, view in self._new_nodes:
            facts = self.steps.now.nodes.get(number)
            if facts is not None and (view or number in made) and name:
                self.steps.now.nodes[number] = replace(facts, op=name, place=place)
        self._new_nodes.clear()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def _communicated(self, event: ev.Communicated) -> None:
        """Notes the collective for the operation that follows. One without an operation is a step itself."""
        made = CollectiveFacts(event.name, event.number, event.rank, event.ranks)
        if event.alone:
            self._happens(event.place)
            self._add_step("line", event.live, event.peak, collective=made)
        else:
            self._collective = made

    def _operation_done(self, event: ev.OperationDone) -> None:
        self._happens(event.place, reallocates=event.category == "reallocated")
        if not self._passes:
            self._no_node_waits()
        self._operation = (event.name, self._place)
        output = self.steps.tensor(event.output.tensor)
        base = None if output is None else self.steps.tensor(output.base)
        self._place_nodes({event.node, *(each.node for each in (output, base) if each is not None)})
        self._add_step(
            "operation",
            event.live,
            event.peak,
            op=event.name,
            category=event.category,
            writes=self._writes(event),
            reads=tuple(self._reads(event)),
            inputs=tuple(each.tensor for each in event.inputs),
            output=event.output.tensor,
            kept=event.node,
            depends=event.depends,
            tracks=event.tracks,
            module=event.module,
            ran_in=None if event.ran_in is None else ModuleFacts(*astuple(event.ran_in)),
        )

    def _writes(self, event: ev.OperationDone) -> tuple[WriteFacts, ...]:
        counter = event.output.counter
        before, after = self.steps.counters.get(counter), self.steps.counter(counter)
        if event.category not in ("in-place", "relayout") or after is None:
            return ()
        if event.category == "relayout" and before is not None and before.version == after.version:
            return ()  # not every framework counts this as a write
        version = after.version - 1 if before is None else before.version
        runs = () if event.category == "relayout" else self._runs_of(event.output)
        return (WriteFacts(after.storage, counter, version, after.version, event.output.tensor, runs, event.slots_are),)

    def _reads(self, event: ev.OperationDone) -> Iterator[ReadFacts]:
        """Yields what an operation read, once for each tensor and its slots. What was inferred does not say which elements."""
        if event.category in ("create", "view", "relayout") or not event.origin.observed:
            return
        seen = set()
        for position, operand in enumerate(event.inputs):
            runs, copied = self._runs_of(operand), position == event.copied
            if runs and (operand.tensor, runs, copied) not in seen:
                seen.add((operand.tensor, runs, copied))
                yield ReadFacts(operand.storage, operand.tensor, runs, copied)

    def _runs_of(self, operand: ev.Operand) -> Runs:
        return builder_facts.runs_of(
            operand, self.steps.storage(operand.storage) or self.steps.storages.get(operand.storage)
        )

    # ---- backward --------------------------------------------------------------------------------------------------------

    def _backward_began(self, event: ev.BackwardBegan) -> None:
        self._happens(event.place)
        self._place_nodes(set())
        before: dict[int, NodeStatus] = {}
        if self._passes:
            before = {node: "" if (facts := self.steps.node(node)) is None else facts.status for node in event.nodes}
        self._passes.append(UnfinishedPass(self._place, before))
        self._waiting = True
        for node in event.nodes:
            self.steps.change_node(node, status="waiting")
        others = tuple(RootFacts(node, gradient.values) for node, gradient in event.others)
        self._backward("begin", event.first, event.gradient, event.live, event.peak, others=others)

    def _unpacked(self, event: ev.Unpacked) -> None:
        self.steps.change_node(event.node, status="unpacking")
        self._backward(
            "unpack", event.node, event.gradient, event.live, event.peak, place=event.place, saved=event.name,
            kept_at=event.kept_at, found_at=event.found_at,
        )  # fmt: skip

    def _own_code(self, event: ev.HookBegan | ev.HookEnded | ev.CustomBegan) -> None:
        """Processes the begin or the end of the program's code in a backward pass."""
        self._happens(None)
        action: BackwardAction
        facts: dict[str, Any]
        match event:
            case ev.HookBegan():
                action, facts = "hook", {"place": event.place, "inputs": (event.given,)}
            case ev.HookEnded():
                action, facts = "hooked", {"inputs": (event.given,), "output": event.result}
            case _:
                action, facts = "custom", {"place": event.place, "inputs": event.given}
        self._backward(action, event.node, event.gradient, event.live, event.peak, op=event.name, **facts)

    def _node_ran(self, event: ev.NodeRan) -> None:
        writes: tuple[WriteFacts, ...] = ()
        if event.filled is not None:
            counter = event.filled.counter
            now, before = self.steps.now.counters.get(counter), self.steps.counters.get(counter)
            if now is not None and before is not None:  # written, though not every framework raises the version
                runs = self._runs_of(event.filled)
                writes = (WriteFacts(now.storage, counter, before.version, now.version, event.filled.tensor, runs),)
        self.steps.change_node(event.node, status="done")
        if event.released:
            self._released([event.node])
        self._backward("run", event.node, event.gradient, event.live, event.peak, writes=writes)

    def _backward_ended(self, event: ev.BackwardEnded) -> None:
        self.steps.now.take(self.steps.late)
        self.steps.late = Changes()
        if self._passes:
            self._resume(self._passes[-1])
            self._backward("end", None, None, event.live, event.peak)
            self._passes.pop()

    def _backward_failed(self, event: ev.BackwardFailed) -> None:
        if self._passes:
            self._resume(self._passes.pop())
            self._failed_pass = True
        self.steps.change_node(event.node, status="failed")

    def _resume(self, ended: UnfinishedPass) -> None:
        """Restores the enclosing pass's status of the nodes of a pass that has ended."""
        for node, status in ended.before.items():
            self.steps.change_node(node, status=status)

    def _backward(  # noqa: PLR0913  # the facts of a backward step
        self, action: BackwardAction, node: int | None, gradient: ev.Gradient | None, live: int, peak: int, *,
        place: Place | None = None, saved: str | None = None, kept_at: int | None = None, found_at: int | None = None,
        op: str = "backward", others: tuple[RootFacts, ...] = (), **facts: Any,
    ) -> None:  # fmt: skip
        """Adds a step of a backward pass."""
        if self._nothing_yet:  # a statement of a hook, or of a `PyLayer`'s `backward`, had begun
            self._happens(None)
        self._place = place or (self._passes[-1].place if self._passes else self._place)
        values, shape = (None, None) if gradient is None else (gradient.values, gradient.shape)
        done = BackwardFacts(action, node, saved, kept_at, found_at, values, shape, others)
        self._add_step("backward", live, peak, op=op, backward=done, **facts)

    def _no_node_waits(self) -> None:
        """Resets the status of nodes after the last backward pass."""
        if not self._waiting:
            return
        self._waiting = False
        for number, before in self.steps.nodes.items():
            facts = self.steps.node(number) if before.status else None
            if facts is not None:
                self.steps.now.nodes[number] = replace(facts, status="")

    # ---- errors ----------------------------------------------------------------------------------------------------------

    def _refused(self, event: ev.Refused) -> None:
        if event.place is not None or not self._passes:
            self._happens(event.place)
        self._nothing_yet = False  # a statement of a `PyLayer`'s `backward` may have begun
        self._place_nodes(set())
        self.steps.change_node(event.node, status="failed")
        error = ErrorFacts(
            type=event.type, message=event.message, explanation=event.why, notes=(), node=event.node,
            storage=event.storage, tensor=event.tensor, fix=event.fix, failure=FailureFacts(event.kind, ()),
        )  # fmt: skip
        self._add_step("error", event.live, event.peak, error=error, inputs=event.inputs)

    def _raised(self, event: ev.Raised) -> None:
        failed_pass = self._failed_pass
        self._happens(None)
        self._place, self._failed_pass = event.place or self._place, failed_pass
        error = ErrorFacts(type=event.type, message=event.message, explanation=None, notes=())
        self._add_step("error", event.live, event.peak, error=error, inputs=event.inputs)
        self._failed_pass = False
