r"""Makes every character of a recording visible: those that a terminal, a browser or Markdown would obey are written as escapes.

A program chooses its names, its messages and its source, and a file may contain anything. A control character can clear a terminal
and is not allowed in XML; a character that changes the direction of writing can make code look like other code.

>>> print(visible("a\x1b[2Jb"))
a\x1b[2Jb
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import cache
from operator import attrgetter, is_
from typing import Any, get_args, get_type_hints

from inplacelab.language import Text
from inplacelab.recording.recording import Recording

__all__ = ["HIDDEN", "presentable", "visible"]

_OBEYED = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff"
HIDDEN = re.compile(f"[{_OBEYED}]")
"""The characters that are written as escapes, wherever they are."""
_HIDDEN_OR_BREAK = re.compile(f"[\\n{_OBEYED}]")


def visible(text: str, *, lines: bool = False) -> str:
    r"""Returns a text in which control characters, direction marks and halves of surrogate pairs are escapes such as `\x1b`.

    Args:
        text: the text.
        lines: whether it may have several lines; otherwise the end of a line becomes an escape, too.
    """
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(_escape, text.replace("\r\n", "\n")) if lines else _HIDDEN_OR_BREAK.sub(_escape, text)


def presentable(recording: Recording) -> Recording:
    """Returns a recording in which every character is visible: itself, unless something is hidden. Names are on one line and without
    backticks, which surround names in sentences; a message of more than `MOST_SHOWN` characters is cut.
    """
    return recording.once(_presentable)


def _presentable(recording: Recording) -> Recording:
    shown: Recording = _shown(recording)
    return shown


_CODE = frozenset({"source", "text"})
"""The fields that hold parts of the program."""
_MESSAGES = frozenset({"message", "en", "zh"})
"""The fields that hold prose: several lines, with code in backticks."""
MOST_SHOWN = 10_000
"""The most characters of a message that are shown."""
_SILENT = frozenset({int, float, bool, complex, type(None)})


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def _shown(value: Any, field: str = "") -> Any:
    """Returns a fact with every character visible: the same object if nothing is hidden."""
    if type(value) is str:
        return _string(value, field)
    if type(value) is tuple:
        shown = tuple([item if type(item) in _SILENT else _shown(item, field) for item in value])
        return value if all(map(is_, shown, value)) else shown
    changed = {}
    names, parts = _fields(value.__class__)
    for name, part in zip(names, parts(value), strict=True):
        if type(part) not in _SILENT and part and (shown := _shown(part, name)) is not part:
            changed[name] = shown
    return _changed(value, changed) if changed else value


def _string(value: str, field: str) -> str:
    if field in _CODE:
        return visible(value, lines=True)
    if field in _MESSAGES:
        return visible(value if len(value) <= MOST_SHOWN else value[:MOST_SHOWN] + "…", lines=True)
    return visible(value) if field == "title" else visible(value).replace("`", "'")


def _changed(facts: Any, changed: dict[str, Any]) -> Any:
    return Text(**{"en": facts.en, "zh": facts.zh} | changed) if isinstance(facts, Text) else replace(facts, **changed)


@cache
def _fields(cls: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of the fields of a class of facts that may have text, and what reads them. A recording has a hundred thousand parts, most of
    them numbers.
    """
    kinds = get_type_hints(cls) if is_dataclass(cls) else {}
    names = tuple(name for name, kind in kinds.items() if _has_text(kind))
    return names, attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)


def _has_text(kind: Any) -> bool:
    """Whether a value of a type may have text that is not one of a few given words."""
    return kind in {str, Any} or any(map(_has_text, get_args(kind))) or bool(_fields(kind)[0])
