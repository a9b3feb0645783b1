"""Checks exercises: tests the learner's answer and returns a hint that helps without giving the answer away.

A learner who runs a check again without progress gets the next hint, which may reveal more.

What every exercise needs is done here, so that a check only compares: an answer is not judged if the cell that should have assigned it raised an
error before it did (`failed_cells.py`); capital letters, spaces and quotation marks around an answer in words do not matter; a number in quotation
marks, and an answer of the wrong type, get a sentence. A check says which type it wants by annotating its parameter (`dict`, `list[str]`, `int`).
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inplacelab.language import Text, enumerated
from inplacelab.lessons.failed_cells import not_assigned

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
_FAILED = Text(
    "The cell that assigns `{0}` raised an error before it did, so there is no `{0}` yet: read the error, change the cell, and run both cells again.",
    "给 `{0}` 赋值的单元格在赋值之前就报错了，所以还没有 `{0}`：请先看报错，改好那个单元格，再把两个单元格都运行一遍。",
)
_OLD = Text(
    "The cell that assigns `{0}` raised an error before it did, so `{0}` is still that of an earlier run: read the error, change the cell, and run both "
    "cells again.",
    "给 `{0}` 赋值的单元格在赋值之前就报错了，所以 `{0}` 还是以前运行时的值：请先看报错，改好那个单元格，再把两个单元格都运行一遍。",
)
_AS_TEXT = Text("Write numbers, without quotes: {0}, not '{0}'.", "请写数字，不加引号：{0}，而不是 '{0}'。")
_WRONG_TYPE = Text("`{0}` is {1}, and should be {2}.", "`{0}` 的类型不对：应当是{2}，而现在是{1}。")
_UNREADABLE = Text(
    "Which kind of answer does the exercise ask for? {0}.",
    "题目要求的是哪一种答案？现在 {0}。",
)
_NO_ENTRY = Text("Your answer has no entry {0}.", "你的答案里没有 {0} 这一项。")
_TOO_SHORT = Text("Your answer has too few parts.", "你的答案缺了几项。")
_NO_ELEMENT = Text("There is no element {0}.", "没有 {0} 这个元素。")
_RAISED = Text("Your answer raised an error when it was checked ({0}).", "检查你的答案时报错了（{0}）。")
_IS = Text("`{0}` is {1}", "`{0}` 是{1}")
_TYPES = {
    "dict": Text("a dictionary, `{key: value}`", "字典，形如 `{键: 值}`"),
    "list": Text("a list, `[…]`", "列表，形如 `[…]`"),
    "tuple": Text("a tuple, `(…)`", "元组，形如 `(…)`"),
    "set": Text("a set, `{…}`", "集合，形如 `{…}`"),
    "str": Text("text", "文字"),
    "int": Text("a whole number", "整数"),
    "float": Text("a number", "数"),
    "bool": Text("True or False", "True 或 False"),
    "function": Text("a function", "函数"),
    "NoneType": Text("`None`", "`None`"),
}
_DATA = _TYPES.keys() - {"function"}
_ACCEPTED = {"list": {"list", "tuple"}, "tuple": {"list", "tuple"}, "float": {"float", "int"}}
"""Which types are as good as the one that a check names, apart from it."""
_AROUND = " \t\n\"'`“”‘’"
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?")
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


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How far an answer came: the conditions that it met, and the hints of the one that it did not."""

    passed: int
    solved: bool = False
    hints: tuple[Text, ...] = ()
    says: Text | None = None


class Exercise:
    """The check of one exercise, made with the decorator `exercise`."""

    def __init__(self, steps: Callable[..., Steps]) -> None:
        self.name = steps.__name__
        self.__doc__ = steps.__doc__
        self._steps = steps
        self._wanted = {name: _named(each.annotation) for name, each in inspect.signature(steps).parameters.items()}
        self._asks_for = tuple(self._wanted)
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
        given = {name: found[name] for name in self._asks_for}
        outcome = self._judge(given)
        plain = {name: _plain(answer) for name, answer in given.items()}
        if not outcome.solved and any(plain[name] is not given[name] for name in given):
            outcome = max(outcome, self._judge(plain), key=lambda each: (each.solved, each.passed))
        if outcome.solved:
            return Verdict(
                solved=True, words=_SOLVED if outcome.says is None else _SOLVED + Text(" ", "") + outcome.says
            )
        hint = next(filter(None, self._about_types(given)), None) or self._next_hint(outcome)
        return Verdict(solved=False, words=_NOT_YET.format(hint))

    def _missing(self, found: Mapping[str, Any]) -> Text | None:
        failed = not_assigned(found)
        for name in self._asks_for:
            if name in failed:
                return (_OLD if name in found else _FAILED).format(name)
            if name not in found:
                return _UNKNOWN.format(name)
            if _is_unfilled(found[name]):
                return _UNFILLED.format(name)
        return None

    def _judge(self, answers: Mapping[str, Any]) -> _Outcome:
        passed = 0
        try:
            steps = self._steps(**answers)
            while True:
                condition, *hints = next(steps)
                if not condition:
                    return _Outcome(passed, hints=tuple(hints))
                passed += 1
        except StopIteration as end:
            return _Outcome(passed, solved=True, says=end.value)
        except Exception as error:  # noqa: BLE001  # the learner's answer may be any object: an error becomes a hint
            return _Outcome(passed, hints=(_unreadable(answers, error),))

    def _about_types(self, answers: Mapping[str, Any]) -> Iterator[Text | None]:
        """Yields a sentence for each answer of the wrong type, the most definite first."""
        for name, answer in answers.items():
            yield _wrong_type(name, answer, self._wanted[name])
            yield next((_AS_TEXT.format(text) for text in _texts(answer) if _NUMBER.fullmatch(text.strip())), None)

    def _next_hint(self, outcome: _Outcome) -> Text:
        number = min(self._failed[outcome.passed], len(outcome.hints) - 1)
        self._failed[outcome.passed] += 1
        said = outcome.hints[number]
        return said + _MORE.format(number + 1, len(outcome.hints)) if number + 1 < len(outcome.hints) else said


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
    return answer is ... or any(part is ... for part in _parts(answer))


def _parts(answer: Any) -> tuple[Any, ...]:
    if type(answer) is dict:
        return (*answer, *answer.values())
    return tuple(answer) if type(answer) in (list, tuple, set) else ()


def _texts(answer: Any) -> Iterator[str]:
    yield from (part for part in (answer, *_parts(answer)) if isinstance(part, str))


def _plain(answer: Any) -> Any:
    """Returns an answer with its words in small letters and without spaces or quotation marks around them; the same object if that changes nothing."""
    if all(_plain_word(text) == text for text in _texts(answer)):
        return answer
    if isinstance(answer, str):
        return _plain_word(answer)
    if isinstance(answer, dict):
        return {_plain_word(key): _plain_word(value) for key, value in answer.items()}
    return type(answer)(map(_plain_word, answer))


def _plain_word(part: Any) -> Any:
    return part.strip(_AROUND).lower() if isinstance(part, str) else part


def _named(annotation: Any) -> str:
    """The type that a check asks for; "" if it does not say."""
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    name = written.partition("[")[0]
    return name if name in _TYPES else ""


def _wrong_type(name: str, answer: Any, wanted: str) -> Text | None:
    kind = type(answer).__name__
    if not wanted or kind in _ACCEPTED.get(wanted, {wanted}):
        return None
    return _WRONG_TYPE.format(name, _kind(answer), _TYPES[wanted])


def _unreadable(answers: Mapping[str, Any], error: Exception) -> Text:
    """What is said where a check cannot go on because of an error."""
    if isinstance(error, KeyError):
        return _NO_ENTRY.format(error)
    if isinstance(error, IndexError):
        return _TOO_SHORT if "out of range" in str(error) else _NO_ELEMENT.format(error)
    kinds = [_IS.format(name, _kind(answer)) for name, answer in answers.items() if type(answer).__name__ in _DATA]
    return _UNREADABLE.format(enumerated(kinds)) if kinds else _RAISED.format(f"{type(error).__name__}: {error}")


def _kind(answer: Any) -> Text:
    name = type(answer).__name__
    return _TYPES.get(name, Text(f"`{name}`", f"`{name}`"))
