"""The programs on which the frameworks differ, and the recorded answers: data, read from `data.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from inplacelab.language import Text


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


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One program, and why the three frameworks do not agree on it.

    The program begins after the opening (`running.OPENINGS`), which makes the leaf `a`. It ends with either `loss`, which is then differentiated with respect
    to `a`, or `answer`, a plain value.

    Attributes:
        key: a name that does not change, in words with hyphens.
        kind: what the entry shows.
        title: what the program does.
        program: its text for inplacelab and Paddle: it runs unchanged in both, under the name `paddle`.
        torch: the PyTorch version of the program; None if there is none, for the reason that `why` gives.
        why: why the answers differ.
        fixed: for a program that is refused: one of the same meaning that is not. None if there is none.
    """

    key: str
    kind: Kind
    title: Text
    program: str
    torch: str | None
    why: Text
    fixed: str | None

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
        Difference(**each | {"kind": Kind[each["kind"]], "title": Text(*each["title"]), "why": Text(*each["why"])})
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
