"""What the journal knows of live objects: weak references that carry a number and the facts last written down.

One object for each, since making several is most of what it costs to meet a new tensor. When the object that it refers to
dies, Python hands the reference itself to `entries.append`: the death stands in the journal where it happened, and no function
of ours has to run for it. (References compare as what they refer to does: these are to be compared with `is` only.)

A tensor and a storage have a place for what is known of them (`Tensor._told`, `Storage.told`), since looking them up by their
addresses would take longer than all else that is done for an input of an operation. If two recorders listen at once, what the one
knows leads to what the other knows (`beside`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from inplacelab.autograd.nodes import Node
from inplacelab.recorders.copies import Views
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class SeenTensor(weakref.ref[Tensor]):
    """A tensor that is in the journal: its number, its storage, its names, the history it was last written down with."""

    __slots__ = ("beside", "journal", "names", "node", "serial", "stop", "storage")

    beside: SeenTensor | None
    journal: object
    serial: int
    names: tuple[str, ...]
    storage: SeenStorage
    node: int | None
    stop: bool


class SeenStorage(weakref.ref[Storage]):
    """A storage that is in the journal: its number, the version at which it was last written down, who looks at it.

    `whole` says whether all its values are written down each time; `write` copies them then. Of a large one, `views` may be what it is
    looked at through.
    """

    __slots__ = ("beside", "journal", "serial", "tensors", "version", "views", "whole", "write")

    beside: SeenStorage | None
    journal: object
    serial: int
    version: int
    whole: bool
    write: Callable[[Any], int]
    views: Views | None
    tensors: list[SeenTensor]


class SeenNode(weakref.ref[Node]):
    """A node that is in the journal: its number."""

    __slots__ = ("serial",)

    serial: int


def known_to(journal: object, told: Any) -> Any:
    """What a journal knows, where `told` is what some journals know of an object; None if it never met it."""
    while told is not None and told.journal is not journal:
        told = told.beside
    return told


def without(journal: object, told: Any) -> Any:
    """What the other journals know of an object."""
    if told is None or told.journal is journal:
        return None if told is None else told.beside
    told.beside = without(journal, told.beside)
    return told
