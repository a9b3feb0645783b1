"""Gradients laid out like the storages they belong to: what `CopySlices` and remade views compute with.

A view is a layout on a storage, so its gradient can be put in its place by geometry alone, whatever chain of slices and
transposes made it. These operations are not for learners, but they are ordinary operations with derivatives of their own,
so second derivatives go through views too.
"""

from __future__ import annotations

from inplacelab.autograd.nodes import Meta
from inplacelab.language import Text
from inplacelab.layout import Shape
from inplacelab.ops import run
from inplacelab.ops.spec import Row, Rule
from inplacelab.tensor import Tensor, fresh


def _part(g: Tensor, base: Meta, view: Meta) -> Tensor:
    part: Tensor = g._arrange(base.within(base))._window(view.within(base), view.dtype)
    return part


ARRANGE = Row(
    name="_arrange", kind="geometry", inputs=("x",), attrs="layout", node="ArrangeGradNode", in_place=False,
    says=Text("A copy of `x` in a new storage, laid out by `layout`.", "按 `layout` 布局、位于新存储中的 `x` 的副本。"),
    rules=(Rule(lambda g: g),),
)  # fmt: skip
SCATTER = Row(
    name="_scatter", kind="geometry", inputs=("x",), attrs="base, view", node="ScatterGradNode", in_place=False,
    says=Text("Zeros laid out like a base, with `x` in the slots of a view.", "按基张量布局的零，视图所在的槽位放入 `x`。"),
    rules=(Rule(_part),),
)  # fmt: skip


def _filled(like: Tensor, shape: Shape, value: int) -> Tensor:
    device = like.storage.device
    array = device.empty(shape, like.array.dtype)
    array.fill(value)
    return fresh(array, device)


def _zeros(self: Tensor) -> Tensor:
    """Zeros of the same shape, outside the history."""
    return _filled(self, self.array.shape, 0)


def _ones(self: Tensor) -> Tensor:
    """Ones of the same shape, outside the history."""
    return _filled(self, self.array.shape, 1)


def _spread_out(self: Tensor, shape: Shape) -> Tensor:
    """Zeros of another shape, of the same dtype and device, outside the history."""
    return _filled(self, shape, 0)


def attach() -> None:
    """Give `Tensor` these operations."""
    Tensor._arrange = lambda self, layout: run.arrange(ARRANGE, self, layout)  # type: ignore[method-assign]
    Tensor._scatter = lambda self, base, view: run.scatter(SCATTER, self, base, view)  # type: ignore[method-assign]
    Tensor._zeros, Tensor._ones, Tensor._spread_out = _zeros, _ones, _spread_out  # type: ignore[method-assign]
