"""The operations that backward computes with: what autograd needs of the package `ops`, which stands above it.

`ops` provides them once, when it is imported (`ops/backward_operations.py`). Nothing else in `autograd` computes with tensors,
but for its checks of derivatives, which run programs as a learner writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from inplacelab.autograd.meta import Meta
    from inplacelab.layout import Layout, Shape
    from inplacelab.tensor import Tensor


class Operations(Protocol):
    """Operations with derivatives of their own, so that a gradient can be differentiated again."""

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum, in a storage of its own."""

    def add_(self, x: Tensor, y: Tensor) -> Tensor:
        """Add `y` to `x` in place."""

    def arrange(self, x: Tensor, layout: Layout) -> Tensor:
        """A copy in a new storage, laid out by `layout`, which starts at slot 0 and may leave gaps."""

    def cast(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """The same numbers in another data type; of complex numbers, the real parts if the data type is real."""

    def clone(self, x: Tensor) -> Tensor:
        """A copy in a storage of its own."""

    def copy_(self, x: Tensor, y: Tensor) -> Tensor:
        """Write the values of `y` into `x`."""

    def ones_like(self, x: Tensor) -> Tensor:
        """Ones of the same shape, data type and device, outside the history."""

    def reshape(self, x: Tensor, shape: Shape) -> Tensor:
        """The same elements in another shape."""

    def scatter(self, x: Tensor, base: Meta, view: Meta) -> Tensor:
        """Zeros laid out like `base`, with `x` in the slots of `view`; added up where the view shows a slot twice."""

    def set_part(self, x: Tensor, key: Any, value: Any) -> None:
        """Write `x[key] = value`."""

    def sum(self, x: Tensor, axes: list[int]) -> Tensor:
        """The sum along some axes."""

    def window(self, x: Tensor, layout: Layout, dtype: np.dtype[Any]) -> Tensor:
        """A view of the storage of `x` through a layout."""

    def zero_(self, x: Tensor) -> Tensor:
        """Fill `x` with zeros in place."""

    def zeros(self, like: Tensor, shape: Shape) -> Tensor:
        """Zeros of a shape, with the data type and device of `like`, outside the history."""


ops: Operations


def provide(operations: Operations) -> None:
    """Say what backward computes with."""
    global ops
    ops = operations
