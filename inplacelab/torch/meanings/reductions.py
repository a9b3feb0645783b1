"""Reductions, and products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import inplacelab as engine
from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes
from inplacelab.torch.grad_nodes import named
from inplacelab.torch.meanings.operands import c_name, kind_of, pair
from inplacelab.torch.meanings.shapes import expanded, squeezed
from inplacelab.torch.refusals import refuse


class values_and_indices(NamedTuple):  # PyTorch's names are of this form
    """A result with the positions that its elements come from."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.{type(self).__name__}(\nvalues={self.values!r},\nindices={self.indices!r})"


class _max(values_and_indices): ...


class _min(values_and_indices): ...


class _sort(values_and_indices): ...


class _topk(values_and_indices): ...


for _kind in (_max, _min, _sort, _topk):
    _kind.__name__ = _kind.__name__.strip("_")


def axes(dim: Any) -> Any:
    """Returns the axes of a reduction: none or an empty list means all."""
    return (
        None
        if dim is None or (isinstance(dim, list | tuple) and not dim)
        else list(dim)
        if isinstance(dim, tuple)
        else dim
    )


def reduced(name: str, x: Tensor, dim: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """Returns the sum, product or mean along some axes."""
    if dtype is not None:
        x = x if x.dtype == dtype else x.cast(dtype)
    elif name == "mean" and x.array.dtype.kind in "biu":
        raise refuse("mean_of_integers", dtype=kind_of(x.array.dtype))
    elif x.array.dtype.kind in "biu" and x.array.dtype != np.int64:
        x = x.cast("int64")
    result: Tensor = getattr(engine, name)(x, axis=axes(dim), keepdim=keepdim)
    return named(f"{name.capitalize()}Backward{int(dim is not None)}", result)


def extreme(name: str, x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Returns the largest or smallest element; along an axis with its positions; or that of each pair, for a tensor as second argument."""
    if dim is None:
        result: Tensor = getattr(x, f"_{name}")()
        return named(f"{name.capitalize()}Backward1", result)
    if isinstance(dim, Tensor):
        return pair("_maximum" if name == "max" else "_minimum")(x, dim)
    if not x.array.ndim:
        return (_max if name == "max" else _min)(x.clone(), engine.zeros([], "int64"))
    places = getattr(engine, f"arg{name}")(x, axis=dim, keepdim=True)
    values = x.take_along_axis(places, dim)
    grad_nodes.call_node(values.node, f"{name.capitalize()}Backward0")
    if not keepdim:
        values, places = _squeezed(values, dim, f"{name.capitalize()}Backward0"), places.squeeze(dim)
    return (_max if name == "max" else _min)(values, places)


def _squeezed(values: Tensor, dim: int, name: str) -> Tensor:
    values = values.squeeze(dim)
    grad_nodes.call_node(values.node, name)
    return values


def spread(name: str, x: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool) -> Tensor:
    """Returns the variance or standard deviation."""
    if isinstance(dim, bool):  # x.var(False)
        dim, unbiased = None, dim
    divisor = correction if correction is not None else 1 if unbiased is None else int(bool(unbiased))
    result: Tensor = engine.var(x, axis=axes(dim), keepdim=keepdim, correction=divisor)
    return named("StdBackward0", result._sqrt()) if name == "std" else result


def norm(x: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """Returns the norm of the elements."""
    several = isinstance(dim, list | tuple) and len(dim) > 1
    power = ("fro" if several else 2.0) if p in ("fro", None, 2) else float(p)
    result: Tensor = engine.norm(x, power, axes(dim), keepdim)
    return result


def places(name: str, x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Returns the positions of the largest or smallest elements."""
    flat = x.flatten() if dim is None else x
    result: Tensor = getattr(engine, name)(flat, axis=0 if dim is None else dim, keepdim=keepdim and dim is not None)
    return result.reshape([1] * x.array.ndim) if keepdim and dim is None else result


def every(name: str, x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Returns whether all, or any, elements are true."""
    true = x if x.array.dtype.kind == "b" else x.cast("bool")
    result: Tensor = getattr(engine, name)(true, axis=axes(dim), keepdim=keepdim)
    return result


def cumulated(name: str, x: Tensor, dim: int) -> Tensor:
    """Returns cumulative sums or products."""
    if x.array.dtype.kind in "biu" and x.array.dtype != np.int64:
        x = x.cast("int64")
    result: Tensor = getattr(engine, name)(x, dim)
    return result


def sorted_(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Returns the elements in order, with their positions."""
    order = engine.argsort(x, dim, descending, stable)
    values = x.take_along_axis(order, dim)
    grad_nodes.call_node(values.node, "SortBackward0")
    return _sort(values, order)


def largest(x: Tensor, k: int, dim: int = -1, biggest: bool = True, ordered: bool = True) -> Any:
    """Returns the `k` largest or smallest elements, with their positions."""
    order = engine.argsort(x, dim, biggest, True)
    order = engine.slice(order, [dim % x.array.ndim], [0], [k])
    values = x.take_along_axis(order, dim)
    grad_nodes.call_node(values.node, "TopkBackward0")
    return _topk(values, order)


def nonzero(x: Tensor, as_tuple: bool) -> Any:
    """Returns the positions of the elements that are not zero."""
    found = engine.nonzero(x, as_tuple=as_tuple)
    return tuple(each.flatten() for each in found) if as_tuple else found


def product(x: Tensor, y: Tensor, ranks: tuple[int, int] | None = None) -> Tensor:
    """Returns the product of matrices, vectors, or stacks of them."""
    given = (x.array.ndim, y.array.ndim)
    if ranks is not None and given != ranks:
        raise refuse("not_matrices", position=1 if given[0] != 2 else 2)
    if 0 in given:
        raise refuse("matmul_of_scalars", left=given[0], right=given[1])
    if x.array.dtype != y.array.dtype:
        raise refuse("matmul_dtypes_differ", left=c_name(x), right=c_name(y))
    left, right = x.array.shape[-1], y.array.shape[max(y.array.ndim - 2, 0)]
    if left != right and given == (2, 2):
        (a, b), (c, d) = x.array.shape, y.array.shape
        raise refuse("matrix_sizes_differ", left=f"{a}x{b}", right=f"{c}x{d}")
    if left != right and min(given) >= 2 and max(given) >= 3:
        batch = int(np.prod(max(x.array.shape[:-2], y.array.shape[:-2], key=len), dtype=int))
        raise refuse("batches_differ", wanted=[batch, left], got=[batch, right])
    if given == (1, 2):
        return named("SqueezeBackward4", squeezed(product(engine.unsqueeze(x, 0), y), 0))
    if given[0] > 2 and given[1] == 2 and x.is_contiguous():
        return _folded(x, lambda rows: product(rows, y))
    result: Tensor = engine.matmul(x, y)
    name = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}.get(given, "UnsafeView")
    grad_nodes.call_node(result.node, f"{name}Backward0")
    return result


def _folded(x: Tensor, multiply: Callable[[Tensor], Tensor]) -> Tensor:
    """Multiplies a stack of matrices as one with all their rows, as PyTorch does."""
    *outer, last = x.array.shape
    rows = multiply(x.view([int(np.prod(outer, dtype=int)), last]))
    result: Tensor = rows.view([*outer, rows.array.shape[-1]])
    return named("UnsafeViewBackward0", result)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Returns `x @ weight.T + bias`: PyTorch's weights have a row for each output."""
    turned = engine.t(weight)
    if x.array.shape[-1:] != turned.array.shape[:1]:
        rows = int(np.prod(x.array.shape[:-1], dtype=int))
        raise refuse(
            "matrix_sizes_differ", left=f"{rows}x{x.array.shape[-1]}", right="x".join(map(str, turned.array.shape))
        )
    if bias is not None and x.array.ndim == 2:
        added: Tensor = engine.addmm(bias, x, turned)
        return added
    if bias is not None and x.array.ndim > 2 and x.is_contiguous():
        return named("ViewBackward0", _folded(x, lambda rows: linear(rows, weight, bias)))
    if bias is None:
        return product(x, turned)
    result: Tensor = engine.add(product(x, turned), bias)
    return result


def added_batches(x: Tensor, first: Tensor, second: Tensor, beta: Any, alpha: Any) -> Tensor:
    """Returns `beta * x + alpha * first @ second` for stacks of matrices; `x` may be broadcast."""
    shape = (first.array.shape[0], first.array.shape[1], second.array.shape[2])
    wide = x if x.array.shape == shape else expanded(x, list(shape), ())
    result: Tensor = engine.baddbmm(wide, first, second, beta, alpha)
    return result
