"""Collects the launches to draw, with facts from their recording: storage names, the slots that a scatter chose, the step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from inplacelab.kernels import geometry
from inplacelab.kernels.launch import Launch, Operand
from inplacelab.recording.facts import LaunchFacts, StorageFacts
from inplacelab.recording.recording import Recording, State

MOST_PLACES = 4096
"""The most slots of a scatter that are drawn: a recording stores no larger storage whole."""


class ShownLaunch(NamedTuple):
    """A launch to draw.

    Attributes:
        launch: the facts of the launch.
        storages: for each operand the name of its storage ("S1"); "" where it is not known.
        places: for a scatter, the slot to which each element is added; None if they are unknown.
        step: the step of the recording that launched it; None without a recording.
        line: the line of the program; None if not known.
    """

    launch: Launch
    storages: tuple[str, ...]
    places: tuple[int, ...] | None = None
    step: int | None = None
    line: int | None = None

    @property
    def drawable(self) -> bool:
        """Whether the arithmetic of its threads is known."""
        return self.launch.kind in KINDS and bool(self.launch.operands) and geometry.turns(self.launch) > 0


KINDS = ("contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add")
"""The kernels whose geometry is known."""


def shown_launches(given: Any, index: Sequence[int] | None = None) -> tuple[ShownLaunch, ...]:
    """Returns the launches of a recording, or the given ones.

    Args:
        given: a recording, a launch, or several launches.
        index: for a scatter without a recording, the slot that each element goes to.
    """
    if isinstance(given, Recording):
        return tuple(_of_recording(given))
    if isinstance(given, Launch | LaunchFacts):
        given = (given,)
    return tuple(
        ShownLaunch(_plain(each), tuple("" for _ in each.operands), _chosen(_plain(each), index)) for each in given
    )


def _of_recording(recording: Recording) -> Iterable[ShownLaunch]:
    for state in recording.states():
        for facts in state.step.launches:
            names = tuple("" if each.storage is None else f"S{each.storage}" for each in facts.operands)
            launch = _plain(facts)
            yield ShownLaunch(launch, names, _chosen(launch, _values(facts, state)), state.step.index, state.step.line)


def _plain(facts: Launch | LaunchFacts) -> Launch:
    """The facts in the type that the arithmetic of launches takes."""
    if isinstance(facts, Launch):
        return facts
    operands = tuple(
        Operand(o.name, o.role, o.dtype, o.shape, o.strides, o.offset, o.storage_bytes) for o in facts.operands
    )
    return Launch(
        facts.kernel, facts.kind, facts.grid, facts.block, facts.width, facts.dtype, operands, facts.bytes_read,
        facts.bytes_written, facts.device, facts.simulated,
    )  # fmt: skip


def _values(facts: LaunchFacts, state: State) -> Sequence[int] | None:
    """The values of a scatter's index, if its storage was recorded whole. A scatter does not write it."""
    if facts.kind != "scatter_add":
        return None
    chosen = facts.operands[1]
    storage: StorageFacts | None = None if chosen.storage is None else state.storages.get(chosen.storage)
    if storage is None or not isinstance(storage.values, tuple):
        return None
    layout = _plain(facts).operands[1].layout
    return [int(storage.values[geometry.slot(layout, k)].real) for k in range(layout.size)]


def _chosen(launch: Launch, index: Sequence[int] | None) -> tuple[int, ...] | None:
    """Returns the slot of each element of the index; None if it is unknown or does not match."""
    if launch.kind != "scatter_add" or index is None or not len(index) == launch.operands[1].elements <= MOST_PLACES:
        return None
    return tuple(geometry.slot(launch.operands[0].layout, int(each)) for each in index)
