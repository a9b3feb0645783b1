"""Operations on rows at a list of positions: `gather`, `index_select`, `scatter`, `index_add`, `index_fill`.

Positions may repeat. Where values are added, all of them count; where they are written, the last one counts, and only it
gets a gradient. (In PaddlePaddle 3.3.1 the overwritten values get one, too.)

`put_along_axis`, `scatter` and `gather` stand for several operations in PaddlePaddle 3.3. `put_along_axis` chooses a row by `reduce`.
Since 3.3, `scatter` and `gather` have PyTorch's meaning in addition to Paddle's: with an axis as the first argument,
`x.scatter_(0, index, src)`, they work along that axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import (
    Along,
    along,
    as_index_error,
    as_value_error,
    check_dtype,
    check_list,
    check_range,
    checked_axis,
    constant,
    front_axis,
    line_of,
    plain_number,
    written_last,
)
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.results.kernel_tools import start
from inplacelab.ops.table import LazyFunction, add_row, as_function, as_method
from inplacelab.ops.table.depends import moved, one_after_the_other, written
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor


def _line(index: Tensor) -> Tensor:
    """The positions as a vector."""
    return index.reshape([-1])


def _rows_at(places: Any, index: Any, axis: int) -> Any:
    """The elements of the rows at the positions in `index`."""
    return np.take(places, line_of(index), axis, mode="wrap")


def _with_rows(x: Shape, axis: int, rows: tuple[int, ...]) -> Shape:
    return (*x[:axis], *rows, *x[axis + 1 :])


# ---- take -----------------------------------------------------------------------------------------------------------------------


def _check_select(x: Any, index: Any, axis: Any) -> None:
    check_list("index_select", index, x.shape[checked_axis(axis, x.ndim)], as_value_error)


def _axis_given(x: Any, axis: Any) -> int:
    """The axis: the first for None; a tensor of one number is accepted."""
    return checked_axis(int(axis) if isinstance(axis, Tensor) else axis or 0, x.ndim)


def _check_gather(x: Any, index: Any, axis: Any) -> None:
    check_list("gather", index, x.shape[_axis_given(x, axis)], as_index_error, single=True)


def _select(out: Any, x: Any, index: Any, axis: int, device: Any) -> None:
    """NumPy reads a contiguous copy and a 64-bit index; mode "wrap", since the index was checked before."""
    device.ledger.borrow(8 * index.size + (0 if x.flags.c_contiguous else x.nbytes))
    np.take(x, line_of(index) if index.ndim else index, axis, out, "wrap")


def _gradient_of_selected(g: Tensor, index: Tensor, shape: Shape, axis: int) -> Tensor:
    rows = g if index.ndim else g.unsqueeze(axis)
    return g._spread_out(shape).index_add(_line(index), axis, rows)


INDEX_SELECT = add_row(
    "selection", "index_select", "x, index", ("The rows at the positions in `index`, along `axis`: a copy.", "沿 `axis` 取出 `index` 所列位置的各行（副本）。"),
    attrs="axis=0", validate=_check_select, prepare={"axis": front_axis}, kernel=_select, dtype=same, in_place=False, out=True,
    depends=moved(),
    shape=lambda x, index, axis: _with_rows(x, axis, (index[0],)),
    d_x=lambda g, x_form, index, axis: _gradient_of_selected(g, index, x_form.shape, axis),
)  # fmt: skip
GATHER = add_row(
    "selection", "gather", "x, index", ("The rows at the positions in `index`, along `axis`: a copy.", "沿 `axis` 取出 `index` 所列位置的各行（副本）。"),
    attrs="axis=None", validate=_check_gather, prepare={"axis": _axis_given}, kernel=_select, dtype=same, in_place=False,
    method=False, function=False, out=True, depends=moved(),
    shape=lambda x, index, axis: _with_rows(x, axis, index[:1]),
    d_x=lambda g, x_form, index, axis: _gradient_of_selected(g, index, x_form.shape, axis),
)  # fmt: skip

# ---- add ------------------------------------------------------------------------------------------------------------------------


def _check_add(x: Any, index: Any, axis: Any, value: Any, alpha: Any) -> None:
    axis = checked_axis(axis, x.ndim)
    if index.ndim != 1:
        raise errors.index_not_a_list(op="index_add", shape=index.shape, rank=len(index.shape))
    check_range("index_add", index, x.shape[axis], as_value_error)
    check_dtype("index_add", "value", x, value)
    if isinstance(alpha, float) and x.dtype.kind != "f":
        raise errors.written_dtype_differs(
            op="index_add", argument="value * alpha", wanted=x.dtype.name, given="float32"
        )
    wanted = _with_rows(x.shape, axis, (index.size,))
    if value.shape != wanted:
        raise errors.written_shape_differs(op="index_add", argument="value", wanted=wanted, given=value.shape)


def _index_add(out: Any, x: Any, index: Any, axis: int, value: Any, alpha: Any, device: Any) -> None:
    device.ledger.borrow(8 * index.size + (0 if alpha == 1 else value.nbytes))
    start(out, x)
    np.add.at(out, along(axis, line_of(index)), value if alpha == 1 else value * constant(alpha, value.dtype))


INDEX_ADD = add_row(
    "scatter", "index_add", "x, index, value", ("Add the rows of `value` to those at the positions in `index`.", "把 `value` 的各行加到 `index` 所列的位置上。"),
    call="x, index, axis, value, alpha=1", accepts="fi", validate=_check_add, prepare={"axis": front_axis, "alpha": plain_number},
    kernel=_index_add, shape=same, dtype=same, depends=written(_rows_at, "value", "combined"),
    d_x=lambda g: g,
    d_value=lambda g, index, axis, alpha: g.index_select(_line(index), axis).scale(alpha),
)  # fmt: skip

# ---- fill -----------------------------------------------------------------------------------------------------------------------


def _check_fill(x: Any, index: Any, axis: Any, value: Any) -> None:
    size = x.shape[normal_axis(axis, x.ndim)]
    if index.ndim == 0:
        raise errors.index_not_a_list(op="index_fill", shape=index.shape, rank=len(index.shape))
    check_range("index_fill", index, size)
    check_dtype("index_fill", "value", x, value)
    if value.ndim:
        raise errors.written_shape_differs(op="index_fill", argument="value", wanted=(), given=value.shape)


def _index_fill(out: Any, x: Any, index: Any, axis: int, value: Any, device: Any) -> None:
    device.ledger.borrow(8 * index.size)
    start(out, x)
    out[along(axis, line_of(index))] = value


def _sum_where_filled(g: Tensor, index: Tensor, axis: int) -> Tensor:
    """Each row counts once, even if its position repeats."""
    named = np.unique(index.array % g.array.shape[axis]) if index.array.size else index.array.reshape(-1)
    return g.index_select(to_tensor(named, place=g.place), axis).sum()


INDEX_FILL = add_row(
    "scatter", "index_fill", "x, index, value", ("Write one number into the rows at the positions in `index`.", "在 `index` 所列位置的各行写入同一个数。"),
    call="x, index, axis, value", numbers=("value",), validate=_check_fill, prepare={"axis": front_axis}, kernel=_index_fill, shape=same, dtype=same,
    depends=written(_rows_at, "value"),
    d_x=lambda g, index, axis: g.index_fill(index, axis, 0),
    d_value=_sum_where_filled,
)  # fmt: skip

# ---- write ----------------------------------------------------------------------------------------------------------------------


def _check_scatter(x: Any, index: Any, updates: Any) -> None:
    if x.ndim == 0:
        raise errors.index_not_a_list(op="scatter", shape=x.shape, rank=len(x.shape))
    check_list("scatter", index, x.shape[0], single=True)
    check_dtype("scatter", "updates", x, updates)
    rows = updates.shape[:1] if index.ndim else ()
    if updates.shape != (*rows, *x.shape[1:]) or (rows and rows[0] < index.size):
        raise errors.written_shape_differs(
            op="scatter", argument="updates", wanted=(*index.shape[:1], *x.shape[1:]), given=updates.shape
        )


def _scatter(out: Any, x: Any, index: Any, updates: Any, overwrite: bool, device: Any) -> None:
    device.ledger.borrow(8 * index.size)
    start(out, x)
    rows, written = line_of(index), updates[: index.size] if index.ndim else updates
    if overwrite:
        out[rows] = written
    else:
        out[rows] = constant(0, out.dtype)
        np.add.at(out, rows, written)


def _gradient_of_updates(g: Tensor, index: Tensor, shape: Shape, overwrite: bool) -> Tensor:
    """Rows that a later row overwrote, and unused rows, get zero."""
    taken = g.gather(index)
    if overwrite and index.ndim:
        rows = index.array.reshape(-1) % max(g.array.shape[0], 1)
        gone = ~written_last(rows, g.array.shape[0]).reshape(-1, *[1] * (g.ndim - 1))
        taken = taken.masked_fill(to_tensor(gone, place=g.place), 0)
    if taken.array.shape == shape:
        return taken
    whole = g._spread_out(shape)
    whole[: taken.shape[0]] = taken
    return whole


SCATTER = add_row(
    "scatter", "scatter", "x, index, updates",
    ("Write the rows of `updates` at the positions in `index`; with `overwrite=False`, zero these rows first and add.",
     "把 `updates` 的各行写到 `index` 所列的位置；`overwrite=False` 时先清零这些行再累加。"),
    attrs="overwrite=True", accepts="fi", validate=_check_scatter, kernel=_scatter, shape=same, dtype=same, method=False, function=False, out=True,
    depends=written(lambda places, index: _rows_at(places, index, 0), "updates", lambda call: "assigned" if call["overwrite"] else "replaced",
                    used=one_after_the_other),
    d_x=lambda g, index: g.index_fill(_line(index), 0, 0),
    d_updates=lambda g, index, updates_form, overwrite: _gradient_of_updates(g, index, updates_form.shape, overwrite),
)  # fmt: skip


# ---- names that stand for several operations --------------------------------------------------------------------------------


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
