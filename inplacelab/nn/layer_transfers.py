"""A layer on another device, or in another dtype: its parameters and buffers stay the tensors they are, and get other storages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, cast

from inplacelab import dtypes
from inplacelab.autograd import modes
from inplacelab.tensor import Tensor, adopt


class _Layer(Protocol):
    """What a layer can be asked for."""

    _dtype: str

    def parameters(self) -> Sequence[Tensor]: ...

    def buffers(self) -> Sequence[Tensor]: ...

    def sublayers(self, include_self: bool = ...) -> Sequence[_Layer]: ...


class Movable:
    """The methods of a layer that change where, and as what, its numbers are stored. Gradients go with their parameters."""

    def to(
        self, device: Any = None, dtype: Any = None, blocking: bool | None = None, non_blocking: bool | None = None
    ) -> Self:
        """Move all parameters and buffers, of the layers inside too, to a device, or cast them to a dtype, or both.

        An optimizer goes on with them: they are the same tensors. Views of them keep the old storage.

        Args:
            device: a device or place; None leaves them where they are.
            dtype: the type of the elements; None leaves it as it is.
            blocking: for Paddle's sake: the copy is always waited for.
            non_blocking: the same.

        Raises:
            DeviceError: if there is no such device.
            DTypeError: if there is no such dtype.

        >>> import inplacelab as paddle
        >>> net = paddle.nn.Linear(2, 3)
        >>> weight = net.weight
        >>> net.to(dtype="float64").weight is weight, weight.dtype.name
        (True, 'float64')

        Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Layer_en.html
        """
        return self._moved(device, dtype)

    def astype(self, dtype: Any) -> Self:
        """Cast all parameters and buffers.

        PaddlePaddle 3.3.1 casts copies of them, and leaves the layer as it was.
        """
        return self._moved(None, dtype)

    def float(self) -> Self:
        """Cast the floating-point parameters and buffers to float32."""
        return self._moved(None, dtypes.float32, "f")

    def double(self) -> Self:
        """Cast the floating-point parameters and buffers to float64."""
        return self._moved(None, dtypes.float64, "f")

    def half(self) -> Self:
        """Cast the floating-point parameters and buffers to float16."""
        return self._moved(None, dtypes.float16, "f")

    float16 = half

    def _moved(self, device: Any, dtype: Any, kinds: str = "biufc") -> Self:
        wanted = None if dtype is None else dtypes.named(dtypes.as_numpy(dtype))
        layer = cast("_Layer", self)
        for each in layer.sublayers(include_self=True):
            each._dtype = each._dtype if wanted is None else wanted.name
        with modes.no_grad():
            for tensor in (*layer.parameters(), *layer.buffers()):
                if tensor.array.dtype.kind in kinds:
                    for numbers in (tensor, tensor.grad):
                        if numbers is not None:
                            _move(numbers, device, wanted)
        return self


def _move(tensor: Tensor, device: Any, dtype: dtypes.DType | None) -> None:
    if dtype is not None and tensor.dtype != dtype:
        tensor.cast_(dtype)
    if device is not None:
        stop, moved = tensor.stop_gradient, tensor.to(device)
        if moved is not tensor:
            adopt(tensor, moved)
            tensor.stop_gradient = stop
