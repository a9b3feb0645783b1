"""Two recordings, aligned by line, by visit and by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.recording import Recording
from inplacelab.recording.compare import alignment
from inplacelab.recording.compare.alignment import Alignment, Position, align
from tests.recorders.golden.renew import run

HEAD = "h = paddle.to_tensor([1.0, 2.0], stop_gradient=False)\n"
STATEMENTS = (
    "a = h * 2.0",
    "b = a.detach()",
    "b = a.detach().clone()",
    "for i in range(3): a = a + 1.0",
    "a.scale_(3.0)",
    "pass",
)

programs = st.lists(st.sampled_from(STATEMENTS), max_size=5).map(
    lambda lines: HEAD + "a = h * 1.0\n" + "\n".join(lines)
)


@cache
def recorded(source: str) -> Recording:
    recording: Recording = run(source).recording
    return recording


def aligned(left: str, right: str) -> Alignment:
    return align(recorded(left), recorded(right))


def beside(found: Alignment) -> list[tuple[str | None, str | None]]:
    """What each side does at each position, as "line op"."""

    def does(recording: Recording, index: int | None) -> str | None:
        return (
            None
            if index is None
            else f"{recording.steps[index].line} {recording.steps[index].op or recording.steps[index].kind}"
        )

    return [(does(found.left, left), does(found.right, right)) for left, right in found.positions]


@given(programs, programs)
def test_every_step_of_both_sides_stands_once_and_in_order(left: str, right: str) -> None:
    found = aligned(left, right)
    assert (None, None) not in found.positions
    for side, recording in ((0, found.left), (1, found.right)):
        assert [at[side] for at in found.positions if at[side] is not None] == list(range(len(recording)))


@given(programs)
def test_a_program_beside_itself_has_no_gap(source: str) -> None:
    assert aligned(source, source).positions == tuple(Position(k, k) for k in range(len(recorded(source))))


@given(programs, programs)
def test_the_sides_can_be_exchanged_without_losing_a_pair(left: str, right: str) -> None:
    assert aligned(left, right).pairs == aligned(right, left).pairs


@given(programs, programs)
def test_what_was_reached_never_goes_back(left: str, right: str) -> None:
    found = aligned(left, right)
    for side in (0, 1):
        reached = [index for at in found.reached if (index := at[side]) is not None]
        assert all(one <= other for one, other in pairwise(reached))


def test_a_call_more_is_a_gap_beside_it() -> None:
    found = aligned(
        HEAD + "a = h * 2.0\nb = a.detach()\nb.zero_()\n", HEAD + "a = h * 2.0\nb = a.detach().clone()\nb.zero_()\n"
    )
    assert (None, "3 clone") in beside(found)
    assert ("3 detach", "3 detach") in beside(found)
    assert ("4 zero_", "4 zero_") in beside(found)


def test_the_first_turn_of_a_loop_stands_beside_the_first_turn() -> None:
    def loop(turns: int) -> str:
        return HEAD + f"for i in range({turns}):\n    a = h * 2.0\n    a.scale_(3.0)\n"

    lines = beside(aligned(loop(2), loop(4)))
    written = [left for left, right in lines if right == "4 scale_"]
    assert written == ["4 scale_", "4 scale_", None, None]


def test_a_refusal_stands_beside_what_the_other_side_did_instead() -> None:
    found = aligned(HEAD + "h.scale_(2.0)\n", HEAD + "h.scale(2.0)\n")
    assert ("2 error", "2 scale") in beside(found)


def test_programs_without_a_common_word_have_gaps_only() -> None:
    found = aligned("one = paddle.ones([2])\n", "# nothing\n\nnp = 3\nnp\n")
    assert found.pairs == 0
    assert len(found.positions) == len(found.left) + len(found.right)


def test_a_recording_without_steps_has_gaps_only() -> None:
    empty = Recording("inplacelab", "", "", (), ())
    some = recorded(HEAD)
    assert align(empty, some).positions == tuple(Position(None, k) for k in range(len(some)))
    assert align(empty, empty).positions == ()


words = st.text(alphabet="abc", max_size=5)


@given(words, words)
def test_no_other_pairing_scores_higher(left: str, right: str) -> None:
    found = _paired(left, right)
    total = sum(_score(one, other) for one, other in found if one and other)
    assert total == max(_total(left, right, at) for at in _pairings(len(left), len(right)))


@given(words, words)
def test_sequences_too_long_to_score_are_still_complete(left: str, right: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MOST_CELLS", -1)
        found = _paired(left, right)
    assert "".join(one for one, _ in found if one) == left
    assert "".join(other for _, other in found if other) == right


def _paired(left: str, right: str) -> list[tuple[str | None, str | None]]:
    found = alignment._best(left, right, _score)
    return list(found)


def _score(one: str, other: str) -> int:
    return {("a", "a"): 3, ("b", "b"): 2, ("a", "b"): 1}.get((one, other), 0)


def _pairings(many: int, others: int) -> list[Sequence[tuple[int, int]]]:
    return [
        tuple(zip(one, other, strict=True))
        for size in range(min(many, others) + 1)
        for one in combinations(range(many), size)
        for other in combinations(range(others), size)
    ]


def _total(left: str, right: str, at: Sequence[tuple[int, int]]) -> int:
    return sum(_score(left[i], right[j]) for i, j in at)
