"""The recorder of inplacelab's own programs: listens to the engine and writes a `Recording`.

It keeps nothing alive (objects are numbered through weak references), copies at once what in-place operations will
destroy, and computes nothing that the program computes: gradients, errors and memory peaks are those of the unrecorded
run.

When are names bound? After the last operation of a line, and no operation says so. So the names found when the *next* thing
happens are put into the step before.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

import inplacelab
from inplacelab import devices, errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.nodes import AccumulateNode, Node
from inplacelab.autograd.saved import Saved
from inplacelab.language import Text
from inplacelab.recorders import source as learner
from inplacelab.recorders.canvas import Canvas, reachable
from inplacelab.recorders.steps import Changes
from inplacelab.recording.explain.errors import stale_story
from inplacelab.recording.explain.moment import Moment
from inplacelab.recording.facts import BackwardFacts, ErrorFacts, Values, WriteFacts
from inplacelab.recording.recording import Recording
from inplacelab.tensor import Tensor

LIMIT = 2000
"""Steps kept by default; a recording that was cut says so."""
SMALL = 16
"""Gradients of up to this many elements are kept with their values."""


class LabRecorder(observe.Observer):
    """Records what happens while it listens (see `record` and `%%stepper`).

    Args:
        program: the learner's program.
        title: a name for the picture.
        limit: the most steps to keep.
    """

    def __init__(self, program: learner.Program, *, title: str = "", limit: int = LIMIT) -> None:
        self._program, self._title = program, title
        self._draw = Canvas(limit)
        self._see, self._build = self._draw.see, self._draw.build
        self._line: int | None = None
        self._phase, self._depth = "forward", 0
        self._quiet = False  # the statement on `_line` has begun, and nothing has happened in it yet
        self._simple = True  # it holds no other statements
        self._gradient: Tensor | None = None  # what arrived at the node that is running
        self._reported: weakref.ref[errors.Refusal] | None = None
        self._live_before = devices.current().ledger.live

    # ---- where the program is ------------------------------------------------------------------------------------------

    def mark(self, line: int, simple: bool, frame: FrameType) -> None:
        """The statement on `line` is about to run: the one before it is done. Other programs' statements are ignored."""
        if frame.f_code.co_filename != self._program.filename:
            return
        self._finish_statement(learner.scopes_of(self._program.frames(frame)))
        self._line, self._quiet, self._simple = self._program.line(line), True, simple

    def finish(self, scope: learner.Scope) -> None:
        """The program is over, and these are its names: its last statement gets them."""
        self._finish_statement([scope])

    def _finish_statement(self, scopes: list[learner.Scope]) -> None:
        """Give the statement that has just ended its names; make it a step of its own if no operation was in it."""
        changes = Changes()
        self._draw.names(changes, self._bound(scopes), done=True)
        self._draw.flags(changes)
        self._draw.gone(changes)
        if self._quiet and self._line is not None:
            if changes or (self._simple and len(scopes) < 2):
                self._add("line", changes)
        elif changes:
            self._build.amend(changes, live=devices.current().ledger.live)
        self._quiet = False

    def _locate(self, *, forget: bool = True) -> None:
        """At an event: bring names up to date, for the step before, and find the line.

        What has died since died before this event, unless the event itself let go of it (`forget` is then False).
        """
        frames: list[FrameType] = self._program.frames(sys._getframe(1))
        changes = Changes()
        if frames:
            self._draw.names(changes, self._bound(learner.scopes_of(frames)), done=False)
            self._line = self._program.line(frames[0].f_lineno)
        if forget:
            self._draw.gone(changes)
        if changes:
            self._build.amend(changes)
        self._quiet = False

    def _bound(self, scopes: list[learner.Scope]) -> dict[int, tuple[str, ...]]:
        return learner.bindings(scopes, self._program.wanted, Tensor)

    # ---- operations ----------------------------------------------------------------------------------------------------

    def operation(self, operation: observe.Operation) -> None:
        if self._depth:
            return  # backward computes with operations too; its nodes are the steps there
        self._locate(forget=operation.category != "reallocated")
        see, output, changes = self._see, operation.output, Changes()
        self._draw.here = (operation.name, self._line)
        writes = tuple(self._writes(operation))
        self._prepare(operation)
        for tensor in (*operation.inputs, output):
            self._draw.tensor(changes, tensor)
        if operation.category in ("in-place", "relayout", "reallocated"):
            self._draw.family(changes, output.storage)
            if modes.keeper is not None:
                self._draw.copies(changes)
        self._draw.progress(changes)
        self._draw.gone(changes)
        self._add(
            "operation", changes, op=operation.name, category=operation.category, writes=writes,
            inputs=tuple(see.tensors.number(t) for t in operation.inputs), output=see.tensors.number(output),
            kept=None if operation.node is None else see.nodes.number(operation.node),
        )  # fmt: skip

    def _prepare(self, operation: observe.Operation) -> None:
        """Note what can be known only now: which operation made the new nodes, and which storages hold nothing yet."""
        see, output = self._see, operation.output
        see.statuses.clear()  # the last backward is over
        for node in (operation.node, output.node, None if output.base is None else output.base.node):
            if node is not None and see.nodes.known(node) is None:
                see.origins[see.nodes.number(node)] = self._draw.here
        if operation.name == "empty":
            see.unfilled.add(see.storages.number(output.storage))
        elif operation.category == "in-place":
            see.unfilled.discard(see.storages.number(output.storage))

    def _writes(self, operation: observe.Operation) -> Iterator[WriteFacts]:
        if operation.category not in ("in-place", "relayout"):
            return
        output, see = operation.output, self._see
        after, before = output.storage.version, self._draw.drawn_version(output.storage)
        runs = see.runs(output, operation.written) if operation.category == "in-place" else ()
        storage, tensor = see.storages.number(output.storage), see.tensors.number(output)
        yield WriteFacts(storage, after - 1 if before is None else before, after, tensor, runs)

    # ---- backward --------------------------------------------------------------------------------------------------------

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        self._locate()
        self._phase = "backward"
        changes = Changes()
        first, self._gradient = roots[0]
        for node in reachable(node for node, _ in roots):
            self._draw.status(changes, node, "waiting")
        self._backward(changes, BackwardFacts("begin", self._see.nodes.number(first), **self._arrived_gradient()))

    def gradient_arrives(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._see.statuses[self._see.nodes.number(node)] = "arrived"

    def node_begins(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._gradient = gradient

    def unpacks(self, node: Node, saved: Saved) -> None:
        if self._depth != 1:
            return
        outer, changes = self._draw.running(node), Changes()
        self._draw.status(changes, outer, "unpacking")
        facts = BackwardFacts(
            "unpack", self._see.nodes.number(outer), saved=saved.name, kept_at=saved.version, found_at=saved.storage.version,
            **self._arrived_gradient(),
        )  # fmt: skip
        self._backward(changes, facts)

    def node_ends(self, node: Node) -> None:
        if self._depth != 1:
            return
        changes = Changes()
        writes = tuple(self._filled(changes, node.leaf)) if isinstance(node, AccumulateNode) else ()
        self._draw.status(changes, node, "done")
        facts = BackwardFacts("run", self._see.nodes.number(node), **self._arrived_gradient())
        self._backward(changes, facts, writes=writes)
        self._gradient = None

    def _filled(self, changes: Changes, leaf: Tensor) -> Iterator[WriteFacts]:
        """A leaf whose `.grad` was set or added to; the latter raises a version."""
        gradient, see = leaf._grad, self._see
        before = None if gradient is None else self._draw.drawn_version(gradient.storage)
        self._draw.gradient_names()
        self._draw.tensor(changes, leaf)
        if gradient is None:
            return
        self._draw.family(changes, gradient.storage)
        after = gradient.storage.version
        if before is not None and before != after:
            storage, tensor = see.storages.number(gradient.storage), see.tensors.number(gradient)
            yield WriteFacts(storage, before, after, tensor, see.runs(gradient, None))

    def backward_fails(self) -> None:
        self._depth, self._phase = 0, "forward"

    def backward_ends(self) -> None:
        self._depth -= 1
        if self._depth:
            return
        changes = Changes()
        self._draw.gone(changes)
        self._backward(changes, BackwardFacts("end", None))
        self._phase = "forward"

    def _backward(self, changes: Changes, facts: BackwardFacts, **more: Any) -> None:
        self._draw.progress(changes)
        self._add("backward", changes, op="backward", backward=facts, **more)

    def _arrived_gradient(self) -> dict[str, Any]:
        gradient = self._gradient
        if gradient is None:
            return {}
        values: Values | None = tuple(gradient.numpy().reshape(-1).tolist()) if gradient.size <= SMALL else None
        return {"gradient": values, "shape": tuple(gradient.array.shape)}

    # ---- errors ----------------------------------------------------------------------------------------------------------

    def refused(self, error: errors.Refusal) -> None:
        """The engine refuses: explain it, and tell the exception which lines are concerned."""
        if self._depth == 0:
            self._locate()
        self._reported = weakref.ref(error)
        see, changes = self._see, Changes()
        node, saved, tensor = (error.facts.get(name) for name in ("node", "saved", "tensor"))
        outer = None if node is None else self._draw.running(node)
        if outer is not None:
            self._draw.status(changes, outer, "failed")
            self._draw.progress(changes)
        found = ErrorFacts(
            type=type(error).__name__, message=str(error), explanation=_begun(error.why), mend=error.mend, notes=(),
            node=None if outer is None else see.nodes.number(outer),
            storage=None if saved is None else see.storages.number(saved.storage),
            tensor=None if tensor is None else see.tensors.known(tensor),
        )  # fmt: skip
        self._add("error", changes, error=found)
        self._depth, self._phase = 0, "forward"
        self._add_notes(error, found)

    def _add_notes(self, error: errors.Refusal, found: ErrorFacts) -> None:
        if self._build.dropped:
            return
        so_far = self.recording()
        notes = stale_story(Moment(so_far, len(so_far) - 1))
        if notes:
            self._build.amend(Changes(), error=replace(found, notes=notes))
        for note in notes:
            error.add_note(str(note))

    def failed(self, error: BaseException) -> None:
        """The program ended with an exception."""
        if self._reported is not None and error is self._reported():
            return
        self._line = self._program.line_of(error) or self._line
        self._quiet, self._depth, self._phase = False, 0, "forward"
        found = ErrorFacts(type=type(error).__name__, message=str(error), explanation=None, notes=())
        self._add("error", Changes(), error=found)

    # ---- the recording -----------------------------------------------------------------------------------------------------

    def _add(self, kind: str, changes: Changes, **facts: Any) -> None:
        ledger = devices.current().ledger
        self._build.add(
            changes, kind=kind, phase=self._phase, line=self._line, live=ledger.live, peak=ledger.peak, **facts
        )

    def recording(self) -> Recording:
        """What was recorded so far."""
        return Recording(
            framework="inplacelab", framework_version=inplacelab.__version__, title=self._title,
            source=self._program.text, steps=tuple(self._build.steps), truncated=self._build.dropped,
            simulated=self._draw.simulated, live_before=self._live_before,
        )  # fmt: skip


def _begun(text: Text) -> Text:
    """A reason as a sentence of its own."""
    return Text(text.en[:1].upper() + text.en[1:], text.zh)
