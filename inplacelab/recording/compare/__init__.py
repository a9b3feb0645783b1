"""Two recordings side by side: what is new at each position, what the comparison comes to, and a report for a terminal.

    alignment.py   which steps stand side by side       contrast.py   what differs between them at one position

Both programs are called by their side, left or right. If a single line differs, the conclusion says what that line does on each side. Otherwise it
says how the programs end, and where both end alike, what differs on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.recording.compare.alignment import Alignment, Line
from inplacelab.recording.compare.contrast import (
    Difference,
    DifferenceKind,
    NamedGradient,
    Verdict,
    absence,
    differences,
    same_in_short,
    verdict,
)
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.file_text import visible
from inplacelab.recording.naming import listing
from inplacelab.recording.places import line_of, said_line, short_place
from inplacelab.recording.queries import shares_storage, visible_values
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.sentences import Headline
from inplacelab.recording.sentences.phrases import MOST_VALUES, byte_count, closed_up, joined, quoted, shape, values

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
        """The changed lines of the texts that were started, counted from 1 (see `changed`)."""
        left, right = (tuple(line for source, line in each if not source) for each in self.changed)
        return left, right

    @cached_property
    def changed(self) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
        """The lines of each side's sources without an equal counterpart in the other's. Blank lines and comments do not count."""
        left, right = self.alignment.left.once(code_lines), self.alignment.right.once(code_lines)
        equal = [(one, other) for one, other in self.alignment.lines if left[one] == right[other]]
        known = {one for one, _ in equal}, {other for _, other in equal}
        found = [
            tuple(k for k, code in lines.items() if code and not code.startswith("#") and k not in same)
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


def code_lines(recording: Recording) -> Mapping[Line, str]:
    """Returns the lines of a program without indentation."""
    return {
        (source, number): line.strip()
        for source in range(len(recording.sources))
        for number, line in enumerate(recording.text_of(source).splitlines(), 1)
    }


def _said_to_raise(raised: dict[Side, ErrorFacts]) -> Text:
    if len(raised) == 2:
        return _BOTH_RAISE_HERE
    ((side, error),) = raised.items()
    other: Side = "right" if side == "left" else "left"
    return closed_up(_RAISES_HERE.format(_WORDS[side], quoted(error.type), _WORDS[other]))


def _clause(sentence: Text) -> Text:
    return Text(sentence.en.removesuffix("."), sentence.zh.removesuffix("。"))


LONGEST_CODE = 48
"""The most characters of code that is quoted."""
_CAUSES: tuple[DifferenceKind, ...] = ("sharing", "values", "version")
"""What a line may do differently, the cause before what follows from it."""
_BINDS = re.compile(r"([\w.]+) = (.+)")

_NOT_ALIGNED = Text(
    "Nothing was aligned: no line of one program has anything in common with a line of the other",
    "无法对齐：两个程序没有任何相近的行",
)
_BYTES_ON_THE_WAY = Text("{0}; only live bytes differ on the way", "{0}；只有途中存活的字节数不同")
_ALIKE = Text("No step differs in values, versions, sharing or bytes", "各步的值、版本号、共享关系和字节数均无不同")
_LEFT_SHARES = Text("{0} shares its storage with {2}, {1} does not", "{0} 与 {2} 共享存储，{1} 则不共享")
_RIGHT_SHARES = Text("{0} shares no storage with {2}, {1} does", "{0} 不与 {2} 共享存储，{1} 则共享")
_VALUES = Text("After {0}, {2} is {3}; after {1}, it is {4}", "执行 {0} 后，{2} 为 {3}；执行 {1} 后为 {4}")
_VERSION = Text(
    "After {0}, {2} is at version {3}; after {1}, at version {4}",
    "执行 {0} 后，{2} 的版本号为 {3}；执行 {1} 后为 {4}",
)
_LEFT_RAISES = Text("{0} raises {2}, {1} does not", "{0} 抛出 {2}，{1} 则不会")
_RIGHT_RAISES = Text("{0} raises nothing, {1} raises {2}", "{0} 不抛出异常，{1} 则抛出 {2}")
_EACH = Text("The left program {0}, the right one {1}", "左侧程序{0}，右侧程序{1}")
_RAISES = Text("raises {0} in {1}", "在{1}抛出 {0}")
_RAISES_SOMEWHERE = Text("raises {0}", "抛出 {0}")
_GIVES = Text("gives {0}", "得到 {0}")
_GRADIENTS = Text("gradients of {0} tensors", "{0} 个张量的梯度")
_ONE_GRADIENT = Text("{1}", "{1}")
_ENDS = Text("runs to its end", "运行到结束")
_GRADIENT = Text("{0} is {1} on the left, {2} on the right", "{0}：左侧 {1}，右侧 {2}")
_GRADIENT_DIFFERS = Text("{0} differs", "{0} 不同")
_BOTH_RAISE = Text("Both programs raise {0}", "两个程序都抛出 {0}")
_BOTH_GIVE = Text("Both give {0}", "两者都得到 {0}")
_SAME_GRADIENTS = Text("Both give the same gradients", "两者得到相同的梯度")
_BOTH_END = Text("Both run to their ends", "两者都运行到结束")
_BUT = Text("{0}, but on the way they differ: {1}", "{0}，但途中不同：{1}")
_ONLY_ROUNDING = Text("{0}; only rounding differs", "{0}；只有舍入不同")
_ONLY_BYTES = Text(
    "{0}; only memory differs: at most {1} on the left, {2} on the right", "{0}；只有内存不同：峰值左侧 {1}，右侧 {2}"
)


def conclusion(comparison: Comparison) -> Text:
    """Returns what a comparison comes to, without a full stop.

    >>> import inplacelab as paddle
    >>> from inplacelab.recording.compare.alignment import align
    >>> with paddle.record() as one:
    ...     x = paddle.ones([2])
    ...     y = x.detach()
    >>> with paddle.record() as other:
    ...     x = paddle.ones([2])
    ...     y = x.clone()
    >>> print(conclusion(Comparison(align(one.recording, other.recording))).en)
    `x.detach()` shares its storage with `x`, `x.clone()` does not
    """
    if not comparison.alignment.pairs:
        return _NOT_ALIGNED
    line = _only_changed_line(comparison)
    said = (_of_line(comparison, line) if line is not None else None) or _of_ends(comparison)
    return closed_up(said or _of_way(comparison))


def ending(verdict: Verdict) -> Text:
    """Returns how a program ended, in a few words: of many gradients, or many values, only how many tensors have one."""
    if verdict.error is not None or not verdict.gradients or _is_short(verdict):
        return verdict.says
    return Text("✓ {0}", "✓ {0}").format(_listed(verdict))


# --- one line that differs ---------------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """The only line that differs: its code on both sides, the name that it binds on both, and the end of its first visit."""

    codes: tuple[Text, Text]
    binds: str | None
    position: int


def _only_changed_line(comparison: Comparison) -> _Line | None:
    alignment = comparison.alignment
    changed = comparison.changed
    if len(changed[0]) != 1 or len(changed[1]) != 1:
        return None
    pair = changed[0][0], changed[1][0]
    codes = [getattr(alignment, side).once(code_lines)[number] for side, number in zip(SIDES, pair, strict=True)]
    bound = [_BINDS.fullmatch(code) for code in codes]
    binds = bound[0][1] if bound[0] and bound[1] and bound[0][1] == bound[1][1] else None
    if binds is not None:
        codes = [code.partition(" = ")[2] for code in codes]
    if pair not in alignment.lines or any(len(code) > LONGEST_CODE or "`" in code for code in codes):
        return None
    for end in alignment.ends:
        if all(_line_of(comparison, end, k) == number for k, number in enumerate(pair)):
            return _Line((quoted(codes[0]), quoted(codes[1])), binds, end)
    return None


def _line_of(comparison: Comparison, position: int, side: int) -> Line | None:
    """The line that a side has just run; None if it waits."""
    if comparison.waiting(position, SIDES[side], by_line=True) is not None:
        return None
    reached = comparison.alignment.reached[position][side]
    recording = getattr(comparison.alignment, SIDES[side])
    return None if reached is None else line_of(recording.steps[reached].place)


def _of_line(comparison: Comparison, line: _Line) -> Text | None:
    """What the line does on each side; None if that cannot be said in a clause."""
    raised = comparison.raised(line.position, by_line=True)
    if len(raised) == 1:
        ((side, error),) = raised.items()
        return (_LEFT_RAISES if side == "left" else _RIGHT_RAISES).format(*line.codes, quoted(error.type))
    if raised:
        return None
    new = [each for each in comparison.new(line.position, by_line=True) if each.kind in _CAUSES]
    reached = comparison.alignment.reached[line.position]
    left = comparison.alignment.left.state(reached.left or 0)
    right = comparison.alignment.right.state(reached.right or 0)
    causes = sorted(new, key=lambda each: _CAUSES.index(each.kind))
    return next((said for cause in causes if (said := _of_cause(cause, line, left, right)) is not None), None)


def _of_cause(cause: Difference, line: _Line, left: State, right: State) -> Text | None:
    """What a line does in one respect; None if it is not said in a clause."""
    if cause.kind == "sharing":
        others = [name for name in cause.names if name != line.binds]
        if len(others) != 1:
            return None
        pattern = _LEFT_SHARES if shares_storage(left, *cause.names) else _RIGHT_SHARES
        return pattern.format(*line.codes, quoted(others[0]))
    name = cause.names[0]
    if cause.kind == "version":
        numbers = [state.version(state.tensor(name)) for state in (left, right)]
        return _VERSION.format(*line.codes, quoted(name), *numbers)
    seen = [visible_values(state, state.tensor(name)) or () for state in (left, right)]
    said = [values(each) for each in seen]
    if max(map(len, seen)) > MOST_VALUES or said[0] == said[1]:
        return None
    return _VALUES.format(*line.codes, quoted(name), *said)


# --- the ends ----------------------------------------------------------------------------------------------------------


def _of_ends(comparison: Comparison) -> Text | None:
    """How the two programs end, if they end differently."""
    left, right = comparison.verdicts
    both = (left, comparison.alignment.left), (right, comparison.alignment.right)
    if (left.error is None) != (right.error is None):
        return _EACH.format(*starmap(_end, both))
    if left.error is not None and right.error is not None:
        alike = left.error.type == right.error.type
        return None if alike else _EACH.format(*starmap(_end, both))
    theirs = {each.name: each for each in right.gradients}
    for mine in left.gradients:
        if (other := theirs.get(mine.name)) is not None and not _same(mine, other):
            return _of_gradients(mine, other)
    names = [{each.name for each in end.gradients} for end in (left, right)]
    return None if names[0] == names[1] else _EACH.format(*starmap(_end, both))


def _end(end: Verdict, recording: Recording) -> Text:
    if end.error is not None:
        line = said_line(recording.named_sources, end.place)
        return (_RAISES_SOMEWHERE if end.place is None else _RAISES).format(quoted(end.error.type), line)
    return _GIVES.format(_listed(end)) if end.gradients else _ENDS


def _is_short(end: Verdict) -> bool:
    """Whether the gradients of a program can be written out in a clause."""
    values_of = (each.values for each in end.gradients)
    return len(end.gradients) == 1 and all(each is not None and len(each) <= MOST_VALUES for each in values_of)


def _listed(end: Verdict) -> Text:
    if not _is_short(end):
        count = len(end.gradients)
        return (_GRADIENTS if count > 1 else _ONE_GRADIENT).format(count, quoted(f"{end.gradients[0].name}.grad"))
    return listing([quoted(f"{each.name}.grad = {_written(each)}") for each in end.gradients])


def _written(gradient: NamedGradient) -> str:
    return shape(gradient.shape) if gradient.values is None else values(gradient.values)


def _same(one: NamedGradient, other: NamedGradient) -> bool:
    """Whether two gradients are equal in four digits, as far as they were recorded."""
    if one.shape != other.shape:
        return False
    if one.values is None or other.values is None:
        return True
    return all(map(same_in_short, one.values, other.values))


def _of_gradients(one: NamedGradient, other: NamedGradient) -> Text:
    said = [_written(each) for each in (one, other)]
    name = quoted(f"{one.name}.grad")
    return _GRADIENT_DIFFERS.format(name) if said[0] == said[1] else _GRADIENT.format(name, *said)


# --- the way -----------------------------------------------------------------------------------------------------------


def _of_way(comparison: Comparison) -> Text:
    """What differs on the way of two programs that end alike."""
    left, right = comparison.verdicts
    both = _both(left.error, left)
    found = [each for end in comparison.alignment.ends for each in comparison.new(end, by_line=True)]
    telling = [each for each in found if each.kind not in QUIET]
    if telling:
        first = min(telling, key=weight).says
        said = Text(first.en[:1].lower() + first.en[1:].removesuffix("."), first.zh.removesuffix("。"))
        return _BUT.format(both, said)
    if any(each.kind == "rounding" for each in found):
        return _ONLY_ROUNDING.format(both)
    if left.peak != right.peak:
        return _ONLY_BYTES.format(both, byte_count(left.peak), byte_count(right.peak))
    if found:
        return _BYTES_ON_THE_WAY.format(both)
    return _ALIKE


def _both(error: ErrorFacts | None, end: Verdict) -> Text:
    if error is not None:
        return _BOTH_RAISE.format(quoted(error.type))
    if not end.gradients:
        return _BOTH_END
    is_known = all(each.values is not None for each in end.gradients)
    return _SAME_GRADIENTS if is_known and not _is_short(end) else _BOTH_GIVE.format(_listed(end))


_SIDE_ENDS = Text("{0}: {1} (peak {2})", "{0}：{1}（峰值 {2}）")
_SIDES = (Text("left: ", "左侧："), Text("right: ", "右侧："))
_NO_PAIRS = Text(
    "No line of one has anything in common with a line of the other: nothing was aligned.",
    "两个程序没有任何相近的行：无法对齐。",
)
_NO_DIFFERENCE = Text("No step differs in values, versions or sharing.", "各步的值、版本号和共享关系均无不同。")
_BYTES = ("live", "peak")
"""Differ at almost every step once they differ: the heading says what they come to."""


def report(alignment: Alignment) -> Iterator[str]:
    """Yields the lines of a report: how both programs end, and where they begin to differ. All characters are visible."""
    for side, recording in zip(_SIDES, (alignment.left, alignment.right), strict=True):
        end = verdict(recording)
        yield f"{side}{_SIDE_ENDS.format(visible(recording.title), visible(str(end.says)), byte_count(end.peak))}"
        yield from (f"  {note}" for note in recording.notes)
    if not alignment.pairs:
        yield f"\n{_NO_PAIRS}"
        return
    found = list(_steps(alignment))
    yield from found or [f"\n{_NO_DIFFERENCE}"]


def _steps(alignment: Alignment) -> Iterator[str]:
    """Yields the lines of both sides at each position with a new difference, and below them what is new."""
    before: set[Text] = set()
    for index, position in enumerate(alignment.positions):
        here = [each.says for each in differences(alignment, index) if each.kind not in _BYTES]
        if new := [says for says in here if says not in before]:
            yield ""
            for side, recording, step in zip(_SIDES, (alignment.left, alignment.right), position, strict=True):
                if step is not None:
                    yield f"{side}{_line(recording, step)}"
            yield from (f"  {visible(str(says))}" for says in new)
        before = set(here)


def _line(recording: Recording, step: int) -> str:
    place = recording.steps[step].place
    code = recording.once(code_lines).get(line_of(place) or (0, 0))
    return (
        "?"
        if place is None or code is None
        else f"{visible(short_place(recording.named_sources, place))}  {visible(code)}"
    )
