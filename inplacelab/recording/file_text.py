r"""Text that is not trusted: JSON is read within bounds, and characters that a terminal, a browser or Markdown would obey are shown as escapes.

A program chooses its names, its messages and its source, and a file may contain anything. A control character can clear a terminal
and is not allowed in XML; a character that changes the direction of writing can make code look like other code.

>>> print(visible("a\x1b[2Jb"))
a\x1b[2Jb
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import cache
from operator import attrgetter, is_
from os import PathLike
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Any, Never, Self, get_args, get_type_hints

from inplacelab.language import Text
from inplacelab.place import Place

if TYPE_CHECKING:
    from inplacelab.recording.recording import Recording

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
    shown: Recording = recording.once(_shown)
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
        if _SILENT.issuperset(map(type, value)):  # most are values
            return value
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
    return kind in {str, Any, Place} or any(map(_has_text, get_args(kind))) or bool(_fields(kind)[0])


MOST_BYTES = 64 * 2**20
"""The most bytes of a file. A recording of 2,000 steps has two or three million; objects take up to twenty times the bytes of
their JSON."""
MOST_DIGITS = 20
"""The most digits of a whole number, as many as 64 bits have."""
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON can express it, but no text contains it, and no file can."""

_LONGEST_EXCERPT = 60


class RecordingFormatError(ValueError):
    """Raised for a text that is not a recording, or that this version cannot read.

    Attributes:
        explanation: where and why, in both languages.
    """

    def __init__(self, explanation: Text) -> None:
        super().__init__(str(explanation))
        self.explanation = explanation


class MisfitError(Exception):
    """A part of a recording that does not fit. Its place is completed on the way out, so that none is built for a part that fits.

    Attributes:
        pattern: the sentence; its first field is the place.
        facts: its other fields.
        place: where it is, so far: ".steps[3].live".
    """

    def __init__(self, pattern: Text, *facts: object) -> None:
        super().__init__()
        self.pattern, self.facts, self.place = pattern, facts, ""

    def inside(self, place: str) -> Self:
        """Completes the place: this is a part of what is there."""
        self.place = place + self.place
        return self

    def explanation(self) -> Text:
        """Returns the whole sentence."""
        return self.pattern.format(f"recording{self.place}", *self.facts)


_NO_FILE = Text("This is not a file.", "这不是普通文件。")
_FOLDER = Text("This is a folder, not a file.", "这是文件夹，不是文件。")
_TOO_LARGE = Text(
    "This is too large for a recording: more than {0} MiB.", "作为一份记录，它太大了：超过 {0} MiB。"
).format(MOST_BYTES >> 20)
_NO_TEXT = Text("This is not UTF-8 text: byte {0}.", "这不是 UTF-8 文本：第 {0} 字节有误。")
_NO_JSON = Text("This is not JSON: line {0}, column {1}.", "这不是 JSON：第 {0} 行第 {1} 列有误。")
_TOO_DEEP = Text("This is no recording: lists or objects are nested too deeply.", "这不是记录：列表或对象嵌套过深。")
_TWICE = Text(
    "This is not strict JSON: an object has the field {0} twice.", "这不是严格的 JSON：同一对象中字段 {0} 出现了两次。"
)
_TOO_LONG = Text(
    "This is no recording: a whole number has more than {0} digits.", "这不是记录：有的整数超过 {0} 位。"
).format(MOST_DIGITS)
_NO_CONSTANT = Text(
    'recording: expected strict JSON, which writes it as "nan", "inf" or "-inf", found {0}.',
    "recording：应为严格的 JSON，实为 {0}。",
)


def read_text(path: str | PathLike[str]) -> str:
    """Reads a text file, if it is a plain file and not too large.

    Raises:
        OSError: if the file cannot be read.
        RecordingFormatError: if it is a folder, a device or a pipe, too large, or not UTF-8 text.
    """
    try:
        mode = Path(path).stat().st_mode
    except ValueError:  # a path with a null character
        raise FileNotFoundError(2, "No such file or directory", path) from None
    if not S_ISREG(mode):  # opening a pipe waits for a writer
        raise RecordingFormatError(_FOLDER if S_ISDIR(mode) else _NO_FILE)
    with open(path, "rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise RecordingFormatError(_TOO_LARGE)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordingFormatError(_NO_TEXT.format(error.start)) from None


def parsed(text: str) -> Any:
    """Parses strict JSON.

    Raises:
        RecordingFormatError: if the text is too large or is not strict JSON: an object has a field twice, or a number is `NaN`.
    """
    if len(text) > MOST_BYTES:
        raise RecordingFormatError(_TOO_LARGE)
    try:
        return json.loads(text, parse_constant=_no_constant, parse_int=_whole, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise RecordingFormatError(_NO_JSON.format(error.lineno, error.colno)) from None
    except RecursionError:
        raise RecordingFormatError(_TOO_DEEP) from None


def excerpt(found: Any) -> str:
    """Returns the beginning of a JSON value, for an error message."""
    try:
        line = json.dumps(found, ensure_ascii=False)
    except RecursionError:
        line = "[[[..."
    line = line if len(line) <= _LONGEST_EXCERPT else f"{line[:_LONGEST_EXCERPT]}..."
    return visible(line)


def _no_constant(name: str) -> Never:
    raise RecordingFormatError(_NO_CONSTANT.format(name))


def _whole(digits: str) -> int:
    # Reading a number takes the square of its digits, and Python refuses thousands of them with an error of its own.
    if len(digits) > MOST_DIGITS:
        raise RecordingFormatError(_TOO_LONG)
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        (name, _), *_ = (Counter(name for name, _ in pairs)).most_common(1)
        raise RecordingFormatError(_TWICE.format(excerpt(name)))
    return made
