"""The line with the versions of a storage: its labels are as long as there is room for, and apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from inplacelab.language import Text
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.text_layout import SMALL, width_of
from inplacelab_widgets.scene.version_line import Raise, VersionLine
from tests.recorders.runs import run


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
