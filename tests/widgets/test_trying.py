"""The button that has fixes tried: it runs something only when it is pressed, and what comes of that is shown in place."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

from inplacelab.language import Text
from inplacelab.recording.facts import FixFacts
from inplacelab.recording.fixes import with_fixes
from inplacelab.recording.recording import Recording
from inplacelab_widgets import GraphView, Stepper, View, to_html

FIX = FixFacts(Text("write it later", "以后再写"), ())


def until(holds: Callable[[], Any]) -> None:
    given_up = time.monotonic() + 60
    while not holds() and time.monotonic() < given_up:
        time.sleep(0.01)
    assert holds()


def press(stepper: View) -> None:
    """As a click in the browser does."""
    stepper._handle_custom_msg({"want": "trial"}, [])


def words(stepper: View) -> list[str]:
    return [english for english, _ in stepper._trial]


@pytest.fixture
def untried(sample: Callable[[str], Recording]) -> Recording:
    return with_fixes(sample("stale"), [FIX])


def test_nothing_runs_before_the_button_is_pressed_and_then_the_stepper_says_more(untried: Recording) -> None:
    ran: list[str] = []

    def attempt(recording: Recording, tell: Callable[[Text], None], _: Event) -> Recording:
        tell(Text("trying fix 1 of 2", "正在尝试"))
        ran.append(words(stepper)[0])
        return with_fixes(recording, [replace(FIX, checked="gradients")])

    stepper = Stepper(untried, attempt=attempt)
    before = stepper._payload
    assert (ran, words(stepper)[1]) == ([], "Try these fixes")
    press(stepper)
    until(lambda: stepper._payload != before and not stepper._trial)
    assert ran == ["Trying fix 1 of 2 …"]
    error = stepper.recording.steps[-1].error
    assert error is not None
    assert [each.checked for each in error.fixes] == ["gradients"]
    assert "(Checked.)" in stepper.to_text()
    press(stepper)  # there is no button any more
    assert "Try these fixes" not in to_html(stepper.recording)


@pytest.mark.parametrize("ends", ["pressed again", "closed"])
def test_what_has_begun_can_be_ended(untried: Recording, ends: str) -> None:
    ended = Event()

    def attempt(_: Recording, __: Callable[[Text], None], stop: Event) -> Text:
        stop.wait(60)
        ended.set()
        return Text("the search has ended", "")

    stepper = Stepper(untried, attempt=attempt)
    press(stepper)
    assert words(stepper)[1] == "Cancel"
    if ends == "closed":
        stepper.close()
    else:
        press(stepper)
        until(lambda: words(stepper) == ["Canceled, so nothing was checked.", "Try these fixes"])
    assert ended.wait(60)


def test_what_prevents_it_is_one_sentence(untried: Recording) -> None:
    def fails(*_: object) -> Text:
        raise OSError

    def refuses(*_: object) -> Text:
        return Text("No fix was tried: no.", "")

    for attempt, says in (
        (refuses, "No fix was tried: no."),
        (fails, "No fix was tried: OSError in the search."),
    ):
        stepper = Stepper(untried, attempt=attempt)
        press(stepper)
        until(lambda: words(stepper) == [says, "Try these fixes"])  # noqa: B023


def test_without_something_to_try_there_is_no_button(untried: Recording, sample: Callable[[str], Recording]) -> None:
    def attempt(*_: object) -> Text:
        raise AssertionError

    assert Stepper(untried)._trial == []
    assert Stepper(sample("lesson"), attempt=attempt)._trial == []
    checked = with_fixes(untried, [replace(FIX, checked="gradients")])
    assert Stepper(checked, attempt=attempt)._trial == []
    stepper = Stepper(untried, attempt=attempt)
    assert GraphView(stepper)._trial == []
    assert words(Stepper(sample("stale"), attempt=attempt))[1] == "Look for a fix"


# --- where a program may write in place ------------------------------------------------------------------------------------


class Saves:
    """Tries it; what comes of it is given."""

    most_runs = 7

    def __init__(self, act: Callable[[Callable[[Text], None], Event], Any]) -> None:
        self._act = act

    def __call__(self, tell: Callable[[Text], None], stop: Event) -> Any:
        return self._act(tell, stop)


def press_save(stepper: View) -> None:
    stepper._handle_custom_msg({"want": "savings"}, [])


def test_where_it_may_write_in_place_is_tried_at_a_button_and_the_report_stays(
    sample: Callable[[str], Recording],
) -> None:
    told: list[Any] = []

    def act(tell: Callable[[Text], None], _: Event) -> Any:
        tell(Text("trying operation 1 of 2", "正在尝试"))
        told.append(stepper._saving)
        return [Text("peak: less", "峰值：降低"), Text("", "")], "- a\n+ b\n"

    stepper = Stepper(sample("lesson"), saving=Saves(act))
    assert "at most 7 times" in stepper._saving["says"][0]
    assert stepper._saving["button"] == ["Try", "试验"]
    assert told == []
    press_save(stepper)
    until(lambda: "report" in stepper._saving)
    assert told == [{"says": ["Trying operation 1 of 2 …", "正在尝试……"], "button": ["Cancel", "取消"]}]
    assert stepper._saving == {"report": [["peak: less", "峰值：降低"], ""], "diff": "- a\n+ b\n"}
    assert stepper._trial == []
    assert Stepper(sample("lesson"))._saving == GraphView(stepper)._saving == {}


def test_a_trial_of_that_can_be_ended_and_says_why_nothing_was_tried(sample: Callable[[str], Recording]) -> None:
    ended = Event()

    def waits(_: Callable[[Text], None], stop: Event) -> Text:
        stop.wait(60)
        ended.set()
        return Text("ended", "")

    def fails(*_: object) -> Text:
        raise OSError

    stepper = Stepper(sample("lesson"), saving=Saves(waits))
    press_save(stepper)
    press_save(stepper)
    until(lambda: stepper._saving["says"][0] == "Canceled, so nothing was checked.")
    assert stepper._saving["button"][0] == "Try"
    ended.clear()
    press_save(stepper)
    stepper.close()
    assert ended.wait(60)
    other = Stepper(sample("lesson"), saving=Saves(fails))
    press_save(other)
    until(lambda: other._saving["says"][0] == "Nothing was tried: OSError in the search.")
