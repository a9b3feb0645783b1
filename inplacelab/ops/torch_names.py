"""Functions that PaddlePaddle 3.3 has adopted from PyTorch. Recordings show `permute` and `repeat` with Paddle's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab import backends, dtypes
from inplacelab.ops.arguments.creation_options import finished
from inplacelab.ops.arguments.keywords import are_numbers
from inplacelab.ops.creation import filled, made, shape_of
from inplacelab.ops.table.exports import as_function, as_method
from inplacelab.tensor import Tensor


def _together(first: Any, more: tuple[Any, ...]) -> Any:
    """Separate numbers as a list."""
    return [first, *more] if more or are_numbers([first]) else first


@as_method
@as_function
def permute(input: Tensor, dims: Any, *more: int) -> Tensor:
    """`transpose`, with or without brackets around the order of the axes: a view.

    即 `transpose`，各轴的次序可以不加方括号：得到视图。

    Raises:
        ShapeError: if `dims` is not an order of the axes.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([2, 3, 4])
    >>> x.permute(2, 0, 1).shape, x.permute([1, 0, 2]).shape
    (paddle.Size([4, 2, 3]), paddle.Size([3, 2, 4]))

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/permute_en.html
    """
    return input.transpose(_together(dims, more))


@as_method
def repeat(self: Tensor, repeats: Any, *more: int) -> Tensor:
    """`tile`, with or without brackets around the numbers: a copy.

    即 `tile`，各轴的次数可以不加方括号：得到副本。

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([[1, 2]]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return self.tile(_together(repeats, more))


@as_method
def new_full(
    self: Tensor,
    size: Sequence[int],
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor of `size` with `fill_value` in every element, by default with the dtype and device of this tensor.

    Args:
        self: a tensor.
        size: the sizes of the axes.
        fill_value: the number.
        dtype: the type of the elements; that of this tensor if None.
        device: the device; that of this tensor if None.
        requires_grad: whether the new tensor needs a gradient.
        pin_memory: whether to create it in pinned memory.

    形状为 `size`、元素均为 `fill_value` 的新张量；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.zeros([2], dtype='int32').new_full([1, 2], 7).tolist()
    [[7, 7]]
    """
    return finished(_new("new_full", self, size, fill_value, dtype, device), requires_grad, pin_memory)


@as_method
def new_zeros(
    self: Tensor,
    size: Any,
    *more: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor of zeros. The arguments are those of `new_full`; the sizes may be separate numbers.

    全零的新张量，各轴大小可以不加方括号；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.ones([2]).new_zeros(1, 3).tolist()
    [[0.0, 0.0, 0.0]]
    """
    return finished(_new("new_zeros", self, _together(size, more), 0, dtype, device), requires_grad, pin_memory)


@as_method
def new_ones(
    self: Tensor,
    size: Any,
    *more: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor of ones. The arguments are those of `new_full`; the sizes may be separate numbers.

    全一的新张量，各轴大小可以不加方括号；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.zeros([2]).new_ones(2).tolist()
    [1.0, 1.0]
    """
    return finished(_new("new_ones", self, _together(size, more), 1, dtype, device), requires_grad, pin_memory)


@as_method
def new_empty(
    self: Tensor,
    size: Any,
    *more: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Creates a tensor whose elements are not initialized. The arguments are those of `new_full`; the sizes may be separate.

    元素为内存中原有内容的新张量；未指定时，dtype 与设备同本张量。

    >>> import inplacelab as paddle
    >>> paddle.zeros([2]).new_empty(2, 3).shape
    paddle.Size([2, 3])
    """
    where = self.storage.device if device is None else backends.find(device)
    sizes = shape_of("new_empty", _together(size, more))
    kind = dtypes.as_numpy(self.dtype if dtype is None else dtype)
    return finished(made("new_empty", where.empty(sizes, kind), where), requires_grad, pin_memory)


def _new(name: str, like: Tensor, size: Any, value: Any, dtype: Any, device: Any) -> Tensor:
    where = like.storage.device if device is None else backends.find(device)
    return filled(name, size, value, like.dtype if dtype is None else dtype, where)
