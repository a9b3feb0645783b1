"""Counts how long a lesson takes: `python notebooks/length.py`. The builder fills the result in where a lesson says `{{minutes}}`.

Counted is what a learner does. Up to the exercises: words of prose, with the folded answers; lines of code that are shown; the blanks of
questions; a minute for each stepper, and some seconds for each line that is stepped through. Then a few minutes for each exercise. Checks are
collapsed and do not count; nor does what is folded under a title of its own (`<details>` in the source), and what stands under "Further" is
left to the learner.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import unspoiled
from inplacelab.language import Text
from lesson_source import FOR_AUTHORS, Block, Code, Prose, read_lesson

WORDS_A_MINUTE = 150
LINES_A_MINUTE = 15
STEPPED_LINES_A_MINUTE = 10
BLANKS_A_MINUTE = 2
MINUTES_AN_EXERCISE = 6
MOST_MINUTES = 35
"""Without the exercises."""

PLACE = "{{minutes}}"
_SAID = Text("about {0} minutes, and {1} more for the exercises", "大约 {0} 分钟，练习另需 {1} 分钟")
_END = re.compile(r"^##+ (Your turn|Exercises|Further)", re.MULTILINE)
_FURTHER = re.compile(r"^##+ Further", re.MULTILINE)
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
_IN_BLOCKS = re.compile(r"```.*?```", re.DOTALL)
_ASKS = re.compile(r"\*\*Predict\b")
_SOURCES = Path(__file__).parent / "lessons"


@dataclass(frozen=True, slots=True)
class Length:
    """What a learner works through in a lesson.

    Attributes:
        words: of prose.
        lines: of code that are shown.
        blanks: of questions; one for a question that has no fields.
        steppers: programs to step through.
        stepped: the lines of these.
        exercises: up to "Further".
    """

    words: int
    lines: int
    blanks: int
    steppers: int
    stepped: int
    exercises: int

    @property
    def minutes(self) -> float:
        """How long it takes, without the exercises."""
        reading = self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE
        return reading + self.blanks / BLANKS_A_MINUTE + self.steppers + self.stepped / STEPPED_LINES_A_MINUTE

    @property
    def exercise_minutes(self) -> int:
        """How long the exercises take."""
        return self.exercises * MINUTES_AN_EXERCISE

    def said(self) -> Text:
        """Returns what the lesson says of its length, rounded to five minutes."""
        return _SAID.format(*(5 * round(minutes / 5) for minutes in (self.minutes, self.exercise_minutes)))


def length_of(blocks: Iterable[Block]) -> Length:
    """Counts a lesson."""
    # The source has its own folds only; those around answers come later, and answers are read.
    shown = [block for block in blocks if not (isinstance(block, Code) and FOR_AUTHORS & {*block.tags})]
    read = list(takewhile(lambda block: not _has(_END, block), shown))
    last = [_END.split(block.en)[0] for block in shown[len(read) : len(read) + 1] if isinstance(block, Prose)]
    prose = [_FOLDED.sub("", block.en) for block in read if isinstance(block, Prose)] + last
    arranged = [block for block in unspoiled.arranged(read) if isinstance(block, Code)]
    code = [block for block in arranged if not unspoiled.COLLAPSED & {*block.tags}]
    steppers = [block for block in code if "Stepper(" in block.text or unspoiled.is_stepper(block)]
    blanks = [len(_lines(block)) - 1 for block in arranged if unspoiled.QUESTION in block.tags]
    asked = sum(len(_ASKS.findall(text)) for text in prose)
    return Length(
        words=sum(len(_IN_BLOCKS.sub("", text).split()) for text in prose),
        lines=sum(len(_lines(block)) for block in code),
        blanks=sum(blanks) + max(asked - len(blanks), 0),
        steppers=len(steppers),
        stepped=sum(len(_lines(block)) - 1 for block in steppers),
        exercises=sum(isinstance(block, Code) and "check" in block.tags for block in _before_further(shown)),
    )


def _has(heading: re.Pattern[str], block: Block) -> bool:
    return isinstance(block, Prose) and heading.search(block.en) is not None


def _before_further(blocks: Iterable[Block]) -> Iterator[Block]:
    return takewhile(lambda block: not _has(_FURTHER, block), blocks)


def _lines(block: Code) -> list[str]:
    return [line for line in block.text.splitlines() if line.strip()]


def stated(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Returns a lesson with its length filled in."""
    said = length_of(blocks).said()
    return tuple(
        replace(block, en=block.en.replace(PLACE, said.en), zh=block.zh.replace(PLACE, said.zh))
        if isinstance(block, Prose)
        else block
        for block in blocks
    )


def main() -> None:
    """Prints the minutes of every lesson, and what was counted."""
    for source in sorted(_SOURCES.glob("[0-9]*.md")):
        counted = length_of(read_lesson(source))
        print(f"{counted.minutes:5.1f} {counted.exercise_minutes:+4d}  {source.stem:<34}  {counted}")


if __name__ == "__main__":
    main()
