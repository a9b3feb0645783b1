"""Checks of exercises: what they say to a learner who has not begun, is wrong, asks again, or is right."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.language import Text, speak
from inplacelab.lessons.exercise import Exercise, Steps, exercise

FIRST, SECOND, OTHER = Text("Look at `y`.", "看 `y`。"), Text("It is large.", "它很大。"), Text("Even?", "是偶数吗？")


@pytest.fixture
def check() -> Exercise:
    @exercise
    def large_and_even(x: Any, y: Any) -> Steps:
        yield y > 10 * x, FIRST, SECOND
        yield y % 2 == 0, OTHER
        return Text("Well seen.", "看得准。")

    return large_and_even


def said(check: Exercise, **answers: Any) -> str:
    return repr(check(**answers))


def test_an_answer_is_looked_up_in_the_notebook() -> None:
    shown: dict[str, Any] = {"Text": Text, "exercise": exercise}
    program = "@exercise\ndef one(y):\n    yield y == 1, Text('One.', '一。')\ny = 1\nverdict = one()"
    exec(program, shown)
    assert shown["verdict"].solved
    exec("del y\nverdict = one()", shown)
    assert repr(shown["verdict"]).startswith("○ Not yet. There is no `y` yet: run the cell")


@pytest.mark.parametrize("unfilled", [..., [1, ...], (..., 2)])
def test_an_empty_answer_says_where_to_begin(check: Exercise, unfilled: Any) -> None:
    assert said(check, x=1, y=unfilled).startswith("○ Not yet. `y` is still `...`")


def test_a_second_wrong_answer_gets_the_next_hint_and_the_last_stays(check: Exercise) -> None:
    assert said(check, x=1, y=3) == "○ Not yet. Look at `y`. (Hint 1 of 2: run this cell again for the next.)"
    assert said(check, x=1, y=4) == "○ Not yet. It is large."
    assert said(check, x=1, y=4) == "○ Not yet. It is large."


def test_progress_gets_the_first_hint_of_the_next_check(check: Exercise) -> None:
    said(check, x=1, y=3)
    assert said(check, x=1, y=11) == "○ Not yet. Even?"


def test_an_answer_of_another_kind_is_no_error_of_the_notebook(check: Exercise) -> None:
    verdict = check(x=1, y="twelve")
    assert not verdict.solved
    assert repr(verdict).startswith("○ Not yet. Your answer is not of the kind that was asked for (TypeError: ")


def test_a_solution_is_confirmed_with_what_to_remember(check: Exercise) -> None:
    verdict = check(x=1, y=12)
    assert verdict.solved
    assert repr(verdict) == verdict._repr_markdown_() == "✓ Solved. Well seen."


def test_hints_are_said_in_the_language_of_the_notebook(check: Exercise) -> None:
    with speak("zh"):
        assert said(check, x=1, y=3) == "○ 尚未完成。看 `y`。（提示 1/2：再次运行本单元格可看下一条。）"
        assert said(check, x=1, y=12) == "✓ 做对了。看得准。"
