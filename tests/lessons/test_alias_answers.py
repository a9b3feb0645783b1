"""Answers to the exercises of the lesson on aliases: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import aliases_that_bite as check
from inplacelab.lessons.exercise import Exercise
from tests.lessons.answers import first_words
from tests.recorders.runs import Run, run


def recorded(text: str) -> Run:
    return run(text, "inplacelab", paddle=paddle)


LOG = """w = paddle.to_tensor([8.])
path = []
for _ in range(3):
    {}
    {}
"""


def logged(entry: str, write: str = "w.scale_(0.5)") -> bool:
    done = recorded(LOG.format(entry, write))
    return check.log_of_the_way(kept=done.recording, path=done.names["path"]).solved


@pytest.mark.parametrize(
    "entry",
    [
        "w.clone()",
        "w.item()",
        "w.tolist()",
        "w.detach().clone()",
        "w + 0.",
        "w.numpy().copy()",
        "paddle.to_tensor(w.tolist())",
    ],
)
def test_a_log_of_the_way(entry: str) -> None:
    assert logged(f"path.append({entry})")


@pytest.mark.parametrize(
    ("entry", "write"),
    [
        ("path.append(w)", "w.scale_(0.5)"),
        ("path.append(w.detach())", "w.scale_(0.5)"),
        ("path.append(w.data)", "w.scale_(0.5)"),
        ("path.append(w[0:1])", "w.scale_(0.5)"),
        ("path.append(w.reshape([1, 1]))", "w.scale_(0.5)"),
        ("path.append(w)", "w = w.scale(0.5)"),
        ("path.append(w)", "w = w * 0.5"),
        ("path.append(w.clone())", "pass"),
        ("path.append(w.scale_(0.5).clone())", "pass"),
        ("w.scale_(0.5)", "path.append(w.item())"),
        ("path = [8., 4.]", "w.scale_(0.5)"),
        ("path.append(8. / 2 ** _)", "w.scale_(0.5)"),
        ("path = [8., 4., 2.]", "w.scale_(0.5)"),
        ("path.append(str(w.item()))", "w.scale_(0.5)"),
    ],
)
def test_no_log_of_the_way(entry: str, write: str) -> None:
    assert not logged(entry, write)


def praise(entry: str) -> str:
    done = recorded(LOG.format(f"path.append({entry})", "w.scale_(0.5)"))
    return check.log_of_the_way(kept=done.recording, path=done.names["path"]).words.en


def test_the_praise_is_true_of_the_answer() -> None:
    assert "four bytes" not in praise("w.clone()")
    assert "In PyTorch" in praise("w.numpy()")
    assert "PyTorch" not in praise("w.item()")


@pytest.mark.parametrize(
    ("entry", "shown"), [("path.append(w.scale(0.5))", "4, 2, 1"), ("path.insert(0, w.clone())", "2, 4, 8")]
)
def test_a_log_with_other_numbers_is_told_which(entry: str, shown: str) -> None:
    done = recorded(LOG.format(entry, "w.scale_(0.5)"))
    assert f"shows {shown}." in first_words(check.log_of_the_way, kept=done.recording, path=done.names["path"])


TOTAL = """def total(values, start={}):
    {}
    for value in values:
        start.add_(paddle.full([1], value))
    return start

first = total([1., 2.])
second = total([10.])
"""
WHOLE = """def total(values, start={}):
    {}

first = total([1., 2.])
second = total([10.])
"""


def fresh(text: str) -> bool:
    done = recorded(text)
    return check.fresh_start(fresh=done.recording, total=done.names["total"]).solved


@pytest.mark.parametrize(
    "text",
    [
        TOTAL.format("None", "start = paddle.zeros([1]) if start is None else start.clone()"),
        TOTAL.format("paddle.zeros([1])", "start = start.clone()"),
        TOTAL.format("paddle.zeros([1])", "start = start + 0."),
        TOTAL.format("0.", "start = paddle.full([1], float(start))"),
        WHOLE.format("paddle.zeros([1])", "return start + sum(values)"),
        TOTAL.format("paddle.zeros([1])", "pass").replace("start.add_(", "start = start.add("),
    ],
)
def test_every_call_begins_afresh(text: str) -> None:
    assert fresh(text)


@pytest.mark.parametrize(
    "text",
    [
        TOTAL.format("paddle.zeros([1])", "pass"),
        TOTAL.format("paddle.zeros([1])", "start.zero_()"),
        TOTAL.format("paddle.zeros([1])", "start = start.detach()"),
        TOTAL.format("paddle.zeros([1])", "pass").replace("return start", "return start.clone()"),
        TOTAL.format("None", "start = paddle.zeros([1])"),
        TOTAL.format("paddle.zeros([1])", "pass").replace(".])\n", ".], paddle.zeros([1]))\n"),
        TOTAL.format("paddle.zeros([1])", "pass").replace("second = ", "first = first.clone(); second = "),
        WHOLE.format("0.", "return paddle.full([1], sum(values))"),
        TOTAL.format("None", "start = paddle.ones([1]) if start is None else start.clone()"),
        TOTAL.format("None", "start = paddle.zeros([1]) if start is None else start"),
        TOTAL.format("None", "start = paddle.zeros([1]) if start is None else start.detach()"),
    ],
)
def test_a_call_that_does_not(text: str) -> None:
    assert not fresh(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (WHOLE.format("0.", "return start + sum(values)"), "should be tensors"),
        (TOTAL.format("paddle.zeros([1])", "pass").replace("return start", "return start.item()"), "should be tensors"),
        (TOTAL.format("paddle.zeros([1])", "start = start.detach()"), "how many storages"),
    ],
)
def test_the_hint_on_a_call(text: str, hint: str) -> None:
    done = recorded(text)
    assert hint in first_words(check.fresh_start, fresh=done.recording, total=done.names["total"])


RIDDLE = """x = paddle.to_tensor([1., 2., 3., 4.])
tail = x[2:]
cut = x.detach()
x[[2, 3]].zero_()
x[x > 3] = 5.
cut[0] = 7.
cut[3] += 1.
x += 10.
x[2] = 0.
cut.reshape([2, 2])[1].scale_(2.)
"""


@pytest.mark.parametrize(
    ("lines", "solved"),
    [
        ([5, 7, 10], True), ((10, 7, 5), True), ({5, 7, 10}, True), ([5, 7, 10, 10], True), (range(5, 11), False),
        ([], False), ([5], False), ([5, 7], False), ([7, 10], False), ([4, 5, 7, 10], False), ([5, 6, 7, 10], False),
        ([5, 7, 8, 10], False), ([5, 7, 9, 10], False), ([4, 5, 6, 7, 8, 9, 10], False), (10, False),
    ],
)  # fmt: skip
def test_which_lines_change_the_tail(lines: Any, *, solved: bool) -> None:
    assert check.find_the_lines(riddle=recorded(RIDDLE).recording, lines=lines).solved == solved


@pytest.mark.parametrize(
    ("lines", "hint"), [("5, 7, 10", "not text"), ([5, 6, 7, 10], "`cut[0]`"), ([2, 5, 7, 10], "lines 4 to 10")]
)
def test_the_hint_on_lines(lines: Any, hint: str) -> None:
    exercise = Exercise(check.find_the_lines._steps)
    said = [exercise(riddle=recorded(RIDDLE).recording, lines=lines).words.en for _ in range(2)]
    assert hint in said[1]


def test_another_program_is_another_riddle() -> None:
    text = "\n".join(RIDDLE.splitlines()[:3])
    assert not check.find_the_lines(riddle=recorded(text).recording, lines=[]).solved


def test_a_program_that_raises_is_sent_to_its_message() -> None:
    done = recorded(LOG.format("path.append(w.copy())", "w.scale_(0.5)"))
    assert "raises an error" in first_words(check.log_of_the_way, kept=done.recording, path=done.names["path"])
