"""Predict mode in a real browser: asking, answering, skipping, by pointer and by keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.quiz import quiz
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
from tests.in_browser import imported, open_page

pytestmark = pytest.mark.browser

PANEL = ".ipl-predict"


class Quiz:
    """A page that asks about the sample "stale": two questions about step 3 and one about step 5."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        open_page(page, file)
        page.locator(".ipl").focus()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def to_first_question(self) -> None:
        self.press(*["ArrowRight"] * 3)

    def step(self) -> int:
        return int(self.page.locator(".ipl-counter").inner_text().split()[0]) - 1

    def is_asking(self) -> bool:
        return bool(self.page.locator(PANEL).is_visible())

    def text(self, selector: str = "") -> str:
        return str(self.page.locator(f"{PANEL} {selector}").inner_text())

    def choose(self, *labels: str) -> None:
        for label in labels:
            self.page.locator(PANEL).get_by_label(label, exact=False).check()

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def turned_out(self) -> list[str]:
        return [words.strip() for words in self.page.locator(f"{PANEL} label strong").all_inner_texts()]

    def focus_is_in_panel(self) -> bool:
        return bool(self.page.evaluate(f"() => document.querySelector('{PANEL}').contains(document.activeElement)"))


SHOWS_WHAT_COMES = """() => {
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility())
    const covers = seen(".ipl-veil").every((veil) => getComputedStyle(veil).fillOpacity === "1")
    return !covers || seen(".ipl-ahead").some((each) => getComputedStyle(each).visibility === "visible")
}"""
"""Whether the versions or the bytes of steps to come can be read off the axis."""


@pytest.fixture
def open_quiz(chromium: Any, sample: Callable[[str], Recording], tmp_path: Path) -> Iterator[Callable[..., Quiz]]:
    contexts = []

    def open_it(*, language: str = "en", predict: bool = True, **options: Any) -> Quiz:
        context = chromium.new_context(offline=True, **{"viewport": {"width": 864, "height": 720}, **options})
        contexts.append(context)
        file = tmp_path / "stale.html"
        to_html(sample("stale"), file, language=language, predict=predict)
        return Quiz(context.new_page(), file)

    yield open_it
    for context in contexts:
        context.close()


def test_the_reader_is_asked_before_the_step_is_shown(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.press("ArrowRight", "ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (2, False)
    quiz.press("ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (2, True)
    assert quiz.text(".ipl-upcoming") == "Next: line 3 b.add_(k)"
    assert quiz.focus_is_in_panel()
    assert "v0→v1" not in quiz.page.locator(".ipl-storages svg text:visible").all_text_contents()
    assert quiz.errors == []


def test_a_right_answer_is_shown_as_right_at_the_step_it_was_about(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.to_first_question()
    quiz.choose("MultiplyGradNode", "v1")
    quiz.click("Check and step")
    assert quiz.step() == 3
    assert quiz.turned_out() == ["✓ right", "✓ right"]
    assert quiz.text(".ipl-remark") == "Right so far: 2 of 2"
    assert "S2 goes from v0 to v1." in quiz.text()
    assert quiz.page.locator(f"{PANEL} input:enabled").count() == 0
    assert quiz.page.locator(".ipl-node[data-related]:visible").count() >= 1


def test_a_wrong_answer_says_what_was_right_in_words(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.to_first_question()
    quiz.choose("none of them", "v2")
    quiz.click("Check and step")
    assert quiz.turned_out() == ["○ right, not chosen", "✗ wrong", "○ right, not chosen", "✗ wrong"]
    assert quiz.text().count("✗ Not quite.") == 2
    assert quiz.text(".ipl-remark") == "Right so far: 0 of 2"


def test_nothing_is_checked_before_every_question_has_an_answer(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.to_first_question()
    quiz.choose("none of them")
    quiz.click("Check and step")
    assert quiz.step() == 2
    assert quiz.text(".ipl-remark") == "Choose an answer to each question, or skip."
    assert quiz.page.evaluate("() => document.activeElement.name") == "version"


def test_what_was_skipped_or_answered_is_not_asked_again(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.to_first_question()
    quiz.click("Skip")
    assert (quiz.step(), quiz.is_asking()) == (3, False)
    quiz.press("ArrowLeft", "ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (3, False)
    quiz.press("ArrowRight", "ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (4, True)
    quiz.choose("yes, at")
    quiz.click("Check and step")
    assert quiz.text(".ipl-remark") == "Right so far: 1 of 1"
    quiz.press("ArrowLeft", "ArrowRight", "ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (6, False)


def test_all_of_it_by_keyboard(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz(predict=False)
    quiz.press("p", "Shift+ArrowRight", "ArrowRight", "ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (2, True)
    quiz.press("ArrowDown", "ArrowUp", " ", "Tab", "Tab")
    quiz.press("ArrowDown", "Enter")  # radio buttons have arrow keys of their own
    assert quiz.step() == 3
    assert quiz.turned_out() == ["✓ right", "✓ right"]
    quiz.press("ArrowRight", "ArrowRight")
    assert (quiz.step(), quiz.is_asking()) == (4, True)
    quiz.press("Escape")
    assert (quiz.step(), quiz.is_asking()) == (4, False)
    assert quiz.page.locator(".ipl:focus").count() == 1
    quiz.press("ArrowRight", "p")
    assert quiz.is_asking()
    quiz.press("Tab", "Tab", "Enter")
    assert (quiz.step(), quiz.is_asking()) == (5, False)
    assert quiz.errors == []


def test_the_switch_and_the_key_turn_it_on_and_off(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz(predict=False)
    quiz.press("l")
    switch = quiz.page.get_by_role("button", name="Predict")
    assert (switch.get_attribute("aria-pressed"), quiz.page.evaluate(SHOWS_WHAT_COMES)) == ("false", True)
    switch.click()
    assert (switch.get_attribute("aria-pressed"), quiz.page.evaluate(SHOWS_WHAT_COMES)) == ("true", False)
    quiz.page.locator(".ipl").focus()
    quiz.to_first_question()
    assert quiz.is_asking()
    switch.click()
    assert not quiz.is_asking()
    quiz.page.locator(".ipl").focus()
    quiz.press("ArrowRight")
    assert quiz.step() == 3


def test_a_jump_to_the_end_shows_the_end_and_asks_later(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.press("End")
    assert (quiz.step(), quiz.is_asking()) == (9, False)
    quiz.press("Home")
    quiz.to_first_question()
    assert quiz.is_asking()


def test_playing_stops_where_something_is_asked(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    quiz.press(" ")
    quiz.page.wait_for_selector(PANEL, state="visible")
    assert quiz.step() == 2
    quiz.page.wait_for_selector("[title^=Play]")


def test_nothing_jumps_while_it_asks(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz()
    heights = set()

    def measure() -> None:
        heights.add(quiz.page.locator(".ipl").bounding_box()["height"])

    measure()
    quiz.to_first_question()
    measure()
    quiz.choose("none of them", "v2")
    quiz.click("Check and step")
    measure()
    quiz.click("Look at the picture")
    measure()
    assert len(heights) == 1


def test_it_asks_in_the_reader_s_language_and_keeps_what_is_ticked(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz(language="zh")
    quiz.to_first_question()
    assert "接下来：第 3 行" in quiz.text()
    assert "保存的张量中，哪些会过期？" in quiz.text()
    quiz.choose("都不会", "v1")
    quiz.page.locator(".ipl-tongue").click()
    assert "Which saved tensors will become stale?" in quiz.text()
    quiz.click("Check and step")
    assert quiz.text(".ipl-remark") == "Right so far: 1 of 2"


def test_it_speaks_to_those_who_do_not_see_it(open_quiz: Callable[..., Quiz]) -> None:
    quiz = open_quiz(color_scheme="dark")
    quiz.to_first_question()
    page = quiz.page
    assert page.get_by_role("form", name="Next: line 3 b.add_(k)").count() == 1
    assert page.get_by_role("group", name="Which saved tensors will become stale?").get_by_role("checkbox").count() == 2
    assert page.get_by_role("group", name="What will the version of S2 (b) be?").get_by_role("radio").count() == 3
    assert page.locator(f"{PANEL} .ipl-remark").count() == 1  # read aloud: tests/e2e/test_read_aloud.py


def in_a_notebook(chromium: Any, record: Recording, file: Path, **state: Any) -> Quiz:
    """The module that anywidget loads, with a model that keeps what it receives, as the kernel's would."""
    sent = payload(scene_of(record), quiz(record))
    given = {"step": 0, "language": "en", "mode": "event", "answers": [], "toolbar": True} | state
    model = (
        "const model = { saved: 0, get: (key) => window.state[key], set: (key, value) => { window.state[key] = value; },"
        " save_changes() { this.saved += 1; }, on() {}, off() {} };"
    )
    data = json.dumps(given | {"_payload": sent}).replace("<", "\\u003c")
    file.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><style>{stylesheet()}</style><main></main><script type="module">'
        f'{imported(javascript())}window.state = {data};{model}render({{ model, el: document.querySelector("main") }});</script>',
        encoding="utf-8",
    )
    return Quiz(chromium.new_context(offline=True).new_page(), file)


def test_a_notebook_s_model_receives_every_answer(
    chromium: Any, sample: Callable[[str], Recording], tmp_path: Path
) -> None:
    page = in_a_notebook(chromium, sample("stale"), tmp_path / "model.html", predict=True)
    page.to_first_question()
    page.choose("MultiplyGradNode", "v0")
    page.click("Check and step")
    page.press("ArrowRight", "ArrowRight")
    page.click("Skip")
    assert page.page.evaluate("() => window.state.answers") == [
        {"step": 3, "kind": "stale", "chosen": [0], "right": True},
        {"step": 3, "kind": "version", "chosen": [0], "right": False},
        {"step": 5, "kind": "raises", "chosen": None, "right": None},
    ]
    page.press("p")
    assert page.page.evaluate("() => window.state.predict") is False
    page.page.context.close()


@pytest.mark.parametrize("tells_ahead", [True, False])
def test_where_a_lesson_asks_a_step_is_named_only_when_it_is_reached(
    chromium: Any, sample: Callable[[str], Recording], tmp_path: Path, tells_ahead: bool
) -> None:
    page = in_a_notebook(chromium, sample("stale"), tmp_path / "asks.html", _tells_ahead=tells_ahead)
    chapters, failure = page.page.locator(".ipl-chapter"), page.page.locator(".ipl-to-failure")

    def named() -> int:
        return sum(chapters.nth(k).is_visible() for k in range(chapters.count()))

    before = chapters.first.bounding_box()
    assert (named() == chapters.count()) == failure.is_visible() == tells_ahead
    page.press("End")
    assert named() == chapters.count() > 1
    page.press("Home")
    assert named() == chapters.count(), "what was seen stays"
    assert failure.is_visible()
    assert chapters.first.bounding_box() == before
    page.page.context.close()
