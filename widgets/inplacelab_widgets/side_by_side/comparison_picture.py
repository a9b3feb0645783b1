"""Draws two programs side by side at one position of their cursor, as a still picture: what it comes to, and a frame around each program
with its verdict, its code and its storages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from inplacelab.language import Text
from inplacelab.recording.compare import SIDES, Side, ending
from inplacelab.recording.compare.contrast import Verdict
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import byte_count
from inplacelab_widgets import words
from inplacelab_widgets.scene.focus import storages_in_focus
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.still_pictures import HIGHEST, LINE_HEIGHT, PAD, WIDTH, code_panel, provisos
from inplacelab_widgets.scene.svg import (
    Group,
    Look,
    Panel,
    always,
    document,
    flowed,
    group_at,
    mark_at,
    panel_at,
    placed,
    rect,
    text_at,
)
from inplacelab_widgets.scene.text_layout import NORMAL, SMALL, shortened, width_of, wrapped
from inplacelab_widgets.sharing import HEIGHT as CARD_HEIGHT
from inplacelab_widgets.sharing import WIDTH as CARD_WIDTH
from inplacelab_widgets.side_by_side.comparison import ComparisonScene, outlined
from inplacelab_widgets.words.player import PLAYER
from inplacelab_widgets.words.side_by_side import NOT_EQUAL, PROGRAM

__all__ = ["comparison_card", "comparison_frame", "said"]


_SIZES = (("text headline", 17.0), ("text label", 15.0))
"""The style and the size of the conclusion: the smaller one where it then fits in one line."""
_SAID_LINE = 22.0
_MOST_SAID = 2
_FOOT = 22.0
_INSET = 12.0
"""The space between a frame and what is in it, in px."""
_SIDE = (WIDTH - 3 * PAD) / 2
_ROOM = _SIDE - 2 * _INSET
_HEAD = 46.0
"""The height of the verdict and of the line below it, in px."""
_GAP = 16.0
"""The space between the code and the storages, in px."""
_MARGIN = 8.0
"""The space beside each storage for outlines, in px."""
_LEAST = 60.0
"""The least height for storages, in px."""
_SCALES = tuple(1 - k / 20 for k in range(11))
"""The scales of the storages that are tried in a picture of fixed size; another one gets higher."""
_RUNNING = ("tint", "mark-now", "flag-stale")
"""The styles of a running line."""
_LARGER = tuple(1 + k / 20 for k in range(12, 0, -1))
"""Those that are tried before in a picture that is filled."""
_SMALL = 0.7
"""A scale at which words are too small."""
_LARGE = 0.9
"""A scale at which they are read easily."""


def comparison_frame(scene: ComparisonScene, position: int, language: str) -> str:
    """Returns a position as an SVG picture of 848 by 480 px; it is higher if its words would otherwise be smaller than usual."""
    drawing = _Drawing(scene, position, language, HIGHEST)
    return document((WIDTH, drawing.height), [drawing.drawn], scene.title, said(scene, position, language))


def comparison_card(scene: ComparisonScene, position: int, language: str) -> str:
    """Returns a position as an SVG picture of 1200 by 675 px, the size that sites show of a linked page."""
    scale = CARD_WIDTH / WIDTH
    drawing = _Drawing(scene, position, language, CARD_HEIGHT / scale, fills=True)
    parts = [placed(drawing.drawn, 0, 0, scale)]
    return document((CARD_WIDTH, CARD_HEIGHT), parts, scene.title, said(scene, position, language))


def said(scene: ComparisonScene, position: int, language: str) -> str:
    """Returns what a comparison comes to, what is new at a position, and the verdicts, in words."""
    told = scene.comparison.told(position, by_line=True)
    ends = [
        Text("{0}: {1}", "{0}：{1}").format(
            PROGRAM[side].format(title=scene.scene(side).recording.title), ending(verdict)
        )
        for side, verdict in zip(SIDES, scene.comparison.verdicts, strict=True)
    ]
    clauses = [scene.conclusion, *ends, told.clause]
    stop = {"en": ". ", "zh": "。"}[language]
    line = "".join(unquoted(each).in_language(language).rstrip() + stop for each in clauses)
    return (line + unquoted(told.detail).in_language(language)).strip()


@dataclass(frozen=True)
class _Drawing:
    """The picture in px of a notebook, `highest` px high if its words need not be smaller than usual; with `fills` exactly so."""

    scene: ComparisonScene
    position: int
    language: str
    highest: float
    fills: bool = False

    @cached_property
    def lines(self) -> list[tuple[str, str]]:
        """The words above the frames, each with its style."""
        told = self.scene.comparison.told(self.position, by_line=True)
        room = WIDTH - 2 * PAD - 12
        conclusion, clause = (self._words(each) for each in (self.scene.conclusion, told.clause))
        style, size = next(
            ((style, size) for style, size in _SIZES if len(wrapped(conclusion, room, size)) == 1), _SIZES[0]
        )
        top = wrapped(conclusion, room, size)
        if len(top) > _MOST_SAID:
            top = [*top[: _MOST_SAID - 1], shortened(" ".join(top[_MOST_SAID - 1 :]), room, size)]
        return [*((line, style) for line in top), (shortened(clause, room, NORMAL), "text code")]

    @cached_property
    def top(self) -> float:
        return PAD + _SAID_LINE * len(self.lines) + 10

    @cached_property
    def sides(self) -> list[_SideDrawing]:
        """Both sides at one scale; if the whole code leaves too little room for the storages, only the lines around the present one."""
        sides = [
            _SideDrawing(self.scene, side, self.position, self.language, self._room, fills=self.fills) for side in SIDES
        ]
        near, scale = False, min(side.fitting(near=False) for side in sides)
        if scale < _LARGE and (closer := min(side.fitting(near=True) for side in sides)) > scale:
            near, scale = True, closer
        if scale < _SMALL:
            # What differs is readable only if it stands alone.
            sides = [replace(side, alone=True) for side in sides]
            scale = min(side.fitting(near=near) for side in sides)
        if not self.fills:
            scale = min(side.as_wide_as_its_frame for side in sides)
        return [replace(side, near=near, scale=scale) for side in sides]

    @property
    def _room(self) -> float:
        """The height for the frames, in px."""
        return self.highest - self.top - _FOOT - 12

    @cached_property
    def side_height(self) -> float:
        return self._room if self.fills else max(side.height for side in self.sides)

    @property
    def height(self) -> float:
        return self.top + self.side_height + _FOOT + 12

    @property
    def drawn(self) -> str:
        bar = rect(0, PAD, 5, _SAID_LINE * len(self.lines) - 2, always(Look("mark-now")))
        parts = [mark_at(bar, 0, self.language)]
        for k, (line, style) in enumerate(self.lines):
            parts.append(text_at(PAD, PAD + 15 + _SAID_LINE * k, style, line, self.language))
        for k, side in enumerate(self.sides):
            parts.append(placed(side.drawn(self.side_height), PAD + k * (_SIDE + PAD), self.top))
        parts.append(self._foot())
        return "".join(parts)

    def _foot(self) -> str:
        stops = self.scene.stops
        number = next((k for k, stop in enumerate(stops) if stop >= self.position), len(stops) - 1)
        place = PLAYER["position_by_line"].format(step=number + 1, steps=len(stops))
        notes = dict.fromkeys(note for side in SIDES for note in provisos(self.scene.scene(side)))
        line = " · ".join(each.in_language(self.language) for each in (place, *notes))
        y = self.height - 10
        left = text_at(PAD, y, "text soft", shortened(line, WIDTH - 2 * PAD - 90, SMALL), self.language)
        return left + text_at(WIDTH - PAD, y, "text bold end", "inplacelab", self.language)

    def _words(self, said: Text) -> str:
        return unquoted(said).in_language(self.language)


@dataclass(frozen=True)
class _SideDrawing:
    """One program in its frame, in at most `room` px of height."""

    scene: ComparisonScene
    side: Side
    position: int
    language: str
    room: float
    near: bool = False
    scale: float = 1.0
    alone: bool = False
    """Whether storages without an outline are left out; if none has one, those that the step does not write or make."""
    fills: bool = False
    """Whether the storages are enlarged to fill the frame."""

    @property
    def recording(self) -> Recording:
        return self.scene.scene(self.side).recording

    @property
    def verdict(self) -> Verdict:
        return self.scene.comparison.verdicts[SIDES.index(self.side)]

    @property
    def is_aligned(self) -> bool:
        return bool(self.scene.comparison.alignment.pairs)

    @cached_property
    def waiting(self) -> Text | None:
        return self.scene.comparison.waiting(self.position, self.side, by_line=True)

    @cached_property
    def code(self) -> Panel:
        return self._code(near=self.near)

    def _code(self, *, near: bool) -> Panel:
        step = self.scene.reached(self.position, self.side) or 0
        return code_panel(self.recording, _ROOM, step, near=near)

    def fitting(self, *, near: bool) -> float:
        """Returns the largest scale at which the storages fit below the code, whole or only near the present line."""
        waiting = LINE_HEIGHT * (self.waiting is not None)
        room = max(self.room - _HEAD - 2 * _INSET - self._code(near=near).height - waiting - _GAP, _LEAST)
        for scale in (*(_LARGER if self.fills else ()), *_SCALES):
            width, height = self._flowed(scale)[1:]
            if width * scale <= _ROOM and height * scale <= room:
                return scale
        width, height = self._flowed(_SCALES[-1])[1:]
        return min(_ROOM / max(width, 1), room / max(height, 1))

    @property
    def as_wide_as_its_frame(self) -> float:
        """The largest scale, up to 1, at which no storage is wider than the frame, however high they are."""
        width = max((group.width for group in self.groups), default=1)
        return min(1.0, (_ROOM + _MARGIN) / (width + _MARGIN))

    @cached_property
    def groups(self) -> list[Group]:
        """The storages that are drawn, with outlines around what differs."""
        step, outlines = self.scene.reached(self.position, self.side), self.scene.outlines(self.position, self.side)
        panel = outlined(self.scene.scene(self.side).storages, outlines)
        drawn = set(self.scene.drawn(self.position, self.side))
        if self.alone and outlines:
            drawn &= {panel.groups[each.group].key for each in outlines}
        elif self.alone and step is not None:
            about = (f"s{key}" for key in storages_in_focus(self.recording)[step])
            drawn &= {*islice(filter(drawn.__contains__, about), 1)} or drawn
        return [group for group in panel.groups if group.key in drawn and step is not None and group.is_there(step)]

    def _flowed(self, scale: float) -> tuple[list[tuple[float, float]], float, float]:
        """The places of the storages in the frame at a scale, and their width and height before it."""
        boxes = [(group.width + 2 * _MARGIN, group.height) for group in self.groups]
        places, height = flowed(boxes, _ROOM / scale)
        width = max((x + box[0] for (x, _), box in zip(places, boxes, strict=True)), default=0.0)
        return places, width, height

    @cached_property
    def storages(self) -> tuple[str, float]:
        """The storages, and their height."""
        step = self.scene.reached(self.position, self.side)
        if step is None:
            return "", 0.0
        places, _, height = self._flowed(self.scale)
        drawn = (
            placed(group_at(group, step, self.language), x + _MARGIN, y)
            for group, (x, y) in zip(self.groups, places, strict=True)
        )
        return placed("".join(drawn), 0, 0, self.scale), height * self.scale

    @cached_property
    def height(self) -> float:
        waiting = LINE_HEIGHT * (self.waiting is not None)
        return _INSET + _HEAD + self.code.height + waiting + _GAP + self.storages[1] + _INSET

    def drawn(self, height: float) -> str:
        """Returns the frame, `height` px high, and what is in it."""
        raised = self.verdict.error is not None
        parts = [
            mark_at(rect(0, 0, _SIDE, height, always(Look("verdict-raised" if raised else "verdict")), 8), 0, "en")
        ]
        parts.append(placed(self._head(raised), _INSET, _INSET))
        y = _INSET + _HEAD
        if self.waiting is not None:
            parts.append(text_at(_INSET, y + 12, "text bold italic", self._fitted(self.waiting, SMALL), self.language))
            y += LINE_HEIGHT
        step = self.scene.reached(self.position, self.side) or 0
        code = panel_at(self._at_rest() if self.waiting is not None else self.code, step, self.language) + self._signs()
        parts.append(placed(code, _INSET, y))
        storages = self.storages[0]
        if self.waiting is not None:
            storages = f'<g opacity="0.5">{storages}</g>'
        parts.append(placed(storages, _INSET, y + self.code.height + _GAP))
        return "".join(parts)

    def _head(self, raised: bool) -> str:
        verdict = self._fitted(ending(self.verdict), 15)
        parts = [text_at(0, 14, "text label alarm" if raised else "text label", verdict, self.language)]
        peak = words.PEAK.format(peak=byte_count(self.verdict.peak)).in_language(self.language)
        differs = self.is_aligned and len({each.peak for each in self.scene.comparison.verdicts}) > 1
        title = shortened(
            self.scene.called(self.side).in_language(self.language), _ROOM - width_of(peak, SMALL) - 30, SMALL
        )
        parts.append(text_at(0, 32, "text soft", title, self.language))
        parts.append(
            text_at(
                _ROOM,
                32,
                "text bold end" if differs else "text soft end",
                f"≠ {peak}" if differs else peak,
                self.language,
            )
        )
        return "".join(parts)

    def _at_rest(self) -> Panel:
        """The code without a running line."""
        (group,) = self.code.groups
        marks = tuple(mark for mark in group.marks if mark.runs[0][1] is None or mark.runs[0][1].style not in _RUNNING)
        return replace(self.code, groups=(replace(group, marks=marks),))

    def _signs(self) -> str:
        """The sign at the lines that differ; without alignment, all do."""
        if not self.is_aligned:
            return ""
        changed = set(self.scene.comparison.changed_lines[SIDES.index(self.side)])
        (group,) = self.code.groups
        numbers = (
            (int(str(look.text)), mark)
            for mark in group.marks
            if (look := mark.at(0)) is not None and look.style == "text soft end" and str(look.text).isdigit()
        )
        places = (float(dict(mark.place)["y"]) for number, mark in numbers if number in changed)
        return "".join(text_at(8, y, "text bold", NOT_EQUAL, self.language) for y in places)

    def _fitted(self, said: Text, size: float) -> str:
        return shortened(unquoted(said).in_language(self.language), _ROOM, size)
