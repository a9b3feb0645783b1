"""The documentation of an operation, from its row: what it does, what it shares, what backward keeps."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.ops.arguments.keywords import in_words
from inplacelab.ops.table.row import ZERO, NoFormula, Row

_SHARES = {
    "ordinary": Text("An ordinary operation: the result has a storage of its own.", "普通操作：结果有自己的存储。"),
    "view": Text(
        "A view: the result is another tensor on the same storage; no data move.",
        "视图操作：结果是同一存储上的另一个张量；不移动任何数据。",
    ),
    "in-place": Text(
        "In place: writes into the storage of `{x}`, raises its version by one, and returns `{x}` itself.",
        "原地操作：写入 `{x}` 的存储，版本号加一，并返回 `{x}` 本身。",
    ),
    "relayout": Text(
        "In place, metadata only: `{x}` itself gets other metadata; no data move; the version is raised by one.",
        "仅改变元数据的原地操作：`{x}` 本身换了元数据；不移动数据；版本号加一。",
    ),
}
_RAISES = Text(
    "Raises:\n    LeafWriteError: if `{x}` is a leaf that needs a gradient, or a view of one.\n"
    "    ShapeError, DTypeError, WriteConflictError: before anything was written.",
    "异常：\n    LeafWriteError：`{x}` 是需要梯度的叶子张量，或其视图。\n    ShapeError、DTypeError、WriteConflictError：都在写入之前抛出。",
)


def describe(row: Row, variant: str) -> Text:
    """The documentation of one variant, in both languages."""
    x = row.inputs[0]
    parts = [row.says, *in_words(row.name + "_" * (variant in ("in-place", "relayout"))), _SHARES[variant].format(x=x)]
    parts += [_kept(row, k) for k, rule in enumerate(row.rules) if rule]
    if variant in ("in-place", "relayout"):
        parts.append(_RAISES.format(x=x))
    return Text("\n\n".join(p.en for p in parts), "\n\n".join(p.zh for p in parts))


def document(row: Row, variant: str) -> str:
    """The docstring: English first, then Chinese."""
    text = describe(row, variant)
    return f"{text.en}\n\n{text.zh}\n"


def _kept(row: Row, position: int) -> Text:
    """What backward keeps for one input, read off the derivative's parameters."""
    name, kept = row.inputs[position], row.keeps(position)
    if row.rules[position] is ZERO:
        return Text(f"Derivative for `{name}`: zero.", f"对 `{name}` 的导数：零。")
    if isinstance(row.rules[position], NoFormula):
        return Text(
            f"Derivative for `{name}`: refused, no formula is known here.",
            f"对 `{name}` 的导数：拒绝计算，这里没有公式。",
        )
    if not kept:
        return Text(f"Derivative for `{name}`: keeps no tensor.", f"对 `{name}` 求导：不保存任何张量。")
    names = ", ".join(f"`{n}`" for n in kept)
    copies = row.inputs[0] in kept and row.in_place
    note = Text(" (in place: a copy of it as it was)", "（原地时：保存其覆盖前的副本）") if copies else Text("", "")
    return Text(f"Derivative for `{name}`: keeps {names}", f"对 `{name}` 求导：保存 {names}") + note + Text(".", "。")
