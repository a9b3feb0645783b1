"""Says which line kept what backward needed, which lines overwrote it, and which line needed it.

model.py
9 | h = torch.sigmoid(self.a(x))
|     ^^^^^^^^^^^^^^^^^^^^^^^^ kept: `SigmoidBackward0` keeps its result (float32 [4, 3]) at version 0
11 | row.mul_(2)
| ~~~~~~~~~~~ overwritten through a view, `h[:, :2]` of line 10: version 0 → 1
train.py
17 | loss.backward()
| ^^^^^^^^^^^^^^^ needed here: it finds version 1
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from inplacelab.diagnosis.failures import CHECKPOINTED, CHECKPOINTS, MARKS, OF_FUNCTION, Failure, Overwritten, Saved
from inplacelab.diagnosis.findings import COLON, STALE, Finding, Value
from inplacelab.diagnosis.places import Place
from inplacelab.diagnosis.quoting import Paint, Quoted, Role, painted_diff, plain, quoted
from inplacelab.diagnosis.source_file import text_of
from inplacelab.diagnosis.trials import Tried
from inplacelab.language import Text, enumerated
from inplacelab.recording.fixes import block
from inplacelab.recording.fixes.difference import diff_of
from inplacelab.recording.fixes.located import changed
from inplacelab.recording.fixes.outcomes import OUTCOMES
from inplacelab.recording.fixes.spots import Spot
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.trace import NOTHING_MORE, Details
from inplacelab.supported import framework_named

MOST = 4
"""So many writes of one value are shown."""

_AGAIN = Text("Backward needed a value that an earlier backward had released", "反向传播需要的值已被之前的反向传播释放")
_SILENT = Text(
    "Backward used a value that was overwritten without a new version. Nothing failed, but the gradient{0} is wrong",
    "反向传播使用了一个被覆盖而版本号没有增加的值。没有报错，但{0}梯度是错的",
)
_OF = Text(" of {0}", " {0} 的")
_KEPT_SILENTLY = Text("kept: `{0}` keeps {1}{2}", "保存：`{0}` 保存了 {1}{2}")
_OVERWRITTEN_SILENTLY = Text("overwritten by `{0}`, which raises no version here", "被 `{0}` 覆盖，版本号没有增加")
_USED = Text("used here", "在这里使用")
_NO_DATA = Text(
    "To fix it: write to the tensor itself, under `torch.no_grad()`, and not through `.data`; take fused optimizers' steps after backward.",
    "改法：在 `torch.no_grad()` 下写入张量本身，不要通过 `.data`；融合优化器的更新放在反向传播之后。",
)
_OR = Text("Or:", "也可能是：")
_KEPT = Text("kept: `{0}` keeps {1}{2} at version {3}", "保存：`{0}` 保存了 {1}{2}，版本 {3}")
_KEPT_PROBABLY = Text(
    "kept, probably: `{0}` keeps {1}{2} at version {3}", "可能在此保存：`{0}` 保存了 {1}{2}，版本 {3}"
)
_INSIDE = Text(
    "kept, probably: the operation inside this `{0}` keeps a tensor of shape {1} at version {2}",
    "可能在此保存：这个 `{0}` 内部的操作保存了形状为 {1} 的张量，版本 {2}",
)
_KEPT_ELSEWHERE = Text(
    "`{0}` keeps {1}{2} at version {3}, from code that was not watched.",
    "`{0}` 保存了{1}{2}，版本 {3}，是在未被监视的代码中。",
)
_PROBABLY_ELSEWHERE = Text(
    "Probably, `{0}` keeps {1}{2} at version {3}, from code that was not watched.",
    "可能是 `{0}` 保存了{1}{2}，版本 {3}，是在未被监视的代码中。",
)
_MADE = Text("made `{0}`", "建立了 `{0}`")
_ITS_RESULT = Text("its result", "它的结果")
_ITS_OPERAND = Text("its operand `{0}`", "它的操作数 `{0}`")
_A_TENSOR = Text("a tensor", "一个张量")
_SAVED_IN_FORWARD = Text("what its `forward` has saved", "它的 `forward` 保存的张量")
_INPUT_OF_CHECKPOINT = Text("an input of the function, to run it again", "函数的一个输入，以便重新计算")
_VIEW_OF = Text("a view of `{0}`, {1}", "`{0}` 的视图，即{1}")
_NAMED = Text("`{0}`, {1}", "`{0}`，即{1}")
_ELEMENTS = Text(" ({0} {1})", "（{0} {1}）")
_OVERWRITTEN = Text("overwritten by `{0}`: version {1} → {2}", "被 `{0}` 覆盖：版本 {1} → {2}")
_THROUGH = Text(
    "overwritten by `{0}` through a view, `{3}` of {4}: version {1} → {2}",
    "`{0}` 通过视图（{4}的 `{3}`）覆盖：版本 {1} → {2}",
)
_MARKED = Text(
    "`{0}` counts this call as one more write: version {1} → {2}", "`{0}` 使这次调用再计一次写入：版本 {1} → {2}"
)
_FORGOTTEN = Text(
    "The version rose by {0} before that, in writes that were seen, but of which only the last ones are kept.",
    "在此之前版本号增加了 {0}，这些写入监视到了，但只保留最后的若干次。",
)
_ON_LINE = Text("line {0}", "第 {0} 行")
_ON_LINE_OF = Text("line {0} of {1}", " {1} 第 {0} 行")
_VIEW_MADE = Text("makes the view through which it is overwritten", "建立了之后用来覆盖的视图")
_MORE = Text("; {0} times in all, until version {1}", "；共 {0} 次，直到版本 {1}")
_LEFT_OUT = Text(" (and {0} more lines before that)", "（此前还有 {0} 行）")
_UNSEEN = Text(
    "The version rose by {0} more, in writes that cannot be seen: of a thread that had begun before, of code compiled by `torch.compile` or "
    "`torch.jit.script`, or of code below PyTorch's functions.",
    "版本号还增加了 {0}，来自看不到的写入：此前已经启动的线程、经 `torch.compile` 或 `torch.jit.script` 编译的代码，或 PyTorch 函数之下的代码。",
)
_NEEDED = Text("needed here: it finds version {0}", "需要保存的值：已是版本 {0}")
_RELEASED = Text("released: this pass kept nothing for a second one", "释放：这一次反向传播没有为第二次保留任何值")
_AGAIN_HERE = Text("needed here again", "再次需要这个值")
_IN = Text("{0}, in `{1}`", "{0}（在 `{1}` 中）")
_KEEP_GRAPH = Text(
    "To fix it: give the earlier backward `retain_graph=True`; or compute the loss again before this one.",
    "改法：给之前的反向传播加上 `retain_graph=True`；或者在这一次之前重新计算损失。",
)
_OUT_OF_PLACE = Text(
    "To fix it: write out of place, or to a `clone()`; or overwrite only after `backward()`. ",
    "改法：改用非原地操作，或写入 `clone()`；或者等 `backward()` 之后再覆盖。",
)
_COPIES_WORK = Text(
    "{0} This works, around the forward pass; its copies take {1} bytes here:",
    "{0}下面的写法可行，把它放在前向计算外面；这里的副本共占 {1} 字节：",
)
_NO_EDIT = Text("No known edit fits these lines.", "没有适合这些行的改法。")
_NONE_WORKS = Text("{0} edits were tried, and none works.", "试过 {0} 种改法，都不行。")
_ONLY_CELLS = Text(
    "`%explain --try` edits cells only, and the line is in another file: {0}, line {1}: `{2}`. To have that file edited, save the cells as a "
    "script in the folder from which it is imported, and run `inplacelab explain --try script.py`.",
    "`%explain --try` 只修改单元格，而这一行在另一个文件中：{0} 第 {1} 行的 `{2}`。要修改该文件，请把单元格存为脚本，"
    "放在导入该文件时所在的文件夹中，再运行 `inplacelab explain --try script.py`。",
)
_NOT_TRIED = Text("No fix was tried: {0}.", "没有尝试改法：{0}。")
_WRITTEN = Text("Written.", "已写入文件。")


def report(failure: Failure, *, advice: bool = True, paint: Paint = plain) -> str:
    """Returns what is known of a failed backward pass, as lines of text in the current language.

    Args:
        failure: the failure.
        advice: whether to say what may be done, in general.
        paint: colors the text.
    """
    found = finding_of(failure)
    lines = [str(closed_up(found.says + COLON)), ""]
    of_values = dict.fromkeys(tuple(_of_value(each, paint)) for each in found.values)
    for count, of_value in enumerate(of_values):
        if count:
            lines += [str(_OR), ""]
        lines += [*of_value, ""]
    lines += [str(each) for each in found.remarks]
    if advice and found.advice:
        lines.append(str(closed_up(found.advice)))
    return "\n".join(lines).rstrip("\n")


def finding_of(failure: Failure) -> Finding:
    """Returns what is known of a failed backward pass, as data."""
    error = (failure.raised, failure.error[1]) if failure.raised else None
    values = [Value(tuple(_marks(failure, each)), tuple(_remarks(each))) for each in failure.saved]
    if not values:
        values = [Value(tuple(_passes(failure, None)))]
    return Finding(
        failure.kind,
        error,
        _headline(failure),
        tuple(values),
        tuple(failure.remarks),
        _ADVICE[failure.kind],
        tuple(failure.wrong),
    )


_ADVICE = {"stale": _OUT_OF_PLACE + OUTCOMES[""].brief, "again": _KEEP_GRAPH, "silent": _NO_DATA}


def _headline(failure: Failure) -> Text:
    if failure.kind != "silent":
        return STALE if failure.kind == "stale" else _AGAIN
    names = enumerated(f"`{each}`" for each in dict.fromkeys(failure.wrong))
    return _SILENT.format(_OF.format(names) if failure.wrong else Text("", ""))


def report_of_trials(tried: Tried, framework: str, elsewhere: Spot | None = None, *, paint: Paint = plain) -> str:
    """Returns which fixes work, with their diffs.

    Args:
        tried: what came out of the trials.
        framework: the framework of the program.
        elsewhere: where cells lead to the line that would have to change, if that is in a file, which was not edited.
        paint: colors the text.
    """
    if not tried.fixes:
        none = (_NONE_WORKS if tried.count else _NO_EDIT).format(tried.count)
        if elsewhere is not None:
            line = linecache.getline(elsewhere.filename, elsewhere.line).strip()
            none = _ONLY_CELLS.format(_shown(elsewhere.filename), elsewhere.line, line)
        known = framework_named(framework)
        if known is None or not known.copying:
            return str(none)
        return f"{_COPIES_WORK.format(none, tried.copies)}\n    {known.copying}"
    diffs = [diff_of(changed(each.edits, text_of), os.path.relpath) for each in tried.fixes]
    return (
        "\n".join(str(closed_up(each)) for each in block(tried.fixes))
        + "\n\n"
        + "\n".join(painted_diff(each, paint) for each in diffs)
    )


def report_not_tried(why: Text) -> str:
    """Returns why no fix was tried."""
    return str(closed_up(_NOT_TRIED.format(why)))


def report_written() -> str:
    """Returns that a fix was written."""
    return str(_WRITTEN)


def _of_value(value: Value, paint: Paint) -> Iterator[str]:
    marks = [each for each in value.marks if each.role != "made"]  # that is said where it was written through
    for filename, group in groupby(marks, key=lambda each: each.filename):
        yield f"  {paint(_shown(filename), 'file')}"
        yield from quoted([*group], indent="    ", paint=paint)
    yield from (f"  {each}" for each in value.remarks)


def _remarks(saved: Saved) -> Iterator[Text]:
    if saved.node and saved.place is None:
        yield _says_kept(_KEPT_ELSEWHERE if saved.certain else _PROBABLY_ELSEWHERE, saved)
    if saved.forgotten:
        yield _FORGOTTEN.format(saved.forgotten)
    if saved.unseen:
        yield _UNSEEN.format(saved.unseen)


def _marks(failure: Failure, saved: Saved) -> Iterator[Quoted]:
    yield from _kept(failure, saved)
    yield from _written(saved)
    yield from _passes(failure, saved)


def _passes(failure: Failure, saved: Saved | None) -> Iterator[Quoted]:
    known = NOTHING_MORE if saved is None else Details(node=saved.node, certain=saved.certain)
    if failure.released is not None:
        yield _mark(failure.released, "released", _RELEASED, known)
    if failure.needed is not None and saved is not None and failure.kind == "stale":
        known = replace(known, found=saved.found_at)
        yield _mark(failure.needed, "needed", _NEEDED.format(saved.found_at), known)
    elif failure.needed is not None:
        yield _mark(failure.needed, "needed", _AGAIN_HERE if failure.kind == "again" else _USED, known)


def _mark(place: Place, role: Role, says: Text, details: Details) -> Quoted:
    site = place.innermost
    if site.function and role != "made":
        says = _IN.format(says, site.function)
    return Quoted(site.line, site.text, site.span, role, says, site.filename, site.function, site.position[1], details)


def _kept(failure: Failure, saved: Saved) -> Iterator[Quoted]:
    if saved.place is None:
        return
    if failure.kind == "again":
        says = _MADE.format(saved.node)
    elif failure.kind == "silent":
        says = _says_kept(_KEPT_SILENTLY, saved)
    elif saved.certain:
        says = _says_kept(_KEPT, saved)
    else:
        says = _KEPT_PROBABLY if saved.dtype else _INSIDE
        says = (
            _says_kept(says, saved) if saved.dtype else says.format(saved.node, list(saved.layout.shape), saved.kept_at)
        )
    details = Details(saved.names, saved.op, saved.node, certain=saved.certain)
    if failure.kind != "again":
        version = None if failure.kind == "silent" else saved.kept_at
        details = replace(details, dtype=saved.dtype, shape=saved.layout.shape, kept=version)
    yield _mark(saved.place, "kept", says, details)


def _says_kept(pattern: Text, saved: Saved) -> Text:
    what = _what(saved)
    if saved.names:
        what = (_VIEW_OF if saved.is_view else _NAMED).format(saved.names[0], what)
    elements = _ELEMENTS.format(saved.dtype, list(saved.layout.shape)) if saved.dtype else Text("", "")
    keeper = "checkpoint" if saved.name == CHECKPOINTED else saved.node
    return pattern.format(keeper, what, elements, saved.kept_at)


def _what(saved: Saved) -> Text:
    if saved.is_result:
        return _ITS_RESULT
    if saved.node in CHECKPOINTS or saved.name == CHECKPOINTED:
        return _INPUT_OF_CHECKPOINT
    if saved.name.startswith(OF_FUNCTION):
        return _SAVED_IN_FORWARD
    return _ITS_OPERAND.format(saved.name) if saved.name else _A_TENSOR


def _written(saved: Saved) -> Iterator[Quoted]:
    groups = [list(group) for _, group in groupby(saved.writes, key=lambda each: (each.write.place, each.write.op))]
    left_out = len(groups) - MOST
    shown = groups if left_out <= 0 else [*groups[: MOST - 1], groups[-1]]
    seen = [group for group in shown if group[0].write.place is not None]
    for group in seen:
        first, last = group[0], group[-1].write
        if first.made is not None:
            yield _mark(first.made, "made", _VIEW_MADE, Details(certain=saved.certain))
        assert first.write.place is not None
        says = _says_written(first, under=first.write.place.innermost.filename)
        if len(group) > 1 and not last.silent:
            says += _MORE.format(len(group), last.after)
        if left_out > 0 and group is seen[-1]:
            says += _LEFT_OUT.format(left_out)
        before, after = (None, None) if first.write.silent else (first.write.before, last.after)
        details = Details(op=first.write.op, before=before, after=after, certain=saved.certain)
        yield _mark(first.write.place, "overwritten", says, details)


def _says_written(each: Overwritten, under: str) -> Text:
    """Returns what a write did, to stand under the name of a file."""
    write = each.write
    facts = write.op, write.before, write.after
    if write.silent:
        return _OVERWRITTEN_SILENTLY.format(write.op)
    if write.op == MARKS:
        return _MARKED.format(*facts)
    if each.made is not None:
        site = each.made.innermost
        near = site.filename == under
        where = _ON_LINE.format(site.line) if near else _ON_LINE_OF.format(site.line, _shown(site.filename))
        return _THROUGH.format(*facts, site.expression, where)
    return _OVERWRITTEN.format(*facts)


def _shown(filename: str) -> str:
    """Returns a file's name as it is shortest: from the current folder, if it is there."""
    try:
        near = os.path.relpath(filename)
    except (ValueError, OSError):
        return filename
    return filename if near.startswith("..") or not os.path.exists(near) else near
