"""What you see is what happened, and recording changes nothing: random programs, held against a witness."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.witness.author import write
from tests.witness.trial import differences


@pytest.fixture(autouse=True, scope="module")
def _out_of_sight() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.parametrize("number", range(8))
def test_a_recording_tells_what_a_witness_sees(number: int, tmp_path: Path) -> None:
    text = write(Random(number), statements=8)
    assert differences(text, tmp_path) == [], text


@pytest.mark.thorough
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.randoms(use_true_random=False))
def test_many_recordings_tell_what_a_witness_sees(random: Random) -> None:
    text = write(random)
    assert differences(text) == [], text
