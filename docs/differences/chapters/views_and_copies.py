"""Entries: which operations give views; `x += y`; what `detach` shares."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "views-and-copies",
    Text("View, copy, or the tensor itself", "视图、副本，还是张量自身"),
    Text(
        "Which operations share their input's storage is decided as in Paddle 3.3.1; PyTorch decides some differently.",
        "哪些操作与输入共享存储，以 Paddle 3.3.1 为准；PyTorch 有些不同。",
    ),
    (
        difference(
            key="augmented-assignment",
            kind=Kind.FOLLOWS,
            title=Text("`b += 1` binds the name to a new tensor", "`b += 1` 把名字绑定到新张量"),
            program="""
                b = a * 2
                c = b
                b += 1.
                answer = b is c
            """,
            why=Text(
                "There is no `__iadd__`: `b` is another tensor afterwards, and `c` is as it was. In PyTorch the line writes in "
                "place, and `c` sees it.",
                "没有 `__iadd__`：此后 `b` 是另一个张量，`c` 不变。在 PyTorch 中这一行是原地写入，`c` 也会看到。",
            ),
        ),
        difference(
            key="augmented-assignment-to-leaf",
            kind=Kind.FOLLOWS,
            title=Text("`p += 1` where `p` is a leaf", "对叶子张量执行 `p += 1`"),
            program="""
                p = a
                p += 1.
                loss = (p * p).sum()
            """,
            why=Text(
                "Nothing is overwritten, so nothing is refused: the leaf is still there, under the name `a`.",
                "没有覆盖任何东西，也就没有什么可拒绝：叶子仍在，名字是 `a`。",
            ),
        ),
        difference(
            key="split-copies",
            kind=Kind.FOLLOWS,
            title=Text("A part that `split` gives is written", "写入 `split` 得到的一块"),
            program="""
                b = a * 2
                v, w = b.split(2, 0)
                v.zero_()
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                v, w = b.split(1, 0)
                v.zero_()
                loss = b.sum()
            """,
            why=Text(
                "`split` and `chunk` copy. In PyTorch they give views that must not be written.",
                "`split` 和 `chunk` 会复制。在 PyTorch 中它们给出不可写的视图。",
            ),
        ),
        difference(
            key="expand-copies",
            kind=Kind.FOLLOWS,
            title=Text("An expanded tensor is written", "写入 `expand` 的结果"),
            program="""
                b = a[0] * 2
                e = b.expand([2, 2])
                e[0] = 0.
                answer = b.tolist()
            """,
            why=Text(
                "`expand` copies. In PyTorch it is a view with stride 0, and the write goes through to `b`.",
                "`expand` 会复制。在 PyTorch 中它是步幅为 0 的视图，写入会传到 `b`。",
            ),
        ),
        difference(
            key="same-shape-is-self",
            kind=Kind.FOLLOWS,
            title=Text("A reshape to the same shape", "reshape 成相同的形状"),
            program="""
                b = a * 2
                answer = b.reshape([2, 2]) is b
            """,
            why=Text("It is the tensor itself, not a view of it.", "得到的是张量自身，而不是它的视图。"),
        ),
        difference(
            key="metadata-after-detach",
            kind=Kind.DESIGN,
            title=Text("The shape of a detached tensor is changed", "改变 `detach` 结果的形状"),
            program="""
                b = a * 2
                b.detach().unsqueeze_(0)
                answer = list(b.shape)
            """,
            why=Text(
                "`detach` shares the storage and its counter, as it should. In Paddle, the result shares the shape and the dtype "
                "as well, so the original changes its shape behind its history's back.",
                "`detach` 共享存储及其版本计数器，这正是它的用意。Paddle 的 `detach` 连形状和数据类型也共享，所以原张量的形状也变了，而历史里并没有记下这件事。",
            ),
        ),
    ),
)
