"""Shows a recording without a program, which has one step: existing tensors as they are. There is no code, and there is nothing to step through."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab.supported import terms_of
from inplacelab_widgets.exports import details, image, plain_table
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.names import player_words, unquoted
from inplacelab_widgets.scene.still_pictures import PAD, sentence_box
from inplacelab_widgets.scene.svg import document, panel_at, placed, rule, stack_at, text_at
from inplacelab_widgets.scene.tables import Table, tables
from inplacelab_widgets.scene.text_layout import SMALL, wrapped

__all__ = ["look_html", "look_svg", "look_text"]


NARROWEST = 640.0
"""The least width of the picture, in px."""
_LINE = 16.0


def look_text(recording: Recording, language: str) -> str:
    """Returns what is known of the tensors as plain text: a sentence, notes, and tables."""
    scene = scene_of(recording)
    notes = [unquoted(each).in_language(language) for each in scene.recording.notes]
    said = "\n".join([unquoted(scene.sentence(0)).in_language(language), *notes])
    return "\n\n".join([said, *(plain_table(table, language) for table in _tables(scene))]) + "\n"


def look_svg(recording: Recording, language: str) -> str:
    """Returns a picture: a sentence, notes, the storages with their tensors, and the graph behind them."""
    scene = _settled(recording)
    return _picture(scene, language)


def look_html(recording: Recording, language: str) -> str:
    """Returns the picture as HTML without scripts or styles, with tables below it, folded."""
    scene = _settled(recording)
    said = unquoted(scene.sentence(0)).in_language(language)
    return f"{image(_picture(scene, language), said)}\n{details(_tables(scene), language)}"


def _settled(recording: Recording) -> Scene:
    """Lays the recording out with a second step, in which nothing happens: there nothing is new."""
    first = recording.steps[0]
    nothing = replace(first, index=1, rewired=(), storages=(), counters=(), tensors=(), nodes=())
    return Scene(scene_of(replace(recording, steps=(first, nothing))).recording, NARROWEST, inf)


def _picture(scene: Scene, language: str) -> str:
    recording = scene.recording
    state = recording.state(1)
    graph = [scene.graph] if terms_of(recording).has_gradients and state.nodes else []
    width = 2 * PAD + max([NARROWEST, scene.storages.width, *(panel.width for panel in graph)])
    box, height = sentence_box(scene, 0, language, PAD, width)
    parts, y = [box], 2 * PAD + height
    for note in recording.notes:
        for line in wrapped(unquoted(note).in_language(language), width - 2 * PAD, SMALL):
            parts.append(text_at(PAD, y + 10, "text soft", line, language))
            y += _LINE
    drawn, tall = stack_at(scene.storages, 1, language)
    titles = player_words(terms_of(recording))
    for name, content, its in (
        ("storages", drawn, tall),
        *(("graph", panel_at(each, 1, language), each.height) for each in graph),
    ):
        parts += [
            rule(y, width),
            text_at(PAD, y + 20, "text bold", titles[name], language),
            placed(content, PAD, y + 34),
        ]
        y += 34 + its + PAD
    return document((width, y), parts, "", unquoted(scene.sentence(0)).in_language(language))


def _tables(scene: Scene) -> list[Table]:
    """The tables that have something to tell: those without a program have no lines and no bytes made."""
    found = tables(scene.recording, scene.recording.state(0))
    return [_told(table) for table in found if table.rows and table.name != "memory"]


def _told(table: Table) -> Table:
    """A table without the columns that are empty."""
    told = [k for k in range(len(table.columns)) if any(_is_told(cells[k]) for _, cells in table.rows)]
    rows = tuple((key, tuple(cells[k] for k in told)) for key, cells in table.rows)
    return Table(table.name, table.title, tuple(table.columns[k] for k in told), rows)


def _is_told(cell: Text | str) -> bool:
    return bool(cell.en if isinstance(cell, Text) else cell)
