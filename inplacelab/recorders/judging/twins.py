"""Values of tensors and of their twins: how they are read, compared and substituted for arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.autograd import no_grad
from inplacelab.ops.creation import to_tensor
from inplacelab.recorders.backward_passes import reachable
from inplacelab.recorders.judging.judgment import Operand
from inplacelab.recorders.snapshots import BITS
from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.recorders.known_objects import KnownTensor

LARGEST = 1 << 22
"""Tensors with more elements have no twin."""
DTYPES = frozenset({"float32", "float64"})
DIFFERENTIABLE = DTYPES | {"float16", "bfloat16", "complex64", "complex128"}
_TOLERANCES = {"float32": 1e-3, "float64": 1e-7}
"""How far two gradients may be apart, as a part of the gradient."""


def size_of(known: KnownTensor) -> int:
    """Returns how many elements a tensor has."""
    return int(np.prod(known.operand.layout.shape, dtype=int))


def values_of(known: KnownTensor) -> Any:
    """Returns the values of a tensor as an array on its memory; None if they cannot be read, or are too many."""
    storage, layout = known.storage, known.operand.layout
    if known.operand.dtype != storage.dtype or storage.dtype in BITS or size_of(known) > LARGEST:
        return None
    memory = storage.memory()
    if memory is None:
        return None if size_of(known) else np.zeros(layout.shape, known.operand.dtype)
    steps = [each * memory.itemsize for each in layout.strides]
    return np.lib.stride_tricks.as_strided(memory[layout.offset :], layout.shape, steps, writeable=False)


def copied_from(known: KnownTensor) -> Any:
    """Returns a copy of the values of a tensor; None if they cannot be read."""
    values = values_of(known)
    return None if values is None else values.copy()


def kept(array: Any) -> Any:
    """Returns a copy of an array, or None."""
    return None if array is None else np.array(array)


def same(array: Any, values: Any) -> bool:
    """Whether two arrays are equal in dtype, shape and each element."""
    if values is None or array.shape != values.shape or array.dtype != values.dtype:
        return False
    return np.array_equal(array, values, equal_nan=array.dtype.kind in "fc")


def is_close(array: Any, values: Any, operands: Iterable[Any] = ()) -> bool:
    """Whether the engine has computed the same, within rounding. A sum of operands may be nothing but rounding."""
    if values is None or array.shape != values.shape or array.dtype != values.dtype:
        return False
    if array.dtype.kind != "f":
        return np.array_equal(array, values)
    larger = [_largest(each) * (each.size / values.size) ** 0.5 for each in operands if each.size > values.size > 0]
    limit = max(1e-5 * _largest(values), *(1e-6 * each for each in larger), 0.0)
    return np.allclose(array, values, rtol=1e-4, atol=limit, equal_nan=True)


def _largest(array: Any) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def tolerance(dtype: str) -> float:
    """Returns how far two gradients may be apart, as a part of the gradient."""
    return _TOLERANCES.get(dtype, 3e-2)


def is_near(found: Any, meant: Any, dtype: str, doubt: float = 0.0) -> bool:
    """Whether two gradients are equal, within rounding.

    Args:
        found: a gradient.
        meant: what it should be.
        dtype: their dtype.
        doubt: how far rounding may move an element.
    """
    if found.shape != np.shape(meant):
        return False
    known = np.isfinite(meant)  # of others it depends on the order of operations which they are
    part = tolerance(dtype)
    limit = max(part / 100 * _largest(np.where(known, meant, 0)), doubt)
    return np.allclose(np.where(known, found, 0), np.where(known, meant, 0), rtol=part, atol=limit)


def shaken(dtype: str) -> Callable[[Any], Any]:
    """Returns a hook that changes gradients by about as much as rounding would: it shows which of them are nothing but rounding."""
    drawn = np.random.default_rng(0)

    def hook(gradient: Any) -> Any:
        array = gradient.array
        noise = 1 + tolerance(dtype) / 100 * drawn.choice([-1.0, 1.0], array.shape)
        return to_tensor((array * noise).astype(array.dtype)) if array.dtype.kind == "f" else None

    return hook


def doubt(array: Any, others: Any) -> float:
    """Returns how far rounding may move an element of a gradient, from the gradient that was shaken."""
    difference = np.abs(np.subtract(array, others))
    return 10 * float(difference[np.isfinite(difference)].max(initial=0))


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yields the tensors in what the engine returns."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors_in(each)


def nodes_from(roots: Iterable[Any]) -> list[Any]:
    """Returns the nodes that a pass may reach; roots may be None."""
    return reachable(
        [each for each in roots if each is not None], lambda node: [each for each in node.edges if each is not None]
    )


def overwrite(twin: Tensor, values: Any) -> None:
    """Writes values without a history."""
    with no_grad():
        twin.detach().copy_(to_tensor(values.copy()))


def replaced(arguments: Any, by: Mapping[int, Any]) -> Any:
    """Returns arguments in which other objects stand for some, by their `id`."""
    return _with_each(arguments, lambda value: by.get(id(value), value))


def filled_in(arguments: Any, tensors: Sequence[Any]) -> Any:
    """Returns arguments in which tensors stand for operands."""
    return _with_each(arguments, lambda value: tensors[value.number] if isinstance(value, Operand) else value)


def _with_each(value: Any, changed: Callable[[Any], Any]) -> Any:
    """Returns arguments in which each value is changed, also those in lists, tuples, dictionaries and slices."""
    found = changed(value)
    if found is not value:
        return found
    if type(value) in (list, tuple):
        return type(value)(_with_each(each, changed) for each in value)
    if isinstance(value, dict):
        return {key: _with_each(each, changed) for key, each in value.items()}
    if type(value) is slice:
        return slice(*(_with_each(each, changed) for each in (value.start, value.stop, value.step)))
    return value
