"""What the program's own code does inside backward, hooks and derivatives of its own, is recorded like all that it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import inplacelab as paddle
from inplacelab.recording import queries
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import running
from inplacelab.recording.sentences import sentence

Runner = Callable[..., Any]

CLIP = """\
a = paddle.to_tensor([1., 2.], stop_gradient=False)
total = paddle.zeros([2])
def clip(gradient):
    smaller = gradient.clip(max=3.0)
    total.add_(smaller)
    return smaller
h = a * a
h.register_hook(clip)
(h * h).sum().backward()
"""


def actions_of(recording: Recording) -> list[tuple[int | None, str | None, str]]:
    """Line, operation and, in a step of backward, what it does; from where backward begins."""
    return [
        (s.line, s.op, s.backward.action if s.backward else s.kind) for s in recording.steps if s.phase == "backward"
    ]


def said(recording: Recording, action: str) -> list[str]:
    steps = [step for step in recording.steps if step.backward is not None and step.backward.action == action]
    return [sentence(recording, step.index).en for step in steps]


def test_the_operations_of_a_hook_are_steps_at_their_lines(run: Runner) -> None:
    recording = run(CLIP).recording
    inside = actions_of(recording)
    first = inside.index((3, "clip", "hook"))
    assert inside[first : first + 4] == [
        (3, "clip", "hook"), (4, "clip", "operation"), (5, "add_", "operation"), (9, "clip", "hooked"),
    ]  # fmt: skip
    (wrote,) = [step for step in recording.steps if step.op == "add_"]
    assert recording.state(wrote.index).tensor("smaller").id in wrote.inputs
    assert queries.visible_values(recording.state(), "total") == (2.0, 3.0)
    assert said(recording, "hook") == [
        "The gradient of `h` is complete: [2, 8]. The hook `clip` is called with it, as `gradient`."
    ]
    assert said(recording, "hooked") == [
        "The hook `clip` has returned. What it returned takes the gradient's place: `smaller`, [2, 3]."
    ]


def test_a_program_that_is_not_marked_tells_of_its_hooks_too() -> None:
    total, x = paddle.zeros([2]), paddle.to_tensor([1.0, 2.0], stop_gradient=False)

    with paddle.record() as block:

        def watch(gradient: paddle.Tensor) -> None:
            total.add_(gradient)

        y = x * 3
        y.register_hook(watch)
        y.backward()
    assert block.recording is not None
    lines = [line for line, op, _ in actions_of(block.recording) if op in ("watch", "add_")]
    assert lines == [1, 2, 6]  # the call, the write, and back to the line that began the pass


def test_a_hook_that_changes_nothing_is_one_step(run: Runner) -> None:
    text = (
        "seen = []\nx = paddle.ones([2])\nx.stop_gradient = False\nx.register_hook(seen.append)\nx.sum().backward()\n"
    )
    recording = run(text).recording
    assert [action for _, op, action in actions_of(recording) if op == "append"] == ["hook"]
    assert said(recording, "hook")[0].startswith("The gradient of `x` is complete: [1, 1]. The hook `append` is called")


def test_where_backward_stands_with_the_node_is_not_forgotten_in_a_hook(run: Runner) -> None:
    recording = run(CLIP).recording
    calls = running(recording)
    inside = [step for step in recording.steps if step.index in calls]
    assert [step.op for step in inside] == [
        "clip",
        "clip",
        "add_",
    ]  # the hook, the operation of this name, and the write
    assert {(calls[s.index].function, calls[s.index].is_hook) for s in inside} == {("clip", True)}
    nodes = [recording.state(step.index).nodes[calls[step.index].node] for step in inside]
    assert {node.status for node in nodes} == {"arrived"}
    assert not any(node.status for node in recording.state().nodes.values() if node.status not in ("done", ""))


def test_a_pass_that_a_hook_begins_is_a_pass_of_its_own(run: Runner) -> None:
    recording = run(
        "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nb = paddle.to_tensor([3., 4.], stop_gradient=False)\n"
        "def inner(g):\n    with paddle.enable_grad():\n        loss = (a * b).sum()\n    loss.backward()\n"
        "h = a * a\nh.register_hook(inner)\nh.sum().backward()\n"
    ).recording
    actions = [(action, line) for line, _, action in actions_of(recording) if action in ("begin", "end")]
    assert actions == [("begin", 9), ("begin", 6), ("end", 6), ("end", 9)]
    inner, outer = said(recording, "end")
    assert inner == "Backward is done: `a.grad` and `b.grad` are filled."
    assert outer == "Backward is done: `a.grad` is filled."
    begun, ended = (
        next(s.index for s in recording.steps if s.backward and s.backward.action == action and s.line == 6)
        for action in ("begin", "end")
    )
    before, after = recording.state(begun - 1).nodes, recording.state(ended).nodes
    assert {key: before[key].status for key in after if key in before} == {key: after[key].status for key in after}
    assert len(after) > 1


def test_a_hook_that_writes_what_is_needed_is_reported_at_its_line(run: Runner) -> None:
    recording = run(
        "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nw = paddle.ones([2])\ndef spoil(g):\n    w.zero_()\n"
        "h = a * w\nk = h * h\nk.register_hook(spoil)\nk.sum().backward()\n"
    ).recording
    error = recording.steps[-1].error
    assert error is not None
    assert [note.en for note in error.notes] == [
        "Line 5: kept: `MultiplyGradNode` keeps `w`, its second operand (float32 [2]) at version 0.",
        "Line 4: overwritten by `zero_`: version 0 → 1, in `spoil`.",
        "Line 8: needed here: it finds version 1.",
    ]


RAISES = {
    "the engine refuses an operation": ("g.add_(paddle.ones([3]))", "ValueError", 3),
    "the program raises": ("raise KeyError('no')", "KeyError", 3),
    "what it returns is no gradient": ("return 3", "HookError", 3),
}


def test_a_hook_that_raises_is_explained_at_its_line(run: Runner) -> None:
    wrong = {}
    for what, (statement, _, line) in RAISES.items():
        text = f"x = paddle.ones([2])\ndef bad(g):\n    {statement}\nx.stop_gradient = False\ny = x * 2\ny.register_hook(bad)\n"
        recording = run(text + "y.sum().backward()\n").recording
        last = recording.steps[-1]
        failed = [node.name for node in recording.state().nodes.values() if node.status == "failed"]
        if (last.kind, last.phase, last.line, failed) != ("error", "backward", line, ["ScaleGradNode"]):
            wrong[what] = (last.kind, last.phase, last.line, failed)
    assert not wrong


def test_what_a_hook_catches_stops_nothing(run: Runner) -> None:
    recording = run(
        "x = paddle.ones([2])\ndef careful(g):\n    try:\n        g.add_(paddle.ones([3]))\n    except ValueError:\n"
        "        pass\n    g.scale_(2.)\nx.stop_gradient = False\ny = x * 2\ny.register_hook(careful)\ny.sum().backward()\n"
    ).recording
    kinds = [(line, action) for line, _, action in actions_of(recording)]
    assert (4, "error") in kinds
    assert kinds.index((7, "operation")) > kinds.index((4, "error"))
    assert kinds[-1] == (11, "end")
    assert queries.visible_values(recording.state(), "x.grad") == (4.0, 4.0)


def test_a_derivative_of_the_programs_own_is_gone_through(run: Runner) -> None:
    recording = run(
        "class Cube(paddle.autograd.PyLayer):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
        "        return x * x * x\n    @staticmethod\n    def backward(ctx, g):\n        (x,) = ctx.saved_tensor()\n"
        "        d = x * x\n        return g * 3. * d\nx = paddle.ones([1])\nx.stop_gradient = False\nCube.apply(x).backward()\n"
    ).recording
    inside = actions_of(recording)
    assert [each for each in inside if each[0] != 13] == [
        (7, "Cube.backward", "custom"), (8, "backward", "unpack"), (9, "multiply", "operation"), (10, "scale", "operation"),
        (10, "multiply", "operation"),
    ]  # fmt: skip
    assert said(recording, "custom") == [
        "`GradNodePyLayer_Cube` (line 13) calls `Cube.backward`, the derivative that the program has written for it, with the "
        "gradient [1], as `g`."
    ]
    assert {call.function for call in running(recording).values()} == {"Cube.backward"}
