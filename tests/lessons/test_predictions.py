"""Predictions: how a question is read, what counts as right, and that nothing is given away before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.language import speak
from inplacelab.lessons import predictions
from inplacelab.lessons.predictions import ask, parse, reveal, score

pytest.importorskip("anywidget")

from inplacelab_widgets.small_views import QuestionView  # needs anywidget

TEXT = """strides of `t`: (3, 1) | (1, 3)
zeros: x & same & part
`a.grad`: 2 = all 2 | 4 = all 4 | None = an error
slot: ?"""


@pytest.fixture(autouse=True)
def session() -> Iterator[None]:
    predictions.forget()
    yield
    predictions.forget()


def test_the_parts_of_a_question() -> None:
    strides, zeros, gradient, slot = parse(TEXT)
    assert [option.value for option in strides.options] == [(3, 1), (1, 3)]
    assert (zeros.several, strides.several) == (True, False)
    assert [(option.words, option.value) for option in gradient.options][1:] == [("all 4", 4), ("an error", None)]
    assert slot.options == ()


@pytest.mark.parametrize("text", ["", "no answers", "label:", ": ?", "one: ?\nand no colon"])
def test_a_malformed_question_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|question"):
        parse(text)


def test_right_and_wrong_are_told_part_by_part() -> None:
    asked = ask("all", TEXT)
    asked.answer([[1], [0, 2], [0], " 5 "])
    reveal("all", [1, 3], {"x", "part"}, 4, 6)
    assert asked.compared == (True, True, False, False)
    assert asked.lines()[2:] == ["✗ `a.grad`: you said all 2; it is all 4", "✗ slot: you said 5; it is 6"]
    assert repr(score()) == "✓ all: 2 of 4"


def test_what_was_left_open_is_told_and_not_counted() -> None:
    asked = ask("all", TEXT)
    asked.answer([[1], None, None, None])
    reveal("all", [1, 3], {"x", "part"}, 4, None)
    assert asked.compared == (True, None, None, None)
    assert asked.lines()[1:3] == [
        "○ zeros: you left it open; it is x, part",
        "○ `a.grad`: you left it open; it is all 4",
    ]
    assert repr(score()) == "✓ all: 1 of 1"
    with speak("zh"):
        assert asked.lines()[3] == "○ slot：你没有作答；答案：None"


def test_a_prediction_that_is_all_open_shows_the_answers_and_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ask("q", "n: ?")
    asked.answer([None])
    asked.answer(["123"])  # the first counts
    reveal("q", 123)
    assert "it is 123" in capsys.readouterr().out
    assert repr(score()) == "○ No prediction was entered."


def test_the_first_prediction_counts() -> None:
    asked = ask("q", "n: ?")
    asked.answer(["1"])
    asked.answer(["2"])
    assert asked.choices == ["1"]


def test_without_a_prediction_no_answer_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ask("q", "n: ?")
    reveal("q", 123)
    assert "123" not in capsys.readouterr().out
    asked.answer(["123"])
    assert asked.lines() == ["✓ n: 123"]
    assert asked.answers() == ["n: 123"]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("67,108,864", 2**26),
        ("64 * 512 * 512 * 4", 2**26),
        ("67 108 864", 2**26),
        ("（3，1）", (3, 1)),
        ("3, 1", [3, 1]),
        ("[3, 1]", (3, 1)),
        ("-1", -1),
        ("0.5", 0.5),
        ("1/2", 0.5),
        ("relu", "relu"),
        ("True", True),
    ],
)
def test_an_answer_may_be_written_in_several_ways(said: str, fact: Any) -> None:
    asked = ask("q", "n: ?")
    reveal("q", fact)
    asked.answer([said])
    assert asked.compared == (True,)


@pytest.mark.parametrize(
    ("said", "fact"), [("1", True), ("0", False), ("12", 1), ("(3, 1, 1)", (3, 1)), ("9**9**9", 1)]
)
def test_what_only_looks_alike_is_wrong(said: str, fact: Any) -> None:
    asked = ask("q", "n: ?")
    reveal("q", fact)
    asked.answer([said])
    assert asked.compared == (False,)


@given(st.text(max_size=300))
def test_any_text_is_an_answer(said: str) -> None:
    asked = ask("q", "n: ?")
    asked.answer([said])
    asked.reveal([object()])
    assert asked.compared == (False,)


@given(st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)))
def test_several_options_are_right_if_all_of_them_and_no_others_are_chosen(chosen: set[int], right: set[int]) -> None:
    asked = ask("q", "which: 0 & 1 & 2 & 3")
    asked.answer([sorted(chosen)])
    asked.reveal([right])
    assert asked.compared == (chosen == right,)


def test_an_authors_errors_are_refused() -> None:
    ask("q", "n: 1 | 2")
    with pytest.raises(ValueError, match="none of the options"):
        reveal("q", 3)
    with pytest.raises(ValueError, match="1 parts, and 2 facts"):
        reveal("q", 1, 2)
    with pytest.raises(LookupError, match="run its cell first"):
        reveal("other", 1)


class Stepper:
    answers: ClassVar = [
        {"chosen": [1], "right": True},
        {"chosen": [0], "right": False},
        {"chosen": None, "right": None},
    ]


def test_the_score_counts_steppers_too_and_says_the_total() -> None:
    assert repr(score()) == "○ No prediction was entered."
    predictions.watch("turned", Stepper())
    ask("q", "n: ?").answer(["1"])
    reveal("q", 1)
    assert repr(score()).splitlines() == ["✓ q: 1 of 1", "✓ turned: 1 of 2", "Right: 2 of 3 predictions."]
    with speak("zh"):
        assert repr(score()).splitlines()[-1] == "共答对 2 / 3 个预测。"


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "inplacelab")
    yield shell
    shell.reset()
    InteractiveShell.clear_instance()


def test_what_is_entered_in_the_widget_is_compared_when_the_facts_are_known(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    views: list[QuestionView] = []
    monkeypatch.setattr(QuestionView, "_ipython_display_", lambda view: views.append(view))
    with capture_output():
        shell.run_cell_magic("predict", "q", "strides: (3, 1) | (1, 3)\n")
    (view,) = views
    view.answers = [[1]]
    assert view.compared == []
    with capture_output() as captured:
        reveal("q", (1, 3))
    assert captured.outputs[0].data["text/plain"] == "✓ strides: (1, 3)"
    assert view.compared == ["✓ strides: (1, 3)"]
    assert repr(shell.run_line_magic("predictions", "")) == "✓ q: 1 of 1"


CHECK = """from inplacelab.lessons import reveal
from IPython.display import display
print("before")
reveal("q", 123)
print("the answer is 123")
display("123")
123"""


def shown_by(shell: InteractiveShell, cell: str) -> str:
    with capture_output() as captured:
        shell.run_cell(cell)
    return captured.stdout + "".join(str(output.data) for output in captured.outputs)


def folded_by(shell: InteractiveShell, cell: str) -> tuple[str, str, str]:
    """What a cell shows before the fold, in it, and as plain text."""
    with capture_output() as captured:
        shell.run_cell(cell)
    (output,) = captured.outputs
    before, fold, inside = output.data["text/html"].partition("<details><summary>Show me anyway</summary>")
    assert fold
    assert inside.endswith("</details>")
    return captured.stdout + before, inside, output.data["text/plain"]


def test_what_a_cell_shows_after_reveal_is_folded_until_a_prediction_is_entered(shell: InteractiveShell) -> None:
    asked = ask("q", "n of `x`: ?")
    before, inside, plain = folded_by(shell, CHECK)
    assert before.startswith("before\n<p>○ No prediction yet")
    assert "123" not in before + plain
    assert "<li>n of <code>x</code>: 123</li>" in inside
    assert "the answer is 123" in inside
    assert inside.count("123") == 4, "what was displayed, and the value of the last line, too"
    assert "next" in shown_by(shell, "print('next')"), "only in that cell"
    asked.answer(["5"])
    second = shown_by(shell, CHECK)
    assert "it is 123" in second
    assert "the answer is 123" in second
    assert "<details>" not in second


def test_plots_and_tables_are_folded_as_they_are(shell: InteractiveShell) -> None:
    ask("q", "n: ?")
    cell = """from inplacelab.lessons import figure, reveal
from IPython.display import HTML, display
reveal("q", 1)
with figure() as axes:
    axes.plot([0, 1], [2, 3], label='<a> & "b"')
display(HTML("<table></table>"))
print("<x>")"""
    _, inside, _ = folded_by(shell, cell)
    assert 'alt="y over x\n  &lt;a&gt; &amp; &quot;b&quot;: 2 points' in inside
    assert 'src="data:image/png;base64,iVBOR' in inside
    assert "<table></table>" in inside
    assert "&lt;x&gt;</pre>" in inside


RAISES = "{}import inplacelab as paddle\nw = paddle.ones([2])\nw.stop_gradient = False\nw.scale_(2.)"
PROGRAM = RAISES.format("%%stepper --name q --from-start\n")


def test_the_error_of_a_program_is_folded_as_well(shell: InteractiveShell) -> None:
    asked = ask("q", "n: ?")
    assert "Leaf Var" not in shown_by(shell, PROGRAM).partition("<details>")[0]
    assert shell.user_ns["q"].steps[-1].error is not None
    _, inside, _ = folded_by(shell, "from inplacelab.lessons import reveal\nreveal('q', 1)")
    assert "The program raises:\nValueError: (InvalidArgument) Leaf Var" in inside
    asked.answer(["1"])
    assert r"The program raises:\nValueError" in shown_by(shell, "reveal('q', 1)"), "and told with the answers"


def raises(shell: InteractiveShell, cell: str) -> bool:
    with capture_output():
        return not shell.run_cell(cell).success


def test_an_error_is_withheld_only_while_its_question_is_open(shell: InteractiveShell) -> None:
    assert raises(shell, PROGRAM), "nothing was asked"
    asked = ask("q", "n: ?")
    assert raises(shell, RAISES.format("")), "not stepped through"
    assert raises(shell, RAISES.format("%%stepper\n")), "not from the start"
    assert raises(shell, PROGRAM.replace("--name q", "--no-fix --name mine")), "an exercise"
    assert not raises(shell, PROGRAM)
    assert not raises(shell, PROGRAM)
    assert len(asked.errors) == 1
    assert not raises(shell, PROGRAM.replace("--name", "--no-fix --name")), "the program of the question"
    asked.answer(["1"])
    assert raises(shell, PROGRAM)
    ask("q", "n: ?")
    reveal("q", 1)
    assert raises(shell, PROGRAM), "revealed"


def test_an_error_is_shown_all_the_same(shell: InteractiveShell) -> None:
    ask("q", "n: ?")
    with capture_output() as captured:
        result = shell.run_cell(CHECK + "\nassert 1 == 2")
    assert isinstance(result.error_in_exec, AssertionError)
    assert "AssertionError" in captured.stdout
    assert "next" in shown_by(shell, "print('next')")


def test_a_question_without_a_name_or_lines_is_refused(shell: InteractiveShell) -> None:
    for name, cell in (("", "n: ?"), ("q", "n\n")):
        with pytest.raises(UsageError, match="%%predict"):
            shell.run_cell_magic("predict", name, cell)
