"""The recorder of inplacelab's own programs: listens to the engine, keeps a journal, and has it read into a `Recording`.

It keeps nothing alive, copies at once what in-place operations will destroy, and computes nothing that the program computes:
gradients, errors and memory peaks are those of the unrecorded run. What it writes down during the run is as little as will do
(`journal`); what that means is worked out when the recording is asked for (`reader`).

When are names bound? After the last operation of a line, and no operation says so. A program that is marked tells when a
statement begins; of others the names are looked at when the *next* thing happens. Either way they go into the step before.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any

import inplacelab
from inplacelab import devices, errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.nodes import AccumulateNode, Node
from inplacelab.autograd.saved import Saved
from inplacelab.language import Text
from inplacelab.recorders import source as learner
from inplacelab.recorders.journal import Journal, SeenTensor
from inplacelab.recorders.names import Names
from inplacelab.recorders.reader import Reader, Where
from inplacelab.recording.explain.errors import stale_story
from inplacelab.recording.explain.moment import Moment
from inplacelab.recording.facts import ErrorFacts
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
        outermost: the frame that runs the program, if it runs already.
    """

    def __init__(
        self, program: learner.Program, *, title: str = "", limit: int = LIMIT, outermost: FrameType | None = None
    ) -> None:
        self._program, self._title, self._limit = program, title, limit
        self._filename = program.filename
        self._journal = journal = Journal()
        self._entries = journal.entries
        self._names = Names(program, journal)
        self._reader = Reader(limit, journal.dead, journal.outer, program.first_line)
        self._heard = 0
        self._depth = 0  # how many backward passes are under way, one inside the other
        self._marked = False  # the program tells of its statements
        self._due = True  # a name may have been bound since the names were looked at
        self._root = outermost
        self._place_before = (0, 0)  # the line and the instruction of the program's outermost frame at the last look
        self._gradient: Tensor | None = None  # what arrived at the node that is running
        self._waiting: list[weakref.ref[Node]] = []  # the nodes of this backward pass
        self._reported: weakref.ref[errors.Refusal] | None = None
        self._live_before = devices.current().ledger.live
        self._episodes: dict[devices.Device, int] = {}  # of each device's ledger, the number of this recording's own

    def begin(self) -> None:
        """The ledgers have begun an episode for this recording."""
        self._episodes = {device: device.ledger.began for device in devices.ALL}

    # ---- where the program is ------------------------------------------------------------------------------------------

    def mark(self, line: int, simple: bool, binds: bool, frame: FrameType) -> None:
        """A statement of a marked program begins: the one before it is over. Other programs' statements are ignored."""
        if frame.f_code.co_filename != self._filename:
            return
        depth = 1
        if frame is not self._root or self._due or self._names.deep:
            self._marked = True
            frames = self._program.frames(frame, self._root)
            self._root, depth = frames[-1], len(frames)
            self._names.look(frames, done=True)
        self._due = binds or depth > 1
        self._entries.append(("statement", line, simple, depth, *self._account()))

    def finish(self, scope: learner.Scope) -> None:
        """The program is over, and these are its names: its last statement gets them."""
        self._names.deep = True  # look at everything once more
        self._names.look_into([scope], done=True)
        self._entries.append(("over", 1, *self._account()))
        self._root = None

    def _where(self) -> Where:
        """At an event: the innermost place of the program. If nobody tells of its statements, bring the names up to date."""
        frame: FrameType | None = sys._getframe(2)
        filename = self._filename
        while frame is not None and frame.f_code.co_filename != filename:
            frame = frame.f_back
        if frame is None:
            return None
        if not self._marked:
            self._look_from(frame)
        return frame.f_code, frame.f_lasti

    def _look_from(self, frame: FrameType) -> None:
        """Look at the names in the middle of a program that is not marked. On another line of its outermost frame, or if that
        has gone back, the statement before is surely over.
        """
        if frame is not self._root:
            self._names.look(self._program.frames(frame, self._root), done=False)
            return
        line, instruction = self._place_before
        self._place_before = frame.f_lineno, frame.f_lasti
        done = line != frame.f_lineno or instruction >= frame.f_lasti
        self._names.look([frame], done=done)
        if done:
            self._entries.append(("turn",))

    def _account(self) -> tuple[int, int]:
        """The program's own bytes now and their peak, on the current device: what was made before is not counted."""
        device = devices.current()
        return device.ledger.own(self._episodes[device])

    def _full(self) -> bool:
        """Whether there are as many events as there may be steps; what comes after is only counted."""
        self._heard += 1
        return self._heard > self._limit

    # ---- operations ----------------------------------------------------------------------------------------------------

    def operation(  # what is a call elsewhere is written out here
        self, name: str, category: str, inputs: Sequence[Tensor], output: Any, node: Any, written: Any = None
    ) -> None:
        # What this costs, every operation of the program costs more.
        if self._depth:
            return  # backward computes with operations too; its nodes are the steps there
        self._heard += 1
        if self._heard > self._limit:
            return
        frame: FrameType | None = sys._getframe(1)  # `self._where()`
        filename = self._filename
        while frame is not None and frame.f_code.co_filename != filename:
            frame = frame.f_back
        if frame is not None and not self._marked:
            self._look_from(frame)
        journal = self._journal
        tensors = journal.tensors
        numbers = []
        for tensor in inputs:
            seen = tensors.get(id(tensor))  # `journal.known(tensor)`
            if seen is None or seen.ref() is not tensor:
                seen = journal.tensor(tensor)
            elif seen.storage.version != tensor.storage.version and tensor is not output:
                journal.storage(tensor.storage)
            numbers.append(seen.serial)
        known = self._result(name, category, output, written)
        ledger = devices.current().ledger  # `self._account()`, unless another recording goes on inside this one
        alone = len(observe.listeners) == 1
        live, peak = (ledger.live - ledger.inherited, ledger.peak - ledger.inherited) if alone else self._account()
        self._entries.append((
            "operation", name, category, numbers, known.serial, None if node is None else node.serial, known.storage.serial,
            written, frame and (frame.f_code, frame.f_lasti), live, peak,
        ))  # fmt: skip

    def _result(self, name: str, category: str, output: Tensor, written: Any) -> SeenTensor:
        """What an operation made, or what it did to its target."""
        seen = self._journal.known(output)
        if seen is None:
            seen = self._journal.tensor(output, filled=name != "empty")
        elif category == "in-place":
            self._wrote(seen, output, written)
        else:
            self._remade(seen, output)
        return seen

    def _wrote(self, seen: SeenTensor, output: Tensor, written: Any) -> None:
        """A tensor that is in the journal was written: its storage has other values, its family another history."""
        storage, known, base = output.storage, seen.storage, output.base
        if known.version != storage.version:
            if known.whole:  # `journal.written(...)`
                known.version = storage.version
                self._entries.append(("written", known.serial, storage.version, storage.buffer.tobytes()))
            else:
                self._journal.written(known, storage, seen, output.array, written)
        if base is None and len(known.tensors) == 1:
            if output.node is not None or seen.node is not None:
                self._journal.history(seen, output)
        elif not (output if base is None else base)._stop or seen.node is not None:
            self._entries.append(("rewrites",))
            for each, tensor in self._journal.family(known):
                self._journal.history(each, tensor)
        if modes.keeper is not None:
            self._journal.kept_again()

    def _remade(self, seen: SeenTensor, output: Tensor) -> None:
        """A tensor that is in the journal has other metadata now, and perhaps another storage."""
        journal = self._journal
        left = seen.storage
        self._entries.append(("rewrites",))
        journal.portray(seen, output)
        if seen.storage is left and seen.storage.version != output.storage.version:
            journal.storage(output.storage)
        for each, tensor in [*journal.family(left), *journal.family(seen.storage)]:
            if each is not seen:
                journal.portray(each, tensor)
        if modes.keeper is not None:
            journal.kept_again()

    def launched(self, launch: Any) -> None:
        if self._heard < self._limit:
            self._entries.append(("launched", launch))

    def flagged(self, tensor: Tensor) -> None:
        seen = self._journal.known(tensor)
        if seen is None:
            return
        if self._depth:  # its gradient was to be retained
            self._journal.gradient(seen, tensor)
        else:
            node = None if tensor.node is None else self._journal.node(tensor.node)
            gradient = None if tensor._grad is None else self._journal.tensor(tensor._grad).serial
            seen.stop, seen.node = tensor._stop, node
            self._entries.append(("flags", seen.serial, seen.stop, node, gradient))

    # ---- backward --------------------------------------------------------------------------------------------------------

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        self._depth += 1
        if self._depth > 1 or self._full():
            return
        where, journal = self._where(), self._journal
        first, self._gradient = roots[0]
        nodes = list(reachable(node for node, _ in roots))
        self._waiting = [weakref.ref(node) for node in nodes]
        numbers = [journal.node(node) for node in nodes]
        self._entries.append(("begin", numbers, first.serial, self._arrived(), where, *self._account()))

    def gradient_arrives(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._entries.append(("arrived", node.serial))

    def node_begins(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._gradient = gradient

    def unpacks(self, node: Node, saved: Saved) -> None:
        if self._depth != 1 or self._full():
            return
        serial = self._journal.outer.get(node.serial, node.serial)
        self._entries.append(
            ("unpack", serial, saved.name, saved.version, saved.storage.version, self._arrived(), *self._account())
        )

    def node_ends(self, node: Node) -> None:
        if self._depth != 1 or self._full():
            return
        filled = self._filled(node.leaf) if isinstance(node, AccumulateNode) else None
        self._entries.append(("run", node.serial, node.released, filled, self._arrived(), *self._account()))
        self._gradient = None

    def _filled(self, leaf: Tensor) -> tuple[int, int] | None:
        """A leaf whose `.grad` was set or added to: the numbers of the gradient and of its storage."""
        journal, gradient = self._journal, leaf._grad
        if gradient is None:
            return None
        seen = journal.tensor(gradient)
        journal.storage(gradient.storage)
        journal.gradient(journal.tensor(leaf), leaf)
        return seen.serial, seen.storage.serial

    def backward_fails(self) -> None:
        if self._depth:  # else the engine's refusal has said so
            self._entries.append(("fail",))
        self._depth, self._gradient = 0, None

    def backward_ends(self) -> None:
        self._depth -= 1
        if self._depth or self._full():
            return
        nodes = [node for reference in self._waiting if (node := reference()) is not None]
        self._entries.append(("release", [node.serial for node in nodes if node.released]))
        self._entries.append(("end", *self._account()))
        self._gradient = None

    def _arrived(self) -> tuple[Any, ...]:
        """The gradient that has arrived, if any: its values if it is small, and its shape."""
        gradient = self._gradient
        if gradient is None:
            return ()
        values = gradient.numpy().reshape(-1).tolist() if gradient.size <= SMALL else None
        return values, tuple(gradient.array.shape)

    # ---- errors ----------------------------------------------------------------------------------------------------------

    def refused(self, error: errors.Refusal) -> None:
        """The engine refuses: explain it, and tell the exception which lines are concerned."""
        where = None if self._depth else self._where()
        self._reported = weakref.ref(error)
        journal = self._journal
        node, saved, tensor = (error.facts.get(name) for name in ("node", "saved", "tensor"))
        found = ErrorFacts(
            type=type(error).__name__, message=str(error), explanation=_begun(error.why), mend=error.mend, notes=()
        )
        known = None if tensor is None else journal.known(tensor)
        self._entries.append((
            "refusal", found, None if node is None else journal.outer.get(node.serial, node.serial),
            None if saved is None else journal.storage(saved.storage), None if known is None else known.serial,
            where, *self._account(),
        ))  # fmt: skip
        self._depth, self._gradient = 0, None
        self._add_notes(error)

    def _add_notes(self, error: errors.Refusal) -> None:
        so_far = self.recording()
        if so_far.truncated:
            return
        notes = stale_story(Moment(so_far, len(so_far) - 1))
        self._reader.note(notes)
        for note in notes:
            error.add_note(str(note))

    def failed(self, error: BaseException) -> None:
        """The program ended with an exception."""
        if self._reported is not None and error is self._reported():
            return
        self._depth = 0
        found = ErrorFacts(type=type(error).__name__, message=str(error), explanation=None, notes=())
        self._entries.append(("failure", found, self._program.line_of(error), *self._account()))

    # ---- the recording -----------------------------------------------------------------------------------------------------

    def recording(self) -> Recording:
        """What was recorded so far."""
        reader = self._reader
        reader.read(self._entries)
        kept = len(reader.build.steps)
        lost = max(self._heard - self._limit, 0) if kept >= self._limit else 0
        return Recording(
            framework="inplacelab", framework_version=inplacelab.__version__, title=self._title,
            source=self._program.text, steps=tuple(reader.build.steps), truncated=reader.build.dropped + lost,
            simulated=reader.simulated, live_before=self._live_before,
        )  # fmt: skip


def reachable(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node that the roots lead to, themselves included."""
    seen: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(e for e in node.edges if e is not None)


def _begun(text: Text) -> Text:
    """A reason as a sentence of its own."""
    return Text(text.en[:1].upper() + text.en[1:], text.zh)
