"""Draws one step as a still picture: the whole stepper, a small frame for saved notebooks and pages, or some panels; with the code, its running line
and notes at the lines of a stale value's trace.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest

from inplacelab.language import LANGUAGES, Text
from inplacelab.recording.places import source_of
from inplacelab.recording.queries import changes_nothing
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab.recording.sentences.failures import Mark as MarkedPlace
from inplacelab.recording.trace import marks_in, trace
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene import PANELS, Scene
from inplacelab_widgets.scene.names import has_sources, line_of, player_words, source_name, unquoted
from inplacelab_widgets.scene.places import place_in_words, source_lines
from inplacelab_widgets.scene.svg import (
    Group,
    Look,
    Mark,
    Panel,
    always,
    document,
    mark_at,
    panel_at,
    placed,
    prose_at,
    rect,
    rule,
    stack_at,
    text,
    text_at,
)
from inplacelab_widgets.scene.text_layout import (
    LATIN_EM,
    NORMAL,
    SMALL,
    Measure,
    Words,
    prose_width,
    shortened,
    width_of,
    wrapped,
)

LINE_HEIGHT = 18.0
NEIGHBORS = 2
"""The number of lines shown before and after the line of the step."""
_DEEPEST = 12
"""Deeper indentation than this many blanks is not drawn, to leave room for the code."""
_NUMBERS = 3.5 * LATIN_EM * NORMAL
_DOTS = 26.0
"""The right edge of the dots for omitted lines: under the line numbers."""
_AIR = 6.0
"""The space on both sides of a note, in px."""

LOOKS = {
    "origin": "kept", "kept": "kept", "read": "kept", "overwritten": "written", "released": "written", "needed": "refused", "refused": "refused",
}  # fmt: skip
"""How the player names the looks of the roles in the trace."""
_SIGNS = {"kept": ("▼ ", "pin stale"), "written": ("", "pill changed"), "refused": ("✗ ", "pin blamed")}
"""The sign before a note, and the style of its box, for each look."""


MOST_LINES = 2000
"""The most lines drawn one below the other in a still picture."""
MOST_IN_LINE = 2000
"""The most characters drawn of a line."""


def code_panel(recording: Recording, width: float, step: int, *, near: bool = False) -> Panel:
    """Returns the code at `step`, wrapped to `width` px. The player shows the code as a list of lines instead.

    With `near`, for a program of more than `MOST_LINES` lines, and for one of several texts, only the line of the step, its neighbors and the lines of
    the trace are drawn, with dots for omitted lines. All lines but the step's own are then cut to one row. Of several texts, that of the step is drawn
    below its name, and the lines of the trace in the others below theirs.
    """
    now, column = recording.steps[step], _Column(width)
    own = 0 if now.place is None else now.place.source
    named = has_sources(recording)
    column.code(recording, step, own, near=near or named, named=named)
    for source in _others(recording, step):
        column.y += _AIR
        column.code(recording, step, source, near=True, named=True)
    says = line_of(recording, now.place) if now.place is not None else Text("", "")
    group = Group(0, 0, width, column.y, 0, len(recording) - 1, tuple(column.marks))
    return Panel("code", width, column.y, (group,), ((0, says),))


def _others(recording: Recording, step: int) -> list[int]:
    """The other texts in which the trace of a step has lines."""
    if not has_sources(recording):
        return []
    place = recording.steps[step].place
    found = dict.fromkeys(source_of(recording, each.at.file) for each in trace(recording, step))
    return [each for each in found if each is not None and each != (0 if place is None else place.source)]


def excerpt(recording: Recording, step: int) -> list[tuple[Words, str, bool]]:
    """Returns the lines of a program of several texts that matter at a step, below the names of the texts: (number of the line, its text, whether it is
    the line of the step). The name of a text has no number, nor have dots for omitted lines.
    """
    place, found = recording.steps[step].place, list[tuple[Words, str, bool]]()
    own = 0 if place is None else place.source
    for source in (own, *_others(recording, step)):
        lines, last = source_lines(recording, source), 0
        found.append((source_name(recording, source), "", False))
        for line in nearby(recording, step, source, len(lines)):
            found += [("", "⋮", False)] if last and line > last + 1 else []
            here = place is not None and (place.source, place.line) == (source, line)
            found.append((str(line), lines[line - 1] if line <= len(lines) else "", here))
            last = line
    return found


def nearby(recording: Recording, step: int, source: int, count: int) -> list[int]:
    """Returns the lines of a text that matter at a step: that of the step with its neighbors, and those of the trace. Of a text that is not known, only
    those.

    Args:
        recording: the recording.
        step: the step.
        source: the number of the text.
        count: how many lines it has.
    """
    place = recording.steps[step].place
    is_known = recording.text_of(source) != ""
    marked = (each.line for each in marks_in(recording, step, source))
    found = {line for line in marked if line <= count or not is_known}
    if (place.source if place is not None else 0) == source:
        line = place.line if place is not None else 1
        middle = max(1, min(line, count)) if is_known else line
        found |= {*range(max(middle - NEIGHBORS, 1), min(middle + NEIGHBORS, count) + 1)} if is_known else {line}
    return sorted(found)


class _Column:
    """Lines of code, one below the other, as marks."""

    def __init__(self, width: float) -> None:
        self.width, self.y = width, 0.0
        self.marks: list[Mark] = []

    def words(self, x: float, style: str, content: Words) -> None:
        """Draws words in the present row."""
        self.marks.append(text(round(x, 1), self.y + 13, always(Look(style, content))))

    def code(self, recording: Recording, step: int, source: int, *, near: bool, named: bool) -> None:
        """Draws a text of the program at a step: the lines that `code_panel` chooses."""
        now, marked = recording.steps[step], marks_in(recording, step, source)
        lines = source_lines(recording, source)
        here = now.line if now.place is not None and now.place.source == source else None
        near = near or len(lines) > MOST_LINES
        shown: Sequence[int] = range(1, len(lines) + 1)
        if near:
            shown = nearby(recording, step, source, len(lines))
        if named:
            self._heading(recording, source)
            lines += [""] * (max(shown, default=0) - len(lines))
        look, room = Look("flag-stale" if now.error else "mark-now"), self.width - _NUMBERS - 12
        for before, number in pairwise([0, *shown, len(lines) + 1]):
            if before:
                whole, text_of = before == (here or 1) or not near, lines[before - 1]
                pieces = _pieces(text_of[:MOST_IN_LINE], room) if whole else [shortened(text_of, room, NORMAL)]
                here_marked = [each for each in marked if each.line == before]
                self.line(before, pieces, here_marked, look if before == here else None)
            if number > before + 1 and recording.text_of(source):  # omitted lines
                self.words(_DOTS, "text soft end", "⋮")
                self.y += LINE_HEIGHT

    def _heading(self, recording: Recording, source: int) -> None:
        """Draws the name of a text, and what is not as it should be with it."""
        name, remark = source_name(recording, source), unquoted(recording.sources[source].remark)
        self.words(0, "text bold code", Text(*(shortened(name.in_language(each), self.width) for each in LANGUAGES)))
        self.y += LINE_HEIGHT
        rows = zip_longest(*(wrapped(remark.in_language(each), self.width) for each in LANGUAGES), fillvalue="")
        for row in rows if remark.en else ():
            self.words(0, "text soft", Text(*row))
            self.y += LINE_HEIGHT

    def line(self, number: int, pieces: list[str], marked: Sequence[MarkedPlace], here: Look | None) -> None:
        """Draws a line in as many rows as it needs; `here` is its look if it is running."""
        top, band = self.y, len(self.marks)
        self.words(_NUMBERS, "text soft end", str(number))
        for piece in pieces:
            self.words(_NUMBERS + 10, "text code", piece)
            self.y += LINE_HEIGHT
        self._draw_notes(marked, top, _NUMBERS + 10 + width_of(pieces[0], NORMAL))
        if here is not None:
            height = self.y - top
            ground = [rect(0, top, self.width, height, always(Look("tint"))), rect(0, top, 4, height, always(here))]
            self.marks[band:band] = ground

    def _draw_notes(self, marked: Sequence[MarkedPlace], row: float, code_ends: float) -> None:
        """Draws the notes of a line, on the right of its first row, or below its last one if there is no room."""
        if not marked:
            return
        for some in [marked] if sum(map(_wide, marked)) <= self.width else [[each] for each in marked]:
            x = self.width - sum(map(_wide, some)) + _AIR
            if x < code_ends + _AIR:
                row, code_ends = self.y, 0.0
                self.y += LINE_HEIGHT
            for each in some:
                sign, box = _SIGNS[LOOKS[each.role]]
                wide = _wide(each) - _AIR
                self.marks.append(rect(x, row + 1.5, wide, LINE_HEIGHT - 3, always(Look(box)), 7))
                self.marks.append(text(x + _AIR, row + 13, always(Look("text", Text(sign, sign) + each.brief))))
                x += _wide(each)
            code_ends = self.width  # the next note gets its own row


def _wide(marked: MarkedPlace) -> float:
    """The width of a note and the space after it, in px."""
    return width_of(Text(_SIGNS[LOOKS[marked.role]][0], "") + marked.brief) + 3 * _AIR


def _pieces(source: str, room: float) -> list[str]:
    """A line of code in pieces that fit; continued pieces are indented by two more characters."""
    code = source.lstrip(" ")
    indent = " " * min(len(source) - len(code), _DEEPEST)
    em = LATIN_EM * NORMAL
    first = _head(code, room - len(indent) * em)
    pieces, rest = [indent + first.rstrip()], code[len(first) :].lstrip(" ")
    while rest:
        head = _head(rest, room - (len(indent) + 2) * em)
        pieces.append(f"{indent}  {head.rstrip()}")
        rest = rest[len(head) :].lstrip(" ")
    return pieces


def _head(code: str, room: float) -> str:
    """As much of a line of code as fits, with a whole word at its end: cut after a blank, a comma or an opening bracket, or else before a dot.
    Only a word that is longer than a row is cut itself.

    >>> _head("x.scale_(other_name, 2.)", 165.0), _head("x.detach().add_(1)", 90.0), _head("a_long_name", 50.0)
    ('x.scale_(other_name, ', 'x.detach()', 'a_lon')
    """
    whole = code if width_of(code, NORMAL) <= room else shortened(code, room, NORMAL)[:-1] or code[0]
    if whole == code:
        return code
    ends = [k for k in range(1, len(whole) + 1) if code[k - 1] in " ,([{" and code[k] not in " )]}"]
    dots = [k for k in range(1, len(whole) + 1) if code[k] == "." and not code[k - 1].isdigit()]
    return whole[: max(ends or dots or [len(whole)])]


# --- the whole stepper ------------------------------------------------------------------------------------------------

PAD = 16.0
NARROWEST_CODE = 240.0
WIDEST_CODE = 420.0
_SENTENCE_LINE = 18.0


def picture(scene: Scene, step: int, language: str) -> str:
    """Returns the whole stepper at one step as SVG text."""
    width = picture_width(scene)
    parts: list[str] = []
    y = PAD + _heading(scene, step, language, parts, width)
    top = _columns(scene, step, language, parts, y)
    y = top + PAD
    drawn, height = sentence_box(scene, step, language, y, width)
    parts.append(drawn)
    y += height + PAD
    framework = terms_of(scene.recording)
    titles = player_words(framework)
    graph = [(scene.graph, "graph")] if framework.has_gradients else []
    for panel, name in (*graph, (scene.lanes, "lanes"), (scene.memory, None)):
        parts.append(rule(y, width))
        if name:
            parts.append(text_at(PAD, y + 20, "text prose bold", titles[name], language))
            note = next((description for since, description in reversed(panel.notes) if since <= step), None)
            if note is not None:
                parts.append(text_at(PAD + 90, y + 20, "text soft", note, language))
        y += 34 if name else 14
        parts.append(placed(panel_at(panel, step, language), PAD, y))
        y += panel.height + PAD
    description = unquoted(scene.sentence(step)).in_language(language)
    return document((width, y), parts, scene.recording.title, description)


def picture_width(scene: Scene) -> float:
    """Returns the width that the widest panel needs, in px."""
    columns = NARROWEST_CODE + 2 * PAD + scene.storages.width
    graph = scene.graph.width if terms_of(scene.recording).has_gradients else 0
    return 2 * PAD + max(columns, graph, scene.lanes.width)


def place_of(scene: Scene, step: int) -> list[Text]:
    """Returns the position of a step in words: its number, its line, its phase."""
    now = scene.recording.steps[step]
    position = scene.position(step)
    line = [place_in_words(scene.recording, now.place)] if now.place is not None else []
    phase = player_words(terms_of(scene.recording))[stages(scene.recording)[step]]
    return [position, *line, *([phase] if phase.en else [])]


def provisos(scene: Scene) -> list[Text]:
    """Returns notes on the whole recording: that a device was simulated, what was left out, that the end was cut off."""
    recording = scene.recording
    cut = [words.TRUNCATED.format(count=len(scene.whole or recording))] if recording.truncated else []
    return ([words.SIMULATED] if recording.simulated else []) + cut + _shortening(scene) + [*recording.notes]


def _shortening(scene: Scene) -> list[Text]:
    if scene.whole is None:
        return []
    shown = sum(not changes_nothing(scene.recording, step) for step in range(len(scene.runs)))  # as the player counts
    return [words.SHORTENED.format(events=len(scene.whole), shown=shown)]


def sentence_box(scene: Scene, step: int, language: str, y: float, width: float) -> tuple[str, float]:
    """Returns the sentence of a step in a box as wide as the picture, as SVG, and the height of the box."""
    lines = wrapped(scene.sentence(step).in_language(language), width - 2 * PAD - 24, NORMAL, prose_width)
    height = _SENTENCE_LINE * len(lines) + 14
    error = scene.recording.steps[step].error is not None
    box = rect(PAD, y, width - 2 * PAD, height, always(Look("tint")), 4)
    bar = rect(PAD, y, 4, height, always(Look("flag-stale" if error else "mark-now")))
    drawn = mark_at(box, 0, language) + mark_at(bar, 0, language)
    return drawn + prose_at(PAD + 14, y + 19, "text code", lines, _SENTENCE_LINE), height


def _heading(scene: Scene, step: int, language: str, parts: list[str], width: float) -> float:
    parts.append(text_at(PAD, PAD + 12, "text bold code", scene.recording.title, language))
    line = " · ".join(each.in_language(language) for each in place_of(scene, step) + provisos(scene))
    parts.append(text_at(width - PAD, PAD + 12, "text soft end", line, language))
    parts.append(rule(PAD + 24, width))
    return 24 + PAD


def _columns(scene: Scene, step: int, language: str, parts: list[str], y: float) -> float:
    code_width = min(picture_width(scene) - 4 * PAD - scene.storages.width, WIDEST_CODE)
    code = code_panel(scene.recording, code_width, step)
    parts.append(placed(panel_at(code, step, language), PAD, y))
    storages, height = stack_at(scene.storages, step, language)
    parts.append(placed(storages, PAD + code_width + 2 * PAD, y))
    return y + max(code.height, height)


# --- some panels ------------------------------------------------------------------------------------------------------

NARROWEST = 480.0
"""The least width of the picture, in px: a sentence needs it also above a small panel."""


def panels_picture(scene: Scene, panels: Sequence[str], step: int, language: str) -> str:
    """Returns the panels below each other as SVG text, with the sentence of the step above them."""
    shown = [scene.panel(name) for name in PANELS if name in panels]
    width = 2 * PAD + max([NARROWEST, *(panel.width for panel in shown)])
    if "code" in panels:
        shown.insert(0, code_panel(scene.recording, width - 2 * PAD, step))
    heading = " · ".join(each.in_language(language) for each in place_of(scene, step) + provisos(scene))
    parts = [
        text_at(PAD, PAD + 12, "text bold code", scene.recording.title, language),
        text_at(width - PAD, PAD + 12, "text soft end", heading, language),
    ]
    box, height = sentence_box(scene, step, language, PAD + 28, width)
    parts.append(box)
    y = PAD + 28 + height + PAD
    for panel in shown:
        drawn, tall = _drawn(panel, step, language)
        parts += [
            rule(y, width),
            text_at(PAD, y + 20, "text prose bold", player_words(terms_of(scene.recording))[panel.name], language),
            placed(drawn, PAD, y + 34),
        ]
        y += 34 + tall + PAD
    described = " ".join(each.in_language(language) for each in (_sentence(scene, step), *descriptions_at(shown, step)))
    return document((width, y), parts, scene.recording.title, described)


def descriptions_at(panels: Sequence[Panel], step: int) -> list[Text]:
    """Returns the description of each panel at a step, for screen readers."""
    found = []
    for panel in panels:
        place = bisect_right(panel.says, step, key=lambda run: run[0])
        found.append(panel.says[max(place - 1, 0)][1])
    return found


def _sentence(scene: Scene, step: int) -> Text:
    return unquoted(scene.sentence(step))


def _drawn(panel: Panel, step: int, language: str) -> tuple[str, float]:
    """A panel at a step, and its height."""
    if panel.name != "storages":
        return panel_at(panel, step, language), panel.height
    return stack_at(panel, step, language)


# --- the graph in a frame ---------------------------------------------------------------------------------------------

_SMALLEST = 0.7
"""The least scale of a graph that has a narrower layout."""

_Bounds = tuple[float, float, float, float]


def graph_in(scene: Scene, step: int, language: str, room: float) -> tuple[str, float]:
    """Returns the graph at `step` as SVG in `room` px, and its height: the widest layout that need not be too small, or else the narrowest."""
    layouts = (scene.graph, *scene.graph.narrower)
    graph = next((each for each in layouts if each.width * _SMALLEST <= room), layouts[-1])
    left, top, right, bottom = bounds_at(graph.groups, step)
    scale = min(1.0, room / (right - left))
    return placed(panel_at(graph, step, language), -left * scale, -top * scale, scale), (bottom - top) * scale


def bounds_at(groups: Iterable[Group], step: int) -> _Bounds:
    """Returns left, top, right and bottom of the boxes and words shown at `step`."""
    marks = ((group, mark) for group in groups for mark in group.marks if group.first <= step <= group.last)
    boxes = [box for group, mark in marks if (box := _place(group, mark, step)) is not None]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _place(group: Group, mark: Mark, step: int) -> _Bounds | None:
    """The bounds of a box or a line of words; None if it is not shown, or is a line or a curve."""
    look = mark.at(step)
    if look is None or mark.tag not in ("rect", "text"):
        return None
    place = dict((*mark.place, *look.attributes))
    x, y = group.x + float(place["x"]), group.y + float(place["y"])
    wide, high = float(place.get("width", 0)), float(place.get("height", 0))
    return x, y - (0 if high else SMALL), x + wide, y + (high or 4)


# --- a small frame ----------------------------------------------------------------------------------------------------

WIDTH = 848.0
"""The width of a notebook's output and of a page on GitHub, in px."""
HIGHEST = 480.0
_CODE = 228.0
"""The width of the code, in px."""
_SAID, _SAID_LINE = 18.0, 21.0
"""The size of the words on the step, and the height of their lines, in px."""
_MOST_LINES = 3
"""The most lines of the rest of what is said, of which the description has all, and of the foot."""
_FOOT, _FOOT_LINE = 26.0, 15.0
"""The height of the foot with one line, and of each further line, in px."""
_LEAST_SCALE = 0.95
"""The least scale of the storages at which there still is a graph, or their table, below them: their words stay legible."""
_MOST_NODES = 300
"""The most grad nodes of a graph below the storages: to lay out more takes as long as all the rest of the first picture."""


def frame(scene: Scene, step: int, language: str) -> str:
    """Returns a step as an SVG picture of 848 by at most 480 px."""
    now, told = scene.recording.steps[step], scene.headline(step)
    clause, detail = (each.in_language(language) for each in told)
    lines = wrapped(clause, WIDTH - 2 * PAD - 12, _SAID, prose_width)
    rest = _few_lines(detail, WIDTH - 2 * PAD - 12, NORMAL, prose_width) if detail else []
    high = _SAID_LINE * len([*lines, *rest])
    bar = rect(0, PAD, 5, high + 2, always(Look("flag-stale" if now.error else "mark-now")))
    parts = [mark_at(bar, 0, language), prose_at(PAD, PAD + 16, "text headline", lines, _SAID_LINE)]
    parts.append(prose_at(PAD, PAD + 16 + _SAID_LINE * len(lines), "text code soft", rest, _SAID_LINE))
    top = PAD + high + 16
    titled = Text("{0}", "{0}").format(scene.recording.title)
    said_below = [unquoted(each).in_language(language) for each in [titled, *place_of(scene, step), *provisos(scene)]]
    below = _few_lines(" · ".join(filter(None, said_below)), WIDTH - 2 * PAD, SMALL, width_of)
    foot = _FOOT + _FOOT_LINE * (len(below) - 1)
    room = HIGHEST - foot - top
    code = code_panel(scene.recording, _CODE, step, near=True)
    parts.append(placed(panel_at(code, step, language), PAD, top))
    drawn, high = _pictures(scene, step, language, room)
    parts.append(placed(drawn, _CODE + 2 * PAD, top))
    height = min(HIGHEST, top + max(code.height, high) + foot)
    for k, line in enumerate(reversed(below)):
        parts.append(text_at(WIDTH - PAD, height - 9 - _FOOT_LINE * k, "text soft end", line, language))
    return document((WIDTH, height), parts, scene.recording.title, said(scene, step, language))


def _few_lines(words: str, room: float, size: float, measure: Measure) -> list[str]:
    """Wraps words; what does not fit into `_MOST_LINES` is cut off."""
    lines = wrapped(words, room, size, measure)
    cut = [shortened(" ".join(lines[_MOST_LINES - 1 : _MOST_LINES + 1]), room, size, measure)]
    return lines if len(lines) <= _MOST_LINES else lines[: _MOST_LINES - 1] + cut


def said(scene: Scene, step: int, language: str) -> str:
    """Returns what a step did, in words."""
    return unquoted(scene.sentence(step)).in_language(language)


def _pictures(scene: Scene, step: int, language: str, room: float) -> tuple[str, float]:
    """The storages, and below them the graph if the step is about it and there is room; and their height."""
    wide = WIDTH - _CODE - 3 * PAD
    tries = [stack_at(scene.storages, step, language, table=table) for table in (True, False)]
    now = scene.recording.steps[step]
    is_about_it = now.rewired or now.phase == "backward" or (now.error is not None and now.error.node is not None)
    if is_about_it and 0 < len(scene.recording.state(step).nodes) <= _MOST_NODES:
        graph, its_height = graph_in(scene, step, language, wide)
        for drawn, high in tries:
            scale = min(1.0, wide / scene.storages.width, (room - its_height - PAD) / max(high, 1))
            if scale >= _LEAST_SCALE:
                both = placed(drawn, 0, 0, scale) + placed(graph, 0, high * scale + PAD)
                return both, high * scale + PAD + its_height
    drawn, high = next((each for each in tries if each[1] * _LEAST_SCALE <= room), tries[1])
    alone = min(1.0, wide / scene.storages.width, room / max(high, 1))
    return placed(drawn, 0, 0, alone), high * alone
