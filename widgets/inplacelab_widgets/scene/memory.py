"""The bytes panel: what is alive after each step, and the peak so far."""

from __future__ import annotations

from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.axis import LEFT, WIDTH, Axis, boundaries, cursor_marks
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, between, path, runs, text
from inplacelab_widgets.scene.measure import coordinate, size_in_bytes

HEIGHT = 54.0
_FLOOR = 50.0
_CEILING = 10.0


def memory_panel(recording: Recording) -> Panel:
    """The bytes panel of a recording."""
    axis, last = Axis(len(recording)), len(recording) - 1
    cursor, veil = cursor_marks(axis, _FLOOR)
    marks = [*cursor, *boundaries(recording, axis, _FLOOR), *_curves(recording, axis), veil]
    marks.append(text(0, 15, between(0, last, Look("text bold", words.MEMORY))))
    for y, style, pattern, value in (
        (30, "text", words.LIVE, [("live", step.live) for step in recording.steps]),
        (45, "text soft", words.PEAK, [("peak", step.peak) for step in recording.steps]),
    ):
        looks = runs(
            (index, Look(style, pattern.format(**{name: size_in_bytes(count)})))
            for index, (name, count) in enumerate(value)
        )
        marks.append(text(0, y, looks))
    if recording.live_before:  # of tensors made earlier in the session: they are in every count below
        before = words.BEFORE.format(before=size_in_bytes(recording.live_before))
        marks.append(text(0, 60, between(0, last, Look("text soft", before))))
    height = HEIGHT + 12 * bool(recording.live_before)
    group = Group(0, 0, WIDTH, height, 0, last, tuple(marks))
    says = tuple(
        (step.index, words.MEMORY_SAYS.format(live=size_in_bytes(step.live), peak=size_in_bytes(step.peak)))
        for step in recording.steps
    )
    return Panel("memory", WIDTH, height, (group,), says)


def _curves(recording: Recording, axis: Axis) -> list[Mark]:
    last, top = len(recording) - 1, max((step.peak for step in recording.steps), default=0) or 1

    def height(count: int) -> str:
        return coordinate(_FLOOR - (_FLOOR - _CEILING) * count / top)

    def stairs(counts: list[int]) -> str:
        return "".join(f"V{height(count)}H{coordinate(_until(axis, index))}" for index, count in enumerate(counts))

    left = coordinate(axis.x(0))
    live = stairs([step.live for step in recording.steps])
    peaks = [step.peak for step in recording.steps]
    return [
        path(f"M{left} {coordinate(_FLOOR)}{live}V{coordinate(_FLOOR)}z", between(0, last, Look("area"))),
        path(f"M{left} {height(peaks[0])}{stairs(peaks)}", between(0, last, Look("peak"))),
        path(f"M{coordinate(LEFT)} {coordinate(_FLOOR)}H{coordinate(axis.end)}", between(0, last, Look("axis"))),
    ]


def _until(axis: Axis, step: int) -> float:
    return axis.x(step + 1) if step + 1 < axis.steps else axis.end
