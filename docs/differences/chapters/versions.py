"""Entries: writes that the version counter does not see, so that backward uses an overwritten value."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

_ZERO_IN_A_COPY = """
    b = a * 2
    loss = (b * b).sum()
    b = b.clone()
    b.zero_()
"""

CHAPTER = Chapter(
    "versions",
    Text("A write that is not counted", "没有计入版本号的写入"),
    Text(
        "What a derivative needs is kept together with the version of its storage, and compared before it is used. This "
        "protects a program only if every write raises the version. In Paddle `set_value`, `copy_`, `out=`, the random "
        "fills and the optimizers' steps do not; so backward computes with the new values as if they were the old ones.",
        "求导所需的值与其存储的版本号一起保存，使用之前先比较。只有每一种写入都增加版本号，这道防线才有效。"
        "在 Paddle 中 `set_value`、`copy_`、`out=`、随机填充和优化器的更新都不增加版本号；反向传播便把新值当作旧值来用。",
    ),
    (
        difference(
            key="set-value-on-saved",
            kind=Kind.REFUSED,
            title=Text("`set_value` on a value that backward needs", "对反向传播所需的值调用 `set_value`"),
            program="""
                b = a * 2
                loss = (b * b).sum()
                b.set_value(paddle.zeros([2, 2]))
            """,
            torch=None,
            why=Text(
                "In inplacelab, `set_value` raises the version. PyTorch has no such method; its `.data = ...` is "
                "silently wrong in the same way.",
                "在 inplacelab 里，`set_value` 会增加版本号。PyTorch 没有这个方法；它的 `.data = ...` 会以同样的方式悄悄出错。",
            ),
            fixed=_ZERO_IN_A_COPY,
        ),
        difference(
            key="set-value-on-leaf",
            kind=Kind.REFUSED,
            title=Text(
                "`set_value` on a parameter between forward and backward", "前向与反向之间对参数调用 `set_value`"
            ),
            program="""
                loss = (a * a).sum()
                a.set_value(paddle.zeros([2, 2]))
            """,
            torch=None,
            why=Text(
                "The weights are loaded too early, so the gradient would be that of other weights. (For PyTorch, see the entry before.)",
                "权重载入得过早：得到的会是另一组权重的梯度。（关于 PyTorch，见上一条。）",
            ),
            fixed="""
                loss = (a * a).sum()
            """,
        ),
        difference(
            key="copy-on-saved",
            kind=Kind.REFUSED,
            title=Text("`copy_` over a value that backward needs", "用 `copy_` 覆盖反向传播所需的值"),
            program="""
                b = a * 2
                loss = (b * b).sum()
                b.copy_(paddle.zeros([2, 2]), True)
            """,
            torch="""
                b = a * 2
                loss = (b * b).sum()
                b.copy_(torch.zeros([2, 2]), True)
            """,
            why=Text("`copy_` writes, so it raises the version.", "`copy_` 是写入，因此增加版本号。"),
            fixed=_ZERO_IN_A_COPY,
        ),
        difference(
            key="out-on-saved",
            kind=Kind.REFUSED,
            title=Text("`out=` over a value that backward needs", "用 `out=` 覆盖反向传播所需的值"),
            program="""
                b = a * 2
                loss = (b * b).sum()
                paddle.add(b, b, out=b)
            """,
            torch="""
                b = a * 2
                loss = (b * b).sum()
                torch.add(b, b, out=b)
            """,
            why=Text(
                "`out=` is an in-place operation by another name. PyTorch refuses `out=` wherever a gradient is needed.",
                "`out=` 是原地操作的另一种写法。PyTorch 在需要梯度时一律拒绝 `out=`。",
            ),
            fixed="""
                b = a * 2
                loss = (b * b).sum()
                b = b + b
            """,
        ),
        difference(
            key="optimizer-step-between",
            kind=Kind.REFUSED,
            title=Text("An optimizer steps between forward and backward", "前向与反向之间优化器更新了参数"),
            program="""
                loss = (a * a * a).sum()
                a.sum().backward()
                paddle.optimizer.SGD(1.0, parameters=[a]).step()
                a.clear_gradient(False)
            """,
            torch="""
                loss = (a * a * a).sum()
                a.sum().backward()
                torch.optim.SGD([a], 1.0).step()
                a.grad = None
            """,
            why=Text(
                "Two losses, one parameter, and the first update comes too early: a mistake made in real training "
                "loops, for example of adversarial networks.",
                "两个损失共享一个参数，而第一次更新来得过早：真实的训练循环（例如训练对抗网络时）里就会出现这种错误。",
            ),
            fixed="""
                loss = (a * a * a).sum()
                # Call `step()` after `loss.backward()`.
            """,
        ),
        difference(
            key="custom-function-saved",
            kind=Kind.REFUSED,
            title=Text("A custom function's saved tensor is overwritten", "自定义函数保存的张量被覆盖"),
            program="""
                class Square(paddle.autograd.PyLayer):
                    @staticmethod
                    def forward(ctx, x):
                        ctx.save_for_backward(x)
                        return x * x

                    @staticmethod
                    def backward(ctx, g):
                        (x,) = ctx.saved_tensor()
                        return g * 2 * x

                b = a * 1
                loss = Square.apply(b).sum()
                b.zero_()
            """,
            torch="""
                class Square(torch.autograd.Function):
                    @staticmethod
                    def forward(ctx, x):
                        ctx.save_for_backward(x)
                        return x * x

                    @staticmethod
                    def backward(ctx, g):
                        (x,) = ctx.saved_tensors
                        return g * 2 * x

                b = a * 1
                loss = Square.apply(b).sum()
                b.zero_()
            """,
            why=Text(
                "Paddle compares versions for its own operations, but not for what a `PyLayer` has saved.",
                "Paddle 对自己的操作比较版本号，对 `PyLayer` 保存的张量却不比较。",
            ),
            fixed="""
                b = a * 1
                loss = (b * b).sum()
                b = paddle.zeros([2, 2])
            """,
        ),
        difference(
            key="random-fill-counted",
            kind=Kind.DESIGN,
            title=Text("The version after `exponential_`", "`exponential_` 之后的版本号"),
            program="""
                b = a * 2
                b.exponential_()
                answer = b.inplace_version
            """,
            torch="""
                b = a * 2
                b.exponential_()
                answer = b._version
            """,
            why=Text("Every element is written: one more version.", "每个元素都被写过：版本号加一。"),
        ),
        difference(
            key="composed-counted-once",
            kind=Kind.DESIGN,
            title=Text("The versions after four in-place operations", "四个原地操作之后的版本号"),
            program="""
                def after(write):
                    x = paddle.ones([2, 2])
                    write(x)
                    return x.inplace_version

                answer = [
                    after(lambda x: x.index_fill_(paddle.to_tensor([0]), 0, 9.)),
                    after(lambda x: x.nan_to_num_()),
                    after(lambda x: x.hypot_(paddle.ones([2, 2]))),
                    after(lambda x: x.ldexp_(paddle.ones([2, 2]))),
                ]
            """,
            torch="""
                def after(write):
                    x = torch.ones([2, 2])
                    write(x)
                    return x._version

                answer = [
                    after(lambda x: x.index_fill_(0, torch.tensor([0]), 9.)),
                    after(lambda x: x.nan_to_num_()),
                    after(lambda x: x.hypot_(torch.ones([2, 2]))),
                    after(lambda x: x.ldexp_(torch.ones([2, 2]))),
                ]
            """,
            why=Text(
                "One operation raises the version by one, which can be explained. Paddle counts each of the writes that it makes of one "
                "operation (up to six); the check that matters, the same or not, comes out alike.",
                "一个操作对应一个版本，这样才好解释。Paddle 把一个操作拆成的每次写入都计数（最多六次）；真正要紧的“是否相同”的检查，结果并无二致。",
            ),
        ),
        difference(
            key="copy-has-its-own-counter",
            kind=Kind.ACCEPTED,
            title=Text("A copy made by `reshape` keeps its value", "`reshape` 产生的副本保有自己的值"),
            program="""
                b = a * 2
                c = b.t().reshape([4])
                loss = (c * c).sum()
                b.zero_()
            """,
            why=Text(
                "The reshape of a transposed tensor has to copy. Paddle's copy shares the version counter of its source, so "
                "a write to the source is a false alarm.",
                "对转置张量做 reshape 必须复制。Paddle 的副本却与来源共享版本计数器，于是写来源张量会引发误报。",
            ),
        ),
        difference(
            key="function-applied-to-constant",
            kind=Kind.STRICTER,
            title=Text("`apply_` on a constant that backward needs", "对反向传播所需的常数调用 `apply_`"),
            program="""
                k = paddle.full([2, 2], 5.)
                loss = (a * k).sum()
                k.apply_(lambda t: t * 0)
            """,
            torch="""
                k = torch.full([2, 2], 5.)
                loss = (a * k).sum()
                k.apply_(lambda t: t * 0)
            """,
            why=Text(
                "An operation whose name ends in an underscore writes its storage, here. Paddle's `apply_` gives the tensor "
                "a new one; PyTorch's writes and does not count, and is silently wrong.",
                "在 inplacelab 里，名字以下划线结尾的操作就写自己的存储。Paddle 的 `apply_` 给张量换一个新存储；PyTorch 的写入而不计数，于是悄悄出错。",
            ),
            fixed="""
                k = paddle.full([2, 2], 5.)
                loss = (a * k).sum()
                k = k * 0
            """,
        ),
        difference(
            key="data-written",
            kind=Kind.FOLLOWS,
            title=Text("`.data` of a saved tensor is written", "写入保存的张量的 `.data`"),
            program="""
                b = a * 2
                loss = (b * b).sum()
                b.data.zero_()
            """,
            why=Text(
                "`.data` leaves the history, not the storage: the counter is shared. PyTorch's `.data` has a counter of its own "
                "and lets the write pass.",
                "`.data` 脱离的是历史而不是存储：版本计数器仍然共享。PyTorch 的 `.data` 另有一个版本计数器，所以 `backward()` 发现不了这次写入。",
            ),
            fixed=_ZERO_IN_A_COPY,
        ),
        difference(
            key="numpy-written",
            kind=Kind.FOLLOWS,
            title=Text("The NumPy array of a saved tensor is written", "写入保存的张量的 NumPy 数组"),
            program="""
                b = a * 2
                loss = (b * b).sum()
                b.detach().numpy()[...] = 0.
            """,
            why=Text(
                "`numpy()` gives a copy. PyTorch's shares the memory, and a write to it goes unseen.",
                "`numpy()` 给出副本。PyTorch 的则共享内存，对它的写入无人知晓。",
            ),
        ),
        difference(
            key="set-raises-one-counter",
            kind=Kind.DESIGN,
            title=Text("`set_`, and the versions of both tensors", "`set_` 之后两个张量的版本"),
            program="""
                x, s = paddle.zeros([2]), paddle.ones([2])
                x.set_(s)
                answer = x.inplace_version, s.inplace_version
            """,
            torch="""
                x, s = torch.zeros([2]), torch.ones([2])
                x.set_(s)
                answer = x._version, s._version
            """,
            why=Text(
                "Both show one storage, which has one counter. In Paddle and PyTorch `x` keeps a counter of its own, so a write to one "
                "is not noticed by what backward has saved of the other.",
                "二者显示同一个存储，它只有一个计数器。在 Paddle 与 PyTorch 中 `x` 保留自己的计数器，因此写入其中一个时，反向传播为另一个保存的值并不知道。",
            ),
        ),
    ),
)
