"""Says what led to a failure: the only place with words for it. Terminal, notes, pictures, JSON and annotations are forms of these.

kept: `SigmoidBackward0` keeps `h`, its result (float32 [3]) at version 0
overwritten by `mul_` through `row`, a view of `h` (`h[:2]`, line 4): version 0 → 1
needed here: it finds version 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from inplacelab.language import Text, enumerated
from inplacelab.recording.code_of_steps import plainly
from inplacelab.recording.facts import FailureFacts, KeptFacts, OverwriteFacts, RefusalFacts, SiteFacts, Sites
from inplacelab.recording.naming import ORDINALS, is_expression
from inplacelab.recording.outcomes import OUTCOMES
from inplacelab.recording.places import set_off
from inplacelab.recording.sentences.gradients import WRITTEN, advice_on, reasons_of, says_blamed, says_wrong
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.sentences.refusals import (
    REFUSED,
    advice_of,
    headline_of,
    reason_of,
    says_made,
    says_origin,
    says_refused,
)
from inplacelab.recording.stacks import Stacks, file_in_words, file_key, function_in_words, named_by_caller

Role = Literal["made", "origin", "kept", "overwritten", "read", "released", "needed", "refused", "wrong"]
"""What was done in a line: a view was made, through which was written later; the tensor was made that an operation was refused for; a value was kept, overwritten, read after that, released by an
earlier pass, or needed; an operation was refused, or gives a wrong gradient."""

MOST = 4
"""So many writes of one value are shown."""

LONGEST = 80
"""So many characters of an expression are quoted."""

_NOTHING = Text("", "")
_HEADLINES = {
    "stale": Text("Backward needed a value that was overwritten", "反向传播需要的值已被覆盖"),
    "step": Text("An optimizer changed a parameter that backward still needed", "优化器修改了反向传播仍然需要的参数"),
    "own": Text("An update changed a parameter that backward still needed", "参数更新修改了反向传播仍然需要的参数"),
    "again": Text("Backward needed a value that an earlier backward had released", "反向传播需要的值已被之前的反向传播释放"),
    "silent": Text(
        "Backward raised no error, but the {0} wrong: a kept value was overwritten without a new version, and backward used the new value",
        "反向传播没有报错，但{0}是错的：一个已保存的值被覆盖而版本号没有增加，反向传播使用了新的值",
    ),
    "unchecked": Text(
        "Backward raised no error, but the {0} wrong: a kept value was overwritten, and backward used the new value without a check of its version",
        "反向传播没有报错，但{0}是错的：一个已保存的值被覆盖，反向传播没有检查版本号，使用了新的值",
    ),
    "wrong": Text("Backward raised no error, but the {0} wrong from {1} on", "反向传播没有报错，但{0}从{1}起是错的"),
    "history": Text("Backward raised no error, but the {0} wrong", "反向传播没有报错，但{0}是错的"),
    "lost": Text(
        "Backward raised no error, but the {0} wrong: backward did not know of a write, and computed as if it had not happened",
        "反向传播没有报错，但{0}是错的：反向传播不知道有一次写入，按没有这次写入来计算",
    ),
    "node": Text(
        "Backward raised no error, but the {0} wrong: backward did not know of a write, and computed as if it had not happened",
        "反向传播没有报错，但{0}是错的：反向传播不知道有一次写入，按没有这次写入来计算",
    ),
    "direct": Text(
        "Backward raised no error, but the {0} wrong: a value was overwritten without a new grad node. What came later used the new value, and "
        "backward passed its gradient on to what the old value was computed from",
        "反向传播没有报错，但{0}是错的：一个值被覆盖，却没有新的梯度节点。之后的计算使用了新的值，反向传播却把它的梯度传给了计算旧值所用的张量",
    ),
}  # fmt: skip
_GRADIENTS = (
    Text("gradient is", "梯度"),
    Text("gradient of {0} is", " {0} 的梯度"),
    Text("gradients of {0} are", " {0} 的梯度"),
)
"""Of tensors without names, of one, and of several."""
_AND_OTHERS = Text("{0} and {1} others", "{0} 等 {2} 个张量")
_ADVICE = {
    "stale": Text(
        "To fix it: write out of place, or to a `clone()`; or overwrite only after `backward()`. ",
        "改法：改用非原地操作，或写入 `clone()`；或者等 `backward()` 之后再覆盖。",
    ) + OUTCOMES[""].brief,
    "update": Text(
        "To fix it: compute the loss after the update, from the new values; or update only after this backward pass, whose gradients must not reach "
        "the parameters that are updated then. A copy would only keep the old values. ",
        "改法：在更新之后用新的参数值计算损失；或者等这次反向传播之后再更新，并且不让这次的梯度进入那些参数。复制只会保留旧值。",
    ) + OUTCOMES[""].brief,
    "again": Text(
        "To fix it: give the earlier backward `retain_graph=True`; or compute the loss again before this one.",
        "改法：给之前的反向传播加上 `retain_graph=True`；或者在这一次之前重新计算损失。",
    ),
    "silent": Text(
        "To fix it: write only after this `backward()`, or compute the forward pass again after the write.",
        "改法：等这次 `backward()` 之后再写入，或在写入之后重新做一次前向计算。",
    ),
    "node": Text(
        "To fix it: write out of place, or write through the tensor that is read later (`b[0] = b[0] * 3`).",
        "改法：改用非原地操作，或通过之后要读取的那个张量写入（`b[0] = b[0] * 3`）。",
    ),
    "lost": Text(
        "To fix it: write through the tensor itself (`buffer[0] = x`), not through a view of it; or join the parts with `stack` or `concat`.",
        "改法：通过张量本身写入（`buffer[0] = x`），不要通过它的视图；或用 `stack`、`concat` 把各部分拼起来。",
    ),
}  # fmt: skip
"""What may be done, in general, by the kind of failure, or by what the graph does not know of."""

_KEPT = Text("kept{5}: `{0}` keeps {1}{2}{3}{4}", "保存{5}：`{0}` 保存了{1}{2}{3}{4}")
_PROBABLY = Text("kept, probably{5}: `{0}` keeps {1}{2}{3}{4}", "可能在此保存{5}：`{0}` 保存了{1}{2}{3}{4}")
_INSIDE = Text(
    "kept, probably{3}: the operation inside this `{0}` keeps a tensor of shape {1}{2}",
    "可能在此保存{3}：这个 `{0}` 内部的操作保存了形状为 {1} 的张量{2}",
)
_ELSEWHERE = Text("`{0}` keeps {1}{2}{3}, from code that was not watched.", "`{0}` 保存了{1}{2}{3}，是在未被监视的代码中。")  # fmt: skip
_PROBABLY_ELSEWHERE = Text(
    "Probably, `{0}` keeps {1}{2}{3}, from code that was not watched.",
    "可能是 `{0}` 保存了{1}{2}{3}，是在未被监视的代码中。",
)
_AT_VERSION = Text(" at version {0}", "，版本 {0}")
_INFERRED = Text(" (inferred)", "（推断）")
_MADE_NODE = Text("made `{0}`{1}", "建立了 `{0}`{1}")
_ROLES = {
    "result": Text("its result", "它的结果"),
    "": Text("a tensor", "一个张量"),
    "forward": Text("what its `forward` has saved", "它的 `forward` 保存的张量"),
    "checkpoint": Text("an input of the function, to run it again", "函数的一个输入，以便重新计算"),
}
_OPERAND = Text("its operand", "它的操作数")
_OPERANDS = Text("its operands {0}", "它的操作数 {0}")
_AT_POSITION = Text("its {0} operand", "它的{0}操作数")
_AT_POSITIONS = Text("its {0} operands", "它的{0}操作数")
_VIEW_OF = Text("a view of `{0}`, {1}", " `{0}` 的视图，即{1}")
_NAMED = Text("`{0}`, {1}", " `{0}`，即{1}")
_FORMER = Text("the former `{0}`, {1}", "原来的 `{0}`，即{1}")
_RESULT_OF = Text("the result of `{0}`, {1}", " `{0}` 的结果，即{1}")
_RESULT_OF_LINE = Text("the result of `{0}` in {2}, {1}", "{2} `{0}` 的结果，即{1}")
_ELEMENTS = Text(" ({0} {1})", "（{0} {1}）")

_WRITTEN = {
    "": Text("overwritten{5} by `{0}`{1}: version {2} → {3}", "{5}被 `{0}` {1}覆盖：版本 {2} → {3}"),
    "beside": Text(
        "other elements of its storage written{5} by `{0}`{1}: version {2} → {3}",
        "{5}`{0}` {1}写入了同一存储的其他元素：版本 {2} → {3}",
    ),
    "silent": Text("overwritten{5} by `{0}`{1}, which raises no version here", "{5}被 `{0}` {1}覆盖，版本号没有增加"),
    "unchecked": Text(
        "overwritten{5} by `{0}`{1}: version {2} → {3}, which the node does not check",
        "{5}被 `{0}` {1}覆盖：版本 {2} → {3}，这个节点不检查版本号",
    ),
    "marked": Text(
        "`{0}` counts this call{5} as one more write: version {2} → {3}", "{5}`{0}` 使这次调用再计一次写入：版本 {2} → {3}"
    ),
    "lost": Text(
        "written{5} by `{0}`{1}: the grad node of this write is that of the other tensor, and {4} still has none",
        "{5}被 `{0}` {1}写入：这次写入的梯度节点属于另一个张量，{4} 仍然没有",
    ),
    "node": Text(
        "written{5} by `{0}`{1}: {4} keeps the grad node of the value before",
        "{5}被 `{0}` {1}写入：{4} 的梯度节点仍属于之前的值",
    ),
}  # fmt: skip
_UPDATED = Text("{0} changed {1}{2}{3}{4}", "{0}{3}{2}修改了 {1}{4}")
_BY_UPDATE = Text("this update", "这次更新")
_BY_OPTIMIZER = Text("the optimizer", "优化器")
_BY_CALL, _ALSO_CALLED = Text("`{0}()`", "`{0}()` "), Text("`{0}()`, here `{1}()`,", "`{0}()`（这里是 `{1}()`）")
_AFTER_USE = Text(" after {0} used it", "在{0}使用之后")
_VERSIONS = Text(": version {0} → {1}", "：版本 {0} → {1}")
_NO_VERSION = Text(", which raises no version here", "，版本号没有增加")
_THROUGH = Text(" through {0}", "通过{0}")
_WHO = {
    "view": (Text("`{0}`, a view of `{1}`{2}", " `{0}`（`{1}` 的视图{3}）"), Text("a view of `{1}`{2}", " `{1}` 的视图{2}")),
    "shares": (Text("`{0}`, on the storage of `{1}`{2}", " `{0}`（与 `{1}` 共享存储{3}）"), Text("a tensor on the storage of `{1}`{2}", "与 `{1}` 共享存储的张量{2}")),
    "": (Text("`{0}`{2}", " `{0}`{2}"), Text("another tensor{2}", "另一个张量{2}")),
}  # fmt: skip
"""With a name, and without one: it is made of a tensor with a name."""
_OF_NOTHING = (Text("`{0}`, a view{2}", " `{0}`（视图{3}）"), Text("a view{2}", "视图{2}"))
_MADE_AT = Text(" (`{0}`, {1})", "（`{0}`，{1}）")
_MADE_AS = Text("", "，即 `{0}`，{1}")
_LINE_AT = Text(" ({0})", "（{0}）")
_LINE_AS = Text("", "，{0}")
_ON_LINE = Text("line {0}", "第 {0} 行")
_CELL = Text("cell [{0}]", "单元格 [{0}]")
_ON_LINE_OF = Text("line {0} of {1}", "{1} 第 {0} 行")
_VIEW_MADE = Text("makes the view through which it is overwritten", "建立了之后用来覆盖的视图")
_MORE = Text("; {0} times in all", "；共 {0} 次")
_LEFT_OUT = Text(" (and {0} more lines before that)", "（此前还有 {0} 行）")
_FORGOTTEN = Text(
    "The version rose by {0} before that, in writes that were seen, but of which only the last ones are kept.",
    "在此之前版本号增加了 {0}，这些写入监视到了，但只保留最后的若干次。",
)
_UNSEEN = Text(
    "The version rose by {0} more, in writes that cannot be seen: of a thread that had begun before, of code compiled by `torch.compile` or "
    "`torch.jit.script`, or of code below PyTorch's functions.",
    "版本号还增加了 {0}，来自看不到的写入：此前已经启动的线程、经 `torch.compile` 或 `torch.jit.script` 编译的代码，或 PyTorch 函数之下的代码。",
)
_READ = Text("reads {0} after that", "此后读取 {0} 的值")
_IT = Text("the tensor", "这个张量")
_IT_NAMED = Text("`{0}`", "`{0}`")
_RELEASED = Text(
    "released{0}: this pass kept nothing for a second one", "释放{0}：这一次反向传播没有为第二次保留任何值"
)
_NEEDED = Text("needed here{1}: it finds version {0}", "在此需要{1}：已是版本 {0}")
_NEEDED_HERE = Text("needed here{0}", "在此需要{0}")
_NEEDED_AGAIN = Text("needed here again{0}", "在此再次需要{0}")
_USED = Text("used here{0}", "在此使用{0}")
_COMPUTED = Text("computed here{0}", "在此计算{0}")
_COLON = Text(": ", "：")
_IN = Text("{0}, in `{1}`", "{0}（在 `{1}` 中）")
_CALLED = Text("{0}, called from {1}", "{0}，由{1}调用")
_INSIDE_CODE = Text("{0}, in code without a file ({1})", "{0}，位于没有文件的代码中（{1}）")
_NOTE = Text("Line {0}: {1}.", "第 {0} 行：{1}。")
_NOTE_IN = Text("Line {0} of {2}: {1}.", "{2} 第 {0} 行：{1}。")

_BRIEFLY = {
    "kept": Text("kept v{0}", "保存 v{0}"),
    "overwritten": Text("v{0} → v{1}", "v{0} → v{1}"),
    "needed": Text("finds v{0}", "遇到 v{0}"),
}
_BRIEFEST: dict[Role, Text] = {
    "kept": Text("kept", "保存"), "overwritten": Text("overwritten", "覆盖"), "read": Text("read", "读取"),
    "released": Text("released", "释放"), "needed": Text("needed", "需要"), "refused": REFUSED, "made": Text("view", "视图"),
    "origin": Text("made", "建立"), "wrong": Text("wrong", "错误"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked place of the program.

    Attributes:
        role: what was done there.
        sites: the place, and the calls that led there, innermost first.
        says: the full text.
        brief: a few words that fit beside the line.
        value: the saved value; None if there is none.
        write: the write, for "overwritten" and "made".
        number: the position of the value among those that the failure may concern.
        calls: from where its function was called; nothing if it is in none.
    """

    role: Role
    sites: Sites
    says: Text
    brief: Text
    value: KeptFacts | None = None
    write: OverwriteFacts | None = None
    number: int = 0
    calls: Text = _NOTHING

    @property
    def at(self) -> SiteFacts:
        """The place."""
        return self.sites[0]

    @property
    def line(self) -> int:
        """Its line, counted from 1."""
        return self.at.line


def headline(facts: FailureFacts) -> Text:
    """Returns what happened, as a sentence without its stop; empty for what is refused, which has a reason of its own."""
    if facts.refusal is not None:
        return headline_of(facts.refusal)
    if facts.kind == "stale" and (update := _update(facts)):
        return _HEADLINES[update]
    if facts.kind not in ("silent", "wrong"):
        return _HEADLINES.get(facts.kind, _NOTHING)
    gradients = _gradients_of(facts)
    if facts.kind == "silent":
        return closed_up(_HEADLINES[_way(facts)].format(gradients))
    if facts.blamed is None or not facts.blamed.sites:
        return closed_up(_HEADLINES["history"].format(gradients))
    at, there = facts.blamed.sites[0], facts.needed[0].file if facts.needed else ""
    return closed_up(_HEADLINES["wrong"].format(gradients, set_off(_line(at.line, at.file, there))))


def _gradients_of(facts: FailureFacts) -> Text:
    """Returns whose gradients are wrong, first those whose numbers are said."""
    compared = (each.tensor for each in facts.gradients if each.tensor in facts.wrong)
    names = [f"`{each}`" for each in dict.fromkeys((*compared, *facts.wrong))]
    shown = enumerated(names)
    if len(names) > MOST:
        shown = _AND_OTHERS.format(enumerated(names[: MOST - 1]), len(names) - MOST + 1, len(names))
    return _GRADIENTS[min(len(names), 2)].format(shown)


def advice_for(facts: FailureFacts) -> Text | None:
    """Returns what may be done, in general; None for what is refused by this package, which says it itself."""
    if facts.refusal is not None:
        return advice_of(facts.refusal)
    if facts.kind == "wrong":
        return advice_on(facts)
    return _ADVICE.get(_unknown(facts) or ("update" if _update(facts) else facts.kind))


def is_update(facts: FailureFacts) -> bool:
    """Whether an update of a parameter is what a failure is about."""
    return bool(_update(facts))


def _update(facts: FailureFacts) -> str:
    """Returns what has changed a parameter, if nothing else overwrote what the failure is about: an optimizer's "step", or the program's "own" update."""
    updates = [write.update for each in facts.values[:1] for write in each.writes]
    return "" if not updates or "" in updates else "step" if "step" in updates else "own"


def reasons(facts: FailureFacts) -> tuple[Text, ...]:
    """Returns why a framework refused something at once, or why gradients are called wrong, as sentences."""
    reason = None if facts.refusal is None else reason_of(facts.refusal)
    return tuple(reasons_of(facts)) if reason is None else (reason,)


def _way(facts: FailureFacts) -> str:
    """Returns in which way a gradient is wrong without an error."""
    unknown = _unknown(facts)
    through = any(write.through or write.relation for each in facts.values for write in each.writes)
    unchecked = any(write.how == "unchecked" for each in facts.values for write in each.writes)
    return "direct" if unknown == "node" and not through else unknown or ("unchecked" if unchecked else "silent")


def _unknown(facts: FailureFacts) -> str:
    """Returns in which way the graph does not know of a write; "" if it is not that."""
    hows = (write.how for each in facts.values for write in each.writes)
    return next((each for each in hows if each in ("lost", "node")), "")


def marks(facts: FailureFacts) -> tuple[Mark, ...]:
    """Returns the marked places of a failure, for one value after the other."""
    values = enumerate(facts.values) if facts.values else ((0, None),)
    return tuple(each for number, value in values for each in _Marks(facts, value, number).marks())


Telling = Callable[[Sites], SiteFacts | None]
"""Returns the call that is said of a place, out of those that led there; None if none is."""


def with_call(mark: Mark, caller: SiteFacts | None) -> Mark:
    """Returns a mark whose text also says from where its function was called."""
    if caller is None:
        return mark
    line = _line(caller.line, caller.file, mark.at.file)
    return replace(mark, says=_CALLED.format(mark.says, set_off(line)))


def notes(facts: FailureFacts, but: str = "", telling: Telling = lambda _: None) -> tuple[Text, ...]:
    """Returns the marks of the first value as sentences, each with its line: "Line 5: overwritten by `mul_`: version 0 → 1.".

    Args:
        facts: the failure.
        but: the role of marks that are left out.
        telling: returns the calls that are said.
    """
    shown = [
        with_call(each, telling(each.sites))
        for each in marks(facts)
        if each.role not in ("made", but) and not each.number
    ]
    return tuple(
        closed_up((_NOTE_IN if each.at.file else _NOTE).format(each.line, each.says, file_in_words(each.at.file)))
        for each in shown
    )


def remarks(value: KeptFacts) -> Iterator[Text]:
    """Yields what is known of a value besides its marks."""
    if value.node and not (value.sites or value.read):
        yield (_ELSEWHERE if value.certain else _PROBABLY_ELSEWHERE).format(*_kept_parts(value))
    if value.forgotten:
        yield _FORGOTTEN.format(value.forgotten)
    if value.unseen:
        yield _UNSEEN.format(value.unseen)


# --- the marks of one value --------------------------------------------------------------------------------------------


class _Marks:
    """Makes the marks of one value; of none if nothing is known of it."""

    def __init__(self, facts: FailureFacts, value: KeptFacts | None, number: int) -> None:
        self._facts, self._value, self._number = facts, value, number
        of_value = () if value is None else (value.sites, *(each.sites for each in value.writes), value.read)
        refused = () if facts.refusal is None else (facts.refusal.origin, facts.refusal.made)
        blamed = () if facts.blamed is None else (facts.blamed.sites,)
        self._stacks = Stacks((*of_value, *refused, *blamed, *facts.written, facts.released, facts.needed))

    def marks(self) -> Iterator[Mark]:
        """Yields them in the order in which the lines ran."""
        value = self._value
        if value is not None:
            if value.sites:
                yield self._kept(value)
            yield from self._written(value)
            if value.read:
                named = _IT_NAMED.format(value.names[0]) if value.names else _IT
                yield self._mark("read", value.read, _READ.format(named))
        yield from self._passes()

    def _kept(self, value: KeptFacts) -> Mark:
        when = self._stacks.iteration(value.sites)
        says = _MADE_NODE.format(value.node, when) if self._facts.kind == "again" else _says_kept(value, when)
        kept = self._mark("kept", value.sites, says, version=(value.kept,))
        if not value.called:
            return kept
        return replace(kept, calls=named_by_caller(kept.calls, value.called, is_result=value.role == "result"))

    def _written(self, value: KeptFacts) -> Iterator[Mark]:
        left_out = len(value.writes) - MOST
        shown: Sequence[OverwriteFacts] = value.writes
        if left_out > 0:
            shown = [*value.writes[: MOST - 1], value.writes[-1]]
        seen = [each for each in shown if each.sites]
        for write in seen:
            if write.made:
                yield self._mark("made", write.made, _VIEW_MADE, write)
            says = _says_written(write, value, self._stacks.iteration(write.sites, write.last))
            if left_out > 0 and write is seen[-1]:
                says += _LEFT_OUT.format(left_out)
            versions = (write.before, write.after) if write.after > write.before else (None,)
            yield self._mark("overwritten", write.sites, says, write, versions)

    def _passes(self) -> Iterator[Mark]:
        facts, value = self._facts, self._value
        if facts.refusal is not None:
            yield from self._made_for(facts.refusal)
        if facts.blamed is not None and facts.blamed.sites:
            yield self._mark("wrong", facts.blamed.sites, says_blamed(facts.blamed))
        for sites in filter(None, reversed(facts.written)):
            yield self._mark("overwritten", sites, WRITTEN)
        if facts.released:
            yield self._mark("released", facts.released, _RELEASED.format(self._stacks.iteration(facts.released)))
        if not facts.needed:
            return
        when = self._stacks.iteration(facts.needed)
        if facts.kind in ("leaf", "refused"):
            says = REFUSED if facts.refusal is None else says_refused(facts.refusal)
            yield self._mark("refused", facts.needed, says)
        elif facts.kind == "stale" and value is not None:
            yield self._mark("needed", facts.needed, _NEEDED.format(value.found, when), version=(value.found,))
        else:
            says = {"silent": _USED, "wrong": _COMPUTED, "again": _NEEDED_AGAIN}.get(facts.kind, _NEEDED_HERE).format(
                when
            )
            numbers = _COLON + says_wrong(facts.gradients, _not_called(facts)) if facts.gradients else _NOTHING
            yield self._mark("needed", facts.needed, says + numbers)

    def _made_for(self, refusal: RefusalFacts) -> Iterator[Mark]:
        if refusal.origin:
            yield self._mark("origin", refusal.origin, says_origin(refusal))
        if refusal.made:
            yield self._mark("origin", refusal.made, says_made(refusal))

    def _mark(
        self, role: Role, sites: Sites, says: Text, write: OverwriteFacts | None = None,
        version: tuple[int | None, ...] = (None,),
    ) -> Mark:  # fmt: skip
        function = function_in_words(sites[0].function)
        if function and role != "made":
            says = _IN.format(says, function)
        if sites[0].inside:
            says = _INSIDE_CODE.format(says, sites[0].inside)
        brief = _BRIEFEST[role] if None in version else _BRIEFLY[role].format(*version)
        calls = _NOTHING if role == "made" else self._stacks.calls(sites)
        return Mark(role, sites, says, brief, self._value, write, self._number, calls)


def _not_called(facts: FailureFacts) -> str:
    """Returns the function of the program whose `backward` should have run, and has not; "" if that is not what is wrong."""
    return facts.blamed.op if facts.blamed is not None and not facts.blamed.operand.expected else ""


def _says_kept(value: KeptFacts, when: Text) -> Text:
    if not value.certain and not value.dtype:
        version = _NOTHING if value.kept is None else _AT_VERSION.format(value.kept)
        return _INSIDE.format(value.node, list(value.shape or ()), version, when)
    suffix = _INFERRED if value.inferred else _NOTHING
    return (_KEPT if value.certain else _PROBABLY).format(*_kept_parts(value), suffix, when)


def _kept_parts(value: KeptFacts) -> tuple[str | Text, ...]:
    """Returns who keeps it, what it is, its elements, and its version."""
    what = _role_of(value)
    if value.names or value.there:
        pattern = _VIEW_OF if value.is_view else _FORMER if value.former else _NAMED
        what = pattern.format(value.names[0] if value.names else value.there, what)
    elif value.made_by and value.made_in is None and is_expression(value.made_by):
        what = _NAMED.format(value.made_by, what)
    elif value.made_by:
        there = value.sites[0].file if value.sites else ""
        line = _NOTHING if value.made_in is None else _line(value.made_in, value.made_in_file, there)
        what = (_RESULT_OF if value.made_in is None else _RESULT_OF_LINE).format(value.made_by, what, line)
    known = value.dtype and value.shape is not None
    elements = _ELEMENTS.format(value.dtype, list(value.shape or ())) if known else _NOTHING
    version = _NOTHING if value.kept is None else _AT_VERSION.format(value.kept)
    return "checkpoint" if value.role == "checkpoint" else value.node, what, elements, version


def _line(line: int, file: str, there: str) -> Text:
    """Returns a line in words: with its file, if that is another one than where the text is about."""
    return (_ON_LINE if file_key(file) == file_key(there) else _ON_LINE_OF).format(line, file_in_words(file))


def _role_of(value: KeptFacts) -> Text:
    if value.role != "operand":
        return _ROLES[value.role]
    if value.positions and all(0 <= each < len(ORDINALS) for each in value.positions):
        which = [ORDINALS[each] for each in value.positions]
        listed = Text(" and ".join(each.en for each in which), "和".join(each.zh for each in which))
        return (_AT_POSITIONS if len(which) > 1 else _AT_POSITION).format(listed)
    named = enumerated(f"`{each}`" for each in value.operands)
    return (_OPERANDS if len(value.operands) > 1 else _OPERAND + Text(" {0}", " {0}")).format(named) if value.operands else _OPERAND  # fmt: skip


def _says_written(write: OverwriteFacts, value: KeptFacts, when: Text) -> Text:
    if write.update:
        return _says_updated(write, value, when)
    named = _IT_NAMED.format(value.names[0]) if value.names else _IT
    says = _WRITTEN[write.how].format(plainly(write.op), _through(write), write.before, write.after, named, when)
    return says + _MORE.format(write.times) if write.times > 1 and write.after > write.before else says


def _says_updated(write: OverwriteFacts, value: KeptFacts, when: Text) -> Text:
    """Says what an update of a parameter did: "`opt_d.step()` changed `disc.2.weight` after line 11 used it: version 1 → 2"."""
    calls = write.optimizer
    if calls:
        who = (_ALSO_CALLED if len(calls) > 1 else _BY_CALL).format(calls[0], calls[-1])
    else:
        who = _BY_OPTIMIZER if write.update == "step" else _BY_UPDATE
    there = write.sites[0].file if write.sites else ""
    used = _AFTER_USE.format(_line(value.sites[0].line, value.sites[0].file, there)) if value.sites else _NOTHING
    named = _IT_NAMED.format(value.names[0]) if value.names else _IT
    raises = _VERSIONS.format(write.before, write.after) if write.after > write.before else _NO_VERSION
    return _UPDATED.format(who, named, when, used, raises)


def _through(write: OverwriteFacts) -> Text:
    """Returns through which tensor was written; nothing if it is the saved one, or not known."""
    if not (write.through or write.relation or write.made):
        return _NOTHING
    where = inside = _NOTHING
    if write.made:
        made, there = write.made[0], write.sites[0].file if write.sites else ""
        line = _line(made.line, made.file, there)
        code = made.expression if len(made.expression) <= LONGEST else made.expression[: LONGEST - 1] + "…"
        where, inside = (
            (each.format(code, line) for each in (_MADE_AT, _MADE_AS))
            if code
            else (_LINE_AT.format(line), _LINE_AS.format(line))
        )
    named, unnamed = _OF_NOTHING if write.relation == "view" and not write.base else _WHO[write.relation]
    who = named if write.through else unnamed
    name = write.through[0] if write.through else ""
    return _THROUGH.format(who.format(name, write.base, where, inside))
