r"""Asks a learner for a prediction before a program runs, and compares it with the recorded facts afterwards.

A question is a cell that begins with `%%predict NAME`. Each line is one part: what is asked, a colon, and what can be answered.

    %%predict viewed
    strides of `t`: (3, 1) | (1, 3) | (2, 3)
    which show a zero: x & same & part
    `a.grad`: 2 = all 2 | 4 = all 4 | None = an error
    slot of `m[1, 2]`: ?

`|` stands between options of which one is right, `&` between options of which any number is right, and `?` is a field to fill in. An option
may have a value before `=`, if its words are not its value. No cell holds the answers: after the program has run, a later cell gives them
from the facts, in the same order. Until a prediction is entered, a notebook shows them folded, together with what the rest of that cell prints and
draws, and with the error of a program that raised: one static output, which a reader can open without a kernel, too.

>>> asked = ask("viewed", "strides of `t`: (3, 1) | (1, 3)\nstorages: ?")
>>> reveal("viewed", (1, 3), 1)
○ No prediction yet. Enter one above: the answers appear there, and here when you run this cell again.
>>> asked.answer([[1], "2"])
>>> reveal("viewed", (1, 3), 1)
✓ strides of `t`: (1, 3)
✗ storages: you said 2; it is 1
>>> score()
✓ viewed: 1 of 2
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.folded import folded, in_html

Choice = list[int] | str | None
"""What a learner entered for one part: the indices of options, the text of a field, or None: "I don't know"."""

_NOT_YET = Text(
    "○ No prediction yet. Enter one above: the answers appear there, and here when you run this cell again.",
    "○ 还没有预测。请先填写上面的问题：答案会显示在问题下方，再次运行本单元格后也会显示在此处。",
)
_FACT = Text("{label}: {fact}", "{label}：{fact}")
_RAISED = Text("The program raises:", "程序报错：")
_RIGHT = Text("✓ {label}: {fact}", "✓ {label}：{fact}")
_WRONG = Text("✗ {label}: you said {said}; it is {fact}", "✗ {label}：你的预测是 {said}；实际是 {fact}")
_OPEN = Text("○ {label}: you left it open; it is {fact}", "○ {label}：你没有作答；答案：{fact}")
_NONE_OF_THEM = Text("none", "都不是")
_NO_ANSWERS = Text("○ No prediction was entered.", "○ 没有填写过预测。")
_LINE = Text("{mark} {name}: {right} of {given}", "{mark} {name}：答对 {right} / {given}")
_TOTAL = Text("Right: {0} of {1} predictions.", "共答对 {0} / {1} 个预测。")
_MALFORMED = Text(
    "line {0} of the question is not `what is asked: answers`: {1!r}", "问题的第 {0} 行不是“问题: 答案”的形式：{1!r}"
)
_EMPTY = Text(
    "the question has no lines. Write one line for each part: `what is asked: answers`",
    "这个问题没有内容。每个小问写一行：“问题: 答案”",
)
_UNKNOWN = Text("there is no question {0!r}: run its cell first", "没有名为 {0!r} 的问题：请先运行它的单元格")
_COUNT = Text(
    "the question {0!r} has {1} parts, and {2} facts were given", "问题 {0!r} 有 {1} 个小问，却给出了 {2} 个事实"
)
_NO_OPTION = Text("{0!r} is none of the options of {1!r}", "{0!r} 不在 {1!r} 的选项之中")

_PUNCTUATION = str.maketrans("，（）［］：＝", ",()[]:=")
_DIGITS = re.compile(r"(?<=\d)[ ,_](?=\d{3}(?!\d))")
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LONGEST = 200
"""Characters of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose: its words, and the value that a fact is compared with."""

    words: str
    value: Any


@dataclass(frozen=True, slots=True)
class Part:
    """One question. Without options it is a field to fill in."""

    label: str
    options: tuple[Option, ...] = ()
    several: bool = False

    def right(self, fact: Any) -> list[int]:
        """Returns the indices of the options that a fact makes right.

        Raises:
            ValueError: if the fact is none of the options.
        """
        facts = list(fact) if self.several else [fact]
        found = [index for index, option in enumerate(self.options) if any(_equal(option.value, one) for one in facts)]
        if len(found) != len(facts):
            raise ValueError(str(_NO_OPTION.format(fact, self.label)))
        return found

    def is_right(self, choice: Choice, fact: Any) -> bool | None:
        """Tells whether what the learner entered is the fact; None for "I don't know", which is neither right nor wrong."""
        if choice is None:
            return None
        if self.options:
            return choice == self.right(fact)
        return _equal(_read(str(choice)), fact)

    def words(self, choice: Choice) -> str:
        """Returns what the learner entered, in the words of the question."""
        if isinstance(choice, list):
            return ", ".join(self.options[index].words for index in choice) or str(_NONE_OF_THEM)
        return "" if choice is None else choice.strip()

    def fact_in_words(self, fact: Any) -> str:
        """Returns the fact in the words of the question."""
        if isinstance(fact, set | frozenset) and not self.options:
            fact = sorted(fact)  # the order of a set may differ from run to run
        return self.words(self.right(fact)) if self.options else f"{fact:,}" if isinstance(fact, int) else str(fact)


@dataclass(slots=True)
class Prediction:
    """A question of a lesson, with what the learner entered and, once the program has run, the facts.

    Attributes:
        name: its name in the lesson.
        parts: what is asked.
        choices: what the learner entered for each part; None before that.
        facts: the answers, as a later cell found them; None before that.
        errors: those that programs raised before there was a prediction; they are shown with the answers.
        on_change: called when the prediction can be compared with the facts.
    """

    name: str
    parts: tuple[Part, ...]
    choices: list[Choice] | None = None
    facts: tuple[Any, ...] | None = None
    errors: list[str] = field(default_factory=list)
    on_change: Callable[[], None] = field(default=lambda: None, repr=False)

    def answer(self, choices: Sequence[Choice]) -> None:
        """Notes what the learner entered. The first prediction counts."""
        if self.choices is None:
            self.choices = list(choices)
            self.on_change()

    def reveal(self, facts: Sequence[Any]) -> None:
        """Notes the facts.

        Raises:
            ValueError: if their number is not that of the parts, or one is none of the options.
        """
        if len(facts) != len(self.parts):
            raise ValueError(str(_COUNT.format(self.name, len(self.parts), len(facts))))
        for part, fact in zip(self.parts, facts, strict=True):
            part.fact_in_words(fact)
        self.facts = tuple(facts)
        self.on_change()

    @property
    def compared(self) -> tuple[bool | None, ...] | None:
        """For each part, whether the prediction was right, or None if it was left open; None as long as there is nothing to compare."""
        if self.choices is None or self.facts is None:
            return None
        triples = zip(self.parts, self.choices, self.facts, strict=True)
        return tuple(part.is_right(choice, fact) for part, choice, fact in triples)

    def answers(self) -> list[str]:
        """Returns a line for each part that says the fact; empty before there are any."""
        pairs = zip(self.parts, self.facts or (), strict=False)
        return [str(_FACT.format(label=part.label, fact=part.fact_in_words(fact))) for part, fact in pairs]

    def lines(self) -> list[str]:
        """Returns a line for each part that compares the prediction with the fact; empty as long as there is nothing to compare."""
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        for index, right in enumerate(self.compared or ()):
            part, fact = self.parts[index], (self.facts or ())[index]
            said = part.words((self.choices or ())[index])
            words = _OPEN if right is None else _RIGHT if right else _WRONG
            yield str(words.format(label=part.label, said=said, fact=part.fact_in_words(fact)))


class Lines:
    """Lines of text, shown as a list in a notebook."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = tuple(lines)

    def __repr__(self) -> str:
        return "\n".join(self._lines)

    def _repr_markdown_(self) -> str:
        return "  \n".join(self._lines)


_asked: dict[str, Prediction] = {}
_steppers: dict[str, Any] = {}


def parse(text: str) -> tuple[Part, ...]:
    """Returns the parts of a question.

    Raises:
        ValueError: if there is none, or a line has no colon or no answers.

    >>> parse("storages: ?")
    (Part(label='storages', options=(), several=False),)
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise ValueError(str(_EMPTY))
    return tuple(_part(number, line) for number, line in lines)


def _part(number: int, line: str) -> Part:
    label, colon, answers = (piece.strip() for piece in line.rpartition(": "))
    if not colon or not label or not answers:
        raise ValueError(str(_MALFORMED.format(number, line)))
    if answers == "?":
        return Part(label)
    several = " & " in answers
    options = tuple(_option(option) for option in answers.split(" & " if several else " | "))
    return Part(label, options, several)


def _option(written: str) -> Option:
    value, equals, words = (piece.strip() for piece in written.partition(" = "))
    return Option(words if equals else value, _read(value))


def ask(name: str, text: str) -> Prediction:
    """Asks a question, as `%%predict` does. Asked again, it starts over.

    Args:
        name: its name.
        text: its lines.

    Raises:
        ValueError: if a line cannot be read.
    """
    _asked[name] = Prediction(name, parse(text))
    return _asked[name]


def reveal(name: str, *facts: Any) -> None:
    """Shows the answers to a question, found in the recording, beside the prediction.

    Without a prediction, a notebook shows the answers folded, with what the rest of the cell prints and draws; elsewhere no answer is shown.

    Args:
        name: the name of the question.
        facts: the answer to each of its parts, in their order. For a part with several right options: a collection of them.

    Raises:
        LookupError: if the question was not asked.
        ValueError: if a fact is missing, or is none of the options.
    """
    if name not in _asked:
        raise LookupError(str(_UNKNOWN.format(name)))
    _asked[name].reveal(facts)
    from IPython.display import display  # noqa: PLC0415  # optional outside of notebooks

    asked = _asked[name]
    if asked.choices is not None:
        display(Lines([*asked.lines(), *(f"{_RAISED}\n{error}" for error in asked.errors)]))
    elif not _fold_the_rest(asked):
        display(Lines([str(_NOT_YET)]))


def withhold(error: str, name: str | None = None) -> bool:
    """Keeps the error of a program for `reveal` if the question about it has no prediction yet, since the error may be the answer.

    Args:
        error: the error as a line of text, or several.
        name: the name of the question; None for the latest one that is open.

    Returns:
        Whether there is such a question. Otherwise the caller shows the error.
    """
    waiting = [
        asked
        for asked in _asked.values()
        if asked.choices is None and asked.facts is None and name in (None, asked.name)
    ]
    if waiting and error not in waiting[-1].errors:
        waiting[-1].errors.append(error)
    return bool(waiting)


def _fold_the_rest(asked: Prediction) -> bool:
    """Shows the answers when the running cell has ended, folded with what it prints and draws from here on, unless it fails.

    Returns:
        False if no cell is running.
    """
    from IPython.core.getipython import get_ipython  # noqa: PLC0415  # optional outside of notebooks
    from IPython.display import display  # noqa: PLC0415
    from IPython.utils.capture import capture_output  # noqa: PLC0415

    shell: Any = get_ipython()
    if shell is None or shell.displayhook.exec_result is None:
        return False
    capture = capture_output(stderr=False)
    captured = capture.__enter__()

    def show(result: Any) -> None:
        shell.events.unregister("post_run_cell", show)
        capture.__exit__(None, None, None)
        if result.error_in_exec is not None:
            captured.show()  # a terminal prints the error where the cell prints
        else:
            errors = [f"{_RAISED}\n{error}" for error in asked.errors]
            shown = folded(asked.answers(), [*errors, captured.stdout], [output.data for output in captured.outputs])
            display({"text/html": f"<p>{in_html(str(_NOT_YET))}</p>\n{shown}", "text/plain": str(_NOT_YET)}, raw=True)

    shell.events.register("post_run_cell", show)
    return True


def watch(name: str, stepper: Any) -> None:
    """Counts the answers that a learner gives in the predict mode of a stepper."""
    _steppers[name] = stepper


def score() -> Lines:
    """Returns what was predicted in this session, and how much of it was right: `%predictions`."""
    compared = {name: [one for one in asked.compared or () if one is not None] for name, asked in _asked.items()}
    results = {name: given for name, given in compared.items() if given}
    for name, stepper in _steppers.items():
        given = [bool(answer["right"]) for answer in stepper.answers if answer["chosen"] is not None]
        if given:
            results[name] = results.get(name, []) + given
    lines = [
        str(_LINE.format(mark="✓" if any(each) else "✗", name=name, right=sum(each), given=len(each)))
        for name, each in results.items()
    ]
    if len(results) > 1:
        everything = [one for each in results.values() for one in each]
        lines.append(str(_TOTAL.format(sum(everything), len(everything))))
    return Lines(lines or [str(_NO_ANSWERS)])


def forget() -> None:
    """Forgets all questions, as a new session does."""
    _asked.clear()
    _steppers.clear()


def _read(written: str) -> Any:
    """Reads a value as a learner may write it: `3,1`, `(3, 1)`, `64 * 512 * 4`, `67,108,864`; a text if it is nothing else."""
    text = _DIGITS.sub("", written.strip().translate(_PUNCTUATION))[:_LONGEST]
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, OverflowError):
        return text


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_value(each) for each in node.elts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return _ARITHMETIC[type(node.op)](_number(node.left), _number(node.right))
    raise ValueError(ast.dump(node))


def _number(node: ast.expr) -> Any:
    value = _value(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(value)
    return value


def _equal(one: Any, other: Any) -> bool:
    """Compares values as a reader does: a list equals a tuple, a number equals one of another type, a truth value is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    if _is_sequence(one) and _is_sequence(other):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | set | frozenset | dict)
