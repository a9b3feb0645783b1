"""The live bytes of a program over its steps, and what they would be if some operations overwrote their operands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from inplacelab.recording.facts import TensorFacts
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
    sizes: dict[int, int] = {}
    tensors: dict[int, TensorFacts | None] = {}
    during, after, settled, peak = [], [], 0, 0
    for step in recording.steps:
        given = {one.storage for each in step.inputs if (one := tensors.get(each) or dict(step.tensors).get(each))}
        made = gone = 0
        for key, facts in step.storages:
            if facts is None:
                gone += sizes.pop(key, 0)
            elif key not in sizes:
                sizes[key] = 0 if key in given else facts.bytes  # what it was given is older than the recording
                made += sizes[key]
        tensors.update(step.tensors)
        # What was alive only within a step, such as what a derivative needs for a moment, shows where the peak rises.
        during.append(max(settled + made, step.live, step.peak if step.peak > peak else 0))
        peak = max(peak, step.peak)
        # In a function whose statements were not seen, a step's `live` has what was freed after it, too.
        settled = step.live - gone if step.live >= settled + made else step.live
        after.append(settled)
    return Curve(tuple(during), tuple(after))


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
