"""Generates the docstring of an operation from its row: what it does, its operands and result, what backward keeps."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.ops.arguments.keywords import notes_on_keywords
from inplacelab.ops.table.row import ZERO, NoFormula, Row
from inplacelab.ops.template.attribute_notes import attribute_note

_RETURNS = {
    "ordinary": Text("A new tensor with its own storage.", "新张量，有自己的存储。"),
    "view": Text(
        "A view: another tensor on the same storage. No data is moved.",
        "视图：同一存储上的另一个张量；不移动任何数据。",
    ),
    "in-place": Text(
        "`{x}` itself. The operation writes into its storage and raises the version by one.",
        "`{x}` 本身。操作写入它的存储，版本号加一。",
    ),
    "relayout": Text(
        "`{x}` itself with other metadata. No data is moved; the version is raised by one.",
        "`{x}` 本身，元数据已改变。不移动数据；版本号加一。",
    ),
}
_RAISES = Text(
    "LeafWriteError: if `{x}` is a leaf that needs a gradient, or a view of one.\n"
    "ShapeError, DTypeError, WriteConflictError: before any write.",
    "LeafWriteError：`{x}` 是需要梯度的叶子张量，或其视图。\nShapeError、DTypeError、WriteConflictError：都在写入之前抛出。",
)
_KINDS = {
    "f": Text("floating-point", "浮点数"),
    "i": Text("integer", "整数"),
    "b": Text("bool", "布尔"),
    "c": Text("complex", "复数"),
}
_ANY = Text("a tensor of any dtype", "任意数据类型的张量")
_MASK = Text("a bool tensor", "布尔张量")
_OF = Text("{article} {kinds} tensor", "{kinds}张量")
_OR_NUMBER = Text(", or a number", "，或一个数")
_BROADCAST = {
    "ordinary": Text(", broadcast against `{x}`", "，与 `{x}` 互相广播"),
    "in-place": Text(", broadcast to the shape of `{x}`", "，广播到 `{x}` 的形状"),
}


def describe(row: Row, variant: str) -> Text:
    """Returns the documentation of one variant, in both languages."""
    x, in_place = row.inputs[0], variant in ("in-place", "relayout")
    parts = [row.says, *notes_on_keywords(row.name + "_" * in_place)]
    parts.append(_section(Text("Args:", "参数："), _parameters(row, variant)))
    parts.append(_section(Text("Returns:", "返回："), [_RETURNS[variant].format(x=x)]))
    if in_place:
        parts.append(_section(Text("Raises:", "异常："), [_RAISES.format(x=x)]))
    kept = [_kept(row, k) for k, rule in enumerate(row.rules) if rule]
    if kept:
        parts.append(_section(Text("Derivatives:", "导数："), kept))
    return Text("\n\n".join(p.en for p in parts), "\n\n".join(p.zh for p in parts))


def document(row: Row, variant: str) -> str:
    """Returns the docstring: English first, then Chinese."""
    text = describe(row, variant)
    return f"{text.en}\n\n{text.zh}\n"


def _section(head: Text, lines: list[Text]) -> Text:
    """A section in Google style: a head, and indented lines."""
    en, zh = ("\n".join(each).replace("\n", "\n    ") for each in ([t.en for t in lines], [t.zh for t in lines]))
    return Text(f"{head.en}\n    {en}", f"{head.zh}\n    {zh}")


def _parameters(row: Row, variant: str) -> list[Text]:
    """All parameters of a variant, in their order."""
    documented = []
    for parameter in row.parameters:
        name = parameter.name
        note = attribute_note(row, name)
        if name in row.inputs:
            documented.append(_operand(row, name, variant))
        elif note is not None and not (name == "out" and variant != "ordinary"):
            documented.append(Text(f"{name}: ", f"{name}：") + note)
    return documented


def _operand(row: Row, name: str, variant: str) -> Text:
    """The kinds of dtype of an input, whether it may be a number, and whether it is broadcast."""
    accepts = row.accepts_ordinary if variant == "ordinary" and row.accepts_ordinary else row.accepts
    kinds = [_KINDS[kind] for kind in "fibc" if kind in accepts]
    article = "an" if kinds[0].en.startswith("i") else "a"
    text = _OF.format(article=article, kinds=_listed(kinds))
    if name in row.masks:
        text = _MASK
    elif len(kinds) == len(_KINDS):
        text = _ANY
    if name in row.numbers:
        text += _OR_NUMBER
    if row.pointwise and name != row.inputs[0]:
        text += _BROADCAST[variant].format(x=row.inputs[0])
    return Text(f"{name}: ", f"{name}：") + text + Text(".", "。")


def _listed(kinds: list[Text]) -> Text:
    *others, last = kinds
    if not others:
        return last
    en, zh = ", ".join(kind.en for kind in others), "、".join(kind.zh for kind in others)
    return Text(f"{en} or {last.en}", f"{zh}或{last.zh}")


def _kept(row: Row, position: int) -> Text:
    """The tensors that backward keeps for one input: parameters of the derivative."""
    name, kept = row.inputs[position], row.keeps(position)
    if row.rules[position] is ZERO:
        return Text(f"`{name}`: zero.", f"对 `{name}`：零。")
    if isinstance(row.rules[position], NoFormula):
        return Text(f"`{name}`: refused, since there is no formula.", f"对 `{name}`：拒绝计算，没有公式。")
    if not kept:
        return Text(f"`{name}`: backward keeps no tensor.", f"对 `{name}`：反向传播不保存任何张量。")
    names = ", ".join(f"`{n}`" for n in kept)
    copies = row.inputs[0] in kept and row.in_place
    note = Text(" (in place: a copy of the old value)", "（原地时：保存其覆盖前的副本）") if copies else Text("", "")
    return Text(f"`{name}`: backward keeps {names}", f"对 `{name}`：反向传播保存 {names}") + note + Text(".", "。")
