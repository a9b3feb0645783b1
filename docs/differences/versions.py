"""Names that PaddlePaddle does not have in every version: what a line gives in each, read from `versions.toml`.

`PYTHONPATH=docs:. python -m differences.versions` prints the answers of the version that is installed.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from inplacelab.language import Text
from inplacelab.listing import Group, Listing

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
VERSIONS: tuple[str, ...] = tuple(_TABLE["versions"])
"""The versions that answered, the oldest first. inplacelab follows the last."""

OPENING = """\
x = paddle.to_tensor([1., 2.])
y = paddle.to_tensor([3., 4.])
"""
"""What runs before each line."""

TITLE = Text("Versions of PaddlePaddle", "PaddlePaddle 的版本")
ABOUT = Text(
    "Not every version has the names `alpha`, `square_` and `requires_grad`; none has `nn.ReLU(inplace=True)`. "
    "The table shows what a line gives, or which exception it raises, in real PaddlePaddle after",
    "并非每个版本都有 `alpha`、`square_` 和 `requires_grad`；`nn.ReLU(inplace=True)` 则任何版本都没有。"
    "下表列出每行代码在真实的 PaddlePaddle 里的结果或异常。代码之前先运行",
)
NOTES = Text(
    "inplacelab gives the answers of {version}. In 3.0 and 3.1, `x.requires_grad = True` raises no error but does nothing: `x` still takes no gradient. "
    "Where an activation should write in place, call `relu_`. `nn.ReLU(True)` raises no error, but `True` is taken as the layer's `name`. "
    "The tests compare the column of the version that is installed.",
    "inplacelab 的结果与 {version} 相同。在 3.0 和 3.1 里，`x.requires_grad = True` 不报错，却毫无作用：`x` 仍然不需要梯度。"
    "激活函数要原地写入时，请调用 `relu_`。`nn.ReLU(True)` 不报错，但 `True` 被当作层的 `name`。"
    "测试会核对已安装版本的那一列。",
).format(version=VERSIONS[-1])
_CODE = Text("code", "代码")


class Line(NamedTuple):
    """A line, and what it gives in each of `VERSIONS`: a value, or the name of an exception."""

    code: str
    answers: list[str]


LINES = tuple(Line(each["code"], each["answers"]) for each in _TABLE["lines"])


def answer(code: str, paddle: Any) -> str:
    """What the last expression of a line gives in a framework: its value, or the name of the exception."""
    *statements, expression = code.split("; ")
    scope = {"paddle": paddle}
    exec(OPENING, scope)
    try:
        exec("\n".join(statements), scope)
        value = eval(expression, scope)
    except Exception as error:  # noqa: BLE001  # which one it is is the answer
        return type(error).__name__
    return repr(value.tolist() if hasattr(value, "tolist") else value)


def table() -> Listing:
    """The lines, with a column for each version."""
    rows = [(f"`{each.code}`", *(f"`{found}`" for found in each.answers)) for each in LINES]
    return Listing(TITLE, (_CODE, *VERSIONS), [Group(None, rows)])


if __name__ == "__main__":
    import paddle as installed  # type: ignore[import-not-found, unused-ignore]

    for line in LINES:
        print(installed.__version__, line.code, answer(line.code, installed), sep="\t")
