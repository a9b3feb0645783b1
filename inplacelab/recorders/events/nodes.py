"""Events about grad nodes and what they have saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inplacelab.recorders.events.event import Event

if TYPE_CHECKING:
    from inplacelab.layout import Layout


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor that a node has saved for backward.

    Attributes:
        name: the derivative's name for it: "x", "out".
        storage, counter, version: its storage, and its version when it was saved.
        layout: the layout of its elements.
        copy: whether it is a copy, made because the operation was about to overwrite the value.
        dtype: the type of its elements; empty if it is that of the storage's slots.
    """

    name: str
    storage: int
    counter: int
    version: int
    layout: Layout
    copy: bool
    dtype: str = ""


@dataclass(slots=True)
class NodeMade(Event):
    """A grad node is seen for the first time.

    Attributes:
        node: its number.
        name: what kind of node it is.
        inputs: the names of the inputs behind its edges; "base" for an input without a name.
        edges: the nodes that receive its gradients; None for an input that needs none.
        kept: the tensors that it has saved.
        released: whether they have been released.
        leaf: the tensor whose `.grad` it fills.
        view: whether it was made for a view, so that it belongs to the operation before.
    """

    node: int
    name: str
    inputs: tuple[str, ...]
    edges: tuple[int | None, ...]
    kept: tuple[Kept, ...]
    released: bool
    leaf: int | None
    view: bool


@dataclass(slots=True)
class Saved(Event):
    """A node's saved tensors were replaced: copied before a write, or found not to be affected by it."""

    node: int
    kept: tuple[Kept, ...]


@dataclass(slots=True)
class Released(Event):
    """Nodes have released their saved tensors."""

    nodes: tuple[int, ...]
