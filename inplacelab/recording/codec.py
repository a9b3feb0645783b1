"""Converts recordings to JSON text and back without loss.

The form follows from the dataclasses: a class is an object with its fields, a tuple is a list, None is null. JSON cannot
express some numbers; they are written as `"nan"`, `"inf"`, `"-inf"` and `{"re": 1.0, "im": -2.0}`. The text is
strict JSON, the same for equal recordings, with one step on each line. `schema.json` in this folder describes it.
"""

from __future__ import annotations

import json
from cmath import isfinite
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Never, Union, get_args, get_origin, get_type_hints

from inplacelab.language import Text
from inplacelab.recording.facts import Number
from inplacelab.recording.recording import SCHEMA_VERSION, Recording
from inplacelab.recording.upgrade import upgraded

__all__ = ["RecordingFormatError", "from_json", "load", "save", "to_json"]


class RecordingFormatError(ValueError):
    """Raised for a text that is not a recording, or that this version cannot read.

    Attributes:
        explanation: where and why, in both languages.
    """

    def __init__(self, explanation: Text) -> None:
        super().__init__(str(explanation))
        self.explanation = explanation


def to_json(recording: Recording) -> str:
    """Returns a recording as strict JSON, the same text for equal recordings.

    Raises:
        TypeError: if a fact has a type that a recording cannot hold, such as a NumPy integer; the message names the field.

    >>> print(to_json(Recording("inplacelab", "0.1", "empty", "pass", ())))
    {"framework":"inplacelab","framework_version":"0.1","title":"empty","source":"pass","truncated":0,"simulated":false,"live_before":0,"notes":[],"schema":2,"steps":[
    ]}
    """
    document = _encode(recording, "recording")
    steps = ",\n".join(_dumps(step) for step in document.pop("steps"))
    return f'{_dumps(document)[:-1]},"steps":[\n{steps}{steps and chr(10)}]}}'


def from_json(text: str) -> Recording:
    """Reads a recording from the JSON that `to_json` wrote, in this or an earlier version of inplacelab.

    Args:
        text: the JSON.

    Raises:
        RecordingFormatError: if the text is not JSON, has an unknown schema version, or does not match the schema; the
            message names the place in the document, what was found and what was expected.
    """
    document = _parse(text)
    if not isinstance(document, dict):
        _refuse("recording", _wanted(Recording), document)
    try:
        document = upgraded(document)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RecordingFormatError(_DAMAGED.format(document["schema"])) from error
    if document.get("schema") != SCHEMA_VERSION:
        _refuse("recording.schema", Text("schema {0}", "第 {0} 版格式").format(SCHEMA_VERSION), document.get("schema"))
    recording: Recording = _decode(Recording, document, "recording")
    for position, step in enumerate(recording.steps):
        if step.index != position:
            _refuse(f"recording.steps[{position}].index", Text(f"{position}", f" {position}"), step.index)
    return recording


_DAMAGED = Text(
    "This claims to be a recording of schema {0} but is not one.", "这自称是第 {0} 版格式的记录，其实不是。"
)


def save(recording: Recording, path: str | PathLike[str]) -> None:
    """Writes a recording to a file, as JSON in UTF-8.

    Args:
        recording: the recording.
        path: the file; it is overwritten if it exists.

    Raises:
        OSError: if the file cannot be written.
    """
    Path(path).write_text(to_json(recording) + "\n", encoding="utf-8", newline="\n")


def load(path: str | PathLike[str]) -> Recording:
    """Reads a recording from a file that `save` wrote.

    Raises:
        OSError: if the file cannot be read.
        RecordingFormatError: as from `from_json`.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        pattern = Text("This is not UTF-8 text: byte {0}.", "这不是 UTF-8 文本：第 {0} 字节有误。")
        raise RecordingFormatError(pattern.format(error.start)) from error
    return from_json(text)


# --- facts to JSON -------------------------------------------------------------------------------------------------


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _encode(value: Any, place: str) -> Any:
    if is_dataclass(value):
        return {field.name: _encode(getattr(value, field.name), f"{place}.{field.name}") for field in fields(value)}
    if isinstance(value, tuple):
        return [_encode(item, f"{place}[{position}]") for position, item in enumerate(value)]
    if isinstance(value, complex):
        return {"re": _encode(value.real, place), "im": _encode(value.imag, place)}
    if isinstance(value, float):
        return float(value) if isfinite(value) else str(float(value))
    if isinstance(value, str | int | NoneType):
        return value
    raise TypeError(f"{place}: a recording holds no {type(value).__module__}.{type(value).__qualname__}")


# --- JSON to facts -------------------------------------------------------------------------------------------------

_NOT_FINITE = ("nan", "inf", "-inf")
_NUMBER_OR_NONE = Number | None


def _parse(text: str) -> Any:
    def refuse_constant(name: str) -> Never:
        _refuse("recording", Text('strict JSON, which writes it as "nan", "inf" or "-inf"', "严格的 JSON"), name)

    try:
        return json.loads(text, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        pattern = Text("This is not JSON: line {0}, column {1}.", "这不是 JSON：第 {0} 行第 {1} 列有误。")
        raise RecordingFormatError(pattern.format(error.lineno, error.colno)) from error


def _decode(hint: Any, value: Any, place: str) -> Any:
    """Decodes a JSON value as the type `hint`; raises an error that names the place if it does not fit."""
    if not _fits(hint, value):
        _refuse(place, _wanted(hint), value)
    if hint in (Number, _NUMBER_OR_NONE):
        return None if value is None else _number(value)
    if _is_union(hint):
        return _decode(next(arm for arm in get_args(hint) if _fits(arm, value)), value, place)
    if get_origin(hint) is tuple:
        # A recording is mostly numbers, and most of them need no decoding.
        plain = get_args(hint)[0] == Number and all(type(item) is float for item in value)
        return tuple(value) if plain else tuple(_decode(*item) for item in _items(hint, value, place))
    return _object(hint, value, place) if is_dataclass(hint) else value


def _fits(hint: Any, value: Any) -> bool:
    """Whether a JSON value is of the right kind; its items are checked when they are decoded."""
    if hint == _NUMBER_OR_NONE:
        return value is None or _fits(Number, value)
    if hint == Number:
        return type(value) in (int, float, bool) or value in _NOT_FINITE or _is_complex(value)
    if _is_union(hint):
        return any(_fits(arm, value) for arm in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, list) and (_is_open(hint) or len(value) == len(get_args(hint)))
    return isinstance(value, dict) if is_dataclass(hint) else type(value) is hint


def _object(cls: Any, value: dict[str, Any], place: str) -> Any:
    known = {field.name: field for field in fields(cls)}
    for name in value:
        if name not in known:
            _refuse_field(Text("{0} has no field `{1}`", "{0} 没有字段 `{1}`"), place, name, cls)
    for name, field in known.items():
        if name not in value and field.default is MISSING:
            _refuse_field(Text("{0} lacks the field `{1}`", "{0} 缺少字段 `{1}`"), place, name, cls)
    return cls(**{name: _decode(_hints(cls)[name], item, f"{place}.{name}") for name, item in value.items()})


def _items(hint: Any, value: list[Any], place: str) -> list[tuple[Any, Any, str]]:
    hints = get_args(hint)[:1] * len(value) if _is_open(hint) else get_args(hint)
    return [(each, item, f"{place}[{n}]") for n, (each, item) in enumerate(zip(hints, value, strict=True))]


def _number(value: Any) -> Number:
    if isinstance(value, dict):
        return complex(float(value["re"]), float(value["im"]))
    return float(value) if isinstance(value, str) else value


def _is_complex(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"re", "im"}:
        return False
    return all(type(part) in (int, float) or part in _NOT_FINITE for part in value.values())


def _is_union(hint: Any) -> bool:
    # `Category | None` is a `typing.Union`, because `Literal` comes from there; `int | None` is a `types.UnionType`.
    return get_origin(hint) in (Union, UnionType)


def _is_open(hint: Any) -> bool:
    """Whether a tuple type is `tuple[X, ...]`."""
    return get_args(hint)[-1:] == (Ellipsis,)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


# --- refusals ------------------------------------------------------------------------------------------------------

_LONGEST_EXCERPT = 60


def _refuse(place: str, wanted: Text, found: Any) -> Never:
    excerpt = json.dumps(found, ensure_ascii=False)
    if len(excerpt) > _LONGEST_EXCERPT:
        excerpt = f"{excerpt[:_LONGEST_EXCERPT]}..."
    pattern = Text("{0}: expected {1}, found {2}.", "{0}：应为{1}，实为 {2}。")
    raise RecordingFormatError(pattern.format(place, wanted, excerpt))


def _refuse_field(what: Text, place: str, name: str, cls: Any) -> Never:
    pattern = what + Text("; expected {2}.", "；应为{2}。")
    raise RecordingFormatError(pattern.format(place, name, _wanted(cls)))


_PLAIN: dict[Any, Text] = {
    int: Text("a whole number", "整数"),
    str: Text("a string", "字符串"),
    bool: Text("true or false", " true 或 false"),
    NoneType: Text("null", " null"),
}


def _wanted(hint: Any) -> Text:
    """Describes what a type allows."""
    if hint in (Number, _NUMBER_OR_NONE):
        number = Text('a number, true, false, "nan", "inf", "-inf" or {"re": ..., "im": ...}', "数值或其约定写法")
        return number if hint == Number else number + Text(" or null", "或 null")
    if _is_union(hint):
        arms = [_wanted(arm) for arm in get_args(hint)]
        return Text(" or ".join(arm.en for arm in arms), "或".join(arm.zh for arm in arms))
    if get_origin(hint) is Literal:
        return Text("one of {0}", "以下之一：{0}").format(", ".join(json.dumps(choice) for choice in get_args(hint)))
    if get_origin(hint) is tuple:
        length = "" if _is_open(hint) else f" {len(get_args(hint))}"
        return Text("a list", "列表") if not length else Text("a list of{0} items", "{0} 项的列表").format(length)
    if is_dataclass(hint):
        names = ", ".join(field.name for field in fields(hint))
        return Text("an object with the fields {0}", "含字段 {0} 的对象").format(names)
    return _PLAIN[hint]
