"""Converts between the elements of a tensor and the slots of its storage."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from inplacelab.language import Text
from inplacelab.recording.facts import Number, TensorFacts
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import element_values, slot_value, slots_under

__all__ = [
    "MOST_ELEMENTS",
    "asked_for",
    "element_at",
    "index_of",
    "number_of",
    "slot_of",
    "slots_of_element",
    "value_of",
    "written_index",
]

MOST_ELEMENTS = 4096
"""Of a tensor with more elements, what they have flowed into is not looked for."""

_OUTSIDE = Text(
    "`{0}` has no element {1}: its shape is {2} after step {3}", "第 {3} 步之后 `{0}` 的形状是 {2}，没有元素 {1}"
)
_NO_INDEX = Text(
    "an element is given by one whole number for each axis, such as (0, 2), not by {0!r}",
    "元素由每个轴各一个整数给出，例如 (0, 2)，而不是 {0!r}",
)


_NO_RECORDING = Text(
    "a recording is asked, such as the `recording` of a block `with record() as block`, not of type `{0}`",
    "应给出一份记录，例如 `with record() as block` 的 `block.recording`，而不是 `{0}` 类型的对象",
)
_NO_TENSOR = Text(
    "a tensor is given by its name, or by its facts in the recording, not by {0!r}",
    "张量由它的名字给出，或由记录中它的事实给出，而不是 {0!r}",
)


def asked_for(recording: Recording, tensor: str | TensorFacts, step: int) -> tuple[State, TensorFacts]:
    """Returns the state after a step, and the facts of a tensor in it.

    Raises:
        IndexError: if there is no such step.
        KeyError: if no tensor has that name at that step.
        TypeError: if the recording, the tensor or the step is none.
    """
    if not isinstance(recording, Recording):
        raise TypeError(str(_NO_RECORDING.format(type(recording).__name__)))
    if not isinstance(tensor, str | TensorFacts):
        raise TypeError(str(_NO_TENSOR.format(tensor)))
    state = recording.state(step)
    return state, state.tensor(tensor) if isinstance(tensor, str) else tensor


def number_of(state: State, tensor: TensorFacts, index: object) -> int:
    """Returns the number of an element in row-major order.

    Raises:
        IndexError: if the tensor has no such element.
        TypeError: if the index is none.
    """
    if (
        not isinstance(index, Sequence)
        or isinstance(index, str)
        or not all(hasattr(each, "__index__") for each in index)
    ):
        raise TypeError(str(_NO_INDEX.format(index)))
    shape = tensor.shape
    if len(index) != len(shape) or not all(-size <= each < size for each, size in zip(index, shape, strict=True)):
        called = state.called(tensor.id).first
        raise IndexError(str(_OUTSIDE.format(called, written_index(index), list(shape), state.step.index)))
    number = 0
    for each, size in zip(index, shape, strict=True):
        number = number * size + each % size
    return number


def index_of(shape: Sequence[int], number: int) -> tuple[int, ...]:
    """Returns the index of an element from its number in row-major order."""
    index = []
    for size in reversed(shape):
        number, here = divmod(number, max(size, 1))
        index.append(here)
    return tuple(reversed(index))


def written_index(index: Sequence[int]) -> str:
    """Writes an index: "[0, 2]"; "" for an element of a tensor without axes."""
    return f"[{', '.join(map(str, index))}]" if len(index) else ""


def slot_of(tensor: TensorFacts, number: int) -> int:
    """Returns where an element begins, counted in elements of the tensor's dtype."""
    index = index_of(tensor.shape, number)
    return tensor.offset + sum(each * stride for each, stride in zip(index, tensor.strides, strict=True))


def slots_of_element(state: State, tensor: TensorFacts, number: int) -> range:
    """Returns the slots that hold an element: one, unless the tensor shows the storage in another dtype."""
    storage, at = state.storages.get(tensor.storage), slot_of(tensor, number)
    return range(at, at + 1) if storage is None else range(*slots_under(storage, tensor.dtype, at, at + 1))


def element_at(state: State, tensor: TensorFacts, slot: int) -> int | None:
    """Returns the number of the element that a slot holds a part of; None if the tensor does not show the slot."""
    storage = state.storages.get(tensor.storage)
    if storage is None or storage.dtype == tensor.dtype:
        found = _solved(tensor, slot)
        if found is not None or prod(tensor.shape) > MOST_ELEMENTS:
            return found
    elif prod(tensor.shape) > MOST_ELEMENTS:
        return None
    return next(
        (number for number in range(prod(tensor.shape)) if slot in slots_of_element(state, tensor, number)), None
    )


def _solved(tensor: TensorFacts, slot: int) -> int | None:
    """The element in a slot of a layout whose axes do not overlap: the longest strides first."""
    left, index = slot - tensor.offset, [0] * len(tensor.shape)
    if 0 in tensor.shape:
        return None
    for axis in sorted(range(len(tensor.shape)), key=lambda each: -tensor.strides[each]):
        size, stride = tensor.shape[axis], tensor.strides[axis]
        if stride > 0:
            index[axis] = min(max(left // stride, 0), size - 1)
            left -= index[axis] * stride
    number = 0
    for each, size in zip(index, tensor.shape, strict=True):
        number = number * size + each
    return number if left == 0 else None


def value_of(state: State, tensor: TensorFacts, number: int) -> Number | None:
    """Returns an element's value after a step; None if it was not recorded."""
    storage = state.storages.get(tensor.storage)
    return None if storage is None else element_values(storage, tensor.dtype, [slot_of(tensor, number)])[0]


def value_in_slot(recording: Recording, storage: int, slot: int, step: int) -> Number | None:
    """Returns a slot's value after a step; None if it was not recorded."""
    facts = recording.state(step).storages.get(storage) if step >= 0 else None
    return None if facts is None else slot_value(facts, slot)
