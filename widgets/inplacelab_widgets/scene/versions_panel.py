"""Draws the versions panel: one lane for each storage over all steps.

A lane is solid at version 0 and has shorter dashes after each write. A saved tensor is a pin on its lane. If the version has
been raised since, a dashed thread leads from the pin across that write: backward will fail there, which can be seen before
backward runs.

Storages that are written and saved come first, then those that are written, then those that are only saved or named; the others are counted in a
note. If there are many lanes, the less important ones are folded: a still picture has a note, and in the player they can be opened. The number of
marks is bounded by the width of the panel, not by the number of steps: marks that would overlap are merged.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import stages
from inplacelab.supported import Terms, terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import player_words
from inplacelab_widgets.scene.saved_tensors import Pin, pins
from inplacelab_widgets.scene.svg import Group, Look, Mark, More, Panel, between, lasting, path, rect, text
from inplacelab_widgets.scene.text_layout import SMALL, coordinate, prose_width_of, short_name, width_of
from inplacelab_widgets.scene.timeline import (
    LEFT,
    WIDTH,
    Axis,
    Life,
    boundaries,
    cursor_marks,
    line_marks,
    phase_changes,
    room_for,
    shared_rows,
    version_lives,
)

MOST_ROWS = 12
"""The most rows of lanes that can be compared at a glance."""

Lives = Mapping[int, Life[tuple[int, ...]]]
"""The versions of each storage over the steps."""


class Choice(NamedTuple):
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

    def too_many(count: int) -> bool:
        return max(rows_of({key: every[key] for key in order[:count]}).values(), default=-1) >= MOST_ROWS

    drawn = set(order[: bisect_right(range(1, len(order) + 1), False, key=too_many)])
    folded = {key: every[key] for key in telling if key not in drawn}
    says = words.FOLDED_LANES.format(count=len(folded))
    if written.isdisjoint(folded):
        never_kept = terms_of(recording).has_gradients and kept.isdisjoint(folded)
        says += words.NEITHER if never_kept else words.NEVER_WRITTEN
    return Choice({key: every[key] for key in telling if key in drawn}, folded, says, len(every) - len(telling))


def rows_of(lives: Lives) -> dict[int, int]:
    """Returns the row of each storage; storages that never live at the same time share one."""
    ordered = sorted(lives, key=lambda key: lives[key].first)
    return dict(zip(ordered, shared_rows([(lives[key].first, lives[key].last) for key in ordered]), strict=True))


# --- marks along the axis ---------------------------------------------------------------------------------------------

GRAIN = 4.0
"""Marks of one kind in one row that begin within this many px are merged."""
_AIR = 4.0
"""The distance between words, or of words from a thread, in px."""


class Crowd:
    """Collects marks and merges those of one kind that begin at the same place. They are shown until step `end`."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._found: dict[tuple[float, str, int], tuple[str, dict[str, None], dict[str, None]]] = {}
        self._wide: list[Mark] = []

    def line(self, row: int, left: float, right: float, y: float, style: str, key: str) -> None:
        """Adds a piece of a lane."""
        d = f"M{coordinate(left)} {coordinate(y)}H{coordinate(right)}"
        if right - left > GRAIN:
            self._wide.append(path(d, between(0, self._end, Look(style)), keys=(key,)))
        else:
            self._add((row, style, int(left / GRAIN)), d, (key,), ())

    def tick(self, row: int, x: float, y: float, key: str) -> None:
        """Adds a tick where a version is raised. Of several at one place, a click goes to the first."""
        place = (row, "bump", int(x / GRAIN))
        if place not in self._found:
            self._add(place, f"M{coordinate(x)} {coordinate(y - 6)}v12", (key,), ())

    def flag(self, x: float, y: float, *, stale: bool, keys: Iterable[str], links: Iterable[str]) -> None:
        """Adds the pin of a saved tensor."""
        d = f"M{coordinate(x - 4)} {coordinate(y + 3)}h8l-4 6.5z"
        self._add((y, "flag-stale" if stale else "flag", int(x / GRAIN)), d, keys, links)

    def _add(self, place: tuple[float, str, int], d: str, keys: Iterable[str], links: Iterable[str]) -> None:
        _, known, linked = self._found.setdefault(place, (d, {}, {}))
        known.update(dict.fromkeys(keys))
        linked.update(dict.fromkeys(links))

    def marks(self) -> list[Mark]:
        """Returns all marks."""
        merged = (
            path(d, between(0, self._end, Look(style)), keys=tuple(keys), links=tuple(links))
            for (_, style, _), (d, keys, links) in self._found.items()
        )
        return [*self._wide, *merged]


def versions_above(labels: list[tuple[float, str, str, int]], y: float, end: int) -> list[Mark]:
    """Draws version numbers above a row, given as (x, words, key, step), as many as fit; the last one is always drawn.

    They are faint until their step. A veil over later steps would also cover the present number, which extends beyond its step.
    """
    *others, last = sorted(labels, key=lambda each: each[0])
    marks: list[Mark] = []
    edge = 0.0
    for wanted, said, key, step in [*others, last]:
        x = min(wanted, WIDTH - width_of(said, SMALL))
        room = x + room_for(width_of(said, SMALL) + _AIR)
        if x >= edge and (key == last[2] or room <= last[0] or not marks):
            looks = lasting(((0, Look("text tiny ahead", said)), (step, Look("text tiny", said))), end)
            marks.append(text(round(x, 1), y - 7, looks, keys=(key,)))
            edge = room
    return marks


# --- names of lanes ---------------------------------------------------------------------------------------------------


def lane_names(recording: Recording, rows: Mapping[int, int], baselines: Sequence[float]) -> list[Mark]:
    """Draws one mark for each row. `rows` gives the row of each storage, `baselines` the y of each row's words."""
    looks: list[list[tuple[int, Look | None]]] = [[] for _ in baselines]
    tensors: dict[int, TensorFacts] = {}
    named: dict[int, dict[int, tuple[str, ...]]] = {}
    tenants: dict[int, int] = {}
    for state in recording.states():
        step, changed = state.step, [key for key, _ in state.step.storages]
        for key, storage in step.storages:
            if key in rows and storage is not None:
                tenants[rows[key]] = key
            elif tenants.get(rows.get(key, -1)) == key:
                del tenants[rows[key]]
        changed += _renamed(state, tensors, named)
        for row in dict.fromkeys(rows[storage] for storage in changed if storage in rows):
            names = _said(tenants.get(row), named)
            looks[row].append((step.index, Look("text", names) if names else None))
    marks = []
    for row, baseline in enumerate(baselines):
        keys = tuple(f"s{key}" for key, its_row in rows.items() if its_row == row)
        marks.append(text(0, baseline, lasting(looks[row], len(recording) - 1), keys=keys))
    return marks


def _renamed(
    state: State, tensors: dict[int, TensorFacts], named: dict[int, dict[int, tuple[str, ...]]]
) -> Iterator[int]:
    """Yields the storages whose tensors, or their names, changed in this step; updates `tensors` and `named`."""
    for key in (*(key for key, _ in state.step.tensors), *state.awaited):
        before, tensor, called = tensors.pop(key, None), state.tensors.get(key), state.called(key)
        if before is not None:
            named[before.storage].pop(key, None)
            yield before.storage
        if tensor is not None:
            tensors[key] = tensor
            named.setdefault(tensor.storage, {})[key] = called.shown if called.names else ()
            yield tensor.storage


def _said(tenant: int | None, named: Mapping[int, Mapping[int, tuple[str, ...]]]) -> str:
    if tenant is None:
        return ""
    of_tensors = named.get(tenant, {})
    names = ", ".join(name for key in sorted(of_tensors) for name in of_tensors[key])
    label = f"{storage_label(tenant)} "
    room = LEFT - 22 - width_of(label)
    first, *others = names.split(", ")
    if others and width_of(names) > room:
        return f"{label}{short_name(first, room - 21)}, …"
    return (label + short_name(names, room)).rstrip()


# --- saved tensors and their threads ----------------------------------------------------------------------------------

_Span = tuple[float, float]

_BELOW = 9.0
"""The distance from a lane to its thread, in px."""


class _Beside(NamedTuple):
    """The left and the right edge of words, and whether they end before a step or begin after it."""

    left: float
    right: float
    is_before: bool


class _Thread:
    """The threads below one lane. They overlap, so they are drawn as one, dashed and with gaps for words."""

    def __init__(self) -> None:
        self.keys: dict[str, None] = {}
        self.links: dict[str, None] = {}
        self.crosses: dict[float, tuple[str, ...]] = {}
        self.refusals: dict[int, tuple[_Beside, tuple[str, ...]]] = {}
        """By step: the position of the words about a failing unpack, and the keys of the pin."""
        self._spans: list[_Span] = []

    def add(self, pin: Pin, span: _Span, crossing: float) -> None:
        """Adds a pin that becomes stale at `crossing`, where the version is raised."""
        self._spans.append(span)
        self.crosses.setdefault(crossing, pin.keys)
        self.keys.update(dict.fromkeys(pin.keys))
        self.links.update(dict.fromkeys(pin.links))

    def pieces(self) -> list[_Span]:
        """Returns the pieces to draw, without those behind words."""
        joined: list[_Span] = []
        for left, right in sorted(self._spans):
            if joined and left <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(right, joined[-1][1]))
            else:
                joined.append((left, right))
        for (left, right, _), _ in self.refusals.values():
            parts = [part for a, b in joined for part in ((a, min(b, left - 2)), (max(a, right), b))]
            joined = [(a, b) for a, b in parts if b - a > 1]
        return joined

    def marks(self, y: float, end: int) -> tuple[list[Mark], list[Mark]]:
        """Draws the thread with its crosses, and the words where it ends in a failing unpack."""
        d = "".join(f"M{coordinate(a)} {coordinate(y)}H{coordinate(b)}" for a, b in self.pieces())
        threads = [path(d, between(0, end, Look("thread")), keys=tuple(self.keys), links=tuple(self.links))]
        taken = [(beside.left, beside.right) for beside, _ in self.refusals.values()]
        cross = between(0, end, Look("text tiny alarm middle", "✗"))
        for x, keys in self.crosses.items():
            # The words begin with a cross already.
            if not any(left - _AIR < x < right for left, right in taken):
                threads.append(text(x, y + 3, cross, keys=keys))
        notes = []
        for failed, (beside, keys) in self.refusals.items():
            x, style = (beside.right, "text tiny alarm end") if beside.is_before else (beside.left, "text tiny alarm")
            notes.append(text(x, y + 3, between(failed, end, Look(style, words.UNPACK_FAILS)), keys=keys))
        return threads, notes


def pins_on_lanes(
    recording: Recording, axis: Axis, saved_pins: Sequence[Pin], middles: Mapping[int, float]
) -> tuple[list[Mark], list[Mark]]:
    """Draws pins with their threads, and words where a thread ends in a failing unpack. `middles`: the y of each storage's lane."""
    end, failing = len(recording) - 1, _failing_unpacks(recording)
    crowd, threads = Crowd(end), dict[float, _Thread]()
    for pin in saved_pins:
        y, x = middles[pin.storage], axis.x(pin.life.first)
        went_stale = next((step for step, face in pin.life.moments if face.status == "stale"), None)
        crowd.flag(x, y, stale=went_stale is not None, keys=pin.keys, links=pin.links)
        if went_stale is None:
            continue
        failed = failing.get((pin.node, pin.version))
        stop = axis.x(failed if failed is not None else pin.life.last)
        thread = threads.setdefault(y, _Thread())
        thread.add(pin, (x, stop), axis.x(went_stale))
        if failed is not None:
            others = [each.life for each in saved_pins if each.storage == pin.storage and each.life.first < failed]
            edge = axis.x(max(went_stale, *(life.first for life in others)))
            thread.refusals[failed] = (_beside(axis, failed, edge), pin.keys)
    drawn = [thread.marks(y + _BELOW, end) for y, thread in threads.items()]
    return (
        [*crowd.marks(), *(mark for marks, _ in drawn for mark in marks)],
        [mark for _, notes in drawn for mark in notes],
    )


def _beside(axis: Axis, failed: int, edge: float) -> _Beside:
    """The place of the words: left of the column of the step, where no later column crosses them; or right of it, if the signs up to `edge` leave no
    room there, and the panel does.
    """
    x, aside, wide = axis.x(failed), room_for(axis.half + _AIR), room_for(width_of(words.UNPACK_FAILS, SMALL))
    is_before = x - aside - wide > edge + _AIR or x + aside + wide > WIDTH
    left = round(x - aside - wide if is_before else x + aside)
    return _Beside(left, round(left + wide), is_before)


def _failing_unpacks(recording: Recording) -> dict[tuple[int, int], int]:
    """For (node, saved version) the step at which backward finds another version."""
    found: dict[tuple[int, int], int] = {}
    for step in recording.steps:
        facts = step.backward
        if facts is None or facts.node is None or facts.kept_at is None:
            continue
        if facts.found_at not in (None, facts.kept_at):
            found.setdefault((facts.node, facts.kept_at), step.index)
    return found


# --- the panel --------------------------------------------------------------------------------------------------------

HEAD = 33.0
TOP = 36.0
PITCH = 27.0
CLOSE_PITCH = 24.0
MOST_TOLD = 40
"""The most storages whose versions the description of a step tells."""
FOOT = 4.0
NOTE = 16.0
FEW = 6
"""The most lanes with the normal distance; more lanes are closer together."""

_DENSEST = 4


def versions_panel(recording: Recording) -> Panel:
    """Returns the versions panel of a recording."""
    axis, last = Axis(len(recording)), len(recording) - 1
    saved_pins = pins(recording)
    choice = choose(recording, version_lives(recording), saved_pins)
    marks, height = _rows(recording, axis, choice.drawn, saved_pins, TOP)
    if choice.left_out:
        one, several = words.ONE_MORE_LANE_PLAINLY, words.MORE_LANES_PLAINLY
        if terms_of(recording).has_gradients:
            one, several = words.ONE_MORE_LANE, words.MORE_LANES
        said = one if choice.left_out == 1 else several.format(count=choice.left_out)
        marks.append(text(0, height + 12, between(0, last, Look("text prose soft", said))))
        height += NOTE
    main, head = Group(0, 0, WIDTH, height, 0, last, tuple(marks)), _head(recording, axis)
    if not choice.folded:
        return Panel("lanes", WIDTH, height, (main, head), _descriptions(recording))
    note_text = text(0, 12, between(0, last, Look("text prose soft", choice.says)))
    note = Group(0, height, WIDTH, NOTE, 0, last, (note_text,))
    hidden, room = _rows(recording, axis, choice.folded, saved_pins, 0)
    rest = Group(0, height, WIDTH, room, 0, last, tuple(hidden))
    more = More(choice.says, note, (rest,), height + room)
    return Panel("lanes", WIDTH, height + NOTE, (main, note, head), _descriptions(recording), more=more)


def _rows(
    recording: Recording, axis: Axis, found: Lives, saved_pins: list[Pin], top: float
) -> tuple[list[Mark], float]:
    """The lanes of some storages below `top`, with all their marks; and their bottom."""
    rows = rows_of(found)
    count = max(rows.values(), default=-1) + 1
    pitch = PITCH if count <= FEW else CLOSE_PITCH
    middles = {key: top + pitch * row + 15 for key, row in rows.items()}
    foot = top + pitch * count + FOOT
    (column, point), veil = cursor_marks(axis, foot)
    marks = [column, *([point] if top else []), *boundaries(recording, axis, foot)]
    lanes, versions = _lanes(terms_of(recording), axis, found, rows, middles)
    marks += lanes
    threads, failures = pins_on_lanes(recording, axis, [pin for pin in saved_pins if pin.storage in found], middles)
    marks += [*threads, veil, *versions, *failures]
    return marks + lane_names(recording, rows, [top + pitch * row + 19 for row in range(count)]), foot


def _head(recording: Recording, axis: Axis) -> Group:
    """The playhead, phases and line numbers above the lanes: a separate group, which stays in place when the lanes are scrolled."""
    last = len(recording) - 1
    phases = player_words(terms_of(recording))
    (column, point), _ = cursor_marks(axis, HEAD)
    marks = [rect(0, 0, WIDTH, HEAD, between(0, last, Look("paper"))), column]
    edge = 0.0
    for step in [0, *phase_changes(recording)]:
        x = axis.x(step)
        name = phases[stages(recording)[step]]
        width = prose_width_of(name)
        if name.en and x >= edge and x + room_for(width) <= WIDTH:
            marks.append(text(x, 18, between(0, last, Look("text prose soft", name))))
            edge = x + room_for(width + 10)
    return Group(0, 0, WIDTH, HEAD, 0, last, (*marks, *line_marks(recording, axis, 29), point))


def _lanes(
    framework: Terms, axis: Axis, found: Lives, rows: dict[int, int], middles: dict[int, float]
) -> tuple[list[Mark], list[Mark]]:
    """All lanes with ticks where versions are raised, and as many version numbers above them as fit."""
    end, label = axis.steps - 1, framework.label
    crowd = Crowd(end)
    labels: dict[float, list[tuple[float, str, str, int]]] = {}
    for key, life in found.items():
        y, starts = middles[key], life.moments
        for first, last, style in _stretches(starts, life.last):
            right = max(axis.end if last == end == life.last else axis.x(last), axis.x(first) + 3)
            crowd.line(rows[key], axis.x(first), right, y, style, f"s{key}")
        for step, _ in starts[1:]:
            crowd.tick(rows[key], axis.x(step), y, f"step:{step}")
        for step, counted in starts:
            version = label(*counted)
            caption = f"{storage_label(key)} {version}" if step == life.first else version
            leads_to = f"s{key}" if step == life.first else f"step:{step}"
            labels.setdefault(y, []).append((axis.x(step) - 5, caption, leads_to, step))
    return crowd.marks(), [mark for y, of_row in labels.items() for mark in versions_above(of_row, y, end)]


def _stretches(starts: Sequence[tuple[int, tuple[int, ...]]], last: int) -> list[tuple[int, int, str]]:
    """(first step, last step, style): a new stretch wherever the dashes change."""
    stops = [step for step, _ in starts[1:]] + [last]
    stretches: list[tuple[int, int, str]] = []
    for (start, versions), stop in zip(starts, stops, strict=True):
        version = min(sum(versions), _DENSEST)
        style = "lane" + (f" v{version}" if version > 0 else "")
        if stretches and stretches[-1][2] == style:
            stretches[-1] = (stretches[-1][0], stop, style)
        else:
            stretches.append((start, stop, style))
    return stretches


# --- in words -----------------------------------------------------------------------------------------------------------


def _descriptions(recording: Recording) -> tuple[tuple[int, Text], ...]:
    framework = terms_of(recording)
    descriptions: list[tuple[int, Text]] = []
    live: dict[int, str] = {}
    for state in recording.states():
        step = state.step
        touched = step.touched_storages()
        for key in touched:
            live.pop(key, None)
            if key in state.storages:
                live[key] = f"{storage_label(key)} {framework.label(*state.versions(key))}"
        if touched or not descriptions:
            # Of many storages only those that the step is about are read out.
            told = sorted(live if len(live) <= MOST_TOLD else live.keys() & touched)[:MOST_TOLD]
            shown = [*(live[key] for key in told), *(["…"] if len(told) < len(live) else [])]
            versions = enumerated(shown) if shown else words.NONE
            descriptions.append((step.index, framework.of_each.format(versions=versions)))
    return tuple(descriptions)
