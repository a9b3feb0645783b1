"""The exercises of lesson 15."""

from __future__ import annotations

from typing import Any

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.kernels import Kernel, traffic
from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise

_CHAIN = ("exp_", "multiply_", "add_", "scale_")


def _asked_for(n: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The tensors of `n` numbers that the chain reads and writes: one by one, and fused."""
    x, y = paddle.zeros([n]), paddle.zeros([n])
    with kernels.launches() as alone:
        kernels.run("exp_", x)
        kernels.run("multiply_", x, y)
        kernels.run("add_", x, y)
        kernels.run("scale_", x, 0.5)
    with kernels.launches() as fused:
        kernels.fuse(*_CHAIN)(x, y, y, scale=0.5)
    first, second = traffic.total(alone), traffic.total(fused)
    return (first.read / x.nbytes, first.written / x.nbytes), (second.read / x.nbytes, second.written / x.nbytes)


@exercise
def trips(one_by_one: tuple[float, float], together: tuple[float, float]) -> Steps:
    alone, fused = _asked_for(64)
    yield (
        tuple(one_by_one) == alone or one_by_one[0] != alone[0],
        Text(
            "The tensors read are right. How many does each of the four write?",
            "读的张量数是对的。四个操作各写几个张量？",
        ),
    )
    yield (
        tuple(one_by_one) == alone,
        Text("How many tensors does `multiply_` read?", "`multiply_` 要读几个张量？"),
        Text(
            "Each of the four reads `x` and writes `x`; two of them read `y` as well.",
            "四个操作都读 `x`、写 `x`，其中两个还要读 `y`。",
        ),
    )
    yield (
        tuple(together) != (1, 1),
        Text("Can the kernel do without `y`?", "不读 `y`，核函数能算出结果吗？"),
    )
    yield (
        tuple(together) != (2, 1),
        Text(
            "The kernel reads `y` once for each use. How many uses are there?",
            "这个核函数用到几次 `y`，就读几次。它用到了几次？",
        ),
    )
    yield (
        tuple(together) == fused,
        Text(
            "The kernel makes one trip: what does it read at the beginning, and what does it write at the end?",
            "这个核函数只访问一趟显存：开始时要读什么，结束时要写什么？",
        ),
        Text("No intermediate result is written.", "中间结果都不写回显存。"),
    )
    return Text(
        "The traffic is ten tensors one by one, and four fused.",
        "逐个运行时，访存量是十个张量；融合之后，访存量是四个张量。",
    )


@exercise
def one_launch(mine: Any) -> Steps:
    yield (
        isinstance(mine, Kernel),
        Text(
            "`mine` should be a kernel: what makes one kernel of several?",
            "`mine` 应当是一个核函数：用什么可以把几个核函数合成一个？",
        ),
    )
    x, y = paddle.to_tensor([-3.0, 1.0]), paddle.to_tensor([1.0, 1.0])
    with kernels.launches() as launched:
        result = mine(x, y)
    yield (
        result.tolist() == [0, 2],
        Text(
            "With `x` = [-3, 1] and `y` = [1, 1] it gives {found}, not [0, 2]. Which operations are needed, and which comes first?",
            "当 `x` 为 [-3, 1]、`y` 为 [1, 1] 时，结果是 {found}，而不是 [0, 2]。需要哪几个操作？先做哪一个？",
        ).format(found=result.tolist()),
    )
    yield (
        traffic.allocated(launched) == 0,
        Text("Where is the result: in a storage of its own?", "结果放在哪里？是不是放在另一个存储里？"),
    )
    return Text("One launch, three tensors of traffic, no new storage.", "只启动一次，访存量是三个张量，没有新建存储。")


@exercise
def five_tensors(mine: Any) -> Steps:
    def called() -> tuple[Any, Any, Any, list[Any]]:
        x, y = paddle.to_tensor([-3.0, 1.0, 2.0]), paddle.to_tensor([1.0, 2.0, -5.0])
        with kernels.launches() as launched:
            return mine(x, y), x, y, launched

    result, x, y, launched = called()
    yield (
        isinstance(result, paddle.Tensor),
        Text("`mine` should return a tensor.", "`mine` 应当返回一个张量。"),
    )
    yield (
        float(result.min()) >= 0,
        Text(
            "The result is {found}. Can `relu` return a negative number?",
            "结果是 {found}。`relu` 会返回负数吗？",
        ).format(found=result.tolist()),
        Text("Which operation must come last?", "哪个操作应当放在最后？"),
    )
    yield (
        result.tolist() == [0, 4, 0],
        Text(
            "Compare the result with relu(x * 2 + y). Which of the two is doubled?",
            "请把结果与 relu(x * 2 + y) 对照：加倍的应当是哪一个？",
        ),
    )
    yield (
        result is x or result is y,
        Text("Where is the result: in a storage of its own?", "结果放在哪里？是不是放在另一个存储里？"),
        Text("Overwrite `x` or `y`, and return it.", "覆盖 `x` 或 `y`，再把它返回。"),
    )
    yield (
        len(launched) > 1
        and not any(" " in launch.kernel for launch in launched),  # a fused kernel lists its operations
        Text("Without `fuse`, please.", "请不要用 `fuse`。"),
    )
    asked = traffic.total(launched)
    yield (
        (asked.read + asked.written) / x.nbytes <= 5,  # a scale and an add in one: 3 + 2
        Text(
            "The traffic is {found:g} tensors. Which operation scales and adds at once?",
            "访存量是 {found:g} 个张量。哪个操作能同时完成缩放和相加？",
        ).format(found=(asked.read + asked.written) / x.nbytes),
        Text(
            "Which of the two may `alpha` multiply: the tensor that is written, or the other?",
            "`alpha` 乘的是被写的那个张量，还是另一个？",
        ),
    )
    yield (
        traffic.allocated(launched) == 0,
        Text("Something was allocated in between.", "中途申请过显存。"),
    )
    return Text("Two launches, five tensors, no new storage.", "启动两次，访存量是五个张量，没有新建存储。")
