"""What is copied of a storage at once, before the next operation can destroy it: all of a small one, of a large one a summary.

A summary is `(lowest, highest, head, tail, some, dtype, where)`: the extremes or None, the bytes of both ends (None for the head
if it is what `some` begins with), the bytes of some of what was written, their dtype, and where they lie. `plain.values` reads it.
"""

from __future__ import annotations

from typing import Any

WHOLE = 4096
"""Storages of up to this many slots are kept whole at every version."""
ENDS = 8
"""Of larger ones, this many slots are kept at either end,"""
SOME = 48
"""and this many of those that were written."""
WORTH_MEASURING = 4
"""The extremes of a large storage are measured if at least one slot in this many was written: looking at all of them costs
no more than a few times the write itself then."""

Copied = bytes | tuple[Any, ...]


def everything(buffer: Any) -> Copied:
    """What is copied of a storage when nothing is known of what was written."""
    if buffer.size <= WHOLE:
        return buffer.tobytes()  # type: ignore[no-any-return]
    flat = buffer.ravel()
    return (*_extremes(flat), flat[:ENDS].tobytes(), flat[-ENDS:].tobytes(), None, None, None)


def through(window: Any, buffer: Any, where: Any) -> Copied:
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


def at(slots: list[int], buffer: Any) -> Copied:
    """What is copied of a large storage that was written in these slots."""
    flat, some = buffer.ravel(), slots[:SOME]
    extremes = _extremes(flat) if len(slots) * WORTH_MEASURING >= flat.size else (None, None)
    return (*extremes, flat[:ENDS].tobytes(), flat[-ENDS:].tobytes(), flat[some].tobytes(), flat.dtype, some)


def _extremes(flat: Any) -> tuple[Any, Any]:
    """The lowest and the highest value; complex numbers have no order."""
    if flat.dtype.kind == "c":
        return None, None
    return flat[flat.argmin()], flat[
        flat.argmax()
    ]  # (NumPy finds the place in half the time that it takes for the value)
