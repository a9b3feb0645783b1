"""Layers, losses and initializers under Paddle's names, all made of the operations of the table.

The modules:

    layer.py        `Layer`, the base of every layer      parameters.py   its parameters and buffers: attributes, assignments, transfers
    layers.py, image_layers.py                            the layers
    functional.py, images.py, losses.py                   `nn.functional`
    initializer.py, utils.py                              Paddle's modules of these names
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from inplacelab import errors
from inplacelab.nn import functional, initializer, utils
from inplacelab.nn.image_layers import AvgPool2D, BatchNorm1D, BatchNorm2D, Conv2D, MaxPool2D
from inplacelab.nn.layer import Layer
from inplacelab.nn.layers import (
    GELU,
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    Dropout,
    Embedding,
    Flatten,
    Hardswish,
    Identity,
    LayerList,
    LayerNorm,
    LeakyReLU,
    Linear,
    MSELoss,
    PReLU,
    ReLU,
    ReLU6,
    Sequential,
    Sigmoid,
    Softmax,
    Tanh,
)
from inplacelab.nn.parameters import ParamAttr

__all__ = [
    "GELU",
    "AvgPool2D",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1D",
    "BatchNorm2D",
    "Conv2D",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "Hardswish",
    "Identity",
    "Layer",
    "LayerList",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "MSELoss",
    "MaxPool2D",
    "PReLU",
    "ParamAttr",
    "ReLU",
    "ReLU6",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "SyncBatchNorm",
    "Tanh",
    "functional",
    "initializer",
    "utils",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "SyncBatchNorm":  # on first use: few programs have ranks
        return import_module("inplacelab.distributed").SyncBatchNorm
    raise errors.not_there(__name__, name, __all__, homes=("functional",))
