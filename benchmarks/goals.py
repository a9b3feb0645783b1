"""The goals of `compare.py`, and why a row misses one."""

from __future__ import annotations

from collections.abc import Mapping

Limits = Mapping[str, float]
"""For each contestant that we are compared with: the most we may take, as a multiple of its time."""

FASTER: Limits = {"torch": 1.0, "paddle": 1.0}
"""Of a small operation."""
ON_AVERAGE: Limits = {"torch": 0.5, "paddle": 0.25}
"""Of the geometric mean of small operations."""
LARGE: Limits = {"numpy": 1.05}
IMPORT: Limits = {"numpy": 1.3}
LEVEL = 1.5
"""How many times as long an operation may take at the largest size as at the smallest, where time should not depend on the size.
Larger sizes leave the processor's caches, and that costs something in any program."""

_RESULT = "the result is two Python objects, a tensor and a counted storage: nearly half of the time of `x + y`"
_LEAF = "the node, and the leaf's accumulation node, which a program makes once and the measurement in each call"
_VIEW = "a view is a Python object that its base remembers"
_OPERATION = "each operation checks, counts and remembers what a program by hand does not have to"

REASONS: dict[str, str] = {
    "geometric mean": "half of torch's time is three to four times NumPy's own: too little for checks, modes, memory account and nodes in Python",
    "add": _RESULT,
    "add, graph": _LEAF,
    **dict.fromkeys(("getitem", "transpose"), _VIEW),
    **dict.fromkeys(("getitem, graph", "transpose, graph"), _LEAF),
    **dict.fromkeys(("relu_", "relu_, graph"), "torch's call is about as short"),
    "a training step": _OPERATION,
    "chain in place": _OPERATION,
    "writes through views": "each write makes a view, its node and the base's new node; by hand it is one line of NumPy",
    "writes to a base": _OPERATION,
    "import inplacelab": "it reads the table of operations; to read that later would only move that time to the first operation",
}  # fmt: skip
"""Why a row misses its goal, by its name up to a colon."""


def verdict(name: str, found: Mapping[str, float | None], limits: Limits) -> str:
    """Whether a row meets its goal: "met", or by how much it misses it, and why.

    Args:
        name: the row's.
        found: how many times as long we take as each contestant; None if it was not measured.
        limits: the goal.
    """
    ratios = {other: (found.get(other), limit) for other, limit in limits.items()}
    if all(ratio is None for ratio, _ in ratios.values()):
        return "-"
    missed = [
        f"{other} by {100 * (ratio / limit - 1):.0f} %"
        for other, (ratio, limit) in ratios.items()
        if ratio is not None and ratio > limit
    ]
    if not missed:
        return "met"
    reason = REASONS.get(name.partition(":")[0])
    return "missed: " + ", ".join(missed) + (f"; {reason}" if reason else "")
