"""What is copied of a storage at once, before the next operation can destroy it: all of a small one, of a large one a summary.

Whole copies lie one after the other in one piece of memory (`Memory`). What is written down of one is where it ends.

A summary is `(lowest, highest, head, tail, some, dtype, where)`: the extremes or None, the bytes of both ends (None for the head
if it is what `some` begins with), the bytes of some of what was written, their dtype, and where they lie. `plain.values` reads it.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np

WHOLE = 4096
"""Storages of up to this many slots are kept whole at every version."""
ENDS = 8
"""Of larger ones, this many slots are kept at either end,"""
SOME = 48
"""and this many of those that were written."""
WORTH_MEASURING = 4
"""The extremes of a large storage are measured if at least one slot in this many was written: looking at all of them costs
no more than a few times the write itself then.

(They are measured at once. A copy, to be measured later, would save one of the two passes over the values as long as all copies fit in
the processor's cache, which is a hundred versions of 10,000 numbers; beyond that, or in memory that is used for the first time, the
copy alone takes longer than both.)"""

SPARE = 16 << 20
"""A memory of up to this many bytes is kept for the next recording."""

Summarised = tuple[Any, ...]
Copied = int | Summarised


class Memory:
    """The copies of a journal, one after the other.

    A file in memory, since no other way to lay an array behind another takes as little: one call, which makes no object. And
    because a machine has to provide memory that is used for the first time page by page, which takes longer than the copying
    itself, one that was read and is not needed any more is kept for the next recording.

    Attributes:
        write: appends a copy of an array in ordinary memory, and returns how many bytes it has.
        end: where the last copy ends. (Who calls `write` adds to it: a method for both would be a call more for each copy.)
    """

    __slots__ = ("_file", "end", "write")

    def __init__(self) -> None:
        self._file = _spare.pop() if _spare else BytesIO()
        self.write, self.end = self._file.write, 0

    def write_from_device(self, array: Any) -> int:
        """As `write`, for an array that is not in ordinary memory."""
        return self.write(array.tobytes())

    def view(self) -> memoryview:
        """The bytes of all copies. It must be released before the next one is added."""
        return self._file.getbuffer()

    def clear(self) -> None:
        """Forget the copies: those to come lie where they lay."""
        self._file.seek(0)
        self.end = 0

    def give_back(self) -> None:
        """No copies will come any more."""
        self.clear()
        if not _spare and self.view().nbytes <= SPARE:
            _spare.append(self._file)
        self._file = BytesIO()
        self.write = self._file.write


_spare: list[BytesIO] = []


def forget_spare() -> None:
    """Give the memory that is kept for the next recording back to the machine."""
    _spare.clear()


class Views:
    """The views of a large storage through which it is looked at whenever all of it was written. They are made once: making them takes
    longer than to look.

    Attributes:
        buffer: what they are views of.
    """

    __slots__ = ("_dtype", "_highest", "_item", "_lowest", "_ordered", "_some", "_tail", "buffer")

    def __init__(self, buffer: np.ndarray[Any, Any]) -> None:
        flat = buffer.ravel()
        self.buffer, self._dtype, self._ordered = buffer, flat.dtype, flat.dtype.kind != "c"
        self._lowest, self._highest, self._item = flat.argmin, flat.argmax, flat.item
        self._some, self._tail = flat[:SOME].tobytes, flat[-ENDS:].tobytes

    def written(self, where: int) -> Summarised:
        """What is copied now: as `through`, if the window is the buffer."""
        if not self._ordered:
            return (None, None, None, self._tail(), self._some(), self._dtype, where)
        item = self._item
        return (
            item(self._lowest()), item(self._highest()), None, self._tail(), self._some(), self._dtype, where,
        )  # fmt: skip


def summary(buffer: Any) -> Summarised:
    """What is copied of a large storage when nothing is known of what was written."""
    flat = buffer.ravel()
    return (*_extremes(flat), flat[:ENDS].tobytes(), flat[-ENDS:].tobytes(), None, None, None)


def through(window: Any, buffer: Any, where: Any) -> Summarised:
    """What is copied of a large storage that was written through a window; `where` says how that lies in it."""
    flat = buffer if buffer.ndim == 1 else buffer.ravel()
    extremes = _extremes(flat) if window.size * WORTH_MEASURING >= flat.size else (None, None)
    if window is buffer:
        return (*extremes, None, flat[-ENDS:].tobytes(), flat[:SOME].tobytes(), flat.dtype, where)
    if window.ndim == 1:
        some = window[:SOME]
    else:
        some = window.reshape(-1)[:SOME] if window.flags.c_contiguous else window.flat[:SOME]
    return (*extremes, flat[:ENDS].tobytes(), flat[-ENDS:].tobytes(), some.tobytes(), window.dtype, where)


def at(slots: list[int], buffer: Any) -> Summarised:
    """What is copied of a large storage that was written in these slots."""
    flat, some = buffer.ravel(), slots[:SOME]
    extremes = _extremes(flat) if len(slots) * WORTH_MEASURING >= flat.size else (None, None)
    return (*extremes, flat[:ENDS].tobytes(), flat[-ENDS:].tobytes(), flat[some].tobytes(), flat.dtype, some)


def _extremes(flat: Any) -> tuple[Any, Any]:
    """The lowest and the highest value; complex numbers have no order."""
    if flat.dtype.kind == "c":
        return None, None
    low, high = flat.argmin(), flat.argmax()  # (NumPy finds the place in half the time that it takes for the value)
    return (flat.item(low), flat.item(high)) if type(flat) is np.ndarray else (flat[low], flat[high])
