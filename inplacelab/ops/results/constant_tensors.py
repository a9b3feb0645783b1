"""New tensors with the same number in every element, for `zeros`, `full` and similar functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from inplacelab.backends import Device
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import number_for
from inplacelab.ops.table import ROWS
from inplacelab.ops.table.exports import as_method
from inplacelab.tensor import Tensor, fresh


def constant_tensor(shape: tuple[int, ...], value: Any, dtype: np.dtype[Any], device: Device) -> Tensor:
    """Returns a new tensor filled by the kernel of `fill_`. It is not reported to observers."""
    tensor = fresh(device.empty(shape, dtype), device)
    number = number_for(tensor.array, value)
    if not (device.launches and _launch_fill()((tensor,), (tensor.array,), value=number)):
        tensor.array.fill(number)
    return tensor


@cache
def _launch_fill() -> Callable[..., bool]:
    """Launches the kernel of `fill_`. It is made on first use, which never happens on the CPU."""
    from inplacelab.kernels.own_kernels import Launcher  # noqa: PLC0415

    return Launcher(ROWS["fill"], "in-place")


# ---- for derivatives ------------------------------------------------------------------------------------------------------


def _like(like: Tensor, shape: Shape, value: int) -> Tensor:
    return constant_tensor(shape, value, like.array.dtype, like.storage.device)


@as_method
def _zeros(self: Tensor) -> Tensor:
    """Zeros of the same shape, outside the history."""
    return _like(self, self.array.shape, 0)


@as_method
def _ones(self: Tensor) -> Tensor:
    """Ones of the same shape, outside the history."""
    return _like(self, self.array.shape, 1)


@as_method
def _spread_out(self: Tensor, shape: Shape) -> Tensor:
    """Zeros of another shape, of the same dtype and device, outside the history."""
    return _like(self, shape, 0)
