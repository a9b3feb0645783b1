"""Names a chapter of a recording's story by what happened in this program: "`row.mul_(10)` changes `m`, `t`"."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording import queries
from inplacelab.recording.naming import kept_values
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import written_aliases
from inplacelab.recording.sentences import whole_statement
from inplacelab.recording.sentences.clauses import overwriting
from inplacelab.recording.sentences.phrases import StepContext, quoted
from inplacelab.recording.statements import run_of

LONGEST = 28
"""The most characters of code in a title."""
LONGEST_NAME = 12
"""The most characters of a name in it."""
MOST_NAMES = 2
"""The most names in it."""


def title_of(recording: Recording, index: int, role: str, about: int | None, changed: Sequence[int]) -> Text:
    """Returns the title of a chapter.

    Args:
        recording: the recording.
        index: the step of which it tells.
        role: what happens there, as in `key_steps.Role`.
        about: the storage that it is about.
        changed: the tensors with other names that the step changed.
    """
    context = StepContext(recording, index)
    if role == "refused":
        return _refused(context)
    if role == "stale":
        return _stale(context, about)
    if role == "kept":
        return _kept(context, about)
    if role in ("made", "viewed"):
        return _made(context, role)
    if not changed:
        return _in_place(context) if role == "written" else _code(context, LONGEST)
    names = [cut(context.after.called(key).first, LONGEST_NAME) for key in changed]
    shown = ", ".join(f"`{each}`" for each in names[:MOST_NAMES]) + f" +{len(names) - MOST_NAMES}" * (
        len(names) > MOST_NAMES
    )
    room = LONGEST - sum(map(len, names[:MOST_NAMES]))
    return Text("{0} changes {1}", "{0} 改变 {2}").format(_code(context, room), shown, shown.replace(", ", "、"))


def cut(code: str, most: int) -> str:
    """Returns code of at most so many characters, cut in the middle.

    >>> cut("self.layers[3].attn.c_attn.weight", 16)
    'self.laye…weight'
    """
    if len(code) <= most:
        return code
    tail = (most - 1) * 2 // 5
    return f"{code[: most - 1 - tail]}…{code[len(code) - tail :]}"


def _code(context: StepContext, most: int) -> Text:
    """The statement of a step, cut in the middle; of a program that is not known, the operation."""
    written = whole_statement(context)
    if not written.en.startswith("`"):
        return quoted(cut(context.step.op, most)) if context.step.op else written
    return quoted(cut(written.en.strip("`"), most))


def _in_place(context: StepContext) -> Text:
    """A write: its statement; the operation if it wrote to a temporary tensor, as a ReLU in a network does."""
    step = context.step
    names = {name for write in step.writes for name in context.names_by_line_end(write.tensor)}
    if names or written_aliases(context.recording).get(context.index) or step.op is None or step.line is None:
        return _code(context, LONGEST)
    overwriter = overwriting(context)
    if overwriter is not None:
        module, of = (quoted(cut(each, LONGEST_NAME)) for each in overwriter)
        return Text("{0} overwrites result of {1}", "{0} 覆盖 {1} 的结果").format(module, of)
    return Text("{0} in place (line {1})", "原地 {0}（第 {1} 行）").format(
        quoted(cut(step.op, LONGEST_NAME)), step.line
    )


def _refused(context: StepContext) -> Text:
    error = context.step.error
    is_refusal = error is not None and (error.failure is not None or error.explanation is not None)
    pattern = Text("{0} refused", "{0} 被拒绝") if is_refusal else Text("{0} failed", "{0} 出错")
    return pattern.format(_code(context, LONGEST - len(pattern.en) + len("{0}")))


def _stale(context: StepContext, about: int | None) -> Text:
    storages = {saved.storage for _, saved in queries.newly_stale(context.recording, context.index)}
    state = context.after
    named = [
        each
        for key in sorted(storages, key=lambda key: (key != about, key))
        for each in state.tensors_on(key)
        if state.called(each.id).bound
    ]
    code = _code(context, LONGEST - LONGEST_NAME)
    if not storages:
        return Text("{0} goes unnoticed", "{0} 未被察觉").format(code)
    if not named:
        return Text("{0} makes a value stale", "{0} 使保存的值过期").format(code)
    name = state.called(named[0].id).first
    if code.en.strip("`").startswith(f"{name} "):
        return Text("{0} makes it stale", "{0} 使它过期").format(code)
    return Text("{0} makes {1} stale", "{0} 使 {1} 过期").format(code, quoted(cut(name, LONGEST_NAME)))


def _kept(context: StepContext, about: int | None) -> Text:
    node = context.node(-1 if context.step.kept is None else context.step.kept)
    saved = () if node is None else node.saved
    line = context.step.line
    each = next((each for each in saved if each.storage == about), next((each for each in saved if each.copy), None))
    if each is None or node is None or line is None:
        return Text("{0} keeps values", "{0} 保存了值").format(_code(context, LONGEST - LONGEST_NAME))
    kept = kept_values(context.recording).get((node.id, each.name))
    there = (context.after.called(one.id) for one in context.after.tensors_on(each.storage))
    name = (kept.name if kept is not None else "") or next((one.first for one in there if one.bound), "")
    if not name:
        return Text("{0} keeps values", "{0} 保存了值").format(_code(context, LONGEST - LONGEST_NAME))
    pattern = Text("{0} kept (line {1})", "保存 {0}（第 {1} 行）")
    if each.copy:
        pattern = Text("copy of {0} kept (line {1})", "保存 {0} 的副本（第 {1} 行）")
    return pattern.format(quoted(cut(name, LONGEST - LONGEST_NAME)), line)


def _made(context: StepContext, role: str) -> Text:
    result = context.result
    end = context.recording.state(run_of(context.recording, context.index)[-1])
    there = [] if result is None else [each.id for each in end.tensors_on(result.storage) if end.called(each.id).bound]
    if result is None or not there:
        return _code(context, LONGEST)
    called = quoted(cut(end.called(result.id if result.id in there else there[0]).first, LONGEST_NAME))
    if role == "made":
        return Text("{0} made", "创建 {0}").format(called)
    older = [key for key in there if key < result.id]
    if not older:
        return Text("{0} is a view", "{0} 是视图").format(called)
    base = quoted(cut(end.called(older[0]).first, LONGEST_NAME))
    return Text("{0} shares with {1}", "{0} 与 {1} 共享").format(called, base)
