"""Draws the live bytes of a program over its statements: as they are, and as they would be with the operations in place that an `Advice` offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from inplacelab.language import Text, get_language
from inplacelab.place import Place, same_line
from inplacelab.recording.loops import loops_around
from inplacelab.recording.places import said_line
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import Advice
from inplacelab.recording.savings.live_bytes import Curve
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.source_tree import line_text
from inplacelab.recording.statements import statements
from inplacelab.supported import framework_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.palette import ROLES
from inplacelab_widgets.scene.svg import Attributes, Look, always, document, mark_at, path, prose_at, rect, text_at
from inplacelab_widgets.scene.text_layout import (
    NORMAL,
    SMALL,
    abridged,
    coordinate,
    prose_width,
    shortened,
    size_in_bytes,
    width_of,
    wrapped,
)

WIDTH, LEFT, RIGHT = 720.0, 80.0, 14.0
"""The widths of the picture, and of what is beside the axis, in px."""
PAD, TALL = 12.0, 180.0
"""The space around the picture, and the height of the curve, in px."""
MOST = 24
"""The most statements along the axis: of more, those of the outermost function or of iterations are joined."""
_LINE, _HEAD = 17.0, 23.0
_APART = 6.0
_SWATCH = 22.0


def _paint(role: str, opacity: str = "") -> Attributes:
    return (("fill", ROLES[role][0]), *((("fill-opacity", opacity),) if opacity else ()))


_SAVED, _SHADE = _paint("now", "0.35"), _paint("faint", "0.6")


def title(advice: Advice) -> Text:
    """Returns what the picture shows, in a few words: the peak as the framework counts it, if that was measured."""
    before, after = advice.before.peak, advice.after.peak
    if advice.measured is not None:
        before, after = advice.measured.peak, advice.measured.peak_after
    sizes = size_in_bytes(before), size_in_bytes(after)
    if after >= before:
        return words.SAVINGS["same"].format(sizes[0])
    return words.SAVINGS["less"].format(*sizes, f"{100 * (before - after) / before:.3g}")


def savings_svg(advice: Advice, language: str | None = None) -> str:
    """Returns the live bytes before and after as an SVG picture, 720 px wide.

    Args:
        advice: where the program may write in place.
        language: "en" or "zh"; the present one by default.
    """
    language = language or get_language()
    recording, head = advice.recording, title(advice).in_language(language)
    parts, top = [], PAD
    for style, size, pitch, said in (
        ("text headline", 18.0, _HEAD, head),
        ("text soft", NORMAL, _LINE, _detail(advice).in_language(language)),
    ):
        lines = wrapped(said, WIDTH - 2 * PAD, size, prose_width)
        parts.append(prose_at(PAD, top + size - 2, style, lines, pitch))
        top += pitch * len(lines)
    legend, top = _legend(advice, top + 6, language)
    plot = _Plot(len(recording), advice.before.peak, top + 12)
    axis, bottom = _axis(recording, plot, language)
    parts += [*legend, *_shades(recording, plot), *_curves(advice, plot), *_peaks(advice, plot, language)]
    parts += [*_marks(advice, plot), *axis]
    return document((WIDTH, bottom + PAD), parts, head, _description(advice).in_language(language))


def _detail(advice: Advice) -> Text:
    measured = advice.measured
    if measured is None:
        return words.SAVINGS["untried"]
    counts = words.SAVINGS["tried"].format(framework_of(advice.recording).title or words.SAVINGS["framework"])
    return closed_up(counts)


def _description(advice: Advice) -> Text:
    return words.SAVINGS["numbers"].format(f"{advice.before.peak:,}", f"{advice.after.peak:,}")


@dataclass(frozen=True)
class _Plot:
    """The places of steps and bytes, in px."""

    steps: int
    most: int
    top: float

    @property
    def floor(self) -> float:
        return self.top + TALL

    @property
    def spacing(self) -> float:
        return (WIDTH - LEFT - RIGHT) / max(self.steps, 1)

    def x(self, step: float) -> float:
        """Where a step begins."""
        return LEFT + step * self.spacing

    def y(self, count: int) -> float:
        """How high a number of bytes is."""
        return self.floor - TALL * count / (self.most or 1)

    def columns(self, curve: Curve) -> Iterator[tuple[float, int]]:
        """Yields (right edge, bytes): while each step ran and after it; of many steps the most in each pixel."""
        if self.spacing >= 2:
            for k, (during, after) in enumerate(zip(curve.during, curve.after, strict=True)):
                yield self.x(k + 0.5), during
                yield self.x(k + 1), after
            return
        for right, inside in groupby(range(self.steps), key=lambda k: round(self.x(k + 1))):
            yield min(right, self.x(self.steps)), max(curve.during[k] for k in inside)

    def stairs(self, curve: Curve) -> str:
        """Returns the curve as a path, from the first step on."""
        drawn = [(right, coordinate(self.y(count))) for right, count in self.columns(curve)]
        kept = [here for here, after in pairwise([*drawn, (0.0, "")]) if here[1] != after[1]]
        return "".join(f"V{y}H{coordinate(right)}" for right, y in kept)


def _legend(advice: Advice, top: float, language: str) -> tuple[list[str], float]:
    """Says which curve is which, and who owns its peak."""
    parts = list[str]()
    entries = [("before", advice.before)] + [("after", advice.after)] * (advice.after != advice.before)
    for name, curve in entries:
        owner, code = _owner(advice.recording, curve)
        parts.append(_swatch(name, PAD, top))
        said = words.SAVINGS[name].format(size_in_bytes(curve.peak), owner).in_language(language)
        room = WIDTH - 2 * PAD - _SWATCH - 8
        room_for_code = max(room - prose_width(said, NORMAL) - 12, 60)
        said += f" `{shortened(code, room_for_code, NORMAL, width_of)}`" if code else ""
        parts.append(prose_at(PAD + _SWATCH + 8, top + 11, "text", [said], _LINE))
        top += _LINE
    x = PAD
    for name in ("backward", "offered"):
        if name == "backward" and not any(step.phase == "backward" for step in advice.recording.steps):
            continue
        if name == "offered" and not advice.offered:
            continue
        said = words.SAVINGS[f"is_{name}"].in_language(language)
        parts += [_swatch(name, x, top), prose_at(x + _SWATCH + 8, top + 11, "text", [said], _LINE)]
        x += _SWATCH + 8 + prose_width(said, SMALL) + 24
    return parts, top + (_LINE if x > PAD else 0)


def _owner(recording: Recording, curve: Curve) -> tuple[Text, str]:
    """Returns where the most bytes are alive, and the code there."""
    if not len(recording):
        return Text("", ""), ""
    step = recording.steps[curve.peak_step]
    where = said_line(recording.named_sources, step.place, Place(1))
    if step.phase == "backward" or step.backward is not None:
        where = words.SAVINGS["in_backward"].format(where)
    return where, line_text(recording, step.place).strip().replace("`", "'")


def _swatch(name: str, x: float, top: float) -> str:
    y = top + 7
    if name == "offered":
        return _mark(x + _SWATCH / 2, y + 5)
    if name == "after":
        return _drawn(f"M{coordinate(x)} {coordinate(y)}h{coordinate(_SWATCH)}", "versions")
    box = rect(x, y - 6, _SWATCH, 12, always(Look("tick", None, _SAVED if name == "before" else _SHADE)))
    edge = f"M{coordinate(x)} {coordinate(y - 6)}h{coordinate(_SWATCH)}"
    return mark_at(box, 0, "en") + (_drawn(edge, "inner") if name == "before" else "")


def _drawn(d: str, style: str, *attributes: tuple[str, str | float]) -> str:
    return mark_at(path(d, always(Look(style, None, attributes))), 0, "en")


def _mark(x: float, floor: float) -> str:
    return _drawn(f"M{coordinate(x)} {coordinate(floor)}l-4 -8h8z", "inked")


def _shades(recording: Recording, plot: _Plot) -> Iterator[str]:
    """Yields the columns of backward."""
    for phase, inside in groupby(recording.steps, key=lambda step: step.phase):
        found = [step.index for step in inside]
        if phase == "backward":
            left, right = plot.x(found[0]), plot.x(found[-1] + 1)
            column = rect(left, plot.top - 6, max(right - left, 1), TALL + 6, always(Look("tick", None, _SHADE)))
            yield mark_at(column, 0, "en")


def _curves(advice: Advice, plot: _Plot) -> Iterator[str]:
    left, floor = coordinate(LEFT), coordinate(plot.floor)

    before, after = (f"M{left} {floor}{plot.stairs(curve)}" for curve in (advice.before, advice.after))
    yield _drawn(f"{before}V{floor}z", "tick", *_SAVED)
    yield _drawn(before, "inner")
    yield _drawn(f"{after}V{floor}z", "tick", *_paint("faint"))
    yield _drawn(after, "versions" if plot.spacing >= 4 else "copy")
    yield _drawn(f"M{left} {floor}H{coordinate(WIDTH - RIGHT)}", "axis")


def _peaks(advice: Advice, plot: _Plot, language: str) -> Iterator[str]:
    """Yields a dashed line from each peak to its number on the left."""
    below = -100.0
    for curve in (advice.before, advice.after) if advice.after != advice.before else (advice.before,):
        if not curve.during:
            return
        x, y = plot.x(curve.peak_step + 0.25), plot.y(curve.peak)
        at = max(y + 4, below + 13)
        below = at
        yield _drawn(f"M{coordinate(LEFT - 4)} {coordinate(y)}H{coordinate(x)}", "peak")
        bead = f"M{coordinate(x - 4)} {coordinate(y)}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"
        yield _drawn(bead, "bead")
        yield text_at(LEFT - 8, at, "text prose bold end", size_in_bytes(curve.peak), language)
    yield text_at(LEFT - 8, plot.floor + 4, "text prose end", "0", language)


def _marks(advice: Advice, plot: _Plot) -> Iterator[str]:
    """Yields where operations run that may be written in place."""
    steps = sorted({call.step for site in advice.offered for call in site.calls if call.saves})
    edge = 0.0
    for x in (plot.x(step + 0.25) for step in steps):
        if x >= edge + 9:
            yield _mark(x, plot.floor)
            edge = x


# --- the axis ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """Steps that have one label: the line of a statement, and its code; or an iteration of a loop."""

    first: int
    last: int
    brief: str
    code: str = ""


def _axis(recording: Recording, plot: _Plot, language: str) -> tuple[list[str], float]:
    """Draws the statements below the curve, and below them the iterations of loops; returns also the bottom."""
    y, parts = plot.floor + 17, list[str]()
    for name, row in ((words.SAVINGS["line"], _statements(recording)), _iterations(recording)):
        if not row:
            continue
        parts.append(text_at(LEFT - 8, y, "text prose soft end", name, language))
        edge = LEFT - _APART
        for part in row:
            left, right = plot.x(part.first), plot.x(part.last + 1)
            parts.append(_drawn(f"M{coordinate(left)} {coordinate(y - 14)}v4", "axis"))
            room = right - left - 2 * _APART
            said, code = part.brief, f"{part.brief} {part.code}"
            shown = code if part.code and room >= width_of(code[: len(said) + 8]) else said
            if left < edge + _APART or (shown == said and width_of(said) > max(room + _APART, 0)):
                continue
            shown = shortened(shown, max(room, width_of(said)), SMALL, width_of)
            parts.append(text_at(left + 1, y, "text", shown, language))
            edge = left + width_of(shown)
        y += _LINE
    return parts, y - _LINE + 4


def _statements(recording: Recording) -> Sequence[_Part]:
    """Returns the statements of the program; if they are many, those of its outermost function, and as one where they repeat each other."""
    runs = [(run.start, run.stop - 1, recording.steps[run.start].place) for run in statements(recording)]
    found = _joined(runs, lambda place: place)
    if len(found) > MOST:
        found = _joined(runs, lambda place: None if place is None else list(place.calls)[-1])
    return [
        _Part(first, last, "?" if place is None else str(place.line), line_text(recording, place).strip())
        for first, last, place in found
    ]


_Run = tuple[int, int, Place | None]


def _joined(runs: Sequence[_Run], level: Callable[[Place | None], Place | None]) -> list[_Run]:
    """Joins runs of statements (first step, last step, place) on the same line."""
    found = list[_Run]()
    for first, last, place in runs:
        here = level(place)
        if found and same_line(found[-1][2], here):
            found[-1] = (found[-1][0], last, here)
        else:
            found.append((first, last, here))
    return found


def _iterations(recording: Recording) -> tuple[Text, Sequence[_Part]]:
    """Returns the variable of the outermost loops, and their iterations."""
    found = dict.fromkeys(around[0] for around in loops_around(recording) if around)
    names = {each.name for each in found}
    name = abridged(names.pop(), LEFT - 12) if len(names) == 1 else ""
    said = Text(name, name) if name else words.SAVINGS["loop"]
    return said, [_Part(each.first, each.last, str(each.number)) for each in found]
