"""Pages of long recordings: statements, and events around what is telling, within bounds; and what is left out is said."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.recording import Recording
from inplacelab.recording.statements import run_of, shortened, statements
from inplacelab_widgets import scene as scenes
from inplacelab_widgets import to_html
from inplacelab_widgets.page import payload_of
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.key_steps import story
from tests.recorders.golden.renew import run

PROGRAM = """\
import inplacelab as paddle
from inplacelab import nn
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
opt = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())
x = paddle.ones([2, 2])
for epoch in range(12):
    loss = net(x).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
"""


@pytest.fixture(scope="module", name="training")
def _training() -> Recording:
    recording = run(PROGRAM).recording
    assert len(recording) > scenes.MOST_STEPS
    return recording


@pytest.fixture(scope="module", name="sent")
def _sent(training: Recording) -> Any:
    return payload_of(to_html(training, language="en"))


def test_a_short_recording_is_whole(training: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "MOST_STEPS", len(training))
    scene = scene_of(training)
    assert scene.for_page is scene


@pytest.fixture(name="by_statement")
def _by_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """No event is a step of its own."""
    monkeypatch.setattr(scenes, "AROUND", None)


def test_a_long_recording_has_statements_as_steps(training: Recording, sent: Any) -> None:
    assert sent["shortened"]
    assert "joined" not in sent
    assert len(statements(training)) <= len(sent["steps"]) < len(training)
    assert all(step.get("ends") for step in sent["steps"])
    shown = sum(not step.get("idle") for step in sent["steps"])
    assert f"{len(training):,} steps, this page shows {shown}," in sent["notes"][0][0]


@pytest.mark.parametrize("around", [0, 1, 3])
def test_events_around_a_telling_one_are_steps(training: Recording, around: int) -> None:
    runs = statements(training)
    of = next(run for run in reversed(runs) if len(run) > 8)
    telling = of[4]
    part, parts = shortened(training, 10**6, 10**6, [telling], around)
    single = range(telling - around, telling + around + 1)
    pieces = [range(of.start, single.start), *(range(k, k + 1) for k in single), range(single.stop, of.stop)]
    assert [each for each in parts if each.start in of] == pieces
    assert [each for each in parts if each.start not in of] == [run for run in runs if run != of]
    assert shortened(training, 10**6, 10**6, [of[-1]], around)[1] == runs
    for step, events in enumerate(parts):  # whatever is a step, what it leaves behind is what its last event does
        assert part.state(step).storages.keys() == training.state(events[-1]).storages.keys()


def test_an_event_among_statements_is_told_as_such(training: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    update = next(run for run in reversed(statements(training)) if len(run) > 8)
    monkeypatch.setattr(scenes, "key_step", lambda _: update[4])
    short = scene_of(training).for_page
    single = [k for k, run in enumerate(short.runs) if len(run) == 1 and len(run_of(training, run.start)) > 1]
    assert single
    for step in single:
        assert short.sentence(step) == scene_of(training).sentence(short.runs[step].start)


@pytest.mark.usefixtures("by_statement")
def test_its_panels_are_those_by_statement(training: Recording) -> None:
    whole = scene_of(training)
    assert whole.by_statement is not None
    for name in scenes.PANELS:
        one, other = whole.for_page.panel(name), whole.by_statement.panel(name)
        assert one.says == other.says
        assert [tuple(group.marks) for group in one.groups] == [tuple(group.marks) for group in other.groups]


@pytest.mark.usefixtures("by_statement")
def test_its_sentences_are_those_of_statements(training: Recording) -> None:
    whole = scene_of(training)
    joined = whole.by_statement
    assert joined is not None
    for step in range(len(joined.recording)):
        assert whole.for_page.headline(step) == joined.headline(step)


def test_what_it_leaves_out_is_one_step_that_says_so(training: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "MOST_STATEMENTS", 16)
    short = scene_of(training).for_page
    assert len(short.recording) < len(statements(training))
    left = [step for step in range(len(short.recording)) if short.is_left_out(step)]
    assert left
    for step in left:
        run_of = short.runs[step]
        assert f"{run_of.start + 1:,} to {run_of.stop:,}" in short.sentence(step).en
        assert all(short.seen_at(event) is None for event in run_of)


def test_origins_are_at_steps_of_the_page(sent: Any) -> None:
    last, origins = len(sent["steps"]) - 1, sent["origins"]
    assert origins["numbers"]
    assert origins["paths"]
    assert all(-1 <= number[2] <= last for number in origins["numbers"])
    assert all(0 <= event[0] <= last for events in origins["life"].values() for event in events)
    assert [number[2] for number in origins["numbers"]] == sorted(number[2] for number in origins["numbers"])


def test_chapters_questions_and_savings_are_at_steps_of_the_page(training: Recording, sent: Any) -> None:
    scene = scene_of(training).for_page
    assert [chapter["step"] for chapter in sent["story"]] == [
        scene.seen_at(chapter.step) for chapter in story(scene_of(training).recording)
    ]
    for question in sent["predict"]:
        assert len(scene.runs[question["step"]]) == 1


@pytest.mark.parametrize("epochs", [12, 60])
def test_a_page_is_small_however_long_the_program(epochs: int) -> None:
    recording = run(PROGRAM.replace("range(12)", f"range({epochs})")).recording
    assert len(to_html(recording).encode()) < 1_000_000
    assert len(scene_of(recording).for_page.recording) <= scenes.MOST_STEPS
