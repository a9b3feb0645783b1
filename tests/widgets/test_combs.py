"""Tests the combs under a strip: their slots, their tensors, and the bounds of other dtypes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.cli.script import run_script
from inplacelab_widgets.scene.marks import Look, Mark, Panel
from inplacelab_widgets.scene.measure import width_of
from inplacelab_widgets.scene.storages import storages_panel
from inplacelab_widgets.scene.strip import GUTTER, hatch


def drawn(run: paddle.record) -> Panel:
    assert run.recording is not None
    return storages_panel(run.recording)


def marks(panel: Panel, key: str) -> list[tuple[Mark, Look]]:
    """Returns the marks of a tensor after the last step."""
    step = len(panel.says) - 1
    found = [(mark, mark.at(step)) for group in panel.groups for mark in group.marks if key in mark.keys]
    return [(mark, look) for mark, look in found if look is not None]


def paths(panel: Panel, key: str, style: str) -> list[str]:
    return [str(dict(look.attributes)["d"]) for _, look in marks(panel, key) if style in look.style and look.attributes]


def tiny(panel: Panel, key: str) -> list[str]:
    return [str(look.text) for mark, look in marks(panel, key) if mark.tag == "text" and "tiny" in look.style]


def slots(panel: Panel) -> list[tuple[float, float]]:
    """Returns (left, width) of each slot of the first storage."""
    places: list[dict[str, Any]] = [
        dict(mark.place) for mark in panel.groups[0].marks if mark.keys and re.fullmatch(r"s0:\d+", mark.keys[0])
    ]
    return [(float(place["x"]), float(place["width"])) for place in places if "width" in place]


@pytest.fixture
def reinterpreted() -> Panel:
    """`halves` reads the three slots of `x` as six, and `pair` two of them."""
    with paddle.record("combs") as run:
        x = paddle.to_tensor([1.0, 2.0, 3.0])
        halves = x.view("int16")
        pair = halves[1:3]
    assert pair is not x
    return drawn(run)


def test_a_tensor_of_another_dtype_reaches_the_slots_under_its_bytes(reinterpreted: Panel) -> None:
    left, wide = slots(reinterpreted)[0]
    for key, reached in (("t1", (0, 3)), ("t2", (0, 2))):
        comb = paths(reinterpreted, key, "comb")[0]
        edges = [float(x) for x in re.findall(r"[MH]([\d.]+)", comb)]
        assert min(edges) == pytest.approx(left + reached[0] * wide, abs=2)
        assert max(edges) == pytest.approx(left + reached[1] * wide, abs=2)


def test_its_own_bounds_stand_where_its_bytes_do(reinterpreted: Panel) -> None:
    left, wide = slots(reinterpreted)[0]
    for key, halves in (("t1", range(7)), ("t2", range(1, 4))):
        bounds = paths(reinterpreted, key, "hair")[0]
        expected = [left + k * wide / 2 for k in halves]
        assert [float(x) for x in re.findall(r"M([\d.]+)", bounds)] == pytest.approx(expected, abs=0.1)
    assert paths(reinterpreted, "t0", "hair") == []


def test_several_elements_in_one_slot_are_counted() -> None:
    with paddle.record("combs") as run:
        x = paddle.to_tensor([1.0, 2.0, 3.0])
        wide = paddle.as_strided(x, [4, 2], [0, 1])
    assert wide is not x
    assert tiny(drawn(run), "t1") == ["wide", "×4"]
    assert tiny(drawn(run), "t0") == ["x"]


@pytest.mark.parametrize("name", ["transposed", "二乘三的矩阵"])
def test_a_usual_name_is_read_whole_and_the_cards_stay_beside_the_strip(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import inplacelab as paddle\nx = paddle.arange(8)\n{name} = x[2:]\n", encoding="utf-8")
    recording, raised = run_script(program, [], title="combs", limit=100)
    assert raised is None
    panel = storages_panel(recording)
    assert tiny(panel, "t1") == [name]
    (label,) = [mark for mark, look in marks(panel, "t1") if mark.tag == "text" and "tiny" in look.style]
    left = float(dict(label.place)["x"]) - width_of(name, 9)
    assert 0 <= left < float(dict(label.place)["x"]) < slots(panel)[0][0]
    card = next(dict(mark.place) for mark, look in marks(panel, "t1") if "card" in look.style.split())
    assert float(card["y"]) < 100 < float(card["x"])


def test_strips_begin_at_one_x_and_no_further_right_than_names_need() -> None:
    with paddle.record("combs") as run:
        x = paddle.arange(3)
        a_long_name = paddle.arange(2)
    assert a_long_name is not x
    panel = drawn(run)
    lefts = {dict(m.place)["x"] for g in panel.groups for m in g.marks if m.keys and re.fullmatch(r"s\d:0", m.keys[0])}
    assert len({float(x) for x in lefts if float(x) < 90}) <= 2  # of the slot, and of the middle of its value
    with paddle.record("combs") as run:
        y = paddle.arange(3)
    assert y is not x
    assert slots(drawn(run))[0][0] == GUTTER


def test_a_long_name_is_written_out_where_there_is_room() -> None:
    with paddle.record("combs") as run:
        x = paddle.arange(12)
        everything_but_the_first = x[1:]
        the_first_three_of_them = x[0:3]
    assert the_first_three_of_them is not everything_but_the_first
    panel = drawn(run)
    assert tiny(panel, "t1") == ["everything…first"], "the card and the reading line have it whole"
    assert tiny(panel, "t2") == ["the_first_three_of_them"]
    (mark, _), *_ = [each for each in marks(panel, "t2") if each[1].text is not None and "tiny" in each[1].style]
    assert float(dict(mark.place)["x"]) > GUTTER


def test_unwritten_slots_are_hatched() -> None:
    with paddle.record("combs") as run:
        fresh = paddle.empty([3])
    assert fresh is not None
    styles = [look.style for mark in drawn(run).groups[0].marks for _, look in mark.runs if look is not None]
    assert styles.count("hatch") == 1


@pytest.mark.parametrize(("width", "height"), [(28.0, 26.0), (80.0, 26.0), (10.0, 30.0)])
def test_hatching_stays_inside_its_box(width: float, height: float) -> None:
    found = [
        tuple(map(float, each))
        for each in re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", hatch(100, 50, width, height))
    ]
    assert len(found) >= 3
    for x1, y1, x2, y2 in found:
        assert 100 <= x1 < x2 <= 100 + width
        assert 50 <= y2 < y1 <= 50 + height
        assert x2 - x1 == pytest.approx(y1 - y2, abs=0.2)
