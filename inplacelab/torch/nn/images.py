"""Modules for images: convolution and pooling."""

from __future__ import annotations

from math import sqrt
from typing import Any

import inplacelab.torch as torch
from inplacelab.torch.nn import functional as F
from inplacelab.torch.nn import init
from inplacelab.torch.nn.module import Module
from inplacelab.torch.tensor import Parameter


def _two(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else tuple(size)


class Conv2d(Module):
    """Computes the sum of products of each window of an image and each filter.

    Args:
        in_channels: the channels of the images.
        out_channels: the number of filters.
        kernel_size: the size of a filter: an integer, or two for rows and columns.
        stride: the step from one window to the next.
        padding: the zeros around the image, "same" or "valid".
        dilation: the step from one element of a window to the next.
        groups: the channels are divided into so many groups; each filter looks at one of them.
        bias: whether there is a bias.

    Attributes:
        weight: of shape (out_channels, in_channels / groups, *kernel_size).
        bias: of shape (out_channels,), or None.

    >>> import inplacelab.torch as torch
    >>> torch.nn.Conv2d(3, 8, 3, padding=1)(torch.ones(2, 3, 5, 5)).shape
    torch.Size([2, 8, 5, 5])
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
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = _two(kernel_size), _two(stride), _two(dilation)
        self.padding = padding if isinstance(padding, str) else _two(padding)
        self.weight = Parameter(torch.empty(out_channels, in_channels // groups, *self.kernel_size))
        self.register_parameter("bias", Parameter(torch.empty(out_channels)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the first values: uniform within one over the root of the elements of a window."""
        limit = 1 / sqrt(self.weight[0].numel())
        init.uniform_(self.weight, -limit, limit)
        if self.bias is not None:
            init.uniform_(self.bias, -limit, limit)

    def forward(self, input: Any) -> Any:
        """Applies the filters to images of shape (N, C, H, W) or (C, H, W)."""
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
            f"padding={self.padding}" * (self.padding != (0, 0)),
            f"dilation={self.dilation}" * (self.dilation != (1, 1)),
            f"groups={self.groups}" * (self.groups != 1),
            "bias=False" * (self.bias is None),
        ]
        return ", ".join(filter(None, parts))


class MaxPool2d(Module):
    """Returns the largest element of each window.

    Args:
        kernel_size: the size of a window: an integer, or two for rows and columns.
        stride: the step from one window to the next; the size of a window if None.
        padding: the rows and columns around the image, which never are the largest.
        dilation: 1.
        return_indices: whether to return the positions of the largest elements, too.
        ceil_mode: whether windows may reach over the edge of the image.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Any) -> Any:
        """Looks at images of shape (N, C, H, W) or (C, H, W)."""
        windows = (self.kernel_size, self.stride, self.padding, self.dilation)
        return F.max_pool2d(input, *windows, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        windows = f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        return f"{windows}, dilation={self.dilation}, ceil_mode={self.ceil_mode}"


class AvgPool2d(Module):
    """Returns the mean of each window.

    Args:
        kernel_size: the size of a window: an integer, or two for rows and columns.
        stride: the step from one window to the next; the size of a window if None.
        padding: the zeros around the image.
        ceil_mode: whether windows may reach over the edge of the image.
        count_include_pad: whether these zeros count in the mean.
        divisor_override: what the sum is divided by, instead of the number of elements.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Any) -> Any:
        """Looks at images of shape (N, C, H, W) or (C, H, W)."""
        windows = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return F.avg_pool2d(input, *windows, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Returns the means of so many windows that divide an image evenly.

    Args:
        output_size: how many: an integer, or two for rows and columns.
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        """Looks at images of shape (N, C, H, W) or (C, H, W)."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"output_size={self.output_size}"
