"""Entries: programs that leave the history on purpose. No framework can know that a gradient of the whole was wanted."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "escapes",
    Text("Where the program itself leaves the history", "程序主动脱离历史之处"),
    Text(
        "`no_grad`, `detach` and `stop_gradient` say: do not differentiate this. A write inside them changes the value and not "
        "the derivative, and that is what they are for (an optimizer's step, for instance). So nothing is refused, and the finite "
        "difference, which does not know about them, differs from all the answers.",
        "`no_grad`、`detach` 和 `stop_gradient` 的意思是：其中的内容不求导。在其中写入会改变值而不改变导数，这正是它们的用途（例如优化器的更新）。"
        "因此谁都不会拒绝，而不认识这些说法的有限差分与所有答案都不同。",
    ),
    (
        difference(
            key="written-under-no-grad",
            kind=Kind.ESCAPE,
            title=Text("A result is written under `no_grad`", "在 `no_grad` 下写入计算结果"),
            program="""
                b = a * 2
                with paddle.no_grad():
                    b.scale_(3.)
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                with torch.no_grad():
                    b.mul_(3.)
                loss = b.sum()
            """,
            why=Text("The history of `b` is that of its first line.", "`b` 的历史仍是第一行的历史。"),
        ),
        difference(
            key="written-through-detach",
            kind=Kind.ESCAPE,
            title=Text("A result is written through `detach()`", "通过 `detach()` 写入计算结果"),
            program="""
                b = a * 2
                b.detach().scale_(3.)
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                b.detach().mul_(3.)
                loss = b.sum()
            """,
            why=Text(
                "The detached tensor has the bytes but not the history. The version is raised all the same: had backward needed "
                "the old value, it would refuse.",
                "分离出的张量有字节而没有历史。版本号照样增加：若反向传播需要旧值，仍会拒绝。",
            ),
        ),
        difference(
            key="stopped-and-resumed",
            kind=Kind.ESCAPE,
            title=Text("`stop_gradient` is switched around a write", "写入前后切换 `stop_gradient`"),
            program="""
                b = a * 2
                b.stop_gradient = True
                b.scale_(3.)
                b.stop_gradient = False
                loss = b.sum()
            """,
            torch=None,
            why=Text(
                "The write was declared to be outside the history. PyTorch allows `requires_grad` to be switched for leaves only.",
                "程序声明了这次写入在历史之外。PyTorch 只允许切换叶子张量的 `requires_grad`。",
            ),
        ),
    ),
)
