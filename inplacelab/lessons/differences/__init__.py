"""Programs to which inplacelab, PaddlePaddle and PyTorch give different answers: read, run and shown.

The programs and the recorded answers are data (`data.json`). `python docs/write_differences.py` generates the data from
`docs/differences/`, and writes `docs/DIFFERENCES.md` from it. In a lesson:

>>> from inplacelab.lessons import differences
>>> entry = differences.find("row-scaled")
>>> print(entry.program)
b = a * 2
v = b[0]
v.scale_(3.)
loss = b.sum()
<BLANKLINE>
>>> answers = differences.recorded()["row-scaled"]
>>> answers.finite_difference
[[6.0, 6.0], [2.0, 2.0]]
>>> answers.inplacelab.gradient, answers.paddle.gradient
([[6.0, 6.0], [2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0]])
>>> differences.ours(entry).gradient                   # run here and now
[[6.0, 6.0], [2.0, 2.0]]
>>> print(differences.table(chapter="escapes"))        # in a notebook: a table; ListView sorts and filters it
program  ...  finite difference  inplacelab  ...
...
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

import inplacelab
from inplacelab.language import Text
from inplacelab.listing import Cell, Group, Listing

__all__ = [
    "DTYPES", "FRAMEWORKS", "OPENINGS", "REFUSALS", "TITLE", "Answer", "Answers", "Chapter", "Data", "Difference", "Kind", "Shown", "Verdict",
    "answer_in_words", "block", "close", "counts", "default_dtype_restored", "every", "find", "load", "names", "ours", "recorded", "run",
    "show", "table", "verdicts",
]  # fmt: skip


class Kind(Enum):
    """What an entry shows, in words. The tests compare every entry's kind with its recorded answers."""

    RIGHT = Text("inplacelab is right, Paddle is silently wrong", "inplacelab 正确，Paddle 悄悄给出错误结果")
    REFUSED = Text("inplacelab refuses, Paddle is silently wrong", "inplacelab 拒绝执行，Paddle 悄悄给出错误结果")
    ACCEPTED = Text("inplacelab is right, Paddle or PyTorch refuses", "inplacelab 正确，Paddle 或 PyTorch 拒绝执行")
    STRICTER = Text("inplacelab refuses, PyTorch or Paddle is right", "inplacelab 拒绝执行，PyTorch 或 Paddle 正确")
    ESCAPE = Text(
        "the program itself leaves the history: no gradient of the whole is meant",
        "程序主动脱离了历史：并不要求整个程序的梯度",
    )
    DESIGN = Text("unlike Paddle, on purpose", "有意与 Paddle 不同")
    FOLLOWS = Text("as in Paddle, unlike PyTorch", "与 Paddle 相同，与 PyTorch 不同")


DTYPES = ("float64", "float32")
"""The default dtypes in which every program is tried."""

_ONLY = Text("{title} ({dtypes} only)", "{title}（仅 {dtypes}）")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One program, and why the three frameworks do not agree on it.

    The program begins after the opening (`OPENINGS`), which sets the default dtype and makes the leaf `a`. It ends with either `loss`, which is then differentiated with respect
    to `a`, or `answer`, a plain value.

    Attributes:
        key: a name that does not change, in words with hyphens.
        kind: what the entry shows.
        title: what the program does.
        program: its text for inplacelab and Paddle: it runs unchanged in both, under the name `paddle`.
        torch: the PyTorch version of the program; None if there is none, for the reason that `why` gives.
        why: why the answers differ.
        fixed: for a program that is refused: one of the same meaning that is not. None if there is none.
        dtypes: those of `DTYPES` in which the frameworks differ. The recorded answers are those of the first.
    """

    key: str
    kind: Kind
    title: Text
    program: str
    torch: str | None
    why: Text
    fixed: str | None
    dtypes: tuple[str, ...] = DTYPES

    @property
    def heading(self) -> Text:
        """The title, with the dtypes if the frameworks do not differ in all of them."""
        return self.title if self.dtypes == DTYPES else _ONLY.format(title=self.title, dtypes=", ".join(self.dtypes))

    @property
    def asks_gradient(self) -> bool:
        """True if the program ends with a `loss`, False if it has a plain `answer`."""
        return any(line.startswith("loss =") for line in self.program.splitlines())


@dataclass(frozen=True)
class Chapter:
    """Differences that have one cause.

    Attributes:
        key: a name that does not change.
        title: what they have in common.
        why: the cause.
        differences: the entries, in the order in which they are shown.
    """

    key: str
    title: Text
    why: Text
    differences: tuple[Difference, ...]


# ---- the answers -----------------------------------------------------------------------------------------------------

FRAMEWORKS = ("inplacelab", "paddle", "torch")


class Verdict(Enum):
    """How an answer is judged, as a sign and in words."""

    RIGHT = Text("✓ right", "✓ 正确")
    WRONG = Text("✗ silently wrong", "✗ 悄悄出错")
    REFUSED = Text("⊘ refuses", "⊘ 拒绝执行")
    OUTSIDE = Text("↷ ignores the write, as the program asks", "↷ 按程序的要求不计这次写入")
    VALUE = Text("= gives", "= 得到")
    ENDLESS = Text("∞ does not come back", "∞ 不再返回")
    ABSENT = Text("– cannot be written there", "– 无法写出")


@dataclass(frozen=True)
class Answer:
    """The outcome of one run: a gradient, a plain value, or a refusal.

    Attributes:
        gradient: the gradient of the loss with respect to the leaf; None if the leaf got none.
        value: what the program called its answer.
        refused: the name of the exception and the first line of its message.
        endless: True if the program does not return.
    """

    gradient: Any = None
    value: Any = None
    refused: tuple[str, str] | None = None
    endless: bool = False

    def agrees(self, other: Answer) -> bool:
        """True if both say the same: numbers to five digits, a refusal with the same message."""
        if self.refused or other.refused or self.value is not None or other.value is not None:
            return self.refused == other.refused and _equal(self.value, other.value)
        return close(self.gradient, other.gradient)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_equal(x, y) for x, y in zip(one, other, strict=True))
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.isclose(one, other, rtol=1e-5, atol=1e-7, equal_nan=True))
    return type(one) is type(other) and bool(one == other)


def close(one: Any, other: Any) -> bool:
    """True if two gradients are the same but for rounding. None, a leaf without a gradient, is zero everywhere."""
    x, y = (np.zeros(()) if g is None else np.asarray(g, dtype=float) for g in (one, other))
    if x.ndim and y.ndim and x.shape != y.shape:
        return False
    return bool(np.allclose(x, y, rtol=1e-5, atol=1e-6, equal_nan=False))


@dataclass(frozen=True)
class Answers:
    """The three answers to one program, and the finite difference.

    Attributes:
        inplacelab: our answer.
        paddle: the answer of PaddlePaddle.
        torch: the answer of PyTorch; None if the program has no PyTorch version.
        finite_difference: the derivative from the program's values alone; None if no gradient is asked for.
    """

    inplacelab: Answer
    paddle: Answer
    torch: Answer | None
    finite_difference: list[list[float]] | None

    def of(self, framework: str) -> Answer | None:
        """The answer of one of `FRAMEWORKS`."""
        found: Answer | None = getattr(self, framework)
        return found

    def verdict(self, framework: str) -> Verdict:
        """The verdict on one framework's answer. A gradient is judged by the finite difference."""
        answer = self.of(framework)
        if answer is None:
            return Verdict.ABSENT
        if answer.endless:
            return Verdict.ENDLESS
        if answer.refused is not None:
            return Verdict.REFUSED
        if self.finite_difference is None:
            return Verdict.VALUE
        return Verdict.RIGHT if close(answer.gradient, self.finite_difference) else Verdict.WRONG


# ---- the data --------------------------------------------------------------------------------------------------------


class Data(NamedTuple):
    """What `data.json` holds."""

    versions: dict[str, str]
    chapters: tuple[Chapter, ...]
    answers: dict[str, Answers]


@cache
def load() -> Data:
    """The data, read once."""
    data = json.loads(files("inplacelab.lessons.differences").joinpath("data.json").read_text(encoding="utf-8"))
    chapters = tuple(map(_chapter, data["chapters"]))
    return Data(data["versions"], chapters, {key: _answers(found) for key, found in data["answers"].items()})


def _chapter(data: dict[str, Any]) -> Chapter:
    entries = tuple(
        Difference(
            **each
            | {"kind": Kind[each["kind"]], "title": Text(*each["title"]), "why": Text(*each["why"])}
            | {"dtypes": tuple(each["dtypes"])}
        )
        for each in data["differences"]
    )
    return Chapter(data["key"], Text(*data["title"]), Text(*data["why"]), entries)


def _answers(data: dict[str, Any]) -> Answers:
    inplacelab, paddle, torch = (None if data[name] is None else _answer(**data[name]) for name in FRAMEWORKS)
    assert inplacelab is not None, "an answer of inplacelab is always recorded"
    assert paddle is not None, "an answer of Paddle is always recorded"
    return Answers(inplacelab, paddle, torch, data["finite_difference"])


def _answer(refused: Sequence[str] | None = None, **data: Any) -> Answer:
    return Answer(refused=None if refused is None else (refused[0], refused[1]), **data)


def recorded() -> dict[str, Answers]:
    """The recorded answers by the entries' keys."""
    return load().answers


def every() -> Iterator[tuple[Chapter, Difference]]:
    """All entries with their chapters, in the page's order."""
    return ((chapter, each) for chapter in load().chapters for each in chapter.differences)


def find(key: str) -> Difference:
    """The entry of that key.

    Raises:
        KeyError: if there is none.
    """
    for _, each in every():
        if each.key == key:
            return each
    raise KeyError(f"there is no difference {key!r}: see differences.table()")


# ---- running a program in a framework ----------------------------------------------------------------------------------------

OPENINGS = {
    "paddle": """\
paddle.set_default_dtype("float64")
a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
""",
    "torch": """\
torch.set_default_dtype(torch.float64)
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
""",
}
"""What every program begins with, by the name under which it uses the framework. Another default dtype replaces float64."""

REFUSALS = (RuntimeError, ValueError, TypeError, SystemError, IndexError, AssertionError, AttributeError)
"""What may be a refusal. (Paddle refuses a number by an AttributeError: it asks the number for its shape.)"""

_NOT_THERE = re.compile(r"^(module|type object|'\w*Tensor' object).* has no attribute")
"""The message of an AttributeError that is a mistake in the entry: a name that the framework does not have."""

_SERIAL_NUMBER = re.compile(r"generated_tensor_\d+")


def ours(difference: Difference, dtype: str | None = None) -> Answer:
    """The answer of inplacelab, here and now, in `dtype`, or in the first dtype of the entry."""
    return run(difference.program, inplacelab, dtype=dtype or difference.dtypes[0])


def run(program: str, module: Any, name: str = "paddle", *, dtype: str = DTYPES[0]) -> Answer:
    """Run a program in a framework.

    Args:
        program: its text, without the opening.
        module: the framework: inplacelab, or the real Paddle or PyTorch. So none of them has to be installed here.
        name: the name under which the program uses the framework: "paddle" or "torch".
        dtype: the default dtype.
    """
    scope: dict[str, Any] = {name: module, "np": np}
    with default_dtype_restored(module):
        try:
            exec(OPENINGS[name].replace("float64", dtype) + program, scope)
            if "loss" not in scope:
                return Answer(value=_rounded(scope["answer"]))
            scope["loss"].backward()
        except REFUSALS as error:
            if _NOT_THERE.search(str(error)):
                raise
            return Answer(refused=(type(error).__name__, _first_line(error)))
    gradient = scope["a"].grad
    return Answer(gradient=None if gradient is None else _rounded(gradient.tolist()))


@contextmanager
def default_dtype_restored(module: Any) -> Iterator[None]:
    """Restore the framework's default dtype after the block."""
    before = module.get_default_dtype()
    try:
        yield
    finally:
        module.set_default_dtype(before)


def _rounded(value: Any) -> Any:
    """Numbers as they are recorded: eight decimals, and no negative zero."""
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 8) + 0.0 if isinstance(value, float) else value


def _first_line(error: BaseException) -> str:
    """The line of an error's message that says what happened, without numbers that change from run to run."""
    lines = [line.strip() for line in str(error).splitlines()]
    found = [line for line in lines if line and not line.startswith("---") and "Traceback" not in line]
    return _SERIAL_NUMBER.sub("generated_tensor", found[0] if found else "")


# ---- showing: one in full, tables of all, counts -----------------------------------------------------------------------------

TITLE = Text("Where inplacelab, PaddlePaddle and PyTorch differ", "inplacelab、PaddlePaddle 与 PyTorch 的差异")
_COUNTS = Text("What the programs show", "这些程序说明什么")
_VERDICTS = Text("The answers, where a gradient is asked for", "求梯度的程序：各框架的答案")
_PROGRAM = Text("program", "程序")
_WHAT = Text("what it shows", "说明什么")
_PROGRAMS = Text("programs", "程序数")
_ANSWER = Text("answer", "答案")
_FINITE_DIFFERENCE = Text("finite difference", "有限差分")
_NO_GRADIENT = Text("no gradient", "没有梯度")
_BEGINS = Text(
    "At the beginning, `a` is [[1, 2], [3, 4]] and requires a gradient.",
    "程序开始时，`a` 是 [[1, 2], [3, 4]]，需要梯度。",
)
_ENDS = Text("At the end, `loss.backward()` is called.", "程序最后调用 `loss.backward()`。")
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


def show(key: str, *, alone: bool = True) -> Shown:
    """One entry in full: the program, the answers, the reason, and the fixed program.

    Args:
        key: the entry's key.
        alone: whether to say what the program begins and ends with; the page of all programs says it once.

    Raises:
        KeyError: if there is no such entry.

    >>> from inplacelab.lessons import differences
    >>> print(differences.show("base-scaled-row-used"))
    ### The base is scaled, a row is used
    ...
    """
    each = find(key)
    parts = [f"### {each.heading}\n"]
    if alone and re.search(r"\ba\b", each.program):
        parts.append(f"{_BEGINS}\n")
    parts.append(block(each.program))
    if alone and "loss" in each.program:
        parts.append(f"{_ENDS}\n")
    parts += [_answers_in_full(each), f"{each.why}\n"]
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
        short = line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1].rstrip() + "…"
        return _code(f"{kind}: {short}")
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
    return difference.heading, "" if judge is None else _code(_numbers(judge)), *cells


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
