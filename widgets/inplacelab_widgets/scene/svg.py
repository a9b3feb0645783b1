"""A scene at one step as one SVG picture that needs no CSS, no script and no network.

The picture carries its own light background, so it can be read on any page; everything a program wrote is escaped.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.code import code_panel
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, Words, always, rect, text
from inplacelab_widgets.scene.measure import NORMAL, coordinate, wrapped
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.palette import FONT, resolved
from inplacelab_widgets.scene.storages import GAP

PAD = 16.0
NARROWEST_CODE = 240.0
WIDEST_CODE = 420.0
_SENTENCE_LINE = 18.0


def picture(scene: Scene, step: int, language: str) -> str:
    """The whole stepper at one step as SVG text: code, memory, sentence, graph, versions and bytes."""
    width = _width(scene)
    parts: list[str] = []
    y = PAD + _heading(scene, step, language, parts, width)
    top = _columns(scene, step, language, parts, y)
    y = _sentence(scene, step, language, parts, top + PAD, width)
    for panel, name in ((scene.graph, "graph"), (scene.lanes, "lanes"), (scene.memory, None)):
        parts.append(_rule(y, width))
        if name:
            parts.append(_words(PAD, y + 20, "text bold", words.PLAYER[name], language))
        y += 34 if name else 14
        parts.append(_placed(_drawn(panel, step, language), PAD, y))
        y += panel.height + PAD
    said = unquoted(scene.sentences[step]).in_language(language)
    return _document(width, y, parts, scene.recording.title, said)


def _width(scene: Scene) -> float:
    columns = NARROWEST_CODE + 2 * PAD + scene.storages.width
    return 2 * PAD + max(columns, scene.graph.width, scene.lanes.width)


def _heading(scene: Scene, step: int, language: str, parts: list[str], width: float) -> float:
    now = scene.recording.steps[step]
    position = words.PLAYER["position"].format(step=step + 1, steps=len(scene.recording))
    said = [position] + ([words.LINE.format(line=now.line)] if now.line is not None else []) + [words.PLAYER[now.phase]]
    said += [words.SIMULATED] if scene.recording.simulated else []
    if scene.recording.truncated:
        said.append(words.PLAYER["truncated"].format(count=scene.recording.truncated))
    parts.append(_words(PAD, PAD + 12, "text bold code", scene.recording.title, language))
    line = " · ".join(each.in_language(language) for each in said)
    parts.append(_words(width - PAD, PAD + 12, "text soft end", line, language))
    parts.append(_rule(PAD + 24, width))
    return 24 + PAD


def _columns(scene: Scene, step: int, language: str, parts: list[str], y: float) -> float:
    code_width = min(_width(scene) - 4 * PAD - scene.storages.width, WIDEST_CODE)
    code = code_panel(scene.recording, code_width)
    parts.append(_placed(_drawn(code, step, language), PAD, y))
    below = y
    for group in scene.storages.groups:
        # A still picture shows only the storages that live at its step, closed up.
        if group.first <= step <= group.last:
            parts.append(_placed(_group(group, step, language), PAD + code_width + 2 * PAD, below))
            below += group.height + GAP
    return max(y + code.height, below - GAP)


def _sentence(scene: Scene, step: int, language: str, parts: list[str], y: float, width: float) -> float:
    lines = wrapped(unquoted(scene.sentences[step]).in_language(language), width - 2 * PAD - 24, NORMAL)
    height = _SENTENCE_LINE * len(lines) + 14
    error = scene.recording.steps[step].error is not None
    box = rect(PAD, y, width - 2 * PAD, height, always(Look("tint")), 4)
    bar = rect(PAD, y, 4, height, always(Look("flag-stale" if error else "mark-now")))
    parts += [_mark(box, 0, language), _mark(bar, 0, language)]
    for k, line in enumerate(lines):
        parts.append(_words(PAD + 14, y + 19 + _SENTENCE_LINE * k, "text code", line, language))
    return y + height + PAD


def _drawn(panel: Panel, step: int, language: str) -> str:
    drawn = (
        _placed(_group(group, step, language), group.x, group.y)
        for group in panel.groups
        if group.first <= step <= group.last
    )
    return "".join(drawn)


def _group(group: Group, step: int, language: str) -> str:
    return "".join(_mark(mark, step, language) for mark in group.marks)


def _placed(drawn: str, x: float, y: float) -> str:
    return f'<g transform="translate({coordinate(x)} {coordinate(y)})">{drawn}</g>\n' if drawn else ""


def _mark(mark: Mark, step: int, language: str) -> str:
    look = mark.at(step)
    if look is None:
        return ""
    attributes = dict((*mark.place, *look.attributes)) | resolved(look.style)
    # A picture without fonts' CSS: only words need a family, and blanks in code must stay.
    said = f"<{mark.tag}{_attributes(attributes)}"
    if mark.tag != "text":
        return said + "/>"
    return f'{said} xml:space="preserve">{escape(_spoken(look.text, language))}</text>'


def _words(x: float, y: float, style: str, said: Words, language: str) -> str:
    return _mark(text(x, y, always(Look(style, said))), 0, language)


def _spoken(said: Words | None, language: str) -> str:
    return said.in_language(language) if isinstance(said, Text) else said or ""


def _attributes(attributes: dict[str, str | float]) -> str:
    return "".join(
        f" {key}={quoteattr(value if isinstance(value, str) else coordinate(value))}"
        for key, value in attributes.items()
    )


def _rule(y: float, width: float) -> str:
    return f'<path d="M0 {coordinate(y)}H{coordinate(width)}" fill="none" stroke="{resolved("grid")["stroke"]}"/>\n'


def _document(width: float, height: float, parts: list[str], title: str, said: str) -> str:
    size = f'width="{coordinate(width)}" height="{coordinate(height)}" viewBox="0 0 {coordinate(width)} {coordinate(height)}"'
    paper = resolved("paper")["fill"]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family={quoteattr(FONT)}>\n'
        f"<title>{escape(title)}</title><desc>{escape(said)}</desc>\n"
        f'<rect width="100%" height="100%" fill="{paper}"/>\n{"".join(parts)}</svg>\n'
    )
