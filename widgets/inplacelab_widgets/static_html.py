"""The static copy of a stepper: a picture of its most telling step, and below it, folded, the tables of this step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene, key_step
from inplacelab_widgets.scene.still_pictures import frame, panels_picture, said
from inplacelab_widgets.scene.tables import Table, tables, tables_of_panels
from inplacelab_widgets.scene.text_layout import Words

__all__ = ["image", "still_html", "still_picture"]

MOST_BYTES = 20_000
"""The most bytes of the HTML, which is saved with a notebook."""
MOST_BYTES_OF_TABLE = 2_000
"""The most bytes of the rows of one table."""
_IN_ADDRESS = {"%": "%25", "#": "%23", "'": "%27", "&": "&amp;", "\n": " "}


def still_picture(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns the most telling step of a recording as one SVG picture. With `panels`, only these are drawn."""
    step = key_step(scene.recording)
    return frame(scene, step, language) if panels is None else panels_picture(scene, panels, step, language)


def still_html(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns a picture as HTML without scripts or styles, with the tables of its step for screen readers.

    To a table that is too long it adds the number of omitted rows. If the picture is too large, there are only its words.

    Args:
        scene: the recording, laid out.
        language: "en" or "zh".
        panels: the panels to show; all of them if not given.
    """
    step = key_step(scene.recording)
    shown = tables(scene.recording, scene.recording.state(step))
    shown = shown if panels is None else tables_of_panels(panels, shown)
    folded = details(shown, language)
    alternative = said(scene, step, language)
    found = image(still_picture(scene, language, panels), alternative)
    if len(found.encode()) + len(folded.encode()) <= MOST_BYTES:
        return f"{found}\n{folded}"
    return f"<p>{escape(alternative)}</p>\n{folded}"


def details(shown: Iterable[Table], language: str) -> str:
    """Returns tables as HTML, folded. Those without rows are left out."""
    inside = "".join(_table(table, language) for table in shown if table.rows)
    summary = escape(words.PLAYER["tables"].in_language(language))
    return f"<details><summary>{summary}</summary>\n{inside}</details>"


def image(svg: str, alternative: str) -> str:
    """Returns a picture as an HTML image, since Jupyter removes inline SVG from notebooks that are not trusted.

    The SVG is part of the address as it is, but for four characters: in base64 it would be a third longer.
    """
    address = "".join(_IN_ADDRESS.get(sign, sign) for sign in svg)
    return f"<img alt=\"{escape(alternative)}\" src='data:image/svg+xml;charset=utf-8,{address}'>"


def _table(table: Table, language: str) -> str:
    head = _row("th", table.columns, language)
    room = MOST_BYTES_OF_TABLE
    rows: list[str] = []
    for _, cells in table.rows:
        row = _row("td", cells, language)
        room -= len(row.encode())
        if room < 0:
            omitted = words.MORE_ROWS.format(count=len(table.rows) - len(rows))
            rows.append(_row("td", [omitted], language))
            break
        rows.append(row)
    caption = escape(table.title.in_language(language))
    return f"<table><caption>{caption}</caption><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>\n"


def _row(cell: str, content: Iterable[Words], language: str) -> str:
    texts = (each.in_language(language) if isinstance(each, Text) else each for each in content)
    return "<tr>" + "".join(f"<{cell}>{escape(each)}</{cell}>" for each in texts) + "</tr>"
