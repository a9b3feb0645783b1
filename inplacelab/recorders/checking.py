"""Says when a fix counts as checked. Both searches use this: that in this process (`checked_fixes.py`), and that in others (`diagnosis/trials.py`).

A fix is compared with the reference: the original program, in which everything that backward needs is copied. Both must give the same losses
and gradients in every backward pass: on the program's own data, and then on other data (`other_data.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inplacelab.recording.facts import Evidence

__all__ = ["OTHERS", "Gave", "close", "compared"]

OTHERS = (1, 2)
"""The numbers of the other sets of data."""
LOSS = "loss {0}"
"""What the value is called with which a pass begins."""


@dataclass
class Gave:
    """What a run of a program gave.

    Attributes:
        error: the exception's class and text; "" if the program ran to its end.
        passes: for each backward pass, in order, the losses and the gradients, by names; None for no gradient.
        gradients: the gradients of the tensors that have names at the end.
        values: the values of the tensors that have names at the end.
    """

    error: str = ""
    passes: list[dict[str, Any]] = field(default_factory=list)
    gradients: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def gives(self, meant: Gave) -> bool:
        """Whether the program ran, all passes gave the losses and gradients that were meant, and so did names that both have at the end."""
        return not self.error and _same(self.passes, meant.passes) and _agree(self.gradients, meant.gradients)

    def differing(self, meant: Gave) -> list[str]:
        """Returns the names that both have at the end, and that stand for different values."""
        mine = ((name, value) for name, value in self.values.items() if name in meant.values)
        return [name for name, value in mine if not close(value, meant.values[name])]

    @property
    def tells(self) -> bool:
        """Whether it can be compared with: it ran, and all losses and gradients are finite numbers."""
        numbers = (each for one in self.passes for each in one.values() if each is not None)
        return not self.error and all(np.isfinite(each).all() for each in numbers)


def compared(
    tried: Callable[[int], Gave | None], meant: Callable[[int], Gave | None]
) -> tuple[Evidence, tuple[str, ...]]:
    """Compares a fix, which is right on the program's own data, with the reference on other data.

    Args:
        tried: runs the fix on the data with a number; None if there is no time for that.
        meant: runs the reference.

    Returns:
        What that has shown: "" if they differ, "same" if there was nothing to compare on other data, else "gradients". And the names that stand
        for different values at the end.
    """
    count, differs = 0, dict[str, None]()
    for number in OTHERS:
        reference = meant(number)
        if reference is None or not reference.tells:
            continue
        found = tried(number)
        if found is None:
            continue
        if not found.gives(reference):
            return "", ()
        differs |= dict.fromkeys(found.differing(reference))
        count += 1
    return "gradients" if count else "same", tuple(differs)


def _same(found: Sequence[Mapping[str, Any]], meant: Sequence[Mapping[str, Any]]) -> bool:
    return len(found) == len(meant) and all(
        name in ours and close(ours[name], value)
        for ours, theirs in zip(found, meant, strict=True)
        for name, value in theirs.items()
    )


def _agree(some: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    return all(close(value, others[name]) for name, value in some.items() if name in others)


def close(one: Any, other: Any) -> bool:
    """Whether two arrays are equal, or nearly: an edit may change the order of a sum. None is equal to None."""
    if one is None or other is None:
        return one is other
    same = one.shape == other.shape and one.dtype == other.dtype
    return bool(same and np.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True))
