"""Saved tensors of a custom operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Node
from inplacelab.autograd.saved import Saved, save
from inplacelab.tensor import Tensor, over


class Kept:
    """A tensor that `forward` saved for `backward`.

    Attributes:
        saved: the value, with the version at which it was saved.
        original: the tensor itself; None where the call's node belongs to its history, and so must not hold it.
        result: the position of the result that it is, or None.
        explained: False if it is unknown how it was computed from the inputs.
    """

    __slots__ = ("explained", "original", "result", "saved")

    def __init__(self, saved: Saved, original: Tensor, explained: bool) -> None:
        self.saved, self.explained = saved, explained
        self.original: Tensor | None = original
        self.result: int | None = None


class Unpacker(Protocol):
    """Gives a saved tensor its place in the history: the node whose `backward` runs."""

    def unpack(self, kept: Kept) -> Tensor:
        """Returns the tensor as it was saved."""


class Memory:
    """The saved tensors of one call, by position and by attribute name.

    Attributes:
        listed: the arguments of `save_for_backward`, in order: tensors as `Kept`, other values as they are.
        named: the tensors that were set on the context as attributes.
    """

    def __init__(self, inputs: Sequence[tuple[Tensor, Node | None]]) -> None:
        self.listed: list[Any] = []
        self.named: dict[str, Kept] = {}
        self._inputs = inputs
        self._reader: Unpacker | None = None

    @property
    def tensors(self) -> list[Kept]:
        """All saved tensors."""
        return [each for each in (*self.listed, *self.named.values()) if isinstance(each, Kept)]

    def keep(self, name: str, tensor: Tensor) -> Kept:
        """Saves a tensor, and finds its relation to the inputs."""
        for given, place in self._inputs:
            if given is tensor:
                return Kept(save(name, tensor.array, tensor.storage, place), tensor, explained=True)
        place = edge(tensor)
        return Kept(
            save(name, tensor.array, tensor.storage, place),
            tensor,
            explained=place is not None or not differentiable(tensor),
        )

    def take(self, kept: Kept) -> Tensor:
        """Returns a saved tensor: unpacked in `backward`, the tensor itself while `forward` still runs."""
        if self._reader is not None:
            return self._reader.unpack(kept)
        return over(kept.saved.array, kept.saved.storage) if kept.original is None else kept.original

    def settle(self, results: Sequence[Tensor | None], constants: Sequence[Tensor]) -> None:
        """Called after `forward`: finds its results among the saved tensors."""
        inputs, self._inputs = [given for given, _ in self._inputs], ()
        for each in self.tensors:
            original = each.original
            if any(original is constant for constant in constants):
                each.explained = True
                continue
            each.result = next((k for k, result in enumerate(results) if result is original), None)
            written = each.result is not None and any(original is given for given in inputs)
            if written or each.saved.array is None:  # the latter: packed by a hook, which unpacks it in backward
                each.original = None

    @contextmanager
    def read_by(self, node: Unpacker) -> Iterator[None]:
        """While `backward` runs: saved tensors are unpacked by its node."""
        self._reader = node
        try:
            yield
        finally:
            self._reader = None

    def forget(self) -> None:
        """Frees all saved tensors."""
        self.listed, self.named = [], {}


def differentiable(tensor: Tensor) -> bool:
    """Returns True if the elements are floating-point or complex numbers."""
    return tensor.array.dtype.kind in "fc"
