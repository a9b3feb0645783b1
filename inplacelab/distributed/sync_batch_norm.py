"""`SyncBatchNorm`: batch normalization with the mean and variance of all ranks' batches, optionally in place."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.autograd.history import check_leaf
from inplacelab.autograd.py_layer import PyLayer
from inplacelab.distributed.collectives import all_reduce
from inplacelab.distributed.environment import get_world_size
from inplacelab.language import Text
from inplacelab.nn.initializer import Constant
from inplacelab.nn.layer import Layer
from inplacelab.ops.creation import to_tensor, zeros
from inplacelab.ops.joining_and_splitting import stack
from inplacelab.tensor import Tensor

_CHANNELS = {"NC": 1, "NCL": 1, "NCHW": 1, "NCDHW": 1, "NLC": -1, "NHWC": -1, "NDHWC": -1}


class SyncBatchNorm(Layer):
    """Normalizes each channel with the mean and variance of the batches of *all* ranks, then scales and shifts it.

    Sizes of the batch may differ between ranks. In training, forward makes two collectives and backward one. On one rank it is ordinary
    batch normalization, and needs no `init_parallel_env()`.

    With `inplace=True` the normalized values overwrite the input, and backward uses these: of the input nothing is kept. The input must then be
    the result of an operation that does not need it in backward (such as `linear`), or backward refuses; and a leaf that needs a gradient is refused.

    Args:
        num_features: the number of channels.
        momentum: the part of the running mean and variance that each batch keeps.
        epsilon: added to the variance to avoid division by zero.
        weight_attr: a `ParamAttr`, a name or an initializer for the factor of each channel; False for none.
        bias_attr: the same for what is added to each channel.
        data_format: the channels are the second axis, or the last one if it ends with C.
        name: accepted for compatibility with Paddle; ignored.
        inplace: whether to write the normalized values into the input. (Not in Paddle.)

    Attributes:
        weight: of shape [num_features], or None.
        bias: of shape [num_features], or None.
        _mean, _variance: the running mean and variance, which evaluation uses: buffers, updated in place.

    >>> import inplacelab as paddle
    >>> norm = paddle.distributed.SyncBatchNorm(1)
    >>> norm(paddle.to_tensor([[1.], [3.]])).numpy().round(2).tolist()
    [[-1.0], [1.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/SyncBatchNorm_en.html
    """

    _mean: Tensor
    _variance: Tensor

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
        *,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        if data_format not in _CHANNELS:
            raise errors.bad_argument(
                op="SyncBatchNorm",
                argument="data_format",
                value=data_format,
                possible=Text(", ".join(_CHANNELS), "、".join(_CHANNELS)),
            )
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._inplace = data_format, inplace
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        dtype = self._dtype
        self.register_buffer("_mean", zeros([num_features], dtype))
        self.register_buffer("_variance", zeros([num_features], dtype).fill_(1.0))

    def forward(self, x: Tensor) -> Tensor:
        """Normalizes `x`, of shape [N, C, *], or [N, *, C] if `data_format` ends with C."""
        others, sizes = self._axes(x)
        if self.training:
            if self._inplace and modes.current().recording_history:
                check_leaf("SyncBatchNorm", x, write="SyncBatchNorm(..., inplace=True)(y)")
            count, mean, variance = self._statistics(x, others)
            x = Normalize.apply(x, mean, variance, _Over(others, count, self._epsilon), self._inplace)
            self._follow(mean, variance)
        else:
            mean = self._mean.reshape(sizes)
            scale = self._variance.scale(1.0, self._epsilon).rsqrt().reshape(sizes)
            x = x.subtract_(mean).multiply_(scale) if self._inplace else (x - mean) * scale
        x = x if self.weight is None else x * self.weight.reshape(sizes)
        return x if self.bias is None else x + self.bias.reshape(sizes)

    def _axes(self, x: Tensor) -> tuple[list[int], list[int]]:
        """Returns the axes over which means are taken, and the shape that a channel's values are given."""
        place = _CHANNELS[self._data_format]
        if not 2 <= x.ndim <= 5 or x.array.shape[place] != self._num_features:
            channels = x.array.shape[place] if x.ndim >= 2 else 0
            raise errors.batch_norm_rank_of_input(axes=x.ndim, channels=channels, expected=self._num_features)
        channel = place % x.ndim
        return [axis for axis in range(x.ndim) if axis != channel], [-1 if k == channel else 1 for k in range(x.ndim)]

    @no_grad()
    def _statistics(self, x: Tensor, axes: Sequence[int]) -> tuple[float, Tensor, Tensor]:
        """Returns how many elements a channel has on all ranks, their mean and their variance. Nothing is written before all ranks have met."""
        array, over = x.array, tuple(axes)
        count = prod(array.shape[axis] for axis in axes)
        total = to_tensor(np.append(array.sum(axis=over), count).astype(array.dtype), place=x.place)
        _add_up(total)
        everywhere = float(total.array[-1])
        mean = total[:-1].scale(1.0 / everywhere)
        squares = to_tensor(_squares_about(array, mean.array, over), place=x.place)
        _add_up(squares)
        return everywhere, mean, squares.scale_(1.0 / everywhere)

    @no_grad()
    def _follow(self, mean: Tensor, variance: Tensor) -> None:
        """Moves the running statistics towards those of this batch."""
        for running, now in ((self._mean, mean), (self._variance, variance)):
            running.scale_(self._momentum).add_(now.scale(1.0 - self._momentum))

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Returns the layer with every batch normalization in it replaced by a `SyncBatchNorm` with the same parameters and buffers.

        Args:
            layer: the layer; it is changed, unless it is a batch normalization itself.

        Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/SyncBatchNorm_en.html
        """
        if type(layer).__name__.startswith("BatchNorm"):
            return cls._from(layer)
        for name, each in list(layer.named_children()):
            made = cls.convert_sync_batchnorm(each)
            if made is not each:
                layer.add_sublayer(name, made)
        return layer

    @classmethod
    def _from(cls, layer: Any) -> SyncBatchNorm:
        has_weight, has_bias = layer.weight is not None, layer.bias is not None
        made = cls(
            layer._mean.size,
            layer._momentum,
            layer._epsilon,
            None if has_weight else False,
            None if has_bias else False,
            layer._data_format,
        )
        if has_weight:
            made.weight = layer.weight
        if has_bias:
            made.bias = layer.bias
        made.register_buffer("_mean", layer._mean)
        made.register_buffer("_variance", layer._variance)
        made.training = layer.training
        return made

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        inplace = ", inplace=True" * self._inplace
        return f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}{inplace}"


class _Over(NamedTuple):
    """What a channel's mean is taken over.

    Attributes:
        axes: the axes of the input.
        elements: how many elements of a channel there are on all ranks.
        epsilon: added to the variance.
    """

    axes: list[int]
    elements: float
    epsilon: float


class Normalize(PyLayer):
    """Subtracts the mean of all ranks' batches and divides by the standard deviation, for each channel.

    Backward needs the result and one number for each channel, and not the input.
    """

    _part = False

    @staticmethod
    def forward(ctx: Any, x: Tensor, mean: Tensor, variance: Tensor, over: _Over, inplace: bool) -> Tensor:
        out = x if inplace else x.clone()
        if inplace:
            x._bump_inplace_version()  # before the write: an interrupt must leave it raised
        array = out.array
        shape = [1 if axis in over.axes else n for axis, n in enumerate(array.shape)]
        factor = (1.0 / np.sqrt(variance.array + array.dtype.type(over.epsilon))).reshape(shape)
        np.subtract(array, mean.array.reshape(shape), out=array)
        np.multiply(array, factor, out=array)
        ctx.save_for_backward(out, to_tensor(factor, place=x.place))
        ctx.over = over
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        normalized, factor = ctx.saved_tensor()
        both = stack([each.sum(ctx.over.axes, keepdim=True) for each in (g, g * normalized)])
        _add_up(both)
        of_gradient, of_product = (both[k].scale(1.0 / ctx.over.elements) for k in range(2))
        # the mean and the variance depend on the input, too: what reaches the input through them is subtracted
        result: Tensor = (g - of_gradient - normalized * of_product) * factor
        return result


Normalize.__name__ = "sync_batch_norm"  # what recordings and error messages call the operation

_BLOCK = 1 << 16


def _squares_about(
    array: np.ndarray[Any, Any], mean: np.ndarray[Any, Any], over: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """Returns for each channel the sum of the squared distances from the mean, without a second array of the input's size."""
    axes = list(range(array.ndim))
    (channel,) = (axis for axis in axes if axis not in over)
    shape = [-1 if axis == channel else 1 for axis in axes]
    found = np.zeros(mean.shape, mean.dtype)
    examples = max(1, _BLOCK * len(array) // max(array.size, 1))
    for first in range(0, len(array), examples):
        apart = array[first : first + examples] - mean.reshape(shape)
        found += np.einsum(apart, axes, apart, axes, [channel])
    return found


def _add_up(total: Tensor) -> None:
    """Adds it up over all ranks, in place."""
    if get_world_size() > 1:
        all_reduce(total)
