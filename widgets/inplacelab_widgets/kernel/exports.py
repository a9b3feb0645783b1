"""Exports a launch as a still picture, a page or text, without a notebook."""

from __future__ import annotations

from html import escape

from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.animation import mark_of
from inplacelab_widgets.kernel.drawing import PAD, WIDTH
from inplacelab_widgets.kernel.fixed_marks import fixed_marks, head_of, height
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.scene import description_of, picked_marks
from inplacelab_widgets.kernel.tables import Table, facts_table, picked_tables
from inplacelab_widgets.kernel.warp_accesses import Pick
from inplacelab_widgets.page import whole_page
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene.svg import Look, Mark, always, document, mark_at, placed
from inplacelab_widgets.scene.text_layout import Words
from inplacelab_widgets.static_html import image
from inplacelab_widgets.words import PLAYER


def svg(shown: ShownLaunch | None, pick: Pick, language: str) -> str:
    """Returns a launch with a picked thread as self-contained SVG; without a launch, a picture with a note."""
    if shown is None:
        drawn = mark_at(Mark("text", (("x", PAD), ("y", 26.0)), always(Look("text", words.NO_LAUNCH))), 0, language)
        return document((WIDTH + 2 * PAD, 44), [drawn], "", words.NO_LAUNCH.in_language(language))
    marks = fixed_marks(shown) + (picked_marks(shown, pick) if shown.drawable else [])
    inside = "".join(mark_at(mark_of(each), 0, language) for each in marks)
    size = (WIDTH + 2 * PAD, height(shown) + 2 * PAD)
    return document(size, [placed(inside, PAD, PAD)], shown.launch.kernel, alt_text(shown, pick).in_language(language))


def alt_text(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the picture in words."""
    head = head_of(shown)
    return head + Text(" ", "") + description_of(shown, pick) if shown.drawable else head


def html(shown: ShownLaunch | None, pick: Pick, language: str) -> str:
    """Returns the picture as HTML: an image with its tables folded below it. It is also shown in notebooks that are not trusted."""
    content = words.NO_LAUNCH if shown is None else alt_text(shown, pick)
    shown_tables = "" if shown is None else "".join(_table(each, language) for each in all_tables(shown, pick))
    summary = escape(PLAYER["tables"].in_language(language))
    folded = f"<details><summary>{summary}</summary>{shown_tables}</details>" if shown_tables else ""
    picture = image(svg(shown, pick, language), content.in_language(language))
    return f"<div>{picture}{folded}</div>"


def all_tables(shown: ShownLaunch, pick: Pick) -> list[Table]:
    """Returns all tables of a launch."""
    return [facts_table(shown), *(picked_tables(shown, pick) if shown.drawable else [])]


def _table(table: Table, language: str) -> str:
    heads = "".join(f'<th scope="col">{escape(_in(each, language))}</th>' for each in table.heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(_in(first, language))}</th>'
        + "".join(f"<td>{escape(_in(cell, language))}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in table.rows
    )
    head = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    return f"<table><caption>{escape(_in(table.caption, language))}</caption>{head}<tbody>{rows}</tbody></table>"


def _in(content: Words, language: str) -> str:
    return content.in_language(language) if isinstance(content, Text) else content


def plain(shown: ShownLaunch | None, pick: Pick, language: str) -> str:
    """Returns the picture and its tables as plain text."""
    if shown is None:
        return words.NO_LAUNCH.in_language(language) + "\n"
    parts = [alt_text(shown, pick).in_language(language).rstrip()]
    for table in all_tables(shown, pick):
        lines = [
            [_in(cell, language) for cell in row] for row in ((table.heads, *table.rows) if table.heads else table.rows)
        ]
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        spoken_lines = [
            "  " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        parts.append("\n".join([_in(table.caption, language), *spoken_lines]))
    return "\n\n".join(parts) + "\n"


def page(sent: dict[str, object], language: str, title: str, traits: dict[str, int]) -> str:
    """Returns an HTML page that shows the launches in any browser, from a file, without a network."""
    folder = "inplacelab_widgets/player"
    return whole_page(sent, javascript(), stylesheet(), folder=folder, title=title, language=language, options=traits)
