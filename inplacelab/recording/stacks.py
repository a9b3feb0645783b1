"""Says by which calls a program got to a line, and in which iterations of the loops around it.

called from line 19, `r = self.c(q)` ← train.py:40, `loss = net(x).sum()`
for step = 3, i = 2
"""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterable, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import LoopFacts, SiteFacts, Sites
from inplacelab.recording.places import file_label

SHORT = 3
"""A chain of so many calls is shown whole. Of a longer one, the innermost call, the one in which the lines differ, and the outermost."""
LONGEST = 60
"""So many characters of a line are quoted."""

_COMMENT = re.compile(r"\s\s#[^'\"]*$")

_NOTHING = Text("", "")
_CALLED = Text("called from {0}", "调用处：{0}")
_ON_LINE = Text("line {0}", "第 {0} 行")
_ON_LINE_OF_FILE = Text("line {0} of {1}", "{1} 第 {0} 行")
_CELL = Text("cell [{0}]", "单元格 [{0}]")
_CODE = Text("{0}, `{1}`", "{0} `{1}`")
_OPERAND = Text("{0}; the operand is `{1}`", "{0}；操作数是 `{1}`")
_RESULT = Text("{0}; the result is `{1}`", "{0}；结果是 `{1}`")
_FOR = Text(" for {0}", "（{0} 时）")
_FOR_BOTH = Text(" for {0} to {1}", "（{0} 至 {1} 时）")
_TIME = Text(" (the {0} time that this ran)", "（此处第 {1} 次运行时）")


class Stacks:
    """The places of one failure, each with the calls that led there, as they are told beside each other.

    Args:
        stacks: the places.
    """

    def __init__(self, stacks: Iterable[Sites]) -> None:
        self._stacks = [each for each in stacks if each]

    def calls(self, sites: Sites) -> Text:
        """Returns from where the innermost of some frames was called; nothing for a frame that no frame of the program has called."""
        if len(sites) < 2:
            return _NOTHING
        calls = [k for k in range(1, len(sites)) if not _is_inside(sites[k - 1], sites[k])]
        if not calls:
            return _NOTHING
        shown = self._shown(sites, calls)
        parts = [self._call(sites, each) for each in shown]
        before = [-1, *(calls.index(each) for each in shown)]
        joined = [
            Text(f"… ← {part.en}", f"… ← {part.zh}") if calls.index(each) > before[k] + 1 else part
            for k, (each, part) in enumerate(zip(shown, parts, strict=True))
        ]
        return _CALLED.format(Text(" ← ".join(each.en for each in joined), " ← ".join(each.zh for each in joined)))

    def iteration(self, sites: Sites, last: Sites = ()) -> Text:
        """Returns in which iteration a line ran, where other lines of the failure ran in another one of the same loop, or are the same line.

        Args:
            sites: where it ran.
            last: where it ran the last time, if it did so several times.
        """
        if not sites or not self._tells(sites, 0):
            return _NOTHING
        return iteration(sites[0].loops, last[0].loops if last else ())

    def _shown(self, sites: Sites, calls: Sequence[int]) -> Sequence[int]:
        """Returns the positions of the calls that are shown, of those given."""
        if len(calls) <= SHORT:
            return calls
        apart = len(sites) - 1 - self._shared()
        return sorted({calls[0], *([apart] if apart in calls else []), calls[-1]})

    def _shared(self) -> int:
        """Returns how many outermost calls all places have in common."""
        backwards = [[(each, each.loops) for each in reversed(stack)] for stack in self._stacks]
        count = 0
        for row in zip(*backwards, strict=False):
            if any(each != row[0] for each in row):
                break
            count += 1
        return count

    def _call(self, sites: Sites, number: int) -> Text:
        site, code = sites[number], _COMMENT.sub("", sites[number].text).strip()
        where = line_in(site, sites[0].file)
        said = _CODE.format(where, _clipped(code)) if code else where
        return said + iteration(site.loops) if self._tells(sites, number) else said

    def _tells(self, sites: Sites, number: int) -> bool:
        """Whether the iteration tells a frame of a place from those of other places: other places are in other iterations of its loops, or on its line."""
        site = sites[number]
        mine = {each.line: each.value for each in site.loops}
        others = list(self._stacks)
        del others[next(k for k, each in enumerate(others) if each is sites)]
        beside = [
            (each, number == 0 or k == 0)
            for stack in others
            for k, each in enumerate(stack)
            if mine and (each.file, each.function) == (site.file, site.function)
        ]
        return any(
            (each.line == site.line and is_shown)
            or any(mine.get(one.line, one.value) != one.value for one in each.loops)
            for each, is_shown in beside
        )


def named_by_caller(calls: Text, name: str, *, is_result: bool) -> Text:
    """Returns from where a line was called, with the name that a tensor has there."""
    return (_RESULT if is_result else _OPERAND).format(calls, name)


def iteration(loops: Sequence[LoopFacts], last: Sequence[LoopFacts] = ()) -> Text:
    """Returns an iteration of nested loops in words: " for step = 3, i = 2"; of several iterations the first and the last."""
    named = [each for each in loops if each.name]
    if named:
        first = ", ".join(f"{each.name} = {each.value}" for each in named)
        until = ", ".join(f"{each.name} = {each.value}" for each in last if each.name and each not in loops)
        return _FOR_BOTH.format(first, until) if until else _FOR.format(first)
    count = next((each.value for each in reversed(loops)), "")
    return _TIME.format(_ordinal(int(count)), count) if count else _NOTHING


def _ordinal(number: int) -> str:
    suffix = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{suffix}"


def _is_inside(inner: SiteFacts, outer: SiteFacts) -> bool:
    """Whether a call is only that of a comprehension, which stands where it is called."""
    return function_in_words(inner.function) != inner.function and (inner.file, inner.line) == (outer.file, outer.line)


def function_in_words(name: str) -> str:
    """Returns the name of a function, without comprehensions in it, which a reader takes for a part of it."""
    return re.sub(r"\.?<(list|set|dict)comp>|\.?<genexpr>", "", name)


def _clipped(code: str) -> str:
    return code if len(code) <= LONGEST else code[: LONGEST - 1] + "…"


# --- files and lines ---------------------------------------------------------------------------------------------------


def line_in(site: SiteFacts, of: str) -> Text:
    """Returns the line of a place in words, for a reader who looks at the file `of`: "line 5", "agent.py:232", "line 5 of cell [2]"."""
    if site.file == of or file_key(site.file) == file_key(of):
        return _ON_LINE.format(site.line)
    cell = _cell(site.file)
    if cell is not None:
        return _ON_LINE_OF_FILE.format(site.line, _CELL.format(cell))
    if not site.file:
        return _ON_LINE_OF_FILE.format(site.line, file_label(""))
    name = f"{shown_file(site.file)}:{site.line}"
    return Text(name, name)


def file_key(filename: str) -> str:
    """Returns what tells a file from others, whichever of its names is given: a link, say, or one from the current folder."""
    try:
        return os.path.realpath(filename) if os.path.exists(filename) else filename
    except (OSError, ValueError):
        return filename


def shown_file(filename: str) -> str:
    """Returns a file's name as it is shortest: from the current folder, if it is there; that of a notebook's cell as IPython calls it, "In [2]"."""
    number = _cell_of(filename)
    if number is not None:
        return f"In [{number}]"
    try:
        near = os.path.relpath(filename)
    except (ValueError, OSError):
        return filename
    return filename if near.startswith("..") or not os.path.exists(near) else near


def brief_file(filename: str) -> Text:
    """Returns a file's name within a sentence: from the current folder, or without its folder."""
    name = shown_file(filename) if filename else ""
    return file_label(os.path.basename(name) if os.path.isabs(name) else name)


def file_in_words(filename: str) -> Text:
    """Returns a file's name within a sentence."""
    return file_label(shown_file(filename) if filename else "")


def _cell(filename: str) -> str | None:
    """Returns the number of a notebook's cell; None if a name is not that of one."""
    found = re.fullmatch(r"In \[(\d+)\]", shown_file(filename))
    return None if found is None else found[1]


def _cell_of(filename: str) -> int | None:
    """Returns the number of the cell that IPython compiles under the name of a file that does not exist; None if it is none."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    number = getattr(getattr(shell, "compile", None), "_filename_map", {}).get(filename)
    return number if isinstance(number, int) else None
