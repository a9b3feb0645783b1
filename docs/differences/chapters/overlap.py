"""Entries: what is read and what is written share slots; targets that do not have the shape of the result."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "overlap",
    Text("Source and target share some slots", "源与目标共享部分槽位"),
    Text(
        "If an element is read after another one was written over it, the result depends on the order in which a kernel "
        "goes through memory. A computation of this kind is refused; a plain copy reads everything first, and is done. Where "
        "every slot is read only where it is written, nothing depends on the order.",
        "如果某个元素在被别的元素覆盖之后才被读取，结果就取决于核函数遍历内存的次序。这样的计算会被拒绝；单纯的复制则先读完再写，照常进行。"
        "若每个槽位只在自己被写之处读取，结果便与次序无关。",
    ),
    (
        difference(
            key="row-subtracted-from-all",
            kind=Kind.REFUSED,
            title=Text("The first row is subtracted from every row", "每一行都减去第一行"),
            program="""
                b = a * 1
                b.subtract_(b[0])
                loss = (b * b).sum()
            """,
            why=Text(
                "The first row is zero before the second is computed: in Paddle even the values are wrong.",
                "计算第二行之前第一行已经变为零：在 Paddle 中连数值都是错的。",
            ),
            fixed="""
                b = a * 1
                b.subtract_(b[0].clone())
                loss = (b * b).sum()
            """,
        ),
        difference(
            key="transposed-onto-itself",
            kind=Kind.RIGHT,
            title=Text("A matrix is transposed onto itself by `copy_`", "用 `copy_` 把矩阵转置到自身"),
            program="""
                b = a * 1
                b.copy_(b.t(), True)
                loss = (b * paddle.to_tensor([[1., 2.], [3., 4.]])).sum()
            """,
            torch="""
                b = a * 1
                b.copy_(b.t(), True)
                loss = (b * torch.tensor([[1., 2.], [3., 4.]])).sum()
            """,
            why=Text(
                "A plain copy reads everything before it writes. In Paddle one of the two off-diagonal elements is lost before it "
                "is read; PyTorch refuses.",
                "单纯的复制会先读完再写。在 Paddle 中，两个非对角元素有一个还没读就丢失了；PyTorch 拒绝执行。",
            ),
        ),
        difference(
            key="shifted-by-one",
            kind=Kind.ACCEPTED,
            title=Text("All elements are shifted by one place", "所有元素后移一位"),
            program="""
                b = (a * 2).flatten()
                b[1:] = b[:-1]
                loss = (b * b).sum()
            """,
            why=Text(
                "A plain copy reads everything before it writes, as in NumPy. The other two refuse.",
                "单纯的复制会先读完再写，与 NumPy 一致。另外两个框架都拒绝。",
            ),
        ),
        difference(
            key="row-onto-row",
            kind=Kind.ACCEPTED,
            title=Text("`b[0] = b[1]`", "`b[0] = b[1]`"),
            program="""
                b = a * 2
                b[0] = b[1]
                loss = b.sum()
            """,
            why=Text(
                "Two different rows share no slot. Paddle refuses backward: its node has kept the value together with a "
                "version that the write itself raised.",
                "两个不同的行没有共享槽位。Paddle 拒绝反向传播：它的节点保存了该值，而版本号正是被这次写入本身改变的。",
            ),
        ),
        difference(
            key="own-square",
            kind=Kind.ACCEPTED,
            title=Text("`b.multiply_(b)`", "`b.multiply_(b)`"),
            program="""
                b = a * 2
                b.multiply_(b)
                loss = b.sum()
            """,
            why=Text(
                "Both factors are the overwritten value, of which a copy is kept. The other two keep the second factor as it is, "
                "and find that it was overwritten.",
                "两个因子都是被覆盖的值，它的副本会被保留。另外两个框架直接保存第二个因子，随后发现它已被覆盖。",
            ),
        ),
        difference(
            key="interleaved-parts-added",
            kind=Kind.STRICTER,
            title=Text("Every other element is added to by its neighbors", "隔一个取一个的元素加上另一段元素"),
            program="""
                b = (a * 2).flatten()
                b[::2].add_(b[2:])
                loss = (b * b).sum()
            """,
            why=Text(
                "The first sum reads a slot that the second writes: right in one order, wrong in the other. PyTorch looks for "
                "such overlaps only where neither tensor has gaps, and leaves the rest to the order of its kernels.",
                "第一个和读取的槽位正是第二个和要写的：换一种次序结果就错。PyTorch 只在两个张量都没有间隙时检查这种重叠，"
                "其余情况听凭核函数的次序。",
            ),
            fixed="""
                b = (a * 2).flatten()
                b[::2].add_(b[2:].clone())
                loss = (b * b).sum()
            """,
        ),
        difference(
            key="column-onto-column",
            kind=Kind.RIGHT,
            title=Text("A column is copied to another with a list as index", "用列表作下标把一列写到另一列"),
            program="""
                b = a * 2
                b[:, [0]] = b[:, 1:]
                loss = (b * b).sum()
            """,
            why=Text(
                "The column that is read gets two gradients: its own and that of its copy. In Paddle the second is memory that "
                "was never written: the answer differs from run to run.",
                "被读取的那一列应得到两份梯度：自己的与副本的。在 Paddle 中后一份取自从未写过的内存：每次运行的答案都可能不同。",
            ),
        ),
        difference(
            key="overlapping-window-written",
            kind=Kind.DESIGN,
            title=Text("A window that shows some slots twice is written", "写入一个重复显示某些槽位的窗口"),
            program="""
                b = (a.detach() * 2).flatten()
                w = b.as_strided([3, 2], [1, 1])
                w.sin_()
                answer = w.tolist()
            """,
            why=Text(
                "Some slots are written twice, and hold the sine of a sine. (And PyTorch's gradient, if you asked for it, "
                "would be that of a single sine.)",
                "有些槽位被写了两次，里面是正弦的正弦。（若求梯度，PyTorch 给出的却是只求一次正弦的梯度。）",
            ),
            fixed="""
                b = (a.detach() * 2).flatten()
                w = b.as_strided([3, 2], [1, 1]).clone()
                w.sin_()
                answer = w.tolist()
            """,
        ),
        difference(
            key="bits-written",
            kind=Kind.REFUSED,
            title=Text("The bits of a result are written as integers", "以整数形式写入计算结果的二进制位"),
            program="""
                b = a * 2
                b.view("int64").zero_()
                loss = b.sum() + a.sum()
            """,
            torch="""
                b = a * 2
                b.view(torch.int64).zero_()
                loss = b.sum() + a.sum()
            """,
            why=Text(
                "No derivative through bits is known. The other two do not notice the write.",
                "按二进制位写入谈不上导数。另外两个框架对这次写入视而不见。",
            ),
            fixed="""
                b = a * 2
                b.zero_()
                loss = b.sum() + a.sum()
            """,
        ),
        difference(
            key="mask-would-grow",
            kind=Kind.DESIGN,
            title=Text("`masked_fill_` with a mask of more axes", "`masked_fill_` 的掩码多一个轴"),
            program="""
                c = paddle.ones([3])
                c.masked_fill_(paddle.to_tensor([[True, False, False], [False, False, True]]), 0.)
                answer = list(c.shape)
            """,
            torch="""
                c = torch.ones([3])
                c.masked_fill_(torch.tensor([[True, False, False], [False, False, True]]), 0.)
                answer = list(c.shape)
            """,
            why=Text(
                "An in-place operation has a fixed place: the result must fit. Most in-place operations of Paddle refuse to grow; this "
                "one, `copy_`, `addmm_` and a few more give the tensor another storage.",
                "既然是原地操作，就只有原来那么大的地方，结果必须放得下。Paddle 的多数原地操作拒绝变大；"
                "这一个以及 `copy_`、`addmm_` 等少数操作却给张量换了存储。",
            ),
        ),
        difference(
            key="copy-would-grow",
            kind=Kind.DESIGN,
            title=Text("`copy_` of a larger tensor", "用 `copy_` 写入更大的张量"),
            program="""
                c = paddle.ones([3])
                c.copy_(paddle.zeros([2, 3]), True)
                answer = list(c.shape)
            """,
            torch="""
                c = torch.ones([3])
                c.copy_(torch.zeros([2, 3]), True)
                answer = list(c.shape)
            """,
            why=Text(
                "The result must fit into the tensor. Paddle's `copy_` gives the tensor another storage.",
                "结果必须放得进这个张量。Paddle 的 `copy_` 却给它换了存储。",
            ),
        ),
        difference(
            key="sum-would-grow",
            kind=Kind.DESIGN,
            title=Text("`addmm_` with a larger product", "`addmm_` 的乘积更大"),
            program="""
                c = paddle.ones([2])
                c.addmm_(paddle.ones([2, 2]), paddle.ones([2, 2]))
                answer = list(c.shape)
            """,
            torch="""
                c = torch.ones([2])
                c.addmm_(torch.ones([2, 2]), torch.ones([2, 2]))
                answer = list(c.shape)
            """,
            why=Text(
                "The result must fit into the tensor. Paddle's `addmm_` gives the tensor another storage.",
                "结果必须放得进这个张量。Paddle 的 `addmm_` 却给它换了存储。",
            ),
        ),
        difference(
            key="choice-would-grow",
            kind=Kind.DESIGN,
            title=Text("`where_` with a larger condition", "`where_` 的条件更大"),
            program="""
                x = paddle.ones([2])
                c = paddle.to_tensor([[True, False], [False, True]])
                paddle.where_(c, x, paddle.zeros([2, 2]))
                answer = x.tolist()
            """,
            torch=None,
            why=Text(
                "Paddle writes into a temporary tensor: `x` stays as it was, in spite of the underscore. PyTorch has no `where_`.",
                "Paddle 写进了临时张量：尽管名字带下划线，`x` 却毫无变化。PyTorch 没有 `where_`。",
            ),
        ),
    ),
)
