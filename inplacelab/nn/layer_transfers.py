"""Moves a layer to another device or dtype: its parameters and buffers remain the same tensors and get new storages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, cast

from inplacelab import dtypes
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.ops.results.destinations import move
from inplacelab.tensor import Tensor


class _Layer(Protocol):
    """The members of a layer that `Movable` uses."""

    _dtype: str

    def parameters(self) -> Sequence[Tensor]: ...

    def buffers(self) -> Sequence[Tensor]: ...

    def sublayers(self, include_self: bool = ...) -> Sequence[_Layer]: ...


class Movable:
    """Methods of a layer that change its device or dtype. Gradients are moved with their parameters."""

    def to(
        self, device: Any = None, dtype: Any = None, blocking: bool | None = None, non_blocking: bool | None = None
    ) -> Self:
        """Moves all parameters and buffers, also of sublayers, to a device, casts them to a dtype, or both.

        They remain the same tensors, so an optimizer can go on with them. Views of them keep the old storage.

        Args:
            device: a device or place; None for no move.
            dtype: the new dtype; None for no cast.
            blocking: accepted for compatibility with Paddle; ignored (every copy is blocking).
            non_blocking: accepted for compatibility with Paddle; ignored.

        Returns:
            The layer itself.

        Raises:
            DeviceError: if the device does not exist.
            DTypeError: if the dtype does not exist.

        >>> import inplacelab as paddle
        >>> net = paddle.nn.Linear(2, 3)
        >>> weight = net.weight
        >>> net.to(dtype="float64").weight is weight, weight.dtype.name
        (True, 'float64')

        Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Layer_en.html
        """
        return self._moved(device, dtype)

    def astype(self, dtype: Any) -> Self:
        """Casts all parameters and buffers to `dtype`, and returns the layer.

        PaddlePaddle 3.3.1 casts copies and does not change the layer.

        Raises:
            DTypeError: if the dtype does not exist.
        """
        return self._moved(None, dtype)

    def float(self) -> Self:
        """Casts the floating-point parameters and buffers to float32, and returns the layer."""
        return self._moved(None, dtypes.float32, "f")

    def double(self) -> Self:
        """Casts the floating-point parameters and buffers to float64, and returns the layer."""
        return self._moved(None, dtypes.float64, "f")

    def half(self) -> Self:
        """Casts the floating-point parameters and buffers to float16, and returns the layer."""
        return self._moved(None, dtypes.float16, "f")

    float16 = half

    def _moved(self, device: Any, dtype: Any, kinds: str = "biufc") -> Self:
        wanted = None if dtype is None else dtypes.named(dtypes.as_numpy(dtype))
        layer = cast("_Layer", self)
        for each in layer.sublayers(include_self=True):
            each._dtype = each._dtype if wanted is None else wanted.name
        for tensor in (*layer.parameters(), *layer.buffers()):
            if tensor.array.dtype.kind in kinds:
                for numbers in (tensor, tensor.grad):
                    if numbers is not None:
                        _move(numbers, device, wanted)
        return self


@no_grad()
def _move(tensor: Tensor, device: Any, dtype: dtypes.DType | None) -> None:
    if dtype is not None and tensor.dtype != dtype:
        tensor.cast_(dtype)
    if device is not None:
        stop, moved = tensor.stop_gradient, tensor.to(device)
        if moved is not tensor:
            move(tensor, moved)
            tensor.stop_gradient = stop
