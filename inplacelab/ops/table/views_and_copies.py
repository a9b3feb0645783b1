"""The table of views: which operations return the tensor itself, a view or a copy; here, in PaddlePaddle and in PyTorch.

    python -m inplacelab.ops.table.views_and_copies             print it (INPLACELAB_LANGUAGE=zh for Chinese)

In a notebook, `inplacelab.ops.table.views_and_copies.TABLE` is displayed as a table. Every line is a program on a tensor `x` of shape [3, 4]; the tests
run each one here, in the real PaddlePaddle 3.3.1 and in PyTorch 2.13, write through the result, and look at `x`.

>>> from inplacelab.ops.table.views_and_copies import TABLE
>>> print(TABLE.about("unbind", "x.split(3)"))
operation      inplacelab  Paddle 3.3.1  PyTorch 2.13  shares the counter  may be written  note
x.unbind()[0]  view        view          view          yes                 yes             PyTorch refuses a write to it if it requires a gradient
x.split(3)[0]  copy        copy          view          no                  yes             PyTorch refuses a write to it if it requires a gradient
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.listing import Cell, Group, Listing

__all__ = ["CHAPTERS", "TABLE", "Chapter", "Kind", "Line"]

Kind = Literal["self", "view", "copy", ""]
"""The tensor itself; another tensor on its storage; a tensor on a new storage; "" where there is no such operation."""


class Line(NamedTuple):
    """One operation."""

    program: str
    """An expression on `x`, in Paddle's terms."""
    here: Kind
    paddle: Kind
    torch: Kind
    in_torch: str = ""
    """The same in PyTorch's terms, if they differ."""
    writable: bool = True
    """Whether the result may be written while gradients are recorded (where `x` itself may be). In Paddle all may."""
    writable_in_torch: bool = True
    """The same in PyTorch."""
    shared_in_paddle: bool | None = None
    """Whether the result has the version counter of `x` in Paddle, where that differs from the rule."""
    note: Text | None = None

    @property
    def shares_counter(self) -> bool:
        """Whether the result has the version counter of `x`: True if and only if it has its storage."""
        return self.here != "copy"

    @property
    def shares_counter_in_paddle(self) -> bool:
        """The same in Paddle, where one copy has its source's counter."""
        return self.paddle != "copy" if self.shared_in_paddle is None else self.shared_in_paddle


class Chapter(NamedTuple):
    """Lines that belong together."""

    title: Text
    lines: tuple[Line, ...]


_STRIDE_NOUGHT = Text("a view with stride 0 in PyTorch", "PyTorch 中是步幅为 0 的视图")
_NOT_WRITTEN = Text(
    "PyTorch refuses a write to it if it requires a gradient", "如果这个结果需要梯度，PyTorch 不允许写入"
)
_COUNTER = Text(
    "a copy; yet in Paddle it shares the counter of `x`, which gives false alarms",
    "是副本；但在 Paddle 中仍与 `x` 共享版本计数器，会误报",
)
_NEGATIVE = Text("PyTorch has no negative steps", "在 PyTorch 里，切片的步长不能是负数")

CHAPTERS = (
    Chapter(Text("Square brackets", "方括号"), (
        Line("x[0]", "view", "view", "view"),
        Line("x[0, 1]", "view", "view", "view"),
        Line("x[1:3]", "view", "view", "view"),
        Line("x[:, ::2]", "view", "view", "view"),
        Line("x[::-1]", "view", "view", "", note=_NEGATIVE),
        Line("x[None]", "view", "view", "view"),
        Line("x[:]", "view", "view", "view", note=Text("never the tensor itself", "结果不会是张量本身")),
        Line("x[...]", "view", "view", "view"),
        Line("x[[0, 1]]", "copy", "copy", "copy", note=Text("a list: the elements are gathered", "下标是列表：把元素收集出来")),
        Line("x[paddle.to_tensor([0, 1])]", "copy", "copy", "copy", "x[torch.tensor([0, 1])]"),
        Line("x[x > 5.]", "copy", "copy", "copy"),
        Line("x[0, [1, 2]]", "copy", "copy", "copy"),
    )),
    Chapter(Text("Another shape", "另一种形状"), (
        Line("x.reshape([4, 3])", "view", "view", "view"),
        Line("x.reshape([3, 4])", "self", "self", "view", note=Text("the same shape", "形状不变")),
        Line("x.t().reshape([12])", "copy", "copy", "copy", shared_in_paddle=True, note=_COUNTER),
        Line("x.flatten()", "view", "view", "view"),
        Line("x.t().flatten()", "copy", "copy", "copy", shared_in_paddle=True, note=_COUNTER),
        Line("x.ravel()", "view", "view", "view"),
        Line("x.view([4, 3])", "view", "view", "view", note=Text("never copies: it refuses", "从不复制，做不到就拒绝")),
        Line("x.view([3, 4])", "view", "view", "view"),
        Line("x.view_as(x.t().contiguous())", "view", "view", "view"),
        Line("x.unflatten(1, [2, 2])", "view", "view", "view"),
        Line("x.squeeze()", "view", "view", "view", note=Text("also where there is nothing to squeeze", "没有可去掉的轴时也一样")),
        Line("x.unsqueeze(0)", "view", "view", "view"),
        Line("x.contiguous()", "self", "self", "self"),
        Line("x.t().contiguous()", "copy", "copy", "copy"),
    )),
    Chapter(Text("Other axes", "换轴"), (
        Line("x.transpose([1, 0])", "view", "view", "view", "x.permute([1, 0])"),
        Line("x.transpose([0, 1])", "view", "view", "view", "x.permute([0, 1])"),
        Line("x.t()", "view", "view", "view"),
        Line("x.T", "view", "view", "view"),
        Line("x.mT", "view", "view", "view"),
        Line("x.moveaxis(0, 1)", "view", "view", "view"),
        Line("x.swapaxes(0, 1)", "view", "view", "view"),
        Line("x.diagonal()", "view", "view", "view"),
        Line("x.unfold(1, 2, 2)", "view", "view", "view"),
        Line("x.unfold(1, 2, 1)", "view", "view", "view", writable=False,
             note=Text("the windows overlap: writing is refused (the others write)", "窗口互相重叠：不允许写入（另外两家照写）")),
        Line("x.as_strided([2, 2], [1, 4])", "view", "view", "view"),
        Line("x.as_strided([2, 2], [0, 1])", "view", "view", "view", writable=False, writable_in_torch=False,
             note=Text("stride 0: writing is refused (Paddle writes)", "步幅为 0：不允许写入（Paddle 照写）")),
        Line("paddle.slice(x, [0], [1], [2])", "view", "view", "", note=Text("PyTorch: `x[1:2]`", "PyTorch 写作 `x[1:2]`")),
        Line("paddle.strided_slice(x, [1], [0], [4], [2])", "view", "view", ""),
        Line("x.narrow(0, 1, 2)", "view", "view", "view"),
    )),
    Chapter(Text("Cut into parts", "切成几份"), (
        Line("x.unbind()[0]", "view", "view", "view", writable_in_torch=False, note=_NOT_WRITTEN),
        Line("x.split(3)[0]", "copy", "copy", "view", "x.split(1)[0]", writable_in_torch=False, note=_NOT_WRITTEN),
        Line("x.chunk(2, 1)[0]", "copy", "copy", "view", writable_in_torch=False, note=_NOT_WRITTEN),
        Line("x.unstack()[0]", "copy", "copy", ""),
        Line("x.tensor_split(2)[0]", "copy", "copy", "view"),
        Line("x.tensor_split([1])[0]", "view", "view", "view", note=Text("a list of places, not a number", "给出位置列表而非份数")),
        Line("x.hsplit(2)[0]", "copy", "copy", "view"),
        Line("x.vsplit(3)[0]", "copy", "copy", "view"),
    )),
    Chapter(Text("Repeated, joined, in another order", "重复、拼接、换次序"), (
        Line("x.expand([2, 3, 4])", "copy", "copy", "view", writable_in_torch=False, note=_STRIDE_NOUGHT),
        Line("x.broadcast_to([2, 3, 4])", "copy", "copy", "view", writable_in_torch=False, note=_STRIDE_NOUGHT),
        Line("x.expand_as(paddle.zeros([2, 3, 4]))", "copy", "copy", "view", "x.expand_as(torch.zeros([2, 3, 4]))", writable_in_torch=False, note=_STRIDE_NOUGHT),
        Line("x.tile([1, 1])", "copy", "copy", "copy"),
        Line("x.flip(0)", "copy", "copy", "copy", note=Text("but `x[::-1]` is a view", "而 `x[::-1]` 是视图")),
        Line("x.roll(0)", "copy", "copy", "copy"),
        Line("x.rot90()", "copy", "copy", "copy"),
        Line("x.rot90(0)", "self", "self", "copy"),
        Line("paddle.concat([x])", "copy", "copy", "copy", "torch.concat([x])"),
        Line("paddle.stack([x])", "copy", "copy", "copy", "torch.stack([x])"),
    )),
    Chapter(Text("The same values", "同样的数值"), (
        Line("x.detach()", "view", "view", "view", note=Text("without history; not refused even on a leaf", "不带历史；即使 `x` 是叶子张量也可写")),
        Line("x.data", "view", "view", "view", note=Text("in PyTorch with a counter of its own", "在 PyTorch 中有自己的版本计数器")),
        Line("x.clone()", "copy", "copy", "copy"),
        Line("paddle.assign(x)", "copy", "copy", "", note=Text("PyTorch: `x.clone()`", "PyTorch 写作 `x.clone()`")),
        Line("paddle.to_tensor(x)", "copy", "copy", "copy", "torch.tensor(x)"),
        Line("x.astype('float32')", "self", "self", "self", "x.type(torch.float32)", note=Text("the same dtype", "数据类型不变")),
        Line("x.astype('float64')", "copy", "copy", "copy", "x.type(torch.float64)"),
        Line("x.cast('float32')", "copy", "copy", "self", "x.to(torch.float32)",
             note=Text("copies even to the same dtype", "数据类型不变时也复制")),
        Line("x.cpu()", "self", "self", "self", note=Text("if it is there already", "如果已经在那里")),
        Line("x + 0", "copy", "copy", "copy"),
    )),
    Chapter(Text("Other numbers in the same slots", "同样的槽位，另一些数"), (
        Line("x.reshape([3, 2, 2]).as_complex()", "view", "view", "view", "torch.view_as_complex(x.reshape([3, 2, 2]))"),
        Line("x.reshape([3, 2, 2]).as_complex().as_real()", "view", "view", "view",
             "torch.view_as_real(torch.view_as_complex(x.reshape([3, 2, 2])))"),
        Line("x.reshape([3, 2, 2]).as_complex().real()", "view", "view", "view", "torch.view_as_complex(x.reshape([3, 2, 2])).real"),
        Line("x.reshape([3, 2, 2]).as_complex().imag()", "view", "view", "view", "torch.view_as_complex(x.reshape([3, 2, 2])).imag"),
        Line("x.reshape([3, 2, 2]).as_complex().conj()", "copy", "copy", "view", "torch.view_as_complex(x.reshape([3, 2, 2])).conj()",
             note=Text("PyTorch sets a mark on the view", "PyTorch 只在视图上做标记")),
        Line("x.detach().view('int32')", "view", "view", "view", "x.detach().view(torch.int32)",
             note=Text("refused if `x` needs a gradient: bits have no derivative", "`x` 需要梯度时拒绝：比特没有导数")),
        Line("x.view('float32')", "self", "self", "view", "x.view(torch.float32)", note=Text("the same dtype", "数据类型不变")),
    )),
)  # fmt: skip
"""All lines, by chapter."""

# ---- how the table is shown ------------------------------------------------------------------------------------------------

_TITLE = Text("Self, view or copy", "自身、视图还是副本")
_HEADS = (
    Text("operation", "操作"), Text("inplacelab", "inplacelab"), Text("Paddle 3.3.1", "Paddle 3.3.1"),
    Text("PyTorch 2.13", "PyTorch 2.13"), Text("shares the counter", "共享计数器"), Text("may be written", "可写"),
    Text("note", "说明"),
)  # fmt: skip
_KINDS = {"self": Text("self", "自身"), "view": Text("view", "视图"), "copy": Text("copy", "副本"), "": Text("-", "-")}
_YES, _NO = Text("yes", "是"), Text("no", "否")
_IN_PADDLE = Text("{here} (Paddle: {paddle})", "{here}（Paddle：{paddle}）")


def _said(yes: bool) -> Text:
    return _YES if yes else _NO


def _counter(line: Line) -> Text:
    here, paddle = line.shares_counter, line.shares_counter_in_paddle
    return _said(here) if here == paddle else _IN_PADDLE.format(here=_said(here), paddle=_said(paddle))


def _cells(line: Line) -> tuple[Cell, ...]:
    kinds = (_KINDS[line.here], _KINDS[line.paddle], _KINDS[line.torch])
    return f"`{line.program}`", *kinds, _counter(line), _said(line.writable), line.note or ""


TABLE = Listing(
    _TITLE, _HEADS, [Group(chapter.title, [_cells(line) for line in chapter.lines]) for chapter in CHAPTERS]
)
"""The whole table."""

if __name__ == "__main__":
    print(TABLE)
