"""Answers to the exercises of lesson 16: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inplacelab.lessons.checks import (
    own_pytorch_program,
)


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
    ],
)
def test_edits_that_work(edits: Any, *, solved: bool) -> None:
    assert own_pytorch_program.edits_that_work(edits=edits).solved == solved


@pytest.mark.parametrize(
    ("epochs", "solved"),
    [
        (5, True),
        (5.0, True),
        (10 / 2, True),
        (4, False),
        (5.5, False),
        (6, False),
        (10, False),
        (11, False),
        (12, False),
    ],
)
def test_epochs_counted(epochs: float, *, solved: bool) -> None:
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


@pytest.mark.oracle
def test_what_lesson_16_asks_about_is_so_in_pytorch() -> None:
    pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(TRAINED, names)
    assert names["layer"].weight._version == 12
