"""The operations that backward computes with: the part of the package `ops` that `autograd`, a lower layer, needs.

`ops` provides them once, when it is imported (`ops/backward_operations.py`). Nothing else in `autograd` computes with
tensors, except the checks of derivatives, which run programs of the learner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from inplacelab.autograd.saved import Meta
    from inplacelab.layout import Layout, Shape
    from inplacelab.tensor import Tensor


class Operations(Protocol):
    """Differentiable operations, so that a gradient can be differentiated again."""

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum, in a new storage."""

    def add_(self, x: Tensor, y: Tensor) -> Tensor:
        """Adds `y` to `x` in place."""

    def arrange(self, x: Tensor, layout: Layout) -> Tensor:
        """A copy in a new storage, laid out by `layout`, which starts at slot 0 and may leave gaps."""

    def cast(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """The same numbers in another data type; the real parts if `x` is complex and the data type is real."""

    def clone(self, x: Tensor) -> Tensor:
        """A copy in a new storage."""

    def copy_(self, x: Tensor, y: Tensor) -> Tensor:
        """Writes the values of `y` into `x`."""

    def multiply_(self, x: Tensor, factor: Any) -> Tensor:
        """Multiplies `x` in place by a tensor or a number."""

    def ones_like(self, x: Tensor) -> Tensor:
        """Ones with the shape, data type and device of `x`, outside the history."""

    def reshape(self, x: Tensor, shape: Shape) -> Tensor:
        """The same elements in another shape."""

    def scatter(self, x: Tensor, base: Meta, view: Meta) -> Tensor:
        """Zeros laid out like `base`, with `x` in the slots of `view`; added up where the view shows a slot twice."""

    def set_part(self, x: Tensor, key: Any, value: Any) -> None:
        """Executes `x[key] = value`."""

    def sum(self, x: Tensor, axes: list[int]) -> Tensor:
        """The sum along some axes."""

    def window(self, x: Tensor, layout: Layout, dtype: np.dtype[Any]) -> Tensor:
        """A view of the storage of `x` through a layout."""

    def zero_(self, x: Tensor) -> Tensor:
        """Fills `x` with zeros in place."""

    def zeros(self, like: Tensor, shape: Shape) -> Tensor:
        """Zeros of a shape, with the data type and device of `like`, outside the history."""


ops: Operations


def provide(operations: Operations) -> None:
    """Sets the operations that backward computes with."""
    global ops
    ops = operations
