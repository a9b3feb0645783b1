"""Convolution of images, as a learner can follow it: the windows of the image are the rows of a matrix."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.nn.windows import channels_second, check_format, padded, paddings, pair, windows
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.joining_and_splitting import concat
from inplacelab.tensor import Tensor


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Computes the sum of products of each window of an image and each filter.

    It pads the image, views its windows, copies them to the rows of a matrix, and multiplies that by the filters.

    Args:
        x: images of shape [N, C, H, W], or [N, H, W, C] if `data_format` is "NHWC".
        weight: filters of shape [M, C / groups, rows, columns].
        bias: what is added to each of the M results, or None.
        stride: the step from one window to the next: an integer, or two for rows and columns.
        padding: the zeros around the image: an integer, two for rows and columns, four for top, bottom, left and right, "VALID" (none)
            or "SAME" (as many results as ceil(size / stride)).
        dilation: the step from one element of a window to the next: an integer, or two.
        groups: the channels are divided into so many groups; each filter looks at one of them.
        data_format: "NCHW" or "NHWC": where the channels are.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of shape [N, M, windows down, windows across], with the channels where those of `x` are.

    Raises:
        ShapeError: if the channels of `x` are not `groups` times those of the filters, or a window does not fit into the image.
        ArgumentError: if an option has another form.

    >>> import inplacelab as paddle
    >>> x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
    >>> paddle.nn.functional.conv2d(x, paddle.ones([1, 1, 2, 2])).tolist()
    [[[[8.0, 12.0], [20.0, 24.0]]]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/conv2d_en.html
    """
    x, weight = as_tensor("conv2d", "x", 0, x), as_tensor("conv2d", "weight", 1, weight)
    check_format("conv2d", data_format)
    if x.ndim != 4 or weight.ndim != 4:
        raise errors.not_images_or_filters(op="conv2d", x=x.shape, weight=weight.shape)
    steps, gaps = pair("conv2d", "stride", stride), pair("conv2d", "dilation", dilation)
    x = channels_second(x, data_format)
    filters, depth, *kernel = weight.shape
    if groups < 1 or x.shape[1] != depth * groups or filters % groups:
        raise errors.channels_differ(x=x.shape[1], weight=weight.shape, groups=groups)
    reach = [(n - 1) * gap + 1 for n, gap in zip(kernel, gaps, strict=True)]
    shown = windows(padded(x, *paddings("conv2d", padding, x.shape[2:], reach, steps)), kernel, steps, gaps)
    count, (down, across) = x.shape[0], shown.shape[2:4]
    parts = []
    for k in range(groups):
        part = shown[:, k * depth : (k + 1) * depth].transpose([0, 2, 3, 1, 4, 5])
        rows = part.reshape([count * down * across, depth * kernel[0] * kernel[1]])
        own = weight[k * (filters // groups) : (k + 1) * (filters // groups)] if groups > 1 else weight
        parts.append(rows.matmul(own.reshape([filters // groups, -1]).t()))
    result = parts[0] if groups == 1 else concat(parts, 1)
    result = result if bias is None else result + bias
    shaped: Tensor = result.reshape([count, down, across, filters])
    return shaped if data_format == "NHWC" else channels_second(shaped, "NHWC").contiguous()
