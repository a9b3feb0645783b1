"""The exercises of lesson 2."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise


@exercise
def diagonal_backwards(m: Any, shape: Any, strides: Any, offset: Any) -> Steps:
    yield list(shape) == [3], Text("How many elements has the diagonal?", "对角线上有几个元素？")
    yield (
        0 <= offset < 9 and 0 <= offset + 2 * strides[0] < 9,
        Text(
            "Where does your last element lie? The storage has 9 slots.",
            "你的最后一个元素落在哪里？存储只有 9 个槽位。",
        ),
    )
    shown = m.as_strided(list(shape), list(strides), offset * m.element_size()).tolist()
    yield (
        shown != [0, 4, 8],
        Text(
            "That is the diagonal, read from the upper left. Where is one to begin?",
            "这是从左上往右下读的对角线。应当从哪里开始？",
        ),
        Text("Begin in the last slot, and go back.", "从最后一个槽位开始，往回走。"),
    )
    yield (
        shown == [8, 4, 0],
        Text(
            f"That shows {shown}. One step up is three slots. And one step up and to the left?",
            f"现在显示的是 {shown}。往上走一行是三个槽位，那么往左上走一步呢？",
        ),
    )
    return Text(
        "Three numbers describe it, and none of the nine has moved.", "三个数就描述了它，九个元素一个都没有动。"
    )


@exercise
def order_of_axes(x: Any, order: Any) -> Steps:
    y = x.transpose(list(order))
    yield not y.is_contiguous(), Text("`y` is still contiguous.", "`y` 仍然是连续的。")
    flat = y.reshape([4, 6])
    yield (
        flat.storage is x.storage,
        Text(
            f"The strides of `y` are {y.strides}. Which two axes does the reshape join, and do their strides fit?",
            f"`y` 的步幅是 {y.strides}。这次 reshape 合并的是哪两个轴？它们的步幅合得上吗？",
        ),
        Text(
            "The two axes that are joined must be neighbours in `x`, in the same order.",
            "被合并的两个轴，在 `x` 里也应当相邻，并且次序相同。",
        ),
    )
    return Text(
        "Two axes that lie in order in the storage can be joined, wherever they stand.",
        "两个轴只要在存储中按次序排列，不管站在什么位置，都能合并。",
    )


@exercise
def bytes_of_a_copy(added: Any, moved: Any) -> Steps:
    yield added != 0, Text("Can strides show the elements in that order?", "有步幅能按这个次序表示这些元素吗？")
    yield (
        added == 4_000_000,
        Text("How many numbers are there, and how many bytes has each?", "一共有多少个数？每个数几个字节？"),
    )
    yield (
        moved == 2 * added,
        Text("Every number is read. What else happens to it?", "每个数都要读一次。此外还要对它做什么？"),
    )
    return Text("Four megabytes more, eight megabytes moved.", "多占 4 MB，搬动 8 MB。")
