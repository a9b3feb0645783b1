"""Limits the drawing of a graph that is too large even when folded to the boxes near each step's node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from inplacelab.language import Text
from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.graph_boxes import Box
from inplacelab_widgets.scene.graph_edges import Edge, Link
from inplacelab_widgets.scene.marks import Look, Mark, Runs, runs

MOST = 200
"""As many boxes are drawn at once; of a larger graph only what is near."""

RADIUS = 3
"""How far from the node of the step, in edges."""

Spans = tuple[tuple[int, bool], ...]
"""(step, whether it is in sight from then on)."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The steps in which each box is in sight; empty for a graph that is drawn whole."""

    spans: Mapping[Box, Spans]
    notes: tuple[tuple[int, Text], ...] = ()

    def of_box(self, box: Box, marks: Iterable[Mark]) -> Iterable[Mark]:
        """Returns the marks of a box while it is in sight."""
        return marks if not self.spans else (_masked(mark, self.spans[box]) for mark in marks)

    def of_link(self, link: Link, marks: Iterable[Mark]) -> Iterable[Mark]:
        """Returns the marks of a link while both its ends are in sight."""
        if not self.spans:
            return marks
        ends = [self.spans[box] for box in link]
        return (_masked(_masked(mark, ends[0]), ends[1]) for mark in marks)


def sight(
    recording: Recording, boxes: tuple[Box, ...], homes: Mapping[int, Box], links: Mapping[Link, tuple[Edge, ...]]
) -> Sight:
    """Returns what is in sight: everything in a graph of up to `MOST` boxes, otherwise the boxes near the step's node."""
    if len(boxes) <= MOST:
        return Sight({})
    neighbours: dict[Box, list[Box]] = {box: [] for box in boxes}
    for a, b in links:
        neighbours[a].append(b)
        neighbours[b].append(a)
    spans: dict[Box, list[tuple[int, bool]]] = {box: [(0, False)] for box in boxes}
    notes: list[tuple[int, Text]] = []
    seen: set[Box] = set()
    centre: Box | None = None
    for step in recording.steps:
        key = node_of(step)
        if key is None or key not in homes or homes[key] is centre:
            continue
        centre = homes[key]
        now = _around(centre, neighbours)
        for box in seen ^ now:
            spans[box].append((step.index, box in now))
        seen = now
        note = words.FAR.format(hidden=len(boxes) - len(now), boxes=len(boxes), radius=RADIUS)
        notes.append((step.index, note))
    return Sight({box: tuple(found) for box, found in spans.items()}, tuple(notes[:1] + _changes(notes)))


def _changes(notes: list[tuple[int, Text]]) -> list[tuple[int, Text]]:
    return [after for before, after in pairwise(notes) if before[1] != after[1]]


def node_of(step: Step) -> int | None:
    """Returns the node of a step: the one that runs or failed, otherwise the first new one, otherwise the one it replaced."""
    if step.backward is not None and step.backward.node is not None:
        return step.backward.node
    if step.error is not None and step.error.node is not None:
        return step.error.node
    moved = [rewired.after for rewired in step.rewired if rewired.after is not None]
    return moved[0] if moved else step.kept


def _around(centre: Box, neighbours: Mapping[Box, list[Box]]) -> set[Box]:
    near, edge = {centre}, [centre]
    for _ in range(RADIUS):
        edge = [other for box in edge for other in neighbours[box] if other not in near]
        near.update(edge)
    return near


def _masked(mark: Mark, spans: Spans) -> Mark:
    steps = sorted({*(step for step, _ in mark.runs), *(step for step, _ in spans)})
    shown, look, kept = False, None, list[tuple[int, Look | None]]()
    looks, sights = dict[int, Look | None](mark.runs), dict(spans)
    for step in steps:
        look, shown = looks.get(step, look), sights.get(step, shown)
        kept.append((step, look if shown else None))
    masked: Runs = runs(kept)
    return mark._replace(runs=masked)
