"""The exercises of the lesson on real training."""

from __future__ import annotations

from typing import Any

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.lessons.checks.shared import copied_on_request
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values, who_raised
from inplacelab.recording.recording import Recording

_DATA = (1, 2, 3, 4, 5, 6, 7, 8)
_BATCH = 2 * 2 * 4
_GRADIENT = (2, 0, 1.5, 0)  # of `w`: the columns of `x` summed, over 2; in the second column, relu lets nothing pass
_ARITHMETIC = ("add_", "subtract_")
_NORMALIZED = (0.5, -0.25, 0.5, -0.25)


@exercise
def data_saved(brightened: Recording, seen: Any) -> Steps:
    after = brightened.state(-1)
    yield (
        after.step.error is None,
        Text(
            f"Line {after.step.line} raises an error. Read the first line of the message.",
            f"第 {after.step.line} 行报错了。读一读报错信息的第一行。",
        ),
    )
    yield (
        [step.op for step in brightened.steps if step.writes] == ["scale_", "scale_"],
        Text(
            "The batches must still be written in place, once each. At which version is `batch` at the end?",
            "每个批次仍要原地写一次。最后 `batch` 的版本号是多少？",
        ),
    )
    yield (
        visible_values(after, "data") == _DATA
        and not who_raised(brightened, brightened.after_line(1).tensor("data").storage),
        Text(
            "`data` has changed. Which other tensor shares the storage of `batch`?",
            "`data` 变了。还有哪个张量与 `batch` 共享存储？",
        ),
        Text("How do you make a tensor with a storage of its own?", "怎样得到一个有自己的存储的张量？"),
    )
    yield (
        list(seen) == [100, 260],
        Text(
            f"`data` stays as it is, but `seen` is {list(seen)}. Each batch should show its own two rows, ten times as large. What does `batch` show?",
            f"`data` 没有变，可是 `seen` 是 {list(seen)}。每个批次应当只显示自己的两行，而且是原来的十倍。`batch` 显示的是什么？",
        ),
    )
    first = brightened.after_line(1).storages
    made = {key: facts.bytes for step in brightened.steps for key, facts in step.storages if facts and key not in first}
    return (
        Text(
            "Only the two rows of a batch are copied (16 bytes), not the whole data set.",
            "每个批次只复制了自己的两行（16 字节），而不是整个数据集。",
        )
        if sum(made.values()) <= 2 * _BATCH
        else Text(
            f"The data set is safe. But {sum(made.values())} bytes of new storages were made where {2 * _BATCH} are enough: two rows for each batch.",
            f"数据集保住了。不过一共新建了 {sum(made.values())} 字节的存储，其实 {2 * _BATCH} 字节就够了：每个批次两行。",
        )
    )


@exercise
def normalized_after_all(normalized: Recording) -> Steps:
    after = normalized.state(-1)
    error = after.step.error
    yield (
        error is None or "modified by an inplace operation" in error.message,
        Text(
            f"Line {after.step.line} raises another error than before. Read the first line of the message: what does the tensor lack?",
            f"第 {after.step.line} 行报错，而且与原来的报错不同。读一读报错信息的第一行：这个张量缺少什么？",
        ),
        Text(
            "`backward()` needs the history from `w` to `h`. Which of your calls cuts it?",
            "`backward()` 需要从 `w` 到 `h` 的历史。你的哪个调用把它切断了？",
        ),
    )
    yield (
        error is None,
        Text(
            "`backward()` is still refused. Which value was overwritten, and which operation keeps it?",
            "`backward()` 仍被拒绝。被覆盖的是哪个保存的值？是哪个操作保存的？",
        ),
        Text(
            "`relu` keeps its result, with or without an underscore. Which operation writes into that storage?",
            "不管有没有下划线，`relu` 都会保存自己的结果。是哪个操作写进了那个存储？",
        ),
    )
    grad = after.tensor("w").grad
    yield (
        grad is not None,
        Text(
            "It runs, but `w` gets no gradient. Where was its history cut?",
            "能运行了，可是 `w` 没有得到梯度。它的历史在哪里被切断了？",
        ),
    )
    yield (
        visible_values(after, after.tensors[grad or 0]) == _GRADIENT,
        Text(
            "It runs, but computes another function: there must be a `relu` between the product and the normalization.",
            "能运行了，但算的是另一个函数：矩阵乘积与归一化之间应当有一个 `relu`。",
        ),
    )
    yield (
        visible_values(after, "h") == _NORMALIZED,
        Text(
            "The gradient is right, but which numbers does `h` show? Is one of the three steps missing: `relu`, subtraction or division?",
            "梯度对了，可是 `h` 显示哪些数？`relu`、减法、除法这三步，是不是少了一步？",
        ),
    )
    yield (
        "divide_" in [step.op for step in normalized.steps],
        Text("The division must stay in-place.", "除法仍应当是原地操作。"),
    )
    yield (
        not copied_on_request(normalized),
        Text(
            "Right, but by copy on request. Do without it: one changed line is enough.",
            "结果对了，但用的是按需复制。请不要用它，改动一行就够了。",
        ),
    )
    return Text(
        "No node keeps the numbers that the in-place operations overwrite, so they may overwrite them.",
        "原地操作覆盖的数，没有哪个节点保存着，所以可以覆盖。",
    )


@exercise
def descent(descend: Any) -> Steps:
    w, b = (paddle.to_tensor(numbers, stop_gradient=False) for numbers in ([4.0, -2.0], [[1.0], [3.0]]))
    ((w * w).sum() + (b * b).sum()).backward()
    place = w.data_ptr()
    try:
        before = _measure_from_here()
        returned = descend([w, b], 0.25)
        needed = paddle.device.max_memory_allocated() - before
    except ValueError as error:
        if getattr(error, "entry", "") != "leaf_write":
            raise
        yield (
            False,
            Text(
                "It is refused: `w` is a leaf that requires a gradient. Is this write part of the function that is differentiated?",
                "被拒绝了：`w` 是需要梯度的叶子张量。待求导的函数包括这次写入吗？",
            ),
        )
        return None
    yield (
        returned is not ...,
        Text(
            "Write the body instead of `return ...`. Which operation overwrites `w`, and under which context manager is that allowed?",
            "请把 `return ...` 换成函数体。用哪个操作覆盖 `w`？要放在哪个 `with` 语句里才允许？",
        ),
    )
    yield (
        w.tolist() != [4, -2] or b.tolist() != [[1], [3]],
        Text(
            "`w` has not changed. Was the parameter written, or did the name only move on to a new tensor?",
            "`w` 没有变。是写了这个参数，还是只让名字指向了新张量？",
        ),
    )
    yield (
        w.tolist() != [6, -3],
        Text("This step goes uphill. Which way does the gradient point?", "这一步走成上坡了。梯度指向哪个方向？"),
    )
    yield (
        w.tolist() == [2, -1],
        Text(
            f"With `w` = [4, -2], gradient [8, -4] and `lr` = 0.25, the result is {w.tolist()}. What should it be?",
            f"当 `w` 为 [4, -2]、梯度为 [8, -4]、`lr` 为 0.25 时，结果是 {w.tolist()}。结果应当是多少？",
        ),
    )
    yield (
        b.tolist() == [[0.5], [1.5]],
        Text(
            "The first parameter is right, but the second is not. How often does the loop run?",
            "第一个参数对了，第二个不对。循环体执行了几次？",
        ),
    )
    yield (
        w.grad.tolist() == [8, -4] and b.grad.tolist() == [[2], [6]],
        Text(
            "The gradients must stay as they are. What does `w.grad` show now?",
            "梯度不应当改变。`w.grad` 现在显示什么？",
        ),
    )
    yield (
        w.data_ptr() == place and not w.stop_gradient and w.is_leaf,
        Text(
            "The numbers are right. But is `w` still the same storage, and is it still a leaf that requires a gradient?",
            "数值对了。可是 `w` 还在原来的存储里吗？还是需要梯度的叶子张量吗？",
        ),
    )
    yield (
        needed == 0,
        Text(
            f"The numbers are right, but {needed} bytes were needed on the way. For which tensor?",
            f"数值对了，但中途多占了 {needed} 字节。这是哪个张量占的？",
        ),
        Text("`subtract_` can multiply what it subtracts by a factor.", "`subtract_` 可以给减数乘上一个系数。"),
    )
    descend([w, b], 0.5)
    yield (
        w.tolist() == [-2, 1] and b.tolist() == [[-0.5], [-1.5]],
        Text(
            "It is right if `lr` is 0.25. Is it right with another `lr`?",
            "`lr` 为 0.25 时，结果是对的。换一个 `lr` 还对吗？",
        ),
    )
    return Text("That is `optimizer.SGD`.", "这就是 `optimizer.SGD`。")


def _measure_from_here() -> int:
    paddle.device.reset_max_memory_allocated()
    return paddle.device.memory_allocated()


@exercise
def mirror(flip_: Any) -> Steps:
    with paddle.record() as rec:
        numbers = paddle.arange(3 * 64, dtype="float32").reshape([3, 8, 8])
        x = numbers.clone()
        returned = flip_(x)
    wanted = numbers.numpy()[:, :, ::-1]
    shown = x.numpy().reshape(wanted.shape)
    wrong = next((k for k in range(8) if (shown != wanted)[:, :, k].any()), 0)
    recording = rec.recording
    assert recording is not None
    yield (
        returned is not ...,
        Text(
            "Write the body instead of `return ...`. Which column must change places with column 0?",
            "请把 `return ...` 换成函数体。第 0 列要和哪一列对调？",
        ),
    )
    yield (
        x.inplace_version > 0,
        Text("`x` was not written. Is a new tensor returned instead?", "`x` 没有被写过。是不是返回了一个新张量？"),
    )
    yield (
        x.tolist() != numbers.tolist(),
        Text(
            "`x` was written, but shows the old numbers again. How often does each pair of columns change places?",
            "`x` 被写过，却又显示原来的数。每一对列各对调了几次？",
        ),
    )
    yield (
        x.tolist() == wanted.tolist(),
        Text(
            f"Look at the first row, which was 0 to 7. Column {wrong} shows {shown[0, 0, wrong]:g} now. What should it show? "
            f"Does your code read column {7 - wrong}, and what is in it at that moment?",
            f"请看第一行，它原来是 0 到 7。现在第 {wrong} 列显示 {shown[0, 0, wrong]:g}，它应当显示什么？你的代码读第 {7 - wrong} 列了吗？读的时候，里面是什么？",
        ),
        Text("Copy a column before it is overwritten.", "在覆盖一列之前，先把它复制一份。"),
    )
    slots = recording.state(-1).storages[recording.state(-1).tensor("x").storage].slots
    widest = max(sum(stop - start for write in step.writes for start, stop in write.slots) for step in recording.steps)
    yield (
        widest <= slots // 2,
        Text(
            f"The result is right. But one write goes to {widest} of {slots} slots, so it either overwrites slots that it has yet to read, "
            "or reads a copy of all columns. Let the columns change places in pairs.",
            f"结果是对的。可是有一次写入一下子写了 {slots} 个槽位中的 {widest} 个：它要么覆盖了自己还没有读的槽位，要么读的是所有列的副本。请让各列两两对调。",
        ),
    )
    start = next(step.live for step in recording.steps if step.op == "clone")
    most = max(step.peak for step in recording.steps) - start
    column = x.nbytes // 8
    yield (
        most <= 2 * column,
        Text(
            f"The result is right, but copies of {most} bytes were held at one moment. One column takes {column} bytes.",
            f"结果是对的，但在某个时刻，副本一共占了 {most} 字节。一列只占 {column} 字节。",
        ),
    )
    said = Text(
        f"At most {most} bytes of copies were held at any moment; one column takes {column} bytes.",
        f"在任何时刻，副本最多占 {most} 字节；一列占 {column} 字节。",
    )
    if most == 0 and any(step.op in _ARITHMETIC for step in recording.steps):
        return said + Text(
            " (With other numbers, sums and differences may round.)", "（换成别的数，加减法可能产生舍入误差。）"
        )
    if most > column:
        return said + Text(
            " Copies of two columns were held at once. One is enough, if each copy is freed before the next is made, for example with `del`.",
            "有一刻同时持有两列的副本。其实每次只复制一列，并在复制下一列之前释放它（例如用 `del`），就只占一列。",
        )
    return said
