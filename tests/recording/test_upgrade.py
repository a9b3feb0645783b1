"""Recordings that an earlier version wrote are read, and say what a new recording of the same program says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording import RecordingFormatError, from_json, load

GOLDEN = Path(__file__).parents[1] / "recorders" / "golden"
OLD = sorted((Path(__file__).parent / "schema_1").glob("*.json"))


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_an_old_recording_is_a_new_one(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == 1
    assert load(path) == load(GOLDEN / path.name)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"schema": 1, "steps": 3}, r"steps: expected a list, found 3"),
        ({"schema": 1, "steps": [3]}, r"steps\[0\]: expected an object"),
        ({"schema": 1, "steps": [{"error": 3}]}, r"steps\[0\] lacks the field `index`"),
        ({"schema": True, "steps": []}, r"schema: expected schema 2, found true"),
    ],
)
def test_what_never_was_a_recording_is_refused_by_its_place(document: dict[str, Any], message: str) -> None:
    whole = {"framework": "", "framework_version": "", "title": "", "source": ""} | document
    with pytest.raises(RecordingFormatError, match=message):
        from_json(json.dumps(whole))
