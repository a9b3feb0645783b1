"""The magic `%explain`: runs the last cell again, watched, and says why its backward failed; with `--try` it looks for a fix."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inplacelab.diagnosis.explain import explain
from inplacelab.diagnosis.report import report_not_tried, report_of_trials
from inplacelab.diagnosis.trials import NotTriedError, Trials
from inplacelab.language import Text, enumerated
from inplacelab.recorders.detection import framework_used
from inplacelab.recorders.program import parsed
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.source_tree import Program, package_of
from inplacelab.supported import frameworks

_MAGIC = re.compile(r"^(\s*)get_ipython\(\)\..*$", re.MULTILINE)
"""What IPython makes of a line with a magic, which no script can run."""
SECONDS = 60
"""How long a trial may take."""

_NO_CELL = Text("There is no cell before this one.", "前面没有单元格。")
_NO_FRAMEWORK = Text(
    "The last cell uses none of these: {0}. (This package's own refusals say which lines led to them.)",
    "上一个单元格没有用到 {0}。（inplacelab 的拒绝信息已经指出了有关的各行。）",
)
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
_DOES_NOT_FAIL = Text(
    "in a process of their own, the cells do not fail in backward", "在单独的进程中，这些单元格的反向传播没有失败"
)
_FAILS_BEFORE = Text(
    "in a process of their own, in an empty folder, the cells fail elsewhere: {0}",
    "在单独的进程和空文件夹中，这些单元格在别处失败：{0}",
)


def explain_last_cell(shell: Any, *, asks: bool, tries: bool) -> None:
    """Runs the last cell again, and prints why its backward failed.

    Args:
        shell: IPython.
        asks: whether to ask before that.
        tries: whether to try fixes instead, in all cells so far.
    """
    cells = _cells(shell)
    if not cells:
        print(_NO_CELL)
    elif not frameworks()[framework := _framework_of(shell, cells[-1])].is_watched and not tries:
        print(_NO_FRAMEWORK.format(enumerated(each.title for each in frameworks().values() if each.is_watched)))
    elif not asks or _may_run(_ASK_ALL if tries else _ASK):
        if tries:
            print(_tried(shell, cells))
            return
        print(_watched(shell, cells[-1], framework))


def _framework_of(shell: Any, cell: str) -> str:
    used = framework_used(parsed(shell.transform_cell(cell)), shell.user_ns).framework
    # A cell may train what earlier cells have made, and name no framework.
    loaded = (each.name for each in frameworks().values() if each.is_watched and each.version)
    return used if frameworks()[used].is_watched else next(loaded, used)


def _watched(shell: Any, cell: str, framework: str) -> explain:
    """Runs a cell again, watched. Returns what was found out."""
    # IPython runs a cell under the name that this returns, and shows it in tracebacks.
    name = shell.compile.cache(shell.transform_cell(cell), shell.execution_count, raw_code=cell)
    found = explain(framework, name)
    with found:
        error = shell.run_cell(cell, store_history=False).error_in_exec
        found.ended(error)
    return found


def _tried(shell: Any, cells: list[str]) -> str:
    """Runs the cells as a script, with edits. Returns what came of it."""
    text = _MAGIC.sub(r"\1pass", "\n".join(shell.transform_cell(each) for each in cells))
    framework = framework_used(ast.parse(text), {}).framework
    known = frameworks()[framework]
    if not known.is_watched and package_of(Program(text), known.alias) is None:  # a module may be all that uses one
        framework = _framework_of(shell, text)
    with TemporaryDirectory(prefix="inplacelab-") as folder:
        script = Path(folder).resolve() / "cells.py"
        script.write_text(text, encoding="utf-8")
        try:
            trials = Trials(script, [], framework=framework, seconds=SECONDS)
            trails, error = trials.failing()
            if not trails:
                raise NotTriedError(_FAILS_BEFORE.format(error.splitlines()[0]) if error else _DOES_NOT_FAIL)
            return report_of_trials(trials.find(trails), framework, _elsewhere(trails[-1], script))
        except NotTriedError as reason:
            return report_not_tried(reason.why)


def _elsewhere(trail: Trail, script: Path) -> Spot | None:
    """Returns the first line that would have to change, if none of them is in the cells."""
    responsible = [each[0] for each in (*trail.writes, trail.released, trail.kept) if each]
    changed = responsible[: len(trail.writes) or 1]
    return changed[0] if changed and all(each.filename != str(script) for each in changed) else None


def _cells(shell: Any) -> list[str]:
    """Returns the cells so far, without those that call magics."""
    cells = [each for each in shell.history_manager.input_hist_raw if each.strip()]
    return [each for each in cells if not each.lstrip().startswith(("%", "!"))]


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
