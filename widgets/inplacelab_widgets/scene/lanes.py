"""Draws the versions panel: one lane for each storage over all steps.

A lane is solid at version 0 and has shorter dashes after each write. A saved tensor is a pin on its lane. If the version has
been raised since, a dashed thread leads from the pin across that write: backward will fail there, which can be seen before
backward runs.

Only storages that are named, written or saved for backward get a lane; the others are counted in a note. If there are many
lanes, the less important ones are folded: a still picture has a note, and in the player they can be opened. The number of marks
is bounded by the width of the panel, not by the number of steps: marks that would overlap are merged.
"""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text, enumerated
from inplacelab.recording.naming import storage_label
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab.supported import Terms, terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.axis import WIDTH, Axis, boundaries, cursor_marks, line_marks, phase_changes, room_for
from inplacelab_widgets.scene.lane_choice import Lives, choose, rows_of
from inplacelab_widgets.scene.lane_marks import Crowd, versions_above
from inplacelab_widgets.scene.lane_names import lane_names
from inplacelab_widgets.scene.lane_threads import pins_on_lanes
from inplacelab_widgets.scene.marks import Group, Look, Mark, More, Panel, between, rect, text
from inplacelab_widgets.scene.measure import width_of
from inplacelab_widgets.scene.names import player_words
from inplacelab_widgets.scene.pins import Pin, pins
from inplacelab_widgets.scene.timeline import version_lives

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


def lanes_panel(recording: Recording) -> Panel:
    """Returns the versions panel of a recording."""
    axis, last = Axis(len(recording)), len(recording) - 1
    saved_pins = pins(recording)
    choice = choose(recording, version_lives(recording), saved_pins)
    marks, height = _rows(recording, axis, choice.drawn, saved_pins, TOP)
    if choice.left_out:
        marks.append(
            text(0, height + 12, between(0, last, Look("text soft", _more(terms_of(recording), choice.left_out))))
        )
        height += NOTE
    main, head = Group(0, 0, WIDTH, height, 0, last, tuple(marks)), _head(recording, axis)
    if not choice.folded:
        return Panel("lanes", WIDTH, height, (main, head), _descriptions(recording))
    note_text = text(0, 12, between(0, last, Look("text soft", choice.says)))
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


def _more(framework: Terms, count: int) -> Text:
    one, more = words.ONE_MORE_LANE, words.MORE_LANES
    if not framework.has_gradients:
        one, more = words.ONE_MORE_LANE_PLAINLY, words.MORE_LANES_PLAINLY
    return one if count == 1 else more.format(count=count)


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
        if name.en and x >= edge and x + room_for(width_of(name)) <= WIDTH:
            marks.append(text(x, 18, between(0, last, Look("text soft", name))))
            edge = x + room_for(width_of(name) + 10)
    return Group(0, 0, WIDTH, HEAD, 0, last, (*marks, *line_marks(recording, axis, 29), point))


def _lanes(
    framework: Terms, axis: Axis, found: Lives, rows: dict[int, int], middles: dict[int, float]
) -> tuple[list[Mark], list[Mark]]:
    """All lanes with ticks where versions are raised, and as many version numbers above them as fit."""
    end, label = axis.steps - 1, framework.label
    crowd = Crowd(end)
    labels: dict[int, list[tuple[float, str, str, int]]] = {}
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
            labels.setdefault(rows[key], []).append(
                (axis.x(step) - 5, caption, f"s{key}" if step == life.first else f"step:{step}", step)
            )
    above = [
        mark
        for row, row_labels in labels.items()
        for mark in versions_above(row_labels, _row_y(rows, middles, row), end)
    ]
    return crowd.marks(), above


def _row_y(rows: dict[int, int], middles: dict[int, float], row: int) -> float:
    return next(middles[key] for key, its_row in rows.items() if its_row == row)


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
