"""Says in one clause what the comparison of two programs comes to.

If a single line differs, the clause says what that line does on each side. Otherwise it says how the programs end, and where both end
alike, what differs on the way.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.comparison import QUIET, SIDES, Comparison, code_lines, weight
from inplacelab.recording.differences import Difference, DifferenceKind, NamedGradient, Verdict, same_in_short
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.queries import shares_storage, visible_values
from inplacelab.recording.recording import State
from inplacelab.recording.sentences.phrases import MOST_VALUES, byte_count, closed_up, listing, quoted, shape, values

__all__ = ["conclusion", "ending"]

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
_RAISES = Text("raises {0} in line {1}", "在第 {1} 行抛出 {0}")
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
    >>> from inplacelab.recording.alignment import align
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
    changed = comparison.changed_lines
    if len(changed[0]) != 1 or len(changed[1]) != 1:
        return None
    pair = changed[0][0], changed[1][0]
    codes = [code_lines(getattr(alignment, side))[number - 1] for side, number in zip(SIDES, pair, strict=True)]
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


def _line_of(comparison: Comparison, position: int, side: int) -> int | None:
    """The line that a side has just run; None if it waits."""
    if comparison.waiting(position, SIDES[side], by_line=True) is not None:
        return None
    reached = comparison.alignment.reached[position][side]
    recording = getattr(comparison.alignment, SIDES[side])
    line: int | None = None if reached is None else recording.steps[reached].line
    return line


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
    if (left.error is None) != (right.error is None):
        return _EACH.format(*map(_end, (left, right)))
    if left.error is not None and right.error is not None:
        alike = left.error.type == right.error.type
        return None if alike else _EACH.format(*map(_end, (left, right)))
    theirs = {each.name: each for each in right.gradients}
    for mine in left.gradients:
        if (other := theirs.get(mine.name)) is not None and not _same(mine, other):
            return _of_gradients(mine, other)
    names = [{each.name for each in end.gradients} for end in (left, right)]
    return None if names[0] == names[1] else _EACH.format(*map(_end, (left, right)))


def _end(end: Verdict) -> Text:
    if end.error is not None:
        return (_RAISES_SOMEWHERE if end.line is None else _RAISES).format(quoted(end.error.type), end.line)
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
