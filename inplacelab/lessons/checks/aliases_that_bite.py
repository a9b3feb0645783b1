"""The exercises of the lesson on aliases."""

from __future__ import annotations

from typing import Any

from numpy import ndarray

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.lessons.checks.shared import LINES_AS_TEXT, runs
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import changed_values, same_object, shares_storage, visible_values, who_raised
from inplacelab.recording.recording import Recording


@exercise
def log_of_the_way(kept: Recording, path: Any) -> Steps:
    after = kept.state(-1)
    yield runs(kept)
    yield (
        not any(isinstance(entry, str) for entry in path),
        Text("`path` should hold tensors or numbers, not text.", "`path` 里应当是张量或数，而不是文字。"),
    )
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
            f"`path` shows {_listed(shown, ', ')}. Which number should come first: that of `w` before the first write, or after it?",
            f"`path` 显示 {_listed(shown, '、')}。第一项应当是哪个数：第一次写入之前的 `w`，还是之后的？",
        ),
    )
    yield (
        _begun_at_24(kept.source) in ([24, 12, 6], None),
        Text(
            "The numbers are right, but a log must read them from `w`: if `w` began at 24, would `path` show 24, 12, 6?",
            "数是对的，可是日志里的数应当取自 `w`：如果 `w` 从 24 开始，`path` 会显示 24、12、6 吗？",
        ),
    )
    if any(isinstance(entry, ndarray) for entry in path):
        return Text(
            "Each entry has kept its number, since `numpy()` copies here, as in Paddle. In PyTorch it does not: there, `w.numpy()` alone "
            "shares its memory with `w`, and `path` would show 1, 1, 1.",
            "每一项都留住了自己的数，因为这里的 `numpy()` 与 Paddle 的一样会复制。PyTorch 的不会：在那里，单用 `w.numpy()` 得到的数组与 `w` 共享内存，`path` 会显示 1、1、1。",
        )
    return Text(
        "Each entry has kept its number: nothing that is written to `w` reaches it.",
        "每一项都留住了自己的数：以后再写 `w`，也影响不到它。",
    )


def _listed(numbers: list[float], comma: str) -> str:
    return comma.join(f"{each:g}" for each in numbers)


def _begun_at_24(source: str) -> list[float] | None:
    """What `path` shows if the program begins with another number; None if that cannot be found out."""
    names = {**globals()}
    other = source.replace("[8.]", "[24.]", 1)
    if other == source:
        return None
    try:
        exec(other, names)  # the learner's own program, which has just run
        return [_number(entry) for entry in names["path"]]
    except Exception:  # noqa: BLE001  # it may need other names of the notebook
        return None


def _number(entry: Any) -> float:
    """The one number of a tensor, an array or a list."""
    return float(entry.item() if hasattr(entry, "item") else entry[0] if isinstance(entry, list | tuple) else entry)


@exercise
def fresh_start(fresh: Recording, total: Any) -> Steps:
    after = fresh.state(-1)
    yield runs(fresh)
    yield (
        {"first", "second"} <= {name for tensor in after.tensors.values() for name in tensor.names},
        Text(
            "`first` and `second` should be tensors. What does `total` return?",
            "`first` 和 `second` 应当是张量。`total` 返回的是什么？",
        ),
    )
    yield (
        not same_object(after, "first", "second"),
        Text("How many objects do the names `first` and `second` refer to?", "`first` 和 `second` 一共指向几个对象？"),
        Text(
            "When is the default value of `start` made: at every call, or once?",
            "`start` 的默认值是什么时候创建的：每次调用都创建，还是只创建一次？",
        ),
    )
    yield (
        not shares_storage(after, "first", "second"),
        Text(
            "`first` and `second` are two objects now. But how many storages do they use?",
            "`first` 和 `second` 现在是两个对象了。可是它们用了几个存储？",
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
    given = paddle.full([1], 5.0)
    began = _number(total([1.0], given))
    yield (
        began == 6,
        Text(
            f"Starting from zero, it is right. But `total([1.], paddle.full([1], 5.))` returns {began:g}, and should return 6.",
            f"从零开始是对的。可是 `total([1.], paddle.full([1], 5.))` 返回 {began:g}，应当返回 6。",
        ),
    )
    left = _number(given)
    yield (
        left == 5,
        Text(
            f"The sums are right. But a tensor `s` that shows 5 shows {left:g} after `total([1.], s)`. Who else may be using it?",
            f"和是对的。可是，原来显示 5 的张量 `s`，在 `total([1.], s)` 之后显示 {left:g}。别处也许还要用它。",
        ),
        Text(
            "`start` is an alias of the caller's tensor. What makes a snapshot of it?",
            "`start` 是调用者的张量的别名。怎样取得它的快照？",
        ),
    )
    return Text(
        "What the function writes, if it writes anything, is new in each call: neither the default nor the caller's tensor.",
        "函数即使有写入，写的也是每次调用时新建的张量：既不是默认值，也不是调用者的张量。",
    )


_TAIL = (6.0, 12.0)


@exercise
def find_the_lines(riddle: Recording, lines: Any) -> Steps:
    tail = riddle.state(-1).tensor("tail").id
    changing = {step.line for step in riddle.steps if tail in changed_values(riddle, step.index)}
    rebinding = {line for line, text in enumerate(riddle.source.splitlines(), 1) if text.split()[1:2] == ["+="]}
    given = set(lines)
    yield not isinstance(lines, str), LINES_AS_TEXT
    yield (
        visible_values(riddle.state(-1), "tail") == _TAIL,
        Text("Keep the program as it is, and change only `lines`.", "程序请保持原样，只改 `lines`。"),
    )
    yield given <= {*range(4, 11)}, Text("Only lines 4 to 10 are asked about.", "题目只问第 4 行至第 10 行。")
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
            "A list of indices gives a copy. In which slot is `cut[0]`? And which tensor is `x` after line 8?",
            "下标列表得到的是副本。`cut[0]` 在几号槽位？第 8 行之后，`x` 是哪个张量？",
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
