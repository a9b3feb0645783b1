"""Draws some panels of a scene at one step: the still picture of a view with only these panels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.supported import terms_of
from inplacelab_widgets.scene import PANELS, Scene
from inplacelab_widgets.scene.code import code_panel
from inplacelab_widgets.scene.marks import Panel
from inplacelab_widgets.scene.names import player_words, unquoted
from inplacelab_widgets.scene.picture import PAD, place_of, provisos, sentence_box
from inplacelab_widgets.scene.svg import document, panel_at, placed, rule, stack_at, text_at

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
            text_at(PAD, y + 20, "text bold", player_words(terms_of(scene.recording))[panel.name], language),
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
