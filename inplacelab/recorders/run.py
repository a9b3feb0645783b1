"""Runs programs under a recorder: the way in for `record()`, `%%stepper` and the command line."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from inplacelab.errors import Refusal
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import DEFAULT, checked, framework_used, recorder_of
from inplacelab.recorders.log import EventLog
from inplacelab.recorders.program import Program, Scope, scopes_of, with_block
from inplacelab.recorders.recorder import Recorder

if TYPE_CHECKING:
    from inplacelab.recording.recording import Recording

LIMIT = 2000
"""Steps kept by default; a recording that was cut says so."""


class Session:
    """One run of a program under a recorder.

    Args:
        program: the program.
        title: a name for the picture.
        limit: the most steps to keep.
        fix: whether to say how a program that is refused is fixed. Where finding that is an exercise, it is not said.
        outermost: the frame that runs the program, if it runs already.
        framework: which framework the program uses (see `detection`).

    Attributes:
        recorder: what watches the program.
    """

    def __init__(
        self, program: Program, *, title: str = "", limit: int = LIMIT, fix: bool = True,
        outermost: FrameType | None = None, framework: str = DEFAULT,
    ) -> None:  # fmt: skip
        self._program, self._title, self._limit, self._fix = program, title, limit, fix
        self._log = EventLog()
        self.recorder: Recorder = recorder_of(framework)(program, self._log, limit=limit, outermost=outermost)
        self._built: tuple[int, Recording] | None = None  # from so many events

    def run(self, parts: Iterable[CodeType], names: dict[str, Any]) -> BaseException | None:
        """Run the compiled parts of an instrumented program (`instrument.instrumented`) one after another, in `names`.

        Returns:
            What the program raised, which is then the recording's last step; None if it came to its end. `SystemExit` is an
            end and no step.
        """
        raised: BaseException | None = None
        gc.collect()  # what earlier programs have left would otherwise be counted or not, as the collector happens to run
        with self.recorder.listening(), instrument.listening(self.recorder.statement_begins):
            try:
                for code in parts:
                    exec(code, names)
            except BaseException as error:  # noqa: BLE001  # the caller shows it once the recording is there
                raised = error
            self.finish(raised, Scope(names, ""))
        self.annotate()
        return raised

    def finish(self, raised: BaseException | None, scope: Scope) -> None:
        """The program is over: with this exception, if any, and these names."""
        if raised is not None and not isinstance(raised, SystemExit):
            self.recorder.failed(raised)
        self.recorder.finish(scope)

    def annotate(self) -> None:
        """Have the refusals that are still alive say what the recording knows of them: which lines led to them, and a fix."""
        from inplacelab.recorders import advice

        if any(refusal() is not None for refusal in self.recorder.refusals):
            advice.annotate(self.recording(), self.recorder.refusals)

    def recording(self) -> Recording:
        """What was recorded so far. It is built when it is asked for: while the program runs, events are all there is."""
        from inplacelab.recorders import advice, builder
        from inplacelab.recording.recording import Recording

        recorder = self.recorder
        if self._built is not None and self._built[0] == len(self._log):
            return self._built[1]
        about = Recording(
            recorder.framework, recorder.version, self._title, self._program.text, (), live_before=recorder.live_before
        )
        built = builder.build(self._log, about, limit=self._limit, missed=recorder.missed)
        self._built = len(self._log), advice.advised(built, tell=self._fix)
        return self._built[1]


class record:
    """Record what a `with` block does.

    Names show as they were bound when the next operation began; a line that only binds a name (`y = x`) is no step here.
    (`%%stepper` runs the program itself and sees every line.) The recording can be had also when the block raises.

    Args:
        title: a name for the picture.
        limit: the most steps to keep; a recording that was cut says so.
        framework: what the block uses, "inplacelab" or "numpy"; found out if it is not given. For NumPy the block is traced, since NumPy
            tells nobody what it does.

    Attributes:
        recording: what was recorded, once the block is over.

    >>> import inplacelab as paddle
    >>> with paddle.record(title="half") as rec:
    ...     x = paddle.ones([2])
    ...     y = x.scale_(0.5)
    >>> [step.op for step in rec.recording.steps]
    ['ones', 'scale_']
    """

    def __init__(self, title: str = "", limit: int = LIMIT, framework: str | None = None) -> None:
        self._title, self._limit, self._framework = title, limit, framework and checked(framework)
        self.recording: Recording | None = None

    def __enter__(self) -> Self:
        frame = sys._getframe(1)
        filename = frame.f_code.co_filename
        block = with_block(filename, frame.f_lineno)
        tree = ast.parse(block.text)
        program = Program.of(tree, block.text, filename, block.first_line)
        if not block.text:  # the file cannot be read: any of its names may be of interest
            program = replace(program, names=frozenset(frame.f_code.co_names))
        framework = self._framework or framework_used(tree, {**frame.f_globals, **scopes_of([frame])[0].names})
        self._session = Session(program, title=self._title, limit=self._limit, outermost=frame, framework=framework)
        self._listening = self._session.recorder.listening()
        self._listening.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._session.finish(error, *scopes_of([sys._getframe(1)]))
        self._listening.__exit__(None, None, None)
        self.recording = self._session.recording()
        self._session.annotate()


# --- tracebacks --------------------------------------------------------------------------------------------------------

_ENGINE = (str(Path(__file__).parents[1]), "<inplacelab ")
"""How the names of the engine's files begin: those in the package, and those of operations that were written out."""


def learners_traceback(error: BaseException, filename: str) -> TracebackType | None:
    """The traceback from the program's own first frame on. Of a refusal, without the engine's frames."""
    walk = error.__traceback__
    while walk is not None and walk.tb_frame.f_code.co_filename != filename:
        walk = walk.tb_next
    return without_engine(walk) if isinstance(error, Refusal) else walk


def without_engine(trace: TracebackType | None) -> TracebackType | None:
    """A refusal's traceback without the engine's frames: what the engine was doing inside is not where the mistake is."""
    frames: list[TracebackType] = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    for each in reversed(frames):
        if not each.tb_frame.f_code.co_filename.startswith(_ENGINE):
            trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return trace
