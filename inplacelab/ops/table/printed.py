"""The table in readable form: for each operation what backward keeps, whether it works in place, and when that costs a copy.

All of it is computed from the rows, except for the facts about Paddle. Its versions are those of the pull requests and release notes
that name the functions (2.1: PaddlePaddle/Paddle#30103 and #32573; 2.6: #54683, #55078, #55509, #55576; 3.x: #74493 and the
torch-compatible names of 2025); names that no such document gives have no version here. The counts were measured on the real 3.3.1,
where a call that is composed of several counts several times.
"""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.listing import Cell, Group, Listing
from inplacelab.ops.table import ROWS
from inplacelab.ops.table.row import ZERO, Row

_SINCE = {
    "2.0": "setitem",
    "2.1": """squeeze unsqueeze reshape scatter elu relu softmax tanh clip scale subtract add ceil floor exp reciprocal round
        sqrt rsqrt flatten""",
    "2.6": """abs addmm cos cosh acos acosh sin sinh asin asinh tan atan atanh erf square expm1 greater_than greater_equal
        less_than less_equal equal not_equal logical_and logical_or logical_xor logical_not cast divide floor_divide bitwise_and
        bitwise_or bitwise_xor bitwise_not cumsum cumprod mod floor_mod multiply renorm gcd lcm ldexp where hardtanh
        leaky_relu thresholded_relu digamma trunc frac i0 lgamma log log10 log1p log2 logit neg polygamma tril triu""",
    "3.x": "mul sub random",
}
SINCE = {name: version for version, names in _SINCE.items() for name in names.split()}
"""For a name without underscore, the first version of Paddle with its in-place variant, where that is documented."""

RAISES = {
    "sinc": 4, "nan_to_num": 3, "hypot": 3, "ldexp": 2, "gammainc": 3, "gcd": 5, "lcm": 4, "exponential": 0, "bernoulli": 3,
    "cauchy": 6, "geometric": 3, "log_normal": 2, "index_fill": 3, "copy": 0, "detach": 0, "requires_grad": 0, "apply": 0,
    "reconstruct_from": 0,
}  # fmt: skip
"""The number by which Paddle's in-place call raises the version, where it is not 1."""

TITLE = Text("The operations, in place", "各操作的原地行为")
HEADS = (
    Text("operation", "操作"), Text("backward keeps", "反向传播保存"), Text("in place", "原地"),
    Text("copy of the overwritten input", "被覆盖输入的副本"), Text("since Paddle", "Paddle 起始版本"),
    Text("raises the version: here, in Paddle", "版本号增加：inplacelab、Paddle"),
)  # fmt: skip
KINDS = {
    "elementwise": Text("element by element", "逐元素"), "view": Text("metadata", "元数据"), "overwrite": Text("writes", "写入"),
    "scan": Text("scans", "累积"), "scatter": Text("selected elements", "选取的元素"), "contraction": Text("contractions", "收缩"),
    "reduction": Text("reductions", "归约"),
}  # fmt: skip
OTHERS = Text("others", "其他")

_YES, _METADATA = Text("yes", "是"), Text("yes: metadata only, no data move", "是：只改元数据，不移动数据")
_ONLY = Text("yes, only in place", "是，且只有原地形式")
_NEW_DTYPE = Text("in name only if the dtype changes", "若数据类型改变，则仅名义上原地")
_NOT = {
    "reduction": Text("no: the result is smaller", "否：结果更小"),
    "contraction": Text("no: each element reads many others", "否：每个元素要读取许多其他元素"),
    "expansion": Text("no: the result is larger", "否：结果更大"),
}
_NO = Text("no", "否")
_NEVER, _NONE = Text("never", "从不"), Text("nothing", "无")
_WHEN = Text("if {names} needs a gradient", "当 {names} 需要梯度时")
_OR = Text(" or ", " 或 ")
_ZERO = Text("nothing (the derivative is zero)", "无（导数为零）")
_NO_PATH = Text("- (no derivative)", "-（不可导）")


def listing() -> Listing:
    """Returns the table of all public rows, by kind."""
    public = [row for row in ROWS.values() if not row.name.startswith("_")]
    groups = [Group(title, [_line(row) for row in public if row.kind == kind]) for kind, title in KINDS.items()]
    rest = [_line(row) for row in public if row.kind not in KINDS]
    return Listing(TITLE, HEADS, [group for group in (*groups, Group(OTHERS, rest)) if group.rows])


def _line(row: Row) -> tuple[Cell, ...]:
    underscore = "(inplace=True)" if row.by_argument else "_" * row.in_place * (row.name != "setitem")
    name = row.name + underscore
    return f"`{name}`", _kept(row), _in_place(row), _copied(row), SINCE.get(row.name, ""), _raised(row)


def _kept(row: Row) -> Cell:
    """The tensors that the derivatives keep, for each input."""
    rules = [(name, row.rules[k], row.keeps(k)) for k, name in enumerate(row.inputs)]
    if not any(rule for _, rule, _ in rules):
        return _NO_PATH
    if not any(kept for *_, kept in rules):
        return _ZERO if all(rule in (None, ZERO) for _, rule, _ in rules) else _NONE
    return "; ".join(f"∂`{name}`: {', '.join(f'`{k}`' for k in kept) or '-'}" for name, rule, kept in rules if rule)


def _in_place(row: Row) -> Cell:
    if not row.in_place:
        return _NOT.get(row.kind, _NO)
    if row.layout is not None:
        return _METADATA
    if not row.ordinary:
        return _ONLY
    another = row.dtype is not None and (row.rules[0] is None or "dtype" in row.attrs)
    return _NEW_DTYPE if another else _YES


def _copied(row: Row) -> Cell:
    """The condition under which a copy of the overwritten input is kept."""
    if not row.in_place or row.layout is not None:
        return "-"
    needed = [f"`{row.inputs[k]}`" for k in row.needed_for(row.inputs[0])]
    if not needed:
        return _NEVER
    return _WHEN.format(names=Text(_OR.en.join(needed), _OR.zh.join(needed)))


def _raised(row: Row) -> str:
    return f"1, {RAISES.get(row.name, 1)}" if row.in_place else "-"
