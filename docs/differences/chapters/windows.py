"""Entries: windows on a storage that show a slot twice, or slots that the tensor does not show on which they were made."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "windows",
    Text("Windows on a storage", "存储上的窗口"),
    Text(
        "`unfold` and `as_strided` show any slots, some of them twice. The gradient has to reach each slot once for every time that it "
        "is shown. In Paddle the derivatives of their parts look in the wrong places.",
        "`unfold` 与 `as_strided` 可以显示任意槽位，有的还显示两次。每显示一次，梯度就应到达该槽位一次。在 Paddle 中，它们各部分的导数找错了位置。",
    ),
    (
        difference(
            key="part-of-windows",
            kind=Kind.RIGHT,
            title=Text("One of several overlapping windows", "若干重叠窗口中的一个"),
            program="""
                b = (a * 2).flatten()
                loss = b.unfold(0, 2, 1)[0].sum()
            """,
            why=Text(
                "The window shows the slots 0 and 1, so both have a gradient.",
                "该窗口显示槽位 0 和 1，因此两者都有梯度。",
            ),
        ),
        difference(
            key="part-of-windows-written",
            kind=Kind.RIGHT,
            title=Text("One of several overlapping windows is written", "写入若干重叠窗口中的一个"),
            program="""
                b = (a * 2).flatten()
                b.unfold(0, 2, 1)[1].square_()
                loss = b.sum()
            """,
            why=Text(
                "The window itself shows no slot twice, so it may be written; the history of `b` is rewritten.",
                "这个窗口本身没有重复显示任何槽位，因此可以写入；`b` 的历史随之更新。",
            ),
        ),
        difference(
            key="window-beside-a-view",
            kind=Kind.RIGHT,
            title=Text("A window that begins before the view on which it is made", "从视图之前的位置开始的窗口"),
            program="""
                b = a * 2
                loss = b[1].as_strided([2], [1], 0).sum()
            """,
            why=Text(
                "A window counts from the beginning of the storage: this one shows the first row, and so the gradient belongs to `b`, "
                "not to the view `b[1]`. PyTorch gives a gradient to neither.",
                "窗口的偏移从存储的开头算起：这个窗口显示第一行，因此梯度属于 `b`，而不属于视图 `b[1]`。PyTorch 则谁也没有得到梯度。",
            ),
        ),
    ),
)
