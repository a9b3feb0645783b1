"""Entries: in-place operations that have no grad node in Paddle, so that backward takes them for the identity."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "without-derivative",
    Text("A write that leaves the old grad node", "写入之后仍保留旧梯度节点"),
    Text(
        "A comparison, a rounding or a replacement has the derivative zero, or that of what was written. In Paddle some "
        "operations of this kind have no grad node: the tensor keeps the one of the value that it had before, and backward "
        "goes through the operation as if it were not there.",
        "比较、取整或替换的导数为零，或者等于写入之物的导数。Paddle 中一些这类操作没有梯度节点：张量保留着旧值的节点，"
        "反向传播就当这次操作不存在。",
    ),
    (
        difference(
            key="floor-divided",
            kind=Kind.RIGHT,
            title=Text("`floor_divide_`", "`floor_divide_`"),
            program="""
                b = a * 2
                b.floor_divide_(paddle.full([2, 2], 3.3))
                loss = b.sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.floor_divide_(torch.full([2, 2], 3.3))
                loss = b.sum() + a.sum()
            """,
            why=Text(
                "A step function: its derivative is zero wherever it has one. PyTorch refuses to say so.",
                "这是阶梯函数：凡有导数之处导数都为零。PyTorch 则拒绝回答。",
            ),
        ),
        difference(
            key="compared-in-place",
            kind=Kind.RIGHT,
            title=Text("`greater_than_`", "`greater_than_`"),
            program="""
                b = a * 2
                b.greater_than_(paddle.full([2, 2], 3.1))
                loss = b.astype("float64").sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.greater_(torch.full([2, 2], 3.1))
                loss = b.double().sum() + a.sum()
            """,
            why=Text("Booleans have no gradient.", "布尔值没有梯度。"),
        ),
        difference(
            key="equality-in-place",
            kind=Kind.RIGHT,
            title=Text("`equal_`", "`equal_`"),
            program="""
                b = a * 2
                b.equal_(paddle.full([2, 2], 3.1))
                loss = b.astype("float64").sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.eq_(torch.full([2, 2], 3.1))
                loss = b.double().sum() + a.sum()
            """,
            why=Text(
                "`equal_` turns `b` into Booleans, which have no gradient. Paddle continues with the old history of `b`.",
                "`equal_` 使 `b` 变成布尔值，而布尔值没有梯度。Paddle 却沿用 `b` 的旧历史。",
            ),
        ),
        difference(
            key="negation-in-place",
            kind=Kind.RIGHT,
            title=Text("`logical_not_`", "`logical_not_`"),
            program="""
                b = a * 2
                b.logical_not_()
                loss = b.astype("float64").sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.logical_not_()
                loss = b.double().sum() + a.sum()
            """,
            why=Text(
                "No gradient flows through `logical_not_`. Paddle and PyTorch continue with the old history of `b`.",
                "梯度不会流过 `logical_not_`。Paddle 和 PyTorch 却沿用 `b` 的旧历史。",
            ),
        ),
        difference(
            key="storage-replaced",
            kind=Kind.RIGHT,
            title=Text("`set_` gives another storage", "`set_` 换上另一个存储"),
            program="""
                b = a * 2
                b.set_(paddle.ones([2, 2]))
                loss = b.sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.set_(torch.ones([2, 2]))
                loss = b.sum() + a.sum()
            """,
            why=Text("Nothing in `b` depends on `a` any longer.", "`b` 中不再有任何依赖 `a` 的内容。"),
        ),
        difference(
            key="resized",
            kind=Kind.RIGHT,
            title=Text("`resize_` to fewer elements", "`resize_` 到更少的元素"),
            program="""
                b = a * 2
                b.resize_([2])
                loss = b.sum()
            """,
            why=Text(
                "Two elements are left, two are not. Paddle hands the leaf a gradient of the wrong shape.",
                "剩下两个元素，去掉两个。Paddle 交给叶子的梯度连形状都不对。",
            ),
        ),
        difference(
            key="constant-copied",
            kind=Kind.RIGHT,
            title=Text("`copy_` of a constant", "用 `copy_` 写入常数"),
            program="""
                b = a * 2
                b.copy_(paddle.ones([2, 2]), True)
                loss = b.sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.copy_(torch.ones([2, 2]), True)
                loss = b.sum() + a.sum()
            """,
            why=Text("What is copied over no longer matters.", "被覆盖的内容不再有影响。"),
        ),
        difference(
            key="gradient-copied",
            kind=Kind.RIGHT,
            title=Text("`copy_` of a tensor that needs a gradient", "用 `copy_` 写入需要梯度的张量"),
            program="""
                z = paddle.zeros([2, 2])
                z.copy_(a * 3, True)
                loss = z.sum() + a.sum()
            """,
            torch="""
                z = torch.zeros([2, 2])
                z.copy_(a * 3, True)
                loss = z.sum() + a.sum()
            """,
            why=Text("A copy hands the gradient on to its source.", "复制会把梯度传给来源。"),
        ),
        difference(
            key="value-set",
            kind=Kind.RIGHT,
            title=Text("`set_value` on a result", "对计算结果调用 `set_value`"),
            program="""
                b = a * 2
                b.set_value(paddle.ones([2, 2]))
                loss = b.sum() + a.sum()
            """,
            torch=None,
            why=Text(
                "The new value does not depend on `a`. PyTorch has no such method.",
                "新值不依赖 `a`。PyTorch 没有这个方法。",
            ),
        ),
        difference(
            key="rows-renormalized",
            kind=Kind.RIGHT,
            title=Text("`embedding_renorm_`", "`embedding_renorm_`"),
            program="""
                b = a * 2
                paddle.nn.functional.embedding_renorm_(paddle.to_tensor([0, 1]), b, 1.0)
                loss = (b * paddle.to_tensor([[1., 0.], [0., 1.]])).sum()
            """,
            torch=None,
            why=Text(
                "Rows are divided by their norms, which depend on `a`. PyTorch offers no way to write this with a gradient.",
                "每一行除以自己的范数，而范数依赖 `a`。PyTorch 没有带梯度的写法。",
            ),
        ),
        difference(
            key="second-derivative-product",
            kind=Kind.RIGHT,
            title=Text("The second derivative of `multiply_`", "`multiply_` 的二阶导数"),
            program="""
                b = a * 1
                b.multiply_(b + 0)
                (g,) = paddle.grad(b.sum(), a, create_graph=True)
                loss = g.sum()
            """,
            torch="""
                b = a * 1
                b.multiply_(b + 0)
                (g,) = torch.autograd.grad(b.sum(), a, create_graph=True)
                loss = g.sum()
            """,
            why=Text(
                "The overwritten factor is kept as a copy. Paddle's copy is cut off from the history, so its share in the "
                "second derivative is missing.",
                "被覆盖的因子以副本形式保存。Paddle 的副本与历史断开，二阶导数便缺了它那一份。",
            ),
        ),
        difference(
            key="second-derivative-sine",
            kind=Kind.RIGHT,
            title=Text("The second derivative of `sin_`", "`sin_` 的二阶导数"),
            program="""
                b = a * 1
                b.sin_()
                (g,) = paddle.grad(b.sum(), a, create_graph=True)
                loss = g.sum()
            """,
            torch="""
                b = a * 1
                b.sin_()
                (g,) = torch.autograd.grad(b.sum(), a, create_graph=True)
                loss = g.sum()
            """,
            why=Text(
                "The first derivative is the cosine of the overwritten value. Paddle's copy of that value has no history, so the leaf "
                "gets no second derivative at all.",
                "一阶导数是被覆盖的值的余弦。Paddle 的副本没有历史，所以叶子根本得不到二阶导数。",
            ),
        ),
    ),
)
