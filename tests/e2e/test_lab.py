"""Tests the main use: open the lesson in JupyterLab, run it, and step with the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.in_lab import new_page, run_all

pytestmark = pytest.mark.e2e

LESSON = "02_in_place_and_versions.ipynb"
CHINESE = re.compile(r"[\u4e00-\u9fff]")

NUMBER_OF_CELLS = "() => window.theNotebook().content.model.cells.length"
GO_TO_CELL = """words => {
    const notebook = window.theNotebook().content
    const sources = [...notebook.model.cells].map(cell => cell.sharedModel.source)
    notebook.activeCellIndex = sources.findIndex(source => source.includes(words))
    void notebook.scrollToItem(notebook.activeCellIndex, 'start')
}"""
USE_THEME = "theme => { void window.jupyterapp.commands.execute('apputils:change-theme', { theme }) }"
THEME_IS = "light => document.body.dataset.jpThemeLight === String(light)"


class Page:
    """A lesson that was run in JupyterLab, with the browser's errors."""

    def __init__(self, page: Any, url: str) -> None:
        self.browser_page = page
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("console", self._note_complaint)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._note_foreign(request.url, urlsplit(url).hostname))
        page.goto(url)
        run_all(page)

    def _note_complaint(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _note_foreign(self, url: str, home: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"blob", "data"} and parts.hostname != home:
            self.foreign.append(url)

    def stepper(self, words: str) -> Stepper:
        """Returns the stepper under the cell whose source contains `words`."""
        self.browser_page.evaluate(GO_TO_CELL, words)
        player = self.browser_page.locator(".jp-CodeCell", has_text=words).locator(".ipl")
        player.wait_for()
        player.scroll_into_view_if_needed()
        return Stepper(player)

    def use_theme(self, theme: str, *, light: bool) -> None:
        self.browser_page.evaluate(USE_THEME, theme)
        self.browser_page.wait_for_function(THEME_IS, arg=light)

    def number_of_cells(self) -> int:
        return int(self.browser_page.evaluate(NUMBER_OF_CELLS))


class Stepper:
    """One stepper on the page."""

    def __init__(self, player: Any) -> None:
        self.player = player

    def press(self, key: str) -> None:
        self.player.page.keyboard.press(key)

    def line(self) -> str:
        return str(self.player.locator("[aria-current=step] code").inner_text())

    def sentence(self) -> str:
        return str(self.player.locator("[role=status]").inner_text())

    def versions(self) -> list[str]:
        """Returns the texts of the visible version counters."""
        texts = self.player.locator(".ipl-storages svg text.ipl-value:visible").all_text_contents()
        return [text for text in texts if re.fullmatch(r"v\d+(→v\d+)?", text)]


@pytest.fixture(scope="module", params=["en", "zh"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lesson(lab: str, chromium: Any, language: str) -> Iterator[Page]:
    page = new_page(chromium, viewport={"width": 1280, "height": 900})
    yield Page(page, f"{lab}/lab/tree/{language}/{LESSON}?reset")
    page.context.close()


def test_the_lesson_is_stepped_with_the_keyboard(lesson: Page, language: str, screenshots: Path) -> None:
    cells = lesson.number_of_cells()
    stepper = lesson.stepper("--name in_place")
    stepper.player.focus()
    stepper.press("Home")

    seen = [(stepper.line(), stepper.versions(), stepper.sentence())]
    for _ in range(3):
        stepper.press("ArrowRight")
        seen.append((stepper.line(), stepper.versions(), stepper.sentence()))

    assert [line.split(" = ")[-1] for line, _, _ in seen] == [
        "paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])",
        "x[1]",
        "x.scale_(10.)",
        "row.zero_()",
    ]
    assert [versions for _, versions, _ in seen] == [["v0"], ["v0"], ["v0→v1"], ["v1→v2"]]
    sentences = [sentence for _, _, sentence in seen]
    assert len(set(sentences)) == len(sentences)
    assert "scale_" in sentences[2]
    assert all(bool(CHINESE.search(sentence)) == (language == "zh") for sentence in sentences)

    stepper.press("ArrowLeft")
    assert stepper.line() == "y = x.scale_(10.)"

    # JupyterLab's shortcuts are inactive while the stepper has the focus: `b` would insert a cell.
    stepper.press("b")
    assert lesson.number_of_cells() == cells

    for name, light in {"Dark": False, "Light": True}.items():
        lesson.use_theme(f"JupyterLab {name}", light=light)
        lesson.browser_page.screenshot(path=screenshots / f"lab-{language}-{name.lower()}.png")
    assert lesson.errors == []
    assert lesson.foreign == []


@pytest.mark.parametrize(("theme", "rules"), [("Light", None), ("Dark", ["cat.color"])])
def test_axe_finds_nothing(
    lesson: Page, axe: Callable[[Any, list[str] | None], list[str]], theme: str, rules: list[str] | None
) -> None:
    """A theme changes only colors, so other rules are checked once."""
    lesson.stepper("--name in_place").press("End")
    lesson.use_theme(f"JupyterLab {theme}", light=theme == "Light")
    complaints = axe(lesson.browser_page, rules)
    lesson.use_theme("JupyterLab Light", light=True)
    assert complaints == []


def test_backward_is_stepped_into_and_a_refusal_is_explained(lesson: Page, language: str, screenshots: Path) -> None:
    gradient = lesson.stepper("--name gradient")
    gradient.player.focus()
    gradient.press("Home")
    gradient.press("PageDown")
    assert gradient.line() == "y.sum().backward()"
    inside = set()
    for _ in range(3):
        inside.add(gradient.sentence())
        gradient.press("ArrowRight")
        assert gradient.line() == "y.sum().backward()"
    assert len(inside) == 3
    lesson.browser_page.screenshot(path=screenshots / f"backward-{language}.png")

    refused = lesson.stepper("--name refused")
    refused.player.focus()
    refused.press("End")
    assert refused.line() == "w.scale_(2.)"
    assert refused.versions() == ["v0"]
    lesson.browser_page.screenshot(path=screenshots / f"refused-{language}.png")
    assert lesson.errors == []
    assert lesson.foreign == []


def test_without_a_prediction_answers_are_folded(lesson: Page, language: str, screenshots: Path) -> None:
    page = lesson.browser_page
    page.evaluate(GO_TO_CELL, 'reveal("refused"')
    summary = page.locator("summary", has_text={"en": "Show me anyway", "zh": "直接看答案"}[language])
    fold = page.locator("details", has=summary, has_text="Leaf Var")  # the error of the program stands there, too
    answers = fold.locator("> ul > li")
    answers.first.wait_for(state="attached")
    assert not answers.first.is_visible()
    fold.locator("> summary").click()
    answers.first.wait_for()
    page.screenshot(path=screenshots / f"anyway-{language}.png")
    assert lesson.errors == []


def test_a_prediction_is_entered_and_compared_with_the_recording(
    lesson: Page, language: str, screenshots: Path
) -> None:
    page = lesson.browser_page
    page.evaluate(GO_TO_CELL, "%%predict in_place")
    question = page.locator(".jp-CodeCell", has_text="%%predict in_place").locator(".ipl-asking")
    question.wait_for()
    compared = question.locator("[role=status] > div")
    for answer in ("[40, 50, 60]", "[10, 20, 30, 40, 50, 60]", "True"):
        question.get_by_role("radio", name=answer, exact=True).check()
    question.get_by_role("textbox").fill("2")
    question.locator("button[type=submit]").click()
    compared.nth(3).wait_for()  # the kernel has compared: the cell with the facts has run
    assert [line[0] for line in compared.all_inner_texts()] == ["✓", "✗", "✓", "✓"]
    page.screenshot(path=screenshots / f"predicted-{language}.png")
    assert lesson.errors == []
