"""Entries: dtypes that change in place, numbers as operands, and other matters of value and text."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "dtypes-and-numbers",
    Text("Dtypes, numbers and kernels", "数据类型、数字与核函数"),
    Text(
        "Values, dtypes and error types are Paddle's, except where Paddle reads or writes the wrong bytes, never returns, or has no kernel.",
        "数值、数据类型和异常类型都以 Paddle 为准，除非 Paddle 读写了不该碰的字节、不再返回，或者没有相应的核函数。",
    ),
    (
        difference(
            key="view-widened",
            kind=Kind.DESIGN,
            title=Text(
                "Double precision is added into a part of a single-precision tensor", "把双精度加到单精度张量的一部分"
            ),
            program="""
                x = paddle.ones([4], dtype="float32")
                x[0:2].add_(paddle.ones([2], dtype="float64"))
                answer = x.tolist()
            """,
            torch="""
                x = torch.ones([4], dtype=torch.float32)
                x[0:2].add_(torch.ones([2], dtype=torch.float64))
                answer = x.tolist()
            """,
            why=Text(
                "In Paddle the sum makes the target double, too. Here it gets a storage of its own (in place in name only). "
                "Paddle writes the wider elements over the view's neighbors.",
                "在 Paddle 中求和会把目标也变成双精度。inplacelab 为它换一个自己的存储（只是名义上的原地）；Paddle 则把更宽的元素写到视图的邻居上去了。",
            ),
        ),
        difference(
            key="integers-become-floats",
            kind=Kind.DESIGN,
            title=Text("`exp_` on integers, seen through an older view", "对整数执行 `exp_`，再看更早的视图"),
            program="""
                x = paddle.to_tensor([0, 0])
                v = x[0:1]
                x.exp_()
                answer = v.tolist()
            """,
            torch="""
                x = torch.tensor([0, 0])
                v = x[0:1]
                x.exp_()
                answer = v.tolist()
            """,
            why=Text(
                "The result is floating-point and goes to a new storage; the older view keeps the old one. In Paddle the view reads "
                "the bits of two floats as one integer.",
                "结果是浮点数，放进新的存储；更早的视图仍看旧存储。在 Paddle 中，视图把两个浮点数的二进制位当成一个整数来读。",
            ),
        ),
        difference(
            key="integers-divided",
            kind=Kind.DESIGN,
            title=Text("`divide_` on integers, seen through an older view", "对整数执行 `divide_`，再看更早的视图"),
            program="""
                x = paddle.to_tensor([1, 3])
                v = x[0:1]
                x.divide_(paddle.to_tensor([2, 2]))
                answer = v.tolist()
            """,
            torch="""
                x = torch.tensor([1, 3])
                v = x[0:1]
                x.divide_(torch.tensor([2, 2]))
                answer = v.tolist()
            """,
            why=Text(
                "The quotients are floating-point and go to a new storage; the older view keeps the old one.",
                "商是浮点数，放进新的存储；更早的视图仍看旧存储。",
            ),
        ),
        difference(
            key="sum-promotes-target",
            kind=Kind.FOLLOWS,
            title=Text("`add_` with a wider operand changes the dtype", "与更宽的操作数 `add_` 会改变数据类型"),
            program="""
                x = paddle.ones([2], dtype="float32")
                x.add_(paddle.ones([2], dtype="float64"))
                answer = str(x.dtype).split(".")[1]
            """,
            torch="""
                x = torch.ones([2], dtype=torch.float32)
                x.add_(torch.ones([2], dtype=torch.float64))
                answer = str(x.dtype).split(".")[1]
            """,
            why=Text(
                "As in Paddle the target is promoted, and gets a new storage. PyTorch casts the result to the target's dtype.",
                "与 Paddle 相同，目标会被提升类型，并换上新的存储。PyTorch 则把结果转换为目标的数据类型。",
            ),
        ),
        difference(
            key="number-in-place",
            kind=Kind.FOLLOWS,
            title=Text("`b.add_(3.)`: a number as operand", "`b.add_(3.)`：以数字为操作数"),
            program="""
                b = a * 2
                b.add_(3.)
                loss = (b * b).sum()
            """,
            why=Text(
                "Paddle's named operations take tensors only. (The text of the refusal is ours: Paddle's says that a float has "
                "no shape.)",
                "Paddle 的具名操作只接受张量。（拒绝的说明是我们写的：Paddle 只说 float 没有 shape。）",
            ),
            fixed="""
                b = a * 2
                b.add_(paddle.to_tensor(3.))
                loss = (b * b).sum()
            """,
        ),
        difference(
            key="nan-among-integers",
            kind=Kind.DESIGN,
            title=Text("NaN is written into integers", "把 NaN 写入整数张量"),
            program="""
                x = paddle.to_tensor([1, 2, 3])
                x.masked_fill_(x > 1, float("nan"))
                answer = x.tolist()
            """,
            torch="""
                x = torch.tensor([1, 2, 3])
                x.masked_fill_(x > 1, float("nan"))
                answer = x.tolist()
            """,
            why=Text(
                "No integer represents NaN or infinity. Ours refuses wherever a number is stored (`fill_`, `x[0] = ...`, "
                "`index_fill_`, `full`, ...), as PyTorch does; Paddle writes the smallest integer of the dtype.",
                "没有整数能表示 NaN 或无穷大。凡是存入一个数的地方（`fill_`、`x[0] = ...`、`index_fill_`、`full` 等），"
                "inplacelab 都拒绝执行，与 PyTorch 相同；Paddle 则写入该类型最小的整数。",
            ),
            fixed="""
                x = paddle.to_tensor([1, 2, 3]).astype("float64")
                x.masked_fill_(x > 1, float("nan"))
                answer = x.tolist()
            """,
        ),
        difference(
            key="not-a-number-cast",
            kind=Kind.DESIGN,
            title=Text("NaN is cast to integers", "把 NaN 转换为整数"),
            program="""
                x = paddle.to_tensor([1., float("nan")])
                answer = x.astype("int32").tolist()
            """,
            torch="""
                x = torch.tensor([1., float("nan")])
                answer = x.to(torch.int32).tolist()
            """,
            why=Text(
                "No integer represents NaN or infinity. In C the conversion has no defined result: Paddle and PyTorch keep what the "
                "processor makes of it.",
                "没有整数能表示 NaN 或无穷大。在 C 语言中，这种转换的结果没有定义：Paddle 与 PyTorch 保留处理器得出的任意值。",
            ),
            fixed="""
                x = paddle.to_tensor([1., float("nan")])
                answer = x.nan_to_num(0.).astype("int32").tolist()
            """,
        ),
        difference(
            key="three-axes-without-brackets",
            kind=Kind.DESIGN,
            title=Text("`transpose` with three separate numbers", "用三个分开的数调用 `transpose`"),
            program="""
                answer = list(paddle.ones([2, 3, 4]).transpose(2, 0, 1).shape)
            """,
            torch="""
                answer = list(torch.ones([2, 3, 4]).transpose(2, 0, 1).shape)
            """,
            why=Text(
                "Separate numbers exchange two axes, as in PyTorch. Paddle exchanges the first two that are named, and drops the third.",
                "分开写的数表示交换两个轴，与 PyTorch 相同。Paddle 交换前两个数所指的轴，并丢弃第三个。",
            ),
            fixed="""
                answer = list(paddle.ones([2, 3, 4]).transpose([2, 0, 1]).shape)
            """,
        ),
        difference(
            key="shape-given-twice",
            kind=Kind.DESIGN,
            title=Text("One parameter under two names", "同一个参数以两个名字给出"),
            program="""
                answer = list(paddle.zeros(shape=[2], size=[3]).shape)
            """,
            torch=None,
            why=Text(
                "`size` is another name for `shape`. Paddle most often refuses both together, but sometimes takes one of them. PyTorch has "
                "only `size`.",
                "`size` 是 `shape` 的别名。两者同时给出时，Paddle 大多拒绝执行，但有时会只取其一。PyTorch 只有 `size`。",
            ),
            fixed="""
                answer = list(paddle.zeros(shape=[3]).shape)
            """,
        ),
        difference(
            key="negative-power-of-integers",
            kind=Kind.DESIGN,
            title=Text("Integers to the power -1", "整数的 -1 次幂"),
            program="""
                answer = paddle.to_tensor([2, 4]).pow(-1).tolist()
            """,
            torch="""
                answer = torch.tensor([2, 4]).pow(-1).tolist()
            """,
            why=Text(
                "The result stays an integer: its fraction is dropped. PyTorch refuses. Paddle's kernel never returns.",
                "结果仍为整数：小数部分被舍去。PyTorch 拒绝执行。Paddle 的核函数不再返回。",
            ),
        ),
        difference(
            key="half-precision",
            kind=Kind.DESIGN,
            title=Text("Half precision on the CPU", "CPU 上的半精度"),
            program="""
                x = paddle.ones([2], dtype="float16")
                answer = (x + x).tolist()
            """,
            torch="""
                x = torch.ones([2], dtype=torch.float16)
                answer = (x + x).tolist()
            """,
            why=Text(
                "NumPy computes in half precision. Paddle has CPU kernels for a few operations only; on a GPU it has them all.",
                "NumPy 能做半精度计算。Paddle 在 CPU 上只有少数操作有半精度核函数；在 GPU 上则都有。",
            ),
        ),
        difference(
            key="real-part-of-real",
            kind=Kind.FOLLOWS,
            title=Text("The real part of real numbers", "实数的实部"),
            program="""
                answer = paddle.real(a.detach()).tolist()
            """,
            torch="""
                answer = torch.real(a.detach()).tolist()
            """,
            why=Text(
                "`real` is a view of the parts of complex numbers, and real numbers have none. In PyTorch they are their own "
                "real part.",
                "`real` 是复数各部分的视图，而实数没有可分的部分。在 PyTorch 中，实数的实部就是它自己。",
            ),
        ),
    ),
)
