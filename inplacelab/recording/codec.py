"""Converts recordings to JSON text and back without loss, also from the JSON of earlier schemas.

The form follows from the dataclasses: a class is an object with its fields, a tuple is a list, None is null. Each place is
written once, in `places`, and steps and nodes refer to it by its position there. JSON cannot express some numbers; they are
written as `"nan"`, `"inf"`, `"-inf"` and `{"re": 1.0, "im": -2.0}`. The text is strict JSON, the same for equal
recordings, with one step on each line. `schema.json` in this folder describes it.
"""

from __future__ import annotations

import json
from cmath import isfinite
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from inplacelab.language import Text
from inplacelab.place import MOST_CALLS, Place
from inplacelab.recording.checks import check
from inplacelab.recording.earlier_schemas import upgraded
from inplacelab.recording.facts import Number
from inplacelab.recording.file_text import (
    HIDDEN,
    SURROGATE,
    MisfitError,
    RecordingFormatError,
    excerpt,
    parsed,
    read_text,
)
from inplacelab.recording.recording import SCHEMA_VERSION, Recording

__all__ = ["RecordingFormatError", "decoded", "from_json", "load", "save", "to_json"]

Json = dict[str, Any]


LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**64 - 1
"""The range of whole numbers: that of the widest integer dtypes, of sizes and of offsets."""
MOST_CHARACTERS = 4_000_000
"""The most characters of one string. The longest are a program's source and an error message; a million lines of code are no lesson."""


def to_json(recording: Recording) -> str:
    """Returns a recording as strict JSON, the same text for equal recordings. Half of a surrogate pair, which is no text, becomes U+FFFD.

    Raises:
        TypeError: if a fact has a type that a recording cannot hold, such as a NumPy integer; the message names the field.

    >>> print(to_json(Recording("inplacelab", "0.1", "empty", (), ())))
    {"framework":"inplacelab","framework_version":"0.1","title":"empty","sources":[],"truncated":0,"simulated":false,"live_before":0,"notes":[],"schema":4,"places":[],"steps":[
    ]}
    """
    places = _Places()
    document = _encode(recording, "recording", places)
    steps = ",\n".join(_dumps(step) for step in document.pop("steps"))
    document["places"] = places.written
    return _visible(f'{_dumps(document)[:-1]},"steps":[\n{steps}{steps and chr(10)}]}}')


def from_json(text: str) -> Recording:
    """Reads a recording from the JSON that `to_json` wrote, in this or an earlier version of inplacelab.

    Args:
        text: the JSON.

    Raises:
        RecordingFormatError: if the text is not JSON, has an unknown schema version, or does not match the schema; the
            message names the place in the document, what was found and what was expected.
    """
    recording = decoded(parsed(text))
    check(recording)
    return recording


def decoded(document: Any) -> Recording:
    """Decodes a recording from plain lists and dictionaries, in any schema. Only types are checked, not whether the facts agree.

    Raises:
        RecordingFormatError: if the document does not match the schema.
    """
    try:
        if type(document) is not dict:
            raise _misfit(Recording, document)
        try:
            document = upgraded(document)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise RecordingFormatError(_DAMAGED.format(document["schema"])) from error
        if type(document.get("schema")) is not int or document["schema"] != SCHEMA_VERSION:
            wanted = Text("schema {0}", "第 {0} 版格式").format(SCHEMA_VERSION)
            raise _unlike(wanted, document.get("schema")).inside(".schema")
        _put_places(document)
        recording: Recording = _decoder(Recording)(document)
    except MisfitError as misfit:
        raise RecordingFormatError(misfit.explanation()) from None
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
    return from_json(read_text(path))


# --- facts to JSON -------------------------------------------------------------------------------------------------


def _visible(text: str) -> str:
    """JSON in which characters that a terminal or a browser would obey are escapes. Most of them JSON escapes anyway."""
    return text if text.isascii() and "\x7f" not in text else HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Places:
    """Numbers the places of a recording in the order in which they are first needed, callers first.

    Attributes:
        written: the places so far, as JSON.
    """

    def __init__(self) -> None:
        self.written: list[Json] = []
        self._numbers: dict[Place, int] = {}

    def number(self, place: Place, where: str) -> int:
        """Returns the number of a place."""
        for each in reversed(tuple(place.calls)):
            if each not in self._numbers:
                caller = None if each.called_from is None else self._numbers[each.called_from]
                facts = _fields(each, where, self)
                self.written.append(facts if caller is None else facts | {"called_from": caller})
                self._numbers[each] = len(self._numbers)
        return self._numbers[place]


def _fields(value: Any, where: str, places: _Places) -> Json:
    held = ((field, getattr(value, field.name)) for field in fields(value))
    return {
        field.name: _encode(each, f"{where}.{field.name}", places)
        for field, each in held
        if "left_out" not in field.metadata or (each != field.default and not isinstance(each, Place))
    }


def _encode(value: Any, where: str, places: _Places) -> Any:
    if type(value) is Place:
        return places.number(value, where)
    if is_dataclass(value):
        return _fields(value, where, places)
    if isinstance(value, tuple):
        return [_encode(item, f"{where}[{position}]", places) for position, item in enumerate(value)]
    return _encode_plain(value, where, places)


def _encode_plain(value: Any, where: str, places: _Places) -> Any:
    if isinstance(value, complex):
        return {"re": _encode(value.real, where, places), "im": _encode(value.imag, where, places)}
    if isinstance(value, float):
        return float(value) if isfinite(value) else str(float(value))
    if isinstance(value, str):
        return value if value.isascii() else SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, int | NoneType):
        return value
    raise TypeError(f"{where}: a recording holds no {type(value).__module__}.{type(value).__qualname__}")


# --- JSON to places ------------------------------------------------------------------------------------------------

_NO_PLACE = Text(
    "{0}: there is no place {1} among the {2} of this recording.", "{0}：这份记录有 {2} 个位置，没有编号为 {1} 的。"
)
_DEEP = Text("{0}: a chain of more than {1} calls.", "{0}：调用链超过 {1} 层。")


def _put_places(document: Json) -> None:
    """Puts the places where their numbers stand. What does not have the form of steps and nodes is refused when it is decoded."""
    places = _places(document.pop("places", None))
    for position, step in enumerate(_dicts(document.get("steps"))):
        pairs = step.get("nodes")
        nodes = _dicts([each[-1] for each in pairs if type(each) is list and each] if type(pairs) is list else [])
        try:
            for facts in (step, *nodes):
                if "place" in facts:
                    facts["place"] = _placed(facts["place"], places)
        except MisfitError as misfit:
            raise misfit.inside(f".steps[{position}]") from None


def _dicts(values: Any) -> list[Json]:
    return [each for each in values if type(each) is dict] if type(values) is list else []


def _places(written: Any) -> list[Place]:
    if type(written) is not list:
        raise _misfit(tuple[Place, ...], written).inside(".places")
    places: list[Place] = []
    depths: dict[Any, int] = {None: 0}
    decode = _object(Place)
    for position, each in enumerate(written):
        try:
            caller = each.get("called_from") if type(each) is dict else None
            above = _placed(caller, places)
            depths[position] = depths[caller] + 1
            if depths[position] > MOST_CALLS:
                raise MisfitError(_DEEP, MOST_CALLS)
            places.append(decode(each if caller is None else {**each, "called_from": above}))
        except MisfitError as misfit:
            raise misfit.inside(f".places[{position}]") from None
    return places


def _placed(number: Any, places: list[Place]) -> Place | None:
    if number is None:
        return None
    if type(number) is not int:
        raise _misfit(int | None, number).inside(".place")
    if not 0 <= number < len(places):
        raise MisfitError(_NO_PLACE, number, len(places)).inside(".place")
    return places[number]


# --- JSON to facts -------------------------------------------------------------------------------------------------

_NOT_FINITE = ("nan", "inf", "-inf")
_NUMBER_OR_NONE = Number | None
_PLACE = Place | None
Decoder = Callable[[Any], Any]
"""Turns a JSON value into a fact; raises `MisfitError` if it does not fit."""


@cache
def _decoder(hint: Any) -> Decoder:
    """Returns the decoder of a type."""
    if hint in (Number, _NUMBER_OR_NONE):
        return _number if hint == Number else _optional(_number)
    if _is_union(hint) and hint != _PLACE:
        return _union(hint)
    if get_origin(hint) is tuple:
        return _list_of(hint) if _is_open(hint) else _items(hint)
    if is_dataclass(hint):
        return _object(hint)
    return {int: _whole, str: _string}.get(hint) or _plain(hint)


def _plain(hint: Any) -> Decoder:
    """A literal, true or false, or null."""

    def decode(value: Any) -> Any:
        if not _fits(hint, value):
            raise _misfit(hint, value)
        return value

    return decode


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise _misfit(int, value)
    if not LEAST_WHOLE <= value <= MOST_WHOLE:
        raise _unlike(_WHOLE, value)
    return value


def _string(value: Any) -> str:
    if type(value) is not str:
        raise _misfit(str, value)
    if len(value) > MOST_CHARACTERS:
        raise _unlike(_SHORT, value)
    if not value.isascii() and SURROGATE.search(value):
        raise _unlike(_UNICODE, value)
    return value


def _number(value: Any) -> Number:
    kind = type(value)
    if kind is float or kind is bool:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return _whole(value)
    if kind is dict and _is_complex(value):
        return complex(_real(value["re"]), _real(value["im"]))
    if kind is str and value in _NOT_FINITE:
        return float(value)
    raise _misfit(Number, value)


def _real(part: Any) -> float:
    return float(_whole(part) if type(part) is int else part)


def _optional(decode: Decoder) -> Decoder:
    def decode_unless_null(value: Any) -> Any:
        return None if value is None else decode(value)

    return decode_unless_null


def _union(hint: Any) -> Decoder:
    arms = [(arm, _decoder(arm)) for arm in get_args(hint)]

    def decode(value: Any) -> Any:
        for arm, decode_arm in arms:
            if _fits(arm, value):
                return decode_arm(value)
        raise _misfit(hint, value)

    return _optional(decode) if NoneType in get_args(hint) else decode


def _list_of(hint: Any) -> Decoder:
    item, *_ = get_args(hint)
    decode_item, numbers = _decoder(item), item == Number

    def decode(value: Any) -> tuple[Any, ...]:
        if type(value) is not list:
            raise _misfit(hint, value)
        if numbers and {float}.issuperset(map(type, value)):  # most of a recording, and needs no decoding
            return tuple(value)
        done: list[Any] = []
        try:
            for each in value:
                done.append(decode_item(each))  # noqa: PERF401  # the length of the list says which item does not fit
        except MisfitError as misfit:
            raise misfit.inside(f"[{len(done)}]") from None
        return tuple(done)

    return decode


def _items(hint: Any) -> Decoder:
    decoders = [_decoder(arm) for arm in get_args(hint)]

    def decode(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(decoders):
            raise _misfit(hint, value)
        done: list[Any] = []
        try:
            for decode_item, each in zip(decoders, value, strict=True):
                done.append(decode_item(each))
        except MisfitError as misfit:
            raise misfit.inside(f"[{len(done)}]") from None
        return tuple(done)

    return decode


def _object(cls: Any) -> Decoder:
    hints = get_type_hints(cls)
    plan = [(field.name, _decoder(hints[field.name]), field.default) for field in fields(cls)]
    known = {name for name, _, _ in plan}

    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise _misfit(cls, value)
        if not value.keys() <= known:
            unknown = next(name for name in value if name not in known)
            raise MisfitError(_NO_FIELD, excerpt(unknown)[1:-1], _wanted(cls))
        made = []
        for name, decode_field, default in plan:
            if name in value:
                try:
                    made.append(decode_field(value[name]))
                except MisfitError as misfit:
                    raise misfit.inside(f".{name}") from None
            elif default is MISSING:
                raise MisfitError(_LACKS_FIELD, name, _wanted(cls))
            else:
                made.append(default)
        return cls(*made)

    return decode


def _fits(hint: Any, value: Any) -> bool:
    """Whether a JSON value is of the right kind; its items are checked when they are decoded."""
    if hint == _PLACE:  # it is there already
        return value is None or type(value) is Place
    if get_origin(hint) is Literal:
        return type(value) is str and value in get_args(hint)
    if get_origin(hint) is tuple:
        return type(value) is list
    return type(value) is (dict if is_dataclass(hint) else hint)


def _is_complex(value: dict[str, Any]) -> bool:
    if value.keys() != {"re", "im"}:
        return False
    return all(type(part) in (int, float) or (type(part) is str and part in _NOT_FINITE) for part in value.values())


def _is_union(hint: Any) -> bool:
    # `Category | None` is a `typing.Union`, because `Literal` comes from there; `int | None` is a `types.UnionType`.
    return get_origin(hint) in (Union, UnionType)


def _is_open(hint: Any) -> bool:
    """Whether a tuple type is `tuple[X, ...]`."""
    return get_args(hint)[-1:] == (Ellipsis,)


# --- refusals ------------------------------------------------------------------------------------------------------

_WHOLE = Text("a whole number of at most 64 bits", "不超过 64 位的整数")
_SHORT = Text(f"at most {MOST_CHARACTERS:,} characters", f"至多 {MOST_CHARACTERS:,} 个字符")
_UNICODE = Text("Unicode text, without half of a surrogate pair", "合法的 Unicode 文本（不含单独的代理项）")


_NO_FIELD = Text("{0} has no field `{1}`; expected {2}.", "{0} 没有字段 `{1}`；应为{2}。")
_LACKS_FIELD = Text("{0} lacks the field `{1}`; expected {2}.", "{0} 缺少字段 `{1}`；应为{2}。")
_EXPECTED = Text("{0}: expected {1}, found {2}.", "{0}：应为{1}，实为 {2}。")


def _misfit(hint: Any, found: Any) -> MisfitError:
    return MisfitError(_EXPECTED, _wanted(hint), excerpt(found))


def _unlike(wanted: Text, found: Any) -> MisfitError:
    return MisfitError(_EXPECTED, wanted, excerpt(found))


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
