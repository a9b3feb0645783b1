"""Draws a scene at one step as one still picture: code, memory, sentence, graph, versions and bytes."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.relations import stages
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.code import code_panel
from inplacelab_widgets.scene.marks import Look, always, rect
from inplacelab_widgets.scene.measure import NORMAL, wrapped
from inplacelab_widgets.scene.names import player_words, unquoted
from inplacelab_widgets.scene.svg import document, mark_at, panel_at, placed, rule, stack_at, text_at

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
            parts.append(text_at(PAD, y + 20, "text bold", titles[name], language))
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
    position = words.PLAYER["position"].format(step=step + 1, steps=len(scene.recording))
    line = [words.LINE.format(line=now.line)] if now.line is not None else []
    phase = player_words(terms_of(scene.recording))[stages(scene.recording)[step]]
    return [position, *line, *([phase] if phase.en else [])]


def provisos(scene: Scene) -> list[Text]:
    """Returns notes on the whole recording: that a device was simulated, what was left out, that the end was cut off."""
    recording = scene.recording
    cut = [words.TRUNCATED.format(count=len(recording))] if recording.truncated else []
    return ([words.SIMULATED] if recording.simulated else []) + cut + [*recording.notes]


def sentence_box(scene: Scene, step: int, language: str, y: float, width: float) -> tuple[str, float]:
    """Returns the sentence of a step in a box as wide as the picture, as SVG, and the height of the box."""
    lines = wrapped(unquoted(scene.sentence(step)).in_language(language), width - 2 * PAD - 24, NORMAL)
    height = _SENTENCE_LINE * len(lines) + 14
    error = scene.recording.steps[step].error is not None
    box = rect(PAD, y, width - 2 * PAD, height, always(Look("tint")), 4)
    bar = rect(PAD, y, 4, height, always(Look("flag-stale" if error else "mark-now")))
    drawn = mark_at(box, 0, language) + mark_at(bar, 0, language)
    for k, line in enumerate(lines):
        drawn += text_at(PAD + 14, y + 19 + _SENTENCE_LINE * k, "text code", line, language)
    return drawn, height


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
