"""PyTorch's names for the nodes of composed results."""

from __future__ import annotations

from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes


def named(name: str, result: Tensor) -> Tensor:
    """Gives the node of a composed result PyTorch's name."""
    grad_nodes.call_node(result.node, name)
    return result
