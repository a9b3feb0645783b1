"""Tells which tensors a call has written, for frameworks that count versions: those whose version is another one than before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar


class _Counter(Protocol):
    number: int


class _Known(Protocol):
    """What a recorder knows of a tensor."""

    @property
    def counter(self) -> _Counter: ...


K = TypeVar("K", bound=_Known)


def tensors_written(
    tensors: Iterable[tuple[K, Any, int]], results: Sequence[Any], version_of: Callable[[Any], int]
) -> list[tuple[K, Any]]:
    """Returns the tensors that a call has written, one for each version counter: the one that it returns, or else the first.

    Args:
        tensors: what is known of each tensor of the call, the tensor, and its version before the call.
        results: what the call has returned.
        version_of: returns a tensor's version.
    """
    found: dict[int, tuple[K, Any]] = {}
    for known, tensor, before in tensors:
        if version_of(tensor) != before:
            first = found.get(known.counter.number)
            if first is None or (among(tensor, results) and not among(first[1], results)):
                found[known.counter.number] = known, tensor
    return list(found.values())


def among(wanted: Any, others: Iterable[Any]) -> bool:
    """Whether an object is one of others. They are not compared: that would be an operation."""
    return any(wanted is each for each in others)
