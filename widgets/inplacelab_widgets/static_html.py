"""The static copy of a stepper: a picture, and below it, folded, the tables of its last frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene, all_key_steps
from inplacelab_widgets.scene.frames import alt_text, strip
from inplacelab_widgets.scene.marks import Words
from inplacelab_widgets.scene.panel_export import panels_picture
from inplacelab_widgets.scene.picture import picture
from inplacelab_widgets.scene.tables import Table, tables, tables_of_panels

__all__ = ["image", "still_html", "still_picture"]

MOST_BYTES = 20_000
"""The most bytes of the HTML, which is saved with a notebook."""
MOST_BYTES_OF_TABLE = 2_000
"""The most bytes of the rows of one table."""
FEW_STEPS = 200
"""The most steps of a recording of which a single picture shows all panels."""
_IN_ADDRESS = {"%": "%25", "#": "%23", "'": "%27", "&": "&amp;", "\n": " "}


def still_picture(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns the recording as one SVG picture: its key steps as a strip, or a single step if it shows everything.

    With `panels`, only these are drawn, at the last key step.
    """
    steps = all_key_steps(scene.recording)
    if panels is not None:
        return panels_picture(scene, panels, steps[-1], language)
    return strip(scene, steps, language) if len(steps) > 1 else picture(scene, steps[0], language)


def still_html(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns a picture as HTML without scripts or styles, with the tables of its last step for screen readers.

    Of the key steps it shows as many as fit, the last ones first; to a table that is too long it adds the number of omitted rows.

    Args:
        scene: the recording, laid out.
        language: "en" or "zh".
        panels: the panels to show; all of them if not given.
    """
    steps = all_key_steps(scene.recording)
    shown = tables(scene.recording, scene.recording.state(steps[-1]))
    shown = shown if panels is None else tables_of_panels(panels, shown)
    folded = "".join(_table(table, language) for table in shown if table.rows)
    summary = escape(words.PLAYER["tables"].in_language(language))
    details = f"<details><summary>{summary}</summary>\n{folded}</details>"
    for drawn, svg in _pictures(scene, steps, language, panels):
        found = image(svg, alt_text(scene, drawn, language))
        if len(found.encode()) + len(details.encode()) <= MOST_BYTES:
            return f"{found}\n{details}"
    said = escape(alt_text(scene, steps[-1:], language))
    return f"<p>{said}</p>\n{details}"


def image(svg: str, alternative: str) -> str:
    """Returns a picture as an HTML image, since Jupyter removes inline SVG from notebooks that are not trusted.

    The SVG is part of the address as it is, but for four characters: in base64 it would be a third longer.
    """
    address = "".join(_IN_ADDRESS.get(sign, sign) for sign in svg)
    return f"<img alt=\"{escape(alternative)}\" src='data:image/svg+xml;charset=utf-8,{address}'>"


def _pictures(
    scene: Scene, steps: Sequence[int], language: str, panels: Sequence[str] | None
) -> Iterator[tuple[Sequence[int], str]]:
    """Yields (the steps it shows, a picture), from the most telling to the smallest."""
    if panels is not None:
        yield steps[-1:], panels_picture(scene, panels, steps[-1], language)
        return
    # Of a long recording, all panels together are too large, and most of them have not been made yet.
    if len(steps) == 1 and len(scene.recording) <= FEW_STEPS:
        yield steps, picture(scene, steps[0], language)
    for first in range(len(steps)):
        yield steps[first:], strip(scene, steps[first:], language)


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
