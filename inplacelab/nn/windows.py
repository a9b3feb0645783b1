"""The windows of an image that convolution and pooling look at: views, so that nothing is copied to make them.

`stride`, `padding` and the sizes of windows are pairs, for rows and columns; one number stands for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inplacelab import errors
from inplacelab.language import Text
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
