"""Tests what is shared of a recording: cards and animations."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import inplacelab
from inplacelab.installing import command, requirement
from inplacelab.language import LANGUAGES, speak
from inplacelab.recording.facts import SourceFacts
from inplacelab.recording.recording import Recording
from inplacelab_widgets import Stepper, sharing, to_card, to_gif
from inplacelab_widgets.scene import key_step, scene_of
from inplacelab_widgets.scene.key_steps import story
from inplacelab_widgets.scene.palette import FONT, PROSE_FONT
from inplacelab_widgets.scene.svg import prose_at
from inplacelab_widgets.sharing import HEIGHT, MOST_FRAMES, cards, drawn_from

SVG = "{http://www.w3.org/2000/svg}"
SIZE = (1200, 675)
CHINESE = "张量与存储"

Image: Any = pytest.importorskip("PIL.Image", reason="needs Pillow: python -m pip install -e '.[share]'")
pytest.importorskip("resvg_py", reason="needs resvg: python -m pip install -e '.[png]'", exc_type=ImportError)


def recording_of(block: Any) -> Recording:
    assert block.recording is not None
    recording: Recording = block.recording
    return recording


def three_views(title: str = "told") -> Recording:
    with inplacelab.record(title=title) as block:
        m = inplacelab.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        t = m.t()
        row = t[1]
        row.scale_(10.0)
    return recording_of(block)


def high_storages() -> Recording:
    with inplacelab.record(title="high") as block:
        a = inplacelab.arange(60.0)
        b = inplacelab.arange(60.0)
        c = inplacelab.arange(60.0)
        d = inplacelab.arange(60.0)
        e = a + b + c + d
        b.scale_(2.0)
    assert e.shape == [60]
    return recording_of(block)


def words_of(card: str) -> str:
    return " ".join("".join(text.itertext()) for text in ET.fromstring(card).iter(f"{SVG}text"))


def opened(file: bytes) -> Any:
    return Image.open(BytesIO(file))


def needs_chinese_fonts() -> None:
    # Asked of the system and not of our own check, which is what is tested.
    if sys.platform == "linux" and not any(Path("/usr/share/fonts").rglob("*CJK*")):
        pytest.skip("needs a font with Chinese characters: apt-get install fonts-noto-cjk")


# --- cards --------------------------------------------------------------------------------------------------------------


def test_a_card_has_the_size_that_sites_show(sample: Callable[[str], Recording], tmp_path: Path) -> None:
    drawn = to_card(sample("lesson"), 4, tmp_path / "card.png")
    assert opened(drawn).size == SIZE
    assert (tmp_path / "card.png").read_bytes() == drawn


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_has_the_sentence_the_code_and_the_place_of_its_step(language: str) -> None:
    recording = three_views("one_write.py")
    scene, step = scene_of(recording), len(recording) - 1
    shown = words_of(cards(scene, [step], language)[0])
    # Lines are broken at spaces and between Chinese characters.
    sentence = scene.headline(step).clause.in_language(language).replace("`", "")
    assert re.sub(r"\s", "", sentence) in re.sub(r"\s", "", shown)
    assert "row.scale_(10.0)" in shown
    assert "one_write.py" in shown
    assert {"en": f"step {step + 1} of {step + 1}", "zh": f"第 {step + 1} 步，共 {step + 1} 步"}[language] in shown
    assert re.search(r"\binplacelab\b", shown)


def test_without_a_step_the_card_shows_the_key_step(sample: Callable[[str], Recording]) -> None:
    recording = sample("stale")
    assert to_card(recording) == to_card(recording, key_step(recording)) != to_card(recording, 0)
    assert to_card(recording, -1) == to_card(recording, len(recording) - 1)
    with pytest.raises(IndexError):
        to_card(recording, len(recording))


def test_code_in_a_sentence_is_in_the_font_of_code_also_where_a_line_breaks_in_it() -> None:
    drawn = ET.fromstring(f"<g>{prose_at(0, 0, 'text', ['so `x[0]', '= 5.` is', 'not `y`'], 20)}</g>")
    assert [[each.text for each in line] for line in drawn] == [["x[0]"], ["= 5."], ["y"]]
    assert ["".join(line.itertext()) for line in drawn] == ["so x[0]", "= 5. is", "not y"]
    assert {line.get("font-family") for line in drawn} == {PROSE_FONT}
    assert {each.get("font-family") for line in drawn for each in line} == {FONT}


def test_a_card_fills_its_frame() -> None:
    scene = scene_of(three_views("one_write.py"))
    found = boxes(cards(scene, [len(scene.recording) - 1], "en")[0])[1:]  # without the bar of the sentence
    top, bottom = min(each[1] for each in found), max(each[3] for each in found)
    assert bottom - top > 0.5 * HEIGHT
    assert HEIGHT - 56 - bottom < 0.1 * HEIGHT


def boxes(card: str) -> list[tuple[float, float, float, float]]:
    """Returns (left, top, right, bottom) of the rectangles of a card, in px of the card."""
    found = []

    def walk(element: ET.Element, x: float, y: float, scale: float) -> None:
        for moved in re.findall(
            r"translate\(([-\d.]+) ([-\d.]+)\)(?: scale\(([\d.]+)\))?", element.get("transform", "")
        ):
            x, y, scale = x + scale * float(moved[0]), y + scale * float(moved[1]), scale * float(moved[2] or 1)
        if element.tag == f"{SVG}rect" and "%" not in element.get("width", "%"):
            left, top = (float(element.get(key, 0)) for key in ("x", "y"))
            wide, high = (float(element.get(key, 0)) for key in ("width", "height"))
            found.append((x + scale * left, y + scale * top, x + scale * (left + wide), y + scale * (top + high)))
        for child in element:
            walk(child, x, y, scale)

    walk(ET.fromstring(card), 0, 0, 1)
    return found


@pytest.mark.parametrize("name", ["lesson", "stale", "views", "hostile"])
def test_nothing_of_a_card_is_outside_it(sample: Callable[[str], Recording], name: str) -> None:
    recording = sample(name)
    for language in LANGUAGES:
        for card in cards(scene_of(recording), range(len(recording)), language):
            for left, top, right, bottom in boxes(card):
                assert left >= 0
                assert top >= 0
                assert right <= SIZE[0] + 1
                assert bottom <= SIZE[1] + 1


def test_storages_that_a_card_has_no_room_for_are_named(sample: Callable[[str], Recording]) -> None:
    for recording in (high_storages(), sample("stale"), sample("lesson")):
        for step in range(len(recording)):
            shown = words_of(cards(scene_of(recording), [step], "en")[0])
            state = recording.state(step)
            for key in state.storages:  # in full, or in the table, which has the names and counts the others
                names = [name.rpartition(".")[2] for each in state.tensors_on(key) for name in each.names]
                assert re.search(rf"\bS{key}\b", shown) or not names or any(name in shown for name in names)


def test_what_stays_the_same_stays_where_it_is() -> None:
    """The frames of an animation have one layout: the code and the storages do not jump."""
    recording = three_views()
    steps = range(len(recording))
    together = cards(scene_of(recording), steps, "en")
    places = {tuple(re.findall(r'<g transform="(translate[^"]* scale[^"]*)">', card)) for card in together}
    assert len({each[1:] for each in places}) <= 1


def test_a_long_program_shows_the_lines_around_the_step(sample: Callable[[str], Recording]) -> None:
    recording = replace(sample("lesson"), sources=(SourceFacts("", "\n".join(f"line_{k}" for k in range(1, 100))),))
    shown = words_of(cards(scene_of(recording), [4], "en")[0])
    line = recording.steps[4].line
    assert line is not None
    assert f"line_{line} " in shown
    assert "line_60" not in shown


# --- animations -----------------------------------------------------------------------------------------------------------


def test_an_animation_has_a_frame_for_each_step_and_does_not_end(tmp_path: Path) -> None:
    recording = three_views()
    drawn = to_gif(recording, None, tmp_path / "steps.gif")
    found = opened(drawn)
    assert (found.format, found.size, found.n_frames) == ("GIF", SIZE, len(recording))
    assert found.info["loop"] == 0
    assert (tmp_path / "steps.gif").read_bytes() == drawn


def pixels_of(picture: Any) -> list[tuple[int, ...]]:
    raw = picture.tobytes()
    return [tuple(raw[k : k + 3]) for k in range(0, len(raw), 3)]


def test_an_animation_looks_as_its_cards_do() -> None:
    recording = three_views()
    drawn = opened(to_gif(recording, [1, -1]))
    assert drawn.n_frames == 2
    card = opened(sharing.png(cards(scene_of(recording), [1, len(recording) - 1], "en")[1], 1, "en")).convert("RGB")
    drawn.seek(1)
    pixels = zip(pixels_of(drawn.convert("RGB")), pixels_of(card), strict=True)
    differ = [max(abs(one - other) for one, other in zip(*each, strict=True)) for each in pixels]
    assert sum(each > 24 for each in differ) < 0.001 * len(differ)


def durations(file: bytes) -> list[float]:
    found, times = opened(file), []
    for frame in range(found.n_frames):
        found.seek(frame)
        times.append(found.info["duration"] / 1000)
    return times


def test_a_frame_is_shown_as_long_as_its_sentence_is_read() -> None:
    recording = three_views()
    times = durations(to_gif(recording))
    assert min(times) >= 2
    assert times[-1] > max(times[:-1])
    assert durations(to_gif(recording, [0, 1], seconds=0.5)) == [0.5, 0.5]


@pytest.mark.parametrize("seconds", [0, -1, 0.001, float("nan"), 1e9])
def test_a_time_that_no_gif_has_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds must be"):
        to_gif(three_views(), seconds=seconds)


def test_no_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="no steps"):
        to_gif(three_views(), [])
    with pytest.raises(IndexError):
        to_gif(three_views(), [0, 99])


def test_of_a_long_recording_the_key_steps_are_shown() -> None:
    with inplacelab.record() as block:
        x = inplacelab.ones([2])
        for _ in range(2 * MOST_FRAMES):
            x.scale_(2.0)
    recording = recording_of(block)
    found = opened(to_gif(recording))
    assert found.n_frames == len(story(recording)) <= MOST_FRAMES


@pytest.mark.parametrize("name", ["lesson", "stale", "views"])
def test_an_animation_is_small(sample: Callable[[str], Recording], name: str) -> None:
    assert len(to_gif(sample(name))) < 1_000_000


def test_the_same_recording_makes_the_same_files() -> None:
    one, other = three_views(), three_views()
    assert to_card(one) == to_card(other)
    assert to_gif(one) == to_gif(other)


def test_a_gif_notes_what_it_was_drawn_from() -> None:
    recording = three_views()
    noted = drawn_from(cards(scene_of(recording), range(len(recording)), "en"))
    assert opened(to_gif(recording, language="en")).info["comment"].decode() == noted
    assert opened(to_gif(recording, language="zh")).info["comment"].decode() != noted


# --- words ----------------------------------------------------------------------------------------------------------------


def test_chinese_words_are_no_boxes() -> None:
    needs_chinese_fonts()
    drawn = {
        sharing.png(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" font-family="{FONT}"><text y="30">{sign}</text></svg>',
            1,
            "zh",
        )
        for sign in CHINESE
    }
    assert len(drawn) == len(CHINESE)


@pytest.mark.parametrize(("language", "says"), [("en", "fonts-noto-cjk"), ("zh", "请安装中文字体")])
def test_without_a_font_for_chinese_a_picture_with_chinese_words_is_refused(
    monkeypatch: pytest.MonkeyPatch, language: str, says: str
) -> None:
    import resvg_py  # noqa: PLC0415

    real = resvg_py.svg_to_bytes

    def without_chinese(svg_string: str, **more: Any) -> bytes:
        return bytes(real(svg_string=re.sub("[\u4e00-\u9fff]", "□", svg_string), **more))

    monkeypatch.setattr(resvg_py, "svg_to_bytes", without_chinese)
    sharing.can_draw.cache_clear()
    try:
        recording = three_views()
        assert opened(to_card(recording, language="en")).size == SIZE
        with speak(language), pytest.raises(sharing.NoFontError, match=says):
            to_card(recording, language="zh")
    finally:
        sharing.can_draw.cache_clear()


@pytest.mark.parametrize(("language", "says"), [("en", "To draw animated GIFs"), ("zh", "绘制 GIF 动图需要")])
def test_without_pillow_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, language: str, says: str
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with speak(language), pytest.raises(ImportError, match=says) as refused:
        to_gif(three_views())
    assert command(requirement("share")) in str(refused.value)
    assert refused.value.name == "PIL"


def test_a_stepper_is_shared_in_its_language() -> None:
    needs_chinese_fonts()
    recording = three_views()
    stepper = Stepper(recording, language="zh")
    assert stepper.to_card(1) == to_card(recording, 1, language="zh")
    assert stepper.to_gif([0, 1], seconds=1) == to_gif(recording, [0, 1], seconds=1, language="zh")
