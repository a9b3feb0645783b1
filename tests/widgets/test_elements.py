"""The elements panel: each element with its value and its slot, the formula, the hops, and what a change of layout shows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.language import LANGUAGES, Text
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.elements_panel import WIDTH, elements_panel
from inplacelab_widgets.scene.names import formula, hop
from inplacelab_widgets.scene.palette import resolved
from inplacelab_widgets.scene.svg import Group, Look, Mark, Panel
from inplacelab_widgets.scene.text_layout import width_of
from inplacelab_widgets.scene.value_grid import Grid

Cells = dict[str, tuple[str, str]]


def alive(panel: Panel, step: int) -> list[tuple[Group, Mark, Look]]:
    return [
        (group, mark, look)
        for group in panel.groups
        if group.first <= step <= group.last
        for mark in group.marks
        for look in [mark.at(step)]
        if look is not None
    ]


def said(panel: Panel, step: int, language: str = "en") -> list[str]:
    return [
        look.text.in_language(language) if isinstance(look.text, Text) else look.text or ""
        for _, mark, look in alive(panel, step)
        if mark.tag == "text"
    ]


def cells(panel: Panel, step: int) -> Cells:
    """What stands in each box, by the key of its element: (value, slot)."""
    boxes = {
        mark.keys[0]: mark
        for _, mark, look in alive(panel, step)
        if mark.keys and ":" in mark.keys[0] and mark.tag == "rect"
    }
    found = {}
    for key, box in boxes.items():
        place: Any = dict(box.place)
        inside = [
            str(look.text)
            for group, mark, look in alive(panel, step)
            if mark.tag == "text" and box in group.marks
            for spot in [dict(mark.place)]
            if place["x"] < float(spot["x"]) < place["x"] + place["width"]
            and place["y"] < float(spot["y"]) <= place["y"] + place["height"]
        ]
        assert len(inside) == 2, (key, inside)
        found[key] = (inside[0], inside[1])
    return found


def record(program: Callable[[], object]) -> Recording:
    with paddle.record("elements") as run:
        kept = program()
    assert kept is not None
    assert run.recording is not None
    return run.recording


def test_each_element_shows_its_value_and_its_slot(sample: Callable[[str], Recording]) -> None:
    panel = elements_panel(sample("views"))
    assert cells(panel, 3) == {
        **{f"t0:{i},{j}": (str(3 * i + j + 1), f"→{3 * i + j}") for i, j in product(range(2), range(3))},
        **{f"t1:{i},{j}": (str(2 * (3 * i + j + 1)), f"→{3 * i + j}") for i, j in product(range(2), range(3))},
        **{f"t2:{i}": (str(2 * (i + 1)), f"→{i}") for i in range(3)},
        "t3:0": ("4", "→1"),
        "t3:1": ("10", "→4"),
    }


def test_a_write_through_a_view_is_seen_by_all_who_share_the_slots(sample: Callable[[str], Recording]) -> None:
    panel = elements_panel(sample("views"))
    written = [dict(look.attributes)["d"] for _, _, look in alive(panel, 4) if look.style == "written"]
    assert [str(d).count("M") for d in written] == [3, 3, 1]
    assert not any(look.style == "written" for _, _, look in alive(panel, 3))
    assert cells(panel, 4)["t3:0"] == ("12", "→1")


def test_the_formula_and_the_hops_are_written_with_their_numbers(sample: Callable[[str], Recording]) -> None:
    spoken = said(elements_panel(sample("views")), 3)
    assert "float32 · slot = 1 + 3·i" in spoken
    assert "float32 · slot = 0 + 3·i + 1·j" in spoken
    assert spoken.count("+3") == 3
    assert spoken.count("non-contiguous") == 1
    assert "float32 · 槽位 = 1 + 3·i" in said(elements_panel(sample("views")), 3, "zh")


def laid(shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Any:
    class Layout:
        pass

    layout: Any = Layout()
    layout.shape, layout.strides, layout.offset = shape, strides, offset
    return layout


def test_axes_that_do_not_matter_are_left_out_of_the_formula() -> None:
    assert formula(laid((2, 3), (4, 2), 1)).en == "slot = 1 + 4·i + 2·j"
    assert formula(laid((3, 4), (0, 1), 2)).en == "slot = 2 + 1·j"
    assert formula(laid((1, 4), (9, 1))).en == "slot = 0 + 1·j"
    assert formula(laid((4,), (-1,), 3)).en == "slot = 3 − 1·i"
    assert formula(laid((), (), 3)).zh == "槽位 = 3"
    assert [hop(laid((3, 4, 1, 2), (0, 1, 7, -2)), axis) for axis in range(4)] == ["×3", "+1", "", "−2"]


def test_a_change_of_layout_strikes_out_the_old_one_for_one_step(sample: Callable[[str], Recording]) -> None:
    panel = elements_panel(sample("relayout"))

    def struck(step: int) -> list[str]:
        return [str(look.text) for _, _, look in alive(panel, step) if "struck" in look.style.split()]

    assert [struck(step) for step in range(3)] == [[], ["float32  shape [2, 3]  strides [3, 1]  offset 0"], []]
    assert "shape [3, 2]  strides [1, 3]  offset 0" in said(panel, 1)
    assert cells(panel, 0)["t0:1,0"] == ("3", "→3")
    assert cells(panel, 1)["t0:1,0"] == ("1", "→1")
    assert "non-contiguous" in said(panel, 1)
    assert "non-contiguous" not in said(panel, 0)


def test_a_reallocated_tensor_says_where_it_was(sample: Callable[[str], Recording]) -> None:
    panel = elements_panel(sample("reallocated"))
    assert "new storage S2, was S0" in said(panel, 2)
    assert "新存储 S2，原为 S0" in said(panel, 2, "zh")
    assert "new storage S2, was S0" not in said(panel, 1)
    seats = {id(group) for step in (1, 2) for group, mark, _ in alive(panel, step) if mark.keys == ("t0:0",)}
    assert len(seats) == 1, "it keeps its seat"


def cube() -> object:
    a = paddle.arange(24).reshape([2, 3, 4])
    return [a]


def unfilled() -> object:
    e = paddle.empty([2, 2])
    return [e]


def test_three_axes_are_blocks_of_rows_and_columns() -> None:
    panel = elements_panel(record(cube))
    last = len(panel.says) - 1
    found = cells(panel, last)
    assert len(found) == 24
    assert found["t1:1,2,3"] == ("23", "→23")
    assert {"i=0", "i=1", "+12", "+4", "+1"} <= set(said(panel, last))


def test_one_slot_for_several_elements_is_said() -> None:
    def program() -> object:
        x = paddle.to_tensor([1.0, 2.0, 3.0])
        wide = paddle.as_strided(x, [2, 3], [0, 1])
        return x, wide

    panel = elements_panel(record(program))
    last = len(panel.says) - 1
    assert "×2 along i: one slot" in said(panel, last)
    assert "×2" in said(panel, last)
    assert cells(panel, last)["t1:0,2"] == cells(panel, last)["t1:1,2"] == ("3", "→2")


def test_another_dtype_reads_the_same_bytes() -> None:
    def program() -> object:
        x = paddle.to_tensor([1.0, -2.0])
        bits = x.view("int32")
        halves = x.view("int16")
        return x, bits, halves

    panel = elements_panel(record(program))
    found = cells(panel, len(panel.says) - 1)
    assert found["t1:0"] == ("1065353216", "→0")
    assert [found[f"t2:{i}"] for i in range(4)] == [("0", "→0"), ("16256", "→0"), ("0", "→1"), ("-16384", "→1")]
    assert "counts in int16, 2 bytes each; a slot has 4" in said(panel, len(panel.says) - 1)


def test_values_that_were_not_recorded_are_not_invented() -> None:
    panel = elements_panel(record(unfilled))
    assert {value for value, _ in cells(panel, len(panel.says) - 1).values()} == {"·"}
    assert "values not recorded" in said(panel, len(panel.says) - 1)
    assert sum(look.style == "hatch" for _, _, look in alive(panel, len(panel.says) - 1)) == 4


def test_what_is_cut_is_announced(sample: Callable[[str], Recording]) -> None:
    panel = elements_panel(sample("large"))
    assert "64 of 4096 elements drawn" in said(panel, 0)
    assert "…" in said(panel, 0)
    assert "⋮" in said(panel, 0)
    assert len([key for key in cells(panel, 0) if key.startswith("t0:")]) == 64
    assert "16 of 64 elements drawn" in said(panel, 1)


@pytest.mark.parametrize(
    "shape", [(), (1,), (17,), (8, 8), (9, 9), (2, 3, 4), (5, 5, 5), (2, 2, 2, 2), (0, 3), (3, 0, 2)]
)
def test_a_grid_draws_the_first_elements_and_no_more_than_it_may(shape: tuple[int, ...]) -> None:
    strides = tuple(range(len(shape), 0, -1))
    grid = Grid(laid(shape, strides), 36.0, 800.0)
    drawn = [index for index, _, _ in grid.cells()]
    everything = list(product(*map(range, shape)))
    assert len(drawn) <= 64
    assert drawn == sorted(drawn)
    assert set(drawn) <= set(everything)
    assert grid.cut == (len(drawn) < len(everything))
    assert len({(x, y) for _, x, y in grid.cells()}) == len(drawn)
    assert grid.width <= 800


def test_only_named_tensors_have_a_seat_and_keep_it(sample: Callable[[str], Recording]) -> None:
    panel = elements_panel(sample("many"))
    names = {mark.keys[0].split(":")[0] for group in panel.groups for mark in group.marks if mark.keys}
    assert names == {f"t{k}" for k in range(12)}
    assert elements_panel(record_nothing_named()).groups[0].marks[0].at(0) == Look(
        "text soft", Text("No tensor has a name yet.", "还没有具名的张量。")
    )


def record_nothing_named() -> Recording:
    with paddle.record("nothing") as run:
        paddle.ones([2]).add(paddle.ones([2]))
    assert run.recording is not None
    return run.recording


def test_seats_do_not_overlap_and_stay_inside(recording: Recording) -> None:
    panel = elements_panel(recording)
    for k, a in enumerate(panel.groups):
        assert a.x + a.width <= max(panel.width, WIDTH)
        assert a.y + a.height <= panel.height
        for b in panel.groups[:k]:
            apart = a.x >= b.x + b.width or b.x >= a.x + a.width or a.y >= b.y + b.height or b.y >= a.y + a.height
            assert apart, "a seat is one place"


@pytest.mark.parametrize("language", LANGUAGES)
def test_metadata_stays_inside_its_seat(recording: Recording, language: str) -> None:
    for group in elements_panel(recording).groups:
        for mark in group.marks:
            for look in {look for _, look in mark.runs if look is not None}:
                if mark.tag == "text" and "text-anchor" not in resolved(look.style):
                    x: Any = dict(mark.place)["x"]
                    words = look.text.in_language(language) if isinstance(look.text, Text) else look.text
                    assert x + width_of(words, 11) <= group.width + 0.5, words


def test_values_are_said_to_be_unknown_only_as_long_as_they_are() -> None:
    with paddle.record("empty") as run:
        u = paddle.empty([3])
        u.fill_(7.0)
    assert run.recording is not None
    panel = elements_panel(run.recording)
    assert "values not recorded" in said(panel, 0)
    assert "values not recorded" not in said(panel, 1)
    assert said(panel, 1).count("7") == 3


def test_a_tensor_without_elements_says_no_more_than_that() -> None:
    with paddle.record("nothing") as run:
        q = paddle.ones([0, 3])
    assert run.recording is not None
    assert q.shape == [0, 3]
    lines = said(elements_panel(run.recording), 0)
    assert "no elements" in lines
    assert not any("one slot" in line for line in lines)


def test_a_cell_without_axes_keeps_off_the_metadata() -> None:
    with paddle.record("scalar") as run:
        s = paddle.to_tensor(3.0)
    assert run.recording is not None
    assert s.shape == []
    there = alive(elements_panel(run.recording), 0)
    cell = next(dict(mark.place)["y"] for _, mark, _ in there if mark.tag == "rect" and ":" in "".join(mark.keys))
    lines = [
        float(dict(mark.place)["y"]) for _, mark, look in there if mark.tag == "text" and "slot = " in str(look.text)
    ]
    assert float(cell) - max(lines) >= 6
