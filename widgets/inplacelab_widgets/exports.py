"""Exports a recording without a widget: a still picture, a page that plays offline, the static copy of a notebook, or plain text. Needs no Jupyter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from inplacelab.gc_pause import gc_paused
from inplacelab.language import Text, columns, get_language, padded
from inplacelab.recording.file_text import presentable
from inplacelab.recording.quiz import Question, quiz
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab.recording.sentences import headline, sentence
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.page import packed_json, whole_page
from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene import PANELS, Scene, key_step, opening_mode, opening_step, panels_of, scene_of
from inplacelab_widgets.scene.names import has_sources, player_words, unquoted
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.places import place_in_words
from inplacelab_widgets.scene.still_pictures import descriptions_at, excerpt, frame, panels_picture, picture, said
from inplacelab_widgets.scene.svg import Panel
from inplacelab_widgets.scene.tables import Table, tables, tables_of_panels
from inplacelab_widgets.scene.text_layout import Words
from inplacelab_widgets.sharing import png, written
from inplacelab_widgets.words.player import PLAYER, SHARE

__all__ = ["image", "still_html", "still_picture", "to_html", "to_markdown", "to_png", "to_svg", "to_text"]


MOST_AT_ONCE = 100_000
"""The most characters that a page unpacks before it is painted."""
MOST_BYTES = 20_000
"""The most bytes of the HTML, which is saved with a notebook."""
MOST_BYTES_OF_TABLE = 2_000
"""The most bytes of the rows of one table."""
_IN_ADDRESS = {"%": "%25", "#": "%23", "'": "%27", "&": "&amp;", "\n": " "}


def still_picture(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns the most telling step of a recording as one SVG picture. With `panels`, only these are drawn."""
    scene, [step] = scene.for_stills([key_step(scene.recording)])
    return frame(scene, step, language) if panels is None else panels_picture(scene, panels, step, language)


def still_html(scene: Scene, language: str, panels: Sequence[str] | None = None) -> str:
    """Returns a picture as HTML without scripts or styles, with the tables of its step for screen readers.

    To a table that is too long it adds the number of omitted rows. If the picture is too large, there are only its words.

    Args:
        scene: the recording, laid out.
        language: "en" or "zh".
        panels: the panels to show; all of them if not given.
    """
    scene, [step] = scene.for_stills([key_step(scene.recording)])
    shown = tables(scene.recording, scene.recording.state(step))
    shown = shown if panels is None else tables_of_panels(panels, shown)
    folded = details(shown, language)
    alternative = said(scene, step, language)
    drawn = frame(scene, step, language) if panels is None else panels_picture(scene, panels, step, language)
    found = image(drawn, alternative)
    if len(found.encode()) + len(folded.encode()) <= MOST_BYTES:
        return f"{found}\n{folded}"
    return f"<p>{escape(alternative)}</p>\n{folded}"


def details(shown: Iterable[Table], language: str) -> str:
    """Returns tables as HTML, folded. Those without rows are left out."""
    inside = "".join(_table(table, language) for table in shown if table.rows)
    summary = escape(PLAYER["tables"].in_language(language))
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


_STRAY = Text(
    "a question is about step {0}, but this recording has {1} steps",
    "有一个问题问的是第 {0} 步，而这份记录共有 {1} 步",
)


def questions_for(
    recording: Recording, predict: bool | Iterable[Question], among: Iterable[int] | None = None
) -> tuple[Question, ...]:
    """Returns an author's questions, or those that `quiz` chooses. They are included also while predict mode is off.

    Args:
        recording: the recording that the questions are about.
        predict: whether predict mode starts switched on, or the questions to ask.
        among: the steps, in order, that `quiz` chooses from; all if not given.

    Raises:
        ValueError: if a question is about a step that the recording does not have.
    """
    if isinstance(predict, bool):
        return quiz(recording, among=among)
    questions = tuple(predict)
    strays = [question.step for question in questions if question.step >= len(recording)]
    if strays:
        raise ValueError(str(_STRAY.format(strays[0], len(recording))))
    return questions


def to_svg(
    recording: Recording | Scene,
    step: int | None = None,
    language: str | None = None,
    *,
    panels: Sequence[str] | None = None,
) -> str:
    """Returns a recording as a still SVG picture.

    The picture has its own light background and needs no CSS, script or network. Everything that the program
    wrote is escaped.

    Args:
        recording: the recording to draw, or a scene already laid out.
        step: the step to draw in full, with all panels, counted from 0; negative numbers count from the end. If not given, the
            most telling step is drawn in a small frame.
        language: "en" or "zh"; the current language if not given.
        panels: the panels to draw, out of "code", "storages", "elements", "graph", "lanes" and "memory"; all of
            them if not given.

    Returns:
        The picture as SVG text.

    Raises:
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps.
    """
    scene = recording if isinstance(recording, Scene) else scene_of(recording)
    language = language or get_language()
    if panels is not None:
        return panels_picture(scene, panels, _chosen(scene.recording, step), language)
    if step is None:
        return still_picture(scene, language)
    return picture(scene, scene.recording.state(step).step.index, language)


def to_png(
    recording: Recording | Scene,
    step: int | None = None,
    path: str | Path | None = None,
    *,
    scale: float = 2.0,
    language: str | None = None,
    panels: Sequence[str] | None = None,
) -> bytes:
    """Returns the picture of `to_svg` as PNG. Needs the extra `png`.

    Args:
        recording: the recording to draw, or a scene already laid out.
        step: as for `to_svg`.
        path: a file to write the picture to; none is written if not given.
        scale: PNG pixels per px of the SVG picture; 2 is sharp on most screens.
        language: "en" or "zh"; the current language if not given.
        panels: as for `to_svg`.

    Returns:
        The PNG file's bytes.

    Raises:
        ImportError: if resvg is not installed; the message says how to install it.
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps, or `scale` is not positive.
    """
    language = language or get_language()
    drawn = png(to_svg(recording, step, language, panels=panels), scale, language)
    return written(drawn, path)


def to_html(
    recording: Recording | Scene,
    path: str | Path | None = None,
    *,
    language: str | None = None,
    predict: bool | Iterable[Question] = False,
    panels: Sequence[str] | None = None,
) -> str:
    """Returns an HTML page that plays a recording in any browser, from a file, without a network. It opens at the most telling step, or with
    `predict` at the beginning. Of a long recording it has whole statements, and not all of them (`Scene.for_page`); it says so.

    Args:
        recording: the recording to play, or a scene already laid out.
        path: a file to write the page to (UTF-8); none is written if not given.
        language: the language in which it opens, "en" or "zh"; the reader can switch. The current language if not
            given.
        predict: True to ask what a step will do before it is shown, or the questions to ask; see `Stepper`.
        panels: as for `to_svg`.

    Returns:
        The page as HTML text.

    Raises:
        ValueError: if the recording has no steps, or a question is about a step that it does not have.
    """
    scene = recording if isinstance(recording, Scene) else scene_of(recording)
    page = _page(scene, language or get_language(), predict, panels_of(scene.recording) if panels is None else panels)
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def to_text(
    recording: Recording | Scene,
    step: int | None = None,
    language: str | None = None,
    *,
    panels: Sequence[str] | None = None,
) -> str:
    """Returns one step as plain text: its position, its sentence, and tables of the state after it.

    Args:
        recording: the recording to describe, or a scene already laid out.
        step: the step, counted from 0; negative numbers count from the end. By default the
            most telling step, as `scene.key_step` chooses it: the error, or else a write.
        language: "en" or "zh"; the current language if not given.
        panels: describe only these panels, in the words that a screen reader gets; all of them if not given.

    Returns:
        The text, ending with a newline.

    Raises:
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps.
    """
    plain, shown = _with_panels(recording, panels)
    chosen, language = _chosen(plain, step), language or get_language()
    said = [unquoted(sentence(plain, chosen)), *plain.notes]
    place, *parts = (
        each.in_language(language) for each in (_place(plain, chosen), *said, *descriptions_at(shown, chosen))
    )
    has_code = has_sources(plain) and (panels is None or "code" in panels)
    code = ["\n".join(_marked_lines(plain, chosen, language))] if has_code else []
    tables = [plain_table(table, language) for table in _tables(plain, chosen, panels)]
    return "\n\n".join([place, *code, *parts, *tables]) + "\n"


def to_markdown(
    recording: Recording | Scene,
    step: int | None = None,
    language: str | None = None,
    *,
    panels: Sequence[str] | None = None,
) -> str:
    """Returns one step as Markdown, where neither widgets nor pictures are shown. Arguments as for `to_text`."""
    plain, shown = _with_panels(recording, panels)
    chosen, language = _chosen(plain, step), language or get_language()
    source = "\n".join(f"    {line}" for line in _marked_lines(plain, chosen, language))
    parts = [
        f"**{_safe(_place(plain, chosen).in_language(language))}**",
        *([source] if panels is None or "code" in panels else []),
        *(_in_markdown(said.in_language(language)) for said in (*headline(plain, chosen), *plain.notes) if said.en),
        *(_in_markdown(description.in_language(language)) for description in descriptions_at(shown, chosen)),
    ]
    parts += [_marked_down(table, language) for table in _tables(plain, chosen, panels)]
    return "\n\n".join(parts) + "\n"


def _marked_lines(recording: Recording, step: int, language: str) -> list[str]:
    """The lines of the program, with a comment behind the one of the step. Behind a backslash there is no room for one. Of a program of several texts,
    those that matter at the step, with their numbers.
    """
    note = f"  # ← {SHARE['this_step'].in_language(language)}"
    if has_sources(recording):
        return [
            f"{number:>5}  {text}{note if here else ''}" if isinstance(number, str) else number.in_language(language)
            for number, text, here in excerpt(recording, step)
        ]
    lines = recording.source.rstrip().split("\n")
    line = recording.steps[step].line
    if line is not None and line <= len(lines) and not lines[line - 1].endswith("\\"):
        lines[line - 1] += note
    return lines


def _with_panels(recording: Recording | Scene, panels: Sequence[str] | None) -> tuple[Recording, list[Panel]]:
    """The recording and the panels to describe: those chosen, or none where the tables cover all panels."""
    plain = recording.recording if isinstance(recording, Scene) else presentable(recording)
    if panels is None:
        return plain, []
    scene = recording if isinstance(recording, Scene) else scene_of(recording)
    return plain, [scene.panel(name) for name in PANELS if name in panels]


def _tables(recording: Recording, step: int, panels: Sequence[str] | None) -> Iterator[Table]:
    found = tables(recording, recording.state(step))
    return (table for table in (found if panels is None else tables_of_panels(panels, found)) if table.rows)


def _chosen(recording: Recording, step: int | None) -> int:
    return key_step(recording) if step is None else recording.state(step).step.index


def _place(recording: Recording, step: int) -> Text:
    now = recording.steps[step]
    place = PLAYER["position"].format(step=step + 1, steps=len(recording))
    if now.place is not None:
        place = Text("{0}, {1}", "{0}，{1}").format(place, place_in_words(recording, now.place))
    phase = player_words(terms_of(recording))[stages(recording)[step]]
    if phase.en:
        place = Text("{0}, {1}", "{0}，{1}").format(place, phase)
    return Text("{0}: {1}", "{0}：{1}").format(recording.title, place) if recording.title else place


def _cells(table: Table, language: str) -> list[list[str]]:
    def cell_text(word: Words) -> str:
        return word.in_language(language) if isinstance(word, Text) else word

    return [
        [cell_text(column) for column in table.columns],
        *([cell_text(cell) for cell in cells] for _, cells in table.rows),
    ]


def plain_table(table: Table, language: str) -> str:
    """Returns a table as plain text, in columns."""
    rows = _cells(table, language)
    widths = [max(columns(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(map(padded, row, widths)).rstrip() for row in rows]
    return "\n".join([table.title.in_language(language), *(f"  {line}" for line in lines)])


def _marked_down(table: Table, language: str) -> str:
    head, *rows = ([_safe(cell) for cell in row] for row in _cells(table, language))
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join([f"**{table.title.in_language(language)}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


_CODE = re.compile(r"(`[^`]+`)")
_MEANS_SOMETHING = re.compile(r"([\\*`|~]|(?<!\w)_|_(?!\w)|(?<=\])[(\[:]|(?<=!)\[|\[(?=\^)|^(?:[#>+=-]|\d+(?=[.)])))")
"""Characters that have a meaning in Markdown. An underscore between letters has none, a bracket only in a link, a sign such as # only
at the beginning."""
_ADDRESS = re.compile(r":(?=//)|(?<=www)\.|@", re.IGNORECASE)
"""What makes a link of a plain address."""


def _safe(content: str) -> str:
    """Text that a program may have written, escaped so that Markdown shows it unchanged, on one line."""
    escaped = _MEANS_SOMETHING.sub(_escaped, " ".join(content.split("\n")).replace("&", "&amp;"))
    return _ADDRESS.sub(lambda match: f"&#{ord(match[0])};", escaped.replace("<", "&lt;"))


def _escaped(match: re.Match[str]) -> str:
    sign: str = match[0]
    return f"&#{ord(sign[0])};{sign[1:]}" if sign[0].isdigit() else f"\\{sign}"


def _in_markdown(content: str) -> str:
    """A sentence whose code is already in backticks. Other backticks become entities, since an escaped one may end code before it."""
    pieces = _CODE.split(content.replace("\n", " "))
    return "".join(piece if _CODE.fullmatch(piece) else _safe(piece).replace("\\`", "&#96;") for piece in pieces)


def _page(scene: Scene, language: str, predict: bool | Iterable[Question], panels: Sequence[str]) -> str:
    with gc_paused():
        shown = scene.for_page
        events = None if shown is scene else [run.start for run in shown.runs if len(run) == 1]
        questions = questions_for(scene.recording, predict, events)
        asked = [each for each in questions if shown.seen_at(each.step) is not None]
        step = shown.seen_at(opening_step(scene.recording, None if predict is False else asked)) or 0
        mode = opening_mode(scene.recording)
        asked = [replace(each, step=shown.seen_at(each.step) or 0) for each in asked]
        sent = [packed_json(payload(shown, asked, panels=panels))]
        if len(sent[0]) > MOST_AT_ONCE and shown.by_statement is None:
            sent.insert(0, packed_json(payload(shown, asked, panels=panels, only=step, extent="page", mode=mode)))
        return whole_page(
            *sent,
            player=javascript(),
            style=stylesheet(),
            folder="inplacelab_widgets/player",
            title=scene.recording.title,
            language=language,
            options={"predict": predict is not False, "step": step, "mode": mode},
        )
