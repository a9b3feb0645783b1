"""Predict mode in Python: what is sent to the player, and what a stepper receives."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

from inplacelab.recording.quiz import questions_at, quiz
from inplacelab.recording.recording import Recording
from inplacelab_widgets import Stepper, to_html
from inplacelab_widgets.page import payload_of, unpacked
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.payload_parts import question_data
from tests.recorders.golden.renew import run

Samples = Callable[[str], Recording]


def packed(scene: Scene, recording: Recording) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = payload(scene, quiz(recording))["predict"]
    return sent


def test_a_question_is_sent_as_plain_data(sample_scene: Callable[[str], Scene], sample: Samples) -> None:
    first, *_, last = packed(sample_scene("stale"), sample("stale"))
    assert (first["step"], first["kind"], first["several"], first["right"]) == (3, "stale", True, [0])
    assert first["options"][1] == ["none of them", "都不会"]
    assert first["about"] == "n2"
    assert (last["step"], last["kind"], last["right"]) == (5, "raises", [1])


def test_the_operation_is_named_where_a_line_has_several(sample: Samples, sample_scene: Callable[[str], Scene]) -> None:
    scene, record = sample_scene("really_training"), sample("really_training")
    found = {record.steps[each["step"]].op: each["op"] for each in packed(scene, record)}
    assert found["subtract_"] == "subtract_"
    assert {each["op"] for each in packed(sample_scene("views"), sample("views"))} == {None}


def test_of_several_alike_the_one_meant_is_named() -> None:
    layers = "net = paddle.nn.Linear(2, 1)\nhead = paddle.nn.Linear(1, 1)\n"
    sgd = "sgd = paddle.optimizer.SGD(0.1, parameters=[*net.parameters(), *head.parameters()])\n"
    losses = "y = head(net(paddle.ones([3, 2])))\nfirst, second = y.mean(), y.sum() + y.max()\nfirst.backward(retain_graph=True)\n"
    recording = run(layers + sgd + losses + "sgd.step()\nz = y.clone() + y.clone()\n").recording
    on_step = {each["op"]: each for each in (question_data(recording, one) for one in quiz(recording, at="line:7"))}
    assert [name for name in on_step if name] == [
        "net.weight.subtract_", "net.bias.subtract_", "head.weight.subtract_", "head.bias.subtract_"
    ]  # fmt: skip
    assert [question_data(recording, one)["op"] for one in quiz(recording, at="line:8", kinds="shares")] == [
        "clone 1/2",
        "clone 2/2",
    ]
    (stale,) = (question_data(recording, one) for one in quiz(recording, kinds="stale"))
    assert (stale["op"], len(stale["right"])) == ("head.weight.subtract_", 1)
    assert "head.weight" in str(stale["options"][stale["right"][0]])


def test_a_payload_asks_nothing_that_it_was_not_given(sample_scene: Callable[[str], Scene]) -> None:
    assert payload(sample_scene("stale"))["predict"] == []


def test_a_page_opens_in_predict_mode_on_request(sample: Samples) -> None:
    assert '"predict": false' in to_html(sample("stale"))
    assert '"predict": true' in to_html(sample("stale"), predict=True)
    page = to_html(sample("stale"), predict=quiz(sample("stale"), at=5))
    assert '"predict": true' in page
    assert [each["kind"] for each in payload_of(page)["predict"]] == ["raises"]


# --- the widget -----------------------------------------------------------------------------------------------------


def test_predict_mode_is_off_by_default(sample: Samples) -> None:
    assert not Stepper(sample("stale")).predict
    asking = Stepper(sample("stale"), predict=True)
    assert asking.predict
    assert asking.questions == quiz(sample("stale"))
    assert {"predict", "answers"} <= set(asking.keys)


def test_an_author_s_questions_are_the_ones_that_are_asked(sample: Samples) -> None:
    chosen = quiz(sample("stale"), at=3, kinds=("bytes", "version"))
    asking = Stepper(sample("stale"), predict=chosen)
    assert asking.predict
    assert asking.questions == chosen
    assert [each["kind"] for each in json.loads(unpacked(asking._whole))["predict"]] == ["version", "bytes"]


def test_questions_of_another_recording_are_refused(sample: Samples) -> None:
    with pytest.raises(ValueError, match=r"a question is about step 5, but this recording has 3 steps"):
        Stepper(sample("relayout"), predict=questions_at(sample("stale"), 5))


def test_answers_come_back_from_the_browser_as_plain_data(sample: Samples) -> None:
    asking = Stepper(sample("stale"), predict=True)
    seen: list[Any] = []
    asking.observe(lambda change: seen.append(change["new"]), names=["answers"])
    answer = {"step": 3, "kind": "stale", "chosen": [0], "right": True}
    asking.set_state({"answers": [answer]})
    assert asking.answers == [answer]
    assert seen == [[answer]]
