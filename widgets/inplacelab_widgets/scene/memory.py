"""Draws the bytes panel: the live bytes after each step, the peak so far, and what holds the bytes now."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.axis import LEFT, WIDTH, Axis, boundaries, cursor_marks, line_marks
from inplacelab_widgets.scene.holders import holder_marks
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, between, path, runs, text
from inplacelab_widgets.scene.measure import coordinate, size_in_bytes

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
    yield text(0, 13, between(0, len(recording) - 1, Look("text bold", words.MEMORY)))
    steps = recording.steps
    yield text(0, 27, runs((s.index, Look("text", words.LIVE.format(live=size_in_bytes(s.live)))) for s in steps))
    yield text(0, 41, runs((s.index, Look("text soft", words.PEAK.format(peak=size_in_bytes(s.peak)))) for s in steps))


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
