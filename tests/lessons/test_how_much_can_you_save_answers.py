"""Answers to the exercises of lesson 19: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import how_much_can_you_save as checks
from lesson_source import Code, read_lesson
from tests.lessons.answers import first_words

LESSON = Path(__file__).parents[2] / "notebooks/lessons/19_how_much_can_you_save.md"


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The programs and tensors of the lesson, each cell in a file of its own."""
    defining = ("class Block", "def learn_in_place", "def score")
    found: dict[str, Any] = {"paddle": paddle}
    for each in read_lesson(LESSON):
        if isinstance(each, Code) and not each.tags and any(one in each.text for one in defining):
            file = tmp_path_factory.mktemp("cell") / "cell.py"
            file.write_text(each.text.partition("\n\nordinary")[0], encoding="utf-8")
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), found)
    return found


@pytest.mark.parametrize(
    ("falls", "solved"), [(3, True), (3.0, True), (5, False), (9, False), (15, False), (0, False), ("3", False)]
)
def test_five_blocks(falls: Any, *, solved: bool) -> None:
    assert checks.five_blocks(falls_by=falls).solved == solved


def test_the_right_number_of_bytes_is_told_the_unit() -> None:
    assert "How many MiB" in first_words(checks.five_blocks, falls_by=3 * 2**20)
    assert "should be a number" in first_words(checks.five_blocks, falls_by="3 MiB")


@pytest.mark.parametrize(
    ("lines", "solved"),
    [([5, 6], True), ((6, 5), True), ([5], False), ([6], False), ([3, 5, 6], False), ([4, 5, 6], False), ([], False)],
)
def test_lines_of_score(names: dict[str, Any], lines: Any, *, solved: bool) -> None:
    assert checks.lines_of_score(lines=lines, score=names["score"], images=names["images"]).solved == solved


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ([5], "A sum has two operands"),
        ([6], "Follow `w`"),
        ([], "Follow `w`"),
        ([3, 5, 6], "Line 3"),
        ([4], "Line 4"),
        ([5, 6, 7], "Only lines 3 to 6"),
        ("5, 6", "a list of numbers"),
    ],
)
def test_the_hint_is_about_the_answer(names: dict[str, Any], lines: Any, hint: str) -> None:
    assert hint in first_words(checks.lines_of_score, lines=lines, score=names["score"], images=names["images"])


def deleted(names: dict[str, Any]) -> Callable[[Any], None]:
    relu, targets = names["F"].relu, names["targets"]

    def shorter(x: Any) -> None:
        for block in names["blocks"]:
            h = block.first(x)
            a = relu(h)
            del h
            b = block.second(a)
            s = b + x
            del b
            x = relu(s)
            del s
        e = x - targets
        q = e.square()
        q.mean().backward()

    return shorter


def test_names_may_be_deleted_too(names: dict[str, Any]) -> None:
    given = {name: names[name] for name in ("learn_in_place", "measured", "images")}
    assert checks.without_an_underscore(shorter=deleted(names), **given).solved
    assert not checks.without_an_underscore(shorter=names["learn_in_place"], **given).solved


def reused(names: dict[str, Any]) -> Callable[[Any], None]:
    relu, targets = names["F"].relu, names["targets"]

    def shorter(x: Any) -> None:
        for block in names["blocks"]:
            h = block.first(x)
            h = relu(h)
            h = block.second(h)
            h = h + x
            x = relu(h)
        e = x - targets
        q = e.square()
        q.mean().backward()

    return shorter


def test_a_peak_that_is_a_little_too_high(names: dict[str, Any]) -> None:
    given = {name: names[name] for name in ("learn_in_place", "measured", "images")}
    assert "245,504 bytes too high" in first_words(checks.without_an_underscore, shorter=reused(names), **given)


def nested(names: dict[str, Any]) -> Callable[[Any], None]:
    relu, targets = names["F"].relu, names["targets"]

    def shorter(x: Any) -> None:
        for block in names["blocks"]:
            x = relu(block.second(relu(block.first(x))) + x)
        (x - targets).square().mean().backward()

    return shorter


def test_the_program_of_the_lesson_is_no_answer(names: dict[str, Any]) -> None:
    given = {name: names[name] for name in ("learn_in_place", "measured", "images")}
    assert "a line of its own" in first_words(checks.without_an_underscore, shorter=nested(names), **given)
