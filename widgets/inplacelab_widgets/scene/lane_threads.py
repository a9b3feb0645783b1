"""Draws the pins on the lanes, and a dashed thread from a stale pin, across the write that raised the version, to the failing unpack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.axis import WIDTH, Axis
from inplacelab_widgets.scene.lane_marks import Crowd
from inplacelab_widgets.scene.marks import Look, Mark, between, path, text
from inplacelab_widgets.scene.measure import SMALL, coordinate, width_of
from inplacelab_widgets.scene.pins import Pin

_Span = tuple[float, float]

_BELOW = 9.0
"""The distance from a lane to its thread, in px."""
_AIR = 4.0


class _Thread:
    """The threads below one lane. They overlap, so they are drawn as one, dashed and with gaps for words."""

    def __init__(self) -> None:
        self.keys: dict[str, None] = {}
        self.links: dict[str, None] = {}
        self.crosses: dict[float, tuple[str, ...]] = {}
        self.refusals: dict[int, tuple[_Span, tuple[str, ...]]] = {}
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
        for (left, right), _ in self.refusals.values():
            parts = [part for a, b in joined for part in ((a, min(b, left - 2)), (max(a, right), b))]
            joined = [(a, b) for a, b in parts if b - a > 1]
        return joined

    def marks(self, y: float, end: int) -> tuple[list[Mark], list[Mark]]:
        """Draws the thread with its crosses, and the words where it ends in a failing unpack."""
        d = "".join(f"M{coordinate(a)} {coordinate(y)}H{coordinate(b)}" for a, b in self.pieces())
        threads = [path(d, between(0, end, Look("thread")), keys=tuple(self.keys), links=tuple(self.links))]
        taken = [span for span, _ in self.refusals.values()]
        cross = between(0, end, Look("text tiny alarm middle", "✗"))
        for x, keys in self.crosses.items():
            # The words begin with a cross already.
            if not any(left - _AIR < x < right for left, right in taken):
                threads.append(text(x, y + 3, cross, keys=keys))
        notes = [
            text(span[0], y + 3, between(failed, end, Look("text tiny alarm", words.UNPACK_FAILS)), keys=keys)
            for failed, (span, keys) in self.refusals.items()
        ]
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
            thread.refusals[failed] = (_beside(stop), pin.keys)
    drawn = [thread.marks(y + _BELOW, end) for y, thread in threads.items()]
    return (
        [*crowd.marks(), *(mark for marks, _ in drawn for mark in marks)],
        [mark for _, notes in drawn for mark in notes],
    )


def _beside(stop: float) -> _Span:
    """The span of the words: right of the end of a thread, or left of it near the edge of the panel."""
    room = width_of(words.UNPACK_FAILS, SMALL) + _AIR
    left = round(stop + _AIR if stop + room < WIDTH else stop - room, 1)
    return left, left + room - _AIR


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
