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


@exercise
def kinds_of_names(kinds: dict[str, str]) -> Steps:
    yield set(kinds) == {"a", "b"}, Text("Which names?", "哪些名字？")
    yield kinds["a"] == "view", Text("Does `a` share?", "`a` 共享吗？")
    yield kinds["b"] == "ReluGradNode", Text("And `b`?", "`b` 呢？")
    return None


@exercise
def three(count: Any) -> Steps:
    yield count == 3, Text("Count again.", "再数一遍。")
    return None


@exercise
def first_two(numbers: Any) -> Steps:
    yield numbers[0] == 1, Text("The first?", "第一个？")
    yield numbers[1] == 2, Text("The second?", "第二个？")
    return None


@exercise
def doubles(double: Any) -> Steps:
    yield double(2) == 4, Text("Of 2?", "2 的两倍？")
    return None


@pytest.mark.parametrize("view", ["view", "View", " VIEW ", "'view'", "`view`", "“view”"])
def test_capitals_spaces_and_quotation_marks_do_not_matter(view: str) -> None:
    right = {"a": view, "b": "ReluGradNode"}
    assert kinds_of_names(kinds=right).solved == (view == "view")  # small letters cannot be compared with capitals
    assert said(kinds_of_names, kinds={**right, "b": "x"}) == "○ Not yet. And `b`?"


def test_words_may_be_in_a_list_as_well() -> None:
    @exercise
    def both(names: Any) -> Steps:
        yield set(names) == {"a", "b"}, Text("Which?", "哪些？")
        return None

    for names in (["A", "b"], ("a", " B"), {"A", "B"}, ["a", "b"]):
        assert both(names=names).solved


@pytest.mark.parametrize("count", ["3", "4", " 3 ", ["3"], {"a": "3.0"}])
def test_a_number_in_quotes_gets_a_sentence(count: Any) -> None:
    assert said(three, count=count).startswith("○ Not yet. Write numbers, without quotes: ")
    with speak("zh"):
        assert said(three, count="12") == "○ 尚未完成。请写数字，不加引号：12，而不是 '12'。"


def test_a_text_that_was_asked_for_may_be_a_number() -> None:
    assert exercise(kinds_of_names._steps)(kinds={"a": "view", "b": "ReluGradNode"}).solved

    @exercise
    def a_name(name: Any) -> Steps:
        yield name == "0", Text("Which name?", "哪个名字？")
        return None

    assert a_name(name="0").solved


@pytest.mark.parametrize(
    ("kinds", "is_a"),
    [
        (["a", "b"], "a list, `[…]`"),
        ({"a", "b"}, "a set, `{…}`"),
        ("a", "text"),
        (3, "a whole number"),
        (None, "`None`"),
    ],
)
def test_a_wrong_type_is_named_with_the_right_one_where_the_check_says_it(kinds: Any, is_a: str) -> None:
    assert (
        said(kinds_of_names, kinds=kinds)
        == f"○ Not yet. `kinds` is {is_a}, and should be a dictionary, `{{key: value}}`."
    )


def test_a_check_may_ask_for_a_list_or_a_number() -> None:
    @exercise
    def named(lines: list[int], slope: float) -> Steps:
        yield lines[0] == 1, Text("Which?", "哪些？")
        yield slope == 2, Text("How steep?", "多陡？")
        return None

    assert named(lines=(1,), slope=2).solved
    assert said(named, lines={1: 2}, slope=2).endswith(
        "`lines` is a dictionary, `{key: value}`, and should be a list, `[…]`."
    )
    with speak("zh"):
        assert said(named, lines=1, slope=2) == "○ 尚未完成。`lines` 的类型不对：应当是列表，形如 `[…]`，而现在是整数。"


@pytest.mark.parametrize(
    ("check", "answer", "words"),
    [
        (first_two, 7, "Which kind of answer does the exercise ask for? `numbers` is a whole number"),
        (first_two, [1], "Your answer has too few parts."),
        (first_two, {1: 2}, "Your answer has no entry 0."),
        (doubles, "2 * x", "Which kind of answer does the exercise ask for? `double` is text"),
        (doubles, lambda x: x.shape, "Your answer raised an error when it was checked (AttributeError: "),
    ],
)
def test_where_it_does_not_there_is_a_sentence_too(check: Exercise, answer: Any, words: str) -> None:
    verdict = check(**{check._asks_for[0]: answer})
    assert not verdict.solved
    assert repr(verdict).startswith(f"○ Not yet. {words}")


@pytest.mark.parametrize("unfilled", [{"a": ...}, {...}])
def test_dots_in_a_dictionary_or_a_set_are_unfilled_too(unfilled: Any) -> None:
    assert "is still `...`" in said(three, count=unfilled)


def test_a_solution_is_confirmed_with_what_to_remember(check: Exercise) -> None:
    verdict = check(x=1, y=12)
    assert verdict.solved
    assert repr(verdict) == verdict._repr_markdown_() == "✓ Solved. Well seen."


def test_hints_are_said_in_the_language_of_the_notebook(check: Exercise) -> None:
    with speak("zh"):
        assert said(check, x=1, y=3) == "○ 尚未完成。看 `y`。（提示 1/2：再次运行本单元格可看下一条。）"
        assert said(check, x=1, y=12) == "✓ 做对了。看得准。"
