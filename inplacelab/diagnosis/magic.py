"""The magic `%explain`: runs the last cell again, watched, and says why its backward failed."""

from __future__ import annotations

import sys
from typing import Any

from inplacelab.diagnosis.explain import explain
from inplacelab.language import Text

_NO_CELL = Text("There is no cell before this one.", "前面没有单元格。")
_NO_TORCH = Text(
    "No program here has imported torch. (This package's own refusals say which lines led to them.)",
    "这里的程序没有导入 torch。（本软件包自己的拒绝信息已经指出了有关的各行。）",
)
_ASK = Text("Run the last cell again, to watch it? [y/N] ", "再运行一次上一个单元格，以便监视？[y/N] ")
_CANNOT_ASK = Text(
    "`%explain` runs the last cell again, and cannot ask here whether it may: write `%explain -y`.",
    "`%explain` 会再次运行上一个单元格，而这里无法询问是否可以：请写 `%explain -y`。",
)
_NOT_RUN = Text("The cell was not run.", "没有运行该单元格。")


def explain_last_cell(shell: Any, line: str) -> None:
    """Runs `%explain` or `%explain -y`, which does not ask."""
    cell = _last_cell(shell)
    if cell is None:
        print(_NO_CELL)
    elif "torch" not in sys.modules:
        print(_NO_TORCH)
    elif line.strip() == "-y" or _may_run():
        with explain() as found:
            shell.run_cell(cell, store_history=False)
        print(found)


def _last_cell(shell: Any) -> str | None:
    """Returns the last cell that is no call of this magic."""
    cells = [each for each in shell.history_manager.input_hist_raw if each.strip()]
    earlier = [each for each in cells if not each.lstrip().startswith("%explain")]
    return earlier[-1] if earlier else None


def _may_run() -> bool:
    try:
        answer = input(str(_ASK))
    except (EOFError, NotImplementedError, RuntimeError):  # a notebook that runs without a person
        print(_CANNOT_ASK)
        return False
    if answer.strip().lower() in ("y", "yes", "是"):
        return True
    print(_NOT_RUN)
    return False
