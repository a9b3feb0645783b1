"""Dropout: sets random elements to zero in training.

Backward needs the mask, which has one byte for each element. It does not need the values of the elements, so dropout works
in place without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.history import check_leaf
from inplacelab.layout import normal_axis
from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import made
from inplacelab.ops.results import random_stream
from inplacelab.ops.results.kernel_tools import keep_where
from inplacelab.ops.table import LazyFunction, as_functional, elementwise
from inplacelab.ops.table.depends import chosen
from inplacelab.tensor import Tensor

MODES = ("upscale_in_train", "downscale_in_infer")


def _dropout(out: Any, x: Any, mask: Any, factor: float, device: Any) -> None:
    np.multiply(x, constant(factor, out.dtype), out)
    keep_where(out, out, mask, device)


def _again(g: Tensor, mask: Tensor, factor: float) -> Tensor:
    """The gradient is dropped where the elements were."""
    dropped: Tensor = _ORDINARY.function()(g, mask, factor)
    return dropped


DROPOUT = elementwise(
    "dropout", "x, mask", ("`x` times `factor` where `mask` is true, 0 elsewhere.", "`mask` 为真处取 `x` 乘以 `factor`，其余为 0。"),
    attrs="factor=1.0", kernel=_dropout, accepts="f", masks=("mask",), depends=chosen(1, 0, -1),
    cuda={"f": "mask ? x * factor : 0"}, dtype=lambda x: x, method=False, function=False, by_argument=True, d_x=_again,
)  # fmt: skip
_ORDINARY, _IN_PLACE = LazyFunction(DROPOUT, "ordinary"), LazyFunction(DROPOUT, "in-place")


@as_functional
def dropout(
    x: Tensor,
    p: float = 0.5,
    axis: int | Sequence[int] | None = None,
    training: bool = True,
    inplace: bool = False,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """Sets each element to zero with probability `p`, and scales the others so that the expected value does not change.

    以概率 `p` 把每个元素置零，并缩放其余元素，使均值保持不变。

    Args:
        x: a floating-point tensor.
        p: the probability, from 0 to 1; with 0 the result is `x` itself.
        axis: the axes along which elements are chosen independently; along the others the mask is repeated. None: all axes.
        training: if not, nothing is set to zero.
        inplace: write into `x`, whose version is raised by one. Not together with `axis`, as in PaddlePaddle.
        mode: "upscale_in_train" divides by `1 - p` in training; "downscale_in_infer" multiplies by it otherwise.
        name: ignored.

    Raises:
        ArgumentError: if `p` is not a probability, or `mode` is not one of these.
        ArgumentKindError: if `p` is not a number, or `axis` not integers.
        UnsupportedError: if it is in place and `axis` is given.

    >>> import inplacelab as paddle
    >>> x = paddle.ones([3])
    >>> y = paddle.nn.functional.dropout(x, 1.0, inplace=True)
    >>> y is x, x.inplace_version, x.tolist()
    (True, 1, [0.0, 0.0, 0.0])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/dropout_en.html
    """
    x = as_tensor("dropout", "x", 0, x)
    check_dropout(p, axis, mode)
    if inplace and axis is not None:
        raise errors.dropout_axes_in_place()
    if p == 0:
        return x
    if (
        inplace and modes.current().recording_history
    ):  # before numbers are drawn: a refused call must not advance the random stream
        check_leaf("dropout", x, write="dropout(y, inplace=True)")
    keep = 1.0 - p
    if training:
        mask, factor = _chosen(x, keep, axis), 1.0 / keep if mode == MODES[0] and keep else 1.0
    else:
        mask, factor = _all(x), keep if mode == MODES[1] else 1.0
    dropped: Tensor = (_IN_PLACE if inplace else _ORDINARY).function()(x, mask, factor)
    return dropped


def check_dropout(p: Any, axis: Any, mode: str) -> None:
    """Refuses invalid values of `p`, `axis` and `mode`."""
    if not isinstance(p, int | float) or isinstance(p, bool):
        raise errors.dropout_rate_not_a_number(p=p)
    if not 0 <= p <= 1:
        raise errors.dropout_rate_out_of_range(p=p)
    if mode not in MODES:
        raise errors.unknown_dropout_mode(mode=mode)
    if axis is not None and not isinstance(axis, int | list | tuple):
        raise errors.bad_dropout_axis(axis=axis)


def _chosen(x: Tensor, keep: float, axis: int | Sequence[int] | None) -> Tensor:
    """A mask that is true with probability `keep`: independent along the given axes, repeated along the others."""
    sizes = x.array.shape
    if axis is not None:
        chosen = {normal_axis(each, len(sizes)) for each in ([axis] if isinstance(axis, int) else axis)}
        sizes = tuple(n if k in chosen else 1 for k, n in enumerate(sizes))
    device = x.storage.device
    numbers = device.empty(sizes, np.dtype(np.float32))
    device.ledger.borrow(numbers.nbytes)
    random_stream.bernoulli(numbers, keep, device=device)
    return made("bernoulli", numbers.astype(bool), device)


def _all(x: Tensor) -> Tensor:
    device = x.storage.device
    mask = device.empty((), np.dtype(bool))
    np.copyto(mask, True)
    return made("full", mask, device)
