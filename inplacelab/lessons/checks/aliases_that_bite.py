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
            "In how many storages are the entries of the list? A snapshot has one of its own.",
            "列表里的各项放在几个存储里？快照应当有自己的存储。",
        ),
    )
    yield (
        len(who_raised(kept, after.tensor("w").storage)) == 3,
        Text(
            "The list is right, but is `w` still halved in place? What does its version counter say?",
            "列表对了，可是 `w` 还是原地减半的吗？它的版本计数器是多少？",
        ),
    )
    yield (
        shown == [8, 4, 2],
        Text(
            "Three snapshots, each a little late. Is the copy taken before the write or after it?",
            "三份快照，却都晚了一步。副本是在写入之前取的，还是之后？",
        ),
    )
    return Text(
        "Each entry has kept its number. As a tensor, each takes a storage of four bytes.",
        "每一项都留住了自己的数。如果是张量，每一项占一个四字节的存储。",
    )


def _number(entry: Any) -> float:
    """The one number of a tensor, an array or a list."""
    return float(entry.item() if hasattr(entry, "item") else entry[0] if isinstance(entry, list | tuple) else entry)


@exercise
def fresh_start(fresh: Recording, total: Any) -> Steps:
    after = fresh.state(-1)
    yield (
        not same_object(after, "first", "second"),
        Text("How many objects do the names `first` and `second` stand for?", "`first` 和 `second` 是几个对象的名字？"),
        Text(
            "When is the default value of `start` made: at every call, or once?",
            "`start` 的默认值是什么时候造的：每次调用都造，还是只造一次？",
        ),
    )
    yield (
        visible_values(after, "first") == (3,),
        Text("What is the sum of 1 and 2, and what does `first` show?", "1 加 2 是多少？`first` 显示的又是多少？"),
    )
    yield (
        visible_values(after, "second") == (10,),
        Text(
            "`first` is safe now. But with which number did the second call begin?",
            "`first` 保住了。可是第二次调用是从几开始加的？",
        ),
        Text(
            "Let the default be `None`, and make the tensor inside the function.",
            "把默认值设为 `None`，在函数里面再造张量。",
        ),
    )
    sums = [_number(total([1.0, 4.0])) for _ in range(2)]
    yield (
        sums == [5, 5],
        Text(
            f"These two calls are right. But two more, `total([1., 4.])` each, return {sums[0]:g} and {sums[1]:g}.",
            f"这两次调用对了。可是再调用两次 `total([1., 4.])`，返回的是 {sums[0]:g} 和 {sums[1]:g}。",
        ),
        Text("Fix the function, not its calls.", "要修的是函数，而不是调用它的地方。"),
    )
    began = _number(total([1.0], paddle.full([1], 5.0)))
    yield (
        began == 6,
        Text(
            f"From zero it is right. But begun with 5, `total([1.])` returns {began:g}.",
            f"从零开始是对的。可是从 5 开始，`total([1.])` 返回 {began:g}。",
        ),
    )
    return Text("A tensor that is written must be made again in each call.", "要被写入的张量，每次调用都应当新造一个。")


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
            "One of your lines gives a name to a new tensor. What does that do to the old one?",
            "你写的行里，有一行只是让名字指向一个新张量。旧张量会因此改变吗？",
        ),
    )
    yield (
        given <= changing,
        Text(
            "One of your lines writes, but not into a slot that `tail` shows. Which storage, and which slots, does it write?",
            "你写的行里，有一行确实在写，但写的不是 `tail` 显示的槽位。它写的是哪个存储、哪些槽位？",
        ),
        Text(
            "A list of indices gives a copy. And which tensor is `x` after line 8?",
            "下标列表得到的是副本。另外，第 8 行之后 `x` 是哪个张量？",
        ),
    )
    yield (
        given == changing,
        Text(
            "All lines that you named are right, but at least one is missing. Which other tensors are on the storage of `tail`?",
            "写出来的都对，但还有遗漏。`tail` 的存储上还有哪些张量？",
        ),
        Text(
            "Is `cut` a copy? Is a reshaped `cut`? And what does an assignment to `x[x > 3]` write?",
            "`cut` 是副本吗？`cut` 经过 `reshape` 呢？给 `x[x > 3]` 赋值，写的又是什么？",
        ),
    )
    return Text(
        "A copy, other slots and a moved name change nothing. An alias does, whatever it is called.",
        "写副本、写别的槽位、移动名字，都不会改变它；别名会，不管叫什么名字。",
    )
