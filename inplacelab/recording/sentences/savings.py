"""Says where a program may write in place, what that saves, and which facts forbid the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from inplacelab.language import Text, enumerated
from inplacelab.place import Place
from inplacelab.recording.facts import Step
from inplacelab.recording.naming import name_on_line, node_label
from inplacelab.recording.places import bare_name, line_of, said_line, said_one_by_one
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import Advice
from inplacelab.recording.savings.live_bytes import Curve
from inplacelab.recording.savings.overwriting import Call, Obstacle
from inplacelab.recording.savings.sites import Site
from inplacelab.recording.savings.written import Written, saving_nothing
from inplacelab.recording.sentences.phrases import byte_count, closed_up, quoted, shape
from inplacelab.supported import framework_of, terms_of

LONGEST = 48
"""The most characters of an operation's text that are shown."""
MOST_GROUPED = 48
"""Of more operations, it is not computed which of them lower the peak only together."""

_MAIN = Place(1)
"""The lines of the program itself are said without its name."""
_A_LEAF = Text("a leaf", "叶子")
_OPERAND = Text("its operand", "操作数")
_NOTHING_READS = Text("nothing reads {x} afterwards", "此后 {x} 不再被读取")
_NO_NODE = Text("no grad node keeps it", "没有梯度节点保存它")
_KEEPS_RESULT = Text("{node} keeps the result and not {x}", "{node} 保存的是结果而非 {x}")
_WILL_KEEP_RESULT = Text("in place, {node} keeps the result instead of {x}", "改为原地后，{node} 保存结果而不是 {x}")
_BOTH = Text("{0}, and {1}", "{0}，并且{1}")
_WHILE_IT_RUNS = Text(
    "only while it runs: {x} is freed right after it, so the result takes its place anyway",
    "只在该操作执行期间节省：{x} 随即被释放，结果本来就会取而代之",
)
_COPIES = Text("the in-place form would keep a copy of what it overwrites", "原地形式会把将被覆盖的值另存一份副本")
_EMPTY = Text("the result has no elements", "结果没有元素")
_EXCLUDED = Text("not together with {0}, which saves more", "不能与{0}同时改写，后者节省得更多")
_IN_RUNS = Text("{0} (in {1} of {2} runs)", "{0}（{2} 次执行中有 {1} 次）")

_FORBIDS = {
    "shape": Text("its result has another shape ({0})", "结果的形状不同（{0}）"),
    "dtype": Text("its result has another dtype ({0})", "结果的 dtype 不同（{0}）"),
    "expanded": Text("{x} is expanded: several of its elements share one slot", "{x} 是扩展得到的：多个元素共享一个槽位"),
    "leaf": Text("{x} is a leaf that needs a gradient", "{x} 是需要梯度的叶子"),
    "of_leaf": Text("{x} is a view of {0}, which is a leaf that needs a gradient", "{x} 是 {0} 的视图，而后者是需要梯度的叶子"),
    "views": Text("{x} is one of several views that one operation returned", "{x} 是同一个操作返回的多个视图之一"),
    "history": Text("{x} has a history, which the result does not have here", "{x} 带有历史，而这里的结果没有"),
    "rounds": Text("in place, its derivative is computed from the result, and has other last bits", "改为原地后，导数由结果计算，末几位会不同"),
    "kept": Text("{0} keeps {x}", "{0} 保存着 {x}"),
    "read": Text("{0} reads {x} again", "{0}还要读取 {x}"),
    "read_through": Text("{0} reads the memory of {x} again, through {through}", "{0}还要通过 {through} 读取 {x} 的内存"),
    "itself": Text("it reads {x} twice", "它两次读取 {x}"),
    "written": Text("{0} writes to {x} later", "{0}之后还要写入 {x}"),
    "written_through": Text("{0} writes to the memory of {x} later, through {through}", "{0}之后还要通过 {through} 写入 {x} 的内存"),
    "lives": Text("later code may use {x}: it still has a name", "后面的代码可能还会使用 {x}：还有名字指向它"),
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
_NONE_WORKS = Text(
    "Tried: the program fails or gives other results whichever of them is in place. It ran {0} times.",
    "已试验：无论改写其中哪一个，程序都会出错或结果不同。程序共运行 {0} 次。",
)
_DATA = Text("{0} sets of data", "{0} 组数据"), Text("its own data only", "程序自己的数据")
_EARLY = Text("Each run was ended before the program would have ended.", "每次运行都在程序自行结束之前停止。")
_NONE = Text(
    "No operation that the program runs out of place has an in-place form.",
    "程序以非原地方式执行的操作都没有原地形式。",
)
_NOTHING_TO_TRY = Text(
    "Nothing was tried: no operation may write in place and save memory.",
    "没有试验：没有操作可以通过原地写入节省内存。",
)
_OFFERED = Text(
    "May write in place, with the most that each saves at one time:",
    "可以改为原地操作（所列为同一时刻最多节省的字节数）：",
)
_SAVES_NOTHING = Text("May write in place, but saves 0 bytes:", "可以改为原地操作，但不节省内存：")
_INSTEAD = Text("May write in place, but not together with others:", "可以改为原地操作，但不能与其他操作同时改写：")
_NO_EDIT = Text("Nothing forbids these, but no edit is known:", "操作数可以覆盖，但程序文本没有显示如何修改：")
_FORBIDDEN = Text("Must stay out of place:", "不能改为原地操作：")
_DIFFERING = Text(
    "Tried and left out, as the program fails or gives other results with them:", "试验后舍弃（程序出错，或结果不同）："
)
_UNTRIED = Text(
    "Left out, as trying these would have taken too many runs:", "未作试验，因此舍弃（程序运行次数已达上限）："
)
_WRITTEN = Text("In place already, and saves 0 bytes:", "已是原地操作，但不节省内存：")
_WOULD_BE_FREED = Text(
    "out of place, {x} would be freed right after it, and the result would take its place",
    "若不原地写入，{x} 会随即被释放，由结果取而代之",
)
_KEEPS_COPY = Text(
    "{node} keeps a copy of what it overwrites ({size}); out of place, it would keep {x} itself",
    "{node} 保存了被覆盖的值的副本（{size}）；若不原地写入，它保存的就是 {x} 本身",
)
_A_NODE = Text("a grad node", "某个梯度节点")
_ITEM = Text("  {0}: {1}", "  {0}：{1}")
_SAVED = Text("{0}; {1}", "{0}；{1}")
_HELD = Text("When backward begins", "反向传播开始时")
_PEAK = Text("Peak", "峰值")
_TOTAL = Text("{0}: {1} → {2}, by the recording", "{0}：按记录为 {1} → {2}")
_COUNTED = Text("; {0} → {1}, as {2} counts", "；按 {2} 的统计为 {0} → {1}")
_THE_ENGINE = Text("the engine", "引擎")
_REACHED = Text("By the recording, the peak is reached in {0}.", "按记录，峰值出现在{0}。")
_REACHED_IN_BACKWARD = Text(
    "By the recording, the peak is reached in backward, which {0} starts.", "按记录，峰值出现在由{0}开始的反向传播中。"
)
_IN_BACKWARD = Text("By the recording, the peak is reached in backward.", "按记录，峰值出现在反向传播中。")
_MOVES = Text("Afterwards it is reached in {0}.", "改写之后出现在{0}。")
_TOGETHER = Text(
    "The peak falls only if these write in place together: {0}.", "只有把这些操作一起改写，峰值才会降低：{0}。"
)
_STAYS = Text("None of this lowers the peak.", "这些都不会降低峰值。")
_UNSEEN = Text(
    "{0} also counts what an operation, or backward, allocates for a moment, which is not in the recording.",
    "{0} 还计入操作和反向传播临时分配的内存，记录中没有这些。",
)
_NEAR = 0.02
"""Counts that differ by less are called equal."""
_COUNT_STAYS = Text("None of this lowers the peak that {0} counts.", "这些都不会降低 {0} 统计的峰值。")
_BLANK = Text("", "")
_END = Text(".", "。")


Verdict = Literal["offered", "saves_nothing", "instead", "no_edit", "forbidden", "differs", "untried"]
"""What is said of an operation. "offered": it may write in place, and saves memory; "saves_nothing": it may; "instead": it may, but not
together with others that save more; "no_edit": nothing forbids it, but the text does not show how; "forbidden": a fact forbids it;
"differs": it was tried, and the program fails or gives other results; "untried": that was not tried, since the program had run often enough."""
_HEADINGS: Mapping[Verdict, Text] = {
    "offered": _OFFERED, "saves_nothing": _SAVES_NOTHING, "instead": _INSTEAD, "no_edit": _NO_EDIT, "forbidden": _FORBIDDEN, "differs": _DIFFERING,
    "untried": _UNTRIED,
}  # fmt: skip


def verdict(advice: Advice, site: Site) -> Verdict:
    """Returns what is said of an operation."""
    if site in advice.offered:
        return "offered"
    if advice.measured is not None and site in advice.measured.differing:
        return "differs"
    if advice.measured is not None and site in advice.measured.untried:
        return "untried"
    if not site.may:
        return "no_edit" if site.obstacle is None else "forbidden"
    return "instead" if site.bytes else "saves_nothing"


def lines(advice: Advice) -> list[Text]:
    """Returns what is known of where a program may write in place, without the edits."""
    said = [_how(advice)]
    judged = {each: verdict(advice, each) for each in advice.sites}
    for one, heading in _HEADINGS.items():
        some = advice.offered if one == "offered" else [each for each in advice.sites if judged[each] == one]
        said += _section(heading, [_item(advice, each, counted=one == "offered") for each in some])
    written = saving_nothing(advice.recording, advice.before)
    said += _section(_WRITTEN, [_said(advice, each.site, reason_of_written(advice, each)) for each in written])
    if not advice.sites:
        said += [_BLANK, _NONE]
    if advice.offered:
        said += [_BLANK, *_totals(advice)]
    return [closed_up(each) for each in said]


def _section(heading: Text, items: Sequence[Text]) -> list[Text]:
    return [_BLANK, heading, *items] if items else []


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
    if verdict(advice, site) == "instead":
        others = [
            each for each in advice.offered if {one.storage for one in site.calls} & {one.made for one in each.calls}
        ]
        return _EXCLUDED.format(_one_by_one(recording, others or advice.offered[:1]))
    return _safe(recording, saving)


def reason_of_written(advice: Advice, written: Written) -> Text:
    """Returns why an in-place operation of the program saves nothing."""
    step, recording = written.steps[-1], advice.recording
    x = _operand(recording, step, step.inputs[0])
    if not written.copy:
        return _WOULD_BE_FREED.format(x=x)
    node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
    name = terms_of(recording).in_framework_words(_A_NODE) if node is None else quoted(node.name)
    return _KEEPS_COPY.format(node=name, size=byte_count(written.copy), x=x)


def operation(advice: Advice, site: Site) -> Text:
    """Returns an operation with its line: "line 18 `F.relu(h)`"."""
    return Text("{0} {1}", "{0} {1}").format(_line(advice.recording, site), quoted(short_code(site)))


def short_code(site: Site) -> str:
    """Returns the text of an operation on one line, cut if it is long."""
    code = re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", re.sub(r"\s+", " ", site.code or site.op)).replace("`", "'")
    return code if len(code) <= LONGEST else f"{code[: LONGEST - 1]}…"


# --- one operation -----------------------------------------------------------------------------------------------------


def _item(advice: Advice, site: Site, *, counted: bool) -> Text:
    if verdict(advice, site) in ("differs", "untried"):  # no recorded fact says more
        return Text("  ", "  ") + operation(advice, site)
    said = reason(advice, site)
    return _said(advice, site, _SAVED.format(byte_count(site.bytes), said) if counted else said)


def _said(advice: Advice, site: Site, said: Text) -> Text:
    return _ITEM.format(operation(advice, site), said)


def _line(recording: Recording, site: Site) -> Text:
    return said_line(recording.named_sources, Place(site.line, site.source) if site.line else None, _MAIN)


def _safe(recording: Recording, saving: Sequence[Call]) -> Text:
    call = saving[0]
    step = recording.steps[call.step]
    x = _operand(recording, step, call.operand)
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
    between = recording.steps[call.step + 1 : call.until + 1]
    return call.until < len(recording) and not any(each.kind == "operation" or each.backward for each in between)


def _forbidden(recording: Recording, site: Site, call: Call, obstacle: Obstacle) -> Text:
    step, words = recording.steps[call.step], terms_of(recording).in_framework_words
    x = _operand(recording, step, call.operand)
    why: str = obstacle.why
    fact: Text | str = ""
    through: Text | None = None
    result = recording.state(call.step).tensors.get(call.result)
    if why in ("shape", "dtype") and result is not None:
        fact = shape(result.shape) if why == "shape" else result.dtype
    elif why == "leaf" and obstacle.tensor is not None and obstacle.tensor != call.operand:
        leaf = recording.before(call.step).called(obstacle.tensor)
        why, fact = "of_leaf", quoted(bare_name(leaf.first)) if leaf.names else words(_A_LEAF)
    elif why == "kept" and obstacle.node is not None:
        state = recording.before(call.step)
        node = state.nodes.get(obstacle.node) or recording.state(call.step).nodes[obstacle.node]
        fact = node_label(state, node, Place(0 if site.source else site.line))
    elif why == "read" and obstacle.step == call.step:
        why = "itself"
    elif obstacle.step is not None:
        later = recording.steps[obstacle.step]
        fact = _where(recording, later, site)
        if obstacle.tensor != call.operand and obstacle.tensor is not None:
            through = _name(recording, later, obstacle.tensor)
            why = why if through is None or through == x else f"{why}_through"
    return words(_FORBIDS[why]).format(fact, x=x, through=through)


def _where(recording: Recording, step: Step, site: Site) -> Text:
    if step.place is None or step.phase == "backward":
        return _BACKWARD
    if line_of(step.place) == (site.source, site.line):
        return _SAME_LINE
    return said_line(recording.named_sources, step.place, _MAIN)


def _without_form(recording: Recording, site: Site) -> Text:
    steps = [recording.steps[each.step] for each in site.calls]
    if any(each.ran_in is not None for each in steps):
        return _NOT_CONSTRUCTED
    return _OTHER_OPERANDS if len({each.position for each in site.calls}) > 1 else _NO_FORM


def _operand(recording: Recording, step: Step, tensor: int) -> Text:
    """Returns what the line of an operation calls its operand. A module has many, on many lines."""
    return (None if step.ran_in is not None else _name(recording, step, tensor)) or _OPERAND


def _name(recording: Recording, step: Step, tensor: int) -> Text | None:
    """Returns what the line of a step calls a tensor; None if it has no name for it."""
    facts = recording.before(step.index).tensors.get(tensor)
    name = name_on_line(recording, step.place, () if facts is None else facts.names, or_first=False)
    return quoted(bare_name(name)) if name else None


# --- all together ------------------------------------------------------------------------------------------------------


def _how(advice: Advice) -> Text:
    tried = advice.measured
    if tried is None:
        return _NOT_TRIED if advice.offered else _NOTHING_TO_TRY
    if not advice.offered:
        return _NONE_WORKS.format(tried.runs)
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
    if tried is not None and tried.peak_after > after.peak * (1 + _NEAR):
        said.append(_UNSEEN.format(framework_of(recording).title or _THE_ENGINE))
    where = _owner(recording, before)
    said.append(where)
    if before.peak_step != after.peak_step and _owner(recording, after) != where:
        said.append(_MOVES.format(_at(recording, recording.steps[after.peak_step])))
    falls = after.peak < before.peak if tried is None else tried.peak_after < tried.peak
    if not falls:
        said.append(_STAYS if tried is None else _COUNT_STAYS.format(framework_of(recording).title or _THE_ENGINE))
    elif group := lowering_together(advice):
        said.append(_TOGETHER.format(enumerated(operation(advice, each) for each in group)))
    return said


def _total(recording: Recording, what: Text, found: tuple[int, int], counted: tuple[int, int] | None) -> Text:
    said = _TOTAL.format(what, f"{found[0]:,}", byte_count(found[1]))
    if counted:
        title = framework_of(recording).title
        said += _COUNTED.format(f"{counted[0]:,}", byte_count(counted[1]), title or _THE_ENGINE)
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
    return _REACHED_IN_BACKWARD.format(said_line(recording.named_sources, step.place, _MAIN))


def _at(recording: Recording, step: Step) -> Text:
    if step.phase == "backward" or step.backward is not None:
        return _BACKWARD
    return said_line(recording.named_sources, step.place, _MAIN)


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
    return said_one_by_one(recording.named_sources, list(places), _MAIN)
