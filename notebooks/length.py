"""Counts how long a lesson takes: `python notebooks/length.py`.

Counted is what a learner reads, runs and answers up to the exercises: words of prose, lines of code that are shown, predictions and
steppers. Checks are collapsed and do not count; nor does what is folded under a title of its own (`<details>` in the source), and what
stands under "Your turn", "Exercises" or "Further".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import build
import unspoiled
from lesson_source import FOR_AUTHORS, Block, Code, Prose, read_lesson

WORDS_A_MINUTE = 200
LINES_A_MINUTE = 15
MOST_MINUTES = 25

_END = re.compile(r"^##+ (Your turn|Exercises|Further)", re.MULTILINE)
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
_IN_BLOCKS = re.compile(r"```.*?```", re.DOTALL)
_ASKS = re.compile(r"\*\*Predict\b")


@dataclass(frozen=True, slots=True)
class Length:
    """What a learner works through in a lesson."""

    words: int
    lines: int
    predictions: int
    steppers: int

    @property
    def minutes(self) -> float:
        """How long it takes."""
        return self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE + self.predictions + self.steppers


def length_of(blocks: Iterable[Block]) -> Length:
    """Counts a lesson, without its exercises and what follows them."""
    # The source has its own folds only; those around answers come later, and answers are read.
    shown = [block for block in blocks if not (isinstance(block, Code) and FOR_AUTHORS & {*block.tags})]
    read = list(takewhile(lambda block: not _ends(block), shown))
    last = [_END.split(block.en)[0] for block in shown[len(read) : len(read) + 1] if isinstance(block, Prose)]
    prose = [_FOLDED.sub("", block.en) for block in read if isinstance(block, Prose)] + last
    arranged = [block for block in unspoiled.arranged(read) if isinstance(block, Code)]
    code = [block for block in arranged if not unspoiled.COLLAPSED & {*block.tags}]
    return Length(
        words=sum(len(_IN_BLOCKS.sub("", text).split()) for text in prose),
        lines=sum(bool(line.strip()) for block in code for line in block.text.splitlines()),
        predictions=sum(len(_ASKS.findall(text)) for text in prose),
        steppers=sum("Stepper(" in block.text or unspoiled.is_stepper(block) for block in code),
    )


def _ends(block: Block) -> bool:
    return isinstance(block, Prose) and _END.search(block.en) is not None


def minutes_of(source: Path) -> float:
    """Returns the minutes that a lesson takes."""
    return length_of(read_lesson(source)).minutes


def main() -> None:
    """Prints the minutes of each lesson, and what they are made of."""
    for source in build.lessons():
        counted = length_of(read_lesson(source))
        print(f"{counted.minutes:5.1f}  {source.stem:36}{counted}")


if __name__ == "__main__":
    main()
