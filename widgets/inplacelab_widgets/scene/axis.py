"""The horizontal axis of steps that the version lanes and the memory curve share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Attributes, Look, Mark, Runs, between, rect, runs, text
from inplacelab_widgets.scene.measure import coordinate

WIDTH = 814.0
LEFT = 150.0
RIGHT = 26.0
NARROWEST = 640.0
"""The least width of the axis in a player, in px; otherwise it is as wide as its pane. Words beside the axis fit into this width."""
WIDEST_STEP = 76.0
_APART = 8.0
_NUMBER = 16.0
"""The room of a line number, in px."""


@dataclass(frozen=True)
class Axis:
    """The position of each of `steps` steps, between the labels on the left and the right edge."""

    steps: int

    @cached_property
    def spacing(self) -> float:
        return min(WIDEST_STEP, (WIDTH - LEFT - RIGHT) / max(self.steps - 1, 1))

    @property
    def end(self) -> float:
        """The x a little beyond the last step."""
        return self.x(self.steps - 1) + min(self.spacing, 16) / 2

    def x(self, step: float) -> float:
        """The x of a step, in px."""
        return round(LEFT + step * self.spacing, 1)


def room_for(width: float) -> float:
    """How far apart words of some width must be laid out so that they do not overlap where the axis is narrowest, in px."""
    return width * (WIDTH - LEFT - RIGHT) / (NARROWEST - LEFT - RIGHT)


def phase_changes(recording: Recording) -> list[int]:
    """Returns the first step of each phase after the first."""
    found = stages(recording)
    return [index for index in range(1, len(found)) if found[index] != found[index - 1]]


def cursor_marks(axis: Axis, height: float) -> tuple[list[Mark], Mark]:
    """Returns the column of the present step, drawn under everything, and a veil over later steps, drawn last."""
    half = max(min(axis.spacing, 32) / 2, 1.5)
    tall: Attributes = (("y", 0), ("height", height))
    column = Mark("rect", (("x", -half), ("width", 2 * half), *tall), _following(axis, "column"))
    point = Mark("path", (("d", "M-5 0h10l-5 7z"),), _following(axis, "playhead"))
    return [column, point], Mark("rect", (("x", half), ("width", WIDTH), *tall), _following(axis, "veil"))


@lru_cache(maxsize=6)
def _following(axis: Axis, style: str) -> Runs:
    """The looks of a mark that moves along the axis with the steps, the same in every panel."""
    places = [(("transform", f"translate({coordinate(axis.x(step))} 0)"),) for step in range(axis.steps)]
    return runs((step, Look(style, None, place)) for step, place in enumerate(places))


def boundaries(recording: Recording, axis: Axis, height: float) -> list[Mark]:
    """Returns a dotted line where each phase begins."""
    last = axis.steps - 1
    places: list[float] = []
    for step in phase_changes(recording):
        x = round(axis.x(step) - axis.spacing / 2, 1)
        # Where phases change too fast for separate lines, draw fewer.
        if not places or x - places[-1] >= _APART:
            places.append(x)
    return [rect(x, 0, 0.8, height, between(0, last, Look("tip gone"))) for x in places]


def line_marks(recording: Recording, axis: Axis, y: float) -> list[Mark]:
    """Returns the line numbers of the source along the axis, as many as fit."""
    last = axis.steps - 1
    marks = [text(LEFT - 12, y, between(0, last, Look("text tiny end", words.STEP_AXIS)))]
    edge = 0.0
    lines = [None, *(step.line for step in recording.steps)]
    for index, (before, line) in enumerate(pairwise(lines)):
        x = axis.x(index)
        if line not in {None, before} and x >= edge:
            marks.append(text(x, y, between(0, last, Look("text tiny middle", str(line)))))
            edge = x + room_for(_NUMBER)
    return marks
