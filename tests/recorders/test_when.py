"""Each change is recorded in the step in which it happened: what a statement creates, frees, and changes without an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recording import queries, sentence

Runner = Callable[..., Any]

FUNCTION = """\
def f(x):
    inside = x * 2
    return x
y = f(paddle.ones([2])) + 1
"""


def test_locals_live_until_their_function_is_left(run: Runner) -> None:
    state = run(FUNCTION).recording.after_line(2)
    assert state.step.op == "scale"
    assert {name for tensor in state.tensors.values() for name in tensor.names} == {"x", "inside"}


def test_live_bytes_are_those_at_the_end_of_the_statement(run: Runner) -> None:
    recording = run("x = paddle.to_tensor([1., 2.], stop_gradient=False)\ny = x * 2\ny.backward()\n").recording
    end = recording.steps[-1]
    assert (end.live, end.peak) == (24, 32)  # the gradient to start with, of 8 bytes, is gone


def test_a_flag_belongs_to_its_own_statement(run: Runner) -> None:
    recording = run("x = paddle.ones([2])\nx.stop_gradient = False\ny = x * 2\nz = y.detach_() + 1\n").recording
    assert not recording.after_line(3).tensor("y").leaf
    assert recording.state().tensor("y").leaf


def test_a_local_of_a_function_that_calls_itself_has_a_name_for_each_call(run: Runner) -> None:
    text = "def f(x, k):\n    y = x * k\n    if k:\n        f(y, k - 1)\n    return y\nf(paddle.ones([1]), 2)\n"
    names = {name for step in run(text).recording.steps for _, t in step.tensors if t for name in t.names}
    assert {"x", "f: x", "f#2: x", "y", "f: y", "f#2: y"} <= names


LOOPS = {
    "for": "for p in (a, b):\n    p.zero_()\n",
    "for, over a tensor's rows": "for p in paddle.stack([a, b]):\n    p.zero_()\n",
    "continue": "for p in (a, b):\n    if p.shape == [2]:\n        p.zero_()\n        continue\n    p.exp_()\n",
    "while": "ps = [a, b]\nwhile (p := ps.pop()) is not a:\n    p.zero_()\n",
}


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS.keys())
def test_a_name_that_a_loop_binds_leads_to_its_next_value_only_in_the_next_turn(run: Runner, text: str) -> None:
    recording = run(f"a, b = paddle.ones([2]), paddle.full([2], 3.)\n{text}").recording
    wrote = [step for step in recording.steps if step.op == "zero_"]
    assert wrote
    for step in wrote:
        state = recording.state(step.index)
        assert state.tensor("p").id == step.writes[0].tensor
        assert queries.visible_values(state, "p") == (0.0, 0.0)
    bound = {
        step.line for step in recording.steps if step.kind == "line" and "`p`" in sentence(recording, step.index).en
    }
    assert bound <= {3 if "while" in text else 2}


GIVEN = {
    "grad": ("(g,) = paddle.grad((x * x).sum(), x)\n", "g", (2.0, 4.0)),
    "deepcopy": ("import copy\ng = copy.deepcopy(x)\n", "g", (1.0, 2.0)),
}


@pytest.mark.parametrize(("text", "name", "values"), GIVEN.values(), ids=GIVEN.keys())
def test_what_no_operation_tells_of(run: Runner, text: str, name: str, values: tuple[float, ...]) -> None:
    recording = run(f"x = paddle.to_tensor([1., 2.], stop_gradient=False)\n{text}").recording
    assert queries.visible_values(recording.state(), name) == values


@pytest.mark.parametrize("way", ["marked", "block"])
def test_what_a_hook_writes(run: Runner, way: str) -> None:
    def watch(gradient: paddle.Tensor) -> None:
        total.add_(gradient)

    if way == "block":
        total, x = paddle.zeros([2]), paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        with paddle.record() as block:
            total.scale_(1.0)
            y = x * 3
            y.register_hook(watch)
            y.backward()
        recording = block.recording
    else:
        recording = run(
            "total, x = paddle.zeros([2]), paddle.to_tensor([1., 2.], stop_gradient=False)\n"
            "def watch(gradient):\n    total.add_(gradient)\n"
            "y = x * 3\ny.register_hook(watch)\ny.backward()\n"
        ).recording
    assert recording is not None
    assert queries.visible_values(recording.state(), "total") == (1.0, 1.0)


OWN = """\
class Double(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return g * 2
x = paddle.ones([1])
x.stop_gradient = False
Double.apply(x.exp()).backward()
"""


def test_backward_steps_stand_on_the_line_of_the_call(run: Runner) -> None:
    steps = [step for step in run(OWN).recording.steps if step.backward is not None]
    lines = {(step.backward.action, step.backward.saved): step.line for step in steps if step.backward}
    assert lines[("unpack", "saved_tensor()[0]")] == 8  # the program's own line asks for it
    assert lines[("custom", None)] == 7  # the derivative that it has written
    others = {line for (action, saved), line in lines.items() if action != "custom" and saved != "saved_tensor()[0]"}
    assert others == {12}


def test_a_view_that_is_set_to_need_gradients_has_its_history(run: Runner) -> None:
    text = "b = paddle.to_tensor([[1., 2.]], stop_gradient=False)\nv = b.view([-1])\nv.stop_gradient = False\n"
    recorded = run(text)
    state = recorded.recording.state()
    node = state.tensor("v").node
    assert node is not None
    assert state.nodes[node].name == recorded.names["v"].grad_fn.name()


def said(run: Runner, text: str) -> list[str]:
    recording = run(text).recording
    return [sentence(recording, index).en for index in range(len(recording))]


def test_a_gradient_that_is_handed_over_is_not_said_to_be_stored(run: Runner) -> None:
    text = "x = paddle.to_tensor([1., 2.], stop_gradient=False)\nw = paddle.to_tensor([3., 4.], stop_gradient=False)\n"
    sentences = " ".join(said(run, text + "(g,) = paddle.grad((x * w).sum(), x)\n"))
    assert "The gradient is complete; `x.grad` is left as it is." in sentences
    assert "sent them to the leaf `x`." in sentences
    assert sentences.endswith("Backward is done.")


def test_only_the_gradients_of_this_pass_are_said_to_be_filled(run: Runner) -> None:
    text = "x = paddle.to_tensor([1.], stop_gradient=False)\nw = paddle.to_tensor([3.], stop_gradient=False)\nx.scale(2.).backward()\n"
    assert said(run, text + "w.scale(2.).backward()\n")[-1] == "Backward is done: `w.grad` is filled."


def test_running_statistics_have_names(run: Runner) -> None:
    text = (
        "class Norm(paddle.nn.Layer):\n    def __init__(self):\n        super().__init__()\n        self.mean = paddle.zeros([2])\n"
        "norm = paddle.nn.Sequential(Norm())\nnorm[0].mean.lerp_(paddle.ones([2]), 0.5)\n"
    )
    assert run(text).recording.state().tensor("norm.0.mean").shape == (2,)
