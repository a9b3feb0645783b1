"""Tests the geometry of the pictures: nothing overlaps, overflows or moves, and marks are at their objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise

import pytest

import inplacelab as paddle
from inplacelab.language import LANGUAGES, Text
from inplacelab.lessons import recorded
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_svg
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.palette import resolved
from inplacelab_widgets.scene.svg import Attributes, Group, Look, Mark, Panel, stack_of
from inplacelab_widgets.scene.tensor_cards import cards
from inplacelab_widgets.scene.text_layout import SMALL, character_em, width_of
from tests.recorders.golden.renew import run

Box = tuple[float, float, float, float]


def panels(scene: Scene) -> tuple[Panel, ...]:
    return scene.storages, scene.graph, scene.lanes, scene.memory


def alive(panel: Panel, step: int) -> Iterator[tuple[Group, Mark, Look]]:
    standing = [(group, group.x, group.y) for group in panel.groups if group.is_drawn(step)]
    for group, x, y in stack_of(panel, step)[0] if panel.table else standing:
        for mark in group.marks:
            look = mark.at(step)
            if look is not None:
                yield replace(group, x=x, y=y), mark, look


def number(attributes: Attributes, key: str) -> float:
    value = dict(attributes)[key]
    assert isinstance(value, (int, float))
    return value


def box_of(group: Group, mark: Mark, look: Look) -> Box:
    place = (*mark.place, *look.attributes)
    moved = re.fullmatch(r"translate\(([\d.]+) 0\)", str(dict(place).get("transform", "translate(0 0)")))
    assert moved
    x, y = number(place, "x") + group.x + float(moved[1]), number(place, "y") + group.y
    return x, y, x + number(place, "width"), y + number(place, "height")


def line_of(group: Group, mark: Mark, look: Look, language: str) -> Box:
    """Returns the box of a line of text."""
    style = resolved(look.style)
    size = float(style["font-size"].removesuffix("px"))
    said = look.text.in_language(language) if isinstance(look.text, Text) else look.text or ""
    width = sum(map(character_em, said)) * size
    x, y = number(mark.place, "x") + group.x, number(mark.place, "y") + group.y
    shift = {"middle": width / 2, "end": width}.get(style.get("text-anchor", ""), 0)
    return x - shift, y - size * 0.75, x - shift + width, y + size * 0.2


def boxes(panel: Panel, step: int, *styles: str) -> list[Box]:
    return [
        box_of(group, mark, look)
        for group, mark, look in alive(panel, step)
        if mark.tag == "rect" and set(look.style.split()) & set(styles)
    ]


def overlapping(found: Iterable[Box], slack: float = 0.2) -> list[tuple[Box, Box]]:
    def meet(a: Box, b: Box) -> bool:
        return min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack

    return [(a, b) for a, b in combinations(found, 2) if meet(a, b)]


def test_cards_slots_pins_and_nodes_do_not_overlap(scene: Scene) -> None:
    for step in range(len(scene.recording)):
        assert overlapping(boxes(scene.storages, step, "chip", "slot", "pin", "pill")) == []
        assert overlapping(boxes(scene.graph, step, "node")) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_text_do_not_overlap(scene: Scene, language: str) -> None:
    for step in range(len(scene.recording)):
        for panel in (scene.storages, scene.graph):
            lines = [line_of(*each, language) for each in alive(panel, step) if each[1].tag == "text" and each[2].text]
            assert overlapping(lines, slack=1.0) == [], (panel.name, step)


def test_no_underscore_is_hidden_by_the_frame_of_a_pin(scene: Scene) -> None:
    for step in range(len(scene.recording)):
        pins = boxes(scene.storages, step, "pin")
        for each in alive(scene.storages, step):
            if isinstance(each[2].text, Text) and each[2].text.en.endswith("_"):
                left, _, right, bottom = line_of(*each, "en")
                lowest = bottom + 5  # of an underscore in any font, with half the width of a stale pin's frame
                assert not any(x < right and left < far and bottom - 5 < y < lowest for x, y, far, _ in pins), step


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_stays_inside_its_card_pin_slot_or_node(scene: Scene, language: str) -> None:
    for step in range(len(scene.recording)):
        for panel, frames in ((scene.storages, ("chip", "pin", "slot", "pill")), (scene.graph, ("node",))):
            rooms = boxes(panel, step, *frames)
            for each in alive(panel, step):
                if each[1].tag != "text":
                    continue
                left, top, right, bottom = line_of(*each, language)
                for room in rooms:
                    begins_inside = room[0] <= left <= room[2] and room[1] <= (top + bottom) / 2 <= room[3]
                    assert not begins_inside or right <= room[2] + 0.5, (step, each[2].text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_leaves_its_panel(scene: Scene, language: str) -> None:
    for panel in panels(scene):
        for step in range(len(scene.recording)):
            for group, mark, look in alive(panel, step):
                # The veil reaches over the edge, where it is clipped.
                if mark.tag not in {"rect", "text"} or look.style == "veil":
                    continue
                frame = box_of(group, mark, look) if mark.tag == "rect" else line_of(group, mark, look, language)
                assert frame[0] >= -1, look
                assert frame[2] <= panel.width + 1, look
                assert frame[3] <= panel.height + 1, look


def test_nothing_moves(scene: Scene) -> None:
    """Only the playhead, the veil and shapes that follow the data may change their geometry with the step."""
    for panel in (scene.storages, scene.graph):
        for group in panel.groups:
            for mark in group.marks:
                moving = {key for _, look in mark.runs if look for key, _ in look.attributes}
                assert moving <= {"d", "width"}


def test_runs_are_in_order_and_without_repeats(scene: Scene) -> None:
    for panel in panels(scene):
        for group in panel.groups:
            for mark in group.marks:
                steps = [step for step, _ in mark.runs]
                assert steps == sorted(set(steps))
                looks = [None, *(look for _, look in mark.runs)]
                assert all(a != b for a, b in pairwise(looks))


def test_the_lines_of_a_table_need_the_room_of_those_that_meet(sample_scene: Callable[[str], Scene]) -> None:
    panel = sample_scene("many").storages
    heights = [stack_of(panel, step)[1] for step in range(len(sample_scene("many").recording))]
    assert max(heights) <= panel.height
    lines = [line for line in panel.table if line.key.startswith("s")]
    seats = {(line.row, line.y) for line in lines}
    assert len(seats) < len(lines), "a loop that makes a temporary a hundred times needs the room of one"


def group_of(scene: Scene, key: str, step: int, style: str) -> list[int]:
    """Returns the places of the groups with a mark of this key and style."""
    return [
        scene.storages.groups.index(replace(g, x=home.x, y=home.y))
        for g, mark, look in alive(scene.storages, step)
        for home in scene.storages.groups
        if home.key == g.key and home.marks is g.marks and key in mark.keys and style in look.style.split()
    ]


def test_a_view_and_a_copy_look_different(sample_scene: Callable[[str], Scene]) -> None:
    """A view stands above the storage of its base; a copy has another storage."""
    views = sample_scene("views")
    assert group_of(views, "t1", 4, "chip") == group_of(views, "t2", 4, "chip")
    assert group_of(views, "t0", 4, "chip") != group_of(views, "t1", 4, "chip")


def test_a_reallocated_tensor_moves_to_its_new_storage_and_its_pin_stays(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("reallocated")
    assert group_of(scene, "t0", 1, "chip") == [0]
    assert group_of(scene, "t0", 2, "chip") == [2]
    assert group_of(scene, "p0:0:0", 2, "pin") == [0]


def words_at(panel: Panel, step: int, language: str = "en") -> list[str]:
    return [
        look.text.in_language(language) if isinstance(look.text, Text) else look.text or ""
        for _, mark, look in alive(panel, step)
        if mark.tag == "text"
    ]


def test_the_pill_shows_the_raise_for_one_step_and_who_did_it(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("lesson")
    assert words_at(scene.storages, 3).count("v0") >= 2
    assert "v0→v1" in words_at(scene.storages, 4)
    assert "line 4 scale_" in words_at(scene.storages, 4)
    assert "v0→v1" not in words_at(scene.storages, 5)
    assert "v1" in words_at(scene.storages, 5)
    assert "第 4 行 scale_" in words_at(scene.storages, 5, "zh")


def test_all_names_of_one_object_are_chips_side_by_side(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("lesson")
    chips = [
        look.text for _, mark, look in alive(scene.storages, 5) if "t1" in mark.keys and look.style == "text value bold"
    ]
    assert chips == ["x", "y"]
    tops = {box_of(*each)[1] for each in alive(scene.storages, 5) if "t1" in each[1].keys and "chip" in each[2].style}
    assert len(tops) == 1


def test_a_temporary_is_marked_unnamed(sample_scene: Callable[[str], Scene]) -> None:
    said = words_at(sample_scene("stale").storages, 4)
    assert "[]  unnamed" in said
    assert "T4" in said


def pin_at(scene: Scene, key: str, step: int) -> str:
    return next(look.style for _, mark, look in alive(scene.storages, step) if key in mark.keys and mark.tag == "rect")


def test_a_pin_is_fresh_then_stale_and_flashes_when_it_is_unpacked(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("stale")
    assert pin_at(scene, "p2:2:0", 2) == "pin"
    assert pin_at(scene, "p2:2:0", 3) == "pin stale turned"
    assert pin_at(scene, "p2:2:0", 4) == "pin stale"
    assert pin_at(scene, "p2:2:0", 8) == "pin stale checked"
    assert {"b (operands 1 and 2) @ v0", "✓ fresh"} <= {*words_at(scene.storages, 2)}
    assert {"b (operands 1 and 2) @ v0", "✗ goes stale, now v1"} <= {*words_at(scene.storages, 3)}
    assert {"b (operands 1 and 2) @ v0", "✗ stale, now v1"} <= {*words_at(scene.storages, 4)}
    assert {"b（操作数 1 和 2） @ v0", "✗ 本步过期，现为 v1"} <= {*words_at(scene.storages, 3, "zh")}


def test_a_thread_leads_from_the_pin_across_the_raise_to_the_failing_unpack(
    sample_scene: Callable[[str], Scene],
) -> None:
    scene = sample_scene("stale")
    threads = [mark for _, mark, look in alive(scene.lanes, 0) if look.style == "thread"]
    assert len(threads) == 1
    found = re.fullmatch(r"M([\d.]+) .*H([\d.]+)", str(dict(threads[0].place)["d"]))
    assert found
    bump = next(mark for _, mark, look in alive(scene.lanes, 0) if look.style == "bump")
    at = re.match(r"M([\d.]+)", str(dict(bump.place)["d"]))
    assert at
    assert float(found[1]) < float(at[1]) <= float(found[2])
    assert "✗ finds it stale" not in words_at(scene.lanes, 7)
    assert "✗ finds it stale" in words_at(scene.lanes, 8)


def test_a_rewritten_history_leaves_a_ghost_for_one_step(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("lesson")

    def ghosts(step: int) -> int:
        return sum("ghost" in look.style.split() for _, _, look in alive(scene.graph, step))

    # The chip at the former node, and the arrow to the current one.
    assert [ghosts(step) for step in (3, 4, 5)] == [0, 2, 0]
    assert words_at(scene.graph, 4).count("NEW at line 4") == 1


def test_nodes_of_later_lines_are_not_there_yet(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("stale")
    assert "SumGradNode" not in words_at(scene.graph, 3)
    assert "SumGradNode" in words_at(scene.graph, 4)


def test_backward_states_are_said_in_words_and_gradients_shown(sample_scene: Callable[[str], Scene]) -> None:
    said = words_at(sample_scene("stale").graph, 9)
    assert {"○ not reached", "✓ done", "✗ failed", "● [1, 1, 1, 1]"} <= set(said)


@pytest.mark.parametrize(("name", "note"), [("large", "slots 0–5"), ("overview", "in a pixel")])
def test_a_storage_too_large_to_draw_says_so(sample_scene: Callable[[str], Scene], name: str, note: str) -> None:
    assert any(note in said for said in words_at(sample_scene(name).storages, 0))


def test_a_storage_without_slots_is_a_place_that_pointers_lead_to() -> None:
    with paddle.record("nothing") as run:
        z = paddle.zeros([0])
    assert run.recording is not None
    assert z.shape == [0]
    scene = scene_of(run.recording)
    assert "no slots" in words_at(scene.storages, 0)
    assert "没有槽位" in words_at(scene.storages, 0, "zh")
    (place,) = boxes(scene.storages, 0, "none")
    assert place[2] - place[0] > 28
    assert overlapping(boxes(scene.storages, 0, "none", "chip")) == []


def test_an_empty_recording_is_refused() -> None:
    with pytest.raises(ValueError, match="no steps"):
        scene_of(Recording("inplacelab", "0", "empty", (), ()))


@pytest.mark.parametrize(("name", "flag"), [("lesson", "stop_gradient=False"), ("many", "requires_grad=True")])
def test_the_flag_is_called_as_the_recorded_framework_calls_it(
    name: str, flag: str, sample: Callable[[str], Recording]
) -> None:
    faces = [face for card in cards(sample(name)) for face in card.life.every()]
    said = {each for face in faces for each in face.details if "_grad" in str(each)}
    assert said == {flag}


def test_a_gradient_goes_with_its_node(sample: Callable[[str], Recording]) -> None:
    """In a backward that fails, the nodes of temporaries are gone when the error is shown."""
    recording = sample("stale")
    *steps, error = recording.steps
    first = next(s.backward.node for s in steps if s.backward and s.backward.gradient is not None)
    assert first is not None
    gone = replace(error, nodes=((first, None),))
    shown = [to_svg(each).count("● ") for each in (recording, replace(recording, steps=(*steps, gone)))]
    assert shown == [2, 1]


def test_a_number_is_called_a_constant_and_not_said_to_have_no_bytes() -> None:
    recording = run("x = paddle.ones([2])\nx.stop_gradient = False\ny = (x ** 3).sum()\ny.backward()\n").recording
    scene = scene_of(recording)
    held = next(key for key, facts in recording.state(2).storages.items() if not facts.bytes)
    for language, said in (("en", "constant"), ("zh", "常数")):
        (group,) = (group for group in scene.storages.groups if group.key == f"s{held}")
        assert said in [
            look.text.in_language(language)
            for mark in group.marks
            if (look := mark.at(2)) and isinstance(look.text, Text)
        ]
        assert "0 B" not in words_at(scene.storages, 2, language)


def test_the_size_of_a_storage_on_a_device_leaves_room_for_the_indices_of_rows() -> None:
    paddle.set_device("gpu", simulate=True)
    try:
        with paddle.record("device") as run:
            x = paddle.to_tensor([[-1.0, 2.0], [3.0, -4.0]])
            y = x * 2.0
            y.relu_()
    finally:
        paddle.set_device("cpu")
    assert run.recording is not None
    group = next(each for each in scene_of(run.recording).storages.groups if each.key == "s1")
    drawn = {
        str(mark.runs[0][1].text): dict(mark.place) for mark in group.marks if mark.tag == "text" and mark.runs[0][1]
    }
    size = next(each for each in drawn if each.startswith("16 B gpu"))
    assert width_of(size, SMALL) <= float(drawn["2"]["x"]) - width_of("2", SMALL)


def test_a_folded_storage_without_a_version_has_no_gap_for_it() -> None:
    recording = recorded("torch-loop")
    # As where the tensor that had the counter is gone, and the one that has the storage now is not known yet.
    steps = [
        replace(step, counters=tuple(each for each in step.counters if each[0] != 5)) for step in recording.steps[:11]
    ]
    scene = scene_of(replace(recording, steps=tuple(steps)))
    lines = [line for line in scene.storages.table if line.key == "s5"]
    said = [str(look.text) for line in lines for mark in line.marks for _, look in mark.runs if look]
    assert said
    assert not any(re.search(r"\bv\d", each) for each in said)
