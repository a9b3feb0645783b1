"""The marks of what a step did to slots, the values before it, and the arrow of a copy."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inplacelab.lessons import recorded
from inplacelab.recording.recording import Called
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.still_pictures import frame, picture
from inplacelab_widgets.scene.storage_row import legend
from inplacelab_widgets.scene.svg import Group, Mark, arrow
from inplacelab_widgets.scene.tensor_cards import cards, overwritten, with_gone
from inplacelab_widgets.scene.timeline import Life
from tests.recorders.runs import run

PLAYER = Path(__file__).parents[2] / "widgets" / "inplacelab_widgets" / "player"
SWAP = "a = inplacelab.to_tensor([[1., 2.], [3., 4.]])\na[0], a[1] = a[1], a[0]\n"
COPIES = "a = inplacelab.to_tensor([1., 2., 3., 4.])\nb = inplacelab.zeros([3])\nb.copy_(a[1:])\n"


def scene(text: str) -> Any:
    return scene_of(run(text, "inplacelab").recording)


def boxes(group: Group, step: int, style: str) -> list[float]:
    """The left edges of the boxes of one style."""
    looks = [look for mark in group.marks if mark.tag == "path" and (look := mark.at(step)) and look.style == style]
    return [float(x) for look in looks for x in re.findall(r"M([\d.]+) ", str(dict(look.attributes)["d"]))]


def left_edges(group: Group, storage: int) -> list[float]:
    """The left edges of the slots."""
    rects = [
        mark for mark in group.marks if mark.tag == "rect" and mark.keys[:1] and mark.keys[0].startswith(f"s{storage}:")
    ]
    return [float(dict(mark.place)["x"]) for mark in rects]


def words(group: Group, step: int) -> list[tuple[str, float]]:
    """The tiny words below the strip, with the middle of each."""
    return [
        (look.text if isinstance(look.text, str) else look.text.en, float(dict(mark.place)["x"]))
        for mark in group.marks
        if mark.tag == "text" and (look := mark.at(step)) and look.text and look.style.startswith("text tiny")
    ]


def test_the_swap_that_fails_is_a_hollow_border() -> None:
    drawn = scene(SWAP)
    (group,) = drawn.storages.groups
    slots = left_edges(group, 0)
    assert boxes(group, 3, "written") == slots[:2]
    assert boxes(group, 3, "read") == slots[2:3], "a run has one border"
    assert boxes(group, 4, "unchanged") == slots[2:]
    assert boxes(group, 4, "written") == []
    assert boxes(group, 4, "read") == slots[:1]


def test_values_before_a_write_are_under_their_slots_in_that_step_only() -> None:
    (group,) = scene(SWAP).storages.groups
    before = [text for text, _ in words(group, 2)]
    assert "was" not in before
    shown = words(group, 3)
    assert "was" in dict(shown)
    assert "was" in dict(words(group, 4))
    slots = [x + 14 for x in left_edges(group, 0)]
    assert {(text, x) for text, x in shown} >= {("1", slots[0]), ("2", slots[1])}
    assert {(text, x) for text, x in words(group, 4)} >= {("3", slots[2]), ("4", slots[3])}


def test_a_copy_has_an_arrow_from_its_source_to_its_target() -> None:
    drawn = scene(COPIES)
    (copied,) = drawn.storages.copies
    source, target = (
        next(g for g in drawn.storages.groups if g.key == end[0]) for end in (copied.source, copied.target)
    )
    assert (source.key, target.key) == ("s0", "s1")
    assert (source.x, source.y) != (target.x, target.y)
    (packed,) = payload(drawn)["panels"][0]["copies"]
    assert packed == [copied.step, [*copied.source], [*copied.target]]


def test_a_still_picture_and_a_frame_have_the_arrow() -> None:
    drawn = scene(COPIES)
    (copied,) = drawn.storages.copies
    tip = "l-3.5 -5h7z"
    for step in range(len(drawn.recording)):
        assert (tip in picture(drawn, step, "en")) is (step == copied.step)
    swap = scene(SWAP)
    assert tip in frame(swap, 3, "en")
    assert tip not in frame(swap, 2, "en")


def test_a_frame_has_the_notes_on_the_recording() -> None:
    drawn = frame(scene_of(recorded("paddle-step-too-early")), 21, "en")
    assert drawn.count("new values unnoticed.") == 1


def test_a_number_that_is_written_is_no_copy() -> None:
    assert scene("a = inplacelab.zeros([3])\na[1:] = 2.\na.fill_(1.)\n").storages.copies == ()


def test_elements_have_the_same_borders() -> None:
    drawn = scene(SWAP)
    marks: list[Mark] = [mark for group in drawn.elements.groups for mark in group.marks if mark.tag == "path"]
    styles = {look.style for mark in marks if (look := mark.at(4))}
    assert {"unchanged", "read"} <= styles
    assert "written" not in styles


def test_storages_without_values_have_the_marks_too() -> None:
    (group, *_) = scene("a = inplacelab.zeros([100])\na[:10] = 1.\na[5:20] = a[0]\n").storages.groups
    styles = {look.style for mark in group.marks if mark.tag == "path" and (look := mark.at(3))}
    assert {"inked", "unchanged", "read"} <= styles


def test_every_mark_is_in_the_legend() -> None:
    assert [style for style, _, _ in legend()] == ["written", "unchanged", "around", "read", "lost", "copy"]
    assert len(payload(scene(SWAP))["marks"]) == 6


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_player_draws_the_same_arrow(tmp_path: Path) -> None:
    cases = [((40.0, 23.0), (96.0, 23.0), 0.0), ((40.0, 23.0), (54.0, 181.0), 0.0), ((40.0, 181.0), (54.0, 23.5), 12.0)]
    script = tmp_path / "arrow.mjs"
    script.write_text(
        f"import {{ arrowOf }} from {json.dumps(str(PLAYER / 'panel.js'))};\n"
        f"console.log(JSON.stringify({json.dumps(cases)}.map(([a, b, left]) => arrowOf(a, b, left))));\n",
        encoding="utf-8",
    )
    drawn = json.loads(subprocess.run(["node", script], capture_output=True, check=True, text=True).stdout)
    assert [tuple(each) for each in drawn] == [arrow(*case) for case in cases]


REFUSED = """
import inplacelab.nn.functional as F
x = inplacelab.to_tensor([1., 2., 3.], stop_gradient=False)
def layer(x):
    h = F.sigmoid(x)
    row = h[:2]
    row.zero_()
    return h * 2.
loss = layer(x).sum()
try:
    loss.backward()
except RuntimeError:
    pass
"""


def test_a_refused_step_shows_what_was_kept_and_the_tensors_that_are_gone() -> None:
    drawn = scene(REFUSED)
    step = next(step.index for step in drawn.recording.steps if step.error is not None)
    (group,) = (group for group in drawn.storages.groups if any("kept" in said for said in words(group, step)))
    lost = pytest.approx([6.0, 49.2, *left_edges(group, 1)[:2]])
    assert boxes(group, step, "lost") == lost, "in the grid of row, and in the strip"
    assert [said for said, _ in words(group, step)][:3] == ["kept", "0.731", "0.881"]
    assert not boxes(group, step - 1, "lost")
    said = [str(look.text) for mark in group.marks if mark.tag == "text" and (look := mark.at(step)) and look.text]
    assert {"h", "row", "[3]  gone", "[2]  gone"} <= {*said}


def test_a_stale_value_that_was_written_with_equal_numbers_is_marked() -> None:
    drawn = scene(REFUSED.replace("row.zero_()", "row.scale_(1.)"))
    step = next(step.index for step in drawn.recording.steps if step.error is not None)
    (group,) = (group for group in drawn.storages.groups if any("kept" in said for said in words(group, step)))
    assert len(boxes(group, step, "lost")) == 4, "two in the grid of row, and two in the strip"
    assert [said for said, _ in words(group, step)][:3] == ["kept", "0.731", "0.881"]


def test_a_result_that_outlives_its_name_is_gone_under_this_name() -> None:
    recording = scene(REFUSED).recording
    lost = overwritten(recording)[1]
    card = next(each for each in cards(recording) if each.storage == 1)
    unnamed = replace(card.life.moments[-1][1], called=Called(card.tensor, ()))
    longer = replace(card, life=Life((*card.life.moments, (card.life.last + 1, unnamed)), card.life.last + 1))
    (shown,) = with_gone([longer], lost)
    assert shown.life.last == lost.step
    face = shown.life.at(lost.step)
    assert face is not None
    assert (face.chips, face.called.names, face.gone) == (("h",), ("h",), True)
