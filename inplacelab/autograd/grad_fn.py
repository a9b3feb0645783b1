"""Handles of the history that programs hold: a tensor's grad node, and a hook that can be removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class _Node(Protocol):
    """The part of a node that `GradFn` shows."""

    serial: int

    @property
    def name(self) -> str: ...

    @property
    def edges(self) -> Sequence[Any]: ...


class GradFn:
    """A grad node as `x.grad_fn` returns it, with the methods that Paddle's nodes have."""

    __slots__ = ("node",)

    def __init__(self, node: _Node) -> None:
        self.node = node

    def name(self) -> str:
        """Returns the name of the node: "ScaleGradNode"."""
        return self.node.name

    @property
    def next_functions(self) -> list[GradFn]:
        """The nodes that receive the gradients of the inputs."""
        return [GradFn(each) for each in self.node.edges if each is not None]

    def node_ptr(self) -> int:
        """Returns a number that identifies the node (in Paddle, its address)."""
        return self.node.serial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradFn) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.node.name} {self.node.serial}>"


class HookHandle:
    """Removes a hook: the result of `register_hook`."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks, self._key = hooks, key

    def remove(self) -> bool:
        """Removes the hook. Returns False if it was already removed."""
        return self._hooks.pop(self._key, None) is not None
