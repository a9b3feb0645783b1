"""Two programs side by side: the scene, the still pictures, the data for the player, and the widget."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from inplacelab.language import LANGUAGES
from inplacelab.recording import Recording
from inplacelab.recording.compare import SIDES
from inplacelab_widgets.page import payload_of
from inplacelab_widgets.side_by_side import exports
from inplacelab_widgets.side_by_side.comparison import ComparisonScene, comparison_of, outlined
from inplacelab_widgets.side_by_side.comparison_picture import comparison_card, comparison_frame, said
from inplacelab_widgets.side_by_side.payload import comparison_payload
from tests.recorders.golden.renew import run
from tests.widgets.static_copies import images, svg_of
from tests.widgets.test_hostile_strings import GOLDEN, HOSTILE, hostile

HEAD = "theta = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)\ntarget = theta * 2.0\n"
TAIL = "\nloss = (target * target).sum()\nfrozen.zero_()\nloss.backward()"
LOOP = "x = paddle.ones([2])\nfor k in range({0}): x.scale_(2.0)\ny = x + 1.0"
PAIRS = {
    "detach": (HEAD + "frozen = target.detach()" + TAIL, HEAD + "frozen = target.detach().clone()" + TAIL),
    "in place": ("x = paddle.ones([3])\nv = x[1:]\nx.scale_(2.0)", "x = paddle.ones([3])\nv = x[1:]\nx = x.scale(2.0)"),
    "lengths": (LOOP.format(3), LOOP.format(1)),
    "equal": (HEAD, HEAD),
    "nothing to align": ("q = paddle.ones([2])", "from inplacelab import zeros\nw = zeros([3])"),
    "large": ("x = paddle.ones([40, 40])\nx[0].zero_()", "x = paddle.ones([40, 40])\nx[1].zero_()"),
}


@cache
def recorded(source: str) -> Recording:
    found: Recording = run(source).recording
    return found


@cache
def scene(name: str) -> ComparisonScene:
    return comparison_of(*map(recorded, PAIRS[name]))


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(picture).iter() if each.tag.endswith("text")]


def test_what_differs_is_outlined_and_only_that() -> None:
    shown = scene("detach")
    left, right = (shown.outlines(shown.key_position, side) for side in SIDES)
    target = [str(scene.recording.state().tensor("target").storage) for scene in (shown.left, shown.right)]
    for found, side, storage in zip((left, right), SIDES, target, strict=True):
        groups = [shown.scene(side).storages.groups[each.group].key for each in found]
        assert groups == [f"s{storage}"], "the storage of frozen is equal on both sides"
        assert found[0].around.count("M") == 2, "the slots as one run, and the version"
        assert found[0].signs
    assert shown.outlines(0, "left") == ()


def test_the_sign_of_a_version_covers_no_words_above_it() -> None:
    shown = scene("in place")
    _, new = shown.outlines(2, "right")  # of the new storage only the name and the version differ
    assert new.around.count("M") == 2
    (top,) = re.findall(r"M-2 ([\d.]+)", new.around)
    (middle,) = re.findall(r"M[-\d.]+ ([\d.]+)a6.5", new.grounds)
    assert float(middle) - 6.5 >= float(top), "the size of the storage stands close above"


def test_what_is_equal_is_not_outlined() -> None:
    shown = scene("equal")
    for position in range(len(shown.comparison.alignment.positions)):
        assert not any(shown.outlines(position, side) for side in SIDES)


def test_storages_that_differ_are_drawn_on_both_sides_also_where_the_scene_alone_would_not() -> None:
    shown = scene("detach")
    for side in SIDES:
        state = shown.scene(side).recording.state(shown.reached(shown.key_position, side) or 0)
        assert f"s{state.tensor('target').storage}" in shown.drawn(shown.key_position, side)


def test_a_storage_too_large_for_its_slots_is_outlined_as_a_strip() -> None:
    shown = scene("large")
    (found,) = shown.outlines(shown.key_position, "left")
    assert found.around.count("M") == 1


def test_outlines_are_added_to_the_panel_and_nothing_else_changes() -> None:
    shown = scene("detach")
    panel = shown.left.storages
    (found,) = shown.outlines(shown.key_position, "left")
    changed = outlined(panel, [found])
    for place, (before, after) in enumerate(zip(panel.groups, changed.groups, strict=True)):
        assert after.marks[: len(before.marks)] == tuple(before.marks)
        assert len(after.marks) - len(before.marks) == (3 if place == found.group else 0)


def scales(picture: ET.Element) -> list[float]:
    """How much smaller or larger parts of a picture are."""
    found = (re.search(r"scale\(([\d.]+)", each.get("transform", "")) for each in picture.iter())
    return [float(each[1]) for each in found if each is not None]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAIRS)
def test_every_position_is_a_picture_of_a_known_size(name: str, language: str) -> None:
    shown = scene(name)
    for position in range(len(shown.comparison.alignment.positions)):
        frame = ET.fromstring(comparison_frame(shown, position, language))
        assert float(frame.attrib["width"]) == 848
        assert min(scales(frame), default=1) > 0.95, "words keep their size"
        card = ET.fromstring(comparison_card(shown, position, language))
        assert (card.attrib["width"], card.attrib["height"]) == ("1200", "675")


def test_a_picture_says_how_both_end_and_what_differs() -> None:
    found = texts(exports.svg_of(scene("detach"), "en"))
    for words in (
        "target.detach() shares its storage with target, target.detach().clone() does not",
        "✗ RuntimeError in line 6",
        "✓ theta.grad = [8, 16, 24]",
        "target is [0, 0, 0] on the left, [2, 4, 6] on the right",
        "≠ peak 44 bytes",
    ):
        assert words in found, words
    assert found.count("≠") == 2, "the line that differs, on both sides"


def test_a_side_that_waits_says_so() -> None:
    shown = scene("lengths")
    alignment = shown.comparison.alignment
    waits = next(end for end in alignment.ends if shown.comparison.waiting(end, "right", by_line=True))
    assert "The right program has no step here." in texts(comparison_frame(shown, waits, "en"))
    assert "The left program has no step here." not in texts(comparison_frame(shown, waits, "en"))


def test_nothing_to_align_is_said_and_no_line_is_called_different() -> None:
    found = texts(exports.svg_of(scene("nothing to align"), "en"))
    assert any(each.startswith("Nothing was aligned") for each in found)
    assert not any("≠" in each for each in found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAIRS)
def test_player_and_picture_say_the_same(name: str, language: str) -> None:
    shown, packed = scene(name), comparison_payload(scene(name))
    position = shown.key_position
    spoken = packed["said"][packed["steps"][position]["whole"]["says"]]
    clause = spoken if isinstance(spoken, str) else spoken[LANGUAGES.index(language)]
    assert clause == shown.comparison.told(position, by_line=True).clause.in_language(language)
    assert clause.replace("`", "") in said(shown, position, language)


@pytest.mark.parametrize("name", PAIRS)
def test_the_data_of_the_player_name_what_is_there(name: str) -> None:
    shown = scene(name)
    packed = json.loads(json.dumps(comparison_payload(shown)))
    assert len(packed["steps"]) == len(shown.comparison.alignment.positions)
    assert [k for k, step in enumerate(packed["steps"]) if step.get("ends")] == list(shown.comparison.alignment.ends)
    for which, side in enumerate(packed["sides"]):
        (panel,) = side["panels"]
        keys = {group["key"] for group in panel["groups"]}
        for step in packed["steps"]:
            at = step["at_sides"][which]
            assert at is None or 0 <= at < len(side["steps"])
            assert set(step["drawn"][which].split()) <= keys
            outlines = step["outlines"][which]
            assert all(group < len(panel["groups"]) for group in outlines[::2])
            assert all(len(packed["paths"][paths]) == 3 for paths in outlines[1::2])
        reached = [step["at_sides"][which] for step in packed["steps"] if step["at_sides"][which] is not None]
        assert sorted(set(reached)) == list(range(len(side["steps"]))), "every step of a side is shown"


PROGRAM = """
import sys
from tests.widgets.test_comparison import PAIRS, scene
from inplacelab_widgets.side_by_side import exports
for name in PAIRS:
    for language in ("en", "zh"):
        for draw in (exports.svg_of, exports.html_of, exports.text_of, exports.markdown_of, exports.still_html_of):
            sys.stdout.write(draw(scene(name), language))
"""


@pytest.mark.standard
def test_two_processes_write_the_same() -> None:
    root = Path(__file__).parents[2]
    found = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], check=True, capture_output=True, env=environment, cwd=root
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_a_side_has_only_those_words_that_the_whole_lacks() -> None:
    packed = comparison_payload(scene("detach"))
    assert "link_slot" in packed["words"]
    for side in packed["sides"]:
        assert side["words"]["lens_moved"]
        assert not {"predict_next", "story", "origins_from"} & side["words"].keys()
        assert all(packed["words"].get(key) != said for key, said in side["words"].items())


def test_text_and_markdown_are_the_report_of_the_command_line() -> None:
    text = exports.text_of(scene("in place"), "en")
    assert text.startswith("After `x.scale_(2.0)`, `v` is [2, 2]")
    assert "left: 3  x.scale_(2.0)\nright: 3  x = x.scale(2.0)\n" in text
    assert all(line.startswith("    ") for line in exports.markdown_of(scene("in place"), "en").splitlines() if line)


@pytest.mark.parametrize("name", PAIRS)
def test_the_static_copy_is_small_and_has_the_words_of_the_picture(name: str) -> None:
    found = exports.still_html_of(scene(name), "en")
    assert len(found.encode()) <= exports.MOST_SAVED
    (image,) = images(found)
    assert image["alt"] == said(scene(name), scene(name).key_position, "en")
    assert svg_of(image) == exports.svg_of(scene(name), "en").replace("\n", " ")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_recording_becomes_markup(text: str) -> None:
    path = min(GOLDEN.glob("*.json"))
    shown = comparison_of(hostile(path, text, "everywhere"), recorded(PAIRS["detach"][0]))
    for language in LANGUAGES:
        tags = {each.tag.rpartition("}")[2] for each in ET.fromstring(exports.svg_of(shown, language)).iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "path", "text", "g", "circle", "image"}
        assert not re.search(
            r"<(script|b|img)\b(?!.*alt=)", exports.still_html_of(shown, language).replace("<img alt", "")
        )
        page = exports.html_of(shown, language)
        assert page.count("<script") == 2
        assert payload_of(page)["sides"][0]["source"]
        assert all(line.startswith("    ") for line in exports.markdown_of(shown, language).splitlines() if line)


def test_programs_without_a_name_are_called_by_their_side() -> None:
    left, right = (replace(recorded(source), title="") for source in PAIRS["detach"])
    shown = comparison_of(left, right)
    assert {"left program", "right program"} <= set(texts(exports.svg_of(shown, "en")))
    assert [side["called"] for side in comparison_payload(shown)["sides"]] == [
        ["left program", "左侧程序"],
        ["right program", "右侧程序"],
    ]
    assert shown.title == ""


def test_a_picture_that_may_not_be_saved_leaves_its_words() -> None:
    found = exports.still_html_of(scene("detach"), "en", 4_000)
    assert not images(found)
    assert "target.detach() shares its storage with target" in found


def test_where_there_is_little_room_only_what_differs_is_drawn() -> None:
    kept, copied = (
        f"x = paddle.ones([40, 40])\ny = x.transpose([1, 0]){each}\ny[0].scale_(0.0)" for each in ("", ".clone()")
    )
    shown = comparison_of(recorded(kept), recorded(copied))
    assert len(shown.drawn(shown.key_position, "right")) == 2
    names = texts(exports.svg_of(shown, "en"))
    assert "x" in names
    assert names.count("y") == 1, "only on the left, where it shares the storage that differs"


def test_an_animation_has_a_picture_for_each_line_that_changed_anything() -> None:
    image = pytest.importorskip("PIL.Image")
    shown = scene("detach")
    with image.open(BytesIO(exports.gif_of(shown, "en", seconds=0.5))) as found:
        assert (found.n_frames, found.size) == (len(shown.stops), (1200, 675))
    with pytest.raises(ValueError, match="seconds must be"):
        exports.gif_of(shown, "en", seconds=0.0)
