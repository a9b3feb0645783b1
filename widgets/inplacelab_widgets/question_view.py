"""A notebook widget that asks a learner for a prediction before a program runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, TypedDict

import traitlets

from inplacelab.language import Text, get_language
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.player_bundle import for_anywidget, stylesheet, without_comments

__all__ = ["AskedPart", "QuestionView"]

_HERE = Path(__file__).parent
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

    _esm = for_anywidget(
        (_HERE / "question_view.js").read_text(encoding="utf-8"),
        stylesheet() + without_comments((_HERE / "question_view.css").read_text(encoding="utf-8")),
    )

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
