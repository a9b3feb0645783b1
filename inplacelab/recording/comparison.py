"""Says what is new at each position of the common cursor of two aligned programs, and at which of them the comparison is best understood.

Everything follows from the alignment and its differences; both programs are called by their side, left or right. `conclusion` says what
the comparison comes to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording.alignment import Alignment
from inplacelab.recording.differences import Difference, DifferenceKind, Verdict, absence, differences, verdict
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.headline import Headline
from inplacelab.recording.sentences.phrases import closed_up, joined, quoted

__all__ = ["SIDES", "Comparison", "Side", "code_lines", "weight"]

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")

QUIET: tuple[DifferenceKind, ...] = ("rounding", "peak", "live")
"""Kinds of differences that are no news for what the programs mean."""
_WEIGHTS: tuple[DifferenceKind, ...] = ("values", "shape", "version", "sharing", "unknown", "name", *QUIET)
"""Kinds of differences, the most telling first."""

_RAISES_HERE = Text("The {0} program raises {1} here, the {2} one does not", "{0}程序在这里抛出 {1}，{2}程序没有")
_BOTH_RAISE_HERE = Text("Both programs raise an exception here", "两个程序都在这里抛出异常")
_ROUNDED = Text("{0} differs by rounding only", "{0} 只有舍入上的差别")
_NOTHING_YET = Text("So far nothing differs", "到目前为止没有不同")
_NOTHING_NEW = Text("Nothing new differs here", "这里没有新的不同")
_NO_LONGER = Text("Nothing differs here anymore", "到这里已经没有不同")
_WORDS: dict[Side, Text] = {"left": Text("left", "左侧"), "right": Text("right", "右侧")}
_ALONE = Text("Each program runs on its own, the left one first", "两个程序各自运行，先左后右")
_NOTHING = Text("", "")


@dataclass(frozen=True)
class Comparison:
    """Two recordings side by side.

    Attributes:
        alignment: the recordings and the positions of their common cursor.
    """

    alignment: Alignment

    @cached_property
    def found(self) -> tuple[tuple[Difference, ...], ...]:
        """What differs at each position, besides a missing step. Where nothing is aligned, nothing is compared."""
        positions = range(len(self.alignment.positions))
        if not self.alignment.pairs:
            return tuple(() for _ in positions)
        return tuple(
            tuple(each for each in differences(self.alignment, position) if each.kind != "step")
            for position in positions
        )

    @cached_property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """How the two programs ended."""
        return verdict(self.alignment.left), verdict(self.alignment.right)

    @cached_property
    def changed_lines(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The lines of each source without an equal counterpart in the other, counted from 1. Blank lines and comments do not count."""
        left, right = code_lines(self.alignment.left), code_lines(self.alignment.right)
        equal = [(one, other) for one, other in self.alignment.lines if left[one - 1] == right[other - 1]]
        known = {one for one, _ in equal}, {other for _, other in equal}
        found = [
            tuple(k for k, line in enumerate(lines, 1) if line and not line.startswith("#") and k not in same)
            for lines, same in zip((left, right), known, strict=True)
        ]
        return found[0], found[1]

    def waiting(self, position: int, side: Side, *, by_line: bool) -> Text | None:
        """Says why a side does nothing at a position; None if it does something.

        Args:
            position: the index of the position.
            side: "left" or "right".
            by_line: whether all of the line counts, as far as it has run.
        """
        if not self.alignment.pairs and getattr(self.alignment.reached[position], side) is not None:
            return None  # nothing is aligned, so no side waits for the other
        start = self.alignment.starts[position] if by_line else position
        here = self.alignment.positions[start : position + 1]
        is_here = any(getattr(each, side) is not None for each in here)
        return None if is_here else absence(self.alignment, position, side)

    def told(self, position: int, *, by_line: bool) -> Headline:
        """Says in one clause what is new at a position, and the rest in a detail. Arguments as for `waiting`."""
        if not self.alignment.pairs:
            return Headline(_ALONE, _NOTHING)
        raised = self.raised(position, by_line=by_line)
        new = self.new(position, by_line=by_line)
        says = [each.says for each in new]
        absent = [said for side in SIDES if (said := self.waiting(position, side, by_line=by_line)) is not None]
        if raised:
            return Headline(_said_to_raise(raised), closed_up(joined(says)))
        if new and new[0].kind == "rounding":
            return Headline(_ROUNDED.format(quoted(new[0].names[0])), closed_up(joined([*says, *absent])))
        if new or absent:
            first, *rest = [*says, *absent]
            return Headline(_clause(first), closed_up(joined(rest)))
        standing = sorted(self.found[position], key=weight)
        if standing:
            return Headline(_NOTHING_NEW, standing[0].says)
        return Headline(_NO_LONGER if any(self.found[:position]) else _NOTHING_YET, _NOTHING)

    @cached_property
    def key_position(self) -> int:
        """The most telling position: the end of the line where values, or else shapes, versions or sharing, first differ; or else
        where one side raises an exception; or else the last one.
        """
        ends = self.alignment.ends
        if not self.alignment.pairs:
            return ends[-1]
        firsts = [(weight(new[0]), end) for end in ends if (new := self.new(end, by_line=True))]
        telling = min(firsts, default=None)
        if telling is not None and telling[0] < _WEIGHTS.index("name"):
            return telling[1]
        raising = [end for end in ends if len(self.raised(end, by_line=True)) == 1]
        return (raising or [end for _, end in firsts[:1]] or [ends[-1]])[0]

    def is_telling(self, position: int) -> bool:
        """Returns whether something new differs at a position, besides rounding and bytes, or a side raises an exception there."""
        new = self.new(position, by_line=False)
        return bool(self.raised(position, by_line=False)) or any(each.kind not in QUIET for each in new)

    def new(self, position: int, *, by_line: bool) -> list[Difference]:
        """Returns what differs at a position and did not before, the most telling first. Arguments as for `waiting`."""
        before = (self.alignment.starts[position] if by_line else position) - 1
        known = {each.says for each in self.found[before]} if before >= 0 else set()
        return sorted((each for each in self.found[position] if each.says not in known), key=weight)

    def raised(self, position: int, *, by_line: bool) -> dict[Side, ErrorFacts]:
        """Returns the exceptions that end programs at a position. Arguments as for `waiting`."""
        start, found = self.alignment.starts[position] if by_line else position, {}
        for each in self.alignment.positions[start : position + 1]:
            for side in SIDES:
                step: int | None = getattr(each, side)
                recording: Recording = getattr(self.alignment, side)
                if step is not None and (error := recording.steps[step].error) is not None:
                    found[side] = error
        return found


def weight(difference: Difference) -> int:
    """Returns the place of a difference among all kinds, the most telling first."""
    return _WEIGHTS.index(difference.kind) if difference.kind in _WEIGHTS else len(_WEIGHTS)


def code_lines(recording: Recording) -> Sequence[str]:
    """Returns the lines of a program without indentation."""
    return [line.strip() for line in recording.source.splitlines()]


def _said_to_raise(raised: dict[Side, ErrorFacts]) -> Text:
    if len(raised) == 2:
        return _BOTH_RAISE_HERE
    ((side, error),) = raised.items()
    other: Side = "right" if side == "left" else "left"
    return closed_up(_RAISES_HERE.format(_WORDS[side], quoted(error.type), _WORDS[other]))


def _clause(sentence: Text) -> Text:
    return Text(sentence.en.removesuffix("."), sentence.zh.removesuffix("。"))
