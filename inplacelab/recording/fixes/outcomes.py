"""Says in words what trying a fix has shown: the only place where a fix is called checked, or right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from inplacelab.language import Text
from inplacelab.recording.facts import Evidence

__all__ = ["OUTCOMES", "Outcome", "least"]


@dataclass(frozen=True)
class Outcome:
    """What trying a fix may show.

    Attributes:
        briefly: in a few words: "Checked".
        wholly: as a clause that follows "To fix it" in brackets.
    """

    briefly: Text
    wholly: Text

    @property
    def brief(self) -> Text:
        """A sentence in brackets, for pictures."""
        return _BRACKETS.format(self.briefly)

    @property
    def whole(self) -> Text:
        """A longer one, below a list of fixes."""
        first = Text(self.wholly.en[:1].upper() + self.wholly.en[1:], self.wholly.zh)
        return _BRACKETS.format(first)


_BRACKETS = Text("({0}.)", "（{0}。）")
_NOT_TRIED = Text("Not checked", "未经检验")

OUTCOMES: Mapping[Evidence, Outcome] = {
    "": Outcome(_NOT_TRIED, Text("not checked", "未经检验")),
    "runs": Outcome(
        Text("The program then runs; what it computes was not checked", "改后程序能够运行；计算结果是否正确未经检验"),
        Text("the program then runs; what it computes was not checked", "改后程序能够运行；计算结果是否正确未经检验"),
    ),
    "same": Outcome(
        Text("Same gradients as the original; nothing further was checked", "梯度与原程序相同；此外未作检验"),
        Text(
            "it runs, with the same loss and gradients as the original with copies; nothing further was checked",
            "能够运行，损失和梯度与带副本的原程序相同；此外未作检验",
        ),
    ),
    "gradients": Outcome(
        Text("Checked", "已检验"),
        Text(
            "checked: it runs, and the loss and the gradients are right, on other data, too",
            "已检验：能够运行，损失和梯度正确，换用其他数据也正确",
        ),
    ),
}
"""In the order of `Evidence`."""


def least(found: Iterable[Evidence]) -> Outcome:
    """Returns what is true of all of several fixes."""
    return OUTCOMES[min(found, key=get_args(Evidence).index)]
