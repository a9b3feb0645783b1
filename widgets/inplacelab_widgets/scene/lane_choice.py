"""Chooses the storages that get a lane, and the lanes to fold if there are too many.

A lane shows the versions of a storage: the writes that raised them, and the saved tensors that depend on one. So storages
that are written and saved come first, then those that are written, then those that are only saved; those that only have a
name are folded first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.pins import Pin
from inplacelab_widgets.scene.timeline import Life, shared_rows

MOST_ROWS = 12
"""The most rows of lanes that can be compared at a glance."""

Lives = Mapping[int, Life[tuple[int, ...]]]
"""The versions of each storage over the steps."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The lanes that are drawn, those that are folded, the note on these, and the number of storages without a lane."""

    drawn: Lives
    folded: Lives
    says: Text
    left_out: int


def choose(recording: Recording, every: Lives, saved_pins: Sequence[Pin]) -> Choice:
    """Chooses the lanes of a recording; `saved_pins` are the tensors that backward saved."""
    named = {t.storage for step in recording.steps for _, t in step.tensors if t is not None and t.names}
    written = {write.storage for step in recording.steps for write in step.writes}
    kept = {pin.storage for pin in saved_pins}
    telling = [key for key in every if key in named | written | kept]
    order = sorted(telling, key=lambda key: (key not in written, key not in kept))
    drawn = set(order[: _fitting(order, every)])
    folded = {key: every[key] for key in telling if key not in drawn}
    gradients = terms_of(recording).has_gradients
    says = _descriptions(
        len(folded),
        gradients=gradients,
        any_written=not written.isdisjoint(folded),
        any_kept=not kept.isdisjoint(folded),
    )
    return Choice({key: every[key] for key in telling if key in drawn}, folded, says, len(every) - len(telling))


def rows_of(lives: Lives) -> dict[int, int]:
    """Returns the row of each storage; storages that never live at the same time share one."""
    ordered = sorted(lives, key=lambda key: lives[key].first)
    return dict(zip(ordered, shared_rows([(lives[key].first, lives[key].last) for key in ordered]), strict=True))


def _fitting(order: Sequence[int], every: Lives) -> int:
    """The number of storages, from the start of `order`, that fit into the rows."""

    def too_many(count: int) -> bool:
        return _count(rows_of({key: every[key] for key in order[:count]}).values()) > MOST_ROWS

    return bisect_right(range(1, len(order) + 1), False, key=too_many)


def _count(rows: Collection[int]) -> int:
    return max(rows, default=-1) + 1


def _descriptions(count: int, *, gradients: bool, any_written: bool, any_kept: bool) -> Text:
    if any_written:
        return words.FOLDED_LANES.format(count=count)
    what = words.NEITHER if gradients and not any_kept else words.NEVER_WRITTEN
    return words.FOLDED_LANES.format(count=count) + what
