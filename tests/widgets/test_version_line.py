"""The line with the versions of a storage: its labels are as long as there is room for, and apart."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import inplacelab
from inplacelab.language import Text
from inplacelab.recording import Recording
from inplacelab.recording.sentences import line_sentence, sentence
from inplacelab.recording.statements import by_statement
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.storages_panel import storages_panel
from inplacelab_widgets.scene.text_layout import SMALL, width_of
from inplacelab_widgets.scene.version_line import Raise, VersionLine
from tests.recorders.runs import run
from tests.widgets.test_scene import alive


def _labels(operations: list[str], room: float) -> list[tuple[float, float, str]]:
    """The labels below the line at its last step: (left, right, words)."""
    raises = [
        Raise(k, f"v{k - 1}", f"v{k}", Text(f"line {k} {op}", f"第 {k} 行 {op}"), Text(f"{k} {op}", f"{k} {op}"))
        for k, op in enumerate(operations, 1)
    ]
    marks = VersionLine(raises, 0, len(raises), room).marks(0.0, 0.0, ())
    found = []
    for mark in marks:
        look, place = mark.at(len(raises)), dict(mark.place)
        if mark.tag == "text" and look is not None and isinstance(look.text, Text):
            half = width_of(look.text, SMALL) / 2
            found.append((float(place["x"]) - half, float(place["x"]) + half, look.text.en))
    return found


@pytest.mark.parametrize(
    ("operations", "room", "said"),
    [
        (["m[1, 2] = 60."], 200, ["line 1 m[1, 2] = 60."]),
        (["scale_", "scale_"], 190, ["line 1 scale_", "line 2 scale_"]),
        (["scale_", "add_", "scale_"], 190, ["1 scale_", "2 add_", "3 scale_"]),
        (["add_", "x[1:, ::2] *= y[1:, ::2]", "add_"], 190, ["line 3 add_"]),
    ],
)
def test_where_not_all_labels_have_room_the_last_one_stays_whole(
    operations: list[str], room: float, said: list[str]
) -> None:
    assert [words for *_, words in _labels(operations, room)] == said


@pytest.mark.parametrize(
    "operations", [["scale_"] * 3, ["subtract_", "x[1:] += x[:-1]", "add_"], ["x[s:] += x[:-s]"] * 3]
)
def test_labels_are_apart_and_on_the_line(operations: list[str]) -> None:
    labels = _labels(operations, 190)
    assert len(labels) in (1, len(operations))
    assert all(one[1] <= other[0] for one, other in pairwise(labels))
    assert labels[0][0] >= -0.1
    assert labels[-1][1] <= 228


def test_each_counter_of_a_storage_has_a_line_with_the_names_that_it_counts_for() -> None:
    pytest.importorskip("torch")
    source = "import torch\nx = torch.ones(3)\npart = x[1:]\nraw = x.data\nx.add_(1)\nraw.zero_()\nagain = x.data\n"
    drawn = scene_of(run(source, framework="torch").recording)
    group = drawn.storages.groups[-1]  # the layout since the last view
    last = len(drawn.recording.steps) - 1
    shown = [(mark, mark.at(last)) for mark in group.marks if mark.tag == "text"]
    heights = {
        str(look.text): float(dict(mark.place)["y"]) for mark, look in shown if look is not None and "v0" in mark.keys
    }
    lines = [*dict.fromkeys(float(dict(mark.place)["cy"]) for mark in group.marks if mark.tag == "circle")]
    assert [heights["x, part"] - 4, heights["raw"] - 4] == lines
    assert heights["v0 again"] > heights["raw"], "what nothing raised has no line"


def _drawn(recording: Recording, step: int) -> dict[str, str]:
    """The words of the panel of storages at a step, with their looks; a name has that of its pill."""
    boxes, words = dict[tuple[float, float], str](), dict[tuple[float, float], tuple[str, str]]()
    for group, mark, look in alive(storages_panel(recording), step):
        place = dict(mark.place)
        if mark.tag == "rect" and look.style.startswith("chip"):
            middle = group.x + float(place["x"]) + float(place["width"]) / 2
            boxes[round(middle), round(group.y + float(place["y"]))] = look.style
        elif mark.tag == "text":
            at = round(group.x + float(place["x"])), round(group.y + float(place["y"]) - 11.5)
            words[at] = str(look.text), look.style
    return {said: boxes.get(at, style) for at, (said, style) in words.items()}


ALIASES = {
    "torch": (
        "import torch\nx = torch.ones(2, 2)\nfor k in range(2):\n    x.add_(1)\n    x.data[0] = k\n    x.detach().zero_()\n",
        {5: ("x.data", "v1", True), 6: ("x.detach()", "v1→v2", False)},
    ),
    "paddle": ("import paddle\nx = paddle.ones([2, 2])\nx.detach().zero_()\n", {3: ("x.detach()", "v0→v1", False)}),
    "inplacelab": ("x = paddle.ones([2, 2])\nx.detach().zero_()\n", {2: ("x.detach()", "v0→v1", False)}),
}


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("framework", ALIASES)
@pytest.mark.parametrize("joined", [False, True])
def test_what_is_written_through_an_alias_without_a_name_is_written_there(framework: str, joined: bool) -> None:
    pytest.importorskip(framework)
    source, expected = ALIASES[framework]
    names: dict[str, Any] = {"paddle": inplacelab} if framework == "inplacelab" else {}
    recording = run(source, framework=framework, **names).recording
    recording = by_statement(recording) if joined else recording
    for line, (name, version, is_apart) in expected.items():
        step = next(each.index for each in recording.on_line(line) if each.writes)
        said = _drawn(recording, step)
        assert "acting" in said[name]
        assert "acting" not in said["x"], "it was not written through that name"
        stays = [each for each in said if each.startswith(f"{version} stays")]
        assert bool(stays) == is_apart
        assert is_apart or version in said
        assert any("counts for itself: v0→v1" in each for each in said) == is_apart
        assert name not in _drawn(recording, step + 1), "it is gone"


def test_the_sentence_names_the_alias() -> None:
    recording = run(
        "x = paddle.ones([2, 2])\nx.detach().zero_()\n", framework="inplacelab", paddle=inplacelab
    ).recording
    written = next(step.index for step in recording.steps if step.writes)
    assert "wrote slots 0-3 of S0 through `x.detach()`" in sentence(recording, written).en
    assert "wrote slots 0-3 of S0 through `x.detach()`" in line_sentence(recording, written).en


def test_a_write_that_raises_no_version_says_that_it_stays() -> None:
    assert Raise(3, "v1", "v2", Text("a", "a"), Text("a", "a")).label == Text("v1→v2", "v1→v2")
    assert Raise(3, "v1", "v1", Text("a", "a"), Text("a", "a")).label == Text("v1 stays", "v1 不变")
