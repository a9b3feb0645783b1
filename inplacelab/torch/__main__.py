"""The table in readable form: PyTorch's names, and what the engine computes for each; and where programs fare otherwise.

`python -m inplacelab.torch [words ...]` prints what is there, or what contains a word. In Chinese with `INPLACELAB_LANGUAGE=zh`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from inplacelab.language import Text
from inplacelab.listing import Group, Listing
from inplacelab.torch import autograd, nn, optim
from inplacelab.torch.generate import LINES, LINES_OF_FUNCTIONAL, Line
from inplacelab.torch.names import FUNCTIONS
from inplacelab.torch.nn import init, utils

TITLE = Text(
    "inplacelab.torch: PyTorch's names, and what is computed for each", "inplacelab.torch：PyTorch 的名称及其计算"
)
HEADS = (Text("PyTorch", "PyTorch"), Text("in the words of the engine", "用引擎的话说"))
_CHAPTERS = {
    "two operands": Text("two operands", "两个操作数"), "one tensor": Text("one tensor", "单个张量"),
    "reductions": Text("reductions", "归约"), "products": Text("products", "乘积"),
    "shapes and views": Text("shapes and views", "形状与视图"), "selected elements": Text("selected elements", "选取的元素"),
    "writes": Text("writes", "写入"), "new tensors": Text("new tensors", "新张量"),
}  # fmt: skip
_FUNCTIONAL, _MODULES = Text("torch.nn.functional", "torch.nn.functional"), Text("modules", "模块")

DIFFERENCES = (
    (
        Text("an error in backward", "反向传播出错"),
        Text(
            "PyTorch leaves the gradients that it had added by then; here no gradient changes",
            "PyTorch 会留下此前已累加的梯度；这里任何梯度都不变",
        ),
    ),
    (
        Text("`x.data` written", "写入 `x.data`"),
        Text(
            "it shares the version counter, so backward notices the write; in PyTorch the gradient may be silently wrong",
            "它共享版本计数器，反向传播会发现这次写入；在 PyTorch 中梯度可能悄悄出错",
        ),
    ),
    (
        Text("views made under `no_grad`", "在 `no_grad` 下创建的视图"),
        Text("are constants; PyTorch says `requires_grad=True` of them", "是常数；PyTorch 称其 `requires_grad=True`"),
    ),
    (
        Text("duplicate indices in `x[index] = y`", "`x[index] = y` 中重复的下标"),
        Text("the gradient goes to the value that was written last; PyTorch gives it to all", "梯度归最后写入的值；PyTorch 则给所有的值"),
    ),
    (
        Text("the strides of results", "结果的步幅"),
        Text("results are packed; PyTorch keeps the order of axes of the operands", "结果按行优先排列；PyTorch 保留操作数的轴序"),
    ),
    (
        Text("a second backward through `x[index]` alone", "只经过 `x[index]` 的第二次反向传播"),
        Text("works: nothing that was freed is needed; PyTorch refuses it", "可行：不需要已释放的值；PyTorch 会拒绝"),
    ),
    (
        Text("a `Function` that writes an argument and returns it without `mark_dirty`", "`Function` 写入参数并返回它，却没有调用 `mark_dirty`"),
        Text(
            "the argument has the function's history from then on; in PyTorch it keeps that of the value that is gone",
            "此后该参数的历史由这个函数决定；在 PyTorch 中仍是已被覆盖的那个值的历史",
        ),
    ),
    (
        Text("gradients where a value is NaN or infinite", "值为 NaN 或无穷处的梯度"),
        Text(
            "may differ for acosh, copysign, cumprod, digamma, logit (at -0.0), norm(1), pow, prod, renorm and sinc: there PyTorch's follow from "
            "other formulas; and of several NaN in one window, max_pool2d takes the first, not the last",
            "acosh、copysign、cumprod、digamma、logit（在 -0.0 处）、norm(1)、pow、prod、renorm 与 sinc 的可能不同，因为 PyTorch 用的是别的公式；"
            "一个窗口中有多个 NaN 时，max_pool2d 取第一个而不是最后一个",
        ),
    ),
    (
        Text("random numbers", "随机数"),
        Text("differ from PyTorch's for the same seed", "同一种子下与 PyTorch 不同"),
    ),
)  # fmt: skip
"""Where a program with these names fares otherwise than with PyTorch."""


def listing() -> Listing:
    """Returns the whole table."""
    groups = [Group(_CHAPTERS[chapter], list(_rows(chapter))) for chapter in FUNCTIONS]
    functional = [_row(line) for line in LINES_OF_FUNCTIONAL.values()]
    modules = [
        (f"`{name}`", f"{len(names)}: {', '.join(names)}")
        for name, names in (
            ("torch.nn", dir(nn)), ("torch.optim", sorted(optim.__all__)), ("torch.autograd", sorted(autograd.__all__)),
            ("torch.nn.init", sorted(init.__all__)), ("torch.nn.utils", sorted(utils.__all__)),
        )
    ]  # fmt: skip
    others = Group(Text("where programs fare otherwise than in PyTorch", "与 PyTorch 不同之处"), DIFFERENCES)
    return Listing(TITLE, HEADS, [*groups, Group(_FUNCTIONAL, functional), Group(_MODULES, modules), others])


def _rows(chapter: str) -> Iterator[tuple[str, str]]:
    return (_row(line) for line in LINES if line.chapter == chapter)


def _row(line: Line) -> tuple[str, str]:
    where = "" if line.function and line.method else "torch." if line.function else "."
    expression = line.expression.replace("P.", "paddle.").replace("F.", "paddle.nn.functional.").replace("m.", "")
    return f"``{where}{line.name}({line.signature})``", f"``{expression}``"


if __name__ == "__main__":
    everything = listing()
    print(everything.about(*sys.argv[1:]) if sys.argv[1:] else everything)  # noqa: T201
