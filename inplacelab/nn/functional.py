"""Functions that Paddle keeps in `nn.functional`."""

from __future__ import annotations

from inplacelab.tensor import Tensor

__all__ = ["relu", "relu_", "sigmoid", "tanh", "tanh_"]


def relu(x: Tensor, name: str | None = None) -> Tensor:
    """Replace negative elements by zero: an ordinary operation, the result has a storage of its own."""
    return x.relu()


def relu_(x: Tensor, name: str | None = None) -> Tensor:
    """Replace negative elements by zero in place. Backward needs only the result, so no copy is kept.

    Raises:
        LeafWriteError: if `x` is a leaf that needs a gradient, or a view of one.
    """
    return x.relu_()


def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)) for each element."""
    return x.sigmoid()


def tanh(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
    return x.tanh()


def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic tangent in place. Backward needs only the result, so no copy is kept."""
    return x.tanh_()
