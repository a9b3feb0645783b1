"""Tests that pictures of a program of several texts say in which of them something happened, and who called it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.facts import SourceFacts
from inplacelab.recording.places import set_off
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_markdown, to_svg, to_text
from inplacelab_widgets.scene import key_step, scene_of
from inplacelab_widgets.scene.names import line_of, said_line, source_name
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.places import call_label, ordinal, place_in_words
from inplacelab_widgets.scene.still_pictures import excerpt

SHARE = Path(__file__).parents[2] / "widgets/inplacelab_widgets/player/share.js"
TRAIN, MODEL, LOST, OTHER = range(4)


@pytest.fixture
def files(sample: Callable[[str], Recording]) -> Recording:
    return sample("many_files")


def packed(recording: Recording) -> dict[str, Any]:
    return payload(scene_of(recording))


def test_names_are_as_short_as_they_can_be(files: Recording) -> None:
    assert [source_name(files, k).en for k in range(4)] == ["train.py", "gan/model.py", "<string>", "vae/model.py"]
    cells = replace(files, sources=(SourceFacts("In [3]", ""), SourceFacts("In [1]", "")))
    assert (source_name(cells, 1).en, source_name(cells, 1).zh) == ("cell [1]", "单元格 [1]")
    nameless = replace(files, sources=(SourceFacts("", ""), *files.sources[1:]))
    assert source_name(nameless, 0).en == files.title


def test_a_line_alone_is_enough_for_one_text(sample: Callable[[str], Recording]) -> None:
    recording = sample("stale")
    assert line_of(recording, Place(3)).en == "line 3"
    assert place_in_words(recording, Place(3, 0, "f", "", Place(5))).en == "line 3"
    sent = packed(recording)
    assert not {"places", "sources"} & sent.keys()
    assert all(not {"place", "turn"} & step.keys() for step in sent["steps"])
    assert "calls" not in sent["words"]


def test_the_chain_of_calls_says_files_and_functions(files: Recording) -> None:
    main = Place(6)
    forward = Place(9, MODEL, "Net.forward", "", main)
    block = Place(3, MODEL, "Block.forward", "", forward)
    assert place_in_words(files, block).en == "train.py:6 › gan/model.py:9 › Block.forward:3"
    assert place_in_words(files, forward).en == "train.py:6 › Net.forward:9"
    assert place_in_words(files, main).zh == "train.py:6"
    owned = replace(block, owner="net.layers.3")
    assert place_in_words(files, owned).en == "train.py:6 › gan/model.py:9 › net.layers.3 · Block.forward:3"


def test_a_recursion_is_numbered_and_a_long_chain_folded(files: Recording) -> None:
    place = Place(6)
    for _ in range(3):
        place = Place(2, MODEL, "walk", "", place)
    assert [call_label(files, each, innermost=True).en for each in place.calls] == [
        "walk:2 (3rd call)",
        "walk:2 (2nd call)",
        "walk:2",
        "train.py:6",
    ]
    assert call_label(files, place, innermost=True).zh == "walk:2（第 3 层）"
    for _ in range(6):
        place = Place(2, MODEL, "walk", "", place, skipped=0)
    assert place_in_words(files, place).en == (
        "train.py:6 › … 6 calls … › walk:2 (7th call) › walk:2 (8th call) › walk:2 (9th call)"
    )
    skipped = Place(2, MODEL, "walk", "", Place(6), skipped=40)
    assert place_in_words(files, skipped).en == "train.py:6 › … 40 calls … › walk:2"
    assert [ordinal(n) for n in (2, 11, 23)] == ["2nd", "11th", "23rd"]


def test_the_player_gets_each_place_once(files: Recording) -> None:
    sent = packed(files)
    assert len(sent["places"]) == len({json.dumps(each) for each in sent["places"]})
    before = {sent["said"][short]: lines for short, _, lines, *_ in sent["sources"]}
    assert list(before) == ["train.py", "gan/model.py", "<string>", "vae/model.py"]
    for step, facts in zip(files.steps, sent["steps"], strict=True):
        assert step.place is not None
        line, _, caller, function, *_ = [*sent["places"][facts["place"]], -1, ""][:4]
        assert line == facts["line"]
        assert sent["source"][line - 1] == files.text_of(step.place.source).split("\n")[step.place.line - 1]
        assert (caller >= 0) == (step.place.called_from is not None)
        assert function == step.place.function


def test_a_mark_is_on_the_line_of_its_own_text(files: Recording) -> None:
    sent = packed(files)
    marked = {role: sent["source"][line - 1].strip() for line, role, *_ in sent["steps"][-1]["marked"]}
    assert marked == {"kept": "return b * b", "written": "self.h.add_(k)", "refused": "out.sum().backward()"}


def test_a_text_that_is_not_known_has_a_remark_and_numbers(files: Recording) -> None:
    lost = Place(40, LOST, "made", "", Place(5))
    moved = replace(files, steps=(replace(files.steps[0], place=lost), *files.steps[1:]))
    sent = packed(moved)
    _, name, before, remark = sent["sources"][LOST]
    assert (sent["said"][name], sent["said"][remark][0]) == ("<string>", "Its text was not found: it came from exec.")
    assert sent["steps"][0]["line"] == before + 40
    assert sent["source"][before + 39] == ""
    drawn = to_svg(moved, 0, "en")
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", drawn))
    assert "<string> Its text was not found: it came from exec. 40" in unescape(said)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_still_picture_names_the_faulty_file_and_its_line(files: Recording, language: str) -> None:
    drawn = to_svg(files, language=language)
    for said in ("train.py", "gan/model.py", "self.h.add_(k)", "return b * b", "out.sum().backward()"):
        assert f">{said}<" in drawn.replace("        ", ""), said
    assert ">import paddle<" not in drawn, "only the lines around the present one"
    assert "train.py:6 › net · Net.forward:9 › net.block · Block.forward:3" in to_svg(files, 2, language)


def test_an_excerpt_has_five_lines(files: Recording) -> None:
    rows = excerpt(files, 0)
    assert [number for number, _, _ in rows[1:]] == ["3", "4", "5", "6", "7"]
    assert [text for _, text, here in rows if here] == ["a, k = made()"]


def test_text_says_the_file_the_lines_and_the_calls(files: Recording) -> None:
    told = to_text(files, 2, "en")
    assert told.startswith(
        "train.py: step 3 of 10, train.py:6 › net · Net.forward:9 › net.block · Block.forward:3, forward\n\n"
    )
    assert "gan/model.py\n    1  class Block:\n" in told
    assert "    3          return b * b  # ← this step\n" in told
    assert "out.sum().backward()" not in told.split("\n\n")[1]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
@pytest.mark.parametrize("step", [0, 2, 9])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_player_writes_the_same_markdown(files: Recording, step: int, language: str) -> None:
    sent = json.dumps(packed(files))
    script = (
        f"import {{ markdownOf }} from {json.dumps(str(SHARE))};\n"
        f"console.log(JSON.stringify(markdownOf({sent}, {step}, {json.dumps(language)})));"
    )
    done = subprocess.run(["node", "--input-type=module"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == to_markdown(files, step, language)


def test_the_page_opens_where_the_faulty_line_is_seen(files: Recording) -> None:
    sent = packed(files)
    opened = sent["steps"][key_step(files)]
    assert opened["error"]
    assert "gan/model.py" in sent["said"][opened["says"]][0]


def test_chinese_has_a_space_before_the_name_of_a_file(files: Recording) -> None:
    first = next(step for step in files.steps if step.nodes)
    assert first.place is not None
    after = f"反向图从{set_off(said_line(files, first.place)).zh}开始"
    assert re.search(r"反向图从 \S+\.py 第 \d+ 行开始", after)
    assert after in json.dumps(packed(files), ensure_ascii=False)
    assert set_off(Text("line 3", "第 3 行")).zh == "第 3 行"
