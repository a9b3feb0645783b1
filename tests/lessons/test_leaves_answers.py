"""Answers to the exercises of the lesson on leaves: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import leaves
from inplacelab.lessons.exercise import Exercise, Verdict
from tests.lessons.answers import is_solved, said, verdict_on

CHAIN = """
w = paddle.to_tensor([1., 2.], stop_gradient=False)
k = paddle.to_tensor([3., 4.])
u = k.exp()
v = w + u
k.multiply_(w)
t = v.detach()
"""


@pytest.mark.parametrize("answer", [["w", "u", "t"], ("t", "u", "w"), {"u", "w", "t"}, "w, u, t"])
def test_leaves_at_the_end(answer: Any) -> None:
    assert is_solved(leaves.leaves_at_the_end, "chain", CHAIN, leaves=answer)


@pytest.mark.parametrize(
    "answer",
    [
        ["w"],
        ["w", "u"],
        ["w", "t"],
        ["u", "t"],
        ["w", "k", "u", "t"],
        ["w", "u", "v", "t"],
        ["w", "k", "u", "v", "t"],
        ["w", "u", "t", "loss"],
        [],
        3,
    ],
)
def test_not_the_leaves_at_the_end(answer: Any) -> None:
    assert not is_solved(leaves.leaves_at_the_end, "chain", CHAIN, leaves=answer)


W = "w = paddle.to_tensor([8., 4.], stop_gradient=False)\n"
LOSS = "\nloss = (w * w).sum()\nloss.backward()"


@pytest.mark.parametrize(
    "write",
    [
        "with paddle.no_grad():\n    w.scale_(0.5)",
        "with paddle.no_grad():\n    w[:] = w / 2.",
        "with paddle.no_grad():\n    w.divide_(paddle.to_tensor(2.))",
        "w.set_value(w * 0.5)",
        "w.set_value([4., 2.])",
        "w.detach().scale_(0.5)",
        "w.stop_gradient = True\nw.scale_(0.5)\nw.stop_gradient = False",
        "@paddle.no_grad()\ndef halve():\n    w.scale_(0.5)\nhalve()",
    ],
)
def test_a_parameter_that_is_halved(write: str) -> None:
    assert is_solved(leaves.halved_leaf, "halved", W + write + LOSS)


@pytest.mark.parametrize(
    "program",
    [
        W + "w.scale_(0.5)" + LOSS,
        W + "w = w.scale(0.5)" + LOSS,
        W + "w = w.clone()\nw.scale_(0.5)" + LOSS,
        W + "w.clone().scale_(0.5)" + LOSS,
        W + "with paddle.no_grad():\n    w.scale_(0.5)\n    loss = (w * w).sum()\nloss.backward()",
        W + "with paddle.no_grad():\n    w = w.scale(0.5)" + LOSS,
        W + "w = w.scale(0.5).detach()\nw.stop_gradient = False" + LOSS,
        W + "loss = (w * w).sum()\nloss.backward()\nwith paddle.no_grad():\n    w.scale_(0.5)",
        W + "w.stop_gradient = True\nw.scale_(0.5)" + LOSS,
        "w = paddle.to_tensor([4., 2.], stop_gradient=False)" + LOSS,
        "w = paddle.to_tensor([8., 4.])\nw.scale_(0.5)\nw.stop_gradient = False" + LOSS,
        W + "with paddle.no_grad():\n    w.scale_(2.)" + LOSS,
        W,
    ],
)
def test_one_that_is_not(program: str) -> None:
    assert not is_solved(leaves.halved_leaf, "halved", program)


def test_an_error_is_called_what_it_is() -> None:
    without_history = W + "with paddle.no_grad():\n    w.scale_(0.5)\n    loss = (w * w).sum()\nloss.backward()"
    refused, lost = (
        said(leaves.halved_leaf, "halved", program) for program in (W + "w.scale_(0.5)" + LOSS, without_history)
    )
    assert "history" not in refused
    assert "refused" not in lost


@pytest.mark.parametrize(
    "write",
    [
        "with paddle.no_grad():\n    w = w * 0.5",
        "with paddle.no_grad():\n    w *= 0.5",
        "w = w.detach()\nw.scale_(0.5)",
    ],
)
def test_a_new_tensor_is_not_called_an_allowed_write(write: str) -> None:
    leaves.halved_leaf._failed.clear()
    assert "belongs to a new tensor" in said(leaves.halved_leaf, "halved", W + write + LOSS)


def descended(body: str, learning_rate: float = 0.25) -> bool:
    """Whether a loop with this body is accepted."""
    return descent(body, learning_rate).solved


def descent(body: str, learning_rate: float = 0.25) -> Verdict:
    """What the check says to a loop with this body; one that raises ends early, as in a notebook."""
    names: dict[str, Any] = {"paddle": paddle, "rate": learning_rate}
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    loop = (
        "x = paddle.to_tensor([2.4], stop_gradient=False)\npath = [x.item()]\nfor _ in range(30):\n"
        f"    ((x.sin() - 0.9) ** 2).sum().backward()\n{lines}\n    path.append(x.item())"
    )
    with suppress(ValueError, TypeError):
        exec(loop, names)
    return leaves.own_optimizer(x=names["x"], path=names["path"])


STEP = "with paddle.no_grad():\n    x.subtract_(x.grad, alpha=rate)\n"


@pytest.mark.parametrize(
    "body",
    [
        STEP + "x.clear_grad()",
        STEP + "    x.grad.zero_()",
        STEP + "x.grad = None",
        STEP + "x.clear_gradient(False)",
        "with paddle.no_grad():\n    x.add_(x.grad, alpha=-rate)\nx.clear_grad()",
        "with paddle.no_grad():\n    x.subtract_(rate * x.grad)\nx.clear_grad()",
        "x.set_value(x - rate * x.grad)\nx.clear_grad()",
        "x.detach().subtract_(x.grad, alpha=rate)\nx.clear_grad()",
        "with paddle.no_grad():\n    x[:] = x - rate * x.grad\nx.clear_grad()",
        "with paddle.no_grad():\n    x = x - rate * x.grad\nx.stop_gradient = False",
    ],
)
def test_an_optimizer_of_ones_own(body: str) -> None:
    assert descended(body)


@pytest.mark.parametrize(
    ("body", "praise"),
    [
        ("x = (x - rate * x.grad).detach()\nx.stop_gradient = False", "a new leaf in every round"),
        ("x = paddle.to_tensor([x.item() - rate * x.grad.item()], stop_gradient=False)", "a new leaf in every round"),
        (STEP + "x.clear_grad()", "that is an optimizer"),
        ("x.set_value(x - rate * x.grad)\nx.clear_grad()", "that is an optimizer"),
    ],
)
def test_what_is_said_of_an_optimizer_is_true_of_it(body: str, praise: str) -> None:
    verdict = descent(body)
    assert verdict.solved
    assert praise in verdict.words.en


def test_a_write_without_a_gradient_is_called_that() -> None:
    assert "What was in `x.grad`" in descent("x.clear_grad()\n" + STEP).words.en
    assert "Which write to a leaf is allowed?" in descent("...").words.en


@pytest.mark.parametrize(
    ("body", "learning_rate"),
    [
        ("...", 0.25),
        (STEP, 0.25),
        (STEP + "x.grad.zero_()", 0.25),
        ("x = x - rate * x.grad", 0.25),
        ("x.subtract_(x.grad, alpha=rate)\nx.clear_grad()", 0.25),
        ("with paddle.no_grad():\n    x.add_(x.grad, alpha=rate)\nx.clear_grad()", 0.25),
        (STEP + "x.clear_grad()", 2.5),
        (STEP + "x.clear_grad()", 0.5),
        (STEP + "x.clear_grad()", 0.025),
        ("x.set_value([2.02])\nx.clear_grad()", 0.25),
        (STEP + "x.clear_grad()\nx.set_value([2.02])", 0.25),
    ],
)
def test_one_that_goes_wrong(body: str, learning_rate: float) -> None:
    assert not descended(body, learning_rate)


X = "x = paddle.to_tensor([1., 2.], stop_gradient=False)\n"
SQUARES = "\nloss = (x * x).sum()\nloss.backward()"


@pytest.mark.parametrize(
    "write",
    [
        "x.detach().scale_(2.)",
        "x.data.scale_(2.)",
        "x.detach()[:].scale_(2.)",
        "x.stop_gradient = True\nx.scale_(2.)\nx.stop_gradient = False",
        "y = x.detach()\ny.add_(y)",
        "x.detach().multiply_(paddle.to_tensor([2., 2.]))",
        "x.detach().scale_(2.)  # neither no_grad nor set_value",
        "'no_grad is not used'\nx.detach().scale_(2.)",
    ],
)
def test_a_leaf_that_is_doubled_without_no_grad(write: str) -> None:
    assert is_solved(leaves.doubled_without_no_grad, "doubled", X + write + SQUARES)


STEPPED = (
    "(x * x * -0.5).sum().backward()\nsgd = paddle.optimizer.SGD(1., parameters=[x])\nsgd.step()\nsgd.clear_grad()"
)


@pytest.mark.parametrize(
    "write",
    [
        "x.scale_(2.)",
        "x.clone().scale_(2.)",
        "x.clone().detach().scale_(2.)",
        "x = x.scale(2.)",
        "x = x.clone()\nx.scale_(2.)",
        "with paddle.no_grad():\n    x.scale_(2.)",
        "x.set_value(x * 2.)",
        "x.detach().copy_(x * 2.)",
        "x.detach()[:] = x.detach() * 2.",
        "with paddle.set_grad_enabled(False):\n    x.scale_(2.)",
        STEPPED,
        "x.stop_gradient = True\nx.scale_(2.)",
        "x.detach().scale_(3.)",
        "x = x.detach()\nx.scale_(2.)\nx.stop_gradient = False",
        "x = paddle.to_tensor([2., 4.], stop_gradient=False)",
        "",
    ],
)
def test_one_that_is_not_or_not_so(write: str) -> None:
    assert not is_solved(leaves.doubled_without_no_grad, "doubled", X + write + SQUARES)


def second_hint(check: Exercise, name: str, program: str) -> str:
    """What a check says to the same program the second time."""
    fresh = Exercise(check._steps)
    said(fresh, name, program)
    return said(fresh, name, program)


def test_a_second_hint_names_only_what_the_exercise_allows() -> None:
    assert "Section 5" in second_hint(leaves.halved_leaf, "halved", W + "w.scale_(0.5)" + LOSS)
    assert "two things" in second_hint(leaves.doubled_without_no_grad, "doubled", X + "x.scale_(2.)" + SQUARES)


def test_a_second_hint_asks_whether_the_parameter_requires_a_gradient() -> None:
    program = W + "w.stop_gradient = True\nw.scale_(0.5)" + LOSS
    assert "does `w` require a gradient" in second_hint(leaves.halved_leaf, "halved", program)


@pytest.mark.parametrize(
    ("write", "word"),
    [("with paddle.set_grad_enabled(False):\n    x.scale_(2.)", "set_grad_enabled"), (STEPPED, "an optimizer")],
)
def test_a_hint_names_what_the_exercise_forbids(write: str, word: str) -> None:
    assert word in said(Exercise(leaves.doubled_without_no_grad._steps), "doubled", X + write + SQUARES)


def test_the_hints_about_histories_speak_of_grad_nodes() -> None:
    for answer in (["w", "u", "t", "v"], ["w", "u", "t", "k"]):
        check = Exercise(leaves.leaves_at_the_end._steps)
        hints = [verdict_on(check, "chain", CHAIN, leaves=answer).words.en for _ in range(2)]
        assert any("grad node" in hint for hint in hints)
