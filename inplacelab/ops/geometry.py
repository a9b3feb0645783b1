"""Gradients laid out like the storages they belong to: what `CopySlices` and remade views compute with.

A view is a layout on a storage, so its gradient can be put in its place by geometry alone, whatever chain of slices and
transposes made it. These operations are not for learners, but they are ordinary operations with derivatives of their own,
so second derivatives go through views too.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inplacelab.autograd.nodes import Meta
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, extent
from inplacelab.ops import metadata
from inplacelab.ops.filling import constant_tensor
from inplacelab.ops.spec import Row, Rule
from inplacelab.tensor import Tensor, fresh, over


def _part(g: Tensor, base: Meta, view: Meta) -> Tensor:
    part: Tensor = g._arrange(base.within(base))._window(view.within(base), view.dtype)
    return part


_ARRANGE = Row(
    name="_arrange", kind="geometry", inputs=("x",), attrs="layout", node="ArrangeGradNode", in_place=False,
    says=Text("A copy of `x` in a new storage, laid out by `layout`.", "按 `layout` 布局、位于新存储中的 `x` 的副本。"),
    rules=(Rule(lambda g: g),),
)  # fmt: skip
_SCATTER = Row(
    name="_scatter", kind="geometry", inputs=("x",), attrs="base, view", node="ScatterGradNode", in_place=False,
    says=Text("Zeros laid out like a base, with `x` in the slots of a view.", "按基张量布局的零，视图所在的槽位放入 `x`。"),
    rules=(Rule(_part),),
)  # fmt: skip


def _arrange(self: Tensor, layout: Layout) -> Tensor:
    """A copy in a new storage, laid out by `layout` (which starts at slot 0 and may leave gaps)."""
    device = self.storage.device
    whole = fresh(device.zeros(extent(layout)[1], self.array.dtype), device)
    result = over(device.window(whole.array, layout, self.array.dtype), whole.storage)
    np.copyto(result.array, self.array)
    metadata.attach(_ARRANGE, self, result, {"layout": layout})
    return result


def _scatter(self: Tensor, base: Meta, view: Meta) -> Tensor:
    """Zeros laid out like a base, with the tensor in the slots of a view of it; added up where the view shows a slot twice."""
    device, (start, stop) = self.storage.device, extent(base.layout)
    whole = fresh(device.zeros(stop - start, base.dtype), device)
    shown = view.within(base)
    part = device.window(whole.array, shown, view.dtype)
    if part.size:
        line = whole.array.view(view.dtype)
        slots = device.window(np.arange(line.size), shown, np.dtype(np.int64))
        np.add.at(line, slots, self.array) if _repeats(slots) else np.copyto(part, self.array)
    result = over(device.window(whole.array, base.within(base), base.dtype), whole.storage)
    metadata.attach(_SCATTER, self, result, {"base": base, "view": view})
    return result


def _repeats(slots: Any) -> bool:
    return bool(np.unique(slots).size != prod(slots.shape))


def _filled(like: Tensor, shape: Shape, value: int) -> Tensor:
    return constant_tensor(shape, value, like.array.dtype, like.storage.device)


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
    Tensor._arrange, Tensor._scatter = _arrange, _scatter  # type: ignore[method-assign]
    Tensor._zeros, Tensor._ones, Tensor._spread_out = _zeros, _ones, _spread_out  # type: ignore[method-assign]
