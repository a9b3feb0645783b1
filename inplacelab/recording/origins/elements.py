"""Converts between the elements of a tensor and the slots of its storage, and finds how numbers came into slots, step by step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording.facts import Number, Step, StorageFacts, TensorFacts
from inplacelab.recording.places import line_of
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Runs, element_values, same_value, slot_runs, slot_value, slots_under

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


How = Literal["computed", "made", "backward", "before", "unseen"]
"""How numbers came into slots: "computed" by an operation from others; "made" by one that reads no tensor; by a "backward" pass; "before":
they were there when the recorder first saw the storage; "unseen": written by something that was not recorded."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """How numbers came into slots of a storage in one step.

    Attributes:
        step: the step; -1 for what was there when the recorder first saw the storage, in a step that wrote it at once.
        how: what put them there.
        slots: runs of slots.
        tensor: the tensor through which they were written; None if that is not known.
    """

    step: int
    how: How
    slots: Runs
    tensor: int | None

    def reaches(self, slot: int) -> bool:
        """Whether a slot is among them."""
        at = bisect_right(self.slots, slot, key=lambda run: run[0])
        return at > 0 and slot < self.slots[at - 1][1]


def arrivals(recording: Recording) -> Mapping[int, Sequence[Arrival]]:
    """Returns the arrivals in each storage, in the order of the steps."""
    return recording.once(_arrivals)


def _arrivals(recording: Recording) -> dict[int, list[Arrival]]:
    found: dict[int, list[Arrival]] = {}
    for step in recording.steps:
        for storage, arrival in _in_step(recording, step):
            found.setdefault(storage, []).append(arrival)
    return found


def _in_step(recording: Recording, step: Step) -> Iterator[tuple[int, Arrival]]:
    before = recording.before(step.index).storages
    written = {write.storage for write in step.writes if write.slots}
    for storage, facts in step.storages:
        if facts is not None and storage not in before:
            yield storage, _first(recording, step, facts, at_once=storage in written)
    for write in step.writes:
        if write.slots:
            how: How = (
                "backward" if step.kind == "backward" else "computed"
            )  # a second pass adds to the gradient in place
            yield write.storage, Arrival(step.index, how, write.slots, write.tensor)
    for storage, facts in step.storages:
        known = before.get(storage)
        if facts is not None and known is not None and storage not in written and (slots := _changed(known, facts)):
            yield storage, Arrival(step.index, "backward" if step.kind == "backward" else "unseen", slots, None)


def _first(recording: Recording, step: Step, facts: StorageFacts, *, at_once: bool) -> Arrival:
    """What is in a storage when it is first seen. It may be written `at_once`, in the same step."""
    after = recording.state(step.index).tensors
    output = None if step.output is None else after.get(step.output) or dict(step.tensors).get(step.output)
    moved = output is not None and output.storage == facts.id and step.category in ("ordinary", "reallocated", "create")
    sibling = None if moved else _made_by_sibling(recording, step, facts)
    if sibling is not None:
        return sibling
    if moved and output is not None:
        return Arrival(step.index, "made" if step.category == "create" else "computed", slot_runs(output), output.id)
    if step.kind == "backward":
        return Arrival(step.index, "backward", ((0, facts.slots),), None)
    return Arrival(-1 if at_once else step.index, "before", ((0, facts.slots),), None)


MOST_RESULTS = 64
"""An operation has no more results than this."""


def _made_by_sibling(recording: Recording, step: Step, facts: StorageFacts) -> Arrival | None:
    """The arrival of a further result of an operation: all its results are there from the first of its steps on."""
    if step.op is None or step.category != "ordinary":
        return None
    for later in recording.steps[step.index + 1 : step.index + MOST_RESULTS]:
        if (later.op, line_of(later.place), later.inputs) != (
            step.op,
            line_of(step.place),
            step.inputs,
        ) or later.output is None:
            return None
        output = recording.state(later.index).tensors.get(later.output)
        if output is not None and output.storage == facts.id:
            return Arrival(later.index, "computed", slot_runs(output), output.id)
    return None


def _changed(before: StorageFacts, after: StorageFacts) -> Runs:
    """The slots with other values; all, if their values were not recorded."""
    if before.values == after.values:
        return ()
    if not isinstance(before.values, tuple) or not isinstance(after.values, tuple):
        return ((0, after.slots),)
    pairs = enumerate(zip(before.values, after.values, strict=False))
    return tuple((slot, slot + 1) for slot, (old, new) in pairs if not same_value(old, new))


def arrival_at(recording: Recording, storage: int, slot: int, step: int) -> Arrival | None:
    """Returns the arrival of the number that a slot held after a step; None if it was there before."""
    found = arrivals(recording).get(storage, ())
    upto = bisect_right(found, step, key=lambda each: each.step)
    return next((each for each in reversed(found[:upto]) if each.reaches(slot)), None)


def next_arrival(recording: Recording, storage: int, slot: int, step: int) -> Arrival | None:
    """Returns the arrival that overwrote the number that a slot held after a step; None if none did."""
    found = arrivals(recording).get(storage, ())
    after = bisect_right(found, step, key=lambda each: each.step)
    return next((each for each in found[after:] if each.reaches(slot)), None)
