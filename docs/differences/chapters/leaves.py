"""Entries: a leaf that needs a gradient is overwritten; what a refused write leaves behind."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "leaves",
    Text("A leaf is overwritten", "覆盖叶子张量"),
    Text(
        "A leaf that needs a gradient must not be written while history is recorded: afterwards it would no longer be the "
        "value that is trained. All three refuse `a.exp_()`. But Paddle looks at the leaf only after the kernel has run, and it "
        "does not look through views.",
        "记录历史时不得写入需要梯度的叶子张量：写过之后，它就不再是要训练的那个值了。三个框架都会拒绝 `a.exp_()`。"
        "但 Paddle 在核函数运行之后才检查叶子张量，而且不会透过视图去检查。",
    ),
    (
        difference(
            key="leaf-row-scaled",
            kind=Kind.REFUSED,
            title=Text("A row of a leaf is scaled", "缩放叶子张量的一行"),
            program="""
                a[0].scale_(3.)
                loss = (a * a).sum()
            """,
            torch="""
                a[0].mul_(3.)
                loss = (a * a).sum()
            """,
            why=Text(
                "Paddle gives the gradient with respect to the overwritten leaf, not to the one the program began with.",
                "Paddle 给出的是对覆盖之后的叶子的梯度，而不是对程序开始时那个叶子的梯度。",
            ),
            fixed="""
                b = a.clone()
                b[0].scale_(3.)
                loss = (b * b).sum()
            """,
        ),
        difference(
            key="leaf-reshaped-scaled",
            kind=Kind.REFUSED,
            title=Text("A reshaped leaf is scaled", "缩放 reshape 之后的叶子张量"),
            program="""
                v = a.reshape([4])
                v.scale_(3.)
                loss = (v * a.reshape([4])).sum()
            """,
            torch="""
                v = a.reshape([4])
                v.mul_(3.)
                loss = (v * a.reshape([4])).sum()
            """,
            why=Text(
                "`v` knows that it was scaled, `a` does not: Paddle's gradient is half one, half the other.",
                "`v` 知道自己被缩放过，`a` 却不知道：Paddle 的梯度一半按前者、一半按后者。",
            ),
            fixed="""
                b = a.clone()
                v = b.reshape([4])
                v.scale_(3.)
                loss = (v * b.reshape([4])).sum()
            """,
        ),
        difference(
            key="leaf-rounded-down",
            kind=Kind.REFUSED,
            title=Text("An operation without derivative on a leaf", "对叶子张量执行没有导数的操作"),
            program="""
                a.floor_divide_(paddle.full([2, 2], 1.7))
                loss = (a * a).sum()
            """,
            torch="""
                a.floor_divide_(torch.full([2, 2], 1.7))
                loss = (a * a).sum()
            """,
            why=Text(
                "Nineteen in-place operations of Paddle do not check at all whether they write a leaf.",
                "Paddle 有十九个原地操作根本不检查自己是否在写叶子张量。",
            ),
            fixed="""
                b = a.clone()
                b.floor_divide_(paddle.full([2, 2], 1.7))
                loss = (b * b).sum() + 0 * a.sum()
            """,
        ),
        difference(
            key="refused-write-has-happened",
            kind=Kind.RIGHT,
            title=Text("A write to a leaf is refused, and the program goes on", "写叶子被拒绝后程序继续运行"),
            program="""
                loss = (a * a).sum()
                try:
                    a.exp_()
                except ValueError:
                    pass
            """,
            torch="""
                loss = (a * a).sum()
                try:
                    a.exp_()
                except RuntimeError:
                    pass
            """,
            why=Text(
                "Paddle has written when it refuses, and has not raised the version: backward uses the exponentials.",
                "Paddle 拒绝时其实已经写入，而且没有增加版本号：反向传播用的是指数之后的值。",
            ),
        ),
        difference(
            key="refused-write-zeroes",
            kind=Kind.RIGHT,
            title=Text(
                "`zero_` on a leaf is refused, and the program goes on", "对叶子的 `zero_` 被拒绝后程序继续运行"
            ),
            program="""
                loss = (a * a).sum()
                try:
                    a.zero_()
                except ValueError:
                    pass
            """,
            torch="""
                loss = (a * a).sum()
                try:
                    a.zero_()
                except RuntimeError:
                    pass
            """,
            why=Text(
                "In Paddle the leaf is zero afterwards, and so is its gradient.",
                "在 Paddle 中叶子随后变为零，梯度也变为零。",
            ),
        ),
        difference(
            key="refused-value",
            kind=Kind.DESIGN,
            title=Text("The values after a refused write", "被拒绝的写入之后的值"),
            program="""
                try:
                    a.square_()
                except ValueError:
                    pass
                answer = a.tolist()
            """,
            torch="""
                try:
                    a.square_()
                except RuntimeError:
                    pass
                answer = a.tolist()
            """,
            why=Text(
                "Here every check comes before the write: what is refused leaves everything as it was.",
                "inplacelab 的所有检查都在写入之前：被拒绝的操作不留下任何改变。",
            ),
        ),
        difference(
            key="refused-shape",
            kind=Kind.DESIGN,
            title=Text("The shape after a refused `unsqueeze_`", "被拒绝的 `unsqueeze_` 之后的形状"),
            program="""
                try:
                    a.unsqueeze_(0)
                except ValueError:
                    pass
                answer = list(a.shape)
            """,
            torch="""
                try:
                    a.unsqueeze_(0)
                except RuntimeError:
                    pass
                answer = list(a.shape)
            """,
            why=Text("Check before write, for metadata as well.", "元数据同样先检查、后修改。"),
        ),
        difference(
            key="refused-dtype",
            kind=Kind.DESIGN,
            title=Text("The dtype after a refused `cast_`", "被拒绝的 `cast_` 之后的数据类型"),
            program="""
                try:
                    a.cast_("float32")
                except ValueError:
                    pass
                answer = str(a.dtype)
            """,
            torch=None,
            why=Text(
                "Check before write, for the dtype as well. PyTorch has no `cast_`.",
                "数据类型同样先检查、后修改。PyTorch 没有 `cast_`。",
            ),
        ),
        difference(
            key="leaf-drawn",
            kind=Kind.DESIGN,
            title=Text("A leaf is filled with random numbers", "用随机数填充叶子张量"),
            program="""
                a.exponential_()
                answer = a.is_leaf
            """,
            why=Text(
                "A write like any other: refused. Paddle allows it, and the tensor is no longer a leaf: only zeros arrive in its "
                "`.grad` (the derivative for what was overwritten), and no optimizer updates it again.",
                "与其他写入一样，应当拒绝。Paddle 允许它，于是该张量不再是叶子：它的 `.grad` 只会收到零（即对被覆盖之值的导数），优化器再也不会更新它。",
            ),
        ),
        difference(
            key="gradient-of-the-overwritten",
            kind=Kind.DESIGN,
            title=Text(
                "`.grad` of a tensor that took no gradient until it was written",
                "张量因写入而需要梯度之后的 `.grad`",
            ),
            program="""
                z = paddle.ones([2, 2])
                z.multiply_(a)
                (z * z).sum().backward()
                answer = "nothing" if z.grad is None else z.grad.tolist()
            """,
            torch="""
                z = torch.ones([2, 2])
                z.mul_(a)
                (z * z).sum().backward()
                answer = "nothing" if z.grad is None else z.grad.tolist()
            """,
            why=Text(
                "Since the write, `z` is the result of an operation, and a tensor that is not a leaf keeps no gradient unless asked to "
                "(`retain_grads`). Paddle puts into `z.grad` the gradient for the ones that were overwritten, which nothing asked for: "
                "`z` needed none. It is not the gradient for the value that `z` has.",
                "写入之后 `z` 是某个操作的结果，而非叶子张量除非调用 `retain_grads`，否则不保留梯度。Paddle 却把对那些已被覆盖的 1 的梯度放进 "
                "`z.grad`：`z` 当时并不需要梯度，也没有人要过它。它不是对 `z` 现在的值的梯度。",
            ),
        ),
        difference(
            key="leaf-compared",
            kind=Kind.DESIGN,
            title=Text("A leaf is compared in place", "对叶子张量做原地比较"),
            program="""
                a.equal_(paddle.full([2, 2], 2.))
                answer = str(a.dtype)
            """,
            torch="""
                a.eq_(torch.full([2, 2], 2.))
                answer = str(a.dtype)
            """,
            why=Text(
                "In Paddle the leaf becomes a boolean tensor that still says it needs a gradient.",
                "在 Paddle 中叶子变成了布尔张量，却仍声称需要梯度。",
            ),
        ),
        difference(
            key="whole-slice-of-leaf",
            kind=Kind.DESIGN,
            title=Text("`a[:]` of a leaf", "叶子张量的 `a[:]`"),
            program="""
                answer = a[:].is_leaf
            """,
            why=Text(
                "Here it is a view like every other slice. Paddle gives another name to the same tensor.",
                "在 inplacelab 里，它与其他切片一样是视图。Paddle 则给同一个张量另起一个名字。",
            ),
        ),
    ),
)
