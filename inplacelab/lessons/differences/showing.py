"""Shows entries and answers: one in full, tables of all, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.differences.entries import (
    FRAMEWORKS,
    Answer,
    Difference,
    Kind,
    Verdict,
    every,
    find,
    load,
    recorded,
)
from inplacelab.listing import Cell, Group, Listing

TITLE = Text("Where inplacelab, PaddlePaddle and PyTorch differ", "inplacelab、PaddlePaddle 与 PyTorch 的差异")
_COUNTS = Text("What the programs show", "这些程序说明什么")
_VERDICTS = Text("The answers, where a gradient is asked for", "求梯度时的各家答案")
_PROGRAM = Text("program", "程序")
_WHAT = Text("what it shows", "说明什么")
_PROGRAMS = Text("programs", "程序数")
_ANSWER = Text("answer", "答案")
_FINITE_DIFFERENCE = Text("finite difference", "有限差分")
_NO_GRADIENT = Text("no gradient", "没有梯度")
_IN_TORCH = Text("The same in PyTorch", "同样的程序，PyTorch 写法")
_IN_TORCH_ALIKE = Text("In PyTorch the program is the same.", "这段程序在 PyTorch 里写法相同。")
_INSTEAD = Text("Instead:", "改法：")
_COUNTED = (Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED, Verdict.ABSENT)
_LONGEST_LINE = 110


@dataclass(frozen=True)
class Shown:
    """Markdown that a notebook renders; printed, it is the text itself."""

    markdown: str

    def __repr__(self) -> str:
        return self.markdown

    def _repr_markdown_(self) -> str:
        return self.markdown


def names() -> dict[str, str]:
    """The frameworks as a heading names them, with the versions that answered."""
    found = load().versions
    return {"inplacelab": "inplacelab", "paddle": f"Paddle {found['paddle']}", "torch": f"PyTorch {found['torch']}"}


def show(key: str) -> Shown:
    """One entry in full: the program, the answers, the reason, and the fixed program.

    Raises:
        KeyError: if there is no such entry.

    >>> from inplacelab.lessons import differences
    >>> print(differences.show("base-scaled-row-used"))
    ### The base is scaled, a row is used
    ...
    """
    each = find(key)
    parts = [f"### {each.title}\n", block(each.program), _answers_in_full(each), f"{each.why}\n"]
    if each.fixed is not None:
        parts.append(f"{_INSTEAD}\n\n{block(each.fixed)}")
    if each.torch == each.program:
        parts.append(f"{_IN_TORCH_ALIKE}\n")
    elif each.torch is not None:
        parts.append(f"<details><summary>{_IN_TORCH}</summary>\n\n{block(each.torch)}\n</details>\n")
    return Shown("\n".join(parts))


def table(*, chapter: str | None = None, kind: Kind | None = None) -> Listing:
    """A row for each entry: program, finite difference, and the verdict on each framework's answer.

    `ListView` in `inplacelab_widgets` sorts and filters it.

    Args:
        chapter: the key of a chapter; all if None.
        kind: only the entries that show this.

    >>> from inplacelab.lessons import differences
    >>> print(differences.table(kind=differences.Kind.STRICTER))
    program ... finite difference     inplacelab  Paddle 3.3.1      PyTorch 2.13.0
    ...
    """
    groups = [
        Group(each.title, [_row(entry) for entry in each.differences if kind in (None, entry.kind)])
        for each in load().chapters
        if chapter in (None, each.key)
    ]
    return Listing(TITLE, (_PROGRAM, _FINITE_DIFFERENCE, *names().values()), [group for group in groups if group.rows])


def counts() -> Listing:
    """How many programs show what."""
    found = Counter(each.kind for _, each in every())
    return Listing(_COUNTS, (_WHAT, _PROGRAMS), [Group(None, [(kind.value, str(found[kind])) for kind in Kind])])


def verdicts() -> Listing:
    """How often each framework is right, silently wrong, or refuses, where a gradient is asked for.

    The programs that leave the history on purpose are not counted: the finite difference cannot judge them.
    """
    judged = [recorded()[each.key] for _, each in every() if each.asks_gradient and each.kind is not Kind.ESCAPE]
    found = {name: Counter(each.verdict(name) for each in judged) for name in FRAMEWORKS}
    rows: list[Sequence[Cell]] = [
        (verdict.value, *(str(found[name][verdict]) for name in FRAMEWORKS)) for verdict in _COUNTED
    ]
    return Listing(_VERDICTS, (_ANSWER, *names().values()), [Group(None, rows)])


def block(program: str) -> str:
    """A program as a block of code in Markdown."""
    return f"```python\n{program}```\n"


def answer_in_words(answer: Answer | None) -> Cell:
    """A gradient, a value, or the first line of a refusal; empty if there is none of them."""
    if answer is None or answer.endless:
        return ""
    if answer.refused is not None:
        kind, line = answer.refused
        return _code(f"{kind}: {_shortened(line)}")
    if answer.value is not None:
        return _code(_numbers(answer.value))
    return _NO_GRADIENT if answer.gradient is None else _code(_numbers(answer.gradient))


def _answers_in_full(difference: Difference) -> str:
    answers = recorded()[difference.key]
    judge = answers.finite_difference
    heads = ("", "", "") if judge is None else (_FINITE_DIFFERENCE, "", _code(_numbers(judge)))
    rows = [(name, _verdict(difference, key), answer_in_words(answers.of(key))) for key, name in names().items()]
    (written,) = Listing(difference.title, heads, [Group(None, rows)]).tables()
    return f"{written}\n"


def _row(difference: Difference) -> tuple[Cell, ...]:
    """One entry in short. A plain value says more than the verdict that there is one."""
    answers = recorded()[difference.key]
    judge = answers.finite_difference
    cells = [
        answer_in_words(answers.of(name)) if answers.verdict(name) is Verdict.VALUE else _verdict(difference, name)
        for name in FRAMEWORKS
    ]
    return difference.title, "" if judge is None else _code(_numbers(judge)), *cells


def _verdict(difference: Difference, framework: str) -> Text:
    """The verdict in words. A program that leaves the history on purpose is not wrong to do so."""
    found = recorded()[difference.key].verdict(framework)
    return (Verdict.OUTSIDE if difference.kind is Kind.ESCAPE and found is Verdict.WRONG else found).value


def _numbers(value: Any) -> str:
    """Numbers with at most four decimals: `[[6, 6], [2, 2]]`."""
    if isinstance(value, list):
        return "[" + ", ".join(_numbers(each) for each in value) + "]"
    return f"{round(value, 4) + 0.0:.10g}" if isinstance(value, float) else str(value)


def _code(text: str) -> str:
    """Text in a fixed-width face; it may have backquotes itself."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1].rstrip() + "…"
