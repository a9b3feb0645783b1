"""Runs programs under a recorder, for `record()`, `%%stepper` and the command line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from math import inf
from threading import Lock, get_ident
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Self

from inplacelab.gc_pause import gc_paused
from inplacelab.language import Text
from inplacelab.recorders import events, instrument
from inplacelab.recorders.detection import (
    DEFAULT,
    Use,
    checked,
    framework_used,
    is_installed,
    not_installed,
    recorder_of,
    untested,
    unusable,
)
from inplacelab.recorders.guard import described
from inplacelab.recorders.log import EventLog, EventRing
from inplacelab.recorders.own_code import OWNS
from inplacelab.recorders.part import LIMIT, Part, Start, left_out
from inplacelab.recorders.program import Program, Scope, as_unrecorded, scopes_of, with_block
from inplacelab.recorders.recorder import Recorder
from inplacelab.recorders.sources import PARSING, parsed
from inplacelab.recorders.static import class_name, message_of, names_in
from inplacelab.recorders.tracing import NextLine, Tracing, reaches_other_code
from inplacelab.supported import Framework, frameworks, loaded

if TYPE_CHECKING:
    from inplacelab.recorders.judging.judgment import Corrects, Judgment
    from inplacelab.recorders.trial_data import InitialValues
    from inplacelab.recording.facts import FailureFacts, SiteFacts, SourceFacts
    from inplacelab.recording.recording import Recording

_UNBUILT = Text(
    "The recording could not be built: {0} inside the recorder.",
    "无法由记录到的内容生成记录：记录器内部出现 {0}。",
)
_DEFAULT = Use(DEFAULT)
_FIRST_STEPS = Part()
_CUT = Text(
    "Only the end of the program is shown: {0:,} earlier events were not kept.",
    "这是程序的末尾：更早的 {0:,} 个事件没有保留。",
)
_STOPPED = Text(
    "The program was stopped here, after step {0:,}, as it was asked to.", "程序按要求在此处停止：第 {0:,} 步之后。"
)
_CAUGHT = Text(
    "After step {0:,} the program was told to stop by `SystemExit`, which it caught: it went on, and was not recorded any more.",
    "在第 {0:,} 步之后，程序收到要求它停止的 `SystemExit`，却将其捕获：它继续运行，但不再记录。",
)
_FAILED_LATER = Text(
    "After the recording had ended, the program failed with {0}: record more, or begin later, to see why.",
    "记录结束之后，程序因 {0} 而失败：要了解原因，请多记录一些，或从更晚的地方开始。",
)
_RUNNING = Text(
    "this `record` is recording already: make another one with `paddle.record()`.",
    "这个 `record` 正在记录：请用 `paddle.record()` 另建一个。",
)
_NOT_RUNNING = Text(
    "this `record` is not recording: its block has not begun, or has ended.",
    "这个 `record` 没有在记录：它的代码块还没有开始，或已经结束。",
)


NOTHING = Text("", "")
_SUSPENDS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


class ProgramStopped(SystemExit):  # no error
    """Ends a program that has been recorded for as long as was asked. `except Exception` does not catch it, and `finally` blocks run."""


class Session:
    """One run of a program under a recorder.

    Once the limit is exceeded, the recording ends before the next statement: nothing is intercepted any more, and the program runs at its
    own speed.

    Args:
        program: the program.
        title: a name for the picture.
        part: which part of it is recorded: by default, the first steps.
        fix: False to leave out how to fix a refused program, where finding the fix is an exercise.
        outermost: the frame that runs the program, if it is running already.
        use: which framework the program uses (see `detection`).
        last: keep the last so many events, without values, instead of the first steps: for programs that run for hours.

    Attributes:
        recorder: the recorder of the program's framework.
        begun: whether the recording has begun.
    """

    def __init__(
        self, program: Program, *, title: str = "", fix: bool = True,
        outermost: FrameType | None = None, use: Use = _DEFAULT, last: int | None = None,
        part: Part = _FIRST_STEPS,
    ) -> None:  # fmt: skip
        self.program, self._title, self._fix = program, title, fix
        self._limit, self._last, self._outermost = part.limit if last is None else None, last, outermost
        self._start, self._stop_after, self.begun, self._ended_early = part.start, part.stop_after, False, False
        self._listening: instrument.listening | None = None
        self._loops: list[events.LoopBegan | events.IterationBegan] = []  # since the last statement
        self._root: FrameType | None = None  # the outermost frame of the program, at the last of them
        self._soon: NextLine | None = None
        known = frameworks()[checked(use.framework)]
        try:
            self._records(known)
        except Exception as error:  # noqa: BLE001  # whatever it is, the program runs
            self._goes_without(known, error)
        for each in use.remarks:
            self.recorder.guard.note(each)
        self._tracing: Tracing | None = None  # of code that was imported or defined before
        self._given: InitialValues | None = None
        self._built: tuple[int, Recording] | None = (
            None  # the number of events so far, and the recording built from them
        )

    def _records(self, framework: Framework) -> None:
        self._log: EventLog | EventRing = EventLog() if self._last is None else EventRing(self._last)
        kind = recorder_of(framework.name)
        self.recorder: Recorder = kind(self.program, self._log, limit=self._limit, outermost=self._outermost)
        self._watch: Any = loaded(framework.watch)() if framework.watch else None
        for each in untested(framework):
            self.recorder.guard.note(each)

    def _goes_without(self, framework: Framework, error: Exception) -> None:
        """Has the program run although nothing of its framework can be recorded, which the recording says."""
        if framework.is_ours:
            raise error
        self._records(frameworks()[DEFAULT])
        self.recorder.guard.note(unusable(framework, error))

    def begin(self, names: dict[str, Any]) -> None:
        """Begins to record.

        Args:
            names: the program's names.
        """
        self.begun = True
        known = frameworks()[self.recorder.framework]
        if known.replays and self._start is None:  # a trial runs the whole program, with the names that it has now
            from inplacelab.recorders.trial_data import InitialValues

            with suppress(Exception):  # without it, fixes are not tried
                self._given = InitialValues(names, self.program.names)
        if self._watch is not None:
            OWNS[self.program.filename] = True  # also a cell, or a text that is in no file
            with suppress(Exception):  # without it, the recording alone tells what led to an error
                self._watch.begin()
        try:
            self.recorder.begin()
        except Exception as error:  # noqa: BLE001  # whatever it is, the program runs
            with suppress(Exception):
                self.recorder.end()
            self._goes_without(known, error)
            self.recorder.begin()
        if self._outermost is not None:  # of a program whose statements do not report that they begin
            self.recorder.limit.when_exceeded = self._ends_soon

    def follow(self, frame: FrameType) -> None:
        """Has the statements of a frame that runs already reported as they begin, and those of the functions that it calls. Those of the frame are steps
        even if they run no operation.
        """
        listener = self._statement_listener()

        def statement_begins(line: int, _: bool, frame: FrameType, /) -> None:
            listener(line, True, frame)

        self._tracing = Tracing(statement_begins, self.program, frame, self.recorder.guard)
        self._tracing.begin()

    def run(self, parts: Iterable[CodeType], names: dict[str, Any]) -> BaseException | None:
        """Runs the compiled parts of an instrumented program one after another, and records them.

        Args:
            parts: code objects of statements from `instrument.instrumented`.
            names: the globals to run them in.

        Returns:
            The exception that the program raised, which is the recording's last step; None if it ran to its end. `SystemExit`
            is returned, but is not a step.
        """
        raised: BaseException | None = None
        gc.collect()  # objects of earlier programs would otherwise be counted or not, depending on when the collector runs
        listening = None
        try:
            if self._start is None:
                self.begin(names)
                listener = self._statement_listener()
                self._trace_others(listener, names)
            else:
                listener = self._start_listener(self._start, names)
            listening = self._listening = instrument.listening(listener, self._loop_listener())
            with listening, instrument.OwnModules():
                for code in parts:
                    exec(code, names)
        except BaseException as error:  # noqa: BLE001  # the caller shows it once the recording is there
            raised = error
            if type(error) is ModuleNotFoundError and not is_installed(str(error.name)):
                error.add_note(str(not_installed(str(error.name))))
        try:
            if listening is not None:
                listening.__exit__()  # again, if an interrupt has arrived there
            self.finish(raised, lambda: Scope(names_in(names), ""))
        except BaseException as error:  # noqa: BLE001  # an interrupt
            raised = error
        self.annotate()
        return raised

    def _trace_others(self, listener: instrument.StatementListener, names: dict[str, Any]) -> None:
        if reaches_other_code(self.program, names):
            self._tracing = Tracing(listener, self.program, None, self.recorder.guard)
            self._tracing.begin()

    def _start_listener(self, start: Start, names: dict[str, Any]) -> instrument.StatementListener:
        """Returns what waits for the statement with which the recording begins."""
        thread, waits = get_ident(), self.recorder.waits

        def statement_begins(line: int, simple: bool, frame: FrameType, /) -> None:
            if waits is not None:
                waits()
            if get_ident() == thread and start.is_here(frame, line) and not self.begun and self._listening is not None:
                self.begin(names)
                if (earlier := left_out(start)) is not None:
                    self.recorder.guard.note(earlier)
                listener = self._statement_listener()
                self._listening.turn_to(listener)
                self._trace_others(listener, names)
                listener(line, simple, frame)

        return statement_begins

    def _statement_listener(self) -> instrument.StatementListener:
        protect, limit, process = self.recorder.guard.protect, self.recorder.limit, os.getpid()
        begins, clean = protect(self._statement_begins), protect(as_unrecorded, anywhere=True)
        enough = inf if self._stop_after is None else self._stop_after

        def statement_begins(line: int, simple: bool, frame: FrameType, /) -> None:
            if (handled := sys.exception()) is not None:  # the program's own `except` may look at it
                clean(handled)
            begins(line, simple, frame)
            is_done = limit.counted >= enough
            if (is_done or limit.exceeded) and self._ends_here() and is_done and os.getpid() == process:
                raise ProgramStopped  # and not in a child that the program has forked

        return statement_begins

    def _statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Tells the recorder, which first emits what the last statement has done, and then what loops have begun since."""
        self.recorder.statement_begins(line, simple, frame)
        for each in self._loops:
            self._log.emit(each)
            self.recorder.limit.leave_out()
        self._loops.clear()

    def _loop_listener(self) -> instrument.LoopListener:
        begins = self.recorder.guard.protect(self._loop_begins)

        def loop_begins(line: int, end_line: int | None, frame: FrameType, /) -> None:
            if self.begun:
                begins(line, end_line, frame)

        return loop_begins

    def _loop_begins(self, line: int, end_line: int | None, frame: FrameType, /) -> None:
        """Notes that a loop or an iteration begins. In generators and coroutines they do not count: those are left and entered again."""
        frames = self.program.frames(frame, self._root)
        if frames and frames[0] is frame and not frame.f_code.co_flags & _SUSPENDS:
            self._root = frames[-1]
            place = self.program.place(frames, line=line)
            assert place is not None
            self._loops.append(
                events.IterationBegan(place)
                if end_line is None
                else events.LoopBegan(place, end_line + place.line - line)
            )

    def _ends_here(self) -> bool:
        """Ends the recording in the middle of the program, if that is possible now. Returns whether it has ended."""
        recorder = self.recorder
        if recorder.guard.is_here() and recorder.is_idle():
            self._ended_early = True
            if self._listening is not None:
                self._listening.__exit__()
            self.end()
        return self._ended_early

    def _ends_soon(self) -> None:
        """Ends the recording before the next line of the program."""
        self._soon = NextLine(self._ends_here, self.program)
        self._soon.begin(sys._getframe(1))

    def finish(self, raised: BaseException | None, scope: Callable[[], Scope]) -> None:
        """Ends the recording, also if an interrupt arrives.

        Args:
            raised: the exception that ended the program, if any.
            scope: returns the program's names.
        """
        recorder = self.recorder
        try:
            protect = recorder.guard.protect
            self._note_end(raised)
            if raised is not None and not issubclass(type(raised), SystemExit | GeneratorExit):
                protect(recorder.failed, anywhere=True)(raised)
            if (
                raised is not None
            ):  # not before: the frames of the recorder hold the operands, which the failed step shows
                protect(as_unrecorded, anywhere=True)(raised)
            protect(lambda: recorder.finish(self._scopes_at_end(raised) or [scope()]), anywhere=True)()
        finally:
            try:
                self.end()
            except BaseException:
                self.end()
                raise

    def _scopes_at_end(self, raised: BaseException | None) -> Sequence[Scope]:
        """Returns the names of the frames that an error has left, which still have them; none if the program has ended otherwise."""
        if raised is None or issubclass(type(raised), SystemExit | GeneratorExit):
            return ()
        return scopes_of(self.program.frames_in(raised))

    def _note_end(self, raised: BaseException | None) -> None:
        """Has the recording say what came after its end."""
        stopped, kind, guard = self._stop_after, type(raised), self.recorder.guard
        if not self._ended_early:
            return
        if stopped is not None and self.recorder.limit.counted >= stopped:
            guard.note((_STOPPED if issubclass(kind, ProgramStopped) else _CAUGHT).format(stopped))
        if raised is not None and not issubclass(kind, SystemExit | GeneratorExit):
            message = message_of(raised).partition("\n")[0]
            guard.note(_FAILED_LATER.format(class_name(kind) + (f": {message}" if message else "")))

    @property
    def missed(self) -> Text | None:
        """Says why the recording has never begun; None if it has."""
        return None if self.begun or self._start is None else self._start.missed()

    @property
    def ended_at(self) -> int:
        """The number of the statement that made the last step, counted from the first one of the program."""
        earlier, steps = 0 if self._start is None else self._start.statements - 1, self.recording().steps
        return earlier + (steps[-1].turn if steps else 0)

    def compares_gradients(self, corrects: Corrects | None = None, seconds: float = inf) -> Self:
        """Has the gradients compared with those of this package's engine, if they can be (see `judging.judge.Judge`)."""
        known, recorder = frameworks()[self.recorder.framework], self.recorder
        if known.on_engine:
            from inplacelab.recorders.call_recorder import CallRecorder
            from inplacelab.recorders.judging.judge import Judge

            if isinstance(recorder, CallRecorder):
                recorder.judge = Judge(recorder, import_module(known.on_engine), corrects, seconds)
        return self

    @property
    def judgment(self) -> Judgment | None:
        """What the comparison of gradients has shown; None if there was none."""
        judge = getattr(self.recorder, "judge", None)  # a recorder of values or of this package's own programs has none
        return None if judge is None else judge.judgment

    def end(self) -> None:
        """Ends to watch and to record, whether or not both have begun."""
        self._root = None
        for each in (self._soon, self._tracing):
            if each is not None:
                each.end()
        self.recorder.end()
        if self._watch is not None:
            with suppress(Exception):
                self._watch.end()

    def annotate(self) -> None:
        """Adds to the refusals that are still alive the lines that led to them, and a fix."""
        from inplacelab.recorders import advice

        if any(refusal() is not None for refusal in self.recorder.refusals):
            with PARSING, suppress(Exception):  # the program gets its own error, with notes or without
                advice.annotate(self.recording(), self.recorder.refusals, fix=self._fix)

    @property
    def began(self) -> list[tuple[int, int, int]]:
        """The line of each statement that began, in order, and how many frames of the program ran it."""
        began = (each for each in self._log if isinstance(each, events.StatementBegan))
        return [(each.place.source, each.place.line, each.depth) for each in began]

    def recording(self) -> Recording:
        """Returns the recording so far. It is built now, from events; while the program runs, only events are stored."""
        if self._built is None or self._built[0] != self._log.emitted:
            self._built = self._log.emitted, self._build()
        return self._built[1]

    @gc_paused()
    def _build(self) -> Recording:
        """Builds the recording. If that fails, the program, whose error may be on its way, goes on with a recording that says so."""
        from inplacelab.recorders import advice, builder
        from inplacelab.recorders.replay import Replay
        from inplacelab.recording.recording import Recording
        from inplacelab.recording.trace import explained

        recorder = self.recorder
        built = Recording(
            recorder.framework, recorder.version, self._title, self._sources(), (), live_before=recorder.live_before
        )
        try:
            built = builder.build(self._log, built, limit=self._limit)
            with PARSING:
                built = explained(built, self._watched(built))
            cut = (_CUT.format(self._log.cut),) if isinstance(self._log, EventRing) and self._log.cut else ()
            built = replace(built, notes=(*recorder.guard.notes(len(built)), *cut))
            with PARSING:
                replay = None
                if self._given is not None:
                    record = partial(_recorded, Use(recorder.framework))
                    replay = Replay(self.program.text, self._given, record, recorder.watched)
                return advice.advised(built, replay, fix=self._fix)
        except Exception as error:  # noqa: BLE001
            return replace(built, notes=(*recorder.guard.notes(len(built)), _UNBUILT.format(described(error))))

    def _sources(self) -> tuple[SourceFacts, ...]:
        from inplacelab.recording.facts import SourceFacts
        from inplacelab.recording.stacks import shown_file

        main, *others = self.program.sources.seen
        named = (SourceFacts(shown_file(each.filename), each.text, remark=each.remark or NOTHING) for each in others)
        return (SourceFacts("", main.text, main.first_line), *named)

    def _watched(self, built: Recording) -> list[tuple[str, str, FailureFacts]]:
        """Returns what the watch has found out, in terms of the recorded text."""
        from inplacelab.recording.stacks import shown_file
        from inplacelab.recording.trace import moved

        lines, program = built.source.split("\n"), self.program

        def of_text(site: SiteFacts) -> SiteFacts:
            main = program.sources.main
            line = main.line(site.line)
            if site.file != program.filename or not 0 < line <= len(lines):
                return replace(site, file=shown_file(site.file))
            text, end = lines[line - 1], main.line(site.end_line)
            known = bool(site.text) and site.column >= 0
            margin = len(site.text.encode(errors="replace")) - len(text.encode(errors="replace")) if known else 0
            return replace(
                site,
                file="",
                line=line,
                end_line=end,
                text=text,
                column=site.column - margin,
                end_column=site.end_column - margin,
            )

        failures = [] if self._watch is None else self._watch.failures
        return [(*each.error, moved(each.facts, of_text)) for each in failures if each.error]


def _recorded(use: Use, program: Program, code: CodeType, names: dict[str, Any]) -> Session:
    """Records a run of an instrumented program that tries a fix (see `replay`)."""
    session = Session(program, fix=False, use=use)
    session.run([code], names)
    return session


class record:
    """Records what a `with` block does.

    Names are read when the next operation begins, so a line that only binds a name (`y = x`) is not a step. (`%%stepper` runs the
    program itself and records every line.) The recording is available even if the block raises.

    Args:
        title: a name for the picture.
        limit: how many steps to keep at most. Then the recording ends, and the rest of the block runs at its own speed.
        framework: what the block uses, one of `supported.frameworks()`; detected by default. For NumPy the block is traced, because
            NumPy reports nothing.

    Attributes:
        recording: the recording, once the block has ended; None before.

    The recording covers the thread or coroutine that runs the block, and the coroutines that it creates. If others did something, the
    recording notes that it leaves this out. The block may stand in any file of the program, in a function, a method or a loop, and also in
    a program that is recorded as a whole: each records for itself. Blocks may overlap in any way, but a `record` object serves only one
    block at a time. If its block runs again, as in a loop, `recording` is that of the last time: keep the earlier ones yourself.

    Raises:
        ValueError: if there is no recorder for `framework`, or it is not installed.

    >>> import inplacelab as paddle
    >>> with paddle.record(title="half") as rec:
    ...     x = paddle.ones([2])
    ...     y = x.scale_(0.5)
    >>> [step.op for step in rec.recording.steps]
    ['ones', 'scale_']
    """

    _follows = False
    """Whether statements are recorded that run no operation: `print(x)` reads a tensor."""

    def __init__(self, title: str = "", limit: int = LIMIT, framework: str | None = None) -> None:
        self._running = Lock()  # held in the block
        self._title, self._limit, self._framework = title, limit, framework and checked(framework)
        self.recording: Recording | None = None

    def __enter__(self) -> Self:
        if not self._running.acquire(blocking=False):
            raise RuntimeError(str(_RUNNING))
        try:
            self._begin(sys._getframe(1))
        except BaseException:
            self._running.release()
            raise
        return self

    def _begin(self, frame: FrameType) -> None:
        filename = frame.f_code.co_filename
        block = with_block(filename, frame.f_lineno)
        tree = parsed(block.text)
        program = Program.of(tree, block.text, filename, block.first_line)
        if not block.text:  # the file cannot be read, so every name of the code is scanned
            program = replace(program, names=frozenset(frame.f_code.co_names))
        names = {**names_in(frame.f_globals), **scopes_of([frame])[0].names}
        use = Use(self._framework) if self._framework else framework_used(tree, names)
        self._session = Session(program, title=self._title, part=Part(self._limit), outermost=frame, use=use)
        try:
            self._session.begin(names)
            if self._follows and frameworks()[self._session.recorder.framework].in_place.names:
                self._session.follow(frame)
        except BaseException:
            self._session.end()
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._end(error, sys._getframe(1))

    def _end(self, error: BaseException | None, frame: FrameType) -> None:
        if not self._running.locked():
            raise RuntimeError(str(_NOT_RUNNING))
        try:
            self._session.finish(error, lambda: scopes_of([frame])[0])
        finally:
            self._running.release()
            self.recording = self._session.recording()
        self._session.annotate()

    def __del__(self) -> None:
        if self._running.locked():  # the block was entered, and will never be left
            self._session.end()
