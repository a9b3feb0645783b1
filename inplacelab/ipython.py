"""Implements `%load_ext inplacelab` and its magics for notebooks: `%%stepper`, `%explain`, `%advise`, and `%%predict` and `%predictions` of lessons.

    %%stepper [--name NAME] [--against NAME] [--title TITLE] [--predict] [--from-start] [--no-fix] [--framework FRAMEWORK] [--optional]
              [--from-step N] [--from EXPRESSION] [--limit N] [--stop-after N]

runs the cell as it would run without the magic, records it, and shows the stepper below it. With `--predict` the stepper asks what a
step will do before showing it. With `--against NAME` the cell is shown beside a recording that another cell made with `--name`. It
opens at the most telling step, with `--from-start` or `--predict` at the beginning, and then the value of the cell's last line is not
shown, which would tell the end first; with `--from-start`, no later step is named before the reader has reached it. As a line of its
own, `%stepper --from-start` does so for all cells that follow, as lessons that ask a question above each program want it. A cell that
raises is recorded up to the error, and the error is then shown as Python shows it; with `--from-start` only if the question asked before it
(`%%predict`) has a prediction, which the error might answer. With `--optional` a cell whose framework is not installed runs on this package's
engine under the same names, and says so. `--from-step`, `--from`, `--limit` and `--stop-after` choose which part of the cell is recorded, as with
`inplacelab record`.

    %%ranks N [--name NAME] [--title TITLE] [--from-start]

runs the cell on N ranks, each a process of its own that MPI starts, records it on each, and shows the ranks side by side. NAME is then the list of
their recordings. An error of a rank is printed below; with `--from-start` only the last step of the picture tells it. Without MPI, a lesson's
cell shows what was recorded beforehand.

    %%raises

runs a cell that is meant to raise, shows its error, and lets the cells behind it run.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import importlib
import linecache
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from inplacelab.diagnosis.unknown_keyword import add_note_on_keyword
from inplacelab.errors import Refusal, is_missing_name
from inplacelab.installing import spelled
from inplacelab.language import Text
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import (
    Use,
    framework_used,
    import_engine,
    is_installed,
    not_installed,
    not_installed_of,
)
from inplacelab.recorders.part import PART_OPTIONS, Part, PartError
from inplacelab.recorders.program import Program, learners_traceback, without_engine
from inplacelab.recorders.run import ProgramStopped, Session, record
from inplacelab.recording.recording import Recording
from inplacelab.supported import frameworks

_last: Recording | None = None

_NOTHING = Text("The cell ran no statement to show.", "该单元格没有可以展示的语句。")
_NONE_YET = Text(
    "No cell has been recorded yet: run one that begins with %%stepper.",
    "还没有记录过任何单元格：请运行一个以 %%stepper 开头的单元格。",
)
_NO_WIDGETS = Text(
    "{0!r} (to see it, install the notebook's parts: pip install 'inplacelab[lab]'; missing: {1})",
    "{0!r}（要看到它，请安装笔记本所需的部分：pip install 'inplacelab[lab]'；缺少：{1}）",
)
_NO_AWAIT = Text(
    "%%stepper runs its cell from the first line to the last without a pause: put `await` into a cell of its own.",
    "%%stepper 从第一行到最后一行一口气运行单元格：请把 `await` 放进另一个单元格。",
)
_ON_ENGINE = Text("This cell ran on {0}: {1}", "这个单元格改用 {0} 运行：{1}")
_NO_QUESTION = Text(
    "%%predict needs a name for the question: a Python name, not {0!r}.",
    "%%predict 后面必须是问题的名字（Python 名字），而不是 {0!r}。",
)
_EXPLAIN_USAGE = Text(
    """\
Usage: %explain [-y] [--try] [--aliases]

Runs the last cell again, watched, and says why its backward pass failed: which line kept the value that it needed, and which lines overwrote it.

  -y      does not ask before it runs cells again
  --try   runs all cells so far again, in other processes and an empty folder, with edits of the cells, and shows one that works
  --aliases   also lists each value that was read under one name after it was written under another (PyTorch)""",
    """\
用法：%explain [-y] [--try] [--aliases]

再运行一次上一个单元格并监视，说明反向传播为什么失败：哪一行保存了它需要的值，哪些行覆盖了它。

  -y      再次运行单元格之前不询问
  --try   在其他进程和空文件夹中再运行目前所有的单元格，尝试修改单元格，给出一种可行的改法
  --aliases   另外列出以一个名称写入之后又以另一个名称被读取的值（PyTorch）""",
)
_ADVISE_USAGE = Text(
    """\
Usage: %advise [-y] [--try]

Runs the last cell again, recorded, and says which of its operations may be written in place, and what that saves.

  -y      does not ask before it runs cells again
  --try   runs all cells so far again, in other processes and an empty folder, with these operations in place, and shows what works""",
    """\
用法：%advise [-y] [--try]

再运行一次上一个单元格并记录，说明其中哪些操作可以原地写入，能节省多少内存。

  -y      再次运行单元格之前不询问
  --try   在其他进程和空文件夹中再运行目前所有的单元格，把这些操作改为原地操作，给出可行的部分""",
)
_HOW_TO_TRY = Text("`%advise --try` tries it.", "`%advise --try` 会尝试这些改动。")
_NO_OPTION = Text("{1} has no option {0}.", "{1} 没有选项 {0}。")
_WAITS = re.compile("await|async")  # in what Python says of it


class _ShownWidgets:
    """The widgets that the magics have shown. Those of a cell are closed when the cell runs again, which frees their recordings.

    Cells are told apart by their ids, which JupyterLab, Notebook and VS Code send. Without one, a cell is known by its text.
    """

    def __init__(self) -> None:
        self._by_cell: dict[str, list[Any]] = {}
        self._running: str | None = None

    def cell_begins(self, info: Any = None) -> None:
        """Called by IPython before it runs a cell."""
        self._running = getattr(info, "cell_id", None) or getattr(info, "raw_cell", None)
        for widget in self._by_cell.pop(self._running or "", ()):
            widget.layout.close()
            widget.close()

    def show(self, widget: Any) -> None:
        """Displays a widget that nobody else has."""
        from IPython.display import display

        if self._running:
            self._by_cell.setdefault(self._running, []).append(widget)
        display(widget)


_widgets = _ShownWidgets()


def last_recording() -> Recording:
    """Returns the recording of the last `%%stepper` cell.

    Raises:
        LookupError: if no cell has been recorded in this session.
    """
    if _last is None:
        raise LookupError(str(_NONE_YET))
    return _last


def load_ipython_extension(shell: Any) -> None:
    """Registers the magics, and hides the engine's frames in tracebacks of refusals in all cells. Called by `%load_ext inplacelab`."""
    from_start = False

    def stepper(line: str, cell: str | None = None) -> None:
        """Run the cell, record it, and show the stepper: `%%stepper [--name NAME] [--against NAME] [--title TITLE] [--predict] [--from-start] [--no-fix]
        [--framework FRAMEWORK] [--optional] [--from-step N] [--from EXPRESSION] [--limit N] [--stop-after N]`. As a line, `%stepper --from-start`: all steppers that follow open at the beginning.
        """
        nonlocal from_start
        options = _options(line)
        if cell is None:
            from_start = options.from_start
            return
        options.from_start |= from_start
        _run_cell(shell, options, cell)

    def ranks(line: str, cell: str) -> None:
        """Run the cell on several ranks, record it on each, and show them side by side: `%%ranks N [--name NAME] [--title TITLE]
        [--from-start]`.
        """
        _run_on_ranks(shell, line, cell, from_start=from_start)

    def shown(refusal: Refusal) -> list[str]:
        frames = without_engine(refusal.__traceback__)
        lines: list[str] = shell.InteractiveTB.structured_traceback(type(refusal), refusal, frames)
        return lines

    def raises(_: str, cell: str) -> None:
        """Run a cell that is meant to raise: show the error, and go on. JupyterLite stops "Run All" at an error, whatever the cell's tags."""
        _run_meant_to_raise(shell, cell)

    shell.register_magic_function(stepper, magic_kind="line_cell")
    shell.register_magic_function(raises, magic_kind="cell")
    for name, act, usage in (("explain", _explain, _EXPLAIN_USAGE), ("advise", _advise, _ADVISE_USAGE)):
        shell.register_magic_function(_line_magic(shell, act, usage), magic_kind="line", magic_name=name)
    shell.register_magic_function(ranks, magic_kind="cell")
    shell.register_magic_function(_predict, magic_kind="cell", magic_name="predict")
    shell.register_magic_function(_predictions, magic_kind="line", magic_name="predictions")
    shell.events.register("pre_run_cell", _widgets.cell_begins)
    shell.events.register("post_run_cell", partial(_cell_ended, shell))
    shell.set_custom_exc((TypeError, AttributeError), _show_mistaken_name)
    Refusal._render_traceback_ = shown  # type: ignore[attr-defined]  # IPython asks for this
    with contextlib.suppress(
        ImportError
    ):  # imported early so that the first cell is fast; `_show` reports it if it is missing
        importlib.import_module("inplacelab_widgets.stepper")
        _offer_attempts(shell)


def _line_magic(shell: Any, act: Callable[[Any, str], None], usage: Text) -> Callable[[str], None]:
    def magic(line: str) -> None:
        act(shell, line)

    magic.__doc__ = str(usage)  # which `%name?` shows
    return magic


def _explain(shell: Any, line: str) -> None:
    from inplacelab.diagnosis.cells import explain_last_cell

    if (options := _words(line, ("-y", "--try", "--aliases"), "%explain", _EXPLAIN_USAGE)) is not None:
        explain_last_cell(shell, asks="-y" not in options, tries="--try" in options, aliases="--aliases" in options)


def _advise(shell: Any, line: str) -> None:
    from inplacelab.diagnosis.cells import advise_last_cell
    from inplacelab.showing import show_advice

    options = _words(line, ("-y", "--try"), "%advise", _ADVISE_USAGE)
    found = None if options is None else advise_last_cell(shell, asks="-y" not in options, tries="--try" in options)
    if found is not None:
        show_advice(found.advice)
        print(f"\n{found.diff}".rstrip("\n") if found.advice.measured else _HOW_TO_TRY)


def _words(line: str, known: Sequence[str], name: str, usage: Text) -> list[str] | None:
    """Returns the options of a magic; None if there is an unknown one, which it says."""
    options = line.split()
    unknown = [each for each in options if each not in known]
    if unknown:
        print(f"{_NO_OPTION.format(unknown[0], name)}\n{usage}")
    return None if unknown else options


def _cell_ended(shell: Any, result: Any) -> None:
    """Called by IPython after it has run a cell."""
    from inplacelab.diagnosis.cells import failed
    from inplacelab.lessons.failed_cells import cell_ended

    cell_ended(shell, result)
    if not result.success and result.info.store_history:
        failed.setdefault(shell, set()).add(len(shell.history_manager.input_hist_raw) - 1)


def _offer_attempts(shell: Any) -> None:
    """Lets steppers of `record` blocks in cells have fixes tried, and where the program may write in place. A recording that was loaded from a file has no
    program that could run.
    """
    from inplacelab_widgets.stepper import View

    def attempt(shown: object) -> Any:
        if not isinstance(shown, record) or shown.recording is None:
            return None
        return _attempt(shell, shown.recording)

    def saving(shown: object) -> Any:
        return _saving(shell, shown.recording) if isinstance(shown, record) and shown.recording is not None else None

    View.find_attempt, View.find_saving = attempt, saving


def _saving(shell: Any, recording: Recording) -> Any:
    """Returns what tries where a recorded cell may write in place; None if that would save nothing, or it has failed or cannot run again."""
    from inplacelab.recording.savings.advice import advice

    if not recording.steps or recording.steps[-1].error is not None or not advice(recording, ends=False).offered:
        return None
    from inplacelab.diagnosis.cells import CellsSavingAttempt

    return CellsSavingAttempt.of(shell, recording)


def _attempt(shell: Any, recording: Recording) -> Any:
    """Returns what tries fixes for a recorded cell; None if it did not fail in backward, or cannot run again."""
    from inplacelab_widgets.stepper import fails_untried

    if not recording.steps or not fails_untried(recording):
        return None
    from inplacelab.diagnosis.cells import CellsAttempt

    return CellsAttempt.of(shell, recording, partial(_take, shell))


def _take(shell: Any, before: Recording, after: Recording) -> None:
    """Replaces a recording, under each of its names, with one that has more fixes."""
    global _last
    if _last is before:
        _last = after
    for name in [name for name, value in shell.user_ns.items() if value is before]:
        shell.user_ns[name] = after


def _show_mistaken_name(
    shell: Any, kind: type[Exception], error: Exception, trace: TracebackType, tb_offset: int | None = None
) -> None:
    """Shows a TypeError or AttributeError as IPython does, and what to write instead if the package lacks that name or keyword."""
    if isinstance(error, TypeError):
        add_note_on_keyword(error, trace)
    elif is_missing_name(error):
        trace = without_engine(trace) or trace
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def _predict(line: str, cell: str) -> None:
    """Ask for a prediction: `%%predict NAME`, then a line for each part: `what is asked: answers`."""
    from IPython.core.error import UsageError

    from inplacelab.lessons.predictions import ask

    name = line.strip()
    if not name.isidentifier():
        raise UsageError(str(_NO_QUESTION.format(name)))
    try:
        asked = ask(name, cell)
    except ValueError as error:
        raise UsageError(f"%%predict: {error}") from None
    try:
        from inplacelab_widgets.small_views import AskedPart, QuestionView
    except ImportError as missing:
        print(spelled(_NO_WIDGETS.format(asked.name, missing.name)))
        return
    parts = [
        AskedPart(label=part.label, options=[option.words for option in part.options], several=part.several)
        for part in asked.parts
    ]
    view = QuestionView(name, parts)
    view.observe(lambda change: asked.answer(change["new"]), names=["answers"])
    asked.on_change = lambda: view.set_trait("compared", asked.lines())
    _widgets.show(view)


def _predictions(_: str) -> Any:
    """Show what was predicted in this session, and how much of it was right: `%predictions`."""
    from inplacelab.lessons.predictions import score

    return score()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ValueError(message)  # instead of exiting


_USAGE = Text(
    "{0}\nUsage: %%stepper [--name NAME] [--against NAME] [--title TITLE] [--predict] [--from-start] [--no-fix] [--framework FRAMEWORK] [--optional] "
    "[--from-step N] [--from EXPRESSION] [--limit N] [--stop-after N]",
    "{0}\n用法：%%stepper [--name 名字] [--against 名字] [--title 标题] [--predict] [--from-start] [--no-fix] [--framework 框架] [--optional] "
    "[--from-step N] [--from 表达式] [--limit N] [--stop-after N]",
)
_OPTIONS = (
    "--name", "--against", "--title", "--predict", "--from-start", "--no-fix", "--framework", "--optional", *PART_OPTIONS,
)  # fmt: skip
_UNKNOWN = Text("%%stepper does not know {0}.", "%%stepper 不认识 {0}。")
_PERHAPS = Text("%%stepper does not know {0}. Did you mean {1}?", "%%stepper 不认识 {0}。是不是想写 {1}？")
_MISWRITTEN = Text("%%stepper cannot read {0}.", "%%stepper 读不懂 {0}。")
_NO_NAME = Text(
    "What follows --name must be a Python name, not {0!r}.", "--name 后面必须是 Python 名字，而不是 {0!r}。"
)
_NO_RECORDING = Text(
    "What follows --against must be the name of a recording, and {0!r} is not one: first record that cell with %%stepper --name {0}.",
    "--against 后面必须是一份记录的名字，而 {0!r} 不是：请先用 %%stepper --name {0} 记录那个单元格。",
)
_NOT_ASKED = Text(
    "--predict asks about one program, and --against shows two: leave one of them out.",
    "--predict 针对一个程序提问，--against 展示两个程序：请去掉其中之一。",
)
_NO_FRAMEWORK = Text(
    "What follows --framework must be one of {0}, not {1!r}.", "--framework 后面必须是 {0} 之一，而不是 {1!r}。"
)


def _options(line: str) -> argparse.Namespace:
    parser = _Parser("%%stepper", add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--name", default=None)
    parser.add_argument("--against", default=None)
    parser.add_argument("--title", default=None)
    parser.add_argument("--framework", default=None)
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--from-start", action="store_true")
    parser.add_argument("--optional", action="store_true")
    parser.add_argument("--no-fix", dest="fix", action="store_false")
    for name in PART_OPTIONS:
        parser.add_argument(name, default=None)
    try:
        options, unknown = parser.parse_known_args(shlex.split(line))
    except (argparse.ArgumentError, ValueError):  # no value after `--name`, a quotation without end
        raise _usage_error(_MISWRITTEN.format(line.strip())) from None
    if unknown:
        likely = difflib.get_close_matches(unknown[0], _OPTIONS, n=1)
        raise _usage_error(_PERHAPS.format(unknown[0], *likely) if likely else _UNKNOWN.format(unknown[0]))
    _check(options)
    try:
        options.part = Part.of(*(getattr(options, name[2:].replace("-", "_")) for name in PART_OPTIONS))
    except PartError as error:
        raise _usage_error(error.why) from None
    return options


def _check(options: argparse.Namespace) -> None:
    """Checks the values of options.

    Raises:
        UsageError: if one is wrong.
    """
    if options.name is not None and not options.name.isidentifier():
        raise _usage_error(_NO_NAME.format(options.name))
    if options.predict and options.against is not None:
        raise _usage_error(_NOT_ASKED)
    if options.framework not in (None, *frameworks()):
        raise _usage_error(_NO_FRAMEWORK.format(", ".join(frameworks()), options.framework))
    if options.framework and not is_installed(options.framework):
        raise _usage_error(not_installed(options.framework))


def _usage_error(said: Text) -> Exception:
    from IPython.core.error import UsageError

    made: Exception = UsageError(str(_USAGE.format(said)))
    return made


def _run_cell(shell: Any, options: argparse.Namespace, cell: str) -> None:
    """Runs, records and shows the cell; then re-raises its error, if any."""
    global _last
    other = _other_recording(shell, options.against)
    text = shell.transform_cell(cell)
    # Older shells count a cell after it has run, newer ones before; use the number that its output has.
    filename = shell.compile.cache(text, shell.displayhook.prompt_count, raw_code=cell)
    try:
        tree = shell.compile.ast_parse(text, filename=filename)
        if options.optional and (missing := not_installed_of(tree)) is not None:
            print(_ON_ENGINE.format(import_engine(tree, missing), not_installed(missing)))
        program = Program.of(tree, cell.rstrip("\n"), filename)
        parts = _compiled(
            shell, instrument.instrumented(tree), filename, shows_last=not (options.from_start or options.predict)
        )
    except SyntaxError as error:
        raise _shown_syntax_error(shell, error) from None
    use = Use(options.framework) if options.framework else framework_used(tree, shell.user_ns)
    session = Session(program, title=options.title or options.name or "", fix=options.fix, use=use, part=options.part)
    failure = session.run(parts, shell.user_ns)
    _last = session.recording()
    if options.name:
        shell.user_ns[options.name] = _last
    if session.missed is not None:
        print(session.missed)
    elif other is None:
        _show(shell, _last, options)
    else:
        _show_beside(other, _last)
    if failure is not None and not isinstance(failure, ProgramStopped) and not _is_withheld(failure, options):
        trace = learners_traceback(failure, filename)
        if isinstance(failure, TypeError) and trace is not None:
            add_note_on_keyword(failure, trace)
        with contextlib.suppress(Exception):  # an error that cannot be shown is shown by IPython, as in any cell
            _show_later(failure, shell.InteractiveTB.structured_traceback(type(failure), failure, trace, tb_offset=0))
        raise failure


def _is_withheld(failure: BaseException, options: argparse.Namespace) -> bool:
    """Whether an error is the answer to a question that is still open: then the last step of the picture tells it, and `reveal`."""
    from inplacelab.lessons.predictions import withhold

    name = None if options.fix else options.name or ""  # without fixes: an exercise, unless the question has its name
    return options.from_start and withhold(f"{type(failure).__name__}: {failure}", name)


_RANKS_USAGE = Text(
    "%%ranks cannot read {0!r}. Usage: %%ranks N [--name NAME] [--title TITLE] [--from-start], where N is the number of ranks",
    "%%ranks 读不懂 {0!r}。用法：%%ranks N [--name 名字] [--title 标题] [--from-start]，其中 N 是进程数",
)
_NO_MPI_IN_A_BROWSER = Text(
    "MPI does not run in a browser: this is what was recorded on real ranks.",
    "浏览器中不能运行 MPI：这里显示的是在真实的多个进程上录制的结果。",
)
_FAILED_ON_RANK = Text("rank {0}: {1}", "进程 {0}：{1}")
_WHY = Text("  Why: {0}", "  原因：{0}")
_FIX = Text("  Instead: {0}", "  改法：{0}")


def _run_meant_to_raise(shell: Any, cell: str) -> None:
    """Runs a cell, and prints its error as IPython shows it."""
    text = shell.transform_cell(cell)
    filename = shell.compile.cache(text, shell.displayhook.prompt_count, raw_code=cell)
    try:
        exec(shell.compile(text, filename, "exec"), shell.user_ns)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is shown
        own = getattr(error, "_render_traceback_", None)
        lines = (
            own()
            if own
            else shell.InteractiveTB.structured_traceback(
                type(error), error, learners_traceback(error, filename), tb_offset=0
            )
        )
        print("\n".join(lines))


def _run_on_ranks(shell: Any, line: str, cell: str, *, from_start: bool) -> None:
    """Runs, records and shows the cell on several ranks. Errors of the program are printed, one for each rank, unless that tells the end first."""
    from IPython.core.error import UsageError

    from inplacelab.distributed.on_ranks import EnginesError
    from inplacelab.lessons.ranks import recordings_of

    parser = _Parser("%%ranks", add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("count", type=int)
    parser.add_argument("--name", default=None)
    parser.add_argument("--title", default=None)
    parser.add_argument("--from-start", action="store_true", default=from_start)
    try:
        options = parser.parse_args(shlex.split(line))
    except (argparse.ArgumentError, ValueError):
        raise UsageError(str(_RANKS_USAGE.format(line.strip()))) from None
    if options.count < 1 or (options.name is not None and not options.name.isidentifier()):
        raise UsageError(str(_RANKS_USAGE.format(line.strip())))
    try:
        recordings = recordings_of(cell, options.count, options.name or "", options.title or options.name or "")
    except (LookupError, EnginesError) as error:
        raise UsageError(str(error)) from None
    if options.name:
        shell.user_ns[options.name] = recordings
    if sys.platform == "emscripten":
        print(_NO_MPI_IN_A_BROWSER)
    _show_ranks(recordings, from_start=options.from_start)
    for said in () if options.from_start else _failures(recordings):
        print(said)


def _failures(recordings: list[Recording]) -> Iterator[Text]:
    """Yields the first line of the error that ended each rank, and below them why and what to do: once where ranks say the same."""
    reasons: dict[Text, None] = {}
    for rank, recording in enumerate(recordings):
        raised = recording.steps[-1].error if len(recording) else None
        if raised is None:
            continue
        said = f"{raised.type}: {raised.message.splitlines()[0]}"
        yield _FAILED_ON_RANK.format(rank, said)
        if raised.explanation is not None:
            reasons[_WHY.format(raised.explanation)] = None
        if raised.fix is not None:
            reasons[_FIX.format(raised.fix)] = None
    yield from reasons


def _show_ranks(recordings: list[Recording], *, from_start: bool) -> None:
    """Shows ranks side by side, one alone as a stepper."""
    if _can_show(recordings, recordings):
        from inplacelab_widgets import Stepper, show_ranks

        step = 0 if from_start else None
        if len(recordings) > 1:
            _widgets.show(show_ranks(recordings, step, _tells_ahead=not from_start))
        else:
            _widgets.show(Stepper(recordings[0], step, _tells_ahead=not from_start))


def _can_show(recordings: Sequence[Recording], shown: object) -> bool:
    """Tells whether recordings can be shown. If one has no step, or the widgets are not installed, a line that says so stands for `shown`."""
    if not all(map(len, recordings)):
        print(_NOTHING)
        return False
    try:
        from inplacelab_widgets import Stepper  # noqa: F401
    except ImportError as missing:
        print(spelled(_NO_WIDGETS.format(shown, missing.name)))
        return False
    return True


def _compiled(shell: Any, tree: ast.Module, filename: str, *, shows_last: bool) -> list[Any]:
    """Compiles the cell. If its last line is an expression, its value is shown, as in any cell, unless it would tell the end first."""
    compiler: Callable[..., Any] = shell.compile
    body = tree.body
    if (
        shows_last
        and body
        and isinstance(body[-1], ast.Expr)
        and not instrument.is_call(body[-1])
        and not "".join(linecache.getlines(filename)).rstrip().endswith(";")
    ):
        shown = ast.Interactive([body[-1]])
        return [compiler(ast.Module(body[:-1], []), filename, "exec"), compiler(shown, filename, "single")]
    return [compiler(tree, filename, "exec")]


def _show(shell: Any, recording: Recording, options: argparse.Namespace) -> None:
    """Shows the stepper."""
    if not _can_show([recording], recording):
        return
    from inplacelab_widgets import Stepper
    from inplacelab_widgets.scene import opening_step

    step = opening_step(recording, ()) if options.from_start and not options.predict else None
    attempt = _attempt(shell, recording) if options.fix else None
    saving = _saving(shell, recording)
    stepper = Stepper(
        recording, step, predict=options.predict, attempt=attempt, saving=saving, _tells_ahead=not options.from_start
    )
    if options.predict and options.name:
        from inplacelab.lessons.predictions import watch

        watch(options.name, stepper)
    _widgets.show(stepper)


def _other_recording(shell: Any, name: str | None) -> Recording | None:
    """The recording that `--against` names; None without it. It is looked up before the cell runs, which may bind that name itself."""
    if name is None:
        return None
    found = shell.user_ns.get(name)
    found = getattr(found, "recording", found)  # a `record` block or a stepper has one
    if not isinstance(found, Recording):
        raise _usage_error(_NO_RECORDING.format(name))
    return found


def _show_beside(other: Recording, recording: Recording) -> None:
    """Shows a cell beside the recording of another one."""
    if _can_show([other, recording], recording):
        from inplacelab_widgets import compare

        _widgets.show(compare(other, recording))


def _shown_syntax_error(shell: Any, error: SyntaxError) -> Exception:
    """Shows a `SyntaxError` as in a cell without magic. Raising it from here would add our frames."""
    shown: Exception = type("SyntaxError", (Exception,), {"__module__": "builtins"})(str(error))
    lines = shell.SyntaxTB.structured_traceback(type(error), error, [])
    _show_later(shown, [*lines, f"  {_NO_AWAIT}"] if _WAITS.search(str(error)) else lines)
    return shown


def _show_later(error: BaseException, lines: list[str]) -> None:
    """Has IPython show these lines for this error: the traceback of the cell, without our frames."""
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]  # IPython asks for this
