"""Tests predict mode: every right answer is computed in a second way, and a question is asked only where it teaches something."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inplacelab.recording import Recording, Summary, load
from inplacelab.recording.quiz import KINDS, MOST_AT_ONCE, Question, questions_at, quiz
from tests.recorders.golden.renew import run
from tests.recording.conftest import any_recordings
from tests.recording.predictions import NEW, chosen, expected
from tests.tiers import examples
from tests.widgets.samples import ALL

GOLDEN = sorted((Path(__file__).parents[1] / "recorders" / "golden").glob("*.json"))
RECORDINGS: dict[str, Callable[[], Recording]] = {f"golden {path.stem}": partial(load, path) for path in GOLDEN} | ALL
RECORDINGS["zero slopes"] = lambda: (
    run(
        "w = paddle.to_tensor([1., -2., 3.], stop_gradient=False)\nm = paddle.to_tensor([[1., 0., 2.], [3., 4., 5.]])\n"
        "h = m.cumsum(1)\nr = w.relu()\n(h @ r).sum().backward()\n"
    ).recording
)

PLACEHOLDER = re.compile(r"\{[\w:,]+\}")

by_recording = pytest.mark.parametrize("recording", RECORDINGS.values(), ids=RECORDINGS.keys())


def everything(recording: Recording) -> list[Question]:
    return [question for index in range(len(recording)) for question in questions_at(recording, index)]


def well_made(question: Question, recorded: str = "") -> None:
    """Checks a question's form. A sentence may quote what was `recorded`, so a name with braces in it is no forgotten placeholder."""
    said = (question.ask, question.why, *question.options)
    assert all(words.en.strip() and words.zh.strip() for words in said)
    left = {found for words in said for found in PLACEHOLDER.findall(words.en + words.zh)}
    assert left <= set(PLACEHOLDER.findall(recorded))
    assert len({option.en for option in question.options}) == len({o.zh for o in question.options}) >= 2
    assert question.right
    assert question.several or len(question.right) == 1
    assert set(question.right) <= set(range(len(question.options)))


def ask(program: str) -> dict[str, Question]:
    """Returns the questions of a program's last step with questions, by kind."""
    gc.collect()
    recording = run(program).recording
    last = max(question.step for question in everything(recording))
    return {question.kind: question for question in questions_at(recording, last)}


def said(question: Question) -> dict[str, bool]:
    return {option.en: position in question.right for position, option in enumerate(question.options)}


# --- the answers are right ------------------------------------------------------------------------------------------


@by_recording
def test_an_independent_look_finds_the_same_answers(recording: Callable[[], Recording]) -> None:
    record = recording()
    for question in everything(record):
        well_made(question)
        assert chosen(question) == expected(record, question), question


def test_every_kind_is_asked_somewhere_and_both_ways() -> None:
    found = [question for make in RECORDINGS.values() for question in everything(make())]
    assert {question.kind for question in found} == set(KINDS)
    assert {"it runs"} in [chosen(question) for question in found if question.kind == "raises"]
    assert {NEW} in [chosen(question) for question in found if question.kind == "shares"]


STATEMENTS = st.sampled_from(
    [
        "b = a * 2", "c = b * b", "v = b[1:3]", "w = b.reshape([2, 2])", "b.add_(a)", "v.scale_(3.)", "b[0] = 5.",
        "c = b.exp()", "w.zero_()", "d = b.detach()", "d.fill_(1.)", "b.reshape_([2, 2])", "b.cast_('float64')",
        "del v", "c.sum().backward()", "b = b.clone()", "v = b[[0, 1]]", "a.grad.zero_()", "x = b", "a.zero_()",
        "with paddle.no_grad(): a.scale_(0.5)", "with paddle.no_grad(): b.scale_(0.5)", "b.exp_()",
    ]
)  # fmt: skip


@settings(deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STATEMENTS, min_size=2, max_size=8))
def test_random_programs_are_asked_what_is_true(statements: list[str]) -> None:
    head = "a = paddle.to_tensor([1., 2., 3., 4.], stop_gradient=False)\nb = a * 3\nv = b[:2]\nw = d = c = b\n"
    recording = run(head + "\n".join(statements)).recording
    for question in everything(recording):
        well_made(question)
        assert chosen(question) == expected(recording, question), question


@pytest.mark.standard
@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(any_recordings())
def test_no_recording_is_too_strange_to_be_asked(recording: Recording) -> None:
    for question in everything(recording):
        well_made(question, recorded=repr(asdict(recording)))
    assert quiz(recording) == quiz(recording)


# --- what is asked, and what is not ---------------------------------------------------------------------------------


def test_a_write_through_a_view_asks_who_sees_it(views_and_stale: Recording) -> None:
    values, stale, version, node, *_ = questions_at(views_and_stale, 5)
    assert said(values) == {"`a`": False, "`b`": True, "`v`": True, "`c`": False}
    assert values.several
    assert values.about == ("t1", "t2")
    assert values.why.en.startswith(
        "Line 5 `add_` writes slots 1-2 of S1. Elements of `b` and `v` lie there. Not on S1"
    )
    assert said(stale) == {
        "`b` (as its first and second operands), kept by `MultiplyGradNode` (line 4)": True,
        "none of them": False,
    }
    assert said(version) == {"v0": False, "v1": True, "v2": False}
    assert node.ask.en == "Which grad node will `b` come from?"
    assert said(node)["a new `CopySlices`"]
    assert not said(node)["`ScaleGradNode` (line 2), as now"]


def test_backward_is_asked_where_it_will_fail(views_and_stale: Recording) -> None:
    (question,) = questions_at(views_and_stale, 6)
    assert said(question) == {"no, it runs to its end": False, "yes, at `MultiplyGradNode` (line 4)": True}
    assert "Line 5: overwritten by `add_` through `v`, a view of `b`" in question.why.en
    assert questions_at(views_and_stale, 8) == ()


def test_a_backward_pass_that_was_cut_off_is_not_asked_about(views_and_stale: Recording) -> None:
    assert questions_at(replace(views_and_stale, steps=views_and_stale.steps[:8]), 6) == ()


def test_values_that_were_not_recorded_are_not_asked_about(views_and_stale: Recording) -> None:
    def blank(facts: object) -> object:
        return replace(facts, values=Summary(0.0, 1.0, (), ())) if facts else None  # type: ignore[type-var]

    steps = tuple(
        replace(step, storages=tuple((key, blank(facts)) for key, facts in step.storages))  # type: ignore[misc]
        for step in views_and_stale.steps
    )
    assert "values" not in [q.kind for q in questions_at(replace(views_and_stale, steps=steps), 5)]


def test_a_write_without_aliases_does_not_ask_who_sees_it() -> None:
    found = ask("x = paddle.ones([2])\nz = paddle.ones([2])\nx.scale_(2.)\n")
    assert "values" not in found
    assert (
        found["version"].why.en
        == "A write raises the counter once, however many slots it writes: S0 goes from v0 to v1."
    )


def where_paths_are_asked_for(program: str) -> list[int | None]:
    """The lines of the passes that ask on which elements of a leaf they do not depend."""
    recording = run(program).recording
    return [recording.steps[each.step].line for each in everything(recording) if each.kind == "reaches"]


def test_paths_are_asked_for_in_the_pass_that_fills_the_gradient() -> None:
    program = "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nx = a * 2.\nx[1:] = 0.\nx.sum().backward()\n"
    later = "b = paddle.to_tensor(3., stop_gradient=False)\n(b * 2.).backward()\n"
    assert where_paths_are_asked_for(program + later) == [4]


@pytest.mark.parametrize(("second", "lines"), [(1.0, [3]), (-1.0, [])], ids=["that add up", "that cancel"])
def test_paths(second: float, lines: list[int]) -> None:
    program = (
        "w = paddle.to_tensor([1., 2.], stop_gradient=False)\n"
        f"m = paddle.to_tensor([[0., 1.], [0., {second}]])\n"
        "(m * w).sum().backward()\n"
    )
    assert where_paths_are_asked_for(program) == lines


def test_a_copy_that_looks_like_a_view() -> None:
    copy, view = (ask(f"b = paddle.ones([4])\nv = b[{key}]\n")["shares"] for key in ("[0, 1]", "0:2"))
    assert said(copy) == {"in S0 (`b`)": False, NEW: True}
    assert said(view) == {"in S0 (`b`)": True, NEW: False}


def test_in_place_in_name_only_raises_no_version() -> None:
    found = ask("x = paddle.ones([2])\ny = x[0:1]\nx.cast_('float64')\n")
    assert said(found["version"])["v0"]
    assert said(found["shares"])[NEW]
    assert said(found["bytes"]) == {"0 bytes": False, "8 bytes": False, "24 bytes": True, "40 bytes": False}


def test_a_leaf_may_be_written_when_history_is_off() -> None:
    leaf = "w = paddle.to_tensor([1., 2.], stop_gradient=False)\n"
    assert chosen(ask(leaf + "w.zero_()\n")["raises"]) == {"it is refused, and nothing has been written"}
    assert chosen(ask(leaf + "with paddle.no_grad():\n    w.zero_()\n")["raises"]) == {"it runs"}


def test_a_write_through_an_escape_leaves_the_history_as_it_was() -> None:
    program = "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nb = a * 2\nd = b.detach()\nd.zero_()\n"
    question = ask(program)["node"]
    assert chosen(question) == {"`ScaleGradNode` (line 2), as now"}
    assert "its history does not contain the write" in question.why.en


def test_a_copy_made_first_spares_what_was_saved() -> None:
    program = """\
from inplacelab import autograd
a = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
with autograd.copy_saved_before_write():
    b = a * 2.
    y = b * b
    b.zero_()
"""
    question = ask(program)["stale"]
    assert chosen(question) == {"none of them"}
    assert "A copy was made first for `MultiplyGradNode` (line 5)." in question.why.en


# --- which are chosen -----------------------------------------------------------------------------------------------


@by_recording
def test_by_rule_a_step_is_asked_little_and_a_line_once(recording: Callable[[], Recording]) -> None:
    record = recording()
    picked = quiz(record)
    steps = [question.step for question in picked]
    assert steps == sorted(steps)
    assert all(steps.count(step) <= MOST_AT_ONCE for step in steps)
    keys = [(record.steps[q.step].line, record.steps[q.step].op, q.kind) for q in picked]
    assert len(set(keys)) == len(keys)
    assert set(picked) <= set(everything(record))


def test_an_author_chooses_places_and_kinds(views_and_stale: Recording) -> None:
    assert [(q.step, q.kind) for q in quiz(views_and_stale, at=("line:6", 5), kinds=("stale", "raises"))] == [
        (5, "stale"),
        (6, "raises"),
    ]
    assert quiz(views_and_stale, at=5) == questions_at(views_and_stale, 5)
    assert quiz(views_and_stale, at=-4, kinds="values") == quiz(views_and_stale, at="line:5", kinds="values")
    assert {q.kind for q in quiz(views_and_stale, kinds="raises")} == {"raises"}


@pytest.mark.parametrize(
    ("places", "kinds", "error", "words"),
    [
        (99, None, IndexError, "no step 99: this recording has 9 steps"),
        ("line:99", None, LookupError, r"nothing was recorded on line 99; lines with steps: \[1, 2, 3, 4, 5, 6\]"),
        ("5", None, ValueError, "'5' is not a place: write a step as a number, or a line as \"line:5\""),
        ("line:5", ("volts",), ValueError, "no kind of question called 'volts'; there are: values, stale,"),
        (
            5,
            "shares",
            ValueError,
            "at step 5 there is no question of the kinds shares; what can be asked: values, stale",
        ),
        (0, None, ValueError, "what can be asked: nothing"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    views_and_stale: Recording, places: int | str, kinds: tuple[str, ...] | None, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        quiz(views_and_stale, at=places, kinds=kinds)
