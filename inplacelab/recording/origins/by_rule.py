"""Says by which rule all elements of a storage were computed, where there are too many to say it of each."""

from __future__ import annotations

from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.as_written import as_written
from inplacelab.recording.facts import Step
from inplacelab.recording.naming import listing
from inplacelab.recording.origins.arrivals import Arrival
from inplacelab.recording.origins.back import operands_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.supported import terms_of

__all__ = ["ByRule", "by_rule"]

_PLACED = Text("{rule} (`{op}`{line}{version})", "{rule}（`{op}`{line}{version}）")
_LINE = Text(", line {0}", "，第 {0} 行")
_VERSION = Text(", {0}", "，{0}")
_NOTHING = Text("", "")
_RULES = {
    "constant": Text("all elements: a number of the program", "所有元素：程序中给出的数"),
    "drawn": Text("all elements: drawn here", "所有元素：在此处随机取得"),
    "pointwise": Text("each element: from those at its position in {names}", "每个元素：来自 {names} 中相同位置的元素"),
    "chosen": Text("each element: chosen by a mask at its position from {names}", "每个元素：由掩码在相同位置从 {names} 中选取"),
    "reordered": Text("each element: one of {names}, in the same order", "每个元素：{names} 的一个元素，顺序不变"),
    "joined": Text("each element: one of {names}, joined along axis {axes}", "每个元素：{names} 的一个元素，沿轴 {axes} 拼接"),
    "stacked": Text("each element: one of {names}, stacked along axis {axes}", "每个元素：{names} 的一个元素，沿轴 {axes} 堆叠"),
    "reduced": Text("each element: from all along axis {axes} of {names}", "每个元素：来自 {names} 沿轴 {axes} 的全部元素"),
    "whole": Text("each element: from all in its line along axis {axes} of {names}", "每个元素：来自 {names} 沿轴 {axes} 同一行列的全部元素"),
    "running": Text("each element: from all of {names} up to its position", "每个元素：来自 {names} 中到其位置为止的全部元素"),
    "contracted": Text("each element: a sum of products from {names}, {equation}", "每个元素：{names} 的乘积之和，{equation}"),
    "windowed": Text("each element: from a window of {names}", "每个元素：来自 {names} 的一个窗口"),
    "attended": Text("each element: from {names}, as attention weighs them", "每个元素：由 {names} 经注意力加权得到"),
    "listed": Text("each element: from a few of {names}", "每个元素：来自 {names} 的少数几个元素"),
    "moved": Text("each element: one of {names}", "每个元素：{names} 的一个元素"),
    "written": Text("the elements that this step wrote: from {names}", "此步写入的元素：来自 {names}"),
}  # fmt: skip
_SET = Text("the elements that this step wrote: a number of the program", "此步写入的元素：程序中给出的数")
_UNKNOWN = Text("from {names}; which elements is not known", "来自 {names}；具体来自哪些元素未知")
_BY_HOW = {
    "made": Text("made here", "在此处产生"),
    "backward": Text("added up by backward", "由反向传播累加"),
    "unseen": Text("written by something that was not recorded", "由未被记录的代码写入"),
    "before": Text("there before the recording", "记录开始前就有"),
}


@dataclass(frozen=True, slots=True)
class ByRule:
    """How all the numbers that came into a storage in one step were computed.

    Attributes:
        says: it in words.
        operands: the storages from which they were computed, each with the last step before it was read; -1 for the time before the first.
    """

    says: Text
    operands: tuple[tuple[int, int], ...]


def by_rule(recording: Recording, arrival: Arrival) -> ByRule:
    """Returns by which rule the numbers of an arrival were computed.

    Args:
        recording: the recording.
        arrival: what came into a storage in one step, out of `arrivals`.

    Returns:
        The rule in words, and the storages from which the numbers were computed.

    >>> import inplacelab as paddle
    >>> from inplacelab.recording.origins.arrivals import arrivals
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([100])
    ...     y = x * 2.
    >>> by_rule(rec.recording, arrivals(rec.recording)[1][0]).says.en
    'each element: from those at its position in `x` (`x * 2.`, line 2)'
    """
    if arrival.step < 0:
        return ByRule(_BY_HOW["before"], ())
    step = recording.steps[arrival.step]
    if arrival.how != "computed":
        return ByRule(_placed(recording, step, _BY_HOW[arrival.how]), ())
    before, depends = recording.before(step.index), step.depends
    operands = [each for each in operands_of(recording, step) if each is not None]
    there = [each.id in before.tensors for each in operands]
    states = [before if known else recording.state(step.index) for known in there]
    names = listing(
        list(
            dict.fromkeys(
                Text(f"`{name}`", f"`{name}`")
                for each, state in zip(operands, states, strict=True)
                for name in [state.called(each.id).first]
            )
        )
    )
    if depends is None:
        rule = _UNKNOWN.format(names=names)
    elif depends.how == "written" and depends.text == "assigned" and not depends.values:
        rule, operands = _SET, []
    else:
        axes = ", ".join(map(str, depends.numbers)) or "0"
        rule = _RULES[depends.how].format(names=names, axes=axes, equation=f"`{depends.text}`")
    read = dict.fromkeys((each.storage, step.index - 1) for each in operands)
    return ByRule(
        _placed(recording, step, rule), () if depends and depends.how in ("constant", "drawn") else tuple(read)
    )


def _placed(recording: Recording, step: Step, rule: Text) -> Text:
    write = next(iter(step.writes), None)
    version = _NOTHING if write is None else _VERSION.format(terms_of(recording).label(write.after))
    line = _NOTHING if step.line is None else _LINE.format(step.line)
    return closed_up(_PLACED.format(rule=rule, op=as_written(recording, step), line=line, version=version))
