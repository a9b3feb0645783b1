"""Exports two programs, or several ranks, side by side without a widget: as a still picture, a page that plays offline, or text. Needs no Jupyter.

All of them come from one scene, as `exports` does it for one program. Positions are those of the common cursor, counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from inplacelab.language import Text, speak
from inplacelab.recording.compare import report
from inplacelab.recording.recording import Recording
from inplacelab_widgets.exports import MOST_BYTES, image
from inplacelab_widgets.page import packed_json, whole_page
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.sharing import MOST_FRAMES, check_seconds, drawn_from, gif, png, reading_times
from inplacelab_widgets.side_by_side.comparison import ComparisonScene, comparison_of
from inplacelab_widgets.side_by_side.comparison_picture import comparison_card, comparison_frame, said
from inplacelab_widgets.side_by_side.payload import comparison_payload, ranks_payload
from inplacelab_widgets.side_by_side.ranks import RanksScene
from inplacelab_widgets.side_by_side.ranks_picture import ranks_picture, ranks_said
from inplacelab_widgets.words.side_by_side import DIFFERENCES

__all__ = ["card_of", "drawn", "gif_of", "html_of", "markdown_of", "png_of", "still_html_of", "svg_of", "text_of"]


def drawn(left: Recording, right: Recording, *, form: str, language: str) -> str | bytes:
    """Returns two recordings side by side in one of the formats "html", "svg", "png", "gif", "md" and "txt".

    Raises:
        ImportError, NoFontError: if something is not installed that "png" or "gif" needs.
        ValueError: if a recording has no steps.
    """
    draw: dict[str, Callable[[ComparisonScene, str], str | bytes]] = {
        "html": html_of,
        "svg": svg_of,
        "png": png_of,
        "gif": gif_of,
        "md": markdown_of,
        "txt": text_of,
    }
    return draw[form](comparison_of(left, right), language)


def svg_of(scene: ComparisonScene, language: str, position: int | None = None) -> str:
    """Returns a position, by default the most telling one, as an SVG picture 848 px wide."""
    return comparison_frame(scene, scene.key_position if position is None else position, language)


def png_of(scene: ComparisonScene, language: str, position: int | None = None, *, scale: float = 2.0) -> bytes:
    """Returns the same picture as PNG. Needs the extra `png`."""
    return png(svg_of(scene, language, position), scale, language)


def card_of(scene: ComparisonScene, language: str, position: int | None = None) -> bytes:
    """Returns a position as a PNG of 1200 x 675 pixels, to be shared. Needs the extra `png`."""
    return png(comparison_card(scene, scene.key_position if position is None else position, language), 1, language)


def gif_of(scene: ComparisonScene, language: str, *, seconds: float | None = None) -> bytes:
    """Returns an animation of 1200 x 675 pixels: each line that changed anything, or where these are many those with a difference. Needs the
    extra `share`.

    Args:
        scene: both programs, laid out.
        language: "en" or "zh".
        seconds: how long each step is shown; by default long enough to read what is said of it, and the last one longer.

    Raises:
        ImportError, NoFontError: if something is not installed that animations need.
        ValueError: if `seconds` is not from 0.02 to 600.
    """
    check_seconds(seconds)
    telling = [stop for stop in scene.stops if scene.comparison.is_telling(stop)] or [scene.key_position]
    shown = scene.stops if len(scene.stops) <= MOST_FRAMES else telling[:MOST_FRAMES]
    pictures = [comparison_card(scene, position, language) for position in shown]
    times = reading_times([said(scene, position, language) for position in shown])
    return gif(pictures, times if seconds is None else [seconds] * len(shown), language, drawn_from(pictures))


def html_of(scene: ComparisonScene, language: str, position: int | None = None) -> str:
    """Returns a page that plays both programs offline; it opens at the most telling position."""
    return whole_page(
        packed_json(comparison_payload(scene)),
        player=javascript(compares=True),
        style=stylesheet(compares=True),
        folder="inplacelab_widgets/player",
        title=scene.title,
        language=language,
        options={"step": scene.key_position if position is None else position},
    )


def text_of(scene: ComparisonScene, language: str) -> str:
    """Returns what the comparison comes to, how both programs end, and line by line where they begin to differ."""
    return "\n\n".join([scene.conclusion.in_language(language), _report(scene, language)]) + "\n"


def markdown_of(scene: ComparisonScene, language: str) -> str:
    """Returns the same as Markdown: the report is indented, so nothing in it is markup."""
    lines = [scene.conclusion.in_language(language).replace("`", ""), *_report(scene, language).split("\n")]
    return "\n".join(f"    {line}".rstrip() for line in [lines[0], "", *lines[1:]]) + "\n"


MOST_SAVED = 40_000
"""The most bytes that a notebook saves of a comparison: what is sent with the widget, and the static copy."""


def still_html_of(scene: ComparisonScene, language: str, most: int = MOST_SAVED) -> str:
    """Returns the picture as HTML without scripts or styles, and below it, folded, the report; of more than `most` bytes, only the words of
    the picture.
    """
    alternative = said(scene, scene.key_position, language)
    summary = escape(DIFFERENCES.in_language(language))
    folded = _shortened(_report(scene, language), language)
    details = f"<details><summary>{summary}</summary>\n<pre>{escape(folded)}</pre></details>"
    found = image(svg_of(scene, language), alternative)
    if len(found.encode()) + len(details.encode()) > most:
        found = f"<p>{escape(alternative)}</p>"
    return f"{found}\n{details}"


_MOST_LINES = 40
"""The most lines of the report that are saved with a notebook."""
_MORE = Text("… {0} more lines", "… 另有 {0} 行")


def _shortened(text: str, language: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _MOST_LINES:
        return text
    return "\n".join([*lines[:_MOST_LINES], _MORE.format(len(lines) - _MOST_LINES).in_language(language)])


def _report(scene: ComparisonScene, language: str) -> str:
    with speak(language):
        return "\n".join(report(scene.comparison.alignment))


def ranks_svg_of(scene: RanksScene, language: str, position: int | None = None) -> str:
    """Returns a position, by default the most telling one, as an SVG picture."""
    return ranks_picture(scene, scene.key_position if position is None else position, language)


def ranks_html_of(scene: RanksScene, language: str, position: int | None = None) -> str:
    """Returns a page that plays all ranks offline; it opens at the most telling position."""
    return whole_page(
        packed_json(ranks_payload(scene)),
        player=javascript(compares=True),
        style=stylesheet(compares=True),
        folder="inplacelab_widgets/player",
        title=scene.title,
        language=language,
        options={"step": scene.key_position if position is None else position, "mode": "event"},
    )


def ranks_text_of(scene: RanksScene, language: str) -> str:
    """Returns what it comes to, the collectives, and where parameters begin to differ."""
    lines = [unquoted(scene.conclusion).in_language(language), ""]
    for position in range(len(scene.alignment.positions)):
        if scene.is_telling(position):
            told = scene.told(position)
            lines.append(f"{position + 1:>4}  {unquoted(told.clause).in_language(language)}")
            lines += [f"      {unquoted(told.detail).in_language(language)}"] * bool(told.detail.en)
    return "\n".join(lines) + "\n"


def ranks_still_html_of(scene: RanksScene, language: str) -> str:
    """Returns the picture as HTML without scripts or styles. If it is too large, there are only its words."""
    alternative = ranks_said(scene, scene.key_position, language)
    found = image(ranks_svg_of(scene, language), alternative)
    return found if len(found.encode()) <= 2 * MOST_BYTES else f"<p>{escape(alternative)}</p>"
