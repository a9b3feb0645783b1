"""The exercises of the lesson on saved tensors and versions."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import as_names, names_in, runs
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.facts import Step
from inplacelab.recording.queries import kept_by
from inplacelab.recording.recording import Recording, State

_BYTES = 32
"""What the program of the third exercise needs before backward: `a`, `b`, `c` and the ones, of 8 bytes each."""


@exercise
def may_be_overwritten(chain: Recording, safe: Any) -> Steps:
    names, after = {"b", "c", "d", "e"}, chain.state(-1)
    chosen = set(safe) if isinstance(safe, str) and safe.isalpha() else as_names(safe)
    kept = {saved.storage for node in after.nodes for saved in kept_by(after, node)}
    needed = {name for name in names if after.tensor(name).storage in kept}
    yield (
        "a" not in chosen,
        Text(
            "`a` is a leaf: `zero_()` would be refused at once (lesson 6). The question is about `b`, `c`, `d` and `e`.",
            "`a` 是叶子张量：对它调用 `zero_()` 当即就会被拒绝（第 6 课）。要问的是 `b`、`c`、`d`、`e`。",
        ),
    )
    yield (
        chosen <= names,
        Text(
            "Choose from `b`, `c`, `d` and `e`, each in quotes.", "请从 `b`、`c`、`d`、`e` 中选择，每个名字都加引号。"
        ),
    )
    yield (
        not needed & chosen,
        Text(
            "A node keeps one of the tensors in your list. Which of the five lines has a derivative that needs it?",
            "你列出的张量中，有一个被某个节点保存着。五行代码里，哪一行的导数需要它？",
        ),
        Text(
            "The derivative of the exponential is its result; that of the sine is the cosine of its input.",
            "指数函数的导数是它的结果；正弦的导数是输入的余弦。",
        ),
    )
    yield (
        chosen == names - needed,
        Text(
            "All the tensors in your list may be overwritten, but there are more. Look at each line: does its derivative need any tensor?",
            "你列出的张量都可以覆盖，但还有遗漏。请逐行看一看：每一行的导数需要哪个张量？",
        ),
        Text(
            "Look at the grad nodes in the picture: each one says what it keeps.",
            "请看图中的梯度节点：每个节点都写明了它保存了什么。",
        ),
    )
    return Text(
        "Only `c` is needed, and twice: as the output of the exponential and as the input of the sine.",
        "只有 `c` 是需要的，而且有两处需要它：它既是指数函数的输出，又是正弦的输入。",
    )


@exercise
def versions_counted(x_version: Any, top_version: Any, copy_version: Any) -> Steps:
    yield (
        not any(isinstance(version, str) for version in (x_version, top_version, copy_version)),
        Text("Write numbers, without quotes.", "请写数字，不要加引号。"),
    )
    yield (
        copy_version == 1,
        Text(
            "`copy` has a storage of its own. Which lines write to it?",
            "`copy` 有自己的存储。哪些行写了这个存储？",
        ),
    )
    yield (
        top_version == 2,
        Text(
            "`top` is a view of the first storage and shares its version counter. Which lines write to that storage, through any tensor?",
            "`top` 是第一个存储上的视图，共享这个存储的版本计数器。无论通过哪个张量，哪些行写了这个存储？",
        ),
    )
    yield (
        x_version == 0,
        Text("Which tensor is called `x` after the last line?", "最后一行执行之后，名字 `x` 指向哪个张量？"),
        Text("`x = x + copy` is an ordinary operation.", "`x = x + copy` 是普通操作。"),
    )
    return Text(
        "`x` is a new tensor on a new storage; `top` is still a view of the old one.",
        "`x` 是新存储上的新张量；`top` 仍是旧存储上的视图。",
    )


@exercise
def fixed_for_nothing(mine: Recording, a: Any, b: Any, c: Any) -> Steps:
    error = mine.state(-1).step.error
    message = error.message if error else ""
    yield (
        "no gradient history" not in message,
        Text(
            "Now `backward()` finds no history. Which lines record none?",
            "现在 `backward()` 找不到历史。哪些行没有记入历史？",
        ),
    )
    yield (
        "inplace strategy" not in message,
        Text(
            "Now the write itself is refused. Which tensor does it write to?", "现在写入本身被拒绝了。写的是哪个张量？"
        ),
    )
    yield runs(mine, "used in gradient computation has been modified")
    yield (
        error is None,
        Text(
            "It still raises. On which line? And which node needs which value there?",
            "还是报错。是哪一行报错？那里的哪个节点需要哪个值？",
        ),
        Text(
            "After which line is the old `b` no longer needed by any node?",
            "哪一行运行之后，就没有节点需要旧的 `b` 了？",
        ),
    )
    written = [str(step.op) for step in mine.steps if step.writes]
    yield (
        written == ["add_"],
        Text(
            "Now nothing is written in place. There should be exactly one write, by `add_`."
            if not written
            else f"The in-place writes are now: {', '.join(written)}. There should be exactly one, by `add_`.",
            "现在一次原地写入也没有了；应当有且只有一次 `add_`。"
            if not written
            else f"现在的原地写入是：{'、'.join(written)}；应当有且只有一次 `add_`。",
        ),
    )
    yield (
        c.tolist() == [4, 16],
        Text(
            f"`c` is {c.tolist()} now, so the program computes another function. What did it compute before?",
            f"现在 `c` 是 {c.tolist()}，计算的已经是另一个函数。原来的程序计算的是什么？",
        ),
    )
    yield b.tolist() == [3, 5], Text("`b` must be [3, 5] at the end.", "`b` 最后应当是 [3, 5]。")
    yield (
        a.grad is not None and a.grad.tolist() == [8, 16],
        Text("The gradient should be 8·a.", "梯度应当是 8·a。"),
    )
    yield (
        max(_bytes(mine.state(step.index)) for step in takewhile(_is_forward, mine.steps)) <= _BYTES,
        Text(
            "It runs and is right, but the forward pass takes more memory than before.",
            "能运行，结果也正确，但前向计算占用的内存比原来多。",
        ),
        Text("Which of the four ways takes no extra memory?", "在四种改法中，哪一种不占用额外的内存？"),
    )
    return Text("The forward pass takes no more bytes than before.", "前向计算一个字节也没有多占。")


@exercise
def false_alarm(alarm: Recording) -> Steps:
    after = alarm.state(-1)
    error = after.step.error
    message = error.message if error else ""
    yield (
        error is not None or not any(step.writes for step in alarm.steps),
        Text(
            "`backward()` still runs, although your line is an in-place operation. The node of `c` keeps a tensor: did you write to its storage?",
            "你写的是原地操作，但 `backward()` 仍能运行。`c` 的节点保存着一个张量：你写的是它的存储吗？",
        ),
    )
    yield (
        error is not None or not any(name.endswith("_") for name in names_in(alarm.source)),
        Text(
            "`backward()` still runs: your in-place operation changed neither numbers nor metadata, and was not counted. Find one that changes the metadata.",
            "`backward()` 仍能运行：你的原地操作既没有改数值，也没有改元数据，所以没有计数。请找一个会改变元数据的操作。",
        ),
    )
    yield (
        error is not None,
        Text("`backward()` still runs. What raises a version?", "`backward()` 仍能运行。什么会使版本号增加？"),
        Text(
            "The counter counts calls of in-place operations, not changes. In lesson 4 there are some that move no data.",
            "计数器统计的是原地操作的调用次数，而不是变化。第 4 课里有一些不搬动数据的原地操作。",
        ),
    )
    yield (
        "inplace strategy" not in message,
        Text(
            "This is the leaf check, at the write. Which tensor does the node of `c` keep?",
            "这是写入时的叶子检查。`c` 的节点保存的是哪个张量？",
        ),
    )
    yield (
        "used in gradient computation has been modified" in message,
        Text("It raises, but not because a saved tensor is stale.", "报错了，但原因不是保存的张量过期。"),
    )
    yield (
        not any(write.slots for step in alarm.steps for write in step.writes),
        Text(
            "It is refused, but your line wrote slots, even if the numbers stay the same. Find a call that writes no slot.",
            "确实被拒绝了，但你的这一行写入了槽位，即使数没有变。请找一个不写任何槽位的调用。",
        ),
        Text("Which operations with an underscore change only the metadata?", "哪些带下划线的操作只改元数据？"),
    )
    yield (
        after.storage_of("c").values == (4, 16, 36, 64),
        Text("Keep the other lines as they are.", "请保留其他几行。"),
    )
    return Text(
        "The check compares versions, not values. So it may refuse without need. In inplacelab, where every operation that writes raises "
        "the version, it never lets backward use a value that an operation has overwritten. In PaddlePaddle 3.3.1, some writes escape it (section 2).",
        "检查时比较的是版本，而不是数值，所以有时它的拒绝并没有必要。在 inplacelab 里，凡是写入的操作都使版本号增加，所以它绝不会让反向传播用到已被操作覆盖的值；"
        "在 PaddlePaddle 3.3.1 里，有些写入能逃过这一检查（第 2 节）。",
    )


def _is_forward(step: Step) -> bool:
    return step.phase == "forward"


def _bytes(state: State) -> int:
    return sum(storage.bytes for storage in state.storages.values())
