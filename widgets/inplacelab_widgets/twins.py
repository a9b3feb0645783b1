"""What the stepper shows, without a widget: a still picture, a page that plays offline, plain text. No Jupyter needed."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from inplacelab.language import Text, get_language
from inplacelab.recording.explain import sentence
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.player_files import javascript, stylesheet
from inplacelab_widgets.scene import Scene, scene_of, telling_step
from inplacelab_widgets.scene.marks import Words
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.svg import picture
from inplacelab_widgets.scene.tables import Table, tables

__all__ = ["to_html", "to_markdown", "to_svg", "to_text"]


def to_svg(recording: Recording | Scene, step: int | None = None, language: str | None = None) -> str:
    """One step of a recording as an SVG picture: the code, the memory, the sentence, the graph and the versions.

    The picture stands on its own light background and needs no CSS, script or network. Everything that the program
    wrote is escaped.

    Args:
        recording: what to draw, or a scene already laid out.
        step: which step, counted from 0; negative numbers count from the end. The most telling one if not given: the
            error if there is one, else the last write.
        language: "en" or "zh"; the current language if not given.

    Raises:
        IndexError: if there is no such step.
        ValueError: if the recording has no steps.
    """
    scene = recording if isinstance(recording, Scene) else scene_of(recording)
    return picture(scene, _chosen(scene.recording, step), language or get_language())


def to_html(recording: Recording | Scene, path: str | Path | None = None, *, language: str | None = None) -> str:
    """A whole page that plays a recording in any browser, from a file, without a network.

    Args:
        recording: what to play, or a scene already laid out.
        path: where to write the page (UTF-8), if anywhere.
        language: the language in which it opens; the reader can switch. The current language if not given.

    Returns:
        The page as text.
    """
    scene = recording if isinstance(recording, Scene) else scene_of(recording)
    page = _page(scene, language or get_language())
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def to_text(recording: Recording, step: int | None = None, language: str | None = None) -> str:
    """One step as plain text: where it is, what happened, and the tables of what there is."""
    chosen, spoken = _chosen(recording, step), language or get_language()
    parts = [_place(recording, chosen).in_language(spoken), _sentence(recording, chosen).in_language(spoken)]
    parts += [_plain(table, spoken) for table in tables(recording, recording.state(chosen)) if table.rows]
    return "\n\n".join(parts) + "\n"


def to_markdown(recording: Recording, step: int | None = None, language: str | None = None) -> str:
    """One step in Markdown, for places that show neither widgets nor pictures."""
    chosen, spoken = _chosen(recording, step), language or get_language()
    source = "\n".join(f"    {line}" for line in recording.source.rstrip().split("\n"))
    parts = [
        f"**{_place(recording, chosen).in_language(spoken)}**",
        source,
        _sentence(recording, chosen).in_language(spoken),
    ]
    parts += [_marked_down(table, spoken) for table in tables(recording, recording.state(chosen)) if table.rows]
    return "\n\n".join(parts) + "\n"


def _chosen(recording: Recording, step: int | None) -> int:
    return telling_step(recording) if step is None else recording.state(step).step.index


def _sentence(recording: Recording, step: int) -> Text:
    return unquoted(sentence(recording, step))


def _place(recording: Recording, step: int) -> Text:
    now = recording.steps[step]
    place = words.PLAYER["position"].format(step=step + 1, steps=len(recording))
    if now.line is not None:
        place = Text("{0}, {1}", "{0}，{1}").format(place, words.LINE.format(line=now.line))
    return Text("{0}: {1}, {2}", "{0}：{1}，{2}").format(recording.title, place, words.PLAYER[now.phase])


def _cells(table: Table, language: str) -> list[list[str]]:
    def said(word: Words) -> str:
        return word.in_language(language) if isinstance(word, Text) else word

    return [[said(column) for column in table.columns], *([said(cell) for cell in cells] for _, cells in table.rows)]


def _plain(table: Table, language: str) -> str:
    rows = _cells(table, language)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([table.title.in_language(language), *(f"  {line}" for line in lines)])


def _marked_down(table: Table, language: str) -> str:
    head, *rows = ([cell.replace("|", "\\|").replace("<", "&lt;") for cell in row] for row in _cells(table, language))
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join([f"**{table.title.in_language(language)}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def _page(scene: Scene, language: str) -> str:
    # "</" would end the script element early, wherever it stands in the data.
    data = json.dumps(payload(scene), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    tag = "zh-Hans" if language == "zh" else "en"
    title = escape(scene.recording.title)
    return (
        f'<!DOCTYPE html>\n<html lang="{tag}">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<style>\nbody{{margin:0;padding:8px}}\n{stylesheet()}</style>\n</head>\n<body>\n"
        f'<main id="stepper"></main>\n<script type="application/json" id="recording">{data}</script>\n'
        f'<script type="module">\n{javascript()}\n'
        'mount(document.getElementById("stepper"), JSON.parse(document.getElementById("recording").textContent), '
        f'{{ language: "{language}", standalone: true }});\n</script>\n</body>\n</html>\n'
    )
