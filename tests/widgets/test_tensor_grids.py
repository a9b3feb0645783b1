"""Tests the tensors above a storage: their values, their fans, and which of them have a grid."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise

import pytest

from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.slots import element_values, slots_reached
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.large_storages import LEVELS, extent, level, png
from inplacelab_widgets.scene.storage_row import DIGIT, StorageRow, hatch, storage_row
from inplacelab_widgets.scene.storages_panel import storages_panel
from inplacelab_widgets.scene.svg import Group, Look, Mark
from inplacelab_widgets.scene.tensor_cards import cards, tensor_roles
from inplacelab_widgets.scene.tensor_grids import CUT_NAME, tensors_of, value_text
from inplacelab_widgets.scene.text_layout import widest, width_of
from inplacelab_widgets.scene.timeline import StorageLife, storage_lives
from inplacelab_widgets.scene.value_grid import MINIATURE, Grid, position, ribbons_path
from tests.recorders.golden.renew import run

VIEWS = """
m = paddle.arange(16, dtype="float32").reshape([4, 4])
t = m.t()
row = t[1]
row.scale_(10.)
m[0, 0] = 100.
"""


def scene(program: str) -> Scene:
    return scene_of(run(program).recording)


def drawn_at(drawn: Scene, step: int = -1, key: str = "s0") -> Group:
    """The group of a storage that is drawn at a step."""
    step %= len(drawn.recording)
    (group,) = (each for each in drawn.storages.groups if each.key == key and each.is_there(step))
    return group


def looks(group: Group, step: int, key: str) -> list[tuple[Mark, Look]]:
    return [(mark, look) for mark in group.marks if key in mark.keys and (look := mark.at(step)) is not None]


def test_every_element_shows_the_value_of_its_slot(sample_scene: Callable[[str], Scene]) -> None:
    checked = 0
    for drawn in (scene(VIEWS), sample_scene("views"), sample_scene("lesson")):
        for state in drawn.recording.states():
            for group in drawn.storages.groups:
                for mark in group.marks:
                    found = re.fullmatch(r"t(\d+):([\d,]*)", mark.keys[0]) if mark.keys and mark.tag == "text" else None
                    look = mark.at(state.step.index)
                    if found is None or look is None or int(found[1]) not in state.tensors:
                        continue
                    facts = state.tensors[int(found[1])]
                    index = tuple(int(each) for each in found[2].split(",") if each)
                    storage = state.storages[facts.storage]
                    (value,) = element_values(storage, facts.dtype, [position(facts, index)])
                    assert look.text == value_text(value, exponent=False)
                    checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("program", "above", "on_strip", "folded"),
    [
        ("x = paddle.ones([3])\nd = x.detach()\n", [], ["x", "d"], ()),
        ("x = paddle.ones([2, 3])\nd = x.detach()\n", [], ["x", "d"], (3,)),
        ("x = paddle.ones([2, 3])\nt = x.t()\n", ["x", "t"], [], ()),
        ("x = paddle.ones([6])\nm = x.reshape([2, 3])\n", ["m"], ["x"], ()),
        ("x = paddle.ones([6])\nv = x[1:]\n", ["v"], ["x"], ()),
        ("x = paddle.to_tensor([1., 2.])\nv = x.view('int16')\n", ["v"], ["x"], ()),
    ],
)
def test_which_tensors_have_a_grid(
    program: str, above: list[str], on_strip: list[str], folded: tuple[int, ...]
) -> None:
    recording = run(program).recording
    life = storage_lives(recording)[0]
    found = tensors_of([card for card in cards(recording) if card.storage == 0], life, 600)
    names = [
        [name for seat in seats for card in seat.cards for name in card.life.moments[-1][1].called.names]
        for seats in (found.above, found.on_strip)
    ]
    assert names == [above, on_strip]
    assert found.folded == folded


LAYOUTS = [
    ("x[1:5]", [(1, 5)]),
    ("x[1::4]", [(1, 2), (5, 6), (9, 10)]),
    ("x.reshape([3, 4])", [(0, 4), (4, 8), (8, 12)]),
    ("x.reshape([3, 4]).t()", [(0, 4), (4, 8), (8, 12)]),
    ("x.reshape([3, 4])[:, 1:3]", [(1, 3), (5, 7), (9, 11)]),
    ("x.reshape([3, 4])[1]", [(4, 8)]),
    ("x.reshape([2, 2, 3])[:, 1]", [(3, 6), (9, 12)]),
    ("x[3]", [(3, 4)]),
]


@pytest.mark.parametrize(("view", "runs"), LAYOUTS)
def test_a_fan_ends_exactly_at_the_slots_of_its_tensor(view: str, runs: list[tuple[int, int]]) -> None:
    recording = run(f"x = paddle.arange(12, dtype='float32')\nv = {view}\n").recording
    state = recording.state()
    facts = next(facts for facts in state.tensors.values() if "v" in state.called(facts.id).names)
    storage = state.storages[facts.storage]
    strip: StorageRow = storage_row(storage_lives(recording)[facts.storage], 600)
    grid = Grid(facts, 30.0, 500.0, hops=False)
    drawn = ribbons_path(facts, storage, grid, strip.pieces, 100.0, (80.0, 80.0, 120.0))
    found = _corners(drawn)
    ends = [tuple(sorted(x for x, y in corners if y == 120)) for corners in found]
    assert ends == [pytest.approx(strip.pieces((each,))[0][:2], abs=0.1) for each in runs]
    assert sum((b - a for a, b in runs)) == sum(b - a for a, b in slots_reached(storage, facts))
    # Above, they are under the grid and apart.
    begins = sorted((corners[0][0], corners[1][0]) for corners in found)
    assert begins[0][0] >= 100 - 0.1
    assert begins[-1][1] <= 100 + grid.width + 0.1
    assert all(one[1] <= other[0] + 0.2 for one, other in pairwise(begins))


def _corners(drawn: str) -> list[list[tuple[float, float]]]:
    """The corners of each ribbon of a fan, those of bends as if they were sharp."""
    sharp = re.sub(r"L[^LQ]+Q(\S+ \S+) [^LZ]+", r"L\1", drawn)
    pairs = [[corner.split() for corner in each.split("L")] for each in re.findall("M([^Z]+)Z", sharp)]
    return [[(float(x), float(y)) for x, y in each] for each in pairs]


def test_the_columns_of_a_transposed_matrix_stand_over_their_ribbons() -> None:
    recording = run("x = paddle.arange(6, dtype='float32').reshape([2, 3])\nt = x.t()\n").recording
    state = recording.state()
    facts = next(facts for facts in state.tensors.values() if "t" in state.called(facts.id).names)
    storage, grid = state.storages[facts.storage], Grid(facts, 30.0, 500.0, hops=False)
    drawn = ribbons_path(
        facts, storage, grid, storage_row(storage_lives(recording)[facts.storage], 600).pieces, 0.0, (80.0, 80.0, 120.0)
    )
    assert re.findall(r"M([\d.]+) [\d.]+L([\d.]+) ", drawn) == [("0", "30"), ("30", "60")]


def test_elements_that_share_a_slot_share_a_ribbon() -> None:
    drawn = scene("import numpy\nx = paddle.ones([3])\n")
    facts = next(iter(drawn.recording.state().tensors.values()))
    expanded = type(facts)(
        **{**{name: getattr(facts, name) for name in facts.__dataclass_fields__}, "shape": (2, 3), "strides": (0, 1)}
    )
    storage = drawn.recording.state().storages[facts.storage]
    grid = Grid(expanded, 30.0, 500.0, hops=False)
    strip = storage_row(storage_lives(drawn.recording)[facts.storage], 600)
    assert ribbons_path(expanded, storage, grid, strip.pieces, 0.0, (80.0, 80.0, 120.0)).count("M") == 3


def test_a_fan_is_seen_in_the_steps_about_its_tensor_and_while_a_reader_points_at_it() -> None:
    drawn = scene(VIEWS)
    done = tensor_roles(drawn.recording)
    state = drawn.recording.state()
    for key in state.tensors:
        for step in range(len(drawn.recording)):
            fans = [mark for mark, _ in looks(drawn_at(drawn, step), step, f"t{key}") if _is_fan(mark)]
            seen = ["asleep" not in look.style.split() for mark in fans if (look := mark.at(step))]
            assert any(seen) is (bool(fans) and step in done.get(key, {}))
            assert not fans or not all(seen)
    writer = next(key for key in state.tensors if "row" in state.called(key).names)
    assert "wrote" in done[writer].values()


UNFOLDED = "x = paddle.arange(0., 64.)\nu = x.as_strided([8, 16], [4, 1])\nx[5] = 0.\nu[1, 2] = 1.\nu.zero_()\n"


def test_of_a_fan_that_cannot_be_followed_only_what_is_touched_is_drawn() -> None:
    drawn = scene(UNFOLDED)
    key = next(key for key in drawn.recording.state().tensors if drawn.recording.state().called(key).names == ("u",))
    acting = tensor_roles(drawn.recording)[key]

    def seen(step: int) -> tuple[int, bool]:
        shown = [look for mark in drawn_at(drawn, step).marks if (look := mark.at(step))]
        fans = [look for look in shown if "ribbon" in look.style.split() and "asleep" not in look.style.split()]
        return len(fans), any("tick" in look.style.split() for look in shown)

    made, *_, last = sorted(acting)
    assert seen(made) == seen(last) == (0, True)
    wrote = next(step.index for step in drawn.recording.steps if step.writes and step.index > made)
    assert seen(wrote) == (0, False)


def _is_fan(mark: Mark) -> bool:
    return any(look is not None and "ribbon" in look.style.split() for _, look in mark.runs)


def test_the_name_that_a_step_writes_through_stands_out() -> None:
    drawn = scene(VIEWS)
    state = drawn.recording.state()
    for step in drawn.recording.steps:
        acting = {
            key
            for key in state.tensors
            for _, look in looks(drawn_at(drawn, step.index), step.index, f"t{key}")
            if "acting" in look.style.split()
        }
        made = (
            {key for key, facts in step.tensors if facts is not None and state.called(key).names}
            if not step.writes
            else set()
        )
        assert acting == {write.tensor for write in step.writes} | {
            key
            for key in made
            if "made" in tensor_roles(drawn.recording)[key].values()
            and tensor_roles(drawn.recording)[key].get(step.index) == "made"
        }


def test_of_several_names_the_one_on_the_line_stands_out() -> None:
    drawn = scene("p = paddle.zeros([2])\nq = p\np.scale_(2.)\nq.scale_(2.)\nq.add_(p)\n")
    group = drawn_at(drawn)
    places = {dict(mark.place)["x"]: mark for mark in group.marks if mark.tag == "rect" and mark.keys == ("t0",)}
    chips = [places[x] for x in sorted(places, key=float)][:2]
    writing = [step.index for step in drawn.recording.steps if step.writes]
    emphasized = [["acting" in (chip.at(step) or Look("")).style for chip in chips] for step in writing[-3:]]
    assert emphasized == [[True, False], [False, True], [True, True]], "the last line has both names"


def test_the_same_slots_are_marked_in_every_grid() -> None:
    drawn = scene(VIEWS)
    step = next(step.index for step in drawn.recording.steps if step.op == "scale_")
    group = drawn_at(drawn, step)
    marked = [
        look for mark in group.marks if mark.tag == "path" and (look := mark.at(step)) and look.style == "written"
    ]
    # The strip, a column of `m`, a row of `t`, and all of `row`.
    assert sorted(str(dict(look.attributes)["d"]).count("M") for look in marked) == [4, 4, 4, 4]


def test_a_heat_map_has_a_pixel_for_each_element_in_the_shape_of_its_tensor() -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    drawn = scene("m = paddle.arange(96, dtype='float32').reshape([8, 12])\nt = m.t()\nt[0] = 0.\n")
    state = drawn.recording.state()
    group = drawn_at(drawn)
    for name, shape in (("m", (12, 8)), ("t", (8, 12))):
        facts = next(facts for facts in state.tensors.values() if name in state.called(facts.id).names)
        maps = [look for mark, look in looks(group, len(drawn.recording) - 1, f"t{facts.id}") if mark.tag == "image"]
        picture = image.open(BytesIO(b64decode(str(dict(maps[0].attributes)["href"]).partition(",")[2])))
        assert picture.size == shape
        storage = state.storages[facts.storage]
        scale = extent(storage_lives(drawn.recording)[0].every())
        assert scale is not None
        values = [
            element_values(storage, facts.dtype, [position(facts, (i, j))])[0]
            for i in range(facts.shape[0])
            for j in range(facts.shape[1])
        ]
        assert list(picture.tobytes()) == [level(value, scale) for value in values]


@pytest.mark.parametrize(("shape", "in_miniature"), [([3, 2, 8], True), ([2, 8], True), ([2, 4], False)])
def test_grids_that_do_not_fit_in_a_row_are_miniatures_if_they_are_large_or_many(
    shape: list[int], *, in_miniature: bool
) -> None:
    views = "".join(f"v{k} = x[{k % shape[0]}]\n" for k in range(6))
    drawn = scene(f"x = paddle.full({shape}, 7.5)\n{views}x.zero_()\n")
    group = drawn_at(drawn)
    assert not any(mark.tag == "image" for mark in group.marks), "a tensor of up to 64 slots is never colored by value"
    facts = next(each for each in drawn.recording.state().tensors.values() if each.shape == tuple(shape))
    elements = [mark for mark in group.marks if any(key.startswith(f"t{facts.id}:") for key in mark.keys)]
    assert {mark.tag for mark in elements} == ({"rect"} if in_miniature else {"rect", "text"})
    widths = {dict(mark.place)["width"] for mark in elements if mark.tag == "rect"}
    assert (widths == {MINIATURE}) is in_miniature


def test_a_strip_of_many_rows_has_the_values_before_a_write_beside_them() -> None:
    values = [[k + 0.125 for k in range(row, row + 4)] for row in range(0, 24, 4)]
    drawn = scene(f"x = paddle.to_tensor({values})\nx[1] = 0.\nx.zero_()\n")
    group = drawn_at(drawn)

    def was(step: int) -> list[str]:
        shown = [(mark, mark.at(step)) for mark in group.marks if mark.tag == "text"]
        return [str(look.text) for _, look in shown if look is not None and "was" in look.style.split()]

    writes = [step.index for step in drawn.recording.steps if step.writes]
    assert was(writes[0]) == ["was 4.13 5.13 6.13 7.13"]
    assert len(was(writes[1])) == 6
    assert was(writes[1])[1] == "was 0 0 0 0"


def test_a_strip_of_blocks_has_as_few_rows_as_fit() -> None:
    group = drawn_at(scene("x = paddle.ones([5, 2, 3])\n"))
    assert (
        len(
            {
                dict(mark.place)["y"]
                for mark in group.marks
                if any(key.startswith("s0:") for key in mark.keys) and mark.tag == "rect"
            }
        )
        == 5
    )


FOUR_VIEWS = VIEWS + "corner = m[2:, 2:]\n"


def test_layouts_are_not_said_beside_names_if_grids_are_then_side_by_side() -> None:
    group = drawn_at(scene(FOUR_VIEWS))
    assert not any("stride" in str(look.text) for mark in group.marks for _, look in mark.runs if look)
    chips = [mark for mark in group.marks if mark.tag == "rect" and dict(mark.place)["height"] == 15]
    assert len({dict(mark.place)["y"] for mark in chips}) == 1
    narrow = drawn_at(scene("m = paddle.ones([2, 3])\nt = m.t()\n"))
    assert any("strides [1, 3]" in str(look.text) for mark in narrow.marks for _, look in mark.runs if look)


def test_a_grid_is_at_most_as_high_as_can_be_seen() -> None:
    group = drawn_at(scene("x = paddle.ones([40])\nm = x.reshape([20, 2])\n"))
    cells = [
        dict(mark.place)
        for mark in group.marks
        if mark.tag == "rect" and any(":" in key for key in mark.keys) and mark.keys[0].startswith("t")
    ]
    assert len({cell["y"] for cell in cells}) == 8
    assert any(look.text == "…" for mark in group.marks for _, look in mark.runs if look)


def test_heat_maps_of_a_storage_have_one_scale_which_is_larger_if_they_are_side_by_side() -> None:
    def maps(program: str) -> list[tuple[float, float]]:
        group = drawn_at(scene(program))
        places = [dict(mark.place) for mark in group.marks if mark.tag == "image"]
        return [(float(each["width"]), float(each["height"])) for each in places if each["height"] != 8]

    image = "x = paddle.arange(4096, dtype='float32').reshape([64, 64])\n"
    whole, part = maps(image + "p = x[16:48, :32]\n")
    assert whole == pytest.approx((1.4 * 112, 1.4 * 112), abs=0.1)
    assert part == pytest.approx((whole[0] / 2, whole[1] / 2), abs=0.1), "a part is as large as it is in the whole"
    assert maps(image + "p = x[:5, :5]\n")[1] == pytest.approx((44, 44), abs=0.1), "not too small to be seen"
    several = maps(image + "".join(f"v{k} = x.t()\n" for k in range(6)))
    assert several == [pytest.approx((0.75 * 112, 0.75 * 112), abs=0.1)] * 7


def test_where_no_other_storage_fits_beside_one_its_lens_is_beside_its_strip() -> None:
    image = "x = paddle.arange(4096, dtype='float32').reshape([64, 64])\n"
    for count, is_beside in ((1, False), (3, True)):
        program = image + "".join(f"v{k} = x[{k}:]\n" for k in range(count)) + "x.zero_()\n"
        group = drawn_at(scene(program))
        shown = [
            (dict(mark.place), look) for mark in group.marks if mark.tag == "rect" and (look := mark.at(group.last))
        ]
        lens = [place for place, look in shown if "lens" in look.style]
        (strip,) = (place for place, look in shown if look.style == "slot" and place["height"] == 14)
        assert (min(float(each["x"]) for each in lens) > float(strip["x"]) + float(strip["width"])) is is_beside
        assert max(float(each["x"]) + float(each["width"]) for each in lens) <= group.width + 0.1
        assert max(float(each["y"]) + float(each["height"]) for each in lens) <= (group.height or 0)


def test_ribbons_are_vertical_beside_a_higher_grid() -> None:
    recording = run("x = paddle.arange(6, dtype='float32').reshape([2, 3])\nt = x.t()\n").recording
    facts = next(
        each for each in recording.state().tensors.values() if recording.state().called(each.id).names == ("t",)
    )
    storage, grid = recording.state().storages[facts.storage], Grid(facts, 30.0, 500.0, hops=False)
    drawn = ribbons_path(
        facts,
        storage,
        grid,
        storage_row(storage_lives(recording)[facts.storage], 600).pieces,
        0.0,
        (80.0, 110.0, 120.0),
    )
    corners = [[*map(int, sum(each[:3], ()))] for each in _corners(drawn)]
    assert corners == [[0, 83, 30, 83, 30, 113], [30, 83, 60, 83, 60, 113]]


def test_ribbons_to_slots_far_away_are_bent_so_that_they_stay_wide() -> None:
    found = _corners(_fan_far_away("x[1::4]"))
    level = sorted((corners[7][1], corners[2][1]) for corners in found)
    assert all(below - above > 7 for above, below in level), "slanted over 400 px, they would be 3 px thin"
    assert all(one[1] < other[0] for one, other in pairwise(level))
    highest_first = [corners[7][1] for corners in found]
    assert highest_first == [above for above, _ in level], "to the left, the leftmost is ahead"


def test_the_bends_of_a_ribbon_are_curves() -> None:
    for ribbon in re.findall("M[^Z]+Z", _fan_far_away("x[1::4]")):
        curves = re.findall(r"L([^LQ]+)Q(\S+ \S+) ([^LZ]+)", ribbon)
        assert len(curves) >= 3, "two bends of two sides each, of which the inner one may have no room"
        assert all(corner not in (start, end) for start, corner, end in curves)


def test_ribbons_that_cross_are_slanted() -> None:
    assert {len(corners) for corners in _corners(_fan_far_away("x[::-4]"))} == {4}


def _fan_far_away(view: str) -> str:
    """The fan of a view with three elements, whose grid is 400 px to the right of the strip of `x`."""
    recording = run(f"x = paddle.arange(12, dtype='float32')\nv = {view}\n").recording
    facts = next(each for each in recording.state().tensors.values() if each.shape == (3,))
    storage, grid = recording.state().storages[facts.storage], Grid(facts, 30.0, 500.0, hops=False)
    strip = storage_row(storage_lives(recording)[facts.storage], 600)
    return ribbons_path(facts, storage, grid, strip.pieces, 500.0, (80.0, 80.0, 116.0))


def test_a_write_to_a_part_has_a_line_around_it() -> None:
    drawn = scene("m = paddle.arange(96, dtype='float32').reshape([8, 12])\nm[2] = 0.\nm.zero_()\n")
    group = drawn_at(drawn)
    writes = [step.index for step in drawn.recording.steps if step.writes]
    rims = [[look for mark in group.marks if (look := mark.at(step)) and look.style == "rim"] for step in writes]
    assert [len(each) for each in rims] == [1, 0], "a write to all of it has a border instead"
    assert str(dict(rims[0][0].attributes)["d"]).count("M") == 4, "a row is a rectangle"


def test_values_that_are_not_numbers_have_colors_of_their_own() -> None:
    special = {level(value, (0.0, 1.0)) for value in (float("nan"), float("inf"), None)}
    assert len(special) == 2
    assert min(special) >= LEVELS
    assert level(-1e308, (-1e308, 1e308)) == 0
    assert level(3.0, (3.0, 3.0)) < LEVELS
    assert png(bytes(4), 2).startswith("data:image/png;base64,")


def test_unwritten_slots_are_hatched() -> None:
    group = drawn_at(scene("fresh = paddle.empty([3])\n"))
    styles = [look.style for mark in group.marks for _, look in mark.runs if look is not None]
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


def test_a_storage_without_named_tensors_still_says_what_is_on_it() -> None:
    drawn = scene("x = paddle.ones([3])\ny = (x * 2.) + 1.\n")
    step = next(step.index for step in drawn.recording.steps if step.line == 2)
    said = [
        str(look.text)
        for group in drawn.storages.groups
        if group.is_drawn(step)
        for mark in group.marks
        if mark.tag == "text" and (look := mark.at(step))
    ]
    assert any(each.startswith("T") for each in said)


def test_no_name_is_on_a_lens_beside_the_strip() -> None:
    views = "".join(f"of_many_letters_{k} = x[{k}]\n" for k in range(3))
    group = drawn_at(
        scene(
            f"x = paddle.arange(72, dtype='float32').reshape([3, 4, 6])\n{views}flattened = x.flatten()\nflattened[0] = 5.\n"
        )
    )
    shown = [
        (dict(mark.place), look.style) for mark in group.marks if mark.tag == "rect" and (look := mark.at(group.last))
    ]
    lens = [place for place, style in shown if "lens" in style]
    chips = [place for place, style in shown if "chip" in style]
    assert lens
    assert len(chips) > 3
    left, top = (min(float(each[axis]) for each in lens) for axis in "xy")
    beside = [float(each["x"]) + float(each["width"]) <= left for each in chips if float(each["y"]) > top - 15]
    assert all(beside)


def test_no_room_is_kept_for_tensors_that_come_later() -> None:
    views = "a = x.reshape([3, 4])\nb = a.t()\nc = x.as_strided([5, 4], [2, 1])\nx.zero_()\n"
    drawn = scene(f"x = paddle.arange(12, dtype='float32')\n{views}")
    tops = [
        min(
            float(dict(mark.place)["y"]) for mark, _ in looks(drawn_at(drawn, step), step, "s0:0") if mark.tag == "rect"
        )
        for step in range(len(drawn.recording))
    ]
    assert tops == sorted(tops)
    assert tops[0] < 10 < tops[1] - 80
    heights = [drawn_at(drawn, step).height for step in range(len(drawn.recording))]
    assert [one - other for one, other in pairwise(heights)] == [one - other for one, other in pairwise(tops)]


def test_a_storage_looks_the_same_when_its_marks_are_made_for_one_step() -> None:
    drawn = scene(VIEWS)
    for step in range(len(drawn.recording)):
        group = drawn_at(drawn, step)
        alone, whole = (
            [(mark.tag, mark.place, look) for mark in marks if (look := mark.at(step))]
            for marks in (group.marks_at(step), group.marks)
        )
        assert alone == whole


def test_short_captions_say_what_made_a_tensor_where_there_is_room_or_nothing() -> None:
    def captions(program: str) -> list[str]:
        group = drawn_at(scene(program))
        said = {str(look.text) for mark in group.marks for _, look in mark.runs if look and look.text}
        return sorted(each for each in said if each.startswith("line "))[1:]

    few = "m = paddle.zeros([4, 3])\ntop = m[0]\nend = m[3]\ncorner = m[::3, ::2]\nmiddle = m[1:3]\n"
    assert captions(few) == ["line 2  m[0]", "line 3  m[3]", "line 4  m[::3, ::2]", "line 5  m[1:3]"]
    columns = "".join(f"{name} = gates[:, {k}]\n" for k, name in enumerate("ifgo"))
    many = f"gates = paddle.zeros([2, 4])\n{columns}pair = gates.reshape([4, 2])\n"
    assert captions(many) == ["line 2", "line 3", "line 4", "line 5", "line 6"]


@pytest.mark.parametrize(
    ("cut", "left"),
    [
        ("line 4  ga…", "line 4"),
        ("line 4  image[…", "line 4"),
        ("line 4 …", "line 4"),
        ("第 4 行 …", "第 4 行"),
        ("line 4  …", "line 4"),
        ("line 4  image[:, 3…", "line 4  image[:, 3…"),
        ("line 4  f(a, b…", "line 4  f(a, b…"),
    ],
)
def test_a_cut_name_is_left_out(cut: str, left: str) -> None:
    assert CUT_NAME.sub("", cut) == left


def test_the_strip_has_the_shape_of_a_tensor_if_the_others_are_then_side_by_side() -> None:
    program = (
        'm = paddle.arange(16, dtype="float32").reshape([4, 4]) * 1.2345e-7\nlast = m[3]\nfirst = m[0]\nfirst.zero_()\n'
    )
    drawn = scene(program)
    key = f"s{drawn.recording.state().tensor('m').storage}"
    group = drawn_at(drawn, key=key)
    rows = chips_of(drawn, len(drawn.recording) - 1)
    assert rows["last"] == rows["first"] < rows["m"]
    slots = {
        dict(mark.place)["y"] for mark in group.marks if mark.tag == "rect" and re.match(r"s\d+:", " ".join(mark.keys))
    }
    assert len(slots) == 4
    assert not any(dict(mark.place)["width"] == MINIATURE for mark in group.marks if mark.tag == "rect")


def chips_of(drawn: Scene, step: int) -> dict[str, float]:
    """The y of each name that is drawn at a step."""
    texts = [
        (look.text, mark)
        for group in drawn.storages.groups
        if group.is_there(step)
        for mark in group.marks
        if mark.tag == "text" and (look := mark.at(step))
    ]
    return {str(said): float(dict(mark.place)["y"]) for said, mark in texts if str(said) in {"m", "first", "last"}}


def test_no_fan_crosses_the_words_on_the_strip() -> None:
    program = 'flat = paddle.arange(16, dtype="float32")\nm = flat.reshape([4, 4]).t()\nm.zero_()\n'
    marks = [*drawn_at(scene(program)).marks]
    styles = [{look.style for _, look in mark.runs if look} for mark in marks]
    ground = styles.index({"paper"})
    words = next(k for k, mark in enumerate(marks) if any(look and str(look.text) == "[16]" for _, look in mark.runs))
    found = [k for k, each in enumerate(styles) if any("ribbon" in style for style in each)]
    assert found
    assert max(found) < ground < words
    left, width = (float(dict(marks[ground].place)[key]) for key in ("x", "width"))
    assert left < float(dict(marks[words].place)["x"]) < left + width


def test_names_beside_a_strip_leave_room_for_its_lens() -> None:
    drawn = scene(
        'flat = paddle.arange(600, dtype="float32")\nm = flat.reshape([20, 30])\nm.t_()\nt = m.t()\nn = m[:, :15]\n'
    )
    group = max(drawn.storages.groups, key=lambda group: group.width)
    texts = [
        (look, dict(mark.place))
        for mark in group.marks
        if mark.tag == "text" and (look := mark.at(len(drawn.recording) - 1))
    ]
    lens = next(place for look, place in texts if str(look.text).startswith("values of slots"))
    name = next(place for look, place in texts if look.text == "flat")
    assert not (abs(float(name["y"]) - float(lens["y"])) < 30 and float(name["x"]) > float(lens["x"]) - 60)


def test_sixty_four_slots_with_old_values_and_three_tensors_have_room_on_a_laptop() -> None:
    program = "x = paddle.rand([4, 1, 4, 4]) * -3.\na = x[0:2]\nbatch = x[2:4]\na.subtract_(paddle.ones([1]) / 3.)\n"
    panel = storages_panel(run(program).recording)
    group = max(panel.groups, key=lambda each: each.height)
    old = [mark for mark in group.marks if any(look and look.style.endswith(" was") for _, look in mark.runs)]
    assert len(old) == 32 + 4, "the old value of each written slot, and beside each row the word"
    assert len({dict(mark.place)["y"] for mark in old}) == 4, "under the four rows that are written"
    assert group.height <= 400


CLOSE_ROWS = """
x = paddle.rand([4, 1, 4, 4]) * -3.
x.stop_gradient = False
y = x.exp()
a = y[0:2]
b = y[2:4]
a.subtract_(paddle.ones([1]) / 3.)
y.sum().backward()
"""


@pytest.mark.parametrize(("style", "line"), [("written", 3.0), ("lost", 2.5)])
def test_old_values_between_rows_are_clear_of_the_frames(style: str, line: float) -> None:
    panel = storages_panel(run(CLOSE_ROWS).recording)
    group = max(panel.groups, key=lambda each: each.height)
    step, frames = next(
        (step, str(dict(look.attributes)["d"]))
        for mark in group.marks
        if mark.keys == (group.key,)
        for step, look in mark.runs
        if look and look.style == style
    )
    edges = {
        float(y) + down
        for y, high in re.findall(r"M[\d.]+ ([\d.]+)h[\d.]+v([\d.]+)", frames)
        for down in (0, float(high))
    }
    old = [(mark, look) for mark in group.marks if (look := mark.at(step)) and look.style.endswith(" was")]
    bases = {float(dict(mark.place)["y"]) for mark, _ in old}
    assert len(bases) == 4
    clear = line / 2 + 1
    assert not [(base, edge) for base in bases for edge in edges if base - DIGIT - clear < edge < base + clear]


def test_the_word_kept_is_clear_of_the_size_of_its_storage() -> None:
    panel = storages_panel(run(CLOSE_ROWS).recording)
    looks = [(mark, look) for group in panel.groups for mark in group.marks for _, look in mark.runs if look]
    places = {dict(mark.place)["x"] for mark, look in looks if look.text == words.VALUE_KEPT}
    assert len(places) == 1
    assert float(*places) - widest([words.VALUE_KEPT]) >= width_of("256 B") + 3


def test_very_many_rows_stand_side_by_side() -> None:
    life = StorageLife(((0, StorageFacts(0, 256, 64, "float32", "cpu", tuple(map(float, range(64))))),), 0)
    assert [storage_row(life, 570.0, folded=(each,)).rows for each in (1, 2, 4, 8)] == [16, 16, 16, 8]
