"""Answers to the exercises of lesson 16: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inplacelab.lessons.checks import (
    own_pytorch_program,
)
from tests.lessons.answers import first_words


@pytest.mark.parametrize(
    ("after_three", "solved"),
    [
        (4, True),
        (4.0, True),
        (np.int64(4), True),
        (0, False),
        (1, False),
        (3, False),
        (5, False),
        (6, False),
        ("4", False),
    ],
)
def test_the_version_after_three_epochs(after_three: Any, *, solved: bool) -> None:
    assert own_pytorch_program.weight_versions(after_three=after_three).solved == solved


@pytest.mark.parametrize(
    ("after_three", "hint"),
    [
        (3, "after two epochs"),
        (1, "made the weight"),
        (6, "too much"),
        ("4", "a whole number"),
        ([4], "a whole number"),
    ],
)
def test_the_hint_is_about_the_version_that_was_given(after_three: Any, hint: str) -> None:
    assert hint in first_words(own_pytorch_program.weight_versions, after_three=after_three)


@pytest.mark.parametrize(
    ("edits", "solved"),
    [
        (["swap", "again"], True),
        (("again", "swap"), True),
        ({"again", "swap"}, True),
        ([], False),
        (["swap"], False),
        (["again"], False),
        (["swap", "again", "quiet"], False),
        (["swap", "again", "detach"], False),
        (["quiet"], False),
        (["swap", "again", "quiet", "detach"], False),
        ("swap", False),
        ("swap, again", True),
        (["Swap", "AGAIN"], True),
        (["swap", "again", "twice"], False),
    ],
)
def test_edits_that_work(edits: Any, *, solved: bool) -> None:
    assert own_pytorch_program.edits_that_work(edits=edits).solved == solved


@pytest.mark.parametrize(
    ("edits", "hint"),
    [
        ([], "Some edits do help"),
        (["swap"], "there is another"),
        (["again"], "there is another"),
        (["quiet"], "no_grad"),
        (["swap", "again", "detach"], "after `detach()`"),
        (["swap", "agian"], "does not list `agian`"),
    ],
)
def test_the_hint_is_about_the_answer(edits: Any, hint: str) -> None:
    assert hint in first_words(own_pytorch_program.edits_that_work, edits=edits)


@pytest.mark.parametrize(
    ("after_swap", "after_again", "hint"),
    [
        (2, "sum", "Solved"),
        (2.0, "Sum", "Solved"),
        (2, "old + new", "Solved"),
        (2, "sum of the two", "Solved"),
        (2, "sum or new", "before the second"),
        (1, "sum", "overwrite"),
        (4, "sum", "How often"),
        ("2", "sum", "Write numbers"),
        ("twice", "sum", "write a number"),
        (2, "new", "before the second"),
        (2, "old", "before the second"),
        (2, "both", 'Write "old"'),
    ],
)
def test_gradients_accumulate(after_swap: Any, after_again: str, hint: str) -> None:
    assert hint in first_words(own_pytorch_program.accumulated, after_swap=after_swap, after_again=after_again)


@pytest.mark.parametrize(
    ("epochs", "solved"),
    [
        (5, True),
        (5.0, True),
        (10 / 2, True),
        (4, False),
        (5.5, False),
        ("5", False),
        ([5], False),
        (6, False),
        (10, False),
        (11, False),
        (12, False),
    ],
)
def test_epochs_counted(epochs: Any, *, solved: bool) -> None:
    assert own_pytorch_program.epochs_counted(epochs=epochs).solved == solved


TRAINED = """
import torch
layer = torch.nn.Linear(2, 1)
torch.nn.init.zeros_(layer.weight)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for epoch in range(5):
    loss = layer(torch.ones(1, 2)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        layer.weight.clamp_(-1, 1)
"""


TWICE = """
import torch
torch.manual_seed(0)
inputs = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
targets = torch.tensor([[1.0], [1.0], [2.0]])
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True), torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
LOSS, FIRST, STEP, ZERO, SECOND = (
    "loss = (model(inputs) - targets).square().mean()",
    "loss.backward(retain_graph=True)",
    "optimizer.step()",
    "optimizer.zero_grad()",
    "loss.backward()",
)
EDITED = {
    "swap": (LOSS, FIRST, ZERO, SECOND, STEP),
    "again": (LOSS, FIRST, STEP, ZERO, LOSS, SECOND),
    "detach": (LOSS.replace("(inputs)", "(inputs).detach()"), FIRST, STEP, ZERO, SECOND),
    "quiet": (LOSS, FIRST, f"with torch.no_grad(): {STEP}", ZERO, SECOND),
}


def gradient(*lines: str) -> list[float] | None:
    """The gradient of the second layer after the program with these lines; None if it raises."""
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    try:
        exec(TWICE + "\n".join(lines), names)
    except RuntimeError:
        return None
    found: list[float] = torch.cat([each.grad.flatten() for each in names["model"][2].parameters()]).tolist()
    return found


@pytest.mark.oracle
def test_the_edits_do_in_pytorch_what_the_check_says() -> None:
    old, new = gradient(LOSS, SECOND), gradient(LOSS, SECOND, STEP, ZERO, LOSS, SECOND)
    assert old is not None
    assert new is not None
    right = {"swap": old, "again": new}
    works = [name for name, lines in EDITED.items() if (found := gradient(*lines)) and found == right[name]]
    assert own_pytorch_program.edits_that_work(edits=works).solved

    without = {name: [line for line in EDITED[name] if line != ZERO] for name in right}
    assert gradient(*without["swap"]) == pytest.approx([2 * each for each in old])
    assert gradient(*without["again"]) == pytest.approx([a + b for a, b in zip(old, new, strict=True)])


@pytest.mark.oracle
def test_after_which_layers_pytorch_refuses_relu_in_place() -> None:
    torch = pytest.importorskip("torch")
    layers = ("Linear(4, 4)", "BatchNorm1d(4)", "Sigmoid()", "Tanh()", "Softmax(1)", "ReLU()", "Dropout(0.5)")
    refused = []
    for each in layers:
        layer = eval(f"torch.nn.{each}", {"torch": torch})
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), layer, torch.nn.ReLU(inplace=True))
        try:
            model(torch.ones(3, 4)).sum().backward()
        except RuntimeError:
            refused.append(each)
    assert refused == ["Sigmoid()", "Tanh()", "Softmax(1)", "ReLU()"]


@pytest.mark.oracle
def test_which_layers_of_paddle_take_inplace() -> None:
    paddle = pytest.importorskip("paddle")
    for name in ("Silu", "Dropout"):
        getattr(paddle.nn, name)(inplace=True)
    for name in ("ReLU", "ReLU6", "LeakyReLU"):
        with pytest.raises(TypeError):
            getattr(paddle.nn, name)(inplace=True)


@pytest.mark.oracle
def test_what_lesson_16_asks_about_is_so_in_pytorch() -> None:
    pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(TRAINED, names)
    assert names["layer"].weight._version == 12
