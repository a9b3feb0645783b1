"""Tests the picture of the bytes that writing in place saves: it has the numbers of the curves, and its words have room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from inplacelab.language import LANGUAGES
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import parsed
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import Advice, Measured, advice
from inplacelab_widgets.savings_picture import MOST, PAD, TALL, WIDTH, savings_svg, title
from inplacelab_widgets.scene.text_layout import prose_width, size_in_bytes, width_of

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
pytestmark = pytest.mark.oracle

SMALL = """\
import torch
import torch.nn.functional as F
w = torch.ones(16, 16, requires_grad=True)
x = torch.ones(64, 16)
h = F.relu(x @ w)
h = h @ w
h = h + x
y = torch.sigmoid(h * 0.5)  # <b>&
y.mean().backward()
"""
LARGE = """\
import torch
net = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()) for _ in range(6)))
for epoch in range(12):
    y = net(torch.ones(32, 8))
    loss = torch.sigmoid(y * 2).mean()
    net.zero_grad()
    loss.backward()
"""
NOTHING = "import torch\nx = torch.ones(3)\nprint(x)\n"


@cache
def advised(text: str) -> Advice:
    session = Session(Program.of(parsed(text), text, "script.py"), use=Use("torch"))
    code = compile(instrument.instrumented(parsed(text)), "script.py", "exec")
    assert session.run([code], {"__name__": "__main__"}) is None
    return advice(session.recording(), ends=True)


def elements(svg: str, tag: str) -> Iterator[ET.Element]:
    return ET.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}")


def words(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in elements(svg, "text")]


def stairs(svg: str, width: str) -> list[float]:
    """The heights of a curve, by the width of its line, in px from its floor."""
    found = [each for each in elements(svg, "path") if each.get("stroke-width") == width and "V" in each.get("d", "")]
    [line] = [each.get("d", "") for each in found]
    floor = float(line.split("V")[0].split()[1])
    return [round(floor - float(y), 1) for y in re.findall(r"V([\d.]+)", line)]


@pytest.mark.parametrize("text", [SMALL, LARGE])
def test_the_curves_are_as_high_as_their_bytes(text: str) -> None:
    found = advised(text)
    svg = savings_svg(found, "en")
    before, after = stairs(svg, "1.5"), stairs(svg, "2.5" if text == SMALL else "1.6")
    assert max(before) == TALL
    assert max(after) == pytest.approx(TALL * found.after.peak / found.before.peak, abs=0.11)
    assert text == LARGE or found.after.peak < found.before.peak
    last = TALL * found.before.after[-1] / found.before.peak
    assert text == LARGE or before[-1] == pytest.approx(last, abs=0.11)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_names_the_peaks_and_their_owners(language: str) -> None:
    found = advised(SMALL)
    svg = savings_svg(found, language)
    said = words(svg)
    sizes = size_in_bytes(found.before.peak), size_in_bytes(found.after.peak)
    assert said[0] == title(found).in_language(language)
    assert all(each in said for each in sizes)  # on the left of the curve
    owners = [each for each in said if each.endswith(("y = torch.sigmoid(h * 0.5)  # <b>&", "y.mean().backward()"))]
    line = "line 8" if language == "en" else "第 8 行"
    assert line in owners[0]
    assert sizes[0] in owners[0]
    [description] = ["".join(each.itertext()) for each in elements(svg, "desc")]
    assert f"{found.before.peak:,}" in description
    assert f"{found.after.peak:,}" in description


@pytest.mark.parametrize("text", [SMALL, LARGE, NOTHING])
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_room(text: str, language: str) -> None:
    svg = savings_svg(advised(text), language)
    rows: dict[str, list[tuple[float, float]]] = {}
    for each in elements(svg, "text"):
        size, said, x = float((each.get("font-size") or "11px")[:-2]), "".join(each.itertext()), float(each.get("x", 0))
        wide = (prose_width if "system-ui" in (each.get("font-family") or "") else width_of)(said, size)
        left = x - wide if each.get("text-anchor") == "end" else x
        assert left >= 0
        rows.setdefault(each.get("y", ""), []).append((left, left + wide))
    for row in rows.values():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(row)))
        assert max(right for _, right in row) <= WIDTH - PAD + 0.1


def test_a_long_program_has_a_column_for_each_pixel_and_its_loop() -> None:
    svg = savings_svg(advised(LARGE), "en")
    assert len(advised(LARGE).recording) > WIDTH
    assert len(stairs(svg, "1.5")) <= WIDTH
    said = words(svg)
    assert said[said.index("epoch") + 1 :] == [*map(str, range(1, 13))]
    lines = said[said.index("line") + 1 : said.index("epoch")]
    assert 1 < len(lines) <= len(advised(LARGE).recording) / MOST


def test_backward_is_shaded_and_places_are_marked() -> None:
    found = advised(SMALL)
    svg = savings_svg(found, "en")
    assert {"backward", "may be written in place here"} <= {*words(svg)}
    shaded = [float(each.get("width", 0)) for each in elements(svg, "rect") if each.get("fill-opacity") == "0.6"]
    steps = sum(step.phase == "backward" for step in found.recording.steps)
    assert max(shaded) / (WIDTH - 94) == pytest.approx(steps / len(found.recording), abs=0.01)
    marks = [each for each in elements(svg, "path") if each.get("d", "").endswith("l-4 -8h8z")]
    assert len(marks) == 1 + sum(len(site.calls) for site in found.offered)


def test_a_program_that_saves_nothing() -> None:
    found = advised(NOTHING)
    said = words(savings_svg(found, "en"))
    assert said[0] == f"Written in place, the peak stays {size_in_bytes(found.before.peak)}"
    assert "may be written in place here" not in said
    assert "backward" not in said


def test_a_recording_without_steps() -> None:
    empty = Advice(Recording("torch", "", "", (), ()), (), ())
    assert "the peak stays 0 B" in savings_svg(empty, "en")


def test_a_title_says_what_was_measured() -> None:
    found = advised(SMALL)
    assert found.before.peak > found.after.peak
    counted = replace(found, measured=Measured(3, 10, (), 4096, 4096, 0, 0, early=False))
    assert "4 KiB" in str(title(counted))
    assert savings_svg(counted) != savings_svg(found)
