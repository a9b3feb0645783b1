"""Functions on images: convolution, pooling and resizing.

Convolution and pooling look at the windows of an image, which are views, so that nothing is copied to make them. Their `stride`, `padding`
and sizes are pairs, for rows and columns; one number stands for both. Convolution is written as a learner can follow it: the windows
are the rows of a matrix. Axes are resized one after the other, so two axes are no other case than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.joining_and_splitting import concat
from inplacelab.tensor import Tensor

FORMATS = ("NCHW", "NHWC")


class Sides(NamedTuple):
    """The rows or columns that are added before and after an image."""

    before: int
    after: int


def pair(op: str, argument: str, value: Any) -> tuple[int, int]:
    """Returns the number for rows and the one for columns.

    Raises:
        ArgumentError: if `value` is neither an integer nor two of them.
    """
    numbers: list[Any] = (
        [value, value] if isinstance(value, int) else list(value) if isinstance(value, list | tuple) else []
    )
    if len(numbers) != 2 or not all(isinstance(each, int) for each in numbers):
        raise errors.bad_argument(
            op=op, argument=argument, value=value, possible=Text("one integer, or two", "一个或两个整数")
        )
    return numbers[0], numbers[1]


def check_format(op: str, data_format: str) -> None:
    """Refuses other places of the channels than those of `FORMATS`."""
    if data_format not in FORMATS:
        raise errors.bad_argument(
            op=op, argument="data_format", value=data_format, possible=Text(" or ".join(FORMATS), " 或 ".join(FORMATS))
        )


def channels_second(x: Tensor, data_format: str) -> Tensor:
    """Returns an image as [N, C, H, W]: a view."""
    return x.transpose([0, 3, 1, 2]) if data_format == "NHWC" else x


def channels_back(x: Tensor, data_format: str) -> Tensor:
    """Undoes `channels_second`."""
    return x.transpose([0, 2, 3, 1]) if data_format == "NHWC" else x


def paddings(
    op: str, padding: Any, sizes: Sequence[int], reach: Sequence[int], stride: Sequence[int]
) -> tuple[Sides, Sides]:
    """Returns what is added at each side of the rows and columns.

    Args:
        op: the name of the operation, for messages.
        padding: an integer, two, four (before and after each), a pair for each axis, "VALID" or "SAME".
        sizes: the numbers of rows and columns.
        reach: the rows and columns that a window covers.
        stride: the step from one window to the next.
    """
    if isinstance(padding, str) and padding.upper() in ("VALID", "SAME"):
        if padding.upper() == "VALID":
            return Sides(0, 0), Sides(0, 0)
        wanted = [max((-(-n // s) - 1) * s + r - n, 0) for n, r, s in zip(sizes, reach, stride, strict=True)]
        rows, columns = (Sides(n // 2, n - n // 2) for n in wanted)
        return rows, columns
    given: list[Any] = (
        [padding] * 2 if isinstance(padding, int) else list(padding) if isinstance(padding, list | tuple) else []
    )
    if len(given) == 4 and all(isinstance(each, list | tuple) for each in given):
        given = [each for each in given if list(each) != [0, 0]] or [
            (0, 0)
        ] * 2  # also of the batch and the channels: 0
    flat = [int(n) for each in given for n in (each if isinstance(each, list | tuple) else (each,))]
    if len(flat) == 2:
        flat = [flat[0], flat[0], flat[1], flat[1]]
    if len(flat) != 4 or min(flat) < 0:
        possible = Text('an integer, two, four, "SAME" or "VALID"', '一个、两个或四个整数，"SAME" 或 "VALID"')
        raise errors.bad_argument(op=op, argument="padding", value=padding, possible=possible)
    return Sides(*flat[:2]), Sides(*flat[2:])


def padded(x: Tensor, rows: Sides, columns: Sides, value: float = 0.0) -> Tensor:
    """Returns an image with `value` around it; itself if nothing is added."""
    if not any((*rows, *columns)):
        return x
    result: Tensor = x._framed([(0, 0), (0, 0), tuple(rows), tuple(columns)], value)
    return result


def windows(x: Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int] = (1, 1)) -> Tensor:
    """Returns all windows of an image: a view.

    Args:
        x: of shape [N, C, H, W].
        kernel: the rows and columns of a window.
        stride: the step from one window to the next.
        dilation: the step from one element of a window to the next.

    Returns:
        A view of shape [N, C, windows down, windows across, *kernel].
    """
    for k, (size, step, gap) in enumerate(zip(kernel, stride, dilation, strict=True)):
        x = x.unfold(k + 2, (size - 1) * gap + 1, step)
    rows, columns = dilation
    return x if (rows, columns) == (1, 1) else x[..., ::rows, ::columns]


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
    seen = _windows_of("max_pool2d", x, kernel_size, stride, padding, ceil_mode, data_format, -np.inf)
    flat = seen.shown.reshape([*seen.shown.shape[:4], -1])
    first = flat.argmax(-1, keepdim=True)
    result = channels_back(flat.take_along_axis(first, 4).squeeze(-1), data_format)
    if not return_mask:
        return result
    places = channels_back(to_tensor(seen.positions(first.squeeze(-1).numpy()), place=x.place), data_format)
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
    seen = _windows_of("avg_pool2d", x, kernel_size, stride, padding, ceil_mode, data_format, 0.0)
    total = seen.shown.sum([4, 5])
    if divisor_override is not None:
        return channels_back(total.scale(1.0 / divisor_override), data_format)
    counts = to_tensor(seen.counts(exclusive).astype(x.array.dtype), place=x.place)
    return channels_back(total / counts, data_format)


class _Windows:
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


def _windows_of(
    op: str, x: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, data_format: str, around: float
) -> _Windows:
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
    return _Windows(windows(padded(x, wide[0], wide[1], around), kernel, steps), size, sides, steps)


def _beyond(size: int, kernel: int, stride: int, sides: Sides) -> int:
    """What is added so that a last window, which reaches over the edge, fits."""
    return -(size + sides.before + sides.after - kernel) % stride


MODES = ("nearest", "linear", "bilinear", "trilinear", "bicubic")
_AXES = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}


def interpolate(  # Paddle's signature
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Resizes images.

    Args:
        x: floating-point images of shape [N, C, W], [N, C, H, W] or [N, C, D, H, W].
        size: the sizes of the result after the channels: one for each axis; or one integer for all.
        scale_factor: what the sizes are multiplied by, if `size` is None: a number, or one for each axis.
        mode: "nearest" copies elements; "linear" (one axis), "bilinear" (two), "trilinear" (three) and "bicubic" (two) take weighted means.
        align_corners: whether the first and the last elements of image and result lie at the same places; not with "nearest".
        align_mode: 1 takes the result's element k at `k * ratio`; 0 compares the centers of elements. Only for linear modes.
        data_format: "NCW", "NCHW" or "NCDHW"; with "C" at the end if the channels are the last axis. Channels are second if None.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with other sizes after the channels.

    Raises:
        ArgumentError: if neither `size` nor `scale_factor` is given, the mode is another or not for so many axes, or an option has another
            form.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([[[1., 2.]]])
    >>> paddle.nn.functional.interpolate(x, scale_factor=2, data_format="NCW").tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/interpolate_en.html
    """
    x = as_tensor("interpolate", "x", 0, x)
    axes, mode = x.ndim - 2, mode.lower()
    if axes not in (1, 2, 3) or mode not in MODES or _AXES.get(mode, axes) != axes:
        fitting = [each for each in MODES if _AXES.get(each, axes) == axes]
        possible = Text(f"for {x.ndim} axes: {fitting}", f"{x.ndim} 个轴时：{fitting}")
        raise errors.bad_argument(op="interpolate", argument="mode", value=mode, possible=possible)
    if mode == "nearest" and align_corners:
        possible = Text("False with 'nearest'", "'nearest' 时为 False")
        raise errors.bad_argument(op="interpolate", argument="align_corners", value=True, possible=possible)
    first = 1 if data_format is not None and data_format.endswith("C") else 2
    grids = _grids(x.shape[first : first + axes], size, scale_factor)
    for k, grid in enumerate(grids, first):
        x = _resized(x, k, grid, mode, align_corners, align_mode)
    return x


class _Grid(NamedTuple):
    """One axis: its size, the size in the result, and how many elements one step in the result is (0 for a single one, as in Paddle)."""

    size: int
    wanted: int
    ratio: float


def _numbers(argument: str, value: Any, count: int) -> list[float]:
    """One number for each axis."""
    given = value.tolist() if isinstance(value, Tensor) else value
    found = (
        [each.item() if isinstance(each, Tensor) else each for each in given]
        if isinstance(given, list | tuple)
        else [given] * count
    )
    if len(found) != count or not all(isinstance(each, int | float) and each > 0 for each in found):
        possible = Text(f"a number greater than 0, or {count} of them", f"大于 0 的数，或 {count} 个这样的数")
        raise errors.bad_argument(op="interpolate", argument=argument, value=value, possible=possible)
    return found


def _grids(sizes: Sequence[int], size: Any, scale_factor: Any) -> list[_Grid]:
    if size is not None:
        wanted = _numbers("size", size, len(sizes))
        return [_grid(n, int(m), n / int(m)) for n, m in zip(sizes, wanted, strict=True)]
    if scale_factor is None:
        possible = Text("sizes, or `scale_factor`", "给出尺寸，或给出 `scale_factor`")
        raise errors.bad_argument(op="interpolate", argument="size", value=None, possible=possible)
    factors = _numbers("scale_factor", scale_factor, len(sizes))
    return [_grid(n, int(n * factor), 1 / factor) for n, factor in zip(sizes, factors, strict=True)]


def _grid(size: int, wanted: int, ratio: float) -> _Grid:
    return _Grid(size, wanted, ratio if wanted > 1 else 0.0)


def _resized(x: Tensor, axis: int, grid: _Grid, mode: str, align_corners: bool, align_mode: int) -> Tensor:
    """The image with another size of one axis."""
    steps = np.arange(grid.wanted)
    if mode == "nearest":
        return _elements(x, axis, np.floor(steps * grid.ratio))
    if align_corners:
        places = steps * ((grid.size - 1) / (grid.wanted - 1) if grid.wanted > 1 else 0.0)
    elif align_mode == 1 and mode != "bicubic":
        places = steps * grid.ratio
    else:
        places = (steps + 0.5) * grid.ratio - 0.5
        places = places if mode == "bicubic" else np.maximum(places, 0.0)
    before = np.floor(places)
    share = places - before
    if mode == "bicubic":
        return _sum(x, axis, before, {k: _cubic(np.abs(share - k)) for k in (-1, 0, 1, 2)})
    return _sum(x, axis, before, {0: 1.0 - share, 1: share})


def _sum(x: Tensor, axis: int, before: Any, weights: dict[int, Any]) -> Tensor:
    """The weighted sum of the elements at some distances behind a place."""
    shape = [-1 if k == axis else 1 for k in range(x.ndim)]
    total: Tensor | None = None
    for distance, weight in weights.items():
        part = _elements(x, axis, before + distance) * to_tensor(weight.reshape(shape), dtype=x.dtype, place=x.place)
        total = part if total is None else total + part
    assert total is not None
    return total


def _elements(x: Tensor, axis: int, places: Any) -> Tensor:
    """The elements at some places; outside the image, the nearest inside it."""
    inside = np.clip(places, 0, x.shape[axis] - 1).astype(np.int64)
    found: Tensor = x.index_select(to_tensor(inside, place=x.place), axis)
    return found


def _cubic(distance: Any) -> Any:
    """The weight of an element by its distance (R. Keys, "Cubic convolution interpolation for digital image processing", 1981)."""
    a = -0.75
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0.0))
