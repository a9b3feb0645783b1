"""The exercises of lesson 11."""

from __future__ import annotations

from typing import Any

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values
from inplacelab.recording.recording import Recording

_DATA = (1, 2, 3, 4, 5, 6, 7, 8)
_GRADIENT = (2, 0, 1.5, 0)  # of `w`: the columns of `x` summed, over 2; in the second column, relu lets nothing pass


@exercise
def data_saved(brightened: Recording, seen: Any) -> Steps:
    after = brightened.state(-1)
    yield (
        [step.op for step in brightened.steps if step.writes] == ["scale_", "scale_"],
        Text(
            "The batches are still to be written in place, once each. Which version has `batch` at the end?",
            "每个批次仍要原地写一次。最后 `batch` 的版本号是多少？",
        ),
    )
    yield (
        visible_values(after, "data") == _DATA,
        Text(
            "`data` has changed. In which storage does `batch` lie, and whose is it?",
            "`data` 变了。`batch` 放在哪块存储里？那是谁的存储？",
        ),
        Text("What makes a tensor with a storage of its own?", "用什么办法能得到一个有自己存储的张量？"),
    )
    yield (
        list(seen) == [100, 260],
        Text(
            "`data` is safe. But what is in `batch`: only the two rows?",
            "`data` 安全了。可是 `batch` 里是什么？只有那两行吗？",
        ),
    )
    return Text(
        "A copy of the two rows: 16 bytes, not of the whole data set.", "只复制了那两行：16 个字节，而不是整个数据集。"
    )


@exercise
def normalised_after_all(normalised: Recording) -> Steps:
    after = normalised.state(-1)
    grad = after.tensor("w").grad
    yield (
        after.step.error is None,
        Text(
            "Backward is still refused. Whose number was overwritten first: who has kept what?",
            "反向传播仍被拒绝。最先被改写的是谁的数？谁保存了什么？",
        ),
        Text(
            "`relu` keeps its result, with or without an underscore. Which operation writes into that storage?",
            "不管有没有下划线，`relu` 都会保存自己的结果。是哪个操作写进了那块存储？",
        ),
    )
    yield (
        grad is not None,
        Text(
            "It runs, but `w` gets no gradient. Where was its history cut off?",
            "能运行了，可是 `w` 没有得到梯度。它的历史在哪里被切断了？",
        ),
    )
    yield (
        visible_values(after, after.tensors[grad or 0]) == _GRADIENT,
        Text(
            "It runs, but it is another function now: a `relu` is wanted between the product and the normalisation.",
            "能运行了，但已经是另一个函数：乘积和归一化之间应当有 `relu`。",
        ),
    )
    yield (
        "divide_" in [step.op for step in normalised.steps],
        Text("The division is to stay in place.", "除法仍须是原地的。"),
    )
    yield (
        not any(saved.copy for node in after.nodes.values() for saved in node.saved),
        Text("The engine keeps a copy for you: do without it.", "引擎替你留了副本：请不要借助它。"),
    )
    return Text(
        "The first operation makes a new storage, of which nobody has kept anything. From then on, write in place.",
        "第一个操作造出一块新存储，谁也没有保存过其中的内容。此后就可以原地写了。",
    )


@exercise
def descent(descend: Any) -> Steps:
    w = paddle.to_tensor([4.0, -2.0], stop_gradient=False)
    (w * w).sum().backward()
    try:
        before = _measure_from_here()
        returned = descend([w], 0.25)
        needed = paddle.device.max_memory_allocated() - before
    except ValueError:
        yield (
            False,
            Text(
                "It is refused: `w` is a leaf that wants a gradient. Is this write part of what should be differentiated?",
                "被拒绝了：`w` 是需要梯度的叶子张量。这次写入属于要求导的计算吗？",
            ),
        )
        return None
    yield (
        returned is not ...,
        Text(
            "Write the body in place of `return ...`: which operation overwrites `w`, and under what?",
            "请把 `return ...` 换成函数体：用哪个操作改写 `w`？要放在什么之下？",
        ),
    )
    yield (
        w.tolist() != [4, -2],
        Text(
            "`w` has not moved. Was the parameter written, or did the name only move on to a new tensor?",
            "`w` 没有动。是写了这个参数，还是只让名字指向了新的张量？",
        ),
    )
    yield w.tolist() != [6, -3], Text("Uphill. Which way does the gradient point?", "走成上坡了。梯度指向哪个方向？")
    yield (
        w.tolist() == [2, -1],
        Text(
            f"From [4, -2], with gradient [8, -4] and lr 0.25, it went to {w.tolist()}.",
            f"从 [4, -2] 出发，梯度是 [8, -4]，lr 为 0.25，却走到了 {w.tolist()}。",
        ),
    )
    yield (
        w.grad.tolist() == [8, -4],
        Text(
            "A second step would go less far: what has become of `w.grad`?", "第二步会走得更近：`w.grad` 变成什么了？"
        ),
    )
    yield (
        needed == 0,
        Text(
            f"The numbers are right, but {needed} bytes were needed on the way. For which tensor?",
            f"数值对了，但途中多占了 {needed} 个字节。是为哪个张量？",
        ),
        Text("`subtract_` has a factor for what it subtracts.", "`subtract_` 可以给减数带上系数。"),
    )
    return Text("That is `optimizer.SGD`.", "这就是 `optimizer.SGD`。")


def _measure_from_here() -> int:
    paddle.device.reset_max_memory_allocated()
    return paddle.device.memory_allocated()
