"""The static copy of a stepper: a picture, and below it, folded, the tables of its last frame."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene, all_key_steps
from inplacelab_widgets.scene.frames import alt_text, strip
from inplacelab_widgets.scene.marks import Words
from inplacelab_widgets.scene.panel_export import panels_picture
from inplacelab_widgets.scene.picture import picture
from inplacelab_widgets.scene.tables import Table, tables, tables_of_panels

__all__ = ["still_html", "still_picture"]


def still_picture(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns the recording as one SVG picture: its key steps as a strip, or a single step if it shows everything.

    With `panels`, only these are drawn, at the last key step.
    """
    steps = all_key_steps(scene.recording)
    if panels is not None:
        return panels_picture(scene, panels, steps[-1], language)
    return strip(scene, steps, language) if len(steps) > 1 else picture(scene, steps[0], language)


def still_html(scene: Scene, language: str, panels: Sequence[str] | None = None, picture_svg: str | None = None) -> str:
    """Returns the same picture as HTML without scripts or styles, with the tables of its last step for screen readers.

    The SVG is embedded as an image, since Jupyter removes inline SVG from notebooks that are not trusted.

    Args:
        scene: the recording, laid out.
        language: "en" or "zh".
        panels: the panels to show; all of them if not given.
        picture_svg: the picture, if it has been drawn already.
    """
    steps = all_key_steps(scene.recording)
    encoded = base64.b64encode((picture_svg or still_picture(scene, language, panels)).encode()).decode("ascii")
    alternative = escape(alt_text(scene, steps if panels is None else steps[-1:], language))
    shown = tables(scene.recording, scene.recording.state(steps[-1]))
    shown = shown if panels is None else tables_of_panels(panels, shown)
    folded = "".join(_table(table, language) for table in shown if table.rows)
    summary = escape(words.PLAYER["tables"].in_language(language))
    return (
        f'<img alt="{alternative}" src="data:image/svg+xml;base64,{encoded}">\n'
        f"<details><summary>{summary}</summary>\n{folded}</details>"
    )


def _table(table: Table, language: str) -> str:
    head = _row("th", table.columns, language)
    body = "".join(_row("td", cells, language) for _, cells in table.rows)
    caption = escape(table.title.in_language(language))
    return f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{body}</tbody></table>\n"


def _row(cell: str, content: Iterable[Words], language: str) -> str:
    texts = (each.in_language(language) if isinstance(each, Text) else each for each in content)
    return "<tr>" + "".join(f"<{cell}>{escape(each)}</{cell}>" for each in texts) + "</tr>"
