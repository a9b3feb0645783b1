"""Entries: a tensor is written, its views or a buffer's views are used."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "writes-seen-by-views",
    Text("A tensor is written, its views are used", "写入张量，再使用它的视图"),
    Text(
        "The views show the new value, so they need a new grad node, which leads to the base's present one. It is made when "
        "a view is next used: the version counter shows the write. In Paddle the views keep the node of the old value.",
        "视图显示的是新值，因此需要一个通向基张量当前节点的新梯度节点。它在视图下一次被使用时建立：版本号表明有人写过。"
        "在 Paddle 中，视图仍保留旧值的节点。",
    ),
    (
        difference(
            key="base-scaled-row-used",
            kind=Kind.RIGHT,
            title=Text("The base is scaled, a row is used", "缩放基张量，使用其中一行"),
            program="""
                b = a * 2
                v = b[0]
                b.scale_(3.)
                loss = v.sum()
            """,
            torch="""
                b = a * 2
                v = b[0]
                b.mul_(3.)
                loss = v.sum()
            """,
            why=Text("The row was tripled with the rest.", "这一行随整体一起变为三倍。"),
        ),
        difference(
            key="base-sine-reshape-used",
            kind=Kind.RIGHT,
            title=Text("The sine of the base, a reshaped view is used", "基张量原地求正弦，使用 reshape 视图"),
            program="""
                b = a * 2
                v = b.reshape([4])
                b.sin_()
                loss = v.sum()
            """,
            why=Text(
                "Paddle's gradient is that of the line before `sin_`.", "Paddle 给出的是 `sin_` 之前那一行的梯度。"
            ),
        ),
        difference(
            key="item-set-row-used",
            kind=Kind.RIGHT,
            title=Text("`b[0] = 0`, and the view of that row is used", "执行 `b[0] = 0` 后使用该行的视图"),
            program="""
                b = a * 2
                v = b[0]
                b[0] = 0.
                loss = v.sum()
            """,
            why=Text(
                "The row is zero; its gradient is zero. In Paddle it is 2.", "该行为零，梯度也应为零；Paddle 给出 2。"
            ),
        ),
        difference(
            key="sibling-scaled",
            kind=Kind.RIGHT,
            title=Text(
                "Two views of one row: one is negated, the other used", "同一行的两个视图：一个取负，另一个被使用"
            ),
            program="""
                b = a * 2
                v = b[0]
                w = b[0]
                v.neg_()
                loss = w.sum()
            """,
            why=Text(
                "Both look at the same bytes. The write goes by way of the base to the other view.",
                "两者看的是同一份字节。写入经由基张量传到另一个视图。",
            ),
        ),
        difference(
            key="siblings-overlap",
            kind=Kind.RIGHT,
            title=Text("A column is zeroed, a row that it crosses is used", "清零一列，使用与它相交的一行"),
            program="""
                b = a * 2
                w = b[0]
                b[:, 0].zero_()
                loss = w.sum()
            """,
            why=Text("They share one element: only its gradient is zero.", "二者只共有一个元素：只有它的梯度为零。"),
        ),
        difference(
            key="buffer-row-added",
            kind=Kind.RIGHT,
            title=Text("A buffer without gradient is filled row by row", "逐行填充不需要梯度的缓冲区"),
            program="""
                z = paddle.zeros([2, 2])
                z[0].add_(a[0] * 3)
                loss = z.sum() + a.sum()
            """,
            torch="""
                z = torch.zeros([2, 2])
                z[0].add_(a[0] * 3)
                loss = z.sum() + a.sum()
            """,
            why=Text(
                "The buffer needs a gradient from the write on. In Paddle only the view `z[0]` does, and no name refers to it.",
                "从这次写入起，缓冲区就需要梯度。在 Paddle 中只有视图 `z[0]` 需要梯度，而它并没有被保留下来。",
            ),
        ),
        difference(
            key="buffer-reshaped-added",
            kind=Kind.RIGHT,
            title=Text("A buffer is filled through a reshaped view", "通过 reshape 视图填充缓冲区"),
            program="""
                z = paddle.zeros([4])
                z.reshape([2, 2]).add_(a * 3)
                loss = z.sum() + a.sum()
            """,
            torch="""
                z = torch.zeros([4])
                z.reshape([2, 2]).add_(a * 3)
                loss = z.sum() + a.sum()
            """,
            why=Text(
                "The whole buffer is written through a view. In Paddle only that view has the history, and no name refers to it.",
                "整个缓冲区都通过视图写入。在 Paddle 中只有这个视图有历史，而它并没有被保留下来。",
            ),
        ),
        difference(
            key="overlapping-window-read",
            kind=Kind.RIGHT,
            title=Text("A window that shows some slots twice is read", "读取一个重复显示某些槽位的窗口"),
            program="""
                b = (a * 2).flatten()
                loss = (b.as_strided([3, 2], [1, 1]) ** 2).sum()
            """,
            why=Text(
                "What is shown twice gets both gradients. Paddle writes one over the other.",
                "显示两次的元素应累加两份梯度。Paddle 让后一份覆盖了前一份。",
            ),
        ),
        difference(
            key="view-without-history-used",
            kind=Kind.REFUSED,
            title=Text(
                "A view made under `no_grad` is used after its base was written",
                "`no_grad` 下创建的视图，在基张量被写后使用",
            ),
            program="""
                b = a * 2
                with paddle.no_grad():
                    v = b[0]
                b.square_()
                loss = v.sum() + a.sum()
            """,
            torch="""
                b = a * 2
                with torch.no_grad():
                    v = b[0]
                b.square_()
                loss = v.sum() + a.sum()
            """,
            why=Text(
                "The view was made as a constant, but shows a value that depends on `a`. Which of the two is meant cannot be "
                "known, so it is not guessed.",
                "该视图创建时是常数，现在显示的值却依赖 `a`。无法得知程序想要的是哪一种，因此不做猜测。",
            ),
            fixed="""
                b = a * 2
                v = b[0]
                b.square_()
                loss = v.sum() + a.sum()
            """,
        ),
        difference(
            key="view-without-history-written",
            kind=Kind.REFUSED,
            title=Text("A view made under `no_grad` is written outside", "在外部写入 `no_grad` 下创建的视图"),
            program="""
                b = a * 2
                with paddle.no_grad():
                    v = b[0]
                v.neg_()
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                with torch.no_grad():
                    v = b[0]
                v.neg_()
                loss = b.sum()
            """,
            why=Text(
                "The base's history would have to change through a view that is not part of it.",
                "这要求通过一个不属于历史的视图去更新基张量的历史。",
            ),
            fixed="""
                b = a * 2
                v = b[0]
                v.neg_()
                loss = b.sum()
            """,
        ),
    ),
)
