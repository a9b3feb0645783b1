"""Ask all three frameworks at once: what the record is made of, and what the tests ask again."""

from __future__ import annotations

from types import ModuleType

import inplacelab
from inplacelab.differences.answers import Answer, Answers
from inplacelab.differences.model import Difference
from inplacelab.differences.running import finite_difference, run, run_in_torch


def ours(difference: Difference) -> Answer:
    """The answer of inplacelab, here and now."""
    return run(difference.text, inplacelab)


def theirs(difference: Difference, paddle: ModuleType) -> Answer:
    """The answer of the real Paddle."""
    return Answer(endless=True) if difference.endless else run(difference.text, paddle)


def twins(difference: Difference, torch: ModuleType) -> Answer | None:
    """The answer of PyTorch; None if the program has no twin."""
    return None if difference.twin is None else run_in_torch(difference.twin, torch)


def ask_all(difference: Difference, paddle: ModuleType, torch: ModuleType) -> Answers:
    """The three answers, and the finite difference if a gradient is asked for."""
    judge = finite_difference(difference) if difference.asks_gradient else None
    return Answers(ours(difference), theirs(difference, paddle), twins(difference, torch), judge)
