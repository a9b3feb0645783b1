"""Entries: a view is written, the tensor it looks at is used."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "writes-through-views",
    Text("A view is written, its base is used", "写入视图，再使用其基张量"),
    Text(
        "The write changes the base's value, so the base's history must change too: its grad node becomes one that sends "
        "the gradient of the written part through the write and the rest around it (PyTorch calls it CopySlices). Paddle "
        "rewires only the tensor that was named in the call: the base keeps the node of a value that it no longer has, "
        "and backward silently follows it.",
        "写入改变了基张量的值，因此基张量的历史也必须改变：它的梯度节点要换成新的节点，让被写部分的梯度经过这次写入，其余部分绕过它"
        "（PyTorch 称之为 CopySlices）。Paddle 只更新调用中出现的那个张量的历史：基张量仍保留旧值的节点，反向传播便悄悄沿用这个节点。",
    ),
    (
        difference(
            key="row-scaled",
            kind=Kind.RIGHT,
            title=Text("A row is scaled", "缩放一行"),
            program="""
                b = a * 2
                v = b[0]
                v.scale_(3.)
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                v = b[0]
                v.mul_(3.)
                loss = b.sum()
            """,
            why=Text(
                "The first row of `b` is three times as large, and so is its derivative. Paddle differentiates the "
                "program without its third line.",
                "`b` 的第一行变为三倍，导数也应变为三倍。Paddle 求的是去掉第三行之后那个程序的导数。",
            ),
        ),
        difference(
            key="column-negated",
            kind=Kind.RIGHT,
            title=Text("Every other column is negated", "每隔一列取负"),
            program="""
                b = a * 2
                b[:, ::2].neg_()
                loss = b.sum()
            """,
            why=Text("A slice with a step is a view as well.", "带步长的切片同样是视图。"),
        ),
        difference(
            key="reshaped-scaled",
            kind=Kind.RIGHT,
            title=Text("A reshaped tensor is negated", "对 reshape 的结果取负"),
            program="""
                b = a * 2
                b.reshape([4]).neg_()
                loss = b.sum()
            """,
            why=Text(
                "A reshape of a contiguous tensor is a view of all of it.", "对连续张量做 reshape，得到的是整体的视图。"
            ),
        ),
        difference(
            key="viewed-scaled",
            kind=Kind.RIGHT,
            title=Text("A tensor made by `view` is negated", "对 `view` 的结果取负"),
            program="""
                b = a * 2
                b.view([4]).neg_()
                loss = b.sum()
            """,
            why=Text("`view` says that it is one.", "`view` 正如其名，就是视图。"),
        ),
        difference(
            key="flattened-squared",
            kind=Kind.RIGHT,
            title=Text("A flattened tensor is squared", "对 flatten 的结果平方"),
            program="""
                b = a * 2
                b.flatten().square_()
                loss = b.sum()
            """,
            why=Text(
                "The derivative of the square needs the overwritten value; a copy of it is kept.",
                "平方的导数需要被覆盖的值，因此会保留它的副本。",
            ),
        ),
        difference(
            key="transposed-sine",
            kind=Kind.RIGHT,
            title=Text("The sine of a transposed tensor, in place", "对转置原地求正弦"),
            program="""
                b = a * 2
                b.t().sin_()
                loss = (b * b).sum()
            """,
            why=Text(
                "The values that `b * b` keeps are the new ones, its history is the old one: the two do not belong together.",
                "`b * b` 保存的是新值，沿用的却是旧历史：两者对不上。",
            ),
        ),
        difference(
            key="unsqueezed-zeroed",
            kind=Kind.RIGHT,
            title=Text("A tensor with one more axis is set to zero", "对增加一个轴的视图清零"),
            program="""
                b = a * 2
                b.unsqueeze(0).zero_()
                loss = b.sum()
            """,
            why=Text("All of `b` is zero, whatever `a` is.", "无论 `a` 是什么，`b` 都全为零。"),
        ),
        difference(
            key="diagonal-filled",
            kind=Kind.RIGHT,
            title=Text("A diagonal is filled", "填充对角线"),
            program="""
                b = a * 2
                b.diagonal().fill_(0.)
                loss = b.sum()
            """,
            why=Text("The diagonal no longer depends on `a`.", "对角线不再依赖 `a`。"),
        ),
        difference(
            key="strided-window-negated",
            kind=Kind.RIGHT,
            title=Text("A window made by `as_strided` is negated", "对 `as_strided` 的窗口取负"),
            program="""
                b = a * 2
                b.as_strided([2], [1], 0).neg_()
                loss = b.sum()
            """,
            why=Text("The window shows the first row.", "该窗口显示的是第一行。"),
        ),
        difference(
            key="unbound-sine",
            kind=Kind.RIGHT,
            title=Text("One of the rows that `unbind` returns is overwritten", "原地修改 `unbind` 得到的一行"),
            program="""
                b = a * 2
                v, w = b.unbind(0)
                v.sin_()
                loss = (b * b).sum()
            """,
            why=Text(
                "PyTorch refuses, because its `unbind` has one grad node for all its results. Here each result is a view "
                "of `b` like any other, with a node of its own, and may be written to, just as `b[0]` may.",
                "PyTorch 拒绝执行，因为它的 `unbind` 只有一个梯度节点供所有结果共享。在 inplacelab 里，每个结果都是 `b` 的普通视图，各有自己的节点，"
                "可以像 `b[0]` 一样写入。",
            ),
        ),
        difference(
            key="view-of-view-zeroed",
            kind=Kind.RIGHT,
            title=Text("A view of a view is set to zero", "对视图的视图清零"),
            program="""
                b = a * 2
                b[1][0:1].zero_()
                loss = b.sum()
            """,
            why=Text(
                "The base is the tensor at the bottom, however many views lie between.",
                "无论中间隔着多少层视图，基张量总是最底下的那一个。",
            ),
        ),
        difference(
            key="item-of-view-set",
            kind=Kind.RIGHT,
            title=Text("`v[0] = 9` where `v` is a view", "对视图 `v` 执行 `v[0] = 9`"),
            program="""
                b = a * 2
                v = b[0]
                v[0] = 9.
                loss = b.sum()
            """,
            why=Text(
                "Assignment to an item is an in-place write, too. `b[0, 0] = 9.` is right in Paddle; through `v` it is not.",
                "给元素赋值同样是原地写入。在 Paddle 中 `b[0, 0] = 9.` 是正确的，经由 `v` 写入则不然。",
            ),
        ),
        difference(
            key="added-into-view",
            kind=Kind.RIGHT,
            title=Text("A tensor that needs a gradient is added into a row", "把需要梯度的张量加到一行里"),
            program="""
                b = a * 2
                b[0].add_(a[1] * 5)
                loss = b.sum()
            """,
            why=Text(
                "Through `b` the second row of `a` now reaches the loss twice.",
                "`a` 的第二行现在经由 `b` 两次影响损失。",
            ),
        ),
        difference(
            key="masked-row",
            kind=Kind.RIGHT,
            title=Text("Elements of a row are masked out", "按掩码填充一行"),
            program="""
                b = a * 2
                v = b[0]
                v.masked_fill_(v > 2.5, 0.)
                loss = b.sum()
            """,
            why=Text("The masked element is a constant now.", "被掩码选中的元素现在是常数。"),
        ),
        difference(
            key="assigned-into-view",
            kind=Kind.RIGHT,
            title=Text("`assign` writes into a row", "用 `assign` 写入一行"),
            program="""
                b = a * 2
                paddle.assign(a[1] * 5, b[0])
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                b[0].copy_(a[1] * 5)
                loss = b.sum()
            """,
            why=Text(
                "`assign` with an output is a write like any other.", "带输出参数的 `assign` 与其他写入并无不同。"
            ),
        ),
        difference(
            key="complex-parts-squared",
            kind=Kind.RIGHT,
            title=Text("The parts of complex numbers are written as real numbers", "以实数形式写入复数的各部分"),
            program="""
                c = paddle.as_complex(a * 2)
                paddle.as_real(c).square_()
                loss = paddle.as_real(c).sum()
            """,
            torch="""
                c = torch.view_as_complex(a * 2)
                torch.view_as_real(c).square_()
                loss = torch.view_as_real(c).sum()
            """,
            why=Text(
                "A view may change the dtype: the bytes are the same.", "视图也可以改变数据类型：底层字节是同一份。"
            ),
        ),
        difference(
            key="chain-on-view",
            kind=Kind.RIGHT,
            title=Text("Two in-place operations on one row", "对同一行连续两次原地操作"),
            program="""
                b = a * 2
                v = b[1]
                v.sin_()
                v.neg_()
                loss = (b * b).sum()
            """,
            why=Text("Each write wraps the base's history once more.", "每次写入都在基张量的历史上再包一层。"),
        ),
        difference(
            key="second-derivative-through-view",
            kind=Kind.RIGHT,
            title=Text("A second derivative through a written view", "穿过被写视图的二阶导数"),
            program="""
                b = a * 1
                b[0].square_()
                (g,) = paddle.grad((b * b).sum(), a, create_graph=True)
                loss = g.sum()
            """,
            torch="""
                b = a * 1
                b[0].square_()
                (g,) = torch.autograd.grad((b * b).sum(), a, create_graph=True)
                loss = g.sum()
            """,
            why=Text(
                "What is wrong in the first derivative is wrong in the second.", "一阶导数错，二阶导数也随之出错。"
            ),
        ),
    ),
)
