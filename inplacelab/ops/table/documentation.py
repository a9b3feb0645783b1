"""Docstrings of operations, from their rows: what they do, their operands and result, what backward keeps.

What the parameters mean that are not tensors is said here, in one sentence each.

A note belongs to a parameter of one operation ("cumsum.axis"), of one kind of operations ("reduction.axis"), or to all
parameters of a name ("axis"). The first of these that there is holds.
"""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.ops.arguments.keywords import notes_on_keywords
from inplacelab.ops.table.row import ZERO, NoFormula, Row

_SCALE_OF_PRODUCT = Text("the factor of the product.", "乘积的系数。")
_ONE_LINE = Text("the axis; if None, the elements are taken in one line.", "所沿的轴；None 表示把全部元素排成一行。")
_LOWEST = Text("the lower bound.", "下界。")
_HIGHEST = Text("the upper bound.", "上界。")

_NOTES = {
    "accumulate": Text("whether to add instead of writing.", "是否相加而不是写入。"),
    "act": Text("must be None.", "必须为 None。"),
    "add.alpha": Text("the factor of `y`.", "`y` 的系数。"),
    "addmm.alpha": _SCALE_OF_PRODUCT,
    "argmax.dtype": Text("the dtype of the index: 'int64' or 'int32'.", "下标的数据类型：'int64' 或 'int32'。"),
    "argmin.dtype": Text("the dtype of the index: 'int64' or 'int32'.", "下标的数据类型：'int64' 或 'int32'。"),
    "argmax.axis": _ONE_LINE,
    "argmin.axis": _ONE_LINE,
    "axes": Text("the axes to slice, as a list.", "要切片的轴的列表。"),
    "axis": Text("the axis; negative numbers count from the end.", "所沿的轴；负数从末尾数起。"),
    "axis0": Text("the first axis.", "第一个轴。"),
    "axis1": Text("the first axis.", "第一个轴。"),
    "swapaxes.axis1": Text("the second axis.", "第二个轴。"),
    "axis2": Text("the second axis.", "第二个轴。"),
    "baddbmm.alpha": _SCALE_OF_PRODUCT,
    "beta": Text("the factor of `input`.", "`input` 的系数。"),
    "bias": Text("the number to add.", "要加上的数。"),
    "bias_after_scale": Text(
        "False to add before multiplying: `scale * (x + bias)`.", "False 表示先加后乘：`scale * (x + bias)`。"
    ),
    "blocking": Text("accepted for compatibility with Paddle; ignored.", "为与 Paddle 兼容而保留；忽略。"),
    "broadcast": Text("whether to broadcast `indices` on the other axes.", "是否在其他轴上广播 `indices`。"),
    "correction": Text("what is subtracted from the number of elements in the divisor.", "除数为元素个数减去这个数。"),
    "cumprod.dim": _ONE_LINE,
    "cumsum.axis": _ONE_LINE,
    "decimals": Text("how many decimals to keep.", "保留的小数位数。"),
    "descending": Text("whether the largest element comes first.", "是否从大到小。"),
    "destination": Text("their new places, in the same order.", "它们的新位置，次序相同。"),
    "diagonal": Text(
        "which diagonal: 0 is the main one, positive numbers lie above it, negative ones below.",
        "哪条对角线：0 为主对角线，正数在其上方，负数在其下方。",
    ),
    "dim": Text("the axis; negative numbers count from the end.", "所沿的轴；负数从末尾数起。"),
    "dim1": Text("the first axis of the matrices.", "矩阵的第一个轴。"),
    "dim2": Text("the second axis of the matrices.", "矩阵的第二个轴。"),
    "dtype": Text(
        "the dtype of the result; chosen from that of `x` if None.", "结果的数据类型；None 表示由 `x` 决定。"
    ),
    "cast.dtype": Text("the new dtype: a name or a dtype.", "新的数据类型：名称或数据类型。"),
    "elu.alpha": Text(
        "the factor of the negative part: large negative elements approach `-alpha`.",
        "负半部分的系数：绝对值很大的负数趋于 `-alpha`。",
    ),
    "ends": Text("where the slice ends on each axis, exclusive.", "在每个轴上切片到哪里为止（不含）。"),
    "eps": Text(
        "`x` is first clipped to `eps` and `1 - eps`; not if None.",
        "先把 `x` 限制在 `eps` 与 `1 - eps` 之间；None 表示不限制。",
    ),
    "exponential.lam": Text("the rate: one over the mean.", "速率：均值的倒数。"),
    "factor": Text("what elements are multiplied by.", "元素所乘的数。"),
    "flip.axis": Text("the axis or axes to reverse.", "要反转的一个或几个轴。"),
    "from_": Text(
        "the smallest integer. Without `to`, the integers are from 0 up to `from_`; without both, all that the dtype holds.",
        "最小的整数。没有 `to` 时，从 0 取到 `from_`；两者都没有时，取该类型能表示的全部整数。",
    ),
    "generator": Text(
        "a `numpy.random.Generator` to draw from; the common stream if None.",
        "用来抽样的 `numpy.random.Generator`；None 表示共享的随机流。",
    ),
    "index_add.alpha": Text("the factor of `value`.", "`value` 的系数。"),
    "indices": Text(
        "a tuple of index tensors, one for each axis, beginning with the first.",
        "下标张量的元组，从第一个轴起每个轴一个。",
    ),
    "is_arithmetic": Text("whether the sign bit is kept.", "是否保留符号位。"),
    "bitwise_left_shift.is_arithmetic": Text("makes no difference to a left shift.", "对左移没有影响。"),
    "keepdim": Text("whether the reduced axes stay, with size 1.", "被归约的轴是否保留，大小为 1。"),
    "key": Text("the index.", "下标。"),
    "largest": Text("whether the largest elements are wanted.", "是否取最大的元素。"),
    "length": Text("how many places to take.", "取多少个位置。"),
    "loc": Text("the center of the distribution.", "分布的中心。"),
    "log_normal.mean": Text("the mean of the logarithms.", "对数的均值。"),
    "log_normal.std": Text("the standard deviation of the logarithms.", "对数的标准差。"),
    "logcumsumexp.axis": _ONE_LINE,
    "max": Text("the upper bound; none if None.", "上界；None 表示没有。"),
    "max_norm": Text("the largest norm that a slice may have.", "允许的最大范数。"),
    "mean": Text("the mean.", "均值。"),
    "min": Text("the lower bound; none if None.", "下界；None 表示没有。"),
    "n": Text("how often `digamma` is differentiated.", "对 `digamma` 求导的次数。"),
    "nan": Text("what replaces NaN.", "用来替换 NaN 的数。"),
    "negative_slope": Text("the factor of negative elements.", "负数的系数。"),
    "neginf": Text(
        "what replaces -infinity; the lowest number of the dtype if None.",
        "用来替换负无穷的数；None 表示该类型的最小数。",
    ),
    "norm_type": Text("the p of the norm.", "范数的 p。"),
    "norm.p": Text(
        "which norm: a number, or 'fro', 'nuc' for matrices; 2 if None.",
        "哪种范数：一个数，矩阵也可用 'fro'、'nuc'；None 表示 2。",
    ),
    "offset": Text(
        "which diagonal: 0 is the main one, positive numbers lie above it, negative ones below.",
        "哪条对角线：0 为主对角线，正数在其上方，负数在其下方。",
    ),
    "overwrite": Text("False to zero the rows and add.", "False 表示先清零再相加。"),
    "p": Text("the p of the norm.", "范数的 p。"),
    "multigammaln.p": Text("the dimension.", "维数。"),
    "padding_value": Text("what stands off the diagonal.", "对角线之外的值。"),
    "perm": Text("for each axis of the result, the axis of `x` that becomes it.", "结果的每个轴来自 `x` 的哪个轴。"),
    "posinf": Text(
        "what replaces infinity; the largest number of the dtype if None.",
        "用来替换正无穷的数；None 表示该类型的最大数。",
    ),
    "random.to": Text("the end of the range, exclusive.", "范围的终点（不含）。"),
    "reduction.axis": Text("the axis or axes to reduce; all of them if None.", "要归约的一个或几个轴；None 表示全部。"),
    "repeat_times": Text("how often to repeat each axis.", "每个轴重复的次数。"),
    "roll.axis": Text(
        "the axis or axes to move along; if None, the elements are moved in one line.",
        "沿哪个或哪几个轴移动；None 表示把元素排成一行来移动。",
    ),
    "rounding_mode": Text("None, 'trunc' or 'floor'.", "None、'trunc' 或 'floor'。"),
    "scale": Text("the factor.", "系数。"),
    "cauchy.scale": Text("the width of the distribution.", "分布的宽度。"),
    "seed": Text("starts a random stream of its own; 0 for the common one.", "单独的随机种子；0 表示共享的随机流。"),
    "selected": Text("the part.", "所选的部分。"),
    "shape": Text("the new sizes; one of them may be -1.", "新的各轴大小，其中之一可以是 -1。"),
    "expand.shape": Text("the wanted sizes; -1 keeps a size.", "目标大小；-1 表示保持不变。"),
    "unflatten.shape": Text("the sizes of the new axes; one of them may be -1.", "新轴的大小，其中之一可以是 -1。"),
    "shifts": Text("by how many places to move, for each axis.", "每个轴移动多少个位置。"),
    "size": Text("the length of a window.", "窗口的长度。"),
    "softplus.beta": Text("the slope inside the exponential.", "指数中的系数。"),
    "softplus.threshold": Text("where `beta * x` is larger, the result is `x`.", "`beta * x` 大于它时，结果就是 `x`。"),
    "source": Text("the axes to move: an integer or a list.", "要移动的轴：一个整数或列表。"),
    "squeeze.axis": Text(
        "the axis or axes to remove; all of size 1 if None.", "要去掉的一个或几个轴；None 表示全部大小为 1 的轴。"
    ),
    "stable": Text(
        "accepted for compatibility with Paddle; equal elements always keep their order.",
        "为与 Paddle 兼容而保留；相等的元素总是保持原来的次序。",
    ),
    "start": Text("the first place.", "第一个位置。"),
    "start_axis": Text("the first of the axes to join.", "要合并的第一个轴。"),
    "starts": Text("where the slice begins on each axis.", "在每个轴上切片从哪里开始。"),
    "std": Text("the standard deviation.", "标准差。"),
    "step": Text("how far the next window begins after the last.", "相邻两个窗口起点的距离。"),
    "stop_axis": Text("the last of the axes to join.", "要合并的最后一个轴。"),
    "strides": Text("the step on each axis.", "每个轴上的步长。"),
    "subtract.alpha": Text("the factor of `y`.", "`y` 的系数。"),
    "threshold": Text("elements up to it are replaced.", "不大于它的元素会被替换。"),
    "unbiased": Text(
        "whether to divide by the number of elements minus the correction (1), and not by that number.",
        "除数是否为元素个数减去修正值（1），而不是元素个数。",
    ),
    "uniform.max": _HIGHEST,
    "uniform.min": _LOWEST,
    "hardtanh.max": _HIGHEST,
    "hardtanh.min": _LOWEST,
    "clamp_max.max": _HIGHEST,
    "clamp_min.min": _LOWEST,
    "unsqueeze.axis": Text(
        "where the new axis, or several, will be in the result.", "新轴（可以有几个）在结果中的位置。"
    ),
    "value": Text("the number to write.", "要写入的数。"),
    "addcdiv.value": Text("the factor of the quotient.", "商的系数。"),
    "addcmul.value": _SCALE_OF_PRODUCT,
    "wrap": Text(
        "whether the diagonal of a tall matrix starts again below the square part.",
        "高矩阵的对角线到底后是否从下一行重新开始。",
    ),
    "name": Text("accepted for compatibility with Paddle; ignored.", "为与 Paddle 兼容而保留；忽略。"),
    "out": Text("a tensor to write the result into; a new one if None.", "写入结果的张量；None 表示新建。"),
}


def attribute_note(row: Row, name: str) -> Text | None:
    """What a parameter that is no tensor means; None if it is not documented, which only hidden rows may be."""
    found = (_NOTES.get(key) for key in (f"{row.name}.{name}", f"{row.kind}.{name}", name))
    return next((note for note in found if note is not None), None)


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
