"""The live bytes of a program over its steps, and what they would be if some operations overwrote their operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import attrgetter, itemgetter
from typing import NamedTuple

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
        if recording.live_before and not step.index:  # it shows what was there, too
            output = dict(step.tensors).get(-1 if step.output is None else step.output)
            given |= {key for key, _ in step.storages if output is None or key != output.storage}
        made = gone = 0
        for key, facts in step.storages:
            if facts is None:
                gone += sizes.pop(key, 0)
            elif key not in sizes:
                sizes[key] = 0 if key in given else facts.bytes  # what it was given is older than the recording
                made += sizes[key]
        tensors.update(step.tensors)
        # What was alive only within a step, such as what a derivative needs for a moment, shows where the peak rises. What was
        # freed just before a step is only noted in it: no more was alive than the peak so far.
        during.append(min(max(settled + made, step.live, step.peak if step.peak > peak else 0), step.peak))
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
    for each in changes(overwriting):
        during[each.step + each.is_end] -= each.bytes
        after[each.step] -= each.bytes
    return Curve(
        tuple(value + change for value, change in zip(curve.during, accumulate(during), strict=False)),
        tuple(value + change for value, change in zip(curve.after, accumulate(after), strict=False)),
    )


class Change(NamedTuple):
    """How the bytes change that overwriting saves: by how many, at which step, and whether a storage is gone after it."""

    step: int
    bytes: int
    is_end: bool


def changes(overwriting: Iterable[Call]) -> Iterator[Change]:
    """Yields how the saved bytes change if some operations overwrite their operands: what one has written, the next may overwrite.

    Of the storages of such a chain, only the first is there, and it lives as long as any of them.
    """
    first: dict[int, int] = {}  # of each storage that is made in a chain, the first one of that
    known: dict[int, tuple[int, int]] = {}  # of the first ones, the bytes, and the step after which the chain is gone
    for each in sorted(overwriting, key=attrgetter("step")):
        if not each.saves:
            continue
        root = first.setdefault(each.made, first.get(each.storage, each.storage))
        if root not in known:
            yield Change(each.operand_gone, -(each.bytes + each.more), is_end=True)
        yield Change(each.step, each.bytes, is_end=False)
        yield Change(each.result_gone, -each.bytes, is_end=True)
        size, gone = known.get(root, (each.bytes + each.more, each.operand_gone))
        known[root] = size, max(gone, each.result_gone)
    for size, gone in known.values():
        yield Change(gone, size, is_end=True)


def most_saved(overwriting: Iterable[Call]) -> int:
    """Returns the most bytes that some operations would save at one time if they overwrote their operands."""
    ordered = sorted((each.step + each.is_end, each.bytes) for each in changes(overwriting))
    at = {step: sum(each for _, each in some) for step, some in groupby(ordered, key=itemgetter(0))}
    return max(accumulate(at.values()), default=0)
