"""Maxima and minima along axes, and their indices.

The gradient goes to the chosen element. Equal ones share it, as in Paddle and in PyTorch's `amax`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.reductions import axes_of, reduced
from inplacelab.ops.table import reduction
from inplacelab.ops.table.depends import along_axes
from inplacelab.ops.table.row import Row, same
from inplacelab.tensor import Tensor

# ---- the values -----------------------------------------------------------------------------------------------------------------


def _check_elements(x: Any, axis: int | Sequence[int] | None) -> None:
    """Refuses an empty axis, which has no largest element. PaddlePaddle 3.3.1 returns uninitialized memory."""
    for k in axes_of(x, axis):
        if x.shape[k] == 0 and 0 not in reduced(x.shape, axes_of(x, axis), False):
            raise errors.empty_axis_reduced(axis=k)


def _largest(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.max(x, axis, out, keepdim)


def _smallest(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.min(x, axis, out, keepdim)


def _to_the_chosen(g: Tensor, x: Tensor, out: Tensor, axis: tuple[int, ...]) -> Tensor:
    kept = reduced(x.array.shape, axis, True)
    chosen = x.equal(out.reshape(kept)).cast(g.dtype)
    return chosen * (g.reshape(kept) / (chosen.sum(list(axis), keepdim=True) if axis else chosen))


def _extreme(name: str, kernel: Callable[..., None], en: str, zh: str) -> Row:
    return reduction(
        name, (f"The {en} element over the axes in `axis`, or of all.", f"沿 `axis` 各轴的{zh}元素；缺省时在全部元素中取。"),
        attrs="axis=None, keepdim=False", accepts="fi", validate=_check_elements, kernel=kernel, prepare={"axis": axes_of},
        shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=same, out=name.startswith("a"), depends=along_axes("reduced", rule=en),
        d_x=_to_the_chosen,
    )  # fmt: skip


MAX = _extreme("max", _largest, "largest", "最大")
MIN = _extreme("min", _smallest, "smallest", "最小")
AMAX = _extreme("amax", _largest, "largest", "最大")
AMIN = _extreme("amin", _smallest, "smallest", "最小")

# ---- the places -----------------------------------------------------------------------------------------------------------------


def _one_axis(x: Any, axis: Any) -> int | None:
    return None if axis is None else normal_axis(axis, max(x.ndim, 1))


def _check_line(x: Any, axis: Any) -> None:
    if (x.size if axis is None or x.ndim == 0 else x.shape[normal_axis(axis, x.ndim)]) == 0:
        raise errors.empty_axis_reduced(axis=axis or 0)


def _place_dtype(dtype: Any) -> Any:
    wanted = dtypes.as_numpy(dtype)
    if wanted not in (dtypes.int32.numpy, dtypes.int64.numpy):
        raise errors.bad_argmax_dtype(dtype=wanted.name)
    return wanted


def _place_shape(x: Shape, axis: int | None, keepdim: bool) -> Shape:
    return reduced(x, tuple(range(len(x))) if axis is None else (axis,), keepdim)


def _find(choose: Any, out: Any, x: Any, axis: int | None, device: Any) -> None:
    """NumPy first copies the array so that the axis is the last one."""
    device.ledger.borrow(x.nbytes + 8 * out.size)
    np.copyto(out, choose(x, axis).reshape(out.shape))


def _argmax(out: Any, x: Any, axis: int | None, device: Any) -> None:
    _find(np.argmax, out, x, axis if x.ndim else None, device)


def _argmin(out: Any, x: Any, axis: int | None, device: Any) -> None:
    _find(np.argmin, out, x, axis if x.ndim else None, device)


def _place_of(name: str, kernel: Callable[..., None], en: str, zh: str) -> Row:
    return reduction(
        name, (f"The index of the first {en} element along `axis`, or among all in one line.", f"沿 `axis` 第一个{zh}元素的下标；缺省时在排成一行的全部元素中取。"),
        attrs="axis=None, keepdim=False, dtype='int64'", accepts="fi", validate=_check_line, kernel=kernel, prepare={"axis": _one_axis},
        shape=_place_shape, dtype=_place_dtype, depends=along_axes("reduced"),
    )  # fmt: skip


ARGMAX = _place_of("argmax", _argmax, "largest", "最大")
ARGMIN = _place_of("argmin", _argmin, "smallest", "最小")
