"""Statements as steps: after each of them everything is as after its last event, and each can be drawn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.recording import Recording
from inplacelab.recording.statements import by_statement, is_long, shortened, statements
from inplacelab_widgets.scene import JOINED, Scene, opening_mode
from inplacelab_widgets.scene.payload import payload
from tests.recorders.golden.renew import PROGRAMS, run
from tests.tiers import examples

TRAINING = """\
import inplacelab.torch as torch
from inplacelab.torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(2, 3)
for epoch in range(2):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    x[0] = 5.
"""

IN_PARTS = """\
x = paddle.ones([3])
v = x[1:].scale_(2.).exp()
x[:2][1] = 7.
"""

SAMPLES = {**PROGRAMS, "training by torch's names": TRAINING, "in parts": IN_PARTS}


@pytest.fixture(scope="module", name="recorded")
def _recorded() -> dict[str, Recording]:
    return {name: run(program).recording for name, program in SAMPLES.items()}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_statements_cover_the_events_in_order(recorded: dict[str, Recording], name: str) -> None:
    runs = statements(recorded[name])
    assert [index for run_of in runs for index in run_of] == list(range(len(recorded[name])))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_state_after_a_statement_is_that_after_its_last_event(recorded: dict[str, Recording], name: str) -> None:
    recording = recorded[name]
    joined = by_statement(recording)
    assert len(joined) == len(statements(recording))
    for run_of, state in zip(statements(recording), joined.states(), strict=True):
        last = recording.state(run_of[-1])
        for kind in ("storages", "counters", "tensors", "nodes"):
            assert dict(getattr(state, kind)) == dict(getattr(last, kind)), (kind, run_of)
        assert state.step.live == last.step.live


@pytest.mark.parametrize("name", SAMPLES)
def test_every_raise_of_a_version_that_can_be_seen_is_a_write(recorded: dict[str, Recording], name: str) -> None:
    joined = by_statement(recorded[name])
    for state in joined.states():
        before = joined.before(state.step.index)
        raised = {
            key
            for key, counter in state.counters.items()
            if key in before.counters and before.counters[key].version < counter.version
        }
        assert raised <= {write.counter for write in state.step.writes}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_statement_can_be_drawn(recorded: dict[str, Recording], name: str) -> None:
    scene = Scene(recorded[name])
    if scene.by_statement is None:
        assert len(statements(recorded[name])) == len(recorded[name])
        return
    for panel in JOINED:
        for group in scene.by_statement.panel(panel).groups:
            assert list(group.marks)
    packed = payload(scene)
    assert [each["name"] for each in packed["joined"]] == list(JOINED)
    # A statement is seen at its last event, so in between nothing changes.
    ends = {run_of[-1] for run_of in statements(recorded[name])}
    for panel in packed["joined"]:
        for group in panel["groups"]:
            starts = {start for mark in group["marks"] if len(mark) > 2 for start in mark[2][::2]}
            assert {group["first"], *starts} <= ends | {len(recorded[name])}


def test_a_write_through_a_view_that_is_gone_is_a_write_through_its_base(recorded: dict[str, Recording]) -> None:
    joined = by_statement(recorded["in parts"])
    state = joined.after_line(3)
    assert [state.called(write.tensor).first for write in state.step.writes] == ["x"]
    assert [write.slots for write in state.step.writes] == [((1, 2),)]


def test_an_update_of_all_parameters_is_one_step(recorded: dict[str, Recording]) -> None:
    recording = recorded["training by torch's names"]
    assert is_long(recording)
    assert opening_mode(recording) == "line"
    updates = by_statement(recording).on_line(11)
    assert len(updates) == 2
    state = by_statement(recording).state(updates[0].index)
    parameters = [state.tensors[each.tensor] for each in updates[0].writes if state.tensors[each.tensor].needs_gradient]
    assert [each.shape for each in parameters] == [(4, 3), (4,), (1, 4), (1,)]


def test_a_failure_stays_the_error_of_its_statement(recorded: dict[str, Recording]) -> None:
    joined = by_statement(recorded["stale"])
    assert joined.steps[-1].kind == "error"
    assert joined.steps[-1].error == recorded["stale"].steps[-1].error


@settings(max_examples=examples(20))
@given(st.data())
def test_any_recording_can_be_joined(recordings: st.SearchStrategy[Recording], data: st.DataObject) -> None:
    recording = data.draw(recordings)
    joined = by_statement(recording)
    assert [step.index for step in joined.steps] == list(range(len(statements(recording))))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_shortened_recording_ends_in_the_same_states(recorded: dict[str, Recording], name: str) -> None:
    recording = recorded[name]
    left, runs = shortened(recording, 8, 40, [len(recording) - 1])
    assert [index for run_of in runs for index in run_of] == list(range(len(recording)))
    assert len(left) == len(runs)
    assert len(runs) <= max(8, len(statements(recording)) if len(recording) <= 40 else 8)
    for run_of, state in zip(runs, left.states(), strict=True):
        last = recording.state(run_of[-1])
        for kind in ("storages", "counters", "tensors", "nodes"):
            assert dict(getattr(state, kind)) == dict(getattr(last, kind)), (kind, run_of)


def test_of_few_statements_none_is_left_out(recorded: dict[str, Recording]) -> None:
    recording = recorded["training by torch's names"]
    left, runs = shortened(recording, 100, 1000, [0])
    assert runs == statements(recording)
    assert left.steps == by_statement(recording).steps


def test_a_shortened_recording_keeps_what_tells_most_and_the_beginning(recorded: dict[str, Recording]) -> None:
    recording = recorded["training by torch's names"]
    every = statements(recording)
    telling = every[len(every) - 3]
    _, runs = shortened(recording, 8, 1000, [telling[0]])
    assert every[0] in runs
    assert telling in runs
    assert len(runs) < len(every)
    _, few = shortened(recording, 8, 1, [telling[0]])  # however little room there is
    assert telling in few
