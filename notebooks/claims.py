"""Lists common claims about in-place operations; an experiment in a lesson settles each of them.

A lesson marks the cell that settles a claim with the note `<!-- claim: KEY -->`. Tests compare the lessons with this
list, and run each of these cells with its assertions inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from inplacelab.language import Text


class Verdict(Enum):
    """The result of an experiment for a claim."""

    SHOWN = Text("shown", "成立")
    QUALIFIED = Text("only in part", "只对一部分")
    REFUTED = Text("refuted", "不成立")
    ANSWERED = Text("answered", "有答案")


SHOWN, QUALIFIED, REFUTED, ANSWERED = Verdict.SHOWN, Verdict.QUALIFIED, Verdict.REFUTED, Verdict.ANSWERED


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim.

    Attributes:
        key: the key that lessons use.
        says: the claim.
        truth: what the experiment shows.
        verdict: whether that agrees with the claim.
    """

    key: str
    says: Text
    truth: Text
    verdict: Verdict


CLAIMS = (
    Claim(
        "three-kinds",
        Text(
            "Operations are of three kinds: ordinary, view, in-place. A tensor is metadata and data; a view is a second "
            "tensor on the same buffer.",
            "操作分三类：普通、视图、原地。张量由元数据和数据组成；视图是同一块缓冲区上的另一个张量。",
        ),
        Text(
            "Three questions tell them apart: is it the same object, is it the same storage, and was it written?",
            "三个问题就能分清：是同一个对象吗？是同一个存储吗？被写过吗？",
        ),
        SHOWN,
    ),
    Claim(
        "same-metadata",
        Text("An in-place operation leaves the metadata exactly as it was.", "原地操作之后，元数据与原来完全相同。"),
        Text(
            "This is true of `add_`. But `transpose_`, `t_` and `reshape_` change shape or strides; `cast_` and `equal_` change the dtype.",
            "对 `add_` 是这样。但 `transpose_`、`t_`、`reshape_` 会改变形状或步幅；`cast_`、`equal_` 会改变数据类型。",
        ),
        QUALIFIED,
    ),
    Claim(
        "less-arithmetic",
        Text("In-place operations lower the complexity of a computation.", "原地操作能降低计算的复杂度。"),
        Text(
            "The same elements are computed. What is saved is an allocation, its bytes, and sometimes a copy.",
            "要计算的元素一个也没有减少。节省的是一次内存申请、相应的字节，有时还有一次复制。",
        ),
        REFUTED,
    ),
    Claim(
        "larger-models",
        Text("Larger models fit into the same memory.", "同样的内存能放下更大的模型。"),
        Text(
            "How much larger depends on what would otherwise be held. Under a fixed limit, the largest batch is twice as large if "
            "a single operation makes the peak, one and a half times as large in inference with a network, and no larger in training "
            "if no name holds the old values anyway.",
            "大多少，取决于旧值本来是否还会被持有。在固定的内存上限下，最大的批次如下：如果峰值出现在单个操作上，是原来的两倍；如果网络只做推理，是一倍半；"
            "如果是训练，而旧值本来就没有名字持有，就不会变大。",
        ),
        QUALIFIED,
    ),
    Claim(
        "names-and-forms",
        Text(
            "In-place names end in an underscore, come as a function and as a method, and have the signature of the ordinary one.",
            "原地操作的名字以下划线结尾，既有函数形式也有方法形式，参数与普通形式相同。",
        ),
        Text("Each name in the table of all of them was checked.", "用包含全部名字的表逐一验证。"),
        SHOWN,
    ),
    Claim(
        "alpha",
        Text(
            "`add_` and `subtract_` take a factor `alpha` for what is added or subtracted.",
            "`add_` 和 `subtract_` 可以用 `alpha` 给加数或减数乘上一个系数。",
        ),
        Text(
            "They compute `x + alpha * y` and `x - alpha * y`, in place. (In PaddlePaddle `add_` takes it since 3.2, `subtract_` since 3.3.)",
            "它们原地算出 `x + alpha * y` 和 `x - alpha * y`。（在 PaddlePaddle 里，`add_` 从 3.2 版起才有这个系数，`subtract_` 从 3.3 版起才有。）",
        ),
        SHOWN,
    ),
    Claim(
        "elements-are-independent",
        Text(
            "Element-wise operations can be done in place because elements do not depend on one another.",
            "逐元素操作可以原地进行，因为各元素互不依赖。",
        ),
        Text(
            "A matrix product and a running sum show what happens if they do depend on one another.",
            "矩阵乘法与累加则说明元素相互依赖时会怎样。",
        ),
        SHOWN,
    ),
    Claim(
        "transpose-moves-data",
        Text(
            "`transpose_` rearranges the data in place and so saves memory.",
            "`transpose_` 在原地重排数据，因而节省内存。",
        ),
        Text(
            "It writes no slot; only shape and strides change. The ordinary `transpose` already gives a view, so nothing is saved.",
            "它一个槽位也不写，改变的只是形状和步幅。普通的 `transpose` 本来就给出视图，所以并没有节省内存。",
        ),
        REFUTED,
    ),
    Claim(
        "half-the-memory",
        Text(
            "The example block has a peak of 134217728 bytes with ordinary operations, and of 67108864 in place.",
            "示例模块用普通操作时峰值为 134217728 字节，用原地操作时为 67108864 字节。",
        ),
        Text(
            "Without gradients, this is right to the byte. Training adds what backward keeps.",
            "不需要梯度时，这两个数一字节不差；训练时还要加上反向传播保存的内容。",
        ),
        QUALIFIED,
    ),
    Claim(
        "as-much-as-possible",
        Text("Use in-place operations in middle layers as much as possible.", "在中间层应当尽可能多用原地操作。"),
        Text(
            "If backward keeps a copy, nothing is saved; and some writes are refused.",
            "如果要为反向传播保存副本，就不省内存；还有一些写入会被拒绝。",
        ),
        QUALIFIED,
    ),
    Claim(
        "augmentation",
        Text("Data augmentation and feature normalization can be done in place.", "数据增强和特征归一化可以原地进行。"),
        Text(
            "The lesson compares the peaks of both ways. If a gradient passes through the features, backward may refuse.",
            "这一课比较了两种写法的峰值。如果有梯度经过特征，反向传播可能会拒绝。",
        ),
        SHOWN,
    ),
    Claim(
        "what-a-leaf-is",
        Text(
            "A leaf is a tensor that requires a gradient; `stop_gradient=False` makes a leaf; a leaf is an input of the graph.",
            "需要梯度的张量就是叶子张量；`stop_gradient=False` 使张量成为叶子张量；叶子张量是计算图的输入。",
        ),
        Text(
            "These are three different things. A tensor that requires no gradient is always a leaf; one that requires a gradient is a leaf if the user created it.",
            "这是三件不同的事。不需要梯度的张量都是叶子张量；需要梯度的张量，由用户创建的才是叶子张量。",
        ),
        QUALIFIED,
    ),
    Claim(
        "checked-before-written",
        Text("Whether a tensor is a leaf is checked before it is written.", "写入之前会先检查张量是不是叶子张量。"),
        Text(
            "In this package it is. PaddlePaddle 3.3.1 writes first and raises afterwards (recorded).",
            "inplacelab 是这样；PaddlePaddle 3.3.1 先写入、后报错（有记录）。",
        ),
        QUALIFIED,
    ),
    Claim(
        "leaf-gradient-wrong",
        Text(
            "Writing to a leaf would make its gradient wrong, or damage the graph.",
            "覆盖叶子张量会使梯度出错，或破坏计算图。",
        ),
        Text(
            "The gradient is right for the old value. But the optimizer would update the new value, and the tensor would "
            "no longer be a leaf.",
            "按旧值算，梯度仍是对的。但优化器更新的会是新值，而且这个张量不再是叶子张量。",
        ),
        REFUTED,
    ),
    Claim(
        "two-names",
        Text(
            "After `y = x`, `x` and `y` are two tensors that share data.",
            "执行 `y = x` 之后，`x` 和 `y` 是共享数据的两个张量。",
        ),
        Text(
            "They are one object. A view, or the result of `detach()`, is a second object on the same storage.",
            "它们是同一个对象。视图和 `detach()` 的结果才是同一个存储上的另一个对象。",
        ),
        REFUTED,
    ),
    Claim(
        "replicas-agree",
        Text(
            "In distributed training, all workers must do the same in-place operations; batch normalization needs care.",
            "在分布式训练中，各进程必须执行相同的原地操作；对批归一化要格外小心。",
        ),
        Text(
            "If one rank clips its weights, the replicas drift apart without an error. So do the running means of batch "
            "normalization if each rank normalizes for itself.",
            "如果一个进程裁剪了自己的权重，副本就变得不一致，而且不报错；如果各进程分别做批归一化，滑动均值也会变得不一致。",
        ),
        SHOWN,
    ),
    Claim(
        "since-2-6",
        Text(
            "Since 2.6 the overwritten input is kept where backward needs it.",
            "从 2.6 版起，如果反向传播需要被覆盖的输入，就会保存它。",
        ),
        Text("The lesson tests this rule operation by operation.", "这一课对各个操作逐一验证这条规则。"),
        SHOWN,
    ),
    Claim(
        "names-added",
        Text("109 in-place names were added in 2.6.", "2.6 版新增了 109 个原地操作。"),
        Text(
            "PaddlePaddle 3.3.1 has 132. That 109 were added cannot be verified today: the release notes name only a few.",
            "PaddlePaddle 3.3.1 一共有 132 个。新增 109 个的说法目前无法核实：发布说明只列出了少数几个名字。",
        ),
        QUALIFIED,
    ),
    Claim(
        "ordinary-has-another-shape",
        Text(
            "The result of an ordinary operation has a different shape or different strides.",
            "普通操作的结果有不同的形状或步幅。",
        ),
        Text(
            "`relu(x)` has the same shape and strides as `x`. What counts is that it has another storage.",
            "`relu(x)` 的形状和步幅都与 `x` 相同。关键是它在另一个存储里。",
        ),
        REFUTED,
    ),
    Claim(
        "twice-the-memory",
        Text(
            "In place, the memory is needed once instead of twice, and the time of an allocation is saved.",
            "原地操作只占一份内存而不是两份，还省去申请内存的时间。",
        ),
        Text(
            "The memory is right, counted in bytes. The time was measured: a result of 64 MiB needs fresh memory pages, and writing in place takes half the "
            "time (in PyTorch and Paddle, a tenth). A small result gets memory that was just freed, without that delay.",
            "关于内存的说法是对的，统计结果正是如此。关于时间，实测表明，占 64 MiB 的结果需要新的内存页，这时原地操作只需要一半的时间（在 PyTorch 和 Paddle 里是十分之一）；"
            "较小的结果用的是刚刚释放的内存，不需要新的内存页。",
        ),
        QUALIFIED,
    ),
    Claim(
        "reshape-saves-a-copy",
        Text("`reshape` in place saves a copy on the device.", "原地 `reshape` 省去一次设备内的复制。"),
        Text(
            "If strides can express the new shape, `reshape` gives a view and copies nothing, in place or not. Otherwise it copies.",
            "如果步幅能描述新的形状，`reshape` 给出的就是视图，无论是否原地都不复制；否则就要复制。",
        ),
        QUALIFIED,
    ),
    Claim(
        "scaled-twice",
        Text(
            "After `y = x.scale_(2.0)`, `y is x`. If a tensor is scaled by two twice, the gradient is 4.",
            "执行 `y = x.scale_(2.0)` 之后 `y is x`；两次乘以二，梯度是 4。",
        ),
        Text("The lesson shows the path of the gradient through both nodes.", "这一课展示了梯度经过两个节点的路径。"),
        SHOWN,
    ),
    Claim(
        "why-not-leaves",
        Text(
            "Why leaves cannot be written in place is left to the reader.", "为什么不能原地写入叶子张量，留给读者思考。"
        ),
        Text(
            "The reason is the optimizer: it would update a value other than the one the gradient belongs to, or a tensor that is no longer a leaf.",
            "原因在于优化器：梯度是按旧值算的，它更新的却是新值，或者是一个不再是叶子张量的张量。",
        ),
        ANSWERED,
    ),
    Claim(
        "setitem-is-a-value-needed",
        Text(
            "`x[0] = 4.0` on a parameter fails because backward still needs the value.",
            "对参数执行 `x[0] = 4.0` 报错，是因为反向传播还要用到这个值。",
        ),
        Text(
            "It fails in the leaf check, at the write. The other check is made in `backward()`, and compares versions.",
            "报错的是写入时的叶子检查。另一种检查在 `backward()` 时进行，比较的是版本号。",
        ),
        REFUTED,
    ),
    Claim(
        "needed-for-backward",
        Text(
            "`requires_grad=True` says that the gradient is needed for the backward pass.",
            "`requires_grad=True` 表示反向传播需要这个梯度。",
        ),
        Text(
            "It says (in Paddle: `stop_gradient=False`) that the gradient is kept, for the optimizer. Gradients of "
            "intermediate tensors are used and freed.",
            "它（在 Paddle 里是 `stop_gradient=False`）表示要为优化器保留这个梯度。中间张量的梯度用完即释放。",
        ),
        REFUTED,
    ),
    Claim(
        "wrong-would-raise",
        Text(
            "Users need not care: an in-place operation that would make a gradient wrong raises.",
            "用户不必操心：会让梯度出错的原地操作都会报错。",
        ),
        Text(
            "Not in PaddlePaddle 3.3.1, where views and in-place writes together silently give wrong gradients (recorded). In a few programs, PyTorch 2.13 is silently wrong, too.",
            "在 PaddlePaddle 3.3.1 中并非如此：视图与原地写入一起使用时，可能悄悄得到错误的梯度（由记录得知）。对少数几段程序，PyTorch 2.13 也会悄悄算错。",
        ),
        REFUTED,
    ),
    Claim(
        "like-the-ordinary",
        Text(
            "An in-place operation differs from its ordinary form only in where the result goes.",
            "原地操作与普通操作的区别只在于结果放在哪里。",
        ),
        Text(
            "Broadcasting may not enlarge what is written. If the operand has a wider dtype, Paddle changes the dtype of `x`, and PyTorch does not.",
            "广播不能扩大被写入的张量；如果操作数的数据类型更宽，Paddle 会改变 `x` 的数据类型，PyTorch 则不会。",
        ),
        QUALIFIED,
    ),
    Claim(
        "transpose-swaps-two",
        Text("The argument of `transpose_` names the two axes to be swapped.", "`transpose_` 的参数是要交换的两个轴。"),
        Text(
            "It names every axis once. For `[0, 2]` on three axes, PaddlePaddle 2.6.2 and 3.3.1 give a wrong tensor without an error.",
            "它要把每个轴都写一次。对三个轴的张量写 `[0, 2]`，PaddlePaddle 2.6.2 和 3.3.1 会得到错误的张量，而且不报错。",
        ),
        REFUTED,
    ),
)
