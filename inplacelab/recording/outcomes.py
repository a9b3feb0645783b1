"""What trying a fix has shown, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import Evidence


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
        return Text("({0}.)", "（{0}。）").format(self.briefly)


OUTCOMES: Mapping[Evidence, Outcome] = {
    "": Outcome(Text("Not checked", "未经检验"), Text("not checked", "未经检验")),
    "runs": Outcome(
        Text("The program then runs; what it computes was not checked", "改后程序能够运行；计算结果是否正确未经检验"),
        Text("the program then runs; what it computes was not checked", "改后程序能够运行；计算结果是否正确未经检验"),
    ),
    "renewed": Outcome(
        Text("The program then runs; it is another training", "改后程序能够运行；但训练过程不同"),
        Text(
            "it runs; it is another training, with other gradients",
            "能够运行；但训练过程不同，梯度也不同",
        ),
    ),
    "same": Outcome(
        Text("Same gradients as the original; nothing further was checked", "梯度与原程序相同；此外未作检验"),
        Text(
            "it runs, with the same loss and gradients as the original with copies; nothing further was checked",
            "能够运行，损失和梯度与带副本的原程序相同；此外未作检验",
        ),
    ),
    "reordered": Outcome(
        Text("Checked: each update is the same", "已检验：每次更新都相同"),
        Text(
            "checked: it runs, and each update used the same gradients and left the same parameters as in the original with copies, on other data, too",
            "已检验：能够运行，每次更新所用的梯度和更新后的参数都与带副本的原程序相同，换用其他数据也相同",
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
