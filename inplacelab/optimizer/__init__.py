"""Optimizers, under Paddle's names.

They write with the engine's in-place operations, outside the history. So every step raises the version of each parameter that
it writes, and backward refuses a graph from before the step (PaddlePaddle 3.3.1 does not raise the version: there the gradient
is silently wrong).
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.optimizer import lr
from inplacelab.optimizer.adam import Adam
from inplacelab.optimizer.adamw import AdamW
from inplacelab.optimizer.base import Optimizer
from inplacelab.optimizer.momentum import Momentum
from inplacelab.optimizer.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Momentum", "Optimizer", "lr"]


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
