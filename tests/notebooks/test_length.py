"""No lesson is longer than a learner's patience, and each says how long it takes, as `length.py` counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import build
from length import MOST_MINUTES, PLACE, Length, length_of, stated
from lesson_source import Block, Code, Prose, read_lesson


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_no_lesson_is_too_long(source: Path) -> None:
    counted = length_of(read_lesson(source))
    assert counted.minutes <= MOST_MINUTES, counted


BY_HAND = re.compile(r"about\s+(fifteen|twenty-five|twenty)\s+minutes")
MINUTES = {"fifteen": 15, "twenty": 20, "twenty-five": 25}


@pytest.mark.parametrize(
    "source", [each for each in build.lessons() if each.stem[0].isdigit()], ids=lambda source: source.stem
)
def test_a_lesson_says_how_long_it_takes(source: Path) -> None:
    """As it was counted (`{{minutes}}`), or by hand and hardly less."""
    opening, *_ = (block for block in read_lesson(source) if isinstance(block, Prose))
    by_hand = BY_HAND.search(opening.en)
    assert (PLACE in opening.en) == (PLACE in opening.zh) == (by_hand is None)
    assert by_hand is None or length_of(read_lesson(source)).minutes - MINUTES[by_hand[1]] <= 11


GUIDES = ("docs/TEACHING.md", "docs/TEACHING.zh-CN.md")
IN_A_TABLE = re.compile(r"/(\w+)\.ipynb\) \| (\d+) \+ (\d+) \|")


@pytest.mark.parametrize("guide", GUIDES)
def test_the_teachers_guide_says_the_same(guide: str) -> None:
    stated_there = IN_A_TABLE.findall(build.HERE.parent.joinpath(guide).read_text(encoding="utf-8"))
    counted = {source.stem: length_of(read_lesson(source)) for source in build.lessons() if source.stem[0].isdigit()}
    assert [stem for stem, _, _ in stated_there] == list(counted)
    for stem, minutes, exercises in stated_there:
        assert abs(int(minutes) - counted[stem].minutes) <= 5, stem
        assert abs(int(exercises) - counted[stem].exercise_minutes) <= 5, stem


def test_what_is_counted() -> None:
    blocks: list[Block] = [
        Prose("one two three {{minutes}}\n\n> **Predict.** four?\n\n<details>\nnot counted\n</details>", "{{minutes}}"),
        Code("%%predict q\nn: ?\nm: 1 | 2", ("question",)),
        Code("%%stepper --name q\nx = 1", ()),
        Code("y = 2\nassert y\n", ()),
        Code("y = 3\n\nassert y\n", ()),
        Prose("> **Predict.** without fields?\n\nfive\n\n## Your turn\n\nnot counted", "五"),
        Code("x = ...", ("exercise",)),
        Code("check.x()", ("check",)),
        Prose("## Further", "## 延伸"),
        Code("check.x()", ("check",)),
    ]
    counted = length_of(blocks)
    assert counted == Length(words=12, lines=3, blanks=3, steppers=1, stepped=1, exercises=1)
    assert counted.minutes == pytest.approx(12 / 150 + 3 / 15 + 3 / 2 + 1 + 1 / 10)
    opening, *_ = stated(tuple(blocks))
    assert isinstance(opening, Prose)
    assert opening.en.startswith("one two three about 5 minutes, and 5 more for the exercises\n")
    assert opening.zh == "大约 5 分钟，练习另需 5 分钟"
