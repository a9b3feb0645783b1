"""Tests large recordings: storages in focus are drawn in full, all are in the table by owner, and nothing is left out silently."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.recording.facts import StorageFacts, Summary
from inplacelab.recording.recording import Recording
from inplacelab.recording.statements import by_statement
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.focus import open_spans, storages_in_focus, threads
from inplacelab_widgets.scene.large_storages import PER_ROW, SIZE, UNKNOWN, magnified_from, value_text
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.storages_panel import HIGHEST
from inplacelab_widgets.scene.svg import ROW, stack_of
from inplacelab_widgets.scene.timeline import shared_rows
from tests.recorders.golden.renew import run

PLAYER = Path(__file__).parents[2] / "widgets/inplacelab_widgets/player"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def keys_at(scene: Scene, step: int) -> tuple[set[str], set[str]]:
    """Returns the storages drawn in full at a step, and those with a line in the table."""
    groups = [group for group, _, _ in stack_of(scene.storages, step)[0]]
    lines = [line.key for line in scene.storages.table if line.key.startswith("s") and line.is_drawn(step)]
    assert len({*lines}) == len(lines), "one line for each"
    return {group.key for group in groups if group in scene.storages.groups}, {*lines}


def test_a_small_recording_has_no_table() -> None:
    scene = scene_of(run("x = paddle.ones([3])\ny = x * 2.\ny.add_(x)\n").recording)
    assert scene.storages.height <= HIGHEST
    assert scene.storages.table == ()


def test_every_live_storage_is_drawn_or_in_the_table(scene: Scene) -> None:
    for state in scene.recording.states():
        full, lines = keys_at(scene, state.step.index)
        live = {f"s{key}" for key in state.storages}
        assert live == lines if scene.storages.table else live <= full


def test_what_is_written_is_drawn_in_full(scene: Scene) -> None:
    for state in scene.recording.states():
        full, _ = keys_at(scene, state.step.index)
        first = next((write.storage for write in state.step.writes if write.storage in state.storages), None)
        assert first is None or f"s{first}" in full


def test_cells_do_not_overlap_and_keep_their_places_in_the_table(sample_scene: Callable[[str], Scene]) -> None:
    scene = sample_scene("many")
    assert scene.storages.table
    found = set()
    for step in range(len(scene.recording)):
        places, height = stack_of(scene.storages, step)
        cells = [(group, x, y) for group, x, y in places if group in scene.storages.table]
        top = cells[0][2]
        found.add(tuple((x, y - top) for _, x, y in cells))
        for (one, x, y), (_, its_x, its_y) in pairwise(cells):
            assert its_y > y or x + one.width < its_x
        assert all(y + ROW <= height for _, _, y in cells)
    assert len(found) == 1


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), max_size=30))
def test_no_two_that_meet_share_a_seat(lengths: list[tuple[int, int]]) -> None:
    spans = sorted((first, first + length) for first, length in lengths)
    seats = shared_rows(spans)
    for k, (one, seat) in enumerate(zip(spans, seats, strict=True)):
        for other, its in zip(spans[:k], seats[:k], strict=True):
            assert seat != its or other[1] < one[0] or one[1] < other[0]


def test_spans_are_in_order_and_apart(recording: Recording) -> None:
    sizes = {storage: [(0, (120.0, 90.0))] for step in recording.steps for storage, _ in step.storages}
    for spans in open_spans(recording, sizes.__getitem__, lambda boxes: len(boxes) < 6).values():
        assert all(first <= last for first, last in spans)
        assert all(before[1] + 1 < after[0] for before, after in pairwise(spans))


def test_a_storage_needs_the_room_that_it_has_at_the_step() -> None:
    recording = run("x = paddle.ones([2])\ny = paddle.ones([2])\nz = x + y\nx.zero_()\n").recording
    low, last = (100.0, 50.0), len(recording) - 1
    sizes = {0: [(0, low), (last, (100.0, 300.0))], 1: [(0, low)], 2: [(0, low)]}
    spans = open_spans(recording, sizes.__getitem__, lambda boxes: sum(height for _, height in boxes) <= 300)
    assert spans[0] == ((0, last),)
    assert spans[1][-1][1] == spans[2][-1][1] == last - 1


def test_of_what_a_statement_writes_that_is_drawn_first_which_goes_stale() -> None:
    joined = by_statement(run("x = paddle.ones([2])\ny = paddle.ones([2])\n(x.zero_(), y.zero_())\n").recording)
    (now,) = (step.index for step in joined.steps if len(step.writes) == 2)
    x, y = (write.storage for write in joined.steps[now].writes)
    sizes = {key: [(0, (100.0, 50.0))] for key in range(9)}

    def drawn(stale: dict[int, list[tuple[int, int]]]) -> list[int]:
        spans = open_spans(joined, sizes.__getitem__, lambda boxes: len(boxes) < 2, stale)
        return [key for key, ranges in spans.items() if any(first <= now <= last for first, last in ranges)]

    assert [drawn({}), drawn({y: [(now, now)]})] == [[x], [y]]
    assert drawn({x: [(now - 1, now)], y: [(now, now)]}) == [y]


def test_a_thread_stops_where_something_happens_to_its_storages(recording: Recording) -> None:
    about = storages_in_focus(recording)
    for thread in threads(recording):
        assert thread.stops == tuple(k for k, some in enumerate(about) if set(some) & set(thread.storages))
        assert {f"s{storage}" for storage in thread.storages} <= set(thread.keys)


@given(st.integers(1, 10_000).flatmap(lambda slots: st.tuples(st.integers(0, slots - 1), st.just(slots))))
def test_the_lens_shows_the_slot_that_it_was_moved_to(place: tuple[int, int]) -> None:
    slot, slots = place
    first = magnified_from(slot, slots)
    assert first % PER_ROW == 0
    assert first <= slot < first + SIZE
    assert first == 0 or first < slots


def test_the_lens_says_what_was_not_recorded() -> None:
    values = Summary(None, None, (1.0, 2.0), (9.0,), ((5, (5.5, 6.5)),))
    facts = StorageFacts(0, 40, 10, "float32", "cpu", values)
    assert [value_text(facts, slot) for slot in range(10)] == ["1", "2", *"···", "5.5", "6.5", *"··", "9"]
    assert UNKNOWN == "·"


def in_node(script: str, data: Any, folder: Path) -> Any:
    """Returns the JSON that a Node script prints, given `data`."""
    (folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
    run = f"import {{ readFileSync }} from 'node:fs';\nconst data = JSON.parse(readFileSync({json.dumps(str(folder / 'data.json'))}));\n"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", run + script], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@needs_node
def test_the_player_stacks_as_python_does(sample_scene: Callable[[str], Scene], tmp_path: Path) -> None:
    scene = sample_scene("many")
    panel = next(panel for panel in payload(scene)["panels"] if panel["name"] == "storages")
    script = f"""
import {{ arranged, stackOf }} from {json.dumps(str(PLAYER / "layout.js"))};
import {{ summed }} from {json.dumps(str(PLAYER / "unpack.js"))};
for (const group of [...data.groups, ...data.table]) if (group.open) group.open = summed(group.open);
const at = (step) => {{
  const {{ places, bottom }} = stackOf(data, step, null, arranged(data, 0));
  return [[...places].map(([group, [x, y]]) => [group.key ?? "", x, y]), bottom];
}};
console.log(JSON.stringify(Array.from({{ length: {len(scene.recording)} }}, (_, step) => at(step))));"""
    for step, (places, bottom) in enumerate(in_node(script, panel, tmp_path)):
        expected, height = stack_of(scene.storages, step)
        assert [tuple(place) for place in places] == [
            (group.key, pytest.approx(x, abs=0.1), pytest.approx(y, abs=0.1)) for group, x, y in expected
        ]
        assert bottom == pytest.approx(height, abs=0.1)


@needs_node
def test_storages_are_folded_only_when_the_pane_is_full(sample_scene: Callable[[str], Scene], tmp_path: Path) -> None:
    scene = sample_scene("many")
    panel = next(panel for panel in payload(scene)["panels"] if panel["name"] == "storages")
    heights = [0, 200, 400, 5000]
    script = f"""
import {{ arranged, stackOf }} from {json.dumps(str(PLAYER / "layout.js"))};
import {{ summed }} from {json.dumps(str(PLAYER / "unpack.js"))};
for (const group of [...data.groups, ...data.table]) if (group.open) group.open = summed(group.open);
const at = (step, high) => {{
  const {{ places, bottom }} = stackOf(data, step, null, arranged(data, 0), high);
  const drawn = [...places.keys()].filter((group) => group.key?.startsWith("s"));
  return [drawn.filter((group) => data.groups.includes(group)).map((group) => group.key), drawn.length, bottom];
}};
const all = (high) => Array.from({{ length: {len(scene.recording)} }}, (_, step) => at(step, high));
console.log(JSON.stringify({json.dumps(heights)}.map(all)));"""
    found = in_node(script, panel, tmp_path)
    for folded, *others in zip(*found, strict=True):
        for high, (full, count, bottom) in zip(heights[1:], others, strict=True):
            assert {*folded[0]} <= {*full}, "what the step is about is never folded instead"
            assert count == len(full), "each storage is drawn once"
            assert bottom <= max(high, folded[2])
            assert len(full) <= max(8, len(folded[0]))
    assert any(len(high[0]) > len(low[0]) for low, high in zip(found[0], found[-1], strict=True))
