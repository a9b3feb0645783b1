"""The views of a tensor, held weakly: they need an update when it leaves its storage."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import ref

from inplacelab.tensor import Tensor


class Views:
    """Weak references to views. (A `WeakValueDictionary` would take as long as all other work for a view.)."""

    __slots__ = ("_enough", "_references")

    def __init__(self) -> None:
        self._references: list[ref[Tensor]] = []
        self._enough = 64

    def add(self, view: Tensor) -> None:
        """Adds a view. From time to time removes those that are gone, so that a loop over `x[i]` does not fill the list."""
        references = self._references
        references.append(ref(view))
        if len(references) > self._enough:
            self._remove_dead()

    def _remove_dead(self) -> None:
        """Another thread may add a view meanwhile: it adds to the new list."""
        before, self._references = self._references, []
        try:
            alive = [each for each in before if each() is not None]
        except BaseException:
            self._references += before
            raise
        self._references += alive
        self._enough = 2 * len(alive) + 64

    def __iter__(self) -> Iterator[Tensor]:
        return (view for view in [each() for each in self._references] if view is not None)
