"""The exercises of lesson 10."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import changed_values, same_object, visible_values, who_raised
from inplacelab.recording.recording import Recording


@exercise
def log_of_the_way(kept: Recording, path: Any) -> Steps:
    after = kept.state(-1)
    shown = [float(entry) for entry in path]
    yield (
        len(shown) == 3 and len(set(shown)) == 3,
        Text("How many different numbers does `path` show, and why?", "`path` 里有几个不同的数？为什么？"),
        Text(
            "In how many storages do the entries of the list lie? A snapshot has one of its own.",
            "列表里的各项放在几块存储里？快照应当有自己的存储。",
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
        "Four storages: one for `w` and one for each snapshot, of four bytes.",
        "一共四块存储：`w` 一块，每份快照一块，各四字节。",
    )


@exercise
def fresh_start(fresh: Recording) -> Steps:
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
    return Text("A tensor that is written must be made again in each call.", "要被写入的张量，每次调用都应当新造一个。")


@exercise
def find_the_lines(riddle: Recording, lines: Any) -> Steps:
    tail = riddle.state(-1).tensor("tail").id
    changing = {step.line for step in riddle.steps if tail in changed_values(riddle, step.index)}
    rebinding = {line for line, text in enumerate(riddle.source.splitlines(), 1) if text.split()[1:2] == ["+="]}
    given = set(lines)
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
            "你写的行里，有一行确实在写，但写的不是 `tail` 显示的槽位。它写的是哪块存储、哪些槽位？",
        ),
    )
    yield (
        given == changing,
        Text(
            "All that you named is right, but something is missing. Who else lies in the storage of `tail`?",
            "写出来的都对，但还有遗漏。还有谁放在 `tail` 的存储里？",
        ),
        Text("Is `cut` a copy?", "`cut` 是副本吗？"),
    )
    return Text(
        "A copy, other slots and a moved name change nothing; an alias does, whatever it is called.",
        "写副本、写别的槽位、移动名字，都不会改变它；别名会，不管叫什么名字。",
    )
