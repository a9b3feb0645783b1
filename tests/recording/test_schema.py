"""Tests that schema.json is generated from the dataclasses, and that `to_json` conforms to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from inplacelab.recording import Recording, to_json
from inplacelab.recording.earlier_schemas import upgraded
from tests.recording.write_schema import FILE, schema
from tests.tiers import examples

SCHEMA = schema()


def properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
    for item in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from properties(item)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_file_is_what_the_facts_say() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == SCHEMA, (
        "write it again: python -m tests.recording.write_schema"
    )


RECORDED = sorted((Path(__file__).parents[1] / "recorders" / "golden").glob("*.json"))
OLD = sorted((Path(__file__).parent / "schema_1").glob("*.json"))


@pytest.mark.parametrize("path", RECORDED + OLD, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recordings_obey_it(path: Path) -> None:
    Draft202012Validator(SCHEMA).validate(upgraded(json.loads(path.read_text(encoding="utf-8"))))


def test_everything_in_it_is_described() -> None:
    missing = [name for name, facts in properties(SCHEMA) if not facts.get("description", "").endswith((".", "..."))]
    missing += [name for name, facts in SCHEMA["$defs"].items() if not facts.get("description")]
    assert missing == []


@pytest.mark.standard
@settings(max_examples=examples(25), deadline=None)
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
