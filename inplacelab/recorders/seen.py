"""What the journal knows of live objects: weak references that carry a number and the facts last written down.

One object for each, since making several is most of what it costs to meet a new tensor. When the object that it refers to
dies, Python hands the reference itself to `entries.append`: the death stands in the journal where it happened, and no function
of ours has to run for it. (References compare as what they refer to does: these are to be compared with `is` only.)
"""

from __future__ import annotations

import weakref

from inplacelab.autograd.nodes import Node
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class SeenTensor(weakref.ref[Tensor]):
    """A tensor that is in the journal: its number, its storage, its names, the history it was last written down with."""

    __slots__ = ("names", "node", "serial", "stop", "storage")

    serial: int
    names: tuple[str, ...]
    storage: SeenStorage
    node: int | None
    stop: bool


class SeenStorage(weakref.ref[Storage]):
    """A storage that is in the journal: its number, the version at which it was last written down, who looks at it.

    `whole` says whether all its values are written down each time.
    """

    __slots__ = ("serial", "tensors", "version", "whole")

    serial: int
    version: int
    whole: bool
    tensors: list[SeenTensor]


class SeenNode(weakref.ref[Node]):
    """A node that is in the journal: its number."""

    __slots__ = ("serial",)

    serial: int
