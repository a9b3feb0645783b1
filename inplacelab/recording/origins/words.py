"""Says where a number comes from and which path a gradient took, as a picture, a screen reader and a terminal say it; of the numbers of a large
storage, by which rule all of them were computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import Number, SourceFacts, Step
from inplacelab.recording.naming import listing, number_label
from inplacelab.recording.origins.back import Computed, operands_of, reads_what_it_overwrites
from inplacelab.recording.origins.elements import Arrival
from inplacelab.recording.origins.gradients import Contributions
from inplacelab.recording.origins.paths import End, GradientPath
from inplacelab.recording.places import said_line
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.supported import terms_of

MOST_NAMED = 6
"""So many origins are named; more are counted."""

_PLACE = Text("{op}, {line}{version}", "{op}，{line}{version}")
_NO_LINE = Text("{op}{version}", "{op}{version}")
_VERSION = Text(", {0}", "，{0}")
_FROM = Text("{said} ({place}) from {names}", "{said}（{place}），来自 {names}")
_MORE = Text("{0} and more elements", "{0} 等更多元素")
_COUNTED = Text("{0} elements of {1}", "{1} 的 {0} 个元素")
_BY_HOW = {
    "made": Text("{value}: made here ({place})", "{value}：在此处产生（{place}）"),
    "drawn": Text("{value}: drawn here ({place})", "{value}：在此处随机取得（{place}）"),
    "written": Text("{value}: a number of the program ({place})", "{value}：程序中给出的数（{place}）"),
    "backward": Text("{value}: added up by backward, {line}", "{value}：由反向传播累加，{line}"),
    "before": Text("{value}: there before the recording", "{value}：记录开始前就有"),
    "unseen": Text("{value}: written by something that was not recorded", "{value}：由未被记录的代码写入"),
    "not known": Text(
        "{value}: from {op}, {line}; which elements it depends on is not known", "{value}：由 {op} 得到，{line}；它依赖于哪些元素未知"
    ),
    "overlapping": Text(
        "{value}: from {op}, {line}, which read numbers while it overwrote them; which elements it depends on is not known",
        "{value}：由 {op} 得到，{line}；该行一边读取，一边覆盖同样的数，因此它依赖于哪些元素未知",
    ),
}  # fmt: skip


def comes_from(recording: Recording, found: Computed) -> Text:
    """Says how a number came to be where it is: "130 = 13 · 10 (`x * 10.`, line 2, v0) from `x[0]`".

    Args:
        recording: the recording.
        found: what `origins` returned.
    """
    if found.step < 0:
        return _BY_HOW["before"].format(value=_shown(found.value))
    op = f"`{code_of(recording, recording.steps[found.step])}`"
    version = Text("", "") if found.version is None else _VERSION.format(terms_of(recording).label(found.version))
    line = said_line(recording.named_sources, found.place)
    place = (_NO_LINE if found.place is None else _PLACE).format(op=op, line=line, version=version)
    if found.how != "computed" or found.arithmetic is None:
        overlaps = found.how == "not known" and reads_what_it_overwrites(recording, recording.steps[found.step])
        return _BY_HOW["overlapping" if overlaps else found.how].format(
            value=_shown(found.value), place=place, op=op, line=line
        )
    names = list(dict.fromkeys(each.called for each in found.origins))
    if len(names) > MOST_NAMED:
        tensors = dict.fromkeys(each.called.en.strip("`").partition("[")[0] for each in found.origins)
        listed = _COUNTED.format(len(names), listing([Text(f"`{name}`", f"`{name}`") for name in tensors]))
    else:
        listed = listing(names)
    return closed_up(
        _FROM.format(said=found.arithmetic, place=place, names=_MORE.format(listed) if found.more else listed)
    )


def _shown(value: Number | None) -> str:
    return "?" if value is None else number_label(value)


# --- gradients -----------------------------------------------------------------------------------------------------

_SUM = Text("{value} = {terms}", "{value} = {terms}")
_ADDED = Text("{value}: the sum of {count} paths", "{value}：{count} 条路径之和")
_ONE_PATH = Text("{value}: by one path", "{value}：来自一条路径")
_NOTHING = Text("{value}: no path leads to where the pass began", "{value}：没有路径通到反向传播的起点")
_UNKNOWN = Text("{value}: what its paths add up to is not known", "{value}：各路径之和未知")
_WRONG = Text(
    "{value} is wrong: with the values as they were when the program ran, the paths add up to {right}",
    "{value} 是错的：按程序运行时的数值，各路径之和应为 {right}",
)
_OTHERWISE = Text("; which numbers backward used instead is not known", "；反向传播实际用了哪些数未知")
_OF_OTHER_SHAPE = Text(
    "missing: backward returned a gradient of shape {shape}, without this element; the paths add up to {right}",
    "缺失：反向传播返回的梯度形状为 {shape}，没有这个元素；各路径之和为 {right}",
)
_HOOKED = Text(
    "{value}: the paths add up to {sum}, and code of the program that ran in backward, such as a hook, made {value} of it",
    "{value}：各路径之和为 {sum}；反向传播中运行的程序代码（例如钩子）把它变成了 {value}",
)
_ADDED_TO = Text("; added to {0}, left by an earlier pass", "；加到先前的反向传播留下的 {0} 上")
_ENDS: dict[End, Text] = {
    "root": Text("", ""),
    "zero": Text(": ends at {line}, where the slope is 0", "：止于{line}，那里的斜率为 0"),
    "detached": Text(": ends at {line}, which read it without history", "：止于{line}，该行读取时不带历史"),
    "lost write": Text(
        ": ends at {line}, which wrote it through a tensor without history; what the program meant is not known",
        "：止于{line}，该行通过没有历史的张量写入；无法得知程序的意图",
    ),
    "lost read": Text(
        ": ends at {line}, which read it through a view without history, made before the number was written; what the program meant is not known",
        "：止于{line}，该行通过写入之前建立的、没有历史的视图读取；无法得知程序的意图",
    ),
    "overwritten": Text(": overwritten by {line} before anything read it", "：在被读取之前就被{line}覆盖"),
    "unused": Text(": nothing used it", "：此后无人使用"),
    "custom": Text(
        ": goes on at {line}, where the program's own `backward` computes the slope",
        "：在{line}继续，那里的斜率由程序自己的 `backward` 计算",
    ),
    "custom stale": Text(
        ": goes on at {line}, where the program's own `backward` computes the slope from a number that was overwritten in between",
        "：在{line}继续，那里的斜率由程序自己的 `backward` 计算，所用的数其间已被覆盖",
    ),
    "another pass": Text(
        ": goes on through the backward pass of {line}, which is not followed",
        "：经由{line}的反向传播继续，这部分不再追踪",
    ),
    "overlapping": Text(
        ": not known beyond {line}, which read numbers while it overwrote them",
        "：{line}之后未知：该行一边读取，一边覆盖同样的数",
    ),
    "not known": Text(": not known beyond {line}", "：{line}之后未知"),
}
_KEPT = Text(" (kept value; {line} overwrote it: {used})", "（保存的值；后被{line}覆盖：{used}）")
_ADDS = Text(": adds {value}", "：贡献 {value}")


def gradient_says(found: Contributions) -> Text:
    """Says what a gradient's element is the sum of, whether it is wrong, and to what it was added.

    Args:
        found: what `contributions` returned.
    """
    if found.without_hooks is None:
        of_the_pass = _of_the_pass(found)
    else:
        of_the_pass = _HOOKED.format(value=_shown(found.gradient), sum=number_label(found.without_hooks))
    return of_the_pass + (_ADDED_TO.format(number_label(found.held)) if found.held else Text("", ""))


def _of_the_pass(found: Contributions) -> Text:
    value = _shown(found.gradient)
    if found.wrong and found.right is not None:
        return _wrong(found, value, number_label(found.right))
    terms = [path.value for path in found.paths if path.end == "root"]
    if found.right is None or any(term is None for term in terms):
        return _UNKNOWN.format(value=value)
    if not terms:
        return _NOTHING.format(value=value)
    if len(terms) == 1:
        return _ONE_PATH.format(value=value)
    if len(terms) > MOST_NAMED or found.more:
        return _ADDED.format(value=value, count=len(terms))
    written = " + ".join(
        f"({number_label(term)})" if term < 0 else number_label(term) for term in terms if term is not None
    )
    return _SUM.format(value=value, terms=written)


def _wrong(found: Contributions, value: str, right: str) -> Text:
    if found.of_shape is not None:
        return _OF_OTHER_SHAPE.format(shape=list(found.of_shape), right=right)
    known = found.used or not found.gradient
    return _WRONG.format(value=value, right=right) + (Text("", "") if known else _OTHERWISE)


def arrived_says(found: Contributions, place: Place | None, sources: Sequence[SourceFacts] = ()) -> Text:
    """Says what a gradient's element is the sum of, and which line's backward pass added it up: "16 = 10 + 6 (backward, line 8)".

    Args:
        found: what `contributions` returned.
        place: where the line is; None if it is not known.
        sources: the texts of the program.
    """
    return gradient_says(found) + (_BACKWARD if place is None else _BACKWARD_AT.format(said_line(sources, place)))


_BACKWARD, _BACKWARD_AT = (
    Text(" (backward)", "（反向传播）"),
    Text(" (backward, {0})", "（反向传播，{0}）"),
)


def path_says(start: str, path: GradientPath, sources: Sequence[SourceFacts] = (), *, as_found: bool = False) -> Text:
    """Says which path a gradient took, from the element to where the pass began: "`w[0]` · 2 → `h[0]` · 1 → `loss`: adds 2".

    Args:
        start: how the element is called.
        path: the path.
        sources: the texts of the program.
        as_found: whether to write the slopes with the values that backward found.
    """
    said = Text(f"`{start}`", f"`{start}`")
    for hop in path.hops:
        slope = hop.used if as_found and hop.used is not None else hop.slope
        kept = Text("", "")
        if hop.used is not None and hop.overwrote is not None and not as_found:
            kept = _KEPT.format(line=said_line(sources, hop.overwrote), used=hop.used.written)
        factor = (
            Text("", "")
            if slope.value is None
            else Text(f" · ({slope.written})" if " " in slope.written else f" · {slope.written}", "")
        )
        factor = Text(factor.en, factor.en)
        said = said + factor + kept + Text(" → ", " → ") + hop.flow.called
    return said + _end(path, sources)


def end_says(path: GradientPath, sources: Sequence[SourceFacts] = ()) -> Text:
    """Says what a path adds, or where it ends: "adds 2", "ends at line 6, where the slope is 0".

    Args:
        path: the path.
        sources: the texts of the program.
    """
    said = _end(path, sources)
    return Text(said.en.removeprefix(": "), said.zh.removeprefix("："))


def _end(path: GradientPath, sources: Sequence[SourceFacts]) -> Text:
    if path.end == "root":
        return _ADDS.format(value=_shown(path.value)) if path.value is not None else Text("", "")
    return _ENDS[path.end].format(line=said_line(sources, path.place))


_PLACED = Text("{rule} (`{op}`{line}{version})", "{rule}（`{op}`{line}{version}）")
_LINE = Text(", {0}", "，{0}")
_VERSION = Text(", {0}", "，{0}")
_EMPTY = Text("", "")
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
_UNKNOWN_RULE = Text("from {names}; which elements is not known", "来自 {names}；具体来自哪些元素未知")
_RULE_BY_HOW = {
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
    >>> from inplacelab.recording.origins.elements import arrivals
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([100])
    ...     y = x * 2.
    >>> by_rule(rec.recording, arrivals(rec.recording)[1][0]).says.en
    'each element: from those at its position in `x` (`x * 2.`, line 2)'
    """
    if arrival.step < 0:
        return ByRule(_RULE_BY_HOW["before"], ())
    step = recording.steps[arrival.step]
    if arrival.how != "computed":
        return ByRule(_placed(recording, step, _RULE_BY_HOW[arrival.how]), ())
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
        rule = _UNKNOWN_RULE.format(names=names)
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
    version = _EMPTY if write is None else _VERSION.format(terms_of(recording).label(write.after))
    line = _EMPTY if step.place is None else _LINE.format(said_line(recording.named_sources, step.place))
    return closed_up(_PLACED.format(rule=rule, op=code_of(recording, step), line=line, version=version))
