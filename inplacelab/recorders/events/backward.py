"""Events about backward passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inplacelab.recorders.events.event import Event
from inplacelab.recorders.events.objects import Operand

if TYPE_CHECKING:
    from inplacelab.recording.facts import Values


SMALL = 16
"""Gradients of up to this many elements are kept with their values."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient that has arrived at a node: its shape, and its values in row-major order if they are few."""

    shape: tuple[int, ...]
    values: Values | None


@dataclass(slots=True)
class BackwardBegan(Event):
    """A backward pass begins.

    Attributes:
        nodes: those that it may reach.
        first: the node that it begins with.
        gradient: the gradient that it receives.
        line: the program's line.
    """

    nodes: tuple[int, ...]
    first: int
    gradient: Gradient
    line: int | None
    live: int
    peak: int


@dataclass(slots=True)
class Arrived(Event):
    """A node receives a gradient, or a further part of a sum."""

    node: int


@dataclass(slots=True)
class Unpacked(Event):
    """A node is about to use a saved tensor.

    Attributes:
        node: the node.
        name: the derivative's name for the saved tensor.
        kept_at, found_at: its version when it was saved, and now.
        gradient: what arrived at the node.
        line: the program's line, if the program's code reads the saved tensor.
    """

    node: int
    name: str
    kept_at: int
    found_at: int
    gradient: Gradient | None
    line: int | None
    live: int
    peak: int


@dataclass(slots=True)
class HookBegan(Event):
    """A hook of the program is called with a gradient.

    Attributes:
        node: the node that received the gradient.
        name: the hook's name.
        line: the line of the hook's definition, if it is in the program.
        given: the number of the tensor that it receives.
        gradient: its value.
    """

    node: int
    name: str
    line: int | None
    given: int
    gradient: Gradient
    live: int
    peak: int


@dataclass(slots=True)
class HookEnded(Event):
    """A hook has returned. `result` is the tensor that replaces `given`."""

    node: int
    name: str
    given: int
    result: int
    gradient: Gradient
    live: int
    peak: int


@dataclass(slots=True)
class CustomBegan(Event):
    """The `backward` of a `PyLayer` is called. `gradient` is None if it receives several."""

    node: int
    name: str
    line: int | None
    given: tuple[int, ...]
    gradient: Gradient | None
    live: int
    peak: int


@dataclass(slots=True)
class NodeRan(Event):
    """A node has passed its gradients on.

    Attributes:
        node: the node.
        released: whether it has released its saved tensors.
        filled: the tensor that holds the gradient, if it is the node of a leaf.
        gradient: what had arrived.
    """

    node: int
    released: bool
    filled: Operand | None
    gradient: Gradient | None
    live: int
    peak: int


@dataclass(slots=True)
class BackwardEnded(Event):
    """A backward pass has finished."""

    live: int
    peak: int


@dataclass(slots=True)
class BackwardFailed(Event):
    """An error stopped a backward pass. `node` is the node that was running."""

    node: int | None
