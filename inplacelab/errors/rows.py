"""Rows of the table that contradict themselves: who writes one is told at once, and not when the first gradient is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.errors.kinds import RowError
from inplacelab.language import Text


def unknown_names(row: str, argument: str, asked: Iterable[str], known: Iterable[str]) -> RowError:
    named = ", ".join(f"`{name}`" for name in sorted(asked))
    return RowError(
        f"(InvalidArgument) {row} : the derivative `d_{argument}` asks for {named}.",
        Text(
            "the parameter names of a derivative say what backward keeps, and nothing here is called so.",
            "导数的参数名决定反向传播保存什么，而这里没有叫这个名字的东西。",
        ),
        Text(
            "choose from {known}: `g` is the gradient that arrives, `out` the result, `x_meta` the shape, strides and dtype of `x`.",
            "请从 {known} 中选择：`g` 是到达的梯度，`out` 是结果，`x_meta` 是 `x` 的形状、步幅和数据类型。",
        ).format(known=", ".join(f"`{name}`" for name in sorted(known))),
    )


def derivative_of_no_input(row: str, named: Iterable[str], inputs: Iterable[str]) -> RowError:
    columns = ", ".join(f"`{name}`" for name in sorted(named))
    return RowError(
        f"(InvalidArgument) {row} : there is no input for {columns}.",
        Text(
            "`d_x` is the derivative with respect to the input `x`, so each names an input.",
            "`d_x` 是对输入 `x` 的导数，所以每个这样的名字都对应一个输入。",
        ),
        Text("write {0}.", "请写 {0}。").format(", ".join(f"`d_{name}`" for name in inputs)),
    )


def derivative_count(row: str, inputs: int, rules: int) -> RowError:
    return RowError(
        f"(InvalidArgument) {row} : {inputs} inputs and {rules} derivatives.",
        Text("there is one derivative for each input.", "每个输入对应一个导数。"),
        Text(
            "give as many as there are inputs; None where no gradient travels.",
            "请给出与输入同样多的导数；不传播梯度的输入写 None。",
        ),
    )


def written_without_derivative(row: str) -> RowError:
    return RowError(
        f"(InvalidArgument) {row} : it writes its first input, whose derivative is None.",
        Text(
            "None says that there is no path for a gradient; but the tensor that is written goes on with its history.",
            "None 表示没有梯度的通路；但被写入的张量还要继续它的历史。",
        ),
        Text("say `ZERO` if the old value has no influence.", "如果旧值不再有影响，请写 `ZERO`。"),
    )
