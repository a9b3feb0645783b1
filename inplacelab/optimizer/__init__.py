"""Optimizers, under Paddle's names.

They update parameters with the engine's in-place operations, without gradient tracking. So each step raises the version of the
parameters that it updates, and a backward pass through a graph from before the step raises an error. (PaddlePaddle 3.3.1 does not
raise the version: the gradients are silently computed from other values.)
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
