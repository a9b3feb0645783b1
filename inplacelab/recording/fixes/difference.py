"""Says in which lines a fixed program differs from the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, FixFacts
from inplacelab.recording.source_tree import applied, source_lines

__all__ = ["fix_between", "lines_after"]

_WRITE = Text("in line {0} write `{1}`", "把第 {0} 行改写为 `{1}`")
_REPLACE = Text("replace lines {0} to {1} by {2}", "把第 {0} 至 {1} 行换成 {2}")
_REPLACE_LINE = Text("replace line {0} by {1}", "把第 {0} 行换成 {1}")
_PUT_BEFORE = Text("put {1} before line {0}", "在第 {0} 行之前加上 {1}")
_PUT_LAST = Text("put {0} at the end", "在末尾加上 {0}")
_PUT_AFTER = Text("put {1} after line {0}", "在第 {0} 行之后加上 {1}")
_LEAVE_OUT = Text("leave out line {0}", "删去第 {0} 行")
_MOVE_BEFORE = Text("move line {0} before line {1}", "把第 {0} 行移到第 {1} 行之前")
_MOVE_LAST = Text("move line {0} to the end", "把第 {0} 行移到末尾")


@dataclass(frozen=True, slots=True)
class _Change:
    """The lines `first` to `last`, without the last one, counted from 0, become `lines`."""

    first: int
    last: int
    lines: tuple[str, ...]


def fix_between(before: str, after: str) -> FixFacts:
    """Returns the fix that makes one program of another.

    Args:
        before: the original.
        after: the fixed program.
    """
    changes = _changes(source_lines(before), source_lines(after))
    edits = tuple(EditFacts(each.first + 1, 0, each.last + 1, 0, "".join(each.lines)) for each in changes)
    # A last line without an end is the same line as one with it.
    old, new = _ended(source_lines(before)), _ended(source_lines(after))
    said = [*_said(old, _changes(old, new))]
    says = Text(", and ".join(each.en for each in said), "，并".join(each.zh for each in said))
    return FixFacts(says, edits)


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    return [
        _Change(first, last, tuple(new[begin:end]))
        for tag, first, last, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _ended(lines: list[str]) -> list[str]:
    return [line if line.endswith(("\n", "\r")) else line + "\n" for line in lines]


def lines_after(source: str, fix: FixFacts) -> list[tuple[str, bool]]:
    """Returns the lines of a fixed program, each with whether it is new."""
    old, new = _ended(source_lines(source)), source_lines(applied(source, fix.edits))
    found: list[tuple[str, bool]] = []
    for tag, _, _, begin, end in SequenceMatcher(None, old, new).get_opcodes():
        found += [(line.rstrip("\r\n"), tag != "equal") for line in new[begin:end]]
    return found


def _said(old: list[str], changes: list[_Change]) -> Iterator[Text]:
    removed = {old[k].strip(): k for each in changes if not each.lines for k in range(each.first, each.last)}
    put = {line.strip() for each in changes if each.first == each.last for line in each.lines}
    for each in changes:
        if each.first == each.last:
            yield _put(old, each, removed)
        elif not each.lines:
            gone = (k for k in range(each.first, each.last) if old[k].strip() not in put)
            yield from (_LEAVE_OUT.format(k + 1) for k in gone)
        elif len(each.lines) == each.last - each.first:
            pairs = enumerate(zip(old[each.first : each.last], each.lines, strict=True), each.first + 1)
            yield from (_WRITE.format(k, _shown(new)) for k, (before, new) in pairs if before != new)
        elif (lines := _alike(old[each.first : each.last], each.lines)) is not None:
            yield from _rewritten(old, each, lines)
        elif each.last - each.first == 1:
            yield _REPLACE_LINE.format(each.last, _code(each.lines))
        else:
            yield _REPLACE.format(each.first + 1, each.last, _code(each.lines))


def _alike(old: Sequence[str], new: Sequence[str]) -> list[int] | None:
    """Returns which new lines the old ones have become, if there are more, and each is like its old one; else None."""
    found: list[int] = []
    for line in reversed(old):
        before = range(found[-1] if found else len(new))
        near = [k for k in before if SequenceMatcher(None, line, new[k], autojunk=False).ratio() >= _LIKE]
        if not near:
            return None
        found.append(near[-1])
    return found[::-1]


_LIKE = 0.75
"""So much of two lines must agree, from 0 to 1, to be said to be the same line, rewritten."""


def _rewritten(old: list[str], change: _Change, becomes: Sequence[int]) -> Iterator[Text]:
    """Says which lines are rewritten, and which come in before them."""
    begin = 0
    for number, at in enumerate(becomes, change.first):
        if at > begin:
            yield _PUT_BEFORE.format(number + 1, _code(change.lines[begin:at]))
        if old[number] != change.lines[at]:
            yield _WRITE.format(number + 1, _shown(change.lines[at]))
        begin = at + 1
    if begin < len(change.lines):
        yield _PUT_AFTER.format(change.last, _code(change.lines[begin:]))


def _put(old: list[str], change: _Change, removed: Mapping[str, int]) -> Text:
    """Says where lines come in, or whence one is moved."""
    last = change.first >= len(old)
    moved = removed.get(change.lines[0].strip()) if len(change.lines) == 1 else None
    if moved is not None:
        return _MOVE_LAST.format(moved + 1) if last else _MOVE_BEFORE.format(moved + 1, change.first + 1)
    return _PUT_LAST.format(_code(change.lines)) if last else _PUT_BEFORE.format(change.first + 1, _code(change.lines))


def _shown(line: str) -> str:
    return line.strip().partition("  #")[0]


def _code(lines: Sequence[str]) -> Text:
    shown = [f"`{_shown(line)}`" for line in lines]
    return Text(", ".join(shown), "、".join(shown))
