"""The magic `%explain`: runs the last cell again, watched, and says why its backward failed; with `--try` it looks for a fix."""

from __future__ import annotations

from typing import Any

from inplacelab.diagnosis.cells import Cells
from inplacelab.diagnosis.explain import explain, framework_to_watch
from inplacelab.diagnosis.report import report_not_tried, report_of_trials
from inplacelab.diagnosis.search_run import search
from inplacelab.diagnosis.trials import STOPPED, NotTriedError, Tried
from inplacelab.language import Text
from inplacelab.recorders.detection import framework_used
from inplacelab.recorders.program import parsed
from inplacelab.recording.fixes import block
from inplacelab.supported import frameworks

_NO_CELL = Text("There is no cell before this one.", "前面没有单元格。")
_NO_GRADIENTS = Text("The last cell computes no gradients: it uses {0}.", "上一个单元格使用 {0}，不计算梯度。")
_ASK = Text("Run the last cell again, to watch it? [y/N] ", "再运行一次上一个单元格，以便监视？[y/N] ")
_ASK_ALL = Text(
    "Run all cells so far again, in other processes and an empty folder, to try fixes? [y/N] ",
    "在其他进程和空文件夹中再运行一遍目前所有的单元格，以便尝试改法？[y/N] ",
)
_CANNOT_ASK = Text(
    "`%explain` runs cells again, and cannot ask here whether it may: write `%explain -y`.",
    "`%explain` 会再次运行单元格，而这里无法询问是否可以：请写 `%explain -y`。",
)
_NOT_RUN = Text("The cell was not run.", "没有运行该单元格。")


def explain_last_cell(shell: Any, *, asks: bool, tries: bool) -> None:
    """Runs the last cell again, and prints why its backward failed.

    Args:
        shell: IPython.
        asks: whether to ask before that.
        tries: whether to try fixes instead, in all cells so far.
    """
    cells = Cells(shell)
    if not cells.raw:
        print(_NO_CELL)
        return
    framework = framework_to_watch(framework_used(parsed(shell.transform_cell(cells.raw)), shell.user_ns).framework)
    if not frameworks()[framework].terms.has_gradients:
        print(_NO_GRADIENTS.format(framework))
    elif not asks or _may_run(_ASK_ALL if tries else _ASK):
        print(_tried(cells, framework) if tries else _watched(shell, cells.raw, framework))


def _watched(shell: Any, cell: str, framework: str) -> explain:
    """Runs a cell again, watched. Returns what was found out."""
    # IPython runs a cell under the name that this returns, and shows it in tracebacks.
    name = shell.compile.cache(shell.transform_cell(cell), shell.execution_count, raw_code=cell)
    found = explain(framework, name)
    with found:
        error = shell.run_cell(cell, store_history=False).error_in_exec
        found.ended(error)
    return found


def _tried(cells: Cells, framework: str) -> str:
    """Runs the cells as a program, with edits. Returns what came of it."""
    try:
        found = search(cells.text, framework, cells.lines())
    except (NotTriedError, KeyboardInterrupt) as reason:
        return report_not_tried(reason.why if isinstance(reason, NotTriedError) else STOPPED)
    if not found.fixes:
        return report_of_trials(Tried((), found.count, found.copies), framework, found.elsewhere)
    said = map(str, block(found.fixes))
    return "\n".join([*said, "", *map(cells.diff, found.fixes)])


def _may_run(question: Text) -> bool:
    try:
        answer = input(str(question))
    except (EOFError, NotImplementedError, RuntimeError):  # a notebook that runs without a person
        print(_CANNOT_ASK)
        return False
    if answer.strip().lower() in ("y", "yes", "是"):
        return True
    print(_NOT_RUN)
    return False
