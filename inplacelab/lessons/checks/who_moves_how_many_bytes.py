"""The exercises of lesson 15."""

from __future__ import annotations

from typing import Any

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.devices.kernels import traffic
from inplacelab.kernels import Kernel
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
def trips(one_by_one: Any, together: Any) -> Steps:
    alone, fused = _asked_for(64)
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
        Text("Does the kernel get by without `y`?", "内核不用 `y` 也行吗？"),
    )
    yield (
        tuple(together) == fused,
        Text(
            "`y` occurs in two of the steps. Does the kernel know that both mean the same tensor? `print` its source and look at the parameters.",
            "有两步用到 `y`。内核知道它们是同一个张量吗？把它的源代码 `print` 出来，看看参数。",
        ),
    )
    return Text("Ten tensors travel, or four.", "十个张量在路上，还是四个。")


@exercise
def one_launch(mine: Any) -> Steps:
    yield (
        isinstance(mine, Kernel),
        Text(
            "`mine` should be a kernel: what makes one of several?", "`mine` 应当是一个内核：什么能把几个内核合成一个？"
        ),
    )
    x, y = paddle.to_tensor([-3.0, 1.0]), paddle.to_tensor([1.0, 1.0])
    with kernels.launches() as launched:
        result = mine(x, y)
    yield (
        result.tolist() == [0, 2],
        Text(
            "For -3 and 1 it gives {found}, not 0. Which comes first?",
            "对 -3 和 1，它给出 {found}，而不是 0。哪个在先？",
        ).format(found=result.tolist()[0]),
    )
    yield (
        traffic.allocated(launched) == 0,
        Text("Where does the result lie: in a storage of its own?", "结果放在哪里？是另一块存储吗？"),
    )
    return Text("One launch, three tensors of traffic, no new storage.", "一次启动，三个张量的访存量，没有新的存储。")
