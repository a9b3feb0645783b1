"""Draws what holds the bytes after each step: a bar of all live storages in order, and a legend of its patterns.

A storage is held by a name, as a gradient, only by backward (a saved tensor that nothing else refers to), as a copy
that was saved because the operation overwrites its input, or by an object without a name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal

from inplacelab.recording.facts import NodeFacts, TensorFacts
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

Held = list[tuple[State, dict[int, Kind | None]]]
"""Each state, with the storages that its step changed: the kind of holder, or None for a storage that is gone."""

Pieces = list[tuple[int, dict[int, Piece]]]
"""(step, the piece of each storage), at each step that changes one."""


def holders(recording: Recording) -> Held:
    """Returns for each step the kind of holder of each storage that it changed."""
    grip = _Grip()
    return [(state, grip.follow(state)) for state in recording.states()]


class _Grip:
    """What refers to each storage at the present step."""

    def __init__(self) -> None:
        self.tensors: dict[int, TensorFacts] = {}
        self.nodes: dict[int, NodeFacts] = {}
        self.on: defaultdict[int, set[int]] = defaultdict(set)
        """From a storage to the tensors on it."""
        self.owners: Counter[int] = Counter()
        """From a tensor to the number of tensors whose gradient it is."""
        self.saved: Counter[tuple[int, bool]] = Counter()
        """From a storage to the number of saved tensors on it: copies, and others."""

    def follow(self, state: State) -> dict[int, Kind | None]:
        step = state.step
        touched = dict.fromkeys(key for key, _ in step.storages)
        for key, tensor in step.tensors:
            touched |= dict.fromkeys(self._tensor(key, tensor))
        for key, node in step.nodes:
            touched |= dict.fromkeys(self._node(key, node))
        return {key: self._kind(key) if key in state.storages else None for key in touched}

    def _kind(self, storage: int) -> Kind:
        tensors = self.on[storage]
        if any(self.owners[key] for key in tensors):
            return "gradient"
        if any(self.tensors[key].names for key in tensors):
            return "named"
        return "copy" if self.saved[storage, True] else "saved" if self.saved[storage, False] else "other"

    def _tensor(self, key: int, after: TensorFacts | None) -> Iterator[int]:
        """Follows a tensor; yields the storages that may have another holder now."""
        before = self.tensors.pop(key, None)
        if after is not None:
            self.tensors[key] = after
        for facts, by in ((before, -1), (after, 1)):
            if facts is None:
                continue
            (self.on[facts.storage].add if by > 0 else self.on[facts.storage].discard)(key)
            yield facts.storage
            if facts.grad is not None:
                self.owners[facts.grad] += by
                if facts.grad in self.tensors:
                    yield self.tensors[facts.grad].storage

    def _node(self, key: int, after: NodeFacts | None) -> Iterator[int]:
        before = self.nodes.pop(key, None)
        if after is not None:
            self.nodes[key] = after
        for facts, by in ((before, -1), (after, 1)):
            for saved in facts.saved if facts is not None and not facts.released else ():
                self.saved[saved.storage, saved.copy] += by
                yield saved.storage


def holder_marks(recording: Recording, top: float) -> tuple[list[Mark], list[Mark], float]:
    """Draws the bar and its legend; also returns the bottom of the legend."""
    last = len(recording) - 1
    scale = _ROOM / (max((step.peak for step in recording.steps), default=0) or 1)
    held = holders(recording)
    totals, pieces = list(_totals(held)), _few(_pieces(held, scale))
    summed, middle = pieces is None, top + 6
    marks = _by_kind(totals, scale, middle) if pieces is None else _by_storage(recording, pieces, middle)
    marks.append(_peak_tick(recording, scale, top))
    marks.append(text(0, top + 10, between(0, last, Look("text soft", words.HELD_SUMMED if summed else words.HELD))))
    legend, bottom = _legend(totals, top + 25, last)
    return marks, legend, bottom + 4


def _totals(held: Held) -> Iterator[tuple[int, dict[Kind, int]]]:
    totals: dict[Kind, int] = dict.fromkeys(KINDS, 0)
    known: dict[int, tuple[Kind, int]] = {}
    for state, changed in held:
        for key, kind in changed.items():
            if key in known:
                was, size = known.pop(key)
                totals[was] -= size
            if kind is not None:
                known[key] = kind, state.storages[key].bytes
                totals[kind] += known[key][1]
        yield state.step.index, dict(totals)


def _pieces(held: Held, scale: float) -> Iterator[tuple[int, dict[int, Piece]]]:
    """Yields only the pieces that moved or changed since the step before, not those that are gone."""
    drawn: dict[int, Piece] = {}
    kinds: dict[int, Kind] = {}
    sizes: dict[int, int] = {}
    end = LEFT
    for state, changed in held:
        kinds |= {key: kind for key, kind in changed.items() if kind is not None}
        now = {key: state.storages[key].bytes if kind is not None else 0 for key, kind in changed.items()}
        affected: Iterable[int] = (key for key, kind in changed.items() if kind is not None)
        if any(sizes.get(key, size) != size for key, size in now.items()):  # one ends or changes: the others move
            drawn_before, drawn, end, affected = drawn, {}, LEFT, state.storages
        else:
            drawn_before = drawn
        sizes |= now
        for key in changed.keys() - state.storages.keys():
            drawn.pop(key, None)
        moved: dict[int, Piece] = {}
        for key in affected:
            before = drawn_before.get(key)
            if key in drawn:
                left, width, _ = drawn[key]
            else:
                exact = sizes[key] * scale
                left, width, end = round(end, 1), round(exact, 1), end + exact
            drawn[key] = (left, width, kinds[key])
            if drawn[key] != before:
                moved[key] = drawn[key]
        yield state.step.index, moved


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
