"""What the frameworks answered: recorded once, kept as data, compared and judged here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from inplacelab.language import Text

FRAMEWORKS = ("inplacelab", "paddle", "torch")


class Verdict(Enum):
    """What is to be thought of an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    OUTSIDE = "outside"
    VALUE = "value"
    ENDLESS = "endless"
    ABSENT = "absent"

    @property
    def says(self) -> Text:
        """The verdict in words."""
        return _SAYS[self]


_SAYS = {
    Verdict.RIGHT: Text("right", "正确"),
    Verdict.WRONG: Text("silently wrong", "悄悄出错"),
    Verdict.REFUSED: Text("refuses", "拒绝执行"),
    Verdict.OUTSIDE: Text("leaves the write out, as told", "按程序的要求不计这次写入"),
    Verdict.VALUE: Text("gives", "得到"),
    Verdict.ENDLESS: Text("does not come back", "不再返回"),
    Verdict.ABSENT: Text("cannot be written there", "无法写出"),
}


@dataclass(frozen=True)
class Answer:
    """What came out of one run: a gradient (None if the leaf got none), a plain value, or a refusal.

    Attributes:
        gradient: of the loss with respect to the leaf.
        value: what the program called its answer.
        refused: the name of the exception and the first line of its text.
        endless: True if the program does not come back.
    """

    gradient: Any = None
    value: Any = None
    refused: tuple[str, str] | None = None
    endless: bool = False

    def as_json(self) -> dict[str, Any]:
        """Only what is there."""
        if self.endless:
            return {"endless": True}
        if self.refused is not None:
            return {"refused": list(self.refused)}
        return {"gradient": self.gradient} if self.value is None else {"value": self.value}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answer:
        """The inverse of `as_json`."""
        refused = None if "refused" not in data else (data["refused"][0], data["refused"][1])
        return cls(data.get("gradient"), data.get("value"), refused, data.get("endless", False))

    def agrees(self, other: Answer) -> bool:
        """True if it says the same: numbers to five digits; a refusal with the same text."""
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
    """The three answers to one program, and the finite difference (None where no gradient is asked for)."""

    inplacelab: Answer
    paddle: Answer
    torch: Answer | None
    finite_difference: list[list[float]] | None

    def of(self, framework: str) -> Answer | None:
        """The answer of one framework."""
        found: Answer | None = getattr(self, framework)
        return found

    def verdict(self, framework: str) -> Verdict:
        """What is to be thought of its answer: the finite difference is the judge."""
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

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        data = {name: None if (given := self.of(name)) is None else given.as_json() for name in FRAMEWORKS}
        return data | {"finite_difference": self.finite_difference}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answers:
        """The inverse of `as_json`."""
        ours, paddle, torch = (None if data[name] is None else Answer.from_json(data[name]) for name in FRAMEWORKS)
        assert ours is not None, "an answer of inplacelab is always recorded"
        assert paddle is not None, "an answer of Paddle is always recorded"
        return cls(ours, paddle, torch, data["finite_difference"])


_FILE = files("inplacelab.differences").joinpath("answers.json")


@cache
def recorded() -> dict[str, Answers]:
    """The recorded answers by the entries' keys."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    return {key: Answers.from_json(answers) for key, answers in data["answers"].items()}


def as_text(answers: dict[str, Answers], versions: dict[str, str]) -> str:
    """What `answers.json` holds: an entry a line, and the versions of the frameworks that answered."""
    lines = [f"{json.dumps(key)}: {json.dumps(each.as_json(), ensure_ascii=False)}" for key, each in answers.items()]
    return '{"versions": ' + json.dumps(versions) + ',\n"answers": {\n' + ",\n".join(lines) + "\n}}\n"


def versions() -> dict[str, str]:
    """The versions of Paddle and PyTorch whose answers were recorded."""
    found: dict[str, str] = json.loads(_FILE.read_text(encoding="utf-8"))["versions"]
    return found
