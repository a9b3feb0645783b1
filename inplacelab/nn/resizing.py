"""Images of another size: each element of the result is an element of the image, or a weighted mean of its neighbors.

Axes are resized one after the other, so two axes are no other case than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor

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


def upsample(  # Paddle's signature
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Resizes images: the same function as `interpolate`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/upsample_en.html
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


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
