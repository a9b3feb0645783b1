"""Texts in two languages, and the current language.

Everything that a person reads (error explanations, sentences under a picture, documentation of an operation) is a
`Text`: the same sentence in English and in Chinese. `str(text)` is the one in the current language.

>>> from inplacelab.language import Text, speak
>>> greeting = Text("a view", "一个视图")
>>> with speak("zh"):
...     print(greeting)
一个视图
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args
from unicodedata import combining, east_asian_width

Language = Literal["en", "zh"]
LANGUAGES: tuple[str, ...] = get_args(Language)

__all__ = ["LANGUAGES", "Language", "Text", "columns", "enumerated", "get_language", "padded", "set_language", "speak"]


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Text:
    """The same text in both languages.

    Attributes:
        en: the English text.
        zh: the Chinese text.
    """

    en: str
    zh: str

    def __init__(self, en: str, zh: str) -> None:
        # A picture has thousands of texts: this takes half the time of a frozen dataclass's own `__init__`.
        _set_en(self, en)
        _set_zh(self, zh)

    def __str__(self) -> str:
        return self.in_language(_current)

    def in_language(self, language: str) -> str:
        """The text in `language` ("en" or "zh")."""
        return self.zh if language == "zh" else self.en

    def format(self, *args: Any, **facts: Any) -> Text:
        """Fills in `{placeholders}`, as `str.format` does. A fact that is a `Text` appears in the language of the result.

        >>> Text("{0} of {1}", "{1} 的{0}").format(Text("a copy", "副本"), "`x`").zh
        '`x` 的副本'
        """
        if _TELLING.issuperset(map(type, args)) and _TELLING.issuperset(map(type, facts.values())):
            return _filled_before(self, *args, **facts)
        return _filled(self, *args, **facts)

    def __add__(self, other: Text) -> Text:
        return Text(self.en + other.en, self.zh + other.zh)

    def __hash__(self) -> int:
        return hash(self.en)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.en == other.en and self.zh == other.zh


def _filled(text: Text, *args: Any, **facts: Any) -> Text:
    en = [value.en if isinstance(value, Text) else value for value in args]
    zh = [value.zh if isinstance(value, Text) else value for value in args]
    en_facts = {key: value.en if isinstance(value, Text) else value for key, value in facts.items()}
    zh_facts = {key: value.zh if isinstance(value, Text) else value for key, value in facts.items()}
    return Text(text.en.format(*en, **en_facts), text.zh.format(*zh, **zh_facts))


# Equal facts of one of these types are printed alike; 0.0 and -0.0 are equal and are not.
_TELLING = frozenset({int, str, Text})
# The picture of a loop repeats its texts: four in five were filled in before.
_filled_before = lru_cache(maxsize=1 << 13, typed=True)(_filled)
_set_en, _set_zh = Text.__dict__["en"].__set__, Text.__dict__["zh"].__set__


_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Where POSIX looks for the language of messages, the first that is set counts."""


def _initial(environment: Mapping[str, str] = os.environ) -> str:
    wanted = environment.get("INPLACELAB_LANGUAGE")
    if wanted is None:
        locale = next((value for name in _LOCALE if (value := environment.get(name))), "")
        wanted = "zh" if locale.lower().startswith(("zh", "chinese")) else "en"
    return wanted if wanted in LANGUAGES else "en"


_current: str = _initial()


def enumerated(items: Iterable[Text | str]) -> Text:
    """Returns items as a list in words: "x, y", in Chinese "x、y".

    >>> print(enumerated(["x", Text("a copy", "副本")]).zh)
    x、副本
    """
    both = [each if isinstance(each, Text) else Text(each, each) for each in items]
    return Text(", ".join(each.en for each in both), "、".join(each.zh for each in both))


def columns(text: str) -> int:
    """Returns the number of columns that a text takes in a terminal: a Chinese character takes two, an accent none.

    >>> columns("v0 → v1"), columns("版本")
    (7, 4)
    """
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def padded(text: str, width: int) -> str:
    """Returns a text with blanks behind it, so that it takes `width` columns."""
    return text + " " * (width - columns(text))


_NO_LANGUAGE = Text("There is no language {0!r} here: choose one of {1}.", "没有 {0!r} 这种语言：请从 {1} 中选择。")


def get_language() -> str:
    """Returns the current language: "en" or "zh"."""
    return _current


def set_language(language: str) -> None:
    """Sets the language of everything a person reads: "en" (English) or "zh" (Chinese).

    A session starts with the language of the environment variable `INPLACELAB_LANGUAGE`. Where that is not set, it follows the
    locale: Chinese with `LANG=zh_CN.UTF-8`, otherwise English.

    Raises:
        ValueError: if `language` is neither.
    """
    global _current
    if language not in LANGUAGES:
        raise ValueError(str(_NO_LANGUAGE.format(language, ", ".join(map(repr, LANGUAGES)))))
    _current = language


@contextmanager
def speak(language: str) -> Iterator[None]:
    """Uses `language` inside a `with` block, and the previous one after it."""
    before = _current
    set_language(language)
    try:
        yield
    finally:
        set_language(before)
