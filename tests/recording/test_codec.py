"""Tests JSON and back: nothing is lost, and invalid recordings are refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.language import speak
from inplacelab.recording import Recording, RecordingFormatError, from_json, load, save, to_json
from inplacelab.recording.codec import decoded
from inplacelab.recording.facts import SourceFacts
from tests.tiers import examples


def spelt_out(recording: Recording) -> str:
    """Returns every field's repr, in which nan equals nan, and 1, 1.0, True, 0.0 and -0.0 all differ."""
    return repr(recording.steps) + repr(replace(recording, steps=()).__dict__)


def holding(recording: Recording, *values: Any) -> Recording:
    """Returns the recording with the first storage's values replaced."""
    (number, storage), *_ = recording.steps[0].storages
    assert storage is not None
    slots = len(values)
    first = replace(
        recording.steps[0], storages=((number, replace(storage, values=values, slots=slots, bytes=4 * slots)),)
    )
    return replace(recording, steps=(first, *recording.steps[1:]))


@settings(max_examples=examples(25), deadline=None)
@given(st.data())
def test_nothing_is_lost(recordings: st.SearchStrategy[Recording], data: st.DataObject) -> None:
    recording = data.draw(recordings)
    text = to_json(recording)
    again = decoded(json.loads(text))
    assert spelt_out(again) == spelt_out(recording)
    assert to_json(again) == text


def test_numbers_that_json_has_no_word_for_come_back_exactly(doubled_in_place: Recording) -> None:
    values = (math.nan, math.inf, -math.inf, -0.0, 1, 1.0, True, 5e-324, 0.1, 1 - 2j, complex(-0.0, math.inf), 2**63)
    recording = holding(doubled_in_place, *values)
    (_, storage), *_ = from_json(to_json(recording)).steps[0].storages
    assert storage is not None
    assert repr(storage.values) == repr(values)


def test_the_text_is_strict_json_with_one_step_a_line(doubled_in_place: Recording) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = to_json(holding(doubled_in_place, math.nan, math.inf))
    assert json.loads(text, parse_constant=refuse)["framework"] == "inplacelab"
    steps = text.splitlines()[1:-1]
    assert [json.loads(line.rstrip(","))["index"] for line in steps] == list(range(len(doubled_in_place)))


def test_a_file_keeps_every_language(tmp_path: Path, doubled_in_place: Recording) -> None:
    recording = replace(doubled_in_place, title="原地操作", sources=(SourceFacts("", "x.scale_(2)  # 第一步\n"),))
    save(recording, tmp_path / "recording.json")
    assert load(tmp_path / "recording.json") == recording
    assert "原地操作".encode() in (tmp_path / "recording.json").read_bytes()


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(RecordingFormatError, match=r"not UTF-8 text: byte 0"):
        load(tmp_path / "picture.png")


def test_a_fact_of_a_foreign_type_is_refused_by_its_place(doubled_in_place: Recording) -> None:
    with pytest.raises(TypeError, match=r"recording\.steps\[0\]\.storages\[0\]\[1\]\.values\[1\].*Path"):
        to_json(holding(doubled_in_place, 1.0, Path()))


def edited(recording: Recording, *path: str | int, value: Any = None, drop: bool = False) -> str:
    """Returns the recording's JSON with the value at `path` replaced or dropped."""
    document = json.loads(to_json(recording))
    place = document
    for key in path[:-1]:
        place = place[key]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(document)


STORAGE = ("steps", 0, "storages", 0, 1)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema",), 5, r"recording\.schema: expected schema 4, found 5\."),
        (("schema",), None, r"recording\.schema: expected schema 4, found null\."),
        (("schema",), True, r"recording\.schema: expected schema 4, found true\."),
        (("title",), 3, r"recording\.title: expected a string, found 3\."),
        (("steps",), {}, r"recording\.steps: expected a list, found \{\}\."),
        (("steps", 1), [], r"recording\.steps\[1\]: expected an object with the fields index, .*, found \[\]\."),
        (("steps", 1, "index"), 5, r"recording\.steps\[1\]\.index: expected 1, found 5\."),
        (("steps", 1, "kind"), "jump", r"steps\[1\]\.kind: expected one of \"operation\", .*, found \"jump\"\."),
        (("steps", 1, "category"), "copy", r"category: expected one of \"ordinary\", .* or null, found \"copy\"\."),
        (("steps", 1, "kept"), 1.0, r"kept: expected a whole number or null, found 1\.0\."),
        (("steps", 1, "live"), True, r"live: expected a whole number, found true\."),
        (("steps", 0, "storages", 0), [0], r"storages\[0\]: expected a list of 2 items, found \[0\]\."),
        ((*STORAGE, "values"), "1", r"values: expected a list or an object with the fields minimum, .* or null"),
        ((*STORAGE, "values", 0), "NaN", r"values\[0\]: expected a number, .*\"nan\", .*, found \"NaN\"\."),
        ((*STORAGE, "values", 0), {"re": 1, "im": "x"}, r"values\[0\]: expected a number, .*\"re\""),
        ((*STORAGE, "values", 0), None, r"values\[0\]: expected a number, .*, found null\."),
        ((*STORAGE, "color"), "red", r"\[1\] has no field `color`; expected an object with the fields id, bytes"),
        (("title",), [7] * 99, r"found \[7, 7.{10,60}\.\.\.\."),
    ],
)
def test_what_does_not_fit_is_refused_by_its_place(
    doubled_in_place: Recording, path: tuple[str | int, ...], value: Any, message: str
) -> None:
    with pytest.raises(RecordingFormatError, match=message):
        from_json(edited(doubled_in_place, *path, value=value))


def test_a_missing_field_is_refused_and_a_field_with_a_default_may_be_missing(doubled_in_place: Recording) -> None:
    with pytest.raises(RecordingFormatError, match=r"steps\[2\] lacks the field `live`; expected an object"):
        from_json(edited(doubled_in_place, "steps", 2, "live", drop=True))
    assert from_json(edited(doubled_in_place, "truncated", drop=True)) == doubled_in_place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: line 1, column 1"),
        ('{"schema": 2,\n "steps": [', "not JSON: line 2"),
        ("[]", r"recording: expected an object with the fields framework, .*, found \[\]"),
        ('{"schema": NaN}', "expected strict JSON"),
    ],
)
def test_a_text_that_is_no_recording_is_refused(text: str, message: str) -> None:
    with pytest.raises(RecordingFormatError, match=message):
        from_json(text)


def test_a_refusal_speaks_both_languages() -> None:
    with speak("zh"), pytest.raises(RecordingFormatError, match="应为第 4 版格式，实为 7") as caught:
        from_json('{"schema": 7}')
    assert caught.value.explanation.en == "recording.schema: expected schema 4, found 7."
