"""The notebook: `%load_ext inplacelab` and the cell magic `%%stepper`.

    %%stepper [--name NAME] [--title TITLE] [--predict]

runs the cell as if it stood there alone, records it, and shows the stepper under it; with `--predict` it asks what a step
will do before it shows it. A cell that raises is recorded up to the error, and the error is then shown as Python shows
it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import linecache
import shlex
from collections.abc import Callable
from typing import Any

from inplacelab.language import Text
from inplacelab.recorders import marks, source
from inplacelab.recorders.lab import LabRecorder
from inplacelab.recorders.running import learners_traceback, run
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
        """Run the cell, record it, and show the stepper: `%%stepper [--name NAME] [--title TITLE] [--predict]`."""
        _run_cell(shell, _options(line), cell)

    shell.register_magic_function(stepper, magic_kind="cell")
    with contextlib.suppress(ImportError):  # so that the first cell does not wait for it; `_show` says if it is missing
        importlib.import_module("inplacelab_widgets.stepper")


class _UsageError(Exception):
    """A magic's options are wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise _UsageError(f"{message}\nUsage: %%stepper [--name NAME] [--title TITLE] [--predict]")


def _options(line: str) -> argparse.Namespace:
    parser = _Parser("%%stepper", add_help=False)
    parser.add_argument("--name", default=None)
    parser.add_argument("--title", default=None)
    parser.add_argument("--predict", action="store_true")
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
    # Older shells count a cell when it has run, newer ones before; its own number is the one that its output has.
    filename = shell.compile.cache(text, shell.displayhook.prompt_count, raw_code=cell)
    try:
        tree = shell.compile.ast_parse(text, filename=filename)
    except SyntaxError as error:
        raise _shown_syntax_error(shell, error) from None
    program = source.Program.of(tree, cell.rstrip("\n"), filename)
    recorder = LabRecorder(program, title=options.title or options.name or "")
    failure = run(recorder, _compiled(shell, marks.marked(tree), filename), shell.user_ns)
    _last = recorder.recording()
    if options.name:
        shell.user_ns[options.name] = _last
    _show(_last, predict=options.predict)
    if failure is not None:
        trace = learners_traceback(failure, filename)
        _show_later(failure, shell.InteractiveTB.structured_traceback(type(failure), failure, trace, tb_offset=0))
        raise failure


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
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == marks.MARK


def _ends_with_semicolon(filename: str) -> bool:
    return "".join(linecache.getlines(filename)).rstrip().endswith(";")


def _show(recording: Recording, *, predict: bool) -> None:
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
    display(Stepper(recording, predict=predict))


def _shown_syntax_error(shell: Any, error: SyntaxError) -> Exception:
    """A `SyntaxError` as IPython shows it for a cell without magic; it adds our frames to a real one raised from here."""
    shown: Exception = type("SyntaxError", (Exception,), {"__module__": "builtins"})(str(error))
    _show_later(shown, shell.SyntaxTB.structured_traceback(type(error), error, []))
    return shown


def _show_later(error: BaseException, lines: list[str]) -> None:
    """Have IPython show these lines for this error: those of the cell run without the magic, without our own frames."""
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]  # IPython asks for this
