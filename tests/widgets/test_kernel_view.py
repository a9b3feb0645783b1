"""Tests `KernelView` in Python: its arguments, its texts and pictures, its stand-in in a notebook."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.kernels import geometry, traffic
from inplacelab.language import LANGUAGES
from inplacelab.place import Place
from inplacelab.recording.facts import LaunchFacts, OperandFacts, SourceFacts, Step
from inplacelab.recording.recording import Recording
from inplacelab_widgets import KernelView, Stepper
from inplacelab_widgets.launch_pictures.blocks import LEFT
from inplacelab_widgets.launch_pictures.facts import height, totals
from inplacelab_widgets.launch_pictures.formats import svg
from inplacelab_widgets.launch_pictures.launches import Pick, shown_launches, warp_requests
from inplacelab_widgets.launch_pictures.picked_thread import cost_of, share_used, spread
from inplacelab_widgets.page import unpacked
from tests.widgets import kernel_launches
from tests.widgets.static_copies import images, svg_of

CASES = kernel_launches.CASES


def sent(view: KernelView) -> dict[str, Any]:
    """Returns the player's payload."""
    found: dict[str, Any] = json.loads(unpacked(view._payload))
    return found


def seen(name: str, pick: Pick | None = None) -> Any:
    case = CASES[name]
    return warp_requests(case.shown, pick or case.picks[0])


def test_side_by_side_is_coalesced_and_far_apart_is_not() -> None:
    x, out = seen("transposed")
    assert (cost_of(x).en, cost_of(out).en) == (
        "32 sectors of 32 bytes for 128 bytes: neighbors are 256 bytes apart",
        "4 sectors of 32 bytes for 128 bytes: 100 %, coalesced",
    )
    assert [share_used(each) for each in (*seen("every second"), *seen("many blocks"))] == ["50", "100"]


def test_a_slot_on_which_threads_meet_is_moved_once() -> None:
    x, _, _ = seen("scatter")
    assert (x.kinds, x.wanted, x.requested, x.crowd) == (("adds",), 16, 32, 9)
    assert "9 threads meet on one slot" in cost_of(x).en
    unknown, *_ = seen("scatter, places not known")
    assert unknown.unknown
    assert unknown.sectors == ()


@pytest.mark.parametrize("name", CASES)
def test_the_sectors_are_those_of_the_requests(name: str) -> None:
    """The sectors drawn for one turn are those that `traffic` counts for that warp."""
    shown, picks = CASES[name]
    for pick in picks:
        drawn = {
            (shown.launch.operands[each.operand].name, kind, each.sectors)
            for turn in range(min(8, geometry.turns(shown.launch)))
            for each in warp_requests(shown, pick._replace(turn=turn))
            for kind in each.kinds
            if kind != "adds"
        }
        if geometry.turns(shown.launch) <= 8:
            counted = traffic.requests(shown.launch, pick.block, pick.thread // geometry.WARP)
            assert drawn == {(each.operand, each.kind, each.sectors) for each in counted}


def test_totals_of_aligned_and_of_looked_at_launches_agree() -> None:
    small = kernel_launches.launch("relu_", "contiguous", kernel_launches.operand("x", "both", (1024,)))
    (shown,) = shown_launches(small)
    warps = [Pick(block, thread) for block in range(small.blocks) for thread in range(0, 256, 32)]
    looked_at = sum(len(each.kinds) * each.requested for pick in warps for each in warp_requests(shown, pick))
    assert totals(shown) == (4096, 4096, looked_at) == (4096, 4096, 8192)


@pytest.mark.standard
def test_the_bytes_of_a_large_scattered_launch_are_counted() -> None:
    """One column after the other: a sector of 32 bytes for each 4-byte number, to read it and to write it."""
    operand = kernel_launches.operand
    big = kernel_launches.launch("scale_", "strided", operand("x", "both", (4000, 4000), (1, 4000)))
    (shown,) = shown_launches(big)
    assert totals(shown).requested == 2 * 32 * 4000 * 4000
    assert "1,024,000,000" in KernelView(big).to_svg()


@pytest.mark.standard
def test_the_bytes_of_a_launch_without_regularity_are_not_guessed() -> None:
    operand = kernel_launches.operand
    odd = kernel_launches.launch("scale_", "strided", operand("x", "both", (3, 99_999, 7), (99_999 * 9, 9, 1)))
    assert totals(shown_launches(odd)[0]).requested is None
    assert "not counted: too many rows" in KernelView(odd).to_svg()


def test_the_bytes_of_an_atomic_addition_at_unknown_indices_are_not_guessed() -> None:
    shown = CASES["scatter, places not known"].shown
    assert totals(shown).requested is None
    assert "it depends on the values of the index" in KernelView(shown.launch).to_svg()


def test_slots_stand_below_their_threads_if_there_is_room() -> None:
    places = spread((4, 5, 6, 7), 4)
    assert [places.lefts[k] for k in (4, 5)] == [LEFT, LEFT + 8 * 22]
    assert places.slot == 22
    far = spread((0, 10, 20), 4)
    assert far.lefts[10] - far.lefts[0] > 8 * far.slot


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_launch_is_a_well_formed_picture(name: str, language: str) -> None:
    shown, picks = CASES[name]
    for pick in picks:
        drawn = svg(shown, pick, language)
        root = ET.fromstring(drawn)
        assert float(root.get("height", "0")) == height(shown) + 24
        assert "0x" not in drawn
        assert "{" not in drawn.partition("</style>")[2]


def test_the_head_says_how_many_threads_there_are_and_what_each_takes() -> None:
    paddle.set_device("gpu", simulate=True)
    try:
        with kernels.launches() as launched:
            paddle.ones([2_000_000]).relu_()
            paddle.ones([2_000, 2_001])[:, ::2].relu_()
    finally:
        paddle.set_device("cpu")
    packed, strided = (KernelView(each) for each in launched if each.kernel == "relu_")
    assert "1,954 × 256 threads · each takes 4 float32 at a time" in packed.to_svg(language="en")
    assert "Grid: block 0 of 1,954" in packed.to_svg(language="en")
    assert "图中为线程块 0–255，共 1,954 个" in packed.to_svg(language="zh")
    assert "each takes one float32 at a time" in strided.to_svg(language="en")
    assert "每个线程每次处理 1 个 float32" in strided.to_svg(language="zh")


def test_who_ran_it_is_always_said() -> None:
    assert "simulated: no GPU ran this" in KernelView(CASES["rows"].shown.launch).to_svg()
    real = KernelView(CASES["tiles that change places"].shown.launch)
    assert "NVIDIA H200" in real.to_svg()
    assert "simulated" not in real.to_svg() + real.to_text()


def test_a_kernel_of_the_library_says_that_its_geometry_is_not_known() -> None:
    view = KernelView(kernel_launches.LIBRARY)
    assert "not known" in view.to_svg(language="en")
    assert "NVIDIA H200" in view.to_text()
    assert not sent(view)["launches"][0]["picks"]
    assert "nothing to compute" in KernelView(kernel_launches.EMPTY).to_svg(language="en")


def test_what_is_not_there_cannot_be_picked() -> None:
    launch = CASES["rows"].shown.launch
    refused: tuple[dict[str, Any], ...] = ({"block": 40}, {"thread": 256}, {"turn": 6}, {"thread": -1})
    for wrong in refused:
        with pytest.raises(ValueError, match="40 blocks of 256 threads with 6 turns"):
            KernelView(launch, **wrong)
    with pytest.raises(ValueError, match="no launch 1"):
        KernelView(launch, 1)
    with pytest.raises(ValueError, match="no launch to show"):
        KernelView([])


@pytest.mark.standard
def test_what_is_picked_from_python_is_drawn() -> None:
    view = KernelView(CASES["many blocks"].shown.launch)
    before = view._payload
    view.thread = 200
    assert view._payload == before  # it was drawn already
    view.block = 300
    assert "Can be picked: blocks 0–5, 300, 390 of 391" in sent(view)["launches"][0]["drawn"]
    assert [300, 0, 6, 8, 200] in [step.get("at", ())[1:] for step in sent(view)["steps"]]


@pytest.mark.standard
def test_a_picture_can_be_had_of_any_thread() -> None:
    view = KernelView(CASES["many blocks"].shown.launch)
    assert "element 3·256 + 70 = 838" in view.to_svg(70, block=3, language="en")
    assert "处理元素 3·256 + 70 = 838" in view.to_svg(70, block=3, language="zh")


def test_beside_the_widget_stand_a_picture_and_its_tables() -> None:
    data, _ = KernelView(CASES["scatter"].shown.launch, index=[0] * 40)._repr_mimebundle_() or ({}, {})
    assert data["text/plain"] == "KernelView('add_at_', block=0, thread=0)"
    assert "image/svg+xml" not in data  # it would be stored twice
    assert svg_of(images(data["text/html"])[0]).startswith("<svg")
    assert data["text/html"].count("<table>") == 3
    assert 'alt="add_at_: atomic additions' in data["text/html"]


def recording_of_launches() -> Recording:
    """Three steps; the first and the last launch kernels."""

    def step(index: int, *launched: LaunchFacts) -> Step:
        return Step(
            index, "operation", "forward", Place(index + 1), "relu_", "in-place", (), None, (), (), None, 0, 0, None, None, (), (), (), (),
            launches=launched,
        )  # fmt: skip

    def facts(kernel: str, storage: int | None) -> LaunchFacts:
        x = OperandFacts("x", "both", "float32", (6,), (1,), 0, 24, storage)
        return LaunchFacts(kernel, "contiguous", (1, 1, 1), (256, 1, 1), 1, "float32", (x,), 24, 24, "", True)

    steps = (step(0, facts("relu_", 0)), step(1), step(2, facts("exp_", 1), facts("sin_", None)))
    return Recording("inplacelab", "0", "by hand", (SourceFacts("", "x.relu_()\npass\nx.exp_().sin_()"),), steps)


def test_a_recording_shows_all_its_launches_with_their_storages() -> None:
    view = KernelView(recording_of_launches(), launch=1)
    assert [each["title"][0] for each in sent(view)["launches"]] == [
        "relu_ (line 1)",
        "exp_ (line 3)",
        "sin_ (line 3)",
    ]
    names = {said for said in sent(view)["said"] if isinstance(said, str) and re.fullmatch(r"x( · S\d)?", said)}
    assert names == {"x · S0", "x · S1", "x"}
    assert "x · S1" in view.to_svg()


def test_beside_a_stepper_it_shows_the_launches_of_the_step() -> None:
    stepper = Stepper(recording_of_launches(), step=0, language="zh")
    view = KernelView(stepper)
    assert (view.step, view.language) == (0, "zh")
    assert [(link.source, link.target) for link in view._links] == [
        ((stepper, "step"), (view, "step")), ((stepper, "language"), (view, "language"))
    ]  # fmt: skip
    assert "relu_" in view.to_svg()
    view.step = 1
    assert "这一步没有启动核函数" in view.to_svg()
    view.step, view.launch = 2, 2
    assert "sin_" in view.to_svg()


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import kernel_launches as made
from inplacelab_widgets.launch_pictures.formats import payload
from inplacelab_widgets.launch_pictures.blocks import picks_of
from inplacelab_widgets.launch_pictures.formats import plain, svg
for name, (shown, picks) in made.CASES.items():
    for pick in picks:
        print(svg(shown, pick, "en"), plain(shown, pick, "zh"))
    print(payload([(shown, picks_of(shown, picks[0], 128))]))
"""


@pytest.mark.standard
def test_two_processes_draw_the_same_bytes() -> None:
    here = str(Path(__file__).parent)
    drawn = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, here], check=True, capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("0", "12345")
    ]  # fmt: skip
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) > 100_000
    assert not re.search(rb"0x[0-9a-f]{6}", drawn[0])
