"""`put_along_axis`, `scatter` and `gather`: names that stand for several operations in PaddlePaddle 3.3.

`put_along_axis` chooses a row by `reduce`. Since 3.3, `scatter` and `gather` have PyTorch's meaning in addition to Paddle's:
with an axis as the first argument, `x.scatter_(0, index, src)`, they work along that axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops.arguments.indices import Along
from inplacelab.ops.scattering import GATHER, SCATTER
from inplacelab.ops.table import LazyFunction, as_function, as_method
from inplacelab.tensor import Tensor

_ROWS = {
    "assign": "_put_along", "add": "_add_along", "mul": "_multiply_along", "multiply": "_multiply_along",
    "mean": "_mean_along", "amin": "_extreme_along", "amax": "_extreme_along",
}  # fmt: skip
_SCATTER, _SCATTER_INTO = LazyFunction(SCATTER, "ordinary"), LazyFunction(SCATTER, "in-place")
_GATHER = LazyFunction(GATHER, "ordinary")


def _put(suffix: str, arr: Tensor, indices: Tensor, values: Any, reduce: str, at: Along) -> Tensor:
    if reduce not in _ROWS:
        raise errors.bad_argument(
            op="put_along_axis", argument="reduce", value=reduce, possible=Text(", ".join(_ROWS), "、".join(_ROWS))
        )
    method: Callable[..., Tensor] = getattr(Tensor, _ROWS[reduce] + suffix)
    return method(arr, indices, values, at)


@as_method
@as_function
def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Any,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Returns a copy of `arr` with `values` written at the positions `indices` on `axis`, or combined with the old values.

    沿 `axis` 在 `indices` 所指的位置写入 `values`，或与原有的值合并。

    Args:
        arr: the tensor to copy and write into.
        indices: int32 or int64, with as many axes as `arr`: for each element its position on `axis`.
        values: a tensor of the dtype of `arr`, or a number.
        axis: along which to count.
        reduce: "assign", "add", "mul" (or "multiply"), "mean", "amin" or "amax".
        include_self: whether to combine with the old values, too; not for "assign".
        broadcast: whether `indices` and `values` are broadcast to the shape of `arr`; otherwise `indices` may be smaller.

    Raises:
        IndexRangeError: if an index is outside the axis. (PaddlePaddle 3.3.1 has written some of the values by then.)
        ShapeError: if the shapes do not fit.
        OperandError: if `values` have another dtype.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([2, 3])
    >>> paddle.put_along_axis(x, paddle.to_tensor([[0, 1, 0]]), 5.0, 0).tolist()
    [[5.0, 0.0, 5.0], [0.0, 5.0, 0.0]]
    """
    return _put("", arr, indices, values, reduce, Along(axis, broadcast, include_self, reduce == "amax"))


@as_method
def put_along_axis_(
    arr: Tensor,
    indices: Tensor,
    values: Any,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Does the same as `put_along_axis` in place: writes into `arr`, whose version is raised by one.

    The arguments and errors are those of `put_along_axis`.

    原地操作：与 `put_along_axis` 相同，但写入 `arr`，其版本加一。

    >>> import inplacelab as paddle
    >>> x = paddle.ones([3])
    >>> x.put_along_axis_(paddle.to_tensor([1, 1]), paddle.to_tensor([2.0, 3.0]), 0, "add").tolist()
    [1.0, 6.0, 1.0]
    """
    return _put("_", arr, indices, values, reduce, Along(axis, broadcast, include_self, reduce == "amax"))


def _means_along_axis(arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    return isinstance(arguments[1], int) if len(arguments) > 1 else "dim" in named


def _along(
    put: Callable[..., Tensor],
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    reduce: Any = None,
    value: Any = None,
) -> Tensor:
    written = src if value is None else value
    return put(input, index, written, dim, reduce or "assign", True, False)


@as_method
@as_function
def scatter(*args: Any, **kwargs: Any) -> Tensor:
    """Returns a copy with the rows of `updates` at the positions in `index`; or added to zeros there (`overwrite=False`).

    把 `updates` 的各行写到 `index` 所列的位置；`overwrite=False` 时先清零这些行再累加。

    Two ways to call it: `scatter(x, index, updates, overwrite=True)`, and as in PyTorch
    `scatter(input, dim, index, src, reduce=None)`, which is `put_along_axis`. 两种调用方式：后者即 `put_along_axis`。

    Args:
        *args: `x`, a tensor; `index`, a vector of int32 or int64; `updates`, a tensor of the dtype of `x` with one row for each
            index; `overwrite`, True to write the rows, False to add them to zeros.
        **kwargs: the same by name.

    Returns:
        A new tensor of the shape of `x`.

    Raises:
        IndexRangeError: if an index is outside the first axis.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([3])
    >>> paddle.scatter(x, paddle.to_tensor([2, 2]), paddle.to_tensor([1.0, 5.0]), overwrite=False).tolist()
    [0.0, 0.0, 6.0]
    """
    if _means_along_axis(args, kwargs):
        return _along(put_along_axis, *args, **kwargs)
    result: Tensor = _SCATTER.function()(*args, **kwargs)
    return result


@as_method
@as_function
def scatter_(*args: Any, **kwargs: Any) -> Tensor:
    """Writes the rows of `updates` at the positions in `index`, in place; or zeroes those rows and adds (`overwrite=False`).

    原地操作：把 `updates` 的各行写到 `index` 所列的位置；`overwrite=False` 时先清零这些行再累加。

    The version is raised by one. `x.scatter_(dim, index, src)` is `put_along_axis_`. 版本加一；给出轴时即 `put_along_axis_`。

    The arguments and errors are those of `scatter`.
    """
    if _means_along_axis(args, kwargs):
        return _along(put_along_axis_, *args, **kwargs)
    result: Tensor = _SCATTER_INTO.function()(*args, **kwargs)
    return result


@as_method
@as_function
def gather(*args: Any, **kwargs: Any) -> Tensor:
    """Returns the rows at the positions in `index`, along `axis`: a copy.

    沿 `axis` 取出 `index` 所列位置的各行（副本）。

    Two ways to call it: `gather(x, index, axis=0)`, and as in PyTorch `gather(input, dim, index)`, which is
    `take_along_axis` without broadcasting. 两种调用方式：后者即不作广播的 `take_along_axis`。

    Args:
        *args: `x`, a tensor; `index`, a vector of int32 or int64; `axis`, the axis of the rows.
        **kwargs: the same by name.

    Returns:
        A new tensor whose size along `axis` is the number of indices.

    Raises:
        IndexRangeError: if an index is outside the axis.
    """
    if _means_along_axis(args, kwargs):
        named = dict(zip(("input", "dim", "index"), args, strict=False)) | kwargs
        taken: Tensor = named["input"].take_along_axis(named["index"], named["dim"], False, out=named.get("out"))
        return taken
    result: Tensor = _GATHER.function()(*args, **kwargs)
    return result
