"""Queries: the programs, run in all three frameworks, and finite differences, which judge the gradients.

The recorded answers come from here, and the tests repeat them.
"""

from __future__ import annotations

from contextlib import suppress
from types import ModuleType
from typing import Any

import numpy as np

import inplacelab
from inplacelab.lessons.differences import (
    REFUSALS,
    Answer,
    Answers,
    Difference,
    default_dtype_restored,
    ours,
    run,
)

ENDLESS = {"negative-power-of-integers"}
"""Programs that do not return in Paddle: they are not run there again."""
LEAF = ((1.0, 2.0), (3.0, 4.0))
"""The values of `a`, as in the opening."""
_STEP = 1e-6


def paddle_answer(difference: Difference, paddle: ModuleType, dtype: str) -> Answer:
    """The answer of the real Paddle."""
    return Answer(endless=True) if difference.key in ENDLESS else run(difference.program, paddle, dtype=dtype)


def torch_answer(difference: Difference, torch: ModuleType, dtype: str) -> Answer | None:
    """The answer of PyTorch; None if the program has no PyTorch version."""
    return None if difference.torch is None else run(difference.torch, torch, "torch", dtype=dtype)


def all_answers(difference: Difference, paddle: ModuleType, torch: ModuleType, dtype: str | None = None) -> Answers:
    """The three answers, and the finite difference if a gradient is asked for.

    Args:
        difference: the entry.
        paddle: the real Paddle.
        torch: PyTorch.
        dtype: the default dtype; the first of the entry if None.
    """
    dtype = dtype or difference.dtypes[0]
    return Answers(
        ours(difference, dtype),
        paddle_answer(difference, paddle, dtype),
        torch_answer(difference, torch, dtype),
        finite_difference(difference) if difference.asks_gradient else None,
    )


def finite_difference(difference: Difference) -> list[list[float]]:
    """The derivative of the program's `loss`, from its values alone: central differences in double precision.

    The program is run with `a` as a constant, so no history takes part, and what a history would refuse is computed.
    If it cannot be run so because it asks for derivatives itself, `a` is a leaf; if it is refused all the same, its
    fixed form is run.

    Args:
        difference: an entry whose program has a `loss`.

    Returns:
        Numbers in the shape of `a`, (2, 2), with six decimals.
    """
    gradient = np.empty(np.shape(LEAF))
    for place in np.ndindex(gradient.shape):
        step = np.zeros(gradient.shape)
        step[place] = _STEP
        gradient[place] = (_loss(difference, LEAF + step) - _loss(difference, LEAF - step)) / (2 * _STEP)
    return [[round(float(each), 6) + 0.0 for each in row] for row in gradient]


def _loss(difference: Difference, leaf: Any) -> float:
    ways = [(difference.program, True), (difference.program, False)]
    if difference.fixed is not None:
        ways.append((difference.fixed, False))
    *others, last = ways
    for text, constant in others:
        with suppress(*REFUSALS):
            return _evaluate(text, leaf, constant=constant)
    return _evaluate(last[0], leaf, constant=last[1])


def _evaluate(text: str, leaf: Any, *, constant: bool) -> float:
    with default_dtype_restored(inplacelab):
        inplacelab.set_default_dtype("float64")
        scope = {"paddle": inplacelab, "np": np, "a": inplacelab.to_tensor(leaf, stop_gradient=constant)}
        exec(text, scope)
        return float(scope["loss"])
