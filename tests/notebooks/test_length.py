"""No lesson is longer than a learner's patience, as `length.py` counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import build
from length import MOST_MINUTES, Length, length_of, minutes_of
from lesson_source import Block, Code, Prose, read_lesson


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_no_lesson_is_too_long(source: Path) -> None:
    assert minutes_of(source) <= MOST_MINUTES, length_of(read_lesson(source))


CLAIMED = re.compile(r"about\s+(fifteen|twenty-five|twenty)\s+minutes")
MINUTES = {"fifteen": 15, "twenty": 20, "twenty-five": 25}


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_a_lesson_takes_hardly_longer_than_it_says(source: Path) -> None:
    claimed = CLAIMED.search(source.read_text(encoding="utf-8"))
    counted = minutes_of(source)
    assert claimed is None or counted - MINUTES[claimed[1]] <= 5, counted


def test_what_is_counted() -> None:
    blocks: list[Block] = [
        Prose("one two three\n\n> **Predict.** four?\n\n<details>\nnot counted\n</details>", "一"),
        Code("%%predict q\nn: ?", ("question",)),
        Code("%%stepper --name q\nx = 1", ()),
        Code("y = 2\nassert y\n", ()),
        Code("y = 3\n\nassert y\n", ()),
        Prose("five\n\n## Your turn\n\nnot counted", "五"),
        Code("x = ...", ("exercise",)),
    ]
    counted = length_of(blocks)
    assert counted == Length(words=7, lines=3, predictions=1, steppers=1)
    assert counted.minutes == pytest.approx(7 / 200 + 3 / 15 + 2)
