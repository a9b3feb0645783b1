"""The sentence of a step: true to the facts, in both languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.language import Text
from inplacelab.recording import BackwardFacts, ErrorFacts, Recording, RewireFacts, WriteFacts, sentence
from tests.recorders.golden.renew import run
from tests.tiers import examples


def last(tape: Any, framework: str = "inplacelab") -> Text:
    recording = tape.recording(framework)
    return sentence(recording, len(recording) - 1)


# --- a program from beginning to end -------------------------------------------------------------------------------

SPOILT = {
    0: (
        (
            "Line 1 `ones` made `a` in a new storage S0 (16 bytes). "
            "It is a leaf that requires a gradient (`stop_gradient=False`)."
        ),
        (
            "第 1 行的 `ones` 创建了 `a`，数据放在新存储 S0（16 字节）中。"
            "它是需要梯度的叶子张量（`stop_gradient=False`）。"
        ),
    ),
    1: (
        (
            "Line 2 `scale` read `a` and put its result, `b`, into a new storage S1 (16 bytes). "
            "`ScaleGradNode` joins the graph and keeps no tensor."
        ),
        (
            "第 2 行的 `scale` 读取 `a`，把结果 `b` 放在新存储 S1（16 字节）中。"
            "反向图中加入了 `ScaleGradNode`，它不保存任何张量。"
        ),
    ),
    2: (
        (
            "Line 3 `b[...]` made `→v`, a view of `b`: new metadata, same storage S1, no bytes moved. "
            "`→v` will be named `v` when the line is done."
        ),
        (
            "第 3 行的 `b[...]` 得到 `→v`，它是 `b` 的视图：元数据是新的，存储仍是 S1，没有搬动任何字节。"
            "`→v` 要到这一行执行完才得名 `v`。"
        ),
    ),
    3: ("Line 3: The tensor in S1 is now called `v`.", "第 3 行：存储 S1 上的张量现在名为 `v`。"),
    4: (
        (
            "Line 4 `*` read `b` and put its result, `c`, into a new storage S2 (16 bytes). "
            "`MultiplyGradNode` keeps `b` (as its first and second operands, S1 at version 0) for backward."
        ),
        (
            "第 4 行的 `*` 读取 `b`，把结果 `c` 放在新存储 S2（16 字节）中。"
            "`MultiplyGradNode` 为反向传播保存了 `b`（作为第一个和第二个操作数，S1 的版本 0）。"
        ),
    ),
    5: (
        (
            "Line 5 `add_` wrote slots 1-2 of S1 through `v`. "
            "Version of S1: 0 → 1, seen by `v` (also called `w`) and `b`. "
            "`b` now comes from the new `CopySlices` instead of `ScaleGradNode` (line 2). "
            "The view `v` was given a new grad node, `SliceGradNode`. "
            "What `MultiplyGradNode` (line 4) kept is now stale: `b` (as its first and second operands)."
        ),
        (
            "第 5 行的 `add_` 经由 `v` 写入了 S1 的第 1-2 号槽位。"
            "S1 的版本号：0 → 1，由 `v`（又名 `w`）和 `b` 共享。"
            "`b` 的梯度节点由 `ScaleGradNode`（第 2 行）换成了新的 `CopySlices`。"
            "视图 `v` 的梯度节点重新生成：`SliceGradNode`。"
            "`MultiplyGradNode`（第 4 行）保存的值已过期：`b`（作为第一个和第二个操作数）。"
        ),
    ),
    6: (
        "Line 6: backward begins at `MultiplyGradNode` (line 4) with the gradient [1, 1, 1, 1].",
        "第 6 行：反向传播从 `MultiplyGradNode`（第 4 行）开始，初始梯度 [1, 1, 1, 1]。",
    ),
    7: (
        (
            "`MultiplyGradNode` (line 4) finds `b` (as its first and second operands) stale: kept at version 0 of S1, "
            "found at version 1. The value that backward needs has been overwritten."
        ),
        (
            "`MultiplyGradNode`（第 4 行）取用 `b`（作为第一个和第二个操作数）：保存时 S1 是版本 0，现在是版本 1，已过期。"
            "反向传播需要的值被覆盖了。"
        ),
    ),
    8: (
        (
            "`RuntimeError`. Line 4: kept: `MultiplyGradNode` keeps `b`, its first and second operands (float32 [4]) at version 0. "
            "Line 5: overwritten by `add_` through `v`, a view of `b`: version 0 → 1."
        ),
        (
            "`RuntimeError`。第 4 行：保存：`MultiplyGradNode` 保存了 `b`，即它的第一个和第二个操作数（float32 [4]），版本 0。"
            "第 5 行：被 `add_` 通过 `v`（`b` 的视图）覆盖：版本 0 → 1。"
        ),
    ),
}


@pytest.mark.parametrize("index", SPOILT)
def test_a_program_whose_backward_fails(views_and_stale: Recording, index: int) -> None:
    said = sentence(views_and_stale, index)
    assert (said.en, said.zh) == SPOILT[index]


DOUBLED = {
    2: "Line 3 `scale_` wrote slots 0-1 of S1 through `x`. "
    "The overwritten value was copied first (8 bytes), because backward needs it. "
    "Version of S1: 0 → 1. "
    "`x` now comes from the new `ScaleGradNode` instead of `ScaleGradNode` (line 2).",
    3: "Line 3: `y` is another name for the tensor `x`: one object, nothing was copied.",
    4: "Line 4: `z` is another name for the tensor `x` (also called `y`): one object, nothing was copied.",
    5: "Line 5: `x` no longer names a tensor.",
    7: "`ScaleGradNode` (line 3) finds a copy of `x` fresh: S2 is at version 0, as when it was kept.",
    8: "`ScaleGradNode` (line 3) turned the gradient of its result into gradients of its inputs and sent them to "
    "`ScaleGradNode` (line 2). What it kept is released.",
    9: "A gradient of shape [2] arrived at `ScaleGradNode` (line 2).",
    10: "`ScaleGradNode` (line 2) turned the gradient of its result into gradients of its inputs and sent them to "
    "the leaf `a`.",
    11: "The gradient is stored in `a.grad`.",
    12: "Backward is done: `a.grad` is filled.",
    13: "Line 7: `y` and `z` no longer name a tensor. S1 was freed (8 bytes).",
}


@pytest.mark.parametrize("index", DOUBLED)
def test_a_program_whose_backward_succeeds(doubled_in_place: Recording, index: int) -> None:
    assert sentence(doubled_in_place, index).en == DOUBLED[index]


ALIASES = """w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
(w * w).sum().backward()
g = w.grad
v = w
g = None
del w
del v
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (3, "Line 3: `g` is another name for the tensor `w.grad`: one object, nothing was copied."),
        (4, "Line 4: `v` is another name for the tensor `w`: one object, nothing was copied."),
        (5, "Line 5: `g` no longer names a tensor."),
        (6, "Line 6: `w` no longer names a tensor."),
        (7, "Line 7: `v` no longer names a tensor. S0 and S3 were freed (16 bytes)."),
    ],
)
def test_a_name_ends_when_nothing_is_called_so_any_more(line: int, said: str) -> None:
    recording = run(ALIASES).recording
    (step,) = recording.on_line(line)
    assert sentence(recording, step.index).en == said


def test_many_further_names_are_counted() -> None:
    recording = run("some = [paddle.ones([1]) for k in range(7)]\nothers = list(some)\n").recording
    assert sentence(recording, len(recording) - 1).en == "Line 2: 7 tensors have further names now: nothing was copied."


# --- one kind of step at a time ------------------------------------------------------------------------------------


def test_the_flag_is_called_as_the_framework_calls_it(tape: Any) -> None:
    leaf = tape.tensor(0, 0, (2,), "w", needs_gradient=True)
    tape.step("operation", 1, tape.storage(0, (1.0, 1.0)), leaf, op="ones", category="create", output=0)
    assert "(`requires_grad=True`)" in last(tape, "torch").en
    assert "(`stop_gradient=False`)" in last(tape, "paddle").en


def test_a_flag_set_on_a_line(tape: Any) -> None:
    plain = tape.tensor(0, 0, (2,), "w")
    tape.step("operation", 1, tape.storage(0, (1.0, 1.0)), plain, op="ones", category="create", output=0)
    tape.step("line", 2, replace(plain, needs_gradient=True))
    assert last(tape).en == "Line 2: `w` now requires a gradient (`stop_gradient=False`)."
    tape.step("line", 3, plain)
    assert last(tape, "torch").zh == "第 3 行：`w` 不再需要梯度（`requires_grad=False`）。"


def test_a_cleared_gradient(tape: Any) -> None:
    filled = tape.tensor(0, 0, (2,), "w", grad=1)
    tape.step("line", 1, filled)
    tape.step("line", 2, replace(filled, grad=None))
    assert last(tape).en == "Line 2: The gradient of `w` was cleared."


@pytest.mark.parametrize(
    ("count", "said"), [(2, "The gradients of `w0` and `w1` were cleared."), (7, "7 gradients were cleared.")]
)
def test_several_cleared_gradients(tape: Any, count: int, said: str) -> None:
    """Once, and not also as names that are bound no longer: `w0.grad` is not said to name no tensor."""
    filled = [tape.tensor(key, key, (2,), f"w{key}", grad=10 + key) for key in range(count)]
    gradients = [tape.tensor(10 + key, 10 + key, (2,), f"w{key}.grad") for key in range(count)]
    tape.step("line", 1, *filled, *gradients)
    gone = tuple(("tensor", each.id) for each in gradients)
    tape.step("line", 2, *(replace(each, grad=None) for each in filled), gone=gone)
    assert last(tape).en == f"Line 2: {said}"


def test_a_line_that_did_nothing_to_tensors(tape: Any) -> None:
    tape.step("line", 4)
    assert (last(tape).en, last(tape).zh) == ("Line 4 changed no tensor.", "第 4 行没有改变任何张量。")


def test_a_dropped_result_is_not_a_tensor_that_was_never_made(tape: Any) -> None:
    tape.step("operation", 1, op="sum", output=1)
    assert last(tape).en == "Line 1 `sum` made a tensor that was freed before the next step."
    tape.step("operation", 2, op="sum")
    assert last(tape).en == "Line 2 `sum` ran and made no tensor."


def test_a_list_that_holds_one_tensor_several_times(tape: Any) -> None:
    held = tape.tensor(0, 0, (2,), "h")
    tape.step("operation", 1, held, op="ones", output=0)
    tape.step("line", 2, replace(held, names=("h", "list[0]", "list[1]")))
    assert (
        last(tape).en
        == "Line 2: `list[0]` and `list[1]` are other names for the tensor `h`: one object, nothing was copied."
    )
    tape.step("line", 3, replace(held, names=("h", *(f"list[{k}]" for k in range(6)))))
    assert last(tape).en.split(" are other names")[1] == (
        " for the tensor `h` (also called `list[0]` and `list[1]`): one object, nothing was copied."
    )
    tape.step("line", 4, replace(held, names=("h", *(f"list[{k}]" for k in range(6)), "x")))
    assert "`h` (also called `list[0]`, `list[1]`, `list[2]`, `list[3]`, `list[4]` and `list[5]`)" in last(tape).en
    assert "`h`（又名 `list[0]`、`list[1]`、`list[2]`、`list[3]`、`list[4]` 和 `list[5]`）" in last(tape).zh


def test_a_name_that_moves_on_leaves_a_tensor_behind(tape: Any) -> None:
    old = tape.tensor(0, 0, (2,), "x")
    tape.step("operation", 1, tape.storage(0, (1.0, 1.0)), old, op="ones", output=0)
    tape.step("line", 2, replace(old, names=("x", "y")))
    result = tape.tensor(1, 1, (2,), "x")
    left = replace(old, names=("y",))
    tape.step(
        "operation",
        3,
        tape.storage(1, (2.0, 2.0)),
        result,
        left,
        op="scale",
        category="ordinary",
        inputs=(0,),
        output=1,
    )
    assert "From now on `x` is the name of the result; `y` is as it was." in last(tape).en


def test_a_further_result_that_is_dropped(tape: Any) -> None:
    tape.step("operation", 3, op="split", output=1, inputs=(0,))
    tape.step("operation", 3, op="split", output=2, inputs=(0,))
    assert last(tape).en == "Line 3 `split` made one more tensor, which was freed before the next step."


def test_rebinding_a_name(tape: Any) -> None:
    tape.step("line", 1, tape.storage(0, (1.0,)), tape.tensor(0, 0, (1,), "x"))
    tape.step("line", 2, tape.storage(1, (2.0,)), tape.tensor(1, 1, (1,), "x"), gone=(("tensor", 0), ("storage", 0)))
    assert last(tape).en == "Line 2: `x` now names another tensor, in S1. S0 was freed (4 bytes)."


def test_a_temporary_goes_by_its_number(tape: Any) -> None:
    tape.step("operation", 1, tape.storage(0, (1.0,)), tape.tensor(0, 0, (1,)), op="ones", category="create", output=0)
    assert last(tape).en == "Line 1 `ones` made the temporary `T0` in a new storage S0 (4 bytes)."
    assert last(tape).zh == "第 1 行的 `ones` 创建了临时张量 `T0`，数据放在新存储 S0（4 字节）中。"


def test_a_temporary_is_read(tape: Any) -> None:
    tape.step("operation", 1, tape.storage(0, (1.0,)), tape.tensor(0, 0, (1,)), op="ones", category="create", output=0)
    tape.step("operation", 1, tape.storage(1, (1.0,)), tape.tensor(1, 1, (1,)), op="exp", inputs=(0, 0), output=1)
    tape.step("line", 1, tape.tensor(1, 1, (1,), "y"), gone=(("tensor", 0), ("storage", 0)))
    said = sentence(tape.recording(), 1)
    made = "Line 1 `exp` read the temporary `T0` and put its result, `→y`, into a new storage S1 (4 bytes)."
    assert said.en == f"{made} `→y` will be named `y` when the line is done."


def test_one_tensor_has_one_name_in_a_chain() -> None:
    """What a chain writes is called as its line will call it, from the first link on: with an arrow until the line is done."""
    recording = run("x = paddle.ones([2])\ny = (x + x).scale_(0.5).relu_()\n").recording
    said = [sentence(recording, index).en for index in (1, 2, 3)]
    assert said[0].endswith(
        "put its result, `→y`, into a new storage S1 (8 bytes). `→y` will be named `y` when the line is done."
    )
    for each, op, name in zip(said[1:], ("scale_", "relu_"), ("`→y`", "`y`"), strict=True):
        assert each.startswith(f"Line 2 `{op}` wrote slots 0-1 of S1 through {name}.")
        assert each.endswith("Version of S1: " + ("0 → 1." if op == "scale_" else "1 → 2."))


def test_a_tensor_that_changes_its_name_is_described_with_both() -> None:
    source = "def f(x):\n    h = x * x\n    return h.relu_()\nout = f(paddle.ones([2]))\n"
    recording = run(source).recording
    wrote = next(step.index for step in recording.steps if step.op == "relu_")
    assert "Version of S1: 0 → 1. From now on `h` is called `out`." in sentence(recording, wrote).en
    assert "S1 的版本号：0 → 1。此后 `h` 名为 `out`。" in sentence(recording, wrote).zh


def test_a_number_is_no_temporary() -> None:
    recording = run("x = paddle.ones([2])\nx.stop_gradient = False\ny = x ** 2\n").recording
    said = sentence(recording, 2)
    assert "read `x` and a constant and put its result, `y`, into" in said.en
    assert "`x`（作为第一个操作数，S0 的版本 0）和常数 2（作为第二个操作数，S1 的版本 0）" in said.zh
    assert "the constant 2 (as its second operand, S1 at version 0)" in said.en


def test_an_operation_that_returns_its_input(tape: Any) -> None:
    tape.step("line", 1, tape.storage(0, (1.0,)), tape.tensor(0, 0, (1,), "x"))
    tape.step("operation", 2, op="contiguous", category="ordinary", inputs=(0,), output=0)
    assert last(tape).en == "Line 2 `contiguous` returned `x` itself: nothing was copied."


def test_metadata_alone_changes(tape: Any) -> None:
    matrix = tape.tensor(0, 0, (2, 3), "x")
    tape.step("line", 1, tape.storage(0, (0.0,) * 6), matrix)
    turned = replace(matrix, shape=(3, 2), strides=(1, 3))
    write = WriteFacts(0, 0, 0, 1, 0, ())
    tape.step("operation", 2, turned, op="t_", category="relayout", inputs=(0,), output=0, writes=(write,))
    assert last(tape).en == (
        "Line 2 `t_` changed only the metadata of `x`: shape [2, 3] → [3, 2] and strides [3, 1] → [1, 3]; "
        "no bytes moved. Version of S0: 0 → 1."
    )
    assert last(tape).zh == (
        "第 2 行的 `t_` 只改了 `x` 的元数据：形状 [2, 3] → [3, 2] 和步幅 [3, 1] → [1, 3]；没有搬动任何字节。"
        "S0 的版本号：0 → 1。"
    )


def test_metadata_that_stays_as_it_was(tape: Any) -> None:
    matrix = tape.tensor(0, 0, (2, 3), "x")
    tape.step("line", 1, tape.storage(0, (0.0,) * 6), matrix)
    write = WriteFacts(0, 0, 0, 1, 0, ())
    tape.step("operation", 2, op="reshape_", category="relayout", inputs=(0,), output=0, writes=(write,))
    assert last(tape).en == (
        "Line 2 `reshape_` left the metadata of `x` as it was; no bytes moved. Version of S0: 0 → 1."
    )


def test_in_place_in_name_only(tape: Any) -> None:
    x = tape.tensor(0, 0, (2,), "x")
    tape.step("line", 1, tape.storage(0, (1.0, 2.0)), x)
    moved = replace(x, storage=1, counter=1, dtype="int64")
    tape.step("operation", 2, tape.storage(1, (1.0, 2.0)), moved, op="cast_", category="reallocated", output=0)
    assert last(tape).en == (
        "Line 2 `cast_` is in place in name only: `x` now points into a new storage S1 (8 bytes) "
        "and has left S0 untouched."
    )


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (((3, 4),), "slot 3 of S0"),
        (((0, 2), (4, 5)), "slots 0-1 and 4 of S0"),
        (tuple((n, n + 1) for n in range(0, 9, 2)), "5 slots between 0 and 8 of S0"),
        (((0, 16_777_216),), "slots 0-16,777,215 of S0"),
    ],
)
def test_written_slots_are_listed_briefly(tape: Any, runs: tuple[tuple[int, int], ...], said: str) -> None:
    tape.step("line", 1, tape.storage(0, (0.0,) * 9), tape.tensor(0, 0, (9,), "x"))
    tape.step("operation", 2, op="x[...] =", category="in-place", writes=(WriteFacts(0, 0, 0, 1, 0, runs),))
    assert last(tape).en.startswith(f"Line 2 `x[...] =` wrote {said} through `x`.")


def test_all_of_many_sharers_are_named(tape: Any) -> None:
    views = [tape.tensor(n, 0, (1,), f"v{n}") for n in range(6)]
    tape.step("line", 1, tape.storage(0, (0.0,)), *views)
    tape.step("operation", 2, op="zero_", category="in-place", writes=(WriteFacts(0, 0, 0, 1, 5, ((0, 1),)),))
    assert "seen by `v5`, `v0`, `v1`, `v2`, `v3` and `v4`." in last(tape).en
    assert "由 `v5`、`v0`、`v1`、`v2`、`v3` 和 `v4` 共享" in last(tape).zh


def test_names_come_before_temporaries(tape: Any) -> None:
    views = [tape.tensor(n, 0, (1,), *([f"v{n}"] if n > 1 else [])) for n in range(4)]
    tape.step("line", 1, tape.storage(0, (0.0,)), *views)
    tape.step("operation", 2, op="zero_", category="in-place", writes=(WriteFacts(0, 0, 0, 1, 3, ((0, 1),)),))
    assert "seen by `v3`, `v2` and the temporaries `T0` and `T1`." in last(tape).en


def test_many_nodes_with_stale_values_are_counted(tape: Any) -> None:
    keepers = [tape.node(n, "MultiplyGradNode", 1, saved=(tape.saved(0),)) for n in range(5)]
    tape.step("line", 1, tape.storage(0, (0.0,)), tape.tensor(0, 0, (1,), "x"), *keepers)
    write = WriteFacts(0, 0, 0, 1, 0, ((0, 1),))
    tape.step("operation", 2, tape.storage(0, (1.0,)), op="exp_", category="in-place", writes=(write,))
    assert last(tape).en.endswith("What 5 grad nodes kept is now stale.")


def test_a_history_begins_and_ends(tape: Any) -> None:
    x, scale = tape.tensor(0, 0, (1,), "x", node=1), tape.node(1, "ScaleGradNode", 2)
    tape.step("line", 1, tape.storage(0, (0.0,)), replace(x, node=None))
    wrote = {"op": "scale_", "category": "in-place"}
    tape.step("operation", 2, x, scale, **wrote, rewired=(RewireFacts(0, None, 1),))
    assert "`x` now has a history: it comes from `ScaleGradNode`." in last(tape).en
    tape.step("operation", 3, replace(x, node=None), **wrote, rewired=(RewireFacts(0, 1, None),))
    assert "`x` no longer has a history." in last(tape).en


def test_nodes_of_one_name_and_line_are_distinguished(tape: Any) -> None:
    both = [tape.node(n, "MultiplyGradNode", 2) for n in (4, 7)]
    tape.step("backward", 3, *both, phase="backward", backward=BackwardFacts("failed", 7))
    assert last(tape).en == "`MultiplyGradNode` #7 (line 2) cannot run, and backward stops here."


def test_a_second_gradient_is_added(tape: Any) -> None:
    tape.step("line", 1, tape.tensor(0, 0, (1,), "a", grad=1), tape.node(0, "AccumulateGradNode", 1, leaf=0))
    ran = {"phase": "backward", "backward": BackwardFacts("run", 0)}
    tape.step("backward", 2, **ran)
    assert last(tape).en == "The gradient is added to `a.grad`."
    tape.step("backward", 2, **ran, writes=(WriteFacts(1, 1, 0, 1, 1, ((0, 1),)),))
    assert last(tape).zh == "梯度原地累加到 `a.grad` 上。S1 的版本号：0 → 1。"


def test_an_explained_error_keeps_the_engines_message(tape: Any) -> None:
    why, fix = Text("`x` is a leaf.", "`x` 是叶子张量。"), Text("write `x.scale(2)`.", "写成 `x.scale(2)`。")
    tape.step("error", 2, error=ErrorFacts("ValueError", "Leaf Var (x)\n  [Hint]", why, (), fix=fix))
    assert last(tape).en == "Line 2 raised `ValueError`. `x` is a leaf. Instead, write `x.scale(2)`."
    assert last(tape).zh == "第 2 行抛出 `ValueError`。`x` 是叶子张量。改法：写成 `x.scale(2)`。"


def test_the_story_is_about_the_value_that_was_unpacked(views_and_stale: Recording) -> None:
    *steps, unpack, error = views_and_stale.steps
    assert unpack.backward is not None
    second = replace(unpack, backward=replace(unpack.backward, saved="y"))
    recording = replace(views_and_stale, steps=(*steps, second, error))
    kept = "Line 4: kept: `MultiplyGradNode` keeps `b`, its first and second operands (float32 [4]) at version 0."
    assert kept in sentence(recording, 8).en


def test_an_error_of_the_program_itself(tape: Any) -> None:
    tape.step("error", 2, error=ErrorFacts("ZeroDivisionError", "division by zero", None, ()))
    assert last(tape).en == "Line 2 raised `ZeroDivisionError`: division by zero."


# --- any step at all -----------------------------------------------------------------------------------------------


@pytest.mark.standard
@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_every_step_has_a_sentence_in_both_languages(
    recordings: st.SearchStrategy[Recording], data: st.DataObject
) -> None:
    recording = data.draw(recordings)
    for index in range(len(recording)):
        said = sentence(recording, index)
        assert said.en.strip()
        assert said.zh.strip()


def test_a_step_that_is_not_there(doubled_in_place: Recording) -> None:
    with pytest.raises(IndexError, match="there is no step 14: this recording has 14 steps"):
        sentence(doubled_in_place, 14)


def test_a_hook_of_which_no_argument_is_recorded(tape: Any) -> None:
    facts = BackwardFacts("hook", None, gradient=(1.0,), shape=(1,))
    tape.step("backward", 3, phase="backward", backward=facts, op="halve")
    assert last(tape).en.endswith("The hook `halve` is called with it, as `?`.")


def test_the_turns_of_a_loop_of_one_line_bind_its_names_each_for_themselves() -> None:
    loop = "a = b = paddle.to_tensor([1.])\nfor k in range(3):\n    a, b = b, a + b\n"
    recording = run(loop).recording
    said = [sentence(recording, step.index).en for step in recording.on_line(3)]
    assert ["put its result, `b`, into" in each for each in said] == [True, True, True]


def test_each_note_is_in_the_sentence_once() -> None:
    source = (
        "m = paddle.arange(4, dtype='float32').reshape([2, 2])\nrow = m[1]\nw = paddle.ones([2])\nw.stop_gradient = False\n"
        "y = w * row\nrow.zero_()\ny.sum().backward()\n"
    )
    recording = run(source).recording
    failed, error = next((step.index, step.error) for step in recording.steps if step.error is not None)
    said = sentence(recording, failed)
    assert error.notes[1].en == "Line 6: overwritten by `zero_`: version 0 → 1."  # what is written is what was saved
    assert [said.en.count(note.en) for note in error.notes] == [1, 1, 0]
    assert [said.zh.count(note.zh) for note in error.notes] == [1, 1, 0]
