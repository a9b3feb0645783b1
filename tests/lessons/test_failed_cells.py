"""A cell that raised before it assigned an answer: the answer of an earlier run is not judged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.language import speak

SET_UP = """
from inplacelab.language import Text
from inplacelab.lessons import exercise
import inplacelab as paddle
@exercise
def one(y):
    yield y == 1, Text("Not one.", "不是一。")
@exercise
def recorded(mine, y):
    yield mine.steps[-1].error is not None, Text("No error.", "没有报错。")
    yield y == 1, Text("Not one.", "不是一。")
@exercise
def defined(double):
    yield double(2) == 4, Text("No double.", "不是两倍。")
"""


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    with capture_output():
        shell.run_line_magic("load_ext", "inplacelab")
        assert shell.run_cell(SET_UP).success
    yield shell
    shell.reset()
    InteractiveShell.clear_instance()


def said(shell: InteractiveShell, *cells: str, check: str = "one()") -> str:
    with capture_output():
        for cell in cells:
            shell.run_cell(cell)
        return repr(shell.run_cell(check).result)


@pytest.mark.parametrize(
    "cell",
    [
        "y = undefined",
        "y = (1 +\n    undefined)",
        "raise ValueError\ny = 2",
        "x = undefined\ny = 2",
        "a, y = 3",
        "if True:\n    undefined\n    y = 2",
        "y = = 2",
        "y: int = undefined",
        "%%stepper\ny = undefined",
        "%%stepper --name mine\ny = = 2",
        "%%stepper --nam mine\ny = 2",
    ],
)
def test_an_answer_of_an_earlier_run_is_not_judged(shell: InteractiveShell, cell: str) -> None:
    assert "`y` is still that of an earlier run" in said(shell, "y = 1", cell)
    assert said(shell, "y = 1") == "✓ Solved.", "until a cell assigns it"


def test_nor_is_one_that_was_never_there(shell: InteractiveShell) -> None:
    assert "so there is no `y` yet" in said(shell, "y = undefined")
    with speak("zh"):
        assert said(shell).startswith("○ 尚未完成。给 `y` 赋值的单元格在赋值之前就报错了")


@pytest.mark.parametrize(
    "cell",
    [
        "y = 1\nundefined",
        "for y in [1]:\n    undefined",
        "try:\n    y = 1\n    undefined\nfinally:\n    pass",
        "def other():\n    y = 2\ny = 1\nundefined",
        "%%stepper\ny = 1\nundefined",
        "other = undefined",
    ],
)
def test_one_that_was_assigned_before_the_error_is(shell: InteractiveShell, cell: str) -> None:
    assert said(shell, "y = 1", cell) == "✓ Solved."


def test_a_recording_of_a_program_that_raises_is_judged(shell: InteractiveShell) -> None:
    """Exercises may be meant to raise."""
    cell = "%%stepper --name mine\ny = 1\nw = paddle.ones([2])\nw.stop_gradient = False\nw.scale_(2.)"
    assert said(shell, cell, check="recorded()") == "✓ Solved."
    assert "`mine` is still that of" in said(shell, "%%stepper --name mine\ny = = 1", check="recorded()")


def test_a_function_with_an_error_in_its_text_is_not_that_of_before(shell: InteractiveShell) -> None:
    right = "def double(x):\n    return 2 * x"
    assert said(shell, right, check="defined()") == "✓ Solved."
    assert "`double` is still that of" in said(shell, "def double(x):\n    return 2 *", check="defined()")
    assert "raised an error when it was checked" in said(
        shell, "def double(x):\n    return undefined", check="defined()"
    )


def test_an_answer_that_is_handed_over_is_judged(shell: InteractiveShell) -> None:
    assert said(shell, "y = undefined", check="one(y=1)") == "✓ Solved."


def test_a_check_outside_the_notebook_has_nothing_to_do_with_its_cells(shell: InteractiveShell) -> None:
    assert "raised an error" in said(shell, "y = undefined")
    module = {"one": shell.user_ns["one"], "y": 1}
    assert repr(eval("one()", module)) == "✓ Solved."


def test_names_that_are_gone_are_forgotten(shell: InteractiveShell) -> None:
    assert "`y` is still that of" in said(shell, "y = 1", "y = undefined")
    shell.reset(new_session=False)
    shell.user_ns["y"] = 1
    assert said(shell, SET_UP) == "✓ Solved."
