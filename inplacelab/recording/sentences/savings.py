"""Says where a program may write in place, what that saves, and which facts forbid the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.facts import Step
from inplacelab.recording.naming import name_on_line, node_label
from inplacelab.recording.places import line_of, said_line, said_one_by_one
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import Advice
from inplacelab.recording.savings.live_bytes import Curve
from inplacelab.recording.savings.overwriting import Call, Obstacle
from inplacelab.recording.savings.sites import Site
from inplacelab.recording.sentences.phrases import byte_count, closed_up, quoted, shape
from inplacelab.supported import framework_of, terms_of

LONGEST = 48
"""The most characters of an operation's text that are shown."""
MOST_GROUPED = 48
"""Of more operations, it is not computed which of them lower the peak only together."""

_OPERAND = Text("its operand", "操作数")
_NOTHING_READS = Text("nothing reads {x} afterwards", "此后无人读取 {x}")
_NO_NODE = Text("no grad node keeps it", "没有梯度节点保存它")
_KEEPS_RESULT = Text("{node} keeps the result and not {x}", "{node} 保存的是结果而非 {x}")
_WILL_KEEP_RESULT = Text("in place, {node} keeps the result instead of {x}", "改为原地后，{node} 保存结果而不是 {x}")
_BOTH = Text("{0}, and {1}", "{0}，并且{1}")
_WHILE_IT_RUNS = Text(
    "only while it runs: {x} is freed right after it, so the result takes its place anyway",
    "只在执行期间节省：{x} 随后立即释放，结果本来就会取代它",
)
_COPIES = Text("the in-place form would keep a copy of what it overwrites", "原地形式会把将被覆盖的值另存一份副本")
_EMPTY = Text("the result has no elements", "结果没有元素")
_EXCLUDED = Text("not together with {0}, which saves more", "不能与{0}同时改写，后者节省得更多")
_IN_RUNS = Text("{0} (in {1} of {2} runs)", "{0}（{2} 次执行中有 {1} 次）")

_FORBIDS = {
    "shape": Text("its result has another shape ({0})", "结果的形状不同（{0}）"),
    "dtype": Text("its result has another dtype ({0})", "结果的 dtype 不同（{0}）"),
    "expanded": Text("{x} is expanded: several of its elements share one slot", "{x} 是扩展得到的：多个元素共用一个槽位"),
    "leaf": Text("{x} is a leaf that needs a gradient", "{x} 是需要梯度的叶子"),
    "of_leaf": Text("{x} is a view of {0}, a leaf that needs a gradient", "{x} 是 {0} 的视图，而后者是需要梯度的叶子"),
    "views": Text("{x} is one of several views that one operation returned", "{x} 是同一个操作返回的多个视图之一"),
    "kept": Text("{0} keeps {x}", "{0} 保存着 {x}"),
    "read": Text("{0} reads {x} again", "{0}还要读取 {x}"),
    "itself": Text("it reads {x} twice", "它两次读取 {x}"),
    "written": Text("{0} writes to {x} later", "{0}之后还要写入 {x}"),
    "lives": Text("later code may use {x}: it still has a name", "后面的代码可能还会使用 {x}：它仍有名称"),
}  # fmt: skip
_SAME_LINE, _BACKWARD = Text("the same line", "同一行"), Text("backward", "反向传播")
_NOT_CONSTRUCTED = Text("the text does not show where the module was constructed", "程序文本中看不到该模块在何处构造")
_NO_FORM = Text("written like this, it has no in-place form", "这种写法没有原地形式")
_OTHER_OPERANDS = Text("its runs would not all overwrite the same operand", "各次执行所能覆盖的操作数并不相同")

_NOT_TRIED = Text("Not tried: this is what one recorded run tells.", "未经试验：仅由一次运行的记录得出。")
_TRIED = Text(
    "Tried with {0}: losses, gradients, updates, named tensors and output are equal to the bit. The program ran {1} times.",
    "已用 {0}试验：损失、梯度、参数更新、有名称的张量和输出逐位相同。程序共运行 {1} 次。",
)
_DATA = Text("{0} sets of data", "{0} 组数据"), Text("its own data only", "程序自己的数据")
_EARLY = Text("Each run was ended before the program would have ended.", "每次运行都在程序自行结束之前停止。")
_NONE = Text(
    "No operation of the program has an in-place form that would save memory.",
    "程序中没有可以通过原地写入节省内存的操作。",
)
_OFFERED = Text(
    "May write in place, with the most that each saves at one time:",
    "可以改为原地操作（所列为同一时刻最多节省的字节数）：",
)
_SAVES_NOTHING = Text("May write in place, but saves 0 bytes:", "可以改为原地操作，但节省 0 字节：")
_FORBIDDEN = Text("Must not write in place:", "不能改为原地操作：")
_DIFFERING = Text(
    "Tried and left out, as the program fails or gives other results:", "试验后舍弃（程序出错，或结果不同）："
)
_ITEM = Text("  {0} {1}: {2}", "  {0} {1}：{2}")
_SAVED = Text("{0}; {1}", "{0}；{1}")
_HELD = Text("When backward begins", "反向传播开始时")
_PEAK = Text("Peak", "峰值")
_TOTAL = Text("{0}: {1} → {2}, by the recording", "{0}：按记录为 {1} → {2}")
_COUNTED = Text("; {0} → {1}, as {2} counts", "；按 {2} 的统计为 {0} → {1}")
_THE_FRAMEWORK = Text("the framework", "框架")
_REACHED = Text("The peak is reached in {0}.", "峰值出现在{0}。")
_REACHED_IN_BACKWARD = Text("The peak is reached in backward, which {0} starts.", "峰值出现在由{0}开始的反向传播中。")
_IN_BACKWARD = Text("The peak is reached in backward.", "峰值出现在反向传播中。")
_MOVES = Text("Afterwards it is reached in {0}.", "改写之后出现在{0}。")
_TOGETHER = Text("Only together do {0} lower the peak.", "只有把{0}一起改写，峰值才会降低。")
_END = Text(".", "。")


def lines(advice: Advice) -> list[Text]:
    """Returns what is known of where a program may write in place, without the edits."""
    said = [_how(advice)]
    nothing = [each for each in advice.sites if each.may and each not in advice.offered and not _differs(advice, each)]
    for heading, some in (
        (_OFFERED, sorted(advice.offered, key=lambda each: -each.bytes)),
        (_SAVES_NOTHING, nothing),
        (_FORBIDDEN, [each for each in advice.sites if not each.may]),
        (_DIFFERING, () if advice.measured is None else advice.measured.differing),
    ):
        if some:
            said += [Text("", ""), heading, *(_item(advice, each, counted=heading is _OFFERED) for each in some)]
    if not advice.sites:
        said += [Text("", ""), _NONE]
    if advice.offered:
        said += [Text("", ""), *_totals(advice)]
    return [closed_up(each) for each in said]


def reason(advice: Advice, site: Site) -> Text:
    """Returns why an operation may be written in place, or which fact forbids it."""
    recording, obstacle = advice.recording, site.obstacle
    if obstacle is not None:
        call = next(each for each in site.calls if each.obstacle is obstacle)
        said, count = _forbidden(recording, site, call, obstacle), sum(each.obstacle is not None for each in site.calls)
        return said if count == len(site.calls) else _IN_RUNS.format(said, count, len(site.calls))
    if site.node is None:
        return _without_form(recording, site)
    saving = [each for each in site.calls if each.saves]
    if not saving:
        return _COPIES if any(each.copies for each in site.calls) else _EMPTY
    if site not in advice.offered and not _differs(advice, site):
        others = [
            each for each in advice.offered if {one.storage for one in site.calls} & {one.made for one in each.calls}
        ]
        return _EXCLUDED.format(_one_by_one(recording, others or advice.offered[:1]))
    return _safe(recording, site, saving)


def operation(advice: Advice, site: Site) -> Text:
    """Returns an operation with its line: "line 18 `F.relu(h)`"."""
    return Text("{0} {1}", "{0} {1}").format(_line(advice.recording, site), quoted(short_code(site)))


def short_code(site: Site) -> str:
    """Returns the text of an operation on one line, cut if it is long."""
    code = re.sub(r"\s+", " ", site.code or site.op).replace("`", "'")
    return code if len(code) <= LONGEST else f"{code[: LONGEST - 1]}…"


# --- one operation -----------------------------------------------------------------------------------------------------


def _item(advice: Advice, site: Site, *, counted: bool) -> Text:
    said = reason(advice, site)
    if counted:
        said = _SAVED.format(byte_count(site.bytes), said)
    return _ITEM.format(_line(advice.recording, site), quoted(short_code(site)), said)


def _differs(advice: Advice, site: Site) -> bool:
    return advice.measured is not None and site in advice.measured.differing


def _line(recording: Recording, site: Site) -> Text:
    return said_line(recording.named_sources, Place(site.line, site.source) if site.line else None)


def _safe(recording: Recording, site: Site, saving: Sequence[Call]) -> Text:
    call = saving[0]
    step, x = recording.steps[call.step], _operand(recording, site, call.operand)
    node = None if step.kept is None else recording.state(call.step).nodes.get(step.kept)
    if all(_is_momentary(recording, each) for each in saving):
        return _WHILE_IT_RUNS.format(x=x)
    reads = _NOTHING_READS.format(x=x)
    if node is None:
        return reads
    name = quoted(node.name)
    if call.keeps_result:
        return _BOTH.format(_WILL_KEEP_RESULT.format(node=name, x=x), reads)
    result = recording.state(call.step).tensors.get(call.result)
    if result is not None and any(each.counter == result.counter for each in node.saved):
        return _BOTH.format(_KEEPS_RESULT.format(node=name, x=x), reads)
    return _BOTH.format(reads, terms_of(recording).in_framework_words(_NO_NODE))


def _is_momentary(recording: Recording, call: Call) -> bool:
    """Whether one of the two storages is gone before the next operation."""
    return not any(
        each.kind == "operation" or each.backward for each in recording.steps[call.step + 1 : call.until + 1]
    )


def _forbidden(recording: Recording, site: Site, call: Call, obstacle: Obstacle) -> Text:
    x, words = _operand(recording, site, call.operand), terms_of(recording).in_framework_words
    why: str = obstacle.why
    fact: Text | str = ""
    result = recording.state(call.step).tensors.get(call.result)
    if why in ("shape", "dtype") and result is not None:
        fact = shape(result.shape) if why == "shape" else result.dtype
    elif why == "leaf" and obstacle.tensor is not None and obstacle.tensor != call.operand:
        why, fact = "of_leaf", _operand(recording, site, obstacle.tensor, call.step)
    elif why == "kept" and obstacle.node is not None:
        state = recording.before(call.step)
        fact = node_label(state, state.nodes[obstacle.node], Place(site.line, site.source))
    elif why == "read" and obstacle.step == call.step:
        why = "itself"
    elif obstacle.step is not None:
        fact = _where(recording, recording.steps[obstacle.step], site)
    return words(_FORBIDS[why]).format(fact, x=x)


def _where(recording: Recording, step: Step, site: Site) -> Text:
    if step.place is None or step.phase == "backward":
        return _BACKWARD
    if line_of(step.place) == (site.source, site.line):
        return _SAME_LINE
    return said_line(recording.named_sources, step.place)


def _without_form(recording: Recording, site: Site) -> Text:
    steps = [recording.steps[each.step] for each in site.calls]
    if any(each.ran_in is not None for each in steps):
        return _NOT_CONSTRUCTED
    return _OTHER_OPERANDS if len({each.position for each in site.calls}) > 1 else _NO_FORM


def _operand(recording: Recording, site: Site, tensor: int, at: int | None = None) -> Text:
    """Returns what the program calls a tensor on the line of an operation."""
    call = next((each for each in site.calls if tensor == each.operand), site.calls[0])
    index = call.step if at is None else at
    facts = recording.before(index).tensors.get(tensor)
    place = recording.steps[index].place
    name = name_on_line(recording, place, () if facts is None else facts.names, or_first=at is not None)
    return quoted(name) if name else _OPERAND


# --- all together ------------------------------------------------------------------------------------------------------


def _how(advice: Advice) -> Text:
    tried = advice.measured
    if tried is None:
        return _NOT_TRIED
    data = _DATA[0].format(tried.seeds) if tried.seeds > 1 else _DATA[1]
    said = _TRIED.format(data, tried.runs)
    return said + Text(" ", "") + _EARLY if tried.early else said


def _totals(advice: Advice) -> list[Text]:
    recording, before, after, tried = advice.recording, advice.before, advice.after, advice.measured
    said = []
    held = held_bytes(recording, before), held_bytes(recording, after)
    if held[0]:
        said.append(_total(recording, _HELD, held, None if tried is None else (tried.held, tried.held_after)))
    said.append(
        _total(recording, _PEAK, (before.peak, after.peak), None if tried is None else (tried.peak, tried.peak_after))
    )
    where = _owner(recording, before)
    said.append(where)
    if before.peak_step != after.peak_step and _owner(recording, after) != where:
        said.append(_MOVES.format(_at(recording, recording.steps[after.peak_step])))
    if group := lowering_together(advice):
        said.append(_TOGETHER.format(_one_by_one(recording, group)))
    return said


def _total(recording: Recording, what: Text, found: tuple[int, int], counted: tuple[int, int] | None) -> Text:
    said = _TOTAL.format(what, f"{found[0]:,}", byte_count(found[1]))
    if counted:
        title = framework_of(recording).title
        said += _COUNTED.format(f"{counted[0]:,}", byte_count(counted[1]), title or _THE_FRAMEWORK)
    return said + _END


def held_bytes(recording: Recording, curve: Curve) -> int:
    """Returns the most bytes that were alive when a backward pass began; 0 if none did."""
    begun = (step.index for step in recording.steps if step.backward is not None and step.backward.action == "begin")
    return max((curve.after[index] for index in begun), default=0)


def _owner(recording: Recording, curve: Curve) -> Text:
    """Returns where the most bytes were alive."""
    step = recording.steps[curve.peak_step]
    if step.phase != "backward" and step.backward is None:
        return _REACHED.format(_at(recording, step))
    if step.place is None:
        return _IN_BACKWARD
    return _REACHED_IN_BACKWARD.format(said_line(recording.named_sources, step.place))


def _at(recording: Recording, step: Step) -> Text:
    if step.phase == "backward" or step.backward is not None:
        return _BACKWARD
    return said_line(recording.named_sources, step.place)


def lowering_together(advice: Advice) -> tuple[Site, ...]:
    """Returns the operations of which each is needed for the peak to fall as far as it does, if no single one lowers it; otherwise nothing."""
    chosen, meant = list(advice.offered), advice.after.peak
    if meant >= advice.before.peak or not 1 < len(chosen) <= MOST_GROUPED:
        return ()
    if any(advice.with_sites([each]).peak < advice.before.peak for each in chosen):
        return ()
    for each in sorted(chosen, key=lambda one: one.bytes):
        others = [other for other in chosen if other is not each]
        if advice.with_sites(others).peak == meant:
            chosen = others
    return tuple(sorted(chosen, key=lambda each: (each.source, each.line, each.column)))


def _one_by_one(recording: Recording, some: Iterable[Site]) -> Text:
    places = dict.fromkeys(Place(each.line, each.source) for each in some)
    return said_one_by_one(recording.named_sources, list(places))
