"""Answers and verdicts as cells of a table, and an entry in full."""

from __future__ import annotations

from typing import Any

from inplacelab.differences.answers import Answers, Verdict, versions
from inplacelab.differences.model import OPENING, OPENING_IN_TORCH, Difference, Kind, plain
from inplacelab.language import Text
from inplacelab.listing import Cell, Group, Listing

_MARKS = {
    Verdict.RIGHT: "✓",
    Verdict.WRONG: "✗",
    Verdict.REFUSED: "⊘",
    Verdict.OUTSIDE: "↷",
    Verdict.VALUE: "=",
    Verdict.ENDLESS: "∞",
    Verdict.ABSENT: "–",
}

FINITE_DIFFERENCE = Text("finite difference", "有限差分")
_NO_GRADIENT = Text("no gradient", "没有梯度")
_OPENING = Text("Every program begins with", "每个程序都以下面两行开始")
_IN_TORCH = Text("The same in PyTorch", "同样的程序，PyTorch 写法")
_IN_TORCH_ALIKE = Text("In PyTorch the text is the same.", "在 PyTorch 中写法相同。")
_INSTEAD = Text("Instead", "改法")
_LONGEST_LINE = 110


def names() -> dict[str, str]:
    """The frameworks as a heading names them, with the versions that answered."""
    found = versions()
    return {"inplacelab": "inplacelab", "paddle": f"Paddle {found['paddle']}", "torch": f"PyTorch {found['torch']}"}


def numbers(value: Any) -> str:
    """Numbers with at most four decimals: `[[6, 6], [2, 2]]`."""
    if isinstance(value, list):
        return "[" + ", ".join(numbers(each) for each in value) + "]"
    return f"{round(value, 4) + 0.0:.10g}" if isinstance(value, float) else str(value)


def verdict(difference: Difference, answers: Answers, framework: str) -> Verdict:
    """The verdict on an answer. Where a program leaves the history on purpose, nothing is wrong with leaving it."""
    found = answers.verdict(framework)
    return Verdict.OUTSIDE if difference.kind is Kind.ESCAPE and found is Verdict.WRONG else found


def marked(verdict: Verdict) -> Text:
    """A verdict in words, with a sign beside them."""
    return Text(f"{_MARKS[verdict]} ", f"{_MARKS[verdict]} ") + verdict.says


def judged(difference: Difference, answers: Answers, framework: str) -> Text:
    """The verdict on an answer, with its sign."""
    return marked(verdict(difference, answers, framework))


def said(answers: Answers, framework: str) -> Cell:
    """The answer itself: a gradient, a value, or the first line of a refusal."""
    answer = answers.of(framework)
    if answer is None or answer.endless:
        return ""
    if answer.refused is not None:
        kind, line = answer.refused
        return code(f"{kind}: {_shortened(line)}")
    if answer.value is not None:
        return code(numbers(answer.value))
    return _NO_GRADIENT if answer.gradient is None else code(numbers(answer.gradient))


def code(text: str) -> str:
    """Text in a fixed-width face; it may have backquotes itself."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1].rstrip() + "…"


def block(text: str) -> str:
    """A program as a block of code."""
    return f"```python\n{text}```\n"


def opening() -> str:
    """What every program begins with, in both dialects."""
    return f"{_OPENING}\n\n{block(OPENING)}\n{block(OPENING_IN_TORCH)}"


def card(difference: Difference, answers: Answers) -> str:
    """One entry in full: the program, the answers, the finite difference, the reason and the remedy."""
    parts = [block(difference.text), _answers(difference, answers), f"{difference.why}\n"]
    if difference.fixed is not None:
        parts.append(f"{_INSTEAD}:\n\n{block(plain(difference.fixed))}")
    if difference.twin == difference.text:
        parts.append(f"{_IN_TORCH_ALIKE}\n")
    elif difference.twin is not None:
        parts.append(f"<details><summary>{_IN_TORCH}</summary>\n\n{block(difference.twin)}\n</details>\n")
    return "\n".join(parts)


def _answers(difference: Difference, answers: Answers) -> str:
    judge = answers.finite_difference
    heads = ("", "", "") if judge is None else (FINITE_DIFFERENCE, "", code(numbers(judge)))
    rows = [(name, judged(difference, answers, key), said(answers, key)) for key, name in names().items()]
    (table,) = Listing(difference.title, heads, [Group(None, rows)]).tables()
    return f"{table}\n"
