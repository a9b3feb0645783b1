"""The row of a fused chain: what several element-wise rows do one after the other, as one operation."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter
from typing import Any, NoReturn

from inplacelab import errors
from inplacelab.devices.kernels.source import distinct
from inplacelab.language import Text
from inplacelab.ops.expressions import named, result, step
from inplacelab.ops.spec import Row, Rule
from inplacelab.ops.template.parts import name_of


def chained(rows: Sequence[Row], variant: str, dtypes: Sequence[str]) -> Row:
    """One row for several. Its inputs and attributes are those of all steps, told apart as in the text of the kernel.

    Raises:
        ArgumentError: if a step cannot be fused: its results are of another data type, or it has to look at its operands
            first, or takes nothing from the step before.
    """
    for row in rows:
        looks = row.validate is not None or row.numbers or row.kind == "overwrite"
        if looks or not dtypes or result(row, dtypes[0]) != dtypes[0]:
            raise errors.cannot_fuse(name_of(row, variant))
    steps = [step(row, variant, dtypes[0]) for row in rows]
    attributes, prepare = [], {}
    for row, before, after in zip(rows, steps, distinct(steps), strict=True):
        defaults = {p.name: p.default for p in named(row, before.expression)}
        for old, new in zip(before.numbers, after.numbers, strict=True):
            attributes.append(new if defaults[old] is Parameter.empty else f"{new}={defaults[old]!r}")
            if old in row.prepare:
                prepare[new] = row.prepare[old]
    inputs = ("x", *(name for after in distinct(steps) for name in after.inputs[1:]))
    name = "_".join(row.name for row in rows)
    names = ", ".join(f"`{name_of(row, variant)}`" for row in rows)
    return Row(
        name=name, kind="elementwise", inputs=inputs, attrs="*, " * bool(attributes) + ", ".join(attributes),
        accepts="fi", prepare=prepare, rules=tuple(_refused(name) for _ in inputs), node="FusedGradNode",
        method=False, function=False,
        says=Text("In one pass: {names}.", "一次遍历完成：{names}。").format(names=names),
    )  # fmt: skip


def _refused(name: str) -> Rule:
    def refuse(g: Any) -> NoReturn:
        raise errors.fused_without_derivative(name)

    return Rule(refuse)
