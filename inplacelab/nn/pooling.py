"""Pooling: one number for each window of an image, its largest or its mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.nn.windows import Sides, channels_back, channels_second, check_format, padded, paddings, pair, windows
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor


def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window. Of equal ones the first gets the gradient, as in Paddle.

    Args:
        x: images of shape [N, C, H, W], or [N, H, W, C] if `data_format` is "NHWC".
        kernel_size: the size of a window: an integer, or two for rows and columns.
        stride: the step from one window to the next; the size of a window if None.
        padding: the rows and columns around the image, which never are the largest: as in `conv2d`.
        return_mask: whether to return the positions of the largest elements, too.
        ceil_mode: whether windows may reach over the edge of the image.
        data_format: "NCHW" or "NHWC": where the channels are.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of shape [N, C, windows down, windows across], with the channels where those of `x` are. With `return_mask` two:
        the second holds, in int32, each one's position in its image, counted row by row.

    Raises:
        ShapeError: if a window does not fit into the image.
        ArgumentError: if an option has another form.

    >>> import inplacelab as paddle
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> paddle.nn.functional.max_pool2d(x, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/max_pool2d_en.html
    """
    look = _look("max_pool2d", x, kernel_size, stride, padding, ceil_mode, data_format, -np.inf)
    flat = look.shown.reshape([*look.shown.shape[:4], -1])
    first = flat.argmax(-1, keepdim=True)
    result = channels_back(flat.take_along_axis(first, 4).squeeze(-1), data_format)
    if not return_mask:
        return result
    places = channels_back(to_tensor(look.positions(first.squeeze(-1).numpy()), place=x.place), data_format)
    return result, places


def avg_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Returns the mean of each window.

    Args:
        x: images of shape [N, C, H, W], or [N, H, W, C] if `data_format` is "NHWC".
        kernel_size: the size of a window: an integer, or two for rows and columns.
        stride: the step from one window to the next; the size of a window if None.
        padding: the zeros around the image: as in `conv2d`.
        ceil_mode: whether windows may reach over the edge of the image.
        exclusive: whether only elements of the image count in the mean, not those around it.
        divisor_override: what the sum is divided by, instead of the number of elements.
        data_format: "NCHW" or "NHWC": where the channels are.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of shape [N, C, windows down, windows across], with the channels where those of `x` are.

    Raises:
        ShapeError: if a window does not fit into the image.
        ArgumentError: if an option has another form.

    >>> import inplacelab as paddle
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> paddle.nn.functional.avg_pool2d(x, 2).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/avg_pool2d_en.html
    """
    look = _look("avg_pool2d", x, kernel_size, stride, padding, ceil_mode, data_format, 0.0)
    total = look.shown.sum([4, 5])
    if divisor_override is not None:
        return channels_back(total.scale(1.0 / divisor_override), data_format)
    counts = to_tensor(look.counts(exclusive).astype(x.array.dtype), place=x.place)
    return channels_back(total / counts, data_format)


class _Look:
    """The windows of an image.

    Attributes:
        shown: a view of shape [N, C, windows down, windows across, rows, columns].
        size: the rows and columns of the image.
        sides: what is around it, for rows and columns; `beyond`: what is added there for `ceil_mode`.
    """

    def __init__(self, shown: Tensor, size: Sequence[int], sides: Sequence[Sides], stride: Sequence[int]) -> None:
        self.shown, self.size, self.sides, self.stride = shown, size, sides, stride

    def _starts(self, axis: int) -> Any:
        """The first row or column of each window, counted in the image."""
        return np.arange(self.shown.shape[2 + axis]) * self.stride[axis] - self.sides[axis].before

    def counts(self, exclusive: bool) -> Any:
        """The numbers of elements that count in each window: those of the image, or also of what is around it."""
        found = []
        for axis, (size, sides) in enumerate(zip(self.size, self.sides, strict=True)):
            start = self._starts(axis)
            low, high = (0, size) if exclusive else (-sides.before, size + sides.after)
            found.append(np.minimum(start + self.shown.shape[4 + axis], high) - np.maximum(start, low))
        return np.outer(*found)

    def positions(self, chosen: Any) -> Any:
        """Positions in the image, from positions in the windows."""
        rows, columns = np.divmod(chosen, self.shown.shape[5])
        down, across = self._starts(0)[:, None], self._starts(1)
        return ((down + rows) * self.size[1] + across + columns).astype(np.int32)


def _look(
    op: str, x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, data_format: str, around: float
) -> _Look:
    x = as_tensor(op, "x", 0, x)
    check_format(op, data_format)
    if x.ndim != 4:
        raise errors.not_images(op=op, x=x.shape)
    kernel = pair(op, "kernel_size", kernel_size)
    steps = kernel if stride is None else pair(op, "stride", stride)
    x = channels_second(x, data_format)
    size = x.shape[2:]
    sides = paddings(op, padding, size, kernel, steps)
    beyond = [
        _beyond(n, k, s, side) if ceil_mode else 0 for n, k, s, side in zip(size, kernel, steps, sides, strict=True)
    ]
    wide = [Sides(side.before, side.after + more) for side, more in zip(sides, beyond, strict=True)]
    return _Look(windows(padded(x, wide[0], wide[1], around), kernel, steps), size, sides, steps)


def _beyond(size: int, kernel: int, stride: int, sides: Sides) -> int:
    """What is added so that a last window, which reaches over the edge, fits."""
    return -(size + sides.before + sides.after - kernel) % stride
