"""Tells which slots of a tensor an operation with an index, a mask or a diagonal writes or reads, from its arguments.

For recorders of frameworks, whose operations cannot be asked. `At` describes such an operation: its parameters, and which of the
functions here selects the elements. They get the slots of all elements, in an array of the tensor's shape, and return some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.layout import Layout

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand

MOST_SLOTS = 1 << 16
"""In storages of more slots, those that an index or a mask leads to are not counted one by one."""

Given = Mapping[str, Any]
Slots = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class At:
    """An operation on the elements that an argument selects.

    Attributes:
        selects: returns the slots of these elements, from those of all elements and the arguments by name.
        parameters: the parameters in order. "x" is the tensor that is written or read; "value" is what is written there.
        combines: whether the elements that it writes depend on their old values, or on several new ones.
    """

    selects: Callable[[Any, Given], Any]
    parameters: tuple[str, ...]
    combines: Callable[[Given], bool] = lambda given: False  # noqa: ARG005

    def given(self, args: Sequence[Any], kwargs: Given, aliases: Mapping[str, str]) -> dict[str, Any]:
        """Returns the arguments of a call by the names in `parameters`. `aliases` are other names of parameters."""
        named = {aliases.get(name, name): value for name, value in kwargs.items()}
        return {**dict(zip(self.parameters, args, strict=False)), **named}

    def touched(
        self,
        given: Given,
        layout: Layout,
        is_tensor: Callable[[Any], bool],
        as_array: Callable[[Any], Any],
        *,
        writes: bool,
    ) -> Touched:
        """Returns what a call will write or read.

        Args:
            given: its arguments by the names in `parameters`.
            layout: that of "x".
            is_tensor: whether a value is a tensor of the framework.
            as_array: returns an index or a mask as an array, or each of a list of them; None if it cannot be read.
            writes: whether it writes the elements, or makes a result of them.
        """
        target, value, combines = given["x"], given.get("value"), self.combines(given)
        copied = target if not writes else value if is_tensor(value) and not combines else None
        slots = numbered(layout)
        read = {} if slots is None else {name: as_array(given[name]) for name in _ARRAYS if name in given}
        if slots is None or any(each is None for each in read.values()):
            return Touched(target, exact=not writes, copied=copied)
        found = ascending(self.selects(slots, {**given, **read}))
        if not writes:
            return Touched(target, read=found, copied=copied)
        return Touched(target, found, True, found if combines else (), copied)


def always(_: Given) -> bool:
    """Of an operation that adds to the old values of elements, or combines them otherwise."""
    return True


def accumulates(given: Given) -> bool:
    """Of one that does so if it is told."""
    return bool(given.get("accumulate", False))


_ARRAYS = ("index", "mask")


@dataclass(slots=True, eq=False)  # not frozen, as one is made for many calls (see `events`)
class Touched:
    """What an operation is about to write and read of its tensors, as far as that is not all of them.

    Attributes:
        target: the tensor that this is about.
        written: the slots of `target` that it writes; None for all of it.
        exact: False if it is not known which of these slots it writes.
        read: the slots of `target` that it reads; None for all of it.
        copied: the tensor whose elements it writes as they are, but for their dtype.
    """

    target: Any = None
    written: Layout | Slots | None = None
    exact: bool = True
    read: Slots | None = None
    copied: Any = None

    def inputs(self, tensors: Sequence[Any], operands: Sequence[Operand]) -> tuple[Operand, ...]:
        """Returns the operands of some tensors with the part of `target` that is read."""
        places = _places(self.target, tensors)
        if not places or self.read is None:
            return tuple(operands)
        first = places[0]  # the others are read as a whole: `x.copy_(x)`
        return (*operands[:first], replace(operands[first], part=self.read), *operands[first + 1 :])

    def place_copied(self, tensors: Sequence[Any]) -> int | None:
        """Returns the position of `copied` among some tensors."""
        places = _places(self.copied, tensors)
        if not places:
            return None
        return places[-1] if self.read == () else places[0]


def _places(wanted: Any, tensors: Sequence[Any]) -> list[int]:
    return [k for k, tensor in enumerate(tensors) if tensor is wanted]


ALL = Touched()
"""An operation that reads and writes all of its tensors, and copies none."""


def at_key(target: Any, slots: Layout | Slots | None, value: Any, *, writes: bool) -> Touched:
    """Returns what a call at a key touches.

    Args:
        target: the tensor with this key.
        slots: the slots there; None if they are not known.
        value: the tensor that is written there, if it is one.
        writes: whether the call writes the slots, or reads them.
    """
    if writes:
        return Touched(target, slots, slots is not None, (), value)
    return ALL if slots is None or isinstance(slots, Layout) else Touched(target, read=slots, copied=target)


def ascending(slots: Any) -> Slots:
    """Returns slots in order, without repeats."""
    return tuple(np.unique(slots).tolist())


def numbered(layout: Layout) -> Any:
    """Returns an array that holds the slot of each element; None if there are too many slots."""
    shape, strides, offset = layout
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if 0 in shape:
        return np.zeros(shape, int)
    if last >= MOST_SLOTS:
        return None
    slots = np.arange(last + 1)
    return np.lib.stride_tricks.as_strided(slots[offset:], shape, tuple(each * slots.itemsize for each in strides))


def is_basic(part: Any) -> bool:
    """Whether a part of a key selects a window: a plain index, a slice, None or `...`."""
    if type(part) is slice:
        return all(type(each) in (int, type(None)) for each in (part.start, part.stop, part.step))
    return part is None or part is Ellipsis or type(part) is int


def window(layout: Layout, parts: tuple[Any, ...]) -> Layout:
    """Returns the layout of the window at a key of plain indices and slices."""
    one = np.empty(1, np.int8)  # its memory is never read
    shown = np.lib.stride_tricks.as_strided(one, layout.shape, layout.strides, writeable=False)[
        parts if Ellipsis in parts else (*parts, ...)
    ]
    moved = shown.__array_interface__["data"][0] - one.__array_interface__["data"][0]
    return Layout(tuple(shown.shape), tuple(shown.strides), layout.offset + (moved if shown.size else 0))


# --- what selects elements ---------------------------------------------------------------------------------------------


def rows(slots: Any, given: Given) -> Any:
    """The rows on an axis at the positions in `index`."""
    slots = np.atleast_1d(slots)
    return slots[(slice(None),) * (given.get("axis", 0) % slots.ndim) + (given["index"].reshape(-1),)]


def along(slots: Any, given: Given) -> Any:
    """The elements whose position on an axis is an element of `index`, and whose others are the position of that element."""
    slots, index = np.atleast_1d(slots), np.atleast_1d(given["index"])
    key = list(np.indices(index.shape))
    key[given["axis"] % slots.ndim] = index
    return slots[tuple(key)]


def along_broadcast(slots: Any, given: Given) -> Any:
    """The same, with the index broadcast on the other axes; flat without an axis."""
    axis, index = given.get("axis"), given["index"]
    if axis is None:
        return slots.reshape(-1)[index.reshape(-1)]
    axis %= slots.ndim
    shape = [*np.broadcast_shapes(_without(slots.shape, axis), _without(index.shape, axis))]
    of_slots, of_index = [*shape], [*shape]
    of_slots.insert(axis, slots.shape[axis])
    of_index.insert(axis, index.shape[axis])
    wide = np.broadcast_to(index, of_index)
    return along(np.broadcast_to(slots, of_slots), {"axis": axis, "index": wide})


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], 1, *shape[axis + 1 :])[:axis] + shape[axis + 1 :]


def where_true(slots: Any, given: Given) -> Any:
    """The elements where the mask holds."""
    shape = np.broadcast_shapes(slots.shape, given["mask"].shape)
    return np.broadcast_to(slots, shape)[np.broadcast_to(given["mask"].astype(bool), shape)]


def where_false(slots: Any, given: Given) -> Any:
    """The elements where the mask does not hold."""
    return slots[~np.broadcast_to(given["mask"].astype(bool), slots.shape)]


def keyed(slots: Any, given: Given) -> Any:
    """The elements at a key: one list of positions, or mask, for each axis."""
    return slots[tuple(slice(None) if part is None else part for part in given["index"])]


def places(slots: Any, given: Given) -> Any:
    """The elements at positions that the last axis of the index holds."""
    index = given["index"]
    return slots[tuple(index[..., k] for k in range(index.shape[-1]))]


def sampled(slots: Any, given: Given) -> Any:
    """In each row, the elements at the positions in the same row of the index."""
    return along(slots, {"axis": 1, "index": given["index"]})


def flat(slots: Any, given: Given) -> Any:
    """The elements at positions in row-major order."""
    return slots.reshape(-1)[given["index"].reshape(-1)]


def diagonal(slots: Any, given: Given) -> Any:
    """The main diagonal, moved right by `offset`: steps of one along every axis. `wrap` restarts it below the last column."""
    columns, offset = slots.shape[1], given.get("offset", 0)
    step = sum(int(np.prod(slots.shape[k + 1 :])) for k in range(slots.ndim))
    whole = given.get("wrap", False) or slots.ndim > 2
    found = np.arange(0, slots.size if whole else min(slots.size, columns * columns), max(step, 1))
    column = found % max(columns, 1) + offset
    return slots.reshape(-1)[(found + offset)[(column >= 0) & (column < columns)]]


def diagonals(slots: Any, given: Given) -> Any:
    """The diagonals of the matrices in two axes."""
    return np.diagonal(slots, given.get("offset", 0), given.get("dim1", 0), given.get("dim2", 1))


def above(slots: Any, given: Given) -> Any:
    """The elements above a diagonal."""
    return slots[..., ~_triangle(slots, given.get("diagonal", 0))]


def below(slots: Any, given: Given) -> Any:
    """The elements below a diagonal."""
    return slots[..., _triangle(slots, given.get("diagonal", 0) - 1)]


def _triangle(slots: Any, diagonal: int) -> Any:
    """True on and below a diagonal."""
    rows, columns = slots.shape[-2:]
    return np.tri(rows, columns, diagonal, dtype=bool)
