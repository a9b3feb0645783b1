"""The live bytes of a program over its steps, and what they would be if some operations overwrote their operands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.overwriting import Call


@dataclass(frozen=True, slots=True)
class Curve:
    """Live bytes of a recording.

    Attributes:
        during: while each step ran: what was alive before it, and what it made.
        after: after each step.
    """

    during: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def peak(self) -> int:
        """The largest of them."""
        return max(self.during, default=0)

    @property
    def peak_step(self) -> int:
        """The first step at which the largest was reached."""
        return self.during.index(self.peak)


def live_bytes(recording: Recording) -> Curve:
    """Returns the live bytes of a recording."""
    known: set[int] = set()
    made: dict[int, int] = defaultdict(int)
    for step in recording.steps:
        for key, facts in step.storages:
            if facts is not None and key not in known:
                known.add(key)
                made[step.index] += facts.bytes
    after = tuple(step.live for step in recording.steps)
    during = tuple(max(before + made[k], now) for k, (before, now) in enumerate(pairwise((0, *after))))
    return Curve(during, after)


def live_bytes_with(curve: Curve, overwriting: Iterable[Call]) -> Curve:
    """Returns the live bytes if these operations overwrote their operands.

    Args:
        curve: the live bytes of the recording.
        overwriting: the runs of operations that would overwrite.
    """
    during, after = [0] * (len(curve.after) + 2), [0] * (len(curve.after) + 2)
    for each in overwriting:
        if not each.saves:
            continue
        for changes, since in ((during, each.step), (after, each.step)):
            until = each.until + 1 if changes is during else each.until
            changes[since] -= each.bytes
            changes[max(until, since)] += each.bytes
            changes[max(until, since)] += each.more
            changes[max(each.end + (changes is during), since)] -= each.more
    return Curve(
        tuple(value + change for value, change in zip(curve.during, accumulate(during), strict=False)),
        tuple(value + change for value, change in zip(curve.after, accumulate(after), strict=False)),
    )
