"""Events about operations, kernels and collectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inplacelab.recorders.events.event import Event
from inplacelab.recorders.events.objects import Operand

if TYPE_CHECKING:
    from inplacelab.dependence import Dependence
    from inplacelab.kernels.launch import Launch
    from inplacelab.recording.facts import Category, SlotsAre


@dataclass(slots=True)
class Launched(Event):
    """A kernel ran: emitted before the operation, or the node, that it belongs to.

    Attributes:
        launch: grid, block and operands.
        storages: the storage of each operand; None if it was not known when the kernel ran.
    """

    launch: Launch
    storages: tuple[int | None, ...]


@dataclass(slots=True)
class Communicated(Event):
    """A collective has been made: emitted before the operation that it belongs to.

    Attributes:
        name: what it is called: "all_reduce".
        number: which collective of the program it is, from 1.
        rank: the number of this rank.
        ranks: how many ranks there are.
        alone: whether no operation follows, as for a barrier.
        line: the program's line, if it is alone.
    """

    name: str
    number: int
    rank: int
    ranks: int
    alone: bool
    line: int | None
    live: int
    peak: int


@dataclass(slots=True)
class OperationDone(Event):
    """An operation has run.

    Attributes:
        name: as the program wrote it: "add_".
        category: how it treats memory.
        inputs: the tensors that it was given.
        output: its result; for an in-place operation what was written.
        attributes: its other arguments, by name.
        node: the grad node that it made.
        line: the program's line; None outside the program.
        live, peak: live bytes and their peak.
        slots_are: what is known of the slots of an in-place operation's output (see `WriteFacts`).
        copied: the position of the input whose elements it wrote as they are; None if no input's were.
        depends: how the elements of the result depend on those of the inputs; None if that is not known, or it is a view.
        tracks: whether operations were to keep history when it ran, which `no_grad` switches off; None if that is not reported.
    """

    name: str
    category: Category
    inputs: tuple[Operand, ...]
    output: Operand
    attributes: Mapping[str, Any]
    node: int | None
    line: int | None
    live: int
    peak: int
    slots_are: SlotsAre = "written"
    copied: int | None = None
    depends: Dependence | None = None
    tracks: bool | None = None
