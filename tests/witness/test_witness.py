"""Random programs, compared with a witness: recordings show what happened, and recording changes nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inplacelab.recording import Recording, queries
from inplacelab.recording.quiz import questions_at
from inplacelab.recording.slots import slots_of
from tests.recording.predictions import chosen, expected
from tests.tiers import choose
from tests.witness.random_programs import write
from tests.witness.trial import differences, stepped


@pytest.fixture(autouse=True, scope="module")
def _out_of_sight() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.parametrize("number", range(8))
def test_a_recording_tells_what_a_witness_sees(number: int, tmp_path: Path) -> None:
    text = write(Random(number), statements=8)
    assert differences(text, tmp_path) == [], text


@pytest.mark.parametrize(
    "text",
    [
        "view = (a * 2.).view([-1])\nview.detach().zero_()\n",
        "(g,) = paddle.grad((a ** 3).sum(), a, create_graph=True)\na.grad = g\nview = a.grad[0]\na.sum().backward()\n",
        "nothing = a[1:0].tanh()\nnothing.exp_()\nalso = nothing[:]\n",
    ],
)
def test_views_of_what_is_written_in_other_ways(text: str, tmp_path: Path) -> None:
    head = "import inplacelab as paddle\na = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)\n"
    assert differences(head + text, tmp_path) == []


@pytest.mark.standard
@settings(
    max_examples=choose(20, 40, 1500),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.randoms(use_true_random=False))
def test_many_recordings_tell_what_a_witness_sees(random: Random) -> None:
    text = write(random)
    assert differences(text) == [], text


# ---- what a recording answers ----------------------------------------------------------------------------------------------


def wrong_answers(recording: Recording) -> list[str]:
    """Questions whose right answer is not what the states before and after say, element by element."""
    asked = [question for index in range(len(recording)) for question in questions_at(recording, index)]
    return [f"{each.step}: {each.ask.en}" for each in asked if chosen(each) != expected(recording, each)]


def wrong_changes(recording: Recording) -> list[int]:
    """Steps for which the tensors whose values changed are recorded wrongly."""
    return [
        index
        for index in range(1, len(recording))
        if set(queries.changed_values(recording, index)) != _changed(recording, index)
    ]


def _changed(recording: Recording, index: int) -> set[int]:
    before, after = recording.state(index - 1), recording.state(index)
    found = set()
    for key in before.tensors.keys() & after.tensors.keys():
        was, now = (queries.visible_values(state, state.tensors[key]) for state in (before, after))
        if was is None or now is None:  # a large storage: whatever lies where was written
            reached = slots_of(after.tensors[key])
            written = [w for w in after.step.writes if w.storage == after.tensors[key].storage]
            if any(first <= slot < last for w in written for first, last in w.slots for slot in reached):
                found.add(key)
        elif not np.array_equal(was, now, equal_nan=True):
            found.add(key)
    return found


@pytest.mark.parametrize("number", range(20, 24))
def test_the_right_answers_are_right(number: int) -> None:
    recording, _ = stepped(write(Random(number)))
    assert wrong_answers(recording) == []
    assert wrong_changes(recording) == []


@pytest.mark.standard
@settings(
    max_examples=choose(20, 40, 1000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.randoms(use_true_random=False))
def test_many_right_answers_are_right(random: Random) -> None:
    recording, _ = stepped(write(random))
    assert wrong_answers(recording) == []
    assert wrong_changes(recording) == []
