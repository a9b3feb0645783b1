"""The table of views: which operations give the tensor itself, a view or a copy; here, in PaddlePaddle and in PyTorch.

    python -m inplacelab.ops.table.views_and_copies             print it (INPLACELAB_LANGUAGE=zh for Chinese)

In a notebook, `inplacelab.ops.table.views_and_copies.TABLE` shows itself. Every line is a program on a tensor `x` of shape [3, 4]; the tests
run each one here, in the real PaddlePaddle 3.3.1 and in PyTorch 2.13, write through the result, and look at `x`.

>>> from inplacelab.ops.table.views_and_copies import TABLE
>>> print(TABLE.about("unbind", "x.split(3)"))
operation      inplacelab  Paddle 3.3.1  PyTorch 2.13  one counter with x  may be written  note
x.unbind()[0]  view        view          view          yes                 yes             PyTorch refuses to write them
x.split(3)[0]  copy        copy          view          no                  yes             PyTorch refuses to write them
"""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.listing import Cell, Group, Listing
from inplacelab.ops.table.views_and_copies_rows import CHAPTERS, Chapter, Line

__all__ = ["CHAPTERS", "TABLE", "Chapter", "Line"]

_TITLE = Text("Self, view or copy", "自身、视图还是副本")
_HEADS = (
    Text("operation", "操作"), Text("inplacelab", "inplacelab"), Text("Paddle 3.3.1", "Paddle 3.3.1"),
    Text("PyTorch 2.13", "PyTorch 2.13"), Text("one counter with `x`", "与 `x` 共用计数器"), Text("may be written", "可写"),
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
