"""Operations that write several of their operands: steps of Paddle's optimizers, and PyTorch's `_foreach_` functions.

What they return has the dependence of each operand that may be written, by its place among the operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplacelab.dependence import CONSTANT, Dependence, Given
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape
from inplacelab.recorders.dependences.pointwise import POINTWISE_NAMES

_OPERANDS: Mapping[str, Sequence[str]] = {
    "sgd": ("param", "rate", "grad"),
    "momentum": ("param", "grad", "velocity", "rate"),
    "adagrad": ("param", "grad", "moment", "rate"),
    "rmsprop": ("param", "mean_square", "grad", "moment", "rate", "mean_grad"),
    "adamax": ("param", "grad", "rate", "moment", "inf_norm", "beta1_pow"),
    **dict.fromkeys(
        ("adam", "adamw"),
        ("param", "grad", "rate", "moment1", "moment2", "moment2_max", "beta1_pow", "beta2_pow"),
    ),
}
"""The tensors of Paddle's kernels, in the order of their arguments."""
_READ: Mapping[str, Sequence[str]] = {
    **{each: (each, "grad") for each in ("velocity", "mean_square", "mean_grad", "moment1", "moment2", "inf_norm")},
    **{each: (each,) for each in ("beta1_pow", "beta2_pow", "grad", "rate")},
}
"""What a state is computed from. A parameter is computed from all, and so is a state that is not listed."""


def _step(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    names = [name for name, value in zip(_OPERANDS[plain], call.args, strict=False) if call.is_tensor(value)]
    if len(names) != len(shapes):
        return None
    return tuple(_pointwise_on(_READ.get(name, names), names) for name in names)


def _pointwise_on(read: Sequence[str], names: Sequence[str]) -> Dependence:
    return Dependence("pointwise", tuple(k for k, name in enumerate(names) if name not in read))


def _for_each(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A function of the tensors of a list, one after the other; of further lists, each with its own."""
    name, count = plain.removeprefix("_foreach_"), len(call.args[0])
    if name == "zero":
        return (CONSTANT,) * count
    if name == "norm":
        return tuple(Dependence("reduced", tuple(range(len(shape))), first=k) for k, shape in enumerate(shapes))
    lists = sum(type(value) in (list, tuple) and any(map(call.is_tensor, value)) for value in call.args)
    if len(shapes) - count * lists not in (0, 1):
        return None  # another order of the operands
    numbers = {"other": call.args[-1], **call.kwargs}
    given = tuple(Given(name, value) for name, value in numbers.items() if type(value) in (int, float))
    listed = range(count * lists)
    others = [
        {place for place in listed if place % count != k} | ({k} if name == "copy" else set()) for k in range(count)
    ]
    return tuple(Dependence("pointwise", tuple(sorted(other)), given=given) for other in others)


def _side_by_side(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's moves the tensors of a list to one storage."""
    return tuple(Dependence("pointwise", tuple(k for k in range(len(shapes)) if k != at)) for at in range(len(shapes)))


RULES: Rules = {
    "coalesce_tensor": _side_by_side,
    **dict.fromkeys(_OPERANDS, _step),
    **{f"_foreach_{name}": _for_each for name in (*POINTWISE_NAMES, "zero", "norm", "copy")},
}
