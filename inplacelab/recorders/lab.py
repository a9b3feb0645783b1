"""The recorder of inplacelab's own programs: listens to the engine and writes a `Recording`.

It keeps nothing alive (objects are numbered through weak references), copies at once what in-place operations will
destroy, and computes nothing that the program computes: gradients, errors and memory peaks are those of the unrecorded
run.

When are names bound? After the last operation of a line, and no operation says so. So the names found when the *next* thing
happens are put into the step before.
"""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any, Self

import inplacelab
from inplacelab import devices, errors, observe
from inplacelab.autograd.nodes import AccumulateNode, Node, ViewNode
from inplacelab.autograd.saved import Saved
from inplacelab.language import Text
from inplacelab.recorders import source as learner
from inplacelab.recorders.portrait import Portraits
from inplacelab.recorders.steps import Changes, StepBuilder
from inplacelab.recording.explain.errors import stale_story
from inplacelab.recording.explain.moment import Moment
from inplacelab.recording.facts import BackwardFacts, ErrorFacts, Values, WriteFacts
from inplacelab.recording.recording import Recording
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor

LIMIT = 2000
"""Steps kept by default; a recording that was cut says so."""
SMALL = 16
"""Gradients of up to this many elements are kept with their values."""


class LabRecorder(observe.Observer):
    """Records what happens while it listens (see `record` and `%%stepper`).

    Args:
        program: the learner's source text.
        filename: the file name it runs under: frames of that file are the learner's.
        wanted: the names worth looking at in the program's globals.
        first_line: the line of the file at which `program` begins.
        title: a name for the picture.
        limit: the most steps to keep.
    """

    def __init__(
        self,
        program: str,
        filename: str,
        wanted: frozenset[str],
        *,
        first_line: int = 1,
        title: str = "",
        limit: int = LIMIT,
    ) -> None:
        self._program, self._filename, self._wanted, self._title = program, filename, wanted, title
        self._shift = first_line - 1
        self._see, self._build = Portraits(), StepBuilder(limit)
        self._line: int | None = None
        self._op = ""
        self._phase, self._depth = "forward", 0
        self._gradient: Tensor | None = None
        self._simulated, self._quiet, self._simple = False, False, True
        self._reported: weakref.ref[errors.Refusal] | None = None

    # ---- where the program is ------------------------------------------------------------------------------------------

    def mark(self, line: int, simple: bool) -> None:
        """The statement on `line` is about to run: the one before it is done."""
        self._finish_statement(self._scopes(sys._getframe(1)))
        self._line, self._quiet, self._simple = line - self._shift, True, simple

    def _scopes(self, innermost: FrameType | None) -> list[learner.Scope]:
        return learner.scopes_of(learner.frames_of(self._filename, innermost))

    def _finish_statement(self, scopes: list[learner.Scope]) -> None:
        """Give the statement that has just ended its names; make it a step of its own if no operation was in it."""
        changes = self._names_now(scopes, done=True)
        self._draw_flags(changes)
        if self._quiet and self._line is not None:
            if changes or (self._simple and len(scopes) < 2):
                self._add("line", changes)
        elif changes:
            self._build.amend(changes, live=self._ledger.live)
        self._quiet = False

    def _locate(self, *, forget: bool = True) -> None:
        """At an event: bring names up to date, for the step before, and find the line.

        What has died since died before this event, unless the event itself let go of it (`forget` is then False).
        """
        frames = list(learner.frames_of(self._filename, sys._getframe(1)))
        changes = self._names_now(learner.scopes_of(frames), done=False, forget=forget)
        if changes:
            self._build.amend(changes)
        if frames:
            self._line = frames[0].f_lineno - self._shift
        self._quiet = False

    def _names_now(self, scopes: list[learner.Scope], *, done: bool, forget: bool = True) -> Changes:
        """What the names say now, and what has gone, as changes.

        In the middle of a statement (not `done`) a tensor may be on its way out of a function, whose names are gone: it
        keeps the last name it had.
        """
        see, before = self._see, self._see.names
        if scopes:
            see.names = learner.bindings(scopes, self._wanted, Tensor)
            if not done:
                see.names = {**{id(t): before[id(t)] for _, t in see.tensors if id(t) in before}, **see.names}
            self._name_gradients()
        changes = Changes()
        for serial, tensor in see.tensors:
            known, names = self._build.tensors.get(serial), see.names.get(id(tensor), ())
            if (
                known is not None and known.names != names
            ):  # nothing but the name: the rest may be newer than the last step
                changes.tensors[serial] = replace(known, names=names)
        if forget:
            self._forget(changes)
        return changes

    def _draw_flags(self, changes: Changes) -> None:
        """Tensors whose `stop_gradient` or `.grad` a statement has set: no operation tells of it."""
        for serial, tensor in self._see.tensors:
            known = self._build.tensors.get(serial)
            gradient = None if tensor._grad is None else self._see.tensors.known(tensor._grad)
            if known is not None and (known.needs_gradient == tensor._stop or known.grad != gradient):
                self._draw_tensor(changes, tensor)

    def _name_gradients(self) -> None:
        """`x.grad` is a name too, if nothing better is bound to it."""
        names = self._see.names
        for _, tensor in self._see.tensors:
            owner = names.get(id(tensor))
            if tensor._grad is not None and owner and id(tensor._grad) not in names:
                names[id(tensor._grad)] = (f"{owner[0]}.grad",)

    def _forget(self, changes: Changes) -> None:
        see = self._see
        for registry, drawn in (
            (see.tensors, changes.tensors),
            (see.storages, changes.storages),
            (see.nodes, changes.nodes),
        ):
            while registry.gone:
                drawn[registry.gone.pop()] = None

    # ---- drawing what an event touched ---------------------------------------------------------------------------------

    def _draw_tensor(self, changes: Changes, tensor: Tensor) -> None:
        facts = self._see.tensor(tensor)
        if facts.id in changes.tensors:
            return
        changes.tensors[facts.id] = facts
        self._draw_storage(changes, tensor.storage)
        for other in (tensor.base, tensor._grad):
            if other is not None:
                self._draw_tensor(changes, other)
        if tensor.node is not None:
            self._draw_node(changes, tensor.node)

    def _draw_storage(self, changes: Changes, storage: Storage) -> None:
        known = self._see.storages.known(storage)
        before = None if known is None else self._build.storages.get(known)
        if known in changes.storages or (before is not None and before.version == storage.version):
            return
        self._simulated |= storage.device.simulated
        facts = self._see.storage(storage)
        changes.storages[facts.id] = facts

    def _draw_node(self, changes: Changes, node: Node) -> None:
        """The node and every node it leads to that has not been drawn yet."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            serial = self._see.nodes.number(each)
            if serial in changes.nodes:
                continue
            known = serial in self._build.nodes
            if isinstance(each, ViewNode) and self._op:
                self._see.origins.setdefault(serial, (self._op, self._line))  # made anew because of this operation
            changes.nodes[serial] = self._see.node(each)
            for saved in each.saved:
                self._draw_storage(changes, saved.storage)
            if isinstance(each, AccumulateNode):
                self._draw_tensor(changes, each.leaf)
            if not known:
                waiting.extend(e for e in each.edges if e is not None)

    def _draw_family(self, changes: Changes, storage: Storage) -> None:
        """Every tensor known to look at a storage that was written: its history may be another now."""
        for _, tensor in self._see.tensors:
            if tensor.storage is storage:
                self._draw_tensor(changes, tensor)

    # ---- operations ----------------------------------------------------------------------------------------------------

    def operation(self, operation: observe.Operation) -> None:
        if self._depth:
            return  # backward computes with operations too; its nodes are the steps there
        self._locate(forget=operation.category != "reallocated")
        self._see.statuses.clear()
        self._op = operation.name
        see, output = self._see, operation.output
        before = self._known_version(output.storage)
        changes = Changes()
        self._remember_origin(operation)
        if operation.category == "create" and operation.name == "empty":
            see.unfilled.add(see.storages.number(output.storage))
        elif operation.category == "in-place":
            see.unfilled.discard(see.storages.number(output.storage))
        for tensor in (*operation.inputs, output):
            self._draw_tensor(changes, tensor)
        if operation.category in ("in-place", "relayout", "reallocated"):
            self._draw_family(changes, output.storage)
        self._draw_finished(changes)
        self._forget(changes)
        self._add(
            "operation", changes, op=operation.name, category=operation.category,
            inputs=tuple(see.tensors.number(t) for t in operation.inputs), output=see.tensors.number(output),
            writes=tuple(self._writes(operation, before)),
            kept=None if operation.node is None else see.nodes.number(operation.node),
        )  # fmt: skip

    def _known_version(self, storage: Storage) -> int:
        known = self._see.storages.known(storage)
        facts = None if known is None else self._build.storages.get(known)
        return storage.version - 1 if facts is None else facts.version

    def _writes(self, operation: observe.Operation, before: int) -> Iterator[WriteFacts]:
        if operation.category not in ("in-place", "relayout"):
            return
        output, see = operation.output, self._see
        runs = see.runs(output, operation.written) if operation.category == "in-place" else ()
        yield WriteFacts(
            see.storages.number(output.storage), before, output.storage.version, see.tensors.number(output), runs
        )

    def _remember_origin(self, operation: observe.Operation) -> None:
        """Which operation and line made the nodes that are new now."""
        output = operation.output
        nodes = [operation.node, output.node, None if output.base is None else output.base.node]
        for node in nodes:
            if node is not None and self._see.nodes.known(node) is None:
                self._see.origins[self._see.nodes.number(node)] = (operation.name, self._line)

    def _draw_finished(self, changes: Changes) -> None:
        """Nodes that still show where the last backward left them."""
        for serial, facts in self._build.nodes.items():
            node = self._see.nodes.get(serial)
            if facts.status and node is not None:
                changes.nodes.setdefault(serial, self._see.node(node))

    # ---- backward --------------------------------------------------------------------------------------------------------

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        self._locate()
        self._phase = "backward"
        changes = Changes()
        first, self._gradient = roots[0]
        for node in _reachable([node for node, _ in roots]):
            self._set_status(changes, node, "waiting")
        begin = BackwardFacts("begin", self._see.nodes.number(first), **self._arrived_gradient())
        self._add("backward", changes, op="backward", backward=begin)

    def gradient_arrives(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._see.statuses[self._see.nodes.number(node)] = "arrived"

    def node_begins(self, node: Node, gradient: Tensor) -> None:
        self._gradient = gradient

    def unpacks(self, node: Node, saved: Saved) -> None:
        if self._depth != 1:
            return
        outer = self._running(node)
        changes = Changes()
        self._set_status(changes, outer, "unpacking")
        self._draw_arrived(changes)
        facts = BackwardFacts(
            "unpack", self._see.nodes.number(outer), saved=saved.name, kept_at=saved.version, found_at=saved.storage.version,
            **self._arrived_gradient(),
        )  # fmt: skip
        self._add("backward", changes, op="backward", backward=facts)

    def _running(self, node: Node) -> Node:
        """The node on the way: `node` itself, or the `CopySlices` node that it is inside of."""
        for _, each in self._see.nodes:
            if getattr(each, "inner", None) is node:
                return each
        return node

    def node_ends(self, node: Node) -> None:
        if self._depth != 1:
            return
        changes = Changes()
        self._set_status(changes, node, "done")
        self._draw_arrived(changes)
        writes: tuple[WriteFacts, ...] = ()
        if isinstance(node, AccumulateNode):
            writes = tuple(self._grad_write(node.leaf))
            self._see.names = dict(self._see.names)
            self._name_gradients()
            self._draw_tensor(changes, node.leaf)
            if node.leaf._grad is not None:
                self._draw_family(changes, node.leaf._grad.storage)
        facts = BackwardFacts("run", self._see.nodes.number(node), **self._arrived_gradient())
        self._add("backward", changes, op="backward", backward=facts, writes=writes)
        self._gradient = None

    def _grad_write(self, leaf: Tensor) -> Iterator[WriteFacts]:
        """The raise of a version when a gradient was added to one that was there."""
        gradient = leaf._grad
        if gradient is None or self._see.storages.known(gradient.storage) not in self._build.storages:
            return
        before = self._known_version(gradient.storage)
        if before != gradient.storage.version:
            serial = self._see.storages.number(gradient.storage)
            yield WriteFacts(
                serial,
                before,
                gradient.storage.version,
                self._see.tensors.number(gradient),
                self._see.runs(gradient, None),
            )

    def _arrived_gradient(self) -> dict[str, Any]:
        gradient = self._gradient
        if gradient is None:
            return {}
        values: Values | None = tuple(gradient.numpy().reshape(-1).tolist()) if gradient.size <= SMALL else None
        return {"gradient": values, "shape": tuple(gradient.array.shape)}

    def backward_fails(self) -> None:
        self._depth, self._phase = 0, "forward"

    def backward_ends(self) -> None:
        self._depth -= 1
        if self._depth:
            return
        changes = Changes()
        self._draw_arrived(changes)
        self._forget(changes)
        self._add("backward", changes, op="backward", backward=BackwardFacts("end", None))
        self._phase = "forward"

    def _set_status(self, changes: Changes, node: Node, status: Any) -> None:
        serial = self._see.nodes.number(node)
        self._see.statuses[serial] = status
        self._draw_node(changes, node)
        changes.nodes[serial] = self._see.node(node)

    def _draw_arrived(self, changes: Changes) -> None:
        """Nodes whose status or saved tensors have changed by what a node handed on or let go."""
        for serial, node in self._see.nodes:
            known = self._build.nodes.get(serial)
            if known is not None and (
                known.status != self._see.statuses.get(serial, "") or known.released != node.released
            ):
                changes.nodes[serial] = self._see.node(node)

    # ---- errors ----------------------------------------------------------------------------------------------------------

    def refused(self, error: errors.Refusal) -> None:
        """The engine refuses: explain it, and tell the exception which lines are concerned."""
        if self._depth == 0:
            self._locate()
        self._reported = weakref.ref(error)
        facts = error.facts
        node, saved, tensor = facts.get("node"), facts.get("saved"), facts.get("tensor")
        changes = Changes()
        outer = None if node is None else self._running(node)
        if outer is not None:
            self._set_status(changes, outer, "failed")
            self._draw_arrived(changes)
        known = None if tensor is None else self._see.tensors.known(tensor)
        found = ErrorFacts(
            type=type(error).__name__, message=str(error), explanation=_begun(error.why), mend=error.mend, notes=(),
            node=None if outer is None else self._see.nodes.number(outer),
            storage=None if saved is None else self._see.storages.number(saved.storage), tensor=known,
        )  # fmt: skip
        self._depth = 0
        self._add("error", changes, error=found)
        self._phase = "forward"
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
        self._line = _line_of(error, self._filename, self._shift) or self._line
        self._quiet, self._depth, self._phase = False, 0, "forward"
        found = ErrorFacts(type=type(error).__name__, message=str(error), explanation=None, notes=())
        self._add("error", Changes(), error=found)

    # ---- the recording -----------------------------------------------------------------------------------------------------

    def finish(self, names: Mapping[str, Any], function: str = "") -> None:
        """The program is over, and these are its names: its last statement gets them."""
        self._finish_statement([learner.Scope(names, function)])

    @property
    def _ledger(self) -> Any:
        return devices.current().ledger

    def _add(self, kind: str, changes: Changes, **facts: Any) -> None:
        ledger = self._ledger
        self._build.add(
            changes, kind=kind, phase=self._phase, line=self._line, live=ledger.live, peak=ledger.peak, **facts
        )

    def recording(self) -> Recording:
        """What was recorded so far."""
        return Recording(
            framework="inplacelab", framework_version=inplacelab.__version__, title=self._title, source=self._program,
            steps=tuple(self._build.steps), truncated=self._build.dropped, simulated=self._simulated,
        )  # fmt: skip


def _begun(text: Text) -> Text:
    """A reason as a sentence of its own."""
    return Text(text.en[:1].upper() + text.en[1:], text.zh)


def _line_of(error: BaseException, filename: str, shift: int) -> int | None:
    """The innermost line of the learner's file in a traceback."""
    found, walk = None, error.__traceback__
    while walk is not None:
        if walk.tb_frame.f_code.co_filename == filename:
            found = walk.tb_lineno - shift
        walk = walk.tb_next
    return found


def _reachable(roots: Sequence[Node]) -> Iterator[Node]:
    seen: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(e for e in node.edges if e is not None)


@contextmanager
def listening(recorder: LabRecorder) -> Iterator[None]:
    """Have a recorder hear the engine and its refusals."""
    errors.watchers.append(recorder.refused)
    try:
        with observe.listening(recorder):
            yield
    finally:
        errors.watchers.remove(recorder.refused)


class record:
    """Record what a `with` block does.

    Names show as they were bound when the next operation began; a line that only binds a name (`y = x`) is no step here.
    (`%%stepper` runs the program itself and sees every line.) The recording can be had also when the block raises.

    Args:
        title: a name for the picture.
        limit: the most steps to keep; a recording that was cut says so.

    Attributes:
        recording: what was recorded, once the block is over.

    >>> import inplacelab as paddle
    >>> with paddle.record(title="half") as rec:
    ...     x = paddle.ones([2])
    ...     y = x.scale_(0.5)
    >>> [step.op for step in rec.recording.steps]
    ['ones', 'scale_']
    """

    def __init__(self, title: str = "", limit: int = LIMIT) -> None:
        self._title, self._limit = title, limit
        self.recording: Recording | None = None

    def __enter__(self) -> Self:
        frame = sys._getframe(1)
        filename = frame.f_code.co_filename
        block = learner.with_block(filename, frame.f_lineno)
        wanted = learner.identifiers(ast.parse(block.text)) if block.text else frozenset(frame.f_code.co_names)
        self._recorder = LabRecorder(
            block.text, filename, wanted, first_line=block.first_line, title=self._title, limit=self._limit
        )
        self._open = listening(self._recorder)
        self._open.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._open.__exit__(None, None, None)
        frame = sys._getframe(1)
        if error is not None:
            self._recorder.failed(error)
        function = "" if frame.f_locals is frame.f_globals else frame.f_code.co_name
        self._recorder.finish(frame.f_locals, function)
        self.recording = self._recorder.recording()
