"""What an operation of one's own keeps for its `backward`."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Node
from inplacelab.autograd.saved import Saved
from inplacelab.tensor import Tensor, over


class Kept:
    """A tensor that `forward` kept for `backward`.

    Attributes:
        saved: the value, with the version at which it was kept.
        original: the tensor that was given, held weakly, to be found among the results.
        result: which result it turned out to be, or None.
        explained: False if nobody knows how it came from the inputs.
    """

    __slots__ = ("explained", "original", "result", "saved")

    def __init__(self, saved: Saved, original: Tensor, explained: bool) -> None:
        self.saved, self.original, self.explained = saved, weakref.ref(original), explained
        self.result: int | None = None


class Unpacker(Protocol):
    """Who gives a kept tensor its place in the history: the node whose `backward` runs."""

    def unpack(self, kept: Kept) -> Tensor:
        """The tensor as it was kept."""


class Memory:
    """All that one call keeps: tensors by position and by attribute name.

    Attributes:
        listed: what `save_for_backward` was given, in order: tensors as `Kept`, anything else as it is.
        named: the tensors that were put on the context as attributes.
    """

    def __init__(self, inputs: Sequence[tuple[Tensor, Node | None]]) -> None:
        self.listed: list[Any] = []
        self.named: dict[str, Kept] = {}
        self._inputs = inputs
        self._reader: Unpacker | None = None

    @property
    def tensors(self) -> list[Kept]:
        """Everything kept, under whatever name."""
        return [each for each in (*self.listed, *self.named.values()) if isinstance(each, Kept)]

    def keep(self, name: str, tensor: Tensor) -> Kept:
        """Keep a tensor, and find out what it has to do with the inputs."""
        for given, place in self._inputs:
            if given is tensor:
                return Kept(Saved(name, tensor.array, tensor.storage, place), tensor, explained=True)
        place = edge(tensor)
        return Kept(
            Saved(name, tensor.array, tensor.storage, place),
            tensor,
            explained=place is not None or not differentiable(tensor),
        )

    def take(self, kept: Kept) -> Tensor:
        """A kept tensor: unpacked if `backward` asks; as it is while `forward` still runs."""
        if self._reader is None:
            return over(kept.saved.array, kept.saved.storage)
        return self._reader.unpack(kept)

    def settle(self, results: Sequence[Tensor | None], constants: Sequence[Tensor]) -> None:
        """`forward` is over: find its results among what was kept."""
        self._inputs = ()
        for each in self.tensors:
            original = each.original()
            if any(original is constant for constant in constants):
                each.explained = True
            elif original is not None:
                each.result = next((k for k, result in enumerate(results) if result is original), None)

    @contextmanager
    def read_by(self, node: Unpacker) -> Iterator[None]:
        """While `backward` runs: what is taken out is unpacked by its node."""
        self._reader = node
        try:
            yield
        finally:
            self._reader = None

    def forget(self) -> None:
        """Let go of all tensors."""
        self.listed, self.named = [], {}


def differentiable(tensor: Tensor) -> bool:
    """True if the elements are numbers that can change by a little."""
    return tensor.array.dtype.kind in "fc"
