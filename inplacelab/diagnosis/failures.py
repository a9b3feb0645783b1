"""Defines what is found out about a backward pass that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from inplacelab.diagnosis.ledger import Write
from inplacelab.diagnosis.places import Place
from inplacelab.language import Text
from inplacelab.layout import Layout

RESULTS = ("out", "result")
"""The beginnings of the names of saved results."""


@dataclass(frozen=True)
class Overwritten:
    """A write to a saved tensor.

    Attributes:
        write: the write.
        made: where the view was made through which it wrote; None if it was no view, or it is not known.
    """

    write: Write
    made: Place | None


@dataclass(frozen=True)
class Saved:
    """A tensor that a node has saved for backward.

    Attributes:
        node: the node's name: "SigmoidBackward0".
        name: the derivative's name for it: "self", "out"; "" if it is not known.
        layout, dtype: its elements.
        kept_at, found_at: its version when it was saved, and when backward needed it.
        names: the program's names for it, when backward failed.
        op: the operation that saved it.
        place: where that ran; None if it is not known.
        writes: the writes since, in order.
        unseen: by how much the version rose in writes that were not seen.
        is_view: whether these are names of a tensor of which it is a view.
        certain: False if this is one of several that fit the error.
    """

    node: str
    name: str
    layout: Layout
    dtype: str
    kept_at: int
    found_at: int
    names: tuple[str, ...]
    op: str
    place: Place | None
    writes: tuple[Overwritten, ...]
    unseen: int
    certain: bool = True
    is_view: bool = False

    @property
    def is_result(self) -> bool:
        """Whether it is the result of the operation that saved it, and not an operand."""
        return self.name.startswith(RESULTS)


@dataclass(frozen=True)
class Failure:
    """A backward pass that failed, or whose gradients are wrong.

    Attributes:
        kind: "stale": an in-place operation has overwritten what it needed; "again": an earlier pass has released it; "silent":
            the pass did not fail, but used a value that was overwritten without a new version.
        error: the exception's address and message.
        needed: where the pass began.
        saved: what it needed: the most probable first.
        released: where the earlier pass began, for "again".
        remarks: what could not be seen.
        wrong: the names of the leaves whose gradients are wrong, for "silent".
    """

    kind: Literal["stale", "again", "silent"]
    error: tuple[int, str]
    needed: Place | None
    saved: Sequence[Saved]
    released: Place | None = None
    remarks: Sequence[Text] = field(default_factory=tuple)
    wrong: Sequence[str] = ()
