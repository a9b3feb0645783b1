"""Exports several ranks side by side without a widget: as a still picture, a page that plays offline, or text. Needs no Jupyter."""

from __future__ import annotations

from html import escape

from inplacelab_widgets.page import whole_page
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.ranks import RanksScene
from inplacelab_widgets.scene.ranks_payload import ranks_payload
from inplacelab_widgets.scene.ranks_picture import ranks_picture, said
from inplacelab_widgets.static_html import MOST_BYTES, image

__all__ = ["html_of", "still_html_of", "svg_of", "text_of"]


def svg_of(scene: RanksScene, language: str, position: int | None = None) -> str:
    """Returns a position, by default the most telling one, as an SVG picture."""
    return ranks_picture(scene, scene.key_position if position is None else position, language)


def html_of(scene: RanksScene, language: str, position: int | None = None) -> str:
    """Returns a page that plays all ranks offline; it opens at the most telling position."""
    return whole_page(
        ranks_payload(scene),
        javascript(compares=True),
        stylesheet(compares=True),
        folder="inplacelab_widgets/player",
        title=scene.title,
        language=language,
        options={"step": scene.key_position if position is None else position, "mode": "event"},
    )


def text_of(scene: RanksScene, language: str) -> str:
    """Returns what it comes to, the collectives, and where parameters begin to differ."""
    lines = [unquoted(scene.conclusion).in_language(language), ""]
    for position in range(len(scene.alignment.positions)):
        if scene.is_telling(position):
            told = scene.told(position)
            lines.append(f"{position + 1:>4}  {unquoted(told.clause).in_language(language)}")
            lines += [f"      {unquoted(told.detail).in_language(language)}"] * bool(told.detail.en)
    return "\n".join(lines) + "\n"


def still_html_of(scene: RanksScene, language: str) -> str:
    """Returns the picture as HTML without scripts or styles. If it is too large, there are only its words."""
    alternative = said(scene, scene.key_position, language)
    found = image(svg_of(scene, language), alternative)
    return found if len(found.encode()) <= 2 * MOST_BYTES else f"<p>{escape(alternative)}</p>"
