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

REASONS: dict[str, str] = {}
"""Why a row misses its goal, by the row's name."""


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
    reason = REASONS.get(name)
    return "missed: " + ", ".join(missed) + (f"; {reason}" if reason else "")
