"""What PyTorch's functions mean where the engine's functions of the same name, which are Paddle's, mean something else.

The functions here take and return tensors of the engine; the table in `names.py` says under which names programs find them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

import inplacelab as engine
from inplacelab.nn import functional as F
from inplacelab import errors, modes
from inplacelab.autograd.grad_mode import without_history
from inplacelab.autograd.history import check_leaf, edge
from inplacelab.errors.classes import Refusal
from inplacelab.ops.arguments.operands import number_like
from inplacelab.ops.creation import operand
from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes
from inplacelab.torch.grad_nodes import keep
from inplacelab.torch.refusals import refuse

# ---- two operands --------------------------------------------------------------------------------------------------------------

_KINDS = "biufc"
_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
_DEFAULTS = {bool: np.dtype(bool), int: np.dtype(np.int64), float: None, complex: np.dtype(np.complex64)}


def is_number(value: Any) -> bool:
    """Whether an operand is a number instead of a tensor."""
    return isinstance(value, Number | np.bool_) and not isinstance(value, Tensor)


def _category(value: Any) -> int:
    return _ORDER[value.array.dtype.kind] if isinstance(value, Tensor) else _ORDER[np.asarray(value).dtype.kind]


def common_dtype(*operands: Any) -> np.dtype[Any]:
    """Returns the dtype of a result, by PyTorch's rule: tensors with axes decide; those without, and then numbers, only if they are of
    a higher category.
    """
    tensors = [each for each in operands if isinstance(each, Tensor)]
    found: np.dtype[Any] | None = None
    for group in ([t for t in tensors if t.array.ndim], [t for t in tensors if not t.array.ndim]):
        if not group:
            continue
        dtype = np.result_type(*[t.array.dtype for t in group])
        if len({t.array.dtype.kind for t in group}) > 1 and dtype.kind == "f":
            dtype = max((t.array.dtype for t in group if t.array.dtype.kind == "f"), key=lambda each: each.itemsize)
        if found is None or _ORDER[dtype.kind] > _ORDER[found.kind]:
            found = dtype
    numbers = [each for each in operands if not isinstance(each, Tensor)]
    for number in numbers:
        if found is None or _category(number) > _ORDER[found.kind]:
            kind = np.asarray(number).dtype.kind
            wide = found is not None and found == np.float64
            found = {
                "b": np.dtype(bool), "i": np.dtype(np.int64), "u": np.dtype(np.int64),
                "f": np.dtype(engine.get_default_dtype()), "c": np.dtype(np.complex128 if wide else np.complex64),
            }[kind]  # fmt: skip
    assert found is not None
    return found


def _cast(value: Any, dtype: np.dtype[Any], like: Tensor) -> Tensor:
    if not isinstance(value, Tensor):
        made = number_like(value, like) if like.array.dtype == dtype else operand(value, like, dtype=dtype)
        return made
    return value if value.array.dtype == dtype else value.cast(dtype.name)


def check_operand(op: str, *values: Any) -> None:
    """Refuses an operand that is neither a tensor nor a number."""
    for position, value in enumerate(values, 1):
        if not isinstance(value, Tensor) and not is_number(value):
            raise refuse("not_an_operand", op=op, position=position, kind=type(value).__name__)


def together(op: str, x: Any, y: Any, *, least: str = "") -> tuple[Tensor, Tensor]:
    """Returns two operands as tensors of one dtype, of the kind `least` ("f") or above."""
    check_operand(op, x, y)
    dtype = common_dtype(x, y)
    if least and _ORDER[dtype.kind] < _ORDER[least]:
        dtype = np.dtype(engine.get_default_dtype())
    like = x if isinstance(x, Tensor) else y
    return _cast(x, dtype, like), _cast(y, dtype, like)


def pair(name: str, *, least: str = "") -> Callable[..., Tensor]:
    """Makes PyTorch's form of a function of two operands: either may be a number, and their dtypes are promoted."""

    def function(x: Any, y: Any, **options: Any) -> Tensor:
        x, y = together(name, x, y, least=least)
        result: Tensor = getattr(engine, name)(x, y, **options)
        return result

    return function


def into(name: str, *, least: str = "", torch: str = "") -> Callable[..., Tensor]:
    """Makes PyTorch's in-place form of a function of two operands: the result must fit into the dtype of the first."""

    def function(x: Tensor, y: Any, **options: Any) -> Tensor:
        check_operand(torch or name, y)
        dtype = common_dtype(x, y)
        if least and _ORDER[dtype.kind] < _ORDER[least]:
            dtype = np.dtype(engine.get_default_dtype())
        if _ORDER[dtype.kind] > _ORDER[x.array.dtype.kind]:
            raise refuse("result_does_not_fit", result=_called(dtype), target=_called(x.array.dtype))
        result: Tensor = getattr(x, name)(_cast(y, x.array.dtype, x), **options)
        return result

    return function


def _called(dtype: np.dtype[Any]) -> str:
    from inplacelab.torch.dtypes import tensor_type  # noqa: PLC0415  # needed for a refusal only

    return tensor_type(dtype.name).removeprefix("torch.").removesuffix("Tensor")


def with_other(function: Callable[..., Tensor], x: Any, y: Any, alpha: Any) -> Tensor:
    """Returns `x + alpha * y`, and the like."""
    if not isinstance(y, Tensor) and is_number(y):
        return function(x, y * alpha)
    return function(x, y) if type(alpha) is int and alpha == 1 else function(x, y, alpha=alpha)


add, subtract, multiply = pair("add"), pair("subtract"), pair("multiply")
divide, power = pair("divide", least="f"), pair("pow")
add_, subtract_, multiply_ = into("add_", torch="add"), into("subtract_", torch="sub"), into("multiply_", torch="mul")
divide_, power_ = into("divide_", least="f", torch="div"), into("pow_", torch="pow")


def divided(x: Any, y: Any, rounding_mode: str | None = None) -> Tensor:
    """Returns `x / y`, rounded if asked for; without rounding integers give floating-point numbers."""
    if rounding_mode is None:
        return multiply(y.reciprocal(), x) if not isinstance(x, Tensor) and y.array.dtype.kind in "fc" else divide(x, y)
    x, y = together("div", x, y)
    result: Tensor = engine.divide(x, y, rounding_mode=rounding_mode)
    return named("DivBackward2", result)


def divided_(x: Tensor, y: Any, rounding_mode: str | None = None) -> Tensor:
    """Does the same in place."""
    return divide_(x, y) if rounding_mode is None else into("divide_")(x, y, rounding_mode=rounding_mode)


def reverse_subtract(x: Any, y: Any, alpha: Any = 1) -> Tensor:
    """Returns `y - alpha * x`."""
    result = with_other(subtract, y, x, alpha)
    grad_nodes.call_node(result.node, "RsubBackward1" if is_number(y) else "RsubBackward0")
    return result


def powered(x: Any, y: Any) -> Tensor:
    """Returns `x ** y`."""
    result = power(x, y)
    if not isinstance(x, Tensor):
        grad_nodes.call_node(result.node, "PowBackward2")
    return result


def compared(name: str) -> Callable[[Any, Any], Tensor]:
    """Makes PyTorch's form of a comparison."""
    return pair(name)


# ---- reductions -------------------------------------------------------------------------------------------------------------------


class values_and_indices(NamedTuple):  # noqa: N801  # PyTorch's names are of this form
    """A result with the positions that its elements come from."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"torch.return_types.{type(self).__name__}(\nvalues={self.values!r},\nindices={self.indices!r})"


class _max(values_and_indices): ...  # noqa: N801


class _min(values_and_indices): ...  # noqa: N801


class _sort(values_and_indices): ...  # noqa: N801


class _topk(values_and_indices): ...  # noqa: N801


for _kind in (_max, _min, _sort, _topk):
    _kind.__name__ = _kind.__name__.strip("_")


def axes(dim: Any) -> Any:
    """Returns the axes of a reduction: none or an empty list means all."""
    return None if dim is None or (isinstance(dim, list | tuple) and not dim) else list(dim) if isinstance(dim, tuple) else dim


def reduced(name: str, x: Tensor, dim: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """Returns the sum, product or mean along some axes."""
    if dtype is not None:
        x = x if x.dtype == dtype else x.cast(dtype)
    elif name == "mean" and x.array.dtype.kind in "biu":
        raise refuse("mean_of_integers", dtype=_called(x.array.dtype))
    elif x.array.dtype.kind in "biu" and x.array.dtype != np.int64:
        x = x.cast("int64")
    result: Tensor = getattr(engine, name)(x, axis=axes(dim), keepdim=keepdim)
    return named(f"{name.capitalize()}Backward{int(dim is not None)}", result)


def extreme(name: str, x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Returns the largest or smallest element; along an axis with its positions; or that of each pair, for a tensor as second argument."""
    if dim is None:
        result: Tensor = getattr(engine, name)(x)
        return named(f"{name.capitalize()}Backward1", result)
    if isinstance(dim, Tensor):
        return pair("maximum" if name == "max" else "minimum")(x, dim)
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
    return named("StdBackward0", result.sqrt()) if name == "std" else result


def norm(x: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """Returns the norm of the elements."""
    result: Tensor = engine.norm(x, 2.0 if p in ("fro", None) else float(p), axes(dim), keepdim)
    return result


def places(name: str, x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Returns the positions of the largest or smallest elements."""
    flat = x.flatten() if dim is None else x
    result: Tensor = getattr(engine, name)(flat, axis=0 if dim is None else dim, keepdim=keepdim and dim is not None)
    return result


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


# ---- shapes -----------------------------------------------------------------------------------------------------------------------


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
            "cannot_expand_to_fewer", type=f"torch.{_called(x.array.dtype)}Tensor", shape=list(here), wanted=shape, given=len(shape),
            rank=len(here),
        )  # fmt: skip
    if any(n not in (1, full[k + lead]) for k, n in enumerate(here)):
        axis = next((k for k, n in reversed(list(enumerate(here))) if n not in (1, full[k + lead])), 0)
        raise refuse("cannot_expand", wanted=shape, size=full[axis + lead], have=here[axis], axis=axis + lead, shape=here)
    strides = [0 if k < lead or (here[k - lead] == 1 and n != 1) else x.strides[k - lead] for k, n in enumerate(full)]
    result: Tensor = x._window(_layout(x, full, strides))
    grad_nodes.call_node(result.node, "ExpandBackward0")
    return result


def _layout(x: Tensor, shape: Sequence[int], strides: Sequence[int]) -> Any:
    from inplacelab.layout import Layout  # noqa: PLC0415

    return Layout(tuple(shape), tuple(strides), x.layout.offset)


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
            each.__dict__["_several"] = (node, k)
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


# ---- writes -----------------------------------------------------------------------------------------------------------------------


def filled_(x: Tensor, value: Any) -> Tensor:
    """Fills with one number, in place."""
    if isinstance(value, Tensor):
        return copied_(x, value)
    result: Tensor = x.fill_(value)
    return result


def copied_(x: Tensor, source: Any) -> Tensor:
    """Copies the elements of another tensor, which may be broadcast and of another dtype, in place."""
    if source.array.dtype != x.array.dtype:
        source = source.cast(x.dtype)
    if source.array.shape != x.array.shape:
        source = _broadcast(source, x)
    result: Tensor = x.copy_(source, True)
    return result


def _broadcast(source: Tensor, x: Tensor) -> Tensor:
    try:
        return expanded(source, list(x.array.shape), ())
    except Refusal:
        raise refuse("cannot_copy", target=list(x.array.shape), source=list(source.array.shape)) from None


def masked(x: Tensor, mask: Tensor, value: Any, *, in_place: bool) -> Tensor:
    """Fills the elements that a mask shows."""
    if isinstance(value, Tensor) and value.array.ndim:
        raise refuse("masked_value_has_axes", rank=value.array.ndim)
    value = _cast(value, x.array.dtype, x)
    result: Tensor = (x.masked_fill_ if in_place else x.masked_fill)(mask, value)
    return result


def clamped(x: Tensor, low: Any, high: Any, *, in_place: bool = False, node: str | None = None) -> Tensor:
    """Limits the elements; bounds may be tensors."""
    if low is None and high is None:
        raise refuse("clamp_without_bounds")
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        for bound, name in ((low, "maximum"), (high, "minimum")):
            if bound is not None:
                result = pair(name)(x, bound)
                x = x.copy_(result, True) if in_place else result
        return named("ClampBackward0", x)
    bounded: Tensor = (x.clip_ if in_place else x.clip)(low, high)
    return bounded if node is None else named(node, bounded)


def chosen(condition: Tensor, x: Any = None, y: Any = None) -> Any:
    """Returns `x` where a condition holds, otherwise `y`."""
    if x is None and y is None:
        return engine.nonzero(condition, as_tuple=True)
    x, y = together("where", x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else _two_numbers(condition, x, y)
    return engine.where(condition, x, y)


def _two_numbers(condition: Tensor, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    dtype = common_dtype(x, y)
    return tuple(engine.to_tensor(each, dtype=dtype.name) for each in (x, y))  # type: ignore[return-value]


def joined(tensors: Sequence[Tensor], dim: int = 0, *, stacked: bool = False) -> Tensor:
    """Joins tensors along an axis, or along a new one."""
    dtype = np.result_type(*[each.array.dtype for each in tensors])
    same = [_cast(each, dtype, each) for each in tensors]
    result: Tensor = (engine.stack if stacked else engine.concat)(same, dim)
    return result


def scattered(x: Tensor, dim: int, index: Tensor, src: Any, reduce: Any, *, in_place: bool) -> Tensor:
    """Writes along an axis."""
    ways = {None: "assign", "add": "add", "multiply": "mul"}
    put = x.put_along_axis_ if in_place else x.put_along_axis
    result: Tensor = put(index, src, dim, ways[reduce], True, False)
    return result


def written_into(out: Tensor, function: Callable[[], Any], *operands: Any) -> Tensor:
    """Computes a result into `out=`, outside the history."""
    if modes.current().recording_history:
        for each in (*operands, out):
            if isinstance(each, Tensor) and edge(each) is not None:
                raise refuse("out_needs_no_gradient", which="out" if each is out else "")
    result = without_history(function)
    if result.array.shape != out.array.shape:
        raise refuse("out_shape_differs", out=list(out.array.shape), result=list(result.array.shape))
    return without_history(copied_, out, result)


# ---- more names ------------------------------------------------------------------------------------------------------------------


def named(name: str, result: Tensor) -> Tensor:
    """Gives the node of a composed result PyTorch's name."""
    grad_nodes.call_node(result.node, name)
    return result


def truths(name: str, x: Any, y: Any) -> Tensor:
    """Returns a logical function of two tensors of any dtype."""
    true = [each if each.array.dtype.kind == "b" else each.cast("bool") for each in together(name, x, y)]
    result: Tensor = getattr(engine, name)(*true)
    return result


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
        raise refuse("matmul_dtypes_differ", left=_c_name(x), right=_c_name(y))
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


def _c_name(x: Tensor) -> str:
    return {"float64": "double", "float32": "float", "int64": "long int", "int32": "int", "bool": "bool"}.get(
        x.array.dtype.name, x.array.dtype.name
    )


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


def full(size: list[int], value: Any, dtype: Any) -> Tensor:
    """Returns a tensor of one number, of the number's kind."""
    if dtype is None:
        dtype = {bool: "bool", int: "int64"}.get(type(value))
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


# ---- layers -----------------------------------------------------------------------------------------------------------------------


def perhaps_(x: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """Returns a result, written into the input if asked for."""
    return x.copy_(result, True) if inplace else result


def last_axis(x: Tensor, dim: int | None) -> int:
    """Returns the axis that PyTorch chooses where a program names none."""
    return dim if dim is not None else 0 if x.array.ndim in (0, 1, 3) else 1


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Returns `x @ weight.T + bias`: PyTorch's weights have a row for each output."""
    turned = engine.t(weight)
    if x.array.shape[-1:] != turned.array.shape[:1]:
        rows = int(np.prod(x.array.shape[:-1], dtype=int))
        raise refuse("matrix_sizes_differ", left=f"{rows}x{x.array.shape[-1]}", right="x".join(map(str, turned.array.shape)))
    if bias is not None and x.array.ndim == 2:
        added: Tensor = engine.addmm(bias, x, turned)
        return added
    if bias is not None and x.array.ndim > 2 and x.is_contiguous():
        return named("ViewBackward0", _folded(x, lambda rows: linear(rows, weight, bias)))
    if bias is None:
        return product(x, turned)
    result: Tensor = engine.add(product(x, turned), bias)
    return result


def embedding(x: Tensor, weight: Tensor, padding_idx: Any, max_norm: Any, norm_type: float) -> Tensor:
    """Returns rows of a table, which may be scaled down in place first."""
    if max_norm is not None:
        without_history(F.embedding_renorm_, x, weight, max_norm, norm_type)
    result: Tensor = F.embedding(x, weight, padding_idx)
    return named("EmbeddingBackward0", result)


def layer_norm(x: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Tensor:
    """Normalizes over the last axes; PyTorch's weights have the shape of these."""
    flat = [None if each is None else each.reshape([-1]) for each in (weight, bias)]
    result: Tensor = F.layer_norm(x, list(normalized_shape), *flat, eps)
    return keep(result, "NativeLayerNormBackward0", x, weight)


def batch_norm(
    x: Tensor, mean: Any, variance: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> Tensor:
    """Normalizes each channel over a batch; PyTorch's `momentum` is the part that the new batch contributes."""
    form = "NC" if x.array.ndim == 2 else "NCL"
    result: Tensor = F.batch_norm(x, mean, variance, weight, bias, training, 1.0 - momentum, eps, form)
    return keep(result, "NativeBatchNormBackward0", x, weight, *(() if training else (mean, variance)))


def smooth_l1(x: Tensor, target: Tensor, reduction: str, beta: float) -> Tensor:
    """Returns the smooth L1 loss; Paddle's is larger by `beta`."""
    result: Tensor = F.smooth_l1_loss(x, target, reduction, beta)
    result = result if beta == 1 else result.scale(1 / beta)
    return keep(result, "SmoothL1LossBackward0", x, target)


def cross_entropy(
    x: Tensor, target: Tensor, weight: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    """Returns the cross entropy of logits and classes, or probabilities, along axis 1."""
    axis = 1 if x.array.ndim > 1 else 0
    node = "NllLossBackward0" if target.array.dtype.kind != "f" else "DivBackward1"
    if label_smoothing:
        node = "AddBackward0"
    soft = target.array.dtype.kind == "f"
    result: Tensor = F.cross_entropy(
        x, target, weight, ignore_index, reduction, soft, axis, True, label_smoothing
    )
    return named(node, result)


def named_by_key(result: Tensor, key: Any) -> Tensor:
    """Gives the node of `x[key]` the name of the last step that PyTorch takes for it."""
    if result.node is not None:
        grad_nodes.call_node(result.node, f"{_step(key)}Backward0")
    return result


def named_by_write(x: Tensor, key: Any, value: Any) -> None:
    """Gives the node after `x[:] = value` the name that PyTorch's write to `x` itself has."""
    items = key if isinstance(key, tuple) else (key,)
    if x.base is None and all(each is ... or each == slice(None) for each in items if not isinstance(each, Tensor | list)):
        if not any(isinstance(each, Tensor | list) for each in items):
            name = "torch::autograd::CopyBackwards" if isinstance(value, Tensor) else "FillBackward3"
            grad_nodes.call_node(x.node, name)


def _step(key: Any) -> str:
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(each, Tensor | list) for each in items):
        return "Index"
    for item in reversed(items):
        if item is None:
            return "Unsqueeze"
        if isinstance(item, int):
            return "Select"
        if isinstance(item, slice) and item != slice(None):
            return "Slice"
    return "Alias"


def check_apart(op: str, x: Tensor, value: Tensor) -> None:
    """Refuses an operand that shares elements with the tensor that is written at a list of places."""
    if np.shares_memory(x.array, value.array):
        _refuse_overlap(op, x)


def check_overlap(op: str, x: Tensor, value: Tensor, written: Any = None) -> None:
    """Refuses an operand that shares some elements with the written tensor, in PyTorch's sense: it compares where both begin and end.

    Args:
        op: the operation.
        x: the tensor.
        value: the operand.
        written: the part of its array that is written; all of it if None.
    """
    mine, other = x.array if written is None else written, value.array
    if mine is other or value.storage is not x.storage or not mine.size or not other.size:
        return
    if not (_dense(mine) and _dense(other)):
        return
    first, second = mine.__array_interface__["data"][0], other.__array_interface__["data"][0]
    if first == second and mine.nbytes == other.nbytes:
        if not _same_slots(mine, other):
            _refuse_overlap(op, x)
    elif first < second + other.nbytes and second < first + mine.nbytes:
        _refuse_overlap(op, x)


def _same_slots(mine: Any, other: Any) -> bool:
    """Whether each element of one array lies where that of the other does."""
    steps = [[(n, step) for n, step in zip(each.shape, each.strides, strict=True) if n > 1] for each in (mine, other)]
    return steps[0] == steps[1]


def _dense(array: Any) -> bool:
    """Whether the elements fill a stretch of memory, in any order of the axes."""
    expected = array.itemsize
    for step, size in sorted((step, size) for step, size in zip(array.strides, array.shape, strict=True) if size > 1):
        if step != expected:
            return False
        expected *= size
    return True


def _refuse_overlap(op: str, x: Tensor) -> None:
    if modes.current().recording_history:
        check_leaf(op, x)
    raise errors.partial_overlap(op=op, tensor=x)



def added_batches(x: Tensor, first: Tensor, second: Tensor, beta: Any, alpha: Any) -> Tensor:
    """Returns `beta * x + alpha * first @ second` for stacks of matrices; `x` may be broadcast."""
    shape = (first.array.shape[0], first.array.shape[1], second.array.shape[2])
    wide = x if x.array.shape == shape else expanded(x, list(shape), ())
    result: Tensor = engine.baddbmm(wide, first, second, beta, alpha)
    return result


def diagonal_of(x: Tensor, offset: int) -> Tensor:
    """Returns the diagonal of a matrix, or the matrix with a diagonal."""
    result: Tensor = engine.diag(x, offset)
    return named("DiagEmbedBackward0" if x.array.ndim == 1 else "DiagonalBackward0_copy", result)


def interpolated(x: Tensor, end: Tensor, weight: Any, *, in_place: bool) -> Tensor:
    """Returns `x + weight * (end - x)`."""
    result: Tensor = (engine.lerp_ if in_place else engine.lerp)(x, end, weight)
    return named("LerpBackward1", result) if isinstance(weight, Tensor) else result
