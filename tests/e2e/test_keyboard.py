"""Walks a lesson from its first to its last cell without a mouse, and presses the notebook's keys inside the widgets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.in_lab import CLEAR, IS_OPEN, OPEN, READY, STARTED, new_page, until_equal
from tests.tiers import choose

pytestmark = pytest.mark.e2e

LESSON = "01_storage_and_views.ipynb"
LETTERS = ["b", "a", "x", "d", "d", "y", "Shift+M"]
"""They insert, cut, delete and change cells, and mean nothing in a stepper."""

CELLS = "() => [...window.theNotebook().content.model.cells].map(cell => [cell.type, cell.sharedModel.source])"
ACTIVE = "() => window.theNotebook().content.activeCellIndex"
FOCUSED = "() => window.theNotebook().content.widgets.findIndex(cell => cell.node === document.activeElement)"
RUNS = "k => window.theNotebook().content.model.cells.get(k).executionCount"
HAS_RUN = """([k, before]) => {
    const { executionCount, executionState } = window.theNotebook().content.model.cells.get(k)
    return executionCount > before && executionState !== 'running'
}"""
ERRORS = """() => [...window.theNotebook().content.model.cells].flatMap(cell => cell.type === 'code' ? cell.outputs.toJSON() : [])
    .filter(output => output.output_type === 'error').map(output => output.evalue)"""
IS_DRAWN = "([k, widget]) => window.theNotebook().content.widgets[k].node.querySelector(widget)?.checkVisibility()"
IS_IN = "([k, widget]) => document.activeElement.closest(widget) === window.theNotebook().content.widgets[k].node.querySelector(widget)"
LINES_IN = """([k, inside]) => [...window.theNotebook().content.widgets[k].node.querySelectorAll(inside)].map(each => each.textContent)"""
TYPE_OF_CONTROL = "() => document.activeElement.type"

QUESTION, PLAYER = ".ipl-asking", ".ipl"

PROGRAM = "a = paddle.ones([3])\na.scale_(2.)"
WIDGETS = [
    f"%%stepper --name rec\n{PROGRAM}",
    f"%%stepper --against rec\n{PROGRAM}",
    "show_ranks([recorded('extra-rank0'), recorded('extra-rank1')])",
    "with kernels.launches() as launched:\n    kernels.run('relu_', paddle.ones([64]))\nKernelView(launched)",
    "ListView(TABLE)",
    "%%predict answer\none: ?\ntwo: yes | no",
]
"""A cell for each kind of widget."""
IMPORTS = """\
%load_ext inplacelab
import inplacelab as paddle
from inplacelab import kernels
from inplacelab.lessons import recorded
from inplacelab.ops.table.views_and_copies import TABLE
from inplacelab_widgets import KernelView, ListView, show_ranks"""


class Walk:
    """A reader of the open notebook who has only a keyboard."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def active(self) -> int:
        return int(self.page.evaluate(ACTIVE))

    def focused(self) -> int:
        """Returns the cell that has the focus itself, and not something in it; -1: none."""
        return int(self.page.evaluate(FOCUSED))

    def lines(self, cell: int, inside: str) -> list[str]:
        return list(self.page.evaluate(LINES_IN, [cell, inside]))

    def cells(self) -> list[list[str]]:
        return list(self.page.evaluate(CELLS))

    def runs(self, cell: int) -> int:
        return self.page.evaluate(RUNS, cell) or 0

    def is_in(self, cell: int, widget: str) -> bool:
        return bool(self.page.evaluate(IS_IN, [cell, widget]))

    def run(self, key: str, cell: int, leads_to: int) -> None:
        """Runs a code cell with a key, and waits until it has run and the cell that follows has the focus."""
        before = self.runs(cell)
        self.press(key)
        self.page.wait_for_function(HAS_RUN, arg=[cell, before])
        until_equal(self.page, self.active, leads_to)

    def enter(self, cell: int, widget: str) -> None:
        """Goes back from the cell below into a widget."""
        self.page.wait_for_function(IS_DRAWN, arg=[cell, widget])
        self.press("Shift+Tab")
        assert self.is_in(cell, widget)

    def answer(self, cell: int) -> None:
        """Answers each part of a question, from the first to the button."""
        self.enter(cell, QUESTION)
        while self.is_in(cell, QUESTION):
            self.press("Shift+Tab")
        self.press("Tab")
        while (control := self.page.evaluate(TYPE_OF_CONTROL)) != "submit":
            assert self.is_in(cell, QUESTION)
            self.press("5" if control == "text" else " ", "Tab")
        self.press("Enter")


def start(page: Any) -> Walk:
    """Waits for the notebook that the page opens, which then has the focus."""
    page.wait_for_function(IS_OPEN)
    page.wait_for_function(READY)
    page.evaluate(CLEAR)
    return Walk(page)


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    page = new_page(chromium, viewport={"width": 1280, "height": 900})
    yield page
    page.context.close()


@pytest.mark.parametrize("language", choose(["en"], ["en"], ["en", "zh"]))
def test_a_lesson_is_walked_from_the_first_to_the_last_cell_without_a_mouse(lab: str, page: Any, language: str) -> None:
    page.goto(f"{lab}/lab/tree/{language}/{LESSON}?reset")
    walk = start(page)
    cells = walk.cells()
    asked: list[int] = []
    stepped: list[int] = []
    for k, (kind, source) in enumerate(cells):
        until_equal(page, walk.focused, k)
        if kind == "markdown":
            walk.press("Shift+Enter")
            continue
        walk.run("Shift+Enter", k, leads_to=k + 1)
        if source.startswith("%%predict"):
            if asked:
                walk.enter(k, QUESTION)  # at its last control: "I don't know"
                walk.press("Enter")
            else:
                walk.answer(k)
            asked.append(k)
        elif source.startswith("%%stepper") and not stepped:
            step_through(walk, k)
            stepped.append(k)
    assert walk.active() == len(cells)  # JupyterLab appends a cell
    assert all(walk.runs(k) for k, (kind, _) in enumerate(cells) if kind == "code")
    assert page.evaluate(ERRORS) == []
    assert (len(asked), len(stepped)) == (6, 1)
    first, *others = [[line[0] for line in walk.lines(k, "[role=status] > div")] for k in asked]
    assert len(first) == 3
    assert set(first) <= {"✓", "✗"}
    assert [set(marks) for marks in others] == [{"○"}] * (len(asked) - 1)


def step_through(walk: Walk, cell: int) -> None:
    """Steps with the arrow keys, and leaves the stepper with each key that leads out of it."""
    walk.enter(cell, PLAYER)
    walk.press("Home", "ArrowRight")
    assert walk.lines(cell, ".ipl-counter")[0].startswith("2 ")

    walk.press("Escape")
    assert walk.focused() == cell
    walk.press("ArrowDown")  # it skips collapsed cells
    assert walk.active() > cell
    walk.press("ArrowUp")
    assert walk.active() == cell
    walk.run("Shift+Enter", cell, leads_to=cell + 1)

    walk.enter(cell, PLAYER)
    walk.run("Control+Enter", cell, leads_to=cell)
    walk.run("Shift+Enter", cell, leads_to=cell + 1)
    walk.enter(cell, PLAYER)
    walk.run("Shift+Enter", cell, leads_to=cell + 1)


def test_in_every_widget_the_notebook_s_keys_run_cells_and_its_letters_do_nothing(lab: str, page: Any) -> None:
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function(STARTED)
    page.evaluate(OPEN, ["keys.ipynb", [IMPORTS, *WIDGETS, "done = True"]])
    walk = start(page)
    walk.run("Shift+Enter", 0, leads_to=1)
    before = walk.cells()
    for cell in range(1, 1 + len(WIDGETS)):
        walk.run("Shift+Enter", cell, leads_to=cell + 1)
        walk.enter(cell, PLAYER)
        walk.press(*LETTERS)
        assert walk.cells() == before
        assert walk.is_in(cell, PLAYER)
        walk.run("Shift+Enter", cell, leads_to=cell + 1)
    walk.enter(cell, PLAYER)
    walk.run("Alt+Enter", cell, leads_to=cell + 1)  # it inserts the cell to which it leads
    assert len(walk.cells()) == len(before) + 1


def test_in_notebook_7_a_stepper_is_left_with_shift_enter(notebook7: str, page: Any) -> None:
    page.goto(notebook7)
    walk = start(page)
    walk.run("Shift+Enter", 0, leads_to=1)
    walk.run("Shift+Enter", 1, leads_to=2)
    walk.press("Escape")  # the cell that was appended is being edited
    before = walk.cells()
    walk.enter(1, PLAYER)
    walk.press(*LETTERS)
    assert walk.cells() == before
    walk.run("Shift+Enter", 1, leads_to=2)
