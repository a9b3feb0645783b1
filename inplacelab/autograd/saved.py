"""Saved tensors: what a grad node keeps for backward.

A saved tensor does not copy: it holds the storage, the window, and *the version at which it was kept*. When backward
unpacks it and finds the storage's counter at another version, the value is stale and backward refuses; a gradient
computed from it would be silently wrong.

Where an operation is about to overwrite the very value that its own derivative needs, a copy is saved instead ("the
overwritten input is kept only when backward needs it", Paddle 2.6). The copy has a storage and a counter of its own, so
it cannot go stale, but it keeps the link to the original's history, so second derivatives go through it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors, observe
from inplacelab.autograd import modes
from inplacelab.language import Text
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor, over


class Saved:
    """One saved tensor.

    Attributes:
        name: what the derivative calls it: "x", "y" or "out".
        array: the window on the storage.
        storage: the storage, which this keeps alive.
        version: the version at which it was kept.
        edge: where the gradient of this value goes, for second derivatives; None if it needs none.
        is_copy: True if it was copied because it was about to be overwritten.
    """

    __slots__ = ("__weakref__", "array", "edge", "is_copy", "name", "storage", "version")

    def __init__(self, name: str, array: Any, storage: Storage, edge: Any, is_copy: bool = False) -> None:
        self.name, self.array, self.storage, self.edge = name, array, storage, edge
        self.version, self.is_copy = storage.version, is_copy
        if modes.keeper is not None:
            modes.keeper.register(self)

    @property
    def stale(self) -> bool:
        """True if the storage was written after this was kept."""
        return self.storage.version != self.version

    def move(self, copy: Storage) -> None:
        """Show a copy of the value from now on: its storage is about to be overwritten."""
        self.array, self.storage, self.version, self.is_copy = copy.buffer, copy, copy.version, True

    def unpack(self, node: Any) -> Tensor:
        """The tensor as it was kept, with its place in the history, so that it can be differentiated again.

        Raises:
            StaleSavedTensorError: if it has been overwritten since.
        """
        if observe.listeners:
            for each in observe.listeners:
                each.unpacks(node, self)
        if self.storage.version != self.version:
            raise errors.stale_saved_tensor(
                node_name=node.name,
                what=_called(self.name),
                kept_at=self.version,
                found_at=self.storage.version,
                node=node,
                saved=self,
            )
        tensor = over(self.array, self.storage)
        tensor.node = node if self.edge is OUTPUT else self.edge
        tensor._stop = tensor.node is None
        return tensor


_RESULT = Text("its result", "它的结果")
_OPERAND = Text("its operand `{name}`", "它的操作数 `{name}` ")
_SAVED_BY_PROGRAM = Text("`{name}`", " `{name}` ")  # `saved_tensor()[0]`


def _called(name: str) -> Text:
    """What a derivative calls a saved tensor, so that it cannot be taken for a name of the program: those the engine does not know."""
    if name == "out":
        return _RESULT
    return (_OPERAND if name.isidentifier() else _SAVED_BY_PROGRAM).format(name=name)


class _Output:
    """Stands for "the node itself", which a saved output belongs to: a reference to it would be a cycle."""


OUTPUT = _Output()


def save_copy(name: str, array: Any, storage: Storage, edge: Any) -> Saved:
    """Keep a copy of a value that is about to be overwritten. No tensor is made for it until backward unpacks it."""
    device = storage.device
    copy = Storage(device.from_host(array), device)
    return Saved(name, copy.buffer, copy, edge, True)
