"""What a program holds of the history: a tensor's grad node, and a hook that it may remove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class _Node(Protocol):
    """What is shown of a node."""

    serial: int

    @property
    def name(self) -> str: ...

    @property
    def edges(self) -> Sequence[Any]: ...


class GradFn:
    """A tensor's place in the history, as `x.grad_fn` gives it: Paddle's face of a node."""

    __slots__ = ("node",)

    def __init__(self, node: _Node) -> None:
        self.node = node

    def name(self) -> str:
        """The name of the node: "ScaleGradNode"."""
        return self.node.name

    @property
    def next_functions(self) -> list[GradFn]:
        """The nodes that the gradients of the inputs go to."""
        return [GradFn(each) for each in self.node.edges if each is not None]

    def node_ptr(self) -> int:
        """The same number for the same node."""
        return self.node.serial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradFn) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.node.name} {self.node.serial}>"


class HookHandle:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks, self._key = hooks, key

    def remove(self) -> bool:
        """Take the hook away; False if it was gone already."""
        return self._hooks.pop(self._key, None) is not None
