"""Large storages in the browser: the values that were recorded, no more than allowed, and looking the same in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab.recorders.run import record
from inplacelab.recording.facts import StorageFacts, Summary
from inplacelab.recording.numerals import number, whole
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.large_storages import LONGEST_WHOLE, UNKNOWN, value_text
from inplacelab_widgets.scene.payload_parts import MOST_BYTES, MOST_NUMBERS, number_sent, pages
from inplacelab_widgets.scene.timeline import storage_lives

CASES = json.loads((Path(__file__).parents[1] / "js" / "number_cases.json").read_text())


@pytest.mark.parametrize(("value", "said", "with_exponent", "sent"), CASES)
def test_numbers_are_written_as_in_the_player(value: float, said: str, with_exponent: str, sent: float | str) -> None:
    """`tests/js/numbers.test.mjs` reads the same cases."""
    assert number(value, LONGEST_WHOLE) == said
    assert number(value, LONGEST_WHOLE, exponent=True) == with_exponent
    assert number_sent(value) == sent


@given(st.one_of(st.floats(), st.integers(-(10**12), 10**12), st.booleans(), st.complex_numbers()))
def test_no_digit_is_lost_of_a_number_that_is_sent(value: complex) -> None:
    sent = json.loads(json.dumps(number_sent(value), allow_nan=False))
    assert (sent if isinstance(sent, str) else whole(sent)) == whole(value)


def recorded(slots: int, writes: int) -> Recording:
    with record() as made:
        x = paddle.zeros([slots])
        part = x[slots // 2 : slots // 2 + 8]
        for k in range(writes):
            part.add_(paddle.full([8], k + 0.5))
    assert made.recording is not None
    return made.recording


def test_small_storages_have_none_unless_a_value_is_rounded() -> None:
    assert pages(recorded(64, 2)) == []
    with record() as made:
        x = paddle.zeros([2])
        x[1] = 2 / 3
    assert made.recording is not None
    (page,) = (each for each in pages(made.recording) if each["slots"] == 2)
    assert page["moments"][-1][1] == [[1, [0.6666667]]]


def test_every_recorded_value_arrives() -> None:
    recording = recorded(100, 3)
    (page,) = pages(recording)
    life = storage_lives(recording)[int(page["key"][1:])]
    known: dict[int, str] = {}
    moments = dict(page["moments"])
    for step, facts in life.moments:
        for start, values in moments[step]:
            known |= {start + k: value if isinstance(value, str) else number(value) for k, value in enumerate(values)}
        for slot in range(facts.slots):
            assert value_text(facts, slot) in {known.get(slot), UNKNOWN}
    assert page["slots"] == 100
    assert known[50] == "4.5"


def test_no_more_is_sent_than_allowed() -> None:
    recording = recorded(20_000, 1)
    for page in pages(recording):
        for _, pieces in page["moments"]:
            assert sum(len(values) for _, values in pieces) <= MOST_NUMBERS


def test_a_long_loop_stays_within_the_bytes() -> None:
    sent = pages(recorded(200, 400))
    assert len(json.dumps([moment[1] for page in sent for moment in page["moments"]])) < 1.3 * MOST_BYTES
    # What comes first counts: a reader begins at the beginning.
    assert sent[0]["moments"][0][1]


def test_a_summary_keeps_its_pieces() -> None:
    values = Summary(None, None, (1.0, 2.0), (9.0,), ((50, (5.5, 6.5)),))
    facts = StorageFacts(0, 400, 100, "float32", "cpu", values)
    assert [value_text(facts, slot) for slot in (0, 1, 2, 50, 51, 99)] == ["1", "2", UNKNOWN, "5.5", "6.5", "9"]
