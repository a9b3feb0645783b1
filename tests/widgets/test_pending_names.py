"""While a line runs, all panels, tables and lists of the player call its tensor by the name that it will have, with an arrow."""

from __future__ import annotations

import pytest

from inplacelab.language import Text
from inplacelab_widgets import to_markdown, to_svg
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.memory_panel import holders
from inplacelab_widgets.scene.places import Lines
from inplacelab_widgets.scene.player_links import links
from inplacelab_widgets.scene.svg import Look, Panel
from inplacelab_widgets.scene.tables import tables
from tests.recorders.golden.renew import run

PROGRAM = """\
x = paddle.to_tensor([1., 2.], stop_gradient=False)
y = x
x = (x * 2.).relu_().scale_(2.)
h = x * x
"""
MAKING, RUNNING, DONE = 2, 3, 4
"""The steps of the third line: after the first two of them its result has no name yet."""


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(run(PROGRAM).recording)


def looks(panel: Panel, step: int) -> list[Look]:
    """How the words of a panel are set at a step."""
    drawn = (group for group in (*panel.groups, *panel.table) if group.is_drawn(step))
    found = (mark.at(step) for group in drawn for mark in group.marks if mark.tag == "text")
    return [look for look in found if look is not None and look.text]


def words(panel: Panel, step: int, language: str = "en") -> list[str]:
    return [spelt(look.text, language) for look in looks(panel, step)]


def spelt(said: object, language: str = "en") -> str:
    return getattr(said, language) if isinstance(said, Text) else str(said)


def test_the_new_x_beside_the_old(scene: Scene) -> None:
    for step in (MAKING, RUNNING):
        shown = words(scene.storages, step)
        assert "→x" in shown
        assert any("x, y" in each for each in shown), "in the table"
        assert not any("named when" in each for each in shown), (
            "the arrow and the border say it; the tables have the words"
        )
        assert "T1" not in shown
    assert not any("→x" in each or "named when" in each for each in words(scene.storages, DONE))


def test_a_coming_name_is_set_otherwise_than_a_name_and_than_the_number_of_a_temporary(scene: Scene) -> None:
    chips = {spelt(look.text): look.style for look in looks(scene.storages, RUNNING) if "value" in look.style.split()}
    done = {spelt(look.text): look.style for look in looks(scene.storages, DONE) if "value" in look.style.split()}
    assert done["x"] == "text value bold"
    assert chips["→x"] == "text value italic"
    boxes = {
        look.style
        for group in scene.storages.groups
        for mark in group.marks
        for look in [mark.at(RUNNING)]
        if look is not None and look.style.startswith("chip")
    }
    assert boxes == {"chip c0-line", "chip acting coming"}


def test_the_lanes_and_the_elements(scene: Scene) -> None:
    assert {"S0 x, y", "S1 →x"} <= {*words(scene.lanes, RUNNING)}
    assert {"S0 y", "S1 x"} <= {*words(scene.lanes, DONE)}
    assert "→x" in words(scene.elements, RUNNING)
    (said,) = (said for step, said in scene.elements.says if step == MAKING)
    assert said.en == "Elements of x, y; →x. New, or with a new layout: →x."


def test_the_graph_its_edges_and_what_is_kept(scene: Scene) -> None:
    running, done = words(scene.graph, RUNNING), words(scene.graph, DONE)
    assert "keeps →x @ v1" in running
    assert "was →x" in running
    assert running.count("→x") == 2  # above the node that made it, and on the way to the one before
    assert {look.style for look in looks(scene.graph, RUNNING) if look.text == "→x"} == {
        "text italic",
        "text tiny end",
    }
    assert not any("→x" in each for each in done)
    assert "keeps x @ v1 ✗ stale" in done


def test_a_leaf_is_called_as_it_is_at_the_step_and_not_as_it_will_be(scene: Scene) -> None:
    assert "fills x.grad" in words(scene.graph, RUNNING)
    assert "fills y.grad" in words(scene.graph, DONE)


def test_the_tables_say_in_words_when_it_will_be_named(scene: Scene) -> None:
    recording = scene.recording
    by_name = {table.name: table for table in tables(recording, recording.state(RUNNING))}
    names = [cells[0] for _, cells in by_name["tensors"].rows]
    assert [spelt(name) for name in names] == ["x, y", "→x (named when line 3 is done)"]
    assert spelt(names[1], "zh") == "→x（第 3 行执行完时得名）"
    assert [spelt(cells[1]) for _, cells in by_name["saved"].rows] == ["→x (result) @ v1"]
    assert "| →x (named when line 3 is done) | S1 |" in to_markdown(recording, RUNNING, "en")


def test_the_table_of_nodes_says_whose_gradient_goes_where(scene: Scene) -> None:
    recording = scene.recording
    last = {table.name: table for table in tables(recording, recording.state())}["nodes"]
    cells_of = {spelt(cells[0]): spelt(cells[2]) for _, cells in last.rows}
    assert cells_of["MultiplyGradNode"].endswith(" (line 3): x ×2")
    running = {table.name: table for table in tables(recording, recording.state(RUNNING))}["nodes"]
    assert {spelt(cells[2]) for _, cells in running.rows} == {
        "GradNodeAccumulation: x",
        "",
        "ScaleGradNode (line 3): →x",
    }


def test_still_pictures_and_the_words_for_a_pointer(scene: Scene) -> None:
    assert "→x" in to_svg(scene, RUNNING)
    assert "→x" not in to_svg(scene, DONE)
    names = [layout[4] for layout in links(scene.recording, lambda _: 0, Lines(scene.recording))["layouts"]]
    assert "→x" in names
    assert "T1" not in names


def test_the_bytes_are_held_by_no_name_until_there_is_one(scene: Scene) -> None:
    held = holders(scene.recording)
    assert [held[step].storages[1][0] for step in (MAKING, DONE)] == ["other", "named"]
