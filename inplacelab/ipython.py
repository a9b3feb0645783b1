"""The notebook: `%load_ext inplacelab` and the cell magic `%%stepper`.

    %%stepper [--name NAME] [--title TITLE]

runs the cell as if it stood there alone, records it, and shows the stepper under it. A cell that raises is recorded up to
the error, and the error is then shown as Python shows it.
"""

from __future__ import annotations

import argparse
import ast
import gc
import linecache
import shlex
from collections.abc import Callable
from types import TracebackType
from typing import Any

from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders import source
from inplacelab.recorders.block import listening
from inplacelab.recorders.lab import LabRecorder
from inplacelab.recording.recording import Recording

_last: Recording | None = None

_NOTHING = Text("The cell ran no statement to show.", "该单元格没有可以展示的语句。")


def last_recording() -> Recording:
    """The recording of the last `%%stepper` cell.

    Raises:
        LookupError: if no cell has been recorded in this session.
    """
    if _last is None:
        raise LookupError("No cell has been recorded yet: run one that begins with %%stepper.")
    return _last


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext inplacelab`: registers the cell magic `%%stepper`."""

    def stepper(line: str, cell: str) -> None:
        """Run the cell, record it, and show the stepper: `%%stepper [--name NAME] [--title TITLE]`."""
        _run_cell(shell, _options(line), cell)

    shell.register_magic_function(stepper, magic_kind="cell")


class _UsageError(Exception):
    """A magic's options are wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise _UsageError(f"{message}\nUsage: %%stepper [--name NAME] [--title TITLE]")


def _options(line: str) -> argparse.Namespace:
    parser = _Parser("%%stepper", add_help=False)
    parser.add_argument("--name", default=None)
    parser.add_argument("--title", default=None)
    try:
        options = parser.parse_args(shlex.split(line))
        if options.name is not None and not options.name.isidentifier():
            raise _UsageError(f"--name must be a Python name, not {options.name!r}")
    except (_UsageError, ValueError) as error:
        from IPython.core.error import UsageError

        raise UsageError(str(error)) from None
    return options


def _run_cell(shell: Any, options: argparse.Namespace, cell: str) -> None:
    """Run, record, show; then let the cell's error, if any, take its course."""
    global _last
    text = shell.transform_cell(cell)
    filename = shell.compile.cache(text, shell.execution_count, raw_code=cell)
    try:
        tree = shell.compile.ast_parse(text, filename=filename)
    except SyntaxError as error:
        raise _shown_syntax_error(shell, error) from None
    program = source.Program(cell.rstrip("\n"), filename, source.identifiers(tree))
    recorder = LabRecorder(program, title=options.title or options.name or "")
    failure = _execute(shell, recorder, tree, filename)
    _last = recorder.recording()
    if options.name:
        shell.user_ns[options.name] = _last
    _show(_last)
    if failure is not None:
        trace = _learners_part(failure, filename)
        _show_later(failure, shell.InteractiveTB.structured_traceback(type(failure), failure, trace, tb_offset=0))
        raise failure


def _execute(shell: Any, recorder: LabRecorder, tree: ast.Module, filename: str) -> BaseException | None:
    names = shell.user_ns
    failure: BaseException | None = None
    gc.collect()  # what earlier cells have left would otherwise be counted or not, as the collector happens to run
    with listening(recorder), source.marking(recorder.mark):
        try:
            for code in _compiled(shell, source.marked(tree), filename):
                exec(code, names)
        except BaseException as raised:  # noqa: BLE001  # shown and raised again once the picture is there
            failure = raised
        if failure is not None:
            recorder.failed(failure)
        recorder.finish(source.Scope(names, ""))
    return failure


def _compiled(shell: Any, tree: ast.Module, filename: str) -> list[Any]:
    """The program; a last line that is an expression shows its value, as in any cell."""
    compiler: Callable[..., Any] = shell.compile
    body = tree.body
    if body and isinstance(body[-1], ast.Expr) and not _is_mark(body[-1]) and not _ends_with_semicolon(filename):
        shown = ast.Interactive([body[-1]])
        return [compiler(ast.Module(body[:-1], []), filename, "exec"), compiler(shown, filename, "single")]
    return [compiler(tree, filename, "exec")]


def _is_mark(statement: ast.Expr) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == source.MARK


def _ends_with_semicolon(filename: str) -> bool:
    return "".join(linecache.getlines(filename)).rstrip().endswith(";")


def _show(recording: Recording) -> None:
    """The stepper, if the widgets are installed; a line that says what is missing otherwise."""
    if not len(recording):
        print(_NOTHING)
        return
    from IPython.display import display

    try:
        from inplacelab_widgets import Stepper
    except ImportError as missing:
        print(
            f"{recording!r} (to see it, install the notebook's parts: pip install 'inplacelab[lab]'; missing: {missing.name})"
        )
        return
    display(Stepper(recording))


def _learners_part(error: BaseException, filename: str) -> TracebackType | None:
    """The traceback from the cell's own first frame on; of a refusal, the cell's frames only: what the engine was doing
    inside is not where the mistake is.
    """
    frames = []
    walk = error.__traceback__
    while walk is not None:
        frames.append(walk)
        walk = walk.tb_next
    mine = [k for k, each in enumerate(frames) if each.tb_frame.f_code.co_filename == filename]
    shown = [frames[k] for k in mine] if isinstance(error, Refusal) else frames[mine[0] :] if mine else []
    trace: TracebackType | None = None
    for each in reversed(shown):
        trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return trace


def _shown_syntax_error(shell: Any, error: SyntaxError) -> Exception:
    """A `SyntaxError` as IPython shows it for a cell without magic; it adds our frames to a real one raised from here."""
    shown: Exception = type("SyntaxError", (Exception,), {"__module__": "builtins"})(str(error))
    _show_later(shown, shell.SyntaxTB.structured_traceback(type(error), error, []))
    return shown


def _show_later(error: BaseException, lines: list[str]) -> None:
    """Have IPython show these lines for this error: those of the cell run without the magic, without our own frames."""
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]  # IPython asks for this
