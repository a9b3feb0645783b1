"""Says which values were read under one name after they were written under another, and what to do if that was not meant."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import AliasFacts
from inplacelab.recording.sentences.failures import Mark

_NONE = Text(
    "No value was read under one name after a write under another.",
    "没有发现某个值以一个名称写入之后，又以另一个名称被读取。",
)
_HEADLINES = (
    Text(
        "1 value was read under one name after a write under another. Its gradients may be right and the model wrong, unless this is meant:",
        "有 1 个值以一个名称写入之后，又以另一个名称被读取。梯度可能正确，模型却可能是错的，除非本意如此：",
    ),
    Text(
        "{0} values were read under one name after a write under another. Gradients may be right and the model wrong, unless this is meant:",
        "有 {0} 个值以一个名称写入之后，又以另一个名称被读取。梯度可能正确，模型却可能是错的，除非本意如此：",
    ),
)
_WRITTEN = Text(
    "written in place by `{0}` through `{1}`, which shares its storage with `{2}`",
    "由 `{0}` 通过 `{1}` 原地写入，它与 `{2}` 共享存储",
)
_WRITTEN_ONLY = Text("`{0}` writes the storage of `{1}`", "`{0}` 写入了 `{1}` 的存储")
_BY_NUMPY = Text(
    "written by NumPy through `{0}`, which shares its memory with `{1}` (found by comparing values)",
    "由 NumPy 通过 `{0}` 写入，它与 `{1}` 共享内存（通过比较数值发现）",
)
_READ = Text("read here under the name `{0}`: it has the new value", "在这里以名称 `{0}` 读取：读到的是新值")
_ADVICE = {
    "library": Text(
        "If `{0}` should keep the old value: write out of place in `{1}` (`inplace=False`), or give it a copy, `{0}.clone()`.",
        "如果 `{0}` 应保留旧值：在 `{1}` 中改用非原地操作（`inplace=False`），或给它一个副本：`{0}.clone()`。",
    ),
    "container": Text(
        "If `{0}` should keep the old value: store a copy there, with `.clone()`.", "如果 `{0}` 应保留旧值：存入时用 `.clone()` 存一个副本。"
    ),
    "array": Text(
        "If `{0}` should keep the old value: write to a copy of the array, `{1} = {1}.copy()`.", "如果 `{0}` 应保留旧值：写入数组的副本：`{1} = {1}.copy()`。"
    ),
    "name": Text(
        "If `{0}` should keep the old value: make a copy with `.clone()` before the write, or write out of place.",
        "如果 `{0}` 应保留旧值：在写入之前用 `.clone()` 建立副本，或改用非原地操作。",
    ),
}  # fmt: skip


def headline(count: int) -> Text:
    """Returns how many values there are."""
    return _NONE if not count else _HEADLINES[count > 1].format(count)


def marks(facts: AliasFacts) -> Sequence[Mark]:
    """Returns the marks of the line that wrote and of the line that read."""
    nothing = Text("", "")
    if facts.kind == "array":
        wrote = _BY_NUMPY.format(facts.through, facts.name)
    elif facts.through:
        wrote = _WRITTEN.format(facts.op, facts.through, facts.name)
    else:
        wrote = _WRITTEN_ONLY.format(facts.op, facts.name)
    read = _READ.format(facts.name)
    return [Mark("overwritten", facts.written, wrote, nothing), Mark("read", facts.read, read, nothing)]


def advice(facts: AliasFacts) -> Text:
    """Returns what to do if that was not meant."""
    return _ADVICE[facts.kind].format(facts.name, facts.through)
