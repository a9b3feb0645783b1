"""Chooses the visible part of a graph that is too large even when folded: the boxes near the node of each step."""

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
"""The most boxes drawn at the same time; of a larger graph only the near ones are drawn."""

RADIUS = 3
"""The greatest distance from the node of the step, in edges."""

Spans = tuple[tuple[int, bool], ...]
"""(step, whether it is visible from then on)."""


@dataclass(frozen=True, slots=True)
class VisibleBoxes:
    """When each box is visible; empty for a graph that is drawn whole."""

    spans: Mapping[Box, Spans]
    notes: tuple[tuple[int, Text], ...] = ()

    def of_box(self, box: Box, marks: Iterable[Mark]) -> Iterable[Mark]:
        """Returns the marks of a box, limited to the steps at which it is visible."""
        return marks if not self.spans else (_masked(mark, self.spans[box]) for mark in marks)

    def of_link(self, link: Link, marks: Iterable[Mark]) -> Iterable[Mark]:
        """Returns the marks of a link, limited to the steps at which both its ends are visible."""
        if not self.spans:
            return marks
        ends = [self.spans[box] for box in link]
        return (_masked(_masked(mark, ends[0]), ends[1]) for mark in marks)


def visible_boxes(
    recording: Recording, boxes: tuple[Box, ...], homes: Mapping[int, Box], links: Mapping[Link, tuple[Edge, ...]]
) -> VisibleBoxes:
    """Returns when each box is visible: always in a graph of up to `MOST` boxes, otherwise near the node of the step."""
    if len(boxes) <= MOST:
        return VisibleBoxes({})
    neighbors: dict[Box, list[Box]] = {box: [] for box in boxes}
    for a, b in links:
        neighbors[a].append(b)
        neighbors[b].append(a)
    spans: dict[Box, list[tuple[int, bool]]] = {box: [(0, False)] for box in boxes}
    notes: list[tuple[int, Text]] = []
    seen: set[Box] = set()
    center: Box | None = None
    for step in recording.steps:
        key = node_of(step)
        if key is None or key not in homes or homes[key] is center:
            continue
        center = homes[key]
        now = _around(center, neighbors)
        for box in seen ^ now:
            spans[box].append((step.index, box in now))
        seen = now
        note = words.FAR.format(hidden=len(boxes) - len(now), boxes=len(boxes), radius=RADIUS)
        notes.append((step.index, note))
    return VisibleBoxes({box: tuple(found) for box, found in spans.items()}, tuple(notes[:1] + _changes(notes)))


def _changes(notes: list[tuple[int, Text]]) -> list[tuple[int, Text]]:
    return [after for before, after in pairwise(notes) if before[1] != after[1]]


def node_of(step: Step) -> int | None:
    """Returns the node that a step is about: the one that runs or failed, else the first new one, else the one that it left."""
    if step.backward is not None and step.backward.node is not None:
        return step.backward.node
    if step.error is not None and step.error.node is not None:
        return step.error.node
    moved = [rewired.after for rewired in step.rewired if rewired.after is not None]
    return moved[0] if moved else step.kept


def _around(center: Box, neighbors: Mapping[Box, list[Box]]) -> set[Box]:
    near, edge = {center}, [center]
    for _ in range(RADIUS):
        edge = [other for box in edge for other in neighbors[box] if other not in near]
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
