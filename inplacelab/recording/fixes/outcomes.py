"""The words of fixes: what each does, why and at what price, and what trying them has shown. No other module calls a fix checked, or right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import get_args

from inplacelab.language import Text
from inplacelab.recording.facts import Evidence, FixFacts

__all__ = ["OUTCOMES", "Outcome", "block", "in_one_sentence", "label", "way"]

NAMED = 4
"""So many names are said to have other values."""


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

_HEADS = (Text("To fix it ({0}):", "改法（{0}）："), Text("To fix it, one of these ({0}):", "改法（任选其一；{0}）："))
_OR_HEADS = (Text("Or ({0}):", "或者（{0}）："), Text("Or one of these ({0}):", "或者（任选其一；{0}）："))
_ITEM = Text("  - {0}", "  - {0}")
_REASON, _PRICE = Text(": {0}", "：{0}"), Text(" ({0})", "（{0}）")
_DIFFERS = Text(
    "; the final values of {0} differ, so check whether you need the write", "；{0} 最后的值不同，请看是否需要这次写入"
)
_SLOPES = Text(
    "; {0} elements of the first pass's gradients agree with finite differences of the loss",
    "；第一次反向传播的梯度中有 {0} 个元素与损失的有限差分一致",
)


def way(fix: FixFacts) -> Text:
    """Returns what to do, why and at what price: "put `h = h.clone()` before line 4, so that ... (12 bytes more)"."""
    said = fix.says
    if fix.reason.en:
        said += _REASON.format(fix.reason)
    if fix.price.en:
        said += _PRICE.format(fix.price)
    if fix.differs:
        names = [f"`{each}`" for each in fix.differs[:NAMED]]
        said += _DIFFERS.format(Text(", ".join(names), "、".join(names)))
    return said


def _alike(found: Sequence[FixFacts]) -> list[tuple[Outcome, list[FixFacts]]]:
    """Returns fixes of which trying has shown the same, together; what shows most comes first."""
    most = sorted(found, key=lambda each: -get_args(Evidence).index(each.checked))
    return [(OUTCOMES[checked], [*group]) for checked, group in groupby(most, key=lambda each: each.checked)]


def block(found: Sequence[FixFacts]) -> list[Text]:
    """Returns the lines of a report that say how to fix a program; none if there is no fix."""
    lines: list[Text] = []
    for outcome, fixes in _alike(found):
        heads = _OR_HEADS if lines else _HEADS
        shown = outcome.wholly
        slopes = [each.slopes for each in fixes if each.slopes]
        if slopes:
            shown += _SLOPES.format(min(slopes))
        lines.append(heads[len(fixes) > 1].format(shown))
        lines += [_ITEM.format(way(each)) for each in fixes]
    return lines


def in_one_sentence(found: Sequence[FixFacts]) -> Text:
    """Joins fixes into a sentence that follows "Instead, ": "call `loss.backward()` before line 6; or in line 6 write ... (Checked.)"."""
    said = Text("", "")
    for outcome, fixes in _alike(found):
        ways = [way(each) for each in fixes]
        joined = Text("; or ".join(each.en for each in ways), "；或者，".join(each.zh for each in ways))
        said += (Text(" Or ", "或者，") if said.en else Text("", "")) + joined + Text(". ", "。") + outcome.brief
    return said


def label(found: Sequence[FixFacts]) -> Text:
    """Returns what was found by trying fixes, as a sentence in brackets."""
    least = _alike(found)[-1][0].wholly
    return Text("({0}.)", "（{0}。）").format(Text(least.en[:1].upper() + least.en[1:], least.zh))
