"""Saved tensors, which a grad node keeps for backward.

A saved tensor is not a copy: it holds the storage, the window, and *the version at which it was saved*. If the storage
has another version when backward unpacks it, the value is stale and backward refuses: a gradient computed from it would be
silently wrong.

Where an operation overwrites a value that its own derivative needs, a copy is saved instead ("the overwritten input is
kept only when backward needs it", Paddle 2.6). The copy has a separate storage and counter, so it cannot become stale. It
keeps the link to the original's history, so second derivatives go through it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors, modes
from inplacelab.language import Text
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor, over


class Saved:
    """One saved tensor.

    Attributes:
        name: the name of the derivative's parameter: "x", "y" or "out".
        array: the window on the storage; None if a program's hook has packed it.
        storage: the storage, kept alive; or what `saved_hooks` keeps instead.
        version: the version at which it was saved.
        edge: the node that receives the gradient of this value, for second derivatives; None if it needs none.
        is_copy: True if it is a copy, made before an overwrite.
    """

    __slots__ = ("__weakref__", "array", "edge", "is_copy", "name", "storage", "version")

    name: str
    array: Any
    storage: Storage
    version: int
    edge: Any
    is_copy: bool

    @property
    def stale(self) -> bool:
        """True if the storage was written after this was saved."""
        return self.storage.version != self.version

    def move(self, copy: Storage) -> None:
        """Moves to a copy of the value, before its storage is overwritten."""
        self.array, self.storage, self.version, self.is_copy = copy.buffer, copy, copy.version, True

    def unpack(self, node: Any) -> Tensor:
        """Returns the saved tensor, with its place in the history, so that it can be differentiated again.

        Raises:
            StaleSavedTensorError: if its storage has been written since.
        """
        for each in modes.current().listeners:
            each.unpacks(node, self)
        if self.storage.version != self.version:
            raise errors.stale_saved_tensor(
                node_name=node.name,
                what=_called(self.name, node),
                kept_at=self.version,
                found_at=self.storage.version,
                node=node,
                saved=self,
            )
        tensor = over(self.array, self.storage) if self.array is not None else self.storage.unpacked()  # type: ignore[attr-defined]
        tensor.node = node if self.edge is OUTPUT else self.edge
        tensor._stop = tensor.node is None
        return tensor


_new = object.__new__


def save(name: str, array: Any, storage: Storage, edge: Any, is_copy: bool = False) -> Saved:
    """Saves a tensor at its current version. The parameters are attributes of `Saved`."""
    saved = _new(Saved)
    saved.name, saved.array, saved.storage, saved.edge = name, array, storage, edge
    saved.version, saved.is_copy = storage.version, is_copy
    keeper = modes.current().keeper
    if keeper is not None:
        keeper.register(saved)
    return saved


_RESULT = Text("its result", "它的结果")
_INPUT = Text("its input", "它的输入")
_OPERANDS = {"x": Text("its first operand", "它的第一个操作数"), "y": Text("its second operand", "它的第二个操作数")}
_OPERAND = Text("its operand `{name}`", "它的操作数 `{name}` ")
_SAVED_BY_PROGRAM = Text("`{name}`", " `{name}` ")  # `saved_tensor()[0]`


def _called(name: str, node: Any) -> Text:
    """Says which tensor of the operation was saved, so that a derivative's name cannot be mistaken for a name of the program."""
    if name == "out":
        return _RESULT
    if name in _OPERANDS:
        return _OPERANDS[name] if len(node.edges) > 1 else _INPUT
    return (_OPERAND if name.isidentifier() else _SAVED_BY_PROGRAM).format(name=name)


class _Output:
    """A marker for "the node itself", the edge of a saved output: a reference to the node would be a cycle."""


OUTPUT = _Output()


def save_copy(name: str, array: Any, storage: Storage, edge: Any) -> Saved:
    """Saves a copy of a value before it is overwritten. Backward makes a tensor of it when it unpacks it."""
    device = storage.device
    copy = Storage(device.from_host(array), device)
    return save(name, copy.buffer, copy, edge, True)
