"""Runs a script as `python script.py` would, or a module as `python -m` would, and records it."""

from __future__ import annotations

import ast
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from inplacelab.cli import output
from inplacelab.cli.arguments import CannotError, Named
from inplacelab.language import Text
from inplacelab.recorders.detection import Use, framework_of_script
from inplacelab.recorders.main_module import Main, NoModuleError, main_module
from inplacelab.recorders.program import Program, learners_traceback

if TYPE_CHECKING:
    from inplacelab.recorders.judging.judgment import Judgment
    from inplacelab.recorders.part import Part
    from inplacelab.recording.recording import Recording

# ---- signals: they stop the script, but not what comes after it, so that the page of what it did is always written ------------

INTERRUPTED = 128 + 2
"""The status of a process that Ctrl-C has stopped, as a shell reports it."""
PIPE_CLOSED = 128 + 13
"""The status of a process whose output nobody reads any more."""
TERMINATED = 128 + 15
"""The status of a process that was asked to end."""


class Stopping:
    """Handles the signals that stop a process while a script is recorded.

    A signal raises an exception only where the script's own code is running, or has called what is running. Afterwards, while the
    recording is built and written, it is remembered.

    Attributes:
        status: the exit status for a signal that was remembered; 0 if there was none.
    """

    def __init__(self, code: CodeType) -> None:
        self.status = 0
        self._code, self._process, self._begun = code, os.getpid(), False

    def parts(self) -> Iterator[CodeType]:
        """Yields the script's code when it is about to run. Until then a signal stops everything."""
        self._begun = True
        yield self._code

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handles the signals in a `with` block, except those that the process was told to ignore or handles itself."""
        usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
        mine = [number for number, handler in usual.items() if signal.getsignal(number) == handler]
        with suppress(ValueError):  # not in the main thread: signals go elsewhere
            for number in mine:
                signal.signal(number, self._handle)
        try:
            yield
        finally:
            with suppress(ValueError):
                for number in mine:
                    signal.signal(number, usual[number])

    def hold(self) -> None:
        """Remembers all signals from now on, also where the script has set a handler of its own."""
        with suppress(ValueError):
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, self._remember)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        in_a_child = os.getpid() != self._process
        if in_a_child and number == signal.SIGTERM:  # it ends as it would without us
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        elif not self._begun or self._runs_script(frame):
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(TERMINATED)
        else:
            self._remember(number, frame)

    def _remember(self, number: int, _: FrameType | None) -> None:
        self.status = 128 + number

    def _runs_script(self, frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code is self._code:
                return True
            frame = frame.f_back
        return False


@contextmanager
def held() -> Iterator[None]:
    """Holds back the signals that stop a process until the end of a `with` block, in which a report is written: a launcher stops all
    ranks as soon as one has failed.
    """
    came: list[int] = []
    before: dict[int, Any] = {}
    with suppress(ValueError):  # not in the main thread: signals go elsewhere
        for each in (signal.SIGINT, signal.SIGTERM):
            before[each] = signal.signal(each, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for number in came:
            signal.raise_signal(number)


@contextmanager
def interruptible() -> Iterator[None]:
    """Lets signals end what a `with` block does, by a KeyboardInterrupt, where they are held back or remembered: it takes long, and what
    comes after it is written nevertheless.
    """

    def stop(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before: dict[int, Any] = {}
    with suppress(ValueError):  # not in the main thread: signals go elsewhere
        for each in filter(None, (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None))):
            if signal.getsignal(each) not in (signal.SIG_IGN, None):
                before[each] = signal.signal(each, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- running ---------------------------------------------------------------------------------------------------------------

_CANNOT_READ = Text("cannot read {0}: {1}", "无法读取 {0}：{1}")
_FOLDER = Text(
    "{0} is a folder: name a script in it, or a package with -m",
    "{0} 是文件夹：请指定其中的脚本，或用 -m 指定包",
)
_LEFT = Text(
    "The script left by `os._exit({0})`, which ends the process at once: nothing could be explained, and no recording was written. "
    "Let it leave by `sys.exit({0})` instead.",
    "脚本以 `os._exit({0})` 退出，进程立即结束：无法作出解释，也没有写出记录。请让它改用 `sys.exit({0})` 退出。",
)
_NO_PROGRAM = Text("{0} is not a Python program:\n{1}", "{0} 不是合法的 Python 程序：\n{1}")


@dataclass(frozen=True)
class Ran:
    """How a script ran.

    Attributes:
        missed: why the recording has never begun, and what to do; None if it has.
        ended_at: the number of the last statement that was recorded, counted as `--from-step` does.
        asides: those of the recording's notes that say nothing about whether a backward pass went wrong.
        judgment: what the comparison of its gradients has shown; None if there was none.
        recording: what it did; None if that was not recorded, or in a child process that it forked, which ends like any child.
        raised: the exception that it raised, with a traceback that begins in the script.
        stopping: handles signals until the recording is written; None if nothing is recorded.
    """

    recording: Recording | None
    raised: BaseException | None
    stopping: Stopping | None = None
    missed: Text | None = None
    ended_at: int | None = None
    asides: frozenset[Text] = frozenset()
    judgment: Judgment | None = None

    @property
    def stopped(self) -> int:
        """The exit status for a signal that came after the script; 0 if there was none."""
        return 0 if self.stopping is None else self.stopping.status


def run_script(
    path: Path, arguments: Sequence[str], *, title: str | None, limit: int, framework: str | None = None
) -> tuple[Recording, BaseException | None]:
    """Runs a script as the main program of this process; see `running`.

    Returns:
        The recording, and the exception that the script raised, if any.
    """
    from inplacelab.recorders.part import Part  # noqa: PLC0415

    use = Use(framework) if framework else None
    with running(Main(path), arguments, title=title, part=Part(limit), use=use) as ran:
        assert ran.recording is not None
        return ran.recording, ran.raised


@contextmanager
def running(  # noqa: PLR0913  # what can be asked of a run
    main: Main,
    arguments: Sequence[str],
    *,
    title: str | None,
    part: Part,
    use: Use | None = None,
    last: int | None = None,
    left: Left = lambda _, __: None,
    judged: float = 0,
) -> Iterator[Ran]:
    """Runs a program as the main one of this process. In the `with` block, nothing but the system can stop the process.

    Args:
        main: the script or the module.
        arguments: its `sys.argv`, without its name.
        title: the recording's title; the program's name if None.
        part: which part of it is recorded.
        use: the framework that it uses; detected from its imports if None.
        last: keep the last so many events instead of the first steps (see `Session`).
        left: is told if the script leaves by `os._exit`.
        judged: how many seconds comparing its gradients with those of this package's engine may take; 0 if they are not compared.

    Raises:
        CannotError: if there is no such file, or it is not a Python program.
    """
    from inplacelab.recorders import instrument  # noqa: PLC0415  # only if something is recorded
    from inplacelab.recorders.run import Session  # noqa: PLC0415

    filename = str(main.path)
    text, tree = parsed_script(main.path)
    # `from __future__ import annotations` of this file must not apply to the script.
    code = compile(instrument.instrumented(tree), filename, "exec", dont_inherit=True)
    program = Program.of(tree, text.rstrip("\n"), filename)
    session = Session(
        program,
        title=main.title if title is None else title,
        part=part,
        use=use or framework_of_script(main, tree),
        last=last,
    )
    if judged:
        session.compares_gradients(seconds=judged)
    stopping, process = Stopping(code), os.getpid()
    with stopping.handled():
        with main_module(main, arguments) as module, reporting_os_exit(left):
            raised = session.run(stopping.parts(), vars(module))
            stopping.hold()
            recording = session.recording() if os.getpid() == process else None
        if raised is not None:
            BaseException.with_traceback(raised, learners_traceback(raised, filename))
        asides = frozenset(session.recorder.guard.asides)
        ended_at = session.ended_at if recording else None
        yield Ran(recording, raised, stopping, session.missed, ended_at, asides, session.judgment)


@contextmanager
def running_plainly(main: Main, arguments: Sequence[str], tree: ast.Module, *, left: Left) -> Iterator[Ran]:
    """Runs a program as the main one of this process, without recording it. In the `with` block, signals are held back.

    Args:
        main: the script or the module.
        arguments: its `sys.argv`, without its name.
        tree: its program.
        left: is told if the script leaves by `os._exit`.
    """
    code = compile(tree, str(main.path), "exec", dont_inherit=True)
    raised: BaseException | None = None
    with main_module(main, arguments) as module, reporting_os_exit(left):
        try:
            exec(code, vars(module))
        except BaseException as error:  # noqa: BLE001  # shown as Python shows it
            raised = error
            BaseException.with_traceback(error, learners_traceback(error, str(main.path)))
    with held():
        yield Ran(None, raised)


Left = Callable[[int, Text], None]
"""Is told with which status a script leaves by `os._exit`, and what is said of that."""


@contextmanager
def reporting_os_exit(left: Left) -> Iterator[None]:
    """Says, if a script leaves by `os._exit` inside a `with` block, that this ends everything. A child process that it has forked says nothing."""
    leave, process, inside = os._exit, os.getpid(), True

    def _exit(status: int) -> NoReturn:
        try:
            if inside and os.getpid() == process and isinstance(status, int):
                said = _LEFT.format(status)
                output.say(said, sys.stderr)
                left(status, said)
        finally:
            leave(status)

    os._exit = _exit
    try:
        yield
    finally:
        inside, os._exit = False, leave


def main_of(named: Named, arguments: Sequence[str]) -> Main:
    """Finds a program that a command names. For a module, the packages around it are imported.

    Raises:
        CannotError: if there is no such module, or it cannot be run.
    """
    if not named.is_module:
        return Main(Path(named.word))
    try:
        return Main.of_module(named.word, arguments)
    except NoModuleError as error:
        raise CannotError(error.why, status=1) from None


def parsed_script(path: Path) -> tuple[str, ast.Module]:
    """Reads a script.

    Returns:
        Its text and its tree.

    Raises:
        CannotError: if there is no such file, or it is not a Python program.
    """
    try:
        raw = path.read_bytes()
    except IsADirectoryError:
        raise CannotError(_FOLDER.format(path)) from None
    except OSError as error:
        raise CannotError(_CANNOT_READ.format(path, error.strerror)) from None
    try:
        text = decode_source(raw)
        tree = ast.parse(text, str(path))
        # The compiler finds errors that the parser does not, such as a `return` outside a function.
        compile(tree, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        shown = "".join(traceback.format_exception_only(error)).rstrip()
        raise CannotError(_NO_PROGRAM.format(path, shown), status=1) from None
    return text, tree
