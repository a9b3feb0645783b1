"""Layers, under Paddle's names."""

from __future__ import annotations

from inplacelab.nn import functional, initializer
from inplacelab.nn.layer import Layer
from inplacelab.nn.layers import Linear, ReLU, Sequential

__all__ = ["Layer", "Linear", "ReLU", "Sequential", "functional", "initializer"]
