"""What is known of where a program may write in place: from its recording, and from trials, if there were any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inplacelab.recording.facts import EditFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.live_bytes import Curve, live_bytes, live_bytes_with
from inplacelab.recording.savings.sites import Site, edits, sites, together


@dataclass(frozen=True, slots=True)
class Measured:
    """What trials have shown. Bytes are those that the framework counts.

    Attributes:
        seeds: with how many sets of data all results were equal to the bit.
        runs: how many times the program ran.
        differing: the operations that were left out because the program does not run, or gives other results, with them in place.
        peak, peak_after: the most bytes at one time, before and after.
        held, held_after: the most bytes when a backward pass began, before and after; 0 if none did.
        early: whether the runs ended before the program would have.
        untried: the operations that were left out because the program would have run too often.
    """

    seeds: int
    runs: int
    differing: tuple[Site, ...]
    peak: int
    peak_after: int
    held: int
    held_after: int
    early: bool
    untried: tuple[Site, ...] = ()


@dataclass(frozen=True)
class Advice:
    """Where a program may write in place.

    Attributes:
        recording: its recording.
        sites: its operations that have an in-place form.
        offered: those that may be written in place together, and save memory: those that save most first.
        measured: what trials of these have shown; None if they were not tried.
    """

    recording: Recording
    sites: tuple[Site, ...]
    offered: tuple[Site, ...]
    measured: Measured | None = None

    @cached_property
    def before(self) -> Curve:
        """The live bytes of the program."""
        return live_bytes(self.recording)

    @cached_property
    def after(self) -> Curve:
        """The live bytes if it wrote in place what is offered."""
        return self.with_sites(self.offered)

    def with_sites(self, chosen: Iterable[Site]) -> Curve:
        """Returns the live bytes if the program wrote some operations in place."""
        return live_bytes_with(self.before, [call for site in chosen for call in site.calls])

    @property
    def edits(self) -> tuple[EditFacts, ...]:
        """The edits that write in place what is offered."""
        return edits(self.recording, self.offered)


def advice(recording: Recording, *, ends: bool) -> Advice:
    """Returns where a program may write in place, as far as its recording tells.

    Args:
        recording: the recording.
        ends: whether the program ends where the recording does.
    """
    found = sites(recording, ends=ends and not recording.truncated)
    return Advice(recording, found, tuple(together(found)))


def overwritten_names(recording: Recording, chosen: Sequence[Site]) -> frozenset[str]:
    """Returns the names of tensors that have other values at the end if some operations overwrite their operands."""
    overwritten = {call.storage for site in chosen for call in site.calls}
    at_end = recording.state().tensors.values() if len(recording) else ()
    return frozenset(name for each in at_end if each.storage in overwritten for name in each.names)
