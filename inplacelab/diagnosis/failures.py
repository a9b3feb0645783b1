"""Defines what is found out about a backward pass that failed, and its trail for those who propose fixes."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Literal

from inplacelab.diagnosis.ledger import Write
from inplacelab.diagnosis.places import Place
from inplacelab.language import Text
from inplacelab.layout import Layout
from inplacelab.recording.fixes.spots import Spot, Trail

RESULTS = ("out", "result")
"""The beginnings of the names of saved results."""
OF_FUNCTION = "tensors"
"""The beginning of the names of what a `torch.autograd.Function` has saved."""
CHECKPOINTED = "checkpoint"
"""The name of what a `checkpoint` has saved, from which what a node needs is computed again."""
CHECKPOINTS = ("_NoopSaveInputsBackward", "CheckpointFunctionBackward")
"""The nodes with which `torch.utils.checkpoint` saves its input."""
MARKS = "mark_dirty"
"""What raises the version of a tensor that the `forward` of a `torch.autograd.Function` has marked, once more than its writes did."""


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
        forgotten: by how much it rose in writes that were seen, but are so many that they were not kept.
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
    forgotten: int = 0
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
        raised: the exception's class, by name; "" for "silent".
    """

    kind: Literal["stale", "again", "silent"]
    error: tuple[int, str]
    needed: Place | None
    saved: Sequence[Saved]
    released: Place | None = None
    remarks: Sequence[Text] = field(default_factory=tuple)
    wrong: Sequence[str] = ()
    raised: str = ""

    @property
    def lines(self) -> Hashable:
        """The lines that kept, overwrote and needed what was saved, which are the same each time round a loop."""
        return self.needed, tuple(
            (each.place, frozenset(one.write.place for one in each.writes)) for each in self.saved
        )


def trail_of(failure: Failure) -> Trail:
    """Returns the spots of a failure, for the first of what it may have been."""
    saved = failure.saved[0] if failure.saved else None
    if saved is None:
        return Trail(failure.kind, needed=_spots(failure.needed), released=_spots(failure.released))
    writes = dict.fromkeys(_spots(each.write.place, each.write.op) for each in saved.writes)
    views = dict.fromkeys(spot for each in saved.writes for spot in _spots(each.made)[:1])
    size = re.search(r"\d+", saved.dtype)
    item = int(size[0]) // 8 if size else int(saved.dtype == "bool")
    known: dict[str, Any] = {
        "names": () if saved.is_view else saved.names[:1],
        "bytes": prod(saved.layout.shape) * item,
    }
    kept = tuple(
        replace(each, **known) if not number else each for number, each in enumerate(_spots(saved.place, saved.op))
    )
    return Trail(
        failure.kind, kept, saved.is_result, tuple(each for each in writes if each), tuple(views), _spots(failure.needed),
        _spots(failure.released),
    )  # fmt: skip


def _spots(place: Place | None, op: str = "") -> tuple[Spot, ...]:
    found = []
    for number, site in enumerate(() if place is None else place.sites):
        line, end_line, column, end_column = site.position
        known = line is not None and end_line is not None and column is not None and end_column is not None
        where = (line or site.line, end_line or site.line, *((column or 0, end_column or 0) if known else (-1, -1)))
        found.append(Spot(site.filename, *where, op if number == 0 else ""))
    return tuple(found)
