"""The versions panel: one lane for each storage over all steps.

A lane is drawn solid at version 0 and in ever shorter dashes after each raise. A saved tensor is a pin on its lane. If
the version has gone up since, a dashed thread leads from the pin across the raise: where it crosses, backward must
refuse, and the learner can see it before backward is run.
"""

from __future__ import annotations

from itertools import pairwise

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.labels import storage_label
from inplacelab.recording.questions import tensors_on
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.axis import LEFT, WIDTH, Axis, boundaries, cursor_marks, phase_changes
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, between, lasting, path, runs, text
from inplacelab_widgets.scene.measure import coordinate, shortened, width_of
from inplacelab_widgets.scene.pins import Pin, pins
from inplacelab_widgets.scene.timeline import Life, lives, shared_rows

TOP = 18.0
PITCH = 27.0
FOOT = 16.0
_DENSEST = 4


def lanes_panel(recording: Recording) -> Panel:
    """The versions panel of a recording."""
    axis = Axis(len(recording))
    found = lives(recording, lambda state: state.storages)
    rows = dict(zip(found, shared_rows([(life.first, life.last) for life in found.values()]), strict=True))
    count = max(rows.values(), default=-1) + 1
    height = TOP + PITCH * count + FOOT
    cursor, veil = cursor_marks(axis, height - FOOT + 2)
    marks = [*cursor, *_frame(recording, axis, height)]
    edges = [0.0] * count
    for key, life in found.items():
        marks += _lane(axis, key, life, _middle(rows[key]))
        labels, edges[rows[key]] = _versions(axis, key, life, _middle(rows[key]), edges[rows[key]])
        marks += labels
    failures: list[Mark] = []
    for pin in pins(recording):
        threads, said = _pin(recording, axis, pin, _middle(rows[pin.storage]))
        marks += threads
        failures += said
    marks += [veil, *failures]
    marks += _labels(recording, rows, count)
    group = Group(0, 0, WIDTH, height, 0, len(recording) - 1, tuple(marks))
    return Panel("lanes", WIDTH, height, (group,), _says(recording))


def _middle(row: int) -> float:
    return TOP + PITCH * row + 15


def _frame(recording: Recording, axis: Axis, height: float) -> list[Mark]:
    last = len(recording) - 1
    phases = {"forward": words.FORWARD, "backward": words.BACKWARD}
    marks = boundaries(recording, axis, height - FOOT)
    edge = 0.0
    for step in [0, *phase_changes(recording)]:
        x = axis.x(step)
        name = phases[recording.steps[step].phase]
        if x >= edge and x + width_of(name) <= WIDTH:
            marks.append(text(x, 11, between(0, last, Look("text soft", name))))
            edge = x + width_of(name) + 10
    marks.append(text(LEFT - 12, height - 4, between(0, last, Look("text tiny end", words.STEP_AXIS))))
    edge = 0.0
    lines = [None, *(step.line for step in recording.steps)]
    for index, (before, line) in enumerate(pairwise(lines)):
        x = axis.x(index)
        if line not in {None, before} and x >= edge:
            marks.append(text(x, height - 4, between(0, last, Look("text tiny middle", str(line)))))
            edge = x + 18
    return marks


def _starts(life: Life[StorageFacts]) -> list[tuple[int, int]]:
    """(step, version) at birth and at each raise."""
    versions = [(step, facts.version) for step, facts in life.moments]
    return [versions[0], *((step, after) for (_, before), (step, after) in pairwise(versions) if after != before)]


def _lane(axis: Axis, key: int, life: Life[StorageFacts], y: float) -> list[Mark]:
    starts, end = _starts(life), axis.steps - 1
    stops = [step for step, _ in starts[1:]] + [life.last]
    marks = []
    for (start, version), stop in zip(starts, stops, strict=True):
        right = axis.end if stop == end == life.last else axis.x(stop)
        style = "lane" + (f" v{min(version, _DENSEST)}" if version > 0 else "")
        line = f"M{coordinate(axis.x(start))} {coordinate(y)}H{coordinate(max(right, axis.x(start) + 3))}"
        marks.append(path(line, between(0, end, Look(style)), keys=(f"s{key}",)))
    for step, _ in starts[1:]:
        marks.append(path(f"M{coordinate(axis.x(step))} {coordinate(y - 6)}v12", between(0, end, Look("bump"))))
    return marks


def _versions(axis: Axis, key: int, life: Life[StorageFacts], y: float, edge: float) -> tuple[list[Mark], float]:
    """The version numbers above a lane, as far as they fit, and where the last one ends."""
    marks = []
    for step, version in _starts(life):
        x = axis.x(step) - 5
        said = f"{storage_label(key)} v{version}" if step == life.first else f"v{version}"
        if x >= edge:
            marks.append(
                text(round(x, 1), y - 7, between(0, axis.steps - 1, Look("text tiny", said)), keys=(f"s{key}",))
            )
            edge = x + width_of(said, 9) + 1
    return marks, edge


def _pin(recording: Recording, axis: Axis, pin: Pin, y: float) -> tuple[list[Mark], list[Mark]]:
    """A pin with its thread, and what is said where the thread ends in a refusal."""
    end, x = len(recording) - 1, axis.x(pin.life.first)
    keys, links = (f"p{pin.node}:{pin.storage}:{pin.version}",), (f"n{pin.node}", f"s{pin.storage}")
    went_stale = next((step for step, face in pin.life.moments if face.status == "stale"), None)
    flag = between(0, end, Look("flag" if went_stale is None else "flag-stale"))
    marks = [path(f"M{coordinate(x - 4)} {coordinate(y + 3)}h8l-4 6.5z", flag, keys=keys, links=links)]
    if went_stale is None:
        return marks, []
    failed = _failing_unpack(recording, pin)
    stop = axis.x(failed if failed is not None else pin.life.last)
    below = y + 10
    thread = f"M{coordinate(x)} {coordinate(below)}H{coordinate(stop)}"
    marks.append(path(thread, between(0, end, Look("thread")), keys=keys, links=links))
    crossing = between(0, end, Look("text tiny alarm middle", "✗"))
    marks.append(text(axis.x(went_stale), below + 3, crossing, keys=keys))
    return marks, [] if failed is None else [_refusal(failed, end, stop, below, keys)]


def _refusal(failed: int, end: int, stop: float, below: float, keys: tuple[str, ...]) -> Mark:
    room = width_of(words.UNPACK_FAILS, 9) + 4
    left = stop + 4 if stop + room < WIDTH else stop - room
    return text(round(left, 1), below + 3, between(failed, end, Look("text tiny alarm", words.UNPACK_FAILS)), keys=keys)


def _failing_unpack(recording: Recording, pin: Pin) -> int | None:
    for step in recording.steps:
        facts = step.backward
        if (
            facts
            and facts.node == pin.node
            and facts.kept_at == pin.version
            and facts.found_at not in (None, facts.kept_at)
        ):
            return step.index
    return None


def _labels(recording: Recording, rows: dict[int, int], count: int) -> list[Mark]:
    """On the left of each row the storage that lives there now, with the names of its tensors."""
    marks = []
    last = len(recording) - 1
    for row in range(count):
        looks: list[tuple[int, Look | None]] = []
        for state in recording.states():
            key = next((key for key in state.storages if rows[key] == row), None)
            if key is None:
                looks.append((state.step.index, None))
                continue
            names = ", ".join(name for tensor in tensors_on(state, key) for name in tensor.names)
            looks.append(
                (state.step.index, Look("text", shortened(f"{storage_label(key)} {names}".rstrip(), LEFT - 22)))
            )
        keys = tuple(f"s{key}" for key, its_row in rows.items() if its_row == row)
        marks.append(text(0, _middle(row) + 4, lasting(runs(looks), last), keys=keys if len(keys) == 1 else ()))
    return marks


def _says(recording: Recording) -> tuple[tuple[int, Text], ...]:
    said = []
    for state in recording.states():
        versions = ", ".join(f"{storage_label(key)} v{facts.version}" for key, facts in state.storages.items())
        said.append((state.step.index, words.LANES_SAY.format(versions=versions or words.NONE)))
    return tuple(said)
