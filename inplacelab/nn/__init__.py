"""Layers, losses, initializers and gradient clipping under Paddle's names, all made of the operations of the table.

The modules:

    layer.py        `Layer`, the base of every layer      attributes.py, parameters.py, layer_transfers.py   its parameters and buffers
    layers.py, activation_layers.py, image_layers.py, loss_layers.py, containers.py   the layers
    functional.py   `nn.functional`; its functions are in layer_functions.py, activation_functions.py, losses.py, ...
    initializer.py, gradient_clipping.py, utils.py   Paddle's modules and classes of these names
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from inplacelab import errors
from inplacelab.nn import functional, initializer, utils
from inplacelab.nn.activation_layers import (
    CELU,
    ELU,
    GELU,
    SELU,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    Silu,
    Softmax,
    Softplus,
    Softsign,
    Swish,
    Tanh,
    ThresholdedReLU,
)
from inplacelab.nn.containers import LayerList, Sequential
from inplacelab.nn.embeddings import Embedding
from inplacelab.nn.gradient_clipping import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from inplacelab.nn.image_layers import AvgPool2D, BatchNorm2D, Conv2D, MaxPool2D
from inplacelab.nn.layer import Layer
from inplacelab.nn.layers import BatchNorm1D, Dropout, Flatten, Identity, LayerNorm, Linear
from inplacelab.nn.loss_layers import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from inplacelab.nn.parameters import ParamAttr

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "SELU",
    "AvgPool2D",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1D",
    "BatchNorm2D",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "Conv2D",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "Layer",
    "LayerList",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2D",
    "Mish",
    "NLLLoss",
    "PReLU",
    "ParamAttr",
    "ReLU",
    "ReLU6",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Silu",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Softsign",
    "Swish",
    "SyncBatchNorm",
    "Tanh",
    "ThresholdedReLU",
    "functional",
    "initializer",
    "utils",
]  # fmt: skip

SiLU = Silu


def __getattr__(name: str) -> Any:
    if name == "SyncBatchNorm":  # on first use: few programs have ranks
        return import_module("inplacelab.distributed").SyncBatchNorm
    raise errors.not_there(__name__, name, __all__, homes=("functional",))
