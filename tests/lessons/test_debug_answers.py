"""Answers to the exercises of lesson 13: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from inplacelab.lessons.checks import debug
from tests.lessons.answers import ran

YOURS = """
x = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
h = x * 2
{}
loss = energy + h.sum()
"""
CLIPPED = "first = h[0]\nfirst.clip_(0., 3.)"


@pytest.mark.parametrize(
    ("middle", "said"),
    [
        (f"energy = (h * h).sum()\nh = h.clone()\n{CLIPPED}", ""),
        (f"k = h.clone()\nenergy = (k * k).sum()\n{CLIPPED}", ""),
        (f"energy = (x * x).sum() * 4\n{CLIPPED}", ""),
        ("energy = (h * h).sum()\nh = paddle.stack([h[0].clip(0., 3.), h[1]])", ""),
        (f"energy = (h * h).sum()\n{CLIPPED}", "still refused"),
        (f"{CLIPPED}\nenergy = (h * h).sum()", "The loss is 132"),
        ("energy = (h * h).sum()\nfirst = h[0].clone()\nfirst.clip_(0., 3.)", "The loss is 140"),
        ("energy = (h * h).sum()\nh[0].clip(0., 3.)", "The loss is 140"),
        ("energy = (h * h).sum()", "The loss is 140"),
        (f"energy = (h * h).sum().detach()\n{CLIPPED}", "does not agree"),
        (f"energy = (h * h).sum()\nenergy.backward()\n{CLIPPED}", "a part of the loss only"),
        (f"energy = (h * h).sum()\nh = h.detach()\n{CLIPPED}", "still refused"),
        ("energy = (h * h).sum()\nh = h * 0.", "The loss is 120"),
    ],
)
def test_a_fix_of_ones_own(middle: str, said: str) -> None:
    debug.repaired._failed.clear()
    _, names = ran(YOURS.format(middle))
    verdicts = [debug.repaired(x=names["x"], loss=names["loss"]) for _ in range(2)]  # a learner may ask twice
    assert [verdict.solved for verdict in verdicts] == [not said] * 2
    assert said in verdicts[0].words.en


def test_a_fix_that_has_run_backward_already() -> None:
    _, names = ran(YOURS.format(f"energy = (h * h).sum()\nh = h.clone()\n{CLIPPED}") + "loss.backward()\n")
    assert debug.repaired(x=names["x"], loss=names["loss"]).solved


HELPER = """
def centered(t):
{body}

w = paddle.to_tensor([1., 2., 6.], stop_gradient=False)
x = paddle.to_tensor([3., 4., 8.])
loss = {loss}
loss.backward()
"""
CALLS = "(centered(w) * centered(x).abs()).sum()"


@pytest.mark.parametrize(
    ("body", "loss", "solved"),
    [
        ("return t - t.mean()", CALLS, True),
        ("t = t.clone()\n    t.subtract_(t.mean())\n    return t", CALLS, True),
        ("return t.subtract(paddle.mean(t).expand_as(t))", CALLS, True),
        ("return t + t.mean().scale(-1.)", CALLS, True),
        ("t.subtract_(t.mean())\n    return t", CALLS, False),
        ("with paddle.no_grad():\n        t.subtract_(t.mean())\n    return t", CALLS, False),
        ("t.subtract_(t.mean())\n    return t", "(centered(w.clone()) * centered(x).abs()).sum()", False),
        ("t = t.detach()\n    t.subtract_(t.mean())\n    return t", CALLS, False),
        ("return t.detach() - t.detach().mean()", CALLS, False),
        ("return t - t.mean().detach()", CALLS, False),
        ("return t.clone()", CALLS, False),
        ("return t", CALLS, False),
        ("return (t - t.mean()) * 1.5", CALLS, False),
    ],
)
def test_a_helper_that_leaves_its_argument_alone(body: str, loss: str, *, solved: bool) -> None:
    recording, _ = ran(HELPER.format(body=f"    {body}", loss=loss))
    verdict = debug.helper(helped=recording)
    assert verdict.solved == solved, verdict


def test_without_history_is_not_called_refused() -> None:
    recording, _ = ran(HELPER.format(body="    return t.detach() - t.detach().mean()", loss=CALLS))
    assert "no gradient history" in debug.helper(helped=recording).words.en


def test_the_hint_about_a_detached_mean_asks_for_its_gradient() -> None:
    debug.helper._failed.clear()
    recording, _ = ran(HELPER.format(body="    return t - t.mean().detach()", loss=CALLS))
    assert "the gradient is not" in debug.helper(helped=recording).words.en


LIST = """
a = paddle.to_tensor([1., 2.], stop_gradient=False)
h = a * 2
history = []
for _ in range(3):
    {body}
loss = paddle.stack(history).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("body", "solved"),
    [
        ("h.scale_(2.); history.append(h.clone())", True),
        ("h = h.scale(2.); history.append(h)", True),
        ("h = h + h; history = [*history, h]", True),
        ("h.scale_(2.); history += [h * 1.]", True),
        ("h.scale_(2.); history.append(h)", False),
        ("h.scale_(2.); history.append(h[0:2])", False),
        ("h.scale_(2.); history.append(h.detach())", False),
        ("h.scale_(2.); history.append(h.detach().clone())", False),
        ("history.append(h.clone()); h.scale_(2.)", False),
        ("h.scale_(2.); history = [h.clone()]", False),
        ("h.scale_(2.); history.append(a * 28. / 3.)", False),
        ("history.append(h.scale(2.))", False),
    ],
)
def test_a_list_of_three_states(body: str, *, solved: bool) -> None:
    recording, names = ran(LIST.format(body=body))
    verdict = debug.states(history=names["history"], stacked=recording)
    assert verdict.solved == solved, verdict


def test_a_program_that_has_no_loss_is_not_told_about_the_sum() -> None:
    text = LIST.format(body="h.scale_(2.); history.append(h.clone())").replace("loss =", "total =")
    recording, names = ran(text)
    assert "ends without a `loss`" in debug.states(history=names["history"], stacked=recording).words.en


@pytest.mark.parametrize("state", ["h.numpy()", "h.tolist()"])
def test_states_that_are_no_tensors(state: str) -> None:
    recording, names = ran(LIST.format(body=f"h.scale_(2.); history.append({state})"))
    assert "should be tensors" in debug.states(history=names["history"], stacked=recording).words.en


def test_three_states_in_the_rows_of_one_buffer() -> None:
    body = "h.scale_(2.); buffer = paddle.zeros([3, 2]) if _ == 0 else buffer; buffer[_] = h"
    text = LIST.format(body=body).replace("loss =", "history = buffer.unbind()\nloss =")
    recording, names = ran(text)
    assert debug.states(history=names["history"], stacked=recording).solved


NORMALIZED = """
w = paddle.to_tensor([[0.5, -1.], [1., 0.25]], stop_gradient=False)
x = paddle.to_tensor([[1., 2.], [3., -1.]])
h = paddle.matmul(x, w)
{made}
{centered}
{divided}
loss = (y * x).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("made", "centered", "divided", "solved"),
    [
        ("y = h.tanh().clone()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", True),
        ("y = h.tanh() + 0.", "y.subtract_(y.mean())", "s = y.scale(1.)\ny.divide_((s * s).mean().sqrt())", True),
        (
            "t = h.tanh()\ny = paddle.assign(t)",
            "y.subtract_(t.mean())",
            "y = y * 1\ny = y.clone().divide_(y.square().mean().sqrt())",
            True,
        ),
        (
            "y = h.tanh()",
            "y = y.clone()\ny.subtract_(y.mean())",
            "z = y.clone()\nz.divide_(y.square().mean().sqrt())\ny = z",
            True,
        ),
        ("y = h.tanh()", "y.subtract_(y.mean())", "y.divide_(y.square().mean().sqrt())", False),
        ("y = h.tanh().clone()", "y.subtract_(y.mean())", "y.divide_(y.square().mean().sqrt())", False),
        ("y = h.tanh()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", False),
        ("y = h.tanh()", "y = y - y.mean()", "y = y / y.square().mean().sqrt()", False),
        ("y = h.tanh()", "y = y - y.mean()", "y.divide_(y.clone().square().mean().sqrt())", False),
        (
            "y = h.tanh().clone()",
            "y.subtract_(y.mean().detach())",
            "y.divide_(y.clone().square().mean().sqrt())",
            False,
        ),
        (
            "y = h.tanh().clone()",
            "y.subtract_(y.mean())",
            "y.divide_(y.detach().clone().square().mean().sqrt())",
            False,
        ),
        ("y = h.tanh().clone()", "y.subtract_(y.mean())", "", False),
        (
            "y = h.tanh()",
            "y = y - y.mean()\ny = y / y.square().mean().sqrt()",
            "z = y.clone()\nz.subtract_(z)\nz.divide_(z.clone())",
            False,
        ),
        ("y = h.clone()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", False),
    ],
)
def test_two_writes_that_destroy_nothing(made: str, centered: str, divided: str, *, solved: bool) -> None:
    recording, _ = ran(NORMALIZED.format(made=made, centered=centered, divided=divided))
    verdict = debug.normalized(norm=recording)
    assert verdict.solved == solved, verdict


def test_a_normalized_result_without_history() -> None:
    divided = "y.divide_(y.clone().square().mean().sqrt())"
    recording, _ = ran(
        NORMALIZED.format(made="y = h.tanh().detach()", centered="y.subtract_(y.mean())", divided=divided)
    )
    assert "no gradient history" in debug.normalized(norm=recording).words.en


DESCENT = """
x = paddle.to_tensor([1., 2., 3.])
target = x * 2
w = paddle.to_tensor([0.], stop_gradient=False)
sgd = paddle.optimizer.SGD(learning_rate=0.05, parameters=[w])
losses = []
for _ in range(5):
    loss = (x * w - target).square().mean()
    loss.backward()
    sgd.step()
{rest}
    losses.append(loss.item())
"""


@pytest.mark.parametrize(
    ("rest", "solved"),
    [
        ("sgd.clear_grad()|with paddle.no_grad():|    w.clip_(-5., 5.)", True),
        ("w.detach().clip_(-5., 5.)|sgd.clear_grad()", True),
        ("with paddle.no_grad():|    w[:] = w.clip(-5., 5.)|w.clear_gradient()", True),
        ("sgd.clear_grad()|w.set_value(w.clip(-5., 5.))", True),
        ("sgd.clear_grad()|w = w.clip(-5., 5.).detach()|w.stop_gradient = False", False),
        ("sgd.clear_grad()|w = w.clip(-5., 5.)", False),
        ("sgd.clear_grad()|w.clip_(-5., 5.)", False),
        ("sgd.clear_grad()", False),
        ("w.detach().clip_(-5., 5.)", False),
        ("sgd.clear_grad()|w.clip(-5., 5.)|w.detach().scale_(1.1)", False),
        ("sgd.clear_grad()|w.detach().clone().clip_(-5., 5.)", False),
        ("sgd.clear_grad()|w.detach()[0:1].clip_(min=-5, max=5)", True),
        ("sgd.clear_grad()|low, high = -5., 5.|w.detach().clip_(low, high)", True),
        ("sgd.clear_grad()|w.detach().clip_(-3., 3.)", False),
        ("sgd.clear_grad()|w.detach().clip_(-5., 50.)", False),
        ("sgd.clear_grad()|w.detach().clip_(-5.)", False),
        ("sgd.clear_grad()|low, high = -9., 9.|w.detach().clip_(low, high)", False),
        ("sgd.clear_grad()|w.set_value(paddle.to_tensor([min(5., max(-5., w.item()))]))", True),
        ("sgd.clear_grad()|with paddle.no_grad():|    w[w > 5.] = 5.|    w[w < -5.] = -5.", True),
        (
            "w = w.clip(-5., 5.).detach()|w.stop_gradient = False|sgd = paddle.optimizer.SGD(learning_rate=0.05, parameters=[w])",
            True,
        ),
    ],
)
def test_a_loss_that_falls(rest: str, *, solved: bool) -> None:
    body = "\n".join(f"    {line}" for line in rest.split("|"))
    recording, names = ran(DESCENT.format(rest=body))
    verdict = debug.descent(losses=names["losses"], fitted=recording)
    assert verdict.solved == solved, verdict


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("sgd.clear_grad()|w.clip_(-5., 5.)", "Now a write is refused"),
        ("sgd.clear_grad()|with paddle.no_grad():|    w = w.clip(-5., 5.)", "The loss has no gradient history"),
        ("sgd.clear_grad()|w.detach().clip_(-5.)", "with `target = x * 20`"),
        ("sgd.clear_grad()|w.detach().clip_(-9., 9.)", "`w` ends at 9."),
        ("sgd.clear_grad()", "`w` ends at 19"),
        ("w.detach().clip_(-5., 5.)", "What is in `w.grad`"),
        ("sgd.clear_grad()|w = w.clip(-5., 5.).detach()|w.stop_gradient = False", "Which tensor is called `w`"),
        ("w = w.clip(-5., 5.).detach()|w.stop_gradient = False|sgd = paddle.optimizer.SGD(learning_rate=0.05, parameters=[w])", "new optimizer"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_weight_is_true_of_it(rest: str, said: str) -> None:
    debug.descent._failed.clear()
    body = "\n".join(f"    {line}" for line in rest.split("|"))
    recording, names = ran(DESCENT.format(rest=body))
    assert said in debug.descent(losses=names["losses"], fitted=recording).words.en


PAIR = """
w = paddle.to_tensor([1., 2.], stop_gradient=False)
sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=[w])
first = (w * w).sum()
"""
SECOND, STEP, CLEAR = "second = (w * w * w).sum()", "sgd.step()", "sgd.clear_grad()"


@pytest.mark.parametrize(
    ("rest", "solved"),
    [
        (("first.backward()", STEP, CLEAR, SECOND, "second.backward()", STEP), True),
        (("first.backward()", STEP, "w.clear_gradient()", SECOND, "second.backward()", STEP), True),
        (
            (
                SECOND,
                "second.backward()",
                "g = w.grad.clone()",
                CLEAR,
                "first.backward()",
                STEP,
                "w.grad.set_value(g)",
                STEP,
            ),
            True,
        ),
        (
            ("v = w.clone()", "second = (v * v * v).sum()", "first.backward()", STEP, CLEAR, "second.backward()", STEP),
            True,
        ),
        ((SECOND, "second.backward()", STEP, CLEAR, "first = (w * w).sum()", "first.backward()", STEP), True),
        ((SECOND, "first.backward()", STEP, CLEAR, "second.backward()", STEP), False),
        ((SECOND, "second.backward()", STEP, "first = (w * w).sum()", "first.backward()", STEP), False),
        ((SECOND, "first.backward()", "second.backward()", STEP), False),
        (("first.backward()", STEP, SECOND, "second.backward()", STEP), False),
        (("first.backward()", STEP), False),
        ((SECOND, "second.backward()", STEP), False),
        (("first.backward()", CLEAR, STEP, SECOND, "second.backward()", STEP), False),
        (("first.backward()", STEP, CLEAR, "second = (w.detach() ** 3).sum()", "second.backward()", STEP), False),
        ((SECOND, "(first + second).backward()", STEP, STEP), False),
        ((SECOND, "first.backward()", "second.backward()", STEP, CLEAR, STEP), False),
    ],
)
def test_two_steps_with_a_loss_each(rest: tuple[str, ...], *, solved: bool) -> None:
    verdict = debug.two_losses(pair=ran(PAIR + "\n".join(rest))[0])
    assert verdict.solved == solved, verdict


@pytest.mark.oracle
@pytest.mark.parametrize(
    "write",
    [
        lambda torch, x: x.data.mul_(2),
        lambda torch, x: x.numpy().fill(2),
        lambda torch, x: torch.from_dlpack(x).mul_(2),
        lambda torch, x: x.untyped_storage().fill_(0),
        lambda torch, x: x.apply_(lambda number: number + 1),
        lambda torch, x: x.map_(x.clone(), lambda one, other: one + other),
        lambda torch, x: ctypes.memset(x.data_ptr(), 0, x.nbytes),
        lambda torch, x: torch.nn.functional.batch_norm(torch.rand(4, 3), x, torch.ones(3), training=True),
        lambda torch, x: stepped(torch.optim.SGD, x, lr=0.1, fused=True),
    ],
)  # fmt: skip
def test_pytorch_does_not_count_what_the_lesson_lists(write: Callable[[Any, Any], object]) -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(3)
    write(torch, x)
    assert x._version == 0
    assert x.tolist() != [1, 1, 1]


def stepped(optimizer: Any, x: Any, **options: Any) -> None:
    """Makes a step with a gradient of ones. (The parameter shares the version counter of `x`.)"""
    x.requires_grad_()
    x.grad = x.detach() * 1
    optimizer([x], **options).step()


@pytest.mark.oracle
def test_paddle_does_not_count_what_the_lesson_lists() -> None:
    paddle = pytest.importorskip("paddle")

    def trained(x: Any) -> None:
        x.stop_gradient = False
        x.grad = paddle.ones([3])
        paddle.optimizer.SGD(learning_rate=0.1, parameters=[x]).step()

    writes: list[Callable[[Any], object]] = [
        lambda x: x.set_value(paddle.zeros([3])),
        lambda x: x.copy_(paddle.zeros([3]), True),
        lambda x: x.apply_(lambda number: number + 1),
        lambda x: x.exponential_(),
        lambda x: paddle.add(paddle.ones([3]), paddle.ones([3]), out=x),
        lambda x: paddle.nn.initializer.Constant(2.0)(x),
        lambda x: paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x)).zero_(),
        lambda x: paddle.nn.functional.batch_norm(paddle.rand([4, 3]), x, paddle.ones([3]), training=True),
        trained,
    ]
    for write in writes:
        x = paddle.ones([3])
        write(x)
        assert x.inplace_version == 0
        assert x.tolist() != [1, 1, 1]
