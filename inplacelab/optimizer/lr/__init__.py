"""Learning-rate schedulers under Paddle's names.

A scheduler counts calls of its `step()`, usually one per epoch. An optimizer reads the rate of its scheduler before each update.
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.optimizer.lr.base import LRScheduler
from inplacelab.optimizer.lr.plateau import ReduceOnPlateau
from inplacelab.optimizer.lr.smooth_decays import (
    CosineAnnealingDecay,
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    MultiplicativeDecay,
    NaturalExpDecay,
    PolynomialDecay,
)
from inplacelab.optimizer.lr.stepwise_decays import MultiStepDecay, PiecewiseDecay, StepDecay
from inplacelab.optimizer.lr.warmup import LinearWarmup, NoamDecay

__all__ = [
    "CosineAnnealingDecay", "ExponentialDecay", "InverseTimeDecay", "LRScheduler", "LambdaDecay", "LinearWarmup", "MultiStepDecay",
    "MultiplicativeDecay", "NaturalExpDecay", "NoamDecay", "PiecewiseDecay", "PolynomialDecay", "ReduceOnPlateau", "StepDecay",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
