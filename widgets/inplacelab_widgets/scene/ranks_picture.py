"""Draws several ranks side by side at one position of their cursor, as a still picture: what it comes to, the axis of all ranks, and the
storages of each rank.
"""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene.comparison import outlined
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.ranks import RanksScene
from inplacelab_widgets.scene.ranks_axis import ranks_panel
from inplacelab_widgets.scene.still_pictures import PAD
from inplacelab_widgets.scene.svg import document, group_at, panel_at, placed, rule, text_at
from inplacelab_widgets.scene.text_layout import NORMAL, SMALL, shortened, wrapped

__all__ = ["ranks_picture", "said"]

_WIDTH = 848.0
_MOST_BESIDE = 2
_LINE = 18.0


def ranks_picture(scene: RanksScene, position: int, language: str) -> str:
    """Returns a position as an SVG picture, 848 px wide."""
    parts = [
        text_at(
            PAD,
            PAD + 14,
            "text headline",
            shortened(_plain(scene.conclusion, language), _WIDTH - 2 * PAD, 17),
            language,
        )
    ]
    y = PAD + 30
    told = scene.told(position)
    for line in wrapped(
        f"{_plain(told.clause, language)}  {_plain(told.detail, language)}".rstrip(), _WIDTH - 2 * PAD, NORMAL
    ):
        parts.append(text_at(PAD, y + 10, "text", line, language))
        y += _LINE
    panel = ranks_panel(scene)
    parts.append(placed(panel_at(panel, position, language), PAD, y + 4, (_WIDTH - 2 * PAD) / panel.width))
    y += panel.height + 12
    parts.append(rule(y, _WIDTH))
    beside = min(len(scene.scenes), _MOST_BESIDE)
    width = (_WIDTH - (beside + 1) * PAD) / beside
    for first in range(0, len(scene.scenes), beside):
        heights = []
        for column, rank in enumerate(range(first, min(first + beside, len(scene.scenes)))):
            drawn, height = _frame(scene, position, rank, width, language)
            parts.append(placed(drawn, PAD + column * (width + PAD), y + 10))
            heights.append(height)
        y += max(heights) + 18
    return document((_WIDTH, y + 4), parts, scene.title, said(scene, position, language))


def said(scene: RanksScene, position: int, language: str) -> str:
    """Returns what it comes to, and what happens at a position, in words."""
    told = scene.told(position)
    stop = {"en": ". ", "zh": "。"}[language]
    clauses = dict.fromkeys(_plain(each, language) for each in (scene.conclusion, told.clause))  # the same is said once
    return ("".join(each + stop for each in clauses) + _plain(told.detail, language)).strip()


def _plain(text: Text, language: str) -> str:
    return unquoted(text).in_language(language)


def _frame(scene: RanksScene, position: int, rank: int, width: float, language: str) -> tuple[str, float]:
    """A rank's name, what it does, and its storages; and the height."""
    step = scene.alignment.reached[position][rank]
    waiting = scene.waiting(position, rank)
    name = text_at(0, 14, "text bold", words.RANK.format(rank), language)
    if step is None:
        return name + text_at(0, 32, "text soft", _plain(words.NOT_BEGUN.format(rank), language), language), 40.0
    now = scene.scenes[rank].recording.steps[step]
    does = waiting or (Text(now.op, now.op) if now.op else words.LINE.format(line=now.line))
    where = "" if now.line is None else f" · {words.LINE.format(line=now.line).in_language(language)}"
    told = shortened(f"{_plain(does, language)}{where if waiting is None and now.op else ''}", width - 70, SMALL)
    parts = [name, text_at(70, 14, "text soft" if waiting else "text", told, language)]
    panel = outlined(scene.scenes[rank].storages, scene.outlines(position, rank))
    drawn = scene.drawn(position, rank)
    chosen = [group for group in panel.groups if group.key in drawn and group.is_there(step)]
    scale = min(1.0, width / panel.width)
    y = 24.0
    for group in chosen[:3]:
        parts.append(placed(group_at(group, step, language), 0, y, scale))
        y += scale * group.height + 8
    return "".join(parts), y
