"""Answers to the exercises of lesson 13: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

import pytest

from inplacelab.lessons.checks import (
    debug,
)
from tests.lessons.answers import ran

HELPER = """
def centered(t):
{body}

w = paddle.to_tensor([1., 2., 6.], stop_gradient=False)
x = paddle.to_tensor([3., 4., 8.])
loss = {loss}
loss.backward()
"""
CALLS = "(centered(w) * centered(x)).sum()"


@pytest.mark.parametrize(
    ("body", "loss", "solved"),
    [
        ("return t - t.mean()", CALLS, True),
        ("t = t.clone()\n    t.subtract_(t.mean())\n    return t", CALLS, True),
        ("return t.subtract(paddle.mean(t).expand_as(t))", CALLS, True),
        ("return t + t.mean().scale(-1.)", CALLS, True),
        ("t.subtract_(t.mean())\n    return t", CALLS, False),
        ("with paddle.no_grad():\n        t.subtract_(t.mean())\n    return t", CALLS, False),
        ("t.subtract_(t.mean())\n    return t", "(centered(w.clone()) * centered(x)).sum()", False),
        ("t = t.detach()\n    t.subtract_(t.mean())\n    return t", CALLS, False),
        ("return t.detach() - t.detach().mean()", CALLS, False),
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
        ("y = h.clone()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", False),
    ],
)
def test_two_writes_that_destroy_nothing(made: str, centered: str, divided: str, *, solved: bool) -> None:
    recording, _ = ran(NORMALIZED.format(made=made, centered=centered, divided=divided))
    verdict = debug.normalized(norm=recording)
    assert verdict.solved == solved, verdict


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
    ],
)
def test_a_loss_that_falls(rest: str, *, solved: bool) -> None:
    body = "\n".join(f"    {line}" for line in rest.split("|"))
    recording, names = ran(DESCENT.format(rest=body))
    verdict = debug.descent(losses=names["losses"], fitted=recording)
    assert verdict.solved == solved, verdict


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
        ((SECOND, "first.backward()", STEP, CLEAR, "second.backward()", STEP), False),
        ((SECOND, "first.backward()", "second.backward()", STEP), False),
        (("first.backward()", STEP, SECOND, "second.backward()", STEP), False),
        (("first.backward()", STEP), False),
        ((SECOND, "second.backward()", STEP), False),
        (("first.backward()", CLEAR, STEP, SECOND, "second.backward()", STEP), False),
        (("first.backward()", STEP, CLEAR, "second = (w.detach() ** 3).sum()", "second.backward()", STEP), False),
        ((SECOND, "(first + second).backward()", STEP, STEP), False),
    ],
)
def test_two_steps_with_a_loss_each(rest: tuple[str, ...], *, solved: bool) -> None:
    verdict = debug.two_losses(pair=ran(PAIR + "\n".join(rest))[0])
    assert verdict.solved == solved, verdict
