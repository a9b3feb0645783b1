"""Values of tensors and of their twins: how they are read, compared and put in the place of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.autograd import no_grad
from inplacelab.ops.creation import to_tensor
from inplacelab.recorders.backward_passes import reachable
from inplacelab.recorders.judging.judgement import Operand
from inplacelab.recorders.snapshots import BITS
from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.recorders.known_objects import KnownTensor

LARGEST = 1 << 22
"""Tensors with more elements have no twin."""
DTYPES = frozenset({"float32", "float64"})
_TOLERANCES = {"float32": (1e-3, 1e-4), "float64": (1e-7, 1e-9)}
"""By dtype: how far two gradients may be apart, as a part of the largest element of the gradient itself, and of all gradients of the pass."""

ROUNDING = {"float32": 1e-6, "float64": 1e-14}
"""By dtype: how far they may be apart, as a part of the largest gradient on the way, which may have been cancelled."""


def size_of(known: KnownTensor) -> int:
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
    values = values_of(known)
    return None if values is None else values.copy()


def kept(array: Any) -> Any:
    return None if array is None else np.array(array)


def same(array: Any, values: Any) -> bool:
    if values is None or array.shape != values.shape or array.dtype != values.dtype:
        return False
    return np.array_equal(array, values, equal_nan=array.dtype.kind in "fc")


def is_close(array: Any, values: Any) -> bool:
    """Whether the engine has computed the same, within rounding."""
    if values is None or array.shape != values.shape or array.dtype != values.dtype:
        return False
    if array.dtype.kind != "f":
        return np.array_equal(array, values)
    finite = np.isfinite(values)
    scale = float(np.abs(values[finite]).max(initial=0))
    return np.allclose(array, values, rtol=1e-4, atol=1e-5 * scale, equal_nan=True)


def largest_in(array: Any) -> float:
    """Returns the largest finite element of an array, without its sign; 0 if there is none."""
    return float(np.abs(array)[np.isfinite(array)].max(initial=0))


def agree(found: Any, meant: Any, scale: float, dtype: str, *, arrived: float = 0.0) -> bool:
    """Whether two gradients are equal, within rounding.

    Args:
        found, meant: the gradients.
        scale: the largest element of all gradients of the pass.
        dtype: their dtype.
        arrived: the largest element of the gradients that they were computed from.
    """
    own, of_all = _TOLERANCES.get(dtype, (1e-2, 1e-2))
    if found.shape != np.shape(meant):
        return False
    limit = max(own * largest_in(meant), of_all * scale, ROUNDING.get(dtype, 1e-2) * arrived)
    return np.allclose(found, meant, rtol=own, atol=limit, equal_nan=True)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yields the tensors in what the engine returns."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors_in(each)


def nodes_from(roots: Iterable[Any]) -> list[Any]:
    return reachable(
        [each for each in roots if each is not None], lambda node: [each for each in node.edges if each is not None]
    )


def overwrite(twin: Tensor, values: Any) -> None:
    with no_grad():
        twin.detach().copy_(to_tensor(values.copy()))


def replaced(value: Any, by: Mapping[int, Any]) -> Any:
    """Returns arguments in which other objects stand for some, by their `id`."""
    if id(value) in by:
        return by[id(value)]
    if type(value) in (list, tuple):
        return type(value)(replaced(each, by) for each in value)
    if isinstance(value, dict):
        return {key: replaced(each, by) for key, each in value.items()}
    if type(value) is slice:
        return slice(*(replaced(each, by) for each in (value.start, value.stop, value.step)))
    return value


def filled_in(value: Any, tensors: Sequence[Any]) -> Any:
    """Returns arguments in which tensors stand for operands."""
    if isinstance(value, Operand):
        return tensors[value.number]
    if type(value) in (list, tuple):
        return type(value)(filled_in(each, tensors) for each in value)
    if isinstance(value, dict):
        return {key: filled_in(each, tensors) for key, each in value.items()}
    if type(value) is slice:
        return slice(*(filled_in(each, tensors) for each in (value.start, value.stop, value.step)))
    return value
