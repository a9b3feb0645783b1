"""Runs NumPy programs for the tests, and looks at whether a recording is one."""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files

from jsonschema import Draft202012Validator

from inplacelab.language import LANGUAGES, speak
from inplacelab.recording import Recording, from_json, sentence, to_json
from inplacelab_widgets import to_text
from tests.recorders import runs

SCHEMA = Draft202012Validator(json.loads(files("inplacelab.recording").joinpath("schema.json").read_text("utf-8")))

run = partial(runs.run, framework="numpy")


def says(recording: Recording) -> None:
    """A recording obeys the schema, comes back from JSON, and is said in both languages, as text, too."""
    text = to_json(recording)
    SCHEMA.validate(json.loads(text))
    assert to_json(from_json(text)) == text
    for language in LANGUAGES:
        with speak(language):
            assert all(str(sentence(recording, step.index)) for step in recording.steps)
            assert to_text(recording)
