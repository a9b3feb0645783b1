"""Draws what holds the bytes after each step: a bar of all live storages in order, and a legend of its patterns.

A storage is held by a name, as a gradient, only by backward (a saved tensor that nothing else refers to), as a copy
that was saved because the operation overwrites its input, or by an object without a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from inplacelab.recording.recording import Recording, State
from inplacelab_widgets import words
from inplacelab_widgets.scene.axis import LEFT, NARROWEST, RIGHT, WIDTH
from inplacelab_widgets.scene.marks import Look, Mark, between, path, runs, text
from inplacelab_widgets.scene.measure import SMALL, coordinate, size_in_bytes, width_of
from inplacelab_widgets.scene.timeline import shared_rows, storage_lives

Kind = Literal["named", "gradient", "saved", "copy", "other"]
KINDS: tuple[Kind, ...] = ("named", "gradient", "saved", "copy", "other")

MOST_RUNS = 3000
"""If single storages need more changes than this over all steps, the bar shows one piece per kind instead."""

_ROOM = WIDTH - LEFT - RIGHT
_SWATCH = 20.0
_LINE = 15.0

Piece = tuple[float, float, Kind]
"""(left, width, kind) in px."""

Held = list[tuple[State, dict[int, Kind]]]
"""Each state, with the kind of holder of each storage."""

Pieces = list[tuple[int, dict[int, Piece]]]
"""(step, the piece of each storage), at each step that changes one."""


def holders(state: State) -> dict[int, Kind]:
    """Returns the kind of holder of each live storage, in the order of creation."""
    gradients = {t.grad for t in state.tensors.values() if t.grad is not None}
    found: dict[int, set[Kind]] = {key: set() for key in state.storages}
    for tensor in state.tensors.values():
        if tensor.storage in found and (tensor.names or tensor.id in gradients):
            found[tensor.storage].add("gradient" if tensor.id in gradients else "named")
    for node in state.nodes.values():
        for saved in () if node.released else node.saved:
            if saved.storage in found:
                found[saved.storage].add("copy" if saved.copy else "saved")
    order: tuple[Kind, ...] = ("gradient", "named", "copy", "saved")
    return {key: next((kind for kind in order if kind in kinds), "other") for key, kinds in found.items()}


def holder_marks(recording: Recording, top: float) -> tuple[list[Mark], list[Mark], float]:
    """Draws the bar and its legend; also returns the bottom of the legend."""
    last = len(recording) - 1
    scale = _ROOM / (max((step.peak for step in recording.steps), default=0) or 1)
    held = [(state, holders(state)) for state in recording.states()]
    totals, pieces = list(_totals(held)), _few(_pieces(held, scale))
    summed, middle = pieces is None, top + 6
    marks = _by_kind(totals, scale, middle) if pieces is None else _by_storage(recording, pieces, middle)
    marks.append(_peak_tick(recording, scale, top))
    marks.append(text(0, top + 10, between(0, last, Look("text soft", words.HELD_SUMMED if summed else words.HELD))))
    legend, bottom = _legend(totals, top + 25, last)
    return marks, legend, bottom + 4


def _totals(held: Held) -> Iterator[tuple[int, dict[Kind, int]]]:
    for state, kinds in held:
        totals: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        for key, kind in kinds.items():
            totals[kind] += state.storages[key].bytes
        yield state.step.index, totals


def _pieces(held: Held, scale: float) -> Iterator[tuple[int, dict[int, Piece]]]:
    """Yields only the pieces that moved or changed since the step before, not those that are gone."""
    before: dict[int, Piece] = {}
    for state, kinds in held:
        now: dict[int, Piece] = {}
        left = LEFT
        for key, kind in kinds.items():
            width = state.storages[key].bytes * scale
            now[key] = (round(left, 1), round(width, 1), kind)
            left += width
        yield state.step.index, {key: piece for key, piece in now.items() if before.get(key) != piece}
        before = now


def _few(pieces: Iterable[tuple[int, dict[int, Piece]]]) -> Pieces | None:
    """All pieces; None if they are more than `MOST_RUNS`. Counting stops at that limit."""
    found: Pieces = []
    count = 0
    for step, now in pieces:
        found.append((step, now))
        count += len(now)
        if count > MOST_RUNS:
            return None
    return found


def _by_storage(recording: Recording, pieces: Pieces, middle: float) -> list[Mark]:
    lives = storage_lives(recording)
    rows = dict(zip(lives, shared_rows([(life.first, life.last) for life in lives.values()]), strict=True))
    looks: dict[int, list[tuple[int, Look | None]]] = {row: [] for row in rows.values()}
    ends: dict[int, list[int]] = {}
    for key, life in lives.items():
        ends.setdefault(life.last + 1, []).append(key)
    for step, now in pieces:
        for key in ends.get(step, ()):
            looks[rows[key]].append((step, None))
        for key, piece in now.items():
            looks[rows[key]].append((step, _drawn(piece, middle)))
    keys: dict[int, list[str]] = {}
    for key, row in rows.items():
        keys.setdefault(row, []).append(f"s{key}")
    return [Mark("path", (), runs(found), tuple(keys[row])) for row, found in looks.items()]


def _drawn(piece: Piece, middle: float) -> Look | None:
    left, width, kind = piece
    if width <= 0:
        return None
    # A hairline of background between one storage and the next.
    line = f"M{coordinate(left)} {coordinate(middle)}H{coordinate(left + max(width - 1, 0.5))}"
    return Look(f"held held-{kind}", None, (("d", line),))


def _by_kind(totals: list[tuple[int, dict[Kind, int]]], scale: float, middle: float) -> list[Mark]:
    looks: dict[Kind, list[tuple[int, Look | None]]] = {kind: [] for kind in KINDS}
    for step, now in totals:
        left = LEFT
        for kind in KINDS:
            width = now[kind] * scale
            looks[kind].append((step, _drawn((left, width, kind), middle)))
            left += width
    return [Mark("path", (), runs(found)) for found in looks.values()]


def _peak_tick(recording: Recording, scale: float, top: float) -> Mark:
    """A tick at the greatest length of the bar so far."""
    lines = (
        (step.index, f"M{coordinate(LEFT + step.peak * scale)} {coordinate(top - 2)}v16") for step in recording.steps
    )
    return Mark("path", (), runs((step, Look("peak", None, (("d", line),))) for step, line in lines))


def _legend(totals: list[tuple[int, dict[Kind, int]]], y: float, last: int) -> tuple[list[Mark], float]:
    """A swatch and the bytes of each kind that occurs, in as many lines as needed."""
    marks: list[Mark] = []
    x = LEFT
    for kind in KINDS:
        if not any(now[kind] for _, now in totals):
            continue
        labels = [(step, words.SEGMENTS[kind].format(size=size_in_bytes(now[kind]))) for step, now in totals]
        room = _SWATCH + 6 + max(width_of(each, SMALL) for each in {each for _, each in labels}) + 14
        if x > LEFT and x + room > NARROWEST:
            x, y = LEFT, y + _LINE
        swatch = f"M{coordinate(x)} {coordinate(y - 4)}h{coordinate(_SWATCH)}"
        marks.append(path(swatch, between(0, last, Look(f"held held-{kind}"))))
        marks.append(text(round(x + _SWATCH + 6, 1), y, runs((step, Look("text", each)) for step, each in labels)))
        x += room
    return marks, y
