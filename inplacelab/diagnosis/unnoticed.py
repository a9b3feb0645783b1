"""Warns of gradients that are wrong without an error, since backward does not know of a write (`recording/unnoticed_writes.py`).

Nothing failed, but backward did not know of a write. The gradient of `a` is computed as if it had not happened

  5 | v.scale_(3.)
    | ~~~~~~~~~~~~ `scale_` wrote `b` through `v`; only `v` has the history of it
  6 | loss = b.sum()
    | ^^^^^^^^^^^^^^ reads `b`, which has the history of its earlier value
  7 | loss.backward()
    | ^^^^^^^^^^^^^^^ used here
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inplacelab.diagnosis.findings import COLON, Finding, Value
from inplacelab.diagnosis.quoting import Paint, Quoted, Role, plain, quoted
from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.trace import NOTHING_MORE, Details
from inplacelab.recording.unnoticed_writes import Unnoticed, unnoticed_writes

__all__ = ["findings", "warnings_of"]

MOST = 5
"""So many are shown."""

_HEAD = Text(
    "Nothing failed, but backward did not know of a write. The gradient{0} is computed as if it had not happened",
    "没有报错，但反向传播不知道有一次写入。{0}梯度是按没有这次写入计算的",
)
_OF = Text(" of {0}", "{0} 的")
_WROTE = Text(
    "`{0}` wrote {1}, whose grad node stays that of the value before",
    "`{0}` 写入了{1}的元素，但它的梯度节点仍属于之前的值",
)
_WROTE_THROUGH = Text(
    "`{0}` wrote {1} through {2}, and {1} keeps the grad node of the value before",
    "`{0}` 通过{2}写入了{1}的元素，但{1}的梯度节点仍属于之前的值",
)
_LOST = Text(
    "`{0}` wrote {1} through {2}: only {2} has a grad node for it, {1} still has none",
    "`{0}` 通过{2}写入了{1}的元素：只有{2}有这次写入的梯度节点，{1}仍然没有",
)
_WROTE_SAVED = Text("`{0}` wrote {1} without a new version", "`{0}` 写入了{1}的元素，版本号没有增加")
_READS = Text("reads {0} after that", "此后读取{0}的值")
_SAVED = Text("saved it for backward", "为反向传播保存了它")
_USED = Text("computes the gradient", "计算梯度")
_IT = Text("the tensor", "这个张量")
_ANOTHER = Text("another tensor on its storage", "共享它的存储的另一个张量")
_NAMED = Text("`{0}`", " `{0}` ")
_MORE = Text("({0} more of this kind.)", "（另有 {0} 处同类情况。）")
_FIX = {
    "node": Text(
        "To fix it: write out of place, or write through the tensor that is read later (`b[0] = b[0] * 3`).",
        "改法：改用非原地操作，或通过之后要读取的那个张量写入（`b[0] = b[0] * 3`）。",
    ),
    "lost": Text(
        "To fix it: write through the tensor itself (`buffer[0] = x`), not through a view of it; or join the parts with `stack` or `concat`.",
        "改法：通过张量本身写入（`buffer[0] = x`），不要通过它的视图；或用 `stack`、`concat` 把各部分拼起来。",
    ),
    "saved": Text(
        "To fix it: write only after `backward()`, or to a clone.", "改法：等 `backward()` 之后再写入，或写入副本。"
    ),
}


def warnings_of(recording: Recording, paint: Paint = plain) -> list[str]:
    """Returns a warning for each write that a backward pass did not know of, in the current language."""
    found = findings(recording, "")
    shown = ["\n".join(_said(each, paint)) for each in found[:MOST]]
    return [*shown, str(_MORE.format(len(found) - MOST))] if len(found) > MOST else shown


def findings(recording: Recording, filename: str) -> list[Finding]:
    """Returns what is known of each of these writes, as data.

    Args:
        recording: the recording.
        filename: the program's file.
    """
    return [_finding(each, recording.source.splitlines(), filename) for each in unnoticed_writes(recording)]


def _finding(each: Unnoticed, source: Sequence[str], filename: str) -> Finding:
    names = enumerated(f"`{name}`" for name in each.wrong)
    says = _HEAD.format(_OF.format(names) if each.wrong else Text("", ""))
    node = next((facts.name for key, facts in each.read.nodes if facts is not None and key == each.read.kept), "")
    through = each.through or each.tensor
    wrote = Details(through.names if through else (), each.write.op or "")
    read = Details(each.tensor.names if each.tensor else (), each.read.op or "", node)
    reads: tuple[Step, Role, Text, Details] = (
        (each.read, "kept", _SAVED, read)
        if each.why == "saved"
        else (each.read, "read", _READS.format(_name(each.tensor, _IT)), read)
    )
    writes: tuple[Step, Role, Text, Details] = each.write, "overwritten", _written(each), wrote
    needs: tuple[Step, Role, Text, Details] = each.begun, "needed", _USED, NOTHING_MORE
    marks = [reads, writes, needs] if each.why == "saved" else [writes, reads, needs]
    shown = tuple(_quoted(source, filename, *mark) for mark in marks if mark[0].line is not None)
    return Finding("silent", None, says, [Value(shown)], advice=_FIX[each.why], wrong=each.wrong)


def _said(found: Finding, paint: Paint) -> Iterator[str]:
    yield str(closed_up(found.says + COLON))
    yield ""
    for value in found.values:
        yield from quoted(value.marks, paint=paint)
    yield ""
    yield str(closed_up(found.advice or Text("", "")))


def _quoted(source: Sequence[str], filename: str, step: Step, role: Role, says: Text, details: Details) -> Quoted:
    line = step.line or 0
    text = source[line - 1] if 0 < line <= len(source) else ""
    return Quoted(line, text, None, role, says, filename, details=details)


def _written(each: Unnoticed) -> Text:
    op, tensor = each.write.op or "", _name(each.tensor, _IT)
    if each.why == "saved":
        return _WROTE_SAVED.format(op, tensor)
    if each.why == "lost":
        return _LOST.format(op, tensor, _name(each.through, _ANOTHER))
    return (
        _WROTE.format(op, tensor)
        if each.through is None
        else _WROTE_THROUGH.format(op, tensor, _name(each.through, _ANOTHER))
    )


def _name(tensor: TensorFacts | None, otherwise: Text) -> Text:
    return _NAMED.format(tensor.names[0]) if tensor is not None and tensor.names else otherwise
