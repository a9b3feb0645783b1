"""Draws the bytes panel: the live bytes after each step, the peak so far, and what holds the bytes now: a bar of all live storages in order.

A storage is held by a name, as a gradient, only by backward (a saved tensor that nothing else refers to), as a copy
that was saved because the operation overwrites its input, or by an object without a name. While backward runs, gradients are on
their way that no tensor of the program refers to: they are what is live beyond the recorded storages. So the pieces add up to the
live bytes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from inplacelab.recording.facts import NodeFacts, TensorFacts
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import made
from inplacelab_widgets import words
from inplacelab_widgets.scene.svg import Group, Look, Mark, Panel, between, path, runs, text
from inplacelab_widgets.scene.text_layout import coordinate, prose_width_of, size_in_bytes
from inplacelab_widgets.scene.timeline import (
    LEFT,
    NARROWEST,
    RIGHT,
    WIDTH,
    Axis,
    boundaries,
    cursor_marks,
    line_marks,
    once_for_each,
    shared_rows,
    storage_lives,
)

Kind = Literal["named", "gradient", "flight", "saved", "copy", "other"]
KINDS: tuple[Kind, ...] = ("named", "gradient", "flight", "saved", "copy", "other")

MOST_RUNS = 3000
"""If single storages need more changes than this over all steps, the bar shows one piece per kind instead."""

_ROOM = WIDTH - LEFT - RIGHT
_SWATCH = 20.0
_LINE = 15.0

Piece = tuple[float, float, Kind]
"""(left, width, kind) in px."""

_BEYOND = -1
"""The key of the piece for the live bytes beyond the recorded storages."""


class Holding(NamedTuple):
    """What holds how many of the bytes that are live after a step.

    Attributes:
        step: the step.
        storages: the kind of holder and the bytes of each storage, in the order of creation; 0 bytes if they are not counted as live.
        beyond: the kind and the bytes of what is live beyond these.
    """

    step: int
    storages: dict[int, tuple[Kind, int]]
    beyond: tuple[Kind, int]

    @property
    def pieces(self) -> dict[int, tuple[Kind, int]]:
        """All pieces of the bar, in order."""
        return {**self.storages, _BEYOND: self.beyond}

    @property
    def totals(self) -> dict[Kind, int]:
        """The bytes of each kind."""
        found: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        for kind, size in self.pieces.values():
            found[kind] += size
        return found


Held = list[Holding]

Pieces = list[tuple[int, dict[int, Piece]]]
"""(step, the piece of each storage), at each step that changes one."""


def holders(recording: Recording) -> Held:
    """Returns what holds the live bytes after each step. The bytes of all pieces add up to those that are live."""
    grip = _Grip()
    return [_holding(recording, state, grip.follow(state)) for state in recording.states()]


class _Grip:
    """What refers to each storage at the present step."""

    def __init__(self) -> None:
        self.kinds: dict[int, Kind] = {}
        self.tensors: dict[int, TensorFacts] = {}
        self.nodes: dict[int, NodeFacts] = {}
        self.on: defaultdict[int, set[int]] = defaultdict(set)
        """From a storage to the tensors on it."""
        self.owners: Counter[int] = Counter()
        """From a tensor to the number of tensors whose gradient it is."""
        self.saved: Counter[tuple[int, bool]] = Counter()
        """From a storage to the number of saved tensors on it: copies, and others."""

    def follow(self, state: State) -> Mapping[int, Kind]:
        """Returns the kind of holder of each live storage after a step, in the order of creation."""
        step = state.step
        touched = dict.fromkeys(key for key, _ in step.storages)
        for key, tensor in step.tensors:
            touched |= dict.fromkeys(self._tensor(key, tensor))
        for key, node in step.nodes:
            touched |= dict.fromkeys(self._node(key, node))
        self.kinds |= {key: self._kind(key) for key in touched}
        return {key: self.kinds[key] for key in state.storages}

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


def _holding(recording: Recording, state: State, kinds: Mapping[int, Kind]) -> Holding:
    live, sizes = state.step.live, _counted(recording, state, kinds)
    beyond = max(live - sum(sizes.values()), 0)
    storages = {key: (kind, sizes.get(key, 0)) for key, kind in kinds.items()}
    return Holding(state.step.index, storages, ("flight" if state.step.phase == "backward" else "other", beyond))


def _counted(recording: Recording, state: State, kinds: Mapping[int, Kind]) -> dict[int, int]:
    """Returns the bytes of the storages that are counted as live: those that existed before the recording are not, nor are those of
    another device than the program uses now.
    """
    live, before = state.step.live, _from_before(recording)
    sizes = {key: facts.bytes for key, facts in state.storages.items() if key not in before}
    if sum(sizes.values()) <= live:
        return sizes
    devices = dict.fromkeys(state.storages[key].device for key in sizes)
    if len(devices) > 1:
        each = [{key: size for key, size in sizes.items() if state.storages[key].device == one} for one in devices]
        fitting = [some for some in each if sum(some.values()) <= live]
        return max(fitting, key=lambda some: sum(some.values()), default={})
    # Backward has freed some of what it kept, which the recording notes later.
    for wanted in ("other", "copy", "saved", "gradient", "named"):
        for key in [key for key in sizes if kinds[key] == wanted]:
            if 0 < sizes[key] <= sum(sizes.values()) - live:
                del sizes[key]
    return sizes if sum(sizes.values()) <= live else {}


@once_for_each
def _from_before(recording: Recording) -> frozenset[int]:
    """Returns the storages that existed before the recording."""
    if not recording.live_before:
        return frozenset()
    known: dict[int, bool] = {}
    for step in recording.steps:
        for key, facts in step.tensors:
            if facts is not None:
                known.setdefault(facts.storage, made(recording)[key].how == "before")
    return frozenset(storage for storage, is_old in known.items() if is_old)


def holder_marks(recording: Recording, top: float) -> tuple[list[Mark], list[Mark], float]:
    """Draws the bar and its legend; also returns the bottom of the legend."""
    last = len(recording) - 1
    scale = _ROOM / (max((step.peak for step in recording.steps), default=0) or 1)
    held = holders(recording)
    totals, pieces = [(each.step, each.totals) for each in held], _few(_pieces(held, scale))
    summed, middle = pieces is None, top + 6
    marks = _by_kind(totals, scale, middle) if pieces is None else _by_storage(recording, pieces, middle)
    # A tick at the greatest length of the bar so far.
    ticks = (
        (each.index, f"M{coordinate(LEFT + each.peak * scale)} {coordinate(top - 2)}v16") for each in recording.steps
    )
    marks.append(Mark("path", (), runs((step, Look("peak", None, (("d", line),))) for step, line in ticks)))
    marks.append(
        text(0, top + 10, between(0, last, Look("text prose soft", words.HELD_SUMMED if summed else words.HELD)))
    )
    legend, bottom = _legend(totals, top + 25, last)
    return marks, legend, bottom + 4


def _pieces(held: Held, scale: float) -> Iterator[tuple[int, dict[int, Piece]]]:
    """Yields only the pieces that moved or changed since the step before, not those that are gone."""
    before: dict[int, Piece] = {}
    for each in held:
        now: dict[int, Piece] = {}
        left = LEFT
        for key, (kind, size) in each.pieces.items():
            width = size * scale
            now[key] = (round(left, 1), round(width, 1), kind)
            left += width
        yield each.step, {key: piece for key, piece in now.items() if before.get(key) != piece}
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
    if any(now.get(_BEYOND, (0.0, 0.0, "other"))[1] for _, now in pieces):
        rows[_BEYOND] = max(rows.values(), default=-1) + 1
    looks: dict[int, list[tuple[int, Look | None]]] = {row: [] for row in rows.values()}
    ends: dict[int, list[int]] = {}
    for key, life in lives.items():
        ends.setdefault(life.last + 1, []).append(key)
    for step, now in pieces:
        for key in ends.get(step, ()):
            looks[rows[key]].append((step, None))
        for key, piece in now.items():
            if key in rows:
                looks[rows[key]].append((step, _drawn(piece, middle)))
    keys: dict[int, list[str]] = {}
    for key in lives:
        keys.setdefault(rows[key], []).append(f"s{key}")
    return [Mark("path", (), runs(found), tuple(keys.get(row, ()))) for row, found in looks.items()]


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


def _legend(totals: list[tuple[int, dict[Kind, int]]], y: float, last: int) -> tuple[list[Mark], float]:
    """A swatch and the bytes of each kind that occurs, in as many lines as needed."""
    marks: list[Mark] = []
    x = LEFT
    for kind in KINDS:
        if not any(now[kind] for _, now in totals):
            continue
        labels = [(step, words.SEGMENTS[kind].format(size=size_in_bytes(now[kind]))) for step, now in totals]
        room = _SWATCH + 6 + max(prose_width_of(each) for each in {each for _, each in labels}) + 14
        if x > LEFT and x + room > NARROWEST:
            x, y = LEFT, y + _LINE
        swatch = f"M{coordinate(x)} {coordinate(y - 4)}h{coordinate(_SWATCH)}"
        marks.append(path(swatch, between(0, last, Look(f"held held-{kind}"))))
        marks.append(
            text(round(x + _SWATCH + 6, 1), y, runs((step, Look("text prose", each)) for step, each in labels))
        )
        x += room
    return marks, y


# --- the panel --------------------------------------------------------------------------------------------------------

_CEILING = 9.0
_FLOOR = 46.0
_AXIS = 57.0
_HOLDERS = 64.0


def memory_panel(recording: Recording) -> Panel:
    """Returns the bytes panel of a recording."""
    axis, last = Axis(len(recording)), len(recording) - 1
    cursor, veil = cursor_marks(axis, _FLOOR)
    marks = [*cursor, *boundaries(recording, axis, _FLOOR), *_curves(recording, axis), veil, *_counts(recording)]
    marks += line_marks(recording, axis, _AXIS)
    held, legend, height = holder_marks(recording, _HOLDERS)
    marks += held
    groups = (
        Group(0, 0, WIDTH, height, 0, last, tuple(marks)),
        Group(0, 0, WIDTH, height, 0, last, tuple(legend), is_fixed=True),
    )
    says = tuple(
        (step.index, words.MEMORY_SAYS.format(live=size_in_bytes(step.live), peak=size_in_bytes(step.peak)))
        for step in recording.steps
    )
    return Panel("memory", WIDTH, height, groups, says)


def _counts(recording: Recording) -> Iterable[Mark]:
    """The numbers of the present step, on the left."""
    yield text(0, 13, between(0, len(recording) - 1, Look("text prose bold", words.MEMORY)))
    steps = recording.steps
    yield text(0, 27, runs((s.index, Look("text prose", words.LIVE.format(live=size_in_bytes(s.live)))) for s in steps))
    yield text(
        0, 41, runs((s.index, Look("text prose soft", words.PEAK.format(peak=size_in_bytes(s.peak)))) for s in steps)
    )


def _curves(recording: Recording, axis: Axis) -> list[Mark]:
    steps, last = recording.steps, len(recording) - 1
    top = max((step.peak for step in steps), default=0) or 1

    def height(count: int) -> float:
        return _FLOOR - (_FLOOR - _CEILING) * count / top

    def stairs(counts: list[int]) -> str:
        drawn = [(right, coordinate(height(count))) for right, count in _columns(axis, counts)]
        kept = [here for here, after in zip(drawn, [*drawn[1:], (0.0, "")], strict=True) if here[1] != after[1]]
        return "".join(f"V{y}H{coordinate(right)}" for right, y in kept)

    left, floor = coordinate(axis.x(0)), coordinate(_FLOOR)
    peaks = [step.peak for step in steps]
    reached = axis.x(peaks.index(peaks[-1]))
    return [
        path(f"M{left} {floor}{stairs([step.live for step in steps])}V{floor}z", between(0, last, Look("area"))),
        path(f"M{left} {coordinate(height(peaks[0]))}{stairs(peaks)}", between(0, last, Look("peak"))),
        path(f"M{coordinate(reached)} {coordinate(_CEILING)}l-3.5 -6h7z", between(0, last, Look("flag"))),
        path(f"M{coordinate(LEFT)} {floor}H{coordinate(axis.end)}", between(0, last, Look("axis"))),
    ]


def _columns(axis: Axis, counts: list[int]) -> list[tuple[float, int]]:
    """(right edge, count) of each step; of the steps that share a pixel only the highest, so that no peak is lost."""
    columns: dict[int, tuple[float, int]] = {}
    for step, count in enumerate(counts):
        right = axis.x(step + 1) if step + 1 < axis.steps else axis.end
        column = int(axis.x(step)) if axis.spacing < 1 else step
        columns[column] = (right, max(count, columns.get(column, (0, 0))[1]))
    return list(columns.values())
