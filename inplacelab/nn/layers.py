"""Layers: linear, dropout, normalization, flatten and identity."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab.nn import functional
from inplacelab.nn.initializer import Constant
from inplacelab.nn.layer import Layer
from inplacelab.ops.activations import check_dropout
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor


class Linear(Layer):
    """Computes `x @ weight + bias`.

    Args:
        in_features: the size of the last axis of the input.
        out_features: the size of the last axis of the result.
        weight_attr: a `ParamAttr`, a name or an initializer for the weight.
        bias_attr: the same for the bias; False for no bias.
        name: accepted for compatibility with Paddle; ignored.

    Attributes:
        weight: of shape [in_features, out_features].
        bias: of shape [out_features], or None.

    >>> import inplacelab as paddle
    >>> paddle.nn.Linear(2, 3)(paddle.ones([4, 2])).shape
    paddle.Size([4, 3])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Linear_en.html
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Computes `x @ weight + bias` for `x` of shape [*, in_features]; the result is of shape [*, out_features]."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        inputs, outputs = self.weight.shape
        return f"in_features={inputs}, out_features={outputs}, dtype={self.weight.dtype.name}"


class Dropout(Layer):
    """Sets elements to zero at random in training; passes its input on in evaluation. See `nn.functional.dropout`.

    Args:
        p: the probability that an element is set to zero.
        inplace: whether to write the result into the input.
        axis: the axes along which elements are dropped independently; None for all.
        mode: "upscale_in_train" divides the kept elements by `1 - p` in training; "downscale_in_infer" multiplies by
            `1 - p` in evaluation instead.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `p` is not from 0 to 1, or `mode` is not one of these.
        ArgumentKindError: if `p` is not a number, or `axis` not an integer or a list of integers.

    >>> import inplacelab as paddle
    >>> drop = paddle.nn.Dropout(0.5)
    >>> drop.eval()(paddle.ones([2])).tolist()
    [1.0, 1.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Dropout_en.html
    """

    def __init__(
        self,
        p: float = 0.5,
        inplace: bool = False,
        axis: int | Sequence[int] | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_dropout(p, axis, mode)
        self.p, self.inplace, self.axis, self.mode = p, inplace, axis, mode

    def forward(self, x: Tensor) -> Tensor:
        """Applies dropout to `x`, of any shape, in training."""
        result: Tensor = functional.dropout(x, self.p, self.axis, self.training, self.inplace, self.mode)
        return result

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}, inplace={self.inplace}"


class LayerNorm(Layer):
    """Normalizes each example over the last axes, then scales and shifts it. See `nn.functional.layer_norm`.

    Args:
        normalized_shape: the sizes of the last axes.
        epsilon: added to the variance to avoid division by zero.
        weight_attr: a `ParamAttr`, a name or an initializer for the weight; False for no weight.
        bias_attr: the same for the bias.
        name: accepted for compatibility with Paddle; ignored.

    Attributes:
        weight: one number for each normalized element, in one axis.
        bias: of the same shape.

    >>> import inplacelab as paddle
    >>> paddle.nn.LayerNorm(2)(paddle.to_tensor([[1., 3.]])).numpy().round(2).tolist()
    [[-1.0, 1.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/LayerNorm_en.html
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-05,
        *,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._sizes = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._epsilon = epsilon
        self.weight = self.create_parameter([prod(self._sizes)], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([prod(self._sizes)], bias_attr, is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Normalizes `x`, of shape [*, *normalized_shape]."""
        return functional.layer_norm(x, self._sizes, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"normalized_shape={self._sizes}, epsilon={self._epsilon}"


class BatchNorm1D(Layer):
    """Normalizes each channel over a batch, then scales and shifts it. See `nn.functional.batch_norm`.

    In training the running mean and variance (`_mean`, `_variance`) are written in place, which raises their versions.

    Args:
        num_features: the number of channels C.
        momentum: the part of the running mean and variance that each batch keeps.
        epsilon: added to the variance to avoid division by zero.
        weight_attr: a `ParamAttr`, a name or an initializer for the weight; False for no weight.
        bias_attr: the same for the bias.
        data_format: "NC", "NCL" or "NLC": where the channels are.
        use_global_stats: True uses the running mean and variance in training, too; None only in evaluation.
        name: accepted for compatibility with Paddle; ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/BatchNorm1D_en.html
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
        data_format: str = "NCL",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._momentum, self._epsilon, self._format, self._global = momentum, epsilon, data_format, use_global_stats
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        self.register_buffer("_mean", to_tensor(np.zeros(num_features, np.float32)))
        self.register_buffer("_variance", to_tensor(np.ones(num_features, np.float32)))

    def forward(self, x: Tensor) -> Tensor:
        """Normalizes `x`, of shape [N, C] or [N, C, L], and in training updates the running mean and variance."""
        options = (self.training, self._momentum, self._epsilon, self._format, self._global)
        return functional.batch_norm(x, self._mean, self._variance, self.weight, self.bias, *options)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        (size,) = self._mean.shape
        return f"num_features={size}, momentum={self._momentum}, epsilon={self._epsilon}, data_format={self._format}"


class Flatten(Layer):
    """Merges the axes from `start_axis` to `stop_axis` into one: a view where that is possible.

    Args:
        start_axis: the first of these axes; counted from the end if negative.
        stop_axis: the last of them, included.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Flatten_en.html
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self._axes = start_axis, stop_axis

    def forward(self, x: Tensor) -> Tensor:
        """Returns `x` with these axes merged."""
        result: Tensor = x.flatten(*self._axes)
        return result


class Identity(Layer):
    """Returns its input: the same tensor. All arguments of the constructor are ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Identity_en.html
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, x: Any) -> Any:
        """Returns `x` itself."""
        return x
