"""Shapes and views; new tensors, and whether they need a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import inplacelab as engine
from inplacelab import modes
from inplacelab.layout import Layout
from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes
from inplacelab.torch.grad_nodes import named
from inplacelab.torch.meanings.operands import cast_to, common_dtype, kind_of
from inplacelab.torch.refusals import refuse


def sizes(first: Any, more: tuple[Any, ...]) -> list[int]:
    """Returns sizes that are given as separate numbers or in one sequence."""
    given = (first, *more) if more or not isinstance(first, list | tuple) else first
    return [int(each) for each in given]


def viewed(x: Tensor, first: Any, more: tuple[Any, ...]) -> Tensor:
    """Returns a view of another shape, or of the same bits as another dtype."""
    if isinstance(first, engine.dtype):
        result: Tensor = x.view(first)
        return result
    shape = sizes(first, more)
    if len(shape) == 1 and shape[0] == -1 and not x.array.size:
        shape = [0]
    return x.view(_without_minus_one(x, shape))


def reshaped(x: Tensor, first: Any, more: tuple[Any, ...]) -> Tensor:
    """Returns the elements in another shape: a view where that is possible."""
    result: Tensor = x.reshape(_without_minus_one(x, sizes(first, more)))
    return result if result.base is not None else named("UnsafeViewBackward0", result)


def _without_minus_one(x: Tensor, shape: list[int]) -> list[int]:
    """Computes the size that is left open, and refuses sizes that do not fit (0 is a size here: Paddle's means "as before")."""
    known = int(np.prod([n for n in shape if n != -1], dtype=int))
    size = x.array.size
    if shape.count(-1) == 1 and known and size % known == 0:
        return [size // known if n == -1 else n for n in shape]
    if -1 in shape or known != size:
        raise refuse("shape_does_not_fit", shape=shape, size=size)
    return shape


def expanded(x: Tensor, first: Any, more: tuple[Any, ...]) -> Tensor:
    """Returns a view that repeats axes of one element."""
    shape = sizes(first, more)
    here = x.array.shape
    lead = len(shape) - len(here)
    full = [here[k - lead] if n == -1 and k >= lead else n for k, n in enumerate(shape)]
    if lead < 0:
        raise refuse(
            "cannot_expand_to_fewer", type=f"torch.{kind_of(x.array.dtype)}Tensor", shape=list(here), wanted=shape, given=len(shape),
            rank=len(here),
        )  # fmt: skip
    if any(n not in (1, full[k + lead]) for k, n in enumerate(here)):
        axis = next((k for k, n in reversed(list(enumerate(here))) if n not in (1, full[k + lead])), 0)
        raise refuse(
            "cannot_expand", wanted=shape, size=full[axis + lead], have=here[axis], axis=axis + lead, shape=here
        )
    strides = [0 if k < lead or (here[k - lead] == 1 and n != 1) else x.strides[k - lead] for k, n in enumerate(full)]
    result: Tensor = x._window(Layout(tuple(full), tuple(strides), x.layout.offset))
    grad_nodes.call_node(result.node, "ExpandBackward0")
    return result


def strided(x: Tensor, size: Any, stride: Any, storage_offset: int | None) -> Tensor:
    """Returns a view through other strides. It begins where the tensor does unless an offset in the storage is given."""
    offset = x.layout.offset if storage_offset is None else storage_offset
    result: Tensor = engine.as_strided(x, size, stride, offset * x.element_size())
    return result


def transposed(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Returns a view with two axes exchanged."""
    if not x.array.ndim:
        return x.view([])
    result: Tensor = engine.swapaxes(x, dim0, dim1)
    return result


def selected(x: Tensor, dim: int, index: int) -> Tensor:
    """Returns the view at one position of an axis."""
    rank = x.array.ndim
    key = (slice(None),) * (dim % rank if rank else 0) + (index,)
    result: Tensor = x[key]
    return named("SelectBackward0", result)


def squeezed(x: Tensor, dim: Any = None) -> Tensor:
    """Returns a view without axes of one element."""
    result: Tensor = engine.squeeze(x, list(dim) if isinstance(dim, tuple) else dim)
    return named("SqueezeBackward0" if dim is None else "SqueezeBackward1", result)


def flat_enough(op: str, x: Tensor) -> Tensor:
    """Refuses more than two axes."""
    if x.array.ndim > 2:
        raise refuse("too_many_axes", op=op, rank=x.array.ndim)
    return x


def contiguous(x: Tensor) -> Tensor:
    """Returns the tensor itself if its elements lie in order, otherwise a copy."""
    if x.is_contiguous():
        return x
    copy: Tensor = x.clone()
    return copy


def several(name: str, parts: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Marks views that one function has returned: PyTorch refuses to write them in place."""
    node = f"{name}Backward0"
    for k, each in enumerate(parts):
        grad_nodes.call_node(each.node, node, k)
        if modes.current().recording_history and each.base is not None:
            each.__dict__["_several"] = ("one_of_several_views", node, k)
    return tuple(parts)


def split(x: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Returns views of parts of this size, or of these sizes."""
    size = x.array.shape[dim]
    given = split_size_or_sections
    if isinstance(given, int):
        given = [min(given, size - start) for start in range(0, size, given)] or [0]
    elif sum(given) != size:
        raise refuse("split_does_not_fit", sizes=list(given), size=size, dim=dim)
    ends = np.cumsum(given).tolist()
    parts = [engine.slice(x, [dim % x.array.ndim], [end - n], [end]) for n, end in zip(given, ends, strict=True)]
    return several("Split" if isinstance(split_size_or_sections, int) else "SplitWithSizes", parts)


def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Returns views of at most so many parts of one size."""
    return split(x, max(-(-x.array.shape[dim] // chunks), 1), dim)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Returns the views at each position of an axis."""
    if not x.array.ndim:
        raise refuse("iteration_over_scalar")
    return several("Unbind", [selected(x, dim, k) for k in range(x.array.shape[dim])])


def joined(tensors: Sequence[Tensor], dim: int = 0, *, stacked: bool = False) -> Tensor:
    """Joins tensors along an axis, or along a new one."""
    dtype = common_dtype(*tensors)
    same = [cast_to(each, dtype, each) for each in tensors]
    result: Tensor = (engine.stack if stacked else engine.concat)(same, dim)
    return result


def permuted(x: Tensor, dims: list[int]) -> Tensor:
    """Returns a view with the axes in another order."""
    if len(dims) != x.array.ndim:
        raise refuse("permuted_rank_differs", rank=x.array.ndim, given=len(dims))
    if len({d % len(dims) for d in dims}) != len(dims):
        raise refuse("permuted_twice")
    result: Tensor = x.transpose(dims)
    return result


def exchanged_(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchanges two axes of the tensor itself."""
    order = list(range(x.array.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    result: Tensor = x.transpose_(order)
    return result


def new_axis(x: Tensor, dim: int) -> int:
    """Returns the place of a new axis, which may be one behind the last."""
    rank = x.array.ndim
    if not -rank - 1 <= dim <= rank:
        raise refuse("dim_out_of_range", low=-rank - 1, high=rank, dim=dim)
    return dim


def repeated(x: Tensor, repeats: list[int]) -> Tensor:
    """Returns copies beside each other."""
    if len(repeats) < x.array.ndim:
        raise refuse("too_few_repeats")
    result: Tensor = engine.tile(x, repeats)
    return result


def diagonal_of(x: Tensor, offset: int) -> Tensor:
    """Returns the diagonal of a matrix, or the matrix with a diagonal."""
    result: Tensor = engine.diag(x, offset)
    return named("DiagEmbedBackward0" if x.array.ndim == 1 else "DiagonalBackward0_copy", result)


def created(made: Tensor, requires_grad: bool) -> Tensor:
    """Returns a new tensor, which may need a gradient."""
    if requires_grad:
        require(made, True)
    return made


def require(x: Tensor, wanted: bool) -> Tensor:
    """Sets whether a tensor needs a gradient."""
    if wanted and x.array.dtype.kind not in "fc":
        raise refuse("only_floats_need_gradients")
    if not wanted and not x.is_leaf:
        raise refuse("flag_of_a_result", tensor=x)
    x.stop_gradient = not wanted
    return x


def leave(x: Tensor) -> Tensor:
    """Takes a tensor out of the history; a view is refused."""
    if x.base is not None:
        raise refuse("view_detached", tensor=x)
    return x.detach_()


def full(size: list[int], value: Any, dtype: Any) -> Tensor:
    """Returns a tensor of one number, of the number's kind."""
    if dtype is None:
        dtype = {bool: "bool", int: "int64", complex: "complex64"}.get(type(value))
    result: Tensor = engine.full(size, value, dtype)
    return result


def integers(low: int, high: Any, size: Any, dtype: Any) -> Tensor:
    """Returns random integers: `randint(high, size)` or `randint(low, high, size)`."""
    if isinstance(high, list | tuple):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    result: Tensor = engine.randint(low, high, list(size), dtype or "int64")
    return result
