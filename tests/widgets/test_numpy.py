"""A recording of a framework without version counters and gradients says nothing of them, in any place and in either language."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from inplacelab.recording import Recording, WriteFacts, sentence
from inplacelab.recording.quiz import questions_at
from inplacelab_widgets import to_html, to_markdown, to_svg, to_text
from inplacelab_widgets.scene import panels_of, scene_of
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.stepper import Stepper

from .samples import Script

NEVER = re.compile(
    r"version|leaf|stop_gradient|requires.grad|grad node|\bv\d|版本|叶子|梯度节点|保存标记", re.IGNORECASE
)


@pytest.fixture(scope="module")
def recording() -> Recording:
    script = Script("views", "x = np.ones(4)\nv = x[:2]\nv += 1\n", framework="numpy")
    script.store(0, (1.0,) * 4)
    script.tensor(0, 0, (4,), "x")
    script.step("operation", 1, op="np.ones", category="create", output=0)
    script.tensor(1, 0, (2,), "v", base=0)
    script.step("operation", 2, op="x[...]", category="view", inputs=(0,), output=1)
    before, after = script.write(0, (2.0, 2.0, 1.0, 1.0))
    write = WriteFacts(0, 0, before, after, 1, ((0, 2),))
    script.step("operation", 3, op="+=", category="in-place", inputs=(1,), output=1, writes=(write,))
    script.write(0, (3.0,) * 4)
    script.step("line", 3)
    return script.recording()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_place_speaks_of_versions_leaves_or_flags(recording: Recording, language: str) -> None:
    last = len(recording) - 1
    said = [to_text(recording, k, language) + to_markdown(recording, k, language) for k in range(len(recording))]
    said += [re.sub(r"<[^>]*>", " ", to_svg(recording, k, language)) for k in (None, 2, last)]
    found = {match for text in said for match in NEVER.findall(text)}
    assert not found


def test_the_player_is_sent_no_word_of_them(recording: Recording) -> None:
    sent = payload(scene_of(recording), tuple(q for k in range(len(recording)) for q in questions_at(recording, k)))
    texts = {key: sent[key] for key in ("said", "words", "keys", "tables", "predict")}
    assert not set(NEVER.findall(json.dumps(texts, ensure_ascii=False)))
    assert [panel["name"] for panel in sent["panels"]] == [name for name in panels_of(recording) if name != "code"]


def test_the_count_is_said_to_be_ours(recording: Recording) -> None:
    step = next(step.index for step in recording.steps if step.writes)
    assert (
        "Writes to S0 seen by inplacelab: 0 → 1; what it holds is shared by `v` and `x`."
        in sentence(recording, step).en
    )
    assert "inplacelab 观察到的对 S0 的写入次数：0 → 1" in sentence(recording, step).zh
    assert "(writes seen by inplacelab: 1 → 2)" in sentence(recording, len(recording) - 1).en
    assert "writes seen by inplacelab" in to_text(recording, step, "en")
    assert "inplacelab 观察到的写入次数" in to_text(recording, step, "zh")
    assert "w0→w1" in to_svg(recording, step, "en")


def test_a_plain_line_speaks_of_arrays() -> None:
    script = Script("names", "x = np.ones(2)\npass\n", framework="numpy")
    script.store(0, (1.0,) * 2)
    script.tensor(0, 0, (2,), "x")
    script.step("line", 1)
    script.step("line", 2)
    recording = script.recording()
    assert sentence(recording, 1).en == "Line 2 changed no array."
    assert sentence(recording, 0).zh == "第 1 行：存储 S0 上的数组现在名为 `x`。"


def test_there_is_no_graph_to_choose(recording: Recording) -> None:
    assert "graph" not in Stepper(recording).panels
    assert "graph" in Stepper(replace(recording, framework="torch")).panels
    assert "version" not in to_html(recording, language="en").partition("<script")[0]
