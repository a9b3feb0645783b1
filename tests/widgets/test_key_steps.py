"""Tests the steps that tell the story of a recording: the most telling one, the chapters, where a player opens."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import inplacelab
from inplacelab.recording import queries
from inplacelab.recording.quiz import quiz
from inplacelab.recording.recording import Recording
from inplacelab.recording.statements import is_long, run_of
from inplacelab_widgets import Stepper, to_html
from inplacelab_widgets.page import payload_of
from inplacelab_widgets.scene import key_step, opening_step, scene_of
from inplacelab_widgets.scene.chapter_titles import LONGEST
from inplacelab_widgets.scene.key_steps import FEWEST, MOST, MOST_CELLS, Chapter, story, unusual
from inplacelab_widgets.scene.payload import payload
from tests.recorders.golden.renew import run


def recorded(program: Callable[[Any], object]) -> Recording:
    with inplacelab.record(title="told") as rec, contextlib.suppress(RuntimeError):
        program(inplacelab)
    assert rec.recording is not None
    return rec.recording


def said(recording: Recording) -> list[tuple[str, str | None]]:
    """Returns the role and the operation of each chapter."""
    return [(chapter.role, recording.steps[chapter.step].op) for chapter in story(recording)]


def drawn(chapter: Chapter) -> str:
    return "".join("#" if cell else "." for cell in chapter.cells)


# --- the most telling step ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "step"), [("stale", 9), ("lesson", 4), ("hostile", 1), ("views", 4)])
def test_the_telling_step(sample: Callable[[str], Recording], name: str, step: int) -> None:
    assert key_step(sample(name)) == step


def test_the_write_that_changes_most_other_names_is_telling_though_others_follow() -> None:
    def program(paddle: Any) -> None:
        m = paddle.zeros([2, 2])
        alone = paddle.ones([2])
        row = m[0]
        turned = m.t()
        m[1].add_(alone)
        row.add_(alone)
        alone.add_(alone)
        assert turned is not None

    recording = recorded(program)
    step = recording.steps[key_step(recording)]
    assert (step.op, len(queries.changed_values(recording, step.index))) == ("add_", 3)
    assert step.index < recording.steps[-1].index


def test_a_failure_that_leaves_nothing_alive_is_not_the_telling_step() -> None:
    def program(paddle: Any) -> None:
        def fails() -> None:
            a = paddle.ones([2])
            a.stop_gradient = False
            b = a * 2.0
            c = b * b
            b.add_(a)
            c.sum().backward()

        fails()

    recording = recorded(program)
    chosen = key_step(recording)
    assert recording.steps[-1].error is not None
    assert not recording.state().storages
    assert recording.steps[chosen].op == "add_"


def test_a_program_without_writes_ends_at_the_last_step_that_changes_anything() -> None:
    recording = run("n = 3\nx = paddle.ones([n])\nm = 4\n").recording
    assert recording.steps[-1].kind == "line"
    assert recording.steps[key_step(recording)].op == "ones"


def test_an_empty_recording_has_no_key_step() -> None:
    with pytest.raises(ValueError, match="the recording has none"):
        key_step(Recording("inplacelab", "0", "empty", (), ()))


# --- the story ------------------------------------------------------------------------------------------------------


def test_the_story_of_a_stale_value() -> None:
    def program(paddle: Any) -> None:
        a = paddle.ones([4])
        a.stop_gradient = False
        b = a.scale(2.0)
        unrelated = paddle.zeros([2])
        c = b.multiply(b)
        v = b[1:3]
        unrelated.scale_(3.0)
        v.zero_()
        c.sum().backward()

    recording = recorded(program)
    assert said(recording) == [
        ("made", "scale"),
        ("kept", "multiply"),
        ("viewed", "getitem"),
        ("stale", "zero_"),
        ("refused", None),
    ]
    assert [drawn(chapter) for chapter in story(recording)] == ["####", "####", ".##.", ".##.", "####"]


def test_the_story_of_a_gradient() -> None:
    def program(paddle: Any) -> None:
        a = paddle.ones([3])
        a.stop_gradient = False
        b = a.scale(2.0)
        v = b[0:2]
        v.scale_(3.0)
        b.sum().backward()

    recording = recorded(program)
    assert [role for role, _ in said(recording)] == ["made", "viewed", "written", "gradient"]
    assert [drawn(chapter) for chapter in story(recording)] == ["###", "##.", "##.", "###"]


def test_the_writes_that_change_other_names_are_chapters() -> None:
    source = (
        "m = paddle.arange(16, dtype='float32').reshape([4, 4])\nt = m.t()\nm[3] = 1.\nrow = t[1]\nrow.scale_(10.)\n"
        "c = paddle.zeros([2])\nc.scale_(2.)\nfor k in range(3):\n    row.scale_(2.)\nt[2:].fill_(0.)\n"
    )
    recording = run(source).recording
    lines = [(chapter.role, recording.steps[chapter.step].line) for chapter in story(recording)]
    assert lines == [("made", 1), ("viewed", 2), ("written", 3), ("written", 5), ("written", 9), ("written", 10)]


def test_a_long_storage_has_fewer_cells_than_slots() -> None:
    def program(paddle: Any) -> None:
        x = paddle.zeros([1000])
        x[500:].add_(paddle.ones([500]))

    written = [chapter for chapter in story(recorded(program)) if chapter.role == "written"]
    assert drawn(written[0]) == "." * (MOST_CELLS // 2) + "#" * (MOST_CELLS // 2)


def test_the_chapters_are_few_in_order_and_change_something(recording: Recording) -> None:
    chapters = story(recording)
    steps = [chapter.step for chapter in chapters]
    changing = [k for k in range(len(recording)) if not queries.changes_nothing(recording, k)]
    assert len(chapters) <= MOST
    assert steps == sorted(set(steps))
    assert set(steps) <= set(changing)
    assert len({chapter.role for chapter in chapters}) > 0 or not any(step.storages for step in recording.steps)
    busy = [step for step in recording.steps if step.kind == "operation" and (step.storages or step.writes)]
    assert len(chapters) >= min(FEWEST, len(busy))


# --- where a player opens -------------------------------------------------------------------------------------------


def test_a_player_opens_at_the_telling_step_and_with_questions_at_the_beginning(recording: Recording) -> None:
    questions = quiz(recording)
    assert opening_step(recording) == key_step(recording)
    opened = opening_step(recording, questions)
    assert all(question.step > opened or question.step == 0 for question in questions)
    assert all(queries.changes_nothing(recording, step) for step in range(opened))


def test_stepper_and_page_open_there(sample: Callable[[str], Recording]) -> None:
    recording = sample("stale")
    assert Stepper(recording).step == key_step(recording) == 9
    assert Stepper(recording, predict=True).step == opening_step(recording, quiz(recording)) < 9
    assert Stepper(recording, step=3).step == 3
    assert Stepper(recording, step=3, predict=True).step == 3
    assert Stepper(Stepper(recording, step=2)).step == 2
    assert '"step": 9' in to_html(recording)
    assert f'"step": {opening_step(recording, quiz(recording))}' in to_html(recording, predict=True)


def test_the_payload_says_which_steps_change_nothing() -> None:
    recording = run("n = 3\nx = paddle.ones([n])\nm = x.shape\nx.add_(x)\n").recording
    idle = [step.get("idle", False) for step in payload(scene_of(recording))["steps"]]
    assert idle == [True, False, True, False]
    assert [step.get("idle", False) for step in payload_of(to_html(recording))["steps"]] == idle


def test_a_stepper_does_not_open_empty_but_before_a_question() -> None:
    recording = run("n = 3\nx = paddle.ones([n])\nx.add_(x)\n").recording
    asked = quiz(recording)[0]
    assert opening_step(recording, ()) == 1
    assert opening_step(recording, (replace(asked, step=2),)) == 1
    assert opening_step(recording, (replace(asked, step=1),)) == 0


# --- what is unusual, and long programs -----------------------------------------------------------------------------


def happened(program: str) -> list[tuple[int | None, str]]:
    """The line and the role of each unusual step."""
    recording = run(program).recording
    return [(recording.steps[step].line, role) for step, role in unusual(recording).items()]


GRADIENT = "x = paddle.ones([3])\nx.stop_gradient = False\n"
TRAINING = """net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3), paddle.nn.Linear(3, 1))
opt = paddle.optimizer.Adam(parameters=net.parameters())
x = paddle.arange(8.).reshape([4, 2])
for epoch in range(2):
    h = net(x)
    loss = (h * h).sum()
    loss.backward()
    opt.step()
    opt.clear_grad()
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("m = paddle.ones([2, 2])\nt = m.t()\nm.scale_(2.)\n", [(3, "written")]),
        ("m = paddle.ones([2, 2])\nm[0].scale_(2.)\n", []),  # a part of `m` is no other name
        ("m = paddle.ones([2, 2])\ntop = m[0]\nm[1] = 5.\n", []),  # it shows none of what was written
        (f"{GRADIENT}a = x * 1.\nb = a * a\na.add_(x)\n", [(5, "stale")]),
        (f"{GRADIENT}a = x * 1.\na.multiply_(x)\n", [(4, "kept")]),
        (f"{GRADIENT}a = x * 1.\nx.add_(paddle.ones([2]))\n", [(4, "refused")]),
        (f"{GRADIENT}x.exp().sum().backward()\n", []),
        (TRAINING, []),
    ],
)
def test_what_is_unusual(program: str, expected: list[tuple[int | None, str]]) -> None:
    assert happened(program) == expected


def test_a_write_that_backward_does_not_notice_is_unusual() -> None:
    program = f"{GRADIENT}b = x * 2.\nv = b[0]\nv.scale_(3.)\nb.sum().backward()\n"
    assert [role for _, role in happened(program)] == ["written"]


def titles(recording: Recording) -> list[str]:
    return [chapter.title.en for chapter in story(recording)]


def test_the_chapters_name_what_is_special_in_a_program() -> None:
    short = run("m = paddle.arange(4.).reshape([2, 2])\nt = m.t()\nrow = t[1]\nrow.scale_(10.)\n").recording
    assert titles(short)[-1] == "`row.scale_(10.)` changes `m`, `t`"
    assert story(short)[-1].title.zh == "`row.scale_(10.)` 改变 `m`、`t`"
    refused = run(f"{GRADIENT}a = x * 1.\nb = a * a\na.add_(x)\nb.sum().backward()\n").recording
    assert titles(refused) == [
        "`a` made", "`a` kept (line 4)", "`a.add_(x)` makes `a` stale", "`b.sum().backward()` refused",
    ]  # fmt: skip


def test_every_title_is_short(recording: Recording) -> None:
    for chapter in story(recording):
        assert chapter.title.en
        assert sum(map(len, chapter.title.en.split("`")[1::2])) <= LONGEST + 2


def test_a_long_training_opens_at_its_first_update_and_tells_of_it() -> None:
    recording = run(TRAINING).recording
    assert is_long(recording)
    first = next(step for step in recording.steps if step.line == 8)
    assert key_step(recording) == opening_step(recording) == run_of(recording, first.index)[-1]
    assert titles(recording) == ["`loss.backward()`", "`opt.step()`"]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("h[0] = 0.", "`h[0] = 0.`"),
        ("h.detach()[0] = 0.", "`h.detach()[0] = 0.`"),
        ("h = (h + 1.).relu_().exp()", "`relu_` in place (line 6)"),
    ],
)
def test_a_long_program_opens_at_a_write_of_its_own(line: str, title: str) -> None:
    recording = run(TRAINING.replace("    loss =", f"    {line}\n    loss =")).recording
    opened = key_step(recording)
    assert recording.steps[opened].line == 6
    assert opened == run_of(recording, opened)[-1]
    assert titles(recording) == [title, "`loss.backward()`", "`opt.step()`"]


def test_a_long_program_opens_at_the_write_that_made_a_value_stale() -> None:
    program = TRAINING.replace("    loss =", "    h[0] = 0.\n    old = h * h\n    h.clip_(-1., 1.)\n    loss =")
    recording = run(program).recording
    assert recording.steps[key_step(recording)].line == 8
    assert titles(recording)[:2] == ["`h[0] = 0.`", "`h.clip_(-1., 1.)` makes `h` stale"]


def test_a_long_program_opens_at_the_first_write_to_an_alias() -> None:
    program = TRAINING.replace("for epoch", "row = x[0]\nx.scale_(2.)\nfor epoch")
    recording = run(program).recording
    assert recording.steps[key_step(recording)].line == 5
    assert titles(recording)[0] == "`x.scale_(2.)` changes `row`"


def test_the_payload_has_the_titles() -> None:
    recording = run("m = paddle.ones([2, 2])\nt = m.t()\nm.scale_(2.)\n").recording
    told = payload(scene_of(recording))["story"]
    assert told[-1]["title"] == ["`m.scale_(2.)` changes `t`", "`m.scale_(2.)` 改变 `t`"]
