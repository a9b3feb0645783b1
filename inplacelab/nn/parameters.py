"""Parameters and buffers of a layer: their attributes, what may be assigned to them, and how they move to another device or dtype."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self, cast

from inplacelab import dtypes, errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.ops.results.destinations import move
from inplacelab.tensor import Parameter, Tensor, adopt


class Parts:
    """The parameters, sublayers and buffers of a layer. As in Paddle, assigning a value of another kind to one is an error.

    As in Paddle, a tensor that is assigned becomes a buffer, but not part of `state_dict()`.

    Attributes:
        _buffers: the names of the buffers, and whether each is part of `state_dict()`.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, bool] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute.

        Args:
            name: the attribute.
            value: the new value; None is always allowed.

        Raises:
            ArgumentKindError: if the attribute is a parameter, sublayer or buffer, and the value is of another kind.
            ArgumentError: if `super().__init__()` has not been called yet.
        """
        buffers = self.__dict__.get("_buffers")
        if isinstance(value, Parameter | Parts):
            if buffers is None:
                raise errors.super_init_not_called()
        elif value is not None:
            self._check_stays(name, value)
            if isinstance(value, Tensor) and buffers is not None:
                buffers.setdefault(name, False)
        super().__setattr__(name, value)

    def _check_stays(self, name: str, value: Any) -> None:
        present = self.__dict__.get(name)
        if isinstance(present, Parameter):
            raise errors.parameter_replaced(name=name, given=value)
        if isinstance(present, Parts):
            raise errors.sublayer_replaced(name=name, given=value)
        if name in self.__dict__.get("_buffers", ()) and not isinstance(value, Tensor):
            raise errors.buffer_replaced(name=name, given=value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._buffers.pop(name, None)


Initializer = Callable[[Tensor], object]
"""Writes the first values of a parameter, in place."""


class ParamAttr:
    """The attributes of a new parameter: `nn.Linear(2, 3, weight_attr=paddle.ParamAttr(initializer=...))`.

    Args:
        name: the name of the parameter; None for a generated one.
        initializer: writes its first values; see `nn.initializer`.
        learning_rate: must be 1.0: every parameter uses the optimizer's rate.
        regularizer: must be None.
        trainable: if False, the parameter has `stop_gradient=True`.
        do_model_average: accepted for compatibility with Paddle; ignored.
        need_clip: must be True.

    Raises:
        ArgumentError: if `learning_rate`, `regularizer` or `need_clip` has another value.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/ParamAttr_en.html
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        unsupported = {
            "learning_rate": learning_rate != 1.0,
            "regularizer": regularizer is not None,
            "need_clip": not need_clip,
        }
        for option in (option for option, given in unsupported.items() if given):
            raise errors.unsupported_parameter_option(option=option)
        self.name, self.initializer, self.trainable = name, initializer, trainable


def attributes(given: Any) -> ParamAttr:
    """Converts the value of `weight_attr` or `bias_attr` to a `ParamAttr`.

    Args:
        given: a `ParamAttr`, a name, an initializer, None or True.

    Raises:
        ArgumentKindError: if it is none of these.
    """
    if given is None or given is True:
        return ParamAttr()
    if isinstance(given, ParamAttr):
        return given
    if isinstance(given, str):
        return ParamAttr(name=given)
    if callable(given):
        return ParamAttr(initializer=given)
    raise errors.not_param_attr(given=given)


def as_parameter(values: Tensor) -> Parameter:
    """Makes a parameter that shares the storage of `values`."""
    parameter = object.__new__(Parameter)
    parameter._name = parameter._hooks = parameter._grad = None
    adopt(parameter, values)
    parameter._stop = False
    return parameter


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
