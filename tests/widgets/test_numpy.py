"""Tests that texts for a framework without version counters and gradients do not mention them, in either language."""

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
    r"version|leaf|stop_gradient|requires.grad|grad node|\bv\d|(?<!\{)tensor|forward|for backward"
    r"|版本|叶子|梯度节点|保存标记|张量|前向|反向传播保存",
    re.IGNORECASE,
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
    texts = {key: sent[key] for key in ("said", "keys", "tables", "predict")}
    # Keys of the player's texts ("forward", "link_tensor") are not texts, and some texts are for backward passes only.
    texts["words"] = [both for key, both in sent["words"].items() if key not in {"backward", "keepers"}]
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


def test_a_temporary_and_an_empty_step_are_described_as_arrays() -> None:
    script = Script("temporaries", "np.ones(2).sum()\nprint()\n", framework="numpy")
    script.store(0, (1.0,) * 2)
    script.tensor(0, 0, (2,))
    script.step("operation", 1, op="np.ones", category="create", output=0)
    script.step("operation", 2, op="print")
    recording = script.recording()
    assert sentence(recording, 0).en.startswith("Line 1 `np.ones` made the temporary array `T0` in")
    assert "临时数组 `T0`" in sentence(recording, 0).zh
    assert sentence(recording, 1).en == "Line 2 `print` ran and made no array."
    assert sentence(recording, 1).zh == "第 2 行的 `print` 已执行，没有产生数组。"


def test_arrays_from_before_the_recording_are_named_in_one_sentence() -> None:
    script = Script("older", "k = 1\n", framework="numpy")
    for number, name in enumerate("ab"):
        script.store(number, (1.0,) * 2)
        script.tensor(number, number, (2,), name)
    script.step("line", 1)
    said = sentence(script.recording(), 0)
    assert (said.en, said.zh) == ("Line 1: First seen here: `a` and `b`.", "第 1 行：这里首次见到 `a` 和 `b`。")


def test_an_array_of_the_name_tensor_keeps_it() -> None:
    script = Script("names", "tensor = np.ones(2)\n", framework="numpy")
    script.store(0, (1.0,) * 2)
    script.tensor(0, 0, (2,), "tensor")
    script.step("line", 1)
    assert sentence(script.recording(), 0).en == "Line 1: The array in S0 is now called `tensor`."


def test_a_resize_moves_an_array_and_leaves_nothing_behind() -> None:
    script = Script("resize", "x = np.ones(2)\nx.resize(3)\n", framework="numpy")
    script.store(0, (1.0,) * 2)
    script.tensor(0, 0, (2,), "x")
    script.step("line", 1)
    script.store(1, (1.0, 1.0, 0.0))
    script.tensor(0, 1, (3,), "x")
    del script.storages[0]
    script.step("operation", 2, op="resize", category="reallocated", inputs=(0,), output=0)
    said = sentence(script.recording(), 1)
    assert said.en.startswith("Line 2 `resize` gave `x` other memory: it is now in a new storage S1")
    assert "S0 was freed" in said.en
    assert said.zh.startswith("第 2 行的 `resize` 更换了 `x` 的内存：数据现在位于新存储 S1")


def test_folded_lanes_are_described_without_backward() -> None:
    script = Script("many", "".join(f"x{k} = np.ones(1)\n" for k in range(14)), framework="numpy")
    for k in range(14):
        script.store(k, (1.0,))
        script.tensor(k, k, (1,), f"x{k}")
        script.step("operation", k + 1, op="np.ones", category="create", output=k)
    for number in (14, 15):  # never named or written
        script.store(number, (1.0,))
        script.step("line", 14)
    recording = script.recording()
    for language, note in (("en", "2 more storages: never written"), ("zh", "另有 2 个存储：从未写入")):
        assert f">{note}<" in to_svg(recording, -1, language)
    for language, note in (("en", "never named or written"), ("zh", "从未命名或写入")):
        assert note in to_svg(recording, -1, language)


def test_there_is_no_graph_to_choose(recording: Recording) -> None:
    assert "graph" not in Stepper(recording).panels
    assert "graph" in Stepper(replace(recording, framework="torch")).panels
    assert "version" not in to_html(recording, language="en").partition("<script")[0]
