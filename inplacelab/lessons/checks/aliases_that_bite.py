"""The exercises of the lesson on aliases."""

from __future__ import annotations

from typing import Any

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import changed_values, same_object, visible_values, who_raised
from inplacelab.recording.recording import Recording


@exercise
def log_of_the_way(kept: Recording, path: Any) -> Steps:
    after = kept.state(-1)
    shown = [_number(entry) for entry in path]
    yield (
        len(shown) == 3,
        Text("`path` must have three entries, one for each round.", "`path` 应当有三项，每轮一项。"),
    )
    yield (
        len(set(shown)) == 3,
        Text("How many different numbers does `path` show, and why?", "`path` 里有几个不同的数？为什么？"),
        Text(
            "How many storages do the entries of the list use? A snapshot has a storage of its own.",
            "列表里的各项用了几个存储？快照应当有自己的存储。",
        ),
    )
    yield (
        len(who_raised(kept, after.tensor("w").storage)) == 3,
        Text(
            "The list is right, but is `w` still halved in place? What does its version counter say?",
            "列表对了，可是 `w` 还是原地减半的吗？它的版本号是多少？",
        ),
    )
    yield (
        shown == [8, 4, 2],
        Text(
            "These are three snapshots, but each was taken too late. Is the copy made before the write or after it?",
            "三份快照都取晚了一步。副本是在写入之前取的，还是之后取的？",
        ),
    )
    return Text(
        "Each entry has kept its number. If the entries are tensors, each has a storage of four bytes.",
        "每一项都留住了自己的数。如果各项是张量，那么每一项都有自己的存储，占 4 字节。",
    )


def _number(entry: Any) -> float:
    """The one number of a tensor, an array or a list."""
    return float(entry.item() if hasattr(entry, "item") else entry[0] if isinstance(entry, list | tuple) else entry)


@exercise
def fresh_start(fresh: Recording, total: Any) -> Steps:
    after = fresh.state(-1)
    yield (
        not same_object(after, "first", "second"),
        Text("How many objects do the names `first` and `second` refer to?", "`first` 和 `second` 一共指向几个对象？"),
        Text(
            "When is the default value of `start` made: at every call, or once?",
            "`start` 的默认值是什么时候创建的：每次调用都创建，还是只创建一次？",
        ),
    )
    yield (
        visible_values(after, "first") == (3,),
        Text("What is the sum of 1 and 2, and what does `first` show?", "1 加 2 是多少？`first` 显示的又是多少？"),
    )
    yield (
        visible_values(after, "second") == (10,),
        Text(
            "`first` is right now. But from which number did the second call start?",
            "`first` 对了。可是第二次调用是从几开始加的？",
        ),
        Text(
            "Let the default be `None`, and make the tensor inside the function.",
            "把默认值设为 `None`，在函数里面再创建张量。",
        ),
    )
    sums = [_number(total([1.0, 4.0])) for _ in range(2)]
    yield (
        sums == [5, 5],
        Text(
            f"These two calls are right. But two further calls of `total([1., 4.])` return {sums[0]:g} and {sums[1]:g}.",
            f"这两次调用对了。可是再调用两次 `total([1., 4.])`，返回的是 {sums[0]:g} 和 {sums[1]:g}。",
        ),
        Text("Fix the function, not the calls.", "要修改的是函数，而不是调用它的地方。"),
    )
    began = _number(total([1.0], paddle.full([1], 5.0)))
    yield (
        began == 6,
        Text(
            f"Starting from zero, it is right. But `total([1.], paddle.full([1], 5.))` returns {began:g}, and should return 6.",
            f"从零开始是对的。可是 `total([1.], paddle.full([1], 5.))` 返回 {began:g}，应当返回 6。",
        ),
    )
    return Text(
        "A tensor that the function writes must be a new one in each call.", "函数要写入的张量，每次调用都应当是新的。"
    )


_TAIL = (6.0, 12.0)


@exercise
def find_the_lines(riddle: Recording, lines: Any) -> Steps:
    tail = riddle.state(-1).tensor("tail").id
    changing = {step.line for step in riddle.steps if tail in changed_values(riddle, step.index)}
    rebinding = {line for line, text in enumerate(riddle.source.splitlines(), 1) if text.split()[1:2] == ["+="]}
    given = set(lines)
    yield (
        visible_values(riddle.state(-1), "tail") == _TAIL,
        Text("Keep the program as it is, and change only `lines`.", "程序请保持原样，只改 `lines`。"),
    )
    yield (
        not given & (rebinding - changing),
        Text(
            "One of your lines only moves a name to a new tensor. Does that change the old tensor?",
            "你列出的行里，有一行只是让名字指向一个新张量。旧张量会因此改变吗？",
        ),
    )
    yield (
        given <= changing,
        Text(
            "One of your lines writes, but not into a slot that `tail` shows. Which storage, and which slots, does it write?",
            "你列出的行里，有一行确实是写入，但写的不是 `tail` 显示的槽位。它写的是哪个存储、哪些槽位？",
        ),
        Text(
            "A list of indices gives a copy. And which tensor is `x` after line 8?",
            "下标列表得到的是副本。另外，第 8 行之后 `x` 是哪个张量？",
        ),
    )
    yield (
        given == changing,
        Text(
            "All lines that you named are right, but at least one is missing. Which other tensors share the storage of `tail`?",
            "列出的行都对，但还有遗漏。还有哪些张量与 `tail` 共享存储？",
        ),
        Text(
            "Is `cut` a copy? Is `cut.reshape([2, 2])` a copy? And what does an assignment to `x[x > 3]` write?",
            "`cut` 是副本吗？`cut.reshape([2, 2])` 是副本吗？给 `x[x > 3]` 赋值，写的又是什么？",
        ),
    )
    return Text(
        "Writing a copy, writing other slots and moving a name do not change `tail`. Writing its slots through any alias does.",
        "写副本、写别的槽位、让名字指向别的张量，都不会改变 `tail`；通过任何别名写它的槽位，都会改变它。",
    )
