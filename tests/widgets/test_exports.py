"""Tests the still picture, the page and the text: they are safe, complete, and the same everywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from inplacelab.language import LANGUAGES, Text, speak
from inplacelab.recording.quiz import quiz
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html, to_markdown, to_svg, to_text, words
from inplacelab_widgets.page import packed_json, payload_of
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.words import player, side_by_side
from tests.tiers import choose
from tests.widgets.pictures import TAGS

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ADDRESS = re.compile(r"0x[0-9a-f]{4}")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_is_a_valid_picture(scene: Scene, language: str) -> None:
    for step in range(0, len(scene.recording), choose(5, 1, 1)):
        picture = to_svg(scene, step, language)
        root = ET.fromstring(picture)
        assert root.tag == f"{SVG}svg"
        assert root.find(f"{SVG}title") is not None
        assert (root.findtext(f"{SVG}desc") or "").strip()
        assert not ADDRESS.search(picture)


def test_a_picture_holds_no_script_and_no_reference(scene: Scene) -> None:
    root = ET.fromstring(to_svg(scene))
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= TAGS
    names = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in names if name.startswith("on") or name in {"style", "class"}}
    # Heat maps are part of the picture, and its only style is that of a dark page.
    assert all(element.get("href", "").startswith("data:image/png;base64,") for element in root.iter(f"{SVG}image"))
    assert not {
        name for element in root.iter() if element.tag != f"{SVG}image" for name in element.attrib if "href" in name
    }
    (style,) = root.iter(f"{SVG}style")
    assert (style.text or "").startswith("@media (prefers-color-scheme:dark){")


def test_what_the_program_wrote_is_text_and_nothing_else(sample: Callable[[str], Recording]) -> None:
    picture = to_svg(sample("hostile"))
    assert "<script" not in picture
    assert "<b>" not in picture
    said = "".join(ET.fromstring(picture).itertext())
    assert "<b>&\"'</b>" in said
    assert "onerror=alert(1)" in said


class Tags(HTMLParser):
    """The tags of a page, with the scripts' contents as a browser's parser splits them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_a_page_is_whole_and_asks_for_nothing(recording: Recording, tmp_path: Path) -> None:
    page = to_html(recording, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    tags = Tags(page).found
    assert [tag for tag, _ in tags].count("script") == 2
    assert not [tag for tag, _ in tags if tag in {"img", "link", "iframe", "b"}]
    assert not [attributes for _, attributes in tags if {"src", "href"} & attributes.keys()]
    # A packed text of this length may contain any four letters by chance.
    readable = re.sub(r"[A-Za-z0-9+/=]{200,}", "", page)
    assert "http" not in readable.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in str(payload_of(page))


def test_the_page_carries_the_payload(sample: Callable[[str], Recording], sample_scene: Callable[[str], Scene]) -> None:
    for name in ("lesson", "hostile"):
        # Questions are always sent, since a reader may switch predict mode on at any time.
        sent = payload(sample_scene(name), quiz(sample(name)))
        assert payload_of(to_html(sample(name))) == json.loads(json.dumps(sent))


def test_the_payload_stays_small(sample_scene: Callable[[str], Scene]) -> None:
    sizes = {name: len(packed_json(payload(sample_scene(name)))) for name in ("lesson", "large", "many")}
    assert sizes["lesson"] < 25_000
    assert sizes["large"] < 25_000
    assert sizes["many"] < 38_000


def test_a_still_picture_stays_small(scene: Scene) -> None:
    assert len(to_svg(scene).encode()) < 80_000


PROGRAM = """
import hashlib, importlib.util, json, sys
from inplacelab_widgets import to_html, to_svg
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
spec = importlib.util.spec_from_file_location("samples", sys.argv[1])
samples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(samples)
for name, make in samples.ALL.items():
    recording = make()
    drawn = to_html(recording) + "".join(to_svg(recording, step, "zh") for step in range(len(recording)))
    drawn += json.dumps(payload(scene_of(recording), only=0, extent="brief"))
    print(name, hashlib.sha256(drawn.encode()).hexdigest())
"""


@pytest.mark.standard
def test_two_processes_draw_the_same_bytes() -> None:
    def drawn(seed: str) -> str:
        command = [sys.executable, "-c", PROGRAM, str(Path(__file__).with_name("samples.py"))]
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    first = drawn("1")
    assert first.count("\n") >= 9
    assert first == drawn("2")


def test_pictures_need_no_jupyter() -> None:
    program = (
        "import sys, inplacelab_widgets as w; w.to_svg, w.to_html, w.to_text;"
        "print(*{'anywidget', 'traitlets', 'IPython', 'ipywidgets', 'numpy'} & sys.modules.keys() - {'numpy'})"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == []


def test_text_has_the_sentence_and_every_table(sample: Callable[[str], Recording]) -> None:
    said = to_text(sample("stale"), 9, "en")
    assert said.startswith("stale: step 10 of 10, line 4, backward")
    for title in ("Storages", "Tensors", "Kept for backward", "Grad nodes", "Tracked bytes"):
        assert f"\n{title}\n" in said
    assert "✗ stale, now v1" in said
    assert "\n  live         68 B\n" in said
    assert "`" not in said


def test_markdown_keeps_cells_apart(sample: Callable[[str], Recording]) -> None:
    said = to_markdown(sample("hostile"), 0, "en")
    rows = [line for line in said.splitlines() if line.startswith("|")]
    assert len({row.replace("\\|", "").count("|") for row in rows[:3]}) == 1
    assert "&lt;b>" in said
    # Except in code: the program's lines, and texts between backticks.
    assert "<" not in re.sub(r"`[^`]*`|^    .*$", "", said, flags=re.MULTILINE)


def test_markdown_shows_names_as_they_are_and_code_as_code(sample: Callable[[str], Recording]) -> None:
    said = to_markdown(replace(sample("stale"), title="_in_ *place* `x`"), 3, "en")
    assert said.startswith(r"**\_in\_ \*place\* \`x\`: step 4 of 10, line 3, forward**")
    assert "Line 3 `add_` wrote slots 0-3 of S2 through `b`." in said
    assert to_markdown(replace(sample("stale"), title=""), 3, "en").startswith("**step 4 of 10, ")


def test_pictures_speak_the_current_language(sample: Callable[[str], Recording]) -> None:
    with speak("zh"):
        assert ">变量<" in to_svg(sample("many"), 4)
        assert "存储" in to_text(sample("lesson"))
    assert ">变量<" not in to_svg(sample("many"), 4)


def test_steps_count_from_the_end_too(sample: Callable[[str], Recording]) -> None:
    recording = sample("lesson")
    assert to_svg(recording, -1) == to_svg(recording, len(recording) - 1)
    with pytest.raises(IndexError, match="there is no step 99"):
        to_svg(recording, 99)


def texts_in(value: object) -> list[Text]:
    if isinstance(value, Text):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [text for each in value for text in texts_in(each)] if isinstance(value, tuple) else []


KEYCAPS = re.compile(r"\b(Shift|Home|End|PgUp|PgDn|Tab|Enter|Esc)\b")
"""What is printed on keys, in every country."""


def every_word() -> list[Text]:
    named = [item for module in (words, player, side_by_side) for item in vars(module).items()]
    return [text for name, value in named if name.isupper() for text in texts_in(value)]


def test_every_word_is_there_in_both_languages() -> None:
    said = every_word()
    assert len(said) > 70
    for word in said:
        placeholders = sorted(re.findall(r"\{\w*\}", word.en))
        assert placeholders == sorted(re.findall(r"\{\w*\}", word.zh))
        assert bool(word.en) == bool(word.zh)
        plain = KEYCAPS.sub("", re.sub(r"\{\w*\}", "", word.en))
        if re.search(r"[A-Za-z]{3,}", plain.replace(".grad", "")) and word != player.PLAYER["language"]:
            assert CHINESE.search(word.zh), word


def test_everything_shown_in_chinese_is_said_in_chinese(scene: Scene) -> None:
    for said in map(scene.sentence, range(len(scene.recording))):
        assert CHINESE.search(said.zh)
        assert not CHINESE.search(said.en)


def test_each_word_has_one_home() -> None:
    homes: list[str] = []
    for module in (words, player, side_by_side):
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        homes += re.findall(r"^[A-Z_]+(?= = )", text, re.MULTILINE)
    assert len(homes) > 70
    assert len(set(homes)) == len(homes)
