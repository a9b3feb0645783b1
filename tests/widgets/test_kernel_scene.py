"""Tests the scene of a launch for the player: the drawn threads, the marks of each step, and click targets."""

from __future__ import annotations

from collections import Counter

import pytest

from inplacelab.kernels import geometry
from inplacelab.kernels.geometry import WARP
from inplacelab_widgets.launch_pictures.blocks import MOST, PANEL, PANELS, Layers, Picks, description_of_picks, picks_of
from inplacelab_widgets.launch_pictures.facts import fixed_marks, picked_tables
from inplacelab_widgets.launch_pictures.formats import animation_of, payload
from inplacelab_widgets.launch_pictures.launches import Pick, ShownLaunch, accesses_at, shown_launches
from inplacelab_widgets.launch_pictures.picked_thread import description_of, hit_layers, thread_layers, warp_layers
from inplacelab_widgets.page import packed_json
from inplacelab_widgets.scene.svg import Look
from tests.subtests import for_each
from tests.widgets import kernel_launches
from tests.widgets.kernel_launches import launch, operand

CASES = kernel_launches.CASES
FEW = 128
"""So many threads are drawn where it does not matter how many."""


def threads_of(shown: ShownLaunch, picks: Picks) -> list[Pick]:
    return list(picks.threads(shown.launch.threads))


def flat(*layers: Layers) -> Counter[tuple[str, Look, str]]:
    """Returns the marks of layers."""
    return Counter(
        (each.tag, Look(each.style, each.content, tuple(each.place.items())), each.key)
        for layer in layers
        for drawn in layer.values()
        for each in drawn
    )


@for_each("name", CASES)
def test_a_step_shows_what_is_drawn_of_its_thread(name: str) -> None:
    shown, (wanted, *_) = CASES[name]
    picks = picks_of(shown, wanted, FEW)
    threads = threads_of(shown, picks)
    group = animation_of(shown, picks, threads)
    assert (group.first, group.last) == (0, len(threads) - 1)
    fixed = {"fixed": fixed_marks(shown)}
    for step in range(0, len(threads), 13):
        pick = threads[step]
        there = Counter(
            (mark.tag, look._replace(attributes=mark.place + look.attributes), "".join(mark.keys))
            for mark in group.marks
            if (look := mark.at(step)) is not None
        )
        drawn = (warp_layers(shown, pick), thread_layers(shown, pick), hit_layers(shown, pick, picks))
        assert there == flat(fixed, *drawn)


@for_each("name", CASES)
def test_a_thread_is_shown_on_the_slots_that_it_touches(name: str) -> None:
    shown, picks = CASES[name]
    for pick in picks:
        done = accesses_at(shown, *pick)
        _, threads = picked_tables(shown, pick)
        row = next(cells for cells in threads.rows if cells[0] == str(pick.thread))
        for position, each in enumerate(shown.launch.operands):
            slots = {
                slot
                for access in done
                if access.operand == each.name and access.slot is not None
                for slot in range(access.slot, access.slot + access.slots)
            }
            (mine,) = thread_layers(shown, pick)[f"mine of {position}"]
            assert str(mine.place["d"]).count("M") == len(slots)
            ends = dict.fromkeys((min(slots), max(slots))) if slots else ()
            assert row[1 + position] == "–".join(map(str, ends))


@for_each("name", CASES)
def test_a_click_picks_what_would_be_drawn_there_if_it_were_picked(name: str) -> None:
    shown, (wanted, *_) = CASES[name]
    picks = picks_of(shown, wanted, FEW)
    pick = threads_of(shown, picks)[-1]
    hits = hit_layers(shown, pick, picks)
    for thread in (warp * WARP + 7 for warp in picks.warps):
        (there,) = (hit for hit in hits["threads"] if hit.key == f"pick:thread:{thread}")
        assert there.place == thread_layers(shown, pick._replace(thread=thread))["thread"][-1].place
    for hit in hits["blocks"][1:]:
        block = int(hit.key.removeprefix("pick:block:"))
        grid = warp_layers(shown, pick._replace(block=block))["grid"]
        assert hit.place in [each.place for each in grid if each.style == "inked"]
    for position in range(len(shown.launch.operands)):
        for lane in (0, 30):
            (there,) = (hit for hit in hits[f"hits of {position}"] if hit.key == f"pick:lane:{lane}")
            other = thread_layers(shown, pick._replace(thread=pick.thread // WARP * WARP + lane))
            cell, slots = other[f"lane of {position}"][0], other[f"mine of {position}"][0]
            assert there.place["d"] == f"{cell.place['d']}{slots.place['d']}"


@pytest.mark.standard
@for_each("name", CASES)
def test_what_is_drawn_stays_within_what_may_be_sent(name: str) -> None:
    shown, (wanted, *_) = CASES[name]
    picks = picks_of(shown, wanted)
    assert picks.has(wanted)
    sent = payload([(shown, picks)])
    most = MOST // len(shown.launch.operands)
    assert len(sent["steps"]) <= most + 1
    assert len(packed_json(sent)) < 300_000
    everything = shown.launch.blocks * shown.launch.threads * geometry.turns(shown.launch)
    assert (len(sent["steps"]) == everything + 1) == (everything <= most)
    assert (sent["launches"][0]["drawn"] == "") == (everything <= most)


def test_a_small_launch_is_small() -> None:
    shown = CASES["backwards"].shown
    assert len(packed_json(payload([(shown, picks_of(shown, Pick()))]))) < 50_000


@pytest.mark.parametrize(
    ("case", "wanted", "drawn"),
    [
        ("many blocks", (300, 255, 0), ("Can be picked: blocks 0–5, 300, 390 of 391", "可选：线程块 0–5、300、390（共 391 个）")),
        # Of block 3526, some threads have an element in their second turn and others none.
        (
            "more elements than threads", (0, 0, 1),
            (
                "Can be picked: blocks 0–1, 3,526, 8,191 of 8,192",
                "可选：线程块 0–1、3,526、8,191（共 8,192 个）",
            ),
        ),
        # The first row of blocks ends with 34.
        (
            "many tiles", (0, 0, 0),
            (
                "Can be picked: blocks 0, 34–35, 454 of 455 · threads 0–31, 224–255 of 256",
                "可选：线程块 0、34–35、454（共 455 个） · 线程 0–31、224–255（共 256 个）",
            ),
        ),
    ],
)  # fmt: skip
def test_of_a_large_launch_it_is_said_what_is_drawn(
    case: str, wanted: tuple[int, int, int], drawn: tuple[str, str]
) -> None:
    shown = CASES[case].shown
    said = description_of_picks(shown.launch, picks_of(shown, Pick(*wanted)))
    assert (said.en, said.zh) == drawn


def test_the_block_in_which_most_threads_meet_is_drawn() -> None:
    ran = launch(
        "add_at_", "scatter_add", operand("x", "both", (4096,)), operand("index", "reads", (4096,), dtype="int64"),
        operand("y", "reads", (4096,)),
    )  # fmt: skip
    index = list(range(4096))
    index[2600:2620] = [7] * 20  # by threads of block 10
    (shown,) = shown_launches(ran, index)
    picks = picks_of(shown, Pick())
    assert 10 in picks.blocks
    assert "20 threads meet on one slot" in description_of(shown, Pick(10, 40, 0)).en
    assert any(step["at"][1] == 10 for step in payload([(shown, picks)])["steps"][:-1])


def test_the_threads_at_the_end_of_a_row_are_drawn() -> None:
    shown = CASES["rows"].shown  # of 300 columns, so that 44 threads take a second one
    picks = picks_of(shown, Pick())
    assert picks.warps == (0, 1)
    assert 39 in picks.blocks


def test_of_many_turns_the_first_and_the_last_are_drawn() -> None:
    shown = shown_launches(launch("normalize_", "normalize", operand("x", "both", (4, 3000))))[0]
    assert geometry.turns(shown.launch) == 36
    assert picks_of(shown, Pick(turn=20)).turns == (0, 1, 2, 3, 4, 5, 20, 35)
    assert "turns 1–6, 21, 36 of 36" in description_of_picks(shown.launch, picks_of(shown, Pick(turn=20))).en


def test_of_many_launches_each_has_a_warp() -> None:
    shown = CASES["many blocks"].shown
    picks = picks_of(shown, Pick(2, 37), WARP)
    assert picks == ((2,), (1,), (0,))


def test_what_cannot_be_picked_is_one_step() -> None:
    for ran in (kernel_launches.LIBRARY, kernel_launches.EMPTY):
        (shown,) = shown_launches(ran)
        sent = payload([(shown, picks_of(shown, Pick()))])
        assert [step.get("at") for step in sent["steps"]] == [[0, 0, 0, 0, 0, 0], None]
        assert not sent["launches"][0]["picks"]


def test_launches_follow_each_other_and_each_stands_in_the_same_place() -> None:
    one, other = CASES["bytes"].shown, CASES["broadcast"].shown
    drawn = [(shown, picks_of(shown, Pick(), FEW)) for shown in (one, other)]
    sent = payload(drawn)
    first, second, nothing = sent["panels"][0]["groups"]
    assert first["last"] + 1 == second["first"]
    assert second["last"] + 1 == nothing["first"] == len(sent["steps"]) - 1
    assert [group["y"] for group in (first, second)] == [12, 12]
    assert sent["panels"][0]["height"] >= PANELS + 2 * PANEL
    assert len(sent["tables"]) == 6


def test_what_a_thread_takes_is_the_headline_and_what_it_costs_the_detail() -> None:
    shown = CASES["scatter"].shown
    sent = payload([(shown, picks_of(shown, Pick(), FEW))])
    step = sent["steps"][0]
    headline, detail = (sent["said"][step[key]][0] for key in ("says", "detail"))
    assert f"{headline}. {detail}" == description_of(shown, Pick()).en
    assert "sector" in detail
    assert "sector" not in headline


def test_the_same_launch_twice_is_drawn_once_and_shown_twice() -> None:
    shown = CASES["scatter"].shown
    again = shown._replace(step=3, line=9)
    picks = picks_of(shown, Pick(), FEW)
    sent = payload([(shown, picks), (again, picks)])
    first, second, _ = sent["panels"][0]["groups"]
    count = second["first"] - first["first"]
    for one, other in zip(first["marks"], second["marks"], strict=True):
        assert [step + count if k % 2 == 0 else step for k, step in enumerate(one[2])] == other[2]
    steps = sent["steps"]
    assert [step["says"] for step in steps[:count]] == [step["says"] for step in steps[count:-1]]
    assert {step["at"][0] for step in steps[count:-1]} == {1}
    assert [each["title"] for each in sent["launches"]] == ["add_at_", ["add_at_ (line 9)", "add_at_（第 9 行）"]]
