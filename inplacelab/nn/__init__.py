"""Layers, under Paddle's names."""

from __future__ import annotations

from inplacelab.nn import functional
from inplacelab.nn.layer import Layer, Linear, ReLU, Sequential

__all__ = ["Layer", "Linear", "ReLU", "Sequential", "functional"]
