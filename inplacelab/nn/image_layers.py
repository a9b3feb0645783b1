"""Layers on channels, mostly of images: convolution, pooling, and batch normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.nn import functional
from inplacelab.nn.images import paddings, pair
from inplacelab.nn.initializer import Constant, Normal
from inplacelab.nn.layer import Layer
from inplacelab.nn.layers import REQUIRED, Applied, layer_of
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor

_MODES = ("zeros", "reflect", "replicate", "circular")


class Conv2D(Layer):
    """Computes the sum of products of each window of an image and each filter. See `nn.functional.conv2d`.

    Args:
        in_channels: the channels of the images.
        out_channels: the number of filters, which is that of the channels of the result.
        kernel_size: the size of a filter: an integer, or two for rows and columns.
        stride: the step from one window to the next.
        padding: what is added around the image.
        dilation: the step from one element of a window to the next.
        groups: the channels are divided into so many groups; each filter looks at one of them.
        padding_mode: "zeros", or a mode of `nn.functional.pad`: "reflect", "replicate", "circular".
        weight_attr: a `ParamAttr`, a name or an initializer for the filters.
        bias_attr: the same for the bias; False for no bias.
        data_format: "NCHW" or "NHWC": where the channels are.

    Attributes:
        weight: of shape [out_channels, in_channels / groups, *kernel_size].
        bias: of shape [out_channels], or None.

    >>> import inplacelab as paddle
    >>> paddle.nn.Conv2D(3, 8, 3, padding=1)(paddle.ones([2, 3, 5, 5])).shape
    paddle.Size([2, 8, 5, 5])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Conv2D_en.html
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        if padding_mode not in _MODES:
            raise errors.bad_argument(
                op="Conv2D",
                argument="padding_mode",
                value=padding_mode,
                possible=Text(", ".join(_MODES), "、".join(_MODES)),
            )
        if groups < 1 or in_channels % groups:
            raise errors.channels_differ(x=in_channels, weight=[out_channels, in_channels], groups=groups)
        kernel = pair("Conv2D", "kernel_size", kernel_size)
        self._sizes = in_channels, out_channels, list(kernel)
        self._stride, self._dilation = pair("Conv2D", "stride", stride), pair("Conv2D", "dilation", dilation)
        self._padding, self._mode, self._groups, self._format = padding, padding_mode, groups, data_format
        start = Normal(0.0, (2.0 / (kernel[0] * kernel[1] * in_channels)) ** 0.5)
        shape = [out_channels, in_channels // groups, *kernel]
        self.weight = self.create_parameter(shape, weight_attr, default_initializer=start)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the filters to `x`, of shape [N, in_channels, H, W]."""
        padding = self._padding
        if self._mode != "zeros":
            x, padding = self._repeated(x), 0
        options = (self._stride, padding, self._dilation, self._groups, self._format)
        return functional.conv2d(x, self.weight, self.bias, *options)

    def _repeated(self, x: Tensor) -> Tensor:
        size = x.shape[1:3] if self._format == "NHWC" else x.shape[2:]
        reach = [(n - 1) * gap + 1 for n, gap in zip(self._sizes[2], self._dilation, strict=True)]
        rows, columns = paddings("Conv2D", self._padding, size, reach, self._stride)
        result: Tensor = functional.pad(x, [*columns, *rows], mode=self._mode, data_format=self._format)
        return result

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        inputs, outputs, kernel = self._sizes
        parts = [f"{inputs}, {outputs}, kernel_size={kernel}"]
        parts += [f"stride={list(self._stride)}"] * (self._stride != (1, 1))
        parts += [f"padding={self._padding}"] * (self._padding != 0)
        parts += [f"padding_mode={self._mode}"] * (self._mode != "zeros")
        parts += [f"dilation={list(self._dilation)}"] * (self._dilation != (1, 1))
        parts += [f"groups={self._groups}"] * (self._groups != 1)
        return ", ".join([*parts, f"data_format={self._format}"])


class Pooling(Applied):
    """The base of the pooling layers.

    >>> import inplacelab as paddle
    >>> paddle.nn.MaxPool2D(2)(paddle.ones([1, 3, 4, 4])).shape
    paddle.Size([1, 3, 2, 2])
    """

    def forward(self, x: Tensor) -> Any:
        """Looks at the windows of `x`, of shape [N, C, H, W]."""
        return getattr(functional, self.function)(x, **self._options)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return ", ".join(f"{option}={self._options[option]}" for option in ("kernel_size", "stride", "padding"))


MaxPool2D = layer_of(
    Pooling, "MaxPool2D", "max_pool2d", kernel_size=REQUIRED, stride=None, padding=0, return_mask=False, ceil_mode=False,
    data_format="NCHW",
)  # fmt: skip
AvgPool2D = layer_of(
    Pooling, "AvgPool2D", "avg_pool2d", kernel_size=REQUIRED, stride=None, padding=0, ceil_mode=False, exclusive=True,
    divisor_override=None, data_format="NCHW",
)  # fmt: skip


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


class BatchNorm2D(BatchNorm1D):
    """Normalizes each channel of images over a batch, then scales and shifts it. See `nn.functional.batch_norm`.

    In training the running mean and variance (`_mean`, `_variance`) are written in place, which raises their versions.

    Args:
        num_features: the number of channels C.
        momentum: the part of the running mean and variance that each batch keeps.
        epsilon: added to the variance to avoid division by zero.
        weight_attr: a `ParamAttr`, a name or an initializer for the weight; False for no weight.
        bias_attr: the same for the bias.
        data_format: "NCHW" or "NHWC": where the channels are.
        use_global_stats: True uses the running mean and variance in training, too; None only in evaluation.
        name: accepted for compatibility with Paddle; ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/BatchNorm2D_en.html
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats)

    def forward(self, x: Tensor) -> Tensor:
        """Normalizes `x`, of shape [N, C, H, W], and in training updates the running mean and variance."""
        if x.ndim != 4:
            raise errors.not_images(op="batch_norm", x=x.shape)
        return super().forward(x)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        named = super().extra_repr()
        return named.removesuffix(", data_format=NCHW")
