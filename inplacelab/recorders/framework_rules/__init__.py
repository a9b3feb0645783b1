"""Tells by which rules the elements of results depend on those of operands, for calls of PyTorch and PaddlePaddle: in the terms in which the table of
operations tells it (`inplacelab/dependence.py`). An operation without an entry here has no known dependence: nothing is guessed.

Parameters are named as in `recorders/positions.py`: "x" is the first tensor, "index", "mask", "value", "axis".

* `call.py`: a call, and what is found; functions that move or add elements are run again on numbers (`by_trial`).
* `elements.py`: positions, axes, order, indices and masks.
* `products.py`: sums of products, windows of images.
* `layers.py`: normalizations, losses, steps of optimizers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from inplacelab.dependence import CONSTANT, DRAWN, MOST_PLACES, OVERWRITTEN, Dependence
from inplacelab.recorders.framework_rules.call import Call, Found, Rules, Shape, by_trial
from inplacelab.recorders.framework_rules.elements import (
    INDEXED,
    POINTWISE_NAMES,
    SORTING,
    of_axes,
    of_elements,
    of_pairs,
    of_positions,
)
from inplacelab.recorders.framework_rules.layers import LOSSES, NORMALIZATIONS, OPTIMIZERS
from inplacelab.recorders.framework_rules.products import WINDOWS, of_products

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand


__all__ = ["Call", "dependence", "depends_of"]

_RULES: Rules = {
    **INDEXED, **SORTING, **WINDOWS, **NORMALIZATIONS, **LOSSES, **OPTIMIZERS,
}  # fmt: skip

_OVERWRITES = frozenset({"copy_", "set_value", "set_tensor"})
_CONSTANTS = frozenset({
    "clear_gradient", "fill_", "zero_", "_zero_grads", "full_", "assign_value_", "constant_",
})  # fmt: skip
_WITHOUT_VALUES = frozenset({
    "empty_like", "full", "full_like", "new_empty", "ones_like", "zeros_like", "numel", "shape", "shape64", "one_hot", "new_zeros", "new_ones", "new_full", "new_tensor",
})  # fmt: skip
"""Functions that read no values of their tensors."""
_DRAWN = frozenset({
    "uniform_", "normal_", "log_normal_", "exponential_", "cauchy_", "geometric_", "random_", "bernoulli_", "uniform_inplace_", "gaussian_inplace_",
    "multinomial", "poisson", "rand_like", "randn_like", "randint_like", "bernoulli", "kaiming_uniform_",
})  # fmt: skip


def dependence(call: Call, shapes: Sequence[Shape]) -> Found:
    """Returns how the result of a call depends on its tensors, or each of several results; None if that is not known.

    Args:
        call: the call, before it runs.
        shapes: the shapes of its tensors, in the order in which the recorder lists them as inputs.
    """
    if not shapes:
        return None
    try:
        return _dependence(call, shapes)
    except _AS_FROM_THE_OPERATION:
        return None


_AS_FROM_THE_OPERATION = (IndexError, KeyError, TypeError, ValueError, RuntimeError, AttributeError)


def depends_of(
    found: Found, category: str, output: Operand, operands: Sequence[Operand], reported: int
) -> Dependence | None:
    """Returns the dependence of one result of a call: none of a view; of indices, on all elements that were compared.

    Args:
        found: what `dependence` returned.
        category: how the operation treats memory.
        output: the result, or what was written.
        operands: the operands of the call, one of which may have been written.
        reported: how many results came before it.
    """
    if category not in ("ordinary", "in-place", "reallocated"):
        return None
    if isinstance(found, tuple):
        written = (k for k, each in enumerate(operands) if each.tensor == output.tensor)
        place = reported if category == "ordinary" else next(written, len(found))
        return found[place] if place < len(found) else None
    known = found
    return replace(known, rule="") if known is not None and known.rule and output.dtype.startswith("int") else known


def _dependence(call: Call, shapes: Sequence[Shape]) -> Found:
    plain = call.name.removesuffix("_")
    if call.kwargs.get("out") is not None:
        return _into_out(call, shapes)
    if call.name == "set_":
        return _shortened(call, shapes)
    if plain in _RULES:
        return _RULES[plain](call, plain, shapes)
    if plain in POINTWISE_NAMES and call.name not in _DRAWN:  # most calls: no other rule is theirs
        return of_elements(call, plain, shapes)
    known = (rule(call, plain, shapes) for rule in (_whatever_it_held, *_SUBJECTS))
    return next((found for found in known if found is not None), None)


_SUBJECTS = (of_positions, of_elements, of_axes, of_pairs, of_products, by_trial)


def _whatever_it_held(call: Call, plain: str, shapes: Sequence[Shape]) -> Dependence | None:
    """Of a function that does not read what it writes, or no values at all."""
    if call.name == "assign_out_":
        return Dependence("pointwise", (1,))  # the second operand is overwritten with the first
    if call.name in _OVERWRITES or (call.name in _CONSTANTS and len(shapes) > 1):
        return OVERWRITTEN
    if plain == "full" and call.is_tensor(call.named("shape", "value").get("value")):
        return None
    if call.name in _CONSTANTS or plain in _WITHOUT_VALUES:
        return CONSTANT
    return DRAWN if call.name in _DRAWN else None


def _shortened(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """Paddle's `resize_`: `set_` with the tensor's own storage. With that of another tensor nothing is computed."""
    named = call.named("x", "source", "shape", "stride", "offset")
    size = prod(int(each) for each in named["shape"])
    alone = named["source"] is named["x"] and not named["offset"] and size <= min(prod(shapes[0]), MOST_PLACES)
    return Dependence("moved", places=tuple(range(size))) if alone else None


def _into_out(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """With `out=`, which is the first operand and only written."""
    if not call.is_tensor(call.kwargs["out"]):
        return None
    rest = {name: value for name, value in call.kwargs.items() if name != "out"}
    found = _dependence(replace(call, kwargs=rest), shapes[1:])
    return replace(found, first=found.first + 1) if isinstance(found, Dependence) else None
