"""Records programs of frameworks that tell what is so now, but not what happens: looks at the tensors of each call, before and after it.

The call that is made is the ordinary one, so operations, results, errors and memory are those of the unrecorded run. What a call has done
is read from its tensors: it has written those whose version was raised, and a result on a known storage is a view. No operation of
backward is seen: it is inferred from the graph, before and after (`backward_passes.py`).

A framework answers seven questions. Six of them are functions of its module `readings.py` (`Readings`) or of its objects, which have no
effect on the program: which of its properties must not be read for that, each framework's `objects.py` says.

    version     `Readings.version_of`       storage     `KnownObjects.storages`: where it is, and its size
    node        `Readings.node_of`          saved       `KnownObjects.nodes`: what a node has saved, or is inferred to have
    edges       `Readings.edges_of`         gradient    `Readings.gradient_held`
    intercept   `CallRecorder.intercept`: how its functions come to call the recorder
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from inplacelab.language import Text
from inplacelab.place import Place, same_line
from inplacelab.recorders import events
from inplacelab.recorders.bindings import Watched
from inplacelab.recorders.framework_rules import depends_of
from inplacelab.recorders.guard import ELSEWHERE, Guard, StepLimit
from inplacelab.recorders.log import Log
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.positions import ALL, Touched
from inplacelab.recorders.program import Program, Scope
from inplacelab.recorders.static import class_name, message_of
from inplacelab.supported import frameworks

if TYPE_CHECKING:
    from inplacelab.recorders.framework_rules.call import Found
    from inplacelab.recording.facts import Category, SlotsAre

OUTSIDE = Text(
    "`{0}` gives direct access to a tensor's memory. Writes made that way raise no version and were not seen.",
    "`{0}` 直接给出张量的内存。由此进行的写入不增加版本号，也看不到。",
)
SILENT = Text(
    "`{0}` writes tensors without raising their versions: {1} does so, and backward would use the new values unnoticed.",
    "`{0}` 写入张量而不增加版本号：{1} 就是这样，所以反向传播会毫无察觉地使用被改过的值。",
)


class Readings(Protocol):
    """How the objects of a framework are read, without effects and without being recorded."""

    version_of: Callable[[Any], int]
    """Returns the version of a tensor."""
    node_of: Callable[[Any], Any]
    """Returns the grad node of a tensor; None if it has none."""
    edges_of: Callable[[Any], Sequence[Any]]
    """Returns the nodes that receive the gradients of a node; None for an input that needs none."""
    gradient_held: Callable[[Any], Any]
    """Returns the `.grad` of a tensor."""


@dataclass(slots=True)
class Call:
    """A call that is recorded, from when it begins until it has ended. A framework's own class may add to it.

    Attributes:
        kind: which function: `name`, and what it does to its tensors.
        function: the function itself; None if it may not be called beside the program.
        tensors: its tensors, in the order in which they are listed as inputs.
        known, operands, versions: what is known of them, their metadata, and their versions before.
        unknown: those that cannot be recorded, or not yet, since they have no memory.
        frame: the frame that called it, until it has ended.
        place: where the program is.
        touched: what it will write and read, where that is not all of its tensors.
        depends: how its result will depend on its tensors, or each of several results; None if that is not known.
        reported: how many of its results have been reported.
        contents: what tells whether a tensor was written, for a function that may raise no version; None for one that cannot be.
        begun: whether it is recorded.
        values, state: the values of its tensors before, and what it will draw from, where the call is replayed (see `judging`).
        backward: that of one of the program's own functions, if the call is of one.
    """

    kind: Any
    function: Any = None
    tensors: Sequence[Any] = ()
    known: Sequence[Any] = ()
    operands: tuple[events.Operand, ...] = ()
    versions: Sequence[int] = ()
    unknown: Sequence[Any] = ()
    frame: FrameType | None = None
    place: Place | None = None
    touched: Touched = ALL
    depends: Found = None
    reported: int = 0
    contents: Sequence[Any] = ()
    begun: bool = False
    values: Sequence[Any] = ()
    state: Any = None
    backward: Any = None


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that raised.

    Attributes:
        error: the address of the exception. Another one may get this address later, so the place is compared, too.
        place: where the program was.
        operands: the numbers of the tensors that it was given.
    """

    error: int = 0
    place: Place | None = None
    operands: tuple[int, ...] = ()


Pair = tuple[Any, Any]
"""What is known of a tensor, and the tensor."""


C = TypeVar("C", bound=Call)


class CallRecorder(Generic[C]):
    """Emits events between `begin` and `end` (see `recorder.Recorder`).

    Attributes:
        program: the program that is recorded.
        emit: receives the events.
        limit: counts the steps.
        names: where the program is, and what its names refer to.
        objects, passes: what is known of its objects, and its backward passes.
    """

    framework: str
    version: str
    title: str
    watched: Watched
    read: Any
    """A module: see `Readings`."""
    unobserved: Text
    """Says that tensors were also written by code that was not recorded."""
    relayouts: frozenset[str]
    """Functions that raise the version of a tensor without writing its elements."""
    counts_apart: frozenset[str] = frozenset()
    """Functions that move tensors to one storage, where each goes on to count its own writes."""
    unseen: type[AbstractContextManager[Any]] = nullcontext
    """A block in which the framework does not call what intercepts its functions."""
    refusals: Sequence[Any] = ()
    elsewhere = ELSEWHERE
    waits: Callable[[], None] | None = None

    infers = False
    """Whether things are inferred that the framework does not show: what nodes have saved, and what else has changed in a tensor."""
    tracks: Callable[[], bool] | None = None
    """Returns whether operations keep history now, if that is reported."""
    tensors_in: Callable[[Sequence[Any], Mapping[str, Any]], Sequence[Any]]
    """Returns the tensors among the arguments of a call, in the order in which they are listed as inputs."""

    objects: Any
    passes: Any
    live_and_peak: Callable[[], tuple[int, int]]
    """Returns the bytes of the living storages that the program has made, and their peak."""

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self.program, self.emit, self.limit = program, log.emit, StepLimit(limit, log)
        self.with_values, self.live_before = log.with_values, 0
        self.guard = Guard(self)
        self.judge: Any = None  # replays the program, if it is asked for (see `judging`)
        self.names = NamesAndLines(self, outermost)
        self._begun = False
        # How many calls run: they may run code of the program, such as a hook that packs what a node saves.
        self._inside = 0
        self._in_place = frameworks()[self.framework].in_place
        self._failed = FailedCall()  # the last call that has raised
        protect = self.guard.protect
        self._before, self._after = protect(self._call_begins), protect(self._call_ended)
        self._interrupted = protect(self._call_failed)
        self._pass_before, self._pass_after = protect(self._pass_begins), protect(self._pass_ended)
        self._pass_error = protect(self._pass_failed)

    def intercept(self) -> None:
        """Has the functions of the framework call the recorder."""
        raise NotImplementedError

    def release(self) -> None:
        """Ends that, whether or not it has begun."""
        raise NotImplementedError

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing tensors as they are now (see `Recorder.look`)."""
        self.objects.storages.only_ends = True
        try:
            with self.unseen():
                self.names.look([Scope(tensors, "")], done=True)
                self.objects.settle()
        finally:
            self.forget()

    def begin(self) -> None:
        """Begins to intercept the framework's functions."""
        self.guard.begin()
        self.intercept()

    def is_idle(self) -> bool:
        """Whether no call and no pass runs (see `Recorder.is_idle`)."""
        return not self._inside and not self.passes.running

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        self.guard.end()
        self.release()

    def forget(self) -> None:
        """Drops all references to objects of the program."""
        self.objects.forget()
        self.names.forget()
        self.passes.forget()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        if self.program.has(frame):
            with self.unseen():
                self.objects.settle()
                self._look_at_named()
                self.names.statement_begins(line, simple, frame)
                self.limit.statement_began(simple=simple and self.program.is_outermost(frame))
                self._note_what_was_there()

    def _look_at_named(self) -> None:
        """Emits what has happened to tensors with names that was not reported. So it belongs to the statement that has ended."""
        raise NotImplementedError

    def _note_what_was_there(self, frame: FrameType | None = None) -> None:
        """Takes what the first scan of names has found as made before the program. If its statements are not reported, its first
        operation has the names scanned, in this frame.
        """
        if not self._begun:
            if frame is not None:
                self.names.place(frame)
            self._begun = True
            self.objects.storages.began()
            self.live_before = self.objects.storages.live_before

    def finish(self, scopes: Sequence[Scope]) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        with self.unseen():
            if not self.limit.exceeded and self.objects.look_again():
                self.guard.note(self.unobserved, aside=True)
            self._look_at_named()
            self.objects.settle()
            self.names.finish(scopes)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if self.passes.has_refused(error):
            return
        with self.unseen():
            self.names.look(self.program.scopes(self.program.frames_in(error)), done=True)
            place, failed = self.program.place_of(error), self._failed
            operands = failed.operands if id(error) == failed.error and same_line(place, failed.place) else ()
            self.emit(events.Raised(class_name(type(error)), message_of(error), place, *self.live_and_peak(), operands))

    def known(self, tensor: Any) -> Any:
        """Describes a tensor that the program has a name for. Returns what is known of it."""
        known = self.objects.tensors.find(tensor)
        if known is None and not self.limit.exceeded:
            known = self.objects.tensor(tensor)
            self.emit(events.Handed())
        return known

    # ---- calls -----------------------------------------------------------------------------------------------------------

    def _run(
        self, call: C, frame: FrameType, run: Callable[[], Any], args: Sequence[Any], kwargs: Mapping[str, Any], *, inside: int
    ) -> Any:  # fmt: skip
        """Runs a call for the program, and emits what it has done.

        Args:
            call: the call.
            frame: the frame that called the function, or one that it has called.
            run: runs it.
            args: its positional arguments.
            kwargs: its other arguments.
            inside: 1 if what it calls is not recorded; otherwise 0.
        """
        self._before(call, args, kwargs, frame)
        self._inside += inside
        try:
            result = run()
        except BaseException:
            self._inside -= inside
            self._interrupted(call)
            raise
        self._inside -= inside
        self._after(call, args, kwargs, result)
        return result

    def _call_begins(self, call: C, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> None:
        if self.limit.exceeded or (self.passes.running and not self.passes.in_own_code(frame)):
            return
        with self.unseen():
            if not self._begun:
                self._note_what_was_there(frame)
            if self.objects.storages.moved_to:
                self.objects.storages.agree_on_types()
            self.live_and_peak()  # what was freed before the call does not count to the peak that it reaches
            call.frame = frame
            if not self.names.told or self.judge is not None:
                self.place_of(call)
            if self.passes.running:
                self.passes.advance(frame)
            if call.kind.leads_outside:
                self._note_outside(call, frame)
            self._describe_operands(call, self.tensors_in(args, kwargs))
            self._foresee(call, args, kwargs)
            self.judged("call_begins", call)
            call.begun = True

    def place_of(self, call: C) -> Place | None:
        """Returns where the program calls: looked for only if it is asked, since many calls do nothing that is reported."""
        if call.place is None and call.frame is not None:
            call.place = self.names.place(call.frame)
        return call.place

    def judged(self, what: str, *given: Any) -> None:
        """Tells the judge, if there is one. What it calls in the framework is not recorded."""
        if self.judge is not None:
            self._inside += 1
            try:
                self.judge.told(what, *given)
            finally:
                self._inside -= 1

    def _note_outside(self, call: C, frame: FrameType) -> None:  # noqa: ARG002  # a framework's own may need it
        """Notes that the result of a call leads to memory or to code that is not recorded."""
        self.guard.note(OUTSIDE.format(call.kind.name))

    def _describe_operands(self, call: C, tensors: Iterable[Any]) -> None:
        """Describes the tensors that a call is given, and what was written to them without an operation that was seen."""
        objects, version_of = self.objects, self.read.version_of
        facts, infers = objects.tensors.facts, self.infers
        found, taken, versions = list[Any](), list[Any](), list[int]()
        for tensor in tensors:
            known = facts.get(id(tensor)) or objects.tensor(tensor)
            if known is None:
                call.unknown = (*call.unknown, tensor)
                continue
            version = version_of(tensor)
            if known.counter.version != version and objects.wrote_unseen(known, tensor):
                self.guard.note(self.unobserved, aside=True)
            if infers:
                self._look_closer(known, tensor)
            found.append(known)
            taken.append(tensor)
            versions.append(version)
        call.known, call.tensors, call.versions = found, tuple(taken), versions
        call.operands = tuple([known.operand for known in found])

    def _look_closer(self, known: Any, tensor: Any) -> None:
        """Emits what else has changed in a tensor without an operation that was seen."""

    def _foresee(self, call: C, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Notes what a call will write and read, and what tells afterwards whether it has."""
        raise NotImplementedError

    def _call_failed(self, call: C) -> None:
        """Called when an operation has raised: it may have written something before that."""
        if call.begun:
            with self.unseen():
                for known, tensor in zip(call.known, call.tensors, strict=True):
                    if self.objects.wrote_unseen(known, tensor):
                        self.guard.note(self.unobserved, aside=True)
                self._refused_late(call)
                place = self.place_of(call)
            self._failed = FailedCall(id(sys.exception()), place, tuple(known.number for known in call.known))
        call.tensors, call.unknown, call.touched, call.frame = (), (), ALL, None

    def _refused_late(self, call: C) -> None:
        """Emits what an operation that has raised has done before that, beside writes that have raised a version."""

    def _call_ended(self, call: C, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        if call.begun:
            with self.unseen():
                self._report(call, args, kwargs, result)
                if self.judge is not None:
                    self.judged("call_ended", call, args, kwargs, list(self.passes.tensors_of(result)))
        call.tensors, call.unknown, call.touched, call.frame = (), (), ALL, None  # no references to tensors

    def _report(self, call: C, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        """Emits what a call has done."""
        raise NotImplementedError

    def _written(self, call: C, results: Sequence[Any]) -> list[Pair]:
        """Returns the tensors that a call has written, one for each version counter: the one that it returns, or else the first."""
        version_of, found = self.read.version_of, dict[int, Pair]()
        if [version_of(tensor) for tensor in call.tensors] == call.versions:  # one comparison: most calls write nothing
            return []
        for known, tensor, before in zip(call.known, call.tensors, call.versions, strict=True):
            if version_of(tensor) != before:
                first = found.get(known.counter.number)
                if first is None or (among(tensor, results) and not among(first[1], results)):
                    found[known.counter.number] = known, tensor
        return list(found.values())

    def _report_write(self, call: C, known: Any, tensor: Any, version: int | None = None) -> None:
        """Emits what a call has written through a tensor. `version` is what its counter showed then, if others were written after it."""
        if self.limit.reached():
            return
        touched, left = call.touched, known.storage
        is_target = tensor is touched.target
        self.objects.replacing = True
        self._look_at_written(call, known, tensor)
        category: Category = "relayout" if call.kind.name in self.relayouts else "in-place"
        if known.storage is not left:
            category = "reallocated"
        slots = touched.written if is_target else None
        at = known.operand.layout if slots is None else slots
        if version is None:
            self.objects.storages.wrote(known, tensor, at)
        else:
            self.objects.storages.wrote(known, tensor, at, version=version)
        if self.infers:
            self._report_saved(call, [known], in_place=True)
        around = not touched.exact and (touched.target is None or is_target)
        output = known.operand if slots is None else replace(known.operand, part=slots)
        self._done(call, output, category, known.node, "around" if around else "written")
        self.objects.replacing = False

    def _look_at_written(self, call: C, known: Any, tensor: Any) -> None:
        """Emits the history and the layout of a tensor that was written."""
        raise NotImplementedError

    def _report_saved(self, call: C, results: Sequence[Any], *, in_place: bool) -> None:
        """Emits what the nodes of an operation are inferred to have saved, where the framework does not show it."""

    def _report_changes(self, call: C, written: Sequence[Pair]) -> None:
        """Emits what else a call has changed in its tensors: layout, storage, flags."""
        reported, apart = [id(known) for known, _ in written], call.kind.name in self.counts_apart
        for known, tensor in zip(call.known, call.tensors, strict=True):
            if id(known) in reported:
                continue
            left = known.storage
            if self.objects.look_at(known, tensor, apart=apart):
                self.objects.look_at_aliases(known)
                node = self._node_after(known, tensor)
                if not self.limit.reached():
                    self._done(call, known.operand, "relayout" if left is known.storage else "reallocated", node)
            else:
                self._look_at_flags(call, known, tensor)

    def _look_at_flags(self, call: C, known: Any, tensor: Any) -> None:
        """Emits what flags of a tensor a call has set."""
        raise NotImplementedError

    def _report_silent_writes(self, call: C, written: Sequence[Pair]) -> None:
        """Emits what a call has written without raising a version, as fused optimizers do."""
        reported = set()
        for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
            place = known.storage.number, known.operand.layout
            counted = place in reported or any(known.counter is each.counter for each, _ in written)
            differs = before not in (None, self.objects.storages.contents(known))
            if differs and not counted and not self.limit.reached():
                reported.add(place)
                self.guard.note(SILENT.format(call.kind.name, self.title), aside=True)
                node = self._node_after(known, tensor)
                self.objects.storages.wrote(known, tensor, known.operand.layout)
                self._done(call, known.operand, "in-place", node)

    def _node_after(self, known: Any, tensor: Any) -> int | None:  # noqa: ARG002  # a framework's own may need them
        """Emits a change of the history of a tensor whose version was not raised. Returns the node of the operation."""
        return None

    def _done(
        self, call: C, output: events.Operand, category: Category, node: int | None, slots_are: SlotsAre = "written"
    ) -> None:
        inputs, copied, frame = call.operands, None, call.frame or sys._getframe(1)
        if call.touched is not ALL:
            inputs = call.touched.inputs(call.tensors, call.operands)
            copied = call.touched.place_copied(call.tensors)
        depends = depends_of(call.depends, category, output, call.operands, call.reported)
        self.emit(events.OperationDone(
            call.kind.name, category, inputs, output, node, self.place_of(call), *self.live_and_peak(), slots_are, copied, depends,
            self.tracks() if self.tracks else None, self.names.module(frame) if category == "in-place" else "",
            self.names.ran_in(frame) if call.kind.name in self._in_place.names else None,
        ))  # fmt: skip

    def constructs(self, module: Any, frame: FrameType | None) -> None:
        """Notes where the program has constructed a module that may write in place."""
        if class_name(type(module)) in self._in_place.modules and not self._inside and self.guard.is_here():
            self.names.constructed(module, frame)

    # ---- backward --------------------------------------------------------------------------------------------------------

    def run_pass(
        self, run: Callable[[], Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Runs a backward pass for the program.

        Args:
            run: runs it.
            name: the function through which it enters the framework's engine.
            args: the arguments of that.
            kwargs: its other arguments.
            frame: the frame that has called it.
        """
        depth = len(self.passes.running)
        if not depth or self.passes.in_own_code(frame):  # and not in the framework's code that runs in a pass
            self._pass_before(name, args, kwargs, frame)
        else:
            self.judged("pass_inside")
        try:
            result = run()
        except BaseException as error:
            if len(self.passes.running) > depth:
                self._pass_error(error)
            raise
        if len(self.passes.running) > depth:
            self._pass_after(result)
        return result

    def _pass_begins(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> None:
        with self.unseen():
            self._note_what_was_there(frame)
            asks = self.passes.arguments(name, args, kwargs)
            self.passes.begins(frame, asks)
            self.judged("pass_begins", asks, self.names.place(frame))

    def _pass_ended(self, result: Any) -> None:
        with self.unseen():
            self.passes.ended(result)
            self.judged("pass_ended", result)

    def _pass_failed(self, error: BaseException) -> None:
        with self.unseen():
            self.passes.failed(error)
            self.judged("pass_failed")


ENTERED = CallRecorder.run_pass.__code__
"""Code of the program that a frame with this code calls is called by a backward pass."""


def among(wanted: Any, others: Iterable[Any]) -> bool:
    """Whether an object is one of others. They are not compared: that would be an operation."""
    return any(wanted is each for each in others)
