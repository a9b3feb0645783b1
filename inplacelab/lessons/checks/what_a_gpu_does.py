"""The exercises of lesson 14."""

from __future__ import annotations

from typing import Any

from inplacelab import kernels
from inplacelab.kernels import geometry, traffic
from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise


@exercise
def three_blocks(n: Any) -> Steps:
    grid = geometry.elementwise(int(n), width=4)
    yield (
        int(n) > 3 * 256,
        Text("How many elements does one thread take at once?", "一个线程一次处理几个元素？"),
    )
    yield (
        grid.blocks[0] == 3,
        Text("How many elements does a full block process?", "一个满的线程块处理多少个元素？"),
    )
    yield (
        int(n) % 1024 != 0,
        Text("Three blocks, yes; and the last one?", "确实是三个线程块，可是最后一个满不满？"),
        Text(
            "With this number, every thread of the last block has something to do.",
            "元素有这么多时，最后一个线程块里的每个线程都有事可做。",
        ),
    )
    return Text("Two full blocks and part of a third.", "有两个满的线程块，第三个只用了一部分。")


@exercise
def a_quarter(m: Any, view: Any) -> Steps:
    yield (
        view is not m and view.storage is m.storage,
        Text("Is this a view of `m`? Do the two share a storage?", "这是 `m` 的视图吗？两者共享一个存储吗？"),
    )
    with kernels.launches() as launched:
        view.relu_()
    asked = traffic.requests(launched[0])[0]
    times = asked.requested / asked.used
    yield (
        times > 1,
        Text(
            "The warp requests no more bytes than it uses: the slots are side by side. How far apart must two neighbors be?",
            "这个线程束请求的字节都用到了：槽位是相邻的。两个相邻的元素应当隔多远？",
        ),
        _TWO_OF_EIGHT,
    )
    yield (
        times > 2,
        Text(
            "{times:g} times: the slots are too close together. How far apart must two neighbors be?",
            "是 {times:g} 倍：槽位之间离得太近了。两个相邻的元素应当隔多远？",
        ).format(times=times),
        _TWO_OF_EIGHT,
    )
    yield (
        times == 4,
        Text(
            "{times:g} times: how many slots of each sector does the warp use?",
            "是 {times:g} 倍：在每个扇区里，这个线程束用到了几个槽位？",
        ).format(times=times),
    )
    return Text(
        "Two of eight slots in each sector: a quarter is used.", "在每个扇区的八个槽位中用到两个，利用率是四分之一。"
    )


@exercise
def any_order(mine: Any) -> Steps:
    after = mine.state(-1)
    yield (
        after.step.error is None,
        Text(
            "It is refused: which slots are read and written by different threads?",
            "被拒绝了：哪些槽位由一个线程读，又由另一个线程写？",
        ),
        Text("Copy the old neighbors somewhere else first.", "先把左边元素的旧值复制到别处。"),
    )
    x = after.tensor("x")
    first_line = next(step.line for step in mine.steps if step.kind == "operation" and step.line)  # it makes `x`
    made = mine.state(mine.on_line(first_line)[-1].index).tensor("x")
    yield (
        x.storage == made.storage,
        Text("Is this still the storage of line 1?", "这还是第 1 行的那个存储吗？"),
    )
    yield (
        after.version(x) > 0,
        Text(
            "Nothing was written to `x`: its version is 0. Where did the result go?",
            "没有写入 `x`：它的版本号还是 0。结果到哪里去了？",
        ),
    )
    found = after.storages[x.storage].values
    yield (
        found != (3, 4, 8, 9),
        Text(
            "The result is 3, 4, 8, 9: from the third element on, the left neighbor had already been overwritten. Where are the old values?",
            "结果是 3、4、8、9：从第三个元素起，加上的是左边元素已被覆盖之后的值。旧值在哪里？",
        ),
    )
    yield (
        found[0] == 3,
        Text(
            "Look at the first element: does it have a left neighbor?",
            "看看第一个元素：它的左边有元素吗？",
        ),
    )
    yield (
        found == (3, 4, 5, 5),
        Text(
            "The result should be 3, 4, 5, 5: each element plus its old left neighbor. Which number was added to each element?",
            "结果应当是 3、4、5、5：每个元素加上左边元素的旧值。你给各个元素加上的是哪个数？",
        ),
    )
    yield (
        any(step.op and step.op.rstrip("_") in _ADDING for step in mine.steps),
        Text("Let the program add the neighbors, for any `x`.", "请让程序自己去加左边的元素，使它对任何 `x` 都成立。"),
    )
    return Text(
        "In each launch, no thread reads a slot that another thread writes.",
        "在每一次启动中，都没有线程读取别的线程要写的槽位。",
    )


@exercise
def five_sectors(line: Any, view: Any) -> Steps:
    yield (
        view is not line and view.storage is line.storage,
        Text("Is this a view of `line`? Do the two share a storage?", "这是 `line` 的视图吗？两者共享一个存储吗？"),
    )
    yield (
        view.size == 32 and view.is_contiguous(),
        Text("The view should have 32 elements, side by side.", "视图应当由 32 个相邻的元素组成。"),
    )
    with kernels.launches() as launched:
        view.relu_()
    found = len(traffic.requests(launched[0])[0].sectors)
    yield (
        found == 5,
        Text(
            "{found} sectors. Where does a sector begin, and where does your view?",
            "请求了 {found} 个扇区。扇区从哪里开始？你的视图又从哪里开始？",
        ).format(found=found),
        Text("A sector begins at every eighth slot.", "每八个槽位组成一个扇区。"),
    )
    return Text(
        "A view that begins in the middle of a sector needs one more.", "如果视图从扇区的中间开始，就要多请求一个扇区。"
    )


_TWO_OF_EIGHT = Text(
    "Half of the worst case: two slots in each sector.", "目标是最坏情形的一半：每个扇区里用到两个槽位。"
)

_ADDING = {"add", "subtract", "sum", "cumsum", "lerp", "addmm", "matmul", "scale"}
"""Operations with which neighbors can be added."""
