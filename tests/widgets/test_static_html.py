"""Tests static pictures: the frame, the tables, the PNG."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import inplacelab
from inplacelab.installing import command, requirement
from inplacelab.language import LANGUAGES, Text, speak
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_markdown, to_png, to_svg, to_text
from inplacelab_widgets.exports import still_html, still_picture
from inplacelab_widgets.scene import Scene, key_step, scene_of
from inplacelab_widgets.scene.palette import ROLES
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.still_pictures import code_panel, graph_in, picture
from inplacelab_widgets.scene.svg import stack_of
from inplacelab_widgets.scene.text_layout import width_of
from tests.recorders.golden.renew import run

SVG = "{http://www.w3.org/2000/svg}"

# --- the frame ----------------------------------------------------------------------------------------------------------


def words_in(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_frame_is_a_valid_small_picture(scene: Scene, language: str) -> None:
    svg = still_picture(scene, language)
    root = ET.fromstring(svg)
    assert len(svg.encode()) < 20_000
    assert float(root.attrib["width"]) == 848
    assert 0 < float(root.attrib["height"]) <= 480
    # Its sentence is in the picture's description, for screen readers.
    spoken = scene.sentence(key_step(scene.recording)).in_language(language).replace("`", "")
    assert spoken in (root.findtext(f"{SVG}desc") or "")


def test_the_frame_says_its_step(scene: Scene) -> None:
    step = key_step(scene.recording)
    foot = words_in(still_picture(scene, "en"))[-1]
    assert f"step {step + 1} of {len(scene.recording)}" in foot


def test_nothing_of_the_frame_is_outside_it(scene: Scene) -> None:
    """The storages are made smaller until they fit."""
    svg = still_picture(scene, "en")
    high = float(ET.fromstring(svg).attrib["height"])
    code = re.search(r"translate\(16 ([\d.]+)\)", svg)
    storages = re.search(r"translate\(260 ([\d.]+)\)", svg)
    assert code
    assert storages
    panel, step = scene.storages, key_step(scene.recording)
    scale = re.search(r'<g transform="translate\(0 0\) scale\(([\d.]+)\)">', svg)
    by = float(scale[1]) if scale else 1.0
    assert code[1] == storages[1]
    has_table = ">held by backward<" in svg
    drawn = [(group, y) for group, _, y in stack_of(panel, step)[0] if has_table or group in panel.groups]
    assert float(storages[1]) + max(y + group.height for group, y in drawn) * by <= high + 1
    assert 260 + panel.width * by <= 848 + 1


def test_the_frame_of_a_stale_value_shows_its_storage_and_the_graph(sample_scene: Callable[[str], Scene]) -> None:
    said = words_in(still_picture(sample_scene("stale"), "en"))
    assert {"b (operands 1 and 2) @ v0", "✗ stale, now v1", "✗ failed", "▼ kept v0", "✗ finds v1"} <= {*said}


@pytest.mark.parametrize(("nodes", "shown"), [(30, True), (330, False)])
def test_a_graph_that_takes_long_to_lay_out_is_left_out(nodes: int, shown: bool) -> None:
    head = "y = paddle.ones([1])\ny.stop_gradient = False\ny = kept = y.exp()\n"
    program = f"{head}for _ in range({nodes}):\n    y = y.tanh()\nkept.zero_()\ny.sum().backward()\n"
    said = words_in(still_picture(scene_of(run(program).recording), "en"))
    assert any(each.startswith("✗ Exp") for each in said) is shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_color_of_a_picture_has_its_dark_counterpart(scene: Scene, scheme: str) -> None:
    svg = still_picture(scene, "en")
    used = {*re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg.partition("</style>")[2])}
    light = dict(ROLES.values())
    assert used <= light.keys()
    if scheme == "dark":
        for color in used:
            assert f'[fill="{color}"]{{fill:{light[color]}}}' in svg


# Nothing of it can be folded.
LONG = "".join(
    f"y = y.{name}()\n"
    for name in ["tanh", "exp", "relu", "sin", "cos", "abs", "square", "sigmoid", "sinh", "erf", "atan", "asinh"]
)
FAR = (
    f"y = paddle.ones([3]); y.stop_gradient = False\nkept = y.exp()\n{LONG}z = y + kept\nkept.zero_()\n"
    f"{LONG}z.sum().backward()\n"
)


def test_the_lines_of_the_story_are_shown_however_far_away_they_are() -> None:
    recording = run(FAR).recording
    panel = code_panel(recording, 300, len(recording) - 1, near=True)
    said = [
        look.text for group in panel.groups for mark in group.marks if (look := mark.at(0)) and look.text is not None
    ]
    lines = [each.en if isinstance(each, Text) else each for each in said]
    assert lines == [
        *["⋮", "2", "kept = y.exp()", "▼ kept v0", "⋮", "16", "kept.zero_()", "v0 → v1", "⋮"],
        *["27", "y = y.atan()", "28", "y = y.asinh()", "29", "z.sum().backward()", "✗ finds v1"],
    ]


def test_what_is_said_of_a_line_is_beside_it_or_below_it_but_never_upon_it() -> None:
    recording = run(FAR).recording
    for width in (90, 140, 200, 400):
        marks = code_panel(recording, width, len(recording) - 1, near=True).groups[0].marks
        rows: dict[float, list[tuple[float, float]]] = {}
        for mark in marks:
            look, place = mark.at(0), dict(mark.place)
            if look is None or mark.tag != "text":
                continue
            wide = width_of(look.text)
            left = float(place["x"]) - (wide if "end" in look.style else 0)
            rows.setdefault(float(place["y"]), []).append((left, left + wide))
        for row in rows.values():
            in_order = sorted(row)
            assert all(one[1] <= other[0] + 1 for one, other in pairwise(in_order)), (width, in_order)


def test_a_graph_too_wide_is_drawn_whole_in_boxes_with_the_failure() -> None:
    scene = scene_of(run(FAR).recording)
    step = key_step(scene.recording)
    drawn, height = graph_in(scene, step, "en", 560)
    said = words_in(f'<svg xmlns="http://www.w3.org/2000/svg">{drawn}</svg>')
    assert any(each.startswith("✗ ") and "Exp" in each for each in said)
    assert "y" in said
    assert height < 300


def test_a_cut_recording_says_so_in_its_picture(sample: Callable[[str], Recording]) -> None:
    for name in ("stale", "relayout"):  # of several frames, and of one
        whole = sample(name)
        cut = replace(whole, truncated=7)
        assert any(f"The recording was cut after {len(whole)} steps" in each for each in words_in(to_svg(cut)))


def test_a_recording_says_in_its_picture_and_page_what_it_leaves_out(sample: Callable[[str], Recording]) -> None:
    note = Text("Other threads were left out.", "其他线程没有记录。")
    noted = replace(sample("stale"), notes=(note,))
    assert any(note.en in each for each in words_in(to_svg(noted)))
    assert note.en in to_text(noted)
    assert note.zh in to_markdown(noted, language="zh")
    assert payload(scene_of(noted))["notes"] == [[note.en, note.zh]]


def test_long_code_is_cut_visibly(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("really_training")
    said = words_in(still_picture(scene, "en"))
    assert said.count("⋮") >= 1
    assert words_in(picture(scene, 5, "en")).count("⋮") == 0


# --- HTML ---------------------------------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The tags of a piece of HTML, each with its end tag, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "img":
            self.open.append(tag)
        assert {name for name, _ in attrs} <= {"alt", "src"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_html_is_an_image_and_folded_tables(scene: Scene) -> None:
    page = Elements(still_html(scene, "en"))
    assert page.open == []
    assert page.tags[:3] == ["img", "details", "summary"]
    assert set(page.tags) == {"img", "details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td"}


def test_what_the_program_wrote_is_text_in_the_html(sample_scene: Callable[[str], Scene]) -> None:
    page = Elements(still_html(sample_scene("hostile"), "en"))
    assert page.tags.count("img") == 1
    assert not {"b", "script"} & set(page.tags)
    assert "<b>&\"'</b>" in page.words


def test_the_tables_say_what_the_last_frame_shows(sample_scene: Callable[[str], Scene]) -> None:
    said = Elements(still_html(sample_scene("stale"), "zh")).words
    assert {"以表格阅读", "追踪的字节数", "存活", "68 B", "存储", "张量", "12, 14, 16, 18"} <= set(said)


# --- PNG ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def rasteriser() -> None:
    pytest.importorskip("resvg_py", reason="needs resvg: python -m pip install -e '.[png]'", exc_type=ImportError)


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("rasteriser")
def test_a_png_has_the_picture_s_size(sample: Callable[[str], Recording], tmp_path: Path, language: str) -> None:
    root = ET.fromstring(to_svg(sample("lesson"), 4, language))
    drawn = to_png(sample("lesson"), 4, tmp_path / "picture.png", scale=0.5, language=language)
    assert (tmp_path / "picture.png").read_bytes() == drawn
    for found, wanted in zip(size_of(drawn), (root.attrib["width"], root.attrib["height"]), strict=True):
        assert abs(found - float(wanted) / 2) <= 1


@pytest.mark.usefixtures("rasteriser")
def test_a_png_without_size_is_refused(sample: Callable[[str], Recording]) -> None:
    with pytest.raises(ValueError, match="scale must be positive"):
        to_png(sample("lesson"), scale=0)


@pytest.mark.parametrize(("language", "says"), [("en", "To draw PNG pictures"), ("zh", "绘制 PNG 图片需要")])
def test_without_a_renderer_the_error_says_what_to_install(
    sample: Callable[[str], Recording], monkeypatch: pytest.MonkeyPatch, language: str, says: str
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with speak(language), pytest.raises(ImportError, match=says) as refused:
        to_png(sample("lesson"))
    assert command(requirement("png")) in str(refused.value)
    assert refused.value.name == "resvg_py"


def test_a_graph_that_backward_has_let_go_is_left_out() -> None:
    with inplacelab.record() as block:
        x = inplacelab.to_tensor([8.0, 4.0], stop_gradient=False)
        with inplacelab.no_grad():
            x.scale_(0.5)
        x.sum().backward()
    assert block.recording is not None
    assert not block.recording.state().nodes
    assert "<svg" in still_picture(scene_of(block.recording), "en")


def test_code_is_broken_between_words() -> None:
    source = "frozen = paddle.ones([3])\nfrozen.scale_(paddle.nn.functional.softmax(frozen, axis=0).sum().item(), bias=1.5)\n"
    marks = code_panel(run(source).recording, 230, 0).groups[0].marks
    drawn = [look.text for mark in marks if (look := mark.at(0)) is not None and "code" in look.style]
    lines = [str(each) for each in drawn[1:]]
    assert len(lines) > 2
    assert "".join(each.strip() for each in lines).replace(" ", "") == source.splitlines()[1].replace(" ", "")
    assert {word for each in lines for word in re.findall(r"\w+", each)} == {
        *re.findall(r"\w+", source.splitlines()[1])
    }
