"""schema.json says what the dataclasses say, and what `to_json` writes obeys it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from inplacelab.recording import SCHEMA_VERSION, Number, Recording, to_json

SCHEMA: dict[str, Any] = json.loads(files("inplacelab.recording").joinpath("schema.json").read_text(encoding="utf-8"))
JSON_NAMES = {int: "integer", str: "string", bool: "boolean", NoneType: "null"}
HEADINGS = ("$schema", "title", "$defs")


def form(hint: Any) -> dict[str, Any]:
    """The schema of one type."""
    if hint == Number | None:  # a union that Python has melted into one
        return {"anyOf": [form(Number), form(NoneType)]}
    if hint == Number or is_dataclass(hint):
        return {"$ref": f"#/$defs/{'Number' if hint == Number else hint.__name__}"}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [form(arm) for arm in get_args(hint)]}
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    return {"type": "array", **items_form(get_args(hint))} if get_origin(hint) is tuple else {"type": JSON_NAMES[hint]}


def items_form(hints: tuple[Any, ...]) -> dict[str, Any]:
    """The schema of what a tuple holds."""
    if hints[-1] is Ellipsis:
        return {"items": form(hints[0])}
    return {"prefixItems": [form(hint) for hint in hints], "items": False, "minItems": len(hints)}


def object_form(cls: Any) -> dict[str, Any]:
    """The schema of one dataclass. A field with a default may be missing, but not the number of the schema."""
    hints = get_type_hints(cls)
    properties = {field.name: form(hints[field.name]) for field in fields(cls)}
    required = [field.name for field in fields(cls) if field.default is MISSING]
    if cls is Recording:
        properties["schema"] = {"const": SCHEMA_VERSION}
        required.append("schema")
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def classes(hint: Any) -> Iterator[Any]:
    """Every dataclass that a type leads to."""
    if is_dataclass(hint):
        yield hint
    inner = get_type_hints(hint).values() if is_dataclass(hint) else get_args(hint)
    for each in inner:
        yield from classes(each)


def undescribed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [undescribed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: undescribed(item) for key, item in schema.items() if key != "description" or isinstance(item, dict)}


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
    for item in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from properties(item)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_it_agrees_with_the_dataclasses() -> None:
    expected = {cls.__name__: object_form(cls) for cls in classes(Recording) if cls is not Recording}
    described = undescribed(SCHEMA["$defs"])
    described.pop("Number")
    assert described == expected
    assert undescribed({key: SCHEMA[key] for key in SCHEMA if key not in HEADINGS}) == object_form(Recording)


def test_everything_in_it_is_described() -> None:
    missing = [name for name, facts in properties(SCHEMA) if not facts.get("description", "").endswith((".", "..."))]
    missing += [name for name, facts in SCHEMA["$defs"].items() if not facts.get("description")]
    assert missing == []


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_what_is_written_obeys_it(recordings: st.SearchStrategy[Recording], data: st.DataObject) -> None:
    Draft202012Validator(SCHEMA).validate(json.loads(to_json(data.draw(recordings))))


def test_it_refuses_what_the_codec_refuses(doubled_in_place: Recording) -> None:
    document = json.loads(to_json(doubled_in_place))
    document["steps"][0]["storages"][0][1]["values"][0] = "NaN"
    assert not Draft202012Validator(SCHEMA).is_valid(document)


@pytest.mark.parametrize("value", ["nan", "-inf", True, 1, -0.5, {"re": 1.0, "im": "inf"}])
def test_every_kind_of_number_is_allowed(doubled_in_place: Recording, value: Any) -> None:
    document = json.loads(to_json(doubled_in_place))
    document["steps"][0]["storages"][0][1]["values"][0] = value
    Draft202012Validator(SCHEMA).validate(document)
