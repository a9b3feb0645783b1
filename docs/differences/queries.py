"""Queries: the programs, run in all three frameworks. The recorded answers come from here, and the tests repeat them."""

from __future__ import annotations

from types import ModuleType

from differences.finite_differences import finite_difference
from inplacelab.lessons.differences import Answer, Answers, Difference, ours, run

ENDLESS = {"negative-power-of-integers"}
"""Programs that do not return in Paddle: they are not run there again."""


def paddle_answer(difference: Difference, paddle: ModuleType) -> Answer:
    """The answer of the real Paddle."""
    return Answer(endless=True) if difference.key in ENDLESS else run(difference.program, paddle)


def torch_answer(difference: Difference, torch: ModuleType) -> Answer | None:
    """The answer of PyTorch; None if the program has no PyTorch version."""
    return None if difference.torch is None else run(difference.torch, torch, "torch")


def all_answers(difference: Difference, paddle: ModuleType, torch: ModuleType) -> Answers:
    """The three answers, and the finite difference if a gradient is asked for."""
    judge = finite_difference(difference) if difference.asks_gradient else None
    return Answers(ours(difference), paddle_answer(difference, paddle), torch_answer(difference, torch), judge)
