"""What the guide, the introduction and the review say about in-place operations, line by line, and what is true of it.

A lesson marks the cell that settles a claim with the note `<!-- claim: KEY -->`, and tests run each of these cells with its assertions
inverted. A claim about PaddlePaddle has a program, too. What each version of PaddlePaddle answers to it is in `lessons/claims.json`
(`paddle_programs.py`). A claim has a lesson, a program, or both.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from inplacelab.language import Text


class Verdict(Enum):
    """The result of an experiment for a claim."""

    SHOWN = Text("shown", "成立")
    QUALIFIED = Text("only in part", "部分成立")
    REFUTED = Text("refuted", "不成立")
    ANSWERED = Text("answered", "有答案")
    UNTESTED = Text("not tested", "未验证")


SHOWN, QUALIFIED, REFUTED, ANSWERED, UNTESTED = Verdict


@dataclass(frozen=True, slots=True)
class Source:
    """A text that makes claims.

    Attributes:
        title: its title.
        about: what kind of text it is.
        address: where it is published.
    """

    title: str
    about: Text
    address: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a source.

    Attributes:
        source: the text.
        title: its heading, as it is written there; empty for the text as a whole.
        meaning: the heading in English.
    """

    source: Source
    title: str = ""
    meaning: str = ""

    @property
    def address(self) -> str:
        """The address of the section: that of the text, and the anchor that GitHub gives to the heading."""
        anchor = "".join(each for each in self.title.lower() if each != ".").replace(" ", "-")
        return f"{self.source.address}#{anchor}" if anchor else self.source.address


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim.

    Attributes:
        key: the key that lessons use.
        section: where it is made.
        says: the claim, in our words.
        truth: what the experiment shows.
        verdict: whether that agrees with the claim.
        program: a program for PaddlePaddle that shows it; empty if there is none. It prints facts and ends with at most one error.
    """

    key: str
    section: Section
    says: Text
    truth: Text
    verdict: Verdict
    program: str = ""


GUIDE = Source(
    "Paddle Inplace 使用指南",
    Text("the guide, on PaddlePaddle 2.6", "指南，针对 PaddlePaddle 2.6"),
    "https://github.com/PaddlePaddle/community/blob/master/rfcs/Article/20240321_guide_to_using_Inplace.md",
)
INTRODUCTION = Source(
    "Inplace 介绍 & 使用介绍",
    Text("a short introduction by the developers", "开发者写的简短介绍"),
    "https://github.com/PaddlePaddle/community/blob/master/pfcc/paddle-code-reading/Inplace/inplace_introduction.md",
)
REVIEW = Source(
    "Inplace 优化性能",
    Text(
        "the public review of an article that was not accepted; author and reviewer disagree about several points",
        "一篇未被收录的文章的公开评审；作者与评审人对几处看法不同",
    ),
    "https://github.com/PaddlePaddle/community/pull/882",
)

KINDS = Section(GUIDE, "2. Inplace 相关的基本概念", "2. Basic concepts")
IN_PLACE = Section(GUIDE, "2.2 Inplace 形式的操作", "2.2 In-place operations")
ORDINARY = Section(GUIDE, "2.3 普通的操作", "2.3 Ordinary operations")
USE = Section(GUIDE, "3. Inplace 的使用", "3. How to use in-place operations")
ARITHMETIC = Section(GUIDE, "3.1 基本数学运算", "3.1 Basic arithmetic")
ELEMENT_WISE = Section(GUIDE, "3.2 逐元素操作", "3.2 Element-wise operations")
LINEAR_ALGEBRA = Section(GUIDE, "3.3 线性代数计算", "3.3 Linear algebra")
PRACTICE = Section(GUIDE, "4. Inplace 的实际应用", "4. In practice")
LEAVES = Section(GUIDE, "4.1 叶子节点不可使用 Inplace", "4.1 Leaves cannot be written in place")
REUSE = Section(GUIDE, "4.2 不可重复使用中间结果", "4.2 Do not use an intermediate result again")
REPLICAS = Section(GUIDE, "4.3 分布式训练数据同步", "4.3 Distributed training")
VERSIONS = Section(GUIDE, "4.4 与 Paddle 版本相关", "4.4 Versions of Paddle")
WHAT_IT_IS = Section(INTRODUCTION, "什么是Inplace", "What in-place is")
HOW_TO = Section(INTRODUCTION, "Paddle Inplace的使用", "How Paddle does it")
DISCUSSION = Section(REVIEW)

CLAIMS = (
    Claim(
        "three-kinds",
        KINDS,
        Text(
            "Operations are of three kinds: ordinary, view and in-place. A tensor consists of metadata and data; a view is a second tensor "
            "on the same data.",
            "操作分三类：普通、视图、原地。张量由元数据和数据组成；视图是同一块数据上的另一个张量。",
        ),
        Text(
            "So it is. Three questions tell the kinds apart: is the result the same object, is it on the same storage, and was that storage written to?",
            "的确如此。三个问题就能分清：结果是同一个对象吗？在同一个存储上吗？这个存储被写过吗？",
        ),
        SHOWN,
        """\
x = paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])
view, other, same = x.reshape([3, 2]), x.scale(2.), x.scale_(2.)
print(view is x, other is x, same is x)
print(view.data_ptr() == x.data_ptr(), other.data_ptr() == x.data_ptr())
""",
    ),
    Claim(
        "function-add",
        IN_PLACE,
        Text("`paddle.add_(a, b)` is an in-place operation.", "`paddle.add_(a, b)` 是一个原地操作。"),
        Text(
            "This function does not exist, neither in 2.6.2 nor in 3.3.1. The method does: write `a.add_(b)`.",
            "没有这个函数，2.6.2 和 3.3.1 里都没有。有的是方法，请写 `a.add_(b)`。",
        ),
        REFUTED,
        """\
a, b = paddle.ones([2]), paddle.ones([2])
print(a.add_(b).tolist())
paddle.add_(a, b)
""",
    ),
    Claim(
        "same-metadata",
        IN_PLACE,
        Text("An in-place operation leaves the metadata exactly as it was.", "原地操作之后，元数据与原来完全相同。"),
        Text(
            "This is true of `relu_`, and of `add_` if both dtypes are equal. But `transpose_`, `t_` and `reshape_` change the shape or the strides, and `cast_` "
            "and `equal_` the dtype.",
            "对 `relu_` 是这样；两个数据类型相同时，对 `add_` 也是这样。但 `transpose_`、`t_`、`reshape_` 会改变形状或步幅，`cast_`、`equal_` 会改变数据类型。",
        ),
        QUALIFIED,
        """\
x = paddle.ones([2, 3])
x.reshape_([3, 2])
print(list(x.shape))
x.cast_("float64")
print(x.dtype)
x.equal_(paddle.zeros([3, 2], dtype="float64"))
print(x.dtype)
""",
    ),
    Claim(
        "less-arithmetic",
        IN_PLACE,
        Text(
            "In-place operations speed up a computation. The article under review adds that they lower its complexity.",
            "原地操作能加快计算。被评审的那篇文章还说，它能降低计算的复杂度。",
        ),
        Text(
            "Not by computing less: every element is still computed. What is saved is an allocation, its bytes, and sometimes a copy. For a large result, that is time, too.",
            "要计算的元素一个也没有减少。节省的是一次内存申请、相应的字节，有时还有一次复制；结果很大时，这也意味着时间。",
        ),
        QUALIFIED,
    ),
    Claim(
        "larger-models",
        ORDINARY,
        Text("Larger models fit into the same memory.", "同样的内存能放下更大的模型。"),
        Text(
            "How much larger depends on what would otherwise be held. Under a fixed limit, the largest batch is twice as large if "
            "a single operation makes the peak, one and a half times as large in inference with a network, and no larger in training "
            "if no name holds the old values anyway.",
            "能大多少，要看用普通操作时，旧值是否还占着内存。内存上限固定时，就最大的批次来说：如果峰值出现在单个操作上，可以达到原来的两倍；如果网络只做推理，可以达到 1.5 倍；"
            "如果是训练，而旧值本来就没有名字持有，就不会变大。",
        ),
        QUALIFIED,
    ),
    Claim(
        "names-and-forms",
        USE,
        Text(
            "In-place names end in an underscore. Each is a function and a method.",
            "原地操作的名字以下划线结尾，既有函数形式也有方法形式。",
        ),
        Text(
            "The underscore is right. But of the 132 names in 3.3.1, only 92 have both forms: `add_` is a method only, `relu_` a function of `paddle.nn.functional` "
            "only, so `x.relu_()` raises an error. And a few names with an underscore write no element: `detach_`, `grad_`.",
            "下划线一说是对的。但在 3.3.1 的 132 个名字里，只有 92 个兼有两种形式：`add_` 只是方法，`relu_` 只是 `paddle.nn.functional` 里的函数，"
            "所以 `x.relu_()` 会报错。还有几个带下划线的名字并不写元素，例如 `detach_`、`grad_`。",
        ),
        QUALIFIED,
        """\
def names(home):
    return {name for name in dir(home) if name.endswith("_") and name[0] != "_"}

methods, functions = names(paddle.Tensor), names(paddle) | names(paddle.nn.functional)
print(len(methods | functions), len(methods & functions))
print(sorted(functions - methods))
paddle.ones([2]).relu_()
""",
    ),
    Claim(
        "alpha",
        ARITHMETIC,
        Text(
            "`add_` and `subtract_` take a factor `alpha` for what is added or subtracted.",
            "`add_` 和 `subtract_` 可以用 `alpha` 给加数或减数乘上一个系数。",
        ),
        Text(
            "They compute `x + alpha * y` and `x - alpha * y`, in place. But `add_` takes `alpha` only since 3.2 and `subtract_` only since 3.3: the first program of the guide, "
            "which is about 2.6, does not run there. Before that, write `x.add_(y * alpha)`.",
            "它们原地算出 `x + alpha * y` 和 `x - alpha * y`。但是 `add_` 从 3.2 版起、`subtract_` 从 3.3 版起才有 `alpha`：指南讲的是 2.6，它的第一段程序在 2.6 上却不能运行。"
            "在较早的版本里，请写 `x.add_(y * alpha)`。",
        ),
        QUALIFIED,
        """\
x = paddle.to_tensor([[1., 2.], [3., 4.]])
y = paddle.to_tensor([[5., 6.], [7., 8.]])
x.add_(y, alpha=1)
print(x.tolist())
x.subtract_(y, alpha=2)
print(x.tolist())
""",
    ),
    Claim(
        "elements-are-independent",
        ELEMENT_WISE,
        Text(
            "Element-wise operations can be done in place because elements do not depend on one another.",
            "逐元素操作可以原地进行，因为各元素互不依赖。",
        ),
        Text(
            "A matrix product and a running sum show what happens if they do depend on one another. And there is one exception: an operand that overlaps the written tensor "
            "at other places. Then some elements may already be new when they are read.",
            "理由是对的；元素相互依赖时会怎样，可以看矩阵乘法和累加。但有一个例外：如果操作数与被写的张量错位重叠，读到的元素可能已经是新值。",
        ),
        QUALIFIED,
        """\
x = paddle.ones([1000])
print((x[1:] + x[:-1] == 2.).all().item())
x[1:].add_(x[:-1])
print((x[1:] == 2.).all().item())
""",
    ),
    Claim(
        "transpose-moves-data",
        LINEAR_ALGEBRA,
        Text(
            "`transpose_` changes the data in place and so saves memory. For comparison, the ordinary `transpose` is run after it.",
            "`transpose_` 在原地修改数据，因而节省内存。随后还运行普通的 `transpose` 作为对比。",
        ),
        Text(
            "It writes no slot; only shape and strides change. The ordinary `transpose` already gives a view, so nothing is saved. (The comparison transposes `X` a second time, "
            "which is why its result has the original shape.)",
            "它一个槽位也不写，改变的只是形状和步幅。普通的 `transpose` 本来就给出视图，所以并没有节省内存。（作为对比的那一行把 `X` 又转置了一次，所以结果恢复了原来的形状。）",
        ),
        REFUTED,
        """\
X = paddle.arange(12).reshape([3, 4])
start = X.data_ptr()
X.transpose_([1, 0])
Y = X.transpose([1, 0])
print(list(X.shape), X.data_ptr() == start)
print(list(Y.shape), Y.data_ptr() == start)
""",
    ),
    Claim(
        "transpose-swaps-two",
        LINEAR_ALGEBRA,
        Text(
            "The argument of `transpose_` names the two dimensions to swap.",
            "`transpose_` 的参数是要交换的两个轴。",
        ),
        Text(
            "It is a permutation of *all* axes. For a matrix, `[1, 0]` can be read either way, but `[0, 1]` swaps nothing. Paddle does not check that all axes are named: "
            "with three axes, `[0, 2]` usually gives a tensor that repeats elements. (Paddle then reads past the end of a list, so an error is possible, too.) To swap the axes 0 and 2, write `[2, 1, 0]`.",
            "它是*全部*轴的一个排列。对矩阵来说，`[1, 0]` 怎样理解都行，但 `[0, 1]` 什么也不交换。Paddle 并不检查是否写全了所有的轴：有三个轴时，`[0, 2]` 通常会得到有重复元素的张量。"
            "（这时 Paddle 读到了内部列表的末尾之外，所以也可能报错。）要交换第 0 轴和第 2 轴，应写 `[2, 1, 0]`。",
        ),
        REFUTED,
        """\
X = paddle.arange(12).reshape([3, 4])
print(list(X.transpose([1, 0]).shape), list(X.transpose([0, 1]).shape))
x = paddle.arange(24).reshape([2, 3, 4])
print(list(x.transpose([2, 1, 0]).shape))
wrong = x.transpose([0, 2])
print(list(wrong.shape))
print(wrong[0].tolist())
""",
    ),
    Claim(
        "half-the-memory",
        PRACTICE,
        Text(
            "The example block has a peak of 134217728 bytes with ordinary operations, and of 67108864 in place.",
            "示例模块用普通操作时峰值为 134217728 字节，用原地操作时为 67108864 字节。",
        ),
        Text(
            "Without gradients, this is right to the byte, also on the CPU. Training adds what backward keeps. (The comment “使用Inplace操作” stands above the call with "
            "`inplace=False`, and the block called residual, 残差块, has no residual connection.)",
            "不需要梯度时，这两个数一字节不差，在 CPU 上也是如此；训练时还要加上反向传播保存的内容。（注释“使用Inplace操作”下面的调用却是 `inplace=False`；名为“残差块”的模块也没有残差连接。）",
        ),
        QUALIFIED,
        """\
def used():
    return paddle.base.core.host_memory_stat_current_value("Allocated", 0)

paddle.set_device("cpu")
x = paddle.rand([1, 64, 512, 512])
print(used())
paddle.nn.functional.relu_(x)
print(used())
y = paddle.nn.functional.relu(x)
print(used())
""",
    ),
    Claim(
        "as-much-as-possible",
        PRACTICE,
        Text("Use in-place operations in middle layers as much as possible.", "在中间层应当尽可能多用原地操作。"),
        Text(
            "If backward keeps a copy, nothing is saved; and some writes are refused.",
            "如果要为反向传播保存副本，就不省内存；还有一些写入会被拒绝。",
        ),
        QUALIFIED,
    ),
    Claim(
        "augmentation",
        PRACTICE,
        Text(
            "Data augmentation (flip, crop, color) and feature normalization can be done in place without copying.",
            "数据增强（翻转、裁剪、颜色变换）和特征归一化可以原地进行，不需要复制。",
        ),
        Text(
            "A change of color can, on a copy of the batch, or else the data set changes. A crop needs no write: a slice is a view. A flip needs a copy, since in 3.3.1 `x[::-1]` is a view "
            "that shows what was just written. (In 2.6.2 it was a copy itself.) And if a gradient passes through the features, backward may refuse.",
            "颜色变换可以，但要在批次的副本上做，否则会改动数据集。裁剪根本不用写：切片就是视图。翻转需要一份副本，因为在 3.3.1 里 `x[::-1]` 是视图，会读到刚刚写入的值（在 2.6.2 里，它本身就是副本）。"
            "另外，如果有梯度经过特征，反向传播时可能会报错。",
        ),
        QUALIFIED,
        """\
x = paddle.to_tensor([0., 1., 2.])
x.copy_(x[::-1], True)
print(x.tolist())
x = paddle.to_tensor([0., 1., 2.])
x.copy_(x[::-1].clone(), True)
print(x.tolist())
""",
    ),
    Claim(
        "what-a-leaf-is",
        LEAVES,
        Text(
            "A leaf is a tensor that requires a gradient; `stop_gradient=False` makes a leaf; a leaf is an input of the graph.",
            "需要梯度的张量就是叶子张量；`stop_gradient=False` 使张量成为叶子张量；叶子张量是计算图的输入。",
        ),
        Text(
            "These are three different things. A tensor that requires no gradient is always a leaf; one that requires a gradient is a leaf if the user created it.",
            "这是三件不同的事。不需要梯度的张量都是叶子张量；需要梯度的张量，由用户创建的才是叶子张量。",
        ),
        QUALIFIED,
        """\
data = paddle.ones([2])
weight = paddle.ones([2])
weight.stop_gradient = False
product = weight * data
print(data.is_leaf, weight.is_leaf, product.is_leaf)
print(data.stop_gradient, weight.stop_gradient, product.stop_gradient)
""",
    ),
    Claim(
        "checked-before-written",
        LEAVES,
        Text("Whether a tensor is a leaf is checked before it is written.", "写入之前会先检查张量是不是叶子张量。"),
        Text(
            "inplacelab does so. Paddle writes first and raises afterwards: the error comes, and the leaf is overwritten all the same.",
            "inplacelab 是这样。Paddle 却先写入、后报错：虽然报了错，叶子张量还是被覆盖了。",
        ),
        QUALIFIED,
        """\
x = paddle.ones([3])
x.stop_gradient = False
try:
    x.scale_(2.)
finally:
    print(x.tolist())
""",
    ),
    Claim(
        "leaf-gradient-wrong",
        LEAVES,
        Text(
            "A weight that is overwritten before the update makes the gradient wrong. The review says that the graph would be damaged.",
            "权重如果在更新之前被覆盖，梯度就会出错。被评审的那篇文章则说，计算图会受损。",
        ),
        Text(
            "The gradient is right for the old value. But the optimizer would update the new value; and if the tensor had a history, it would no longer be a leaf.",
            "按旧值算，梯度仍是对的。但优化器更新的会是新值；而张量一旦有了历史，就不再是叶子张量。",
        ),
        REFUTED,
    ),
    Claim(
        "two-names",
        REUSE,
        Text(
            "After `y = x`, `x` and `y` are two tensors that share data.",
            "执行 `y = x` 之后，`x` 和 `y` 是引用同一份数据的两个张量。",
        ),
        Text(
            "They are one object. A view, or the result of `detach()`, is a second object on the same storage.",
            "它们是同一个对象。视图和 `detach()` 的结果才是同一个存储上的另一个对象。",
        ),
        REFUTED,
        """\
x = paddle.rand([3, 4])
y = x
print(y is x)
d = x.detach()
print(d is x, d.data_ptr() == x.data_ptr())
""",
    ),
    Claim(
        "replicas-agree",
        REPLICAS,
        Text(
            "In distributed training, all workers must do the same in-place operations on the same data; batch normalization needs care.",
            "在分布式训练中，各进程必须对相同的数据执行相同的原地操作；对批归一化要格外小心。",
        ),
        Text(
            "Neither necessary nor sufficient. If one rank clips its weights and nothing synchronizes them afterwards, the replicas drift apart without an error; but a `broadcast` makes "
            "them agree again, and the same line can write different values on two ranks. Batch normalization does need care: if each rank normalizes for itself, the running means drift apart.",
            "既不必要，也不充分。如果一个进程裁剪了自己的权重，而此后没有再同步，各模型副本就会变得不一致，而且不报错；但一次 `broadcast` 就能使它们恢复一致，而同一行代码在两个进程上也可能写入不同的值。"
            "对批归一化确实要小心：如果各进程分别归一化，滑动均值就会变得不一致。",
        ),
        QUALIFIED,
    ),
    Claim(
        "hardware-differs",
        VERSIONS,
        Text(
            "In-place operations may behave differently on other hardware or under another operating system.",
            "在不同的硬件环境和操作系统下，原地操作可能会有不同的表现。",
        ),
        Text(
            "Every program on this page was run on Linux, on the CPU. What they show (names, objects, storages, errors) is decided before a kernel starts. Bytes, times and the order in which "
            "overlapping elements are written do depend on the device.",
            "本页的程序都是在 Linux 上用 CPU 运行的。它们所展示的（名字、对象、存储、报错）在启动核函数之前就已确定；字节数、时间，以及重叠元素的写入次序，则确实取决于设备。",
        ),
        UNTESTED,
    ),
    Claim(
        "since-2-6",
        VERSIONS,
        Text(
            "Since 2.6 the overwritten input is kept where backward needs it.",
            "从 2.6 版起，如果反向传播需要被覆盖的输入，就会保存它。",
        ),
        Text(
            "`sin_` needs its input for the gradient, which is right in both versions. The lesson tests the rule operation by operation. (What was before 2.6 could not be run: no older version can be installed today.)",
            "`sin_` 求梯度时需要输入，两个版本的结果都对。第 8 课对各个操作逐一验证这条规则。（2.6 之前的情况无法运行验证：更早的版本如今已装不上。）",
        ),
        SHOWN,
        """\
a = paddle.to_tensor([0., 1., 2.])
a.stop_gradient = False
x = a * 1.
x.sin_()
x.sum().backward()
print((a.grad == a.detach().cos()).all().item())
""",
    ),
    Claim(
        "names-added",
        VERSIONS,
        Text(
            "109 in-place names were added in 2.6.",
            "2.6 版新增了 109 个原地操作。",
        ),
        Text(
            "It cannot have been 109 different names: 2.6.2 has 108 in all, and at least 20 of them are older. (Counted once for each home, method or function, there are 182; how the 109 were counted is not known.) "
            "The names that the guide lists do exist.",
            "不可能是 109 个不同的名字：2.6.2 一共只有 108 个，其中至少 20 个是旧有的。（方法和函数分开计数，一共是 182 个；109 是怎样数出来的，不得而知。）指南列举的那些名字确实都有。",
        ),
        REFUTED,
        """\
def names(home):
    return {name for name in dir(home) if name.endswith("_") and name[0] != "_"}

homes = [names(home) for home in (paddle.Tensor, paddle, paddle.nn.functional)]
print(len(set.union(*homes)), sum(map(len, homes)))
listed = "abs_ sin_ cos_ tan_ greater_than_ less_than_ equal_ logical_and_ logical_or_ logical_not_ neg_ log_"
print({*listed.split()} <= names(paddle))
""",
    ),
    Claim(
        "ordinary-has-another-shape",
        WHAT_IT_IS,
        Text(
            "The result of an ordinary operation has other metadata (shape, strides) than its input.",
            "普通操作的结果与输入有不同的元数据（形状、步幅）。",
        ),
        Text(
            "`relu(x)` has the same shape and strides as `x`. What makes it ordinary is another storage.",
            "`relu(x)` 的形状和步幅都与 `x` 相同。结果在另一个存储里，这才是普通操作的标志。",
        ),
        REFUTED,
        """\
x = paddle.rand([2, 3])
y = paddle.nn.functional.relu(x)
print(list(x.shape), x.strides)
print(list(y.shape), y.strides, y.data_ptr() == x.data_ptr())
""",
    ),
    Claim(
        "twice-the-memory",
        WHAT_IT_IS,
        Text(
            "In place, the memory is needed once instead of twice, and the time of an allocation is saved.",
            "原地操作只占一份内存而不是两份，还省去申请内存的时间。",
        ),
        Text(
            "The memory is right, counted in bytes. The time was measured: a result of 64 MiB needs fresh memory pages, and writing in place takes half the "
            "time (in PyTorch and Paddle, a tenth). A small result gets memory that was just freed, without that delay.",
            "关于内存的说法是对的，统计结果正是如此。关于时间，实测表明，占 64 MiB 的结果需要新的内存页，这时原地操作只需要一半的时间（在 PyTorch 和 Paddle 里是十分之一）；"
            "较小的结果用的是刚刚释放的内存，没有这项开销，所以几乎不省时间。",
        ),
        QUALIFIED,
    ),
    Claim(
        "reshape-saves-a-copy",
        WHAT_IT_IS,
        Text(
            "`reshape` used to copy the data; in place, this copy is saved.",
            "`reshape` 原来要复制数据；改为原地后，这次复制就省去了。",
        ),
        Text(
            "This was true when it was written. Since Paddle has strides (it does in 2.6.2), the ordinary `reshape` gives a view, too, and copies nothing. Only if no "
            "strides can express the new shape does it copy.",
            "这在写下的当时成立。自从 Paddle 有了步幅机制（2.6.2 就有），普通的 `reshape` 给出的也是视图，并不复制；只有步幅无法描述新的形状时才复制。",
        ),
        QUALIFIED,
        """\
x = paddle.rand([4, 6])
print(x.reshape([6, 4]).data_ptr() == x.data_ptr())
print(x.transpose([1, 0]).reshape([24]).data_ptr() == x.data_ptr())
""",
    ),
    Claim(
        "like-the-ordinary",
        HOW_TO,
        Text(
            "But for writing in place, the in-place form does not differ from the ordinary one.",
            "除了原地写入以外，原地形式与普通形式没有区别。",
        ),
        Text(
            "There are more differences. The written tensor keeps its shape, so it cannot be broadcast, while an ordinary sum can. If the operand has a wider dtype, `add_` changes that of the written "
            "tensor, and in 2.6.2 the sum is lost as well. (PyTorch keeps the dtype.) "
            "And an ordinary operation may have arguments that its in-place form has not, such as `out`.",
            "区别不止于此。被写的张量形状不变，所以不能被广播，而普通的加法可以。加数的数据类型更宽时，`add_` 会改变被写张量的数据类型，在 2.6.2 里连加法的结果也会丢失。（PyTorch 保持数据类型不变。）"
            "有些参数只有普通形式才有，例如 `out`。",
        ),
        REFUTED,
        """\
row = paddle.ones([3])
print(list((row + paddle.ones([2, 3])).shape))
x = paddle.ones([2])
x.add_(paddle.ones([2], dtype="float64"))
print(x.dtype, x.tolist())
row.add_(paddle.ones([2, 3]))
""",
    ),
    Claim(
        "scaled-twice",
        HOW_TO,
        Text(
            "After `y = x.scale_(2.0)`, `y is x`. If a tensor is scaled by two twice, the gradient is 4.",
            "执行 `y = x.scale_(2.0)` 之后 `y is x`；两次乘以二，梯度是 4。",
        ),
        Text(
            "So it is. The lesson shows the path of the gradient through both nodes.",
            "的确如此。第 2 课展示了梯度经过两个节点的路径。",
        ),
        SHOWN,
        """\
a = paddle.ones([2])
a.stop_gradient = False
x = a.scale(2.)
y = x.scale_(2.)
y.sum().backward()
print(y is x, a.grad.tolist())
""",
    ),
    Claim(
        "why-not-leaves",
        HOW_TO,
        Text(
            "Why leaves cannot be written in place is left to the reader.", "为什么不能原地写入叶子张量，留给读者思考。"
        ),
        Text(
            "If the tensor stayed a leaf, the optimizer would apply the gradient of the old value to the new one. If it did not, the optimizer would find no gradient in it.",
            "如果这个张量仍是叶子张量，优化器就会把旧值的梯度用在新值上；如果它不再是叶子张量，优化器就得不到它的梯度。",
        ),
        ANSWERED,
    ),
    Claim(
        "setitem-is-a-value-needed",
        DISCUSSION,
        Text(
            "`x[0] = 4.0` on a parameter fails because backward still needs the value.",
            "对参数执行 `x[0] = 4.0` 报错，是因为反向传播还要用到这个值。",
        ),
        Text(
            "It fails in the leaf check, at the write; here no backward pass would need anything. The other check is made in `backward()`, and compares versions.",
            "报错的是写入时的叶子检查：在这里，反向传播什么也不需要。另一种检查在 `backward()` 时进行，比较的是版本号。",
        ),
        REFUTED,
        """\
x = paddle.to_tensor([1., 2., 3.])
x.stop_gradient = False
x.name = "x"
x[0] = 4.
""",
    ),
    Claim(
        "needed-for-backward",
        DISCUSSION,
        Text(
            "`requires_grad=True` says that the gradient is needed for the backward pass. (The reviewer: it says that the gradient is kept, for the optimizer; and the name is not one of Paddle's.)",
            "`requires_grad=True` 表示反向传播需要这个梯度。（评审人认为：它表示要为优化器保留这个梯度；而且 Paddle 没有这个名字。）",
        ),
        Text(
            "Neither is quite right. It says (in Paddle: `stop_gradient=False`) that the gradient is computed and passed on. Only that of a leaf is kept for the optimizer; that of an intermediate "
            "result is used and freed. The name `requires_grad` exists in Paddle today, but not in 2.6.2.",
            "两种说法都不全对。它（在 Paddle 里是 `stop_gradient=False`）表示要计算这个梯度，并把它传给更早的节点；只有叶子张量的梯度才为优化器保留，中间结果的梯度用完即释放。"
            "`requires_grad` 这个名字现在 Paddle 也有，但 2.6.2 还没有。",
        ),
        QUALIFIED,
        """\
a = paddle.ones([2])
a.stop_gradient = False
h = a * 2.
h.sum().backward()
print(h.stop_gradient, h.grad)
print(a.stop_gradient, a.grad.tolist())
print(hasattr(a, "requires_grad"))
""",
    ),
    Claim(
        "wrong-would-raise",
        DISCUSSION,
        Text(
            "Users need not care: an in-place operation that would make a gradient wrong raises.",
            "用户不必操心：会让梯度出错的原地操作都会报错。",
        ),
        Text(
            "Not in Paddle. A write to a view does not reach the gradient of the tensor behind it: here it would have to be [[3, 3], [1, 1]]. And `set_value` overwrites a value that backward needs "
            "without raising its version, so the second gradient is wrong. In a few programs, PyTorch 2.13 is silently wrong, too.",
            "在 Paddle 中并非如此。写入视图时，梯度并没有随之改变：下面第一个结果本应是 [[3, 3], [1, 1]]。`set_value` 覆盖了反向传播需要的值，版本号却没有增加，所以第二个梯度也是错的。"
            "对少数几段程序，PyTorch 2.13 也会悄悄算错。",
        ),
        REFUTED,
        """\
a = paddle.ones([2, 2])
a.stop_gradient = False
b = a * 1.
b[0].scale_(3.)
b.sum().backward()
print(a.grad.tolist())
w = paddle.ones([2])
w.stop_gradient = False
y = w * 1.
loss = (y * y).sum()
y.set_value(paddle.zeros([2]))
loss.backward()
print(w.grad.tolist())
""",
    ),
)
