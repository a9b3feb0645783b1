"""Generates the JSON Schema of recordings from the facts: types become constraints, docstrings become descriptions.

    python -m tests.recording.write_schema

writes `inplacelab/recording/schema.json` again.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from inplacelab import recording
from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.facts import Number
from inplacelab.recording.recording import SCHEMA_VERSION, Recording

Json = dict[str, Any]

FILE = Path(recording.__file__).with_name("schema.json")

_NAMES = {int: "integer", str: "string", bool: "boolean", NoneType: "null"}
_REAL = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}
_NUMBER = {
    "description": "A value in memory. Numbers that JSON cannot express are written as a string, complex numbers as an object.",
    "anyOf": [
        {"type": "number"},
        {"type": "boolean"},
        {"enum": ["nan", "inf", "-inf"]},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["re", "im"],
            "properties": {
                "re": {"description": "The real part.", **_REAL},
                "im": {"description": "The imaginary part.", **_REAL},
            },
        },
    ],
}
_PLACES = "All places, each once, callers first: others refer to them by their positions here."
_TEXT = {"en": "The English text.", "zh": "The Chinese text."}


def schema() -> Json:
    """Returns the schema of a recording, as JSON Schema 2020-12."""
    others = {cls.__name__: _object(cls) for cls in _classes(Recording) if cls is not Recording}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"inplacelab recording, schema {SCHEMA_VERSION}",
        **_object(Recording),
        "$defs": {"Number": _NUMBER, **others},
    }


def _object(cls: Any) -> Json:
    """Returns the schema of one class. A field with a default may be missing, except the schema version."""
    hints, described = get_type_hints(cls), _TEXT if cls is Text else _descriptions(cls)
    properties = {each.name: {"description": described[each.name], **_form(hints[each.name])} for each in fields(cls)}
    required = [each.name for each in fields(cls) if each.default is MISSING]
    if cls is Recording:
        properties["schema"] = {"description": described["schema"], "const": SCHEMA_VERSION}
        properties["places"] = {"description": _PLACES, "type": "array", "items": {"$ref": "#/$defs/Place"}}
        required += ["schema", "places"]
    first, *_ = _one_line(inspect.getdoc(cls) or "")
    return {
        "description": first, "type": "object", "additionalProperties": False, "required": required, "properties": properties,
    }  # fmt: skip


def _form(hint: Any) -> Json:
    """Returns the schema of one type."""
    if hint == Place | None:  # its position in `places`
        return {"type": ["integer", "null"], "minimum": 0}
    if hint == Number | None:  # a union that Python has flattened
        return {"anyOf": [_form(Number), _form(NoneType)]}
    if hint == Number or is_dataclass(hint):
        return {"$ref": f"#/$defs/{'Number' if hint == Number else hint.__name__}"}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_form(arm) for arm in get_args(hint)]}
    if get_origin(hint) is tuple:
        return _array(*get_args(hint))
    return {"enum": list(get_args(hint))} if get_origin(hint) is Literal else {"type": _NAMES[hint]}


def _array(first: Any, *others: Any) -> Json:
    """Returns the schema of a tuple: of any length if its type ends with `...`."""
    if others == (...,):
        return {"type": "array", "items": _form(first)}
    each = [_form(first), *map(_form, others)]
    return {"type": "array", "prefixItems": each, "items": False, "minItems": len(each)}


def _classes(hint: Any) -> Iterator[Any]:
    """Returns every dataclass that a type refers to."""
    if is_dataclass(hint):
        yield hint
    if hint is Place:  # it refers to itself
        return
    for inner in get_type_hints(hint).values() if is_dataclass(hint) else get_args(hint):
        yield from _classes(inner)


def _descriptions(cls: Any) -> dict[str, str]:
    """Returns the docstring below each field of a class."""
    (body,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(body, ast.ClassDef)
    return {
        field.target.id: " ".join(_one_line(inspect.cleandoc(below.value.value)))
        for field, below in pairwise(body.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


def _one_line(docstring: str) -> list[str]:
    """Returns the paragraphs of a docstring, each as one line, without backticks."""
    return [" ".join(each.split()).replace("`", "") for each in docstring.split("\n\n")]


if __name__ == "__main__":
    FILE.write_text(json.dumps(schema(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
