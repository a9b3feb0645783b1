"""Tests that a damaged recording is refused with a sentence, or drawn in every form within bounds; never anything else."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

import pytest

from inplacelab.language import LANGUAGES
from inplacelab.recording import Recording, RecordingFormatError, from_json
from inplacelab_widgets import to_html, to_markdown, to_svg, to_text
from inplacelab_widgets.scene import scene_of
from tests.recording.damage import damaged
from tests.tiers import examples

TESTS = Path(__file__).parents[1]
FILES = sorted([*(TESTS / "recorders" / "golden").glob("*.json"), *(TESTS / "recording" / "schema_1").glob("*.json")])
LARGEST = 20_000_000
"""The most characters of a page or picture of one of these recordings, which have up to 60,000. Undamaged ones have 200,000."""

FURTHER = 10_000
"""So many more are tried if a few were all refused, or all drawn."""


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def check_sentence(said: str) -> None:
    assert 0 < len(said) < 1000, said
    assert said.isprintable(), said


def drawn_or_refused(text: str) -> Recording | None:
    """Reads a recording and draws it in every form."""
    try:
        recording = from_json(text)
    except RecordingFormatError as error:
        check_sentence(str(error))
        return None
    if len(recording):
        scene = scene_of(recording)
        forms = [to_html(scene), to_svg(scene), to_text(scene), to_markdown(scene)]
        forms += [to_svg(scene, step, language) for step in (0, -1) for language in LANGUAGES]
        for form in forms:
            assert len(form.encode("utf-8")) < LARGEST
        ET.fromstring(forms[1])
    return recording


def try_one(seed: int) -> bool:
    """Damages a recording at random. Returns whether it could still be drawn."""
    rng = Random(seed)
    return drawn_or_refused(damaged(rng, text_of(rng.choice(FILES)))) is not None


@pytest.mark.parametrize("part", range(4))
def test_a_damaged_recording_is_drawn_or_refused(part: int) -> None:
    count = examples(60)
    seen = {try_one(seed) for seed in range(part * count, (part + 1) * count)}
    for seed in range(FURTHER * (part + 1), FURTHER * (part + 2)):
        if len(seen) == 2:
            break
        seen.add(try_one(seed))
    assert seen == {True, False}
