"""Tests that recordings of an earlier version are read, and equal a new recording of the same program."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording import Recording, RecordingFormatError, from_json, load

GOLDEN = Path(__file__).parents[1] / "recorders" / "golden"
OLD = sorted((Path(__file__).parent / "schema_1").glob("*.json"))


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_an_old_recording_is_a_new_one(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == 1
    assert without_fixes(load(path)) == without_fixes(load(GOLDEN / path.name))


def without_fixes(recording: Recording) -> Recording:
    """The recording without what is advised: that may improve."""
    errors = [step.error and replace(step.error, fix=None, fixes=()) for step in recording.steps]
    steps = (replace(step, error=error) for step, error in zip(recording.steps, errors, strict=True))
    return replace(recording, steps=tuple(steps))


@pytest.mark.parametrize("steps", [None, 3, [3], [{"error": 3}], [{"storages": [3]}]])
def test_what_never_was_a_recording_is_refused(steps: Any) -> None:
    whole = {"framework": "", "framework_version": "", "title": "", "source": "", "schema": 1, "steps": steps}
    with pytest.raises(RecordingFormatError, match=r"recording of schema 1 but is not one"):
        from_json(json.dumps(whole))
