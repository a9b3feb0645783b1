"""The exercises of the lesson on metadata and storage."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise


@exercise
def order_of_axes(x: Any, order: Any) -> Steps:
    yield (
        hasattr(order, "__len__") and sorted(axis + 3 * (axis < 0) for axis in order) == [0, 1, 2],
        Text("An order names each of the axes 0, 1 and 2 once.", "次序由 0、1、2 三个轴组成，每个轴恰好出现一次。"),
    )
    y = x.transpose(list(order))
    yield not y.is_contiguous(), Text("`y` is still contiguous.", "`y` 仍然是连续的。")
    flat = y.reshape([12, 2])
    yield (
        flat.storage is x.storage,
        Text(
            f"`y` has the shape {list(y.shape)} and the strides {y.strides}. Which axes must `reshape` merge to get [12, 2], and do their strides fit?",
            f"`y` 的形状是 {list(y.shape)}，步幅是 {y.strides}。要得到 [12, 2]，`reshape` 必须合并哪些轴？它们的步幅满足条件吗？",
        ),
        Text(
            "The first axis of the result is merged from the two axes of `x` whose sizes multiply to 12. They must remain neighbors, in the same order as in `x`.",
            "结果的第一个轴由 `x` 的两个轴合并而成，这两个轴的大小相乘得 12。它们在 `y` 里也应当相邻，而且次序与在 `x` 里相同。",
        ),
    )
    return Text(
        "Two neighboring axes can be merged, even if the tensor is not contiguous, when the left stride is the right stride times the right size.",
        "即使张量不连续，只要左轴的步幅等于右轴的步幅乘以右轴的大小，这两个相邻的轴就能合并。",
    )


@exercise
def bytes_of_a_copy(added: float, moved: float) -> Steps:
    yield added != 0, Text("Can strides show the elements in that order?", "有没有步幅能按这个次序显示这些元素？")
    yield (
        added == 4_000_000,
        Text(
            "The answer is in bytes: how many numbers are there, and how many bytes does each take?",
            "答案以字节为单位：一共有多少个数？每个数占几字节？",
        ),
    )
    yield (
        moved == 2 * added,
        Text("Every number is read. What else happens to it?", "每个数都要读一次。此外还要对它做什么？"),
    )
    return Text("Four megabytes more, eight megabytes moved.", "内存占用增加 4 MB，搬动 8 MB。")


@exercise
def black_squares(board: Any, strides: Any, offset: Any) -> Steps:
    yield (
        all(hasattr(number, "__index__") for number in (*strides, offset)),
        Text(
            "Strides and offset count slots. Write whole numbers: 2, not 2.0.",
            "步幅和偏移数的是槽位，请写整数：写 2，不写 2.0。",
        ),
    )
    yield (
        len(strides) == 3,
        Text("The shape is [2, 2, 2]. How many strides must there be?", "形状是 [2, 2, 2]。应当有几个步幅？"),
    )
    last = offset + sum(strides)
    yield (
        min(offset, last) >= 0 and max(offset, last) < 16,
        Text(
            "In which slot is your last element? The board has 16 slots.",
            "你的最后一个元素在几号槽位？棋盘只有 16 个槽位。",
        ),
    )
    shown = board.as_strided([2, 2, 2], list(strides), offset * board.element_size()).reshape([-1]).tolist()
    wanted = [0, 2, 5, 7, 8, 10, 13, 15]
    yield (
        shown[0] == 0,
        Text(
            f"That shows {shown}. In which slot is the first black square?",
            f"现在显示的是 {shown}。第一个黑格在几号槽位？",
        ),
    )
    yield (
        shown[:2] == wanted[:2],
        Text(
            f"That shows {shown}. How many slots is it from the first black square to the next one in the same row?",
            f"现在显示的是 {shown}。从第一个黑格到同一行的下一个黑格，要跨几个槽位？",
        ),
    )
    yield (
        shown[:4] == wanted[:4],
        Text(
            f"That shows {shown}. How many slots is it from the first black square of row 0 to that of row 1?",
            f"现在显示的是 {shown}。从第 0 行的第一个黑格到第 1 行的第一个黑格，要跨几个槽位？",
        ),
        Text("From slot 0 to slot 5. Rows 0 and 1 make a pair.", "从 0 号槽位到 5 号槽位。第 0 行和第 1 行组成一对。"),
    )
    yield (
        shown == wanted,
        Text(
            f"That shows {shown}. Rows 2 and 3 repeat the pattern of rows 0 and 1. How many slots further on does it begin again?",
            f"现在显示的是 {shown}。第 2、3 行重复第 0、1 行的图案，要往后移多少个槽位？",
        ),
    )
    return Text(
        "No slice gives these eight squares, and yet three strides do: one leads from one pair of rows to the next, one from row to row, and one from square to square.",
        "任何切片都取不出这八个黑格，三个步幅却可以：一个从一对行到下一对行，一个从一行到下一行，一个从一格到下一格。",
    )
