"""Queries on recordings that are built by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.language import speak
from inplacelab.recording import Recording, Summary, WriteFacts, queries
from tests.recorders.golden.renew import run
from tests.recording.conftest import Tape

NAN = float("nan")


def ids(found: tuple[Any, ...]) -> list[int]:
    return [tensor.id for tensor in found]


def test_aliases_share_the_storage(views_and_stale: Recording) -> None:
    state = views_and_stale.state(5)
    assert ids(queries.aliases(state, "b")) == [2]
    assert ids(queries.aliases(state, "v")) == [1]
    assert queries.aliases(state, "c") == ()
    assert queries.shares_storage(state, "b", "v")
    assert not queries.shares_storage(state, "b", "c")


def test_two_names_of_one_object_are_not_two_tensors(views_and_stale: Recording) -> None:
    state = views_and_stale.state(5)
    assert queries.same_object(state, "v", "w")
    assert not queries.same_object(state, "v", "b")
    assert queries.aliases(state, "w") == queries.aliases(state, "v")


def test_overlap_is_the_slots_in_both(views_and_stale: Recording) -> None:
    state = views_and_stale.state(5)
    assert queries.overlap(state, "b", "v") == ((1, 3),)
    assert queries.overlap(state, "b", "c") == ()


def test_an_unknown_name_is_refused_with_the_known_names(views_and_stale: Recording) -> None:
    with pytest.raises(KeyError, match=r"'q'.*a, b, c, v, w"):
        queries.aliases(views_and_stale.state(), "q")


def test_a_view_shows_what_its_base_holds(views_and_stale: Recording) -> None:
    assert queries.visible_values(views_and_stale.state(4), "v") == (2.0, 2.0)
    assert queries.visible_values(views_and_stale.state(5), "v") == (12.0, 12.0)


def test_who_raised_a_version(views_and_stale: Recording) -> None:
    assert queries.who_raised(views_and_stale, 1, 4) == ()
    ((step, write),) = queries.who_raised(views_and_stale, 1)
    assert (step.line, write.before, write.after, write.tensor) == (5, 0, 1, 2)


def test_what_is_kept_and_what_went_stale(views_and_stale: Recording) -> None:
    before, after = views_and_stale.state(4), views_and_stale.state(5)
    assert [saved.name for saved in queries.kept_by(after, 3)] == ["x", "y"]
    assert [node for node, _ in queries.saved_on(after, 1)] == [3, 3]
    assert queries.stale(before) == ()
    assert [(node, saved.name) for node, saved in queries.stale(after)] == [(3, "x"), (3, "y")]
    assert queries.newly_stale(views_and_stale, 5) == queries.stale(after)
    assert queries.newly_stale(views_and_stale, 6) == ()


def test_what_was_stale_already_is_not_newly_stale(views_and_stale: Recording, tape: Any) -> None:
    tape.steps = list(views_and_stale.steps)
    tape.step("operation", 7, tape.storage(1, (0.0,) * 4), writes=(WriteFacts(1, 1, 1, 2, 1, ((0, 4),)),))
    assert len(queries.stale(tape.recording().state())) == 2
    assert queries.newly_stale(tape.recording(), -1) == ()


def test_a_released_node_keeps_nothing(doubled_in_place: Recording) -> None:
    assert [saved.copy for saved in queries.kept_by(doubled_in_place.state(7), 2)] == [True]
    assert queries.kept_by(doubled_in_place.state(8), 2) == ()
    with pytest.raises(KeyError, match=r"no node 9.*\[0, 1, 2\]"):
        queries.kept_by(doubled_in_place.state(8), 9)


def test_who_kept_a_version(views_and_stale: Recording) -> None:
    ((step, node),) = queries.who_kept(views_and_stale, 1, version=0)
    assert (step.line, node.name) == (4, "MultiplyGradNode")
    assert queries.who_kept(views_and_stale, 1, version=1) == ()
    assert queries.who_kept(views_and_stale, 1, version=0, index=3) == ()


def test_a_kept_copy_does_not_go_stale(doubled_in_place: Recording) -> None:
    assert all(queries.stale(state) == () for state in doubled_in_place.states())


def test_interesting_steps_write_save_rewire_fail_or_change_phase(
    views_and_stale: Recording, doubled_in_place: Recording
) -> None:
    assert queries.interesting(views_and_stale) == (4, 5, 6, 8)
    assert queries.interesting(doubled_in_place) == (2, 6, 13)


def test_an_alias_shows_a_write_through_another(views_and_stale: Recording) -> None:
    assert queries.changed_values(views_and_stale, 5) == (1, 2)
    assert queries.changed_values(views_and_stale, 4) == ()


def written(tape: Any, before: Any, after: Any, runs: tuple[tuple[int, int], ...]) -> Recording:
    """Two tensors on one storage of four slots: the first sees slots 0 and 1, the second slots 2 and 3."""
    storage = replace(tape.storage(0, (0.0,) * 4), values=before)
    tape.step("operation", 1, storage, tape.tensor(0, 0, (2,)), tape.tensor(1, 0, (2,), offset=2))
    tape.step("operation", 2, replace(storage, values=after), writes=(WriteFacts(0, 0, 0, 1, 0, runs),))
    return tape.recording()


def test_a_write_elsewhere_changes_no_value_here(tape: Any) -> None:
    recording = written(tape, (1.0, 2.0, 3.0, 4.0), (1.0, 5.0, 3.0, 4.0), ((0, 2),))
    assert queries.changed_values(recording, 1) == (0,)


def test_writing_the_same_value_changes_nothing_even_nan(tape: Any) -> None:
    recording = written(tape, (NAN, 2.0, 3.0, 4.0), (float("nan"), 2.0, 3.0, 4.0), ((0, 2),))
    assert queries.changed_values(recording, 1) == ()


def test_without_recorded_values_the_written_slots_decide(tape: Any) -> None:
    summary = Summary(0.0, 1.0, (0.0,), (1.0,))
    assert queries.changed_values(written(tape, summary, summary, ((1, 2),)), 1) == (0,)


def test_transposing_in_place_moves_the_elements(tape: Any) -> None:
    square = tape.tensor(0, 0, (2, 2), "x")
    tape.step("operation", 1, tape.storage(0, (1.0, 2.0, 3.0, 4.0)), square)
    tape.step("operation", 2, replace(square, strides=(1, 2)), op="transpose_", category="relayout")
    assert queries.visible_values(tape.recording().state(), "x") == (1.0, 3.0, 2.0, 4.0)
    assert queries.changed_values(tape.recording(), 1) == (0,)


def test_the_state_before(views_and_stale: Recording) -> None:
    assert queries.previous(views_and_stale, 0) is None
    before = queries.previous(views_and_stale, -1)
    assert before is not None
    assert before.step.index == 7


def test_what_is_not_there_is_said_in_the_current_language(tape: Any) -> None:
    tape.step("operation", 1, tape.tensor(0, 0, (2,), "x"), op="ones", output=0)
    recording = tape.recording()
    asked: list[tuple[Callable[[], object], str, str]] = [
        (lambda: recording.after_line(7), "nothing was recorded on line 7", "第 7 行没有任何记录"),
        (lambda: recording.state(3), "there is no step 3", "没有第 3 步"),
        (lambda: recording.state(0).tensor("y"), "no tensor is called 'y'", "没有叫 'y' 的张量"),
        (lambda: queries.kept_by(recording.state(0), 5), "there is no node 5", "没有节点 5"),
    ]
    for ask, en, zh in asked:
        for language, said in {"en": en, "zh": zh}.items():
            with speak(language), pytest.raises(LookupError) as refused:
                ask()
            assert said in str(refused.value.args[0])


def test_a_step_is_a_number(views_and_stale: Recording) -> None:
    with pytest.raises(TypeError, match=r"a step is a whole number, not 'page\.png'"):
        views_and_stale.state("page.png")  # type: ignore[arg-type]


def test_a_line_changes_nothing_if_it_binds_no_tensor_and_frees_nothing() -> None:
    program = ["n = 2", "x = paddle.ones([n])", "y = x", "m = n", "del x, y"]
    recording = run("\n".join(program)).recording
    nothing = {step.line: queries.changes_nothing(recording, step.index) for step in recording.steps}
    assert nothing == {1: True, 2: False, 3: False, 4: True, 5: False}


def test_the_state_is_the_same_after_a_step_that_changes_nothing(
    views_and_stale: Recording, doubled_in_place: Recording
) -> None:
    for recording in (views_and_stale, doubled_in_place):
        for step in recording.steps:
            if queries.changes_nothing(recording, step.index):
                before, after = recording.before(step.index), recording.state(step.index)
                for kind in ("storages", "counters", "tensors", "nodes"):
                    assert getattr(before, kind) == getattr(after, kind)


NAMED = st.dictionaries(st.integers(0, 5), st.sets(st.sampled_from("abc")).map(sorted) | st.none(), max_size=3)


@given(st.lists(NAMED, min_size=1, max_size=10))
def test_a_name_is_that_of_the_first_tensor_bound_to_it(steps: list[dict[int, list[str] | None]]) -> None:
    """Each step binds some tensors to names, or frees them."""
    tape = Tape()
    tape.step("operation", 1, tape.storage(0, (0.0,)), *(tape.tensor(k, 0, (1,)) for k in range(6)))
    for line, changed in enumerate(steps, start=2):
        named = [tape.tensor(k, 0, (1,), " ".join(names)) for k, names in changed.items() if names is not None]
        tape.step("line", line, *named, gone=tuple(("tensor", k) for k, names in changed.items() if names is None))
    for state in tape.recording().states():
        for name in "abc":
            assert state.bound(name) == min(
                (k for k, facts in state.tensors.items() if name in facts.names), default=None
            )
