"""Small notebook widgets: a list that can be sorted and filtered, and a question that is asked before a program runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, TypedDict

import traitlets

from inplacelab.language import Text, get_language
from inplacelab.listing import Cell, Listing
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.player_bundle import packed_view

__all__ = ["AskedPart", "ListView", "QuestionView"]


_FILTER = Text("filter: words that a row contains", "筛选：行中包含的词")
_COUNT = Text("{shown} of {all}", "{shown} / {all}")


class ListView(LiveWidget):
    """Shows a `Listing`. Click a column head to sort by it; type words to keep only the rows that contain them.

    Args:
        listing: the rows to show.

    >>> from inplacelab.ops.table.printed import listing  # doctest: +SKIP
    >>> ListView(listing(), words="never")  # doctest: +SKIP
    """

    _esm = packed_view("list_view")

    words = traitlets.Unicode("", help="Only rows that contain all these words are shown.").tag(sync=True)
    sorted_by = traitlets.Int(-1, help="The column that is sorted by, from 0; -1: as listed.").tag(sync=True)
    descending = traitlets.Bool(False, help="Whether the largest stands first.").tag(sync=True)
    _list = traitlets.Dict().tag(sync=True)

    def __init__(self, listing: Listing, **traits: Any) -> None:
        self._listing = listing
        super().__init__(**{"language": get_language(), "_list": _payload(listing), **traits})

    def __repr__(self) -> str:
        return f"ListView({self._listing.title.in_language(self.language)!r}, rows={len(self._listing)})"

    def _static_copy(self) -> dict[str, str]:
        """The static copy: a plain table."""
        return {"text/plain": repr(self), "text/html": self._listing._repr_html_()}


def _payload(listing: Listing) -> dict[str, Any]:
    rows = [[_both(cell) for cell in row] for group in listing.groups for row in group.rows]
    heads = [_both(head) for head in listing.heads]
    return {
        "title": _both(listing.title),
        "heads": heads,
        "rows": rows,
        "filter": _both(_FILTER),
        "count": _both(_COUNT),
    }


def _both(cell: Cell) -> list[str]:
    return [cell.en, cell.zh] if isinstance(cell, Text) else [cell, cell]


_WORDS = {
    "enter": Text("That is my prediction", "我的预测就是这些"),
    "blank": Text(
        "Answer each part first. A guess is fine: it is not graded.", "请先回答每一个小问。猜也可以：这里不评分。"
    ),
    "noted": Text("Noted. Now run the next cell.", "已记下。现在运行下一个单元格。"),
    "several": Text("(none, one or several)", "（可以不选，也可以选多个）"),
    "field": Text("your answer", "你的答案"),
    "colon": Text(": ", "："),
}
_STILL = Text(
    "(In a running notebook, enter your prediction here.)",
    "（笔记本运行时，可以在这里填写你的预测。）",
)


class AskedPart(TypedDict):
    """One part of a question: what is asked, the options (none: a field to fill in), and whether several may be right."""

    label: str
    options: Sequence[str]
    several: bool


class QuestionView(LiveWidget):
    """Shows a question with a field or options for each part. It does not have the answers.

    Args:
        name: the question's name.
        parts: what is asked.

    >>> view = QuestionView("viewed", [AskedPart(label="storages", options=[], several=False)])  # doctest: +SKIP
    >>> view.observe(lambda change: print(change["new"]), names=["answers"])  # doctest: +SKIP
    """

    _esm = packed_view("question_view")

    answers: traitlets.List[Any] = traitlets.List(
        help="For each part the indices of the chosen options, or the text of the field; empty before that."
    ).tag(sync=True)
    compared: traitlets.List[str] = traitlets.List(
        traitlets.Unicode(), help="A line for each part that compares the prediction with the facts; empty before that."
    ).tag(sync=True)
    _question = traitlets.Dict().tag(sync=True)

    def __init__(self, name: str, parts: Sequence[AskedPart], **traits: Any) -> None:
        self._name, self._parts = name, tuple(parts)
        words = {key: [text.en, text.zh] for key, text in _WORDS.items()}
        question = {"parts": [dict(part) for part in parts], "words": words}
        super().__init__(**{"language": get_language(), "_question": question, **traits})

    def __repr__(self) -> str:
        return f"QuestionView({self._name!r}, parts={len(self._parts)})"

    def _static_copy(self) -> dict[str, str]:
        """The static copy: the parts and their options, without the answers."""
        colon = _WORDS["colon"].in_language(self.language)
        items = "".join(f"<li>{_in_html(part, colon)}</li>" for part in self._parts)
        said = escape(_STILL.in_language(self.language))
        return {"text/plain": repr(self), "text/html": f"<ul>{items}</ul>\n<p>{said}</p>"}


def _in_html(part: AskedPart, colon: str) -> str:
    options = " · ".join(map(_code, part["options"])) or "…"
    return f"{_code(part['label'])}{colon}{options}"


def _code(words: str) -> str:
    """Returns words as HTML; what stands in backticks is code."""
    pieces = words.split("`")
    return "".join(
        f"<code>{escape(piece)}</code>" if index % 2 and index + 1 < len(pieces) else escape(piece)
        for index, piece in enumerate(pieces)
    )
