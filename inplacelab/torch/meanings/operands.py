"""Two operands: numbers and tensors, and the dtypes that they are promoted to."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

import inplacelab as engine
from inplacelab.errors import is_foreign
from inplacelab.ops.arguments.operands import number_like
from inplacelab.ops.creation import operand
from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes
from inplacelab.torch.dtypes import tensor_type
from inplacelab.torch.grad_nodes import named
from inplacelab.torch.refusals import foreign_tensor, refuse

ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def is_number(value: Any) -> bool:
    """Whether an operand is a number instead of a tensor."""
    return isinstance(value, Number | np.bool_) and not isinstance(value, Tensor)


def _category(value: Any) -> int:
    return ORDER[value.array.dtype.kind] if isinstance(value, Tensor) else ORDER[np.asarray(value).dtype.kind]


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
        if found is None or ORDER[dtype.kind] > ORDER[found.kind]:
            found = dtype
    numbers = [each for each in operands if not isinstance(each, Tensor)]
    for number in numbers:
        if found is None or _category(number) > ORDER[found.kind]:
            kind = np.asarray(number).dtype.kind
            wide = found is not None and found == np.float64
            found = {
                "b": np.dtype(bool), "i": np.dtype(np.int64), "u": np.dtype(np.int64),
                "f": np.dtype(engine.get_default_dtype()), "c": np.dtype(np.complex128 if wide else np.complex64),
            }[kind]  # fmt: skip
    assert found is not None
    return found


def cast_to(value: Any, dtype: np.dtype[Any], like: Tensor) -> Tensor:
    """Returns an operand as a tensor of a dtype; a number is one without axes, on the device of `like`."""
    if not isinstance(value, Tensor):
        return number_like(value, like) if like.array.dtype == dtype else operand(value, like, dtype=dtype)
    return value if value.array.dtype == dtype else value.cast(dtype.name)


def check_operand(op: str, *values: Any) -> None:
    """Refuses an operand that is neither a tensor nor a number."""
    for position, value in enumerate(values, 1):
        if not isinstance(value, Tensor) and not is_number(value):
            if is_foreign(value):
                raise foreign_tensor(op, value)
            raise refuse("not_an_operand", op=op, position=position, kind=type(value).__name__)


def together(op: str, x: Any, y: Any, *, least: str = "") -> tuple[Tensor, Tensor]:
    """Returns two operands as tensors of one dtype, of the kind `least` ("f") or above."""
    check_operand(op, x, y)
    dtype = common_dtype(x, y)
    if least and ORDER[dtype.kind] < ORDER[least]:
        dtype = np.dtype(engine.get_default_dtype())
    like = x if isinstance(x, Tensor) else y
    return cast_to(x, dtype, like), cast_to(y, dtype, like)


def pair(name: str, *, least: str = "") -> Callable[..., Tensor]:
    """Makes PyTorch's form of a function of two operands: either may be a number, and their dtypes are promoted. A name with an
    underscore before it is that of a row in `ops/torch_variants.py`.
    """

    def function(x: Any, y: Any, **options: Any) -> Tensor:
        return compute(name, *together(name.strip("_"), x, y, least=least), options)

    def compute(name: str, x: Tensor, y: Tensor, options: dict[str, Any]) -> Tensor:
        if x.array.dtype.kind == "b":
            name = {"add": "logical_or", "multiply": "logical_and"}.get(name, name)
        result: Tensor = getattr(x, name)(y) if name.startswith("_") else getattr(engine, name)(x, y, **options)
        return result

    return function


def into(name: str, *, least: str = "", torch: str = "") -> Callable[..., Tensor]:
    """Makes PyTorch's in-place form of a function of two operands: the result must fit into the dtype of the first."""

    def function(x: Tensor, y: Any, **options: Any) -> Tensor:
        check_operand(torch or name, y)
        dtype = common_dtype(x, y)
        if least and ORDER[dtype.kind] < ORDER[least]:
            dtype = np.dtype(engine.get_default_dtype())
        if ORDER[dtype.kind] > ORDER[x.array.dtype.kind]:
            raise refuse("result_does_not_fit", result=kind_of(dtype), target=kind_of(x.array.dtype))
        result: Tensor = getattr(x, name)(cast_to(y, x.array.dtype, x), **options)
        return result

    return function


def kind_of(dtype: np.dtype[Any]) -> str:
    """Returns PyTorch's word for a dtype in messages: "Float"."""
    return tensor_type(dtype.name).removeprefix("torch.").removesuffix("Tensor")


def c_name(x: Tensor) -> str:
    """Returns the name that a dtype has in C: "long int"."""
    name = str(x.array.dtype.name)
    return {"float64": "double", "float32": "float", "int64": "long int", "int32": "int"}.get(name, name)


def alike(*tensors: Tensor, least: str = "") -> list[Tensor]:
    """Returns several operands in their common dtype, of the kind `least` ("f") or above."""
    dtype = common_dtype(*tensors)
    if least and ORDER[dtype.kind] < ORDER[least]:
        dtype = np.dtype(engine.get_default_dtype())
    return [cast_to(each, dtype, each) for each in tensors]


def fitting(x: Tensor, *others: Tensor, least: str = "") -> list[Tensor]:
    """Returns the other operands of an in-place function in the dtype of the first, into which the result must fit."""
    dtype = alike(x, *others, least=least)[0].array.dtype
    if ORDER[dtype.kind] > ORDER[x.array.dtype.kind]:
        raise refuse("result_does_not_fit", result=kind_of(dtype), target=kind_of(x.array.dtype))
    return [cast_to(each, x.array.dtype, x) for each in others]


def equal(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    return x.array.shape == y.array.shape and bool(engine.equal_all(*alike(x, y)))


def has_nan(x: Tensor) -> bool:
    """Whether an element may be NaN or infinite."""
    return x.array.dtype.kind in "fc"


def floating(x: Tensor) -> Tensor:
    """Refuses to write numbers with a fraction into integers."""
    if x.array.dtype.kind in "biu":
        raise refuse("result_does_not_fit", result="Float", target=kind_of(x.array.dtype))
    return x


def ruled(name: str, x: Tensor) -> Tensor:
    """Returns a function of one tensor by PyTorch's rule for NaN (see `ops/torch_variants.py`); complex numbers have only one."""
    result: Tensor = getattr(x, name if x.array.dtype.kind == "c" else f"_{name}")()
    return result


def with_other(function: Callable[..., Tensor], x: Any, y: Any, alpha: Any) -> Tensor:
    """Returns `x + alpha * y`, and the like."""
    if not isinstance(y, Tensor) and is_number(y):
        return function(x, y if type(alpha) is int and alpha == 1 else y * alpha)
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


def number_for(x: Tensor, value: Any) -> Any:
    """A number, or a tensor without axes, in the dtype of the tensor that it is written into."""
    return cast_to(value, x.array.dtype, x) if isinstance(value, Tensor) or is_number(value) else value


def masked(x: Tensor, mask: Tensor, value: Any, *, in_place: bool) -> Tensor:
    """Fills the elements that a mask shows."""
    if isinstance(value, Tensor) and value.array.ndim:
        raise refuse("masked_value_has_axes", rank=value.array.ndim)
    value = number_for(x, value)
    result: Tensor = (x.masked_fill_ if in_place else x.masked_fill)(mask, value)
    return result


def clamped(x: Tensor, low: Any, high: Any, *, in_place: bool = False, node: str | None = None) -> Tensor:
    """Limits the elements; bounds may be tensors."""
    if low is None and high is None:
        raise refuse("clamp_without_bounds")
    if (
        in_place
        and ORDER[common_dtype(*(each for each in (x, low, high) if each is not None)).kind] > ORDER[x.array.dtype.kind]
    ):
        raise refuse("result_does_not_fit", result="Float", target=c_name(x))
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        result = x.clone() if in_place else x  # the write would make what was computed from it stale
        result = result if low is None else pair("_at_least")(result, low)
        result = result if high is None else pair("_at_most")(result, high)
        return named("ClampBackward0", x.copy_(cast_to(result, x.array.dtype, x), True) if in_place else result)
    if low is not None and high is not None and low > high:
        low = high
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
    return tuple(engine.to_tensor(each, dtype=dtype.name) for each in (x, y))


def truths(name: str, x: Any, y: Any) -> Tensor:
    """Returns a logical function of two tensors of any dtype."""
    true = [each if each.array.dtype.kind == "b" else each.cast("bool") for each in together(name, x, y)]
    result: Tensor = getattr(engine, name)(*true)
    return result


def interpolated(x: Tensor, end: Tensor, weight: Any, *, in_place: bool) -> Tensor:
    """Returns `x + weight * (end - x)`."""
    factor = number_for(x, weight) if isinstance(weight, Tensor) and not weight.array.ndim else weight
    result: Tensor = (x._lerp_ if in_place else x._lerp)(end, factor)
    return named("LerpBackward1", result) if isinstance(weight, Tensor) else result
