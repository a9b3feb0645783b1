"""The exercises of the lesson on memory."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import IN_BYTES, as_names, named, runs
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values

_BYTES = 16 * 3 * 128 * 128 * 4
_MATRIX = 16
"""Bytes of each tensor of the second exercise."""


@exercise
def peak_of_five(ordinary: Any, in_place: Any) -> Steps:
    yield (
        in_place * 4 != _BYTES,
        Text(
            "You have counted numbers. How many bytes does each of them take?",
            "你算的是数的个数。每个数占几字节？",
        ),
    )
    yield (
        in_place * 2**20 != _BYTES,
        Text("That is in MiB. How many bytes is it?", "你的单位是 MiB。换算成字节是多少？"),
    )
    yield (
        in_place == _BYTES,
        Text(
            "Begin with the in-place lines: how many storages are there, and how many bytes does one take?",
            "先看原地操作：一共有几个存储？每个存储占多少字节？",
        ),
    )
    yield (
        ordinary <= 2 * _BYTES,
        Text(
            "Who still holds the first result when the third is computed?",
            "在计算第三个结果时，还有什么持有第一个结果？",
        ),
        Text("Look at the first plot once more: does the line climb?", "再看看第一幅图：那条线一直在上升吗？"),
    )
    yield (
        ordinary == 2 * _BYTES,
        Text(
            "And at the moment when a result is ready, but the name `x` has not moved yet?",
            "在结果已经算好、名字 `x` 还没有指向结果的那一刻，一共有几个张量？",
        ),
    )
    return Text(
        "Two tensors and one, whether there are five lines or fifty.",
        "普通形式需要两个张量，原地形式需要一个；无论是五行还是五十行，都是这样。",
    )


@exercise
def one_storage_fewer(mine: Any) -> Steps:
    after = mine.state(-1)
    error = after.step.error
    yield (
        not error or error.type != "ValueError",
        Text(
            "Line 2 is refused: who gets the gradient in the end, and may it be overwritten?",
            "第 2 行被拒绝了：最后得到梯度的是哪个张量？可以覆盖它吗？",
        ),
    )
    yield runs(mine, "used in gradient computation has been modified")
    yield (
        not error,
        Text(
            f"`backward()` stops: line {after.step.line}. Whose result was overwritten, and who was still holding it?",
            f"`backward()` 停在第 {after.step.line} 行。被覆盖的是哪个操作的结果？当时还有什么持有它？",
        ),
        Text(
            "The derivative of `relu` needs its result. In the program without underscores, which of `x` and `y` does no node hold?",
            "`relu` 求导要用到自己的结果。在没有下划线的程序里，`x` 和 `y` 之中，哪一个没有被任何节点持有？",
        ),
    )
    missing = ", ".join(f"`{name}`" for name in "xyz" if name not in named(mine))
    yield (
        not missing,
        Text(
            f"At the end, there is no tensor {missing}. Keep the three names, so that only an underscore saves a storage. "
            "When a name moves, its old storage is freed only after the line; *within* the line, both exist.",
            f"最后没有名为 {missing} 的张量。请保留三个名字，只靠下划线节省存储。"
            "如果让名字指向别的张量，旧的存储要到这一行结束之后才释放，在这一行*之内*，两个存储同时存在。",
        ),
    )
    yield (
        any(step.category == "in-place" for step in mine.steps),
        Text(
            "Which of `x` and `y` does no node hold in the end?",
            "最后，`x` 和 `y` 之中，哪一个没有被任何节点持有？",
        ),
    )
    before = mine.state([step.index for step in mine.steps if step.phase == "forward"][-1])
    large = sum(storage.bytes >= _MATRIX for storage in before.storages.values())
    yield (
        large == 3,
        Text(
            f"It runs, and it writes in place. But at the end of the forward pass there are {large} storages as large as that of `a`. There should be three.",
            f"能运行，也有原地写入。可是前向计算结束时，与 `a` 的存储一样大的有 {large} 个，应当是三个。",
        ),
        Text(
            "Look at the grad nodes before `backward()`: does one of them keep a copy?",
            "请看 `backward()` 之前的梯度节点：有没有哪个节点保存了副本？",
        ),
    )
    grad = after.tensors.get(after.tensor("a").grad)
    yield grad is not None, Text("`a` has no gradient: keep the last line.", "`a` 没有梯度：请保留最后一行。")
    yield (
        visible_values(after, grad) == (6, 0, 6, 0),
        Text("The gradient was 6, 0, 6, 0: what has changed?", "原来的梯度是 6、0、6、0。现在变成了什么？"),
    )
    return Text(
        "The result of line 2 may be overwritten, since no node keeps it. The derivative of `relu` needs only what is left there.",
        "第 2 行的结果可以覆盖，因为没有节点保存它；`relu` 求导只需要覆盖之后的值。",
    )


@exercise
def traced_peaks(with_relu: Any, with_relu_: Any) -> Steps:
    yield with_relu != 9 * 2**20, IN_BYTES
    yield (
        with_relu != 3,
        Text(
            "That is the peak of `layers`. What does the list hold when the last layer is done?",
            "那是 `layers` 的峰值。在最后一层算完时，列表里有哪些张量？",
        ),
    )
    yield (
        with_relu == 9,
        Text(
            "`relu`: count the entries of the list: the input, and how many for each layer?",
            "`relu`：请数一数列表里的项。输入是一项，此外每层有几项？",
        ),
    )
    yield (
        with_relu_ == 5,
        Text(
            "`relu_`: the list has as many entries. How many *storages* do they have?",
            "`relu_`：列表的项数相同。这些项一共占用几个*存储*？",
        ),
        Text("Which object does `relu_(product)` return?", "`relu_(product)` 返回的是哪个对象？"),
    )
    return Text(
        "Nine entries in both lists. With `relu_`, each product and its activation are one object.",
        "两个列表都有九项。用 `relu_` 时，每个乘积与对应的激活值是同一个对象。",
    )


@exercise
def who_keeps_a_copy(keep_a_copy: Any, measured: Any, Tensor: Any) -> Steps:  # noqa: N803  # the learner's name
    names = ("sqrt_", "log_", "tanh_", "cos_", "scale_")
    chosen = as_names(keep_a_copy)
    copying = {name for name in names if measured(getattr(Tensor, name))[0] == 2}
    yield (
        chosen <= set(names),
        Text(
            "Choose from the five names, in quotes and with their underscores.",
            "请从这五个名字中选择，加上引号，也不要漏掉下划线。",
        ),
    )
    yield (
        "scale_" not in chosen,
        Text(
            "`scale_` lowers the peak. Does a constant derivative need any number of the tensor?",
            "`scale_` 能降低峰值。导数是常数，还需要张量里的数吗？",
        ),
    )
    wrong = sorted(chosen - copying)
    yield (
        not wrong,
        Text(
            f"`{wrong[0] if wrong else ''}` lowers the peak. Can its derivative be worked out from the *result*?",
            f"`{wrong[0] if wrong else ''}` 能降低峰值。它的导数能不能由*结果*算出？",
        ),
    )
    missing = sorted(copying - chosen)
    yield (
        not missing,
        Text(
            "Your list is not complete. In each formula above, write y for the result (√x, log x, tanh x or cos x). In which is an x left?",
            "你的列表还不全。请把上面每个公式里的结果（√x、log x、tanh x、cos x）换成 y。哪些公式里还剩下 x？",
        ),
        Text(
            f"Call `measured` for `{missing[0] if missing else ''}`.",
            f"用 `measured` 看一看 `{missing[0] if missing else ''}`。",
        ),
    )
    return Text(
        "`sqrt_` and `tanh_` need only their results, `scale_` only a constant. "
        "(1 / x is exp(-y) with y = log x, but inplacelab keeps x instead of computing that.)",
        "`sqrt_` 和 `tanh_` 只需要自己的结果，`scale_` 只需要一个常数。（设 y = log x，则 1 / x 就是 exp(-y)，但 inplacelab 不这样算，而是保存 x。）",
    )
