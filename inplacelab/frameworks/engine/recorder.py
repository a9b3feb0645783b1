"""Records programs that use this package's engine: observes the engine and emits events.

The recorder keeps no object alive, copies immediately what in-place operations will overwrite, and does not change what the program
computes: gradients, errors and memory peaks are those of the unrecorded run.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Literal

from inplacelab import backends, errors, observe
from inplacelab.autograd.custom_nodes import CustomNode
from inplacelab.autograd.nodes import AccumulateNode, Node
from inplacelab.autograd.saved import Saved as SavedTensor
from inplacelab.dependence import Dependence
from inplacelab.frameworks.engine.objects import (
    ELSEWHERE,
    UNOBSERVED,
    WATCHED,
    EngineObjects,
    EngineTensor,
    address_of,
    dtype_name,
    gradient_of,
    part_of,
    reachable,
)
from inplacelab.kernels.launch import Launch
from inplacelab.language import Text
from inplacelab.memory import Episode
from inplacelab.modes import current
from inplacelab.place import Place
from inplacelab.recorders import events
from inplacelab.recorders.bindings import Watched
from inplacelab.recorders.guard import Guard, StepLimit
from inplacelab.recorders.log import Log
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.program import Program, Scope
from inplacelab.recorders.recorder import Memory
from inplacelab.recorders.snapshots import WHOLE
from inplacelab.recorders.static import class_name, function_name, message_of
from inplacelab.supported import frameworks
from inplacelab.tensor import Tensor
from inplacelab.version import __version__


@dataclass(slots=True)
class EnginePass:
    """A running backward pass.

    Attributes:
        gradient: what arrived at the current node, copied before the node may overwrite it.
        place: where the program began it.
        nodes: the nodes that it may reach.
        node: the number of the current node.
        hook: the name of the hook that is running.
        given: the number of the hook's gradient, and the version of its storage when the hook was called.
        counted: how many step events had been counted then.
    """

    gradient: events.Gradient | None = None
    place: Place | None = None
    nodes: Sequence[weakref.ref[Node]] = ()
    node: int | None = None
    hook: str = ""
    given: tuple[int, int] = (-1, -1)
    counted: int = 0


class EngineRecorder(observe.Observer):
    """Emits events between `begin` and `end` (see `Recorder`).

    Args:
        program: the program that is recorded.
        log: the log to emit to.
        limit: the most events that may become steps; later ones are only counted. None for no limit.
        outermost: the frame that runs the program, if it is running already.

    Attributes:
        guard: through which the program calls it.
        live_before: the bytes that were live when the recording began.
        refusals: the engine's refusals so far, in order, as weak references.
    """

    framework, version, elsewhere = "inplacelab", __version__, ELSEWHERE
    waits: Callable[[], None] | None = None
    watched: Watched = WATCHED
    """The classes whose objects have names."""

    def op_name(self, name: str, category: str) -> str:  # a subclass reads it
        """Returns what an operation of a category is called."""
        return name

    def node_name(self, node: Node) -> str:
        """Returns what a grad node is called."""
        return node.name

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self.program, self.emit, self.limit = program, log.emit, StepLimit(limit, log)
        self.guard = Guard(self)
        self._watch = self.guard.protect(self.refused)
        self.names = NamesAndLines(self, outermost)
        self.objects = EngineObjects(self)
        self._passes: list[EnginePass] = []  # each was begun by code that runs in the one before it
        self._in_place = frameworks()[self.framework].in_place
        self._computing = False  # a backward pass is running, and no code of the program runs in it
        self._episodes: dict[backends.Device, Episode] = {}  # of the memory ledgers
        self.live_before = 0
        self.refusals: list[Callable[[], errors.Refusal | None]] = []

    @staticmethod
    def memory_of(tensor: Tensor) -> Memory:
        """Returns where the storage of a tensor is (see `Recorder.memory_of`)."""
        storage = tensor.storage
        return Memory(id(storage), address_of(storage.buffer), storage.nbytes, "inplacelab")

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing tensors as they are now (see `Recorder.look`)."""
        objects = self.objects
        objects.only_looks = True
        try:
            for tensor in tensors.values():
                objects.tensor(self.watched.tensor_of(tensor))
            self.emit(events.Handed())
            self.names.look([Scope(tensors, "")], done=True)
        finally:
            self.forget()

    def known(self, tensor: Tensor) -> EngineTensor | None:
        return self.objects.tensors.find(tensor)

    def begin(self) -> None:
        """Begins to observe the engine and its refusals, and an episode of the memory ledgers."""
        for device in backends.ALL:
            self._episodes[device] = device.ledger.begin_episode(self.guard.others_run)
        self.live_before = backends.current().ledger.live
        errors.watchers.append(self._watch)
        self.guard.begin(self)

    def is_idle(self) -> bool:
        """Whether it can end now: at any time, since the engine only reports to it (see `Recorder.is_idle`)."""
        return True

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        self.guard.end()
        with suppress(ValueError):  # it may have been removed already
            errors.watchers.remove(self._watch)
        for device, episode in self._episodes.items():
            device.ledger.end_episode(episode)
            if episode.shared:
                self.guard.note(ELSEWHERE)

    def forget(self) -> None:
        self.objects.forget()
        self.names.forget()
        self._passes.clear()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        self.names.statement_begins(line, simple, frame)
        self.limit.statement_began(simple=simple and self.program.is_outermost(frame))

    def finish(self, scopes: Sequence[Scope]) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        if not self.limit.exceeded and self.objects.look_again():
            self.guard.note(UNOBSERVED, aside=True)
        self.names.finish(scopes)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if not (self.refusals and error is self.refusals[-1]()):
            self.emit(
                events.Raised(
                    class_name(type(error)), message_of(error), self.program.place_of(error), *self.live_and_peak()
                )
            )

    def live_and_peak(self) -> tuple[int, int]:
        """Returns the live bytes made in this recording on the current device, and their peak."""
        episode = self._episodes[current().device or backends.CPU]
        return episode.live, episode.peak

    # ---- operations ------------------------------------------------------------------------------------------------------

    def operation(
        self, name: str, category: Any, inputs: Sequence[Tensor], output: Tensor, node: Node | None, *, written: Any = None,
        exact: bool = True, read: Sequence[int] | None = None, copied: int | None = None,
        depends: Dependence | None = None,
    ) -> None:  # fmt: skip
        objects = self.objects
        if self._computing:  # backward also computes with operations, but its steps are the nodes
            self._written_in_backward(output)
            return
        if self.limit.reached():
            return
        frame = sys._getframe(2)  # frame 1 is that of the guard
        frames = self.names.frames(frame)
        place = self.program.place(frames, root=self.names.root, owners=self.names.owners)
        operands = self._operands(inputs, output, read)
        known = objects.tensors.facts.get(id(output))
        if known is None:
            known = objects.describe_new(output, filled=name != "empty")
        elif category == "in-place":
            self._wrote(known, output, written)
            if node is not None or len(known.storage.tensors) > 1:  # they may have another grad node now
                objects.replacing = True
                objects.histories(known.storage)
        else:
            self._remade(known, output)
        if current().keeper is not None:
            objects.kept_again()
        live, peak = self.live_and_peak()
        called = self.op_name(name, category)
        by_library = not frames or frame.f_back is not frames[0]  # or its module may have called the operation
        self.emit(events.OperationDone(
            called, category, operands, known.operand if written is None else part_of(known, written),
            None if node is None else objects.number_of(node), place, live, peak, "written" if exact else "around", copied, depends, None,
            self.names.module(frame) if by_library and category == "in-place" else "",
            self.names.ran_in(frame) if by_library and called in self._in_place.names else None,
        ))  # fmt: skip
        objects.replacing = False

    def constructed(self, module: Any) -> None:
        if class_name(type(module)) in self._in_place.modules:
            self.names.constructed(module, sys._getframe(2))  # frame 1 is that of the guard

    def _operands(
        self, inputs: Sequence[Tensor], output: Tensor, read: Sequence[int] | None
    ) -> tuple[events.Operand, ...]:
        """Returns what an operation read. Emits writes that were not reported."""
        objects, operands = self.objects, []
        tensors, storages, written = objects.tensors.facts, objects.storages.facts, output.storage
        for tensor in inputs:
            known = tensors.get(id(tensor)) or objects.describe_new(tensor)
            operands.append(known.operand)
            if tensor is not output:
                storage = tensor.storage
                seen = storages.get(id(storage))
                if seen is not None and seen.version != storage.version:
                    objects.wrote(seen, storage)
                    if storage is not written:  # else this operation has written it
                        self.guard.note(UNOBSERVED, aside=True)
        if read is not None:
            operands[0] = replace(operands[0], part=tuple(read))
        return tuple(operands)

    def _wrote(self, known: EngineTensor, output: Tensor, written: Any) -> None:
        """Emits a write of a tensor if its version was raised."""
        objects, storage, seen = self.objects, output.storage, known.storage
        if seen.version == storage.version:
            return
        if storage.version > seen.version + 1:
            self.guard.note(UNOBSERVED, aside=True)
        if known.operand.dtype != dtype_name(storage.buffer.dtype):  # it counts other elements than the storage
            objects.wrote(seen, storage)
        elif written is None:
            objects.wrote(seen, storage, output.array, known.operand.layout)
        elif isinstance(written, Tensor):
            objects.wrote(seen, storage, written.array, written.layout)
        else:
            objects.wrote(seen, storage, slots=written)

    def _remade(self, known: EngineTensor, output: Tensor) -> None:
        """Emits the new metadata of a tensor, and its new storage if it has one."""
        objects, left = self.objects, known.storage
        objects.replacing = True
        objects.describe_again(known, output)
        objects.storage(output.storage)
        for storage in (left, known.storage) if left is not known.storage else (left,):
            for each in list(storage.tensors.values()):
                tensor = each.alive()
                if tensor is not None and each is not known:
                    objects.describe_again(each, tensor)

    def _written_in_backward(self, output: Tensor) -> None:
        """Emits a write by an operation in backward to a tensor of the program, such as an existing gradient."""
        known = self.objects.tensors.find(output)
        if known is not None and not self.limit.exceeded:
            self.objects.storage(output.storage)

    def launched(self, launch: Launch, storages: Sequence[Any]) -> None:
        if not self.limit.exceeded:
            known = [None if each is None else self.objects.storages.find(each) for each in storages]
            self.emit(events.Launched(launch, tuple(None if each is None else each.number for each in known)))

    def communicated(self, name: str, number: int, rank: int, ranks: int, *, alone: bool) -> None:
        if self.limit.reached() if alone else self.limit.exceeded:
            return
        place = self.names.place(sys._getframe(1)) if alone else None
        self.emit(events.Communicated(name, number, rank, ranks, alone, place, *self.live_and_peak()))

    def flagged(self, tensor: Tensor) -> None:
        objects, known = self.objects, self.objects.tensors.find(tensor)
        if known is None:
            return
        if self._computing:  # `retain_grads` was called
            objects.gradient(known, tensor)
            return
        known.node, known.stop = objects.history_of(tensor)
        grad = None if tensor._grad is None else objects.tensor(tensor._grad).number
        self.emit(events.FlagsSet(known.number, not known.stop, known.node, grad))

    def tensors_returned(self, tensors: Sequence[Tensor]) -> None:
        if not self._computing and not self.limit.exceeded:
            for tensor in tensors:
                self.objects.tensor(tensor)
            self.emit(events.Handed())

    def unreported_code_ran(self) -> None:
        if not self._computing and not self.limit.exceeded:
            self.objects.look_again()

    # ---- backward --------------------------------------------------------------------------------------------------------

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        first, gradient = roots[0]
        arriving = gradient_of(gradient, WHOLE)
        under = EnginePass(arriving.if_small())
        self._passes.append(under)
        self._computing = True
        if self.limit.reached():
            return
        under.place = self.names.place(sys._getframe(1))
        nodes = list(reachable(node for node, _ in roots))
        under.nodes = [weakref.ref(node) for node in nodes]
        numbers = tuple(number for node in nodes if (number := self.objects.node(node)) is not None)
        self.emit(events.BackwardBegan(
            numbers, self._number(first), arriving,
            tuple((self._number(node), gradient_of(given, WHOLE)) for node, given in roots[1:]),
            under.place, *self.live_and_peak()
        ))  # fmt: skip

    def _number(self, node: Node) -> int:
        number = self.objects.number_of(node)
        assert number is not None
        return number

    def gradient_arrives(self, node: Node, gradient: Tensor) -> None:
        if self._computing:
            self.emit(events.Arrived(self._number(node)))

    def node_begins(self, node: Node, gradient: Tensor) -> None:
        if not self._passes:  # the recording began in a hook of this pass
            return
        under = self._passes[-1]
        under.gradient = None if self.limit.exceeded else gradient_of(gradient)
        under.node = self._number(node)

    def unpacks(self, node: Node, saved: SavedTensor) -> None:
        if not self._passes or self.limit.reached():
            return
        # the `backward` of a `PyLayer` reads its saved tensors itself
        frames = self.names.frames(sys._getframe(1)) if isinstance(node, CustomNode) else []
        place = (
            self.program.place(frames, root=self.names.root) if frames and frames[0] is not self.names.root else None
        )
        self.emit(events.Unpacked(
            self._number(node), saved.name, saved.version, saved.storage.version,
            self._passes[-1].gradient, place, *self.live_and_peak(),
        ))  # fmt: skip

    def node_ends(self, node: Node) -> None:
        if not self._passes:
            return
        under = self._passes[-1]
        gradient, under.gradient, under.node = under.gradient, None, None
        if self.limit.reached():
            return
        filled = self._filled(node.leaf) if isinstance(node, AccumulateNode) else None
        self.emit(events.NodeRan(
            self._number(node), node.released, filled, gradient, *self.live_and_peak(),
        ))  # fmt: skip

    def _filled(self, leaf: Tensor) -> events.Operand | None:
        """Returns the number of the tensor that holds the gradient of a leaf."""
        objects, gradient = self.objects, leaf._grad
        if gradient is None:
            return None
        known = objects.tensor(gradient)
        objects.storage(gradient.storage)
        if not gradient._stop:  # it has a history, and so have its views, which are written with it
            objects.histories(known.storage)
        objects.gradient(objects.tensor(leaf), leaf)
        return known.operand

    def backward_fails(self) -> None:
        self._computing = False
        if self._passes:
            self.emit(events.BackwardFailed(self._passes.pop().node))

    def backward_ends(self) -> None:
        self._computing = False
        if not self._passes:
            return
        under = self._passes.pop()
        if self.limit.reached():
            return
        nodes = [node for reference in under.nodes if (node := reference()) is not None]
        self.emit(events.Released(tuple(self._number(node) for node in nodes if node.released)))
        self.emit(events.BackwardEnded(*self.live_and_peak()))

    # ---- the program's code in a backward pass ---------------------------------------------------------------------------

    def hook_begins(self, node: Node, hook: Any, gradient: Tensor) -> None:
        self._computing = False
        if not self._passes or self.limit.reached():
            return
        under = self._passes[-1]
        under.node = self._number(node)
        self.names.look_round(sys._getframe(1))
        known = self.objects.tensor(gradient)
        under.hook, under.given, under.counted = (
            function_name(hook),
            (known.number, known.storage.version),
            self.limit.counted,
        )
        place = self.program.place_of_function(hook)
        self.emit(
            events.HookBegan(under.node, under.hook, place, known.number, gradient_of(gradient), *self.live_and_peak())
        )

    def hook_ends(self, node: Node, gradient: Tensor) -> None:
        self._computing = True
        if not self._passes or self.limit.exceeded:
            return
        under = self._passes[-1]
        known = self.objects.tensor(gradient)
        self.objects.storage(gradient.storage)
        if ((known.number, known.storage.version), self.limit.counted) == (under.given, under.counted):
            return  # nothing happened since the hook began, whose step is enough
        self.limit.reached()
        self.emit(events.HookEnded(
            self._number(node), under.hook, under.given[0], known.number, gradient_of(gradient), *self.live_and_peak()
        ))  # fmt: skip

    def custom_begins(self, node: Node, function: Any, gradients: Sequence[Tensor | None]) -> None:
        self._computing = False
        if not self._passes or self.limit.reached():
            return
        self.names.look_round(sys._getframe(1))
        given = [gradient for gradient in gradients if gradient is not None]
        numbers = tuple(self.objects.tensor(gradient).number for gradient in given)
        name = function_name(function)
        if isinstance(node, CustomNode):
            name = f"{class_name(node.layer)}.{name}"
        place = self.program.place_of_function(function)
        alone = gradient_of(given[0]) if len(given) == 1 else None
        self.emit(events.CustomBegan(self._number(node), name, place, numbers, alone, *self.live_and_peak()))

    def custom_ends(self, node: Node) -> None:
        self._computing = True

    # ---- refusals --------------------------------------------------------------------------------------------------------

    def refused(self, error: errors.Refusal) -> None:
        """Called when the engine refuses something (see `errors.watchers`)."""
        place = self._place_of_refusal(sys._getframe(1))
        self.refusals.append(weakref.ref(error))
        objects = self.objects
        node, saved, tensor = (error.facts.get(name) for name in ("node", "saved", "tensor"))
        operands = () if place is None else self.program.arguments(Tensor, sys._getframe(1))
        known = None if tensor is None else objects.tensors.find(tensor)
        self.emit(events.Refused(
            type(error).__name__, str(error), _sentence(error.why), error.fix, objects.number_of(node),
            None if saved is None else objects.storage(saved.storage).number, None if known is None else known.number,
            place, *self.live_and_peak(), self._numbers(operands), _KINDS.get(error.entry, "refused"),
        ))  # fmt: skip

    def _numbers(self, tensors: Iterable[Tensor]) -> tuple[int, ...]:
        found = (self.objects.tensors.find(tensor) for tensor in tensors)
        return tuple(known.number for known in found if known is not None)

    def _place_of_refusal(self, frame: FrameType) -> Place | None:
        """Returns the program's place at a refusal; None in the engine's part of a pass, or if the result of a hook is refused,
        since that belongs to the last line.
        """
        if self._computing:
            return None
        place = self.names.place(frame)
        return None if self._passes and place == self._passes[-1].place else place


_KINDS: Mapping[str, Literal["stale", "again", "leaf"]] = {
    "stale_saved_tensor": "stale",
    "freed_graph": "again",
    "leaf_write": "leaf",
}
"""The kinds of failures that refusals of these names are."""


def _sentence(reason: Text) -> Text:
    """Turns a reason into a sentence."""
    return Text(reason.en[:1].upper() + reason.en[1:], reason.zh)
