"""What tensors give to programs: shapes, devices, grad nodes, and handles of hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from inplacelab.torch.calls import Sizes
from inplacelab.torch.grad_nodes import node_name
from inplacelab.torch.refusals import refuse


class Size(Sizes):
    """A shape: a tuple that prints as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """Returns the number of elements of a tensor of this shape."""
        return int(np.prod(self, dtype=int))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class device:  # PyTorch's name
    """Where a tensor is: `device(type='cpu')`. Programs with these names run on the CPU.

    Args:
        name: "cpu".
    """

    def __init__(self, name: Any = "cpu", index: int | None = None) -> None:
        self.type: str = str(name).partition(":")[0]
        self.index = index
        if self.type != "cpu":
            raise refuse("no_such_device", device=self.type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"

    def __str__(self) -> str:
        return self.type


def check_device(given: Any) -> None:
    """Refuses what a program gives as `device=` if it is another one than the CPU."""
    if given is not None:
        device(given)


class GradNode:
    """A grad node as `x.grad_fn` gives it."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def name(self) -> str:
        """Returns PyTorch's name of the node: "MulBackward0"."""
        return node_name(self.node)

    @property
    def next_functions(self) -> tuple[tuple[GradNode | None, int], ...]:
        """The nodes that receive the gradients of the inputs, each with the number of its output."""
        return tuple((None if each is None else GradNode(each), 0) for each in self.node.edges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradNode) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.name()} object>"


class RemovableHandle:
    """Removes a hook."""

    def __init__(self, remove: Callable[[], object]) -> None:
        self.remove = remove

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
