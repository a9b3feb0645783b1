"""Checks exercises: tests the learner's answer and returns a hint that helps without giving the answer away.

A learner who runs a check again without progress gets the next hint, which may reveal more.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from inplacelab.language import Text

Step = tuple[Any, *tuple[Text, ...]]
"""A condition, and one or more hints for when it does not hold, each revealing more than the last."""

Steps = Generator[Step, None, Text | None]

_SOLVED = Text("✓ Solved.", "✓ 做对了。")
_NOT_YET = Text("○ Not yet. {0}", "○ 尚未完成。{0}")
_UNFILLED = Text(
    "`{0}` is still `...`: put your answer in its place and run both cells again.",
    "`{0}` 还是 `...`：请换成你的答案，再把这两个单元格都运行一遍。",
)
_UNKNOWN = Text(
    "There is no `{0}` yet: run the cell of the exercise first, and keep its names.",
    "还没有 `{0}`：请先运行练习的单元格，并保留其中的名字。",
)
_UNREADABLE = Text(
    "Your answer is not of the kind that was asked for ({0}).",
    "你的答案和题目要求的不是同一类东西（{0}）。",
)
_MORE = Text(" (Hint {0} of {1}: run this cell again for the next.)", "（提示 {0}/{1}：再次运行本单元格可看下一条。）")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check, shown under its cell in the current language.

    Attributes:
        solved: whether the exercise is solved.
        words: the hint, or what to remember.
    """

    solved: bool
    words: Text

    def __repr__(self) -> str:
        return str(self.words)

    def _repr_markdown_(self) -> str:
        return str(self.words)


class Exercise:
    """The check of one exercise, made with the decorator `exercise`."""

    def __init__(self, steps: Callable[..., Steps]) -> None:
        self.name = steps.__name__
        self.__doc__ = steps.__doc__
        self._steps = steps
        self._asks_for = tuple(inspect.signature(steps).parameters)
        self._failed: Counter[int] = Counter()

    def __call__(self, **answers: Any) -> Verdict:
        """Checks the learner's answer.

        Args:
            answers: the values of the check's parameters; by default the notebook's variables of these names.

        Returns:
            The verdict: whether it is solved, and a hint if not.
        """
        found = answers or sys._getframe(1).f_globals
        missing = self._missing(found)
        if missing is not None:
            return Verdict(solved=False, words=_NOT_YET.format(missing))
        try:
            return self._judge(self._steps(**{name: found[name] for name in self._asks_for}))
        except Exception as error:  # noqa: BLE001  # the learner's answer may be any object: the check turns errors into a hint
            return Verdict(solved=False, words=_NOT_YET.format(_UNREADABLE.format(f"{type(error).__name__}: {error}")))

    def _missing(self, found: Mapping[str, Any]) -> Text | None:
        for name in self._asks_for:
            if name not in found:
                return _UNKNOWN.format(name)
            if _is_unfilled(found[name]):
                return _UNFILLED.format(name)
        return None

    def _judge(self, steps: Steps) -> Verdict:
        index = 0
        while True:
            try:
                condition, *hints = next(steps)
            except StopIteration as end:
                return Verdict(solved=True, words=_SOLVED if end.value is None else _SOLVED + Text(" ", "") + end.value)
            if not condition:
                return Verdict(solved=False, words=_NOT_YET.format(self._next_hint(index, hints)))
            index += 1

    def _next_hint(self, index: int, hints: list[Text]) -> Text:
        number = min(self._failed[index], len(hints) - 1)
        self._failed[index] += 1
        said = hints[number]
        return said + _MORE.format(number + 1, len(hints)) if number + 1 < len(hints) else said


def exercise(steps: Callable[..., Steps]) -> Exercise:
    """Makes the check of an exercise from a function that yields `(condition, hint, further hints ...)`.

    The function's parameters are the learner's names. The check stops at the first condition that does not hold, so later
    conditions may rely on earlier ones. The function may return a `Text`, which is shown when all conditions hold.

    >>> @exercise
    ... def half(shape):
    ...     yield shape == [2, 2], Text("How many elements are there?", "一共有几个元素？"), Text("Four.", "四个。")
    >>> half(shape=[4])
    ○ Not yet. How many elements are there? (Hint 1 of 2: run this cell again for the next.)
    >>> half(shape=[4])
    ○ Not yet. Four.
    """
    return Exercise(steps)


def _is_unfilled(answer: Any) -> bool:
    return answer is ... or (isinstance(answer, list | tuple) and any(part is ... for part in answer))
